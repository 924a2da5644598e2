// Events of the scene that are to be on record, and how far off the joints were at worst.
#pragma once

#include <algorithm>
#include <vector>

#include "percuss/dynamics/observer.h"
#include "percuss/recording/recording.h"

namespace percuss::dynamics {

class Happenings final : public Observer {
 public:
  explicit Happenings(std::size_t most_kept) : most_kept_(most_kept) {}
  void event(const EventView& e) override {
    if (e.kind == EventKind::user && e.model.events[static_cast<std::size_t>(e.user_event)].record &&
        all_.size() < most_kept_)
      all_.push_back({e.user_event, e.t_s});
  }
  void save(Writer& out) const override { out.put(all_); }
  bool restore(Reader& in) override { return in.get(all_); }
  const std::vector<recording::EventRecord>& all() const { return all_; }

 private:
  const std::size_t most_kept_;
  std::vector<recording::EventRecord> all_;
};

class WorstResiduals final : public Observer {
 public:
  void step(const StepView& step) override {
    worst_.position = std::max(worst_.position, step.residuals.position);
    worst_.velocity = std::max(worst_.velocity, step.residuals.velocity);
  }
  void save(Writer& out) const override { out.put(worst_); }
  bool restore(Reader& in) override { return in.get(worst_); }
  const Residuals& worst() const { return worst_; }

 private:
  Residuals worst_;
};

}  // namespace percuss::dynamics
