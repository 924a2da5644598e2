// Ceres.
#include "percuss/study/identify/least_squares.h"

#include <ceres/ceres.h>
#include <glog/logging.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace percuss::study {

namespace {

class Cost final : public ceres::CostFunction {
 public:
  Cost(const Residuals& residuals, std::size_t count, std::size_t parameters)
      : residuals_(residuals), parameters_(parameters) {
    set_num_residuals(static_cast<int>(count));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(parameters));
  }
  bool Evaluate(const double* const* z, double* out, double** slopes) const override {
    std::vector<double> r, s;
    const bool wants = slopes && slopes[0];
    if (!residuals_(std::span(z[0], parameters_), r, wants ? &s : nullptr)) return false;
    std::ranges::copy(r, out);
    if (wants) std::ranges::copy(s, slopes[0]);
    const auto finite = [](double v) { return std::isfinite(v); };
    return std::ranges::all_of(r, finite) && std::ranges::all_of(s, finite);
  }

 private:
  const Residuals& residuals_;
  std::size_t parameters_;
};

/// Messages of Ceres are not ours to print.
void keep_quiet() {
  static const bool once = [] {
    FLAGS_minloglevel = google::GLOG_FATAL;
    FLAGS_logtostderr = true;
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

Minimum minimise(const Residuals& residuals, std::size_t count, std::span<const double> start,
                 const std::vector<std::size_t>& held) {
  keep_quiet();
  Minimum out;
  out.z.assign(start.begin(), start.end());
  out.squares = std::numeric_limits<double>::infinity();
  std::vector<double> first;
  if (!residuals(start, first, nullptr)) return out;
  if (held.size() == start.size()) {
    out.squares = 0;
    for (const double r : first) out.squares += r * r;
    out.found = true;
    return out;
  }
  ceres::Problem problem;
  problem.AddResidualBlock(new Cost(residuals, count, start.size()), nullptr, out.z.data());
  for (std::size_t j = 0; j < start.size(); ++j) {
    if (std::ranges::find(held, j) != held.end()) continue;
    problem.SetParameterLowerBound(out.z.data(), static_cast<int>(j), 0);
    problem.SetParameterUpperBound(out.z.data(), static_cast<int>(j), 1);
  }
  if (!held.empty()) {
    std::vector<int> constant;
    constant.reserve(held.size());
    for (const std::size_t j : held) constant.push_back(static_cast<int>(j));
    problem.SetManifold(out.z.data(), new ceres::SubsetManifold(static_cast<int>(start.size()), constant));
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.logging_type = ceres::SILENT;
  options.max_num_iterations = 100;
  options.function_tolerance = 1e-12;
  options.parameter_tolerance = 1e-10;
  options.gradient_tolerance = 1e-14;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  out.found = summary.IsSolutionUsable();
  out.squares = 2 * summary.final_cost;
  return out;
}

}  // namespace percuss::study
