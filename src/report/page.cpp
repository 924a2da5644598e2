// Data into the template.
#include "percuss/report/page.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "percuss/report/json.h"
#include "percuss/report/page_template.h"

namespace percuss::report {

namespace {

/// Doubles, little-endian, in base64.
std::string encoded(const std::vector<double>& values) {
  static_assert(std::endian::native == std::endian::little);
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t size = values.size() * sizeof(double);
  std::vector<unsigned char> bytes(size + 2, 0);
  if (size > 0) std::memcpy(bytes.data(), values.data(), size);
  std::string out;
  out.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const unsigned three = static_cast<unsigned>(bytes[i]) << 16 | static_cast<unsigned>(bytes[i + 1]) << 8 |
                           static_cast<unsigned>(bytes[i + 2]);
    out += kDigits[three >> 18 & 63];
    out += kDigits[three >> 12 & 63];
    out += i + 1 < size ? kDigits[three >> 6 & 63] : '=';
    out += i + 2 < size ? kDigits[three & 63] : '=';
  }
  return out;
}

Json axis(const Axis& a) {
  Json out{{"label", a.label}, {"unit", a.unit}};
  if (a.log) out["log"] = true;
  return out;
}

Json json_of(const PlotBlock& b) {
  Json lines = Json::array();
  for (const PlotBlock::Line& l : b.lines) {
    Json line{{"name", l.name}, {"x", l.x}, {"y", l.y}};
    if (l.dashed) line["dashed"] = true;
    if (l.muted) line["muted"] = true;
    if (l.marks) line["marks"] = true;
    lines.push_back(std::move(line));
  }
  Json out{{"kind", "plot"}, {"id", b.id},     {"title", b.title},
           {"x", axis(b.x)}, {"y", axis(b.y)}, {"curves", lines}};
  if (b.over_time) out["time"] = true;
  if (b.stacked) out["stacked"] = true;
  if (!b.note.empty()) out["note"] = b.note;
  return out;
}

Json json_of(const TableBlock& b) {
  Json columns = Json::array(), rows = Json::array();
  for (const TableBlock::Column& c : b.columns) {
    Json column{{"name", c.name}};
    if (!c.unit.empty()) column["unit"] = c.unit;
    if (!c.hint.empty()) column["hint"] = c.hint;
    columns.push_back(std::move(column));
  }
  for (const std::vector<Cell>& r : b.rows) {
    Json row = Json::array();
    for (const Cell& cell : r) {
      if (const auto* text = std::get_if<std::string>(&cell))
        row.push_back(*text);
      else if (const auto* number = std::get_if<double>(&cell); number && std::isfinite(*number))
        row.push_back(*number);
      else
        row.push_back(nullptr);
    }
    rows.push_back(std::move(row));
  }
  Json out{{"kind", "table"}, {"id", b.id}, {"title", b.title}, {"columns", columns}, {"rows", rows}};
  if (b.time_column) out["time"] = *b.time_column;
  if (!b.note.empty()) out["note"] = b.note;
  return out;
}

Json json_of(const BarsBlock& b) {
  Json bars = Json::array();
  for (const BarsBlock::Bar& bar : b.bars) {
    Json one{{"name", bar.name}, {"value", bar.value}};
    if (!bar.note.empty()) one["note"] = bar.note;
    bars.push_back(std::move(one));
  }
  return {{"kind", "bars"}, {"id", b.id}, {"title", b.title}, {"unit", b.unit}, {"bars", bars}};
}

Json json_of(const MapBlock& b) {
  Json out{{"kind", "map"},
           {"id", b.id},
           {"title", b.title},
           {"x", {{"label", b.x.label}, {"unit", b.x.unit}}},
           {"y", {{"label", b.y.label}, {"unit", b.y.unit}}},
           {"xs", b.xs},
           {"ys", b.ys},
           {"values", b.values},
           {"label", b.label}};
  if (!b.note.empty()) out["note"] = b.note;
  return out;
}

Json json_of(const ParallelBlock& b) {
  Json columns = Json::array();
  for (const ParallelBlock::Column& c : b.columns)
    columns.push_back({{"name", c.name}, {"values", c.values}, {"words", c.words}});
  return {{"kind", "parallel"}, {"id", b.id}, {"title", b.title}, {"columns", columns}, {"note", b.note}};
}

Json json_of(const TextBlock& b) { return {{"kind", "text"}, {"text", b.text}}; }

Json json_of(const CodeBlock& b) { return {{"kind", "code"}, {"title", b.title}, {"text", b.text}}; }

Json json_of(const ReplayBlock& b) {
  Json out = Json::parse(b.picture);
  out["kind"] = "replay";
  out["id"] = b.id;
  out["time"] = b.time;
  for (Json& body : out["bodies"]) {
    body["motion"] = Json::array();
    for (const ReplayBlock::Body& moving : b.bodies)
      if (body["name"] == moving.name) body["motion"] = moving.motion;
  }
  Json contacts = Json::array(), impacts = Json::array();
  for (const ReplayBlock::Contact& c : b.contacts)
    contacts.push_back({{"name", c.name}, {"point", c.point}, {"force", c.force}});
  for (const ReplayBlock::Hit& h : b.impacts)
    impacts.push_back({{"time", h.from_s}, {"end", h.to_s}, {"label", h.label}});
  out["contacts"] = contacts;
  out["impacts"] = impacts;
  if (b.parts.empty()) return out;
  out["parts"] = Json::array();
  for (const ReplayBlock::Hit& p : b.parts)
    out["parts"].push_back({{"time", p.from_s}, {"end", p.to_s}, {"label", p.label}});
  return out;
}

}  // namespace

