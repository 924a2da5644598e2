// quantity | paper | ours | difference | within.
#include "percuss/report/reproduction_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "percuss/report/json.h"
#include "percuss/report/numbers.h"

namespace percuss::report {

using study::PaperRow;
using study::Reproduction;

namespace {

std::string share(double value, bool is_relative) {
  return is_relative ? fmt::format("{:+.3g} %", 100 * value) : fmt::format("{:+.2g}", value);
}

std::string allowed(const PaperRow& row) {
  return row.is_relative ? fmt::format("{:.3g} %", 100 * row.tolerance) : fmt::format("{:.2g}", row.tolerance);
}

/// What a page needs of a curve: long histories are thinned, loops are not.
std::pair<std::vector<double>, std::vector<double>> drawn(const study::PaperCurve& c) {
  constexpr std::size_t kMostOfACurve = 3000;
  if (c.x.size() <= kMostOfACurve || !std::ranges::is_sorted(c.x)) return {c.x, c.y};
  std::pair<std::vector<double>, std::vector<double>> out;
  for (const std::size_t i : thinned(c.x, {&c.y}, kMostOfACurve)) {
    out.first.push_back(c.x[i]);
    out.second.push_back(c.y[i]);
  }
  return out;
}

std::size_t outside(const Reproduction& paper) {
  return static_cast<std::size_t>(std::ranges::count_if(paper.rows, [](const PaperRow& r) { return !r.within(); }));
}

}  // namespace

std::string reproduction_text(const Reproduction& paper, const Style& style) {
  TextTable table({"paper", "ours", "difference", "allowed", "within", "quantity"});
  for (const PaperRow& r : paper.rows)
    table.add({fmt::format("{:.8g}", r.paper), fmt::format("{:.8g}", r.ours), share(r.difference(), r.is_relative),
               allowed(r), r.within() ? "yes" : "NO", r.quantity + " [" + r.source + "]"});
  std::string out = paper.key + ": " + paper.citation + "\n\n" + table.text(style) + "\n";
  for (const std::string& remark : paper.remarks) out += "  - " + wrapped(remark, style.width - 4, "    ") + "\n";
  return fitted(out, style);
}

std::string reproductions_json(const std::vector<Reproduction>& papers) {
  Json out{{"papers", Json::array()}};
  for (const Reproduction& p : papers) {
    Json rows = Json::array();
    for (const PaperRow& r : p.rows)
      rows.push_back({{"id", r.id},
                      {"quantity", r.quantity},
                      {"source", r.source},
                      {"paper", r.paper},
                      {"ours", r.ours},
                      {"difference", r.difference()},
                      {"tolerance", r.tolerance},
                      {"relative", r.is_relative},
                      {"within", r.within()}});
    out["papers"].push_back({{"paper", p.key},
                             {"citation", p.citation},
                             {"within", p.within()},
                             {"rows", rows},
                             {"remarks", p.remarks}});
  }
  return out.dump(2) + "\n";
}

Page reproduction_page(const std::vector<Reproduction>& papers, const std::string& version) {
  Page page;
  page.kind = "reproduce";
  page.title = papers.size() == 1 ? papers.front().key + ", ours against theirs" : "Papers, ours against theirs";
  page.subtitle = "percuss " + version;
  std::size_t rows = 0, out = 0;
  for (const Reproduction& p : papers) rows += p.rows.size(), out += outside(p);
  page.answer = fmt::format("{} number{} of {} paper{}: {} within the stated tolerance. ", rows,
                            rows == 1 ? "" : "s", papers.size(), papers.size() == 1 ? "" : "s",
                            out == 0 ? std::string("all") : fmt::format("{} (and {} not)", rows - out, out));
  page.answer += "Curves of the papers are not available as data: figures show ours, with stated numbers as marks.";
  for (const Reproduction& p : papers) {
    PageSection section{p.key, p.key, {TextBlock{p.citation}}};
    TableBlock table;
    table.id = p.key + "-rows";
    table.title = "Numbers";
    table.columns = {{"quantity"}, {"source"}, {"paper"}, {"ours"}, {"difference"}, {"allowed"}, {"within"}};
    for (const PaperRow& r : p.rows)
      table.rows.push_back({r.quantity, r.source, r.paper, r.ours, share(r.difference(), r.is_relative), allowed(r),
                            std::string(r.within() ? "yes" : "NO")});
    section.blocks.emplace_back(std::move(table));
    for (const std::string& remark : p.remarks) section.blocks.emplace_back(TextBlock{remark});
    for (const study::PaperTable& t : p.tables) {
      TableBlock block;
      block.id = p.key + "-" + t.id;
      block.title = t.title;
      block.note = t.note;
      for (const std::string& c : t.columns) block.columns.push_back({c});
      for (const auto& r : t.rows) block.rows.emplace_back(r.begin(), r.end());
      section.blocks.emplace_back(std::move(block));
    }
    for (const study::PaperFigure& f : p.figures) {
      PlotBlock plot;
      plot.id = p.key + "-" + f.id;
      plot.title = f.title;
      plot.x = {f.x_label, f.x_unit, {}, {}};
      plot.y = {f.y_label, f.y_unit, {}, {}};
      plot.note = f.note;
      for (const study::PaperCurve& c : f.curves) {
        const auto [x, y] = drawn(c);
        plot.lines.push_back({c.name, page.arrays.add(x), page.arrays.add(y), c.dashed, c.muted, c.marks});
      }
      section.blocks.emplace_back(std::move(plot));
    }
    page.sections.push_back(std::move(section));
  }
  return page;
}

}  // namespace percuss::report
