// --scaling: the cost of queries and builds as the number of triangles grows, on wrinkled tori of one shape.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <whisker/make/make.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/queries.hpp>

#include "log_plot.hpp"
#include "mesh.hpp"

namespace whisker::bench {
namespace {

/// FCL is included up to this size: its two trees need 800 bytes per triangle.
constexpr std::size_t max_for_fcl = 300'000;

const std::vector<std::string> questions = {"touch", "contacts", "distance", "ray", "build"};

/// A torus of at least this many triangles, and not many more.
MeshData torus_of(std::size_t triangles) {
  const int across = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(triangles) / 8)));
  return make::wrinkled_torus({.around = 4 * across, .across = across});
}

/// Rays from all around, aimed at points of the ball around the mesh: some hit, some miss or pass through the hole.
std::vector<Ray> rays_at(const MeshData& data, std::size_t count) {
  std::mt19937_64 random(3);
  const double size = diameter(data);
  const Vector3 center = middle(data);
  std::vector<Ray> rays;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3 from = center + size * random_direction(random);
    const Vector3 at = center + size / 2 * std::cbrt(uniform(random, 0, 1)) * random_direction(random);
    rays.push_back(ray_between(from, at));
  }
  return rays;
}

/// The slope of the least-squares line through the logarithms.
double fitted_exponent(std::span<const std::pair<double, double>> points) {
  double x_mean = 0, y_mean = 0;
  for (const auto& [x, y] : points) {
    x_mean += std::log(x) / static_cast<double>(points.size());
    y_mean += std::log(y) / static_cast<double>(points.size());
  }
  double above = 0, below = 0;
  for (const auto& [x, y] : points) {
    above += (std::log(x) - x_mean) * (std::log(y) - y_mean);
    below += (std::log(x) - x_mean) * (std::log(x) - x_mean);
  }
  return below > 0 ? above / below : 0;
}

/// All queries for one size. The case names end with the number of triangles.
void measure_size(Suite& suite, const MeshData& data, std::size_t pose_count) {
  const Mesh mesh(data);
  const Shape shape(mesh);
  const std::vector<PosePair> poses = near_poses(shape, data, pose_count, 1);
  const std::vector<Ray> rays = rays_at(data, 10 * pose_count);
  const Pose ray_pose = poses[0].a;
  std::optional<FclMesh> fcl;
  if (data.triangles.size() <= max_for_fcl) fcl.emplace(data);

  const auto case_of = [&](const std::string& question, std::size_t calls) {
    return Case{.name = question + "/torus-" + std::to_string(data.triangles.size()),
                .calls = calls,
                .hit_rate = false,
                .seconds = suite.quick() ? 1.0 : 4.0,
                .all_threads = question == "build",
                .quiet = true};
  };
  std::vector<std::size_t> counts(poses.size()), fcl_counts(poses.size());
  const auto total = [](const std::vector<std::size_t>& values) {
    return [&values] { return std::accumulate(values.begin(), values.end(), std::size_t{0}); };
  };

  std::vector<std::optional<TriangleIds>> fcl_touching(poses.size());
  std::vector<System> systems = {{"whisker",
                                  [&] {
                                    for (std::size_t i = 0; i < poses.size(); ++i)
                                      counts[i] = touches({shape, poses[i].a}, {shape, poses[i].b}) ? 1 : 0;
                                  },
                                  total(counts)}};
  if (fcl) {
    systems.push_back({"FCL", fcl->touch(poses, fcl_touching), [&] {
                         return static_cast<std::size_t>(std::count_if(fcl_touching.begin(), fcl_touching.end(),
                                                                       [](const auto& f) { return f.has_value(); }));
                       }});
  }
  suite.measure(case_of("touch", poses.size()), systems);

  Contacts found;
  systems = {{"whisker",
              [&] {
                for (std::size_t i = 0; i < poses.size(); ++i) {
                  contacts({shape, poses[i].a}, {shape, poses[i].b}, {}, found);
                  counts[i] = found.pairs.size();
                }
              },
              total(counts)}};
  if (fcl) systems.push_back({"FCL", fcl->contacts(poses, false, fcl_counts), total(fcl_counts)});
  suite.measure(case_of("contacts", poses.size()), systems);

  std::vector<FclMesh::Measured> fcl_distances(poses.size());
  systems = {{"whisker",
              [&] {
                for (std::size_t i = 0; i < poses.size(); ++i)
                  counts[i] = distance({shape, poses[i].a}, {shape, poses[i].b}).lower > 0 ? 1 : 0;
              },
              total(counts)}};
  if (fcl) {
    systems.push_back({"FCL", fcl->distance(poses, fcl_distances), [&] {
                         return static_cast<std::size_t>(std::count_if(fcl_distances.begin(), fcl_distances.end(),
                                                                       [](const auto& f) { return f.distance > 0; }));
                       }});
  }
  suite.measure(case_of("distance", poses.size()), systems);

  std::size_t hits = 0;
  suite.measure(case_of("ray", rays.size()), {{"whisker",
                                               [&] {
                                                 hits = 0;
                                                 for (const Ray& ray : rays)
                                                   hits += cast_ray(ray, {shape, ray_pose}) ? 1u : 0u;
                                               },
                                               [&] { return hits; }}});

  std::size_t built = 0, fcl_built = 0;
  systems = {{"whisker", [&] { built = Mesh(data, {.threads = 1}).triangle_count(); }, [&] { return built; }}};
  if (fcl) systems.push_back({"FCL", [&] { fcl_built = FclMesh::build_boxes(data); }, [&] { return fcl_built; }});
  suite.measure(case_of("build", 1), systems);
}

