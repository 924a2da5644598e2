// The options that describe a law and two bodies; `impact` and `map` share them.
#pragma once

#include <array>

#include "percuss/cli/arguments.h"
#include "percuss/contact/specification.h"
#include "percuss/impact/impact.h"
#include "percuss/impact/validity.h"

namespace percuss::cli {

inline constexpr std::array kCollisionOptions = {
    Option{"elastic", "KEY",
           "elastic law; default: power if --exponent is given, else what the law fixes, else hertz"},
    Option{"stiffness", "K", "generalised stiffness, N/m^n"},
    Option{"exponent", "N", "exponent n of the elastic law power"},
    Option{"calibration", "WORD",
           "published (as printed) or exact (delivers the wanted restitution); default published"},
    Option{"release", "WORD",
           "zero-depth or zero-force: where contact ends, for laws that could pull; default: the law's own"},
    Option{"param", "NAME=VALUE", "a constant of the law; percuss laws KEY lists them; may be repeated",
           Option::Kind::list},
    Option{"mass", "M", "effective mass; or"},
    Option{"mass-i", "M", "mass of body i"},
    Option{"mass-j", "M", "mass of body j; default: fixed"},
    Option{"velocity", "V", "speed of approach; or"},
    Option{"velocity-i", "V", "velocity of body i, along the normal from i to j"},
    Option{"velocity-j", "V", "velocity of body j; default 0"},
    Option{"young-i", "E", "Young's modulus of body i, instead of a stiffness"},
    Option{"young-j", "E", "of body j; default: as body i"},
    Option{"poisson-i", "NU", "Poisson's ratio of body i"},
    Option{"poisson-j", "NU", "of body j; default: as body i"},
    Option{"radius-i", "R", "radius of body i; negative: concave"},
    Option{"radius-j", "R", "of body j; negative: concave; default: a plane"},
    Option{"length", "L", "length of a line contact: the bodies are cylinders"},
    Option{"density-i", "RHO", "density of body i: gives its mass, and the wave-speed warning"},
    Option{"density-j", "RHO", "of body j; default: as body i"},
};

/// Two option lists as one.
template <std::size_t A, std::size_t B>
constexpr std::array<Option, A + B> both(const std::array<Option, A>& a, const std::array<Option, B>& b) {
  std::array<Option, A + B> all{};
  for (std::size_t i = 0; i < A; ++i) all[i] = a[i];
  for (std::size_t i = 0; i < B; ++i) all[A + i] = b[i];
  return all;
}

/// Everything but law, law file and restitution.
struct CollisionInputs {
  contact::LawRequest request;
  std::optional<double> mass_kg, velocity_mps;
  std::optional<impact::TwoBodies> two_bodies;  // if given as two bodies
  impact::Bodies bodies;
};

/// Reads what is there and adds what is wrong to `errors`. `law` tells the units of constants and stiffness.
CollisionInputs read_collision(const Arguments& arguments, std::string_view law, std::vector<Diagnostic>& errors);

/// Words of the library become options: "restitution" is "--restitution", "param mu" is "--param mu".
std::vector<Diagnostic> as_options(const std::vector<Diagnostic>& errors);

}  // namespace percuss::cli
