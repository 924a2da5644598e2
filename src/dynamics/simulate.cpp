// The loop over steps, with the observers that make a Recording.
#include "percuss/dynamics/simulate.h"

#include <algorithm>
#include <bit>

#include "percuss/dynamics/equilibrium.h"
#include "percuss/dynamics/observers/happenings.h"
#include "percuss/dynamics/observers/horizon.h"
#include "percuss/dynamics/observers/remarks.h"
#include "percuss/model/head.h"

namespace percuss::dynamics {

namespace {

constexpr double kBalanceOpen = 1e-3;  // of the energy exchanged: an error worth a warning

/// FNV-1a over the bits of the motion.
std::uint64_t fingerprint(const Model& model, std::span<const double> y) {
  std::uint64_t h = 14695981039346656037ULL;
  for (const double x : y.first(static_cast<std::size_t>(model.position_count + model.velocity_count)))
    h = (h ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211ULL;
  return h;
}

Checkpoint checkpoint_of(const State& state, const std::vector<Observer*>& observers) {
  Writer of_state, of_observers;
  save(state, of_state);
  for (const Observer* o : observers) o->save(of_observers);
  return {of_state.take(), of_observers.take()};
}

bool restore(const Checkpoint& from, const Model& model, const std::vector<Observer*>& observers, State& state) {
  Reader of_state(from.state), of_observers(from.observers);
  return restore(of_state, model, state) && of_state.is_whole() &&
         std::ranges::all_of(observers, [&](Observer* o) { return o->restore(of_observers); }) &&
         of_observers.is_whole();
}

/// Adds up the time of what stands behind it.
class TimedSink final : public recording::Sink {
 public:
  TimedSink(recording::Sink& to, Profile* profile) : to_(to), profile_(profile) {}
  void begin(const recording::Head& head, const std::vector<recording::Table>& tables) override {
    to_.begin(head, tables);
  }
  bool row(std::size_t table, std::span<const double> values) override {
    const Timed timed(profile_, Profile::output);
    return to_.row(table, values);
  }

 private:
  recording::Sink& to_;
  Profile* profile_;
};

void warn_of_open_ledger(const Settings& settings, const recording::Ledger& ledger, Remarks& remarks) {
  if (ledger.largest_error_J > kBalanceOpen * ledger.exchanged_J && ledger.exchanged_J > 0)
    remarks.warn({"energy-balance-open", "",
                  "the energy error is " + text_of(100 * ledger.largest_error_J / ledger.exchanged_J, 2) +
                      " % of the energy exchanged: the " +
                      (settings.integrator->fixed_step ? "step is too long" : "tolerance is too loose") +
                      " for this motion"});
}

}  // namespace

recording::Recording simulate(const Model& model, const Settings& settings, const Options& options) {
  Ledger ledger(model);
  Account account(model);
  Impacts impacts(model, ledger, settings.account ? &account : nullptr, options.most_impacts_kept);
  Remarks remarks;
  Happenings happenings(options.most_impacts_kept);
  WorstResiduals residuals;
  impacts.remark = [&remarks](const Warning& warning) { remarks.warn(warning); };
  std::vector<Observer*> observers{&ledger};
  if (settings.account) observers.push_back(&account);
  observers.insert(observers.end(), {&impacts, &remarks, &happenings, &residuals});
  std::optional<Samples> samples;
  recording::SinkList sinks;
  recording::MemorySink memory;
  if (options.sink) sinks.add(options.sink);
  if (options.keep_samples) sinks.add(&memory);
  TimedSink timed(sinks, options.profile);
  if (!sinks.is_empty()) {
    samples.emplace(model, settings, ledger, impacts, timed);
    impacts.stream = [&samples](const recording::Impact& impact) { samples->put_impact(impact); };
    samples->remark = impacts.remark;
    observers.push_back(&*samples);
  }
  Equilibrium begins;  // a checkpoint brings its own State
  if (options.from || options.resume)
    begins.state = options.from ? *options.from : initial_state(model);
  else
    begins = starting_state(model, settings);
  if (!begins.is_found()) {
    recording::Recording none;
    none.head = model::head_of(model, settings);
    none.end = recording::End::failed;
    none.failure = begins.failure;
    return none;
  }
  State start = std::move(begins.state);
  std::optional<Horizon> horizon;
  if (settings.horizon) observers.push_back(&horizon.emplace(model, settings, start));
  observers.insert(observers.end(), options.observers.begin(), options.observers.end());

  if (options.resume && !restore(*options.resume, model, observers, start)) {
    recording::Recording none;
    none.end = recording::End::failed;
    none.failure = "the checkpoint does not fit this model";
    return none;
  }
  Simulation sim(model, settings, start, observers);
  sim.time_phases(options.profile);
  const auto keep = [&] {
    if (options.keep_checkpoint) options.keep_checkpoint(checkpoint_of(sim.state(), observers));
  };
  bool interrupted = false;
  while (sim.progress() == Progress::going) {
    if (samples && samples->has_failed()) break;
    if (sim.step() != Progress::going) break;
    interrupted = options.go_on && !options.go_on(sim.time_s());
    if (interrupted || (options.wants_checkpoint && options.wants_checkpoint())) keep();
    if (interrupted) break;
  }
  sim.finish();

  recording::Recording out;
  out.head = model::head_of(model, settings);
  out.tables = memory.take();
  out.end = sim.progress() == Progress::failed    ? recording::End::failed
            : sim.progress() == Progress::stopped ? recording::End::stopped_by_event
            : interrupted                         ? recording::End::interrupted
                                                  : recording::End::done;
  out.failure = sim.failure();
  if (samples && samples->has_failed()) {
    out.end = recording::End::failed;
    out.failure = "at t = " + text_of(sim.time_s(), 6) + " s: the samples could not be written";
  }
  const State& state = sim.current();
  out.time_s = state.t_s;
  out.impacts = impacts.kept();
  out.impact_count = impacts.count();
  out.raised_count = impacts.raised_count();
  out.events = happenings.all();
  out.ledger = ledger.ledger();
  if (horizon) {
    out.horizon = horizon->horizon();
    if (const std::string& why = horizon->failure(); !why.empty())
      remarks.warn(
          {"horizon", "", "the solution at a tighter tolerance, for the predictability horizon, ended " + why});
  }
  warn_of_open_ledger(settings, out.ledger, remarks);
  out.counts = {
      state.counts.steps,       state.counts.rejected, state.counts.evaluations,      state.counts.near_singular,
      state.counts.handed_over, state.counts.events,   state.counts.event_evaluations};
  out.worst_position_residual = residuals.worst().position;
  out.worst_velocity_residual = residuals.worst().velocity;
  out.warnings = remarks.texts();
  out.y = state.y;
  out.fingerprint = fingerprint(model, state.y);
  return out;
}

}  // namespace percuss::dynamics
