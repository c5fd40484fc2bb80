// The suite `clash`: time and memory of checking a whole assembly.

#include "clash.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <malloc.h>
#include <numbers>
#include <random>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tbb/global_control.h>
#include <thread>
#include <unistd.h>

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include <whisker/io.hpp>
#include <whisker/make/make.hpp>

#include "clash/check.hpp"
#include "clash/part_mesh.hpp"
#include "clash/read_assembly.hpp"
#include "harness.hpp"

namespace whisker::bench {
namespace {

// A tube around the z axis.
MeshData ring(double inner, double outer, double length, int slices) {
  MeshData mesh;
  const auto n = static_cast<std::uint32_t>(slices);
  for (std::uint32_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    for (const double z : {-length / 2, length / 2})
      for (const double radius : {inner, outer})
        mesh.vertices.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
  }
  const auto quad = [&](std::array<std::uint32_t, 4> q) {
    mesh.triangles.push_back({q[0], q[1], q[2]});
    mesh.triangles.push_back({q[0], q[2], q[3]});
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t at = 4 * i,
                        next = 4 * ((i + 1) % n);  // order: inner below, outer below, inner above, outer above
    quad({at + 1, next + 1, next + 3, at + 3});
    quad({at, at + 2, next + 2, next});
    quad({at + 2, at + 3, next + 3, next + 2});
    quad({at, next, next + 1, at + 1});
  }
  return mesh;
}

// Drives of eleven parts each, on a grid, each drive rotated as a whole: a plate, two bearings and two shafts on it,
// two meshing gears, and four bolts. Every eighth drive has a defect: a bolt is sunk into the plate, the gears are too
// close together, or a shaft almost touches its bearing.
ClashScene drives(const std::string& name, std::size_t parts, int fineness) {
  const int n = fineness;
  const make::Gear gear{.teeth = n < 20 ? 17 : 24, .width = 4, .bore = 3.1, .flank_points = std::max(2, n / 8)};
  const double apart = make::meshing_distance(gear.teeth, gear.teeth, gear.module);
  ClashScene scene;
  scene.name = name;
  scene.meshes = {make::box({.size_x = 90, .size_y = 40, .size_z = 2, .subdivisions = std::max(1, n / 12)}),
                  ring(3.1, 6, 5, n), make::cylinder({.radius = 3, .length = 16, .slices = n, .stacks = 3}),
                  make::gear(gear), make::cylinder({.radius = 2, .length = 3, .slices = n, .stacks = 2})};
  const double mesh_angle = make::meshing_angle(gear.teeth, gear.teeth);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(parts) / 11)));
  for (std::size_t drive = 0; scene.mesh_of.size() < parts; ++drive) {
    Pose base(Eigen::AngleAxisd(3 * any(random), Vector3(any(random), any(random), any(random)).normalized())
                  .toRotationMatrix(),
              120 * Vector3(static_cast<double>(drive % columns), static_cast<double>(drive / columns), 0));
    const std::size_t fault = drive % 8 == 0 ? drive / 8 % 3 + 1 : 0;
    const auto add = [&](std::uint32_t mesh, const Vector3& at, double turn = 0) {
      if (scene.mesh_of.size() == parts) return;
      scene.mesh_of.push_back(mesh);
      scene.poses.push_back(compose(base, Pose(Eigen::AngleAxisd(turn, Vector3::UnitZ()).toRotationMatrix(), at)));
      scene.triangles += scene.meshes[mesh].triangles.size();
    };
    scene.clashes += fault == 1 || fault == 2 ? 1 : 0;
    const double half = apart / 2 - (fault == 2 ? 0.2 : 0);
    add(0, {0, 0, -1});
    for (const double side : {-1.0, 1.0}) {
      add(1, {side * half, 0, 2.5});
      add(2, {side * half + (fault == 3 && side > 0 ? 0.07 : 0), 0, 8});
      add(3, {side * half, 0, 8.5}, side > 0 ? mesh_angle : 0);
    }
    for (const double x : {-40.0, 40.0})
      for (const double y : {-16.0, 16.0})
        add(4, {x, y, fault == 1 && x > 0 && y > 0 ? 1.2 : 1.5});
  }
  return scene;
}

