// The order of things in `compile`, and what its parts share.
#include "percuss/model/compile.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "percuss/base/index.h"
#include "percuss/base/words.h"
#include "percuss/joint/table.h"
#include "percuss/model/channel_table.h"
#include "percuss/model/compiler.h"
#include "percuss/model/kinematics.h"

namespace percuss::model {

Result<Compiled> compile(const scene::Scene& scene) { return Compiler(scene).run(); }

Result<Compiled> Compiler::run() {
  model_.provenance = {scene_.source, scene_.text, scene_.title, scene_.overrides, scene_.inputs};
  model_.planar = scene_.planar;
  model_.gravity_mps2 = scene_.gravity_mps2.value_or(scene::default_vector("gravity", scene_.planar));
  if (scene_.planar && model_.gravity_mps2.z != 0)
    fail(scene_.places.of("gravity"), "gravity: a planar scene lies in z = 0");
  check_names();
  add_bodies();
  add_joints();
  add_variables();
  name_channels();
  add_drivers();
  add_springs();
  add_forces();
  add_contacts();
  add_events();
  set_settings();
  set_outputs();
  if (!scene_.errors.empty()) {  // a mistake of the reader's often makes another here, on the same line
    std::set<std::pair<std::string_view, int>> lines;
    for (const Diagnostic& e : scene_.errors) lines.emplace(e.at.source, e.at.line);
    const auto line_is_known = [&lines](const Diagnostic& d) { return lines.contains({d.at.source, d.at.line}); };
    std::erase_if(errors_, line_is_known);
    errors_.insert(errors_.begin(), scene_.errors.begin(), scene_.errors.end());
  }
  if (model_.bodies.size() == 1 && errors_.empty()) fail(scene_.places.of("bodies"), "the scene has no body");
  if (!errors_.empty()) return errors_;
  set_aside_rows_that_are_off();
  const std::size_t lasting = model_.rows.size();
  for (const AssemblyRow& a : assembly_rows_) {
    if (a.as_placed) start_targets_.emplace_back(static_cast<int>(model_.rows.size()), true);
    model_.rows.push_back(a.row);
  }
  lay_out();
  add_pieces();
  guess_places();
  write_start();
  assemble_positions();
  if (errors_.empty()) assemble_velocities();
  model_.rows.resize(lasting);
  if (errors_.empty()) find_redundant_rows();
  append_rows_that_are_off();
  if (errors_.empty()) put_in_touch();
  if (errors_.empty()) set_rest_lengths();
  if (errors_.empty()) find_initial_overlaps();
  if (!errors_.empty()) return errors_;
  return Compiled{std::move(model_), std::move(settings_)};
}

/// The mechanism is assembled without them; they come behind all others.
void Compiler::set_aside_rows_that_are_off() {
  std::vector<Row> on;
  std::vector<int> place(model_.rows.size());
  const auto is_off = [this](const Row& r) {
    return r.switch_index >= 0 && !model_.switched_on[at(r.switch_index)];
  };
  const auto count_on =
      static_cast<int>(std::ranges::count_if(model_.rows, [&](const Row& r) { return !is_off(r); }));
  for (std::size_t i = 0; i < model_.rows.size(); ++i) {
    const bool off = is_off(model_.rows[i]);
    std::vector<Row>& into = off ? off_rows_ : on;
    place[i] = static_cast<int>(into.size()) + (off ? count_on : 0);
    into.push_back(std::move(model_.rows[i]));
  }
  model_.rows = std::move(on);
  for (Joint& j : model_.joints)
    if (j.row_count > 0) j.first_row = place[at(j.first_row)];
  for (Driver& d : model_.drivers) d.row = place[at(d.row)];
  for (auto& [row, as_placed] : start_targets_) row = place[at(row)];
  std::erase_if(start_targets_, [count_on](const auto& target) { return target.first >= count_on; });
  const auto switches_rows = [this](int index) {
    const auto has = [index](const auto& item) { return item.switch_index == index; };
    return std::ranges::any_of(model_.rows, has) || std::ranges::any_of(off_rows_, has);
  };
  const auto is_switched = [this](int index) {
    return !model_.switched_on[at(index)] || std::ranges::any_of(model_.events, [index](const Event& e) {
      return std::ranges::any_of(e.switches, [index](const auto& s) { return s.first == index; });
    });
  };
  for (const std::vector<Row>* rows : {&model_.rows, &off_rows_})
    for (const Row& row : *rows)
      if (row.switch_index >= 0 && is_switched(row.switch_index)) turn_with_first_body(row);
  model_.rows_switch = !off_rows_.empty() || std::ranges::any_of(model_.events, [&](const Event& e) {
    return std::ranges::any_of(e.switches, [&](const auto& s) { return switches_rows(s.first); });
  });
}

/// Rows along the axes of the world hold a point on a point; apart by a shift they would turn the bodies. Those of
/// joints that are switched are along the axes of A instead, which are those of the world at the start.
void Compiler::turn_with_first_body(const Row& row) {
  for (const Row::Term& term : row.terms) {
    geometry::Measure& m = model_.measures[at(term.measure)];
    if (m.kind != geometry::Measure::Kind::world_axis) continue;
    m.kind = geometry::Measure::Kind::along;
    m.direction_a = transposed_times(starts_[at(m.body_a)].R, m.direction_a);
  }
}

void Compiler::append_rows_that_are_off() {
  model_.rows.insert(model_.rows.end(), off_rows_.begin(), off_rows_.end());
}

/// A name stands for one thing: expressions, switches and overrides find it without its section.
void Compiler::check_names() {
  std::map<std::string, std::string> taken{{std::string(scene::kGround), "body"},
                                           {"system", "name for all bodies"}};
  const auto take = [&](const auto& list, const std::string& kind) {
    for (const auto& item : list) {
      if (kind == "body" && item.name == scene::kGround) continue;
      const auto [known, fresh] = taken.emplace(item.name, kind);
      if (!fresh)
        fail(item.places.at, kind + " " + in_quotes(item.name) + ": a " + known->second + " has this name already");
    }
  };
  take(scene_.bodies, "body");
  take(scene_.joints, "joint");
  for (const scene::Joint& j : scene_.joints)
    if (j.limits && !taken.emplace(j.name + std::string(kStopSuffix), "stop").second)
      fail(j.limits->places.at, "joint " + in_quotes(j.name) + ": limits: the name of their contact, " +
                                    in_quotes(j.name + std::string(kStopSuffix)) + ", is taken");
  take(scene_.drivers, "driver");
  take(scene_.springs, "spring");
  take(scene_.forces, "force");
  take(scene_.contacts, "contact");
}

void Compiler::warn(const Where& place, const std::string& text) {
  std::string line = one_line({place, text});
  const std::size_t word = line.find("error: ");
  if (word != std::string::npos) line.erase(word, 7);
  model_.warnings.push_back(line);
}

int Compiler::body_index(std::string_view name, const Where& place, const std::string& what) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    if (model_.bodies[i].name == name) return static_cast<int>(i);
    names.push_back(model_.bodies[i].name);
  }
  fail(place, what + ": no body is called " + in_quotes(name) + did_you_mean(name, names));
  return -1;
}

