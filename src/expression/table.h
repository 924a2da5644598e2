// Piecewise tables inside expressions: linear, or a natural cubic spline.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "percuss/base/pack.h"
#include "percuss/base/scalar.h"

namespace percuss::expression {

/// On segment i: y = c0 + t (c1 + t (c2 + t c3)), t = x - x_i. Beyond the ends the table holds its end values.
struct Table {
  struct Segment {
    double c0, c1, c2, c3;
  };
  std::vector<double> x;          // knots, rising
  std::vector<Segment> segments;  // one fewer than knots
  double last_y = 0;
};

Table linear_table(std::vector<double> x, const std::vector<double>& y);

/// Natural cubic spline: twice continuously differentiable, second derivative zero at both ends.
Table spline_table(std::vector<double> x, const std::vector<double>& y);

/// Works on double and on duals: the segment is found by value, the polynomial carries the derivatives.
template <class T>
T look_up(const Table& table, const T& x) {
  const double at = value_of(x);
  if (!(at > table.x.front())) return at == at ? T(table.segments.front().c0) : x;
  if (at >= table.x.back()) return T(table.last_y);
  const auto after = std::upper_bound(table.x.begin(), table.x.end(), at);
  const auto i = static_cast<std::size_t>(after - table.x.begin()) - 1;
  const Table::Segment& s = table.segments[i];
  const T t = x - table.x[i];
  return s.c0 + t * (s.c1 + t * (s.c2 + t * s.c3));
}

template <int N, bool refined>
Pack<N, refined> look_up(const Table& table, const Pack<N, refined>& x) {
  return x.each([&table](double lane) { return look_up(table, lane); });
}

}  // namespace percuss::expression
