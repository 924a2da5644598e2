// Direct integration of frozen collisions, for comparison: constant M and J, the same springs, small steps.
//
// Written apart from src/collision: full coordinates instead of contact space, Runge and Kutta steps with events
// found by bisection instead of modes, and all combinations tried where several points turn at once.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "percuss/collision/system.h"

namespace percuss {

class FrozenIntegration {
 public:
  enum class Mode { open, in, out, stuck, line };  // line: the steeper one of an elastoplastic point

  explicit FrozenIntegration(const collision::System& s)
      : s_(s),
        n_(s.velocity.size()),
        p_(s.normals.rows()),
        q_(Eigen::VectorXd::Zero(n_)),
        v_(s.velocity),
        mode_(static_cast<std::size_t>(p_), Mode::open),
        dent_(Eigen::VectorXd::Zero(p_)),
        deepest_(Eigen::VectorXd::Zero(p_)) {
    double k = 0;
    for (const auto& point : s.points)
      k = std::max(k, point.stiffness_Npm * std::max(1 + point.friction, point.steepening));
    const Eigen::MatrixXd W =
        s.normals * s.mass.completeOrthogonalDecomposition().solve(Eigen::MatrixXd(s.normals.transpose()));
    h_ = 0.004 / std::sqrt(k * W.trace());
  }

  /// Velocities after the collision.
  Eigen::VectorXd run() {
    settle();
    for (long step = 0; step < 200'000; ++step) {
      if (is_over()) return v_;
      advance();
    }
    return Eigen::VectorXd::Constant(n_, std::nan(""));
  }
  bool stuck_somewhere() const { return stuck_somewhere_; }