int Compiler::joint_index(std::string_view name, const Where& place, const std::string& what) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < model_.joints.size(); ++i) {
    if (model_.joints[i].name == name) return static_cast<int>(i);
    names.push_back(model_.joints[i].name);
  }
  const bool has_errors = std::ranges::any_of(scene_.joints, [&](const scene::Joint& j) { return j.name == name; });
  if (!has_errors)
    fail(place, what + ": no joint is called " + in_quotes(name) + did_you_mean(name, names));
  else if (errors_.empty())
    fail(place, what + ": joint " + in_quotes(name) + " must stand before it");
  return -1;
}

int Compiler::coordinate_measure(const std::string& joint_name, const std::string& coordinate,
                                 const scene::Places& places, const std::string& what, Dimension* dimension) {
  if (joint_name.empty()) {
    if (!places.keys.contains("joint")) fail(places.at, what + ": the key \"joint\" is missing");
    return -1;
  }
  const int index = joint_index(joint_name, places.of("joint"), what);
  if (index < 0) return -1;
  const Joint& joint = model_.joints[at(index)];
  if (const Coordinate* c = joint.coordinate(coordinate)) {
    if (dimension) *dimension = c->dimension;
    return c->measure;
  }
  std::vector<std::string_view> names;
  for (const Coordinate& c : joint.coordinates) names.push_back(c.name);
  if (names.empty())
    fail(places.of("joint"), what + ": a " + std::string(joint.row->key) + " joint has no coordinate");
  else
    fail(places.of("coordinate"), what + ": joint " + in_quotes(joint_name) + " has no coordinate " +
                                      in_quotes(coordinate) + "; it has " + percuss::joined(names));
  return -1;
}

