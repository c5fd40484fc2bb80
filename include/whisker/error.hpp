#pragma once

/// \file
/// The one exception that whisker throws.

#include <stdexcept>
#include <string>

namespace whisker {

/// Bad input: the message names the thing that is wrong, where it is, and what to do about it.
///
/// Thrown when shapes, poses and files are made or read, and by a query that the shapes cannot answer: a pair that is
/// not supported, the depth of a mesh that is not solid, a ray at a custom convex shape, an object that was moved from
/// (held.hpp), a function of the caller's own whose answers contradict each other. Any other query on valid shapes,
/// poses, rays and options throws no Error.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace whisker
