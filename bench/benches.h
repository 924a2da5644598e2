// The parts of ./dev bench; each prints its table and says whether its bars are met.
#pragma once

namespace percuss::bench {

/// Forces of many contacts in one batch against the scalar loop with std::pow.
bool batch_forces(bool quick);

/// Closed-form impacts in batches, durations, and the integrated path.
bool impacts();

/// Scenes in the engine: work against error beside Simbody, bars of their own, long chains.
bool scenes();
/// Growth with the number of bodies alone.
bool bodies();

/// Boxes in stacks and polyhedra of many vertices: the growth of the cost of a step.
bool convexes();

/// Singular positions of long linkages, and blocks that stick.
bool step_control();

/// Collisions at many points in closed form.
bool collisions();

/// Sweeps: a million impacts, threads, what a point costs beyond its run.
bool studies();

}  // namespace percuss::bench
