// A law ready for one contact episode: elastic function, dissipation shape, parameters, and the rule of its end.
#pragma once

#include <span>

#include "percuss/contact/shape.h"

namespace percuss::contact {

/// Where contact ends on the way out. A law that pulls ends at zero depth; one that may not pull ends where its
/// force does (which is zero depth, or the permanent indentation, for every law whose force never turns).
enum class Release { zero_indentation, zero_force };

template <class P = double>
struct LawOf {
  Elastic<P> elastic;
  Shape<P> shape;
  Release release = Release::zero_force;
  bool operator==(const LawOf&) const = default;
  bool pulls() const { return release == Release::zero_indentation; }
  /// The law as it goes on, without the rule against pulling.
  LawOf unruled() const { return {elastic, shape, Release::zero_indentation}; }
};
using Law = LawOf<>;

/// The smallest force a law may give: 0, or anything if it pulls.
PERCUSS_INLINE double lowest_force_N(bool pulls) { return pulls ? -std::numeric_limits<double>::infinity() : 0.0; }

/// Shape and elastic kernel with the two rules common to all laws: no force at a gap, none below `lowest_N`.
template <class ShapeKernel, class ElasticKernel, class T>
PERCUSS_INLINE NormalForce<T> ruled_force(const ShapeKernel& shape, const ElasticKernel& elastic,
                                          const Indentation<T>& x, double lowest_N) {
  const auto in_touch = x.depth_m >= T(0.0);
  const NormalForce<T> raw = shape(elastic, x);  // at a gap a number or not: it is not used
  return {select(in_touch, max_of(raw.total_N, T(lowest_N)), T(0.0)), select(in_touch, raw.elastic_N, T(0.0))};
}

/// The force of one contact, on any scalar.
template <class P, class T>
NormalForce<T> force(const LawOf<P>& law, const Indentation<T>& x) {
  return with_kernel(law.shape, [&](const auto& shape) {
    return with_kernel(law.elastic, [&](const auto& elastic) {
      return ruled_force(shape, elastic, x, lowest_force_N(law.pulls()));
    });
  });
}

/// The same for plain numbers, compiled once.
NormalForce<> force_parts(const Law& law, const Indentation<>& x);
double force_N(const Law& law, const Indentation<>& x);

/// Force and its exact partial derivatives.
struct ForceSlopes {
  double force_N, per_depth_Npm, per_rate_Nspm;
};
ForceSlopes force_slopes(const Law& law, const Indentation<>& x);

/// Energy that unloading from here can return without damping.
double stored_energy_J(const Law& law, double depth_m, double deepest_m);

/// Energy spent on permanent deformation once the contact has been `deepest_m` deep.
double plastic_energy_J(const Law& law, double deepest_m);

/// The depth that remains when an episode that went `deepest_m` deep has ended.
double permanent_indentation_m(const Law& law, double deepest_m);

/// Does the force depend on the deepest point so far?
bool has_memory(const Law& law);

/// Forces of many contacts of one law; the bits of `force_N`, several contacts at a time. `deepest_m` may be empty:
/// virgin loading. `threads` shares of the batch run at once; the result does not depend on it.
enum class InstructionSet { best, baseline };
void forces_N(const Law& law, std::span<const double> depth_m, std::span<const double> rate_mps,
              std::span<const double> deepest_m, std::span<double> out_N, unsigned threads = 1,
              InstructionSet instructions = InstructionSet::best);

/// The instruction set that batches run on here: "avx2" or "sse2".
const char* batch_instruction_set();

}  // namespace percuss::contact
