#pragma once

// The first contact of pairs that have a better method than conservative advancement (queries/advancement.hpp).

#include <whisker/first_contact.hpp>

namespace whisker::queries {

/// Two bounded convex shapes: a ray cast if both move straight.
MotionImpact first_contact_convex_convex(const Moving& a, const Moving& b, const ImpactOptions& options);
bool touches_during_convex_convex(const Moving& a, const Moving& b, Cost& cost);

/// A half-space or plane and a convex shape, or two of the former.
MotionImpact first_contact_with_plane(const Moving& a, const Moving& b, const ImpactOptions& options);

}  // namespace whisker::queries