// The same with a separate mesh for every part, no two of them equal: each has a vertex of its own that no triangle
// uses.
ClashScene all_different(ClashScene scene) {
  std::vector<MeshData> meshes;
  for (std::size_t i = 0; i < scene.mesh_of.size(); ++i) {
    meshes.push_back(scene.meshes[scene.mesh_of[i]]);
    meshes.back().vertices.push_back({1e-9 * static_cast<double>(i), 0, 0});
    scene.mesh_of[i] = static_cast<std::uint32_t>(i);
  }
  scene.meshes = std::move(meshes);
  return scene;
}

// Drives, each in a housing of its own, and every mesh with one triangle missing. Parts in a housing are likely
// contained in it. `clashes` counts these pairs.
ClashScene open_drives(const std::string& name, std::size_t parts, int fineness) {
  constexpr std::size_t in_drive = 11;
  const std::size_t drives_in_it = parts / (in_drive + 1);
  ClashScene scene = drives(name, drives_in_it * in_drive, fineness);
  const auto housing = static_cast<std::uint32_t>(scene.meshes.size());
  scene.meshes.push_back(
      make::box({.size_x = 98, .size_y = 52, .size_z = 28, .subdivisions = std::max(1, fineness / 8)}));
  for (std::size_t drive = 0; drive < drives_in_it; ++drive) {
    const Pose plate = scene.poses[drive * in_drive];
    scene.mesh_of.push_back(housing);
    scene.poses.push_back(compose(plate, Pose(Vector3(0, 0, 9))));
  }
  scene.triangles = 0;
  for (MeshData& mesh : scene.meshes)
    mesh.triangles.pop_back();
  for (const std::uint32_t mesh : scene.mesh_of)
    scene.triangles += scene.meshes[mesh].triangles.size();
  scene.clashes = drives_in_it * in_drive;
  return scene;
}

clash::Assembly to_assembly(const ClashScene& scene) {
  clash::Assembly assembly;
  clash::MeshStore store;
  std::vector<std::uint32_t> numbers;
  for (const MeshData& mesh : scene.meshes)
    numbers.push_back(store.add(mesh, ""));
  assembly.meshes = store.build(assembly.notes);
  for (std::size_t i = 0; i < scene.mesh_of.size(); ++i)
    assembly.parts.push_back({"part " + std::to_string(i), "", numbers[scene.mesh_of[i]], scene.poses[i], {}});
  assembly.rules.clearance = scene.clearance;
  return assembly;
}

ClashAnswer whisker_clash(const ClashScene& scene, std::size_t threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  ClashAnswer answer;
  const std::size_t before = bytes_in_use();
  double begin = wall_seconds();
  const clash::Assembly assembly = to_assembly(scene);
  answer.build_seconds = wall_seconds() - begin;
  answer.build_bytes = bytes_in_use() - before;
  begin = wall_seconds();
  const clash::Findings found = clash::check(assembly);
  answer.check_seconds = wall_seconds() - begin;
  answer.pairs = found.pairs_checked;
  for (const clash::Finding& finding : found.all) {
    (finding.kind == clash::FindingKind::too_close ? answer.too_close : answer.touching)
        .push_back({finding.a, finding.b});
    if (finding.kind == clash::FindingKind::clash) answer.clashes.push_back({finding.a, finding.b});
    answer.contacts += finding.triangles;
  }
  for (auto* list : {&answer.touching, &answer.too_close, &answer.clashes})
    std::sort(list->begin(), list->end());
  return answer;
}

