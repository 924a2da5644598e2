// A Model, Settings and a State taken forward, step by step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "percuss/dynamics/observer.h"

namespace percuss::dynamics {

/// How far a call came.
enum class Progress {
  going,    // there is more to come
  done,     // the duration is reached
  stopped,  // by an event of the scene
  failed    // `failure` says why; the State is that of the last accepted step
};

/// The unknowns inside the last step.
struct Instant {
  double t_s = 0;
  std::vector<double> y;
  model::Motions motions;
};

/// Usage:
///   Simulation sim(model, settings);
///   while (sim.step() == Progress::going) ...
/// The model must outlive it. Simulations of one model can run in many threads.
class Simulation {
 public:
  /// At the start of the model, or at the equilibrium near it if the settings ask for it.
  Simulation(const Model& model, const Settings& settings, std::vector<Observer*> observers = {});
  /// Where another Simulation was, of this model or of one of the same topology: then positions and velocities are
  /// projected onto the changed joints, laws are latched again, and `changes` lists what that changed.
  Simulation(const Model& model, const Settings& settings, const State& state,
             std::vector<Observer*> observers = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;

  /// One accepted step, or the part of it up to the first event.
  Progress step();
  /// Steps until the time is inside the last step or behind it; `at(t)` is then known. Changes no bit of the
  /// motion.
  Progress advance_to(double t_s);
  /// Ends a step at t: unlike `advance_to` it changes the steps, and so the last bits.
  Progress land_on(double t_s);

  double time_s() const;
  double step_began_s() const;  // the last step is [step_began_s, time_s]
  /// A copy of all that the next step needs.
  State state() const;
  /// The State as it stands, without the memory of the integrator.
  const State& current() const;
  /// Everything at the current state.
  const Evaluation& evaluation() const;
  /// From the dense output of the last step; nothing outside of it. Inside a step the dense output is there after
  /// `advance_to`; after a plain `step` of some methods it is not.
  std::optional<Instant> at(double t_s) const;

  Progress progress() const;
  const std::string& failure() const;
  const std::vector<std::string>& changes() const;

  /// From now on the time of each phase is added up there; null: no more.
  void time_phases(Profile* profile);

  /// Tells the observers that the run is over here.
  void finish();

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace percuss::dynamics
