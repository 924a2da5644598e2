// The first zero of any of several sums of sinusoids, none missed.
#pragma once

#include <optional>
#include <vector>

#include "percuss/collision/vibration.h"

namespace percuss::collision {

struct Crossing {
  double t = 0;
  std::vector<Eigen::Index> rows;  // all that are zero there
  long steps = 0;                  // of the search
};

/// Every row is positive until its event, where it falls through zero; it may begin at zero. The first moment at
/// which one does, and all rows that do at that moment; nothing if none ever does.
///
/// A row is rounding while it is around zero within `relative_floor` times the sum of its amplitudes: there are no
/// events under that floor. (The far end of a chain starts as t^(2i-1) and stays there for a while.) `from` is
/// the size of what each row was added up from, where that is more: a dent that is left slowly is a small
/// difference of depths.
template <int most>
std::optional<Crossing> first_crossing(const SinusoidsOf<most>& f, const VectorOf<twice(most)>& from);
template <int most>
std::optional<Crossing> first_crossing(const SinusoidsOf<most>& f) {
  return first_crossing<most>(f, f.c0.cwiseAbs());
}

/// What an eigenvalue problem of this size leaves uncertain of a sum of its modes: 64 last digits, and 8 a mode.
inline double relative_floor(Eigen::Index modes) {
  return (64 + 8 * static_cast<double>(modes)) * 2.220446049250313e-16;
}

}  // namespace percuss::collision
