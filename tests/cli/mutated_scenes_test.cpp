// Scenes with mistakes in them: the program refuses them, runs them, or says why a run failed. It never crashes,
// never hangs, and what it says is meant for people.
#include <random>
#include <regex>

#include "cli/run.h"
#include "random_cases.h"

namespace percuss::tests {
namespace {

/// Mutations as people make them: a wrong number, unit, name or line; and some that only a machine makes.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutated(std::string text) {
    const int changes = 1 + below(3);
    for (int i = 0; i < changes; ++i) text = change(text);
    return text;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <class Range>
  const auto& one_of(const Range& range) {
    return range[static_cast<std::size_t>(below(static_cast<int>(std::size(range))))];
  }

  struct Piece {
    std::size_t at, size;
  };
  std::vector<Piece> pieces(const std::string& text, const std::regex& what) const {
    std::vector<Piece> out;
    for (std::sregex_iterator i(text.begin(), text.end(), what), end; i != end; ++i)
      out.push_back({static_cast<std::size_t>(i->position()), static_cast<std::size_t>(i->length())});
    return out;
  }

  std::string change(std::string text) {
    static const std::regex kNumber(R"([-+]?\d+(\.\d+)?([eE][-+]?\d+)?)"), kWord(R"([A-Za-z_][A-Za-z_0-9]*)"),
        kLine(R"([^\n]+\n)");
    static const char* const kNumbers[] = {"0",    "-1",   "1e300", "-1e300", "1e-300", "5e-324",    ".nan",
                                           ".inf", "nan",  "1e-12", "1e12",   "3",      "0.5",       "-0.0",
                                           "1e9",  "12 m", "1 kg",  "90 deg", "2 ms",   "1 furlong", "\"\"",
                                           "[]",   "{}",   "true",  "~",      "0x10",   "1_000"};
    static const char* const kWords[] = {"ground", "ball",   "sphere",  "plane",        "box",      "revolute",
                                         "flores", "hertz",  "kind",    "mass",         "position", "e",
                                         "t",      "sin",    "exact",   "walton-braun", "friction", "mindlin",
                                         "x",      "planar", "contacts"};
    const int kind = below(9);
    const std::vector<Piece> found = pieces(text, kind < 4 ? kNumber : kind < 6 ? kWord : kLine);
    if (found.empty()) return text;
    const Piece p = one_of(found);
    const std::string piece = text.substr(p.at, p.size);
    switch (kind) {
      case 0:
      case 1: return text.replace(p.at, p.size, one_of(kNumbers));
      case 2: return text.replace(p.at, p.size, "-" + piece);
      case 3: return text.replace(p.at, p.size, piece + (below(2) ? "e3" : "e-4"));
      case 4: return text.replace(p.at, p.size, one_of(kWords));
      case 5: {
        std::string wrong = piece;
        wrong[static_cast<std::size_t>(below(static_cast<int>(wrong.size())))] = 'q';
        return text.replace(p.at, p.size, wrong);
      }
      case 6: return text.erase(p.at, p.size);
      case 7: return text.insert(p.at, piece);
      default: {
        static const char* const kInserted[] = {"\t", ":", "{", "]", "\"", "#", "  ", "- ", "\xff", "&a *a ", "? "};
        return text.insert(p.at + static_cast<std::size_t>(below(static_cast<int>(p.size))), one_of(kInserted));
      }
    }
  }

  std::mt19937 random_;
};

/// What libraries and printf say, and no person should read.
const char* const kRaw[] = {"yaml-cpp",  "what():", "terminate called", "H5E",   "std::",  "basic_string",
                            "bad_alloc", "-nan",    "-0.000000",        "Boost", "boost::"};

class RandomMutatedScenes : public Command {};

TEST_F(RandomMutatedScenes, AreRefusedOrRunWithinTheirLimit) {
  std::vector<std::filesystem::path> scenes;
  for (const auto& entry : std::filesystem::directory_iterator(PERCUSS_SOURCE "/scenes"))
    scenes.push_back(entry.path());
  std::ranges::sort(scenes);
  write("wheel.yaml", contents(PERCUSS_SOURCE "/scenes/wheel.yaml"));  // a part of another scene
  const int count = cases(60, 5000);
  int refused = 0, ran = 0, failed = 0;
  double longest_s = 0;
  std::size_t longest_line = 0;
  for (int i = 0; i < count; ++i) {
    const std::filesystem::path& scene = scenes[static_cast<std::size_t>(i) % scenes.size()];
    Mutator mutator(static_cast<unsigned>(i));
    const std::string text = mutator.mutated(contents(scene));
    write("scene.yaml", text);
    const auto told = [&](const Said& said, const std::string& verb) {
      for (const char* raw : kRaw)
        EXPECT_EQ((said.err + said.out).find(raw), std::string::npos)
            << verb << ", case " << i << ": " << raw << "\n"
            << said.err;
      std::istringstream lines(said.err);
      for (std::string line; std::getline(lines, line);) longest_line = std::max(longest_line, line.size());
      if (said.code != 0) {
        EXPECT_NE(said.err, "") << verb << ", case " << i;
        EXPECT_EQ(said.out.find("ledger"), std::string::npos) << verb << ", case " << i;
      }
    };
    const Said check = percuss("check scene.yaml", "timeout -s KILL 10");
    ASSERT_TRUE(check.code == 0 || check.code == 2) << "case " << i << " ends with " << check.code << "\n"
                                                    << check.err << text;
    told(check, "check");
    if (check.code == 2) {
      ++refused;
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    const Said run =
        percuss("run scene.yaml --no-h5 --set solver.most_steps=300 --set outputs.every=1e9", "timeout -s KILL 60");
    longest_s =
        std::max(longest_s, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    EXPECT_TRUE(run.code == 0 || run.code == 1 || run.code == 2)
        << "case " << i << " ends with " << run.code << "\n"
        << run.err << text;
    told(run, "run");
    ++(run.code == 0 ? ran : failed);
  }
  EXPECT_LT(longest_line, 600U);
  report_figure(std::to_string(count) + " mutated scenes: " + std::to_string(refused) + " refused, " +
                std::to_string(ran) + " ran, " + std::to_string(failed) +
                " ended in an error after 300 steps or before; longest run " + std::to_string(longest_s) +
                " s, longest line " + std::to_string(longest_line) + " letters");
}

}  // namespace
}  // namespace percuss::tests
