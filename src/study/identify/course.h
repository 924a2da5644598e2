// One collision at the parameters of a fit, with slopes in them if they can be had.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "percuss/impact/described.h"
#include "percuss/impact/sloped.h"

namespace percuss::study {

/// A law with its numbers, and what collides.
struct Latched {
  contact::LawSpec spec;
  double mass_kg = 0, velocity_mps = 0;

  Result<impact::Outcome> collide(impact::Times times = impact::Times::all) const;
};
Result<Latched> latched(const impact::Words& words, const std::optional<contact::UserLaw>& user_law);

class Course {
 public:
  using WordsAt = std::function<impact::Words(std::span<const double> z)>;
  /// `free` are the numbers of the parameters that are words. Errors of the kind `not_available`: there are none.
  static Result<Course> make(const WordsAt& words_at, std::span<const double> z,
                             const std::vector<std::size_t>& free, const std::optional<contact::UserLaw>& user_law,
                             bool with_slopes);

  /// A number of the collision and its slopes in z, parameter by parameter.
  struct Number {
    double value = 0;
    std::vector<double> slope;
    double per_time = 0;
  };
  Number restitution() const;
  Number peak_force() const;
  Number peak_indentation() const;
  Number force_at(double t_s) const;
  Number depth_at(double t_s) const;
  Number force_over(double depth_m, bool out) const;  // while unloading, or loading
  double end_s() const { return sloped_ ? sloped_->end_s() : samples_.back().time_s; }

 private:
  std::optional<Diagnostic> chain(const WordsAt& words_at, std::span<const double> z,
                                  const std::vector<std::size_t>& free,
                                  const std::optional<contact::UserLaw>& user_law, const Latched& own,
                                  std::vector<int>& inputs);
  Number number(const impact::Sloped& s) const;
  double between(double t_s, double impact::Sample::*what) const;

  std::optional<impact::SlopedCollision> sloped_;
  std::vector<std::vector<double>> chain_;  // [parameter][input]
  // of a law without slopes
  impact::Outcome outcome_;
  std::vector<impact::Sample> samples_;
  double velocity_mps_ = 0;
};

}  // namespace percuss::study
