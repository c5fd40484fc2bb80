#pragma once

// Returns the text of the Error that a call throws.

#include <string>

#include <whisker/error.hpp>

namespace whisker::test {

/// The message of the Error that the call throws, or "no error".
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
