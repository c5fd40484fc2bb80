#pragma once

// Range checks for indices that a caller gives: of triangles, parts, links.

#include <cstddef>
#include <string>

#include <whisker/error.hpp>

namespace whisker::geometry {

/// Throws the Error: "mesh: triangle 7 is out of range; there are 5, numbered from 0".
[[noreturn, gnu::cold]] inline void throw_bad_index(const char* what, std::size_t index, std::size_t count) {
  throw Error(std::string(what) + " " + std::to_string(index) + " is out of range; there are " + std::to_string(count) +
              ", numbered from 0");
}

/// Throws an Error unless index < count. `what` names the thing, for example "mesh: triangle".
inline void check_index(const char* what, std::size_t index, std::size_t count) {
  if (index >= count) [[unlikely]]
    throw_bad_index(what, index, count);
}

}  // namespace whisker::geometry