// Reads the scene from a scene.json and mesh files. Returns the seconds that this takes in addition to building the
// trees.
double load_seconds(const ClashScene& scene) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("whisker_bench_clash_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  nlohmann::json parts = nlohmann::json::array();
  for (std::size_t i = 0; i < scene.meshes.size(); ++i)
    write_mesh(folder / (std::to_string(i) + ".ply"), scene.meshes[i], {.format = {}, .binary = true});
  for (std::size_t i = 0; i < scene.mesh_of.size(); ++i) {
    const Pose& pose = scene.poses[i];
    nlohmann::json rows = nlohmann::json::array();
    for (int r = 0; r < 3; ++r)
      rows.push_back({pose.rotation()(r, 0), pose.rotation()(r, 1), pose.rotation()(r, 2), pose.translation()[r]});
    rows.push_back({0, 0, 0, 1});
    parts.push_back({{"name", "part " + std::to_string(i)},
                     {"file", std::to_string(scene.mesh_of[i]) + ".ply"},
                     {"pose", std::move(rows)}});
  }
  std::ofstream(folder / "scene.json") << nlohmann::json{{"parts", std::move(parts)}}.dump();
  double trees = 0;
  const double begin = wall_seconds();
  const clash::Assembly assembly =
      clash::read_assembly(std::vector<fs::path>{folder / "scene.json"}, {.build_seconds = &trees});
  const double all = wall_seconds() - begin;
  fs::remove_all(folder);
  return all - trees;
}

// Runs a system in a process of its own, so that its memory is measured separately, and nothing it leaves behind
// affects the next system.
ClashAnswer in_child(const std::function<ClashAnswer()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const std::size_t before = bytes_in_use();
    const double begin = process_seconds();
    ClashAnswer answer = work();
    answer.processor_seconds = process_seconds() - begin;
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const std::size_t peak = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
    answer.peak_bytes = peak > before ? peak - before : 0;
    std::FILE* out = ::fdopen(ends[1], "wb");
    const auto put = [&](const auto& value) { std::fwrite(&value, sizeof value, 1, out); };
    put(answer.contacts);
    put(answer.pairs);
    put(answer.build_seconds);
    put(answer.check_seconds);
    put(answer.processor_seconds);
    put(answer.build_bytes);
    put(answer.peak_bytes);
    put(answer.ended);
    for (const auto* list : {&answer.touching, &answer.too_close, &answer.clashes}) {
      put(list->size());
      std::fwrite(list->data(), sizeof(ClashPair), list->size(), out);
    }
    std::fclose(out);
    ::_exit(0);
  }
  ::close(ends[1]);
  ClashAnswer answer;
  std::FILE* in = ::fdopen(ends[0], "rb");
  bool is_whole = true;
  const auto get = [&](auto& value) { is_whole = std::fread(&value, sizeof value, 1, in) == 1 && is_whole; };
  get(answer.contacts);
  get(answer.pairs);
  get(answer.build_seconds);
  get(answer.check_seconds);
  get(answer.processor_seconds);
  get(answer.build_bytes);
  get(answer.peak_bytes);
  get(answer.ended);
  for (auto* list : {&answer.touching, &answer.too_close, &answer.clashes}) {
    std::size_t size = 0;
    get(size);
    if (!is_whole) break;
    list->resize(size);
    is_whole = std::fread(list->data(), sizeof(ClashPair), size, in) == size && is_whole;
  }
  std::fclose(in);
  int status = 0;
  ::waitpid(child, &status, 0);
  answer.failed = !is_whole || status != 0;
  return answer;
}

std::size_t missing_from(const std::vector<ClashPair>& some, const std::vector<ClashPair>& all) {
  std::vector<ClashPair> missing;
  std::set_difference(some.begin(), some.end(), all.begin(), all.end(), std::back_inserter(missing));
  return missing.size();
}

