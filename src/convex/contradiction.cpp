#include "convex/contradiction.hpp"

#include <whisker/error.hpp>

namespace whisker::convex {

void throw_contradiction() {
  throw Error(
      "custom shape: the support function contradicts itself: a point that it gave for one direction lies farther "
      "along "
      "another than the point that it gave for that; return the point of one convex shape that is farthest along the "
      "direction, or say in support_error how far off it may be");
}

}  // namespace whisker::convex
