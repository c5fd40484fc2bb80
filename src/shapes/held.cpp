#include <string>

#include <whisker/detail/held.hpp>
#include <whisker/error.hpp>

namespace whisker {

void throw_empty(const char* type) {
  throw Error(std::string(type) + ": it is empty because it was moved from; assign a value to it first");
}

}  // namespace whisker
