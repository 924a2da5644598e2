// A robot in URDF as a scene that a person can read and go on with.
#pragma once

#include <filesystem>

#include "percuss/io/urdf.h"

namespace percuss::io {

/// What holds the root: the ground, nothing, or what its mass says: a root without mass, or called "world", is
/// fixed.
enum class UrdfBase { by_mass, fixed, free };

struct UrdfScene {
  std::string text;                  // of the scene file
  std::vector<UrdfRemark> left_out;  // what could not be carried over, by lines of the URDF
  int bodies = 0, joints = 0;
};

/// Links joined by fixed joints become one body. Collision shapes are taken, visual ones where a link has no
/// others. Meshes are looked for beside `urdf_folder` (package:// in it and in the folders above) and named
/// relative to `scene_folder`. The robot stands at the zeros of its joints, or in the middle of limits that exclude
/// them.
Result<UrdfScene> scene_of(const Urdf& robot, UrdfBase base, const std::filesystem::path& urdf_folder,
                           const std::filesystem::path& scene_folder);

}  // namespace percuss::io
