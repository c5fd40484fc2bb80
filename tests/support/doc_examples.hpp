#pragma once

// What the tests of examples in documents and headers share: stand-ins for the caller's own functions and files, and
// the search for an example in a source file.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>

namespace whisker::test {

/// While it lives, the working folder is a new, empty one: for examples that read and write files.
class EmptyFolder {
 public:
  EmptyFolder() : before_(std::filesystem::current_path()) {
    folder_ = std::filesystem::temp_directory_path() / ("whisker_doc_examples_" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
  }
  ~EmptyFolder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }
  EmptyFolder(const EmptyFolder&) = delete;
  EmptyFolder& operator=(const EmptyFolder&) = delete;

 private:
  std::filesystem::path before_;
  std::filesystem::path folder_;
};

/// Stands in for a function of the caller that an example calls. Takes any arguments and counts the calls.
struct Counted {
  int calls = 0;
  void operator()(const auto&...) { ++calls; }
};

/// For an example that may return early: fails unless the test sets `reached` after the example.
struct RunsToTheEnd {
  bool reached = false;
  RunsToTheEnd() = default;
  ~RunsToTheEnd() { EXPECT_TRUE(reached) << "the example returned before its end"; }
  RunsToTheEnd(const RunsToTheEnd&) = delete;
  RunsToTheEnd& operator=(const RunsToTheEnd&) = delete;
};

inline Pose at(double x, double y, double z) {
  return Pose(Vector3(x, y, z));
}

/// A triangle in the plane z = 0, and one above it with its lowest corner at the given height.
inline MeshData triangle_over_triangle(double height) {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, height}, {1, 0.25, height + 1}, {0.25, 1, height + 1}},
          {{0, 1, 2}, {3, 4, 5}}};
}

inline std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

/// Whether the lines of the block follow each other from line `first` of the source, all with the same indentation.
inline bool stands_at(const std::vector<std::string>& source, std::size_t first,
                      const std::vector<std::string>& block) {
  if (block.size() > source.size() - first) return false;
  const std::string indentation(std::min(source[first].find_first_not_of(' '), source[first].size()), ' ');
  for (std::size_t i = 0; i < block.size(); ++i)
    if (source[first + i] != (block[i].empty() ? "" : indentation + block[i])) return false;
  return true;
}

inline bool stands_in(const std::vector<std::string>& source, const std::vector<std::string>& block) {
  for (std::size_t first = 0; first < source.size(); ++first)
    if (stands_at(source, first, block)) return true;
  return false;
}

/// An example in a document or header.
struct DocBlock {
  std::size_t line = 0;  ///< The number of its first line, from 1.
  std::vector<std::string> lines;
};

}  // namespace whisker::test
