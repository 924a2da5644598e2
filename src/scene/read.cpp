// From a document to a Scene.
#include "percuss/scene/read.h"

#include <algorithm>

#include "percuss/base/words.h"
#include "percuss/expression/parse.h"
#include "percuss/joint/table.h"
#include "percuss/scene/fields.h"
#include "percuss/scene/shape_table.h"

namespace percuss::scene {

namespace {

class Reader {
 public:
  Reader(const Node& document, std::string source) : document_(document) { scene_.source = std::move(source); }

  Scene run() {
    const Fields top(scene_section(), document_, {scene_.source, 1, 1}, "scene", errors_);
    scene_.places = top.places();
    scene_.title = top.text("title");
    scene_.description = top.text("description");
    scene_.planar = top.flag("planar");
    // a planar scene has two axes, which is known only now; what concerns other keys was told by the first look
    std::vector<Diagnostic> seen;
    read_constants(top);
    const Fields with_axes(scene_section(), document_, {scene_.source, 1, 1}, "scene", seen, axes(),
                           &scene_.constants);
    seen.clear();
    scene_.gravity_mps2 = with_axes.vector("gravity");
    errors_.insert(errors_.end(), seen.begin(), seen.end());
    scene_.variables = top.constants("variables");
    each(top, "materials", [this](const Fields& f, const std::string& name) { read_material(f, name); });
    each(top, "bodies", [this](const Fields& f, const std::string& name) { read_body(f, name); });
    each(top, "joints", [this](const Fields& f, const std::string& name) { read_joint(f, name); });
    each(top, "drivers", [this](const Fields& f, const std::string& name) { read_driver(f, name); });
    each(top, "springs", [this](const Fields& f, const std::string& name) { read_spring(f, name); });
    each(top, "forces", [this](const Fields& f, const std::string& name) { read_force(f, name); });
    each(top, "contacts", [this](const Fields& f, const std::string& name) { read_contact(f, name); });
    each(top, "events", [this](const Fields& f, const std::string& name) { read_event(f, name); });
    each(top, "start", [this](const Fields& f, const std::string&) { read_start(f); });
    each(top, "solver", [this](const Fields& f, const std::string&) { read_solver(f); });
    each(top, "outputs", [this](const Fields& f, const std::string&) { read_outputs(f); });
    scene_.errors = std::move(errors_);
    return std::move(scene_);
  }

 private:
  template <class Use>
  void each(const Fields& top, std::string_view key, Use&& use) {
    const Section& section = *find_in_schema(key).section;
    const bool named = key != "start" && key != "solver" && key != "outputs";
    for (const Fields::Inner& item : top.inner(key)) {
      const std::string what = named ? singular(key) + " " + in_quotes(item.name) : std::string(key);
      if (named) check_name(item, what);
      use(Fields(section, *item.node, item.at, what, errors_, axes(), &scene_.constants), item.name);
    }
  }
  std::size_t axes() const { return scene_.planar ? 2 : 3; }
  static std::string singular(std::string_view key) {
    return key == "bodies" ? "body" : std::string(key.substr(0, key.size() - 1));
  }
  void check_name(const Fields::Inner& item, const std::string& what) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const bool good =
        !item.name.empty() && letter(item.name.front()) &&
        std::ranges::all_of(item.name, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
    if (!good) errors_.push_back({item.at, what + ": a name is a letter, then letters, digits and _"});
  }

  void read_constants(const Fields& top) {
    for (const auto& [name, value] : top.constants("constants"))
      if (!expression::is_free_name(name) || name == "t" || name.find('.') != std::string::npos)
        errors_.push_back({value.at, "constants: " + in_quotes(name) + " cannot be a name of a constant"});
    scene_.constants = Constants(document_.find("constants"), errors_);
  }

  void read_material(const Fields& f, const std::string& name) {
    Material m{name,
               f.places(),
               f.number("young"),
               f.number("poisson"),
               f.number("density"),
               f.number("restitution"),
               f.number("friction")};
    if (m.restitution && *m.restitution > 1)
      errors_.push_back(
          {m.places.of("restitution"), "material " + in_quotes(name) + ": restitution must be at most 1"});
    if (m.poisson && *m.poisson > 0.5)
      errors_.push_back({m.places.of("poisson"), "material " + in_quotes(name) + ": poisson must be at most 0.5"});
    scene_.materials.push_back(std::move(m));
  }

