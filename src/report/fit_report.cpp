// Parameters with intervals, the ranking of laws, residuals.
#include "percuss/report/fit_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "percuss/base/units.h"
#include "percuss/report/json.h"
#include "percuss/report/numbers.h"

namespace percuss::report {

using study::Fit;
using study::FittedLaw;
using study::FittedParameter;
using study::FittedTest;
using study::Identification;

namespace {

constexpr std::size_t kMostResiduals = 12;  // printed of a test

/// As many digits as the interval gives.
std::string value_text(const FittedParameter& p) {
  if (!p.determined()) return "not determined";
  const double width = std::abs(p.profile_high - p.profile_low);
  const int digits = width > 0 && p.value != 0
                         ? std::clamp(static_cast<int>(std::ceil(std::log10(std::abs(p.value) / width))) + 2, 2, 12)
                         : 6;
  return text_of(p.value, digits);
}
std::string bound_text(double value, bool open, bool below) {
  return open ? (below ? "open below" : "open above") : text_of(value, 5);
}

/// Without the rounding that tells equals apart.
double difference(double a, double b) { return std::abs(a - b) < 1e-6 ? 0 : a - b; }

std::string in_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " (" + unit + ")";
}

void add_law(const FittedLaw& law, double confidence, std::string& out, const Style& style) {
  TextTable table({"parameter", "value", "deviation", fmt::format("{:g} % by covariance", 100 * confidence),
                   fmt::format("{:g} % by profile", 100 * confidence)});
  for (const FittedParameter& p : law.parameters) {
    const bool known = p.determined();
    table.add({in_unit(p.name, p.unit), value_text(p), known ? text_of(p.deviation, 3) : "-",
               known ? fmt::format("{} .. {}", text_of(p.low, 5), text_of(p.high, 5)) : "-",
               !law.profiled ? std::string("-")
                             : fmt::format("{} .. {}", bound_text(p.profile_low, p.open_below, true),
                                           bound_text(p.profile_high, p.open_above, false))});
  }
  out += table.text(style);
  for (const std::string& note : law.notes) out += "  note: " + note + "\n";
}

}  // namespace

std::string fit_text(const Identification& id, const Fit& fit, const Style& style) {
  std::string out = id.title + "\n\n" + id.sentence + "\n\n";
  const double best = id.laws[id.ranking.front()].aic;
  TextTable ranking({"rank", "law", "AIC - best", "BIC - best", "parameters", "rms of residuals"}, 2);
  double best_bic = id.laws[id.ranking.front()].bic;
  for (const std::size_t i : id.ranking) best_bic = std::min(best_bic, id.laws[i].bic);
  int rank = 0;
  for (const std::size_t i : id.ranking) {
    const FittedLaw& law = id.laws[i];
    std::string rms;
    for (std::size_t t = 0; t < law.tests.size(); ++t)
      rms += (t == 0 ? "" : ", ") + fmt::format("{} {}{}", law.tests[t].name, text_of(law.tests[t].rms, 4),
                                                fit.tests[t].y_unit.empty() ? "" : " " + fit.tests[t].y_unit);
    ranking.add({std::to_string(++rank), law.law + (law.at_a_bound() ? " (at a bound)" : ""),
                 fmt::format("{:.2f}", difference(law.aic, best)),
                 fmt::format("{:.2f}", difference(law.bic, best_bic)), std::to_string(law.parameters.size()), rms});
  }
  out += ranking.text(style) + "\n";
  const FittedLaw& first = id.laws[id.ranking.front()];
  out += first.law + ", " + std::to_string(first.data) + " data:\n\n";
  add_law(first, id.confidence, out, style);
  for (std::size_t t = 0; t < first.tests.size(); ++t) {
    const FittedTest& test = first.tests[t];
    const study::DataSet& data = fit.tests[t];
    out += fmt::format("\n  {}: noise {} {}{}\n", test.name, text_of(test.sigma, 4), data.y_unit,
                       test.sigma_given ? " (given)" : " (estimated)");
    TextTable table({in_unit(data.x_label, data.x_unit), in_unit("measured " + data.y_label, data.y_unit), "fitted",
                     "residual"});
    const std::size_t shown = std::min(data.y.size(), kMostResiduals);
    for (std::size_t i = 0; i < shown; ++i)
      table.add(
          {text_of(data.x[i], 6), text_of(data.y[i], 6), text_of(test.model[i], 6), text_of(test.residual[i], 4)});
    out += table.text(style, "    ");
    if (shown < data.y.size()) out += fmt::format("    ... {} more\n", data.y.size() - shown);
  }
  std::string refused;
  for (const FittedLaw& law : id.laws)
    if (!law.fitted()) refused += "  " + law.law + ": " + law.refused.front() + "\n";
  if (!refused.empty()) out += "\nleft out:\n" + refused;
  return fitted(out, style);
}

