// One contact from touch to separation: what is latched at touch, the speed its law uses, where it ends, what it
// leaves. The same rules for every engine, located or fixed-step, ours or another's.
//
//   const contact::EpisodeRules rules{*contact::specify(request), {contact::LawSpeed::Rule::effective}};
//   contact::Episode e;                                          // one for each contact point
//   each step:  if (begins(e, depth_m)) touch(rules, {mass_kg, rate_mps}, e);
//               force_N = force(rules, e, {depth_m, rate_mps}).total_N;
//               advance(rules, {depth_m, rate_mps}, e);          // once the step is accepted
#pragma once

#include <string_view>

#include "percuss/contact/specification.h"

namespace percuss::contact {

/// The speed v0 that a law is calibrated with, for the whole of an episode:
///   touch      the approach speed at touch, and at least a hundredth of the speed of rest under the load there
///   effective  v^2 = max(v0^2, 2 U(x)/m), U the energy stored at indentation x: for fixed-step engines
///   fixed      a given speed
/// Why `effective`: a contact that is born at v0 = 0, as in a settling bed, gets infinite damping from a/v0. In a
/// free collision U <= m v0^2/2 at all times, so that the rule never acts and the restitution stays what it is.
/// Under a lasting load the damping of a law F = f (1 + a x'/v) becomes a f/sqrt(2 U/m): of f = K x^n that is
/// a sqrt((n+1) K m/2) x^((n-1)/2) x', Tsuji's form with the damping ratio a/2, which is finite and stable.
/// Weakness: the law is then no longer that of its paper; `Episode::was_raised` says where that happened.
struct LawSpeed {
  enum class Rule { touch, effective, fixed };
  Rule rule = Rule::touch;
  double fixed_mps = 0;
  bool operator==(const LawSpeed&) const = default;
};

/// "touch", "effective", or a speed above 0 with or without its unit.
Result<LawSpeed> read_law_speed(std::string_view text);

/// What an engine knows at touch.
struct Touch {
  double mass_kg = 0;       // effective
  double approach_mps = 0;  // of the surfaces, at touch
  double least_mps = 0;     // for `touch`, see least_law_speed_mps; 0: none is known
};

/// The speed that the rule gives at touch; 0 where there is neither approach nor load: the engine decides then.
double law_speed_mps(const LawSpeed& rule, const Touch& at);

/// The speed below which a contact under a load is at rest: that of a fall through the static indentation d,
/// sqrt(2 g d), where the law at rest carries m g. 0 without a load, or where the law cannot carry it.
double rest_speed_mps(const Law& law, double mass_kg, double load_mps2);

/// The floor of the rule `touch`. Impacts down to it deliver the restitution that is prescribed; a contact that is
/// born slower, at rest under its load, is overdamped and settles slowly, but its damping is finite.
inline constexpr double kLeastOfRest = 0.01;
inline double least_law_speed_mps(double at_rest_mps) { return kLeastOfRest * at_rest_mps; }

/// What a plastic contact leaves for the next episode at the same point; zeros where nothing is left.
struct KeptIndentation {
  double permanent_m = 0;  // the next episode begins here
  double deepest_m = 0;
  bool operator==(const KeptIndentation&) const = default;
};
KeptIndentation kept_indentation(const Law& law, double deepest_m);

/// What the contact points of one kind have in common.
struct EpisodeRules {
  LawSpec spec;
  LawSpeed law_speed{};
  bool persistent = false;  // the permanent indentation stays for the next episode at this point
};

/// One contact point: plain numbers and the latched law. Copying it is a snapshot.
///   apart      no episode; the next begins beyond the permanent indentation
///   touching   the law acts
///   separated  the law's force has ended while the surfaces still overlap. If it returns, the episode goes on with
///              what it latched; a new episode needs a gap first
struct Episode {
  enum class Phase { apart, touching, separated };
  Phase phase = Phase::apart;
  double mass_kg = 0, approach_mps = 0;  // latched at touch
  double law_speed_mps = 0;              // with which `law` is latched; 0: none was known at touch
  double highest_law_speed_mps = 0;      // that the law has used so far
  double deepest_m = 0;                  // largest indentation of accepted steps: the memory of plastic laws
  double permanent_m = 0;                // kept from the episodes before
  Law law;
  /// Has the law used a speed above that of approach? (In a free collision `effective` may exceed it by the energy
  /// error of the steps, not by more.)
  bool was_raised() const { return highest_law_speed_mps > approach_mps; }
  bool operator==(const Episode&) const = default;
};

/// Does an episode begin at this indentation?
bool begins(const Episode& episode, double depth_m);

/// Latches mass, speed and law. A rule that gives no speed here (touch, without approach and load) is taken as
/// `effective`.
void touch(const EpisodeRules& rules, const Touch& at, Episode& episode);

/// The law at an indentation: as latched, or with the raised speed of the rule `effective`. Costs a calibration
/// where it is raised.
Law law_at(const EpisodeRules& rules, const Episode& episode, double depth_m);

/// The force; zero of a contact that is apart. `deepest_m` of the indentation is not read: the episode knows it.
NormalForce<> force(const EpisodeRules& rules, const Episode& episode, const Indentation<>& x);

/// Does contact end here? A law that pulls ends at zero indentation, any other where its force ends on the way
/// out.
bool separates(const EpisodeRules& rules, const Episode& episode, const Indentation<>& x);

/// Takes note of an accepted step: deepest indentation, separation, return of the force, and the gap that arms the
/// next episode.
void advance(const EpisodeRules& rules, const Indentation<>& x, Episode& episode);

}  // namespace percuss::contact
