#pragma once

// Compounds against everything: the union of the parts' answers. Each pair of parts is asked through the table, so a
// compound knows what its parts know; boxes of the parts, in a tree, keep far pairs out.
//
// `a` is a compound, `b` anything that the table has. Throws an Error that names the two kinds, before any work, if a
// part of a and b, or a part of b, are a pair that the question has no algorithm for.

#include <whisker/queries.hpp>

namespace whisker::queries {

bool touches_compound(const Placed& a, const Placed& b, PairCache* cache, Cost& cost);

/// Features are numbered as compound.hpp says.
void contacts_compound(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result);

Distance distance_compound(const Placed& a, const Placed& b, const DistanceOptions& options);

/// Lower bound: the deepest pair of parts. Upper bound: the best translation that was found and verified, along the
/// directions in which pairs of parts leave each other and along the axes. No height fields: they are surfaces here.
Depth depth_compound(const Placed& a, const Placed& b, const DepthOptions& options);

}  // namespace whisker::queries
