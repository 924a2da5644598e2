// Sweep and prune. The order along x hardly changes from step to step, so that insertion sorts it in linear time.
#include "percuss/dynamics/broad_phase.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"

namespace percuss::dynamics {

BroadPhase::BroadPhase(const model::Model& model) : model_(model), bounds_(model.surfaces.size()) {
  const std::size_t count = model.surfaces.size();
  for (std::size_t i = 0; i < count && !model.kind_of.empty(); ++i) {
    const auto row = model.kind_of.begin() + static_cast<std::ptrdiff_t>(i * count);
    if (std::all_of(row, row + static_cast<std::ptrdiff_t>(count), [](int kind) { return kind < 0; })) continue;
    (std::isfinite(model.surfaces[i].reach_m) ? bounded_ : unbounded_).push_back(static_cast<int>(i));
  }
}

void BroadPhase::offer(int a, int b) {
  if (const auto pair = model_.pair_of_materials(at(a), at(b))) pairs_.push_back(*pair);
}

const std::vector<model::ContactPair>& BroadPhase::near(const model::Motions& begin, const model::Motions& end,
                                                        double h_s) {
  pairs_ = model_.pairs;
  if (bounded_.empty()) return pairs_;
  for (const int s : bounded_) {
    const geometry::Surface& surface = model_.surfaces[at(s)];
    const geometry::BodyMotion &m_0 = begin[at(surface.body)], &m_1 = end[at(surface.body)];
    const Vec3 r_0 = m_0.R * surface.centre, r_1 = m_1.R * surface.centre;
    const Vec3 c_0 = m_0.p_m + r_0, c_1 = m_1.p_m + r_1;
    // between its ends a path strays less than the way at the speeds it has there
    const double stray = h_s * (norm(model::point_velocity(m_0, r_0)) + norm(model::point_velocity(m_1, r_1)));
    const double r = surface.reach_m + stray;
    bounds_[at(s)] = {{std::min(c_0.x, c_1.x) - r, std::min(c_0.y, c_1.y) - r, std::min(c_0.z, c_1.z) - r},
                      {std::max(c_0.x, c_1.x) + r, std::max(c_0.y, c_1.y) + r, std::max(c_0.z, c_1.z) + r}};
  }
  for (std::size_t i = 1; i < bounded_.size(); ++i)
    for (std::size_t k = i; k > 0 && bounds_[at(bounded_[k])].low.x < bounds_[at(bounded_[k - 1])].low.x; --k)
      std::swap(bounded_[k], bounded_[k - 1]);
  for (std::size_t i = 0; i < bounded_.size(); ++i) {
    const Bounds& a = bounds_[at(bounded_[i])];
    for (std::size_t k = i + 1; k < bounded_.size(); ++k) {
      const Bounds& b = bounds_[at(bounded_[k])];
      if (b.low.x > a.high.x) break;
      if (a.low.y <= b.high.y && b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z)
        offer(std::min(bounded_[i], bounded_[k]), std::max(bounded_[i], bounded_[k]));
    }
  }
  for (const int u : unbounded_)
    for (const int s : bounded_) {
      const geometry::Surface& wall = model_.surfaces[at(u)];
      if (wall.kind == geometry::Surface::Kind::plane) {  // is it far above?
        const geometry::BodyMotion &m_0 = begin[at(wall.body)], &m_1 = end[at(wall.body)];
        const Bounds& b = bounds_[at(s)];
        const Vec3 middle = (b.low + b.high) / 2, half = (b.high - b.low) / 2;
        const auto height = [&](const geometry::BodyMotion& m) {
          const Vec3 n = m.R * wall.axis;
          const double reach = std::abs(n.x) * half.x + std::abs(n.y) * half.y + std::abs(n.z) * half.z;
          return dot(n, middle - m.p_m - m.R * wall.centre) - reach;
        };
        const double stray = h_s * (norm(m_0.v_mps) + norm(m_1.v_mps));
        if (height(m_0) > stray && height(m_1) > stray) continue;
      }
      offer(std::min(u, s), std::max(u, s));
    }
  return pairs_;
}

}  // namespace percuss::dynamics
