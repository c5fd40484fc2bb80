#pragma once

// Reads the parts of one scene file, for building assemblies.

#include <filesystem>

#include <whisker/scene.hpp>

namespace whisker::clash {

/// Whether whisker reads such files as scenes, judged by the extension.
bool is_scene_file(const std::filesystem::path& path);

/// Whether files of this kind hold coordinates as floats, or are read as floats.
bool holds_floats(const std::filesystem::path& path);

/// whisker::load_scene, preceded by checks for errors that would otherwise appear as a crash of the reader: a glTF
/// whose nodes form a cycle or have a scale of zero. A part without any area is also an Error, which says that its
/// scale may be zero.
Scene load_parts(const std::filesystem::path& path);

}  // namespace whisker::clash
