#pragma once

/// \file
/// How the search tree of a mesh is built.

#include <cstdint>

namespace whisker {

/// How a set of triangles is divided among the children of a node.
enum class Split : std::uint8_t {
  surface_area,  ///< Where the expected cost by surface area is least, from binned centres. The default: best to query.
  mean,          ///< At the mean of the centres along the widest axis. Quicker to build.
  median,        ///< Into halves along the widest axis. The flattest tree.
  morton,        ///< Along a space-filling curve. By far the quickest to build.
  bottom_up,     ///< By joining neighbours, smallest surface first. Slow to build.
};

struct TreeOptions {
  Split split = Split::surface_area;
  /// Build on all cores. The tree is the same either way.
  bool parallel = true;
};

}  // namespace whisker
