#pragma once

// Sorts pairs of triangles, so that lists of them can be compared.

#include <algorithm>
#include <vector>

#include <whisker/self_contacts.hpp>

namespace whisker::test {

inline std::vector<TrianglePair> sorted(std::vector<TrianglePair> pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace whisker::test
