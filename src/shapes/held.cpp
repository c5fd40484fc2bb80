#include <string>

#include <whisker/detail/held.hpp>
#include <whisker/error.hpp>

namespace whisker {

void throw_empty(const char* type) {
  throw Error(std::string(type) + ": it was moved from and is empty; assign another one to it first");
}

}  // namespace whisker
