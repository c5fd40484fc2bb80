// Files: writing a model, reading it back, and inspecting it.
#include <cstdio>
#include <filesystem>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "whisker-example.ply";
  wk::write_mesh(path, wk::make::gear({.teeth = 18, .module = 2}), {.format = {}, .binary = true});

  const wk::MeshData data = wk::read_mesh(path);
  const wk::MeshReport report = wk::inspect_mesh(data);
  std::printf("%zu triangles, %s, volume %.3f, %zu boundary edges\n", report.triangles,
              report.closed ? "closed" : "open", report.volume, report.boundary_edges);
  for (const std::string& finding : report.findings)
    std::printf("- %s\n", finding.c_str());

  wk::MeshData open = data;
  open.triangles.resize(open.triangles.size() - 30);
  const wk::MeshRepair repair = wk::repair_mesh(open);
  for (const std::string& line : repair.done)
    std::printf("repaired: %s\n", line.c_str());
  std::printf("closed again, with volume %.3f\n", wk::Mesh(repair.mesh).solid().volume());

  const wk::Shape gear = wk::load_mesh(path).solid();
  std::printf("the center of the gear is inside it: %s\n", wk::touches(gear, wk::Sphere{0}) ? "yes" : "no");
  std::filesystem::remove(path);

  try {
    wk::read_mesh("no-such-file.stl");
  } catch (const wk::Error& error) {
    std::printf("%s\n", error.what());
  }
}
