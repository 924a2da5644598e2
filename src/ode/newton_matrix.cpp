// Differences, block by block, and factors.
#include "percuss/ode/newton_matrix.h"

#include <algorithm>
#include <cmath>

namespace percuss::ode {

namespace {

constexpr std::size_t kSmall = 80;    // unknowns: dense factors are faster below
constexpr double kMostFilled = 0.25;  // entries of the Jacobian over all: dense above

}  // namespace

/// Blocks B and C can be moved together if no block reads both: greedily, each block takes the first colour that
/// none of the blocks has which some reader of it also reads.
void NewtonMatrix::lay_out(std::size_t dimension, const Coupling& coupling) {
  dimension_ = dimension;
  sparse_.reset();
  const std::size_t blocks = coupling.reads.size();
  if (!coupling.is_dense() && dimension > kSmall) {
    std::vector<std::vector<int>> unknowns(blocks), readers(blocks);
    for (std::size_t i = 0; i < dimension; ++i)
      unknowns[static_cast<std::size_t>(coupling.block_of[i])].push_back(static_cast<int>(i));
    for (std::size_t b = 0; b < blocks; ++b)
      for (const int read : coupling.reads[b])
        readers[static_cast<std::size_t>(read)].push_back(static_cast<int>(b));
    std::size_t entries = 0;
    for (std::size_t b = 0; b < blocks; ++b)
      for (const int r : readers[b]) entries += unknowns[b].size() * unknowns[static_cast<std::size_t>(r)].size();
    if (static_cast<double>(entries) < kMostFilled * static_cast<double>(dimension * dimension)) {
      sparse_ = std::make_unique<Sparse>();
      sparse_->column_start.assign(1, 0);
      for (std::size_t j = 0; j < dimension; ++j) {
        std::vector<int> rows;
        for (const int r : readers[static_cast<std::size_t>(coupling.block_of[j])])
          rows.insert(rows.end(), unknowns[static_cast<std::size_t>(r)].begin(),
                      unknowns[static_cast<std::size_t>(r)].end());
        std::ranges::sort(rows);
        sparse_->row.insert(sparse_->row.end(), rows.begin(), rows.end());
        sparse_->column_start.push_back(static_cast<int>(sparse_->row.size()));
      }
      std::vector<int> colour(blocks, -1);
      std::vector<std::size_t> taken(blocks, blocks);  // [colour] by a neighbour of this block
      std::vector<std::vector<std::size_t>> of_colour;
      for (std::size_t b = 0; b < blocks; ++b) {
        for (const int r : readers[b])
          for (const int other : coupling.reads[static_cast<std::size_t>(r)])
            if (const int c = colour[static_cast<std::size_t>(other)]; c >= 0)
              taken[static_cast<std::size_t>(c)] = b;
        std::size_t c = 0;
        while (taken[c] == b) ++c;
        colour[b] = static_cast<int>(c);
        if (c == of_colour.size()) of_colour.emplace_back();
        of_colour[c].push_back(b);
      }
      for (const std::vector<std::size_t>& group : of_colour)
        for (std::size_t k = 0;; ++k) {
          std::vector<std::size_t> columns;
          for (const std::size_t b : group)
            if (k < unknowns[b].size()) columns.push_back(static_cast<std::size_t>(unknowns[b][k]));
          if (columns.empty()) break;
          sparse_->at_once.push_back(std::move(columns));
        }
    }
  }
  values_.assign(sparse_ ? sparse_->row.size() : dimension * dimension, 0.0);
}

void NewtonMatrix::difference(std::span<const double> y, std::span<const double> slope,
                              const std::function<double(std::size_t)>& by,
                              const std::function<void(std::span<const double>, std::span<double>)>& slope_at) {
  std::vector<double> moved(y.begin(), y.end()), there(y.size());
  const auto move = [&](std::size_t j) {
    moved[j] = y[j] + by(j);
    if (moved[j] == y[j]) moved[j] = std::nextafter(y[j], 1e300);
  };
  if (!sparse_) {
    for (std::size_t j = 0; j < dimension_; ++j) {
      move(j);
      slope_at(moved, there);
      for (std::size_t i = 0; i < dimension_; ++i)
        values_[j * dimension_ + i] = (there[i] - slope[i]) / (moved[j] - y[j]);
      moved[j] = y[j];
    }
    return;
  }
  for (const std::vector<std::size_t>& columns : sparse_->at_once) {
    for (const std::size_t j : columns) move(j);
    slope_at(moved, there);
    for (const std::size_t j : columns) {
      for (int k = sparse_->column_start[j]; k < sparse_->column_start[j + 1]; ++k) {
        const auto i = static_cast<std::size_t>(sparse_->row[static_cast<std::size_t>(k)]);
        values_[static_cast<std::size_t>(k)] = (there[i] - slope[i]) / (moved[j] - y[j]);
      }
      moved[j] = y[j];
    }
  }
}

bool NewtonMatrix::factor(double real_shift, std::complex<double> shift) {
  const auto n = static_cast<Eigen::Index>(dimension_);
  if (!std::ranges::all_of(values_, [](double x) { return std::isfinite(x); })) return false;
  if (!sparse_) {
    const Eigen::Map<const Eigen::MatrixXd> jacobian(values_.data(), n, n);
    Eigen::MatrixXd real = -jacobian;
    real.diagonal().array() += real_shift;
    real_.compute(real);
    Eigen::MatrixXcd pair = (-jacobian).cast<std::complex<double>>();
    pair.diagonal().array() += shift;
    complex_.compute(pair);
    return true;
  }
  const Eigen::Map<const Eigen::SparseMatrix<double>> jacobian(n, n, static_cast<Eigen::Index>(values_.size()),
                                                               sparse_->column_start.data(), sparse_->row.data(),
                                                               values_.data());
  Eigen::SparseMatrix<double> one(n, n);
  one.setIdentity();
  const Eigen::SparseMatrix<double> real = real_shift * one - jacobian;
  const Eigen::SparseMatrix<std::complex<double>> pair =
      shift * one.cast<std::complex<double>>() - Eigen::SparseMatrix<double>(jacobian).cast<std::complex<double>>();
  sparse_->real.compute(real);
  sparse_->complex.compute(pair);
  return sparse_->real.info() == Eigen::Success && sparse_->complex.info() == Eigen::Success;
}

Eigen::VectorXd NewtonMatrix::solve(const Eigen::VectorXd& right) const {
  if (sparse_) return sparse_->real.solve(right);
  return real_.solve(right);
}

void NewtonMatrix::solve(const Eigen::VectorXd& real, const Eigen::VectorXd& imaginary, Eigen::VectorXd& out_real,
                         Eigen::VectorXd& out_imaginary) const {
  Eigen::VectorXcd both(real.size());
  both.real() = real;
  both.imag() = imaginary;
  const Eigen::VectorXcd found =
      sparse_ ? Eigen::VectorXcd(sparse_->complex.solve(both)) : Eigen::VectorXcd(complex_.solve(both));
  out_real = found.real();
  out_imaginary = found.imag();
}

}  // namespace percuss::ode
