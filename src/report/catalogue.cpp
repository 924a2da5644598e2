// Rows for people and programs.
#include "percuss/report/catalogue.h"

#include <fmt/format.h>

#include "percuss/contact/rows.h"
#include "percuss/impact/map.h"
#include "percuss/report/json.h"
#include "percuss/report/numbers.h"

namespace percuss::report {

using namespace contact;

namespace {

std::string need_of_restitution(const DissipationRow& row) {
  switch (row.restitution) {
    case RestitutionUse::needed: return row.parameters.empty() ? "restitution" : "restitution and its constants";
    case RestitutionUse::instead_of_parameters: return "restitution, or its constants";
    case RestitutionUse::none: break;
  }
  return row.parameters.empty() ? "nothing" : "its constants";
}

std::string release_text(const DissipationRow& row) {
  if (row.family != Family::added) return "zero force (it never pulls)";
  const bool pulls = row.release == Release::zero_indentation;
  return pulls ? "zero indentation (it pulls before); --release zero-force ends it where its force does"
               : "zero force; --release zero-indentation follows it to zero indentation";
}

std::string jump_text(const DissipationRow& row) {
  switch (row.jump) {
    case Jump::at_touch: return "the force jumps at touch";
    case Jump::at_turn: return "the force jumps at maximum compression";
    case Jump::none: break;
  }
  return "continuous";
}

std::string elastic_text(const DissipationRow& row) {
  if (row.fixed_exponent > 0) return fmt::format("n = {:g} alone", row.fixed_exponent);
  return row.needs_power_law ? "any power law" : "any";
}

std::string accurate_text(const DissipationRow& row) {
  std::string out;
  for (const auto& [from, to] : impact::accurate_ranges(row))
    out += fmt::format("{}{:.2f}..{:.2f}", out.empty() ? "" : ", ", from, to);
  return out.empty() ? "nowhere" : out;
}

/// Names and values of a row, in the order in which people ask for them.
std::vector<std::pair<std::string, std::string>> facts(const DissipationRow& row) {
  std::vector<std::pair<std::string, std::string>> list = {{"source", std::string(row.source)},
                                                           {"law", std::string(row.formula)},
                                                           {"family", std::string(name_of(row.family))},
                                                           {"elastic law", elastic_text(row)},
                                                           {"needs", need_of_restitution(row)}};
  for (const Parameter& p : row.parameters)
    list.emplace_back("constant", fmt::format("{} [{}]: {}", p.name, unit_of(p.dimension), p.meaning));
  if (row.restitution != RestitutionUse::none) list.emplace_back("delivers within 0.02", accurate_text(row));
  list.emplace_back("claimed for", std::string(row.claimed));
  list.emplace_back("contact ends at", release_text(row));
  list.emplace_back("force", jump_text(row));
  if (!row.corrected.empty()) list.emplace_back("corrected", std::string(row.corrected));
  if (!row.unconfirmed.empty()) list.emplace_back("not confirmed", std::string(row.unconfirmed));
  if (!row.weakness.empty()) list.emplace_back("weakness", std::string(row.weakness));
  for (const Alias& alias : aliases())
    if (alias.key == row.key) list.emplace_back("also known as", fmt::format("{} ({})", alias.name, alias.reason));
  return list;
}

std::vector<std::pair<std::string, std::string>> facts(const ElasticRow& row) {
  std::vector<std::pair<std::string, std::string>> list = {{"source", std::string(row.source)},
                                                           {"law", std::string(row.formula)}};
  std::string needs =
      row.from_stiffness
          ? fmt::format("a stiffness{}", row.exponent > 0 ? " in " + unit_of(dimension::stiffness(row.exponent))
                                                          : " in N/m^n and the exponent n")
          : "";
  if (row.from_materials)
    needs += std::string(needs.empty() ? "" : ", or ") + "Young's moduli, Poisson's ratios and radii" +
             (row.line_contact ? ", and the length" : "");
  list.emplace_back("needs", needs);
  if (!row.corrected.empty()) list.emplace_back("corrected", std::string(row.corrected));
  if (!row.weakness.empty()) list.emplace_back("weakness", std::string(row.weakness));
  return list;
}

Json as_json(const DissipationRow& row) {
  Json j;
  j["key"] = row.key;
  j["title"] = row.title;
  j["kind"] = "dissipation";
  j["family"] = name_of(row.family);
  j["source"] = row.source;
  j["formula"] = row.formula;
  j["needs"] = Json::array();
  if (row.restitution == RestitutionUse::needed)
    j["needs"].push_back({{"name", "restitution"}, {"unit", "1"}, {"required", true}});
  if (row.restitution == RestitutionUse::instead_of_parameters)
    j["needs"].push_back(
        {{"name", "restitution"}, {"unit", "1"}, {"required", false}, {"instead_of", row.parameters.front().name}});
  for (const Parameter& p : row.parameters)
    j["needs"].push_back({{"name", p.name},
                          {"unit", unit_of(p.dimension)},
                          {"required", row.restitution != RestitutionUse::instead_of_parameters},
                          {"parameter", true},
                          {"meaning", p.meaning}});
  j["takes_restitution"] = row.restitution != RestitutionUse::none;
  j["fixed_exponent"] = row.fixed_exponent > 0 ? Json(row.fixed_exponent) : Json(nullptr);
  j["release"] = row.release == Release::zero_indentation ? "zero-indentation" : "zero-force";
  j["pulls"] = row.release == Release::zero_indentation;
  j["continuous"] = row.jump == Jump::none;
  j["elastic_at_one"] = row.elastic_at_one;
  j["claimed"] = row.claimed;
  j["accurate_ranges"] = impact::accurate_ranges(row);
  j["corrected"] = row.corrected;
  j["source_confirmed"] = row.unconfirmed.empty();
  j["unconfirmed"] = row.unconfirmed;
  j["weakness"] = row.weakness;
  j["aliases"] = Json::array();
  for (const Alias& alias : aliases())
    if (alias.key == row.key) j["aliases"].push_back(alias.name);
  return j;
}

Json as_json(const ElasticRow& row) {
  Json j;
  j["key"] = row.key;
  j["title"] = row.title;
  j["kind"] = "elastic";
  j["source"] = row.source;
  j["formula"] = row.formula;
  j["exponent"] = row.exponent > 0 ? Json(row.exponent) : Json(nullptr);
  j["from_stiffness"] = row.from_stiffness;
  j["from_materials"] = row.from_materials;
  j["line_contact"] = row.line_contact;
  j["corrected"] = row.corrected;
  j["weakness"] = row.weakness;
  return j;
}

/// Calls `use` with the row of a key, of either table; an alias stands for its row.
template <class Use>
std::string with_row(std::string_view key, Use&& use) {
  if (const Alias* alias = find_alias(key)) key = alias->key;
  if (const DissipationRow* row = find_dissipation(key)) return use(*row);
  return use(*find_elastic(key));
}

template <class Row>
std::string row_markdown(const Row& row) {
  std::string out = fmt::format("### `{}`\n\n{}\n\n| | |\n|---|---|\n", row.key, row.title);
  for (auto [name, value] : facts(row)) {
    for (std::size_t at = 0; (at = value.find('|', at)) != std::string::npos; at += 2) value.insert(at, "\\");
    out += fmt::format("| {} | {} |\n", name, value);
  }
  return out + "\n";
}

}  // namespace

std::string law_text(std::string_view key, const Style& style) {
  std::string out;
  if (const Alias* alias = find_alias(key)) out = fmt::format("{} is {}: {}\n\n", key, alias->key, alias->reason);
  return fitted(out, style) + with_row(key, [&style](const auto& row) {
           std::string text = fitted(fmt::format("{}  {}\n\n", row.key, row.title), style);
           for (const auto& [name, value] : facts(row))
             text += fmt::format("  {:<21} {}\n", name, wrapped(value, style.width - 24, std::string(24, ' ')));
           return text;
         });
}

std::string law_json(std::string_view key) {
  return with_row(key, [](const auto& row) { return as_json(row).dump(2) + "\n"; });
}

std::string law_markdown(std::string_view key) {
  return with_row(key, [](const auto& row) { return row_markdown(row); });
}

std::string catalogue_text(const Style& style) {
  TextTable dissipation({"law", "family", "needs", "title"});
  for (const DissipationRow& row : dissipation_rows())
    dissipation.add(
        {std::string(row.key), std::string(name_of(row.family)), need_of_restitution(row), std::string(row.title)});
  TextTable elastic({"elastic law", "title"});
  for (const ElasticRow& row : elastic_rows()) elastic.add({std::string(row.key), std::string(row.title)});
  std::string out = dissipation.text(style) + "\n" + elastic.text(style) + "\n  aliases:";
  for (const Alias& alias : aliases()) out += fmt::format(" {} ({})", alias.name, alias.key);
  return fitted(out + "\n\n  percuss laws KEY shows one of them in full.\n", style);
}

std::string catalogue_json() {
  Json j;
  j["dissipation"] = Json::array();
  for (const DissipationRow& row : dissipation_rows()) j["dissipation"].push_back(as_json(row));
  j["elastic"] = Json::array();
  for (const ElasticRow& row : elastic_rows()) j["elastic"].push_back(as_json(row));
  j["aliases"] = Json::array();
  for (const Alias& alias : aliases())
    j["aliases"].push_back({{"name", alias.name}, {"key", alias.key}, {"reason", alias.reason}});
  return j.dump(2) + "\n";
}

std::string catalogue_markdown() {
  std::string out =
      "# Contact laws\n\n"
      "Made by `percuss laws --markdown` from the tables in `src/contact`; a test compares the two. x is the "
      "indentation "
      "(positive: the surfaces overlap), x' its rate (positive: approaching), v0 the rate at first touch, c the "
      "prescribed "
      "restitution, m the "
      "effective mass, f(x) the elastic law. \"Delivers within 0.02\" is computed: where the delivered restitution "
      "of an isolated "
      "collision is within 0.02 of the prescribed one, with the published calibration.\n\n## Dissipation\n\n";
  for (const DissipationRow& row : dissipation_rows()) out += row_markdown(row);
  out += "## Elastic laws\n\n";
  for (const ElasticRow& row : elastic_rows()) out += row_markdown(row);
  out.pop_back();
  return out;
}

}  // namespace percuss::report
