#pragma once

// Writes an assembly to files that read_assembly can read.

#include <filesystem>

#include "clash/assembly.hpp"

namespace whisker::clash {

/// Writes FOLDER/scene.json and, beside it, every mesh as a PLY file named after the first part that uses it. When read
/// back, vertices, poses and rules are the same doubles. Creates the folder and replaces files of these names. Returns
/// the path of the scene.json. Throws an Error that names the file.
std::filesystem::path write_scene(const Assembly& assembly, const std::filesystem::path& folder);

}  // namespace whisker::clash
