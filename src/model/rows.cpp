// Evaluation and solution of the constraint rows.
#include "percuss/model/rows.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "percuss/base/index.h"
#include "percuss/geometry/flat_measure.h"

namespace percuss::model {

namespace {

constexpr double kSmallestPivot = 1e-10;  // of its diagonal: below it rounding decides
constexpr double kPivotFloor = 1e-6;      // below it epsilon is added
constexpr double kEpsilon = 3e-9;
constexpr int kRefinements = 3, kMostRefinements = 12;
constexpr double kConverging = 0.5;   // a correction over the one before: as long as it is less, they go on
constexpr double kResolved = 1e-7;    // last correction over the solution; rounding leaves 1e-16/epsilon of it
constexpr double kDependent = 1e-10;  // squared distance of a row to the span of the others, rows of length 1

}  // namespace

namespace {
/// The bodies with unknowns that a row acts on.
std::vector<int> bodies_of(const Model& model, const Row& row) {
  std::vector<int> bodies;
  for (const Row::Term& term : row.terms) {
    const geometry::Measure& m = model.measures[at(term.measure)];
    for (const int body : {m.body_a, m.body_b})
      if (model.bodies[at(body)].velocity_count > 0 && std::ranges::find(bodies, body) == bodies.end())
        bodies.push_back(body);
  }
  return bodies;
}
}  // namespace

std::vector<int> independent_rows(const Model& model) {
  std::vector<int> rows;
  for (std::size_t i = 0; i < model.rows.size(); ++i)
    if (const Row& r = model.rows[i]; !r.redundant && (r.switch_index < 0 || model.switched_on[at(r.switch_index)]))
      rows.push_back(static_cast<int>(i));
  return rows;
}

std::vector<int> every_row(const Model& model) {
  std::vector<int> rows(model.rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int>(i);
  return rows;
}

Constraints::Constraints(const Model& model)
    : model_(model), layout_(model, every_row(model), RowLayout::Order::as_given) {}

RowLayout::RowLayout(const Model& model, std::vector<int> rows, Order order) : rows_(std::move(rows)) {
  if (order == Order::for_elimination) order_for_elimination(model);
  const auto row = [&](std::size_t i) -> const Row& { return model.rows[at(rows_[i])]; };
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
  int last_span = -1;  // the measure whose points the last row in the plane had
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto place_of = [&](int body) {
      for (const Slot& slot : slots(i))
        if (slot.body == body) return slot.at;
      return -1;
    };
    for (const Row::Term& term : row(i).terms) {
      const geometry::Measure& m = model.measures[at(term.measure)];
      for (const bool is_a : {true, false})
        if (const int body = is_a ? m.body_a : m.body_b; model.bodies[at(body)].moves)
          moving_terms_.push_back({i, static_cast<int>(terms_.size()), body, is_a});
      const auto fits = [&](int body) {
        const Body& b = model.bodies[at(body)];
        return b.kind == Body::Kind::planar || b.kind == Body::Kind::planar_particle ||
               (b.kind == Body::Kind::prescribed && !b.moves);
      };
      const bool is_flat = model.planar && row(i).terms.size() == 1 && term.coefficient == 1 &&
                           geometry::is_flat(m.kind) && fits(m.body_a) && fits(m.body_b);
      const bool has_span = is_flat && m.kind != geometry::Measure::Kind::planar_angle;
      const auto same_points = [&](int other) {
        const geometry::Measure& o = model.measures[at(other)];
        return o.body_a == m.body_a && o.body_b == m.body_b && o.point_a == m.point_a && o.point_b == m.point_b;
      };
      const bool begins = has_span && !(last_span >= 0 && same_points(last_span));
      if (has_span) last_span = term.measure;
      terms_.push_back({term.measure, place_of(m.body_a), place_of(m.body_b), is_flat, begins, term.coefficient});
    }
    first_term_.push_back(static_cast<int>(terms_.size()));
  }
  lay_out_profile(model);
}

/// Cuthill and McKee on the bodies, breadth first from those that something at rest holds; rows follow their later
/// body. The order matters for the pivots, too: outwards from the ground a pivot is at least the mobility of the
/// body that is reached; inwards, the last one would be that of the whole chain, 1/N^3 of it for a stiff one.
void RowLayout::order_for_elimination(const Model& model) {
  const std::size_t n = model.bodies.size();
  std::vector<std::set<int>> neighbours(n);
  std::vector<char> held(n, 0);
  for (const int r : rows_) {
    const Row& row = model.rows[at(r)];
    const std::vector<int> bodies = bodies_of(model, row);
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
    for (const int b : bodies_of(model, model.rows[at(r)])) {
      latest = std::max(latest, rank[at(b)]);
      earliest = std::min(earliest, rank[at(b)]);
    }
    return std::pair{latest, earliest};
  });
}