  Shape read_shape(const Fields& f) {
    Shape s;
    s.places = f.places();
    s.kind = f.text("kind");
    s.name = f.has("name") ? f.text("name") : s.kind;
    s.material = f.text("material");
    s.radius_m = f.number("radius");
    s.length_m = f.number("length");
    s.density_kgpm3 = f.number("density");
    s.size_m = f.vector("size");
    if (s.size_m && scene_.planar && s.size_m->z == 0) s.size_m->z = 1;
    if (s.size_m && !(s.size_m->x > 0 && s.size_m->y > 0 && s.size_m->z > 0))
      f.fail(s.places.of("size"), "shape: size: edges must be above 0");
    s.at_m = f.vector("at").value_or(Vec3{});
    s.axis = f.direction("axis");
    s.angle_rad = f.number("angle");
    s.width_m = f.number("width");
    s.corner_radius_m = f.number("corner_radius");
    s.points_m = f.points("points");
    s.file = f.text("file");
    s.scale = f.number_or_default("scale");
    if (!s.points_m.empty() && f.has("scale"))
      f.fail(s.places.of("scale"), f.what() + ": scale is for the numbers of a `file`; points are in metres");
    if (const ShapeRow* row = find_shape(s.kind))
      refuse_others(f, "kind name material density at", row->keys, s.kind, [](const std::string&) { return ""; });
    return s;
  }

  /// Keys that say nothing about a row of a table. Those that nothing knows have been refused already.
  template <class Hint>
  static void refuse_others(const Fields& f, std::string_view common, std::string_view own,
                            const std::string& title, Hint&& hint) {
    const std::vector<std::string_view> of_all = split(common), of_row = split(own);
    for (const auto& [key, where] : f.places().keys)
      if (f.knows(key) && std::ranges::find(of_all, key) == of_all.end() &&
          std::ranges::find(of_row, key) == of_row.end())
        f.fail(where, f.what() + ": a " + title + " has no " + key + hint(key));
  }

