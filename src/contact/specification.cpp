// The checks between a request and a law.
#include "percuss/contact/specification.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/words.h"

namespace percuss::contact {

namespace {

class Specifier {
 public:
  explicit Specifier(const LawRequest& request) : request_(request) {}

  Result<LawSpec> run() {
    spec_.calibration = request_.calibration;
    spec_.restitution = request_.restitution;
    if (request_.user_law) {
      take_user_law();
    } else {
      resolve_law();
      if (!errors_.empty()) return errors_;
      check_parameters();
      check_restitution();
    }
    resolve_elastic();
    if (errors_.empty() && spec_.row) choose_calibrator();
    if (!errors_.empty()) return errors_;
    return std::move(spec_);
  }

 private:
  void fail(std::string word, std::string text) { errors_.push_back({{std::move(word)}, std::move(text)}); }
  std::string first_of_pairing() const {
    for (const Parameter& p : spec_.row->parameters)
      if (p.from_pairing) return std::string(p.name);
    return "";
  }

  void take_user_law() {
    const UserLaw& user = *request_.user_law;
    spec_.user_law = user;
    spec_.name = user.name;
    spec_.release = request_.release.value_or(user.release);
    if (!request_.law.empty()) fail("law", "a law and a law file exclude each other");
    for (const auto& [name, value] : request_.parameters)
      fail("parameters", in_quotes(name) + ": the constants of a user's law stand in its file");
    const auto unused = [&](UserSlot slot, bool given, const char* what) {
      if (given && !user.uses(slot)) spec_.notes.push_back("the force of " + user.name + " does not use " + what);
      return given && !user.uses(slot);
    };
    unused(slot_K, request_.stiffness.has_value(), "the stiffness K");
    unused(slot_n, request_.exponent.has_value(), "the exponent n");
    if (unused(slot_c, request_.restitution.has_value(), "the restitution c")) spec_.restitution.reset();
    if (!request_.elastic.empty())
      fail("elastic", "a user's law has its force whole; its file is the elastic law too");
    if (user.uses(slot_c) && !request_.restitution)
      fail("restitution", "missing: the force of " + user.name + " uses c");
    if (request_.calibration == Calibration::exact) fail("calibration", "a user's law has no exact calibration");
    check_restitution_range();
  }

  void resolve_law() {
    std::string_view key = request_.law;
    if (key.empty()) return fail("law", "missing; percuss laws lists the keys");
    if (const Alias* alias = find_alias(key)) {
      spec_.notes.push_back("law " + in_quotes(key) + " is " + std::string(alias->key) + ": " +
                            std::string(alias->reason));
      key = alias->key;
    }
    if (const ElasticRow* elastic = find_elastic(key)) {  // an elastic law as a law: without dissipation
      spec_.elastic_row = elastic;
      spec_.row = find_dissipation("none");
      spec_.name = elastic->key;
    } else if (const DissipationRow* row = find_dissipation(key)) {
      spec_.row = row;
      spec_.name = row->key;
    } else {
      const auto words = law_words();
      return fail("law", "unknown law " + in_quotes(request_.law) + did_you_mean(request_.law, words));
    }
    spec_.release = request_.release.value_or(spec_.row->release);
    const bool tells_releases_apart = spec_.row->family == Family::added;
    if (request_.release && !tells_releases_apart && *request_.release != spec_.row->release)
      fail("release", std::string(spec_.row->key) + " never pulls: its contact ends where its force does");
  }

  void check_parameters() {
    const DissipationRow& row = *spec_.row;
    std::vector<std::string_view> known;
    for (const Parameter& p : row.parameters) known.push_back(p.name);
    for (std::size_t i = 0; i < request_.parameters.size(); ++i) {
      const auto& [name, value] = request_.parameters[i];
      if (std::ranges::find(known, name) == known.end()) {
        fail("parameters", spec_.name + " has no parameter " + in_quotes(name) +
                               (known.empty() ? "; it has none" : "; it has " + joined(known)));
      }
      for (std::size_t k = 0; k < i; ++k)
        if (request_.parameters[k].first == name) fail("parameters", in_quotes(name) + " is given twice");
    }
    const bool by_restitution = row.restitution == RestitutionUse::instead_of_parameters && request_.restitution;
    if (by_restitution && !request_.parameters.empty())
      return fail("restitution",
                  spec_.name + " takes a restitution or " + std::string(known.front()) + ", not both");
    if (by_restitution) return;
    for (std::size_t i = 0; i < row.parameters.size(); ++i) take_parameter(row.parameters[i], spec_.parameter[i]);
  }

