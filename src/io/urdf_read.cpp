// urdfdom reads the values; the document itself says on which line they stand, and what urdfdom passes over.
#include <console_bridge/console.h>
#include <tinyxml.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "percuss/base/units.h"
#include "percuss/base/words.h"
#include "percuss/io/urdf.h"

namespace percuss::io {

namespace {

/// What urdfdom would print goes here.
class Messages final : public console_bridge::OutputHandler {
 public:
  Messages() { console_bridge::useOutputHandler(this); }
  ~Messages() override { console_bridge::restorePreviousOutputHandler(); }
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR && first.empty()) first = text;
  }
  std::string first;
};

std::string attribute(const TiXmlElement& e, const char* name) {
  const char* const value = e.Attribute(name);
  return value ? value : "";
}

/// All elements of one name below another, in their order.
std::vector<const TiXmlElement*> children(const TiXmlElement& of, const char* name) {
  std::vector<const TiXmlElement*> out;
  for (const TiXmlElement* e = of.FirstChildElement(name); e; e = e->NextSiblingElement(name)) out.push_back(e);
  return out;
}

Vec3 vector_of(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }
Pose pose_of(const urdf::Pose& p) {
  return {unit(Quat{p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z}), vector_of(p.position)};
}

/// Names and references, before urdfdom looks: it says what is wrong without saying where.
class Structure {
 public:
  Structure(const TiXmlElement& robot, const std::string& source) : robot_(robot), source_(source) {}

  std::vector<Diagnostic> errors() {
    collect("link", links_);
    collect("joint", joints_);
    if (links_.empty() && errors_.empty()) fail(robot_, "the robot has no link");
    for (const TiXmlElement* joint : children(robot_, "joint")) look_at(*joint);
    if (errors_.empty()) look_for_loops();
    return errors_;
  }

 private:
  void fail(const TiXmlElement& at, const std::string& text) { errors_.push_back({{source_, at.Row()}, text}); }
  void collect(const char* kind, std::map<std::string, const TiXmlElement*>& into) {
    for (const TiXmlElement* e : children(robot_, kind)) {
      const std::string name = attribute(*e, "name");
      if (name.empty())
        fail(*e, "a " + std::string(kind) + " without a name");
      else if (const auto [known, fresh] = into.emplace(name, e); !fresh)
        fail(*e, std::string(kind) + " " + in_quotes(name) + ": there is one of this name on line " +
                     std::to_string(known->second->Row()));
    }
  }
  void look_at(const TiXmlElement& joint) {
    const std::string what = "joint " + in_quotes(attribute(joint, "name"));
    static const std::set<std::string> kTypes{"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
    const std::string type = attribute(joint, "type");
    if (!kTypes.contains(type))
      fail(joint, what + ": type " + in_quotes(type) +
                      "; expected revolute, continuous, prismatic, fixed, floating or planar");
    if ((type == "revolute" || type == "prismatic") && !joint.FirstChildElement("limit"))
      fail(joint, what + ": a " + type + " joint needs a limit");
    for (const char* end : {"parent", "child"}) {
      const TiXmlElement* const e = joint.FirstChildElement(end);
      const std::string link = e ? attribute(*e, "link") : "";
      if (link.empty()) {
        fail(joint, what + ": its " + end + " link is missing");
        continue;
      }
      if (!links_.contains(link)) {
        std::vector<std::string_view> names;
        for (const auto& [name, element] : links_) names.push_back(name);
        fail(*e, what + ": no link is called " + in_quotes(link) + did_you_mean(link, names));
        continue;
      }
      if (std::string_view(end) == "parent") continue;
      if (const auto [known, fresh] = carried_by_.emplace(link, &joint); !fresh)
        fail(joint, what + ": link " + in_quotes(link) + " is the child of joint " +
                        in_quotes(attribute(*known->second, "name")) + " on line " +
                        std::to_string(known->second->Row()) + " already; a URDF is a tree, loops are not in it");
    }
    if (const TiXmlElement* mimic = joint.FirstChildElement("mimic"))
      if (const std::string other = attribute(*mimic, "joint"); !joints_.contains(other))
        fail(*mimic, what + ": it mimics " + in_quotes(other) + ", and there is no such joint");
  }
  void look_for_loops() {
    std::vector<const TiXmlElement*> roots;
    for (const TiXmlElement* link : children(robot_, "link"))
      if (!carried_by_.contains(attribute(*link, "name"))) roots.push_back(link);
    if (roots.size() > 1)
      fail(*roots[1], "link " + in_quotes(attribute(*roots[1], "name")) + " is the child of no joint, and so is " +
                          in_quotes(attribute(*roots[0], "name")) + "; a URDF has one root");
    for (const auto& [name, joint] : carried_by_) {  // up from every link; more steps than links are a ring
      std::string at = name;
      for (std::size_t k = 0; k <= links_.size(); ++k) {
        const auto up = carried_by_.find(at);
        if (up == carried_by_.end()) break;
        at = attribute(*up->second->FirstChildElement("parent"), "link");
        if (k == links_.size())
          return fail(*joint, "joint " + in_quotes(attribute(*joint, "name")) + ": link " + in_quotes(name) +
                                  " carries itself; a URDF is a tree");
      }
    }
  }

  const TiXmlElement& robot_;
  const std::string& source_;
  std::map<std::string, const TiXmlElement*> links_, joints_, carried_by_;
  std::vector<Diagnostic> errors_;
};

/// The elements that are carried over, or are said to be left out by those who know their values.
bool is_known(const std::string& parent, const std::string& name) {
  static const std::map<std::string, std::set<std::string>> kKnown{
      {"robot", {"link", "joint", "material"}},
      {"link", {"inertial", "visual", "collision"}},
      {"inertial", {"origin", "mass", "inertia"}},
      {"visual", {"origin", "geometry", "material"}},
      {"collision", {"origin", "geometry"}},
      {"geometry", {"box", "cylinder", "sphere", "mesh"}},
      {"joint", {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}},
      {"material", {"color", "texture"}}};
  const auto known = kKnown.find(parent);
  return known != kKnown.end() && known->second.contains(name);
}

void list_unknown(const TiXmlElement& of, const std::string& owner, std::vector<UrdfRemark>& out) {
  for (const TiXmlElement* e = of.FirstChildElement(); e; e = e->NextSiblingElement()) {
    const std::string name = e->ValueStr();
    const bool names_itself = name == "link" || name == "joint";
    const std::string within = names_itself ? name + " " + in_quotes(attribute(*e, "name")) : owner;
    if (name == "material") {
      if (e->FirstChildElement())
        out.push_back({e->Row(), (owner.empty() ? "" : owner + ": ") + "material " +
                                     in_quotes(attribute(*e, "name")) + ": scenes have no colours"});
    } else if (!is_known(of.ValueStr(), name)) {
      out.push_back(
          {e->Row(), (owner.empty() ? "" : owner + ": ") + "element " + in_quotes(name) + " has no counterpart"});
    } else {
      list_unknown(*e, within, out);
    }
  }
}

class Conversion {
 public:
  Conversion(const TiXmlElement& robot, const urdf::ModelInterface& model, const std::string& source)
      : robot_(robot), model_(model) {
    out_.source = source;
    out_.name = model.getName();
  }

