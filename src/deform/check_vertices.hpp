#pragma once

// Validates the vertices passed to any deforming body.

#include <cstddef>
#include <span>

#include <whisker/vector.hpp>

namespace whisker::deform {

/// Throws an Error that starts with `what` and names the first vertex that is not finite or beyond max_coordinate.
void check_vertices(std::span<const Vector3> vertices, const char* what);
/// The same for new positions of `count` vertices: there must be as many.
void check_vertices(std::span<const Vector3> vertices, const char* what, std::size_t count);

}  // namespace whisker::deform