const scene::Material* Compiler::material(std::string_view name, const Where& place, const std::string& what) {
  std::vector<std::string_view> names;
  for (const scene::Material& m : scene_.materials) {
    if (m.name == name) return &m;
    names.push_back(m.name);
  }
  if (std::ranges::find(errors_, place, &Diagnostic::at) == errors_.end())  // it is asked for twice
    fail(place, what + ": no material is called " + in_quotes(name) + did_you_mean(name, names));
  return nullptr;
}

int Compiler::add_measure(const geometry::Measure& measure) {
  model_.measures.push_back(measure);
  return static_cast<int>(model_.measures.size()) - 1;
}

int Compiler::add_switch(const std::string& name, bool on) {
  model_.switches.push_back(name);
  model_.switched_on.push_back(on ? 1 : 0);
  return static_cast<int>(model_.switches.size()) - 1;
}

namespace {
/// How far joints and springs reach from the centres of mass. Points of the ground count as far as twice the
/// largest body or rod: a row of forty linkages is no larger than two of them, and the place of the origin says
/// nothing.
double size_of_mechanism_m(const Model& model) {
  double farthest = 0, body = 0;
  std::vector<std::vector<Vec3>> points(model.bodies.size());
  for (const geometry::Measure& m : model.measures)
    for (const auto& [b, point] : {std::pair{m.body_a, m.point_a}, std::pair{m.body_b, m.point_b}}) {
      farthest = std::max(farthest, norm(point));
      if (model.bodies[at(b)].velocity_count == 0) continue;
      for (const Vec3& other : points[at(b)]) body = std::max(body, norm(point - other));
      body = std::max(body, norm(point));
      points[at(b)].push_back(point);
    }
  for (const Row& row : model.rows)
    if (row.terms.size() == 1 && model.measures[at(row.terms[0].measure)].kind == geometry::Measure::Kind::distance)
      body = std::max(body, row.target);
  return body > 0 ? std::min(farthest, 2 * body) : farthest;
}
}  // namespace

/// Places in y: positions of the bodies, given rates of drivers, velocities, prescribed motions, controllers.
void Compiler::lay_out() {
  int next = 0;
  for (Body& b : model_.bodies)
    if (b.position_count > 0) {
      b.q_at = next;
      next += b.position_count;
    }
  for (Driver& d : model_.drivers)
    if (d.by_rate) d.s_at = next++;
  model_.position_count = next;
  for (Body& b : model_.bodies)
    if (b.velocity_count > 0) {
      b.v_at = next;
      next += b.velocity_count;
    }
  model_.velocity_count = next - model_.position_count;
  for (Body& b : model_.bodies)
    if (b.moves) {
      b.followed_at = next;
      next += 4;
      model_.followed_count += 4;
    }
  double size = size_of_mechanism_m(model_);
  for (const scene::Body& b : scene_.bodies)
    for (const scene::Shape& s : b.shapes)
      if (const scene::ShapeRow* row = scene::find_shape(s.kind); row && row->reach_m && s.file.empty())
        size = std::max(size, row->reach_m(s, {}));
  for (const geometry::Surface& s : model_.surfaces)
    if (std::isfinite(s.reach_m)) size = std::max(size, norm(s.centre) + s.reach_m);
  if (size == 0)
    for (const BodyStart& s : starts_) size = std::max(size, norm(s.origin_m));
  model_.length_m = size > 0 ? size : 1;
}

