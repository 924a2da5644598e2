// The contacts' part of an evaluation.
#pragma once

#include "percuss/dynamics/evaluation.h"

namespace percuss::dynamics {

void add_wrench(const Model& model, Evaluation& e, int body, const geometry::Gradient& g, double factor);

/// Forces and friction of all contacts. Those that are held get their force after the solution: are there any?
bool add_contacts(const Model& model, std::span<const double> y, const Modes& modes, Workspace& workspace,
                  Evaluation& e, OfContacts keep);

/// Adds friction to what a contact exerts, from its normal force.
void add_friction(const Model& model, const ContactMode& contact, std::span<const double> y,
                  const model::Motions& motions, ContactNow& now);

/// Slopes of the friction memories, after the solution.
void write_memory_slopes(const Model& model, std::span<const double> y, const Modes& modes, const Evaluation& e,
                         std::span<double> dydt);

}  // namespace percuss::dynamics
