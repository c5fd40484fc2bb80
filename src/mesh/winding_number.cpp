// The winding number of a closed mesh around a point, from the signed crossings of a vertical ray. Every sign is exact.
//
// The ray goes up from the point moved by (ε, ε², 0), with an ε smaller than any number that occurs (Edelsbrunner and
// Mücke, "Simulation of simplicity", 1990). It passes through no edge and no corner, so the triangles around an edge or
// corner are counted consistently. Since the point is not on the surface, the surface winds around the moved point as
// often as around the point itself.

#include <whisker/geometry/predicates.hpp>

#include "mesh/ray_walk.hpp"
#include "mesh/triangle_at.hpp"

namespace whisker::mesh {
namespace {

/// On which side of the line from a to b, as seen from above, the moved point lies: 1 left, -1 right. 0 only if a is
/// above or below b.
int side_of_moved(const Vector3& a, const Vector3& b, const Vector3& point) {
  const int side = orient2d(a[0], a[1], b[0], b[1], point[0], point[1]);
  if (side != 0) return side;
  // (b - a) × (ε, ε²) = (bx - ax) ε² - (by - ay) ε: the ε term decides, or the ε² term if the ε term is zero.
  if (a[1] != b[1]) return a[1] > b[1] ? 1 : -1;
  if (a[0] != b[0]) return b[0] > a[0] ? 1 : -1;
  return 0;
}

/// 1 if the ray leaves through the triangle's front, -1 if it enters through it, 0 if it does not cross the triangle.
int crossing(const Triangle& t, const Vector3& point) {
  const int facing = side_of_moved(t.a, t.b, point);
  if (facing == 0 || side_of_moved(t.b, t.c, point) != facing || side_of_moved(t.c, t.a, point) != facing) return 0;
  // As seen from above, the triangle surrounds the point, and is counterclockwise if its front faces up. The triangle
  // is above the point if the point is behind an upward front or in front of a downward one.
  return orient3d(t.a, t.b, t.c, point) == -facing ? facing : 0;
}

}  // namespace

int winding_number(const PlacedMesh& placed, const Vector3& point) {
  const LocalFrame frame(placed);
  const RayQuery query = ray_query(frame, {point, Vector3::UnitZ()}, {});
  int winding = 0;
  Cost cost;
  walk_ray(query, cost, [&](std::uint32_t number) {
    winding += crossing(triangle_at(placed, number), point);
    return query.upper;
  });
  return winding;
}

}  // namespace whisker::mesh
