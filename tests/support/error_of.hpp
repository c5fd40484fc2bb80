#pragma once

#include <string>

#include <whisker/error.hpp>

namespace whisker::test {

/// What the Error says that the call throws, or that there was none.
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace whisker::test
