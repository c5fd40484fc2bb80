#pragma once

/// \file
/// How the library uses the processor that a program runs on.
///
/// The first queries of a process take longer than later ones: the instruction set is chosen, code is read into memory,
/// threads start. A program that has to answer its first query in time does that while it starts:
///
///     warm_up();
///     const Distance gap = distance(tool, {part, pose});       // as fast as any later one
///
/// Tests and benchmarks select the instruction set of the SIMD kernels:
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

/// Takes what the first queries of a process would otherwise take longer: asks `touches`, `distance`, `depth`,
/// `signed_distance` and `cast_ray` of small shapes of the usual kinds, and a batch on up to `threads` threads (0: all
/// that oneTBB provides, which starts them; 1: only the calling thread; n: at most n). About ten milliseconds. Changes
/// no answer, and may be called at any time and on any thread. Not included are other questions (contacts, manifolds,
/// motion), and what a shape of the user's computes in its own first query (docs/mesh-engine.md). Throws an Error if
/// `threads` is negative.
void warm_up(int threads = 0);

/// The names of the instruction sets that this processor supports, best first: "avx512", "avx2", "sse4" (on other
/// processors "neon", "scalar").
std::vector<std::string> simd_targets();

/// Forces one of these instruction sets for the whole process; "" returns to the best one. Returns false, and changes
/// nothing, if the processor does not support it. Must not be called while queries run.
bool use_simd_target(std::string_view name);

}  // namespace whisker
