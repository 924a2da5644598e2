// What happened, as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace percuss::recording {

/// One contact episode, from first touch to release. Energies in J; speeds of approach are positive.
struct Impact {
  int contact = 0;
  int body_a = 0, body_b = 0, spot = 0;
  double touch_s = 0, peak_s = 0, release_s = 0;
  double approach_mps = 0;                 // v-
  double separation_mps = 0;               // v+
  double law_speed_mps = 0;                // what the law was calibrated with: v- or the rest speed
  double mass_kg = 0;                      // effective, at touch
  double load_mps2 = 0, gravity_mps2 = 0;  // what presses the surfaces together at touch, and gravity's part of it
  std::optional<double> prescribed;        // restitution
  /// Kinematic (Newton): separation over approach speed; none if the surfaces met without speed. Under a load it
  /// may exceed 1.
  std::optional<double> delivered;
  /// Energetic (Stronge): sqrt of the work that the normal force returned over the work done on it; none without
  /// work.
  std::optional<double> energetic;
  double free = 0;  // what the law delivers in an isolated collision
  double max_force_N = 0, max_depth_m = 0, residual_depth_m = 0;
  double impulse_Ns = 0, lost_J = 0, friction_J = 0;  // lost along the normal; taken by friction
  double compression_J = 0, restitution_J = 0;  // work of the normal force while it was pressed, and given back
  bool released = false;                        // false: still in contact at the end
  /// delivered^2 - prescribed^2, in parts over m v-^2/2: the law's own bias; less the dissipation beyond that of
  /// the free impact; work of all other forces; of other contacts; the change of the effective mass. The remainder
  /// is what the parts leave.
  double bias = 0, extra_dissipation = 0, other_work = 0, other_contacts = 0, mass_change = 0, remainder = 0;
  bool has_account = false;  // false: nobody asked for the last four
};

struct Column {
  std::string name, unit;
};

/// The columns of the table of impacts, and one row of it; numbers that are not there are nan.
std::vector<Column> impact_columns();
std::vector<double> impact_row(const Impact& impact);

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

struct EventRecord {
  int event = 0;
  double time_s = 0;
};

struct Counts {
  std::int64_t steps = 0, rejected = 0, evaluations = 0, near_singular = 0, handed_over = 0;
  std::int64_t events = 0,
               event_evaluations = 0;  // located; what they took beyond the stages of the steps they cut
};

enum class End { done, stopped_by_event, interrupted, failed };

struct Recording {
  End end = End::done;
  std::string failure;  // of a run that failed
  double time_s = 0;    // reached
  std::vector<Impact> impacts;
  long impact_count = 0;
  std::vector<EventRecord> events;
  Ledger ledger;
  Counts counts;
  double worst_position_residual = 0, worst_velocity_residual = 0;
  std::vector<std::string> warnings;
  std::uint64_t fingerprint = 0;
  std::vector<double> y;  // the unknowns at the end
};

// ---- the stream of samples ----

struct Table {
  std::string name;  // "bodies/ball"
  std::vector<Column> columns;
};

/// Receives rows as they come, so that memory does not grow with the run.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void define(const std::vector<Table>& tables) = 0;
  /// False: it could not be kept; the run ends.
  virtual bool row(std::size_t table, std::span<const double> values) = 0;
};

}  // namespace percuss::recording
