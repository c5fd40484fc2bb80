#pragma once

// Shrinks solids, to prove that two parts only touch.
//
// Let every vertex of a closed surface move by at most d. While it moves linearly, no point of the surface gets farther
// than d from its original position. So no point that is farther than d from the surface is ever crossed, and its
// winding number does not change. Therefore everything deeper than d in the solid is also in the moved one, wherever
// the vertices went: a shape that does not touch the moved solid has no point deeper than d in the solid.

#include <optional>

#include <whisker/mesh.hpp>

namespace whisker::clash {

/// The solid with its vertices moved inward by at most `by`. Nothing if no solid is left. It contains everything that
/// lies deeper than `by` in the solid.
std::optional<Mesh> shrunk(const Mesh& solid, double by);

}  // namespace whisker::clash
