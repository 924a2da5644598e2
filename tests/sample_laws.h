// Each row of the law table with constants that make it a law, for tests that run over the table.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "percuss/contact/specification.h"
#include "percuss/impact/impact.h"

namespace percuss::contact {

inline void PrintTo(const DissipationRow& row, std::ostream* out) { *out << row.key; }

}  // namespace percuss::contact

namespace percuss::tests {

using namespace contact;

inline constexpr double kMass = 0.046, kSpeed = 0.3,
                        kStiffness = 5.5e9;  // the aluminium spheres of Alves et al. 2015

inline std::string test_name(const ::testing::TestParamInfo<DissipationRow>& info) {
  std::string name(info.param.key);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

/// A request that the row accepts, with constants of a size that makes losses visible.
inline LawRequest sample_request(const DissipationRow& row, double restitution = 0.6) {
  LawRequest r;
  r.law = row.key;
  r.stiffness = kStiffness;
  if (row.restitution != RestitutionUse::none) r.restitution = restitution;
  if (row.key == "ristow") r.parameters = {{"damping", 1500}};
  if (row.key == "lee-herrmann") r.parameters = {{"damping_rate", 20000}};
  if (row.key == "hunt-crossley-alpha") r.parameters = {{"alpha", 1}};
  if (row.key == "kuwabara-kono") r.parameters = {{"relaxation_time", 1e-5}};
  if (row.key == "bordbar-hyppanen") r.parameters = {{"damping", 1e6}};
  if (row.key == "adams-impact") r.parameters = {{"max_damping", 1500}, {"full_damping_indentation", 1e-5}};
  if (row.key == "mixed") r.parameters = {{"plastic_share", 0.4}};
  if (row.key == "thornton") {
    r.stiffness.reset();
    r.parameters = {{"yield_pressure", 1.2e9}, {"effective_modulus", 4e10}, {"effective_radius", 0.0106}};
  }
  return r;
}

inline LawSpec sample_spec(const DissipationRow& row, double restitution = 0.6,
                           Calibration calibration = Calibration::published) {
  LawRequest request = sample_request(row, restitution);
  request.calibration = calibration;
  const Result<LawSpec> spec = specify(request);
  if (!spec) throw std::runtime_error(one_line(spec.errors().front()));
  return *spec;
}

inline impact::Collision sample_collision(const LawSpec& spec, double mass = kMass, double speed = kSpeed) {
  return {latch(spec, mass, speed), mass, speed};
}

/// 0.0, 0.1 ... as many as asked for.
inline std::vector<double> evenly(double from, double to, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(from + (to - from) * i / (count - 1));
  return values;
}

}  // namespace percuss::tests
