// URDF to YAML: bodies, joints, damping and friction; what has no place is listed.
#include "percuss/io/urdf_scene.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <numbers>
#include <set>

#include "percuss/base/units.h"
#include "percuss/base/words.h"
#include "percuss/geometry/convex.h"
#include "percuss/io/mesh_file.h"

namespace percuss::io {

namespace fs = std::filesystem;

namespace {

// ---- numbers and vectors as a person writes them

/// As few digits as give the number to 1e-12 of itself, twelve at most; what is below rounding of 1 is 0.
std::string figure(double v) {
  constexpr double kNothing = 1e-15;
  if (std::abs(v) < kNothing) return "0";
  char text[40];
  int digits = 1;
  for (; digits <= 12; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, v);
    if (std::abs(std::strtod(text, nullptr) - v) <= 1e-12 * std::abs(v)) break;
  }
  const int decade = static_cast<int>(std::floor(std::log10(std::abs(v))));
  if (decade >= -4 && decade < 7)  // 20 and not 2e+01
    std::snprintf(text, sizeof text, "%.*f", std::max(0, std::min(digits, 12) - 1 - decade), v);
  return text;
}
std::string figures(const Vec3& v) {
  // beside the largest component rounding is nothing
  const double most = std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  const auto one = [&](double x) { return figure(std::abs(x) < 1e-15 * most ? 0 : x); };
  return "[" + one(v.x) + ", " + one(v.y) + ", " + one(v.z) + "]";
}
std::string figures(const Quat& q) {
  return "[" + figure(q.w) + ", " + figure(q.x) + ", " + figure(q.y) + ", " + figure(q.z) + "]";
}

/// x, -z or a vector.
std::string direction(const Vec3& v) {
  constexpr double kSame = 1e-15;
  const std::pair<Vec3, const char*> axes[] = {{kAxisX, "x"}, {kAxisY, "y"}, {kAxisZ, "z"}};
  for (const auto& [axis, name] : axes) {
    if (norm(v - axis) < kSame) return name;
    if (norm(v + axis) < kSame) return "-" + std::string(name);
  }
  return figures(v);
}

/// Degrees where they are round, else radians.
std::string angle_text(double rad) {
  const double degrees = rad * 180 / std::numbers::pi, round = std::round(degrees * 1e6) / 1e6;
  return std::abs(degrees - round) < 1e-12 * std::max(1.0, std::abs(degrees)) ? figure(round) + " deg"
                                                                              : figure(rad);
}

struct Turn {
  Vec3 axis = kAxisZ;
  double angle_rad = 0;
};
Turn turn_of(const Quat& q) {
  const Vec3 v{q.x, q.y, q.z};
  const double s = norm(v);
  if (s < 1e-16) return {};
  Turn t{v / s, 2 * std::atan2(s, q.w)};
  if (t.angle_rad > std::numbers::pi) t.angle_rad -= 2 * std::numbers::pi;
  // forwards about a positive axis
  const double lead = std::abs(t.axis.x) > 1e-12 ? t.axis.x : std::abs(t.axis.y) > 1e-12 ? t.axis.y : t.axis.z;
  if (lead < 0) t.axis = -1 * t.axis, t.angle_rad = -t.angle_rad;
  return t;
}

Pose within(const Pose& outer, const Pose& inner) {
  return {unit(outer.rotation * inner.rotation), outer.place_m + matrix_of(outer.rotation) * inner.place_m};
}

Mat3 turned(const Quat& q, const Mat3& inertia) {
  const Mat3 R = matrix_of(q);
  return R * inertia * transposed(R);
}
/// Of a point mass about the origin.
Mat3 of_point(double mass_kg, const Vec3& r) {
  const double rr = dot(r, r);
  return mass_kg * Mat3{{{{rr - r.x * r.x, -r.x * r.y, -r.x * r.z},
                          {-r.x * r.y, rr - r.y * r.y, -r.y * r.z},
                          {-r.x * r.z, -r.y * r.z, rr - r.z * r.z}}}};
}

// ---- the robot as bodies

struct Member {
  const UrdfLink* link = nullptr;
  Pose in_body;
  std::string by_joint;  // the fixed joint; "" of the first
};

struct BodyOf {
  std::string name;
  std::vector<Member> members;
  Pose in_world;
  bool is_ground = false;
  double mass_kg = 0;
  Vec3 centre_m;
  Mat3 inertia_kgm2 = diagonal(0, 0, 0);
};

struct JointOf {
  const UrdfJoint* joint = nullptr;
  std::string name;
  std::size_t parent = 0, child = 0;  // bodies
  double start = 0;                   // its coordinate at the start
};

class Writer {
 public:
  Writer(const Urdf& robot, UrdfBase base, fs::path urdf_folder, fs::path scene_folder)
      : robot_(robot), base_(base), urdf_folder_(std::move(urdf_folder)), scene_folder_(std::move(scene_folder)) {
    out_.left_out = robot.left_out;
    taken_.insert("ground");
  }

