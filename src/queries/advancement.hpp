#pragma once

// The first contact of any two shapes by conservative advancement (Mirtich and Canny 1995): if the shapes are d apart
// at some time, they do not touch before their points have moved that far.

#include <whisker/first_contact.hpp>

namespace whisker::queries {

/// The motions must have been checked, and the pair must have a `distance`.
MotionImpact advance_to_contact(const Moving& a, const Moving& b, const ImpactOptions& options);

/// Sets both poses at `time_lower`, or slightly earlier if the shapes touch there because of rounding.
void set_poses(const Moving& a, const Moving& b, MotionImpact& impact);

}  // namespace whisker::queries
