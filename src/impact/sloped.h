// A collision with its derivatives in what it is made of: for fits.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "percuss/contact/specification.h"
#include "percuss/impact/impact.h"

namespace percuss::impact {

/// A number and its derivatives in the latch inputs that were asked for, in their order.
struct Sloped {
  double value = 0;
  std::vector<double> slope;
};

/// The motion at a time, or at a depth.
struct SlopedSample {
  Sloped depth_m, force_N;
  double rate_mps = 0, force_rate = 0;  // dF/dt
};

/// m x'' = -F(x, x'; p) integrated together with its derivatives in p: every right-hand side is evaluated on dual
/// numbers, so that x_p and x'_p obey the exact variational equations. At the located events (turn, release) the
/// derivatives of the times follow from the implicit function theorem: g(y(t_e, p), p) = 0 gives t_p = -g_p/g_t,
/// and whatever is read there has the total derivative y_p + y_t t_p.
class SlopedCollision {
 public:
  /// `inputs` are LatchInputs. Built-in power laws only (can_be_sloped).
  static Result<SlopedCollision> make(const contact::LawSpec& spec, double mass_kg, double velocity_mps,
                                      const std::vector<int>& inputs, double tolerance = 1e-10);
  SlopedCollision(SlopedCollision&&) noexcept;
  SlopedCollision& operator=(SlopedCollision&&) noexcept;
  ~SlopedCollision();

  const Sloped& restitution() const;
  const Sloped& peak_force_N() const;
  const Sloped& peak_indentation_m() const;
  double turn_s() const;
  double end_s() const;

  /// Before touch and after release the bodies move freely: the depth is below that of release, the force zero.
  SlopedSample at_time(double t_s) const;
  /// On the way in, or out. Beyond the largest depth the loading force goes on along its tangent at rest; beyond
  /// the release there is none.
  SlopedSample at_depth(double depth_m, bool on_the_way_out) const;

 private:
  struct Course;
  explicit SlopedCollision(std::unique_ptr<Course> course);
  std::unique_ptr<Course> course_;
};

}  // namespace percuss::impact
