#include "geometry/check_index.hpp"

#include <string>

#include <whisker/error.hpp>

namespace whisker::geometry {

void throw_bad_index(const char* what, std::size_t index, std::size_t count) {
  throw Error(std::string(what) + " " + std::to_string(index) + " is out of range; there are " + std::to_string(count) +
              ", numbered from 0");
}

}  // namespace whisker::geometry
