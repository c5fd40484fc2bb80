#pragma once

// The table that picks the algorithm for a pair of shapes: the one place that knows all pairs.

#include <whisker/queries.hpp>

namespace whisker::queries {

/// What answers the questions for one ordered pair of kinds; null where nothing does.
struct PairAlgorithms {
  bool (*touches)(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) = nullptr;
  /// Adds to `result`, up to the limit in `options`.
  void (*contacts)(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) = nullptr;
  Distance (*distance)(const Placed& a, const Placed& b, const DistanceOptions& options) = nullptr;
  Depth (*depth)(const Placed& a, const Placed& b, const DepthOptions& options) = nullptr;
};

const PairAlgorithms& algorithms(ShapeKind a, ShapeKind b);

/// Throws the Error of a pair that `question` ("distance"…) has no algorithm for.
[[noreturn]] void refuse(const char* question, const Placed& a, const Placed& b);
/// The same for a part of kind `part_a` of a, and one of kind `part_b` of b.
[[noreturn]] void throw_unsupported_parts(const char* question, const Placed& a, ShapeKind part_a, const Placed& b,
                                          ShapeKind part_b);

}  // namespace whisker::queries
