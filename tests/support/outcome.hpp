#pragma once

// The outcome of a command that a test ran, and the text of a file.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace whisker::test {

/// How a command ended and what it printed.
struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace whisker::test
