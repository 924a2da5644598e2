// Natural modes as a table, as JSON, as CSV and as a page on which they move.
#pragma once

#include "percuss/dynamics/natural_modes.h"
#include "percuss/report/numbers.h"
#include "percuss/report/page.h"

namespace percuss::report {

/// The modes of a model about a State, and how that was found.
struct ModesOf {
  const model::Model& model;
  const dynamics::State& about;
  const dynamics::NaturalModes& modes;
  bool at_equilibrium = true;
};

/// Where the linearised motion is not the whole one, one line each.
std::vector<std::string> mode_remarks(const ModesOf& m);

std::string modes_text(const ModesOf& m, const Style& style);
std::string modes_json(const ModesOf& m);

/// One line per mode and body: displacement of the origin of its frame, and turn, both in world axes.
std::string modes_csv(const ModesOf& m);

/// Each mode for some seconds with a visible amplitude, one after the other, and a table whose rows lead to them.
Page modes_page(const ModesOf& m);

}  // namespace percuss::report
