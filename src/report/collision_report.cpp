// Tables and JSON of a collision at many points.
#include "percuss/report/collision_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/report/json.h"
#include "percuss/report/numbers.h"

namespace percuss::report {

using collision::Sense;
using Eigen::Index;

namespace {

constexpr std::size_t kPhasesShown = 40, kVariantsShown = 8, kFrequenciesShown = 6;

std::string point_name(const model::Model& m, const dynamics::StrikePoint& p) {
  return m.contacts[at(m.contact_kinds[at(p.pair.kind)].contact)].name;
}
std::string bodies_of(const model::Model& m, const dynamics::StrikePoint& p) {
  return m.bodies[at(p.approach.body_a)].name + ", " + m.bodies[at(p.approach.body_b)].name;
}
char letter(Sense s) {
  switch (s) {
    case Sense::apart: return '.';
    case Sense::compressing: return 'C';
    case Sense::expanding: return 'E';
    case Sense::held: return 'H';
    case Sense::unloading: return 'U';
  }
  return ' ';
}
char letter(collision::Grip g) {
  switch (g) {
    case collision::Grip::none: return '.';
    case collision::Grip::sticking: return 'S';
    case collision::Grip::slipping: return 'L';
  }
  return ' ';
}
std::string_view word_of(collision::Outcome::End end) {
  switch (end) {
    case collision::Outcome::End::complete: return "complete";
    case collision::Outcome::End::accumulated: return "accumulated";
    case collision::Outcome::End::endless: return "endless";
  }
  return "";
}

/// Names of the unknown velocities of a body.
std::vector<std::string> velocity_names(const model::Body& b) {
  switch (b.kind) {
    case model::Body::Kind::spatial: return {"vx", "vy", "vz", "wx", "wy", "wz"};
    case model::Body::Kind::planar: return {"vx", "vy", "w"};
    case model::Body::Kind::particle: return {"vx", "vy", "vz"};
    case model::Body::Kind::planar_particle: return {"vx", "vy"};
    case model::Body::Kind::prescribed: return {};
  }
  return {};
}

/// 0 for what is rounding beside a whole.
double no_rounding(double part, double whole) { return std::abs(part) < 1e-13 * whole ? 0 : part; }

std::vector<double> list(const Eigen::VectorXd& v) { return {v.begin(), v.end()}; }

std::string dissipation_of(const collision::Point& p) {
  if (p.steepening > 1) return "k2 " + engineering(p.stiffness_Npm * p.steepening, "N/m", 4);
  return p.friction > 0 ? fmt::format("mu {:.4g}", p.friction) : "none";
}

/// What the springs stand for, where they are not the laws of the scene: one line per contact.
std::vector<std::string> replacements(const model::Model& m, const study::CollisionStudy& s) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < s.strike.points.size(); ++i) {
    const dynamics::SpringOf& spring = s.strike.springs[i];
    const contact::LawSpec& law = m.contact_kinds[at(s.strike.points[i].pair.kind)].law.spec;
    const std::string head = "contact " + point_name(m, s.strike.points[i]) + ": ";
    std::vector<std::string> lines;
    if (spring.linearised)
      lines.push_back(head + "the elastic law " + std::string(law.elastic_row ? law.elastic_row->key : law.name) +
                      " was linearised: the secant at " + engineering(spring.force_N, "N", 4) + " and " +
                      engineering(spring.depth_m, "m", 4) +
                      ", where an isolated elastic collision ends its compression");
    if (spring.other_dissipation)
      lines.push_back(head + "the dissipation of " + law.name +
                      (spring.point.friction > 0 ? " was replaced by dry friction of the same restitution"
                                                 : " was left out: it has no prescribed restitution"));
    for (std::string& line : lines)
      if (std::ranges::find(out, line) == out.end()) out.push_back(std::move(line));
  }
  return out;
}

std::string points_text(const model::Model& m, const study::CollisionStudy& s, const Style& style) {
  TextTable table(
      {"point", "contact", "bodies", "approach", "stiffness", "dissipation", "impulse", "after", "e", "lost"});
  const collision::Collision& c = s.strike.collision;
  for (std::size_t i = 0; i < s.strike.points.size(); ++i) {
    const auto k = static_cast<Index>(i);
    const double before = c.approach_mps[k], after = s.outcome.approach_mps[k];
    table.add({std::to_string(i + 1), point_name(m, s.strike.points[i]), bodies_of(m, s.strike.points[i]),
               engineering(before == 0 ? 0.0 : before, "m/s", 6), engineering(c.points[i].stiffness_Npm, "N/m", 4),
               dissipation_of(c.points[i]), engineering(s.outcome.impulse_Ns[k], "N s", 6),
               engineering(after, "m/s", 6), before > 0 ? fmt::format("{:.6f}", -after / before) : "-",
               engineering(no_rounding(s.outcome.lost_J[k], s.kinetic_before_J), "J", 4)});
  }
  return table.text(style);
}

