// Quantities along the step, against the ends of their pieces.
#include "percuss/dynamics/events/branches.h"

#include <algorithm>
#include <cmath>

#include "percuss/base/index.h"
#include "percuss/dynamics/reading.h"
#include "percuss/ode/root.h"

namespace percuss::dynamics {

namespace {

constexpr int kPartsOfStep = 16, kPartsSliding = 4;
constexpr double kAtOnce = 1e-11;  // of the time and of the run

/// The quantities of all sites of a function, on the pieces of the modes.
void read_quantities(const Model& model, const Modes& modes, const Evaluation& e, const model::Function& f,
                     std::vector<double>& out) {
  double slots[kMostSlots];
  out.resize(f.sites.size());
  f.program.evaluate_on(read_slots(model, modes, e, f, slots), f.own(modes.pieces),
                        [&out](std::size_t k, const expression::Instruction&, double q) { out[k] = q; });
}

const expression::Instruction& instruction_of(const model::Function& f, std::size_t site) {
  return f.program.code()[f.sites[site].instruction];
}

expression::PieceEnds ends(const model::Function& f, const Modes& modes, std::size_t site) {
  return expression::ends_of(instruction_of(f, site), modes.pieces[at(f.pieces_at) + site], f.program.tables());
}

double piece_beside(const model::Function& f, std::size_t site, double end, bool above) {
  return expression::piece_of(instruction_of(f, site), std::nextafter(end, above ? kInfinity : -kInfinity),
                              f.program.tables());
}

const Evaluation& look(const Model& model, const Path& path, const EventReads& reads, double t,
                       Workspace& workspace) {
  return reads.forces   ? evaluate(model, t, path.unknowns(t), path.modes(), workspace)
         : reads.bodies ? path.placed(t, *reads.bodies)
                        : path.placed(t);
}

}  // namespace

std::vector<Branching> branchings(const Model& model) {
  std::vector<Branching> out;
  const auto add = [&](const model::Function& f, const std::string& owner) {
    if (f.is_piecewise() && f.has_state_switches())
      out.push_back({&f, {reads_forces(model, f), bodies_read(model, f)}, owner});
  };
  for (const model::Spring& spring : model.springs)
    if (spring.has_force) add(spring.force, "spring \"" + spring.name + "\"");
  for (const model::Force& force : model.forces)
    for (const auto* set : {&force.force, &force.torque})
      for (const model::Function& f : *set) add(f, "force \"" + force.name + "\"");
  for (const model::Controller& c : model.controllers)
    for (const model::Function& f : c.functions) add(f, "controller \"" + c.name + "\"");
  return out;
}

std::string owner_of(const std::vector<Branching>& all, std::int64_t site) {
  for (const Branching& b : all)
    if (site >= b.function->pieces_at &&
        site < b.function->pieces_at + static_cast<std::int64_t>(b.function->sites.size()))
      return b.owner;
  return "";
}

std::optional<Located> first_branch(const Model& model, const Path& path, const std::vector<Branching>& all,
                                    Workspace& workspace) {
  std::optional<Located> first;
  const Modes& modes = path.modes();
  const double t0 = path.t0(), t1 = path.t1();
  const auto offer = [&](double t, std::size_t site) {
    if (!first || t < first->t_s) first = Located{t, EventKind::branch, static_cast<std::int64_t>(site)};
  };
  std::vector<double> now, before;
  for (const Branching& b : all) {
    const model::Function& f = *b.function;
    const std::size_t base = at(f.pieces_at);
    const auto quantity = [&](double t, std::size_t site) {
      std::vector<double> q;
      read_quantities(model, modes, look(model, path, b.reads, t, workspace), f, q);
      return q[site];
    };
    read_quantities(model, modes, look(model, path, b.reads, t0, workspace), f, before);
    double a = t0;
    bool found = false;
    for (int k = 1; k <= kPartsOfStep && !found; ++k, before = now) {
      const double t = k == kPartsOfStep ? t1 : t0 + (t1 - t0) * k / kPartsOfStep;
      read_quantities(model, modes, look(model, path, b.reads, t, workspace), f, now);
      for (std::size_t s = 0; s < f.sites.size(); ++s) {
        if (f.sites[s].of_time_alone || is_sliding(modes, base + s)) continue;
        const expression::PieceEnds e = ends(f, modes, s);
        if (now[s] >= e.low && now[s] <= e.high) continue;
        const double end = now[s] > e.high ? e.high : e.low;
        const double g_a = before[s] - end, g_t = now[s] - end;
        found = true;
        offer((g_a > 0) == (g_t > 0) && g_a != 0
                  ? a
                  : ode::locate_root([&](double at_s) { return quantity(at_s, s) - end; }, a, t, g_a, g_t),
              base + s);
      }
      a = t;
    }
  }
  for (std::size_t n = 0; n < modes.sliding.size(); ++n) {  // it stays as long as its share is one
    const auto share = [&](double t) {
      return std::abs(evaluate(model, t, path.unknowns(t), modes, workspace).shares[n]) - 1;
    };
    double a = t0, g_a = share(t0);
    if (g_a > 0) {
      offer(t0, at(modes.sliding[n]));
      continue;
    }
    for (int k = 1; k <= kPartsSliding; ++k) {
      const double t = k == kPartsSliding ? t1 : t0 + (t1 - t0) * k / kPartsSliding, g = share(t);
      if (g > 0) {
        offer(ode::locate_root(share, a, t, g_a, g), at(modes.sliding[n]));
        break;
      }
      a = t;
      g_a = g;
    }
  }
  return first;
}

void settle_branches(Effect& f, const std::vector<Branching>& all, const Located* located) {
  if (all.empty()) return;
  Modes& modes = f.state.modes;
  // rounding leaves a quantity a little beside the end of its piece: it may take this long to be back
  const double at_once_s =
      kAtOnce * (f.state.t_s + (std::isfinite(f.settings.duration_s) ? f.settings.duration_s : 1.0));
  std::int64_t leaves = -1;
  if (located && is_sliding(modes, at(static_cast<int>(located->which)))) {
    // off the surface, to the side that its share asks for
    leaves = located->which;
    const auto n = std::ranges::find(modes.sliding, static_cast<int>(leaves)) - modes.sliding.begin();
    const double share = f.evaluated().shares[static_cast<std::size_t>(n)];
    modes.pieces[at(static_cast<int>(leaves))] = share > 0 ? modes.slides_between[static_cast<std::size_t>(n)][1]
                                                           : modes.slides_between[static_cast<std::size_t>(n)][0];
    modes.sliding.erase(modes.sliding.begin() + n);
    modes.slides_between.erase(modes.slides_between.begin() + n);
    modes.changed_s[at(static_cast<int>(leaves))] = -kInfinity;
    f.restarts = true;
  }
  for (const Branching& b : all) {
    const model::Function& function = *b.function;
    const Evaluation& e = b.reads.forces ? f.evaluated() : (f.placed(), f.workspace.result);
    double slots[kMostSlots];
    const std::size_t base = at(function.pieces_at);
    function.program.evaluate_on(
        read_slots(f.model, modes, e, function, slots), function.own(modes.pieces),
        [&](std::size_t s, const expression::Instruction& i, double q) {
          const std::size_t site = base + s;
          if (function.sites[s].of_time_alone || is_sliding(modes, site) ||
              static_cast<std::int64_t>(site) == leaves)
            return;
          double& piece = modes.pieces[site];
          double& changed_s = modes.changed_s[site];
          const expression::PieceEnds own = expression::ends_of(i, piece, function.program.tables());
          const bool is_it = located && leaves < 0 && located->which == static_cast<std::int64_t>(site);
          const bool is_out = q < own.low || q > own.high;
          if (!is_it && (!is_out || changed_s == f.state.t_s)) return;
          const bool above =
              own.low == own.high ? q > own.high : q - own.low > own.high - q || own.low == -kInfinity;
          const double before = piece;
          piece = is_it ? piece_beside(function, s, above ? own.high : own.low, above)
                        : expression::piece_of(i, q, function.program.tables());
          if (is_it && f.state.t_s - changed_s <= at_once_s && own.low != own.high) {
            modes.sliding.push_back(static_cast<int>(site));
            modes.slides_between.push_back({std::min(before, piece), std::max(before, piece)});
          }
          if (before != piece) f.restarts = true;
          changed_s = f.state.t_s;
        });
  }
}

}  // namespace percuss::dynamics
