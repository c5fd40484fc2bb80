#include "mesh/tree_pair.hpp"

#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/inverse_rotation.hpp"
#include "geometry/place.hpp"

namespace whisker::mesh {

TreePair pair_of(const MeshView& a, const MeshView& b) {
  TreePair pair;
  pair.a = a;
  pair.b = b;
  const geometry::InverseRotation inverse(a.pose->rotation());
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(pair.rotation[0]) = inverse.matrix * b.pose->rotation();
  Vector3::Map(pair.shift) = inverse.matrix * (b.pose->translation() - a.pose->translation()) * a.tree->scale;
  pair.ratio = a.tree->scale / b.tree->scale;
  // place() rounds four times, M's entries carry about twenty roundings of numbers below 2, and a sum over M's row is
  // below 2 times the largest coordinate. 200 half-ulps of the sum below cover everything; 256 are used.
  const double sizes = a.tree->coordinate + b.tree->coordinate + a.pose->translation().cwiseAbs().maxCoeff() +
                       b.pose->translation().cwiseAbs().maxCoeff();
  pair.error = 0x1p-45 * sizes * a.tree->scale + 0x1p-120;
  pair.stretch = 1 - inverse.bend;
  return pair;
}

bool triangles_touch(const TreePair& pair, std::uint32_t triangle_a, std::uint32_t triangle_b) {
  const auto placed = [](const MeshView& mesh, std::uint32_t number) {
    const Index3& t = mesh.triangles[number];
    return geometry::placed_triangle(*mesh.pose, {mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]});
  };
  return touches_triangle_triangle(placed(pair.a, triangle_a), placed(pair.b, triangle_b));
}

}  // namespace whisker::mesh
