// The numbers a study keeps of each point: expressions over what was measured.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/expression/program.h"
#include "percuss/impact/impact.h"
#include "percuss/model/model.h"
#include "percuss/recording/recording.h"
#include "percuss/scene/scene.h"

namespace percuss::study {

/// What an expression may name:
///   axes, and outputs that stand before it;
///   of an isolated impact: delivered, peak_force, duration, ...;
///   of a run: impacts, lost, peak_force, ...; bounce.peak_force, bounce.lost, ... of a contact;
///   delivered[2], bounce.delivered[2]: a column of the table of impacts, of the second one (of that contact);
///   ball.z[0.5 s]: a channel at a time; ball.z[max], min, mean, first, last: over all samples.
/// What is not there (a third impact of two) is nan.
struct Measure {
  enum class Kind { axis, output, of_impact, of_run, of_contact, of_impact_number, of_channel };
  Kind kind = Kind::axis;
  int index = 0;     // axis, output, row of a table of names; column of the table of impacts
  int contact = -1;  // of a contact, or of its k-th impact
  int number = 0;    // k, from 1
  enum class Take { at_time, max, min, mean, first, last };
  Take take = Take::last;
  double time_s = 0;
  std::string channel{};
};

struct Output {
  std::string name, text;
  Where at;
  expression::Program program;
  std::vector<Measure> variables;  // by slot
  std::string unit;                // of one that keeps a thing measured as it is; "" for expressions
};

/// "" if it has none, or there is no such channel.
std::string unit_of_channel(const model::Model& model, std::string_view name);

/// The names, for the reference.
struct OutputName {
  std::string name, meaning;
};
std::vector<OutputName> output_names();

/// What a name can stand for.
struct OutputContext {
  std::vector<std::string> axes;      // those with numbers; "" for the others
  std::vector<std::string> units{};   // of the axes
  bool isolated_impact = false;       // or else a run
  const model::Model* run = nullptr;  // null: neither
};

/// All mistakes at once.
Result<std::vector<Output>> read_outputs(const std::vector<std::pair<std::string, scene::Function>>& texts,
                                         const OutputContext& context);

/// Does an output need the times of an isolated impact?
bool needs_times(const std::vector<Output>& outputs);
/// Does one need the predictability horizon of a run?
bool needs_horizon(const std::vector<Output>& outputs);

/// The channels that outputs look at, in the order in which they were named.
std::vector<const Measure*> channels_of(const std::vector<Output>& outputs);

/// Channels as a recording sees them: the scene is asked to write them under names of their own, and the sink keeps
/// what is asked of them.
void ask_for_channels(const std::vector<const Measure*>& channels, scene::Outputs& outputs);

class ChannelSink final : public recording::Sink {
 public:
  explicit ChannelSink(std::vector<const Measure*> channels) : channels_(std::move(channels)) {}
  void begin(const recording::Head& head, const std::vector<recording::Table>& tables) override;
  bool row(std::size_t table, std::span<const double> values) override;
  /// By channel; nan where nothing was seen.
  std::vector<double> values() const;

 private:
  struct Seen {
    std::size_t column = 0;
    long count = 0;
    double value = 0, nearest_s = 0;                        // at a time
    double sum = 0, last_t_s = 0, last = 0, first_t_s = 0;  // of the mean, by trapezoids
  };
  std::vector<const Measure*> channels_;
  std::vector<Seen> seen_;
  std::size_t table_ = 0;
};

struct Measured {
  std::span<const double> axes;  // nan for words
  const impact::Outcome* impact = nullptr;
  const recording::Recording* run = nullptr;
  std::span<const double> channels{};  // as ChannelSink::values
};
std::vector<double> evaluate(const std::vector<Output>& outputs, const Measured& measured);

}  // namespace percuss::study
