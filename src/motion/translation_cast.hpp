#pragma once

// First contact of two bounded convex bodies that translate, as a ray cast (G. van den Bergen, "Ray casting against
// general convex objects with application to continuous collision detection", 2004).
//
// Relative to a, b moves by d. With C the Minkowski difference a - b at time 0, radii included, the bodies touch at
// time t if and only if the point t d is in C. Everything is computed in one frame at time 0: no pose at another time
// is ever rounded.

#include <cstdint>

#include <whisker/first_contact.hpp>

#include "convex/convex_body.hpp"
#include "convex/simple_shape.hpp"

namespace whisker::motion {

/// A body and its displacement from time 0 to time 1.
struct MovingBody {
  convex::ConvexBody body;
  Vector3 by = Vector3::Zero();
};

struct CastGoal {
  double tolerance = 0;
  std::uint64_t budget = 0;
};

/// The first contact of two bodies. `apart_at_start`: whether they are known not to touch at time 0. If it is false on
/// entry and still false on return, doubles could not tell. Then only the normal is valid, and the caller has to decide
/// by other means.
Impact cast_convex_convex(const MovingBody& a, const MovingBody& b, const CastGoal& goal, bool& apart_at_start);

enum class Swept : std::uint8_t { apart, touch, open };

/// Whether the bodies touch at any time in [0, 1], by one GJK on doubles.
Swept swept_convex_convex(const MovingBody& a, const MovingBody& b, Cost& cost);

/// The same with a half-space or plane in place of one or both bodies, in closed form. The two must not touch at time
/// 0.
Impact cast_convex_plane(const MovingBody& a, const convex::SimpleShape& plane, const Vector3& plane_by);
Impact cast_plane_plane(const convex::SimpleShape& a, const Vector3& by_a, const convex::SimpleShape& b,
                        const Vector3& by_b);

}  // namespace whisker::motion
