#include "clash/pattern.hpp"

#include <algorithm>
#include <map>

#include <whisker/error.hpp>

namespace whisker::clash {
namespace {

// More classes than this would need tables of gigabytes.
constexpr std::size_t max_classes = 20'000;

bool covers(std::string_view pattern, const Part& part) {
  return matches(pattern, part.name) || (!part.group.empty() && matches(pattern, part.group));
}

// The patterns of all rules, two for each: only, ignored, allowed.
std::vector<std::string_view> patterns_of(const Rules& rules) {
  std::vector<std::string_view> patterns;
  for (const auto* list : {&rules.only, &rules.ignored, &rules.allowed})
    for (const PairRule& rule : *list)
      patterns.insert(patterns.end(), {rule.a, rule.b});
  return patterns;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

bool names_pair(const PairRule& rule, const Assembly& assembly) {
  std::size_t of_a = 0, of_b = 0, of_both = 0;
  for (const Part& part : assembly.parts) {
    const bool is_a = covers(rule.a, part), is_b = covers(rule.b, part);
    of_a += is_a ? 1 : 0;
    of_b += is_b ? 1 : 0;
    of_both += is_a && is_b ? 1 : 0;
  }
  // A part does not form a pair with itself.
  return of_a * of_b > of_both;
}

std::vector<std::string> patterns_without_parts(const Assembly& assembly) {
  std::vector<std::string> result;
  for (const std::string_view pattern : patterns_of(assembly.rules)) {
    const auto is_covered = [&](const Part& part) { return covers(pattern, part); };
    if (std::none_of(assembly.parts.begin(), assembly.parts.end(), is_covered) &&
        std::find(result.begin(), result.end(), pattern) == result.end())
      result.emplace_back(pattern);
  }
  return result;
}

PairFilter::PairFilter(const Assembly& assembly) : class_of_(assembly.parts.size(), 0) {
  const Rules& rules = assembly.rules;
  const std::vector<std::string_view> patterns = patterns_of(rules);
  std::map<std::vector<bool>, std::uint32_t> numbers;
  std::vector<std::vector<bool>> classes;
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    const Part& part = assembly.parts[i];
    std::vector<bool> covered(patterns.size());
    for (std::size_t k = 0; k < patterns.size(); ++k)
      covered[k] = covers(patterns[k], part);
    const auto [found, is_new] = numbers.try_emplace(covered, static_cast<std::uint32_t>(classes.size()));
    if (is_new) {
      classes.push_back(covered);
      members.push_back(0);
    }
    class_of_[i] = found->second;
    ++members[found->second];
  }
  classes_ = classes.size();
  if (classes_ > max_classes) throw Error("rules: too many different patterns; use fewer, with * or groups");
  checked_.resize(classes_ * classes_);
  allowed_.resize(classes_ * classes_);
  for (std::size_t x = 0; x < classes_; ++x) {
    for (std::size_t y = x; y < classes_; ++y) {
      std::size_t at = 0;  // index of the rule's first pattern
      const auto any = [&](const std::vector<PairRule>& list) {
        bool is_named = false;
        for (std::size_t k = 0; k < list.size(); ++k, at += 2)
          is_named = is_named || (classes[x][at] && classes[y][at + 1]) || (classes[y][at] && classes[x][at + 1]);
        return is_named;
      };
      const bool is_only = any(rules.only), is_ignored = any(rules.ignored), is_allowed = any(rules.allowed);
      const bool is_checked = (rules.only.empty() || is_only) && !is_ignored;
      for (const std::size_t cell : {x * classes_ + y, y * classes_ + x}) {
        checked_[cell] = is_checked ? 1 : 0;
        allowed_[cell] = is_allowed ? 1 : 0;
      }
      if (is_checked) pair_count_ += x == y ? members[x] * (members[x] - 1) / 2 : members[x] * members[y];
    }
  }
}

}  // namespace whisker::clash