/// The curves of one system, one for each query that it supports.
std::vector<Curve> curves_of(const Suite& suite, const std::string& system, std::span<const std::size_t> sizes) {
  std::vector<Curve> curves;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    Curve curve{.name = questions[q] + (system == "whisker" ? "" : ", " + system),
                .points = {},
                .color = static_cast<int>(q),
                .dashed = system != "whisker"};
    for (const std::size_t size : sizes) {
      const double time = suite.nanoseconds(questions[q] + "/torus-" + std::to_string(size), system);
      if (time > 0) curve.points.emplace_back(static_cast<double>(size), 1e-3 * time);
    }
    if (curve.points.size() < 2) continue;
    curve.exponent = fitted_exponent(curve.points);
    curves.push_back(std::move(curve));
  }
  return curves;
}

void print_table(const std::string& system, std::span<const Curve> curves, std::span<const std::size_t> sizes) {
  if (curves.empty()) return;
  std::printf("\n%s: microseconds\n%12s", system.c_str(), "triangles");
  for (const Curve& curve : curves)
    std::printf(" %15s", curve.name.c_str());
  std::printf("\n");
  for (std::size_t i = 0; i < sizes.size() && i < curves[0].points.size(); ++i) {
    std::printf("%12zu", sizes[i]);
    for (const Curve& curve : curves)
      std::printf(curve.points[i].second < 1000 ? " %15.4g" : " %15.0f", curve.points[i].second);
    std::printf("\n");
  }
  std::printf("%12s", "exponent");
  for (const Curve& curve : curves)
    std::printf(" %15.2f", curve.exponent);
  std::printf("\n");
}

}  // namespace

void bench_scaling(Suite& suite) {
  const bool stored = suite.writes_results();
  if (stored) suite.set_results("mesh-scaling");
  std::vector<std::size_t> sizes;
  const std::size_t largest = suite.quick() ? 128'000 : 2'048'000;
  for (std::size_t wanted = 1000; wanted <= largest; wanted *= 2) {
    const MeshData data = torus_of(wanted);
    sizes.push_back(data.triangles.size());
    std::printf("%zu triangles\n", data.triangles.size());
    std::fflush(stdout);
    measure_size(suite, data, suite.quick() ? 40 : 100);
  }
  std::vector<Curve> curves = curves_of(suite, "whisker", sizes);
  const std::vector<Curve> fcl_curves = curves_of(suite, "FCL", sizes);
  print_table("whisker", curves, sizes);
  print_table("FCL", fcl_curves, sizes);
  curves.insert(curves.end(), fcl_curves.begin(), fcl_curves.end());
  const std::string path = std::string(WHISKER_BENCH_RESULTS) + "/mesh-scaling.svg";
  if (!stored) return;
  if (write_log_plot(path, "A wrinkled torus against itself, near contact, one thread", "triangles of each mesh",
                     "microseconds", "question, exponent", curves))
    std::printf("\nplot: %s\n", path.c_str());
  else
    suite.fail("cannot write " + path);
}

}  // namespace whisker::bench
