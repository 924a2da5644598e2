// What happens to contacts in touch: one row per event, with the function that rises through zero where it happens.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "percuss/dynamics/events/crossing.h"
#include "percuss/dynamics/events/effects.h"

namespace percuss::dynamics {

/// Something located in the last step.
struct Located {
  double t_s = 0;
  EventKind kind = EventKind::user;
  std::int64_t which = 0;                                  // id of a contact, number of an event of the user
  void (*effect)(Effect&, std::size_t contact) = nullptr;  // on the State, of the events of a contact
};

/// The forces of all contacts that are held, at times of the last step: one evaluation tells all of them.
using HeldForces = std::vector<std::pair<double, std::vector<double>>>;

/// One contact along the last step.
struct Watch {
  const Model& model;
  const Path& path;
  const ContactMode& contact;
  std::size_t index;
  double noise_m;  // what rounding leaves uncertain of its depth: an overlap of a few last digits is no overlap
  Workspace& workspace;
  HeldForces& held;

  Approach at(double t_s) const { return path.approach(contact, t_s); }
};

/// How a row's function is followed along a step.
enum class Follow {
  value_and_rate,  // crossings come in pairs too: a hump inside shows in the rates
  sign,            // a change of sign between two places
  presence         // below zero before, above it after, nothing between
};

/// Whether an event that is looked for by its sign happens at the beginning of the step if its function is above
/// zero there (or not below it). Mostly: unless an event has changed the contact at that very time, because then
/// the function is zero there, give or take rounding. (Above zero without that: forces have jumped, or something
/// else happened at the same time.)
enum class AtBegin { unless_changed, if_above, if_not_below };

struct ContactEventRow {
  EventKind kind;
  std::string_view meaning;
  Follow follow;
  int places;  // parts of a step at whose ends the function is looked at
  AtBegin at_begin;
  /// Is it looked for, in the contact's present mode?
  bool (*watched)(const Watch&);
  /// Rises through zero where the event happens. The rate is read where it is followed.
  ValueAndRate (*value)(const Watch&, double t_s);
  /// What it does to the State.
  void (*effect)(Effect&, std::size_t contact);
};
std::span<const ContactEventRow> contact_event_rows();

/// The first that happens to a contact in the last step; of several at one time the first row of the table.
std::optional<Located> first_contact_event(const Watch& watch);

/// Can the step be left alone? Of a contact that pushes, without memory.
bool stays_in_touch(const Watch& watch);

}  // namespace percuss::dynamics
