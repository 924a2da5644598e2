// A fit as its file says it: a model, free parameters, laws, measurements.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "percuss/scene/schema.h"
#include "percuss/study/model_file.h"
#include "percuss/study/sweep/axis.h"
#include "percuss/study/sweep/outputs.h"

namespace percuss::study {

enum class DataKind {
  force_time,         // of an isolated impact
  displacement_time,  // depth; below 0 before touch and after release
  force_indentation,  // loading up to the largest depth of the data, unloading after it
  restitution_speed,
  table,        // an output of the model for each line, whose other columns set the model
  channel_time  // of a scene
};

struct DataSet {
  std::string name, file;
  Where at;
  DataKind kind = DataKind::force_time;
  std::vector<double> x, y;  // SI; x is time, depth, or the number of the line
  std::string x_label, x_unit, y_label, y_unit;
  std::vector<std::pair<std::string, std::vector<double>>>
      inputs;                                            // of a table: keys of the model and their values
  std::vector<std::pair<std::string, std::string>> set;  // keys and values for the whole test
  std::string output;                                    // of a table or a channel
  double noise = 0, relative_noise = 0;                  // standard deviation; both 0: estimated
  double channel_class = 0;                              // filter of the data; 0: none
  std::optional<Axis> offset;                            // of the clock: free
  double sigma(std::size_t i) const { return noise > 0 ? noise : relative_noise * (y[i] < 0 ? -y[i] : y[i]); }
  bool noise_is_given() const { return noise > 0 || relative_noise > 0; }
};

enum class Loss { squares, huber, cauchy };

struct Fit : StudiedModel {
  std::string source, title, text;
  std::string law_key;            // of the scene: what the laws are set at
  std::vector<std::string> laws;  // keys; one empty text: as the model says
  std::vector<Axis> free;         // uniform or log-uniform ranges
  std::vector<DataSet> tests;
  Loss loss = Loss::squares;
  std::size_t starts = 12;
  std::uint64_t seed = 1;
  double confidence = 0.95;

  std::size_t data() const {
    std::size_t n = 0;
    for (const DataSet& t : tests) n += t.y.size();
    return n;
  }
};

/// All mistakes at once.
Result<Fit> read_fit(const std::filesystem::path& file, const std::string& law_folder);
Result<Fit> read_fit_text(const std::string& text, const std::filesystem::path& file,
                          const std::string& law_folder);

const scene::Section& fit_section();
/// Their names, as files say them.
std::span<const std::string_view> data_kinds();

}  // namespace percuss::study