  Result<UrdfScene> run() {
    find_starts();
    make_bodies();
    if (bodies_.size() == 1 && bodies_[0].is_ground)
      errors_.push_back({{robot_.source, robot_.link(robot_.root).line},
                         "no link moves: the root " + in_quotes(robot_.root) +
                             " is fixed to the ground, and all others to it (--base free lets it move)"});
    for (BodyOf& b : bodies_) add_up(b);
    if (!errors_.empty()) return errors_;
    const std::string bodies = bodies_text(), joints = joints_text();
    std::ranges::stable_sort(out_.left_out, {}, &UrdfRemark::line);
    out_.text = head_text() + bodies + joints + "solver: {duration: 1 s}\n";
    return std::move(out_);
  }

 private:
  void leave_out(int line, const std::string& text) { out_.left_out.push_back({line, text}); }

  /// A name of a scene: a letter, then letters, digits and _; one thing each.
  std::string name_for(const std::string& wish, const char* kind) {
    std::string name;
    for (const char c : wish)
      name += std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 128 ? c : '_';
    if (name.empty() || !std::isalpha(static_cast<unsigned char>(name.front())))
      name = std::string(kind) + "_" + name;
    std::string free = name;
    if (taken_.contains(free)) free = name + "_" + kind;
    for (int k = 2; taken_.contains(free); ++k) free = name + "_" + kind + std::to_string(k);
    taken_.insert(free);
    return free;
  }

  /// 0, unless the limits or a mimicked joint say otherwise.
  double start_of(const UrdfJoint& j, int depth = 0) {
    if (const auto known = starts_.find(j.name); known != starts_.end()) return known->second;
    double start = 0;
    if (j.mimic && depth < 100) {
      const auto other = std::ranges::find(robot_.joints, j.mimic->joint, &UrdfJoint::name);
      if (other != robot_.joints.end() && other->name != j.name)
        start = j.mimic->multiplier * start_of(*other, depth + 1) + j.mimic->offset;
    } else if (has_limits(j) && (j.limit->lower > 0 || j.limit->upper < 0)) {
      start = (j.limit->lower + j.limit->upper) / 2;
    }
    return starts_[j.name] = start;
  }
  void find_starts() {
    for (const UrdfJoint& j : robot_.joints) start_of(j);
  }
  static bool has_limits(const UrdfJoint& j) {
    using Type = UrdfJoint::Type;
    return j.limit && (j.type == Type::revolute || j.type == Type::prismatic);
  }

  static Pose moved(const UrdfJoint& j, double coordinate) {
    using Type = UrdfJoint::Type;
    if (j.type == Type::prismatic) return {{}, coordinate * j.axis};
    if (j.type == Type::revolute || j.type == Type::continuous) return {rotation_about(j.axis, coordinate), {}};
    return {};
  }

