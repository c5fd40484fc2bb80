#pragma once

#include <algorithm>
#include <vector>

#include <whisker/self_contacts.hpp>

namespace whisker::test {

inline std::vector<TrianglePair> sorted(std::vector<TrianglePair> pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace whisker::test
