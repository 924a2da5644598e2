// What happened, as plain data: the same in memory, in a result file and on a page.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "percuss/recording/table.h"

namespace percuss::recording {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // a number that does not exist

/// What is known of a run before its first step: where it comes from, and what the numbers in it refer to.
struct Head {
  std::string program, version, build;
  std::string title, scene_file, scene_text;
  std::vector<std::string> overrides;  // key=value
  std::vector<std::string> inputs;     // files that the scene names: checksum and name
  std::string scene_hash;              // of text, overrides and inputs
  std::string integrator;
  double tolerance = 0;
  std::string model;  // in words: bodies, joints, degrees of freedom
  int degrees_of_freedom = 0, constraint_rows = 0;
  std::vector<std::string> redundant_rows;
  std::vector<std::string> undetermined_reactions;  // JOINT.fx: rigid bodies do not determine it, a share is given
  std::vector<std::string> contacts, events;        // names; records refer to them by number
  std::vector<std::string> warnings;                // of the model
  std::string picture;                              // shapes and links for the replay, JSON
  bool operator==(const Head&) const = default;
};

/// One contact from touch to separation. Energies in J; speeds of approach are positive.
struct Impact {
  int contact = 0;                         // of Head::contacts
  int body_a = 0, body_b = 0, point = 0;   // 0 is the ground; which contact point of the two shapes
  double touch_s = 0, peak_s = 0;          // peak: of the indentation
  double separation_s = kNone;             // none: still in contact at the end
  double approach_speed_mps = 0;           // v- of the papers
  double separation_speed_mps = 0;         // v+
  double law_speed_mps = 0;                // what the law was calibrated with: the approach or the rest speed
  int law_speed_raised = 0;                // 1: that is more than the approach speed, and the law depends on it
  double effective_mass_kg = 0;            // at touch
  double load_mps2 = 0, gravity_mps2 = 0;  // what presses the surfaces together at touch, and gravity's part of it
  std::optional<double> prescribed;        // restitution
  /// Kinematic (Newton): separation over approach speed; none if the surfaces met without speed. Under a load it
  /// may exceed 1.
  std::optional<double> delivered;
  /// Energetic (Stronge): sqrt of the work that the normal force returned over the work done on it; none without
  /// work.
  std::optional<double> energetic;
  double isolated = kNone;  // restitution that the law delivers in an isolated collision
  double peak_force_N = 0, peak_indentation_m = 0, permanent_indentation_m = 0;
  double impulse_Ns = 0, lost_J = 0, friction_J = 0;  // lost along the normal; taken by friction
  double compression_J = 0, restitution_J = 0;  // work of the normal force while it was pressed, and given back
  /// delivered^2 - prescribed^2, in parts over m v-^2/2: the law's own bias; less the dissipation beyond that of
  /// the isolated collision; work of all other forces; of other contacts; the change of the effective mass. Only
  /// the remainder is computed by difference. The last four exist where the account was asked for.
  double bias = kNone, extra_dissipation = kNone, other_work = kNone, other_contacts = kNone, mass_change = kNone,
         remainder = kNone;

