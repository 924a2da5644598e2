// percuss impact: one collision.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "percuss/cli/collision_options.h"
#include "percuss/cli/options.h"
#include "percuss/cli/program.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/io/files.h"
#include "percuss/io/law_file.h"
#include "percuss/report/figure.h"
#include "percuss/report/numbers.h"

namespace percuss::cli {

using namespace contact;
using report::engineering;

namespace {

constexpr std::array kImpactOwn = {
    Option{"law", "KEY", "contact law; percuss laws lists the keys", Option::Kind::value, law_keys},
    Option{"law-file", "FILE",
           "a law of your own, as a file (docs/guide/user-laws.md); a name alone is looked up in the shipped laws"},
    Option{"restitution", "C", "prescribed coefficient of restitution, 0..1"},
    Option{"method", "WORD", "auto (closed form where there is one) or integrated", Option::Kind::value,
           [] {
             return std::vector<std::string>{"auto", "integrated"};
           }},
    kJsonOption,
    Option{"csv", "FILE", "the table; the history: time, indentation, rate, force, energies"},
    Option{"svg", "FILE", "the figure; force over indentation"},
    Option{"samples", "N", "points of the history; default 401"},
    kForceOption,
};
constexpr auto kImpactOptions = both(kImpactOwn, kCollisionOptions);

/// Everything one run of the verb knows.
struct Case {
  LawSpec spec;
  impact::Collision collision;
  impact::Outcome outcome;
  std::optional<impact::TwoBodies> two_bodies;
  std::vector<std::string> warnings;
};

std::filesystem::path law_path(const std::string& name) { return io::find_law_file(name, {}, law_folder()); }

std::string calibration_name(const LawSpec& spec) {
  return spec.calibration == Calibration::exact ? "exact" : "published";
}
std::string release_name(Release release) {
  return release == Release::zero_indentation ? "zero-indentation" : "zero-force";
}

nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::string as_json(const Case& c) {
  const impact::Outcome& out = c.outcome;
  nlohmann::ordered_json j;
  j["law"] = c.spec.name;
  j["calibration"] = calibration_name(c.spec);
  j["elastic"] = c.spec.user_law ? "user" : std::string(c.spec.elastic_row->key);
  if (c.spec.stiffness > 0) j["stiffness"] = c.spec.stiffness;
  if (c.spec.exponent > 0) j["exponent"] = c.spec.exponent;
  j["mass_kg"] = c.collision.mass_kg;
  j["velocity_mps"] = c.collision.velocity_mps;
  j["release"] = release_name(c.spec.release);
  j["restitution_prescribed"] = c.spec.restitution ? nlohmann::ordered_json(*c.spec.restitution) : nullptr;
  j["restitution_delivered"] = out.restitution;
  j["peak_force_N"] = out.peak_force_N;
  j["peak_force_time_s"] = out.peak_force_time_s;
  j["lowest_force_N"] = out.lowest_force_N;
  j["peak_indentation_m"] = out.peak_indentation_m;
  j["peak_indentation_time_s"] = out.peak_indentation_time_s;
  j["duration_s"] = number_or_null(out.duration_s);
  j["energy_in_J"] = c.collision.energy_J();
  j["energy_stored_J"] = out.stored_energy_J;
  j["energy_returned_J"] = out.returned_energy_J;
  j["energy_lost_J"] = out.lost_energy_J;
  j["energy_plastic_J"] = out.plastic_energy_J;
  j["permanent_indentation_m"] = out.permanent_indentation_m;
  if (c.two_bodies) {
    const auto after = velocities_after(*c.two_bodies, out.restitution);
    j["velocity_i_after_mps"] = after.velocity_i_mps;
    j["velocity_j_after_mps"] = after.velocity_j_mps;
  }
  j["method"] = out.method == impact::Method::closed_form ? "closed form" : "integrated";
  j["warnings"] = c.warnings;
  j["notes"] = c.spec.notes;
  return j.dump(2) + "\n";
}

report::Figure loop_figure(const Case& c, const std::vector<impact::Sample>& samples) {
  const report::Scale length = report::scale_for(c.outcome.peak_indentation_m, "m"),
                      force = report::scale_for(c.outcome.peak_force_N, "N");
  report::Figure figure;
  figure.title = "Contact force over indentation: " + c.spec.name;
  figure.subtitle = fmt::format(
      "restitution {:.4g} delivered{}; m = {}, v0 = {}", c.outcome.restitution,
      c.spec.restitution ? fmt::format(", {:.4g} prescribed ({})", *c.spec.restitution, calibration_name(c.spec))
                         : "",
      engineering(c.collision.mass_kg * 1000, "g"), engineering(c.collision.velocity_mps, "m/s"));
  figure.x = {"indentation", length.unit, 0.0, {}};
  figure.y = {"force", force.unit, {}, {}};
  report::Curve in{"approaching", {}, {}}, back{"leaving", {}, {}};
  for (const impact::Sample& s : samples) {
    report::Curve& curve = s.time_s <= c.outcome.peak_indentation_time_s ? in : back;
    if (&curve == &back && back.x.empty() && !in.x.empty()) {  // the two halves meet
      back.x.push_back(in.x.back());
      back.y.push_back(in.y.back());
    }
    curve.x.push_back(s.depth_m / length.factor);
    curve.y.push_back(s.force_N / force.factor);
  }
  figure.curves = {std::move(in), std::move(back)};
  return figure;
}

std::string as_csv(const std::vector<impact::Sample>& samples) {
  std::string csv =
      fmt::format("# percuss {} impact history\ntime_s,indentation_m,rate_mps,force_N,kinetic_J,stored_J,lost_J\n",
                  version_number());
  for (const impact::Sample& s : samples)
    csv += fmt::format("{},{},{},{},{},{},{}\n", s.time_s, s.depth_m, s.rate_mps, s.force_N, s.kinetic_J,
                       s.stored_J, s.lost_J);
  return csv;
}

std::string summary(const Case& c, const std::vector<impact::Sample>& samples) {
  const impact::Outcome& out = c.outcome;
  std::string text = fmt::format("{}  {}\n", c.spec.name,
                                 c.spec.user_law ? c.spec.user_law->force_text : std::string(c.spec.row->formula));
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<22} {}\n", name, value);
  };
  if (!c.spec.user_law)
    line("elastic law", c.spec.stiffness > 0
                            ? fmt::format("{}, K = {:.5g} {}", c.spec.elastic_row->key, c.spec.stiffness,
                                          unit_of(dimension::stiffness(c.spec.exponent)))
                            : std::string(c.spec.elastic_row->key));
  line("collision",
       fmt::format("{} at {}, {}", engineering(c.collision.mass_kg * 1000, "g"),
                   engineering(c.collision.velocity_mps, "m/s"), engineering(c.collision.energy_J(), "J")));
  text += "\n";
  line("restitution", c.spec.restitution
                          ? fmt::format("{:.6f} delivered, {} prescribed ({} calibration)", out.restitution,
                                        *c.spec.restitution, calibration_name(c.spec))
                          : fmt::format("{:.6f} delivered", out.restitution));
  line("peak indentation", fmt::format("{} at {}", engineering(out.peak_indentation_m, "m", 5),
                                       engineering(out.peak_indentation_time_s, "s")));
  line("peak force",
       fmt::format("{} at {}", engineering(out.peak_force_N, "N", 5), engineering(out.peak_force_time_s, "s")));
  line("duration", std::isfinite(out.duration_s) ? engineering(out.duration_s, "s", 5) : "never separates");
  line("energy",
       fmt::format("{} lost, {} returned, {} stored at maximum compression", engineering(out.lost_energy_J, "J"),
                   engineering(out.returned_energy_J, "J"), engineering(out.stored_energy_J, "J")));
  if (out.permanent_indentation_m > 0)
    line("permanent indentation", fmt::format("{} ({} spent on it)", engineering(out.permanent_indentation_m, "m"),
                                              engineering(out.plastic_energy_J, "J")));
  if (c.two_bodies) {
    const auto after = velocities_after(*c.two_bodies, out.restitution);
    line("velocities after", fmt::format("i {}, j {}", engineering(after.velocity_i_mps, "m/s"),
                                         engineering(after.velocity_j_mps, "m/s")));
  }
  line("method", out.method == impact::Method::closed_form
                     ? "closed form"
                     : fmt::format("integrated, {} evaluations", out.evaluations));
  text = report::fitted(text, terminal_style());
  if (!samples.empty())
    text += "\n" + report::to_text(loop_figure(c, samples), 60, 15, report::terminal_takes_utf8());
  return text;
}

