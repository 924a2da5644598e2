// A shadow run beside the run.
#include "percuss/dynamics/observers/horizon.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"

namespace percuss::dynamics {

namespace {

constexpr double kRise = 1.25;       // of the staircase
constexpr double kUnmoved = 1e3;     // times what the tolerance allows in length: an extent below it is rest
constexpr double kLeastRise = 1e-9;  // of that extent: below it nothing is noted

Settings shadow_of(Settings s) {
  s.tolerance = std::max(Horizon::kTighter * s.tolerance, std::min(s.tolerance, Horizon::kTightest));
  if (s.integrator->fixed_step) s.step_s *= Horizon::kShorter;
  s.most_steps *= 100;
  s.account = false;
  return s;
}

}  // namespace

Vec3 Horizon::Watched::at(const model::Motions& motions) const {
  const auto place = [&](int b, const Vec3& p) {
    const geometry::BodyMotion& m = motions[percuss::at(b)];
    return m.p_m + m.R * p;
  };
  return from_body < 0 ? place(body, point) : place(body, point) - place(from_body, from_point);
}

Horizon::Horizon(const Model& model, const Settings& settings, State start)
    : model_(model),
      settings_(shadow_of(settings)),
      smallest_extent_m_(kUnmoved * settings.tolerance * model.length_m),
      start_(std::move(start)) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (model.bodies[b].velocity_count > 0) watched_.push_back({static_cast<int>(b), -1, {}, {}});
  for (const ContactPair& pair : model.pairs) {
    const geometry::Surface &f = model.surfaces[at(pair.first)], &s = model.surfaces[at(pair.second)];
    watched_.push_back({s.body, f.body, s.centre, f.centre});
  }
  seen_.resize(watched_.size());
}

void Horizon::begin(const StateView& view) {
  if (shadow_) return;  // restored
  for (std::size_t i = 0; i < watched_.size(); ++i)
    seen_[i].low = seen_[i].high = watched_[i].at(view.evaluation.motions);
  shadow_ = std::make_unique<Simulation>(model_, settings_, start_);
}

void Horizon::state(const StateView& view) {
  const double t = view.state.t_s;
  const model::Motions& motions = view.evaluation.motions;
  shadow_->advance_to(t);
  const std::optional<Instant> there =
      shadow_->at(std::min(t, shadow_->time_s()));  // one that has ended stays there
  const double least_m = kLeastRise * smallest_extent_m_;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    Seen& seen = seen_[i];
    const Vec3 here = watched_[i].at(motions);
    seen.low = {std::min(seen.low.x, here.x), std::min(seen.low.y, here.y), std::min(seen.low.z, here.z)};
    seen.high = {std::max(seen.high.x, here.x), std::max(seen.high.y, here.y), std::max(seen.high.z, here.z)};
    if (!there) continue;
    const double difference = norm(here - watched_[i].at(there->motions));
    if (!(difference > std::max(kRise * seen.largest_m, least_m))) continue;
    seen.largest_m = difference;
    rises_.push_back({static_cast<int>(i), t, difference});
  }
}

recording::Horizon Horizon::horizon() const {
  recording::Horizon out;
  out.against = settings_.integrator->fixed_step ? "step " + text_of(settings_.step_s, 3) + " s"
                                                 : "tolerance " + text_of(settings_.tolerance, 3);
  const auto extent = [&](int i) {
    return std::max(norm(seen_[at(i)].high - seen_[at(i)].low), smallest_extent_m_);
  };
  for (const Rise& rise : rises_) {
    const double share = rise.difference_m / extent(rise.watched);
    out.largest_difference = std::max(out.largest_difference, share);
    if (share > kParted && std::isnan(out.parted_s)) out.parted_s = rise.time_s;
  }
  return out;
}

void Horizon::save(Writer& out) const {
  out.put(seen_);
  out.put(rises_);
  Writer shadow;
  dynamics::save(shadow_->state(), shadow);
  out.put(shadow.bytes());
}

bool Horizon::restore(Reader& in) {
  Bytes bytes;
  if (!in.get(seen_) || !in.get(rises_) || !in.get(bytes)) return false;
  if (seen_.size() != watched_.size()) return false;
  Reader reader(bytes);
  State state;
  if (!dynamics::restore(reader, model_, state) || !reader.is_whole()) return false;
  shadow_ = std::make_unique<Simulation>(model_, settings_, state);
  return true;
}

}  // namespace percuss::dynamics
