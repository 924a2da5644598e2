// From words and numbers to a friction law: what was asked for is checked once, all mistakes are said at once.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/contact/friction.h"

namespace percuss::contact {

/// What a user says. The field names are the words of a scene's keys.
struct FrictionRequest {
  std::string law;                                         // a key of the friction table; empty: default_friction()
  std::optional<double> coefficient;                       // of sliding
  std::optional<double> static_coefficient;                // of rest; otherwise that of sliding
  std::optional<double> rolling, spinning;                 // torque over normal force times effective radius
  std::vector<std::pair<std::string, double>> parameters;  // by name, in SI; the others are those of the row
  std::optional<MaterialPair> materials;                   // for constants that follow from them
  double radius_m = 0;                                     // effective; infinity and 0: none
};

/// A request without a coefficient is one for rolling and spinning resistance alone, and says nothing of sliding.
/// All that is missing, out of range or contradictory comes at once; `at.source` of a diagnostic is the word it is
/// about: a field name above, or "parameters.NAME".
Result<FrictionLaw> specify(const FrictionRequest& request);

}  // namespace percuss::contact
