#pragma once

// Which pairs of parts the rules are about.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clash/assembly.hpp"

namespace whisker::clash {

/// Whether a pattern covers a whole text: * is any text, ? any letter.
bool matches(std::string_view pattern, std::string_view text);

/// Whether the rule is about two different parts, at least.
bool names_pair(const PairRule& rule, const Assembly& assembly);

/// Patterns of the rules that cover no part and no group: misspelt, most likely. Each once.
std::vector<std::string> patterns_without_parts(const Assembly& assembly);

/// The rules of an assembly, looked up fast. Refers to nothing once made.
class PairFilter {
 public:
  explicit PairFilter(const Assembly& assembly);

  /// Whether the two parts are checked against each other.
  bool is_checked(std::uint32_t a, std::uint32_t b) const;
  /// Whether the two may touch.
  bool is_allowed(std::uint32_t a, std::uint32_t b) const;
  /// How many pairs are checked.
  std::size_t pair_count() const { return pair_count_; }

 private:
  // Parts that the same patterns cover are one class; what the rules say of two classes is in the tables.
  std::vector<std::uint32_t> class_of_;
  std::size_t classes_ = 0;
  std::vector<char> checked_;
  std::vector<char> allowed_;
  std::size_t pair_count_ = 0;
};

}  // namespace whisker::clash