/// What friction did at the points.
std::string friction_text(const study::CollisionStudy& s, const Style& style) {
  TextTable table({"point", "friction", "k_t/k", "slip before", "slip after", "impulse along the surface",
                   "taken by friction"});
  const collision::Collision& c = s.strike.collision;
  const Index d = c.tangents.directions;
  const auto vector = [d](const Eigen::VectorXd& v, Index i, const char* unit) {
    std::string out = engineering(v[d * i], unit, 6);
    for (Index k = 1; k < d; ++k) out += ", " + engineering(v[d * i + k], unit, 6);
    return out;
  };
  for (std::size_t i = 0; i < c.points.size(); ++i) {
    const auto k = static_cast<Index>(i);
    table.add({std::to_string(i + 1), fmt::format("{:.4g}", c.points[i].sliding),
               fmt::format("{:.4g}", c.points[i].shear), vector(c.tangents.slip_mps, k, "m/s"),
               vector(s.outcome.slip_mps, k, "m/s"), vector(s.outcome.friction_Ns, k, "N s"),
               engineering(no_rounding(s.outcome.friction_J[k], s.kinetic_before_J), "J", 4)});
  }
  return table.text(style);
}

std::string phases_text(const study::CollisionStudy& s, const Style& style) {
  const bool rubs = s.strike.collision.has_friction();
  TextTable table({"phase", "start", "end", rubs ? "senses, grip" : "senses", "frequencies (rad/s)", "then"});
  const auto& phases = s.outcome.phases;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (i == kPhasesShown) {
      table.add({"", fmt::format("... {} more ...", phases.size() - i)});
      break;
    }
    const collision::Phase& p = phases[i];
    std::string senses, frequencies, then;
    for (const Sense sense : p.sense) senses += letter(sense);
    if (rubs) senses += ' ';
    for (const collision::Grip grip : p.grip) senses += letter(grip);
    for (Index k = 0; k < p.frequencies_radps.size(); ++k) {
      if (static_cast<std::size_t>(k) == kFrequenciesShown) {
        frequencies += " ...";
        break;
      }
      frequencies += fmt::format("{}{:.5g}", k > 0 ? " " : "", p.frequencies_radps[k]);
    }
    if (p.growth_1ps > 0)
      frequencies += fmt::format("{} {:.5g}/s", p.jams ? "; jam, grows at" : "; grows at", p.growth_1ps);
    for (const collision::Change& change : p.changes)
      then += fmt::format("{}{} {}", then.empty() ? "" : ", ", change.point + 1, name_of(change.what));
    table.add({std::to_string(i + 1), engineering(p.start_s, "s", 5), engineering(p.end_s, "s", 5), senses,
               frequencies, then});
  }
  return table.text(style) +
         "  C compressing, E expanding, U on a line of unloading, H held by friction, . apart\n" +
         (rubs ? "  along the surface: S sticking, L slipping, . no friction\n" : "");
}

std::string bodies_text(const model::Model& m, const study::CollisionStudy& s, const Style& style) {
  TextTable table({"body", "velocity", "before", "after"});
  for (const model::Body& b : m.bodies) {
    const std::vector<std::string> names = velocity_names(b);
    bool first = true;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::size_t place = at(b.v_at - m.position_count) + k;
      const double before = s.velocity_before[place], after = s.velocity_after[place];
      if (before == 0 && std::abs(after) < 1e-14) continue;
      const char* unit = names[k][0] == 'w' ? "rad/s" : "m/s";
      table.add({first ? b.name : "", names[k], fmt::format("{:.9g} {}", before, unit),
                 fmt::format("{:.9g} {}", after, unit)});
      first = false;
    }
  }
  return table.text(style);
}

