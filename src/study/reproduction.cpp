// The table of papers, and the join of numbers with what is expected.
#include "percuss/study/reproduction.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "percuss/base/units.h"
#include "percuss/base/words.h"

namespace percuss::study {

namespace {

constexpr Paper kPapers[] = {
    {"flores-2011",
     "P. Flores, M. Machado, M. T. Silva, J. M. Martins, On the continuous contact force models for soft materials "
     "in "
     "multibody dynamics, Multibody Syst. Dyn. 25 (2011) 357-375",
     "bouncing ball, restitution before and after, ball on a moving table", work_on_flores_2011},
    {"alves-2015",
     "J. Alves, N. Peixinho, M. T. da Silva, P. Flores, H. M. Lankarani, A comparative study of the viscoelastic "
     "constitutive models for frictionless contact interfaces in solids, Mech. Mach. Theory 85 (2015) 172-188",
     "damping factors, two aluminium spheres, steel ball on two specimens (Table 4)", work_on_alves_2015},
    {"moreira",
     "P. Moreira, M. Silva, P. Flores, H. M. Lankarani, comparative study of dissipative contact force models",
     "Hooke, Hertz, Kelvin-Voigt and three dissipative laws; ball on a moving table", work_on_moreira},
    {"alaci",
     "S. Alaci, C. Filote, F.-C. Ciornei, The effect of coefficient of restitution for two collision models",
     "damping against plasticity, and the mixed law between them", work_on_alaci},
    {"barjau",
     "A. Barjau, J. A. Batlle, J. M. Font-Llagunes, a linear-by-part approach to energy dissipation in "
     "multiple-point "
     "collisions",
     "the bistiffness loop and the two-link chain", work_on_barjau},
};

/// id,paper,tolerance,source,quantity: the last field may hold commas; a tolerance with % is relative.
Result<std::vector<PaperRow>> read_expected(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return Diagnostic{{file.string()}, "the file cannot be read"};
  std::vector<PaperRow> rows;
  std::vector<Diagnostic> errors;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const Where where{file.string(), number, 1};
    std::string field[5];
    std::size_t from = 0;
    for (int k = 0; k < 5 && from <= line.size(); ++k) {
      const std::size_t to = k < 4 ? std::min(line.find(',', from), line.size()) : line.size();
      field[k] = line.substr(from, to - from);
      from = to + 1;
    }
    PaperRow row;
    row.id = field[0];
    row.source = field[3];
    row.quantity = field[4];
    row.is_relative = !field[2].empty() && field[2].back() == '%';
    if (row.is_relative) field[2].pop_back();
    const Result<double> paper = read_number(field[1]), tolerance = read_number(field[2]);
    if (!paper || !tolerance || row.quantity.empty()) {
      errors.push_back({where, "expected id,paper,tolerance,source,quantity"});
      continue;
    }
    row.paper = *paper;
    row.tolerance = row.is_relative ? *tolerance / 100 : *tolerance;
    rows.push_back(std::move(row));
  }
  if (!errors.empty()) return errors;
  return rows;
}

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) out.push_back(line);
  return out;
}

}  // namespace

bool PaperRow::within() const { return std::abs(difference()) <= tolerance; }

bool Reproduction::within() const { return std::ranges::all_of(rows, &PaperRow::within); }

std::span<const Paper> papers() { return kPapers; }

const Paper* find_paper(std::string_view key) {
  for (const Paper& p : kPapers)
    if (p.key == key) return &p;
  return nullptr;
}

Result<Reproduction> reproduce(const Paper& paper, const std::filesystem::path& folder) {
  PaperWork work;
  work.folder = folder / paper.key;
  const std::filesystem::path file = work.folder / "expected.csv";
  Result<std::vector<PaperRow>> rows = read_expected(file);
  if (!rows) return rows.errors();
  for (const PaperRow& row : *rows) work.paper[row.id] = row.paper;
  if (const auto failed = paper.work(work)) return *failed;
  Reproduction out{std::string(paper.key),
                   std::string(paper.citation),
                   lines_of(work.folder / "remarks.txt"),
                   *rows,
                   work.tables,
                   work.figures};
  std::vector<Diagnostic> errors;
  for (PaperRow& row : out.rows) {
    const auto ours = work.ours.find(row.id);
    if (ours == work.ours.end())
      errors.push_back({{file.string()}, "nothing computes " + in_quotes(row.id)});
    else
      row.ours = ours->second;
  }
  if (!errors.empty()) return errors;
  return out;
}

}  // namespace percuss::study
