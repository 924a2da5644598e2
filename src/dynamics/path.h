// The last accepted step as a path: where single bodies are inside it, without moving the others.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "percuss/dynamics/evaluation.h"
#include "percuss/ode/integrator.h"

namespace percuss::dynamics {

/// Times are those of the integrator's step [t0, t1]. At t0 the bodies are at the state the step began from, at t1
/// at its end before any correction; between, the interpolant is made when it is first asked for.
class Path {
 public:
  explicit Path(const Model& model);
  /// A step was accepted. `begin` is the evaluation at its beginning.
  void set(ode::Integrator& integrator, const Modes& modes, const Evaluation& begin,
           std::span<const double> y_begin, const Workspace& workspace);

  /// The step counts up to here, where the unknowns are y: who asks for bodies at this time finds them placed.
  void cut_at(double t_s, std::span<const double> y);

  double t0() const { return t0_; }
  double t1() const { return t1_; }
  const Modes& modes() const { return *modes_; }
  const Evaluation& begin_evaluation() const { return *begin_; }
  const model::Motions& begin() const { return begin_->motions; }
  const model::Motions& end() const { return end_.motions; }
  const Evaluation& end_placement() const { return end_; }  // places and angles alone
  /// Motions in which these bodies are placed at t; others are anywhere.
  const model::Motions& at(double t_s, std::initializer_list<int> bodies) const;
  const model::Motions& at(double t_s, std::span<const int> bodies) const;
  /// All unknowns at t; kept until the next call.
  std::span<const double> unknowns(double t_s) const;
  /// Places and angles of all bodies at t.
  const Evaluation& placed(double t_s) const;
  /// Places of some bodies, angles of all.
  const Evaluation& placed(double t_s, std::span<const int> bodies) const;

  /// Of a contact of `modes()`; at the ends of the step it is found once.
  Approach approach(const ContactMode& contact, double t_s) const;
  Vec3 memory(const ContactMode& contact, double t_s) const;

 private:
  void place_one(double t_s, int body) const;
  const Evaluation& placed_at_cut() const;

  const Model& model_;
  const Modes* modes_ = nullptr;
  ode::Integrator* integrator_ = nullptr;
  const Evaluation* begin_ = nullptr;
  const Workspace* workspace_ = nullptr;
  std::span<const double> y_begin_;
  double t0_ = 0, t1_ = 0;
  Evaluation end_;
  mutable Evaluation inside_, some_;
  mutable std::vector<double> y_;
  mutable std::vector<geometry::Spot> spots_;
  mutable std::vector<Approach> end_approach_, cut_approach_;  // [contact]
  mutable std::vector<char> has_end_, has_cut_;
  double t_cut_ = 0;
  std::span<const double> y_cut_;
  mutable bool is_cut_placed_ = false;
  mutable Evaluation cut_;
};

}  // namespace percuss::dynamics