std::string rivals_text(const study::CollisionStudy& s, const Style& style) {
  TextTable table({"treatment", "approach speeds after (m/s)", "energy lost", "largest difference", ""});
  const auto speeds = [](const Eigen::VectorXd& v) {
    std::string out;
    for (Index i = 0; i < v.size(); ++i) {
      if (i == 6) return out + " ...";
      out += fmt::format("{}{:.6g}", i > 0 ? " " : "", std::abs(v[i]) < 1e-12 ? 0.0 : v[i]);
    }
    return out;
  };
  const auto lost = [&](double after) {
    const double energy = s.kinetic_before_J - after;
    return std::abs(energy) < 1e-12 * s.kinetic_before_J ? std::string("0 J") : engineering(energy, "J", 5);
  };
  table.add({"linear by parts", speeds(s.outcome.approach_mps), lost(s.kinetic_after_J), "", ""});
  for (const study::Rival& r : s.rivals)
    table.add(
        {r.name, speeds(r.approach_mps), lost(r.kinetic_after_J), engineering(r.off_mps, "m/s", 3), r.remark});
  return table.text(style);
}

std::string sensitivity_text(const collision::Sensitivity& s, const Style& style) {
  std::string out =
      fmt::format("\nsensitivity: gaps of 0 or {} at each point, {} combinations{}: {} distinct outcome{}\n",
                  engineering(s.gap_m, "m", 3), s.tried, s.all ? "" : " (a sample)", s.variants.size(),
                  s.variants.size() == 1 ? "" : "s");
  TextTable table({"times", "open", "approach speeds after (m/s)"});
  for (std::size_t i = 0; i < std::min(s.variants.size(), kVariantsShown); ++i) {
    std::string speeds, open;
    for (const double v : s.variants[i].approach_mps) speeds += fmt::format("{:.6g} ", v);
    for (const char o : s.variants[i].opened) open += o ? 'o' : '.';
    table.add({std::to_string(s.variants[i].count), open, speeds});
  }
  out += table.text(style);
  if (s.variants.size() > kVariantsShown) out += fmt::format("  ... {} more\n", s.variants.size() - kVariantsShown);
  out += fmt::format("  spread of an approach speed: at most {}\n",
                     engineering((s.most_mps - s.least_mps).maxCoeff(), "m/s", 4));
  return out;
}

Json phase_json(const collision::Phase& p) {
  Json senses = Json::array(), changes = Json::array();
  for (const Sense sense : p.sense) senses.push_back(std::string(name_of(sense)));
  for (const collision::Change& c : p.changes)
    changes.push_back({{"point", c.point + 1}, {"what", std::string(name_of(c.what))}});
  Json out = {{"start_s", p.start_s},       {"end_s", p.end_s},
              {"senses", senses},           {"frequencies_radps", list(p.frequencies_radps)},
              {"depth_m", list(p.depth_m)}, {"approach_mps", list(p.approach_mps)},
              {"force_N", list(p.force_N)}, {"changes", changes}};
  if (!p.grip.empty()) {
    Json grips = Json::array();
    for (const collision::Grip grip : p.grip) grips.push_back(std::string(name_of(grip)));
    out["grip"] = grips;
    out["growth_1ps"] = p.growth_1ps;
    out["jams"] = p.jams;
    out["friction_N"] = list(p.friction_N.reshaped());
  }
  return out;
}

}  // namespace

std::string collision_text(const model::Model& m, const study::CollisionStudy& s, const Style& style) {
  std::string out = m.provenance.title.empty() ? "" : m.provenance.title + "\n";
  out += fmt::format("{} points, {} phases, {} long\n\n", s.strike.points.size(), s.outcome.phases.size(),
                     engineering(s.outcome.phases.empty() ? 0 : s.outcome.phases.back().end_s, "s", 4));
  out += phases_text(s, style) + "\n" + points_text(m, s, style);
  if (s.strike.collision.has_friction()) out += "\n" + friction_text(s, style);
  for (const std::string& line : replacements(m, s)) out += "  " + line + "\n";
  out += "\n" + bodies_text(m, s, style);
  out += fmt::format("\n  kinetic energy {} before, {} after; lost at the points {}",
                     engineering(s.kinetic_before_J, "J", 6), engineering(s.kinetic_after_J, "J", 6),
                     engineering(no_rounding(s.outcome.lost_J.sum(), s.kinetic_before_J), "J", 6));
  if (s.strike.collision.has_friction())
    out += fmt::format(", by friction {}",
                       engineering(no_rounding(s.outcome.friction_J.sum(), s.kinetic_before_J), "J", 6));
  out += '\n';
  if (s.outcome.end == collision::Outcome::End::accumulated)
    out += fmt::format("  phases became ever shorter; what was left, at most {}, ended plastically\n",
                       engineering(s.outcome.undecided_J, "J", 3));
  if (s.outcome.end == collision::Outcome::End::endless)
    out +=
        fmt::format("  the points never separate; {} keep vibrating\n", engineering(s.outcome.undecided_J, "J", 3));
  out += "\n" + rivals_text(s, style);
  if (s.sensitivity) out += sensitivity_text(*s.sensitivity, style);
  return fitted(out, style);
}