void RowLayout::lay_out_profile(const Model& model) {
  const std::size_t n = rows_.size();
  std::vector<std::vector<int>> slots_of_body(model.bodies.size());
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
    diagonal_.push_back(next - 1);
  }
  profile_size_ = next;
  for (const auto& list : slots_of_body)
    for (const int a : list)
      for (const int b : list)
        if (const std::size_t i = row_of_slot[at(a)], j = row_of_slot[at(b)]; i >= j)
          entries_.push_back(
              {static_cast<int>(place(i, j)), slots_[at(a)].at, slots_[at(b)].at, slots_[at(a)].size});
  std::ranges::stable_sort(entries_, {}, &Entry::target);
}

void RowLayout::evaluate(const Model& model, const Moment& moment, std::span<const double> y,
                         const Motions& motions, std::span<const double> near_rad, RowValues& out) const {
  const std::size_t n = rows_.size();
  if (out.residual.size() != n || out.jacobian.size() != slots_.size() * 6) {
    out.jacobian.assign(slots_.size() * 6, 0.0);
    out.response.assign(slots_.size() * 6, 0.0);
    for (auto* v : {&out.residual, &out.residual_rate, &out.wanted}) v->assign(n, 0.0);
  }
  out.target_rate.resize(n);
  out.moving_rate.resize(moving_terms_.size());
  const auto measured = model.planar ? geometry::evaluate_in_plane : geometry::evaluate;
  double *const jacobian = out.jacobian.data(), *const response = out.response.data();
  std::size_t moving = 0;
  geometry::FlatSpan span{};
  for (std::size_t i = 0; i < n; ++i) {
    const Row& r = model.rows[at(rows_[i])];
    double value = -r.target, rate = 0, bias = 0;
    if (!moment.shifts.empty()) value -= moment.shifts[at(rows_[i])];
    const Term& first = terms_[at(first_term_[i])];
    if (first.is_flat) {  // one measure in the plane, between bodies that are not driven
      const geometry::Measure& m = model.measures[at(first.measure)];
      const geometry::BodyMotion &m_a = motions[at(m.body_a)], &m_b = motions[at(m.body_b)];
      if (first.begins_span) span = geometry::flat_span(m, m_a, m_b);
      const geometry::FlatValue v = geometry::evaluate_flat(m, span, m_a, m_b);
      value += v.value;
      rate = v.rate;
      bias = v.bias;
      const auto put = [&](int place, int body, double x, double y_, double turn) {
        if (place < 0) return;
        const Body& b = model.bodies[at(body)];
        double *j = jacobian + place, *m_inverse_j = response + place;
        j[0] = x, j[1] = y_, j[2] = turn;
        m_inverse_j[0] = b.per_mass * x, m_inverse_j[1] = b.per_mass * y_;
        m_inverse_j[2] = b.inverse_inertia.row[2].z * turn;  // of a particle: nobody reads it
      };
      put(first.at_a, m.body_a, -v.e_x, -v.e_y, v.angular_a);
      put(first.at_b, m.body_b, v.e_x, v.e_y, v.angular_b);
    } else {
      const Slot *own = slots_.data() + first_slot_[i], *own_end = slots_.data() + first_slot_[i + 1];
      const bool single = r.terms.size() == 1 && first.coefficient == 1;
      if (!single)
        for (const Slot* slot = own; slot != own_end; ++slot) std::fill_n(jacobian + slot->at, slot->size, 0.0);
      for (int k = first_term_[i]; k < first_term_[i + 1]; ++k) {
        const Term& term = terms_[at(k)];
        const geometry::Measure& m = model.measures[at(term.measure)];
        const geometry::BodyMotion &m_a = motions[at(m.body_a)], &m_b = motions[at(m.body_b)];
        const geometry::MeasureValue v = measured(m, m_a, m_b, near_rad[at(term.measure)]);
        value += term.coefficient * v.value;
        rate += term.coefficient * v.rate;
        bias += term.coefficient * v.bias;
        for (; moving < moving_terms_.size() && moving_terms_[moving].term == k; ++moving) {
          const bool is_a = moving_terms_[moving].is_a;
          const geometry::Gradient& g = is_a ? v.a : v.b;
          const geometry::BodyMotion& body = is_a ? m_a : m_b;
          out.moving_rate[moving] = term.coefficient * (dot(g.linear, body.v_mps) + dot(g.angular, body.w_radps));
        }
        if (single) {
          if (term.at_a >= 0) reduce(model.bodies[at(m.body_a)], m_a, v.a, jacobian + term.at_a);
          if (term.at_b >= 0) reduce(model.bodies[at(m.body_b)], m_b, v.b, jacobian + term.at_b);
          continue;
        }
        const auto add = [&](int place, const Body& body, const geometry::BodyMotion& motion,
                             const geometry::Gradient& gradient) {
          double reduced[6] = {};
          reduce(body, motion, gradient, reduced);
          for (int c = 0; c < body.velocity_count; ++c) jacobian[place + c] += term.coefficient * reduced[c];
        };
        if (term.at_a >= 0) add(term.at_a, model.bodies[at(m.body_a)], m_a, v.a);
        if (term.at_b >= 0) add(term.at_b, model.bodies[at(m.body_b)], m_b, v.b);
      }
      for (const Slot* slot = own; slot != own_end; ++slot)
        respond(model.bodies[at(slot->body)], jacobian + slot->at, response + slot->at);
    }
    double target_rate = 0, wanted = -bias;
    if (r.driver >= 0) {
      const Driver& driver = model.drivers[at(r.driver)];
      const expression::Derivatives f = driver.function.at(moment);
      value -= driver.by_rate ? y[at(driver.s_at)] : f.value;
      target_rate = driver.by_rate ? f.value : f.first;
      wanted += driver.by_rate ? f.first : f.second;
    }
    out.target_rate[i] = target_rate;
    out.residual[i] = value;
    out.residual_rate[i] = rate - target_rate;
    out.wanted[i] = wanted;
  }
}

