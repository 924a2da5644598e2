// percuss map, percuss laws, help and version.
#include "cli/run.h"
#include "percuss/contact/rows.h"

namespace percuss::tests {
namespace {

using Map = Command;
using Laws = Command;
using Program = Command;

TEST_F(Map, AllGivesEveryKeyItsCurveOrWhatItLacks) {
  const Said said = percuss("map --laws all --json");
  ASSERT_EQ(said.code, 0) << said.err;
  const auto j = said.json();
  EXPECT_EQ(j["laws"].size() + j["lacking"].size(), contact::dissipation_rows().size());
  for (const auto& law : j["laws"]) {
    EXPECT_EQ(law["delivered"].size(), j["prescribed"].size());
    if (law["law"] == "exact") {
      for (std::size_t i = 0; i < j["prescribed"].size(); ++i)
        EXPECT_NEAR(law["delivered"][i], j["prescribed"][i], 1e-12);
    }
    if (law["law"] == "flores") {
      EXPECT_NEAR(law["delivered"][5], 0.5773, 0.5e-4);
    }
  }
  for (const auto& lack : j["lacking"]) EXPECT_FALSE(lack["lacks"].empty());
}

TEST_F(Map, ConstantsGivenBringInTheLawsThatNeedThem) {
  const auto j =
      percuss("map --laws all --json --parameters plastic_share=0.5 --parameters alpha=0.2 --grid 0.2,0.8").json();
  bool mixed = false, alpha = false;
  for (const auto& law : j["laws"]) {
    mixed = mixed || law["law"] == "mixed";
    alpha = alpha || law["law"] == "hunt-crossley-alpha";
  }
  EXPECT_TRUE(mixed && alpha);
}

TEST_F(Map, TakesAnyGridAndRefusesABadOne) {
  const auto j = percuss("map --laws flores,exact --grid 0:1:5 --json").json();
  EXPECT_EQ(j["prescribed"], nlohmann::json({0.0, 0.25, 0.5, 0.75, 1.0}));
  EXPECT_EQ(j["laws"][0]["delivered"][0], nullptr) << "flores has no c = 0";
  EXPECT_FALSE(j["laws"][0]["refused"].empty());
  for (const char* grid : {"0:1", "0:1:1", "0:2:5", "a,b", "0.5,", "0:1:2.5", "1:0:x"}) {
    const Said said = percuss(std::string("map --laws exact --grid '") + grid + "'");
    EXPECT_EQ(said.code, 2) << grid;
    EXPECT_EQ(said.out, "") << grid;
  }
}

TEST_F(Map, PrintsATableAndTheDiagonalAndWritesFiles) {
  const Said said = percuss("map --laws flores,exact --svg m.svg --csv m.csv");
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("prescribed restitution"), std::string::npos);
  EXPECT_NE(contents(folder_ / "m.svg").find("delivered restitution"), std::string::npos);
  EXPECT_NE(contents(folder_ / "m.csv").find("prescribed,flores,exact"), std::string::npos);
}

TEST_F(Laws, ListsEveryKeyAndShowsEachInFull) {
  const Said list = percuss("laws");
  ASSERT_EQ(list.code, 0);
  const auto j = percuss("laws --json").json();
  EXPECT_EQ(j["dissipation"].size(), contact::dissipation_rows().size());
  EXPECT_EQ(j["elastic"].size(), contact::elastic_rows().size());
  for (const std::string_view word : contact::law_words()) {
    EXPECT_NE(list.out.find(word), std::string::npos) << word;
    const Said one = percuss("laws " + std::string(word));
    EXPECT_EQ(one.code, 0) << word;
    EXPECT_NE(one.out.find("source"), std::string::npos) << word;
    EXPECT_TRUE(percuss("laws --json " + std::string(word)).json().contains("formula")) << word;
  }
}

TEST_F(Laws, SayWhatWasCorrectedAndWhatIsNotConfirmed) {
  EXPECT_NE(percuss("laws anagnostopoulos").out.find("corrected"), std::string::npos);
  EXPECT_NE(percuss("laws hu-guo").out.find("not confirmed"), std::string::npos);
  EXPECT_EQ(percuss("laws lee-wang").out.find("not confirmed"), std::string::npos);
  EXPECT_NE(percuss("laws adams-impact").out.find("full_damping_indentation [m]"), std::string::npos);
}

TEST_F(Program, HelpHasAnExampleThatRuns) {
  for (const std::string verb : {"laws", "impact", "map"}) {
    Said help = percuss(verb + " --help");
    ASSERT_EQ(help.code, 0);
    for (std::size_t broken; (broken = help.out.find("\\\n")) != std::string::npos;)  // a shell joins such lines
      help.out.erase(broken, 2);
    std::size_t at = help.out.find("example:\n");
    ASSERT_NE(at, std::string::npos);
    while ((at = help.out.find("  percuss ", at)) != std::string::npos) {
      const std::size_t end = help.out.find('\n', at);
      const std::string words = help.out.substr(at + 10, end - at - 10);
      EXPECT_EQ(percuss(words).code, 0) << words;
      at = end;
    }
  }
  EXPECT_EQ(percuss("--help").code, 0);
  EXPECT_EQ(percuss("").code, 0);
}

TEST_F(Program, VersionNamesCommitCompilerAndParts) {
  const Said said = percuss("--version");
  EXPECT_EQ(said.code, 0);
  for (const char* part : {"percuss 0.", "compiler", "parts", "data"})
    EXPECT_NE(said.out.find(part), std::string::npos) << part;
  const std::string citation = contents(PERCUSS_SOURCE "/CITATION.cff");
  const std::size_t at = citation.find("\nversion: ") + 10;
  const std::string version = citation.substr(at, citation.find('\n', at) - at);
  EXPECT_EQ(said.out.rfind("percuss " + version, 0), 0u) << "CITATION.cff says " << version;
}

TEST_F(Program, AClosedPipeEndsQuietly) {
  const std::string line =
      "'" PERCUSS_PROGRAM "' laws --json 2>'" + (folder_ / "err").string() + "' | head -c 10 >/dev/null";
  EXPECT_EQ(std::system(line.c_str()), 0);
  EXPECT_EQ(contents(folder_ / "err"), "");
}

}  // namespace
}  // namespace percuss::tests
