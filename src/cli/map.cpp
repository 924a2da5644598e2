// percuss map: delivered against prescribed restitution.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "percuss/base/words.h"
#include "percuss/cli/collision_options.h"
#include "percuss/cli/options.h"
#include "percuss/cli/program.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/impact/map.h"
#include "percuss/io/files.h"
#include "percuss/report/figure.h"
#include "percuss/report/numbers.h"

namespace percuss::cli {

using namespace contact;

namespace {

constexpr std::array kMapOwn = {
    Option{"laws", "KEYS", "keys separated by commas, or all (default: all, every key whose needs are met)"},
    Option{"grid", "VALUES", "prescribed restitutions: 0.1,0.5,0.9 or FROM:TO:COUNT; default 0.1:1:10"},
    kJsonOption,
    Option{"csv", "FILE", "the table"},
    Option{"svg", "FILE", "the figure"},
    kForceOption,
};
constexpr auto kMapOptions = both(kMapOwn, kCollisionOptions);

std::vector<double> read_grid(const std::string& text, std::vector<Diagnostic>& errors) {
  const auto number = [&errors](const std::string& part) {
    const Result<double> value = read_number(part);
    if (value) return *value;
    errors.push_back({{"--grid"}, value.errors().front().text});
    return 0.0;
  };
  std::vector<double> grid;
  const std::size_t before = errors.size();
  if (text.find(':') != std::string::npos) {
    const auto parts = split_at(text, ':');
    if (parts.size() != 3) {
      errors.push_back({{"--grid"}, in_quotes(text) + " is not FROM:TO:COUNT"});
      return grid;
    }
    const double from = number(parts[0]), to = number(parts[1]), count = number(parts[2]);
    if (errors.size() > before) return grid;
    if (!(count >= 2 && count <= 100'000 && count == std::floor(count))) {
      errors.push_back({{"--grid"}, "the count must be a whole number from 2 to 100000"});
      return grid;
    }
    const int last = static_cast<int>(count) - 1;
    for (int i = 0; i <= last; ++i) grid.push_back(i == last ? to : from + (to - from) * i / last);
  } else {
    for (const std::string& part : split_at(text, ',')) grid.push_back(number(part));
  }
  if (errors.size() == before)
    for (const double c : grid)
      if (!(c >= 0 && c <= 1)) {
        errors.push_back({{"--grid"}, text_of(c) + " is outside 0..1"});
        break;
      }
  return grid;
}

std::vector<std::string> read_laws(const std::string& text, std::vector<Diagnostic>& errors) {
  if (text.empty() || text == "all") return {};
  const auto words = law_words();
  std::vector<std::string> laws = split_at(text, ',');
  for (const std::string& law : laws)
    if (std::ranges::find(words, law) == words.end())
      errors.push_back({{"--laws"}, "unknown law " + in_quotes(law) + did_you_mean(law, words)});
  return laws;
}

std::string as_json(const impact::RestitutionMap& map, const impact::MapRequest& request) {
  nlohmann::ordered_json j;
  j["calibration"] = request.common.calibration == Calibration::exact ? "exact" : "published";
  j["mass_kg"] = request.mass_kg;
  j["velocity_mps"] = request.velocity_mps;
  if (request.common.stiffness) j["stiffness"] = *request.common.stiffness;
  j["prescribed"] = map.grid;
  j["laws"] = nlohmann::ordered_json::array();
  for (const impact::MapCurve& curve : map.curves) {
    nlohmann::ordered_json row;
    row["law"] = curve.law;
    row["takes_restitution"] = curve.takes_restitution;
    row["delivered"] = nlohmann::ordered_json::array();
    for (const auto& e : curve.delivered) row["delivered"].push_back(e ? nlohmann::ordered_json(*e) : nullptr);
    if (!curve.refused.empty()) row["refused"] = curve.refused;
    j["laws"].push_back(std::move(row));
  }
  j["lacking"] = nlohmann::ordered_json::array();
  for (const impact::MapLack& lack : map.lacking)
    j["lacking"].push_back({{"law", lack.law}, {"lacks", lack.lacks}});
  return j.dump(2) + "\n";
}

std::string as_csv(const impact::RestitutionMap& map) {
  std::string csv = fmt::format("# percuss {} restitution map\nprescribed", version_number());
  for (const impact::MapCurve& curve : map.curves) csv += "," + curve.law;
  csv += "\n";
  for (std::size_t i = 0; i < map.grid.size(); ++i) {
    csv += fmt::format("{}", map.grid[i]);
    for (const impact::MapCurve& curve : map.curves)
      csv += curve.delivered[i] ? fmt::format(",{}", *curve.delivered[i]) : ",";
    csv += "\n";
  }
  return csv;
}

report::Figure diagonal(const impact::RestitutionMap& map) {
  report::Figure figure;
  figure.title = "Ask for a restitution: what does a law deliver?";
  figure.subtitle = "isolated collision; on the diagonal a law delivers what is asked";
  figure.square = true;
  figure.x = {"prescribed restitution", "", 0.0, 1.0};
  figure.y = {"delivered restitution", "", 0.0, 1.0};
  figure.curves.push_back({"prescribed = delivered", {0, 1}, {0, 1}, false, true});
  for (const impact::MapCurve& curve : map.curves) {
    report::Curve line{curve.law, map.grid, {}};
    for (const auto& e : curve.delivered) line.y.push_back(e.value_or(std::nan("")));
    figure.curves.push_back(std::move(line));
  }
  return figure;
}

std::string as_table(const impact::RestitutionMap& map, const impact::MapRequest& request,
                     const report::Style& style) {
  std::vector<std::size_t> shown;  // at most ten columns
  const std::size_t count = map.grid.size(), columns = count <= 12 ? count : 10;
  for (std::size_t k = 0; k < columns; ++k) shown.push_back(columns == 1 ? 0 : k * (count - 1) / (columns - 1));
  std::vector<std::string> head{"prescribed"};
  for (const std::size_t i : shown) head.push_back(fmt::format("{:.4g}", map.grid[i]));
  head.emplace_back("worst");
  report::TextTable table(head);
  for (const impact::MapCurve& curve : map.curves) {
    std::vector<std::string> row{curve.law};
    for (const std::size_t i : shown)
      row.push_back(curve.delivered[i] ? fmt::format("{:.4f}", *curve.delivered[i]) : "-");
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (curve.delivered[i]) worst = std::max(worst, std::abs(*curve.delivered[i] - map.grid[i]));
    row.push_back(curve.takes_restitution ? fmt::format("{:.4f}", worst) : "takes none");
    table.add(std::move(row));
  }
  std::string out = fmt::format("Delivered restitution of an isolated collision, m = {}, v0 = {}",
                                report::engineering(request.mass_kg * 1000, "g"),
                                report::engineering(request.velocity_mps, "m/s"));
  if (request.common.stiffness) out += fmt::format(", K = {:g} N/m^n", *request.common.stiffness);
  out += "\n\n" + table.text(style);
  if (columns < count) out += fmt::format("  {} of {} values shown; --csv and --json have all\n", columns, count);
  for (const impact::MapCurve& curve : map.curves)
    for (const std::string& why : curve.refused) out += fmt::format("  -: {}\n", why);
  out += "\n";
  if (map.grid.size() > 1) out += report::to_text(diagonal(map), 60, 24, report::terminal_takes_utf8());
  for (const impact::MapLack& lack : map.lacking) {
    out += fmt::format("  not drawn: {}", lack.law);
    for (const std::string& what : lack.lacks) out += "; " + what;
    out += "\n";
  }
  return report::fitted(out, style);
}

Reply run_map(const Arguments& arguments) {
  std::vector<Diagnostic> errors;
  impact::MapRequest request;
  request.laws = read_laws(arguments.text("laws"), errors);
  request.grid = read_grid(arguments.has("grid") ? arguments.text("grid") : "0.1:1:10", errors);
  Arguments completed = arguments;  // the restitution of most laws does not depend on these
  const bool has_materials = arguments.has("young-i") || arguments.has("poisson-i");
  const auto complete = [&](const char* name, const char* value) {
    if (!completed.has(name)) completed.given[name] = {value};
  };
  const ElasticRow* elastic = find_elastic(arguments.text("elastic"));
  if (!has_materials && (!elastic || elastic->from_stiffness)) complete("stiffness", "1e8");
  if (!arguments.has("mass-i") && !arguments.has("density-i")) complete("mass", "1");
  if (!arguments.has("velocity-i")) complete("velocity", "1");
  impact::Words words = words_of(completed, errors);
  if (request.laws.size() == 1) words.say("law", request.laws.front());
  const impact::Described in = impact::read_collision(words, errors);
  errors = as_options(errors);
  std::vector<std::string> outputs;
  for (const char* option : {"csv", "svg"})
    if (arguments.has(option)) outputs.push_back(arguments.text(option));
  const auto no = io::refusals(outputs, {}, arguments.has("force"));
  errors.insert(errors.end(), no.begin(), no.end());
  if (!errors.empty()) return refuse(errors);
  request.common = in.request;
  request.mass_kg = *in.mass_kg;
  request.velocity_mps = *in.velocity_mps;

  const impact::RestitutionMap map = impact::restitution_map(request);
  if (map.curves.empty()) {
    for (const impact::MapLack& lack : map.lacking)
      for (const std::string& what : lack.lacks)
        if (std::ranges::find(errors, what, &Diagnostic::text) == errors.end())
          errors.push_back({{lack.law}, what});
    return refuse(errors);
  }
  for (const auto& [option, content] : {std::pair{"csv", as_csv(map)}, std::pair{"svg", to_svg(diagonal(map))}})
    if (arguments.has(option))
      if (const auto failed = io::write_whole(arguments.text(option), content))
        return {1, "", one_line(*failed) + "\n"};
  if (arguments.has("json")) return {0, as_json(map, request), ""};
  Reply reply{0, as_table(map, request, terminal_style()), ""};
  for (const char* option : {"csv", "svg"})
    if (arguments.has(option)) reply.err += "wrote " + arguments.text(option) + "\n";
  return reply;
}

}  // namespace

constinit const Verb kMapVerb{"map",
                              "delivered against prescribed restitution, for any set of laws",
                              "  percuss map --laws all --grid 0.1:1:10\n"
                              "  percuss map --laws flores,hunt-crossley,exact --grid 0.05:1:96 --svg map.svg",
                              kMapOptions,
                              "",
                              "",
                              run_map};

}  // namespace percuss::cli
