// Channels and reports.
#include "percuss/dynamics/reading.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "percuss/base/index.h"
#include "percuss/dynamics/measured.h"

namespace percuss::dynamics {

using Kind = model::Channel::Kind;

namespace {

/// The least gap of a pair, if it is less than what is known; bodies whose bounding spheres are farther apart are
/// not looked at.
void note_nearest(const Model& model, const Evaluation& e, const ContactPair& pair, ContactReport& out,
                  std::vector<geometry::Spot>& spots) {
  const geometry::Surface &f = model.surfaces[at(pair.first)], &s = model.surfaces[at(pair.second)];
  const geometry::BodyMotion &m_f = e.motions[at(f.body)], &m_s = e.motions[at(s.body)];
  if (std::isfinite(out.depth_m) && std::isfinite(f.reach_m) && std::isfinite(s.reach_m) &&
      norm(m_f.p_m + m_f.R * f.centre - m_s.p_m - m_s.R * s.centre) - f.reach_m - s.reach_m > -out.depth_m)
    return;
  find_spots(model, e.motions, pair, std::numeric_limits<double>::infinity(), spots);
  for (const geometry::Spot& spot : spots)
    if (const Approach a = approach_at(model, e.motions, spot.feature); a.depth_m > out.depth_m)
      out.depth_m = a.depth_m, out.rate_mps = a.rate_mps;
}

/// Of all surfaces with a contact by materials: sorted along x, a surface is compared with those that can be nearer
/// than the nearest so far.
void note_nearest_by_materials(const Model& model, const Evaluation& e, std::size_t which, ContactReport& out,
                               std::vector<geometry::Spot>& spots) {
  struct Extent {
    double low, high;
    std::size_t surface;
  };
  std::vector<Extent> bounded, unbounded;
  for (std::size_t i = 0; i < model.surfaces.size(); ++i) {
    if (model.by_materials.class_of[i] < 0) continue;
    const geometry::Surface& s = model.surfaces[i];
    const geometry::BodyMotion& m = e.motions[at(s.body)];
    const double x = (m.p_m + m.R * s.centre).x;
    (std::isfinite(s.reach_m) ? bounded : unbounded).push_back({x - s.reach_m, x + s.reach_m, i});
  }
  const auto look_at = [&](std::size_t i, std::size_t j) {
    const auto pair = model.pair_of_materials(std::max(i, j), std::min(i, j));
    if (pair && at(model.kind_of(*pair).contact) == which) note_nearest(model, e, *pair, out, spots);
  };
  for (const Extent& u : unbounded)
    for (const Extent& b : bounded) look_at(u.surface, b.surface);
  std::ranges::sort(bounded, [](const Extent& a, const Extent& b) {
    return a.low < b.low || (a.low == b.low && a.surface < b.surface);
  });
  for (std::size_t i = 0; i < bounded.size(); ++i)
    for (std::size_t k = i + 1; k < bounded.size(); ++k) {
      if (std::isfinite(out.depth_m) && bounded[k].low - bounded[i].high > -out.depth_m) break;
      look_at(bounded[i].surface, bounded[k].surface);
    }
}

}  // namespace

ContactReport report(const Model& model, const Modes& modes, const Evaluation& e, std::size_t which,
                     ReportOf what) {
  ContactReport out;
  Vec3 friction;
  std::vector<geometry::Spot> spots;
  for (std::size_t i = 0; i < modes.contacts.size(); ++i) {
    const ContactMode& c = modes.contacts[i];
    if (at(model.kind_of(c.pair).contact) != which) continue;
    const Approach a = what == ReportOf::forces ? e.contacts[i].approach : approach_of(model, e.motions, c, spots);
    if (out.touching == 0 || a.depth_m > out.depth_m) out.depth_m = a.depth_m, out.rate_mps = a.rate_mps;
    ++out.touching;
    if (what == ReportOf::places) continue;
    const double force = e.contacts[i].force.total_N;
    out.force_N += force;
    out.push_N += force * a.gap.b.linear;
    out.pushed = a.body_b;
    out.point_m += force * (e.motions[at(a.body_b)].p_m + middle_of_overlap(a));
    friction += e.contacts[i].friction_N;
  }
  if (out.force_N != 0) out.point_m = out.point_m / out.force_N;
  out.push_N += friction;
  out.friction_N = norm(friction);
  if (out.touching > 0) return out;
  out.depth_m = -std::numeric_limits<double>::infinity();
  for (const ContactPair& pair : model.contacts[which].pairs) note_nearest(model, e, pair, out, spots);
  if (model.contacts[which].by_materials) note_nearest_by_materials(model, e, which, out, spots);
  if (!std::isfinite(out.depth_m)) out.depth_m = 0;  // nothing there that could touch
  return out;
}

SpringPull pull_of(const Model& model, const Modes& modes, const Evaluation& e, const model::Spring& spring) {
  const model::Function& f = spring.force;
  if (f.is_constant) return {f.value, f.value};
  double slots[kMostSlots];
  const std::span<const double> read = read_slots(model, modes, e, f, slots);
  const auto value = [&] {
    return f.is_piecewise() ? f.program.evaluate_on(read, f.own(modes.pieces)) : f.program.evaluate(read);
  };
  const double now = value();
  if (spring.rate_slot < 0) return {now, now};
  slots[spring.rate_slot] = 0;
  return {now, value()};
}

double spring_force_N(const Model& model, const Modes& modes, const Evaluation& e, std::size_t index) {
  const model::Spring& spring = model.springs[index];
  if (!modes.switched_on[at(spring.switch_index)]) return 0;
  if (spring.has_force) return -pull_of(model, modes, e, spring).N;
  const geometry::MeasureValue v = measure(model, e, spring.lines[0].measure);
  return -spring.lines[0].stiffness * (v.value - spring.rest.at({e.t_s, modes.pieces}).value) -
         spring.lines[0].damping * v.rate;
}

BodyReport body_report(const Model& model, const Evaluation& e, std::size_t body) {
  const geometry::BodyMotion& m = e.motions[body];
  const Vec3 r = m.R * model.bodies[body].origin_m;
  BodyReport out{m.p_m + r, model::point_velocity(m, r), m.w_radps, m.turn_rad, {}};
  if (!model.planar) {
    const Quat q = quat_of(m.R);
    out.q = {q.w, q.x, q.y, q.z};
  }
  return out;
}

double value_of(const BodyReport& b, Kind kind, int component) {
  switch (kind) {
    case Kind::body_position: return b.p_m[component];
    case Kind::body_orientation: return b.q[at(component)];
    case Kind::body_velocity: return b.v_mps[component];
    case Kind::body_turn: return b.turn_rad;
    case Kind::body_angular_velocity: return b.w_radps[component];
    default: return 0;
  }
}

double value_of(const ContactReport& c, Kind kind) {
  switch (kind) {
    case Kind::contact_indentation: return c.depth_m;
    case Kind::contact_rate: return c.rate_mps;
    case Kind::contact_force: return c.force_N;
    case Kind::contact_friction: return c.friction_N;
    case Kind::contact_points: return c.touching;
    default: return 0;
  }
}

double channel(const Model& model, const Modes& modes, const Evaluation& e, int index) {
  const model::Channel& c = model.channels[at(index)];
  const std::size_t i = at(c.index);
  switch (c.kind) {
    case Kind::body_position:
    case Kind::body_orientation:
    case Kind::body_velocity:
    case Kind::body_turn:
    case Kind::body_angular_velocity: return value_of(body_report(model, e, i), c.kind, c.component);
    case Kind::measure_value: return measure(model, e, c.index).value;
    case Kind::measure_rate: return measure(model, e, c.index).rate;
    case Kind::spring_length: return measure(model, e, model.springs[i].lines[0].measure).value;
    case Kind::spring_rate: return measure(model, e, model.springs[i].lines[0].measure).rate;
    case Kind::spring_stretch:
      return measure(model, e, model.springs[i].lines[0].measure).value -
             model.springs[i].rest.at({e.t_s, modes.pieces}).value;
    case Kind::spring_force: return spring_force_N(model, modes, e, i);
    case Kind::contact_indentation:
    case Kind::contact_rate:
    case Kind::contact_points: return value_of(report(model, modes, e, i, ReportOf::places), c.kind);
    case Kind::contact_force:
    case Kind::contact_friction: return value_of(report(model, modes, e, i), c.kind);
    case Kind::variable: return modes.variables[i];
    case Kind::contact_push: {
      const ContactReport now = report(model, modes, e, i);
      const int second = model.contacts[i].second_body;  // as the scene names them
      return (second < 0 || now.pushed == second ? 1 : -1) * now.push_N[c.component];
    }
    case Kind::controller_output: return e.outputs[i];
    default: return measured(model, modes, e, c);
  }
}

std::span<const double> read_slots(const Model& model, const Modes& modes, const Evaluation& e,
                                   const model::Function& f, std::span<double, kMostSlots> slots) {
  slots[0] = e.t_s;
  const std::size_t count = f.channels.size();
  for (std::size_t i = 0; i < count; ++i) slots[i + 1] = channel(model, modes, e, f.channels[i]);
  return slots.first(count + 1);
}

double value_of(const Model& model, const Modes& modes, const Evaluation& e, const model::Function& f) {
  if (f.is_constant) return f.value;
  double slots[kMostSlots];
  const std::span<const double> read = read_slots(model, modes, e, f, slots);
  return f.is_piecewise() ? f.program.evaluate_on(read, f.own(modes.pieces)) : f.program.evaluate(read);
}

void read_channels(const Model& model, const Modes& modes, const Evaluation& e, const std::vector<int>& channels,
                   std::vector<double>& out) {
  out.resize(channels.size());
  for (std::size_t i = 0; i < channels.size(); ++i) out[i] = channel(model, modes, e, channels[i]);
}

bool reads_forces(const Model& model, const model::Function& f) { return reads_forces(model, f.channels); }

bool reads_forces(const Model& model, std::span<const int> channels) {
  return std::ranges::any_of(channels, [&](int c) {
    const Kind kind = model.channels[at(c)].kind;
    return kind == Kind::contact_force || kind == Kind::contact_friction || kind == Kind::controller_output ||
           needs_forces(kind);
  });
}

std::optional<std::vector<int>> bodies_read(const Model& model, const model::Function& f) {
  std::vector<int> bodies;
  const auto add_measure = [&](int index) {
    const geometry::Measure& m = model.measures[at(index)];
    bodies.insert(bodies.end(), {m.body_a, m.body_b});
  };
  for (const int index : f.channels) {
    const model::Channel& c = model.channels[at(index)];
    switch (c.kind) {
      case Kind::body_position:
      case Kind::body_orientation:
      case Kind::body_velocity:
      case Kind::body_turn:
      case Kind::body_angular_velocity: bodies.push_back(c.index); break;
      case Kind::measure_value:
      case Kind::measure_rate: add_measure(c.index); break;
      case Kind::variable: break;
      case Kind::spring_length:
      case Kind::spring_rate:
      case Kind::spring_stretch:
      case Kind::spring_force:
        for (const model::Spring::Line& line : model.springs[at(c.index)].lines) add_measure(line.measure);
        if (const model::Spring& spring = model.springs[at(c.index)];
            c.kind == Kind::spring_force && spring.has_force) {
          const auto others = bodies_read(model, spring.force);
          if (!others) return std::nullopt;
          bodies.insert(bodies.end(), others->begin(), others->end());
        }
        break;
      case Kind::contact_indentation:
      case Kind::contact_rate:
        if (model.contacts[at(c.index)].by_materials) return std::nullopt;
        for (const ContactPair& pair : model.contacts[at(c.index)].pairs)
          bodies.insert(bodies.end(), {model.surfaces[at(pair.first)].body, model.surfaces[at(pair.second)].body});
        break;
      case Kind::controller_output: {
        const auto is_its = [&](const model::Controller& of) {
          return of.first_output <= c.index && c.index < of.first_output + static_cast<int>(of.outputs);
        };
        const auto of = std::ranges::find_if(model.controllers, is_its);
        if (of == model.controllers.end() || !(of->every_s > 0)) return std::nullopt;
        break;  // held
      }
      default: {
        const auto measured = bodies_measured(model, c);
        if (!measured) return std::nullopt;
        bodies.insert(bodies.end(), measured->begin(), measured->end());
      }
    }
  }
  std::ranges::sort(bodies);
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

}  // namespace percuss::dynamics
