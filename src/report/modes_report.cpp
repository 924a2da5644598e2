// What vibrates how fast, and what moves in it.
#include "percuss/report/modes_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "percuss/base/index.h"
#include "percuss/base/version.h"
#include "percuss/dynamics/reading.h"
#include "percuss/model/head.h"
#include "percuss/model/picture.h"
#include "percuss/report/json.h"

namespace percuss::report {

using dynamics::NaturalMode;

namespace {

constexpr std::size_t kMostBodiesNamed = 3, kMostModesShown = 60;
constexpr double kWorthNaming = 0.1;  // of the kinetic energy

/// What a body does in a mode, at the origin of its frame.
struct BodyShape {
  std::complex<double> move[3], turn[3];  // world axes
};

BodyShape shape_of(const model::Model& model, const model::Motions& motions, const NaturalMode& mode,
                   std::size_t b) {
  BodyShape out;
  const model::Body& body = model.bodies[b];
  const auto part = [&](auto&& pick) {
    const std::size_t first = at(body.v_at - model.position_count);
    const auto u = [&](int k) { return pick(mode.shape[first + at(k)]); };
    Vec3 move{u(0), u(1), 0}, turn;
    if (body.kind == model::Body::Kind::spatial || body.kind == model::Body::Kind::particle) move.z = u(2);
    if (body.kind == model::Body::Kind::spatial) turn = motions[b].R * Vec3{u(3), u(4), u(5)};
    if (body.kind == model::Body::Kind::planar) turn.z = u(2);
    return std::pair{move + cross(turn, motions[b].R * body.origin_m), turn};
  };
  const auto real = part([](std::complex<double> x) { return x.real(); });
  const auto imaginary = part([](std::complex<double> x) { return x.imag(); });
  for (int k = 0; k < 3; ++k) {
    out.move[k] = {real.first[k], imaginary.first[k]};
    out.turn[k] = {real.second[k], imaginary.second[k]};
  }
  return out;
}

model::Motions motions_of(const ModesOf& m) {
  model::Motions motions;
  model::place_bodies(m.model, {m.about.t_s, m.about.modes.pieces}, m.about.y, motions);
  return motions;
}

/// "x", "y" ... or "turn x": the direction in which it moves most. Turns count with the size of things.
std::string direction_of(const model::Model& model, const BodyShape& shape) {
  constexpr double kClearly = 0.9;
  const char* const axes[] = {"x", "y", "z"};
  double moves = 0, turns = 0;
  for (int k = 0; k < 3; ++k) {
    moves += std::norm(shape.move[k]);
    turns += std::norm(shape.turn[k]) * model.length_m * model.length_m;
  }
  const bool is_turn = turns > moves;
  const double whole = is_turn ? turns : moves;
  for (int k = 0; k < 3; ++k) {
    const double own =
        is_turn ? std::norm(shape.turn[k]) * model.length_m * model.length_m : std::norm(shape.move[k]);
    if (own > kClearly * kClearly * whole) return (is_turn ? "turn " : "") + std::string(axes[k]);
  }
  return is_turn ? "turn" : "oblique";
}

/// "block 98 % (turn y), arm 2 % (x)".
std::string movers(const ModesOf& m, const model::Motions& motions, const NaturalMode& mode) {
  std::vector<std::size_t> bodies;
  for (std::size_t b = 0; b < m.model.bodies.size(); ++b)
    if (mode.energy_share[b] >= kWorthNaming) bodies.push_back(b);
  std::ranges::stable_sort(
      bodies, [&](std::size_t a, std::size_t b) { return mode.energy_share[a] > mode.energy_share[b] + 1e-9; });
  std::string out;
  const std::size_t named = std::min(bodies.size(), kMostBodiesNamed);
  for (std::size_t i = 0; i < named; ++i)
    out += fmt::format("{}{} {:.0f} % ({})", i > 0 ? ", " : "", m.model.bodies[bodies[i]].name,
                       100 * mode.energy_share[bodies[i]],
                       direction_of(m.model, shape_of(m.model, motions, mode, bodies[i])));
  if (bodies.empty()) return "many bodies, each below 10 %";
  return out + (bodies.size() > named ? ", ..." : "");
}

std::string frequency_text(double frequency_Hz) {
  return frequency_Hz > 0 ? engineering(frequency_Hz, "Hz", 6) : "-";
}

std::string ratio_text(const NaturalMode& mode) {
  if (mode.kind != NaturalMode::Kind::oscillation && mode.natural_frequency_Hz() == 0) return "-";
  const double ratio = mode.damping_ratio();
  return std::abs(ratio) < 1e-9 ? "0" : fmt::format("{:.4g}", ratio);
}

std::string time_text(const NaturalMode& mode) {
  if (mode.kind == NaturalMode::Kind::rigid_body || std::abs(mode.damping_ratio()) < 1e-9) return "-";
  return engineering(mode.time_constant_s(), "s", 4);
}

std::string place_text(const ModesOf& m) {
  const std::string contacts = fmt::format("{} contact point{} in touch", m.about.modes.contacts.size(),
                                           m.about.modes.contacts.size() == 1 ? "" : "s");
  if (m.at_equilibrium)
    return fmt::format("about the static equilibrium, {}; largest acceleration left {}", contacts,
                       engineering(m.modes.acceleration_mps2, "m/s^2", 2));
  return fmt::format("about the start as given, {}", contacts);
}

std::string title_of(const ModesOf& m) {
  return m.model.provenance.title.empty() ? "modes" : m.model.provenance.title;
}

}  // namespace

std::vector<std::string> mode_remarks(const ModesOf& m) {
  std::vector<std::string> out = m.modes.remarks;
  const double scale = std::max(norm(m.model.gravity_mps2), 1e-3);
  if (!m.at_equilibrium && m.modes.acceleration_mps2 > 1e-6 * scale)
    out.insert(out.begin(), fmt::format("the start is no equilibrium: body \"{}\" accelerates at {}",
                                        m.model.bodies[at(m.modes.worst_body)].name,
                                        engineering(m.modes.acceleration_mps2, "m/s^2", 3)));
  return out;
}

std::string modes_text(const ModesOf& m, const Style& style) {
  const model::Motions motions = motions_of(m);
  std::string out = title_of(m) + "\n" + model::describe(m.model) + "\n" + place_text(m) + "\n\n";
  if (m.modes.modes.empty()) return fitted(out + "nothing is free to move\n", style);
  TextTable table({"#", "kind", "frequency", "damping", "time constant", "moves most"}, 2);
  for (std::size_t i = 0; i < m.modes.modes.size(); ++i) {
    const NaturalMode& mode = m.modes.modes[i];
    if (i == kMostModesShown) {
      table.add({"", fmt::format("... {} more ...", m.modes.modes.size() - i)});
      break;
    }
    table.add({std::to_string(i + 1), std::string(name_of(mode.kind)), frequency_text(mode.natural_frequency_Hz()),
               ratio_text(mode), time_text(mode), movers(m, motions, mode)});
  }
  return fitted(out, style) + table.text(style) +
         fitted(
             "frequency: natural, |rate|/(2 pi); damping: ratio to the critical one; time constant: the amplitude "
             "changes by a factor e; moves most: share of the kinetic energy\n",
             style);
}

std::string modes_json(const ModesOf& m) {
  const model::Motions motions = motions_of(m);
  Json out;
  out["program"] = "percuss";
  out["version"] = version_number();
  out["title"] = title_of(m);
  out["at_equilibrium"] = m.at_equilibrium;
  out["acceleration_left"] = json_number(m.modes.acceleration_mps2);
  out["contact_points"] = m.about.modes.contacts.size();
  out["remarks"] = mode_remarks(m);
  Json modes = Json::array();
  for (const NaturalMode& mode : m.modes.modes) {
    Json one;
    one["kind"] = name_of(mode.kind);
    one["frequency"] = mode.natural_frequency_Hz();
    one["damped_frequency"] = mode.damped_frequency_Hz();
    one["damping_ratio"] = json_number(mode.damping_ratio());
    one["time_constant"] = json_number(mode.time_constant_s());
    one["rate"] = {mode.rate_radps.real(), mode.rate_radps.imag()};
    Json bodies = Json::object();
    for (std::size_t b = 1; b < m.model.bodies.size(); ++b) {
      if (m.model.bodies[b].velocity_count == 0) continue;
      const BodyShape shape = shape_of(m.model, motions, mode, b);
      Json body;
      body["energy_share"] = mode.energy_share[b];
      Json move = Json::array(), turn = Json::array();
      for (int k = 0; k < 3; ++k) {
        move.push_back({shape.move[k].real(), shape.move[k].imag()});
        turn.push_back({shape.turn[k].real(), shape.turn[k].imag()});
      }
      body["displacement"] = move;
      body["turn"] = turn;
      bodies[m.model.bodies[b].name] = body;
    }
    one["bodies"] = bodies;
    modes.push_back(one);
  }
  out["modes"] = modes;
  return out.dump(2) + "\n";
}

std::string modes_csv(const ModesOf& m) {
  const model::Motions motions = motions_of(m);
  std::string out =
      "# percuss modes: displacement of each body's frame and turn, world axes; the largest way of a body is 1\n"
      "mode,kind,frequency_Hz,damping_ratio,body,energy_share";
  for (const char* what : {"displacement", "turn"})
    for (const char* axis : {"x", "y", "z"}) out += fmt::format(",{0}_{1}_real,{0}_{1}_imaginary", what, axis);
  out += "\n";
  for (std::size_t i = 0; i < m.modes.modes.size(); ++i) {
    const NaturalMode& mode = m.modes.modes[i];
    for (std::size_t b = 1; b < m.model.bodies.size(); ++b) {
      if (m.model.bodies[b].velocity_count == 0) continue;
      const BodyShape shape = shape_of(m.model, motions, mode, b);
      out += fmt::format("{},{},{},{},{},{}", i + 1, name_of(mode.kind), mode.natural_frequency_Hz(),
                         mode.damping_ratio(), m.model.bodies[b].name, mode.energy_share[b]);
      for (const auto* what : {&shape.move, &shape.turn})
        for (int k = 0; k < 3; ++k) out += fmt::format(",{},{}", (*what)[k].real(), (*what)[k].imag());
      out += "\n";
    }
  }
  return out;
}

namespace {

constexpr double kShown_s = 4;      // each mode
constexpr double kAmplitude = 0.1;  // of the size of things
constexpr int kCycles = 4;          // of an oscillation in this time
constexpr int kFrames = 96;         // per mode
constexpr std::size_t kMostAnimated = 40;
constexpr double kMostDecay = 2.3;  // a damped mode fades to a tenth at most: it stays visible

/// The factor of a shape at a share of its time: an oscillation turns, others swell and fade.
std::complex<double> phase_at(const NaturalMode& mode, double share) {
  const double turn = 2 * std::numbers::pi * kCycles * share;
  if (mode.kind == NaturalMode::Kind::oscillation ||
      (mode.kind == NaturalMode::Kind::unstable && mode.rate_radps.imag() != 0)) {
    const double per_turn = -mode.rate_radps.real() / std::abs(mode.rate_radps.imag());
    const double fades = std::clamp(per_turn * turn, -kMostDecay, kMostDecay);
    return std::polar(std::exp(fades < 0 ? -kMostDecay - fades : -fades), turn);
  }
  if (mode.kind == NaturalMode::Kind::decay) return std::exp(-kMostDecay * share);
  if (mode.kind == NaturalMode::Kind::unstable) return std::exp(-kMostDecay * (1 - share));
  return std::sin(2 * std::numbers::pi * share);  // there and back
}

}  // namespace

Page modes_page(const ModesOf& m) {
  const model::Motions motions = motions_of(m);
  Page page;
  page.kind = "modes";
  page.title = title_of(m) + ": natural modes";
  page.subtitle = fmt::format("percuss {}, {}", version_number(), place_text(m));
  page.warnings = m.model.warnings;
  for (const std::string& remark : mode_remarks(m)) page.warnings.push_back(remark);
  const std::size_t shown = std::min(m.modes.modes.size(), kMostAnimated);
  const auto counted = [&](NaturalMode::Kind kind, const char* one, const char* many) {
    const auto n = std::ranges::count(m.modes.modes, kind, &NaturalMode::kind);
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  page.answer = counted(NaturalMode::Kind::oscillation, "oscillation", "oscillations") + ", " +
                counted(NaturalMode::Kind::decay, "decay", "decays") + ", " +
                counted(NaturalMode::Kind::rigid_body, "rigid-body motion", "rigid-body motions") + ", " +
                counted(NaturalMode::Kind::unstable, "unstable", "unstable") + ".";
  ReplayBlock replay;
  replay.id = "replay";
  replay.picture = model::replay_picture(m.model);
  std::vector<double> time;
  std::vector<std::vector<std::vector<double>>> numbers;  // [body][column]
  std::vector<std::size_t> drawn;
  for (std::size_t b = 1; b < m.model.bodies.size(); ++b) drawn.push_back(b);
  numbers.resize(drawn.size(), std::vector<std::vector<double>>(m.model.planar ? 3 : 7));
  std::vector<double> step(at(m.model.velocity_count)), y(m.about.y);
  dynamics::Evaluation e;
  for (std::size_t i = 0; i < shown; ++i) {
    const NaturalMode& mode = m.modes.modes[i];
    for (int f = 0; f <= kFrames; ++f) {
      const double share = static_cast<double>(f) / kFrames;
      // the last frame of a mode and the first of the next are a moment apart
      time.push_back(kShown_s * (static_cast<double>(i) + 0.999 * share));
      const std::complex<double> phase = phase_at(mode, share);
      for (std::size_t k = 0; k < step.size(); ++k)
        step[k] = kAmplitude * m.model.length_m * (mode.shape[k] * phase).real();
      y = m.about.y;
      model::displace(m.model, step, y);
      model::place_bodies(m.model, {m.about.t_s, m.about.modes.pieces}, y, e.motions);
      for (std::size_t d = 0; d < drawn.size(); ++d) {
        const dynamics::BodyReport r = dynamics::body_report(m.model, e, drawn[d]);
        const std::vector<double> own =
            m.model.planar ? std::vector<double>{r.p_m.x, r.p_m.y, r.turn_rad}
                           : std::vector<double>{r.p_m.x, r.p_m.y, r.p_m.z, r.q[0], r.q[1], r.q[2], r.q[3]};
        for (std::size_t c = 0; c < own.size(); ++c) numbers[d][c].push_back(own[c]);
      }
    }
  }
  replay.time = page.arrays.add(time);
  for (std::size_t d = 0; d < drawn.size(); ++d) {
    ReplayBlock::Body body{m.model.bodies[drawn[d]].name, {}};
    for (std::vector<double>& column : numbers[d]) body.motion.push_back(page.arrays.add(std::move(column)));
    replay.bodies.push_back(std::move(body));
  }
  for (std::size_t i = 0; i < shown; ++i) {
    const NaturalMode& mode = m.modes.modes[i];
    const double frequency = mode.natural_frequency_Hz();
    replay.parts.push_back(
        {kShown_s * static_cast<double>(i), kShown_s * (static_cast<double>(i) + 0.999),
         fmt::format("{}: {}", i + 1,
                     frequency > 0 ? engineering(frequency, "Hz", 4) : std::string(name_of(mode.kind)))});
  }
  PageSection& s = page.section("modes-section", "Modes");
  if (!time.empty()) s.blocks.emplace_back(std::move(replay));
  TableBlock table;
  table.id = "modes";
  table.title = "Modes";
  table.columns = {{"#"},
                   {"kind"},
                   {"frequency", "Hz", "natural: |rate|/(2 pi)"},
                   {"seen at", "Hz", "damped: the imaginary part of the rate over 2 pi"},
                   {"damping ratio"},
                   {"time constant", "s", "in which the amplitude changes by a factor e"},
                   {"moves most", "", "share of the kinetic energy, and direction"},
                   {"shown at", "s", "time of the replay"}};
  table.time_column = 7;
  for (std::size_t i = 0; i < m.modes.modes.size(); ++i) {
    const NaturalMode& mode = m.modes.modes[i];
    const bool swings = mode.natural_frequency_Hz() > 0;
    const double none = recording::kNone;
    table.rows.push_back({static_cast<double>(i + 1), std::string(name_of(mode.kind)),
                          swings ? mode.natural_frequency_Hz() : none, swings ? mode.damped_frequency_Hz() : none,
                          swings ? mode.damping_ratio() : none,
                          std::abs(mode.damping_ratio()) < 1e-9 ? none : mode.time_constant_s(),
                          movers(m, motions, mode), i < shown ? kShown_s * static_cast<double>(i) : none});
  }
  table.note = fmt::format(
      "A click on a row shows its mode, for {} s, slowed down or sped up. The amplitude is {} of the "
      "characteristic length; "
      "real motions of this kind are small. Damped ones fade, at most to a tenth.",
      kShown_s, kAmplitude);
  if (shown < m.modes.modes.size()) table.note += fmt::format(" The first {} are animated.", shown);
  s.blocks.emplace_back(std::move(table));
  PageSection& p = page.section("provenance", "Provenance");
  p.blocks.emplace_back(CodeBlock{"The scene, " + m.model.provenance.source, m.model.provenance.text});
  return page;
}

}  // namespace percuss::report
