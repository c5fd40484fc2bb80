// whisker demo: two meshing gears, the answers about them, and their files.

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include <Eigen/Geometry>
#include <fmt/core.h>

#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/make.hpp>
#include <whisker/queries.hpp>

#include "commands.hpp"

namespace whisker::apps {
namespace {

constexpr int driver_teeth = 24;
constexpr int driven_teeth = 18;
constexpr double gear_module = 2;  // mm of pitch diameter per tooth

make::Gear gear_options(int teeth) {
  make::Gear options;
  options.teeth = teeth;
  options.module = gear_module;
  options.backlash = 0.1;
  return options;
}

MeshData placed(const MeshData& mesh, const Pose& pose) {
  MeshData result = mesh;
  for (Vector3& vertex : result.vertices)
    vertex = place(pose, vertex);
  return result;
}

template <class Ask>
auto timed(double& milliseconds, Ask&& ask) {
  const auto start = std::chrono::steady_clock::now();
  auto answer = ask();
  milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return answer;
}

void print_answers(const Shape& driver, const Shape& driven, const Pose& pose) {
  double ms = 0;
  const bool touch = timed(ms, [&] { return touches(driver, {driven, pose}); });
  fmt::print("  do they touch?            {:<44} {:8.2f} ms\n", touch ? "yes" : "no", ms);
  const Distance gap = timed(ms, [&] { return distance(driver, {driven, pose}); });
  fmt::print("  how far apart are they?   {:<44} {:8.2f} ms\n",
             fmt::format("{:.6f} mm, within {:.1e}", gap.value(), gap.upper - gap.lower), ms);
  const Depth overlap = timed(ms, [&] { return depth(driver, {driven, pose}); });
  const std::string bounds = overlap.stop == Stop::exact
                                 ? fmt::format("{:.6f} mm", overlap.value())
                                 : fmt::format("between {:.6f} and {:.6f} mm", overlap.lower, overlap.upper);
  fmt::print("  how deep do they overlap? {:<44} {:8.2f} ms\n", bounds, ms);
  // From the driver's axis, just above the line of centres, towards the driven gear.
  const Ray ray{{0, 0, 0}, {1, 0, 0}};
  const auto hit = timed(ms, [&] { return cast_ray(ray, {driven, pose}); });
  fmt::print("  what does a ray along x from the driver's axis hit on the driven gear?\n");
  fmt::print("                            {:<44} {:8.2f} ms\n",
             hit ? fmt::format("triangle {} at {:.6f} mm", hit->face ? hit->face->triangle : 0, hit->t) : "nothing",
             ms);
}

void run_demo(const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(folder.string() + ": cannot make the folder: " + failure.message());

  const MeshData driver_mesh = make::gear(gear_options(driver_teeth));
  const MeshData driven_mesh = make::gear(gear_options(driven_teeth));
  const Shape driver = Mesh(driver_mesh).solid();
  const Shape driven = Mesh(driven_mesh).solid();
  const double apart = make::meshing_distance(driver_teeth, driven_teeth, gear_module);
  const Matrix3 turn =
      Eigen::AngleAxisd(make::meshing_angle(driver_teeth, driven_teeth), Vector3::UnitZ()).toRotationMatrix();
  const Pose in_mesh(turn, {apart, 0, 0});
  const Pose too_close(turn, {apart - gear_module, 0, 0});

  fmt::print("Two gears of {} and {} teeth, module {} mm: {} and {} triangles.\n\n", driver_teeth, driven_teeth,
             gear_module, driver_mesh.triangles.size(), driven_mesh.triangles.size());
  fmt::print("Axes {} mm apart, as they should be:\n", apart);
  print_answers(driver, driven, in_mesh);
  fmt::print("\nAxes {} mm apart, too close:\n", apart - gear_module);
  print_answers(driver, driven, too_close);

  write_mesh(folder / "driver.stl", driver_mesh);
  write_mesh(folder / "driven.stl", placed(driven_mesh, in_mesh));
  write_mesh(folder / "driven-too-close.stl", placed(driven_mesh, too_close));
  fmt::print("\nThe meshes are in {}: driver.stl, driven.stl, driven-too-close.stl. Ask about them yourself:\n",
             folder.string());
  fmt::print("  ./run distance {0}/driver.stl {0}/driven.stl\n  ./run inspect {0}/driver.stl\n  ./run --help\n",
             folder.string());
}

}  // namespace

void add_demo_command(CLI::App& app) {
  auto folder = std::make_shared<std::string>("whisker-demo");
  CLI::App* command = app.add_subcommand("demo", "Two meshing gears: makes them, asks about them, writes them.");
  command->add_option("-o,--output", *folder, "the folder to write the meshes to [whisker-demo]");
  command->callback([folder] { run_demo(*folder); });
}

}  // namespace whisker::apps
