// The equations of motion near a state without velocities: s'' = residual - damping s' - stiffness s, in
// coordinates that the joints leave free.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "percuss/dynamics/evaluation.h"

namespace percuss::dynamics {

/// The model with its drivers and prescribed motions as they are at a time, and not moving; joints are held by
/// projection. The layout of the unknowns stays.
Model held_at(const Model& model, double t_s, const Modes& modes);

/// M times velocity-like unknowns u, without the offset of the positions.
std::vector<double> mass_times(const Model& model, std::span<const double> u);

/// Columns that span the velocities which the joints allow, with N^T M N = 1. At the place of the evaluation.
Eigen::MatrixXd free_directions(const Model& model, const Modes& modes, const Evaluation& e);

/// The largest way of a body that a displacement means: of its centre of mass, or its turn times the size of
/// things.
double way_m(const Model& model, std::span<const double> u);

/// The deflection of its friction memory at which a contact begins to slide.
double memory_limit_m(const ContactMode& contact, const Approach& a);

/// How fast friction memories change when the bodies move with velocities u and nothing yields: three numbers for
/// each contact that remembers. Bristles and contact springs follow the velocity alone there, so that they are
/// springs. Where a memory is at its limit, or slips, it is 0. A contact spring has another rate where its contact
/// grows and where it shrinks: as u moves it, or that of growing contacts for both, which is linear.
enum class Memories { as_they_move, as_if_pressed };
std::vector<double> memory_shift(const Model& model, double t_s, std::span<const double> y, const Modes& modes,
                                 std::span<const double> u, Memories memories, Workspace& workspace);

/// A place beside another: positions moved by factor * u and put back onto the joints, memories moved along, no
/// velocities.
std::vector<double> displaced(const Model& held, double t_s, std::span<const double> y, const Modes& modes,
                              std::span<const double> u, std::span<const double> shift, double factor,
                              Workspace& workspace);

struct Linearisation {
  Eigen::MatrixXd basis;     // [velocity unknown, coordinate]; near the eigenvectors of the stiffness
  Eigen::VectorXd residual;  // the accelerations left
  Eigen::MatrixXd stiffness, damping;
  Eigen::VectorXd noise;          // [coordinate] what rounding leaves uncertain of the stiffness there, 1/s^2
  Eigen::VectorXd damping_noise;  // likewise of the damping, 1/s
  double acceleration_mps2 = 0;   // the largest of a body, turns times the size of things
  double noise_mps2 = 0;          // what rounding leaves uncertain of it
  int worst_body = 0;
};

/// Differences of `evaluate` about (t, y), whose velocities are 0 and whose joints are closed. Two passes: the
/// second takes its differences along the eigenvectors of the first, each over a way as long as its contacts allow,
/// so that a stiff contact does not drown a soft pendulum. `order` is that of the differences: 2 or 4. Errors:
/// truncation of order 4 is 3e-10 of a Hertzian stiffness; rounding is in `noise`.
enum class WithDamping { no, yes };
Linearisation linearise(const Model& held, double t_s, std::span<const double> y, const Modes& modes,
                        WithDamping with_damping, int order, Workspace& workspace);

}  // namespace percuss::dynamics
