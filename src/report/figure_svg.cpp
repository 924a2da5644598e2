// Figures as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

std::string head_of(const std::string& title, const std::string& subtitle, double width, double height) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
             "height=\"{1:.0f}\" "
             "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<!-- made by percuss -->\n"
             "<style>.grid{{stroke:#e2e2e2;fill:none}}.axis{{font-size:13px}}</style>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
             width, height) +
         fmt::format("<text x=\"{}\" y=\"26\" font-size=\"16\" font-weight=\"bold\">{}</text>\n", kLeft,
                     escaped(title)) +
         fmt::format("<text x=\"{}\" y=\"46\" fill=\"#555\">{}</text>\n", kLeft, escaped(subtitle));
}

std::string axis_title(const Axis& axis) {
  return escaped(axis.label) + (axis.unit.empty() ? "" : " [" + escaped(axis.unit) + "]");
}

std::string axis_titles(const Axis& x, const Axis& y, double width, double height) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" class=\"axis\">{}</text>\n", kLeft + width / 2,
                     kTop + height + 42, axis_title(x)) +
         fmt::format(
             "<text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\" class=\"axis\">{}</text>\n",
             kTop + height / 2, axis_title(y));
}

struct Layout {
  Frame frame;
  double width, height;  // of the plot area
  double x(double v) const { return kLeft + frame.x.share(v) * width; }
  double y(double v) const { return kTop + height - frame.y.share(v) * height; }
};

std::string style_of(const Curve& curve, std::size_t index) {
  if (curve.muted)
    return std::string("stroke=\"#8a8a8a\" stroke-width=\"1.2\"") +
           (curve.marks ? "" : " stroke-dasharray=\"4 4\"");
  const std::string_view dash = curve.marks    ? kDashes[0]
                                : curve.dashed ? kDashes[1]
                                               : kDashes[index / kColours.size() % kDashes.size()];
  return fmt::format("stroke=\"{}\" stroke-width=\"2\"{}", kColours[index % kColours.size()],
                     dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

/// Rings and crosses in turn: two sets of points are told apart where they coincide.
std::string mark_at(double x, double y, std::size_t kind) {
  if (kind % 2 == 0) return fmt::format("M{:.2f} {:.2f}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", x - 4, y);
  return fmt::format("M{:.2f} {:.2f}l7 7m-7 0l7 -7", x - 3.5, y - 3.5);
}

std::string path_of(const Curve& curve, const Layout& at, std::size_t kind_of_marks) {
  std::string d;
  if (curve.marks) {
    for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i)
      if (std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]))
        d += mark_at(at.x(curve.x[i]), at.y(curve.y[i]), kind_of_marks);
    return d;
  }
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

/// The area between a curve and the one before, or zero.
std::string band_of(const std::vector<Curve>& curves, std::size_t i, const Layout& at) {
  const Curve& top = curves[i];
  std::string d;
  for (std::size_t k = 0; k < top.x.size(); ++k)
    d += fmt::format("{}{:.2f} {:.2f}", k == 0 ? "M" : "L", at.x(top.x[k]), at.y(top.y[k]));
  for (std::size_t k = top.x.size(); k-- > 0;)
    d += fmt::format("L{:.2f} {:.2f}", at.x(top.x[k]), at.y(i == 0 ? 0 : curves[i - 1].y[k]));
  return d.empty() ? ""
                   : fmt::format("<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"0.5\"/>\n", d,
                                 kColours[i % kColours.size()]);
}

std::string grid(const Figure& figure, const Layout& at) {
  std::string out;
  const double bottom = kTop + at.height, right = kLeft + at.width;
  for (const double v : at.frame.x.at) {
    out += fmt::format(
        "<path d=\"M{0:.2f} {1}V{2}\" class=\"grid\"/><text x=\"{0:.2f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        at.x(v), kTop, bottom, bottom + 18, at.frame.x.label(v));
  }
  for (const double v : at.frame.y.at) {
    out += fmt::format(
        "<path d=\"M{1} {0:.2f}H{2}\" class=\"grid\"/><text x=\"{3}\" y=\"{4:.2f}\" "
        "text-anchor=\"end\">{5}</text>\n",
        at.y(v), kLeft, right, kLeft - 8, at.y(v) + 4, at.frame.y.label(v));
  }
  if (!at.frame.y.log && at.frame.y.from < 0 && at.frame.y.to > 0)
    out += fmt::format("<path d=\"M{} {:.2f}H{}\" stroke=\"#888\"/>\n", kLeft, at.y(0), right);
  out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n", kLeft,
                     kTop, at.width, at.height);
  return out + axis_titles(figure.x, figure.y, at.width, at.height);
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

  std::string svg = head_of(figure.title, figure.subtitle, width, height);
  svg += grid(figure, at);
  svg += fmt::format(
      "<clipPath id=\"area\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n<g "
      "clip-path=\"url(#area)\" fill=\"none\" stroke-linejoin=\"round\">\n",
      kLeft, kTop, at.width, at.height);
  std::size_t colour = 0, sets_of_marks = 0;
  std::vector<std::string> styles, keys;  // keys: what the legend shows
  for (std::size_t i = 0; i < figure.curves.size(); ++i) {
    const Curve& curve = figure.curves[i];
    if (figure.stacked) svg += band_of(figure.curves, i, at);
    styles.push_back(style_of(curve, colour));
    keys.push_back(curve.marks ? mark_at(15, 0, sets_of_marks) : "M0 0h30");
    svg += fmt::format("<path d=\"{}\" {}/>\n", path_of(curve, at, sets_of_marks), styles.back());
    if (!curve.muted) ++colour;
    if (curve.marks) ++sets_of_marks;
  }
  svg += "</g>\n";
  double y = kTop + 8;
  for (std::size_t i = 0; i < figure.curves.size(); ++i) {
    if (figure.curves[i].name.empty()) continue;
    const double x = kLeft + at.width + 20;
    svg += fmt::format(
        "<path d=\"{}\" transform=\"translate({} {})\" fill=\"none\" {}/><text x=\"{}\" y=\"{}\">{}</text>\n",
        keys[i], x, y, styles[i], x + 38, y + 4, escaped(figure.curves[i].name));
    y += kLegendLine;
  }
  return svg + "</svg>\n";
}

