#pragma once

// A picture of the levels of a sphere tree.

#include <filesystem>
#include <string>
#include <vector>

#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree.hpp>

namespace whisker::apps {

/// What stands beside a level.
struct LevelRow {
  int level = 0;
  LevelReport fit;
};

struct SpherePicture {
  std::string title;
  std::string note;  ///< A line below it.
  const SphereTree& tree;
  const Mesh& mesh;
  std::vector<LevelRow> rows;
};

/// Writes .svg, a drawing of all levels side by side, or .html, a page on which they are turned and leafed through, in
/// one file that needs no other. By the extension; any other is an Error.
void write_sphere_picture(const std::filesystem::path& path, const SpherePicture& picture);
/// Throws the Error that write_sphere_picture would throw for the extension.
void check_picture_path(const std::filesystem::path& path);

}  // namespace whisker::apps
