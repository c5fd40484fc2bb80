#include <string>

#include <whisker/error.hpp>
#include <whisker/held.hpp>

namespace whisker {

void throw_empty(const char* type) {
  throw Error(std::string(type) + ": it was moved from and is empty; assign another one to it first");
}

}  // namespace whisker
