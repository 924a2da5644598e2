// What the papers are made of: one collision by a law's key, one scene with its samples, curves of both.
#pragma once

#include <string>
#include <vector>

#include "percuss/impact/impact.h"
#include "percuss/recording/recording.h"
#include "percuss/study/reproduction.h"

namespace percuss::study {

/// Laws by their keys and the names that figures give them.
struct NamedLaw {
  const char *key, *name;
};

/// An isolated collision, as a paper states it.
struct Statement {
  std::string law;
  double restitution = 1, stiffness = 0, mass_kg = 1, velocity_mps = 1;
  std::string elastic{};  // empty: Hertz's exponent, or what the law fixes
  std::vector<std::pair<std::string, double>> parameters{};
};

struct Collided {
  contact::Law law;
  impact::Outcome outcome;
  std::vector<impact::Sample> history;
};
/// Papers' collisions always make sense: what does not is a mistake of this program, and ends it.
Collided collide(const Statement& statement);

/// a of F = f(x)(1 + a x'/v0).
double damping_factor(const std::string& law, double restitution);

PaperCurve force_over_depth(const std::string& name, const Collided& c);
PaperCurve force_over_time(const std::string& name, const Collided& c);
PaperCurve depth_over_time(const std::string& name, const Collided& c);
PaperCurve rate_over_time(const std::string& name, const Collided& c);
PaperCurve rate_over_depth(const std::string& name, const Collided& c);

/// A scene of the paper's folder, with its samples.
Result<recording::Recording> simulate(const std::filesystem::path& scene,
                                      const std::vector<std::string>& overrides);
PaperCurve body_over_time(const std::string& name, const recording::Recording& run, const std::string& body,
                          const std::string& column);

/// When the last contact that never ended began; infinity if all ended.
double rest_begins_s(const recording::Recording& run);

}  // namespace percuss::study