int Arrays::add(std::vector<double> values) {
  arrays_.push_back(std::move(values));
  return static_cast<int>(arrays_.size()) - 1;
}

std::string page_html(const Page& page) {
  Json sections = Json::array();
  for (const PageSection& s : page.sections) {
    Json blocks = Json::array();
    for (const Block& block : s.blocks)
      blocks.push_back(std::visit([](const auto& b) { return json_of(b); }, block));
    sections.push_back({{"id", s.id}, {"title", s.title}, {"blocks", blocks}});
  }
  Json document{
      {"format", 1},           {"kind", page.kind},         {"title", page.title}, {"subtitle", page.subtitle},
      {"answer", page.answer}, {"warnings", page.warnings}, {"sections", sections}};
  Json arrays = Json::array();
  for (const std::vector<double>& a : page.arrays.all()) arrays.push_back(encoded(a));
  document["arrays"] = std::move(arrays);
  // in JSON "<" only stands in texts: written as an escape it cannot end the script that holds it
  std::string data;
  for (const char c : document.dump(-1, ' ', false, Json::error_handler_t::replace))
    if (c == '<')
      data += "\\u003c";
    else
      data += c;
  constexpr std::string_view kPlace = "/*DOCUMENT*/";
  std::string html(page_template());
  html.replace(html.find(kPlace), kPlace.size(), data);
  return html;
}

Figure figure_of(const PlotBlock& plot, const Arrays& arrays) {
  Figure out;
  out.title = plot.title;
  out.x = plot.x;
  out.y = plot.y;
  out.stacked = plot.stacked;
  std::vector<double> below;
  for (const PlotBlock::Line& l : plot.lines) {
    Curve curve{l.name, arrays.at(l.x), arrays.at(l.y), l.dashed, l.muted, l.marks};
    if (plot.stacked) {
      below.resize(curve.y.size(), 0.0);
      for (std::size_t i = 0; i < curve.y.size(); ++i) curve.y[i] = below[i] += curve.y[i];
    }
    out.curves.push_back(std::move(curve));
  }
  return out;
}

ColourMap colour_map_of(const MapBlock& map, const Arrays& arrays) {
  return {map.title, map.x, map.y, arrays.at(map.xs), arrays.at(map.ys), arrays.at(map.values), map.label};
}

std::vector<std::size_t> thinned(const std::vector<double>& time,
                                 const std::vector<const std::vector<double>*>& series, std::size_t most) {
  const std::size_t rows = time.size();
  std::vector<std::size_t> keep;
  if (rows <= most) {
    for (std::size_t i = 0; i < rows; ++i) keep.push_back(i);
    return keep;
  }
  const std::size_t half = std::max<std::size_t>(most / (2 * (2 * series.size() + 1)), 1);
  std::vector<std::size_t> borders{0, rows};
  for (std::size_t k = 1; k < half; ++k) {
    const double part = static_cast<double>(k) / static_cast<double>(half);
    const double moment = time.front() + part * (time.back() - time.front());
    borders.push_back(rows * k / half);
    borders.push_back(static_cast<std::size_t>(std::ranges::lower_bound(time, moment) - time.begin()));
  }
  std::ranges::sort(borders);
  for (std::size_t k = 0; k + 1 < borders.size(); ++k) {
    const std::size_t from = borders[k], to = borders[k + 1];
    if (from == to) continue;
    keep.push_back(from);
    for (const std::vector<double>* s : series) {
      std::size_t low = from, high = from;
      for (std::size_t i = from; i < to; ++i) {
        if ((*s)[i] < (*s)[low] || std::isnan((*s)[low])) low = i;
        if ((*s)[i] > (*s)[high] || std::isnan((*s)[high])) high = i;
      }
      keep.push_back(low);
      keep.push_back(high);
    }
  }
  keep.push_back(rows - 1);
  std::ranges::sort(keep);
  keep.erase(std::unique(keep.begin(), keep.end()), keep.end());
  return keep;
}

}  // namespace percuss::report