  void take_parameter(const Parameter& parameter, double& value) {
    const auto given =
        std::ranges::find(request_.parameters, parameter.name, &std::pair<std::string, double>::first);
    const std::string word = "parameters." + std::string(parameter.name);
    if (given != request_.parameters.end()) {
      value = given->second;
      const bool high_enough = parameter.lowest_allowed ? value >= parameter.lowest : value > parameter.lowest;
      if (!std::isfinite(value) || !high_enough || value > parameter.highest)
        fail(word, text_of(value) + (parameter.lowest_allowed ? " must be at least " : " must be above ") +
                       text_of(parameter.lowest) +
                       (parameter.highest <= 1 ? " and at most " + text_of(parameter.highest) : ""));
      return;
    }
    if (parameter.from_pairing && request_.pairing) {
      value = parameter.from_pairing(*request_.pairing);
    } else {
      const bool or_restitution = spec_.row->restitution == RestitutionUse::instead_of_parameters;
      fail(word, "missing: " + std::string(parameter.meaning) + ", in " + unit_of(parameter.dimension) +
                     (or_restitution ? "; or give a restitution" : ""));
    }
  }

  void check_restitution() {
    const RestitutionUse use = spec_.row->restitution;
    if (use == RestitutionUse::needed && !request_.restitution)
      fail("restitution", "missing: " + spec_.name + " needs it");
    if (use == RestitutionUse::none && request_.restitution) {
      fail("restitution", spec_.name + " takes none: its restitution follows from its parameters");
    }
    if (!request_.restitution && request_.calibration == Calibration::exact && use != RestitutionUse::needed)
      fail("calibration", "exact goes with a restitution");
    check_restitution_range();
  }
  void check_restitution_range() {
    if (request_.restitution && !(*request_.restitution >= 0 && *request_.restitution <= 1))
      fail("restitution", text_of(*request_.restitution) + " is outside 0..1");
  }

  // ---- the elastic law ----

  void resolve_elastic() {
    const double fixed = spec_.row ? spec_.row->fixed_exponent : 0;
    const ElasticRow* row = spec_.elastic_row;
    if (!request_.elastic.empty()) {
      std::string_view key = request_.elastic;
      if (const Alias* alias = find_alias(key)) key = alias->key;
      const ElasticRow* asked = find_elastic(key);
      if (!asked) {
        std::vector<std::string_view> words;
        for (const ElasticRow& e : elastic_rows()) words.push_back(e.key);
        return fail("elastic",
                    "unknown elastic law " + in_quotes(request_.elastic) + did_you_mean(request_.elastic, words));
      }
      if (row && row != asked) return fail("elastic", "law " + std::string(row->key) + " is an elastic law itself");
      row = asked;
    }
    if (!row) row = default_elastic(fixed);
    spec_.elastic_row = row;

    double exponent = row->exponent;
    if (exponent == 0 && !request_.exponent && request_.user_law && !request_.user_law->uses(slot_n))
      exponent = 1.5;
    if (exponent == 0) {
      if (!request_.exponent) return fail("exponent", "missing: the elastic law power needs it");
      exponent = *request_.exponent;
      if (!(exponent > 0 && exponent <= 10))
        return fail("exponent", text_of(exponent) + " must be above 0 and at most 10");
    } else if (request_.exponent && *request_.exponent != exponent) {
      const std::string own = exponent > 0 ? "n = " + text_of(exponent) : "no exponent";
      return fail("exponent", text_of(*request_.exponent) + " contradicts the elastic law " +
                                  std::string(row->key) + ", which has " + own);
    }
    if (fixed > 0 && exponent != fixed)
      return fail(request_.exponent ? "exponent" : "elastic",
                  spec_.name + " is defined for n = " + text_of(fixed) + " alone, not for " +
                      (exponent > 0 ? "n = " + text_of(exponent) : std::string(row->key)));
    if (spec_.row && spec_.row->needs_power_law && exponent < 0)
      return fail("elastic", spec_.name + " needs a power law, not " + std::string(row->key));
    if (request_.user_law) return take_user_stiffness(exponent);
    make_elastic(*row, exponent);
  }

  const ElasticRow* default_elastic(double fixed) const {
    if (request_.exponent) return find_elastic("power");
    for (const ElasticRow& row : elastic_rows())
      if (fixed > 0 && row.exponent == fixed) return &row;
    return find_elastic("hertz");
  }

