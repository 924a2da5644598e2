// The equations of motion at one instant: a pure function of the model, the time, the unknowns and the modes.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "percuss/dynamics/profile.h"
#include "percuss/dynamics/state.h"

namespace percuss::dynamics {

/// The relative motion of two surfaces at a contact point; depth > 0 is overlap, rate > 0 approach.
struct Approach {
  double depth_m = 0, rate_mps = 0;
  geometry::MeasureValue gap;
  int body_a = 0, body_b = 0;
  double back_m = 0;  // as in the feature
};

struct ContactNow {
  Approach approach;
  contact::NormalForce<> force;
  Vec3 friction_N, slip_mps;  // on the second body; of the second against the first
  double friction_W = 0, stiffness_Npm = 0;
  geometry::Gradient on_a, on_b;  // all that it exerts
};

/// What is integrated of a contact: all that is kept of it at the stages of a step where there are many bodies.
struct ContactPower {
  double depth_m = 0, rate_mps = 0, force_N = 0, elastic_N = 0, friction_W = 0;
};

struct SpringNow {
  double damped_W = 0, supplied_W = 0;
  double stored_W = 0;  // of one whose force is an expression
};

/// Everything at (t, y) under given modes.
struct Evaluation {
  double t_s = 0;
  model::Motions motions;            // [body]
  std::vector<double> near_rad;      // [measure] the turn that an angle is taken from
  std::vector<double> force;         // applied, in the velocity unknowns
  std::vector<double> acceleration;  // of the velocity unknowns
  std::vector<double> multiplier;    // [row of the layout]
  model::RowValues rows;
  bool near_singular = false;        // not all multipliers are resolved
  std::vector<ContactNow> contacts;  // as in Modes
  std::vector<ContactPower> powers;  // instead of them, at stages of which only this is kept
  std::vector<SpringNow> springs;
  std::vector<double> force_power_W;              // [force]
  std::vector<geometry::Gradient> on_prescribed;  // [body] wrench on a body of prescribed motion
  std::vector<double> outputs;                    // of all controllers
  std::vector<double> controller_rates;           // of the own states of continuous controllers
  std::vector<double> shares;                     // [site that slides] -1: the piece below, 1: the one above
};

inline ContactPower power_of(const ContactNow& c) {
  return {c.approach.depth_m, c.approach.rate_mps, c.force.total_N, c.force.elastic_N, c.friction_W};
}
/// Of a contact at a stage.
inline ContactPower power_of(const Evaluation& e, std::size_t contact) {
  return e.contacts.empty() ? e.powers[contact] : power_of(e.contacts[contact]);
}

/// Scratch, and nothing else: what it holds before a call changes nothing. Made for one model.
struct Workspace {
  explicit Workspace(const Model& model);
  Evaluation result;
  std::vector<double> right, reads;
  std::vector<geometry::Spot> spots;
  ContactNow passing;       // of which only the powers are kept
  std::vector<int> angles;  // measures that count turns
  bool has_moving_bodies = false;
  std::int64_t evaluations = 0, near_singular = 0;  // how many there were; read by statistics alone
  Profile* profile = nullptr;                       // of who wants to know where the time goes
  std::string* refusals = nullptr;                  // errors of controllers go there; null: they are thrown
};

/// A user's function reported an error.
struct ControllerError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Whatever goes wrong in it is a ControllerError.
void call(const model::Controller& controller, const model::ControllerCall& with);

/// The same bits whatever was evaluated before, in any order, on any thread.
const Evaluation& evaluate(const Model& model, double t_s, std::span<const double> y, const Modes& modes,
                           Workspace& workspace);
/// `keep`: only the powers of contacts are needed. That takes modes without contacts that are held or whose
/// friction remembers, and a model without forces and controllers, which may read contacts.
enum class OfContacts { all, powers };
void evaluate(const Model& model, double t_s, std::span<const double> y, const Modes& modes, Workspace& workspace,
              Evaluation& out, OfContacts keep = OfContacts::all);
/// Places and velocities of the bodies only.
void place(const Model& model, double t_s, std::span<const double> y, const Modes& modes,
           const Workspace& workspace, Evaluation& out);
/// The slopes of all unknowns, from the evaluation at (t, y).
void write_slopes(const Model& model, std::span<const double> y, const Modes& modes, const Evaluation& evaluation,
                  Workspace& workspace, std::span<double> dydt);

// ---- contacts
using model::ContactPair;
void find_spots(const Model& model, const model::Motions& motions, const ContactPair& pair, double near_m,
                std::vector<geometry::Spot>& out);
std::optional<geometry::Feature> find_feature(const Model& model, const model::Motions& motions,
                                              const ContactPair& pair, int spot,
                                              std::vector<geometry::Spot>& scratch);
Approach approach_at(const Model& model, const model::Motions& motions, const geometry::Feature& feature,
                     double base_m = 0);
Approach approach_of(const Model& model, const model::Motions& motions, const ContactMode& contact,
                     std::vector<geometry::Spot>& scratch);
/// The force of a contact that is not held, and its elastic part: smooth, without the rule against pulling. An
/// event ends the contact's mode where the law would pull. (Stages of a step may lie beyond: with the rule, an
/// implicit step would find two slopes there.)
contact::NormalForce<> law_force(const ContactMode& contact, const Approach& a);
/// What a contact that is held can give: at rest any push, under a dry law what lies between unloading and loading.
struct HeldBand {
  double low = 0, high = std::numeric_limits<double>::infinity();
};
HeldBand held_band_N(const ContactMode& contact, double depth_m);
/// The force as the law gives it, without the rule against pulling.
double raw_force_N(const ContactMode& contact, const Approach& a);
/// From the centre of mass of B to the middle of the overlap, where friction acts.
Vec3 middle_of_overlap(const Approach& a);
Vec3 slip_mps(const model::Motions& motions, const Approach& a);
/// Of a contact spring: the deflection at which it slips.
double slip_limit_m(const ContactMode& contact, const Approach& a);
/// What rounding leaves uncertain of the gap of two bodies: 16 last digits of their places.
double rounding_m(const Model& model, const model::Motions& motions, int body_a, int body_b);

inline geometry::MeasureValue measure(const Model& model, const Evaluation& e, int index) {
  const geometry::Measure& m = model.measures[static_cast<std::size_t>(index)];
  return (model.planar ? geometry::evaluate_in_plane : geometry::evaluate)(
      m, e.motions[static_cast<std::size_t>(m.body_a)], e.motions[static_cast<std::size_t>(m.body_b)],
      e.near_rad[static_cast<std::size_t>(index)]);
}

}  // namespace percuss::dynamics
