// A shape saved to a file, and loaded without building the search trees of its meshes again.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "whisker-example.whisker";
  // Two gears on an axle. The gear is stored once.
  const wk::Mesh gear = wk::Mesh(wk::make::gear({.teeth = 24})).solid();
  const wk::Shape part =
      wk::Compound({{gear}, {gear, wk::Pose(wk::Vector3(0, 0, 20))}, {wk::Cylinder{.radius = 3, .length = 60}}});
  wk::save_shape(part, path);

  const wk::Shape again = wk::load_shape(path);
  std::printf("%zu parts, %zu bytes; the gear alone: %zu bytes\n", again.as<wk::Compound>()->parts().size(),
              static_cast<std::size_t>(std::filesystem::file_size(path)), wk::encode_shape(gear).size());
  const wk::Sphere ball{.radius = 5};
  const wk::Pose beside(wk::Vector3(50, 0, 10));
  std::printf("distance of a ball: %.17g, and %.17g after loading\n", wk::distance(part, {ball, beside}).value(),
              wk::distance(again, {ball, beside}).value());

  // A damaged file causes an Error, never a wrong result.
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(1000).put('x');
  try {
    wk::load_shape(path);
  } catch (const wk::Error& error) {
    std::printf("%s\n", error.what());
  }
  std::filesystem::remove(path);
}