std::string collision_json(const model::Model& m, const study::CollisionStudy& s) {
  Json points = Json::array(), phases = Json::array(), bodies = Json::array(), rivals = Json::array();
  const collision::Collision& c = s.strike.collision;
  for (std::size_t i = 0; i < s.strike.points.size(); ++i) {
    const auto k = static_cast<Index>(i);
    points.push_back(
        {{"contact", point_name(m, s.strike.points[i])},
         {"bodies",
          {m.bodies[at(s.strike.points[i].approach.body_a)].name,
           m.bodies[at(s.strike.points[i].approach.body_b)].name}},
         {"point", s.strike.points[i].spot},
         {"stiffness_Npm", c.points[i].stiffness_Npm},
         {"mu", c.points[i].friction},
         {"unloading_stiffness_Npm", c.points[i].stiffness_Npm * c.points[i].steepening},
         {"linearised", s.strike.springs[i].linearised},
         {"linearised_at_N", s.strike.springs[i].linearised ? Json(s.strike.springs[i].force_N) : Json()},
         {"linearised_at_m", s.strike.springs[i].linearised ? Json(s.strike.springs[i].depth_m) : Json()},
         {"dissipation_replaced", s.strike.springs[i].other_dissipation},
         {"approach_before_mps", c.approach_mps[k]},
         {"approach_after_mps", s.outcome.approach_mps[k]},
         {"impulse_Ns", s.outcome.impulse_Ns[k]},
         {"lost_J", s.outcome.lost_J[k]},
         {"peak_indentation_m", s.outcome.peak_indentation_m[k]},
         {"peak_force_N", s.outcome.peak_force_N[k]},
         {"dent_m", s.outcome.dent_m[k]}});
    if (const Index d = c.tangents.directions; d > 0) {
      const auto part = [&](const Eigen::VectorXd& v) { return list(v.segment(d * k, d)); };
      points.back()["friction"] = {
          {"coefficient", c.points[i].sliding},           {"ratio", c.points[i].shear},
          {"slip_before_mps", part(c.tangents.slip_mps)}, {"slip_after_mps", part(s.outcome.slip_mps)},
          {"impulse_Ns", part(s.outcome.friction_Ns)},    {"taken_J", s.outcome.friction_J[k]}};
    }
  }
  for (const collision::Phase& p : s.outcome.phases) phases.push_back(phase_json(p));
  for (const model::Body& b : m.bodies) {
    const std::vector<std::string> names = velocity_names(b);
    if (names.empty()) continue;
    Json before, after;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::size_t place = at(b.v_at - m.position_count) + k;
      before[names[k]] = s.velocity_before[place];
      after[names[k]] = s.velocity_after[place];
    }
    bodies.push_back({{"name", b.name}, {"before", before}, {"after", after}});
  }
  for (const study::Rival& r : s.rivals)
    rivals.push_back({{"name", r.name},
                      {"approach_after_mps", list(r.approach_mps)},
                      {"lost_J", s.kinetic_before_J - r.kinetic_after_J},
                      {"largest_difference_mps", r.off_mps},
                      {"remark", r.remark}});
  Json out = {{"title", m.provenance.title},
              {"end", std::string(word_of(s.outcome.end))},
              {"undecided_J", s.outcome.undecided_J},
              {"kinetic_before_J", s.kinetic_before_J},
              {"kinetic_after_J", s.kinetic_after_J},
              {"points", points},
              {"remarks", replacements(m, s)},
              {"phases", phases},
              {"bodies", bodies},
              {"treatments", rivals}};
  if (s.sensitivity) {
    Json variants = Json::array();
    for (const collision::Variant& v : s.sensitivity->variants)
      variants.push_back({{"count", v.count},
                          {"open", std::vector<int>(v.opened.begin(), v.opened.end())},
                          {"approach_after_mps", list(v.approach_mps)},
                          {"impulse_Ns", list(v.impulse_Ns)}});
    out["sensitivity"] = {{"gap_m", s.sensitivity->gap_m},
                          {"tried", s.sensitivity->tried},
                          {"all_combinations", s.sensitivity->all},
                          {"least_approach_mps", list(s.sensitivity->least_mps)},
                          {"most_approach_mps", list(s.sensitivity->most_mps)},
                          {"outcomes", variants}};
  }
  return out.dump(2) + "\n";
}

}  // namespace percuss::report
