#pragma once

// The last step of a World's update: which pairs touch, and which began or ceased to.

#include <vector>

#include <whisker/world.hpp>

#include "world/pair_table.hpp"

namespace whisker::world {

struct TouchEvents {
  std::vector<WorldPair> touching;
  std::vector<TouchEvent> events;
  std::vector<UnresolvedPair> unresolved;

  void find(const BodyTable& bodies, PairTable& pairs, UpdateReport& report);

 private:
  void find_changes(const BodyTable& bodies, PairTable& pairs, UpdateReport& report);
  void find_all(const BodyTable& bodies, PairTable& pairs, UpdateReport& report);

  std::vector<PairKey> begun_;  ///< pairs that touch and did not before
  std::vector<WorldPair> next_touching_;
};

}  // namespace whisker::world
