// Sums over bodies, springs and contacts.
#include "percuss/dynamics/energy.h"

#include <algorithm>

#include "percuss/base/index.h"

namespace percuss::dynamics {

double stored_in_contact_J(const ContactMode& c, double depth_m) {
  return contact::stored_energy_J(c.law, depth_m, std::max(depth_m, c.deepest_m));
}

/// The deflection z of bristles pulls with F_n s0 z, that of a contact spring with k_t x: half of that times the
/// deflection is stored. Where the stiffness grows with the normal force the rest of the book is friction's.
double stored_in_friction_J(const ContactMode& c, const Approach& a, std::span<const double> y) {
  if (c.memory_at < 0 || c.mode == ContactMode::Mode::coasting || c.is_held()) return 0;
  const double* z = &y[at(c.memory_at)];
  const Vec3 n = a.gap.b.linear;
  Vec3 x{z[0], z[1], z[2]};
  x -= dot(x, n) * n;
  return contact::stored_in_memory_J(c.friction, std::max(law_force(c, a).total_N, 0.0),
                                     a.depth_m > 0 ? contact::elastic_slope_Npm(c.law.elastic, a.depth_m) : 0, x);
}

StoredEnergy stored_energy(const Model& model, std::span<const double> y, const Modes& modes, const Evaluation& e,
                           Workspace& workspace) {
  StoredEnergy out;
  out.kinetic_J = model::kinetic_J(model, y);
  out.potential_J = model::potential_J(model, e.motions);
  for (const model::Spring& s : model.springs) {
    if (!modes.switched_on[at(s.switch_index)]) continue;
    for (std::size_t k = 0; k < s.lines.size(); ++k) {
      const double x =
          measure(model, e, s.lines[k].measure).value - (k == 0 ? s.rest.at({e.t_s, modes.pieces}).value : 0);
      out.springs_J += s.lines[k].stiffness * x * x / 2;
    }
  }
  for (const ContactMode& c : modes.contacts) {
    if (c.mode == ContactMode::Mode::coasting || c.mode == ContactMode::Mode::resting) continue;
    const Approach a = approach_of(model, e.motions, c, workspace.spots);
    out.contacts_J += stored_in_contact_J(c, a.depth_m);
    out.bristles_J += stored_in_friction_J(c, a, y);
  }
  return out;
}

}  // namespace percuss::dynamics
