// Figures, numbers, files.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "percuss/io/files.h"
#include "percuss/report/figure.h"
#include "percuss/report/numbers.h"
#include "percuss/report/page.h"
#include "percuss/report/page_template.h"
#include "percuss/report/summary.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

TEST(EngineeringNumbers, ReadAsPeopleWriteThem) {
  EXPECT_EQ(engineering(302.4, "N"), "302.4 N");
  EXPECT_EQ(engineering(13.4956e-6, "m", 5), "13.496 \u00b5m");
  EXPECT_EQ(engineering(10572, "N"), "10.57 kN");
  EXPECT_EQ(engineering(0.999999999999, "J"), "1.000 J");
  EXPECT_EQ(engineering(0, "J"), "0.000 J");
  EXPECT_EQ(engineering(std::numeric_limits<double>::infinity(), "J"), "infinite");
  EXPECT_EQ(engineering(std::numeric_limits<double>::infinity(), "s"), "never");
}

TEST(Ticks, AreRoundAndCoverTheRange) {
  for (const auto& [from, to] : {std::pair{0.0, 1.0}, {-3.2, 17.9}, {1e-7, 9e-6}, {0.0, 1.2}, {5.0, 5.0}}) {
    const Ticks t = round_ticks(from, to, 7, true);
    ASSERT_GE(t.at.size(), 3u);
    EXPECT_LE(t.from, from);
    EXPECT_GE(t.to, to);
    EXPECT_LE(t.at.size(), 16u);
  }
}

Figure two_curves() {
  Figure f;
  f.title = "a < b & c";
  f.x = {"time", "s", {}, {}};
  f.y = {"force", "kN", {}, {}};
  f.curves = {{"one", {0, 1, 2}, {0, 1, 4}}, {"two", {0, 1, 2}, {4, std::nan(""), 0}}};
  return f;
}

TEST(SvgFigures, HaveAxesWithUnitsALegendAndEscapedText) {
  const std::string svg = to_svg(two_curves());
  for (const char* part :
       {"<svg ", "time [s]", "force [kN]", ">one<", ">two<", "a &lt; b &amp; c", "</svg>", "made by percuss"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Ticks, OfLogAxesAreEquallyFarApartForEqualRatios) {
  const Ticks t = log_ticks(0.1, 1000);
  EXPECT_EQ(t.at, (std::vector<double>{0.1, 1, 10, 100, 1000}));
  for (std::size_t i = 0; i < t.at.size(); ++i) EXPECT_NEAR(t.share(t.at[i]), static_cast<double>(i) / 4, 1e-12);
  EXPECT_EQ(log_ticks(0.8, 6).at, (std::vector<double>{1, 2, 5}));
  EXPECT_EQ(t.label(0.1), "0.1");
}

/// Two points as marks: two marks and no line between them.
TEST(SvgFigures, DoNotJoinMarks) {
  Figure figure;
  figure.curves.push_back({"dots", {1, 2}, {3, 4}, false, false, true});
  const std::string dots = to_svg(figure);
  figure.curves.front().marks = false;
  const std::string line = to_svg(figure);
  const auto path = [](const std::string& svg) {
    const std::size_t group = svg.find("<g clip-path"), begin = svg.find("<path d=\"", group);
    return svg.substr(begin, svg.find("/>", begin) - begin);
  };
  EXPECT_EQ(std::ranges::count(path(dots), 'M'), 2) << path(dots);
  EXPECT_EQ(std::ranges::count(path(dots), 'L'), 0);
  EXPECT_EQ(std::ranges::count(path(line), 'L'), 1);
}

TEST(SvgFigures, LeaveOutCellsOfAMapThatAreNotThere) {
  const std::string svg = to_svg(
      ColourMap{"a < b", {"x", "m", {}, {}}, {"y", "", {}, {}}, {1, 2}, {1, 2}, {0, 1, std::nan(""), 3}, "z"});
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_NE(svg.find("#440154"), std::string::npos);  // the least
  EXPECT_NE(svg.find("#fde725"), std::string::npos);  // the greatest
  std::size_t cells = 0;
  for (std::size_t at = svg.find("crispEdges"); at != std::string::npos; at = svg.find("crispEdges", at + 1))
    ++cells;
  EXPECT_EQ(cells, 3U + 64U);
}

TEST(TextFigures, FitTheirWidthInBothAlphabets) {
  for (const bool utf8 : {true, false}) {
    std::istringstream lines(to_text(two_curves(), 40, 10, utf8));
    std::string line;
    int count = 0;
    for (; std::getline(lines, line); ++count) EXPECT_LE(shown_width(line), 60u) << line;
    EXPECT_GE(count, 13);
  }
}

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / ("percuss-test-" + std::to_string(::getpid()));
    fs::create_directories(path_);
  }
  void TearDown() override { fs::remove_all(path_); }
  fs::path path_;
};

