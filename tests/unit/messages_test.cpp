// What the program says of mistakes: one line for one mistake, in words of ours, however long the input is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <sstream>

#include "percuss/base/words.h"
#include "percuss/io/law_file.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"
#include "percuss/report/numbers.h"
#include "random_cases.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> errors_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  std::vector<Diagnostic> errors;
  const Result<scene::Scene> scene = io::read_scene_text(text, "s.yaml", overrides);
  if (!scene)
    errors = scene.errors();
  else if (const Result<model::Compiled> model = model::compile(*scene); !model)
    errors = model.errors();
  std::vector<std::string> out;
  for (const Diagnostic& d : distinct(errors)) out.push_back(one_line(d));
  return out;
}

const std::string kBall =
    "title: a ball\nbodies:\n  ball: {mass: 1, shape: {kind: sphere, radius: 0.1}, at: [0, 0, 1]}\n  ground: "
    "{shape: {kind: "
    "plane}}\ncontacts:\n  bounce: {between: [ball, ground], law: flores, restitution: 0.9, stiffness: 1.4e8, "
    "friction: "
    "{coefficient: 0.3}}\nsolver: {duration: 1 s}\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

struct Mistake {
  const char *from, *to, *says;
};

/// One mistake, one error, which says what to do.
TEST(Messages, OfOneMistakeAreOne) {
  for (const Mistake& m : std::initializer_list<Mistake>{
           {"  ball: {", "\tball: {", "use spaces"},
           {"title: a ball", "title: a ball: in the air", "quote"},
           {"title: a ball", "title: \"a \\q\"", "escape"},
           {"title: a ball", "title: @ball", "quote"},
           {"title: a ball", "title: &ball ball", "quote a text that begins with one"},
           {"title: a ball", "title: *ball", "quote a text that begins with one"},
           {"[0, 0, 1]}", "[0, 0, 1}", "does not fit the opening one"},
           {"[0, 0, 1]}", "[0, 0, 1]", "not closed"},
           {"radius: 0.1", "radios: 0.1, radius: 0.1", "unknown key \"radios\"; did you mean \"radius\"?"},
           {"radius: 0.1", "radius: 0.1, material: light", "no material is called \"light\""},
           {"stiffness: 1.4e8", "stiffness: 19e", "stiffness: \"19e\" is not a number"},
           {"stiffness: 1.4e8", "stiffness: stiff", "stiffness: \"stiff\" is not a finite number"},
           {"restitution: 0.9, ", "calibration: exact, ", "restitution"},
           {"law: flores", "law: floras", "did you mean \"flores\"?"},
       }) {
    const auto errors = errors_of(replaced(kBall, m.from, m.to));
    ASSERT_EQ(errors.size(), 1U) << m.to << (errors.empty() ? "" : "\n" + errors[0] + "\n" + errors.back());
    EXPECT_NE(errors[0].find(m.says), std::string::npos) << m.to << "\n" << errors[0];
  }
}

/// What the reader of YAML itself would say is never passed on.
TEST(Messages, AreWordsOfOurs) {
  for (const char* text : {"a: b: c",
                           "a:\n\t- b",
                           "[1, 2",
                           "{a: 1",
                           "]",
                           "}",
                           "a: 'b",
                           "a: \"b",
                           "a: \"\\q\"",
                           "a: \"\\xZZ\"",
                           "a: \"\\uD800\"",
                           "@a",
                           "`a",
                           "%YAML",
                           "%YAML 3.0\n---\n",
                           "%TAG a\n---\n",
                           "!<a",
                           "a: !b! c",
                           "&",
                           "*",
                           "a: *x",
                           "a: &x &y b",
                           "- a\nb: c",
                           "a: b\n- c",
                           "a\nb: c",
                           "a: |x\n b",
                           "a: >0\n b",
                           "? a\n: b\n c",
                           "a: b\n  c: d",
                           "---\na: b\n---\nc: d",
                           "\t",
                           "a: \tb\n\tc: d"}) {
    const auto errors = errors_of(text);
    ASSERT_FALSE(errors.empty()) << text;
    for (const std::string& line : errors)
      for (const char* raw : {"yaml", "YAML:", "illegal", "not found", "bad conversion", "scanning", "token"})
        EXPECT_EQ(line.substr(line.find(':') + 1).find(raw), std::string::npos) << text << "\n" << line;
  }
}

