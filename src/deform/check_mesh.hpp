#pragma once

// Validates what is passed to deforming bodies. Errors begin with `what`.

#include <cstddef>
#include <span>

#include <whisker/mesh_data.hpp>
#include <whisker/vector.hpp>

namespace whisker::deform {

/// Throws an Error that names the first vertex that is not finite or beyond max_coordinate, as "vertex 7".
void check_vertices(std::span<const Vector3> vertices, const char* what, const char* noun = "vertex");

/// The same for new positions of the vertices of a body that has `count`.
void check_positions(std::span<const Vector3> vertices, std::size_t count, const char* what);

/// Throws an Error if a vertex is not finite or beyond max_coordinate, an index is out of range, or there is no
/// triangle.
void check_mesh(const MeshData& data, const char* what);

}  // namespace whisker::deform
