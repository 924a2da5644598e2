// The constraint rows in force: how they are laid out, and their numbers at one place (Jacobian, biases, the matrix
// J M^-1 J^T and its factors).
#pragma once

#include <span>
#include <vector>

#include "percuss/model/kinematics.h"

namespace percuss::model {

/// The numbers of the rows at one place, made by RowLayout::evaluate and factor.
struct RowValues {
  std::vector<double> jacobian, response;  // J^T and M^-1 J^T, slot by slot
  /// value - target, its rate, what J a must be, and the rate of the target.
  std::vector<double> residual, residual_rate, wanted, target_rate;
  std::vector<double> moving_rate;  // [moving term] the part of a row's rate that a prescribed body causes
  std::vector<double> matrix, factors;
  bool is_regularised = false;  // the factors are those of a matrix with epsilon on its diagonal
};

/// A set of rows, the order in which they are eliminated, and the places of their numbers. Constant; shared by all
/// who use the same set.
///
/// The matrix is kept as a profile (skyline) after an ordering that keeps rows of neighbouring bodies together
/// (Cuthill and McKee): the factors stay inside it, so that the cost grows linearly along a chain, and a
/// small mechanism pays for no bookkeeping.
///
/// With the multipliers l the motion is M a = f + J^T l, J a = c, so that (J M^-1 J^T) l = c - J M^-1 f. M is
/// constant and block diagonal in the unknowns used here (angular velocities in body axes).
class RowLayout {
 public:
  enum class Order { for_elimination, as_given };
  RowLayout(const Model& model, std::vector<int> rows, Order order);

  std::size_t count() const { return rows_.size(); }
  int row_index(std::size_t i) const { return rows_[i]; }  // in Model::rows
  std::span<const int> rows() const { return rows_; }

  /// `near_rad[m]`: the turn that an angle measure m is taken from.
  void evaluate(const Model& model, const Moment& moment, std::span<const double> y, const Motions& motions,
                std::span<const double> near_rad, RowValues& out) const;

  /// Forms and factors J M^-1 J^T.
  void factor(RowValues& values) const;

  /// (J M^-1 J^T) x = b, after `factor`. False: near a singular position, where not all of x is resolved.
  bool solve(const RowValues& values, std::span<const double> b, std::span<double> x) const;
  /// J u for velocity-like unknowns u (without the offset of the positions).
  void times(const RowValues& values, std::span<const double> u, std::span<double> out) const;
  /// u += M^-1 J^T x.
  void add_response(const RowValues& values, std::span<const double> x, std::span<double> u) const;

  /// Of one row: J M^-1 J^T.
  double mobility(const RowValues& values, std::size_t row) const;

  /// A body that a row acts on: where its unknowns and its numbers are.
  struct Slot {
    int body = 0, v_at = 0, size = 0, at = 0;  // v_at without the offset of the positions; at: in RowValues
  };
  std::span<const Slot> slots(std::size_t row) const {
    return std::span(slots_).subspan(static_cast<std::size_t>(first_slot_[row]),
                                     static_cast<std::size_t>(first_slot_[row + 1] - first_slot_[row]));
  }

  /// A row that a prescribed, moving body takes part in: what drives the body does work through it.
  struct MovingTerm {
    std::size_t row = 0;
    int term = 0, body = 0;
    bool is_a = false;
  };
  std::span<const MovingTerm> moving_terms() const { return moving_terms_; }

  /// Rows that follow from the others: those that a pivoted factorisation leaves out, later rows first. Of moderate
  /// numbers of rows; the matrix is formed densely.
  std::vector<int> dependent_rows(const RowValues& values) const;

 private:
  struct Entry {
    int target, slot_i, slot_j, size;
  };
  /// A term of a row: its measure, and where the gradients go (-1: to a body without unknowns).
  struct Term {
    int measure, at_a, at_b;
    bool is_flat;      // the row is this measure alone, between planar bodies that are not driven
    bool begins_span;  // and its points are not those of the row before
    double coefficient;
  };
  void order_for_elimination(const Model& model);
  void lay_out_profile(const Model& model);
  void form(RowValues& values) const;
  double factor_profile(RowValues& values, double epsilon) const;
  void solve_factored(const RowValues& values, std::span<const double> b, std::span<double> x) const;
  void put_residual(const RowValues& values, std::span<const double> b, std::span<const double> x,
                    std::span<double> out) const;
  std::size_t place(std::size_t i, std::size_t j) const { return row_start_[i] + (j - first_[i]); }

  std::vector<int> rows_;  // in the order of elimination
  std::vector<Slot> slots_;
  std::vector<int> first_slot_;
  std::vector<Term> terms_;
  std::vector<int> first_term_;
  std::vector<MovingTerm> moving_terms_;
  std::vector<Entry> entries_;
  // the lower triangle by rows, each from its first entry that is not always zero to the diagonal
  std::vector<std::size_t> first_, row_start_, diagonal_;
  std::size_t profile_size_ = 0;
};

/// The rows that hold at the start of a run: all that are not redundant.
std::vector<int> independent_rows(const Model& model);
std::vector<int> every_row(const Model& model);

/// All rows of a model with their numbers at one place, for those who look at few places.
class Constraints {
 public:
  explicit Constraints(const Model& model);
  std::size_t count() const { return layout_.count(); }
  const Row& row(std::size_t i) const { return model_.rows[static_cast<std::size_t>(layout_.row_index(i))]; }
  int row_index(std::size_t i) const { return layout_.row_index(i); }
  void evaluate(double t_s, std::span<const double> y, const Motions& motions, std::span<const double> near_rad) {
    layout_.evaluate(model_, t_s, y, motions, near_rad, values_);
  }
  void factor() { layout_.factor(values_); }
  std::span<const double> residual() const { return values_.residual; }
  std::span<const double> residual_rate() const { return values_.residual_rate; }
  std::span<const double> target_rate() const { return values_.target_rate; }
  bool is_regularised() const { return values_.is_regularised; }
  void solve(std::span<const double> b, std::span<double> x) const { layout_.solve(values_, b, x); }
  void times(std::span<const double> u, std::span<double> out) const { layout_.times(values_, u, out); }
  void add_response(std::span<const double> x, std::span<double> u) const { layout_.add_response(values_, x, u); }
  std::span<const RowLayout::Slot> slots(std::size_t row) const { return layout_.slots(row); }
  const double* jacobian(const RowLayout::Slot& slot) const {
    return &values_.jacobian[static_cast<std::size_t>(slot.at)];
  }
  std::vector<int> dependent_rows() const { return layout_.dependent_rows(values_); }

 private:
  const Model& model_;
  RowLayout layout_;
  RowValues values_;
};

}  // namespace percuss::model
