#pragma once

/// \file
/// Random assemblies whose findings are known by construction.

#include <cstddef>
#include <cstdint>

#include "clash/planted.hpp"

namespace whisker::test {

/// An assembly of about `parts` parts on a jittered grid of cells. A cell holds either one part (a box, prism, star,
/// gear, torus, hull, sphere or cone) or two parts. The two overlap, touch, contain each other, come too close, or meet
/// during their motion, or they only look as if they did (a pin in a ring, a part in a hollow box, a gap just above the
/// clearance). Cells are rotated randomly, or by quarter turns where contact has to be exact. Parts in different cells
/// are farther apart than the clearance. Some cells are named by rules that allow or ignore their findings: these cells
/// plant nothing.
///
/// The expected numbers follow from the construction of the cell: a corner of a solid that lies d below a face of a
/// larger box, and closer to that face than to any other, has depth d, whatever the solid is.
clash::PlantedAssembly random_planted_scene(std::uint64_t seed, std::size_t parts);

}  // namespace whisker::test
