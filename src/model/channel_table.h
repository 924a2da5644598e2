// What can be measured in a scene: names in expressions, columns of samples and the reference page iterate it.
#pragma once

#include <span>
#include <string_view>

#include "percuss/base/units.h"
#include "percuss/model/model.h"

namespace percuss::model {

/// NAME.suffix, where NAME is that of a body, contact or spring. A new row needs its value in dynamics/reading.cpp.
struct ChannelRow {
  enum class Of { body, contact, spring };
  enum class In { both, plane, space };
  Of of;
  std::string_view suffix;
  Channel::Kind kind;
  int component;
  Dimension dimension;
  std::string_view unit;  // of the column
  std::string_view meaning;
  In in = In::both;

  bool exists(bool planar) const { return in == In::both || (in == In::plane) == planar; }
};
std::span<const ChannelRow> channel_rows();

}  // namespace percuss::model
