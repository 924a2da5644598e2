// An HTML page as plain data: sections of plots, tables, bars, texts and a replay. The page draws itself: the
// program carries a template (viewer/) and puts the data into it. What is here is what viewer/src/document.ts
// reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "percuss/report/figure.h"

namespace percuss::report {

/// Numbers of the page, shared by whoever shows them.
class Arrays {
 public:
  int add(std::vector<double> values);
  const std::vector<double>& at(int index) const { return arrays_[static_cast<std::size_t>(index)]; }
  const std::vector<std::vector<double>>& all() const { return arrays_; }

 private:
  std::vector<std::vector<double>> arrays_;
};

struct PlotBlock {
  struct Line {
    std::string name;
    int x = 0, y = 0;  // arrays
    bool dashed = false, muted = false, marks = false;
  };
  std::string id, title;
  Axis x, y;
  std::vector<Line> lines;
  bool over_time = false;  // of the replay: cursor and zoom are shared
  bool stacked = false;
  std::string note;
};

using Cell = std::variant<double, std::string>;  // a number that is not finite: nothing

struct TableBlock {
  struct Column {
    std::string name, unit{}, hint{};
  };
  std::string id, title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::optional<int> time_column;  // a click on a row moves the replay there
  std::string note;
};

struct BarsBlock {
  struct Bar {
    std::string name;
    double value = 0;
    std::string note{};
  };
  std::string id, title, unit;
  std::vector<Bar> bars;
};

/// Colours over two axes.
struct MapBlock {
  std::string id, title;
  Axis x, y;
  int xs = 0, ys = 0, values = 0;  // arrays; values by row: [y * columns + x], nan where there are none
  std::string label, note{};
};

/// A line a point through columns side by side; the colour is that of the last one.
struct ParallelBlock {
  struct Column {
    std::string name;
    int values = 0;                  // array
    std::vector<std::string> words;  // if its values are their numbers
  };
  std::string id, title;
  std::vector<Column> columns;
  std::string note;
};

struct TextBlock {
  std::string text;
};

struct CodeBlock {
  std::string title, text;
};

struct ReplayBlock {
  std::string id;
  std::string picture;  // the bodies and their shapes: replay_picture
  int time = 0;         // array
  struct Body {
    std::string name;
    std::vector<int> motion;  // arrays: x y z qw qx qy qz, or x y angle
  };
  std::vector<Body> bodies;
  struct Contact {
    std::string name;
    std::vector<int> point, force;  // arrays
  };
  std::vector<Contact> contacts;
  struct Hit {
    double from_s = 0, to_s = 0;
    std::string label;
  };
  std::vector<Hit> impacts;
  std::vector<Hit> parts;  // to choose from; each plays again and again
};

using Block =
    std::variant<PlotBlock, TableBlock, BarsBlock, MapBlock, ParallelBlock, TextBlock, CodeBlock, ReplayBlock>;

struct PageSection {
  std::string id, title;
  std::vector<Block> blocks;
};

struct Page {
  std::string kind, title, subtitle, answer;
  std::vector<std::string> warnings;
  std::vector<PageSection> sections;
  Arrays arrays;

  /// A new one, at the end.
  PageSection& section(std::string id, std::string heading) {
    sections.push_back({std::move(id), std::move(heading), {}});
    return sections.back();
  }
};

/// The whole file. Every text of it is text: names of a scene cannot become markup.
std::string page_html(const Page& page);

/// Plots and maps of the page for the SVG writer.
Figure figure_of(const PlotBlock& plot, const Arrays& arrays);
ColourMap colour_map_of(const MapBlock& map, const Arrays& arrays);

/// Indices of at most about `most` rows that keep, of every series, the first, the last, and the least and the
/// greatest value of each stretch: no peak is lost. Half of the stretches are equally long in time, half hold
/// equally many rows: rows may lie close in an impact and far apart in flight.
std::vector<std::size_t> thinned(const std::vector<double>& time,
                                 const std::vector<const std::vector<double>*>& series, std::size_t most);

}  // namespace percuss::report