TEST(Messages, NeverSuggestTheWordThatIsRefused) {
  const std::vector<std::string_view> words{"friction", "fraction"};
  EXPECT_EQ(did_you_mean("friction", words), "");
  EXPECT_EQ(did_you_mean("frictoin", words), "; did you mean \"friction\"?");
  EXPECT_TRUE(errors_of(kBall, {"bounce.friction="}).empty()) << "a key with keys of its own is taken away";
  EXPECT_TRUE(errors_of(kBall, {"bounce.friction={law: lugre, coefficient: 0.2}"}).empty());
  const auto errors = errors_of(kBall, {"bounce.friction=0.3"});
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].find("expected a mapping"), std::string::npos) << errors[0];
}

TEST(Messages, AreShortHoweverLongTheInputIs) {
  const std::string huge(300'000, 'x'), digits(300'000, '9');
  for (const std::string& text :
       {replaced(kBall, "a ball", "'" + huge), replaced(kBall, "mass: 1", "mass: " + huge),
        replaced(kBall, "mass: 1", "mass: " + digits + "x"), replaced(kBall, "mass: 1", huge + ": 1"),
        replaced(kBall, "law: flores", "law: " + huge), replaced(kBall, "kind: sphere", "kind: " + huge),
        replaced(kBall, "[ball, ground]", "[" + huge + ", ground]"),
        replaced(kBall, "restitution: 0.9", "restitution: 1 " + huge),
        replaced(kBall, "coefficient: 0.3", "law: " + huge), kBall + huge + ": 1\n",
        kBall + "forces: {f: {body: ball, force: [" + huge + ", 0, 0]}}\n",
        kBall + "events: {e: {when: " + huge + " rises through 1}}\n", kBall + huge + ": 1\n" + huge + ": 2\n",
        huge, "include: " + huge + "\n" + kBall}) {
    const auto errors = errors_of(text);
    ASSERT_FALSE(errors.empty());
    for (const std::string& line : errors) EXPECT_LT(line.size(), 2001U) << line.substr(0, 300);
    EXPECT_LT(errors[0].size(), 700U) << errors[0];
  }
  for (const std::string& text : {"ball.mass=" + huge, huge + "=1", "ball." + huge + "=1", huge})
    for (const std::string& line : errors_of(kBall, {text})) EXPECT_LT(line.size(), 500U) << line.substr(0, 300);
  EXPECT_EQ(in_quotes("a\nb\tc"), "\"a b c\"");
  const std::string cut = in_quotes(std::string(79, 'a') + "\u00e9\u00e9");  // between letters, not inside one
  EXPECT_EQ(cut, "\"" + std::string(79, 'a') + "...\"");
}

TEST(Messages, ShowNoSignOfNothing) {
  EXPECT_EQ(report::engineering(-0.0, "J", 6), "0.00000 J");
  EXPECT_EQ(report::engineering(-0.0, ""), "0");
  EXPECT_EQ(report::engineering(std::nan(""), "J"), "-");
  EXPECT_EQ(report::engineering(-std::nan(""), "J"), "-");
  EXPECT_EQ(text_of(-std::nan(""), 4), "nan");
  EXPECT_EQ(text_of(-std::nan("")), "nan");
  EXPECT_EQ(text_of(-0.0, 4), "0");
  EXPECT_EQ(report::without_sign_of_zero("-0.000000"), "0.000000");
  EXPECT_EQ(report::without_sign_of_zero("-0.00 m/s"), "0.00 m/s");
  EXPECT_EQ(report::without_sign_of_zero("-0.001 m"), "-0.001 m");
  EXPECT_EQ(report::without_sign_of_zero("-0e-5"), "-0e-5");
  EXPECT_EQ(report::without_sign_of_zero("-"), "-");
}

