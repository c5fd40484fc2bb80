// A mesh saved with its search tree, and loaded without rebuilding the tree.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "whisker-example.whisker";
  wk::save_mesh(wk::Mesh(wk::make::gear({.teeth = 24})).solid(), path);

  const wk::Mesh gear = wk::load_saved_mesh(path);
  std::printf("%zu triangles, %s, %zu bytes\n", gear.triangle_count(), gear.is_solid() ? "a solid" : "a surface",
              static_cast<std::size_t>(std::filesystem::file_size(path)));

  // A damaged file causes an Error, never a wrong result.
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(1000).put('x');
  try {
    wk::load_saved_mesh(path);
  } catch (const wk::Error& error) {
    std::printf("%s\n", error.what());
  }
  std::filesystem::remove(path);
}
