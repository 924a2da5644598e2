// Interpolation body by body.
#include "percuss/dynamics/path.h"

#include <limits>

#include "percuss/base/index.h"

namespace percuss::dynamics {

Path::Path(const Model& model) : model_(model) {}

void Path::set(ode::Integrator& integrator, const Modes& modes, const Evaluation& begin,
               std::span<const double> y_begin, const Workspace& workspace) {
  integrator_ = &integrator;
  modes_ = &modes;
  begin_ = &begin;
  y_begin_ = y_begin;
  workspace_ = &workspace;
  t0_ = integrator.t_old();
  t1_ = integrator.t();
  place(model_, t1_, integrator.y(), modes, workspace, end_);
  end_approach_.resize(modes.contacts.size());
  has_end_.assign(modes.contacts.size(), 0);
  t_cut_ = std::numeric_limits<double>::quiet_NaN();
  if (some_.motions.empty()) {
    some_.motions = end_.motions;
    some_.near_rad = end_.near_rad;
  }
}

void Path::cut_at(double t_s, std::span<const double> y) {
  if (t_s == t1_) return;  // the end of the step is known
  t_cut_ = t_s;
  y_cut_ = y;
  is_cut_placed_ = false;
  cut_approach_.resize(modes_->contacts.size());
  has_cut_.assign(modes_->contacts.size(), 0);
}

const Evaluation& Path::placed_at_cut() const {
  if (!is_cut_placed_) place(model_, t_cut_, y_cut_, *modes_, *workspace_, cut_);
  is_cut_placed_ = true;
  return cut_;
}

void Path::place_one(double t_s, int body) const {
  const model::Body& b = model_.bodies[percuss::at(body)];
  geometry::BodyMotion& m = some_.motions[percuss::at(body)];
  if (b.kind == model::Body::Kind::prescribed) {
    if (b.moves) m = model::prescribed_motion(b, {t_s, modes_->pieces});
    return;
  }
  double q[7], v[6];
  integrator_->interpolate(t_s, percuss::at(b.q_at), std::span(q, percuss::at(b.position_count)));
  integrator_->interpolate(t_s, percuss::at(b.v_at), std::span(v, percuss::at(b.velocity_count)));
  model::place_body(b, q, v, m);
}

const model::Motions& Path::at(double t_s, std::span<const int> bodies) const {
  if (t_s == t0_) return begin_->motions;
  if (t_s == t1_) return end_.motions;
  if (t_s == t_cut_) return placed_at_cut().motions;
  integrator_->prepare_dense();
  for (const int body : bodies) place_one(t_s, body);
  return some_.motions;
}

const model::Motions& Path::at(double t_s, std::initializer_list<int> bodies) const {
  return at(t_s, std::span<const int>(bodies.begin(), bodies.size()));
}

std::span<const double> Path::unknowns(double t_s) const {
  if (t_s == t0_) return y_begin_;
  if (t_s == t1_) return integrator_->y();
  integrator_->prepare_dense();
  y_.resize(y_begin_.size());
  integrator_->interpolate(t_s, y_);
  return y_;
}

const Evaluation& Path::placed(double t_s) const {
  if (t_s == t0_) return *begin_;
  if (t_s == t1_) return end_;
  if (t_s == t_cut_) return placed_at_cut();
  place(model_, t_s, unknowns(t_s), *modes_, *workspace_, inside_);
  return inside_;
}

const Evaluation& Path::placed(double t_s, std::span<const int> bodies) const {
  if (t_s == t0_) return *begin_;
  if (t_s == t1_) return end_;
  if (t_s == t_cut_) return placed_at_cut();
  at(t_s, bodies);
  some_.t_s = t_s;
  for (const int m : workspace_->angles)
    some_.near_rad[percuss::at(m)] =
        modes_->angle_rad[percuss::at(m)] + modes_->angle_rate[percuss::at(m)] * (t_s - modes_->angle_time_s);
  return some_;
}

Approach Path::approach(const ContactMode& c, double t_s) const {
  const auto i = static_cast<std::size_t>(&c - modes_->contacts.data());
  if (t_s == t0_) return begin_->contacts[i].approach;
  if (t_s == t_cut_) {
    if (!has_cut_[i]) cut_approach_[i] = approach_of(model_, placed_at_cut().motions, c, spots_);
    has_cut_[i] = 1;
    return cut_approach_[i];
  }
  if (t_s != t1_) return approach_of(model_, at(t_s, {c.body_a(model_), c.body_b(model_)}), c, spots_);
  if (!has_end_[i]) end_approach_[i] = approach_of(model_, end_.motions, c, spots_);
  has_end_[i] = 1;
  return end_approach_[i];
}

Vec3 Path::memory(const ContactMode& c, double t_s) const {
  double z[3];
  const auto first = percuss::at(c.memory_at);
  if (t_s == t0_) return {y_begin_[first], y_begin_[first + 1], y_begin_[first + 2]};
  if (t_s == t1_) return {integrator_->y()[first], integrator_->y()[first + 1], integrator_->y()[first + 2]};
  integrator_->prepare_dense();
  integrator_->interpolate(t_s, first, z);
  return {z[0], z[1], z[2]};
}

}  // namespace percuss::dynamics
