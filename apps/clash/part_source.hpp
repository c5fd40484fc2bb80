#pragma once

// Reading the parts of one scene file, for what puts assemblies together.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <whisker/scene.hpp>

namespace whisker::clash {

/// Whether whisker reads such files as scenes, judged by the extension.
bool is_scene_file(const std::filesystem::path& path);

/// Whether files of this kind hold coordinates as floats, or are read so.
bool holds_floats(const std::filesystem::path& path);

/// whisker::load_scene, and beforehand what would otherwise show as a crash of the reader: a glTF whose nodes go round
/// in a circle or have scale zero. A part without any area is an Error too, which says that its scale may be zero.
Scene load_parts(const std::filesystem::path& path);

}  // namespace whisker::clash
