// A figure as plain data: curves on two axes with units. One writer for SVG, one for the terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace percuss::report {

struct Axis {
  std::string label;
  std::string unit;  // as shown: "µm", "kN", "" for a pure number
  std::optional<double> from, to;
};

struct Curve {
  std::string name;
  std::vector<double> x, y;  // NaN breaks the line
  bool dashed = false;
  bool muted = false;  // grey, for a reference
};

struct Figure {
  std::string title, subtitle;
  Axis x, y;
  std::vector<Curve> curves;
  bool square = false;  // equal lengths of the axes
};

/// A stand-alone SVG: axes with units and round ticks, legend, colours that people with colour-vision deficiency
/// tell apart (Okabe and Ito), and a dash pattern once the colours run out.
std::string to_svg(const Figure& figure);

/// The figure in characters: Braille dots where the terminal takes UTF-8, letters elsewhere.
std::string to_text(const Figure& figure, int columns, int rows, bool utf8);

/// Does the environment say that the terminal shows UTF-8?
bool terminal_takes_utf8();

/// Round tick positions that cover [from, to], about `about` of them.
struct Ticks {
  std::vector<double> at;
  double from, to;  // the axis, widened to whole ticks unless fixed
  int decimals;     // to print them with
};
Ticks round_ticks(double from, double to, int about, bool widen);
std::string tick_label(double value, int decimals);

/// The axis ranges of a figure, with ticks.
struct Frame {
  Ticks x, y;
};
Frame frame_of(const Figure& figure, int about_x, int about_y);

}  // namespace percuss::report
