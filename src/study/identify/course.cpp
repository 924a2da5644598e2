// From words to a collision and its slopes.
#include "percuss/study/identify/course.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace percuss::study {

namespace {

constexpr double kLatchStep = 1e-6;  // in z, of the algebra from words to latch inputs: its error is about 1e-10
constexpr int kHistory = 4001;       // samples of a collision that has no slopes

using LatchNumbers = std::array<double, contact::kLatchInputs>;

LatchNumbers latch_values(const Latched& l) { return contact::latch_values(l.spec, l.mass_kg, l.velocity_mps); }
impact::Collision collision_of(const Latched& l) {
  return {contact::latch(l.spec, l.mass_kg, l.velocity_mps), l.mass_kg, l.velocity_mps};
}

}  // namespace

Result<impact::Outcome> Latched::collide(impact::Times times) const {
  return impact::collide(collision_of(*this), times);
}

Result<Latched> latched(const impact::Words& words, const std::optional<contact::UserLaw>& user_law) {
  std::vector<Diagnostic> errors;
  impact::Described in = impact::read_collision(words, errors);
  if (!errors.empty()) return errors;
  in.request.user_law = user_law;
  Result<contact::LawSpec> spec = contact::specify(in.request);
  if (!spec) return spec.errors();
  return Latched{std::move(*spec), *in.mass_kg, *in.velocity_mps};
}

Result<Course> Course::make(const WordsAt& words_at, std::span<const double> z,
                            const std::vector<std::size_t>& free, const std::optional<contact::UserLaw>& user_law,
                            bool with_slopes) {
  const Result<Latched> own = latched(words_at(z), user_law);
  if (!own) return own.errors();
  Course out;
  out.velocity_mps_ = own->velocity_mps;
  const bool sloped = contact::can_be_sloped(own->spec);
  std::vector<int> inputs;
  if (with_slopes && !sloped) return Diagnostic{{"slopes"}, "this law has none", Diagnostic::Kind::not_available};
  if (with_slopes)
    if (const auto failed = out.chain(words_at, z, free, user_law, *own, inputs)) return *failed;
  if (sloped) {
    Result<impact::SlopedCollision> run =
        impact::SlopedCollision::make(own->spec, own->mass_kg, own->velocity_mps, inputs);
    if (!run) return run.errors();
    out.sloped_.emplace(std::move(*run));
    return out;
  }
  Result<impact::Outcome> outcome = own->collide();
  if (!outcome) return outcome.errors();
  out.outcome_ = *outcome;
  Result<std::vector<impact::Sample>> samples = impact::history(collision_of(*own), kHistory);
  if (!samples) return samples.errors();
  out.samples_ = std::move(*samples);
  return out;
}

/// d (latch input)/dz by differences: words to inputs is algebra. `inputs`: those that any parameter moves.
std::optional<Diagnostic> Course::chain(const WordsAt& words_at, std::span<const double> z,
                                        const std::vector<std::size_t>& free,
                                        const std::optional<contact::UserLaw>& user_law, const Latched& own,
                                        std::vector<int>& inputs) {
  std::vector<LatchNumbers> per_z;
  std::vector<double> moved(z.begin(), z.end());
  std::array<bool, contact::kLatchInputs> used{};
  for (const std::size_t j : free) {
    const double from = std::max(z[j] - kLatchStep, 0.0), to = std::min(z[j] + kLatchStep, 1.0);
    std::array<LatchNumbers, 2> ends{};
    for (const std::size_t side : {0U, 1U}) {
      moved[j] = side == 0 ? from : to;
      const Result<Latched> there = latched(words_at(moved), user_law);
      if (!there) return there.errors().front();
      if (there->spec.exponent != own.spec.exponent)
        return Diagnostic{{"slopes"}, "the exponent is free", Diagnostic::Kind::not_available};
      ends[side] = latch_values(*there);
    }
    moved[j] = z[j];
    LatchNumbers d{};
    for (std::size_t i = 0; i < d.size(); ++i) {
      d[i] = (ends[1][i] - ends[0][i]) / (to - from);
      used[i] = used[i] || d[i] != 0;
    }
    per_z.push_back(d);
  }
  for (int i = 0; i < contact::kLatchInputs; ++i)
    if (used[static_cast<std::size_t>(i)]) inputs.push_back(i);
  for (const LatchNumbers& d : per_z) {
    chain_.emplace_back();
    for (const int i : inputs) chain_.back().push_back(d[static_cast<std::size_t>(i)]);
  }
  return std::nullopt;
}

Course::Number Course::restitution() const {
  return sloped_ ? number(sloped_->restitution()) : Number{outcome_.restitution, {}, 0};
}
Course::Number Course::peak_force() const {
  return sloped_ ? number(sloped_->peak_force_N()) : Number{outcome_.peak_force_N, {}, 0};
}
Course::Number Course::peak_indentation() const {
  return sloped_ ? number(sloped_->peak_indentation_m()) : Number{outcome_.peak_indentation_m, {}, 0};
}

Course::Number Course::force_at(double t_s) const {
  if (t_s <= 0 || t_s >= end_s()) return {0, std::vector<double>(chain_.size(), 0.0), 0};
  if (sloped_) {
    const impact::SlopedSample s = sloped_->at_time(t_s);
    Number out = number(s.force_N);
    out.per_time = s.force_rate;
    return out;
  }
  return {between(t_s, &impact::Sample::force_N), {}, 0};
}

Course::Number Course::depth_at(double t_s) const {
  if (sloped_) {
    const impact::SlopedSample s = sloped_->at_time(t_s);
    Number out = number(s.depth_m);
    out.per_time = s.rate_mps;
    return out;
  }
  const impact::Sample& last = samples_.back();
  if (t_s <= 0) return {velocity_mps_ * t_s, {}, 0};
  if (t_s >= last.time_s) return {last.depth_m + last.rate_mps * (t_s - last.time_s), {}, 0};
  return {between(t_s, &impact::Sample::depth_m), {}, 0};
}

Course::Number Course::force_over(double depth_m, bool out) const {
  if (sloped_) return number(sloped_->at_depth(depth_m, out).force_N);
  for (std::size_t i = 1; i < samples_.size(); ++i) {
    const impact::Sample &a = samples_[i - 1], &b = samples_[i];
    const bool rises = b.depth_m > a.depth_m;
    if (rises == out || (depth_m - a.depth_m) * (depth_m - b.depth_m) > 0 || a.depth_m == b.depth_m) continue;
    const double share = (depth_m - a.depth_m) / (b.depth_m - a.depth_m);
    return {a.force_N + share * (b.force_N - a.force_N), {}, 0};
  }
  return {depth_m >= outcome_.peak_indentation_m ? outcome_.peak_force_N : 0, {}, 0};
}

Course::Number Course::number(const impact::Sloped& s) const {
  Number out{s.value, {}, 0};
  for (const std::vector<double>& d : chain_) {
    double sum = 0;
    for (std::size_t i = 0; i < d.size(); ++i) sum += s.slope[i] * d[i];
    out.slope.push_back(sum);
  }
  return out;
}

double Course::between(double t_s, double impact::Sample::*what) const {
  const auto after = std::ranges::upper_bound(samples_, t_s, {}, &impact::Sample::time_s);
  const impact::Sample &b = *after, &a = *(after - 1);
  return a.*what + (t_s - a.time_s) / (b.time_s - a.time_s) * (b.*what - a.*what);
}

}  // namespace percuss::study
