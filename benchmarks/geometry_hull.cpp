// hull: the convex hull of points.

#ifdef WHISKER_BENCH_QHULL
extern "C" {
#include <libqhull_r/libqhull_r.h>
}
#endif

#include <string>

#include <whisker/geometry/hull.hpp>

#include "geometry.hpp"

namespace whisker::bench {
namespace {

std::vector<Vector3> points_on_sphere(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Vector3> points;
  while (points.size() < count) {
    const Vector3 p = uniform_in_cube(random, 1);
    if (p.norm() > 0.01 && p.norm() <= 1) points.push_back(p.normalized());
  }
  return points;
}

#ifdef WHISKER_BENCH_QHULL
std::size_t qhull_corners(std::vector<Vector3>& points) {
  qhT qhull;
  qh_zero(&qhull, stderr);
  char options[] = "qhull Qt";
  const int failed =
      qh_new_qhull(&qhull, 3, static_cast<int>(points.size()), points[0].data(), False, options, nullptr, stderr);
  const std::size_t corners = failed != 0 ? 0 : static_cast<std::size_t>(qhull.num_vertices);
  qh_freeqhull(&qhull, True);
  return corners;
}
#endif

void bench_case(Suite& suite, const std::string& name, std::size_t count) {
  std::vector<Vector3> points = points_on_sphere(count, 31);
  std::size_t ours = 0;
  std::vector<System> systems = {
      {"whisker", [&] { ours = convex_hull(points).vertices.size(); }, [&] { return ours; }}};
#ifdef WHISKER_BENCH_QHULL
  std::size_t qhull = 0;
  systems.push_back({"Qhull", [&] { qhull = qhull_corners(points); }, [&] { return qhull; }});
#endif
  suite.measure({.name = name, .calls = 1, .hit_rate = false}, systems);
#ifdef WHISKER_BENCH_QHULL
  if (ours != qhull)
    suite.fail("the hulls have " + std::to_string(ours) + " and " + std::to_string(qhull) + " corners");
#else
  suite.note("Qhull was not found (Debian package libqhull-dev): not compared");
#endif
}

}  // namespace

void bench_hull(Suite& suite) {
  for (const std::size_t count : {std::size_t{1000}, std::size_t{10000}}) {
    const std::string name = "hull/" + std::to_string(count) + "-on-sphere";
    if (suite.wants(name)) bench_case(suite, name, count);
  }
}

}  // namespace whisker::bench
