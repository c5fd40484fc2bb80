#pragma once

/// \file
/// The first queries of a process take longer than later ones: the instruction set is chosen, code is read into memory,
/// threads start. A program that has to answer its first query in time does that while it starts:
///
///     warm_up();
///     const Distance gap = distance(tool, {part, pose});       // as fast as any later one

namespace whisker {

/// Takes what the first queries of a process would otherwise take longer: asks every query of small shapes of every
/// kind, and a batch, on up to `threads` threads (0: all that oneTBB provides, which starts them; 1: only the calling
/// thread; n: at most n). About ten milliseconds. Changes no answer, and may be called at any time and on any thread.
/// What a shape of the user's computes in its own first query (docs/mesh-engine.md) is not included. Throws an Error if
/// `threads` is negative.
void warm_up(int threads = 0);

}  // namespace whisker
