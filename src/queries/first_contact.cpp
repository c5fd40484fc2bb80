#include "queries/first_contact.hpp"

#include <string>

#include <whisker/error.hpp>
#include <whisker/queries.hpp>

#include "motion/translation_cast.hpp"
#include "queries/check_query.hpp"
#include "queries/table.hpp"

namespace whisker {

namespace {

using motion::MovingBody;

/// Throws an Error if the pair or a motion is refused.
const queries::PairAlgorithms& check(const char* question, const Moving& a, const Moving& b) {
  check(a.motion);
  check(b.motion);
  const queries::PairAlgorithms& pair = queries::algorithms(a.shape, b.shape);
  if (pair.first_contact == nullptr) {
    throw Error(std::string(question) + ": not supported between a " + std::string(name(a.shape.kind())) + " and a " +
                std::string(name(b.shape.kind())) + ", which have no distance");
  }
  return pair;
}

/// Whether a motion is straight or none at all.
bool is_straight(const Motion& motion) {
  return std::holds_alternative<Still>(motion) || std::holds_alternative<Straight>(motion);
}

/// Whether both shapes move straight, as ray casts require.
bool is_cast(const Moving& a, const Moving& b) {
  return is_straight(a.motion) && is_straight(b.motion);
}

/// The displacement of a straight motion from time 0 to time 1.
Vector3 way_of(const Motion& motion) {
  const auto* straight = std::get_if<Straight>(&motion);
  return straight != nullptr ? straight->by : Vector3(Vector3::Zero());
}

MovingBody body_of(const Moving& moving) {
  return {convex::convex_body(moving.shape, start_of(moving.motion)), way_of(moving.motion)};
}

bool touches_at_start(const Moving& a, const Moving& b, Cost& cost) {
  return touches({a.shape, start_of(a.motion)}, {b.shape, start_of(b.motion)}, &cost);
}

/// Whether a pair is processed in the other order.
bool comes_later(const Moving& a, const Moving& b) {
  if (a.shape.kind() != b.shape.kind()) return a.shape.kind() > b.shape.kind();
  const Pose &pose_a = start_of(a.motion), &pose_b = start_of(b.motion);
  if (convex::is_convex(a.shape.kind()))
    return comes_first(convex::convex_body(b.shape, pose_b), convex::convex_body(a.shape, pose_a));
  return comes_first(convex::place_simple(b.shape, pose_b), convex::place_simple(a.shape, pose_a));
}

Impact exchanged(Impact impact) {
  impact.normal = -impact.normal;
  return impact;
}

/// A common point and the direction of the shortest way out, or `otherwise` if the shapes touch without overlapping.
Impact contact_at_start(const Moving& a, const Moving& b, const Vector3& otherwise, Cost cost) {
  if (comes_later(a, b)) return exchanged(contact_at_start(b, a, -otherwise, cost));
  Impact impact = queries::touching_at_start(a, b, cost);
  if (impact.normal.isZero(0)) impact.normal = otherwise;
  return impact;
}

/// The normal from the first to the second shape, one of which is a half-space or plane.
Vector3 normal_of_plane(const Moving& a, const Moving& b) {
  const bool second = !convex::is_convex(b.shape.kind());
  const Moving& plane = second ? b : a;
  const Vector3 normal = convex::place_simple(plane.shape, start_of(plane.motion)).normal.stableNormalized();
  return second ? Vector3(-normal) : normal;
}

/// Casts with a half-space or plane.
Impact cast_with_plane(const Moving& a, const Moving& b) {
  const bool bounded_a = convex::is_convex(a.shape.kind());
  if (!bounded_a && convex::is_convex(b.shape.kind())) return exchanged(cast_with_plane(b, a));
  const convex::SimpleShape plane = convex::place_simple(b.shape, start_of(b.motion));
  if (bounded_a) return motion::cast_convex_plane(body_of(a), plane, way_of(b.motion));
  const convex::SimpleShape other = convex::place_simple(a.shape, start_of(a.motion));
  if (!comes_first(plane, other)) return motion::cast_plane_plane(other, way_of(a.motion), plane, way_of(b.motion));
  return exchanged(motion::cast_plane_plane(plane, way_of(b.motion), other, way_of(a.motion)));
}

Impact cast_convex(const Moving& a, const Moving& b, const ImpactOptions& options) {
  const MovingBody body_a = body_of(a), body_b = body_of(b);
  const motion::CastGoal goal{options.tolerance, options.budget};
  bool apart_at_start = false;
  Impact impact = cast_convex_convex(body_a, body_b, goal, apart_at_start);
  if (apart_at_start) return impact;
  // Close to contact at time 0: decided in the same way as for shapes that do not move.
  Cost cost = impact.cost;
  if (touches_at_start(a, b, cost)) return contact_at_start(a, b, impact.normal, cost);
  apart_at_start = true;
  return cast_convex_convex(body_a, body_b, goal, apart_at_start);
}

MotionImpact with_poses(const Moving& a, const Moving& b, const Impact& impact) {
  MotionImpact result{impact, {}, {}};
  queries::set_poses(a, b, result);
  return result;
}

}  // namespace

namespace queries {

MotionImpact first_contact_convex_convex(const Moving& a, const Moving& b, const ImpactOptions& options) {
  if (!is_cast(a, b)) return advance_to_contact(a, b, options);
  return with_poses(a, b, cast_convex(a, b, options));
}

MotionImpact first_contact_with_plane(const Moving& a, const Moving& b, const ImpactOptions& options) {
  if (!is_cast(a, b)) return advance_to_contact(a, b, options);
  Cost cost;
  if (touches_at_start(a, b, cost)) return with_poses(a, b, contact_at_start(a, b, normal_of_plane(a, b), cost));
  return with_poses(a, b, cast_with_plane(a, b));
}

bool touches_during_convex_convex(const Moving& a, const Moving& b, Cost& cost) {
  if (is_cast(a, b)) {
    const motion::Swept swept = swept_convex_convex(body_of(a), body_of(b), cost);
    if (swept != motion::Swept::open) return swept == motion::Swept::touch;
  }
  return touches_by_first_contact<&first_contact_convex_convex>(a, b, cost);
}

}  // namespace queries

MotionImpact first_contact(const Moving& a, const Moving& b, const ImpactOptions& options) {
  const queries::PairAlgorithms& pair = check("first_contact", a, b);
  queries::refuse_fault("first_contact", queries::fault_of(options));
  return pair.first_contact(a, b, options);
}

bool touches_during(const Moving& a, const Moving& b, Cost* cost) {
  Cost unused;
  return check("touches_during", a, b).touches_during(a, b, cost != nullptr ? *cost : unused);
}

}  // namespace whisker
