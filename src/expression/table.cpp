// Coefficients of piecewise tables.
#include "percuss/expression/table.h"

namespace percuss::expression {

Table linear_table(std::vector<double> x, const std::vector<double>& y) {
  Table table{std::move(x), {}, y.back()};
  for (std::size_t i = 0; i + 1 < table.x.size(); ++i)
    table.segments.push_back({y[i], (y[i + 1] - y[i]) / (table.x[i + 1] - table.x[i]), 0, 0});
  return table;
}

/// Unknown second derivatives M_i at the knots; continuity of the slope gives, with h_i = x_{i+1} - x_i,
///   h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 [(y_{i+1}-y_i)/h_i - (y_i-y_{i-1})/h_{i-1}],
/// M_0 = M_n = 0: tridiagonal and diagonally dominant, solved by one sweep down and one up.
Table spline_table(std::vector<double> x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  std::vector<double> m(n, 0), upper(n, 0), right(n, 0);
  const auto h = [&](std::size_t i) { return x[i + 1] - x[i]; };
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double pivot = 2 * (h(i - 1) + h(i)) - h(i - 1) * upper[i - 1];
    upper[i] = h(i) / pivot;
    const double bend = 6 * ((y[i + 1] - y[i]) / h(i) - (y[i] - y[i - 1]) / h(i - 1));
    right[i] = (bend - h(i - 1) * right[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) m[i] = right[i] - upper[i] * m[i + 1];
  Table table{{}, {}, y.back()};
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double slope = (y[i + 1] - y[i]) / h(i) - h(i) * (2 * m[i] + m[i + 1]) / 6;
    table.segments.push_back({y[i], slope, m[i] / 2, (m[i + 1] - m[i]) / (6 * h(i))});
  }
  table.x = std::move(x);
  return table;
}

}  // namespace percuss::expression
