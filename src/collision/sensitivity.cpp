// Combinations of open points.
#include "percuss/collision/sensitivity.h"

#include <algorithm>
#include <random>

namespace percuss::collision {

namespace {

constexpr std::size_t kAllUpTo = 10;
constexpr int kSample = 512;

std::vector<std::vector<char>> combinations(std::size_t n) {
  std::vector<std::vector<char>> out;
  if (n <= kAllUpTo) {
    for (unsigned bits = 0; bits + 1 < (1U << n); ++bits) {
      std::vector<char> one(n);
      for (std::size_t i = 0; i < n; ++i) one[i] = (bits >> i & 1U) != 0;
      out.push_back(std::move(one));
    }
    return out;
  }
  out.emplace_back(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<char> open(n, 0), closed(n, 1);
    open[i] = 1;
    closed[i] = 0;
    out.push_back(std::move(open));
    out.push_back(std::move(closed));
  }
  std::mt19937 random(1);  // its numbers are the same everywhere, unlike those of distributions
  for (int k = 0; k < kSample; ++k) {
    std::vector<char> one(n);
    for (char& open : one) open = (random() >> 16 & 1U) != 0;
    if (std::ranges::find(one, 0) != one.end()) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

Sensitivity sensitivity(const Collision& collision, double epsilon, double apart) {
  Sensitivity out;
  out.gap_m = epsilon * collide(collision).peak_indentation_m.maxCoeff();
  out.all = collision.points.size() <= kAllUpTo;
  const double different = apart * collision.approach_mps.cwiseAbs().maxCoeff();
  for (const std::vector<char>& open : combinations(collision.points.size())) {
    Collision perturbed = collision;
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i]) perturbed.points[i].gap_m += out.gap_m;
    const Outcome outcome = collide(perturbed);
    ++out.tried;
    out.least_mps =
        out.tried == 1 ? outcome.approach_mps : Eigen::VectorXd(out.least_mps.cwiseMin(outcome.approach_mps));
    out.most_mps =
        out.tried == 1 ? outcome.approach_mps : Eigen::VectorXd(out.most_mps.cwiseMax(outcome.approach_mps));
    const auto same = std::ranges::find_if(out.variants, [&](const Variant& v) {
      return (v.approach_mps - outcome.approach_mps).cwiseAbs().maxCoeff() <= different;
    });
    if (same != out.variants.end())
      ++same->count;
    else
      out.variants.push_back({outcome.impulse_Ns, outcome.approach_mps, open, 1});
  }
  std::ranges::stable_sort(out.variants, [](const Variant& a, const Variant& b) { return a.count > b.count; });
  return out;
}

}  // namespace percuss::collision