void bench_scene(Suite& suite, const ClashScene& scene, double max_seconds) {
  if (!suite.wants(scene.name)) return;
  double mesh_triangles = 0, mesh_bytes = 0;
  for (const MeshData& mesh : scene.meshes) {
    mesh_triangles += static_cast<double>(mesh.triangles.size());
    mesh_bytes += static_cast<double>(mesh.triangles.size() * sizeof(Index3) + mesh.vertices.size() * sizeof(Vector3));
  }
  std::printf("\n%s: %zu parts, %.2f million triangles, %zu meshes of %.0f triangles\n", scene.name.c_str(),
              scene.mesh_of.size(), 1e-6 * static_cast<double>(scene.triangles), scene.meshes.size(), mesh_triangles);
  ClashAnswer own;
  const auto report = [&](const std::string& system, const ClashAnswer& answer) {
    const double all = answer.build_seconds + answer.check_seconds;
    const double own_all = own.build_seconds + own.check_seconds;
    if (answer.failed) {
      suite.note(system + ": ended without a result");
      return;
    }
    std::printf("  %-17s build %7.3f s  check %7.3f s  %6.1f x%s  processor %7.3f s  %6.1f x  peak %7.1f MB\n",
                system.c_str(), answer.build_seconds, answer.check_seconds, all / own_all,
                answer.ended ? "" : " and more (aborted)", answer.processor_seconds,
                answer.processor_seconds / own.processor_seconds, 1e-6 * static_cast<double>(answer.peak_bytes));
    std::printf("  %-17s %zu of %zu pairs touch, %zu are too close, %zu contacts\n", "", answer.touching.size(),
                answer.pairs, answer.too_close.size(), answer.contacts);
    std::fflush(stdout);
    const std::string mark = answer.ended ? "" : " (given up)";
    suite.record(scene.name + "/build", system + mark, "s", answer.build_seconds);
    suite.record(scene.name + "/check", system + mark, "s", answer.check_seconds, answer.touching.size());
    suite.record(scene.name + "/processor", system + mark, "s", answer.processor_seconds);
    suite.record(scene.name + "/peak", system + mark, "MB", 1e-6 * static_cast<double>(answer.peak_bytes));
  };
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const ClashAnswer loading = in_child([&] {
    ClashAnswer answer;
    answer.build_seconds = load_seconds(scene);
    return answer;
  });
  std::printf("  %-18s %14.3f s  from scene.json and binary PLY\n", "whisker, loading", loading.build_seconds);
  suite.record(scene.name + "/load", "whisker", "s", loading.build_seconds);
  own = in_child([&] { return whisker_clash(scene, cores); });
  report("whisker", own);
  if (own.failed) {
    suite.fail("whisker ended without a result");
    return;
  }
  const ClashAnswer one = in_child([&] { return whisker_clash(scene, 1); });
  report("whisker/1-thread", one);
  if (one.touching != own.touching || one.too_close != own.too_close)
    suite.fail("the result depends on the number of threads");
  if (scene.meshes.size() == scene.mesh_of.size()) {
    // The memory after building includes a copy of the data for output. The check may add scaled-down meshes.
    const auto per_triangle = [&](std::size_t bytes) {
      return (static_cast<double>(bytes) - mesh_bytes) / mesh_triangles;
    };
    std::printf("  bytes a triangle beyond the mesh: %.0f once built, %.0f at most\n", per_triangle(own.build_bytes),
                per_triangle(own.peak_bytes));
    suite.record(scene.name + "/bytes-a-triangle", "whisker", "B", per_triangle(own.peak_bytes));
  }
  if (own.clashes.size() != scene.clashes)
    suite.fail("clashes planted: " + std::to_string(scene.clashes) + ", found: " + std::to_string(own.clashes.size()));
  const auto compare = [&](const std::string& system, const ClashAnswer& answer, bool distances) {
    report(system, answer);
    if (answer.failed || !answer.ended) return;
    // Both systems must find overlaps that are more than contacts. Flush faces depend on each system's rounding.
    if (const std::size_t missed = missing_from(answer.touching, own.touching); missed > 0)
      suite.note(system + " has " + std::to_string(missed) + " touching pairs that whisker proves apart");
    if (const std::size_t missed = missing_from(own.clashes, answer.touching); missed > 0)
      suite.note(system + " misses " + std::to_string(missed) + " of " + std::to_string(own.clashes.size()) +
                 " clashes");
    suite.note(system + " takes " + std::to_string(missing_from(own.touching, answer.touching)) +
               " pairs that touch for apart");
    if (distances) {
      std::vector<ClashPair> near = own.too_close;
      near.insert(near.end(), own.touching.begin(), own.touching.end());
      std::sort(near.begin(), near.end());
      if (missing_from(own.too_close, answer.too_close) > 0 || missing_from(answer.too_close, near) > 0)
        suite.fail(system + " and whisker differ in the pairs that are too close");
    }
  };
  if (suite.given("--alone")) return;
  compare("FCL", in_child([&] { return fcl_clash(scene, max_seconds); }), true);
  if (has_bullet()) compare("Bullet", in_child([&] { return bullet_clash(scene, max_seconds); }), false);
}