/// Shipped scenes with words and letters exchanged at random: every error is one line in words of ours, told once.
TEST(RandomMessages, OfMutatedScenesAreShortAndTheirOwn) {
  std::vector<std::string> scenes;
  for (const auto& entry : fs::directory_iterator(PERCUSS_SOURCE "/scenes")) {
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    scenes.push_back(text.str());
  }
  std::ranges::sort(scenes);
  const std::vector<std::string> words{"x",
                                       "-1",
                                       "0",
                                       "1e400",
                                       "nan",
                                       "-nan",
                                       "inf",
                                       "[1,2]",
                                       "{}",
                                       "[]",
                                       "\"\"",
                                       "1e-400",
                                       "true",
                                       "\"",
                                       "a: b",
                                       "\t",
                                       "{a: 1}",
                                       "- 1",
                                       "&a",
                                       "*a",
                                       "!x",
                                       "%",
                                       "@",
                                       "`",
                                       "3 kg",
                                       "1e5 m",
                                       std::string(400, '9'),
                                       std::string(3000, 'x'),
                                       "ground",
                                       "steel",
                                       "[1,",
                                       "}",
                                       "~",
                                       "null",
                                       "'",
                                       "|",
                                       ">",
                                       "\\",
                                       "0x10",
                                       "1/0",
                                       "t",
                                       "sqrt(-1)",
                                       "#"};
  const std::regex raw(
      "yaml-cpp|YAML::|boost|HDF5|sqlite|std::|illegal|bad conversion|Error in function|-nan|-0\\.0+[^0-9]");
  const std::regex token("[^\\s,{}\\[\\]:]+|[,{}\\[\\]:]");
  std::mt19937 random(41);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  int wrong = 0;
  const int count = cases(250, 5000);
  for (int trial = 0; trial < count; ++trial) {
    std::string text = scenes[below(scenes.size())];
    for (std::size_t changes = 1 + below(2); changes > 0; --changes) {
      std::vector<std::pair<std::size_t, std::size_t>> tokens;
      for (std::sregex_iterator it(text.begin(), text.end(), token), end; it != end; ++it)
        tokens.emplace_back(it->position(), it->length());
      const auto [at, size] = tokens[below(tokens.size())];
      switch (below(4)) {
        case 0:
        case 1: text.replace(at, size, words[below(words.size())]); break;
        case 2: text.erase(at, size); break;
        default: text.insert(at, words[below(words.size())]);
      }
    }
    const auto errors = errors_of(text);
    wrong += errors.empty() ? 0 : 1;
    std::map<std::string, int> told;
    for (const std::string& line : errors) {
      EXPECT_LT(line.size(), 700U) << line;
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      const std::string own = std::regex_replace(line, std::regex("\"[^\"]*\""), "");  // without what is quoted
      EXPECT_FALSE(std::regex_search(own, raw)) << line << "\nof\n" << text;
      EXPECT_EQ(++told[line], 1) << line;
    }
  }
  EXPECT_GT(wrong, count / 3);
  report_figure("mutated scenes: " + std::to_string(wrong) + " of " + std::to_string(count) +
                " are refused, in words of ours");
}

// ---- includes

class IncludedFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("percuss_messages_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::vector<std::string> errors_of_file(const fs::path& file) const {
    const Result<scene::Scene> scene = io::read_scene(file);
    std::vector<std::string> out;
    if (!scene)
      for (const Diagnostic& d : scene.errors()) out.push_back(one_line(d));
    return out;
  }
  fs::path folder_;
};

