// A document given its meaning.
#pragma once

#include <string>

#include "percuss/scene/node.h"
#include "percuss/scene/scene.h"

namespace percuss::scene {

/// What the schema makes of a document. What is wrong goes into Scene::errors. Files that it names are not opened.
Scene interpret(const Node& root, const std::string& source);

}  // namespace percuss::scene
