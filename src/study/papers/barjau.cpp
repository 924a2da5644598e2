// Barjau, Batlle and Font-Llagunes: the bistiffness loop and the two-link chain.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "percuss/collision/system.h"
#include "percuss/io/scene_file.h"
#include "percuss/model/compile.h"
#include "percuss/study/collision_study.h"
#include "percuss/study/papers/collisions.h"

namespace percuss::study {

namespace {

/// Equal balls in a line with equal springs, the first at 1 m/s: velocities after.
Eigen::VectorXd chain(int balls, double mu) {
  collision::System s;
  s.mass = Eigen::MatrixXd::Identity(balls, balls);
  s.normals = Eigen::MatrixXd::Zero(balls - 1, balls);
  for (int i = 0; i + 1 < balls; ++i) s.normals(i, i) = -1, s.normals(i, i + 1) = 1;
  s.velocity = Eigen::VectorXd::Unit(balls, 0);
  s.points.assign(static_cast<std::size_t>(balls - 1), {1.0, mu, 0.0});
  return collision::collide(s)->velocity;
}

std::string senses(const collision::Phase& phase) {
  std::string out;
  for (const collision::Sense s : phase.sense)
    out += (out.empty() ? "" : ", ") + std::string(collision::name_of(s));
  return out;
}

void show_chain(PaperWork& work, const CollisionStudy& s) {
  PaperTable phases{"phases",
                    "Fig. 2: phases of the two-link chain (left end, hinge, right end)",
                    {"phase", "start (s)", "end (s)", "senses", "frequencies (rad/s)", "ends because"},
                    {}};
  PaperFigure forces{"fig2-forces", "Fig. 2: forces at the starts of the phases", "time", "s", "force", "N", {}};
  const char* names[] = {"left end", "hinge", "right end"};
  for (const char* name : names) forces.curves.push_back({name, {}, {}, false, false, true});
  double number = 0;
  for (const collision::Phase& p : s.outcome.phases) {
    std::string frequencies, why;
    for (const double w : p.frequencies_radps)
      frequencies += fmt::format("{}{:.5g}", frequencies.empty() ? "" : " ", w);
    for (const collision::Change& c : p.changes)
      why += fmt::format("{}{} {}", why.empty() ? "" : "; ", names[c.point], collision::name_of(c.what));
    phases.rows.push_back({++number, p.start_s, p.end_s, senses(p), frequencies, why});
    for (Eigen::Index i = 0; i < 3; ++i) {
      forces.curves[static_cast<std::size_t>(i)].x.push_back(p.start_s);
      forces.curves[static_cast<std::size_t>(i)].y.push_back(p.force_N[i]);
    }
  }
  work.tables.push_back(std::move(phases));
  work.figures.push_back(std::move(forces));
  PaperTable outcome{"outcome",
                     "Outcome, beside what other treatments say",
                     {"treatment", "left end (m/s)", "hinge (m/s)", "right end (m/s)", "energy lost (J)"},
                     {},
                     "Speeds of approach after the collision; below 0: parting."};
  const auto row = [&](const std::string& name, const Eigen::VectorXd& v, double after_J) {
    outcome.rows.push_back({name, v[0], v[1], v[2], s.kinetic_before_J - after_J});
  };
  row("linear by parts", s.outcome.approach_mps, s.kinetic_after_J);
  for (const Rival& r : s.rivals) row(r.name, r.approach_mps, r.kinetic_after_J);
  work.tables.push_back(std::move(outcome));
  if (s.sensitivity) {
    PaperTable t{"sensitivity",
                 "Sensitivity: gaps opened by 1 % of the greatest indentation",
                 {"combinations", "left end (m/s)", "hinge (m/s)", "right end (m/s)"},
                 {}};
    for (const collision::Variant& v : s.sensitivity->variants)
      t.rows.push_back({static_cast<double>(v.count), v.approach_mps[0], v.approach_mps[1], v.approach_mps[2]});
    work.tables.push_back(std::move(t));
    work.ours["spread"] = (s.sensitivity->most_mps - s.sensitivity->least_mps).maxCoeff();
  }
}

}  // namespace

std::optional<Diagnostic> work_on_barjau(PaperWork& work) {
  PaperFigure loop{
      "fig1", "Fig. 1: the bistiffness model, force over indentation", "indentation", "m", "force", "N", {}};
  for (const double mu : {0.0, 0.2, 0.5, 0.8}) {
    const Collided c = collide({"bistiffness", 1, 1e6, 1, 1, "hooke", {{"mu", mu}}});
    loop.curves.push_back(force_over_depth(fmt::format("mu = {}", mu), c));
    work.ours[fmt::format("energetic.{}", mu)] =
        c.outcome.restitution * c.outcome.restitution - (1 - mu) / (1 + mu);
  }
  work.figures.push_back(std::move(loop));
  for (const double mu : {0.2, 0.5}) {
    const Eigen::VectorXd v = chain(3, mu);
    for (Eigen::Index i = 0; i < 3; ++i) work.ours[fmt::format("chain3.{}.{}", mu, i + 1)] = v[i];
  }
  const Eigen::VectorXd five = chain(5, 0.2);
  for (Eigen::Index i = 0; i < 5; ++i) work.ours[fmt::format("chain5.0.2.{}", i + 1)] = five[i];

  PaperTable cases{"cases",
                   "The two-link chain for other dissipations",
                   {"mu", "phases", "left end (m/s)", "hinge (m/s)", "right end (m/s)", "energy lost (J)"},
                   {}};
  for (const double mu : {0.0, 0.3, 0.6, 1.0}) {
    std::vector<std::string> overrides;
    for (const char* contact : {"left_end", "middle", "right_end"})
      overrides.push_back(fmt::format("{}.parameters.mu={}", contact, mu));
    const Result<scene::Scene> scene = io::read_scene((work.folder / "two_bars.yaml").string(), overrides);
    if (!scene) return scene.errors().front();
    const Result<model::Compiled> model = model::compile(*scene);
    if (!model) return model.errors().front();
    const bool main = mu == 0.3;
    CollisionOptions options;
    options.compliant = main;
    if (main) options.sensitivity = 0.01;
    const Result<CollisionStudy> s = study_collision(model->model, options);
    if (!s) return s.errors().front();
    const Eigen::VectorXd& v = s->outcome.approach_mps;
    cases.rows.push_back({mu, static_cast<double>(s->outcome.phases.size()), v[0], v[1], v[2],
                          s->kinetic_before_J - s->kinetic_after_J});
    work.ours[fmt::format("energy_error.{}", mu)] =
        s->kinetic_before_J - s->kinetic_after_J - s->outcome.lost_J.sum();
    if (mu == 1)
      work.ours["plastic.expands"] =
          static_cast<double>(std::ranges::count_if(s->outcome.phases, [](const collision::Phase& p) {
            return std::ranges::find(p.sense, collision::Sense::expanding) != p.sense.end();
          }));
    if (!main) continue;
    show_chain(work, *s);
    work.ours["engine"] = s->rivals.back().off_mps;
    work.ours["symmetric"] = v[0] - v[2];
  }
  work.tables.push_back(std::move(cases));
  return std::nullopt;
}

}  // namespace percuss::study
