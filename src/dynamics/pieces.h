// Functions that are smooth on pieces only: their pieces, and the break points in time between them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "percuss/dynamics/state.h"

namespace percuss::dynamics {

/// At the start of the model: the pieces on the right of t = 0. Those that the motion decides follow with the
/// motion.
void begin_pieces(const Model& model, Modes& modes);

/// A time strictly inside the open interval that the clock is in: a user's function that compares times with its
/// break points decides as everywhere else in the interval.
double inside(const BreakClock& clock, double t_s);

/// The next break point of all, if it is not after `ask_to_s`; else a time up to which there is none, not before
/// `ask_to_s` unless the search has used its share. Found ones are kept in the clocks, which belong to the State.
double next_break_s(const Model& model, Modes& modes, double t_s, double ask_to_s, double duration_s);

/// Time has come to break points: their functions go over to the pieces on the right, those that the motion decides
/// apart. The functions that did.
std::vector<const model::Function*> pass_breaks(const Model& model, double t_s, Modes& modes);

/// For a State that goes on under a changed Model: pieces and break points that are no longer those of its
/// functions are found anew. True: some were.
bool settle_again(const Model& model, double t_s, double duration_s, Modes& modes);

/// The largest step that users' functions allow.
double largest_step_s(const Model& model);

}  // namespace percuss::dynamics
