// The limits of contact laws.
#include "percuss/impact/validity.h"

#include <cmath>

#include "percuss/base/units.h"

namespace percuss::impact {

using namespace contact;

namespace {
constexpr double kWorthMentioning = 0.02;     // deviation of the restitution
constexpr double kWaveSpeedShare = 1e-5;      // v0 over sqrt(E/rho)
constexpr double kLargestContactShare = 0.1;  // contact radius over radius, sqrt(depth/R)
}  // namespace

std::vector<Warning> warnings(const LawSpec& spec, const Collision& c, const Outcome& out, const Bodies& bodies) {
  std::vector<Warning> list;
  const double delivered = out.restitution;
  const std::optional<double> prescribed = restitution_at(spec, c.velocity_mps);
  if (prescribed && spec.row && std::abs(delivered - *prescribed) > kWorthMentioning) {
    std::string text = spec.name + " delivers " + text_of(delivered, 4) + " for a prescribed restitution of " +
                       text_of(*prescribed, 4) + " (its source is for: " + std::string(spec.row->claimed) + ")";
    if (spec.calibration == Calibration::published && *prescribed > 0)
      text += "; the exact calibration delivers it";
    list.push_back({"restitution-missed", "", text});
  }
  if (!std::isfinite(out.duration_s)) list.push_back({"overdamped", "", "overdamped: the surfaces never separate"});
  if (out.lowest_force_N < 0)
    list.push_back({"force-pulls", "", "the force pulls, down to " + text_of(out.lowest_force_N, 4) + " N"});
  if (bodies.young_Pa > 0 && bodies.density_kgpm3 > 0) {
    const double limit = kWaveSpeedShare * std::sqrt(bodies.young_Pa / bodies.density_kgpm3);
    if (c.velocity_mps > limit)
      list.push_back(
          {"fast-for-quasi-statics", "",
           "the speed " + text_of(c.velocity_mps, 4) + " m/s is above 1e-5 sqrt(E/rho) = " + text_of(limit, 3) +
               " m/s, below which contact is quasi-static and elastic (Love's limit; the factor could not be "
               "confirmed)"});
  }
  const auto* power = std::get_if<Power<>>(&c.law.elastic);
  const bool is_hertz = !spec.user_law && power && power->exponent == 1.5;
  if (bodies.radius_m > 0 && is_hertz) {
    const double share = std::sqrt(out.peak_indentation_m / bodies.radius_m);
    if (share > kLargestContactShare)
      list.push_back(
          {"large-for-hertz", "",
           "the contact radius reaches " + text_of(share, 3) +
               " of the effective radius; Hertz's half-spaces ask for much less than 1 (limit here 0.1)"});
  }
  return list;
}

std::vector<Diagnostic> user_law_faults(const Collision& c, const Result<Outcome>& outcome) {
  std::vector<Diagnostic> faults;
  const auto* custom = std::get_if<Custom<>>(&c.law.shape);
  if (!custom) return faults;
  if (!outcome) {  // the law is the user's: so is the mistake
    faults = outcome.errors();
    for (Diagnostic& d : faults) d.kind = Diagnostic::Kind::input;
    return faults;
  }
  if (const std::string pole = find_pole(*custom, outcome->peak_indentation_m, c.velocity_mps); !pole.empty())
    faults.push_back({{"force"}, pole});
  if (outcome->restitution > 1 + 1e-9)
    faults.push_back(
        {{"force"},
         "the law creates energy: it returns " + text_of(outcome->restitution, 6) + " of the approach speed"});
  return faults;
}

}  // namespace percuss::impact
