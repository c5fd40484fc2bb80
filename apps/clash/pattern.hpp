#pragma once

// Matches the rules with pairs of parts.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clash/assembly.hpp"

namespace whisker::clash {

/// Whether a pattern matches a whole text: * matches any text, ? any character.
bool matches(std::string_view pattern, std::string_view text);

/// Whether the rule matches at least one pair of different parts.
bool names_pair(const PairRule& rule, const Assembly& assembly);

/// Patterns of the rules that match no part and no group, probably because they are misspelled. Each is listed once.
std::vector<std::string> patterns_without_parts(const Assembly& assembly);

/// The rules of an assembly, for fast lookup. Holds no references to the assembly.
class PairFilter {
 public:
  explicit PairFilter(const Assembly& assembly);

  /// Whether the two parts are checked against each other.
  bool is_checked(std::uint32_t a, std::uint32_t b) const { return checked_[cell(a, b)] != 0; }
  /// Whether the two may touch.
  bool is_allowed(std::uint32_t a, std::uint32_t b) const { return allowed_[cell(a, b)] != 0; }
  /// The number of pairs that are checked.
  std::size_t pair_count() const { return pair_count_; }

 private:
  std::size_t cell(std::uint32_t a, std::uint32_t b) const { return class_of_[a] * classes_ + class_of_[b]; }

  // Parts that match the same patterns form a class. The tables hold what the rules say about each pair of classes.
  std::vector<std::uint32_t> class_of_;
  std::size_t classes_ = 0;
  std::vector<char> checked_;
  std::vector<char> allowed_;
  std::size_t pair_count_ = 0;
};

}  // namespace whisker::clash
