#pragma once

// Queries of the surface of one placed mesh, whether solid or not, against one simple shape.

#include "convex/simple_distance.hpp"
#include "convex/simple_shape.hpp"
#include "geometry/constants.hpp"
#include "mesh/mesh_queries.hpp"
#include "mesh/near_walk.hpp"
#include "mesh/triangle_at.hpp"

namespace whisker::mesh {

/// A number that is not the number of any triangle.
inline constexpr std::uint32_t no_guess = 0xFFFFFFFF;

/// What is known about two simple shapes.
enum class Nearness { far, near, touching };

/// `far` if they are proven to be farther apart than the margin.
inline Nearness nearness_of(const convex::SimpleShape& a, const convex::SimpleShape& b, double margin) {
  if (convex::touches_simple_simple(a, b)) return Nearness::touching;
  const bool is_near = margin > 0 && convex::distance_within(a, b, margin).lower <= margin;
  return is_near ? Nearness::near : Nearness::far;
}

/// Returns the number of a triangle of the mesh that touches the shape, if there is one: exact where
/// touches_simple_simple is. `guess` is tested first, if it is the number of a triangle.
std::optional<std::uint32_t> touching_triangle(const PlacedMesh& mesh, const convex::SimpleShape& shape,
                                               std::uint32_t guess, Cost& cost);

/// Calls `visit(number, triangle, nearness)` for every triangle of the mesh that touches the shape or is not proven to
/// be farther away than the margin, until `visit` returns false.
template <class Visit>
void each_near_triangle(const PlacedMesh& mesh, const convex::SimpleShape& shape, double margin, Cost& cost,
                        Visit&& visit) {
  const LocalFrame frame(mesh);
  const double limit = (shape.radius + margin) * (1 + 0x1p-48) * frame.scale;
  bool more = true;
  const auto look = [&](const NearTriangle& near) {
    const convex::SimpleShape triangle = convex::simple_triangle(triangle_at(mesh, near.number));
    const Nearness nearness = more ? nearness_of(triangle, shape, margin) : Nearness::far;
    if (nearness != Nearness::far) more = visit(near.number, triangle, nearness);
    return more ? limit : -1;
  };
  walk_near(near_query(frame, shape), limit, no_budget, cost, look);
}

/// The same for the triangles that touch: `visit(number, triangle)`.
template <class Visit>
void each_touching_triangle(const PlacedMesh& mesh, const convex::SimpleShape& shape, Cost& cost, Visit&& visit) {
  each_near_triangle(mesh, shape, 0, cost, [&](std::uint32_t number, const convex::SimpleShape& triangle, Nearness) {
    return visit(number, triangle);
  });
}

/// The distance of the shape from the mesh's triangles, as whisker::distance defines it. feature_a is the closest
/// triangle. Among equally close triangles it is the one with the lowest number. `quick` accepts bounds computed in
/// doubles for a point if they are within 1e-13 of the distance, relatively.
Distance surface_distance(const PlacedMesh& mesh, const convex::SimpleShape& shape, const DistanceOptions& options,
                          convex::Effort effort = convex::Effort::full);

}  // namespace whisker::mesh