namespace {
/// sum + a . b, term by term; bodies have two, three or six unknowns.
inline double add_products(double sum, const double* a, const double* b, int n) {
  switch (n) {
    case 3: return ((sum + a[0] * b[0]) + a[1] * b[1]) + a[2] * b[2];
    case 6:
      return (((((sum + a[0] * b[0]) + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3]) + a[4] * b[4]) + a[5] * b[5];
    default:
      for (int k = 0; k < n; ++k) sum += a[k] * b[k];
      return sum;
  }
}
inline void add_scaled(double* out, const double* a, double x, int n) {
  switch (n) {
    case 6: out[5] += a[5] * x, out[4] += a[4] * x, out[3] += a[3] * x; [[fallthrough]];
    case 3: out[2] += a[2] * x; [[fallthrough]];
    default: out[1] += a[1] * x, out[0] += a[0] * x;
  }
}
}  // namespace

void RowLayout::form(RowValues& values) const {
  values.matrix.assign(profile_size_, 0.0);
  values.factors.resize(profile_size_);
  const double *jacobian = values.jacobian.data(), *response = values.response.data();
  double* const matrix = values.matrix.data();
  for (const Entry& e : entries_)
    matrix[e.target] += add_products(0, jacobian + e.slot_i, response + e.slot_j, e.size);
}

/// A is nearly singular near a position at which joints leave more freedom than elsewhere. Its small eigenvalues
/// fall as the square of the distance s to the position, all those of a long linkage together. A multiplier
/// computed with one is off by rounding over s^2, so that the linkage jams; one that is left out opens its joint.
///
/// A + epsilon D, D the diagonal of A, has factors as good as those of any other place. Refined k times,
///   x += (A + epsilon D)^-1 (b - A x),
/// the part of x along an eigenvalue l (of A in the metric of D) is 1 - (epsilon/(l + epsilon))^(k + 1) of the
/// exact one: right to 1e-10 for l > 300 epsilon, and fading below epsilon/k. The joint is then open over about
/// sqrt(epsilon/k), 1e-5 of the way, which projection closes.
void RowLayout::factor(RowValues& values) const {
  values.is_regularised = false;
  if (rows_.empty()) return;
  form(values);
  values.is_regularised = !(factor_profile(values, 0) > kPivotFloor);
  if (values.is_regularised) factor_profile(values, kEpsilon);
}

/// L D L^T of A + epsilon diag(A), row by row: L below the diagonal, 1/D on it. Returns the smallest pivot over its
/// diagonal; without epsilon it stops at one that is no use.
double RowLayout::factor_profile(RowValues& values, double epsilon) const {
  const std::size_t n = rows_.size();
  double* const factors = values.factors.data();
  const double* const matrix = values.matrix.data();
  double smallest = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t f = first_[i], start = row_start_[i];
    double* const li = factors + start - f;  // li[j] is L_ij
    const double* const ai = matrix + start - f;
    double pivot = ai[i];
    for (std::size_t j = f; j < i; ++j) {
      const std::size_t first_j = first_[j];
      const double* const lj = factors + row_start_[j] - first_j;
      double sum = ai[j];
      for (std::size_t k = f > first_j ? f : first_j; k < j; ++k) sum -= li[k] * lj[k];
      li[j] = sum;  // L_ij D_j; divided by D_j below
    }
    for (std::size_t j = f; j < i; ++j) {
      const double scaled = li[j] * factors[diagonal_[j]];
      pivot -= scaled * li[j];
      li[j] = scaled;
    }
    const double share = pivot / ai[i];
    if (epsilon > 0) {
      // rounding may leave less than nothing of a dependent row
      pivot = ai[i] * (std::max(share, 0.0) + epsilon);
    } else if (!(share > kSmallestPivot)) {
      return 0;
    }
    smallest = share < smallest ? share : smallest;
    li[i] = 1 / pivot;
  }
  return smallest;
}

