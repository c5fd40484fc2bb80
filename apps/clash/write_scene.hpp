#pragma once

// An assembly as files: what read_assembly reads.

#include <filesystem>

#include "clash/assembly.hpp"

namespace whisker::clash {

/// Writes FOLDER/scene.json and, beside it, every mesh as a PLY file named after the first part that has it. Read back,
/// vertices, poses and rules are the same doubles. Makes the folder; replaces files of these names. Returns the path of
/// the scene.json. Throws an Error that names the file.
std::filesystem::path write_scene(const Assembly& assembly, const std::filesystem::path& folder);

}  // namespace whisker::clash
