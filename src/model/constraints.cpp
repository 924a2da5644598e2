// Evaluation and solution of the constraint rows.
#include "percuss/model/constraints.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "percuss/base/index.h"
#include "percuss/percussion/spectrum.h"

namespace percuss::model {

namespace {

constexpr double kSmallestPivot = 1e-10;  // of its diagonal: below it the eigenvalues are always looked at
constexpr double kDependent = 1e-10;      // squared distance of a row to the span of the others, rows of length 1

}  // namespace

struct Constraints::Spectral {
  percussion::Spectrum spectrum;
  Eigen::VectorXd scale, inverse;
};

Constraints::~Constraints() = default;

namespace {
/// The bodies with unknowns that a row acts on.
std::vector<int> bodies_of(const Model& model, const Row& row) {
  std::vector<int> bodies;
  for (int k = 0; k < row.term_count; ++k) {
    const geometry::Measure& m = model.measures[at(row.terms[at(k)].measure)];
    for (const int body : {m.body_a, m.body_b})
      if (model.bodies[at(body)].velocity_count > 0 && std::ranges::find(bodies, body) == bodies.end())
        bodies.push_back(body);
  }
  return bodies;
}
}  // namespace

Constraints::Constraints(const Model& model, Rows which) : model_(model) {
  for (std::size_t i = 0; i < model.rows.size(); ++i)
    if (which == Rows::all || !model.rows[i].redundant) rows_.push_back(static_cast<int>(i));
  if (which == Rows::independent) order_rows();
  first_slot_.push_back(0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (const int body : bodies_of(model, row(i))) {
      const Body& b = model.bodies[at(body)];
      slots_.push_back(
          {body, b.v_at - model.position_count, b.velocity_count, static_cast<int>(slots_.size()) * 6});
    }
    first_slot_.push_back(static_cast<int>(slots_.size()));
  }
  first_term_.push_back(0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto place_of = [&](int body) {
      for (const Slot& slot : slots(i))
        if (slot.body == body) return slot.at;
      return -1;
    };
    for (int k = 0; k < row(i).term_count; ++k) {
      const Row::Term& term = row(i).terms[at(k)];
      const geometry::Measure& m = model.measures[at(term.measure)];
      terms_.push_back({term.measure, place_of(m.body_a), place_of(m.body_b), term.coefficient});
    }
    first_term_.push_back(static_cast<int>(terms_.size()));
  }
  jacobian_.resize(slots_.size() * 6);
  response_.resize(slots_.size() * 6);
  for (auto* v : {&residual_, &residual_rate_, &wanted_, &target_rate_}) v->resize(rows_.size());
  lay_out_profile();
}

/// Cuthill and McKee on the bodies, breadth first from those that something at rest holds; rows follow their later
/// body. The order matters for the pivots, too: outwards from the ground a pivot is at least the mobility of the
/// body that is reached; inwards, the last one would be that of the whole chain, 1/N^3 of it for a stiff one.
void Constraints::order_rows() {
  const std::size_t n = model_.bodies.size();
  std::vector<std::set<int>> neighbours(n);
  std::vector<char> held(n, 0);
  for (const int r : rows_) {
    const Row& row = model_.rows[at(r)];
    const std::vector<int> bodies = bodies_of(model_, row);
    for (const int a : bodies)
      for (const int b : bodies)
        if (a != b) neighbours[at(a)].insert(b);
    if (bodies.size() == 1) held[at(bodies.front())] = 1;
  }
  std::vector<int> seeds(n), rank(n, -1);
  for (std::size_t i = 0; i < n; ++i) seeds[i] = static_cast<int>(i);
  const auto degree = [&](int b) { return neighbours[at(b)].size(); };
  std::ranges::stable_sort(seeds, {}, [&](int b) { return std::pair{held[at(b)] == 0, degree(b)}; });
  int next = 0;
  for (const int seed : seeds) {
    if (rank[at(seed)] >= 0) continue;
    std::vector<int> queue{seed};
    rank[at(seed)] = next++;
    for (std::size_t k = 0; k < queue.size(); ++k) {
      std::vector<int> around;
      for (const int b : neighbours[at(queue[k])])
        if (rank[at(b)] < 0) around.push_back(b);
      std::ranges::stable_sort(around, {}, degree);
      for (const int b : around) {
        rank[at(b)] = next++;
        queue.push_back(b);
      }
    }
  }
  std::ranges::stable_sort(rows_, {}, [&](int r) {
    int latest = -1, earliest = next;
    for (const int b : bodies_of(model_, model_.rows[at(r)])) {
      latest = std::max(latest, rank[at(b)]);
      earliest = std::min(earliest, rank[at(b)]);
    }
    return std::pair{latest, earliest};
  });
}

void Constraints::lay_out_profile() {
  const std::size_t n = rows_.size();
  std::vector<std::vector<int>> slots_of_body(model_.bodies.size());
  std::vector<std::size_t> row_of_slot(slots_.size());
  for (std::size_t i = 0; i < n; ++i)
    for (int k = first_slot_[i]; k < first_slot_[i + 1]; ++k) {
      slots_of_body[at(slots_[at(k)].body)].push_back(k);
      row_of_slot[at(k)] = i;
    }
  first_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    first_[i] = i;
    for (const Slot& slot : slots(i))
      first_[i] = std::min(first_[i], row_of_slot[at(slots_of_body[at(slot.body)].front())]);
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    row_start_.push_back(next);
    next += i - first_[i] + 1;
  }
  matrix_.resize(next);
  factors_.resize(next);
  for (const auto& list : slots_of_body)
    for (const int a : list)
      for (const int b : list)
        if (const std::size_t i = row_of_slot[at(a)], j = row_of_slot[at(b)]; i >= j)
          entries_.push_back(
              {static_cast<int>(place(i, j)), slots_[at(a)].at, slots_[at(b)].at, slots_[at(a)].size});
  std::ranges::stable_sort(entries_, {}, &Entry::target);
}

