// From options to a law request and two bodies.
#include "percuss/cli/collision_options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace percuss::cli {

using namespace contact;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Reader {
 public:
  Reader(const Arguments& arguments, std::vector<Diagnostic>& errors) : arguments_(arguments), errors_(errors) {}

  CollisionInputs read(std::string_view law) {
    CollisionInputs in;
    in.request.elastic = arguments_.text("elastic");
    read_words(in.request);
    in.request.exponent = arguments_.number("exponent", dimension::number, errors_);
    in.request.stiffness =
        arguments_.number("stiffness", dimension::stiffness(exponent_for_units(law, in.request)), errors_);
    read_parameters(law, in.request);
    read_pairing(in);
    read_masses(in);
    read_velocities(in);
    return in;
  }

 private:
  void fail(std::string_view option, std::string text) {
    errors_.push_back({{"--" + std::string(option)}, std::move(text)});
  }

  std::optional<double> positive(std::string_view option, const Dimension& dimension) {
    const std::optional<double> value = arguments_.number(option, dimension, errors_);
    if (!value || *value > 0) return value;
    fail(option, arguments_.text(option) + " must be above 0");
    return std::nullopt;
  }

  void read_words(LawRequest& request) {
    constexpr std::string_view kCalibrations[] = {"published", "exact"}, kReleases[] = {"zero-depth", "zero-force"};
    const bool exact = arguments_.word("calibration", kCalibrations, "published", errors_) == "exact";
    request.calibration = exact ? Calibration::exact : Calibration::published;
    if (arguments_.has("release"))
      request.release = arguments_.word("release", kReleases, "", errors_) == "zero-depth" ? Release::zero_depth
                                                                                           : Release::zero_force;
  }

  /// The exponent that gives the stiffness its unit, as far as it can be told from the words alone.
  static double exponent_for_units(std::string_view law, const LawRequest& request) {
    if (request.exponent) return *request.exponent;
    for (const std::string_view key : {std::string_view(request.elastic), law})
      if (const ElasticRow* row = find_elastic(key); row && row->exponent > 0) return row->exponent;
    const DissipationRow* row = find_dissipation(law);
    return row && row->fixed_exponent > 0 ? row->fixed_exponent : 1.5;
  }

  void read_parameters(std::string_view law, LawRequest& request) {
    if (const Alias* alias = find_alias(law)) law = alias->key;
    for (const std::string& text : arguments_.texts("param")) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos || equals == 0) {
        fail("param", "\"" + text + "\" is not NAME=VALUE");
        continue;
      }
      const std::string name = text.substr(0, equals);
      const Result<double> value = read_number(text.substr(equals + 1), dimension_of(law, name));
      if (value) request.parameters.emplace_back(name, *value);
      if (!value) {
        fail("param " + name, value.errors().front().text);
        request.parameters.emplace_back(name, 0.5);  // not missing, whatever it was
      }
    }
  }
  static Dimension dimension_of(std::string_view law, std::string_view parameter) {
    for (const DissipationRow& row : dissipation_rows())
      for (const Parameter& p : row.parameters)
        if (p.name == parameter && (row.key == law || law.empty())) return p.dimension;
    return dimension::number;
  }

  void read_pairing(CollisionInputs& in) {
    const auto young_i = positive("young-i", dimension::pressure),
               young_j = positive("young-j", dimension::pressure);
    const auto poisson_i = poisson("poisson-i"), poisson_j = poisson("poisson-j");
    const auto radius_i = radius("radius-i"), radius_j = radius("radius-j");
    const auto length = positive("length", dimension::length);
    density_i_ = positive("density-i", dimension::density);
    density_j_ = positive("density-j", dimension::density);
    if (!density_j_) density_j_ = density_i_;
    radius_i_ = radius_i;
    radius_j_ = radius_j;
    length_ = length;
    const bool any = arguments_.has("young-i") || arguments_.has("young-j") || arguments_.has("poisson-i");
    if (!any) return;
    in.request.pairing = Pairing{1, 1, 1, 1};  // whatever is wrong below, materials are not missing
    if (!arguments_.has("young-i")) fail("young-i", "missing: materials need it");
    if (!arguments_.has("poisson-i")) fail("poisson-i", "missing: materials need it");
    if (!arguments_.has("radius-i")) fail("radius-i", "missing: materials need it");
    if (!young_i || !poisson_i || !radius_i) return;
    Pairing pair;
    pair.modulus_Pa =
        effective_modulus_Pa(*young_i, *poisson_i, young_j.value_or(*young_i), poisson_j.value_or(*poisson_i));
    pair.radius_i_m = *radius_i;
    pair.radius_j_m = radius_j.value_or(kInfinity);
    pair.length_m = length.value_or(0);
    if (!(pair.effective_radius() > 0) || !std::isfinite(pair.effective_radius()))
      return fail("radius-j", "these surfaces do not meet in a point or line: 1/R_i + 1/R_j must be above 0");
    in.request.pairing = pair;
    in.bodies = {std::min(*young_i, young_j.value_or(*young_i)), 0, pair.effective_radius()};
    if (density_i_) in.bodies.density_kgpm3 = std::max(*density_i_, *density_j_);
  }
  std::optional<double> poisson(std::string_view option) {
    const auto nu = arguments_.number(option, dimension::number, errors_);
    if (!nu || (*nu > -1 && *nu <= 0.5)) return nu;
    fail(option, arguments_.text(option) + " is outside -1..0.5");
    return std::nullopt;
  }
  std::optional<double> radius(std::string_view option) {
    const auto r = arguments_.number(option, dimension::length, errors_);
    if (!r || *r != 0) return r;
    fail(option, "0 is no radius");
    return std::nullopt;
  }

  /// A sphere, or a cylinder if a length is given; nothing for a plane or a concave body.
  std::optional<double> mass_from_density(const std::optional<double>& density,
                                          const std::optional<double>& r) const {
    if (!density || !r || *r < 0) return std::nullopt;
    const double volume =
        length_ ? std::numbers::pi * *r * *r * *length_ : 4.0 / 3 * std::numbers::pi * *r * *r * *r;
    return *density * volume;
  }

  void read_masses(CollisionInputs& in) {
    const auto mass = positive("mass", dimension::mass);
    auto mass_i = positive("mass-i", dimension::mass), mass_j = positive("mass-j", dimension::mass);
    const bool one = arguments_.has("mass"), two = arguments_.has("mass-i") || arguments_.has("mass-j");
    if (one && two) return fail("mass", "the effective mass and the masses of the bodies exclude each other");
    if (one) {
      in.mass_kg = mass;
      return;
    }
    if (!arguments_.has("mass-i")) mass_i = mass_from_density(density_i_, radius_i_);
    if (!arguments_.has("mass-j")) mass_j = mass_from_density(density_j_, radius_j_);
    if (!mass_i) {
      if (!arguments_.has("mass-i"))
        fail("mass", "missing: an effective mass, or --mass-i, or --density-i with --radius-i");
      return;
    }
    masses_ = std::pair{*mass_i, mass_j.value_or(kInfinity)};
    in.mass_kg = impact::TwoBodies{masses_->first, masses_->second, 0, 0}.effective_mass_kg();
  }

  void read_velocities(CollisionInputs& in) {
    const bool one = arguments_.has("velocity"), two = arguments_.has("velocity-i") || arguments_.has("velocity-j");
    if (one && two)
      return fail("velocity", "the speed of approach and the velocities of the bodies exclude each other");
    if (!one && !two) return fail("velocity", "missing: the speed of approach, or --velocity-i");
    if (one) {
      in.velocity_mps = positive("velocity", dimension::velocity);
    } else {
      const std::size_t before = errors_.size();
      const double v_i = arguments_.number("velocity-i", dimension::velocity, errors_).value_or(0);
      const double v_j = arguments_.number("velocity-j", dimension::velocity, errors_).value_or(0);
      if (errors_.size() > before) return;
      if (!(v_i > v_j)) return fail("velocity-i", "the bodies do not approach: v_i - v_j must be above 0");
      in.velocity_mps = v_i - v_j;
      velocities_ = {v_i, v_j};
    }
    if (masses_ && in.velocity_mps)
      in.two_bodies = impact::TwoBodies{masses_->first, masses_->second, two ? velocities_.first : *in.velocity_mps,
                                        two ? velocities_.second : 0};
  }

  const Arguments& arguments_;
  std::vector<Diagnostic>& errors_;
  std::optional<double> density_i_, density_j_, radius_i_, radius_j_, length_;
  std::optional<std::pair<double, double>> masses_;
  std::pair<double, double> velocities_;
};

}  // namespace

CollisionInputs read_collision(const Arguments& arguments, std::string_view law, std::vector<Diagnostic>& errors) {
  return Reader(arguments, errors).read(law);
}

std::vector<Diagnostic> as_options(const std::vector<Diagnostic>& errors) {
  constexpr std::string_view kWords[] = {"law",         "elastic", "stiffness", "exponent", "restitution",
                                         "calibration", "release", "velocity",  "length",   "radius-j"};
  std::vector<Diagnostic> out = errors;
  for (Diagnostic& d : out)
    if (std::ranges::find(kWords, d.at.source) != std::end(kWords) || d.at.source.starts_with("param"))
      d.at.source = "--" + d.at.source;
  return out;
}

}  // namespace percuss::cli
