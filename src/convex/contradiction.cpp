#include "convex/contradiction.hpp"

#include <whisker/error.hpp>

namespace whisker::convex {

void throw_contradiction() {
  throw Error(
      "custom shape: the support function contradicts itself: a point that it returned for one direction lies farther "
      "along another direction than the point that it returned for that one; return the point of one convex shape that "
      "is farthest along the direction, or declare in support_error how far off it may be");
}

}  // namespace whisker::convex