  /// A user's law has its force whole; K and n are numbers that its expression may use.
  void take_user_stiffness(double exponent) {
    const UserLaw& user = *request_.user_law;
    spec_.exponent = exponent > 0 ? exponent : 1.5;
    if (request_.stiffness) {
      spec_.stiffness = *request_.stiffness;
    } else if (request_.pairing && exponent == 1.5) {
      spec_.stiffness = hertz_stiffness(request_.pairing->modulus_Pa, request_.pairing->effective_radius());
    } else if (user.uses(slot_K)) {
      fail("stiffness", "missing: the force of " + user.name + " uses K");
    }
    if (request_.stiffness && !positive(*request_.stiffness))
      fail("stiffness", text_of(*request_.stiffness) + " must be above 0");
    spec_.stiffness *= request_.share;
    spec_.elastic = Power<>{spec_.stiffness, spec_.exponent};
  }

  static bool positive(double x) { return x > 0 && std::isfinite(x); }

  void make_elastic(const ElasticRow& row, double exponent) {
    ElasticInputs in{0, exponent, request_.pairing.value_or(Pairing{})};
    std::optional<Pairing> own;  // some rows have the constants of a pairing themselves
    if (spec_.row && spec_.row->pairing_of) own = spec_.row->pairing_of(spec_.parameter);
    if (request_.stiffness) {
      if (!row.from_stiffness)
        return fail("stiffness", "the elastic law " + std::string(row.key) + " takes materials and radii instead");
      if (!positive(*request_.stiffness))
        return fail("stiffness", text_of(*request_.stiffness) + " must be above 0");
      if (request_.pairing && row.from_materials)
        return fail("stiffness", "given as a number and by materials; only one can be");
      in.stiffness = *request_.stiffness;
    } else if (row.from_materials) {
      if (in.pairing.modulus_Pa == 0 && own) {
        in.pairing = *own;
        if (!positive(own->modulus_Pa) || !positive(own->effective_radius()))
          return;  // reported as missing already
      }
      if (in.pairing.modulus_Pa == 0)
        return fail("stiffness",
                    std::string("missing: ") + (row.from_stiffness ? "a stiffness, or young, poisson and radius"
                                                                   : "young, poisson, radius and length"));
      if (row.line_contact && !positive(in.pairing.length_m))
        return fail("length", "missing: the elastic law " + std::string(row.key) + " is a line contact");
      if (row.line_contact && !std::isfinite(in.pairing.radius_sum_m()))
        return fail("radius-j", "the elastic law " + std::string(row.key) + " needs two cylinders");
      if (!row.line_contact) in.stiffness = hertz_stiffness(in.pairing.modulus_Pa, in.pairing.effective_radius());
    } else {
      return fail("stiffness", "missing: the elastic law " + std::string(row.key) + " needs it, in " +
                                   unit_of(dimension::stiffness(exponent)));
    }
    if (own) {
      const double implied = hertz_stiffness(own->modulus_Pa, own->effective_radius());
      if (implied > 0 && std::abs(implied / in.stiffness - 1) > 1e-9)
        return fail(request_.stiffness ? "stiffness" : "parameters." + first_of_pairing(),
                    "(4/3) E* sqrt(R) = " + text_of(implied, 6) + " of its constants contradicts the stiffness " +
                        text_of(in.stiffness, 6));
    }
    in.stiffness *= request_.share;
    spec_.stiffness = in.stiffness;
    spec_.exponent = exponent;
    spec_.elastic = row.make(in);
  }

  // ---- the calibration ----

  void choose_calibrator() {
    const DissipationRow& row = *spec_.row;
    const bool direct = row.restitution == RestitutionUse::instead_of_parameters && !request_.restitution;
    spec_.calibrator = direct ? row.direct : request_.calibration == Calibration::exact ? row.exact : row.published;
    const Law law = latch(spec_, 1, 1);
    if (const auto* plastic = std::get_if<Plastic<>>(&law.shape); direct && plastic && plastic->stretch < 1)
      fail("parameters." + std::string(row.parameters.front().name), "unloading must not be softer than loading");
    if (request_.restitution && !has_finite_parameters(law))
      fail("restitution",
           text_of(*request_.restitution) + " asks " + spec_.name + " for infinite damping; it must be above 0");
  }

  static bool has_finite_parameters(const Law& law) {
    if (const auto* s = std::get_if<Scaled<>>(&law.shape)) return std::isfinite(s->gain_s_per_m);
    if (const auto* a = std::get_if<Added<>>(&law.shape)) return std::isfinite(a->chi);
    if (const auto* p = std::get_if<Plastic<>>(&law.shape)) return std::isfinite(p->gain_s_per_m);
    return true;
  }

