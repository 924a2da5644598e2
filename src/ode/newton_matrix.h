// The matrices of an implicit method: a Jacobian by differences, and (s - J) factored for a real and a complex
// shift.
#pragma once

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "percuss/ode/integrator.h"

namespace percuss::ode {

/// Dense where the system is small or all of it is coupled; otherwise sparse by blocks. Then unknowns of blocks
/// that no block reads together are moved at once, so that the number of evaluations does not grow with the number
/// of bodies, and the factors are sparse.
class NewtonMatrix {
 public:
  void lay_out(std::size_t dimension, const Coupling& coupling);
  bool is_sparse() const { return sparse_ != nullptr; }

  /// J at y, where the slope is known. `difference(i)` says by how much to move unknown i.
  void difference(std::span<const double> y, std::span<const double> slope,
                  const std::function<double(std::size_t)>& by,
                  const std::function<void(std::span<const double>, std::span<double>)>& slope_at);
  /// Its entries that may differ from zero, in a fixed order.
  std::span<double> jacobian() { return values_; }
  std::span<const double> jacobian() const { return values_; }

  /// False: the matrix has entries that are no numbers, or it is singular.
  bool factor(double real_shift, std::complex<double> shift);
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  void solve(const Eigen::VectorXd& real, const Eigen::VectorXd& imaginary, Eigen::VectorXd& out_real,
             Eigen::VectorXd& out_imaginary) const;

 private:
  struct Sparse {
    std::vector<int> column_start, row;             // of each column: where its entries begin, and their rows
    std::vector<std::vector<std::size_t>> at_once;  // columns that are moved together
    Eigen::SparseLU<Eigen::SparseMatrix<double>> real;
    Eigen::SparseLU<Eigen::SparseMatrix<std::complex<double>>> complex;
  };
  std::size_t dimension_ = 0;
  std::vector<double> values_;
  Eigen::PartialPivLU<Eigen::MatrixXd> real_;
  Eigen::PartialPivLU<Eigen::MatrixXcd> complex_;
  std::unique_ptr<Sparse> sparse_;
};

}  // namespace percuss::ode
