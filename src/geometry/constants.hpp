#pragma once

// Numbers that all parts of the library use.

#include <cstdint>
#include <limits>

namespace whisker {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// The largest relative error of one rounding to nearest.
inline constexpr double unit_roundoff = 0x1p-53;
/// A budget that no search uses up.
inline constexpr std::uint64_t no_budget = std::numeric_limits<std::uint64_t>::max();

}  // namespace whisker
