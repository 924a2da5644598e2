// Wrong input: one clear line each on stderr, exit 2, nothing on stdout.
#include "cli/run.h"

namespace percuss::tests {
namespace {

struct Mistake {
  const char* words;
  const char* says;  // must stand in the message
  long lines = 1;
};

class BadInput : public Command {
 protected:
  void expect(const Mistake& m) const {
    for (const char* json : {"", " --json"}) {
      const Said said = percuss(std::string(m.words) + json);
      EXPECT_EQ(said.code, 2) << m.words;
      EXPECT_EQ(said.out, "") << m.words;
      EXPECT_EQ(said.error_lines(), m.lines) << m.words << "\n" << said.err;
      EXPECT_NE(said.err.find(m.says), std::string::npos) << m.words << "\n" << said.err;
    }
  }
};

#define GOOD "impact --law flores --restitution 0.6 --stiffness 1e8 --velocity 1 "
#define BODY "--mass 1 --velocity 1 "

TEST_F(BadInput, NumbersThatAreNone) {
  for (const Mistake& m : std::initializer_list<Mistake>{
           {GOOD "--mass -1", "must be above 0"},
           {GOOD "--mass 0", "must be above 0"},
           {GOOD "--mass nan", "not a finite number"},
           {GOOD "--mass inf", "not a finite number"},
           {GOOD "--mass 1e", "is not a number"},
           {GOOD "--mass 1e999", "not a finite number"},
           {GOOD "--mass 1q", "unknown unit"},
           {GOOD "--mass ''", "not a finite number"},
           {GOOD "--mass '1 m'", "is a length; expected a mass, e.g. 2 kg"},
           {GOOD "--mass '1 kg 2'", ""},
           {"impact --law flores --restitution 0.6 --stiffness 1e8 --mass 1 --velocity 0", "must be above 0"},
           {"impact --law flores --restitution 0.6 --stiffness 1e8 --mass 1 --velocity -3", "must be above 0"},
           {"impact --law flores --restitution 0.6 --stiffness 0 " BODY, "must be above 0"},
           {"impact --law flores --restitution 0.6 --stiffness -5 " BODY, "must be above 0"},
           {"impact --law flores --restitution 0.6 --stiffness '1e8 N/m' " BODY, "N/m^1.5"},
           {"impact --law flores --restitution 1.1 --stiffness 1e8 " BODY, "outside 0..1"},
           {"impact --law flores --restitution -0.1 --stiffness 1e8 " BODY, "outside 0..1"},
           {"impact --law flores --restitution 0 --stiffness 1e8 " BODY, "infinite damping"},
           {"impact --law flores --restitution 0.6 --stiffness 1e8 --exponent 0 " BODY, "exponent"},
           {"impact --law none --stiffness 1e8 --samples 2 " BODY, "whole number"}})
    expect(m);
}

TEST_F(BadInput, WhatIsMissingIsReportedAllAtOnce) {
  for (const Mistake& m : std::initializer_list<Mistake>{
           {"impact --law flores --stiffness 1e8 " BODY, "--restitution: error: missing"},
           {"impact --law flores --restitution 0.6 " BODY, "--stiffness: error: missing"},
           {"impact --law flores", "--mass: error: missing", 4},
           {"impact", "--law: error: missing", 3},
           {"impact --law adams-impact --stiffness 1e8 " BODY, "--parameters max_damping: error: missing", 2},
           {"impact --law mixed --restitution 0.5 --stiffness 1e8 " BODY,
            "--parameters plastic_share: error: missing"},
           {"impact --law kelvin-voigt --stiffness 1e8 " BODY, "or give a restitution"},
           {"impact --law none --elastic johnson --young-i 210GPa --poisson-i 0.3 --radius-i 9.5mm --radius-j "
            "-10mm " BODY,
            "--length: error: missing"},
           {"impact --law hertz --young-i 210GPa " BODY, "--poisson-i: error: missing", 2}})
    expect(m);
}

TEST_F(BadInput, WordsThatDoNotExist) {
  for (const Mistake& m : std::initializer_list<Mistake>{
           {"impact --law huntcrossley --restitution 0.6 --stiffness 1e8 " BODY, "did you mean \"hunt-crossley\"?"},
           {"impact --law Floers --restitution 0.6 --stiffness 1e8 " BODY, "did you mean \"flores\"?"},
           {GOOD "--mass 1 --elastic herz", "did you mean \"hertz\"?"},
           {GOOD "--mass 1 --calibration precise", "allowed: published, exact"},
           {GOOD "--mass 1 --masss 2", "did you mean \"--mass\"?"},
           {GOOD "--mass 1 --parameters beta=1", "flores has no parameter \"beta\""},
           {GOOD "--mass 1 --parameters beta", "is not NAME=VALUE", 1},
           {GOOD "--mass 1 extra", "does not know \"extra\""},
           {"impact --mass --velocity 1", "--mass needs a value"},
           {"impact --law", "--law needs a value"},
           {"impakt --law flores", "did you mean \"impact\"?"},
           {"laws florez", "did you mean \"flores\"?"},
           {"map --laws flores,florez", "did you mean \"flores\"?"}})
    expect(m);
}

TEST_F(BadInput, OptionsThatContradictEachOther) {
  for (const Mistake& m : std::initializer_list<Mistake>{
           {GOOD "--mass 1 --mass-i 2", "exclude each other"},
           {GOOD "--mass 1 --velocity-i 2", "exclude each other"},
           {GOOD "--mass 1 --mass 2", "given twice"},
           {GOOD "--mass 1 --elastic hertz --exponent 1", "contradicts"},
           {GOOD "--mass 1 --release zero-indentation", "never pulls"},
           {GOOD "--mass 1 --young-i 210GPa --poisson-i 0.3 --radius-i 1cm", "only one can be"},
           {"impact --law hertz --restitution 0.6 --stiffness 1e8 " BODY, "takes none"},
           {"impact --law kelvin-voigt --exponent 1.5 --restitution 0.6 --stiffness 1e8 " BODY,
            "defined for n = 1 alone"},
           {"impact --law tsuji --elastic hooke --restitution 0.6 --stiffness 1e8 " BODY,
            "defined for n = 1.5 alone"},
           {"impact --law bistiffness --restitution 0.6 --parameters mu=0.5 --stiffness 1e8 " BODY, "not both"},
           {"impact --law ristow --parameters damping=1 --calibration exact --stiffness 1e8 " BODY,
            "exact goes with a restitution"},
           {"impact --law exact --restitution 0.5 --stiffness 1e8 --mass-i 1 --velocity-i 1 --velocity-j 2",
            "do not approach"},
           {"impact --law hertz --young-i 210GPa --poisson-i 0.3 --radius-i 2cm --radius-j -1cm " BODY,
            "must be above 0"},
           {"impact --law hertz --young-i 210GPa --poisson-i 0.6 --radius-i 2cm " BODY, "outside -1..0.5"}})
    expect(m);
}

TEST_F(BadInput, AnImpactThatLeavesTheRangeOfItsLaw) {
  expect(
      {"impact --law none --elastic johnson --young-i 207GPa --poisson-i 0.3 --radius-i 9.5mm --radius-j -10mm "
       "--length 15mm --mass 1000 --velocity 100",
       "where the elastic law ends"});
}

TEST_F(BadInput, LawFilesWithMistakesNameLineAndColumn) {
  const auto with = [this](const std::string& text) {
    write("law.yaml", text);
    return percuss("impact --law-file law.yaml --stiffness 1e8 --restitution 0.5 --exponent 1.5 " BODY "--json");
  };
  for (const auto& [text, says] : std::initializer_list<std::pair<const char*, const char*>>{
           {"force: K*delta^n*gamma\n", "law.yaml:1:18: error: unknown name \"gamma\""},
           {"force: K*delta^n\nforces: 1\n",
            "law.yaml:2:1: error: law: unknown key \"forces\"; did you mean \"force\"?"},
           {"force: K*delta\nforce: K\n", "law.yaml:2:1: error: the key \"force\" stands here twice"},
           {"name: x\n", "\"force\" is missing"},
           {"force: K*delta*b\nconstants: {b: 1e}\n", "law.yaml:2:16: error: constant b"},
           {"force: K*delta*b\nconstants: {b: .nan}\n", "is not a finite number"},
           {"force: K*delta\nconstants: {sin: 1}\n", "cannot name a constant"},
           {"force: K*delta\nrelease: never\n",
            "law.yaml:2:10: error: law: release: unknown word \"never\"; allowed: zero-force, zero-indentation"},
           {"force: K/delta\n", "not finite"},
           {"force: K*delta^n/(c - 0.5)\n", "not finite"},
           {"force: K*delta^n + 1e-3/(delta - 2e-5)\n", ""},
           {"force: [1, 2]\n", "expected a text, found a list"},
           {"just a text\n", "expected a mapping of keys and values"},
           {"force: {a: K\n", "the mapping is not closed"},
           {"force: \xff\xfe\n", "is not UTF-8"},
           {"", "expected a mapping of keys and values"}}) {
    const Said said = with(text);
    EXPECT_EQ(said.code, 2) << text;
    EXPECT_EQ(said.out, "") << text;
    EXPECT_EQ(said.error_lines(), 1) << text << said.err;
    EXPECT_NE(said.err.find(says), std::string::npos) << text << "\n" << said.err;
  }
  EXPECT_EQ(percuss("impact --law-file none.yaml --stiffness 1e8 " BODY).code, 2);
  EXPECT_EQ(percuss("impact --law flores --law-file law.yaml --stiffness 1e8 " BODY).code, 2);
}

TEST_F(BadInput, HelpAndVersionAnswerInEveryForm) {
  const std::string run = percuss("run --help").out;
  EXPECT_EQ(percuss("help run").out, run);
  EXPECT_NE(run.find("usage: percuss run SCENE [options]"), std::string::npos) << run;
  EXPECT_NE(percuss("help laws").out.find("usage: percuss laws [KEY] [options]"), std::string::npos);
  EXPECT_EQ(percuss("-V").out, percuss("--version").out);
  const Said typo = percuss("help rum");
  EXPECT_EQ(typo.code, 2);
  EXPECT_NE(typo.err.find("did you mean \"run\"?"), std::string::npos) << typo.err;
  EXPECT_EQ(percuss("--version foo").code, 2);
}

}  // namespace
}  // namespace percuss::tests
