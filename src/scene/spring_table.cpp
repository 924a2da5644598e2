// One row for each kind of spring.
#include "percuss/scene/spring_table.h"

#include <algorithm>

namespace percuss::scene {

namespace {

using Acts = SpringRow::Acts;
constexpr SpringRow kSpringRows[] = {
    {.key = "linear",
     .acts = Acts::on_line,
     .foreign = "joint coordinate turning_stiffness turning_damping",
     .has_no = "a linear spring has no "},
    {.key = "coordinate",
     .acts = Acts::on_coordinate,
     .foreign = "between anchors at turning_stiffness turning_damping",
     .has_no = "a spring on a joint's coordinate has no "},
    {.key = "rope",
     .acts = Acts::on_line,
     .foreign = "joint coordinate turning_stiffness turning_damping acts force",
     .has_no = "a rope has no ",
     .only_pulls = true},
    {.key = "bushing",
     .acts = Acts::between_frames,
     .foreign = "joint coordinate rest acts force",
     .has_no = "a bushing acts between two bodies and rests where its frames meet; it has no "},
};

}  // namespace

std::span<const SpringRow> spring_rows() { return kSpringRows; }

const SpringRow* find_spring(std::string_view key) {
  const SpringRow* row = std::ranges::find(kSpringRows, key, &SpringRow::key);
  return row == std::end(kSpringRows) ? nullptr : row;
}

const SpringRow& default_spring(bool names_a_joint) {
  return *std::ranges::find(kSpringRows, names_a_joint ? Acts::on_coordinate : Acts::on_line, &SpringRow::acts);
}

}  // namespace percuss::scene
