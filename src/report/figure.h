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
  bool log = false;  // equal lengths for equal ratios; all values above 0
};

struct Curve {
  std::string name;
  std::vector<double> x, y;  // NaN breaks the line
  bool dashed = false;
  bool muted = false;  // grey, for a reference
  bool marks = false;  // a mark at each point, no line
};

struct Figure {
  std::string title, subtitle;
  Axis x, y;
  std::vector<Curve> curves;
  bool square = false;   // equal lengths of the axes
  bool stacked = false;  // each curve lies on the one before: filled in between
};

/// Colours over two axes, a rectangle a pair of values.
struct ColourMap {
  std::string title;
  Axis x, y;
  std::vector<double> xs, ys, values;  // values [y * xs.size() + x]; nan: nothing there
  std::string label;                   // of the values
};

/// A stand-alone SVG: axes with units and round ticks, legend, colours that people with colour-vision deficiency
/// tell apart (Okabe and Ito), and a dash pattern once the colours run out.
std::string to_svg(const Figure& figure);
std::string to_svg(const ColourMap& map);

/// The figure in characters: Braille dots where the terminal takes UTF-8, letters elsewhere.
std::string to_text(const Figure& figure, int columns, int rows, bool utf8);

/// Does the environment say that the terminal shows UTF-8?
bool terminal_takes_utf8();

/// Round tick positions that cover [from, to], about `about` of them.
struct Ticks {
  std::vector<double> at;
  double from, to;  // the axis, widened to whole ticks unless fixed
  int decimals;     // to print them with
  bool log = false;

  /// How far along the axis a value lies, from 0 to 1.
  double share(double value) const;
  std::string label(double value) const;
};
Ticks round_ticks(double from, double to, int about, bool widen);
/// Powers of ten, with 2 and 5 times them where they are few.
Ticks log_ticks(double from, double to);

/// The axis ranges of a figure, with ticks.
struct Frame {
  Ticks x, y;
};
Frame frame_of(const Figure& figure, int about_x, int about_y);

}  // namespace percuss::report