 private:
  using Vector = Eigen::VectorXd;
  double k(Eigen::Index i) const { return s_.points[static_cast<std::size_t>(i)].stiffness_Npm; }
  double mu(Eigen::Index i) const { return s_.points[static_cast<std::size_t>(i)].friction; }
  double w(Eigen::Index i) const { return s_.points[static_cast<std::size_t>(i)].steepening; }
  double foot(Eigen::Index i) const { return deepest_[i] * (1 - 1 / w(i)); }
  Mode& mode(Eigen::Index i) { return mode_[static_cast<std::size_t>(i)]; }
  Mode mode(Eigen::Index i) const { return mode_[static_cast<std::size_t>(i)]; }
  Vector depth(const Vector& q) const { return -(s_.normals * q); }
  double force(Eigen::Index i, Mode m, double x) const {
    if (m == Mode::in) return k(i) * (1 + mu(i)) * x;
    if (m == Mode::out) return k(i) * std::max(1 - mu(i), 0.0) * x;
    if (m == Mode::line) return k(i) * w(i) * (x - foot(i));
    return 0;
  }
  /// M a = J^T F + A^T l + J_S^T F_S, A a = 0, J_S a = 0; least squares, because rows may be redundant.
  Vector acceleration(const Vector& q, const std::vector<Mode>& modes, Vector* held = nullptr) const {
    const Vector x = depth(q);
    std::vector<Eigen::Index> stuck;
    Vector push = Vector::Zero(n_);
    for (Eigen::Index i = 0; i < p_; ++i) {
      const Mode m = modes[static_cast<std::size_t>(i)];
      if (m == Mode::stuck) stuck.push_back(i);
      push += force(i, m, x[i]) * s_.normals.row(i).transpose();
    }
    const Eigen::Index c = s_.constraints.rows(), rows = c + static_cast<Eigen::Index>(stuck.size());
    Eigen::MatrixXd A(rows, n_);
    if (c > 0) A.topRows(c) = s_.constraints;
    for (std::size_t i = 0; i < stuck.size(); ++i)
      A.row(c + static_cast<Eigen::Index>(i)) = s_.normals.row(stuck[i]);
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(n_ + rows, n_ + rows);
    system.topLeftCorner(n_, n_) = s_.mass;
    system.topRightCorner(n_, rows) = -A.transpose();
    system.bottomLeftCorner(rows, n_) = A;
    Vector right = Vector::Zero(n_ + rows);
    right.head(n_) = push;
    const Vector all = rows == 0 ? Vector(s_.mass.ldlt().solve(push))
                                 : Vector(system.completeOrthogonalDecomposition().solve(right));
    if (held) {
      *held = Vector::Zero(p_);
      for (std::size_t i = 0; i < stuck.size(); ++i) (*held)[stuck[i]] = all[n_ + c + static_cast<Eigen::Index>(i)];
    }
    return all.head(n_);
  }
  void step(double h, Vector& q, Vector& v) const {  // the classical method of order 4
    const Vector a1 = acceleration(q, mode_), q2 = q + h / 2 * v, v2 = v + h / 2 * a1;
    const Vector a2 = acceleration(q2, mode_), q3 = q + h / 2 * v2, v3 = v + h / 2 * a2;
    const Vector a3 = acceleration(q3, mode_), q4 = q + h * v3, v4 = v + h * a3;
    const Vector a4 = acceleration(q4, mode_);
    q += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  /// Positive until something happens to the point.
  double left(Eigen::Index i, const Vector& q, const Vector& v) const {
    const double x = depth(q)[i], rate = -s_.normals.row(i).dot(v);
    switch (mode(i)) {
      case Mode::open: return rate > 0 ? dent_[i] - x : 1;
      case Mode::in: return rate;
      case Mode::out: return std::min(x, -rate);
      case Mode::line: return std::min(x - foot(i), rate > 0 ? deepest_[i] - x : 1.0);
      case Mode::stuck: {
        Vector held;
        acceleration(q, mode_, &held);
        const double low = k(i) * std::max(1 - mu(i), 0.0) * x, high = k(i) * (1 + mu(i)) * x;
        return std::min(held[i] - low, high - held[i]);
      }
    }
    return 1;
  }
  void advance() {
    Vector q = q_, v = v_;
    step(h_, q, v);
    const auto happens = [&](const Vector& q_now, const Vector& v_now) {
      for (Eigen::Index i = 0; i < p_; ++i)
        if (left(i, q_now, v_now) < 0) return true;
      return false;
    };
    if (!happens(q, v)) {
      q_ = q, v_ = v;
      return;
    }
    double low = 0, high = h_;
    for (int k_ = 0; k_ < 55; ++k_) {
      const double middle = (low + high) / 2;
      q = q_, v = v_;
      step(middle, q, v);
      (happens(q, v) ? high : low) = middle;
    }
    q = q_, v = v_;
    step(high, q, v);
    q_ = q, v_ = v;
    settle();
  }
  /// New modes where something has happened: all combinations of the points that turn are tried.
  void settle() {
    const Vector x = depth(q_), rate = -(s_.normals * v_);
    const double speed = s_.velocity.cwiseAbs().maxCoeff(), small = 1e-11 * speed, tiny = small * h_ * 1e3;
    std::vector<Eigen::Index> turning;
    for (Eigen::Index i = 0; i < p_; ++i) {
      Mode& m = mode(i);
      if (m == Mode::line && std::abs(x[i] - foot(i)) <= tiny && rate[i] < small)
        m = Mode::open, dent_[i] = foot(i);
      if (m == Mode::line && std::abs(x[i] - deepest_[i]) <= tiny && rate[i] > small) m = Mode::in;
      if (m == Mode::open && std::abs(x[i] - dent_[i]) <= tiny && rate[i] > small)
        m = deepest_[i] > 0 ? Mode::line : Mode::in;
      if (m == Mode::out && x[i] <= tiny) m = Mode::open;
      if (m == Mode::open && x[i] >= -tiny && std::abs(rate[i]) <= small && dent_[i] == 0)
        m = Mode::in;  // touching
      if (m == Mode::in && w(i) > 1 && x[i] > tiny && std::abs(rate[i]) <= small)
        m = Mode::line, deepest_[i] = x[i];
      else if ((m == Mode::in || m == Mode::out || m == Mode::stuck) && x[i] > tiny && std::abs(rate[i]) <= small)
        turning.push_back(i);
      if (m == Mode::in && x[i] <= tiny && rate[i] < -small) m = Mode::open;
    }
    const Vector now = -(s_.normals * acceleration(q_, mode_));
    for (Eigen::Index i = 0; i < p_; ++i)  // just touching, and pulled apart
      if (mode(i) == Mode::in && std::abs(x[i]) <= tiny && std::abs(rate[i]) <= small &&
          now[i] < -1e-9 * now.cwiseAbs().maxCoeff())
        mode(i) = Mode::open;
    const auto combinations = static_cast<int>(std::lround(std::pow(3, static_cast<double>(turning.size()))));
    for (int number = 0; number < combinations && !turning.empty(); ++number) {
      std::vector<Mode> trial = mode_;
      int rest = number;
      for (const Eigen::Index i : turning) {
        trial[static_cast<std::size_t>(i)] = rest % 3 == 0 ? Mode::out : rest % 3 == 1 ? Mode::in : Mode::stuck;
        rest /= 3;
      }
      Vector held;
      const Vector a = -(s_.normals * acceleration(q_, trial, &held));
      const double noise = 1e-9 * (a.cwiseAbs().maxCoeff() + 1e-300);
      const bool fits = std::all_of(turning.begin(), turning.end(), [&](Eigen::Index i) {
        switch (trial[static_cast<std::size_t>(i)]) {
          case Mode::out: return a[i] < noise;
          case Mode::in: return a[i] > noise;
          default: {
            const double f = k(i) * x[i];
            return held[i] > f * std::max(1 - mu(i), 0.0) && held[i] < f * (1 + mu(i));
          }
        }
      });
      if (!fits) continue;
      for (const Eigen::Index i : turning) {
        Mode m = trial[static_cast<std::size_t>(i)];
        if (m == Mode::stuck) stuck_somewhere_ = true;
        if (m == Mode::out && mu(i) >= 1) m = Mode::open, dent_[i] = x[i];
        mode(i) = m;
      }
      break;
    }
  }
  bool is_over() const {
    const Vector x = depth(q_), rate = -(s_.normals * v_);
    const double speed = s_.velocity.cwiseAbs().maxCoeff();
    Vector held;
    acceleration(q_, mode_, &held);
    for (Eigen::Index i = 0; i < p_; ++i) {
      if (mode(i) == Mode::stuck && held[i] > 1e-9 * k(i) * x[i]) return false;
      if (mode(i) == Mode::line && (x[i] - foot(i) > 1e-12 * deepest_[i] || rate[i] > 1e-11 * speed)) return false;
      if ((mode(i) == Mode::in || mode(i) == Mode::out) && (x[i] > 0 || rate[i] > 1e-11 * speed)) return false;
      if (mode(i) == Mode::open && rate[i] > 1e-11 * speed) return false;
    }
    return true;
  }

  const collision::System& s_;
  Eigen::Index n_, p_;
  Vector q_, v_;
  std::vector<Mode> mode_;
  Vector dent_, deepest_;
  double h_ = 0;
  bool stuck_somewhere_ = false;
};

}  // namespace percuss
