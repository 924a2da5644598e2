// Monotone parts, ranges at stages, bisection.
#include "percuss/expression/enclosure.h"

#include <algorithm>
#include <cmath>

namespace percuss::expression {

namespace {

constexpr double kRounding = 1e-9;  // of the values seen: an excess that is no pulse
constexpr double kOpen = 4;         // times the width of an enclosure at one time, which is rounding
constexpr double kShortest = 64 * kEpsilon;

/// What an operation is of time: constant, a polynomial (or product of waves) of a degree, or anything else.
struct Course {
  bool reads_channels = false;
  bool is_plain = true;
  bool is_affine = true;  // in t
  int degree = 0;
};

Course course_of(const Instruction& i, const Course* a) {
  Course out;
  const auto count = static_cast<std::size_t>(operands(i.op));
  int sum = 0, most = 0;
  for (std::size_t k = 0; k < count; ++k) {
    out.reads_channels = out.reads_channels || a[k].reads_channels;
    out.is_plain = out.is_plain && a[k].is_plain;
    out.is_affine = out.is_affine && a[k].is_affine;
    sum += a[k].degree;
    most = std::max(most, a[k].degree);
  }
  out.degree = most;
  switch (i.op) {
    case Op::negate:
    case Op::add:
    case Op::subtract:
    case Op::min:
    case Op::max:
    case Op::abs:
    case Op::choose: break;
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
    case Op::sign:
    case Op::floor: return {out.reads_channels, true, true, 0};  // constant on a piece
    case Op::mod: out.is_plain = out.is_plain && a[1].degree == 0; break;
    case Op::multiply:
      out.degree = sum;
      out.is_affine = out.is_affine && (a[0].degree == 0 || a[1].degree == 0);
      break;
    case Op::divide:
      out.is_plain = out.is_plain && a[1].degree == 0;
      out.is_affine = out.is_affine && a[1].degree == 0;
      break;
    case Op::power_of_quarters:
      out.is_plain = out.is_plain && i.index % 4 == 0;
      out.degree = most * (i.index / 4);
      out.is_affine = out.is_affine && i.index == 4;
      break;
    case Op::step:
    case Op::table:
      out.degree = 3 * most;
      out.is_affine = false;
      break;
    case Op::sin:
    case Op::cos:
      out.is_plain = out.is_plain && (out.is_affine || most == 0);
      out.is_affine = most == 0;
      break;
    default: out.is_plain = out.is_affine = most == 0;
  }
  if (most == 0) out.degree = 0, out.is_plain = out.is_affine = true;
  out.is_plain = out.is_plain && out.degree <= kPlainDegree;
  return out;
}

}  // namespace

std::vector<std::size_t> operations_to_enclose(const Program& program) {
  std::vector<std::size_t> out;
  std::vector<Course> stack;
  bool hides = false;
  for (std::size_t k = 0; k < program.code().size(); ++k) {
    const Instruction& i = program.code()[k];
    const auto count = static_cast<std::size_t>(operands(i.op));
    Course course;
    if (i.op == Op::variable) {
      course.reads_channels = i.index != 0;
      course.degree = 1;
    } else if (i.op != Op::constant) {
      course = course_of(i, stack.data() + (stack.size() - count));
      if (!course.reads_channels && course.degree > 0 && !course.is_affine) out.push_back(k);
      hides = hides || (!course.reads_channels && !course.is_plain);
    }
    stack.resize(stack.size() - count);
    stack.push_back(course);
  }
  return hides ? out : std::vector<std::size_t>();
}

double step_to_take(const Program& program, std::span<const std::size_t> operations, Pieces pieces, double t,
                    double h, std::span<const double> stages) {
  using Slope = Dual<Interval>;
  int most = 0;
  for (const Instruction& i : program.code())
    if (i.op == Op::variable) most = std::max(most, i.index);
  std::vector<Slope> slots(static_cast<std::size_t>(most) + 1);
  for (Slope& s : slots) s.v = Interval::all();
  std::vector<double> point_slots(slots.size(), 0.0);
  const double longest = h;
  const std::size_t count = operations.size();
  std::vector<Slope> over(count);
  std::vector<double> at_a(count), at_b(count);
  const auto enclose = [&](double a, double b) {
    slots[0].v = {a, b};
    slots[0].d[0] = 1.0;
    std::size_t next = 0;
    program.evaluate_on(std::span<const Slope>(slots), pieces, IgnoreSites{}, [&](std::size_t k, const Slope& v) {
      if (next < count && operations[next] == k) over[next++] = v;
    });
  };
  const auto look = [&](double at, auto&& put) {
    point_slots[0] = at;
    std::size_t next = 0;
    program.evaluate_on(std::span<const double>(point_slots), pieces, IgnoreSites{}, [&](std::size_t k, double v) {
      if (next < count && operations[next] == k) put(next++, v);
    });
  };
  const auto is_monotone = [](const Slope& v) { return v.d[0].low >= 0 || v.d[0].high <= 0; };
  struct Part {
    double a, b;
  };
  std::vector<Part> parts;
  std::vector<Interval> seen(count);
  for (int used = 0; used < kMostParts;) {
    ++used;
    enclose(t, t + h);
    if (std::ranges::all_of(over, is_monotone)) return h;
    for (Interval& s : seen) s = {kInfinity, -kInfinity};
    for (const double c : stages) look(t + c * h, [&seen](std::size_t n, double v) { seen[n] = hull(seen[n], v); });
    for (Interval& s : seen) {
      const double beyond = kBeyond * s.width() + kRounding * std::max(std::abs(s.low), std::abs(s.high));
      s = {s.low - beyond, s.high + beyond};
    }
    for (const double at : {t, t + h}) {  // what rounding alone leaves open, also where large values cancel
      enclose(at, at);
      for (std::size_t n = 0; n < count; ++n) {
        const double open = kOpen * over[n].v.width();
        seen[n] = {seen[n].low - open, seen[n].high + open};
      }
    }
    for (Interval& s : seen)
      if (!(s.width() >= 0)) s = Interval::all();  // no number: the step will say so
    const auto is_seen = [&](std::size_t n) {
      return seen[n].low <= over[n].v.low && over[n].v.high <= seen[n].high;
    };
    double end = t + h;
    parts.assign(1, {t, t + h});
    while (!parts.empty()) {
      const auto [a, b] = parts.back();
      parts.pop_back();
      ++used;
      enclose(a, b);
      bool is_undecided = false, is_looked_at = false, is_outside = false;
      for (std::size_t n = 0; n < count; ++n) {
        if (is_seen(n)) continue;
        if (!is_monotone(over[n])) {
          is_undecided = true;
          continue;
        }
        if (!is_looked_at) {
          look(a, [&](std::size_t k, double v) { at_a[k] = v; });
          look(b, [&](std::size_t k, double v) { at_b[k] = v; });
          is_looked_at = true;
        }
        is_outside = is_outside || !seen[n].contains(at_a[n]) || !seen[n].contains(at_b[n]);
      }
      const double middle = 0.5 * a + 0.5 * b;
      const bool is_short = b - a <= kShortest * std::max({std::abs(a), std::abs(b), longest});
      if (!is_outside && (!is_undecided || is_short)) continue;
      if (is_outside || used >= kMostParts) {
        end = a > t ? a : b < t + h ? b : t + h / 2;
        break;
      }
      parts.push_back({middle, b});
      parts.push_back({a, middle});
    }
    if (end == t + h) return h;
    h = end - t;
    if (h <= kShortest * std::max(std::abs(t), longest)) return h;
  }
  return h;
}

}  // namespace percuss::expression
