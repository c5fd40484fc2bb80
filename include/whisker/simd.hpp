#pragma once

/// \file
/// Which instruction set the wide kernels use. Chosen at run time, the best that the processor has; to be forced only
/// in tests and measurements. Answers are the same with all.

#include <string>
#include <string_view>
#include <vector>

namespace whisker {

/// The names of those that this processor can run, best first: "avx512", "avx2", "sse4" (on other processors "neon",
/// "scalar").
std::vector<std::string> simd_targets();

/// Forces one of them for the whole process; "" goes back to the best. False if the processor does not have it.
/// Not to be called while queries run.
bool use_simd_target(std::string_view name);

}  // namespace whisker
