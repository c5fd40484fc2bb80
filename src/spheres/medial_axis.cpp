#include "spheres/medial_axis.hpp"

#include <optional>

#include "spheres/delaunay.hpp"

namespace whisker::spheres {

std::vector<MedialSphere> medial_spheres(const Solid& solid, std::span<const SurfaceSample> samples) {
  // Scale to coordinates from -1 to 1. This moves the points by a rounding error, which does not affect correctness.
  const Aabb box = solid.mesh().bounds();
  const Vector3 middle = box.lower + (box.upper - box.lower) / 2;
  const double size = (box.upper - box.lower).maxCoeff();
  std::vector<MedialSphere> result;
  if (!(size > 0)) return result;
  Delaunay delaunay;
  for (const SurfaceSample& sample : samples)
    delaunay.insert(((sample.point - middle) / size).cwiseMax(-1.0).cwiseMin(1.0));

  const std::span<const Delaunay::Tetrahedron> tetrahedra = delaunay.tetrahedra();
  std::vector<std::uint32_t> number(tetrahedra.size(), Delaunay::none);
  std::vector<std::uint32_t> source;
  for (std::uint32_t i = 0; i < tetrahedra.size(); ++i) {
    if (!delaunay.is_used(i) || !delaunay.is_finite(i)) continue;
    const Vector3 a = delaunay.position(tetrahedra[i].vertices[0]);
    const std::optional<Vector3> center = delaunay.circumcenter(i);
    if (!center || center->cwiseAbs().maxCoeff() > 1) continue;
    const Vector3 placed = middle + size * *center;
    const Distance distance = solid.signed_distance(placed);
    if (!(distance.upper < 0)) continue;
    number[i] = static_cast<std::uint32_t>(result.size());
    source.push_back(i);
    result.push_back({{placed, size * (a - *center).norm()}, distance.upper, {}});
  }
  for (std::uint32_t k = 0; k < result.size(); ++k) {
    for (const std::uint32_t neighbor : tetrahedra[source[k]].neighbors) {
      if (neighbor != Delaunay::none && number[neighbor] != Delaunay::none)
        result[k].neighbors.push_back(number[neighbor]);
    }
  }
  return result;
}

}  // namespace whisker::spheres