  bool separated() const { return !std::isnan(separation_s); }
  bool has_account() const { return !std::isnan(remainder); }
};

/// The columns of the table of impacts, one row of it, and the impact of a row; numbers that do not exist are nan.
std::vector<Column> impact_columns();
std::vector<double> impact_row(const Impact& impact);
Impact impact_of(std::span<const double> row, const std::vector<Column>& columns);

struct Energy {
  double kinetic_J = 0, potential_J = 0, springs_J = 0, contacts_J = 0, bristles_J = 0;  // functions of the state
  double damped_J = 0, lost_in_contacts_J = 0, friction_J = 0;                           // since the start
  double by_drivers_J = 0, by_forces_J = 0, by_motions_J = 0, by_springs_J = 0, by_switches_J = 0,
         by_projection_J = 0;
  double stored_J() const;
  double lost_J() const;
  double supplied_J() const;
};

/// The terms of the energy balance: files, summaries and pages iterate this table.
struct EnergyTerm {
  enum class Kind { stored, lost, supplied };
  std::string_view key, title;  // of the column, and for people
  Kind kind;
  double Energy::*value;
};
inline constexpr EnergyTerm kEnergyTerms[] = {
    {"kinetic", "kinetic", EnergyTerm::Kind::stored, &Energy::kinetic_J},
    {"potential", "gravity", EnergyTerm::Kind::stored, &Energy::potential_J},
    {"springs", "in springs", EnergyTerm::Kind::stored, &Energy::springs_J},
    {"contacts", "in contacts", EnergyTerm::Kind::stored, &Energy::contacts_J},
    {"bristles", "in bristles", EnergyTerm::Kind::stored, &Energy::bristles_J},
    {"damped", "lost in dampers", EnergyTerm::Kind::lost, &Energy::damped_J},
    {"lost_in_contacts", "lost in contacts", EnergyTerm::Kind::lost, &Energy::lost_in_contacts_J},
    {"friction", "lost by friction", EnergyTerm::Kind::lost, &Energy::friction_J},
    {"by_drivers", "by drivers", EnergyTerm::Kind::supplied, &Energy::by_drivers_J},
    {"by_forces", "by forces", EnergyTerm::Kind::supplied, &Energy::by_forces_J},
    {"by_motions", "by prescribed motions", EnergyTerm::Kind::supplied, &Energy::by_motions_J},
    {"by_springs", "by moving springs", EnergyTerm::Kind::supplied, &Energy::by_springs_J},
    {"by_switches", "by switches", EnergyTerm::Kind::supplied, &Energy::by_switches_J},
    {"by_projection", "by projection", EnergyTerm::Kind::supplied, &Energy::by_projection_J},
};

inline double sum_of(const Energy& e, EnergyTerm::Kind kind) {
  double sum = 0;
  for (const EnergyTerm& term : kEnergyTerms)
    if (term.kind == kind) sum += e.*term.value;
  return sum;
}
inline double Energy::stored_J() const { return sum_of(*this, EnergyTerm::Kind::stored); }
inline double Energy::lost_J() const { return sum_of(*this, EnergyTerm::Kind::lost); }
inline double Energy::supplied_J() const { return sum_of(*this, EnergyTerm::Kind::supplied); }

struct Ledger {
  Energy start, end;
  double exchanged_J = 0;      // the largest amount of energy in play at any accepted state
  double largest_error_J = 0;  // over all accepted states
  static double error_J(const Energy& start, const Energy& now) {
    return (now.stored_J() - start.stored_J()) + (now.lost_J() - start.lost_J()) -
           (now.supplied_J() - start.supplied_J());
  }
  double error_J() const { return error_J(start, end); }
};

/// Until when the motion is decided by the scene: a second solution, at a tighter tolerance, stays with it.
struct Horizon {
  std::string against;            // the second solution: "tolerance 1e-10"
  double parted_s = kNone;        // when the two parted; none: together to the end
  double largest_difference = 0;  // of the places, over the extents that they have covered
  bool together() const { return std::isnan(parted_s); }
};

struct EventRecord {
  int event = 0;  // of Head::events
  double time_s = 0;
};

struct Counts {
  std::int64_t steps = 0, rejected = 0, evaluations = 0, near_singular = 0, handed_over = 0;
  std::int64_t events = 0,
               event_evaluations = 0;  // located; what they took beyond the stages of the steps they cut
};

/// How a run ended; `killed` is seen in files only, whose run did not come to write its end.
enum class End { done, stopped_by_event, interrupted, failed, killed };

struct Recording {
  Head head;
  End end = End::done;
  std::string failure;  // of a run that failed
  double time_s = 0;    // reached
  std::vector<Impact> impacts;
  std::int64_t impact_count = 0, raised_count = 0;  // of all; of those with a raised law speed
  std::vector<EventRecord> events;
  Ledger ledger;
  std::optional<Horizon> horizon;  // where it was asked for
  Counts counts;
  double worst_position_residual = 0, worst_velocity_residual = 0;
  std::vector<std::string> warnings;  // of the run
  std::uint64_t fingerprint = 0;
  std::vector<double> y;            // the unknowns at the end; not in files
  std::vector<FilledTable> tables;  // samples: of a file, or where they were asked for

  bool is_whole() const { return end == End::done || end == End::stopped_by_event; }
  /// Null: there is none of this name.
  const FilledTable* find(std::string_view name) const;
  /// Of how many rows of a long table one is here; 1: nothing was left out.
  std::size_t thinned_by() const;
};

std::string_view word_of(End end);

}  // namespace percuss::recording
