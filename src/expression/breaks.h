// Break points in time: where an expression goes over from one piece to the next. The next one is asked for.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "percuss/expression/program.h"

namespace percuss::expression {

/// The pieces on the right of t of the sites that depend on time alone; the others stay. In the order of
/// evaluation: a quantity is taken on the pieces before it. Where it lies on an end of a piece, give or take what
/// rounding leaves uncertain, its slope says which side comes next; without one, places a little later do.
void settle_time_pieces(const Program& program, std::span<const Site> sites, double t, std::span<double> pieces);

/// What was found in (from, to].
struct NextBreak {
  std::optional<double> at;
  double known_to = 0;  // nothing happens before: as far as it was looked, if there is none
};

/// The first time after `from` at which a site of time alone leaves its piece: the first double at which its
/// quantity, as computed, has done so. Places where a quantity only touches the end of its piece (a root at zero)
/// are break points too.
///
/// Where the enclosure of a quantity excludes the ends of its piece nothing happens. Where the enclosure of its
/// slope, or of its second derivative, has one sign, it is monotone on one part or two, and a crossing shows in its
/// values at their ends. Otherwise the interval is bisected, the left half first: no list is made, and a function
/// of 10^6 periods costs one period at a time. After kMostBoxes enclosures it is only known up to `known_to`.
/// Weakness: where a quantity cancels so much that its enclosure stays wide, intervals down to some last digits of
/// t are decided by the values at their ends, and ever longer ones if that goes on.
inline constexpr int kMostBoxes = 1000;
NextBreak next_break(const Program& program, std::span<const Site> sites, Pieces pieces, double from, double to);

}  // namespace percuss::expression
