// Robots in URDF, as plain data with the lines on which they stand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "percuss/base/diagnostic.h"
#include "percuss/base/vector.h"

namespace percuss::io {

/// A frame in another: x_outer = place_m + R(rotation) x.
struct Pose {
  Quat rotation;
  Vec3 place_m;
};

struct UrdfShape {
  enum class Kind { box, cylinder, sphere, mesh };
  Kind kind = Kind::box;
  Pose pose;  // in the link
  Vec3 size_m, scale{1, 1, 1};
  double radius_m = 0, length_m = 0;
  std::string file;
  int line = 0;
};

struct UrdfLink {
  std::string name;
  int line = 0, inertial_line = 0;
  double mass_kg = 0;
  Pose inertial;                          // centre of mass, and the axes of the inertia
  Mat3 inertia_kgm2 = diagonal(0, 0, 0);  // about the centre of mass
  std::vector<UrdfShape> visuals, collisions;
};

struct UrdfJoint {
  enum class Type { revolute, continuous, prismatic, fixed, floating, planar };
  struct Limit {
    double lower = 0, upper = 0, effort = 0, velocity = 0;
    int line = 0;
  };
  struct Mimic {
    std::string joint;
    double multiplier = 1, offset = 0;
    int line = 0;
  };
  std::string name, parent, child;
  int line = 0;
  Type type = Type::fixed;
  Pose origin;  // of the child in the parent, where the joint's coordinate is 0
  Vec3 axis;    // in the child
  double damping = 0, friction = 0;
  std::optional<Limit> limit;
  std::optional<Mimic> mimic;
};

/// Something that was read and has no place in a scene.
struct UrdfRemark {
  int line = 0;
  std::string text;
};

/// A tree: joints stand after those that carry their parents.
struct Urdf {
  std::string source, name, root;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::vector<UrdfRemark> left_out;  // elements that this reader does not know, colours

  const UrdfLink& link(const std::string& named) const;
};

/// Was the program built with urdfdom?
bool reads_urdf();
/// From the text of a file. What is wrong is said with its line.
Result<Urdf> read_urdf(const std::string& text, const std::string& source);

}  // namespace percuss::io
