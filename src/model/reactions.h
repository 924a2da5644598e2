// The forces that joints exert, and what redundancy leaves undetermined of them.
#pragma once

#include <string>
#include <vector>

#include "percuss/model/rows.h"

namespace percuss::model {

/// What a joint exerts on its body B, world axes, the torque about its anchor there.
struct Reaction {
  Vec3 force_N, torque_Nm;
};
/// The names of its six numbers, in their order.
inline constexpr const char* kReactionColumns[] = {"fx", "fy", "fz", "tx", "ty", "tz"};

/// `multiplier`: of every row of the model. The angles of rows are taken from the turns `near_rad`.
Reaction reaction_of(const Model& model, const Joint& joint, const Motions& motions,
                     std::span<const double> near_rad, std::span<const double> multiplier);

/// Rows at one place: those in force, factored, and all of the model in their order.
struct RowsAt {
  const RowLayout& in_force;
  const RowValues& values;
  const RowLayout& all;
  const RowValues& all_values;
};

/// Multipliers, one for each row of the model, that together exert nothing: a set for each redundant row. With its
/// multiplier 1, those of the rows in force are -c, (J M^-1 J^T) c = J M^-1 J_r^T.
std::vector<std::vector<double>> idle_multipliers(const Model& model, const RowsAt& rows);

/// The multipliers of all rows that exert what those in force do, of least size: sum l^2 J M^-1 J^T (the rows
/// scaled to length 1 in the metric of the masses).
std::vector<double> spread_multipliers(const Model& model, const RowsAt& rows, std::span<const double> multiplier);

/// Which numbers of which reactions idle multipliers change: NAME.fx. Rigid bodies do not determine those.
std::vector<std::string> undetermined_reactions(const Model& model, const RowsAt& rows, const Motions& motions,
                                                std::span<const double> near_rad);

}  // namespace percuss::model
