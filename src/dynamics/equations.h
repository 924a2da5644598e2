// The equations of motion: forces, multipliers, accelerations, powers at one instant.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "percuss/dynamics/state.h"
#include "percuss/model/constraints.h"

namespace percuss::dynamics {

/// The relative motion of two surfaces at a spot; depth > 0 is overlap, rate > 0 approach.
struct Approach {
  double depth_m = 0, rate_mps = 0;
  geometry::MeasureValue gap;
  int body_a = 0, body_b = 0;
  double back_m = 0;  // as in the feature
};

/// A contact of the table as a whole: its deepest spot (or the nearest, if none touches), the sums of its forces.
struct ContactReport {
  double depth_m = 0, rate_mps = 0, force_N = 0, friction_N = 0;
  int touching = 0;
  Vec3 push_N;   // on the second body, friction included, summed over its spots
  Vec3 point_m;  // in the world: the mean of the spots, weighted by their forces; meant where they push
};

struct StrikePoint;
struct Responses;

class Equations final : public ode::System {
 public:
  /// The state is read at every evaluation: its modes and memories decide which forces act.
  Equations(const model::Model& model, const State& state);

  std::size_t dimension() const override { return sums_at(state_.contacts.size()); }
  std::size_t positions() const override { return static_cast<std::size_t>(model_.position_count); }
  std::size_t quadratures() const override { return dimension() - quadratures_at(); }

  /// Places in y: the memory of a contact's friction (of those that have one), the model's quadratures, the sums.
  std::size_t memory_at(std::size_t contact) const;
  std::size_t quadratures_at() const { return memory_at(state_.contacts.size()); }
  std::size_t sums_at(std::size_t contact) const {
    return quadratures_at() + static_cast<std::size_t>(model_.quadrature_count) + contact * kSums;
  }
  const model::ContactKind& kind_of(const model::ContactPair& pair) const {
    return model_.contact_kinds[static_cast<std::size_t>(pair.kind)];
  }
  void slope(double t_s, std::span<const double> y, std::span<double> dydt) override;
  void position_slope(double t_s, std::span<const double> y, std::span<double> dydt) override {
    model::position_slopes(model_, t_s, y, dydt);
  }

  /// Everything at (t, y): then the readers below hold.
  void evaluate(double t_s, std::span<const double> y);
  /// Places, velocities and contacts only.
  void evaluate_motion(double t_s, std::span<const double> y);

  const model::Motions& motions() const { return motions_; }
  const model::Constraints& constraints() const { return rows_; }
  std::span<const double> accelerations() const { return acceleration_; }
  std::span<const double> multipliers() const { return multiplier_; }
  const geometry::MeasureValue measure(int index) const;
  /// The spots of a pair where the bodies are now.
  void find_spots(const model::ContactPair& pair, double near_m, std::vector<geometry::Spot>& out) const;
  std::optional<geometry::Feature> find_feature(const model::ContactPair& pair, int spot) const;
  Approach approach(const geometry::Feature& feature, double base_m = 0) const;
  Approach approach(std::size_t contact) const;
  ContactReport report(std::size_t contact_of_table) const;
  /// The force of the contact and its elastic part in the present mode.
  contact::NormalForce<> contact_force(std::size_t contact, const Approach& a) const;
  /// The force as the law gives it, without the rule against pulling.
  double raw_force_N(std::size_t contact, const Approach& a) const;
  /// Second derivative of the depth, after `evaluate`.
  double depth_acceleration(const Approach& a) const;
  double depth_acceleration_by_gravity(const Approach& a) const;  // its part
  /// What a unit force along the gap does to it, with the joints and without them.
  struct Mobility {
    double constrained = 0, free = 0;  // per kg
  };
  Mobility mobility(const Approach& a) const;
  /// Whether a force along the gap moves anything: driven bodies may stand still whatever pushes them.
  static bool can_move(const Mobility& m) { return m.constrained > kImmovable * m.free; }
  bool can_move(const Approach& a) const { return can_move(mobility(a)); }
  /// Changes of the velocities, and the multipliers of the joints, for a unit force along the gap.
  void response_to(const Approach& a, std::vector<double>& response, std::vector<double>& multiplier) const;
  /// The rate of the gap that velocities u (without the offset of the positions) cause.
  double along(const Approach& a, std::span<const double> u) const;
  /// Effective mass along the contact normal in the constrained system; where the joints leave no mobility (a
  /// driven body), that of the bodies alone.
  double effective_mass_kg(const Approach& a) const;
  /// Of a contact spring: the deflection at which it slips.
  double slip_limit_m(std::size_t contact, const Approach& a) const;
  Vec3 slip_mps(const Approach& a) const;
  /// Of a contact that holds, after `evaluate`: the force that keeps its rate at zero.
  double held_force_N(std::size_t contact) const { return contact_now_[contact].force.total_N; }
  double spring_force_N(std::size_t spring, double t_s) const;  // along its first line
  double channel(int index, double t_s) const;
  double value_of(const model::Function& f, double t_s) const;

