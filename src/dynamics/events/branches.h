// Comparisons on the motion in the functions of forces: where they change, and motion that slides along such a
// place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "percuss/dynamics/events/user_events.h"

namespace percuss::dynamics {

/// A function with pieces that the motion decides.
struct Branching {
  const model::Function* function = nullptr;
  EventReads reads;
  std::string owner;  // force "push"
};
std::vector<Branching> branchings(const Model& model);

/// The first time in the last step at which such a piece is left, or at which a motion that slides along its end
/// leaves it. `which` is the site, among the pieces of all functions.
std::optional<Located> first_branch(const Model& model, const Path& path, const std::vector<Branching>& all,
                                    Workspace& workspace);

/// At a new state: the site that was located goes over to the next piece, and others whose quantities have jumped
/// to where they are. A site that changes back at the same time slides: what its force does on one side brings the
/// motion back to the other (Filippov). Its piece is then between the two, so that the motion stays on the surface.
void settle_branches(Effect& effect, const std::vector<Branching>& all, const Located* located);

/// Of a site: whose it is.
std::string owner_of(const std::vector<Branching>& all, std::int64_t site);

}  // namespace percuss::dynamics
