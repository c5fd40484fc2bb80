// distance: the distance of two meshes, with closest points.

#include <algorithm>
#include <cmath>
#include <limits>

#include <whisker/geometry/closest_points.hpp>
#include <whisker/queries.hpp>

#include "mesh.hpp"

namespace whisker::bench {
namespace {

/// Distances disagree if they differ by more than this fraction of the distance
constexpr double relative_agreement = 1e-9;
/// plus this fraction of the largest coordinate, for the rounding of poses on both sides.
constexpr double rounding = 1e-14;

/// The distance of the point from the placed mesh, computed from all triangles.
double distance_to_mesh(const Vector3& point, const MeshData& data, const Pose& pose) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < data.triangles.size(); ++i)
    least = std::min(least, closest_points(point, placed_triangle(data, i, pose)).distance);
  return least;
}

}  // namespace

void bench_distance(Suite& suite, const Model& model) {
  const std::string name = "distance/" + model.name;
  if (!suite.wants(name)) return;
  const std::vector<PosePair>& poses = model.near;
  std::vector<Distance> ours(poses.size());
  std::vector<FclMesh::Measured> theirs(poses.size());
  suite.measure({.name = name, .calls = poses.size(), .seconds = case_seconds(suite)},
                {{"whisker",
                  [&] {
                    for (std::size_t i = 0; i < poses.size(); ++i)
                      ours[i] = distance({model.shape, poses[i].a}, {model.shape, poses[i].b});
                  },
                  [&] {
                    return static_cast<std::size_t>(
                        std::count_if(ours.begin(), ours.end(), [](const Distance& d) { return d.lower > 0; }));
                  }},
                 {"FCL", model.fcl.distance(poses, theirs), [&] {
                    return static_cast<std::size_t>(std::count_if(
                        theirs.begin(), theirs.end(), [](const auto& found) { return found.distance > 0; }));
                  }}});
  Cost cost;
  for (const Distance& d : ours) {
    cost.volume_tests += d.cost.volume_tests;
    cost.primitive_tests += d.cost.primitive_tests;
  }
  note_cost(suite, "whisker", cost, poses.size());
  note_cost(suite, "FCL", model.fcl.distance_cost(poses), poses.size());

  std::size_t peer_off = 0, we_off = 0;
  double worst = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double scale = poses[i].a.translation().norm() + poses[i].b.translation().norm() + diameter(model.data);
    const double allowed = relative_agreement * theirs[i].distance + rounding * scale;
    const double error = theirs[i].distance - ours[i].value();
    if (std::abs(error) <= allowed) continue;
    bool ours_holds = false;
    if (error > 0) {
      // FCL's distance is larger. whisker's is proven by two points of the meshes at that distance.
      ours_holds = (ours[i].point_a - ours[i].point_b).norm() <= ours[i].upper + allowed &&
                   distance_to_mesh(ours[i].point_a, model.data, poses[i].a) <= allowed &&
                   distance_to_mesh(ours[i].point_b, model.data, poses[i].b) <= allowed;
    } else {
      // FCL's distance is smaller. It is right if the two triangles that it reports are that close.
      const auto [a, b] = theirs[i].ids;
      ours_holds =
          closest_points(placed_triangle(model.data, a, poses[i].a), placed_triangle(model.data, b, poses[i].b))
              .distance >= ours[i].value() - allowed;
    }
    if (ours_holds) {
      ++peer_off;
      worst = std::max(worst, std::abs(error));
    } else {
      ++we_off;
    }
  }
  if (peer_off > 0) {
    char text[160];
    std::snprintf(text, sizeof text, "%zu distances of FCL are wrong, by up to %.2g (whisker's are proven)", peer_off,
                  worst);
    suite.note(text);
  }
  if (we_off > 0) suite.fail(std::to_string(we_off) + " distances of whisker differ from FCL's and are not proven");
}

}  // namespace whisker::bench
