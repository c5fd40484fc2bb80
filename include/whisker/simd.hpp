#pragma once

/// \file
/// Selects the instruction set of the SIMD kernels, for tests and benchmarks.
///
///     for (const std::string& target : simd_targets()) {
///       use_simd_target(target);
///       measure(target);
///     }
///     use_simd_target("");                     // back to the best one
///
/// By default the kernels use the best instruction set that the processor supports, detected at run time. Results are
/// the same with all of them.

#include <string>
#include <string_view>
#include <vector>

namespace whisker {

/// The names of the instruction sets that this processor supports, best first: "avx512", "avx2", "sse4" (on other
/// processors "neon", "scalar").
std::vector<std::string> simd_targets();

/// Forces one of these instruction sets for the whole process; "" returns to the best one. Returns false, and changes
/// nothing, if the processor does not support it. Must not be called while queries run.
bool use_simd_target(std::string_view name);

}  // namespace whisker
