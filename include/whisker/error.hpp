#pragma once

/// \file
/// The one exception that whisker throws.

#include <stdexcept>
#include <string>

namespace whisker {

/// Bad input: the message names the thing that is wrong, where it is, and what to do about it.
///
/// Thrown when shapes, poses and files are made or read, and by a query whose pair of shapes is not supported.
/// A query on valid shapes and poses throws nothing.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace whisker
