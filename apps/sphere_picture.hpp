#pragma once

// Draws the levels of a sphere tree.

#include <filesystem>
#include <string>
#include <vector>

#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree.hpp>

namespace whisker::apps {

/// The figures shown with a level.
struct LevelRow {
  int level = 0;
  LevelReport fit;
};

struct SpherePicture {
  std::string title;
  std::string note;  ///< A line below the title.
  const SphereTree& tree;
  const Mesh& mesh;
  std::vector<LevelRow> rows;
};

/// Writes .svg, a drawing of all levels side by side, or .html, a self-contained page on which the levels can be
/// rotated and browsed. The extension decides; any other extension is an Error.
void write_sphere_picture(const std::filesystem::path& path, const SpherePicture& picture);
/// Throws the Error that write_sphere_picture would throw for the extension.
void check_picture_path(const std::filesystem::path& path);

}  // namespace whisker::apps
