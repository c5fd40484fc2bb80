#pragma once

// The first contact of any two shapes by conservative advancement (Mirtich and Canny 1995): from a time at which they
// are d apart they do not touch before one of their points has gone so far.

#include <whisker/first_contact.hpp>

namespace whisker::queries {

/// The motions are checked, and the pair has a `distance`.
MotionImpact advance_to_contact(const Moving& a, const Moving& b, const ImpactOptions& options);

/// Sets both poses at `time_lower`, or a little earlier if they touch there by rounding.
void set_poses(const Moving& a, const Moving& b, MotionImpact& impact);

}  // namespace whisker::queries
