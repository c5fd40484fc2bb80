#pragma once

// Reads 3MF: objects of meshes and components in a zip archive (3MF Core Specification 1.3, and the Production
// Extension's paths to models besides the first). It is not read by assimp, which drops the unit, the names and other
// models.

#include <string_view>

#include "reader/placed_part.hpp"

namespace whisker::reader {

// Returns a part for each place where the build puts an object with a mesh, directly or as a component. Throws an Error
// if the file cannot be read.
ReadScene read_3mf(std::string_view file);

}  // namespace whisker::reader
