#pragma once

// Solids made smaller: the way to prove that two only touch.
//
// Let every vertex of a closed surface move by at most d. While it moves evenly, no point of the surface gets farther
// than d from where it was, so no point that is farther than d from the surface is ever crossed, and its winding number
// stays what it was. So what lies deeper than d in the solid lies in the moved one as well, wherever the vertices went:
// a shape that does not touch the moved solid has no point deeper than d in the solid.

#include <optional>

#include <whisker/mesh.hpp>

namespace whisker::clash {

/// The solid with its vertices moved inwards by at most `by`; nothing where no solid is left. Everything that lies
/// deeper than `by` in the solid lies in it.
std::optional<Mesh> shrunk(const Mesh& solid, double by);

}  // namespace whisker::clash
