// Boxes in cells.
#include "percuss/model/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "percuss/base/index.h"

namespace percuss::model {

namespace {
constexpr double kMargin = 0.3;     // of the reach: how much wider boxes are that are kept
constexpr double kMarginSwept = 4;  // of what a path strays in one step
constexpr double kMostCells = 64;   // that one box may lie in; larger ones are compared with all
}  // namespace

BroadPhase::BroadPhase(const Model& model) : model_(model) {
  const MaterialContacts& m = model.by_materials;
  if (m.empty()) return;
  std::vector<char> touches(at(m.classes), 0);
  for (int a = 0; a < m.classes; ++a)
    for (int b = 0; b < m.classes; ++b)
      if (m.kind_of[at(a * m.classes + b)] >= 0) touches[at(a)] = 1;
  for (std::size_t i = 0; i < model.surfaces.size(); ++i)
    if (m.class_of[i] >= 0 && touches[at(m.class_of[i])])
      (std::isfinite(model.surfaces[i].reach_m) ? bounded_ : unbounded_).push_back(static_cast<int>(i));
  paths_.resize(bounded_.size());
}

/// Between its ends a path strays less than the way at the speeds it has there.
BroadPhase::Box BroadPhase::path_of(int s, const Motions& begin, const Motions& end, double h_s) const {
  const geometry::Surface& surface = model_.surfaces[at(s)];
  const geometry::BodyMotion &m_0 = begin[at(surface.body)], &m_1 = end[at(surface.body)];
  const Vec3 r_0 = m_0.R * surface.centre, r_1 = m_1.R * surface.centre;
  const Vec3 c_0 = m_0.p_m + r_0, c_1 = m_1.p_m + r_1;
  const double stray = h_s * (norm(point_velocity(m_0, r_0)) + norm(point_velocity(m_1, r_1)));
  const double r = surface.reach_m + stray;
  return {{std::min(c_0.x, c_1.x) - r, std::min(c_0.y, c_1.y) - r, std::min(c_0.z, c_1.z) - r},
          {std::max(c_0.x, c_1.x) + r, std::max(c_0.y, c_1.y) + r, std::max(c_0.z, c_1.z) + r}};
}

bool BroadPhase::all_inside() const {
  if (wide_.size() != paths_.size()) return false;
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const Box &p = paths_[i], &w = wide_[i];
    if (!(p.low.x >= w.low.x && p.low.y >= w.low.y && p.low.z >= w.low.z && p.high.x <= w.high.x &&
          p.high.y <= w.high.y && p.high.z <= w.high.z))
      return false;
  }
  return true;
}

