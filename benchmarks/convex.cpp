// The suite `convex`: convex hulls against each other.

#include "convex.hpp"

#include <whisker/make/make.hpp>

#include "support/baselines/exact_touch.hpp"
#include "support/baselines/gjk.hpp"

namespace whisker::bench {
namespace {

/// A placed hull whose support function scans all vertices.
struct PlacedHull {
  const ConvexHull& hull;
  const Pose& pose;

  std::uint32_t farthest(const Vector3& direction) const {
    return static_cast<std::uint32_t>(hull.support(pose.rotation().transpose() * direction));
  }
  Vector3 point(std::uint32_t name) const { return place(pose, hull.vertices()[name]); }
};

}  // namespace

Hulls ellipsoid_hulls(std::size_t count, int points, std::uint64_t seed) {
  Hulls result;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Vector3> corners =
        make::random_hull({.points = points, .radius_x = 1, .radius_y = 0.8, .radius_z = 0.6, .seed = seed + i})
            .vertices;
    const Vector3 center = ConvexHull(corners).centroid();
    for (Vector3& corner : corners)
      corner -= center;
    result.hulls.emplace_back(corners);
    result.shapes.emplace_back(result.hulls.back());
  }
  return result;
}

bool exactly_touch(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b) {
  return baselines::exactly_touch(baselines::exactly_placed(a.vertices(), pose_a),
                                  baselines::exactly_placed(b.vertices(), pose_b));
}

bool roughly_touch(const Hulls& hulls, const HullQuery& query) {
  return baselines::gjk(PlacedHull{hulls.hulls[query.a], query.pose_a}, PlacedHull{hulls.hulls[query.b], query.pose_b},
                        {.touch_only = true})
      .touching;
}

void heading(const std::string& text) {
  std::printf("\n%s\n%s\n", text.c_str(), std::string(text.size(), '-').c_str());
  std::fflush(stdout);
}

}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("convex", argc, argv,
              {{.name = "--threads", .value_name = "", .help = "instead: batches on 1, 2, 4… threads"}});
  if (suite.usage_error()) return 2;
  if (suite.given("--threads")) {
    suite.set_results("convex-threads");
    bench_threads(suite);
    return suite.finish();
  }
  std::printf("system, median time per call, time over the first system's, yes answers\n");
  bench_queries(suite);
  bench_baselines(suite);
  return suite.finish();
}