  Result<Urdf> run() {
    for (const TiXmlElement* link : children(robot_, "link")) add_link(*link);
    out_.root = model_.getRoot()->name;
    add_joints_below(*model_.getRoot());
    list_unknown(robot_, "", out_.left_out);
    if (!errors_.empty()) return errors_;
    return std::move(out_);
  }

 private:
  void add_shapes(const UrdfLink& link, const TiXmlElement& of, const char* kind,
                  const std::vector<std::pair<urdf::GeometrySharedPtr, urdf::Pose>>& found,
                  std::vector<UrdfShape>& into) {
    const std::vector<const TiXmlElement*> elements = children(of, kind);
    for (std::size_t i = 0; i < found.size() && i < elements.size(); ++i) {
      UrdfShape s;
      s.line = elements[i]->Row();
      s.pose = pose_of(found[i].second);
      const urdf::Geometry* const geometry = found[i].first.get();
      if (const auto* box = dynamic_cast<const urdf::Box*>(geometry)) {
        s.size_m = vector_of(box->dim);
      } else if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(geometry)) {
        s.kind = UrdfShape::Kind::cylinder;
        s.radius_m = cylinder->radius, s.length_m = cylinder->length;
      } else if (const auto* sphere = dynamic_cast<const urdf::Sphere*>(geometry)) {
        s.kind = UrdfShape::Kind::sphere;
        s.radius_m = sphere->radius;
      } else if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(geometry)) {
        s.kind = UrdfShape::Kind::mesh;
        s.file = mesh->filename, s.scale = vector_of(mesh->scale);
      } else {
        out_.left_out.push_back({s.line, "link " + in_quotes(link.name) + ": a " + kind + " without geometry"});
        continue;
      }
      into.push_back(s);
    }
  }

  void add_link(const TiXmlElement& element) {
    const auto found = model_.getLink(attribute(element, "name"));
    UrdfLink link;
    link.name = found->name;
    link.line = element.Row();
    if (const TiXmlElement* inertial = element.FirstChildElement("inertial"); inertial && found->inertial) {
      const urdf::Inertial& i = *found->inertial;
      link.inertial_line = inertial->Row();
      link.mass_kg = i.mass;
      link.inertial = pose_of(i.origin);
      link.inertia_kgm2 = {{{{i.ixx, i.ixy, i.ixz}, {i.ixy, i.iyy, i.iyz}, {i.ixz, i.iyz, i.izz}}}};
      if (!(i.mass >= 0) || !std::isfinite(i.mass))
        errors_.push_back(
            {{out_.source, inertial->Row()},
             "link " + in_quotes(link.name) + ": a mass of " + text_of(i.mass) + " kg; must be above 0"});
    }
    std::vector<std::pair<urdf::GeometrySharedPtr, urdf::Pose>> visuals, collisions;
    for (const auto& v : found->visual_array) visuals.emplace_back(v->geometry, v->origin);
    for (const auto& c : found->collision_array) collisions.emplace_back(c->geometry, c->origin);
    add_shapes(link, element, "visual", visuals, link.visuals);
    add_shapes(link, element, "collision", collisions, link.collisions);
    out_.links.push_back(std::move(link));
  }

  /// Depth first: what hangs on a link stands below it.
  void add_joints_below(const urdf::Link& link) {
    for (const TiXmlElement* element : children(robot_, "joint")) {  // in the order of the file
      const auto found = model_.getJoint(attribute(*element, "name"));
      if (found->parent_link_name != link.name) continue;
      add_joint(*element, *found);
      add_joints_below(*model_.getLink(found->child_link_name));
    }
  }

  void add_joint(const TiXmlElement& element, const urdf::Joint& found) {
    UrdfJoint j;
    j.name = found.name, j.parent = found.parent_link_name, j.child = found.child_link_name;
    j.line = element.Row();
    using From = urdf::Joint;
    using To = UrdfJoint::Type;
    j.type = found.type == From::REVOLUTE     ? To::revolute
             : found.type == From::CONTINUOUS ? To::continuous
             : found.type == From::PRISMATIC  ? To::prismatic
             : found.type == From::FLOATING   ? To::floating
             : found.type == From::PLANAR     ? To::planar
                                              : To::fixed;
    j.origin = pose_of(found.parent_to_joint_origin_transform);
    j.axis = vector_of(found.axis);
    const std::string what = "joint " + in_quotes(j.name);
    if (j.type != To::fixed && j.type != To::floating) {
      if (!(norm(j.axis) > 0))
        errors_.push_back({{out_.source, j.line}, what + ": its axis has no direction"});
      else
        j.axis = unit(j.axis);
    }
    const auto line_of = [&](const char* inner) {
      const TiXmlElement* const e = element.FirstChildElement(inner);
      return e ? e->Row() : j.line;
    };
    if (found.dynamics) j.damping = found.dynamics->damping, j.friction = found.dynamics->friction;
    if (found.limits)
      j.limit = UrdfJoint::Limit{found.limits->lower, found.limits->upper, found.limits->effort,
                                 found.limits->velocity, line_of("limit")};
    if (found.mimic)
      j.mimic =
          UrdfJoint::Mimic{found.mimic->joint_name, found.mimic->multiplier, found.mimic->offset, line_of("mimic")};
    out_.joints.push_back(std::move(j));
  }

  const TiXmlElement& robot_;
  const urdf::ModelInterface& model_;
  Urdf out_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