void Constraints::evaluate(double t_s, std::span<const double> y, const Motions& motions,
                           std::span<const double> near_rad) {
  const auto measured = model_.planar ? geometry::evaluate_in_plane : geometry::evaluate;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& r = row(i);
    const auto own = slots(i);
    double value = -r.target, rate = 0, bias = 0;
    const bool single = r.term_count == 1;
    if (!single)
      for (const Slot& slot : own) std::fill_n(&jacobian_[at(slot.at)], slot.size, 0.0);
    for (int k = first_term_[i]; k < first_term_[i + 1]; ++k) {
      const Term& term = terms_[at(k)];
      const geometry::Measure& m = model_.measures[at(term.measure)];
      const geometry::BodyMotion &m_a = motions[at(m.body_a)], &m_b = motions[at(m.body_b)];
      const geometry::MeasureValue v = measured(m, m_a, m_b, near_rad[at(term.measure)]);
      value += term.coefficient * v.value;
      rate += term.coefficient * v.rate;
      bias += term.coefficient * v.bias;
      if (single && term.coefficient == 1) {
        if (term.at_a >= 0) reduce(model_.bodies[at(m.body_a)], m_a, v.a, &jacobian_[at(term.at_a)]);
        if (term.at_b >= 0) reduce(model_.bodies[at(m.body_b)], m_b, v.b, &jacobian_[at(term.at_b)]);
        continue;
      }
      const auto add = [&](int place, const Body& body, const geometry::BodyMotion& motion,
                           const geometry::Gradient& gradient) {
        double reduced[6] = {};
        reduce(body, motion, gradient, reduced);
        for (int c = 0; c < body.velocity_count; ++c) jacobian_[at(place + c)] += term.coefficient * reduced[c];
      };
      if (single)
        for (const Slot& slot : own) std::fill_n(&jacobian_[at(slot.at)], slot.size, 0.0);
      if (term.at_a >= 0) add(term.at_a, model_.bodies[at(m.body_a)], m_a, v.a);
      if (term.at_b >= 0) add(term.at_b, model_.bodies[at(m.body_b)], m_b, v.b);
    }
    target_rate_[i] = 0;
    double wanted = -bias;
    if (r.driver >= 0) {
      const Driver& driver = model_.drivers[at(r.driver)];
      const expression::Derivatives f = driver.function.at(t_s);
      value -= driver.by_rate ? y[at(driver.s_at)] : f.value;
      target_rate_[i] = driver.by_rate ? f.value : f.first;
      wanted += driver.by_rate ? f.first : f.second;
    }
    residual_[i] = value;
    residual_rate_[i] = rate - target_rate_[i];
    wanted_[i] = wanted;
    for (const Slot& slot : own)
      respond(model_.bodies[at(slot.body)], &jacobian_[at(slot.at)], &response_[at(slot.at)]);
  }
}

void Constraints::form() {
  std::ranges::fill(matrix_, 0.0);
  for (const Entry& e : entries_) {
    const double* a = &jacobian_[at(e.slot_i)];
    const double* b = &response_[at(e.slot_j)];
    double sum = 0;
    for (int k = 0; k < e.size; ++k) sum += a[k] * b[k];
    matrix_[at(e.target)] += sum;
  }
}

void Constraints::factor() {
  near_singular_ = false;
  dropped_ = 0;
  if (rows_.empty()) return;
  form();
  const double smallest = factor_profile();
  if (smallest > looked_at_) return;
  factor_spectral();
  if (dropped_ == 0 && smallest > kSmallestPivot) looked_at_ = smallest / 10;  // small, and well
}