  void make_bodies() {
    const UrdfLink& root = robot_.link(robot_.root);
    const bool fixed =
        base_ == UrdfBase::fixed || (base_ == UrdfBase::by_mass && (!(root.mass_kg > 0) || root.name == "world"));
    BodyOf first;
    first.is_ground = fixed;
    first.name = fixed ? "ground" : name_for(root.name, "body");
    first.members.push_back({&root, {}, ""});
    bodies_.push_back(first);
    std::map<std::string, std::pair<std::size_t, Pose>> place{
        {root.name, {0, {}}}};  // link: its body, and where in it
    for (const UrdfJoint& j : robot_.joints) {
      const auto [parent, in_body] = place.at(j.parent);
      const Pose frame = within(in_body, j.origin);
      const UrdfLink& link = robot_.link(j.child);
      if (j.type == UrdfJoint::Type::fixed) {
        bodies_[parent].members.push_back({&link, frame, j.name});
        place[j.child] = {parent, frame};
        continue;
      }
      BodyOf body;
      body.name = name_for(link.name, "body");
      body.members.push_back({&link, {}, ""});
      body.in_world = within(within(bodies_[parent].in_world, frame), moved(j, starts_[j.name]));
      place[j.child] = {bodies_.size(), {}};
      joints_.push_back({&j, "", parent, bodies_.size(), starts_[j.name]});
      bodies_.push_back(std::move(body));
    }
    for (JointOf& j : joints_)
      if (j.joint->type != UrdfJoint::Type::floating) j.name = name_for(j.joint->name, "joint");
  }

  /// Mass, centre and inertia of its links together.
  void add_up(BodyOf& b) {
    for (const Member& m : b.members) {
      const Vec3 c = within(m.in_body, m.link->inertial).place_m;
      b.mass_kg += m.link->mass_kg;
      b.centre_m += m.link->mass_kg * c;
    }
    if (b.is_ground) return;
    const UrdfLink& link = *b.members.front().link;
    if (!(b.mass_kg > 0)) {
      errors_.push_back({{robot_.source, link.inertial_line > 0 ? link.inertial_line : link.line},
                         "link " + in_quotes(link.name) +
                             " moves and has a mass of 0 kg; it needs an inertial with a mass above 0"});
      return;
    }
    b.centre_m = b.centre_m / b.mass_kg;
    for (const Member& m : b.members) {
      const Pose p = within(m.in_body, m.link->inertial);
      b.inertia_kgm2 = b.inertia_kgm2 + turned(p.rotation, m.link->inertia_kgm2) +
                       of_point(m.link->mass_kg, p.place_m - b.centre_m);
    }
  }

  // ---- text

