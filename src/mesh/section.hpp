#pragma once

// The curves in which a plane cuts a surface of triangles, joined by the surface's own edges and vertices.

#include <vector>

#include <whisker/queries.hpp>

#include "convex/simple_shape.hpp"
#include "mesh/mesh_queries.hpp"
#include "mesh/walk_side_kinds.hpp"

namespace whisker::mesh {

/// Add the curves of one surface, as whisker::section defines them.
void section_mesh(const PlacedMesh& mesh, const convex::SimpleShape& plane, Cost& cost, std::vector<Polyline>& curves);
void section_field(const PlacedField& field, const convex::SimpleShape& plane, Cost& cost,
                   std::vector<Polyline>& curves);
/// A placed triangle.
void section_triangle(const Triangle& triangle, const convex::SimpleShape& plane, Cost& cost,
                      std::vector<Polyline>& curves);

}  // namespace whisker::mesh
