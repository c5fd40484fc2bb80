// The suite `mesh`: a mesh against itself, near contact and far apart, compared with FCL, ODE and Bullet, and the time
// to build trees.

#include "mesh.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/io.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>
#include <whisker/simd.hpp>

namespace whisker::bench {
namespace {

struct PlacedTriangle {
  Triangle triangle;
  Aabb box;
};

/// The placed triangles whose boxes overlap `region`, sorted by the lower end of their boxes in x.
std::vector<PlacedTriangle> placed_in(const MeshData& data, const Pose& pose, const Aabb& region) {
  std::vector<PlacedTriangle> result;
  for (std::uint32_t i = 0; i < data.triangles.size(); ++i) {
    const Triangle t = placed_triangle(data, i, pose);
    Aabb box;
    for (const Vector3& corner : {t.a, t.b, t.c})
      box.include(corner);
    if (box.overlaps(region)) result.push_back({t, box});
  }
  std::sort(result.begin(), result.end(),
            [](const PlacedTriangle& s, const PlacedTriangle& t) { return s.box.lower[0] < t.box.lower[0]; });
  return result;
}

Aabb placed_bounds(const MeshData& data, const Pose& pose) {
  Aabb box;
  for (const Vector3& v : data.vertices)
    box.include(place(pose, v));
  return box;
}

}  // namespace

Triangle placed_triangle(const MeshData& data, std::uint32_t id, const Pose& pose) {
  const Index3& corners = data.triangles[id];
  return {place(pose, data.vertices[corners[0]]), place(pose, data.vertices[corners[1]]),
          place(pose, data.vertices[corners[2]])};
}

bool sweep_touches(const MeshData& data, const PosePair& poses) {
  const Aabb box_a = placed_bounds(data, poses.a), box_b = placed_bounds(data, poses.b);
  if (!box_a.overlaps(box_b)) return false;
  const Aabb common{box_a.lower.cwiseMax(box_b.lower), box_a.upper.cwiseMin(box_b.upper)};
  const std::vector<PlacedTriangle> of_a = placed_in(data, poses.a, common), of_b = placed_in(data, poses.b, common);
  // Each pair whose boxes overlap in x is tested once: by the triangle that begins later.
  const auto later_begin_touches = [](const std::vector<PlacedTriangle>& first,
                                      const std::vector<PlacedTriangle>& second, bool ties) {
    std::size_t begin = 0;
    for (const PlacedTriangle& s : first) {
      while (begin < second.size() &&
             (ties ? second[begin].box.lower[0] < s.box.lower[0] : second[begin].box.lower[0] <= s.box.lower[0]))
        ++begin;
      for (std::size_t i = begin; i < second.size() && second[i].box.lower[0] <= s.box.upper[0]; ++i)
        if (s.box.overlaps(second[i].box) && touches_triangle_triangle(s.triangle, second[i].triangle)) return true;
    }
    return false;
  };
  return later_begin_touches(of_a, of_b, true) || later_begin_touches(of_b, of_a, false);
}

void note_cost(Suite& suite, const std::string& system, const Cost& cost, std::size_t queries) {
  char text[160];
  const double count = static_cast<double>(queries);
  std::snprintf(text, sizeof text, "a query of %s: %.1f volume tests, %.1f triangle tests", system.c_str(),
                static_cast<double>(cost.volume_tests) / count, static_cast<double>(cost.primitive_tests) / count);
  suite.note(text);
}

double case_seconds(const Suite& suite) {
  return suite.quick() ? 5 : 15;
}

namespace {

struct Source {
  std::string name;
  std::function<MeshData()> make;
  bool main_model = false;  ///< Uses the full number of poses.
};

/// The models: from files if available, then generated ones.
std::vector<Source> sources() {
  std::vector<Source> result;
  const char* folder = std::getenv("WHISKER_DATA");
  for (const auto& [name, file] : {std::pair{"bunny", "stanford-bunny.obj"}, std::pair{"dragon", "dragon.obj"}}) {
    if (folder == nullptr || *folder == 0) {
      std::printf("%s is skipped: set the environment variable WHISKER_DATA to a folder that has meshes/%s\n", name,
                  file);
      continue;
    }
    const std::filesystem::path path = std::filesystem::path(folder) / "meshes" / file;
    if (!std::filesystem::exists(path)) {
      std::printf("%s is skipped: there is no %s\n", name, path.c_str());
      continue;
    }
    result.push_back({name, [path] { return read_mesh(path); }, std::string(name) == "bunny"});
  }
  result.push_back({"torus", [] { return make::wrinkled_torus({.around = 400, .across = 100}); }});
  result.push_back({"gear", [] { return make::gear({.teeth = 120, .bore = 10, .flank_points = 24}); }});
  result.push_back({"pipes", [] { return make::pipes({.count = 8}); }});
  result.push_back({"terrain", [] { return make::terrain({.columns = 200, .rows = 200}); }});
  return result;
}

void bench_model(Suite& suite, const Source& source, double offset) {
  const std::vector<std::string> questions = {"touch", "contacts", "distance", "far", "ray", "build", "build-ray"};
  if (std::none_of(questions.begin(), questions.end(),
                   [&](const std::string& question) { return suite.wants(question + "/" + source.name); }))
    return;
  MeshData data = source.make();
  const Mesh mesh(data);
  const Shape shape(mesh);
  const std::size_t count = (source.main_model ? 1000u : 300u) / (suite.quick() ? 5u : 1u);
  const Model model{source.name,
                    data,
                    mesh,
                    shape,
                    FclMesh(data),
                    near_poses(shape, data, count, 1, offset),
                    far_poses(data, count, 2)};
  std::printf("\n%s: %zu triangles, %zu poses, diameter %.4g\n", model.name.c_str(), data.triangles.size(), count,
              diameter(data));
  bench_touch(suite, model);
  bench_contacts(suite, model);
  bench_distance(suite, model);
  bench_far(suite, model);
  bench_ray(suite, model);
  bench_build(suite, model);
  bench_build_ray(suite, model);
}

}  // namespace
}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite(
      "mesh", argc, argv,
      {{.name = "--scaling", .value_name = "", .help = "instead: the cost from a thousand to two million triangles"},
       {.name = "--target",
        .value_name = "NAME",
        .help = "force an instruction set: avx512, avx2, sse4; no results file"},
       {.name = "--offset",
        .value_name = "PERCENT",
        .help = "how far from first contact the poses are at most, in percent of the diameter (10); no results file"}});
  if (suite.usage_error()) return 2;
  if (const std::string target = suite.value("--target"); suite.given("--target")) {
    if (!whisker::use_simd_target(target)) {
      std::fprintf(stderr, "this processor has no %s; it has:", target.c_str());
      for (const std::string& name : whisker::simd_targets())
        std::fprintf(stderr, " %s", name.c_str());
      std::fprintf(stderr, "\n");
      return 2;
    }
    std::printf("instruction set: %s\n", target.c_str());
    suite.set_results("");
  }
  double offset = usual_offset;
  if (suite.given("--offset")) {
    offset = std::atof(suite.value("--offset").c_str()) / 100;
    if (!(offset > 0 && offset < 1)) {
      std::fprintf(stderr, "--offset needs a number of percent above 0 and below 100\n");
      return 2;
    }
    suite.set_results("");
  }
  if (suite.given("--scaling")) {
    bench_scaling(suite);
    return suite.finish();
  }
  std::printf("system, median time per call, time over whisker's, yes answers\n");
  for (const Source& source : sources())
    bench_model(suite, source, offset);
  bench_extent(suite);
  return suite.finish();
}