  std::string head_text() const {
    std::string text =
        "# " + robot_.name + ", from " + fs::path(robot_.source).filename().string() +
        " (percuss import).\n"
        "# Lengths in m, masses in kg, inertias in kg m^2. Links that fixed joints join are one body. Joints begin "
        "at\n"
        "# the zeros of the URDF, unless it is said; angles here may differ from those there by a constant.\n"
        "# Nothing touches yet: `contacts` says what may, and by which law.\n";
    if (out_.left_out.empty()) text += "# Everything was carried over.\n";
    if (!out_.left_out.empty()) text += "# Not carried over, by lines of the URDF:\n";
    for (const UrdfRemark& r : out_.left_out)
      text += "#   " + std::to_string(r.line) + ": " + one_line_of(r.text) + "\n";
    return text + "title: " + quoted(robot_.name) + "\n";
  }
  static std::string one_line_of(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
  }
  static std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < 0x20) continue;
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + "\"";
  }

  std::string bodies_text() {
    std::string text = "bodies:\n";
    for (const BodyOf& b : bodies_) {
      const std::vector<std::string> shapes = shapes_of(b);
      if (b.is_ground) {
        if (b.mass_kg > 0)
          leave_out(b.members.front().link->line, "link " + in_quotes(b.members.front().link->name) +
                                                      ": its mass, as the root is fixed to the ground");
        if (shapes.empty()) continue;
      }
      text += "  " + b.name + ":" + members_text(b) + "\n";
      if (!b.is_ground) {
        ++out_.bodies;
        const auto& I = b.inertia_kgm2.row;
        text += "    mass: " + figure(b.mass_kg) + "\n";
        if (norm(b.centre_m) > 0) text += "    centre_of_mass: " + figures(b.centre_m) + "\n";
        const bool is_diagonal = std::max({std::abs(I[0].y), std::abs(I[0].z), std::abs(I[1].z)}) <=
                                 1e-15 * std::max({I[0].x, I[1].y, I[2].z});
        text += "    inertia: [" + figure(I[0].x) + ", " + figure(I[1].y) + ", " + figure(I[2].z);
        if (!is_diagonal) text += ", " + figure(I[0].y) + ", " + figure(I[0].z) + ", " + figure(I[1].z);
        text += "]\n    at: " + figures(b.in_world.place_m) + "\n" + rotation_text(b.in_world.rotation);
      }
      if (shapes.empty()) continue;
      text += "    shapes:\n";
      for (const std::string& s : shapes) text += "      - {" + s + "}\n";
    }
    return text;
  }

  static std::string members_text(const BodyOf& b) {
    std::string names;
    for (const Member& m : b.members)
      if (m.by_joint.empty() ? m.link->name != b.name : true)
        names +=
            (names.empty() ? "" : ", ") + m.link->name + (m.by_joint.empty() ? "" : " (by " + m.by_joint + ")");
    if (names.empty()) return "";
    return (b.members.front().link->name == b.name ? "  # with link " : "  # link ") + one_line_of(names);
  }

  static std::string rotation_text(const Quat& q) {
    const Turn t = turn_of(q);
    if (t.angle_rad == 0) return "    angle: 0\n";
    const std::string axis = direction(t.axis);
    if (axis.size() == 1)
      return "    angle: " + angle_text(t.angle_rad) + "\n" + (axis == "z" ? "" : "    axis: " + axis + "\n");
    return "    rotation: " + figures(q) + "\n";
  }

  std::vector<std::string> shapes_of(const BodyOf& b) {
    std::vector<std::string> out;
    std::set<std::string> names;
    for (const Member& m : b.members) {
      const bool has_collisions = !m.link->collisions.empty();
      if (has_collisions)
        for (const UrdfShape& s : m.link->visuals)
          leave_out(s.line, "link " + in_quotes(m.link->name) + ": a visual shape; the collision shapes are drawn");
      const std::vector<UrdfShape>& shapes = has_collisions ? m.link->collisions : m.link->visuals;
      for (const UrdfShape& s : shapes) {
        std::string text = shape_text(s, within(m.in_body, s.pose), *m.link);
        if (text.empty()) continue;
        std::string name;
        for (const char c : m.link->name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
        std::string own = name;
        for (int k = 2; names.contains(own); ++k) own = name + "_" + std::to_string(k);
        names.insert(own);
        out.push_back("name: " + own + ", " + text);
      }
    }
    return out;
  }

  std::string shape_text(const UrdfShape& s, const Pose& pose, const UrdfLink& link) {
    const std::string what = "link " + in_quotes(link.name) + ": ";
    std::string at;
    if (norm(pose.place_m) > 0) at = ", at: " + figures(pose.place_m);
    const Turn t = turn_of(pose.rotation);
    const std::string turn =
        t.angle_rad == 0 ? "" : ", axis: " + direction(t.axis) + ", angle: " + angle_text(t.angle_rad);
    switch (s.kind) {
      case UrdfShape::Kind::box:
        if (std::min({s.size_m.x, s.size_m.y, s.size_m.z}) > 0)
          return "kind: box, size: " + figures(s.size_m) + at + turn;
        break;
      case UrdfShape::Kind::sphere:
        if (s.radius_m > 0) return "kind: sphere, radius: " + figure(s.radius_m) + at;
        break;
      case UrdfShape::Kind::cylinder:
        if (s.radius_m > 0 && s.length_m > 0)
          return "kind: cylinder, radius: " + figure(s.radius_m) + ", length: " + figure(s.length_m) +
                 ", axis: " + direction(matrix_of(pose.rotation) * kAxisZ) + at;
        break;
      case UrdfShape::Kind::mesh: return mesh_text(s, at + turn, what);
    }
    leave_out(s.line, what + "a shape without size");
    return "";
  }

  /// package://NAME/rest is looked for as NAME/rest and as rest, in the folder of the URDF and those above it.
  fs::path find_mesh(const std::string& file) const {
    std::vector<fs::path> tries;
    std::string rest = file;
    constexpr std::string_view kPackage = "package://", kFile = "file://";
    if (rest.starts_with(kFile)) rest = rest.substr(kFile.size());
    const bool in_package = rest.starts_with(kPackage);
    if (in_package) rest = rest.substr(kPackage.size());
    std::error_code error;
    const fs::path from = urdf_folder_.empty() ? fs::current_path(error) : fs::absolute(urdf_folder_, error);
    for (fs::path folder = from; !folder.empty(); folder = folder.parent_path()) {
      tries.push_back(folder / rest);
      if (const std::size_t slash = rest.find('/'); in_package && slash != std::string::npos)
        tries.push_back(folder / rest.substr(slash + 1));
      if (!in_package || folder == folder.parent_path()) break;
    }
    for (const fs::path& path : tries)
      if (fs::is_regular_file(path, error)) return path;
    return {};
  }

  std::string mesh_text(const UrdfShape& s, const std::string& pose, const std::string& what) {
    const std::string mesh = what + "mesh " + in_quotes(s.file);
    const auto no = [&](const std::string& why) {
      leave_out(s.line, mesh + ": " + why);
      return std::string();
    };
    if (s.scale.x != s.scale.y || s.scale.y != s.scale.z || !(s.scale.x > 0))
      return no("scaled differently along its axes");
    const fs::path file = find_mesh(s.file);
    if (file.empty()) return no("the file is not found");
    std::string ending = file.extension().string();
    std::ranges::transform(ending, ending.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending != ".stl" && ending != ".obj") return no("expected STL or OBJ");
    const Result<Mesh> read = read_mesh(file);
    if (!read) return no(read.errors().front().text);
    constexpr double kFlat = 1e-5;  // files have six or seven digits
    if (const auto convex = geometry::convex_of(*read, kFlat); !convex)
      return no("not convex: " + convex.errors().front().text);
    std::error_code error;
    const fs::path shown = fs::proximate(
        file, scene_folder_.empty() ? fs::current_path(error) : fs::absolute(scene_folder_, error), error);
    return "kind: polyhedron, file: " + quoted(shown.string()) +
           (s.scale.x == 1 ? "" : ", scale: " + figure(s.scale.x)) + pose;
  }

  /// The limits of a joint, its effort and speed: scenes have none.
  void list_limits(const JointOf& j) {
    const UrdfJoint& u = *j.joint;
    if (!u.limit) return;
    const bool turns = u.type != UrdfJoint::Type::prismatic;
    std::string text;
    if (has_limits(u))
      text = "limits " + figure(u.limit->lower) + " to " + figure(u.limit->upper) + (turns ? " rad" : " m");
    if (u.limit->effort > 0)
      text +=
          (text.empty() ? "" : ", ") + std::string("effort ") + figure(u.limit->effort) + (turns ? " N m" : " N");
    if (u.limit->velocity > 0)
      text += (text.empty() ? "" : ", ") + std::string("speed ") + figure(u.limit->velocity) +
              (turns ? " rad/s" : " m/s");
    if (!text.empty()) leave_out(u.limit->line, "joint " + in_quotes(u.name) + ": " + text);
  }

  std::string joints_text() {
    std::string joints, gears, springs, forces;
    for (const JointOf& j : joints_) {
      const UrdfJoint& u = *j.joint;
      using Type = UrdfJoint::Type;
      list_limits(j);
      if (u.type == Type::floating) {
        joints += "  # " + u.name + ": " + bodies_[j.child].name + " floats freely\n";
        if (u.damping > 0 || u.friction > 0)
          leave_out(u.line, "joint " + in_quotes(u.name) + ": damping and friction of a floating joint");
        continue;
      }
      ++out_.joints;
      const bool turns = u.type == Type::revolute || u.type == Type::continuous;
      const char* const type = turns ? "revolute" : u.type == Type::prismatic ? "prismatic" : "planar";
      const Pose& child = bodies_[j.child].in_world;
      joints += "  " + j.name + ":" + (j.name == u.name ? "" : "  # " + one_line_of(u.name)) +
                "\n    type: " + type + "\n    between: [" + bodies_[j.parent].name + ", " + bodies_[j.child].name +
                "]\n    at: " + figures(child.place_m) +
                "\n    axis: " + direction(matrix_of(child.rotation) * u.axis) + "\n";
      if (j.start != 0)
        joints += "    # at the start, in the URDF: " + figure(j.start) + (turns ? " rad\n" : " m\n");
      const std::string coordinate = turns ? "angle" : u.type == Type::prismatic ? "position" : "";
      if (coordinate.empty() && (u.damping > 0 || u.friction > 0))
        leave_out(u.line, "joint " + in_quotes(u.name) + ": damping and friction of a planar joint");
      if (!coordinate.empty() && u.damping > 0)
        springs += "  " + name_for(j.name + "_damping", "spring") + ": {joint: " + j.name +
                   ", damping: " + figure(u.damping) + "}\n";
      if (!coordinate.empty() && u.friction > 0)
        forces += "  " + name_for(j.name + "_friction", "force") + ": {joint: " + j.name + ", force: \"-" +
                  figure(u.friction) + "*sign(" + j.name + "." + coordinate + "_rate)\"}\n";
      if (u.mimic) gears += gear_text(j);
    }
    std::string text;
    if (!joints.empty() || !gears.empty()) text += "joints:\n" + joints + gears;
    if (!springs.empty()) text += "springs:\n" + springs;
    if (!forces.empty()) text += "forces:  # dry friction of joints\n" + forces;
    // a section of remarks alone is none
    if (out_.joints == 0 && text.starts_with("joints:\n")) text = joints;
    return text;
  }

  /// q = multiplier * other + offset; the offset is in the places at the start.
  std::string gear_text(const JointOf& j) {
    const UrdfJoint& u = *j.joint;
    const std::string what = "joint " + in_quotes(u.name) + ": ";
    const auto no = [&](const std::string& why) {
      leave_out(u.mimic->line, what + "mimic of " + in_quotes(u.mimic->joint) + ": " + why);
      return std::string();
    };
    const auto other =
        std::ranges::find_if(joints_, [&](const JointOf& o) { return o.joint->name == u.mimic->joint; });
    if (other == joints_.end()) return no("that joint does not move");
    using Type = UrdfJoint::Type;
    const auto slides = [](const UrdfJoint& x) { return x.type == Type::prismatic; };
    const auto turns = [](const UrdfJoint& x) { return x.type == Type::revolute || x.type == Type::continuous; };
    if ((!slides(u) && !turns(u)) || (!slides(*other->joint) && !turns(*other->joint)) ||
        other->joint->name == u.name)
      return no("neither an angle nor a position");
    const double m = u.mimic->multiplier;
    if (m == 0) return no("a multiplier of 0");
    const std::string name = "  " + name_for(j.name + "_mimic", "joint") + ": ";
    ++out_.joints;
    if (slides(u) == slides(*other->joint))
      return name + "{type: gear, joints: [" + j.name + ", " + other->name + "], ratio: " + figure(m) + "}\n";
    // position of the second = radius * angle of the first
    if (slides(u))
      return name + "{type: rack, joints: [" + other->name + ", " + j.name + "], radius: " + figure(m) + "}\n";
    return name + "{type: rack, joints: [" + j.name + ", " + other->name + "], radius: " + figure(1 / m) + "}\n";
  }

  const Urdf& robot_;
  const UrdfBase base_;
  const fs::path urdf_folder_, scene_folder_;
  std::vector<BodyOf> bodies_;
  std::vector<JointOf> joints_;
  std::map<std::string, double> starts_;
  std::set<std::string> taken_;
  UrdfScene out_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

const UrdfLink& Urdf::link(const std::string& named) const {
  return *std::ranges::find(links, named, &UrdfLink::name);
}

Result<UrdfScene> scene_of(const Urdf& robot, UrdfBase base, const fs::path& urdf_folder,
                           const fs::path& scene_folder) {
  return Writer(robot, base, urdf_folder, scene_folder).run();
}

}  // namespace percuss::io
