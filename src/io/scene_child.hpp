#pragma once

// Reads a scene through the child process whisker-scene-reader.

#include <filesystem>

#include <whisker/scene.hpp>

#include "io/scene_stream.hpp"

namespace whisker::io {

/// The program to run, as described at SceneOptions::reader. Throws an Error if there is none.
std::filesystem::path find_scene_reader(const SceneOptions& options);

/// Runs the program on the file, whatever its format, within the limits, and decodes its output. Throws an Error if
/// that fails.
SceneStream read_in_child(const std::filesystem::path& path, const SceneOptions& options);

/// load_scene for a file of any format, always through the child process.
Scene load_scene_in_child(const std::filesystem::path& path, const SceneOptions& options);

}  // namespace whisker::io
