// What can be measured in a scene: names in expressions, columns of samples and the reference page iterate it.
#pragma once

#include <span>
#include <string_view>

#include "percuss/base/units.h"
#include "percuss/model/model.h"

namespace percuss::model {

/// NAME.suffix, where NAME is that of a body, a marker (BODY.MARKER), a joint, driver, contact or spring; `system`
/// is all bodies together. A new kind needs its value in dynamics/reading.cpp.
struct ChannelRow {
  enum class Of { body, contact, spring, marker, joint, coupling, driver, system };
  enum class In { both, plane, space };
  Of of;
  std::string_view suffix;
  Channel::Kind kind;
  int component;
  Dimension dimension;
  std::string_view unit;  // of the column
  std::string_view meaning;
  In in = In::both;
  bool is_column = true;  // of the tables of a result file, too

  bool exists(bool planar) const { return in == In::both || (in == In::plane) == planar; }
};
std::span<const ChannelRow> channel_rows();

/// Several channels under one name: `tip.position` stands for tip.x, tip.y and tip.z where they exist.
struct VectorRow {
  std::string_view name, components;
};
std::span<const VectorRow> vector_rows();

/// Of what has not been computed when forces are: accelerations, and what follows from them.
bool follows_from_forces(Channel::Kind kind);

}  // namespace percuss::model
