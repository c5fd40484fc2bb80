#pragma once

// How many random cases a property test runs, and the seeded generators that it draws them from.
//
// `./test` runs the base count. `./test --long` sets WHISKER_TEST_SCALE=10 and runs ten times as many.
// WHISKER_TEST_SEED varies the seeds. A failure message should print the numbers of its case.

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace whisker::test {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::stoull(text) : otherwise;
}

/// `base` cases in ./test, ten times as many in ./test --long, fewer under sanitizers (WHISKER_TEST_DIVIDE).
inline std::size_t cases(std::size_t base) {
  const std::uint64_t scaled = base * environment_number("WHISKER_TEST_SCALE", 1);
  const std::uint64_t divided = scaled / environment_number("WHISKER_TEST_DIVIDE", 1);
  return divided > 0 ? static_cast<std::size_t>(divided) : 1;
}

/// How many occurrences of something a test must find for its sample to be meaningful: `base` in ./test, proportionally
/// more in ./test --long. A run with fewer cases than usual may find less than its share by chance, so a quarter
/// suffices there.
inline std::size_t at_least(std::size_t base) {
  return environment_number("WHISKER_TEST_DIVIDE", 1) > 1 ? cases(base) / 4 : cases(base);
}

inline std::uint64_t test_seed() {
  return environment_number("WHISKER_TEST_SEED", 1);
}

/// A generator that differs by `stream` (one per test) and is the same in every run unless WHISKER_TEST_SEED is set.
inline std::mt19937_64 seeded(std::uint64_t stream, std::uint64_t seed = test_seed()) {
  return std::mt19937_64(stream * 0x9E3779B97F4A7C15ull + seed);
}

inline double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

}  // namespace whisker::test
