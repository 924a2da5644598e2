// One simulation under way.
#pragma once

#include <memory>
#include <optional>

#include "percuss/dynamics/broad_phase.h"
#include "percuss/dynamics/equations.h"
#include "percuss/dynamics/simulate.h"
#include "percuss/dynamics/strike.h"

namespace percuss::dynamics {

class Run {
 public:
  Run(const model::Model& model, const Options& options);
  recording::Recording simulate();

 private:
  enum class What { touch, opens, turn, slips, force_ends, force_returns, release, reload, lost, sticks, user };
  struct Hit {
    double t_s;
    What what;
    std::size_t index;  // of a contact in touch, a touch, or a user's event
  };
  /// A spot that comes into contact.
  struct Touch {
    double t_s;
    model::ContactPair pair;
    geometry::Spot spot;
    double base_m = 0;  // overlap with which the spot comes into being
  };

  /// Unknowns come and go with contacts; an integrator is made for each number of them.
  struct Sized {
    std::size_t unknowns = 0, memories = 0;
    std::unique_ptr<ode::Integrator> own, stiff;
  };

  // ---- simulate.cpp
  Sized& integrators();
  void restart(double h_guess_s);
  bool advance();
  void move_to(double t_s);
  void interpolate(double t_s);
  std::span<const double> unknowns_at(double t_s) const;
  void project();
  void remember_angles();
  long steps_taken() const;
  std::string named(const Hit& hit) const;
  void fail(std::string why);
  void finish();

  // ---- step_control.cpp
  void set_weights();
  double before_release();
  double before_passing();
  double fastest_contact_rate();
  double stiff_cost() const;
  void note_stiffness();
  std::string stiffest() const;

  // ---- user_events.cpp
  void arm_events();
  double event_value(std::size_t index, double t_s);
  std::optional<Hit> first_user_event(double t0, double t1);
  void settle_events(const std::optional<Hit>& hit);
  void apply_user_event(std::size_t index);

  // ---- touches.cpp
  bool is_touching(const model::ContactPair& pair, int spot) const;
  std::optional<Touch> touch_of_spot(const model::ContactPair& pair, const geometry::Spot& spot, double t0,
                                     double t1, int parts);
  bool look_for_first_touch(const model::ContactPair& pair, double t0, double t1);
  double near_of(const model::ContactPair& pair, double h_s) const;
  void look_for_touch(const model::ContactPair& pair, double t0, double t1);
  void note_overlaps();
  void find_touches(double t0, double t1);

  // ---- contact_events.cpp
  Approach approach_at(std::size_t i, double t_s);
  std::optional<Hit> first_contact_event(std::size_t i, double t0, double t1);
  Vec3 memory_at(std::size_t i, double t_s);
  std::optional<Hit> first_stick_or_slip(std::size_t i, double t0, double t1);
  bool stays_in_touch(std::size_t i, double t0, double t1);
  std::optional<double> time_of_loss(std::size_t i, double t0, double t1);
  void note_passage(std::size_t i, double t0, double t1);
  void apply(const Hit& hit);

  // ---- episodes.cpp
  double rounding_m(int body_a, int body_b) const;
  const std::string& name_of(const ContactState& s) const;
  double smooth_start_s(const ContactState& s) const;
  double rest_speed_mps(std::size_t i, const contact::Law& law, double load_mps2, double mass_kg) const;
  void begin_episode(const Touch& touch);
  void close_record(std::size_t i);
  recording::Impact record_of(const model::ContactPair& pair, int spot) const;
  void keep(const recording::Impact& record);
  double stored_in_J(std::size_t i);
  void stream(const recording::Impact& record);
  void leave(std::size_t i);
  void gather_contacts();
  void spread_contacts();
  void cut_back_memories();
  void warn_once(const std::string& text);

  // ---- percussions.cpp
  std::vector<StrikePoint> percussion_points();
  void begin_percussions();
  void strike();
  void record_percussion(const Strike& strike, const percussion::Outcome& outcome, std::size_t i);
  void settle_rest(const std::vector<StrikePoint>& touching, double since_s, const ContactState* opened = nullptr,
                   double slow_mps = 0);
  ContactState at_rest(const StrikePoint& point, double since_s) const;
  void close_rest(ContactState& contact, bool is_over);
  double pressing(std::size_t i, double t_s);

  // ---- samples.cpp
  void sample(double t_s, std::span<const double> y);
  void put_clearance(const model::Joint& joint, std::span<const double> y);
  double next_sample_time() const;
  void take_samples(double until_s);
  double shortest_impact_s() const;
  void plan_inner_samples(double until_s);
  void sample_in_contact(bool touches);
  void note_energy(const recording::Energy& now);

  const model::Model& model_;
  const Options& options_;
  State state_;
  Equations equations_;
  BroadPhase broad_phase_;
  ode::Weights weights_;
  std::vector<Touch> touches_;  // in the last step
  model::Motions motions_begin_, motions_end_;
  std::vector<geometry::Spot> spots_;
  std::vector<model::ContactPair> passing_;           // all with spots that are not fixed
  std::vector<model::ContactPair> coming_and_going_;  // near in the last step, with spots that are not fixed
  std::vector<Sized> sized_;
  ode::Integrator* own_ = nullptr;
  ode::Integrator* solver_ = nullptr;
  recording::Recording out_;
  std::vector<double> scratch_y_, quadratures_;
  struct EventSide {
    int side = 0;  // of zero, the last that was seen
    bool armed = false;
    void note(int now) {
      if (now == 0 || (!armed && side != 0 && now != side)) return;
      side = now;
      armed = true;
    }
  };
  std::vector<EventSide> sides_;    // [event]
  std::vector<char> needs_forces_;  // [event] watches friction, which places and velocities alone do not give
  bool dense_ready_ = false;
  std::vector<std::pair<double, std::vector<double>>> pressing_;  // of contacts at rest, at times of the last step
  double h_guess_s_ = 0;
  double speed_scale_mps_ = 0;
  std::size_t next_sample_ = 0, next_extra_ = 0;
  std::size_t impact_table_ = 0, event_table_ = 0;
  std::vector<double> sample_row_;
  double sample_time_s_ = 0;
  std::vector<double> inner_;  // times inside the last step
  std::size_t next_inner_ = 0;
  int stiff_steps_ = 0;
  struct HandedOver {  // to the stiff method, on trial
    double t_s = 0, explicit_step_s = 0;
    int steps = 0;
  } handed_over_;
  int steps_before_next_trial_ = 0;
  long events_at_once_ = 0;
  double last_event_s_ = -1;
  bool needs_restart_ = false, over_ = false;
};

}  // namespace percuss::dynamics