/// Each of 16 files takes in four others: 4^16 ways. Round in a circle, down a tree, and one below the other.
TEST_F(IncludedFiles, ThatFanOutEndInOneError) {
  const auto fan = [&](const std::string& prefix, auto&& target) {
    for (int i = 0; i < 16; ++i) {
      std::string text = "include: [";
      for (int k = 1; k <= 4; ++k) text += (k > 1 ? ", " : "") + prefix + std::to_string(target(i, k)) + ".yaml";
      write(prefix + std::to_string(i) + ".yaml", text + "]\n");
    }
    write(prefix + "16.yaml", kBall);
    return errors_of_file(folder_ / (prefix + "0.yaml"));
  };
  const auto tree = fan("tree", [](int i, int) { return i + 1; });
  ASSERT_EQ(tree.size(), 1U) << tree.front();
  EXPECT_NE(tree[0].find("more than 1000 includes in all"), std::string::npos) << tree[0];
  const auto circle = fan("circle", [](int i, int k) { return (i + k) % 16; });
  ASSERT_EQ(circle.size(), 1U) << circle.front();
  for (int i = 0; i < 40; ++i)
    write("deep" + std::to_string(i) + ".yaml", "include: deep" + std::to_string(i + 1) + ".yaml\n");
  write("deep40.yaml", kBall);
  const auto deep = errors_of_file(folder_ / "deep0.yaml");
  ASSERT_EQ(deep.size(), 1U);
  EXPECT_NE(deep[0].find("more than 16 includes within each other"), std::string::npos) << deep[0];
}

TEST_F(IncludedFiles, MustBeMappings) {
  for (const auto& [content, says] : std::initializer_list<std::pair<const char*, const char*>>{
           {"just a text\n", "is not a mapping"},
           {"- 1\n- 2\n", "is not a mapping"},
           {"", "is not a mapping"},
           {"# nothing\n", "is not a mapping"},
           {"title: a\n---\ntitle: b\n", "a file holds one document"},
           {"title: a\n...\ntitle: b\n", "a file holds one document"}}) {
    write("part.yaml", content);
    const auto errors = errors_of_file(write("whole.yaml", "include: part.yaml\n" + kBall));
    ASSERT_EQ(errors.size(), 1U) << content;
    EXPECT_NE(errors[0].find(says), std::string::npos) << content << "\n" << errors[0];
  }
  for (const char* include : {"include: {a: 1}\n", "include: [[a]]\n", "include:\n"}) {
    const auto errors = errors_of_file(write("whole.yaml", include + kBall));
    ASSERT_EQ(errors.size(), 1U) << include;
    EXPECT_NE(errors[0].find("include"), std::string::npos) << errors[0];
  }
}

TEST_F(IncludedFiles, AreReadUpToALimitThatSaysHowToRaiseIt) {
  std::string many = "bodies:\n";
  for (int i = 0; i < 10'000; ++i)
    many += "  b" + std::to_string(i) +
            ": {mass: 1 kg, inertia: [0.004, 0.004, 0.004], shape: {kind: sphere, radius: 0.1}, at: [" +
            std::to_string(i) + ", 0, 0], velocity: [0.1, 0.2, 0.3]}\n";
  const fs::path file = write("many.yaml", many + "solver: {duration: 1 s}\n");
  EXPECT_GT(fs::file_size(file), 1U << 20);
  EXPECT_TRUE(errors_of_file(file).empty());
  ::setenv("PERCUSS_FILE_LIMIT_MIB", "1", 1);
  const auto errors = errors_of_file(file);
  ::unsetenv("PERCUSS_FILE_LIMIT_MIB");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].find("larger than 1 MiB; the environment variable PERCUSS_FILE_LIMIT_MIB sets another limit"),
            std::string::npos)
      << errors[0];
}

/// Beside the document or among those that are shipped, with its ending or without.
TEST_F(IncludedFiles, LawFilesAreFoundWithoutTheirEnding) {
  write("mine.yaml", "force: K*delta\n");
  fs::create_directories(folder_ / "shipped");
  write("shipped/theirs.yaml", "force: K*delta\n");
  const fs::path shipped = folder_ / "shipped";
  EXPECT_EQ(io::find_law_file("mine", folder_, shipped), folder_ / "mine.yaml");
  EXPECT_EQ(io::find_law_file("mine.yaml", folder_, shipped), folder_ / "mine.yaml");
  EXPECT_EQ(io::find_law_file("theirs", folder_, shipped), shipped / "theirs.yaml");
  EXPECT_EQ(io::find_law_file("theirs.yaml", folder_, shipped), shipped / "theirs.yaml");
  EXPECT_EQ(io::find_law_file("none", folder_, shipped), folder_ / "none");
  EXPECT_EQ(io::find_law_file("sub/theirs", folder_, shipped), folder_ / "sub/theirs");
}

}  // namespace
}  // namespace percuss
