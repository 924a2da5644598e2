// The ball on the moving table, which two papers show.
#pragma once

#include "percuss/study/papers/collisions.h"

namespace percuss::study {

inline constexpr NamedLaw kThreeLaws[] = {{"hunt-crossley", "Hunt and Crossley"},
                                          {"lankarani-nikravesh", "Lankarani and Nikravesh"},
                                          {"flores", "Flores et al."}};

/// Hertz alone, then three laws at three restitutions: figures `first` and `second` + a, b, c, and, by the names
/// "delivered.<law>.<c>" and "rest.<law>.<c>", the restitution of the first impact and when the ball stays on the
/// table.
std::optional<Diagnostic> show_moving_table(PaperWork& work, const std::string& first, const std::string& second);

}  // namespace percuss::study
