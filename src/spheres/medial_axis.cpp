#include "spheres/medial_axis.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "spheres/delaunay.hpp"

namespace whisker::spheres {

namespace {

/// The centre of the ball through four points. Rounding may lead far off, or to infinity, where they are nearly in a
/// plane.
Vector3 circumcenter(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  const Vector3 u = b - a;
  const Vector3 v = c - a;
  const Vector3 w = d - a;
  const Vector3 sum = u.squaredNorm() * v.cross(w) + v.squaredNorm() * w.cross(u) + w.squaredNorm() * u.cross(v);
  return a + sum / (2 * u.dot(v.cross(w)));
}

}  // namespace

std::vector<MedialSphere> medial_spheres(const Solid& solid, std::span<const SurfaceSample> samples) {
  // To coordinates from -1 to 1. The points move by a rounding, which no answer depends on.
  const AxisBox box = solid.mesh().bounds();
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
    const auto& v = tetrahedra[i].vertices;
    const Vector3 a = delaunay.position(v[0]);
    const Vector3 center = circumcenter(a, delaunay.position(v[1]), delaunay.position(v[2]), delaunay.position(v[3]));
    if (!center.allFinite() || !(center.cwiseAbs().maxCoeff() <= 1)) continue;
    const Vector3 placed = middle + size * center;
    const SignedDistance distance = solid.signed_distance(placed);
    if (!(distance.upper < 0)) continue;
    number[i] = static_cast<std::uint32_t>(result.size());
    source.push_back(i);
    result.push_back({{placed, size * (a - center).norm()}, distance.upper, {}});
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
