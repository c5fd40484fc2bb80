#pragma once

// What names and places a part that the program has read, before it is sent to load_scene.

#include <array>
#include <string>
#include <vector>

namespace whisker::reader {

// A 3 x 4 transform, row by row, in double.
using Transform = std::array<double, 12>;

constexpr Transform identity{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

// Applies `inner` first, then `outer`.
inline Transform compose(const Transform& outer, const Transform& inner) {
  Transform result{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      double sum = column == 3 ? outer[4 * row + 3] : 0.0;
      for (std::size_t k = 0; k < 3; ++k)
        sum += outer[4 * row + k] * inner[4 * k + column];
      result[4 * row + column] = sum;
    }
  }
  return result;
}

// The labels of a part. The fields are those of ScenePart, but not yet unique or UTF-8.
struct PartLabel {
  std::string name;
  std::string id;
  std::string type;
  std::vector<std::string> path;
};

}  // namespace whisker::reader
