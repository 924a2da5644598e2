// Numbers that expressions, events and outputs read off an evaluation.
#pragma once

#include <array>

#include "percuss/dynamics/evaluation.h"

namespace percuss::dynamics {

/// A contact of the table as a whole: its deepest point (or the nearest, if none touches), the sums of its forces.
struct ContactReport {
  double depth_m = 0, rate_mps = 0, force_N = 0, friction_N = 0;
  int touching = 0;
  Vec3 push_N;  // on `pushed`, friction included, summed over its points
  int pushed = -1;
  Vec3 point_m;  // in the world: the mean of the points, weighted by their forces; meant where they push
};
/// Depth and rate need places and velocities alone, forces a whole evaluation.
enum class ReportOf { places, forces };
ContactReport report(const Model& model, const Modes& modes, const Evaluation& e, std::size_t contact,
                     ReportOf what = ReportOf::forces);

/// A body's frame as samples and expressions see it.
struct BodyReport {
  Vec3 p_m, v_mps, w_radps;
  double turn_rad = 0;
  std::array<double, 4> q{};  // scalar first; not in the plane
};
BodyReport body_report(const Model& model, const Evaluation& e, std::size_t body);

/// One number of a report.
double value_of(const BodyReport& report, model::Channel::Kind kind, int component);
double value_of(const ContactReport& report, model::Channel::Kind kind);

/// What a spring whose force is an expression pulls with, and what it would pull with if its length stood still:
/// the work of that is stored, that of the rest is lost.
struct SpringPull {
  double N = 0, at_rest_N = 0;
};
SpringPull pull_of(const Model& model, const Modes& modes, const Evaluation& e, const model::Spring& spring);
double spring_force_N(const Model& model, const Modes& modes, const Evaluation& e, std::size_t spring);
double channel(const Model& model, const Modes& modes, const Evaluation& e, int index);
double value_of(const Model& model, const Modes& modes, const Evaluation& e, const model::Function& f);
/// The time and the channels that a function reads.
inline constexpr std::size_t kMostSlots = model::Function::kMostChannels + 1;
std::span<const double> read_slots(const Model& model, const Modes& modes, const Evaluation& e,
                                   const model::Function& f, std::span<double, kMostSlots> slots);
void read_channels(const Model& model, const Modes& modes, const Evaluation& e, const std::vector<int>& channels,
                   std::vector<double>& out);

/// Does the function read forces of contacts? Then it needs a whole evaluation.
bool reads_forces(const Model& model, const model::Function& f);
bool reads_forces(const Model& model, std::span<const int> channels);
/// The bodies whose motion decides the function; nothing where that may be all of them.
std::optional<std::vector<int>> bodies_read(const Model& model, const model::Function& f);

}  // namespace percuss::dynamics
