// Figures as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "percuss/report/figure.h"

namespace percuss::report {

namespace {

constexpr std::array<std::string_view, 8> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                      "#E69F00", "#56B4E9", "#7B3294", "#000000"};
constexpr std::array<std::string_view, 4> kDashes = {"", "7 4", "2 3", "9 3 2 3"};

constexpr double kTop = 62, kLeft = 74, kBottom = 62, kPlotHeight = 380, kPlotWidth = 520, kLegendLine = 19;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string axis_title(const Axis& axis) {
  return escaped(axis.label) + (axis.unit.empty() ? "" : " [" + escaped(axis.unit) + "]");
}

struct Layout {
  Frame frame;
  double width, height;  // of the plot area
  double x(double v) const { return kLeft + (v - frame.x.from) / (frame.x.to - frame.x.from) * width; }
  double y(double v) const { return kTop + height - (v - frame.y.from) / (frame.y.to - frame.y.from) * height; }
};

std::string style_of(const Curve& curve, std::size_t index) {
  if (curve.muted) return "stroke=\"#8a8a8a\" stroke-width=\"1.2\" stroke-dasharray=\"4 4\"";
  const std::string_view dash = curve.dashed ? kDashes[1] : kDashes[index / kColours.size() % kDashes.size()];
  return fmt::format("stroke=\"{}\" stroke-width=\"2\"{}", kColours[index % kColours.size()],
                     dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

std::string path_of(const Curve& curve, const Layout& at) {
  std::string d;
  bool pen_down = false;
  for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
    if (!std::isfinite(curve.x[i]) || !std::isfinite(curve.y[i])) {
      pen_down = false;
      continue;
    }
    d += fmt::format("{}{:.2f} {:.2f}", pen_down ? "L" : "M", at.x(curve.x[i]), at.y(curve.y[i]));
    pen_down = true;
  }
  return d;
}

std::string grid(const Figure& figure, const Layout& at) {
  std::string out;
  const double bottom = kTop + at.height, right = kLeft + at.width;
  for (const double v : at.frame.x.at) {
    out += fmt::format(
        "<path d=\"M{0:.2f} {1}V{2}\" class=\"grid\"/><text x=\"{0:.2f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        at.x(v), kTop, bottom, bottom + 18, tick_label(v, at.frame.x.decimals));
  }
  for (const double v : at.frame.y.at) {
    out += fmt::format(
        "<path d=\"M{1} {0:.2f}H{2}\" class=\"grid\"/><text x=\"{3}\" y=\"{4:.2f}\" "
        "text-anchor=\"end\">{5}</text>\n",
        at.y(v), kLeft, right, kLeft - 8, at.y(v) + 4, tick_label(v, at.frame.y.decimals));
  }
  if (at.frame.y.from < 0 && at.frame.y.to > 0)
    out += fmt::format("<path d=\"M{} {:.2f}H{}\" stroke=\"#888\"/>\n", kLeft, at.y(0), right);
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n", kLeft,
                     kTop, at.width, at.height);
  out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" class=\"axis\">{}</text>\n",
                     kLeft + at.width / 2, bottom + 42, axis_title(figure.x));
  out += fmt::format(
      "<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\" class=\"axis\">{}</text>\n",
      kTop + at.height / 2, axis_title(figure.y));
  return out;
}

}  // namespace

std::string to_svg(const Figure& figure) {
  const Layout at{frame_of(figure, 8, 7), figure.square ? 480.0 : kPlotWidth, figure.square ? 480.0 : kPlotHeight};
  std::size_t longest = 0;
  for (const Curve& curve : figure.curves) longest = std::max(longest, curve.name.size());
  const double legend_width = longest == 0 ? 0 : 60 + 7.2 * static_cast<double>(longest);
  const double width = kLeft + at.width + 24 + legend_width;
  const double legend_height = kTop + kLegendLine * static_cast<double>(figure.curves.size()) + 10;
  const double height = std::max(kTop + at.height + kBottom, legend_height);

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" "
      "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<!-- made by percuss -->\n"
      "<style>.grid{{stroke:#e2e2e2;fill:none}}.axis{{font-size:13px}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      width, height);
  svg += fmt::format("<text x=\"{}\" y=\"26\" font-size=\"16\" font-weight=\"bold\">{}</text>\n", kLeft,
                     escaped(figure.title));
  svg += fmt::format("<text x=\"{}\" y=\"46\" fill=\"#555\">{}</text>\n", kLeft, escaped(figure.subtitle));
  svg += grid(figure, at);
  svg += fmt::format(
      "<clipPath id=\"area\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n<g "
      "clip-path=\"url(#area)\" fill=\"none\" stroke-linejoin=\"round\">\n",
      kLeft, kTop, at.width, at.height);
  std::size_t colour = 0;
  std::vector<std::string> styles;
  for (const Curve& curve : figure.curves) {
    styles.push_back(style_of(curve, colour));
    if (!curve.muted) ++colour;
    svg += fmt::format("<path d=\"{}\" {}/>\n", path_of(curve, at), styles.back());
  }
  svg += "</g>\n";
  double y = kTop + 8;
  for (std::size_t i = 0; i < figure.curves.size(); ++i) {
    if (figure.curves[i].name.empty()) continue;
    const double x = kLeft + at.width + 20;
    svg += fmt::format("<path d=\"M{} {}h30\" fill=\"none\" {}/><text x=\"{}\" y=\"{}\">{}</text>\n", x, y,
                       styles[i], x + 38, y + 4, escaped(figure.curves[i].name));
    y += kLegendLine;
  }
  return svg + "</svg>\n";
}

}  // namespace percuss::report
