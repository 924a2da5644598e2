// From words and numbers to a law: what was asked for is checked once, then latched at every first touch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "percuss/contact/rows.h"
#include "percuss/contact/user_law.h"

namespace percuss::contact {

enum class Calibration { published, exact };

/// What a user says. The field names are the words of the command's options and of a scene's keys.
struct LawRequest {
  std::string law;      // dissipation key, elastic key or alias; empty with a user law
  std::string elastic;  // empty: power if an exponent is given, else what the row fixes, else hertz
  std::optional<double> stiffness, exponent, restitution;
  double share = 1;  // of the stiffness that this contact point carries; a line contact has it in its length
  std::optional<Pairing> pairing;
  /// Instead of `restitution`: of the approach speed in m/s, slot 0.
  std::optional<expression::Program> restitution_of_speed;
  Calibration calibration = Calibration::published;
  std::optional<Release> release;
  std::vector<std::pair<std::string, double>> parameters;  // by name, in SI
  std::optional<UserLaw> user_law;
};

/// A request that makes sense. `latch` cannot fail on it.
struct LawSpec {
  const DissipationRow* row = nullptr;  // null: a user's law
  const ElasticRow* elastic_row = nullptr;
  std::string name;  // the key that was resolved, or the user's name
  Elastic<> elastic;
  double stiffness = 0, exponent = 0;  // of a power law
  std::optional<double> restitution;   // of one that depends on the speed: at 1 m/s
  std::optional<expression::Program> restitution_of_speed;
  Calibration calibration = Calibration::published;
  Release release = Release::zero_force;
  std::array<double, 3> parameter{};
  Calibrator calibrator;
  std::optional<UserLaw> user_law;
  std::vector<std::string> notes;  // e.g. how an alias was resolved
};

/// All that is missing, out of range or contradictory, at once; `at.source` of a diagnostic is the word it is
/// about.
Result<LawSpec> specify(const LawRequest& request);

/// Does the law of an episode depend on the speed that it is calibrated with?
bool depends_on_speed(const LawSpec& spec);

/// The restitution that is prescribed for an approach speed; nothing for a law without one.
std::optional<double> restitution_at(const LawSpec& spec, double approach_mps);

/// The law of one episode: effective mass and approach speed at first touch. The law may be calibrated with another
/// speed than that of approach, from which the prescribed restitution is taken.
Law latch(const LawSpec& spec, double mass_kg, double velocity_mps);
Law latch(const LawSpec& spec, double mass_kg, double velocity_mps, double approach_mps);

/// What a latch is made of, by number: restitution, stiffness, mass, velocity, then the row's parameters.
enum LatchInput { kRestitution, kStiffness, kMass, kVelocity, kFirstParameter, kLatchInputs = kFirstParameter + 3 };
std::array<double, kLatchInputs> latch_values(const LawSpec& spec, double mass_kg, double velocity_mps);

/// The same with derivatives in one of them, times `seed` (d[0] of every parameter of the law); built-in power laws
/// only.
LawOf<Slope> latch_with_slope(const LawSpec& spec, double mass_kg, double velocity_mps, int input = kRestitution,
                              double seed = 1);
bool can_be_sloped(const LawSpec& spec);

}  // namespace percuss::contact