  void read_body(const Fields& f, const std::string& name) {
    Body b;
    b.name = name;
    b.places = f.places();
    b.mass_kg = f.number("mass");
    b.inertia_kgm2 = f.numbers("inertia");
    b.particle = f.flag("particle");
    b.fixed = f.flag("fixed");
    b.centre_of_mass_m = f.vector("centre_of_mass");
    for (const char* key : {"shape", "shapes"})
      for (const Fields::Inner& item : f.inner(key))
        b.shapes.push_back(
            read_shape(Fields(*find_in_schema("bodies.shapes").section, *item.node, item.at,
                              "body " + in_quotes(name) + ": shape", errors_, axes(), &scene_.constants)));
    if (f.has("shape") && f.has("shapes"))
      f.fail(b.places.of("shapes"), f.what() + ": `shape` and `shapes` exclude each other");
    for (std::size_t i = 0; i < b.shapes.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (b.shapes[i].places.keys.contains("name") && b.shapes[i].name == b.shapes[k].name)
          f.fail(b.shapes[i].places.of("name"),
                 f.what() + ": two of its shapes are called " + in_quotes(b.shapes[i].name));
    for (const Fields::Inner& item : f.inner("point_masses")) {
      const Fields inner(*find_in_schema("bodies.point_masses").section, *item.node, item.at,
                         "body " + in_quotes(name) + ": point mass", errors_, axes(), &scene_.constants);
      b.point_masses.push_back({inner.number("mass").value_or(1), inner.vector("at").value_or(Vec3{})});
    }
    b.markers = f.named_points("markers");
    for (const auto& [marker, point] : b.markers)
      check_name({marker, nullptr, b.places.of("markers")}, f.what() + ": marker " + in_quotes(marker));
    b.at_m = f.vector("at");
    b.touching = f.text("touching");
    b.towards = f.direction("towards");
    b.guess_at_m = f.vector("guess_at");
    b.angle_rad = f.number("angle");
    b.guess_angle_rad = f.number("guess_angle");
    b.axis = f.direction("axis");
    if (const auto q = f.numbers("rotation");
        q.size() == 4 && q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0)
      b.rotation = unit(Quat{q[0], q[1], q[2], q[3]});
    else if (!q.empty())
      f.fail(b.places.of("rotation"),
             "body " + in_quotes(name) + ": rotation: expected four numbers, not all zero");
    b.velocity_mps = f.vector("velocity");
    read_angular_velocity(f, b);
    for (const Fields::Inner& item : f.inner("motion")) {
      const Fields inner(*find_in_schema("bodies.motion").section, *item.node, item.at,
                         "body " + in_quotes(name) + ": motion", errors_, axes(), &scene_.constants);
      b.motion = Motion{inner.places(),
                        inner.function("x").value_or(Function{}),
                        inner.function("y").value_or(Function{}),
                        inner.function("z").value_or(Function{}),
                        inner.function("angle").value_or(Function{}),
                        inner.direction("axis")};
    }
    scene_.bodies.push_back(std::move(b));
  }

  void read_angular_velocity(const Fields& f, Body& b) {
    const std::vector<double> w = f.numbers("angular_velocity");
    if (w.empty()) return;
    if (w.size() != 3 && !(w.size() == 1 && scene_.planar))
      f.fail(b.places.of("angular_velocity"), "body " + in_quotes(b.name) + ": angular_velocity: expected " +
                                                  (scene_.planar ? "one number" : "three numbers"));
    else
      b.angular_velocity_radps = w.size() == 1 ? Vec3{0, 0, w[0]} : Vec3{w[0], w[1], w[2]};
  }

  void read_joint(const Fields& f, const std::string& name) {
    Joint j;
    j.name = name;
    j.places = f.places();
    j.type = f.text("type");
    if (const joint::JointRow* row = joint::find_joint(j.type)) {
      refuse_others(f, "type limits enabled", row->keys, j.type + " joint",
                    [row](const std::string& key) -> std::string {
                      for (const joint::JointRow& other : joint::joint_rows())
                        if (const auto own = split(other.keys);
                            other.ideal == row->key && std::ranges::find(own, key) != own.end())
                          return "; " + in_quotes(other.key) + " has";
                      return "";
                    });
    }
    if (const auto between = f.names("between")) j.between = *between;
    j.at_m = f.vector("at");
    j.anchors_m = f.vectors("anchors");
    j.axis = f.direction("axis");
    j.second_axis = f.direction("second_axis");
    j.axes = f.directions("axes");
    j.pitch_m = f.number("pitch");
    j.length_m = f.number("length");
    j.ratio = f.number("ratio");
    j.radius_m = f.number("radius");
    j.joints = f.names("joints");
    j.bearing_radius_m = f.number("bearing_radius");
    j.journal_radius_m = f.number("journal_radius");
    j.clearance_m = f.number("clearance");
    j.size_m = f.vector("size");
    j.material = f.text("material");
    j.materials = f.names("materials");
    for (const Fields::Inner& item : f.inner("contact"))
      j.contact = read_law(Fields(*find_in_schema("joints.contact").section, *item.node, item.at,
                                  "joint " + in_quotes(name) + ": contact", errors_, axes(), &scene_.constants));
    for (const Fields::Inner& item : f.inner("limits")) {
      const Fields inner(*find_in_schema("joints.limits").section, *item.node, item.at,
                         "joint " + in_quotes(name) + ": limits", errors_, axes(), &scene_.constants);
      j.limits = Limits{inner.places(), inner.text("coordinate"), inner.function("lower"), inner.function("upper"),
                        read_law(inner)};
    }
    j.enabled = f.flag("enabled");
    scene_.joints.push_back(std::move(j));
  }

  void read_driver(const Fields& f, const std::string& name) {
    Driver d;
    d.name = name;
    d.places = f.places();
    d.joint = f.text("joint");
    d.coordinate = f.text("coordinate");
    d.value = f.function("value");
    d.rate = f.function("rate");
    d.enabled = f.flag("enabled");
    scene_.drivers.push_back(std::move(d));
  }

  void read_spring(const Fields& f, const std::string& name) {
    Spring s;
    s.name = name;
    s.places = f.places();
    s.joint = f.text("joint");
    s.type = f.text("type");
    s.between = f.names("between");
    s.anchors_m = f.vectors("anchors");
    s.at_m = f.vectors("at");
    s.coordinate = f.text("coordinate");
    s.stiffness = f.functions("stiffness");
    s.damping = f.functions("damping");
    s.turning_stiffness = f.numbers("turning_stiffness");
    s.turning_damping = f.numbers("turning_damping");
    s.rest = f.function("rest");
    s.acts = f.text("acts");
    s.force = f.function("force");
    s.enabled = f.flag("enabled");
    scene_.springs.push_back(std::move(s));
  }

  void read_force(const Fields& f, const std::string& name) {
    Force force;
    force.name = name;
    force.places = f.places();
    force.body = f.text("body");
    force.joint = f.text("joint");
    force.coordinate = f.text("coordinate");
    force.at_m = f.vector("at");
    force.force = f.functions("force");
    force.torque = f.functions("torque");
    force.in_body_axes = f.text("axes") == "body";
    force.every_s = f.number("every");
    force.enabled = f.flag("enabled");
    scene_.forces.push_back(std::move(force));
  }

  /// A number, or an expression of the approach speed.
  void read_restitution(const Fields& f, ContactLaw& c) {
    const std::optional<Function> text = f.function("restitution");
    if (!text) return;
    const Result<double> number = scene_.constants.number(text->text, dimension::number);
    if (number) {
      c.law.restitution = *number;
      return;
    }
    std::vector<std::string_view> names{"v"};
    for (const std::string& name : scene_.constants.names()) names.push_back(name);
    const Result<expression::Program> program = expression::parse(text->text, names);
    bool of_speed = false;
    with_names_replaced(text->text, [&of_speed](std::string_view name) {
      of_speed = of_speed || name == "v";
      return std::string{};
    });
    if (!program || !of_speed) {
      const Diagnostic& error = of_speed && !program ? program.errors().front() : number.errors().front();
      return f.fail(
          text->at,
          f.what() + ": restitution: " + error.text +
              (of_speed || is_quantity(text->text) ? "" : "; or give an expression of the approach speed v"));
    }
    c.law.restitution_of_speed = *program;
    for (std::size_t i = 0; i < scene_.constants.names().size(); ++i)
      *c.law.restitution_of_speed =
          c.law.restitution_of_speed->with(static_cast<int>(i) + 1, scene_.constants.value(i));
  }

  ContactLaw read_law(const Fields& f) {
    ContactLaw c;
    c.law.law = f.text("law");
    c.law_file = f.text("law_file");
    c.law.elastic = f.text("elastic");
    c.law.exponent = f.number("exponent");
    c.stiffness = f.function("stiffness");
    read_restitution(f, c);
    if (f.text("calibration") == "exact") c.law.calibration = contact::Calibration::exact;
    if (f.has("release"))
      c.law.release = f.text("release") == "zero-indentation" ? contact::Release::zero_indentation
                                                              : contact::Release::zero_force;
    for (auto& parameter : f.constants("parameters")) c.parameters.push_back(std::move(parameter));
    c.persistent = f.text("memory") == "persistent";
    c.allow_initial_overlap = f.flag("allow_initial_overlap");
    Function law_speed =
        f.function("law_speed").value_or(Function{std::string(default_word("contacts.law_speed")), {}});
    if (!scene_.constants.empty() && !contact::read_law_speed(law_speed.text))
      if (const Result<double> speed = scene_.constants.number(law_speed.text, dimension::velocity))
        law_speed.text = text_of(*speed);
    if (const auto rule = contact::read_law_speed(law_speed.text))
      c.law_speed = *rule;
    else
      f.fail(law_speed.at, f.what() + ": law_speed: " + rule.errors().front().text);
    c.rest_speed_mps = f.number("rest_speed");
    c.impulsive = f.text("response") == "impulsive";
    for (const Fields::Inner& item : f.inner("friction")) {
      const Fields inner(*find_in_schema("contacts.friction").section, *item.node, item.at, f.what() + ": friction",
                         errors_, axes(), &scene_.constants);
      c.friction = Friction{inner.has("law") ? inner.text("law") : std::string{},
                            inner.places(),
                            inner.number("coefficient"),
                            inner.number("static_coefficient"),
                            inner.number("rolling"),
                            inner.number("spinning"),
                            inner.constants("parameters")};
    }
    return c;
  }

  void read_contact(const Fields& f, const std::string& name) {
    scene_.contacts.push_back(
        {name, f.places(), f.names("between"), f.names("materials"), read_law(f), f.flag("enabled")});
  }

  void read_event(const Fields& f, const std::string& name) {
    Event e{name, f.text("when"), f.places(), f.texts("then"), f.flag("once")};
    if (e.then.empty()) e.then = {std::string(default_word("events.then"))};
    scene_.events.push_back(std::move(e));
  }

  void read_start(const Fields& f) {
    scene_.start.places = f.places();
    scene_.start.equilibrium = f.flag("equilibrium");
  }

  void read_solver(const Fields& f) {
    Solver& s = scene_.solver;
    s.places = f.places();
    s.duration_s = f.number("duration").value_or(1);
    s.integrator = f.text("integrator");
    s.stabilization = f.text("stabilization");
    s.when_stiff = f.text("when_stiff");
    s.tolerance = f.number_or_default("tolerance");
    s.step_s = f.number("step");
    s.largest_step_s = f.number("largest_step");
    s.baumgarte_radps = f.number("baumgarte_rate");
    s.most_steps = f.number("most_steps");
  }

  void read_outputs(const Fields& f) {
    Outputs& o = scene_.outputs;
    o.places = f.places();
    o.every_s = f.number("every");
    o.in_contact = f.flag("in_contact");
    o.account = f.flag("account");
    o.horizon = f.flag("horizon");
    o.at_s = f.numbers("at");
    o.channels = f.constants("channels");
  }

  const Node& document_;
  Scene scene_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Scene interpret(const Node& root, const std::string& source) { return Reader(root, source).run(); }

}  // namespace percuss::scene
