// The impacts of a run: one record per contact from touch to separation, in the order of touch.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "percuss/dynamics/observers/account.h"
#include "percuss/dynamics/observers/ledger.h"

namespace percuss::dynamics {

/// Stands behind the ledger in the list of observers, and behind the account if there is one.
class Impacts final : public Observer {
 public:
  Impacts(const Model& model, const Ledger& ledger, const Account* account, std::size_t most_kept);

  /// Receives each record once nothing can change it any more, in the order of touch.
  std::function<void(const recording::Impact&)> stream;
  /// Receives remarks: laws used where they are not true.
  std::function<void(const Warning&)> remark;

  void begin(const StateView& view) override;
  void step(const StepView& step) override;
  void event(const EventView& event) override;
  void state(const StateView& view) override;
  void end(const StateView& view) override;
  StageDetail needs_stages() const override { return StageDetail::forces; }
  void save(Writer& out) const override;
  bool restore(Reader& in) override;

  const std::vector<recording::Impact>& kept() const { return kept_; }
  std::int64_t count() const { return count_; }
  std::int64_t raised_count() const { return raised_count_; }
  /// Impacts so far of one entry of the contact table.
  std::int64_t count_of(std::size_t contact) const { return counts_[contact]; }

 private:
  struct Open {
    std::int64_t id = -1;
    recording::Impact record;
    bool is_final = false;
  };
  Open* find(std::int64_t id);
  recording::Impact record_of(const ContactPair& pair, int spot, double approach_mps) const;
  bool is_raised(const ContactMode& contact) const;
  void open(const ContactMode& contact, double gravity_mps2);
  bool runs_one_way(const StepView& step, std::size_t contact, double f_begin, double f_end) const;
  void note_passage(const StepView& step, std::size_t contact, Open& open) const;
  void note_work(const StepView& step, std::size_t contact, Open& open) const;
  void close(const ContactMode& contact, const model::Motions& motions, bool is_lost, Open& open);
  void add_collision(const EventView& event);
  void pass_on();

  const Model& model_;
  const Ledger& ledger_;
  const Account* account_;
  const std::size_t most_kept_;
  std::vector<Open> open_;  // in the order of touch; those that are final wait for those before them
  std::vector<recording::Impact> kept_;
  std::int64_t count_ = 0, raised_count_ = 0;
  std::vector<std::int64_t> counts_;
  double speed_scale_mps_ = 0;
  mutable std::vector<geometry::Spot> spots_;
};

}  // namespace percuss::dynamics
