#pragma once

// The bits of a mask, as a range: for (const unsigned i : SetBits(mask)) visits the numbers of the bits that are 1, the
// lowest first.

#include <cstdint>
#include <iterator>

namespace whisker::simd {

class SetBits {
 public:
  explicit constexpr SetBits(std::uint64_t mask) : rest_(mask) {}

  constexpr SetBits begin() const { return *this; }
  constexpr std::default_sentinel_t end() const { return {}; }

  constexpr unsigned operator*() const { return static_cast<unsigned>(__builtin_ctzll(rest_)); }
  constexpr SetBits& operator++() {
    rest_ &= rest_ - 1;
    return *this;
  }
  constexpr bool operator==(std::default_sentinel_t) const { return rest_ == 0; }

 private:
  std::uint64_t rest_;
};

}  // namespace whisker::simd
