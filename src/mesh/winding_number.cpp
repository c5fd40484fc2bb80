// In or out, by the signed crossings of a vertical ray, every sign exact.
//
// The ray goes up from the point moved by (ε, ε², 0), with an ε smaller than any number that occurs (Edelsbrunner and
// Mücke, "Simulation of simplicity", 1990). It passes no edge and no corner, so that the triangles about one are
// counted alike; and as the point is not on the surface, it winds round the moved point as often as round the point
// itself.

#include <array>

#include <whisker/predicates.hpp>

#include "mesh/pair_walk.hpp"

namespace whisker::mesh {
namespace {

/// On which side of the line from a to b, seen from above, the moved point lies: 1 left, -1 right. 0 only if a is above
/// or below b.
int side_of_moved(const Vector3& a, const Vector3& b, const Vector3& point) {
  const int side = orient2d(a[0], a[1], b[0], b[1], point[0], point[1]);
  if (side != 0) return side;
  // (b - a) × (ε, ε²) = (bx - ax) ε² - (by - ay) ε: the ε decides, and the ε² where it has no weight.
  if (a[1] != b[1]) return a[1] > b[1] ? 1 : -1;
  if (a[0] != b[0]) return b[0] > a[0] ? 1 : -1;
  return 0;
}

/// 1 if the ray leaves through the triangle's front, -1 if it enters through it, 0 if it does not pass.
int crossing(const Triangle& t, const Vector3& point) {
  const int facing = side_of_moved(t.a, t.b, point);
  if (facing == 0 || side_of_moved(t.b, t.c, point) != facing || side_of_moved(t.c, t.a, point) != facing) return 0;
  // Seen from above the triangle is round the point, and turns left if its front is up: it is above the point if the
  // point is behind an upward front, or before a downward one.
  return orient3d(t.a, t.b, t.c, point) == -facing ? facing : 0;
}

}  // namespace

int winding_number(const PlacedMesh& placed, const Vector3& point) {
  const MeshSide side(placed);
  int winding = 0;
  std::array<std::uint32_t, 2 * trees::BoxTree::max_depth> stack;
  std::size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const std::uint32_t index = stack[--size];
    const AxisBox box = side.box(index);
    const bool passes = box.lower[0] <= point[0] && point[0] <= box.upper[0] && box.lower[1] <= point[1] &&
                        point[1] <= box.upper[1] && point[2] <= box.upper[2];
    if (!passes) continue;
    if (side.is_leaf(index)) {
      side.each_item(index, [&](const convex::SimpleShape& item) { winding += crossing(item.corners, point); });
    } else {
      for (const std::uint32_t child : side.children(index))
        stack[size++] = child;
    }
  }
  return winding;
}

}  // namespace whisker::mesh
