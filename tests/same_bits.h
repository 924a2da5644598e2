// States compared to the last bit.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "percuss/dynamics/simulation.h"

namespace percuss {

inline std::string first_difference(const std::vector<double>& a, const std::vector<double>& b, const char* what) {
  if (a.size() != b.size())
    return std::string(what) + ": " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " numbers";
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i]))
      return std::string(what) + "[" + std::to_string(i) + "]: " + text_of(a[i], 17) + " and " + text_of(b[i], 17);
  return "";
}

/// What differs between two states, in words; nothing: they are the same.
inline std::string difference(const dynamics::State& a, const dynamics::State& b) {
  std::string out;
  const auto note = [&out](const std::string& text) {
    if (out.empty()) out = text;
  };
  const auto number = [&](double x, double y, const char* what) { note(first_difference({x}, {y}, what)); };
  number(a.t_s, b.t_s, "time");
  note(first_difference(a.y, b.y, "y"));
  const dynamics::Modes &m = a.modes, &n = b.modes;
  number(static_cast<double>(m.touches), static_cast<double>(n.touches), "touches");
  if (m.contacts.size() != n.contacts.size()) note("another number of contacts");
  for (std::size_t i = 0; i < std::min(m.contacts.size(), n.contacts.size()); ++i) {
    const dynamics::ContactMode &c = m.contacts[i], &d = n.contacts[i];
    if (c.id != d.id || c.mode != d.mode || c.spot != d.spot || c.slipping != d.slipping ||
        c.loading != d.loading || c.has_indented != d.has_indented || c.memory_at != d.memory_at ||
        c.pair.first != d.pair.first || c.pair.second != d.pair.second || !(c.law == d.law))
      note("contact " + std::to_string(i));
    note(first_difference({c.base_m, c.touch_s, c.approach_mps, c.law_speed_mps, c.mass_kg, c.load_mps2,
                           c.depth_scale_m, c.free_time_s, c.deepest_m, c.held_N, c.held_friction_N.x, c.changed_s},
                          {d.base_m, d.touch_s, d.approach_mps, d.law_speed_mps, d.mass_kg, d.load_mps2,
                           d.depth_scale_m, d.free_time_s, d.deepest_m, d.held_N, d.held_friction_N.x, d.changed_s},
                          "contact"));
  }
  if (m.overlaps != n.overlaps) note("overlaps");
  if (m.switched_on != n.switched_on) note("switches");
  if (m.sides != n.sides) note("sides of events");
  if (m.samples != n.samples) note("samples of controllers");
  note(first_difference(m.angle_rad, n.angle_rad, "angle"));
  note(first_difference(m.angle_rate, n.angle_rate, "rate of an angle"));
  note(first_difference(m.held_outputs, n.held_outputs, "held output"));
  note(first_difference(m.controller_states, n.controller_states, "state of a controller"));
  note(first_difference(m.pieces, n.pieces, "piece"));
  note(first_difference(m.changed_s, n.changed_s, "change of a piece"));
  if (m.sliding != n.sliding || m.slides_between != n.slides_between) note("functions that slide");
  if (m.clocks != n.clocks) note("break points");
  const dynamics::Control &k = a.control, &l = b.control;
  number(k.method.step_s, l.method.step_s, "next step");
  note(first_difference(k.method.numbers, l.method.numbers, "memory of the method"));
  note(first_difference(k.weights.absolute, l.weights.absolute, "weight"));
  if (k.stiff != l.stiff || k.stiff_steps != l.stiff_steps || k.trial_steps != l.trial_steps ||
      k.steps_before_next_trial != l.steps_before_next_trial || k.pause_steps != l.pause_steps ||
      k.events_at_once != l.events_at_once)
    note("counters of the step control");
  if (a.counts.steps != b.counts.steps || a.counts.rejected != b.counts.rejected ||
      a.counts.events != b.counts.events || a.counts.near_singular != b.counts.near_singular ||
      a.counts.evaluations != b.counts.evaluations)
    note("counts: " + std::to_string(a.counts.evaluations) + " and " + std::to_string(b.counts.evaluations) +
         " evaluations");
  return out;
}

}  // namespace percuss
