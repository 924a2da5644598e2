// Is the law used where it is true? One sentence for each limit that is passed, with the number and the source.
#pragma once

#include <string>
#include <vector>

#include "percuss/contact/specification.h"
#include "percuss/impact/impact.h"

namespace percuss::impact {

/// What is known of the bodies beyond the law; 0: not known.
struct Bodies {
  double young_Pa = 0, density_kgpm3 = 0;  // of the slower material
  double radius_m = 0;                     // effective
};

/// The subject of each is left to who knows the name.
std::vector<Warning> warnings(const contact::LawSpec& spec, const Collision& collision, const Outcome& outcome,
                              const Bodies& bodies);

/// What a user's law must not do, checked on the collision at hand: a pole in its range, energy out of nothing. A
/// built-in law passes these in the tests of the table.
std::vector<Diagnostic> user_law_faults(const Collision& collision, const Result<Outcome>& outcome);

}  // namespace percuss::impact