/// Cells as wide as the boxes are on average. A pair is found in the cell that holds the larger of their low
/// corners, and there only.
void BroadPhase::find_neighbours() {
  const std::size_t n = paths_.size();
  wide_.resize(n);
  neighbours_.clear();
  double edge = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double reach = model_.surfaces[at(bounded_[i])].reach_m;
    const Vec3 size = paths_[i].high - paths_[i].low;
    const double longest = std::max({size.x, size.y, size.z});
    const double margin = kMargin * reach + kMarginSwept * std::max(longest - 2 * reach, 0.0);
    const Vec3 m{margin, margin, margin};
    wide_[i] = {paths_[i].low - m, paths_[i].high + m};
    edge += (longest + 2 * margin) / static_cast<double>(n);
  }
  if (!(edge > 0) || !std::isfinite(edge)) edge = 1;
  struct Entry {
    std::int64_t x, y, z;
    int place;
    auto operator<=>(const Entry&) const = default;
  };
  const auto cell = [edge](double v) {  // far out all share the last cell
    return static_cast<std::int64_t>(std::floor(std::clamp(v / edge, -1e15, 1e15)));
  };
  std::vector<Entry> entries;
  std::vector<int> large;
  entries.reserve(4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const Box& b = wide_[i];
    const std::int64_t x0 = cell(b.low.x), x1 = cell(b.high.x), y0 = cell(b.low.y), y1 = cell(b.high.y),
                       z0 = cell(b.low.z), z1 = cell(b.high.z);
    if (static_cast<double>(x1 - x0 + 1) * static_cast<double>(y1 - y0 + 1) * static_cast<double>(z1 - z0 + 1) >
        kMostCells) {
      large.push_back(static_cast<int>(i));
      continue;
    }
    for (std::int64_t x = x0; x <= x1; ++x)
      for (std::int64_t y = y0; y <= y1; ++y)
        for (std::int64_t z = z0; z <= z1; ++z) entries.push_back({x, y, z, static_cast<int>(i)});
  }
  std::ranges::sort(entries);
  for (std::size_t first = 0; first < entries.size();) {
    const Entry& e = entries[first];
    std::size_t last = first;
    while (last < entries.size() && entries[last].x == e.x && entries[last].y == e.y && entries[last].z == e.z)
      ++last;
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t k = i + 1; k < last; ++k) {
        const Box &a = wide_[at(entries[i].place)], &b = wide_[at(entries[k].place)];
        if (meet(a, b) && cell(std::max(a.low.x, b.low.x)) == e.x && cell(std::max(a.low.y, b.low.y)) == e.y &&
            cell(std::max(a.low.z, b.low.z)) == e.z)
          neighbours_.emplace_back(entries[i].place, entries[k].place);
      }
    first = last;
  }
  for (std::size_t k = 0; k < large.size(); ++k)
    for (int i = 0; i < static_cast<int>(n); ++i) {
      const bool is_later_large =
          std::binary_search(large.begin(), large.begin() + static_cast<std::ptrdiff_t>(k), i);
      if (i != large[k] && !is_later_large && meet(wide_[at(large[k])], wide_[at(i)]))
        neighbours_.emplace_back(std::min(i, large[k]), std::max(i, large[k]));
    }
  std::erase_if(neighbours_, [this](const std::pair<int, int>& p) {
    return !model_.pair_of_materials(at(bounded_[at(p.first)]), at(bounded_[at(p.second)]));
  });
  std::ranges::sort(neighbours_);
}

const std::vector<ContactPair>& BroadPhase::near(const Motions& begin, const Motions& end, double h_s) {
  pairs_ = model_.pairs;
  if (bounded_.empty()) return pairs_;
  for (std::size_t i = 0; i < bounded_.size(); ++i) paths_[i] = path_of(bounded_[i], begin, end, h_s);
  if (!all_inside()) find_neighbours();
  for (const auto& [a, b] : neighbours_)
    if (meet(paths_[at(a)], paths_[at(b)]))
      pairs_.push_back(*model_.pair_of_materials(at(bounded_[at(a)]), at(bounded_[at(b)])));
  for (const int u : unbounded_) {
    const geometry::Surface& wall = model_.surfaces[at(u)];
    const bool is_plane = wall.kind == geometry::Surface::Kind::plane;
    const geometry::BodyMotion &m_0 = begin[at(wall.body)], &m_1 = end[at(wall.body)];
    const Vec3 n_0 = m_0.R * wall.axis, n_1 = m_1.R * wall.axis;
    const Vec3 p_0 = m_0.p_m + m_0.R * wall.centre, p_1 = m_1.p_m + m_1.R * wall.centre;
    const double stray = h_s * (norm(m_0.v_mps) + norm(m_1.v_mps));
    for (std::size_t i = 0; i < bounded_.size(); ++i) {
      if (is_plane) {  // is it far above?
        const Box& b = paths_[i];
        const Vec3 middle = (b.low + b.high) / 2, half = (b.high - b.low) / 2;
        const auto height = [&](const Vec3& n, const Vec3& p) {
          const double reach = std::abs(n.x) * half.x + std::abs(n.y) * half.y + std::abs(n.z) * half.z;
          return dot(n, middle - p) - reach;
        };
        if (height(n_0, p_0) > stray && height(n_1, p_1) > stray) continue;
      }
      if (const auto pair = model_.pair_of_materials(at(std::min(u, bounded_[i])), at(std::max(u, bounded_[i]))))
        pairs_.push_back(*pair);
    }
  }
  return pairs_;
}

}  // namespace percuss::model
