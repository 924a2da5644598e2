// The joint table: what a joint holds still and what it leaves free. Reading, help, reference pages and tests
// iterate it; what a joint is made of stands in parts.h.
#pragma once

#include <span>
#include <string_view>

#include "percuss/base/diagnostic.h"

namespace percuss::joint {

struct Geometry;
struct Parts;
struct ClearanceSizes;
struct ClearanceSurfaces;

enum class Axis { none, one, two };  // directions a joint needs; the second stands on body B

/// A particle has no directions. Where may one be joined, though the joint has an axis or holds a rotation?
enum class Particles { nowhere, as_second_body, in_the_plane };

/// Coordinates of two other joints, a and b: leading - factor * other = constant.
struct Coupling {
  std::string_view factor{};        // the key that gives it
  bool second_leads = false;        // b is the leading one
  bool angle_and_position = false;  // a is an angle and b a position; otherwise both are alike
  std::string_view of_what{};       // what it couples, for messages
};

struct JointRow {
  std::string_view key, title, fixes;
  std::string_view keys;           // of a scene, beside type
  std::string_view needs{};        // those of them that must be given, and that no other rule asks for
  int rows = 0, planar_rows = 0;   // constraints in space and in the plane
  std::string_view planar_hint{};  // not for a planar scene: what to use there instead
  Axis axis = Axis::none;
  bool axis_in_plane = false;   // in a planar scene the axis lies in the plane and must be given; otherwise it is z
  bool fixes_rotation = false;  // bodies keep the relative rotation they have at the start
  bool has_point = true;        // is there a point where the bodies meet?
  Particles particles = Particles::nowhere;
  void (*build)(const Geometry&, Parts&) = nullptr;  // null: the joint couples coordinates of two others
  Coupling coupling{};
  // of a joint with clearance
  std::string_view ideal{};  // the joint that it is without
  Result<ClearanceSurfaces> (*surfaces)(const Geometry&, const ClearanceSizes&) = nullptr;
};
std::span<const JointRow> joint_rows();
const JointRow* find_joint(std::string_view key);

}  // namespace percuss::joint
