// Enclosures, monotone parts, and the flip between two neighbouring numbers.
#include "percuss/expression/breaks.h"

#include <algorithm>
#include <cmath>

namespace percuss::expression {

namespace {

using First = Dual<Interval>;
using Second = Dual<Dual<Interval>>;

constexpr double kSameTime = 8 * kEpsilon;      // of the time: what only touches is not met twice within it
constexpr double kShortestBox = 16 * kEpsilon;  // of the time
constexpr double kShortTime_s = 1e-6;           // near t = 0
constexpr int kCoarser = 4;                     // boxes
constexpr int kLooksAhead = 12;                 // at places ever further on
constexpr double kFirstLook = 64 * kEpsilon;    // of the time, or of a second
constexpr double kFurther = 8;

/// A quantity and its slopes over an interval of time.
struct Enclosure {
  Interval value, slope, bend;
};

std::vector<Second> slots_over(const Program& program, const Interval& t) {
  int most = 0;
  for (const Instruction& i : program.code())
    if (i.op == Op::variable) most = std::max(most, i.index);
  Second anything;  // channels decide nothing here
  anything.v.v = Interval::all();
  std::vector<Second> slots(static_cast<std::size_t>(most) + 1, anything);
  Second& time = slots[0];
  time = Second();
  time.v.v = t;
  time.v.d[0] = 1.0;
  time.d[0] = Dual<Interval>(1.0);
  return slots;
}

Enclosure enclosure_of(const Second& q) { return {q.v.v, q.v.d[0], q.d[0].d[0]}; }

/// Of one site, on the pieces of those before it.
Enclosure quantity_over(const Program& program, std::size_t site, Pieces pieces, const Interval& t) {
  Enclosure out;
  const std::vector<Second> slots = slots_over(program, t);
  program.evaluate_on(std::span<const Second>(slots), pieces,
                      [&](std::size_t k, const Instruction&, const Second& q) {
                        if (k == site) out = enclosure_of(q);
                      });
  return out;
}

/// Value and slope of one site's quantity as computed.
struct Point {
  double value = 0, slope = 0;
};
Point quantity_at(const Program& program, std::size_t site, Pieces pieces, double t, std::vector<Dual<>>& slots) {
  Point out;
  slots[0] = Dual<>::variable(t);
  program.evaluate_on(std::span<const Dual<>>(slots), pieces,
                      [&](std::size_t k, const Instruction&, const Dual<>& q) {
                        if (k == site) out = {q.v, q.d[0]};
                      });
  return out;
}

bool is_inside(const Interval& q, const PieceEnds& ends) { return q.low > ends.low && q.high < ends.high; }

double settled(const Program& program, std::size_t site, Pieces pieces, const Instruction& i, double t,
               const Enclosure& now) {
  const std::vector<Table>& tables = program.tables();
  const double plain = piece_of(i, now.value.middle(), tables);
  const PieceEnds ends = ends_of(i, plain, tables);
  if (is_inside(now.value, ends) || !std::isfinite(now.value.width())) return plain;
  const double end = now.value.contains(ends.low) ? ends.low : ends.high;
  const double above = piece_of(i, std::nextafter(end, kInfinity), tables),
               below = piece_of(i, std::nextafter(end, -kInfinity), tables);
  if (now.slope.low >= 0 && now.slope.high > 0) return above;
  if (now.slope.high <= 0 && now.slope.low < 0) return below;
  double ahead = kFirstLook * std::max(std::abs(t), 1.0);
  for (int k = 0; k < kLooksAhead; ++k, ahead *= kFurther) {
    const Interval there = quantity_over(program, site, pieces, t + ahead).value;
    if (there.low > end) return above;
    if (there.high < end) return below;
  }
  // it stays there, as far as can be told: no reason to leave a piece that ends there
  const PieceEnds held = ends_of(i, pieces[site], tables);
  if (held.low < held.high && (held.low == end || held.high == end)) return pieces[site];
  std::vector<Dual<>> slots(slots_over(program, t).size(), Dual<>(0.0));
  return piece_of(i, quantity_at(program, site, pieces, t, slots).value, tables);
}

/// The first double in (a, b] at which a quantity that is monotone on [a, b] has reached the end of its piece;
/// nothing: it has not. Interpolation, then a probe on the other side of the place found, then halving.
template <class Quantity>
std::optional<double> first_beyond(const Quantity& quantity, double a, double b, double end, bool rises) {
  const auto beyond = [&](double value) { return rises ? value - end : end - value; };
  double q_b = beyond(quantity(b)), q_a = beyond(quantity(a));
  const bool is_on_end = q_a == 0;  // then it has to be beyond
  const auto is_out = [is_on_end](double q) { return is_on_end ? q > 0 : q >= 0; };
  if (!is_out(q_b)) return std::nullopt;
  if (q_a > 0) return std::nextafter(a, kInfinity);  // rounding: it is there already
  for (int k = 0; std::nextafter(a, b) < b; ++k) {
    double t = 0.5 * a + 0.5 * b;
    const double digits = 4 * kEpsilon * std::max(std::abs(a), std::abs(b));
    if (k % 3 == 0 && std::isfinite(q_a) && std::isfinite(q_b))
      t = a + (b - a) * (-q_a / (q_b - q_a));
    else if (k % 3 == 1 && b - a > 4 * digits)
      t = -q_a < q_b ? a + digits : b - digits;
    t = std::clamp(t, std::nextafter(a, b), std::nextafter(b, a));
    const double q = beyond(quantity(t));
    (is_out(q) ? b : a) = t;
    (is_out(q) ? q_b : q_a) = q;
  }
  return b;
}

}  // namespace

void settle_time_pieces(const Program& program, std::span<const Site> sites, double t, std::span<double> pieces) {
  const std::vector<Second> slots = slots_over(program, t);
  program.evaluate_on(std::span<const Second>(slots), Pieces(pieces),
                      [&](std::size_t k, const Instruction& i, const Second& q) {
                        if (sites[k].of_time_alone) pieces[k] = settled(program, k, pieces, i, t, enclosure_of(q));
                      });
}

NextBreak next_break(const Program& program, std::span<const Site> sites, Pieces pieces, double from, double to) {
  std::vector<Second> slots = slots_over(program, from);
  std::vector<Dual<>> point_slots(slots.size(), Dual<>(0.0));
  std::vector<Enclosure> over(sites.size());
  struct Box {
    double a, b;
  };
  std::vector<Box> boxes{{from, to}};
  int left_open = 0;  // boxes in a row
  for (int tried = 0; !boxes.empty(); ++tried) {
    const auto [a, b] = boxes.back();
    if (tried >= kMostBoxes && a > from) return {std::nullopt, a};
    boxes.pop_back();
    slots[0].v.v = {a, b};
    program.evaluate_on(std::span<const Second>(slots), pieces,
                        [&](std::size_t k, const Instruction&, const Second& q) { over[k] = enclosure_of(q); });
    double first = kInfinity;
    bool is_undecided = false;
    const auto offer = [&](const std::optional<double>& t) {
      if (t && *t > from) first = std::min(first, *t);
    };
    const auto leaves = [&](double t) {
      std::vector<double> right(pieces.begin(), pieces.end());
      settle_time_pieces(program, sites, t, right);
      return !std::ranges::equal(right, pieces);
    };
    for (std::size_t k = 0; k < sites.size() && !is_undecided; ++k) {
      if (!sites[k].of_time_alone) continue;
      const Enclosure& e = over[k];
      const PieceEnds ends = ends_of(program.code()[sites[k].instruction], pieces[k], program.tables());
      if (ends.low == ends.high || is_inside(e.value, ends)) continue;
      const auto point = [&, k](double t) { return quantity_at(program, k, pieces, t, point_slots); };
      const auto value = [&](double t) { return point(t).value; };
      const auto monotone = [&](double l, double r, bool rises) {
        const double end = rises ? ends.high : ends.low;
        if (!std::isfinite(end)) return;
        const std::optional<double> t = first_beyond(value, l, r, end, rises);
        if (t && leaves(*t)) offer(t);  // not by rounding alone
      };
      if (e.slope.low == 0 && e.slope.high == 0) continue;
      if (e.slope.low >= 0 || e.slope.high <= 0) {
        monotone(a, b, e.slope.low >= 0);
        continue;
      }
      if (e.bend.low >= 0 || e.bend.high <= 0) {
        const double at_a = point(a).slope, at_b = point(b).slope;
        if ((at_a >= 0) == (at_b >= 0)) {
          monotone(a, b, at_a + at_b >= 0);
          continue;
        }
        const std::optional<double> turn =
            first_beyond([&](double t) { return point(t).slope; }, a, b, 0.0, at_b > at_a);
        if (turn) {
          if (quantity_over(program, k, pieces, *turn).value.contains(at_a >= 0 ? ends.high : ends.low)) {
            if (*turn > from + kSameTime * std::abs(from)) offer(*turn);  // it touches
          } else {
            monotone(a, *turn, at_a >= 0);
          }
          monotone(*turn, b, at_b >= 0);
          continue;
        }
      }
      is_undecided = true;
    }
    if (is_undecided) {
      const double middle = 0.5 * a + 0.5 * b;
      // as long as all stays undecided, coarser: a search always ends
      const double shortest =
          kShortestBox * std::max({std::abs(a), std::abs(b), kShortTime_s}) * std::exp2(left_open / kCoarser);
      if (b - a > shortest && middle > a && middle < b) {
        boxes.push_back({middle, b});
        boxes.push_back({a, middle});
        continue;
      }
      if (b > from + kSameTime * std::abs(from) && leaves(b)) offer(b);
      ++left_open;
    }
    if (first <= to) return {first, first};
    if (!is_undecided) left_open = 0;
  }
  return {std::nullopt, to};
}

}  // namespace percuss::expression