  const LawRequest& request_;
  LawSpec spec_;
  std::vector<Diagnostic> errors_;
};

template <class P>
Latch<P> latch_inputs(const LawSpec& spec, double restitution, double mass_kg, double velocity_mps) {
  Latch<P> in;
  in.restitution = P(restitution);
  in.stiffness = P(spec.stiffness);
  in.mass_kg = P(mass_kg);
  in.velocity_mps = P(velocity_mps);
  in.exponent = spec.exponent;
  in.release = spec.release;
  for (std::size_t i = 0; i < in.parameter.size(); ++i) in.parameter[i] = P(spec.parameter[i]);
  return in;
}

constexpr double kSlowest_mps = 1e-6, kFastest_mps = 1e4;  // between them a restitution of the speed is checked
constexpr int kPerDecade = 8;

double value_at(const expression::Program& of_speed, double v_mps) {
  return of_speed.evaluate(std::span<const double>(&v_mps, 1));
}

/// The law is checked for the least of the restitutions, which asks for the most damping.
Result<LawSpec> specify_of_speed(LawRequest request) {
  const expression::Program of_speed = *request.restitution_of_speed;
  request.restitution_of_speed.reset();
  double least = 1;
  for (int k = 0; k <= 10 * kPerDecade; ++k) {
    const double v = kSlowest_mps * std::pow(kFastest_mps / kSlowest_mps, k / (10.0 * kPerDecade));
    const double e = value_at(of_speed, v);
    if (!(e >= 0 && e <= 1))
      return Diagnostic{{"restitution"},
                        "is " + text_of(e, 4) + " at v = " + text_of(v, 3) +
                            " m/s, outside 0..1; bound it, e.g. min(1, 0.8*v^-0.1)"};
    least = std::min(least, e);
  }
  request.restitution = least;
  Result<LawSpec> spec = specify(request);
  if (!spec) return spec;
  spec->restitution = value_at(of_speed, 1);
  spec->restitution_of_speed = of_speed;
  return spec;
}

}  // namespace

Result<LawSpec> specify(const LawRequest& request) {
  return request.restitution_of_speed ? specify_of_speed(request) : Specifier(request).run();
}

std::optional<double> restitution_at(const LawSpec& spec, double approach_mps) {
  if (!spec.restitution_of_speed) return spec.restitution;
  return std::clamp(value_at(*spec.restitution_of_speed, std::clamp(approach_mps, kSlowest_mps, kFastest_mps)), 0.0,
                    1.0);  // beyond the speeds that were checked it is what it is there
}

/// A parameter that the speed enters is a multiple of a power of it: two speeds tell.
bool depends_on_speed(const LawSpec& spec) {
  if (spec.restitution_of_speed) return true;
  if (spec.user_law) return spec.user_law->uses(slot_v0);
  return !(latch(spec, 1, 1) == latch(spec, 1, 2));
}

Law latch(const LawSpec& spec, double mass_kg, double velocity_mps) {
  return latch(spec, mass_kg, velocity_mps, velocity_mps);
}

Law latch(const LawSpec& spec, double mass_kg, double velocity_mps, double approach_mps) {
  const double restitution = restitution_at(spec, approach_mps).value_or(0);
  if (spec.user_law) {
    const expression::Program force = spec.user_law->force.with(slot_v0, velocity_mps)
                                          .with(slot_m, mass_kg)
                                          .with(slot_K, spec.stiffness)
                                          .with(slot_n, spec.exponent)
                                          .with(slot_c, restitution);
    return {spec.elastic, Custom<>{std::make_shared<const expression::Program>(force)}, spec.release};
  }
  return {spec.elastic, spec.calibrator.plain(latch_inputs<double>(spec, restitution, mass_kg, velocity_mps)),
          spec.release};
}

std::array<double, kLatchInputs> latch_values(const LawSpec& spec, double mass_kg, double velocity_mps) {
  return {restitution_at(spec, velocity_mps).value_or(0),
          spec.stiffness,
          mass_kg,
          velocity_mps,
          spec.parameter[0],
          spec.parameter[1],
          spec.parameter[2]};
}

bool can_be_sloped(const LawSpec& spec) {
  return !spec.user_law && !spec.restitution_of_speed && std::holds_alternative<Power<>>(spec.elastic) &&
         spec.calibrator.sloped != nullptr;
}

LawOf<Slope> latch_with_slope(const LawSpec& spec, double mass_kg, double velocity_mps, int input, double seed) {
  Latch<Slope> in = latch_inputs<Slope>(spec, spec.restitution.value_or(0), mass_kg, velocity_mps);
  Slope* const inputs[] = {&in.restitution,  &in.stiffness,    &in.mass_kg,     &in.velocity_mps,
                           &in.parameter[0], &in.parameter[1], &in.parameter[2]};
  inputs[input]->d[0] = seed;
  return {Power<Slope>{in.stiffness, spec.exponent}, spec.calibrator.sloped(in), spec.release};
}

}  // namespace percuss::contact
