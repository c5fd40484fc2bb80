#pragma once

// 3MF: objects of meshes and components in a zip archive (3MF Core Specification 1.3, and the Production Extension's
// paths to models beside the first). Read here and not by assimp, which drops the unit, the names and other models.

#include <string_view>

#include "reader/placed_part.hpp"

namespace whisker::reader {

// A part for each object with a mesh wherever the build places it, itself or as a component. Throws an Error.
ReadScene read_3mf(std::string_view file);

}  // namespace whisker::reader