// The time that the winding numbers of parts that are not closed add to a check.
void bench_open(Suite& suite, const ClashScene& scene) {
  if (!suite.wants(scene.name)) return;
  std::printf("\n%s: %zu parts, none of them closed, %.2f million triangles, %zu meshes\n", scene.name.c_str(),
              scene.mesh_of.size(), 1e-6 * static_cast<double>(scene.triangles), scene.meshes.size());
  struct Mode {
    const char* system;
    clash::Solid solid;
    std::vector<double> seconds;
  };
  std::array<Mode, 2> modes{
      {{"whisker", clash::Solid::likely, {}}, {"whisker/solid-proven", clash::Solid::proven, {}}}};
  std::size_t likely = 0, undecided = 0;
  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round) {
    for (Mode& mode : modes) {
      // Start from scratch: the first query of a mesh caches data that later ones use.
      clash::Assembly assembly = to_assembly(scene);
      assembly.rules.solid = mode.solid;
      const double begin = process_seconds();
      const clash::Findings found = clash::check(assembly);
      mode.seconds.push_back(process_seconds() - begin);
      if (mode.solid != clash::Solid::likely) continue;
      likely = static_cast<std::size_t>(std::count_if(found.all.begin(), found.all.end(), [](const auto& finding) {
        return finding.ground == clash::Ground::winding && finding.kind == clash::FindingKind::contained;
      }));
      undecided = found.undecided.size();
    }
  }
  for (Mode& mode : modes) {
    std::sort(mode.seconds.begin(), mode.seconds.end());
    const double median = mode.seconds[rounds / 2];
    std::printf("  %-21s check %7.3f s of processor time\n", mode.system, median);
    suite.record(scene.name + "/processor", mode.system, "s", median, mode.solid == clash::Solid::likely ? likely : 0);
  }
  std::printf("  winding numbers add %.1f %%; %zu pairs likely contained, %zu undecided\n",
              100 * (modes[0].seconds[rounds / 2] / modes[1].seconds[rounds / 2] - 1), likely, undecided);
  if (likely != scene.clashes)
    suite.fail("likely contained: " + std::to_string(scene.clashes) + " planted, " + std::to_string(likely) + " found");
}

}  // namespace

std::size_t bytes_in_use() {
  ::malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("clash", argc, argv, {{"--alone", "", "whisker alone; the results file is then not written"}});
  if (suite.given("--alone")) suite.set_results("");
  if (suite.usage_error()) return 2;
  std::printf(
      "system, seconds on the wall to build trees and to check, their sum over whisker's, memory beyond the scene\n");
  const double patience = suite.quick() ? 25 : 120;  // seconds of processor time
  bench_scene(suite, drives("clash/1k", 1'000, 48), patience);
  bench_scene(suite, drives("clash/10k", 10'000, 48), patience);
  bench_scene(suite, drives("clash/100k", 100'000, 12), patience);
  bench_open(suite, open_drives("clash/10k-open", 10'000, 48));
  bench_open(suite, all_different(open_drives("clash/10k-open-different", 10'000, 48)));
  if (!suite.quick()) bench_scene(suite, all_different(drives("clash/10k-different", 10'000, 48)), patience);
  return suite.finish();
}
