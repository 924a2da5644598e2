// Energies that are functions of the state.
#pragma once

#include "percuss/dynamics/evaluation.h"

namespace percuss::dynamics {

struct StoredEnergy {
  double kinetic_J = 0, potential_J = 0, springs_J = 0;
  double contacts_J = 0;  // in the elastic indentation
  double bristles_J = 0;  // in the deflections that friction remembers
  /// Without the bristles: what they hold is part of the work of friction.
  double of_motion_J() const { return kinetic_J + potential_J + springs_J + contacts_J; }
};

/// From the unknowns and an evaluation, or a placement, there.
StoredEnergy stored_energy(const Model& model, std::span<const double> y, const Modes& modes, const Evaluation& e,
                           Workspace& workspace);

/// Of one contact: in its indentation, and in the deflection that its friction remembers.
double stored_in_contact_J(const ContactMode& contact, double depth_m);
double stored_in_friction_J(const ContactMode& contact, const Approach& a, std::span<const double> y);

}  // namespace percuss::dynamics
