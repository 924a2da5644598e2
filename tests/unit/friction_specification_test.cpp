// Friction laws by their names: defaults, constants from materials, and every mistake at once.
#include "percuss/contact/friction_specification.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace percuss::contact {
namespace {

FrictionRequest sliding(const char* law, double coefficient = 0.3) {
  FrictionRequest r;
  r.law = law;
  r.coefficient = coefficient;
  return r;
}

std::multiset<std::string> words_of(const FrictionRequest& request) {
  std::multiset<std::string> words;
  if (const auto made = specify(request); !made)
    for (const Diagnostic& d : made.errors()) words.insert(d.at.source);
  return words;
}
using Words = std::multiset<std::string>;

TEST(FrictionSpecification, FillsWhatARequestLeavesOutFromTheRow) {
  for (const FrictionRow& row : friction_rows()) {
    FrictionRequest r = sliding(row.key.data());
    r.materials = MaterialPair{2e11, 0.3, 2e11, 0.3};
    const auto law = specify(r);
    ASSERT_TRUE(law) << row.key << ": " << one_line(law.errors().front());
    EXPECT_EQ(law->row, &row);
    EXPECT_EQ(law->static_coefficient, 0.3) << "that of sliding";
    for (std::size_t k = 0; k < row.parameters.size(); ++k) {
      const FrictionParameter& p = row.parameters[k];
      if (p.otherwise) {
        EXPECT_EQ(law->parameter[k], *p.otherwise) << row.key << " " << p.name;
      } else if (p.from_materials) {
        EXPECT_EQ(law->parameter[k], p.from_materials(*r.materials)) << row.key << " " << p.name;
      }
    }
  }
}

TEST(FrictionSpecification, HasOneDefaultLaw) {
  EXPECT_EQ(default_friction().key, kDefaultFriction);
  EXPECT_EQ(specify(sliding(""))->row, &default_friction());
}

TEST(FrictionSpecification, TakesTheRatioOfMindlinFromTheMaterials) {
  FrictionRequest r = sliding("mindlin");
  EXPECT_EQ(words_of(r), Words{"parameters"}) << "neither given nor known";
  r.materials = MaterialPair{2e11, 0.3, 2e11, 0.3};
  // equal materials: 4 G*/E* = 2 (1 - nu)/(2 - nu)
  EXPECT_NEAR(specify(r)->parameter[0], 2 * 0.7 / 1.7, 1e-15);
  r.parameters = {{"ratio", 0.5}};
  EXPECT_EQ(specify(r)->parameter[0], 0.5) << "a given one overrides";
}

TEST(FrictionSpecification, SaysEveryMistakeAtOnceAndWhichWordItIsAbout) {
  FrictionRequest r = sliding("coulomb-clamp", -0.3);
  r.static_coefficient = 0.5;
  r.rolling = 0.01;
  r.parameters = {{"slip_speed", 0}, {"slip_sped", 1}};
  EXPECT_EQ(words_of(r), (Words{"coefficient", "static_coefficient", "rolling", "parameters.slip_speed",
                                "parameters.slip_sped"}));
  EXPECT_EQ(words_of(sliding("coulom-tanh")), Words{"law"});
  FrictionRequest below = sliding("lugre");
  below.static_coefficient = 0.2;
  EXPECT_EQ(words_of(below), Words{"static_coefficient"});
  FrictionRequest twice = sliding("lugre");
  twice.parameters = {{"viscous", 1}, {"viscous", 2}};
  EXPECT_EQ(words_of(twice), Words{"parameters.viscous"});
  FrictionRequest infinite = sliding("lugre");
  infinite.parameters = {{"viscous", std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(words_of(infinite), Words{"parameters.viscous"});
}

TEST(FrictionSpecification, ConstantsThatDoNotGoTogetherAreRefusedByTheirRow) {
  FrictionRequest r = sliding("ambrosio");
  r.parameters = {{"lower_speed", 1e-3}, {"slip_speed", 1e-4}};
  EXPECT_EQ(words_of(r), Words{"parameters"});
}

TEST(FrictionSpecification, ZeroIsAValueWhereItIsTheDefault) {
  FrictionRequest r = sliding("lugre");
  r.parameters = {{"viscous", 0}};
  EXPECT_TRUE(specify(r));
  r.parameters = {{"bristle_damping", 0}};
  EXPECT_EQ(words_of(r), Words{"parameters.bristle_damping"});
}

TEST(FrictionSpecification, RollingResistanceAloneNeedsNoCoefficientButARadius) {
  FrictionRequest r;
  EXPECT_EQ(words_of(r), Words{"coefficient"}) << "nothing was asked for";
  r.rolling = 0.01;
  r.radius_m = 0.2;
  const auto law = specify(r);
  ASSERT_TRUE(law);
  EXPECT_EQ(law->row, nullptr);
  EXPECT_DOUBLE_EQ(law->rolling_m, 0.002);
  EXPECT_TRUE(law->acts());
  r.law = "lugre";
  EXPECT_EQ(words_of(r), Words{"coefficient"}) << "a sliding law was named";
  r.law = "";
  r.radius_m = std::numeric_limits<double>::infinity();
  EXPECT_EQ(words_of(r), Words{"rolling"});
}

}  // namespace
}  // namespace percuss::contact
