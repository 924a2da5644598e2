// From words to a law request and two bodies.
#include "percuss/impact/described.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "percuss/base/scalar.h"
#include "percuss/base/words.h"

namespace percuss::impact {

using namespace contact;

std::string Words::text(std::string_view word) const {
  const auto found = said_.find(word);
  if (found == said_.end()) return "";
  return found->second.si ? text_of(*found->second.si) : found->second.text;
}

std::optional<double> Words::number(std::string_view word, const Dimension& dimension,
                                    std::vector<Diagnostic>& errors) const {
  const auto found = said_.find(word);
  if (found == said_.end()) return std::nullopt;
  if (found->second.si) return found->second.si;
  const Result<double> value = read_number(found->second.text, dimension);
  if (value) return *value;
  errors.push_back({{std::string(word)}, value.errors().front().text});
  return std::nullopt;
}

std::string Words::word(std::string_view word, std::span<const std::string_view> allowed, std::string_view fallback,
                        std::vector<Diagnostic>& errors) const {
  if (!has(word)) return std::string(fallback);
  const std::string said = text(word);
  if (std::ranges::find(allowed, said) == allowed.end())
    errors.push_back({{std::string(word)}, "unknown word " + in_quotes(said) + "; allowed: " + joined(allowed)});
  return said;
}

namespace {

class Reader {
 public:
  Reader(const Words& words, std::vector<Diagnostic>& errors) : words_(words), errors_(errors) {}

  Described read() {
    Described in;
    in.request.law = words_.text("law");
    const std::string_view law = in.request.law;
    in.request.restitution = words_.number("restitution", dimension::number, errors_);
    in.request.elastic = words_.text("elastic");
    read_words(in.request);
    in.request.exponent = words_.number("exponent", dimension::number, errors_);
    in.request.stiffness =
        words_.number("stiffness", dimension::stiffness(exponent_for_units(law, in.request)), errors_);
    read_parameters(law, in.request);
    read_pairing(in);
    read_masses(in);
    read_velocities(in);
    return in;
  }

 private:
  void fail(std::string_view option, std::string text) {
    errors_.push_back({{std::string(option)}, std::move(text)});
  }

  std::optional<double> positive(std::string_view option, const Dimension& dimension) {
    const std::optional<double> value = words_.number(option, dimension, errors_);
    if (!value || *value > 0) return value;
    fail(option, words_.text(option) + " must be above 0");
    return std::nullopt;
  }

  void read_words(LawRequest& request) {
    constexpr std::string_view kCalibrations[] = {"published", "exact"},
                               kReleases[] = {"zero-indentation", "zero-force"};
    const bool exact = words_.word("calibration", kCalibrations, "published", errors_) == "exact";
    request.calibration = exact ? Calibration::exact : Calibration::published;
    if (words_.has("release"))
      request.release = words_.word("release", kReleases, "", errors_) == "zero-indentation"
                            ? Release::zero_indentation
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
    words_.each_constant([&](const std::string& name, const Words::Said& said) {
      const Result<double> value =
          said.si ? Result<double>(*said.si) : read_number(said.text, dimension_of(law, name));
      if (!value) fail("parameters." + name, value.errors().front().text);
      request.parameters.emplace_back(name, value ? *value : 0.5);  // not missing, whatever it was
    });
  }
  static Dimension dimension_of(std::string_view law, std::string_view parameter) {
    for (const DissipationRow& row : dissipation_rows())
      for (const Parameter& p : row.parameters)
        if (p.name == parameter && (row.key == law || law.empty())) return p.dimension;
    return dimension::number;
  }

  void read_pairing(Described& in) {
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
    const bool any = words_.has("young-i") || words_.has("young-j") || words_.has("poisson-i");
    if (!any) return;
    in.request.pairing = Pairing{1, 1, 1, 1};  // whatever is wrong below, materials are not missing
    if (!words_.has("young-i")) fail("young-i", "missing: materials need it");
    if (!words_.has("poisson-i")) fail("poisson-i", "missing: materials need it");
    if (!words_.has("radius-i")) fail("radius-i", "missing: materials need it");
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
    const auto nu = words_.number(option, dimension::number, errors_);
    if (!nu || (*nu > -1 && *nu <= 0.5)) return nu;
    fail(option, words_.text(option) + " is outside -1..0.5");
    return std::nullopt;
  }
  std::optional<double> radius(std::string_view option) {
    const auto r = words_.number(option, dimension::length, errors_);
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

  void read_masses(Described& in) {
    const auto mass = positive("mass", dimension::mass);
    auto mass_i = positive("mass-i", dimension::mass), mass_j = positive("mass-j", dimension::mass);
    const bool one = words_.has("mass"), two = words_.has("mass-i") || words_.has("mass-j");
    if (one && two) return fail("mass", "the effective mass and the masses of the bodies exclude each other");
    if (one) {
      in.mass_kg = mass;
      return;
    }
    if (!words_.has("mass-i")) mass_i = mass_from_density(density_i_, radius_i_);
    if (!words_.has("mass-j")) mass_j = mass_from_density(density_j_, radius_j_);
    if (!mass_i) {
      if (!words_.has("mass-i")) fail("mass", "missing: an effective mass, or mass-i, or density-i with radius-i");
      return;
    }
    masses_ = std::pair{*mass_i, mass_j.value_or(kInfinity)};
    in.mass_kg = TwoBodies{masses_->first, masses_->second, 0, 0}.effective_mass_kg();
  }

  void read_velocities(Described& in) {
    const bool one = words_.has("velocity"), two = words_.has("velocity-i") || words_.has("velocity-j");
    if (one && two)
      return fail("velocity", "the speed of approach and the velocities of the bodies exclude each other");
    if (!one && !two) return fail("velocity", "missing: the speed of approach, or velocity-i");
    if (one) {
      in.velocity_mps = positive("velocity", dimension::velocity);
    } else {
      const std::size_t before = errors_.size();
      const double v_i = words_.number("velocity-i", dimension::velocity, errors_).value_or(0);
      const double v_j = words_.number("velocity-j", dimension::velocity, errors_).value_or(0);
      if (errors_.size() > before) return;
      if (!(v_i > v_j)) return fail("velocity-i", "the bodies do not approach: v_i - v_j must be above 0");
      in.velocity_mps = v_i - v_j;
      velocities_ = {v_i, v_j};
    }
    if (masses_ && in.velocity_mps)
      in.two_bodies = TwoBodies{masses_->first, masses_->second, two ? velocities_.first : *in.velocity_mps,
                                two ? velocities_.second : 0};
  }

  const Words& words_;
  std::vector<Diagnostic>& errors_;
  std::optional<double> density_i_, density_j_, radius_i_, radius_j_, length_;
  std::optional<std::pair<double, double>> masses_;
  std::pair<double, double> velocities_;
};

}  // namespace

Described read_collision(const Words& words, std::vector<Diagnostic>& errors) {
  return Reader(words, errors).read();
}

}  // namespace percuss::impact
