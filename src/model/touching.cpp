// Bodies that are put against others: `touching: floor`.
#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/model/compiler.h"
#include "percuss/model/kinematics.h"

namespace percuss::model {

namespace {
constexpr int kMostSteps = 10'000;
constexpr double kTogether = 1e-14;  // of the size of things
}  // namespace

/// In the order of the file: what is put first carries what is put on it.
void Compiler::put_in_touch() {
  for (std::size_t b = 1; b < model_.bodies.size(); ++b)
    if (const scene::Body* source = body_sources_[b]; source && (!source->touching.empty() || source->towards))
      put_in_touch(*source, static_cast<int>(b));
}

/// The least gap of these pairs with the body moved aside.
double Compiler::gap_after(const std::vector<ContactPair>& pairs, const Body& body, const Vec3& shift_m) const {
  std::vector<double> y = model_.start;
  for (int k = 0; k < (scene_.planar ? 2 : 3); ++k) y[at(body.q_at + k)] += shift_m[k];
  Motions motions;
  place_bodies(model_, 0, y, motions);
  double least = std::numeric_limits<double>::infinity();
  for (const ContactPair& p : pairs) {
    const geometry::Surface &f = model_.surfaces[at(p.first)], &s = model_.surfaces[at(p.second)];
    const auto closest = geometry::closest_spot(*model_.contact_kinds[at(p.kind)].row, f, s, motions[at(f.body)],
                                                motions[at(s.body)], std::numeric_limits<double>::infinity());
    if (closest) least = std::min(least, closest->gap_m);
  }
  return least;
}

/// Forwards by the gap each time: no surface is passed on the way, and on a slope the steps shrink geometrically.
/// From an overlap first backwards. A way that leads past what it is to touch is an error.
void Compiler::put_in_touch(const scene::Body& source, int index) {
  const std::string what = "body " + in_quotes(source.name) + ": touching";
  const Where& place = source.places.of("touching");
  if (source.touching.empty()) return fail(source.places.of("towards"), what + ": `towards` goes with `touching`");
  const Body& body = model_.bodies[at(index)];
  if (body.position_count == 0)
    return fail(place, what + ": a body that is fixed, or whose motion is given, is not moved");
  for (const Joint& j : model_.joints)
    if ((j.body_a == index || j.body_b == index) && model_.switched_on[at(j.switch_index)])
      return fail(place, what + ": it is held by joint " + in_quotes(j.name));
  const double g = norm(model_.gravity_mps2);
  if (!source.towards && g == 0) return fail(place, what + ": without gravity it needs the key \"towards\"");
  const Vec3 way = source.towards ? *source.towards : model_.gravity_mps2 / g;
  const std::vector<int> others = surfaces_called(source.touching, place, what);
  if (others.empty()) return;
  std::vector<ContactPair> pairs;
  for (const int other : others)
    for (std::size_t own = 0; own < model_.surfaces.size(); ++own) {
      if (model_.surfaces[own].body != index) continue;
      for (const ContactPair& p : model_.pairs)
        if ((p.first == other && at(p.second) == own) || (p.second == other && at(p.first) == own))
          pairs.push_back(p);
      if (model_.by_materials.empty()) continue;
      if (const auto p = model_.pair_of_materials(std::max(own, at(other)), std::min(own, at(other))))
        pairs.push_back(*p);
    }
  if (pairs.empty()) return fail(place, what + ": no contact says that it can touch " + in_quotes(source.touching));
  const double small_m = kTogether * model_.length_m;
  double s = 0, gap = gap_after(pairs, body, {});
  const double farthest_m = 1e3 * std::max(std::abs(gap), model_.length_m);
  for (int k = 0; k < kMostSteps && gap < -small_m; ++k) {
    s += std::min(gap, -small_m);
    gap = gap_after(pairs, body, s * way);
  }
  for (int k = 0; k < kMostSteps && gap > small_m && gap < farthest_m && s + gap != s; ++k) {
    s += gap;
    gap = gap_after(pairs, body, s * way);
  }
  if (!(std::abs(gap) <= 1e-9 * model_.length_m))
    return fail(place, what + ": on its way it does not meet " + in_quotes(source.touching) +
                           "; give another `at`, or a way with `towards: [x, y, z]`");
  for (int k = 0; k < (scene_.planar ? 2 : 3); ++k) model_.start[at(body.q_at + k)] += s * way[k];
}

}  // namespace percuss::model
