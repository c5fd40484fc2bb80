#pragma once

/// \file
/// Random assemblies of which it is known what must be found in them.

#include <cstddef>
#include <cstdint>

#include "clash/planted.hpp"

namespace whisker::test {

/// An assembly of about so many parts on a jittered grid of cells. A cell holds one part (a box, prism, star, gear,
/// torus, hull, sphere or cone), or two that overlap, touch, lie inside each other, come too close, meet on their way,
/// or do none of that but look like it (a pin in a ring, a part in a hollow box, a gap just above the clearance). Cells
/// are turned at random, or, where contact is to be exact, by quarter turns. What is in different cells is farther
/// apart than the clearance. Some cells are named by rules that allow or ignore what is in them: they plant nothing.
///
/// Numbers are derived from how the cell was built: a corner of a solid that lies d below a face of a larger box, and
/// nearer to that face than to any other, is d deep, whatever the solid is.
clash::PlantedAssembly random_planted_scene(std::uint64_t seed, std::size_t parts);

}  // namespace whisker::test
