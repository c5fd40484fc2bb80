// Builds sphere trees from octrees.

#include <deque>
#include <string>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/interval_inline.hpp"
#include "geometry/lists.hpp"
#include "shapes/sphere_data.hpp"
#include "spheres/build_checks.hpp"
#include "spheres/builders.hpp"
#include "spheres/pieces.hpp"
#include "volumes/measure.hpp"

namespace whisker::spheres {

namespace {

constexpr std::size_t max_nodes = 20'000'000;

struct Cell {
  Aabb box;
  std::vector<std::uint32_t> triangles;
};

Aabb cube_around(const Aabb& box) {
  const Vector3 size = box.upper - box.lower;
  const Vector3 spare = (geometry::next_up(size.maxCoeff()) - size.array()) / 2;
  return {box.lower.cwiseMin(box.lower - spare), box.upper.cwiseMax(box.upper + spare)};
}

Vector3 middle(const Aabb& box) {
  return box.lower + (box.upper - box.lower) / 2;
}

Aabb part(const Aabb& box, int octant) {
  const Vector3 split = middle(box);
  Aabb result = box;
  for (int i = 0; i < 3; ++i)
    ((octant >> i & 1) != 0 ? result.lower : result.upper)[i] = split[i];
  return result;
}

BoundingSphere sphere_around(const Aabb& box, double margin) {
  const Vector3 center = middle(box);
  const Vector3 farthest = (center - box.lower).cwiseMax(box.upper - center);
  // The spheres of neighboring cubes meet at the cubes' corners. A slightly larger radius makes it provable that the
  // spheres cover these corners, with pieces that each lie in one sphere.
  return {center, geometry::add_up(volumes::norm_up(farthest) * (1 + 0x1p-30), margin)};
}

}  // namespace

SphereTree build_octree(const Solid& solid, const SphereTreeOptions& options) {
  const bool keep_inside = options.method == SphereTreeMethod::solid_octree;
  const Mesh& mesh = solid.mesh();
  // Bound on the accumulated rounding error of pieces.
  const double margin = max_halvings * halving_error(mesh);
  std::deque<Cell> cells(1);  // of the nodes that were not visited yet
  cells[0].box = cube_around(mesh.bounds());
  cells[0].triangles = geometry::numbers_below(mesh.triangle_count());
  std::vector<Vector3> corners;
  for (const Index3& triangle : mesh.triangles()) {
    for (const std::uint32_t vertex : triangle)
      corners.push_back(mesh.vertices()[vertex]);
  }
  SphereTree tree;
  const auto append = [&](const BoundingSphere& sphere, std::uint32_t parent) {
    shapes::append_node(tree, {.sphere = sphere, .protrusion = solid.protrusion(sphere), .parent = parent});
  };
  append(fit_sphere(corners), 0);
  const double good_enough = leaf_error(options, tree.nodes[0].sphere.radius);

  for (int level = 0; level < level_limit(options) && level <= tree.depth(); ++level) {
    const std::uint32_t end = tree.level_begin.back();
    for (std::uint32_t n = tree.level_begin[static_cast<std::size_t>(level)]; n < end; ++n) {
      const Cell cell = std::move(cells.front());
      cells.pop_front();
      // A cube inside the solid whose sphere does not protrude is always good enough.
      if (tree.nodes[n].protrusion <= good_enough) continue;
      for (int octant = 0; octant < 8; ++octant) {
        Cell child;
        child.box = part(cell.box, octant);
        for (const std::uint32_t triangle : cell.triangles) {
          if (touches_triangle_box(mesh.triangle(triangle), child.box)) child.triangles.push_back(triangle);
        }
        const BoundingSphere sphere = sphere_around(child.box, margin);
        // A cube without surface is inside or outside together with its center.
        if (child.triangles.empty() && !(keep_inside && solid.contains(sphere.center))) continue;
        append(sphere, n);
        cells.push_back(std::move(child));
      }
      if (tree.nodes.size() > max_nodes) {
        throw Error("build_sphere_tree: the octree has more than " + std::to_string(max_nodes) +
                    " nodes; use a smaller depth");
      }
    }
  }
  return tree;
}

}  // namespace whisker::spheres
