// Figures in characters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "percuss/report/figure.h"
#include "percuss/report/numbers.h"

namespace percuss::report {

namespace {

/// A raster of dots, two by four to a character (Braille), or one to a character that shows a letter.
class Canvas {
 public:
  Canvas(int columns, int rows, bool braille)
      : columns_(columns),
        rows_(rows),
        braille_(braille),
        cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}
  int width() const { return braille_ ? columns_ * 2 : columns_; }
  int height() const { return braille_ ? rows_ * 4 : rows_; }

  void dot(int x, int y, char letter) {  // y from the top
    if (x < 0 || y < 0 || x >= width() || y >= height()) return;
    if (!braille_) {
      cell(x, y) = static_cast<unsigned char>(letter);
      return;
    }
    constexpr unsigned char kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    cell(x / 2, y / 4) |= kBits[y % 4][x % 2];
  }
  void line(double x0, double y0, double x1, double y1, char letter) {
    const int steps = std::max(1, static_cast<int>(std::ceil(2 * std::max(std::abs(x1 - x0), std::abs(y1 - y0)))));
    for (int i = 0; i <= steps; ++i) {
      const double s = static_cast<double>(i) / steps;
      dot(static_cast<int>(std::lround(x0 + s * (x1 - x0))), static_cast<int>(std::lround(y0 + s * (y1 - y0))),
          letter);
    }
  }
  std::string row(int r) const {
    std::string out;
    for (int c = 0; c < columns_; ++c) {
      const unsigned char bits = cells_[index(c, r)];
      if (!braille_) {
        out += bits ? static_cast<char>(bits) : ' ';
      } else if (bits == 0) {
        out += ' ';
      } else {  // U+2800 + bits
        out += static_cast<char>(0xE2);
        out += static_cast<char>(0xA0 | (bits >> 6));
        out += static_cast<char>(0x80 | (bits & 0x3F));
      }
    }
    return out;
  }

 private:
  std::size_t index(int c, int r) const {
    return static_cast<std::size_t>(r) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(c);
  }
  unsigned char& cell(int c, int r) { return cells_[index(c, r)]; }
  int columns_, rows_;
  bool braille_;
  std::vector<unsigned char> cells_;
};

std::string axis_name(const Axis& axis) { return axis.label + (axis.unit.empty() ? "" : " [" + axis.unit + "]"); }

}  // namespace

bool terminal_takes_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string_view locale = value;
    return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos;
  }
  return false;
}

std::string to_text(const Figure& figure, int columns, int rows, bool utf8) {
  const Frame frame = frame_of(figure, columns / 12, rows / 3);
  Canvas canvas(columns, rows, utf8);
  const auto px = [&](double v) { return frame.x.share(v) * (canvas.width() - 1); };
  const auto py = [&](double v) { return (1 - frame.y.share(v)) * (canvas.height() - 1); };
  std::string legend;
  char letter = 'a';
  for (const Curve& curve : figure.curves) {
    const char mark = curve.muted ? '.' : figure.curves.size() == 1 ? '*' : letter++;
    for (std::size_t i = 1; i < curve.x.size(); ++i) {
      const bool drawn = std::isfinite(curve.x[i - 1] + curve.y[i - 1] + curve.x[i] + curve.y[i]);
      if (drawn) canvas.line(px(curve.x[i - 1]), py(curve.y[i - 1]), px(curve.x[i]), py(curve.y[i]), mark);
    }
    if (!utf8 && figure.curves.size() > 1) legend += fmt::format("  {} {}", mark, curve.name);
  }

  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  std::size_t gutter = 0;
  for (const double v : frame.y.at) {
    const auto r = static_cast<std::size_t>(std::clamp(static_cast<int>(py(v) / (utf8 ? 4 : 1)), 0, rows - 1));
    labels[r] = frame.y.label(v);
    gutter = std::max(gutter, labels[r].size());
  }
  const std::string_view bar = utf8 ? "\u2502" : "|", dash = utf8 ? "\u2500" : "-", corner = utf8 ? "\u2514" : "+";
  std::string out = "  " + axis_name(figure.y) + "\n";
  for (int r = 0; r < rows; ++r)
    out += fmt::format("  {:>{}} {}{}\n", labels[static_cast<std::size_t>(r)], gutter, bar, canvas.row(r));
  out += "  " + std::string(gutter, ' ') + " " + std::string(corner);
  for (int c = 0; c < columns; ++c) out += dash;
  std::string under(static_cast<std::size_t>(columns) + 8, ' ');
  for (const double v : frame.x.at) {
    const std::string label = frame.x.label(v);
    const auto at = static_cast<std::size_t>(std::max(0.0, px(v) / (utf8 ? 2 : 1)));
    under.replace(at, label.size(), label);
  }
  under.erase(under.find_last_not_of(' ') + 1);
  out += "\n  " + std::string(gutter + 2, ' ') + under + "\n  " + std::string(gutter + 2, ' ') +
         axis_name(figure.x) + "\n";
  return legend.empty() ? out : out + "  " + legend + "\n";
}

}  // namespace percuss::report
