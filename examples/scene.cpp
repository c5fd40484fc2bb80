// Scenes: the named parts of a file, and which of them touch. (Target whisker::io.)
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <whisker/scene.hpp>
#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  // An OBJ with three triangles in three groups. glTF, COLLADA and other formats are read the same way.
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "whisker-example-scene.obj";
  std::ofstream(path) << "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0.5 0.5 -1\nv 0.5 0.5 1\nv 1 1 1\nv 5 5 5\nv 6 5 5\nv 5 6 5\n"
                         "g floor\nf 1 2 3\ng blade\nf 4 5 6\ng bird\nf 7 8 9\n";
  const wk::Scene scene = wk::load_scene(path);
  for (std::size_t i = 0; i < scene.parts.size(); ++i) {
    for (std::size_t j = i + 1; j < scene.parts.size(); ++j) {
      const wk::ScenePart& a = scene.parts[i];
      const wk::ScenePart& b = scene.parts[j];
      const wk::Distance gap = wk::distance({wk::Mesh(a.mesh), a.pose}, {wk::Mesh(b.mesh), b.pose});
      std::printf("%-6s %-6s %s\n", a.name.c_str(), b.name.c_str(),
                  gap.upper == 0 ? "touch" : ("are " + std::to_string(gap.value()) + " apart").c_str());
    }
  }
  std::filesystem::remove(path);
}