  /// Velocities after impulses at points, with the responses to unit impulses there.
  void add_impulses(std::span<const StrikePoint> points, const Responses& responses,
                    std::span<const double> impulse, std::span<double> y);
  /// Contacts at rest that press, back to where they rest and without a rate. After `evaluate`.
  void project_rest(double t_s, std::span<double> y);
  /// Positions and velocities back onto the joints.
  void project(double t_s, std::span<double> y);
  /// How far off the joints are (after `project`: positions after it, velocities before it).
  void note_residuals(double t_s, std::span<const double> y);
  double position_residual() const { return worst_position_; }
  double velocity_residual() const { return worst_velocity_; }

  /// Multipliers of all rows, redundant ones too: the share of least size, weighted by the masses. After
  /// `evaluate`.
  std::vector<double> all_multipliers(double t_s, std::span<const double> y);

  recording::Energy energy(double t_s, std::span<const double> y);

  long evaluations() const { return evaluations_; }
  long near_singular() const { return near_singular_; }

 private:
  double near_rad(int measure, double t_s) const;
  void update_near(double t_s);
  bool moves_with(const model::Row& row, int body) const;
  void note_nearest(const model::ContactPair& pair, ContactReport& out) const;
  void add_wrench(int body, const geometry::Gradient& g, double factor);
  void add_forces(double t_s);
  void add_springs(double t_s);
  void add_contacts(std::span<const double> y);
  void add_friction(std::size_t contact, std::span<const double> y);
  void solve();
  void hold_contacts();
  void free_response_to(const Approach& a, std::vector<double>& response) const;
  Vec3 middle_of_overlap(const Approach& a) const;
  void write_memories(std::span<const double> y, std::span<double> dydt);
  void write_sums(std::span<double> sums);
  void write_quadratures(double t_s, std::span<const double> y, std::span<double> dydt);

  static constexpr double kImmovable = 1e-10;  // mobility over that without joints: the joints hold the point

  const model::Model& model_;
  const State& state_;
  model::Motions motions_;
  model::Constraints rows_;
  std::vector<double> near_, force_, acceleration_, multiplier_, right_, scratch_;
  std::vector<geometry::Gradient> on_prescribed_;  // wrench on each body of prescribed motion
  struct SpringPower {
    double damped_W = 0, supplied_W = 0;
  };
  std::vector<SpringPower> spring_power_;
  std::vector<double> force_power_;
  struct ContactNow {
    Approach approach;
    contact::NormalForce<> force;
    Vec3 friction_N, slip_mps;
    double friction_W = 0, stiffness_Npm = 0;
    geometry::Gradient on_a, on_b;  // all that it exerts
  };
  std::vector<ContactNow> contact_now_;
  mutable std::vector<geometry::Spot> spots_;
  mutable std::vector<double> response_, response_multiplier_, coupling_;
  bool has_moving_bodies_ = false, has_angles_ = false;
  double worst_position_ = 0, worst_velocity_ = 0;
  long evaluations_ = 0, near_singular_ = 0;
  std::unique_ptr<model::Constraints> all_rows_;
};

}  // namespace percuss::dynamics
