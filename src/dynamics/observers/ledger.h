// The energy ledger: what is stored, what was lost, what was supplied, and what the sum of them lacks.
#pragma once

#include <utility>
#include <vector>

#include "percuss/dynamics/energy.h"
#include "percuss/dynamics/observer.h"
#include "percuss/recording/recording.h"

namespace percuss::dynamics {

/// What the force of one contact has done since touch.
struct ContactWork {
  std::int64_t id = -1;
  ContactKey key{};
  double dissipated_J = 0, impulse_Ns = 0;
  double friction_J = 0;  // work of friction, that stored in its memory included
  double plastic_at_touch_J = 0;
  double given_up_J = 0;  // still stored when the force ended: the surfaces relax by themselves
  bool has_ended = false;
};

/// What the contacts of one entry of the table have done that are over.
struct ContactTotals {
  double lost_J = 0, friction_J = 0;
};

class Ledger final : public Observer {
 public:
  explicit Ledger(const Model& model);

  void begin(const StateView& view) override;
  void step(const StepView& step) override;
  void before_event(const Modes& modes, double t_s) override;
  void event(const EventView& event) override;
  void jump(double stored_J, Cause cause) override;
  void state(const StateView& view) override;
  StageDetail needs_stages() const override { return StageDetail::forces; }
  void save(Writer& out) const override;
  bool restore(Reader& in) override;

  const recording::Ledger& ledger() const { return out_; }
  /// At the last state.
  const recording::Energy& energy() const { return out_.end; }
  /// Inside the step that is being told, from an evaluation there.
  recording::Energy energy_at(const StepView& step, double t_s, std::span<const double> y,
                              const Evaluation& e) const;
  /// Of a contact in touch, or one that has just ended.
  const ContactWork& work(std::int64_t id) const;
  /// Lost by the contacts of one entry so far, friction included: inside the step that is being told, or at the
  /// state.
  double lost_in_contact_J(const StepView& step, double t_s, const Evaluation& e, std::size_t contact) const;
  double lost_in_contact_J(const Modes& modes, const Evaluation& e, std::size_t contact) const;

 private:
  /// Sums of the model's own terms, in the order springs (damped, supplied), forces, drivers, prescribed bodies.
  struct Sums {
    std::vector<double> spring_damped, spring_supplied, spring_stored, force, driver, motion;
  };
  void add(std::span<const Evaluation* const> stages, std::span<const double> weights, const Modes& modes,
           Sums& sums, std::vector<ContactWork>& contacts) const;
  recording::Energy energy_of(const StoredEnergy& stored, const Sums& sums, const std::vector<ContactWork>& works,
                              const Modes& modes, const Evaluation& e) const;
  std::pair<Sums, std::vector<ContactWork>> sums_at(const StepView& step, double t_s) const;
  StoredEnergy stored(std::span<const double> y, const Modes& modes, double t_s) const;
  void note(const recording::Energy& now);
  void drop_springs_that_are_off(const Modes& modes);
  void book_projection(const Modes& modes, double t_s);
  double lost_in_contact_J(const Modes& modes, const std::vector<ContactWork>& works, const Evaluation& e,
                           std::size_t contact) const;
  double lost_J(const ContactMode& contact, const ContactWork& work, double depth_m) const;

  const Model& model_;
  Sums sums_;
  std::vector<ContactWork> works_;  // as in Modes
  std::vector<ContactTotals> totals_;
  double projection_J_ = 0, switching_J_ = 0;
  recording::Ledger out_;
  bool has_begun_ = false;
  // a projection that is not booked yet: the state after it is about to be told
  bool is_pending_ = false;
  double before_projection_J_ = 0;
  std::vector<double> corrected_;
  mutable Workspace workspace_;
};

}  // namespace percuss::dynamics
