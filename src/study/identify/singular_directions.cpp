// Jacobi's rotations on one side.
//
// Two columns a, b become orthogonal when turned by the angle whose tangent t solves t^2 + 2 z t - 1 = 0,
// z = (b.b - a.a)/(2 a.b); the smaller root. Repeated over all pairs until all columns are, A V = U S: the columns'
// lengths are the singular values, and V is what the turns add up to. Small values come with all their digits,
// which a decomposition of A^T A would lose below 1e-8 of the largest.
//   M. R. Hestenes, J. SIAM 6 (1958) 51.
#include "percuss/study/identify/singular_directions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace percuss::study {

namespace {

constexpr int kMostSweeps = 60;  // some six are enough

using Column = std::vector<double>;

double dot(const Column& a, const Column& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

void turn(Column& a, Column& b, double c, double s) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

}  // namespace

std::vector<SingularDirection> singular_directions(std::span<const double> slopes, std::size_t parameters) {
  const std::size_t data = parameters > 0 ? slopes.size() / parameters : 0;
  std::vector<Column> A(parameters, Column(data)), V(parameters, Column(parameters, 0.0));
  double largest = 0;
  for (const double s : slopes) largest = std::max(largest, std::abs(s));
  if (!(largest > 0)) largest = 1;  // the squares of the largest slopes do not overflow
  for (std::size_t j = 0; j < parameters; ++j) {
    for (std::size_t i = 0; i < data; ++i) A[j][i] = slopes[i * parameters + j] / largest;
    V[j][j] = 1;
  }
  bool turned = true;
  for (int sweep = 0; turned && sweep < kMostSweeps; ++sweep) {
    turned = false;
    for (std::size_t p = 0; p < parameters; ++p)
      for (std::size_t q = p + 1; q < parameters; ++q) {
        const double pp = dot(A[p], A[p]), qq = dot(A[q], A[q]), pq = dot(A[p], A[q]);
        if (!(std::abs(pq) > 4 * std::numeric_limits<double>::epsilon() * std::sqrt(pp) * std::sqrt(qq))) continue;
        const double z = (qq - pp) / (2 * pq);
        const double t = std::copysign(1 / (std::abs(z) + std::hypot(1, z)), z), c = 1 / std::hypot(1, t);
        turn(A[p], A[q], c, c * t);
        turn(V[p], V[q], c, c * t);
        turned = true;
      }
  }
  std::vector<SingularDirection> out;
  for (std::size_t j = 0; j < parameters; ++j) out.push_back({largest * std::sqrt(dot(A[j], A[j])), V[j]});
  std::ranges::stable_sort(out, std::greater<>{}, &SingularDirection::value);
  return out;
}

}  // namespace percuss::study
