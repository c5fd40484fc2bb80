#pragma once

// The table that selects the algorithms for a pair of shapes: the only place that knows all pairs.

#include <whisker/queries.hpp>

namespace whisker::queries {

/// The algorithms of one ordered pair of kinds; null where there is none.
struct PairAlgorithms {
  bool (*touches)(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) = nullptr;
  /// Adds to `result`, up to the limit in `options`.
  void (*contacts)(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) = nullptr;
  Distance (*distance)(const Placed& a, const Placed& b, const DistanceOptions& options) = nullptr;
  Depth (*depth)(const Placed& a, const Placed& b, const DepthOptions& options) = nullptr;
};

const PairAlgorithms& algorithms(ShapeKind a, ShapeKind b);

/// Throws the Error for a pair for which `question` ("distance"…) has no algorithm.
[[noreturn]] void refuse(const char* question, const Placed& a, const Placed& b);
/// The same for a part of kind `part_a` of a and a part of kind `part_b` of b.
[[noreturn]] void throw_unsupported_parts(const char* question, const Placed& a, ShapeKind part_a, const Placed& b,
                                          ShapeKind part_b);

}  // namespace whisker::queries
