// Samples: rows of what is written, at given times and densely in impacts, into a sink.
#pragma once

#include <functional>
#include <vector>

#include "percuss/dynamics/observers/impacts.h"

namespace percuss::dynamics {

/// The tables that a sink receives for this model.
std::vector<recording::Table> tables_of(const Model& model);

/// Stands behind ledger and impacts in the list of observers.
class Samples final : public Observer {
 public:
  Samples(const Model& model, const Settings& settings, const Ledger& ledger, const Impacts& impacts,
          recording::Sink& sink);

  void begin(const StateView& view) override;
  void step(const StepView& step) override;
  void event(const EventView& event) override;
  void state(const StateView& view) override;
  StageDetail needs_stages() const override { return StageDetail::forces; }
  void save(Writer& out) const override;
  bool restore(Reader& in) override;

  void put_impact(const recording::Impact& impact);
  bool has_failed() const { return has_failed_; }  // a row could not be kept
  std::function<void(const Warning&)> remark;      // may be empty

 private:
  double next_time() const;
  double shortest_impact_s(const Modes& modes, double t_s) const;
  std::vector<double> all_multipliers(const Modes& modes, const Evaluation& e, std::span<const double> y);
  void put_clearance(const model::Joint& joint, const Modes& modes, const Evaluation& e, double lost_J);
  void put(const Modes& modes, const Evaluation& e, std::span<const double> y, const recording::Energy& energy,
           const std::function<double(std::size_t)>& lost_in_contact_J);

  const Model& model_;
  const Settings& settings_;
  const Ledger& ledger_;
  const Impacts& impacts_;
  recording::Sink& sink_;
  std::size_t next_regular_ = 0, next_extra_ = 0;
  std::size_t impact_table_ = 0, event_table_ = 0;
  double last_s_ = -1;
  bool has_begun_ = false, asked_ = false, has_failed_ = false;
  Workspace workspace_;
  std::string refused_;  // by a controller, where a sample was taken
  model::RowLayout all_rows_;
  model::RowValues all_values_;
  std::vector<double> row_, y_;
};

}  // namespace percuss::dynamics
