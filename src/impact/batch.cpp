// One impact after the other, shares of the batch on threads.
#include "percuss/impact/batch.h"

#include <cassert>

#include "percuss/base/pool.h"
#include "percuss/contact/restitution.h"
#include "percuss/impact/closed_form.h"

namespace percuss::impact {

using namespace contact;

void collide_batch(const DissipationRow& row, Calibration calibration, double exponent, const ImpactInputs& in,
                   const ImpactOutputs& out, unsigned threads) {
  assert(row.family == Family::scaled && row.restitution == RestitutionUse::needed);
  const Calibrator& calibrator = calibration == Calibration::exact ? row.exact : row.published;
  const auto part = [&](std::size_t from, std::size_t to) {
    // an exact calibration solves equation (1) for a: its other unknown, the restitution, is then the prescribed
    // one
    const bool delivers_what_is_asked = calibrator.plain == row.exact.plain;
    Latch<> latch;
    latch.velocity_mps = 1;  // the gain is then a itself
    for (std::size_t i = from; i < to; ++i) {
      latch.restitution = in.restitution[i];
      const double a = std::get<Scaled<>>(calibrator.plain(latch)).gain_s_per_m;
      const ScaledPeaks peaks = scaled_peaks(in.stiffness[i], exponent, a, in.mass_kg[i], in.velocity_mps[i]);
      out.restitution[i] = delivers_what_is_asked ? in.restitution[i] : restitution_of_damping(a);
      out.peak_indentation_m[i] = peaks.peak_indentation_m;
      out.peak_force_N[i] = peaks.peak_force_N;
    }
  };
  constexpr std::size_t kWorthAThread = 2'000;
  for_each_range(in.restitution.size(), threads, {kWorthAThread, 1}, part);
}

}  // namespace percuss::impact