void Compiler::set_settings() {
  const scene::Solver& source = scene_.solver;
  Settings& s = settings_;
  s.integrator = ode::find_integrator(source.integrator);
  s.duration_s = source.duration_s;
  s.starts_at_equilibrium = scene_.start.equilibrium;
  s.tolerance = source.tolerance;
  if (!(s.tolerance >= 1e-14 && s.tolerance <= 1e-2))
    fail(source.places.of("tolerance"), "solver: tolerance " + text_of(s.tolerance) + " is outside 1e-14..0.01");
  s.step_s = source.step_s.value_or(0);
  s.largest_step_s = source.largest_step_s.value_or(0);
  if (s.integrator && s.integrator->fixed_step && !source.step_s)
    fail(source.places.of("integrator"), "solver: " + source.integrator + " needs a step");
  if (s.integrator && !s.integrator->fixed_step && source.step_s)
    fail(source.places.of("step"),
         "solver: " + source.integrator + " finds its own steps; give a tolerance (or largest_step)");
  const bool by_terms = source.stabilization == "baumgarte";
  model_.baumgarte_radps =
      by_terms ? source.baumgarte_radps.value_or(scene::default_number("solver.baumgarte_rate")) : 0;
  if (source.baumgarte_radps && !by_terms)
    fail(source.places.of("baumgarte_rate"), "solver: baumgarte_rate goes with stabilization: baumgarte");
  s.hand_over_when_stiff = source.when_stiff == "hand-over";
  if (source.most_steps) s.most_steps = static_cast<long>(std::min(*source.most_steps, 1e15));
}

void Compiler::set_outputs() {
  const scene::Outputs& o = scene_.outputs;
  const double duration = scene_.solver.duration_s;
  settings_.sample_every_s = o.every_s.value_or(scene::default_number("outputs.every", "duration", duration));
  settings_.sample_in_contact = o.in_contact;
  settings_.account = o.account;
  settings_.horizon = o.horizon;
  if (settings_.sample_every_s > 0 && duration / settings_.sample_every_s > 1e8)
    fail(o.places.of("every"), "outputs: more than 1e8 samples");
  for (const double t : o.at_s) {
    if (t < 0)
      fail(o.places.of("at"), "outputs: at: " + text_of(t) + " s is before the start");
    else if (t > duration)
      warn(o.places.of("at"), "outputs: at: " + text_of(t) + " s is after the end");
    else
      settings_.sample_times_s.push_back(t);
  }
  std::ranges::sort(settings_.sample_times_s);
  for (const auto& [name, text] : o.channels) {
    if (add_vector_output(name, text)) continue;
    const Function f = function(text, dimension::number, "outputs: " + name, false);
    const bool is_single = f.channels.size() == 1 && f.program.size() == 1;
    model_.outputs.push_back({name, is_single ? model_.channels[at(f.channels[0])].unit : "", f});
  }
}

/// `tip: arm.tip.position` is tip.x, tip.y and tip.z.
bool Compiler::add_vector_output(const std::string& name, const scene::Function& text) {
  const std::size_t dot = text.text.rfind('.');
  if (dot == std::string::npos) return false;
  for (const VectorRow& row : vector_rows()) {
    if (row.name != std::string_view(text.text).substr(dot + 1)) continue;
    bool any = false;
    for (const std::string_view component : split(row.components)) {
      const std::string channel = text.text.substr(0, dot + 1) + std::string(component);
      const auto known = channel_of_.find(channel);
      if (known == channel_of_.end()) continue;
      any = true;
      model_.outputs.push_back({name + "." + std::string(component), model_.channels[at(known->second)].unit,
                                function({channel, text.at}, dimension::number, "outputs: " + name, false)});
    }
    if (any) return true;
  }
  return false;
}

}  // namespace percuss::model
