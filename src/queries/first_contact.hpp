#pragma once

// The first contact of moving shapes.

#include <whisker/first_contact.hpp>

namespace whisker::queries {

/// Any two shapes, by conservative advancement (Mirtich and Canny 1995): if the shapes are d apart at some time, they
/// do not touch before their points have moved that far. The motions must have been checked, and the pair must have a
/// `distance`.
MotionImpact advance_to_contact(const Moving& a, const Moving& b, const ImpactOptions& options);

/// touches_during by means of a first_contact.
template <MotionImpact (*first_contact)(const Moving&, const Moving&, const ImpactOptions&)>
bool touches_by_first_contact(const Moving& a, const Moving& b, Cost& cost) {
  const MotionImpact impact = first_contact(a, b, {});
  cost.primitive_tests += impact.cost.primitive_tests;
  cost.volume_tests += impact.cost.volume_tests;
  return impact.status != ImpactStatus::apart;
}

/// The impact of shapes that touch at time 0: a common point and, if both are convex, the direction of the shortest way
/// out. `cost`: what finding out has cost.
Impact touching_at_start(const Moving& a, const Moving& b, const Cost& cost);

/// Sets both poses at `time_lower`, or slightly earlier if the shapes touch there because of rounding.
void set_poses(const Moving& a, const Moving& b, MotionImpact& impact);

// The first contact of pairs that have a better method.

/// Two bounded convex shapes: a ray cast if both move straight.
MotionImpact first_contact_convex_convex(const Moving& a, const Moving& b, const ImpactOptions& options);
bool touches_during_convex_convex(const Moving& a, const Moving& b, Cost& cost);

/// A half-space or plane and a convex shape, or two of the former.
MotionImpact first_contact_with_plane(const Moving& a, const Moving& b, const ImpactOptions& options);

}  // namespace whisker::queries
