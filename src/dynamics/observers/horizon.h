// The predictability horizon: until when the motion is decided by the scene, and not by the tolerance.
#pragma once

#include <memory>
#include <vector>

#include "percuss/dynamics/simulation.h"
#include "percuss/recording/recording.h"

namespace percuss::dynamics {

/// Takes a second solution, the shadow, along at a tighter tolerance (or shorter fixed step). Watched are the place
/// of each body and, of each pair named in a contact, that of one surface relative to the other: in a joint with
/// clearance all that matters happens within the clearance. With D the difference of the two solutions so far at
/// most and R the extent of the region that the place has covered by the end, the solutions have parted at the
/// first time at which D > kParted R in one of them.
///
/// D is kept as a staircase whose steps rise by a quarter, so the horizon is that of a share between kParted and
/// 1.25 kParted. A body that stays where it is has no extent: R is at least what a thousand times the tolerance
/// allows. Both solutions share the integrator, so an error of the model or of the method's theory is not seen,
/// nor is a motion that both miss.
class Horizon final : public Observer {
 public:
  static constexpr double kTighter = 1e-2;  // of the tolerance
  static constexpr double kTightest = 1e-13;
  static constexpr double kShorter = 0.25;  // of a fixed step
  static constexpr double kParted = 0.01;

  /// From the State in which the run begins; a restored one goes on from its own.
  Horizon(const Model& model, const Settings& settings, State start);

  void begin(const StateView& view) override;
  void state(const StateView& view) override;
  void save(Writer& out) const override;
  bool restore(Reader& in) override;

  recording::Horizon horizon() const;
  const std::string& failure() const { return shadow_->failure(); }  // of the shadow

 private:
  /// Bodies, or one surface seen from another.
  struct Watched {
    int body = -1, from_body = -1;  // from the origin of the world, if that is -1
    Vec3 point, from_point;         // in body axes
    Vec3 at(const model::Motions& motions) const;
  };
  struct Seen {
    Vec3 low, high;
    double largest_m = 0;  // difference so far
  };
  struct Rise {
    int watched = 0;
    double time_s = 0, difference_m = 0;
  };

  const Model& model_;
  const Settings settings_;  // of the shadow
  const double smallest_extent_m_;
  State start_;
  std::vector<Watched> watched_;
  std::vector<Seen> seen_;   // [watched]
  std::vector<Rise> rises_;  // in the order of time
  std::unique_ptr<Simulation> shadow_;
};

}  // namespace percuss::dynamics