std::string fit_json(const Identification& id, const Fit&) {
  Json out{{"title", id.title}, {"sentence", id.sentence}, {"confidence", id.confidence}, {"laws", Json::array()}};
  const auto one = [](const FittedLaw& law) {
    Json j{{"law", law.law}};
    if (!law.fitted()) {
      j["refused"] = law.refused;
      return j;
    }
    j["aic"] = json_number(law.aic);
    j["bic"] = json_number(law.bic);
    j["log_likelihood"] = json_number(law.log_likelihood);
    j["slopes"] = law.by_duals ? "dual numbers" : "differences";
    Json parameters = Json::array();
    for (const FittedParameter& p : law.parameters) {
      Json one_parameter{{"name", p.name},
                         {"unit", p.unit},
                         {"determined", p.determined()},
                         {"value", p.determined() ? json_number(p.value) : Json(nullptr)},
                         {"deviation", p.determined() ? json_number(p.deviation) : Json(nullptr)},
                         {"covariance_interval", {json_number(p.low), json_number(p.high)}},
                         {"profile_interval",
                          {p.open_below || !law.profiled ? Json(nullptr) : json_number(p.profile_low),
                           p.open_above || !law.profiled ? Json(nullptr) : json_number(p.profile_high)}}};
      parameters.push_back(std::move(one_parameter));
    }
    j["parameters"] = parameters;
    j["correlation"] = law.correlation;
    Json tests = Json::array();
    for (const FittedTest& t : law.tests)
      tests.push_back({{"name", t.name},
                       {"noise", t.sigma},
                       {"noise_given", t.sigma_given},
                       {"rms", t.rms},
                       {"residuals", t.residual}});
    j["tests"] = tests;
    j["notes"] = law.notes;
    return j;
  };
  for (const std::size_t i : id.ranking) out["laws"].push_back(one(id.laws[i]));
  for (const FittedLaw& law : id.laws)
    if (!law.fitted()) out["laws"].push_back(one(law));
  return out.dump(2) + "\n";
}

namespace {

class FitPage {
 public:
  FitPage(const Identification& id, const Fit& fit, const std::string& version)
      : id_(id), fit_(fit), version_(version) {}

  Page run() {
    page_.kind = "identify";
    page_.title = id_.title;
    page_.subtitle = fmt::format("{} data, {} laws, {}, percuss {}", fit_.data(), id_.ranking.size(),
                                 std::filesystem::path(id_.source).filename().string(), version_);
    const FittedLaw& best = id_.laws[id_.ranking.front()];
    page_.answer = id_.sentence;
    for (const FittedParameter& p : best.parameters)
      page_.answer += " " + p.name +
                      (p.determined() ? fmt::format(" = {}{} ({:g} %: {} to {})", value_text(p),
                                                    p.unit.empty() ? "" : " " + p.unit, 100 * id_.confidence,
                                                    bound_text(p.profile_low, p.open_below, true),
                                                    bound_text(p.profile_high, p.open_above, false))
                                      : " is not determined") +
                      ".";
    page_.warnings = best.notes;
    add_ranking();
    add_parameters();
    add_data();
    add_profiles(best);
    PageSection& s = page_.section("provenance", "Provenance");
    s.blocks.emplace_back(CodeBlock{"The fit", id_.text});
    return std::move(page_);
  }

 private:
  void add_ranking() {
    TableBlock t;
    t.id = "ranking";
    t.title = "Laws, the likeliest first";
    t.columns = {{"rank"},
                 {"law"},
                 {"AIC - best", "", "below 2: cannot be told apart; above 10: clearly worse"},
                 {"BIC - best"},
                 {"log likelihood"},
                 {"parameters"}};
    for (const FittedTest& test : id_.laws[id_.ranking.front()].tests) t.columns.push_back({"rms of " + test.name});
    const double best = id_.laws[id_.ranking.front()].aic;
    double best_bic = id_.laws[id_.ranking.front()].bic, rank = 0;
    for (const std::size_t i : id_.ranking) best_bic = std::min(best_bic, id_.laws[i].bic);
    for (const std::size_t i : id_.ranking) {
      const FittedLaw& law = id_.laws[i];
      std::vector<Cell> row{++rank,
                            law.law + (law.at_a_bound() ? " (at a bound)" : ""),
                            difference(law.aic, best),
                            difference(law.bic, best_bic),
                            law.log_likelihood,
                            static_cast<double>(law.parameters.size())};
      for (const FittedTest& test : law.tests) row.emplace_back(test.rms);
      t.rows.push_back(std::move(row));
    }
    PageSection& s = page_.section("ranking-section", "Laws");
    s.blocks.emplace_back(std::move(t));
    TableBlock out;
    out.id = "refused";
    out.title = "Could not be fitted";
    out.columns = {{"law"}, {"because"}};
    for (const FittedLaw& law : id_.laws)
      if (!law.fitted()) out.rows.push_back({law.law, law.refused.front()});
    if (!out.rows.empty()) s.blocks.emplace_back(std::move(out));
  }