TEST_F(Folder, ResultsReplaceOnlyTheirOwnKind) {
  const fs::path mine = path_ / "mine.svg", other = path_ / "thesis.svg";
  EXPECT_FALSE(io::refusal(mine, false));
  EXPECT_FALSE(io::write_whole(mine, to_svg(two_curves())));
  EXPECT_FALSE(io::refusal(mine, false)) << "an older result may be replaced";
  std::ofstream(other) << "two years of work";
  EXPECT_TRUE(io::refusal(other, false));
  EXPECT_FALSE(io::refusal(other, true));
  EXPECT_TRUE(io::refusal(path_ / "nowhere" / "x.svg", false));
  EXPECT_TRUE(io::refusal(path_, false));
  EXPECT_EQ(std::distance(fs::directory_iterator(path_), fs::directory_iterator{}), 2) << "no leftovers";
}

TEST(Pages, ThinningKeepsEveryPeakAndBothEnds) {
  // a slow wave with spikes one sample wide; rows lie close in the middle
  std::vector<double> t, wave, spikes;
  double now = 0;
  for (int i = 0; i < 50'000; ++i) {
    now += i > 20'000 && i < 40'000 ? 1e-6 : 1e-3;
    t.push_back(now);
    wave.push_back(std::sin(0.3 * now));
    spikes.push_back(i % 7919 == 17 ? i : 0.0);
  }
  const auto keep = thinned(t, {&wave, &spikes}, 2000);
  EXPECT_LE(keep.size(), 2100U);
  EXPECT_EQ(keep.front(), 0U);
  EXPECT_EQ(keep.back(), t.size() - 1);
  std::size_t found = 0, wanted = 0;
  for (std::size_t i = 0; i < t.size(); ++i) wanted += spikes[i] > 0 ? 1 : 0;
  double widest_s = 0;
  for (std::size_t k = 0; k < keep.size(); ++k) {
    found += spikes[keep[k]] > 0 ? 1 : 0;
    if (k > 0) widest_s = std::max(widest_s, t[keep[k]] - t[keep[k - 1]]);
  }
  EXPECT_EQ(found, wanted);
  EXPECT_LT(widest_s, (t.back() - t.front()) / 100) << "flights keep their shape";
  EXPECT_EQ(thinned(t, {&wave}, t.size()).size(), t.size());
}

TEST(Pages, TextsOfAScenesCannotEndTheScriptThatHoldsThem) {
  Page page;
  page.title = "</script><b>\"x\"\xff";
  page.sections.push_back({"a", "<!--", {TextBlock{"</SCRIPT >"}}});
  const std::string html = page_html(page), plain = page_html(Page{});
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count(html, "</"), count(plain, "</"));
  EXPECT_EQ(count(html, "<!--"), count(plain, "<!--"));
  EXPECT_NE(html.find("\\u003c/script>"), std::string::npos);
}

TEST(Summary, SaysThatEnergiesAreNoNumbers) {
  recording::Recording run;
  run.ledger.end.kinetic_J = run.ledger.exchanged_J = std::numeric_limits<double>::infinity();
  run.head.contacts = {"floor"};
  recording::Impact impact;
  impact.delivered = 1e229;
  run.impacts.push_back(impact);
  const std::string text = report::summary_text(run);
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
  EXPECT_NE(text.find("energy error: no number"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

}  // namespace
}  // namespace percuss::report
