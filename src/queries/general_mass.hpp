#pragma once

// Mass properties of shapes for which there is no formula: by bounds that a search narrows.

#include <whisker/mass.hpp>
#include <whisker/shape.hpp>

#include "shapes/mass_body.hpp"

namespace whisker::queries {

/// The convex shape with a radius around it, which may be 0. Between a polyhedron and a slightly larger copy of it.
shapes::MassBody custom_convex_body(const CustomConvex& shape, double radius, const MassOptions& options);

/// All points within a radius of a mesh, and inside of it if it is solid; each counts once. By a search in an octree.
shapes::MassBody rounded_mesh_body(const Mesh& mesh, double radius, const MassOptions& options);

}  // namespace whisker::queries