namespace {

/// Dark to light, even to the eye, and read alike by people with colour-vision deficiency: the corners of
/// "viridis".
std::string shade(double share) {
  constexpr std::array<std::array<int, 3>, 10> kCorners = {{{68, 1, 84},
                                                            {72, 40, 120},
                                                            {62, 74, 137},
                                                            {49, 104, 142},
                                                            {38, 130, 142},
                                                            {31, 158, 137},
                                                            {53, 183, 121},
                                                            {109, 205, 89},
                                                            {180, 222, 44},
                                                            {253, 231, 37}}};
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(kCorners.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(at), kCorners.size() - 2);
  const auto mix = [&](std::size_t k) {
    return static_cast<int>(
        std::lround(kCorners[i][k] + (at - static_cast<double>(i)) * (kCorners[i + 1][k] - kCorners[i][k])));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2));
}

std::string rectangle(double x, double y, double width, double height, const std::string& fill) {
  return fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
      "shape-rendering=\"crispEdges\"/>\n",
      x, y, width, height, fill);
}

}  // namespace

std::string to_svg(const ColourMap& map) {
  const double width = kPlotWidth, height = kPlotHeight, bottom = kTop + height;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double v : map.values)
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  const double w = width / static_cast<double>(map.xs.size()), h = height / static_cast<double>(map.ys.size());
  constexpr double kSeam = 0.3;  // no light between neighbours
  std::string svg = head_of(map.title, map.label, kLeft + width + 130, bottom + kBottom);
  for (std::size_t j = 0; j < map.ys.size(); ++j)
    for (std::size_t i = 0; i < map.xs.size(); ++i) {
      const double v = map.values[j * map.xs.size() + i];
      if (!std::isfinite(v)) continue;
      svg += rectangle(kLeft + static_cast<double>(i) * w, bottom - static_cast<double>(j + 1) * h, w + kSeam,
                       h + kSeam, shade(high > low ? (v - low) / (high - low) : 0.5));
    }
  const auto step = [](std::size_t count, std::size_t most) {
    return std::max<std::size_t>(1, (count + most - 1) / most);
  };
  for (std::size_t i = 0; i < map.xs.size(); i += step(map.xs.size(), 8))
    svg += fmt::format("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\">{:.3g}</text>\n",
                       kLeft + (static_cast<double>(i) + 0.5) * w, bottom + 18, map.xs[i]);
  for (std::size_t j = 0; j < map.ys.size(); j += step(map.ys.size(), 10))
    svg += fmt::format("<text x=\"{}\" y=\"{:.2f}\" text-anchor=\"end\">{:.3g}</text>\n", kLeft - 8,
                       bottom - (static_cast<double>(j) + 0.5) * h + 4, map.ys[j]);
  svg += axis_titles(map.x, map.y, width, height);
  constexpr int kSteps = 64;
  for (int k = 0; k < kSteps && low <= high; ++k)
    svg += rectangle(kLeft + width + 24, bottom - (k + 1) * height / kSteps, 18, height / kSteps + kSeam,
                     shade((k + 0.5) / kSteps));
  // as many digits as tell the ends apart
  const double size = std::max(std::abs(low), std::abs(high));
  const int digits =
      high > low ? std::clamp(static_cast<int>(std::ceil(std::log10(size / (high - low)))) + 3, 4, 12) : 6;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0})
    if (low <= high)
      svg += fmt::format("<text x=\"{}\" y=\"{:.2f}\">{:.{}g}</text>\n", kLeft + width + 48,
                         bottom - share * height + 4, low + share * (high - low), digits);
  return svg + "</svg>\n";
}

}  // namespace percuss::report