bool reads_urdf() { return true; }

Result<Urdf> read_urdf(const std::string& text, const std::string& source) {
  TiXmlDocument document;
  document.Parse(text.c_str(), nullptr, TIXML_ENCODING_UTF8);
  if (document.Error())
    return Diagnostic{{source, document.ErrorRow(), document.ErrorCol()},
                      "this is no XML: " + std::string(document.ErrorDesc())};
  const TiXmlElement* const robot = document.FirstChildElement("robot");
  if (!robot) return Diagnostic{{source}, "no element \"robot\": this is no URDF"};
  if (attribute(*robot, "name").empty()) return Diagnostic{{source, robot->Row()}, "the robot has no name"};
  if (std::vector<Diagnostic> errors = Structure(*robot, source).errors(); !errors.empty()) return errors;
  const Messages messages;
  try {
    const urdf::ModelInterfaceSharedPtr model = urdf::parseURDF(text);
    if (model && model->getRoot()) return Conversion(*robot, *model, source).run();
  } catch (const std::exception& error) {
    return Diagnostic{{source}, "urdfdom: " + words_of(error)};
  }
  return Diagnostic{{source},
                    "urdfdom: " + (messages.first.empty() ? std::string("it is no URDF") : messages.first)};
}

}  // namespace percuss::io