std::string warnings_text(const Case& c) {
  std::string text;
  for (const std::string& note : c.spec.notes) text += "note: " + note + "\n";
  for (const std::string& warning : c.warnings) text += "warning: " + warning + "\n";
  return text;
}

Reply run_impact(const Arguments& arguments) {
  std::vector<Diagnostic> errors;
  impact::Described in = impact::read_collision(words_of(arguments, errors), errors);
  errors = as_options(errors);
  if (arguments.has("law-file")) {
    Result<UserLaw> user = io::read_law_file(law_path(arguments.text("law-file")));
    if (!user) {
      errors.insert(errors.end(), user.errors().begin(), user.errors().end());
      return refuse(as_options(errors));
    }
    in.request.user_law = *user;
  }
  constexpr std::string_view kMethods[] = {"auto", "integrated"};
  const bool integrated = arguments.word("method", kMethods, "auto", errors) == "integrated";
  const double samples_wanted = arguments.number("samples", dimension::number, errors).value_or(401);
  if (!(samples_wanted >= 3 && samples_wanted <= 1e6 && samples_wanted == std::floor(samples_wanted)))
    errors.push_back({{"--samples"}, "expected a whole number from 3 to 1000000"});

  // a value that could not be read is not missing: the specification must not say so
  const bool unread = arguments.has("restitution") && !in.request.restitution;
  if (unread) in.request.restitution = 1;
  if (arguments.has("stiffness") && !in.request.stiffness) in.request.stiffness = 1;
  const Result<LawSpec> spec = specify(in.request);
  if (!spec) {
    const auto more = as_options(spec.errors());
    errors.insert(errors.end(), more.begin(), more.end());
  }
  std::vector<std::string> outputs, inputs;
  for (const char* option : {"csv", "svg"})
    if (arguments.has(option)) outputs.push_back(arguments.text(option));
  if (arguments.has("law-file")) inputs.push_back(law_path(arguments.text("law-file")).string());
  const auto no = io::refusals(outputs, inputs, arguments.has("force"));
  errors.insert(errors.end(), no.begin(), no.end());
  if (!errors.empty()) return refuse(errors);

  Case c{
      *spec, {latch(*spec, *in.mass_kg, *in.velocity_mps), *in.mass_kg, *in.velocity_mps}, {}, in.two_bodies, {}};
  const Result<impact::Outcome> outcome = integrated ? collide_integrated(c.collision) : collide(c.collision);
  if (const auto faults = impact::user_law_faults(c.collision, outcome); !faults.empty()) {
    std::vector<Diagnostic> placed = faults;
    for (Diagnostic& d : placed) d.at = {arguments.text("law-file"), 0, 0};
    return refuse(placed);
  }
  if (!outcome) return refuse(as_options(outcome.errors()));
  c.outcome = *outcome;
  for (const Warning& w : impact::warnings(c.spec, c.collision, c.outcome, in.bodies)) c.warnings.push_back(w.text);

  std::vector<impact::Sample> samples;
  const bool wants_history = arguments.has("csv") || arguments.has("svg") || !arguments.has("json");
  if (wants_history && std::isfinite(c.outcome.duration_s)) {
    const auto course = impact::history(c.collision, static_cast<int>(samples_wanted));
    if (!course) return refuse(as_options(course.errors()));
    samples = *course;
  }
  if ((arguments.has("csv") || arguments.has("svg")) && samples.empty())
    return refuse(
        {{{arguments.has("csv") ? "--csv" : "--svg"}, "the surfaces never separate: there is no end to draw"}});
  if (arguments.has("csv"))
    if (const auto failed = io::write_whole(arguments.text("csv"), as_csv(samples)))
      return {1, "", one_line(*failed) + "\n"};
  if (arguments.has("svg"))
    if (const auto failed = io::write_whole(arguments.text("svg"), to_svg(loop_figure(c, samples))))
      return {1, "", one_line(*failed) + "\n"};

  if (arguments.has("json")) return {0, as_json(c), ""};
  Reply reply{0, summary(c, samples), warnings_text(c)};
  for (const char* option : {"csv", "svg"})
    if (arguments.has(option)) reply.err += "wrote " + arguments.text(option) + "\n";
  return reply;
}

}  // namespace

constinit const Verb kImpactVerb{
    "impact",
    "one collision: restitution, force, indentation, duration, energies, and the history",
    "  percuss impact --law flores --restitution 0.6 --stiffness 1.4e8 \\\n      --exponent 1.5 --mass 1 "
    "--velocity 4.2\n"
    "  percuss impact --law hertz --young-i 210GPa --poisson-i 0.3 \\\n"
    "      --radius-i 25.4mm --density-i 7850 --velocity 0.5 --svg loop.svg\n"
    "  percuss impact --law mixed --parameters plastic_share=0.5 --restitution 0.3 \\\n"
    "      --stiffness 1e9 --mass-i 1 --mass-j 2 --velocity-i 1",
    kImpactOptions,
    "",
    "",
    run_impact};

}  // namespace percuss::cli
