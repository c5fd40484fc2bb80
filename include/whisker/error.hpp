#pragma once

/// \file
/// Error: the only exception type that whisker itself throws.

#include <stdexcept>
#include <string>

namespace whisker {

/// Reports bad input. The message says what is wrong, where it is, and what to do about it.
///
/// It is thrown when a shape, pose or file is created or read from bad data, and by a query that the given shapes
/// cannot answer:
/// - the pair of shapes is not supported,
/// - the depth of a mesh that is not solid,
/// - a ray cast at a custom convex shape,
/// - an object that was moved from (held.hpp),
/// - a function supplied by the caller whose results contradict each other.
///
/// Any other query on valid shapes, poses, rays and options throws no Error.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace whisker
