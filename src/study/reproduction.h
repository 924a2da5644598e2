// A paper's figures and tables, ours against theirs.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "percuss/base/diagnostic.h"

namespace percuss::study {

struct PaperCurve {
  std::string name;
  std::vector<double> x, y;
  bool dashed = false, muted = false, marks = false;
};

struct PaperFigure {
  std::string id, title;
  std::string x_label, x_unit, y_label, y_unit;
  std::vector<PaperCurve> curves;
  std::string note{};
};

struct PaperTable {
  std::string id, title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::variant<double, std::string>>> rows;
  std::string note{};
};

/// A number that the paper states (or that follows from what it states), and ours.
struct PaperRow {
  std::string id, quantity, source;
  double paper = 0, ours = 0, tolerance = 0;
  bool is_relative = false;
  double difference() const { return is_relative ? (ours - paper) / paper : ours - paper; }
  bool within() const;
};

struct Reproduction {
  std::string key, citation;
  std::vector<std::string> remarks;  // what differs, and why: remarks.txt
  std::vector<PaperRow> rows;
  std::vector<PaperTable> tables;
  std::vector<PaperFigure> figures;
  bool within() const;
};

/// What the code of a paper fills: numbers by the names that expected.csv uses, and what is to be seen.
struct PaperWork {
  std::filesystem::path folder;         // papers/<key>: scenes
  std::map<std::string, double> paper;  // what expected.csv says, by its names
  std::map<std::string, double> ours;
  std::vector<PaperTable> tables;
  std::vector<PaperFigure> figures;
};

struct Paper {
  std::string_view key, citation, shows;
  std::optional<Diagnostic> (*work)(PaperWork&) = nullptr;
};
std::span<const Paper> papers();
const Paper* find_paper(std::string_view key);

/// Runs a paper; its scenes and expected numbers stand in `folder`/<key>.
Result<Reproduction> reproduce(const Paper& paper, const std::filesystem::path& folder);

// one file each
std::optional<Diagnostic> work_on_flores_2011(PaperWork& work);
std::optional<Diagnostic> work_on_alves_2015(PaperWork& work);
std::optional<Diagnostic> work_on_moreira(PaperWork& work);
std::optional<Diagnostic> work_on_alaci(PaperWork& work);
std::optional<Diagnostic> work_on_barjau(PaperWork& work);

}  // namespace percuss::study
