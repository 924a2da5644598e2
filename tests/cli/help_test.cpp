// Help in 80 columns, completion in a real bash, manual pages: all from one table.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "percuss/cli/verbs.h"
#include "run.h"

namespace percuss::tests {
namespace {

using Help = Command;

std::vector<std::string> verbs_of(const std::string& help) {
  std::vector<std::string> out;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line) && line != "example:";)
    if (line.starts_with("  ") && line.size() > 2 && line[2] >= 'a' && line[2] <= 'z')
      out.push_back(line.substr(2, line.find(' ', 2) - 2));
  return out;
}

TEST_F(Help, FitsEightyColumns) {
  const std::vector<std::string> verbs = verbs_of(percuss("--help").out);
  ASSERT_GE(verbs.size(), 15U);
  std::vector<std::string> calls{"--help"};
  for (const std::string& verb : verbs) calls.push_back("help " + verb);
  for (const std::string& call : calls) {
    const Said said = percuss(call);
    EXPECT_EQ(said.code, 0);
    std::istringstream lines(said.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << call << ": " << line;
  }
}

/// The text of an option up to what may differ between verbs: defaults and remarks.
std::string_view meaning_of(const cli::Option& option) {
  const std::string_view text = option.help.substr(0, option.help.find_first_of(";("));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

TEST(Options, AreTheSameInEveryVerbThatHasThem) {
  std::map<std::string_view, std::pair<std::string_view, cli::Option>> first;  // by name: its verb and itself
  for (const cli::Verb& verb : cli::verbs())
    for (const cli::Option& option : verb.options) {
      const auto& [other, known] = first.try_emplace(option.name, verb.name, option).first->second;
      const std::string where = fmt::format("--{} of {} and of {}", option.name, other, verb.name);
      EXPECT_EQ(meaning_of(option), meaning_of(known)) << where;
      EXPECT_EQ(option.placeholder, known.placeholder) << where;
      EXPECT_EQ(option.kind, known.kind) << where;
    }
  EXPECT_GT(first.size(), 40U);
}

/// Characters that a terminal shows: continuation bytes of UTF-8 are none.
std::size_t width_of(const std::string& line) {
  return static_cast<std::size_t>(
      std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

TEST_F(Help, EverySummaryFitsEightyColumnsAndUsesWiderOnes) {
  const std::string scenes = PERCUSS_SOURCE "/scenes/";
  ASSERT_EQ(percuss("new alves_c1_fit").code, 0);
  ASSERT_EQ(percuss("new restitution_study").code, 0);
  for (const std::string& call :
       {std::string("laws"), std::string("laws flores"), std::string("laws thornton"), std::string("schema"),
        std::string("schema contacts"), std::string("schema --of study"), std::string("new"),
        std::string("map --laws all --grid 0.1:1:10"), std::string("reproduce --list"),
        std::string("reproduce barjau --no-page --figures figures"),
        std::string("impact --law flores --restitution 0.6 --stiffness 1.4e8 --mass 1 --velocity 4.2"),
        "check " + scenes + "four_bar_clearance.yaml", "run " + scenes + "bouncing_ball.yaml",
        "run " + scenes +
            "slider_crank_clearance.yaml --set solver.duration=0.02 --set outputs.account=true --no-h5",
        std::string("report bouncing_ball.h5 --no-page --summary"), "collide " + scenes + "hanging_cradle.yaml",
        "compare " + scenes + "bouncing_ball.yaml --laws flores,tsuji,exact --set solver.duration=1 --no-page",
        std::string("identify alves_c1_fit.yaml --no-page"), std::string("sweep restitution_study.yaml")}) {
    const Said said = percuss(call);
    ASSERT_EQ(said.code, 0) << call << said.err;
    std::istringstream lines(said.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), 80U) << call << ": " << line;
  }
  const std::string wide = percuss("run " + scenes + "bouncing_ball.yaml", "COLUMNS=160").out;
  EXPECT_NE(wide.find("prescribed  delivered  energetic  peak force  peak indentation  duration  lost\n"),
            std::string::npos)
      << "one table";
}

TEST_F(Help, ColoursAreForTerminalsThatTakeThem) {
  const auto on_a_terminal = [&](const std::string& variables) {
    const std::string line = "cd '" + folder_.string() + "' && script -qec \"" + variables +
                             " '" PERCUSS_PROGRAM "' run missing.yaml\" typescript >/dev/null 2>&1 </dev/null";
    if (std::system(line.c_str()) == -1) return std::string();
    return contents(folder_ / "typescript");
  };
  EXPECT_NE(on_a_terminal("env -u NO_COLOR TERM=xterm").find("\033[1;31merror:"), std::string::npos);
  EXPECT_EQ(on_a_terminal("env NO_COLOR=1 TERM=xterm").find("\033["), std::string::npos);
  EXPECT_EQ(percuss("run missing.yaml").err.find("\033["), std::string::npos) << "a file";
}

TEST_F(Help, AFileThatIsMissingMayHaveANeighbour) {
  write("bouncing.yaml", "");
  EXPECT_NE(percuss("run bouncin.yaml").err.find("did you mean \"bouncing.yaml\"?"), std::string::npos);
  ASSERT_EQ(
      percuss("run " PERCUSS_SOURCE "/scenes/pendulum.yaml --set solver.duration=0.1 --set outputs.at=[]").code, 0);
  EXPECT_NE(percuss("report pendulm.h5").err.find("did you mean \"pendulum.h5\"?"), std::string::npos);
}

/// What bash offers after these words.
std::string offered(const std::filesystem::path& folder, const std::string& words) {
  const std::string out = (folder / "offered").string();
  const std::string script = "cd '" + folder.string() +
                             "' && source <('" PERCUSS_PROGRAM "' completion bash) && COMP_WORDS=(" + words +
                             ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _percuss && "
                             "echo \"${COMPREPLY[@]}\" > '" +
                             out + "'";
  std::ofstream(folder / "ask.bash") << script << "\n";
  const int status = std::system(("bash '" + (folder / "ask.bash").string() + "'").c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? contents(out) : "bash failed";
}

TEST_F(Help, BashCompletesVerbsOptionsLawsAndFiles) {
  write("ball scene.yaml", "");
  EXPECT_EQ(offered(folder_, "percuss id"), "identify\n");
  EXPECT_EQ(offered(folder_, "percuss run --che"), "--checkpoint\n");
  EXPECT_EQ(offered(folder_, "percuss run bal"), "ball scene.yaml\n");
  EXPECT_EQ(offered(folder_, "percuss impact --law flo"), "flores\n");
  EXPECT_EQ(offered(folder_, "percuss laws kuwa"), "kuwabara-kono\n");
  EXPECT_EQ(offered(folder_, "percuss new bouncing_b"), "bouncing_ball\n");
  EXPECT_EQ(offered(folder_, "percuss help swe"), "sweep\n");
  EXPECT_EQ(offered(folder_, "percuss run --set x"), "\n");
}

TEST_F(Help, OtherShellsAndTheManualKnowEveryVerbAndOption) {
  const std::string zsh = percuss("completion zsh").out, fish = percuss("completion fish").out;
  EXPECT_EQ(percuss("completion man --folder pages").code, 0);
  const std::string top = contents(folder_ / "pages/percuss.1");
  for (const std::string& verb : verbs_of(percuss("--help").out)) {
    EXPECT_NE(zsh.find("    " + verb + ") _arguments"), std::string::npos) << verb;
    EXPECT_NE(top.find(".B " + verb), std::string::npos) << verb;
    const std::string page = contents(folder_ / ("pages/percuss-" + verb + ".1"));
    std::istringstream lines(percuss("help " + verb).out);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  --") || line.starts_with("  --help")) continue;
      const std::string name = line.substr(4, line.find(' ', 4) - 4);
      EXPECT_NE(fish.find("from " + verb + "' -l " + name + " "), std::string::npos) << verb << " " << name;
      EXPECT_NE(zsh.find("--" + name + "["), std::string::npos) << verb << " " << name;
      std::string escaped = "\\-\\-";
      for (const char c : name) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_NE(page.find(".B " + escaped), std::string::npos) << verb << " " << name;
    }
  }
  EXPECT_EQ(percuss("completion").code, 2);
  EXPECT_EQ(percuss("completion tcsh").code, 2);
  EXPECT_EQ(percuss("completion man --verb nothing").code, 2);
  EXPECT_EQ(percuss("completion bash --verb run").code, 2);
}

}  // namespace
}  // namespace percuss::tests