  void add_parameters() {
    PageSection& s = page_.section("parameters", "Parameters");
    TableBlock t;
    t.id = "parameters-table";
    t.title = fmt::format("Values and {:g} % intervals", 100 * id_.confidence);
    t.columns = {{"law"}, {"parameter"},     {"value"}, {"deviation"}, {"covariance, from"},
                 {"to"},  {"profile, from"}, {"to"},    {"remark"}};
    for (const std::size_t i : id_.ranking)
      for (const FittedParameter& p : id_.laws[i].parameters) {
        const double none = std::nan("");
        t.rows.push_back({id_.laws[i].law, in_unit(p.name, p.unit), p.determined() ? p.value : none,
                          p.determined() ? p.deviation : none, p.determined() ? p.low : none,
                          p.determined() ? p.high : none,
                          p.open_below || !id_.laws[i].profiled ? none : p.profile_low,
                          p.open_above || !id_.laws[i].profiled ? none : p.profile_high,
                          std::string(!p.determined() ? "not determined by these data"
                                      : p.open_below  ? "bounded above alone"
                                      : p.open_above  ? "bounded below alone"
                                      : p.at_bound    ? "at its bound"
                                                      : "")});
      }
    s.blocks.emplace_back(std::move(t));
    const FittedLaw& best = id_.laws[id_.ranking.front()];
    if (best.parameters.size() < 2) return;
    TableBlock c;
    c.id = "correlation";
    c.title = "Correlation of the parameters of " + best.law;
    c.columns = {{""}};
    for (const FittedParameter& p : best.parameters) c.columns.push_back({p.name});
    for (std::size_t i = 0; i < best.parameters.size(); ++i) {
      std::vector<Cell> row{best.parameters[i].name};
      for (const double r : best.correlation[i]) row.emplace_back(r);
      c.rows.push_back(std::move(row));
    }
    s.blocks.emplace_back(std::move(c));
  }

  void add_data() {
    PageSection& s = page_.section("data", "Data and laws");
    constexpr std::size_t kMostLaws = 5;
    for (std::size_t t = 0; t < fit_.tests.size(); ++t) {
      const study::DataSet& test = fit_.tests[t];
      PlotBlock data, residuals;
      data.id = "data-" + test.name;
      data.title = test.name + ": data and fits";
      residuals.id = "residuals-" + test.name;
      residuals.title = test.name + ": residuals, fit less measured";
      data.x = residuals.x = {test.x_label, test.x_unit, {}, {}};
      data.y = {test.y_label, test.y_unit, {}, {}};
      residuals.y = {"residual", test.y_unit, {}, {}};
      const int x = page_.arrays.add(test.x);
      data.lines.push_back({"measured", x, page_.arrays.add(test.y), false, true, true});
      for (std::size_t k = 0; k < std::min(id_.ranking.size(), kMostLaws); ++k) {
        const FittedLaw& law = id_.laws[id_.ranking[k]];
        const FittedTest& f = law.tests[t];
        const bool has_curve = !f.curve_x.empty();
        const bool is_line = has_curve || test.x_label != "line";
        data.lines.push_back({law.law, has_curve ? page_.arrays.add(f.curve_x) : x,
                              page_.arrays.add(has_curve ? f.curve_y : f.model), false, false, !is_line});
        residuals.lines.push_back({law.law, x, page_.arrays.add(f.residual), false, false, true});
      }
      if (id_.ranking.size() > kMostLaws) data.note = fmt::format("The first {} laws of the ranking.", kMostLaws);
      s.blocks.emplace_back(std::move(data));
      s.blocks.emplace_back(std::move(residuals));
    }
  }

  void add_profiles(const FittedLaw& best) {
    PageSection& s = page_.section("profiles", "Profiles of the likelihood");
    for (const FittedParameter& p : best.parameters) {
      if (p.profile.size() < 3) continue;
      PlotBlock plot;
      plot.id = "profile-" + p.name;
      plot.title = p.name + " of " + best.law;
      plot.x = {p.name, p.unit, {}, {}};
      plot.y = {"rise of the sum of squares", "", {}, {}};
      std::vector<double> x, y;
      for (const auto& [value, rise] : p.profile)
        if (rise < 6 * best.threshold) x.push_back(value), y.push_back(rise);
      if (x.size() < 2) continue;
      plot.lines.push_back({"best fit with " + p.name + " held", page_.arrays.add(x), page_.arrays.add(y)});
      plot.lines.push_back({fmt::format("{:g} %", 100 * id_.confidence), page_.arrays.add({x.front(), x.back()}),
                            page_.arrays.add({best.threshold, best.threshold}), true, true});
      s.blocks.emplace_back(std::move(plot));
    }
    if (s.blocks.empty()) page_.sections.pop_back();
  }

  const Identification& id_;
  const Fit& fit_;
  const std::string& version_;
  Page page_;
};

}  // namespace

Page fit_page(const Identification& id, const Fit& fit, const std::string& version) {
  return FitPage(id, fit, version).run();
}

}  // namespace percuss::report
