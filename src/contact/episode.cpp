// The rules of an episode.
#include "percuss/contact/episode.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/words.h"
#include "percuss/ode/root.h"

namespace percuss::contact {

namespace {

using Phase = Episode::Phase;

/// Where U has underflowed there is no indentation to speak of; f a/v is then far below any force that matters.
constexpr double kSmallestSpeed_mps = 1e-150;

bool may_raise(const EpisodeRules& rules, const Episode& e) {
  return rules.law_speed.rule == LawSpeed::Rule::effective || !(e.law_speed_mps > 0);
}

/// sqrt(2 U/m). U is what unloading would return: of a plastic law less than the work done on it, so that here too
/// no free collision raises the speed, not even one that begins in the dent of another.
double energy_speed_mps(const Episode& e, double depth_m) {
  return std::max(std::sqrt(2 * stored_energy_J(e.law, depth_m, e.deepest_m) / e.mass_kg), kSmallestSpeed_mps);
}

}  // namespace

Result<LawSpeed> read_law_speed(std::string_view text) {
  if (text == "touch") return LawSpeed{LawSpeed::Rule::touch, 0};
  if (text == "effective") return LawSpeed{LawSpeed::Rule::effective, 0};
  const Result<double> number = read_number(text, dimension::velocity);
  if (number && *number > 0) return LawSpeed{LawSpeed::Rule::fixed, *number};
  if (number) return Diagnostic{{}, "a speed must be above 0, found " + in_quotes(text)};
  const Diagnostic& why = number.errors().front();
  if (why.kind == Diagnostic::Kind::dimension) return why;
  return Diagnostic{{}, "expected touch, effective or a speed, e.g. 0.3 m/s; found " + in_quotes(text)};
}

double law_speed_mps(const LawSpeed& rule, const Touch& at) {
  if (rule.rule == LawSpeed::Rule::fixed) return rule.fixed_mps;
  return std::max(at.approach_mps, at.least_mps);
}

double rest_speed_mps(const Law& law, double mass_kg, double load_mps2) {
  if (!(load_mps2 > 0)) return 0;
  const double load_N = mass_kg * load_mps2;
  const auto excess = [&](double depth) { return force_N(law, {depth, 0, 0}) - load_N; };
  double deep = 1e-12;
  while (deep < 1e3 && excess(deep) < 0) deep *= 4;
  if (!(excess(deep) > 0)) return 0;
  const double depth = ode::locate_root(excess, 0.0, deep, -load_N, excess(deep));
  return std::sqrt(2 * load_mps2 * depth);
}

KeptIndentation kept_indentation(const Law& law, double deepest_m) {
  return {permanent_indentation_m(law, deepest_m), deepest_m};
}

bool begins(const Episode& e, double depth_m) { return e.phase == Phase::apart && depth_m > e.permanent_m; }

void touch(const EpisodeRules& rules, const Touch& at, Episode& e) {
  e.phase = Phase::touching;
  e.mass_kg = at.mass_kg;
  e.approach_mps = std::max(at.approach_mps, 0.0);
  e.law_speed_mps = law_speed_mps(rules.law_speed, {at.mass_kg, e.approach_mps, at.least_mps});
  e.highest_law_speed_mps = e.law_speed_mps;
  e.law = latch(rules.spec, e.mass_kg, e.law_speed_mps > 0 ? e.law_speed_mps : 1.0, e.approach_mps);
}

Law law_at(const EpisodeRules& rules, const Episode& e, double depth_m) {
  if (!may_raise(rules, e)) return e.law;
  const double speed = energy_speed_mps(e, depth_m);
  return speed > e.law_speed_mps ? latch(rules.spec, e.mass_kg, speed, e.approach_mps) : e.law;
}

NormalForce<> force(const EpisodeRules& rules, const Episode& e, const Indentation<>& x) {
  if (e.phase == Phase::apart) return {};
  return force_parts(law_at(rules, e, x.depth_m), {x.depth_m, x.rate_mps, e.deepest_m});
}

bool separates(const EpisodeRules& rules, const Episode& e, const Indentation<>& x) {
  if (e.phase == Phase::apart) return false;
  if (x.depth_m < 0) return true;
  if (e.law.pulls() || !(x.rate_mps < 0)) return false;
  return !(force_N(law_at(rules, e, x.depth_m), {x.depth_m, x.rate_mps, e.deepest_m}) > 0);
}

void advance(const EpisodeRules& rules, const Indentation<>& x, Episode& e) {
  if (e.phase == Phase::apart) return;
  const bool ends = separates(rules, e, x);
  if (x.depth_m < 0) {
    const bool keeps = rules.persistent && has_memory(e.law);
    const KeptIndentation kept = keeps ? kept_indentation(e.law, e.deepest_m) : KeptIndentation{};
    e.phase = Phase::apart;
    e.permanent_m = kept.permanent_m;
    e.deepest_m = kept.deepest_m;
    return;
  }
  if (may_raise(rules, e))
    e.highest_law_speed_mps = std::max(e.highest_law_speed_mps, energy_speed_mps(e, x.depth_m));
  if (has_memory(e.law)) e.deepest_m = std::max(e.deepest_m, x.depth_m);
  if (ends)
    e.phase = Phase::separated;
  else if (force(rules, e, x).total_N > 0)
    e.phase = Phase::touching;
}

}  // namespace percuss::contact