/// L D L^T, row by row: L below the diagonal, 1/D on it. Returns the smallest pivot over its diagonal; stops at one
/// that is no use.
double Constraints::factor_profile() {
  const std::size_t n = rows_.size();
  double smallest = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t f = first_[i];
    double* li = factors_.data() + (row_start_[i] - f);  // li[j] is L_ij
    const double* ai = matrix_.data() + (row_start_[i] - f);
    double pivot = ai[i];
    for (std::size_t j = f; j < i; ++j) {
      const double* lj = factors_.data() + (row_start_[j] - first_[j]);
      double sum = ai[j];
      for (std::size_t k = std::max(f, first_[j]); k < j; ++k) sum -= li[k] * lj[k];
      li[j] = sum;  // L_ij D_j; divided by D_j below
    }
    for (std::size_t j = f; j < i; ++j) {
      const double scaled = li[j] * factors_[place(j, j)];
      pivot -= scaled * li[j];
      li[j] = scaled;
    }
    const double share = pivot / ai[i];
    if (!(share > kSmallestPivot)) return 0;
    smallest = std::min(smallest, share);
    li[i] = 1 / pivot;
  }
  return smallest;
}

namespace {
Eigen::MatrixXd dense_of(const std::vector<double>& values, const std::vector<std::size_t>& first,
                         const std::vector<std::size_t>& start) {
  const auto n = static_cast<Eigen::Index>(first.size());
  Eigen::MatrixXd full = Eigen::MatrixXd::Zero(n, n);
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::size_t j = first[i]; j <= i; ++j)
      full(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = values[start[i] + (j - first[i])];
  return full.selfadjointView<Eigen::Lower>();
}
}  // namespace

/// Rows scaled to length 1 in the metric of the masses, so that units do not matter; then the eigenvalues decide.
void Constraints::factor_spectral() {
  near_singular_ = true;
  if (!spectral_) spectral_ = std::make_unique<Spectral>();
  Eigen::MatrixXd full = dense_of(matrix_, first_, row_start_);
  Spectral& s = *spectral_;
  s.scale = full.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  full = s.scale.asDiagonal() * full * s.scale.asDiagonal();
  s.spectrum = percussion::Spectrum(full);
  const Eigen::VectorXd& values = s.spectrum.values;
  s.inverse = Eigen::VectorXd::Zero(values.size());
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (values[i] > kDroppedEigenvalue * values[values.size() - 1])
      s.inverse[i] = 1 / values[i];
    else
      ++dropped_;
  }
}

void Constraints::solve(std::span<const double> b, std::span<double> x) const {
  const std::size_t n = rows_.size();
  if (n == 0) return;
  if (near_singular_) {
    const Spectral& s = *spectral_;
    const Eigen::Map<const Eigen::VectorXd> right(b.data(), static_cast<Eigen::Index>(n));
    Eigen::Map<Eigen::VectorXd> out(x.data(), static_cast<Eigen::Index>(n));
    const Eigen::MatrixXd& v = s.spectrum.vectors;
    out = s.scale.cwiseProduct(v * s.inverse.cwiseProduct(v.transpose() * s.scale.cwiseProduct(right)));
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double* li = factors_.data() + (row_start_[i] - first_[i]);
    double sum = b[i];
    for (std::size_t k = first_[i]; k < i; ++k) sum -= li[k] * x[k];
    x[i] = sum;
  }
  for (std::size_t i = 0; i < n; ++i) x[i] *= factors_[place(i, i)];
  for (std::size_t i = n; i-- > 0;) {
    const double* li = factors_.data() + (row_start_[i] - first_[i]);
    for (std::size_t k = first_[i]; k < i; ++k) x[k] -= li[k] * x[i];
  }
}

void Constraints::times(std::span<const double> u, std::span<double> out) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double sum = 0;
    for (const Slot& slot : slots(i))
      for (int k = 0; k < slot.size; ++k) sum += jacobian_[at(slot.at + k)] * u[at(slot.v_at + k)];
    out[i] = sum;
  }
}

void Constraints::add_response(std::span<const double> x, std::span<double> u) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (const Slot& slot : slots(i))
      for (int k = 0; k < slot.size; ++k) u[at(slot.v_at + k)] += response_[at(slot.at + k)] * x[i];
}

/// Orthogonal elimination in the metric of the masses: row i depends on those before it if what is left of its
/// diagonal in the Cholesky factor, row length 1, is below kDependent.
std::vector<int> Constraints::dependent_rows() const {
  std::vector<int> dependent;
  const Eigen::MatrixXd full = dense_of(matrix_, first_, row_start_);
  const Eigen::VectorXd scale = full.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd a = scale.asDiagonal() * full * scale.asDiagonal();
  Eigen::MatrixXd l = Eigen::MatrixXd::Zero(a.rows(), a.cols());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j)
      if (l(j, j) > 0) l(i, j) = (a(i, j) - l.row(i).head(j).dot(l.row(j).head(j))) / l(j, j);
    const double left = full(i, i) > 0 ? a(i, i) - l.row(i).head(i).squaredNorm() : 0;
    if (left > kDependent) {
      l(i, i) = std::sqrt(left);
    } else {
      l.row(i).setZero();
      dependent.push_back(static_cast<int>(i));
    }
  }
  return dependent;
}

}  // namespace percuss::model
