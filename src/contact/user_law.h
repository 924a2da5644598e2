// A law written by a user: its force as an expression.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/contact/law.h"
#include "percuss/expression/program.h"

namespace percuss::contact {

/// The variables of a user's force, by slot; the user's constants follow.
inline constexpr std::string_view kUserVariables[] = {"delta", "ddelta", "v0", "m", "K", "n", "c"};
enum UserSlot { slot_delta, slot_ddelta, slot_v0, slot_m, slot_K, slot_n, slot_c };

struct UserLaw {
  std::string name, description;
  std::string force_text;
  expression::Program force;  // of kUserVariables; constants are bound
  Release release = Release::zero_force;
  bool uses(UserSlot slot) const { return force.uses(slot); }
};

/// Parses a force with its named constants. Columns of errors count from the start of `force_text`.
Result<UserLaw> make_user_law(std::string name, std::string force_text,
                              const std::vector<std::pair<std::string, double>>& constants, Release release);

/// A place where the force of a user's law is not a number, is infinite or changes sign through infinity, in
/// 0 <= delta <= depth_m and |ddelta| <= speed_mps; empty if none is found. `law` has everything but delta, ddelta
/// bound.
std::string find_pole(const Custom<>& law, double depth_m, double speed_mps);

}  // namespace percuss::contact
