// The constraint rows at one place: Jacobian, biases, the matrix J M^-1 J^T and its factors.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "percuss/model/kinematics.h"

namespace percuss::model {

/// The matrix is kept as a profile (skyline) after an ordering that keeps rows of neighbouring bodies together
/// (Cuthill and McKee): the factors stay inside it, so that the cost grows linearly along a chain, and a
/// small mechanism pays for no bookkeeping.
///
/// Of all rows that are not redundant (or of all, if asked for). Usage: `evaluate`, then `factor`, then `solve` as
/// often as wanted.
///
/// With the multipliers l the motion is M a = f + J^T l, J a = c, so that (J M^-1 J^T) l = c - J M^-1 f. M is
/// constant and block diagonal in the unknowns used here (angular velocities in body axes).
class Constraints {
 public:
  enum class Rows { independent, all };
  explicit Constraints(const Model& model, Rows rows = Rows::independent);
  ~Constraints();
  Constraints(const Constraints&) = delete;
  Constraints& operator=(const Constraints&) = delete;

  std::size_t count() const { return rows_.size(); }
  const Row& row(std::size_t i) const { return model_.rows[static_cast<std::size_t>(rows_[i])]; }
  int row_index(std::size_t i) const { return rows_[i]; }

  /// `near_rad[m]`: the turn that an angle measure m is taken from.
  void evaluate(double t_s, std::span<const double> y, const Motions& motions, std::span<const double> near_rad);

  /// value - target, its rate, and what J a must be.
  std::span<const double> residual() const { return residual_; }
  std::span<const double> residual_rate() const { return residual_rate_; }
  std::span<const double> wanted() const { return wanted_; }
  std::span<const double> target_rate() const { return target_rate_; }

  /// Forms and factors J M^-1 J^T. Where a pivot is small the stage is solved without the directions whose
  /// eigenvalue is below kDroppedEigenvalue of the largest; `near_singular` tells.
  void factor();
  bool near_singular() const { return near_singular_; }
  int dropped() const { return dropped_; }

  /// (J M^-1 J^T) x = b.
  void solve(std::span<const double> b, std::span<double> x) const;

  /// J u for velocity-like unknowns u (without the offset of the positions).
  void times(std::span<const double> u, std::span<double> out) const;
  /// u += M^-1 J^T x.
  void add_response(std::span<const double> x, std::span<double> u) const;
  /// What row i exerts on each of its bodies: J^T of the row, reduced.
  struct Slot {
    int body = 0, v_at = 0, size = 0, at = 0;  // v_at without the offset of the positions; at: in the arrays below
  };
  std::span<const Slot> slots(std::size_t row) const {
    return std::span(slots_).subspan(static_cast<std::size_t>(first_slot_[row]),
                                     static_cast<std::size_t>(first_slot_[row + 1] - first_slot_[row]));
  }
  const double* jacobian(const Slot& slot) const { return &jacobian_[static_cast<std::size_t>(slot.at)]; }

  /// Rows that follow from the others: the indices (in `count`) that a pivoted factorisation leaves out, later rows
  /// first. Of moderate numbers of rows; the matrix is formed densely.
  std::vector<int> dependent_rows() const;

  /// A row is left out near a singular position when its eigenvalue is below this part of the largest. The
  /// eigenvalue falls as the square of the distance to the position, and the multiplier's error grows as rounding
  /// over it: dropping at eps^(1/2) balances the two, the constraint is then open only over 1e-4 of the way, and
  /// projection closes it.
  static constexpr double kDroppedEigenvalue = 1e-8;

 private:
  struct Entry {
    int target, slot_i, slot_j, size;
  };
  /// A term of a row: its measure, and where the gradients go (-1: to a body without unknowns).
  struct Term {
    int measure, at_a, at_b;
    double coefficient;
  };
  struct Spectral;
  void order_rows();
  void lay_out_profile();
  void form();
  double factor_profile();
  void factor_spectral();
  std::size_t place(std::size_t i, std::size_t j) const { return row_start_[i] + (j - first_[i]); }

  const Model& model_;
  std::vector<int> rows_;  // in the order of elimination
  std::vector<Slot> slots_;
  std::vector<int> first_slot_;
  std::vector<Term> terms_;
  std::vector<int> first_term_;
  std::vector<Entry> entries_;
  std::vector<double> jacobian_, response_;  // J^T and M^-1 J^T, slot by slot
  std::vector<double> residual_, residual_rate_, wanted_, target_rate_;
  // the lower triangle by rows, each from its first entry that is not always zero to the diagonal
  std::vector<std::size_t> first_, row_start_;
  std::vector<double> matrix_, factors_;
  std::unique_ptr<Spectral> spectral_;
  double looked_at_ =
      1e-6;  // pivots (over their diagonals) below this let the eigenvalues decide; lower once they were well
  bool near_singular_ = false;
  int dropped_ = 0;
};

}  // namespace percuss::model