/// Of the factors: L D L^T x = b.
void RowLayout::solve_factored(const RowValues& values, std::span<const double> b, std::span<double> x) const {
  const std::size_t n = rows_.size();
  const double* const factors = values.factors.data();
  for (std::size_t i = 0; i < n; ++i) {
    const double* li = factors + (row_start_[i] - first_[i]);
    double sum = b[i];
    for (std::size_t k = first_[i]; k < i; ++k) sum -= li[k] * x[k];
    x[i] = sum;
  }
  for (std::size_t i = 0; i < n; ++i) x[i] *= factors[diagonal_[i]];
  for (std::size_t i = n; i-- > 0;) {
    const double* li = factors + (row_start_[i] - first_[i]);
    for (std::size_t k = first_[i]; k < i; ++k) x[k] -= li[k] * x[i];
  }
}

/// b - A x, from the profile.
void RowLayout::put_residual(const RowValues& values, std::span<const double> b, std::span<const double> x,
                             std::span<double> out) const {
  std::ranges::copy(b, out.begin());
  const double* const matrix = values.matrix.data();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const double* ai = matrix + (row_start_[i] - first_[i]);
    double sum = ai[i] * x[i];
    for (std::size_t k = first_[i]; k < i; ++k) {
      sum += ai[k] * x[k];
      out[k] -= ai[k] * x[i];
    }
    out[i] -= sum;
  }
}

/// Small pivots alone (a light body that holds a heavy one) make no singular position: there the corrections go on
/// to shrink, each by the same factor r = epsilon/(l + epsilon), and the sum of those to come is r/(1 - r) of the
/// last.
bool RowLayout::solve(const RowValues& values, std::span<const double> b, std::span<double> x) const {
  if (rows_.empty()) return true;
  solve_factored(values, b, x);
  if (!values.is_regularised) return true;
  std::vector<double> scratch(2 * rows_.size());
  const std::span<double> left(scratch.data(), rows_.size()),
      correction(scratch.data() + rows_.size(), rows_.size());
  const auto size = [&](std::span<const double> v) {
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] * v[i] * values.matrix[diagonal_[i]];
    return std::sqrt(sum);
  };
  double last = 0;
  for (int k = 1; k <= kMostRefinements; ++k) {
    put_residual(values, b, x, left);
    solve_factored(values, left, correction);
    const double before = std::exchange(last, size(correction)), r = before > 0 ? last / before : 0;
    const bool converges = k >= kRefinements && r < kConverging;
    const double share = converges ? 1 / (1 - r) : 1.0;
    for (std::size_t i = 0; i < correction.size(); ++i) x[i] += share * correction[i];
    if (k < kRefinements) continue;
    if (last <= kResolved * size(x)) return true;
    if (!converges) return false;
  }
  return false;
}

void RowLayout::times(const RowValues& values, std::span<const double> u, std::span<double> out) const {
  const double* const jacobian = values.jacobian.data();
  const Slot* slot = slots_.data();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double sum = 0;
    for (const Slot* end = slots_.data() + first_slot_[i + 1]; slot != end; ++slot) {
      sum = add_products(sum, jacobian + slot->at, u.data() + slot->v_at, slot->size);
    }
    out[i] = sum;
  }
}

void RowLayout::add_response(const RowValues& values, std::span<const double> x, std::span<double> u) const {
  const double* const response = values.response.data();
  const Slot* slot = slots_.data();
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (const Slot* end = slots_.data() + first_slot_[i + 1]; slot != end; ++slot)
      add_scaled(u.data() + slot->v_at, response + slot->at, x[i], slot->size);
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

double RowLayout::mobility(const RowValues& values, std::size_t row) const {
  double sum = 0;
  for (const Slot& slot : slots(row))
    sum = add_products(sum, values.jacobian.data() + slot.at, values.response.data() + slot.at, slot.size);
  return sum;
}

/// Orthogonal elimination in the metric of the masses: row i depends on those before it if what is left of its
/// diagonal in the Cholesky factor, row length 1, is below kDependent.
std::vector<int> RowLayout::dependent_rows(const RowValues& values) const {
  std::vector<int> dependent;
  const Eigen::MatrixXd full = dense_of(values.matrix, first_, row_start_);
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
