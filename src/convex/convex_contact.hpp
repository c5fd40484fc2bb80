#pragma once

// Common parts of the queries on two convex shapes: their order, what doubles prove about contact, and the use of a
// cache.

#include <whisker/queries.hpp>

#include "convex/convex_body.hpp"
#include "convex/convex_frame.hpp"
#include "convex/epa.hpp"

namespace whisker::convex {

inline constexpr double contact_roundoff = 0x1p-53;
inline constexpr double shrink = 1 - 8 * contact_roundoff;  // covers a few roundings
inline constexpr double widen = 1 + 8 * contact_roundoff;
inline constexpr double clear_of_contact = 16;  // in units of the error, see is_clear

/// The two bodies in the order in which they are processed.
struct OrderedBodies {
  const ConvexBody& a;
  const ConvexBody& b;
  bool swapped;

  OrderedBodies(const ConvexBody& first, const ConvexBody& second)
      : OrderedBodies(first, second, comes_first(second, first)) {}

 private:
  OrderedBodies(const ConvexBody& first, const ConvexBody& second, bool swap)
      : a(swap ? second : first), b(swap ? first : second), swapped(swap) {}
};

/// A point of an exact search (convex_exact.hpp) in the world.
inline Vector3 to_world(const OrderedBodies& pair, const geometry::Vector3dd& point, double scale) {
  return pair.a.pose.translation() + geometry::to_vector3(point) / scale;
}

/// Whether balls around the origins of two frames are apart, by more than rounding and the error of a rotation. `sizes`
/// is the sum of their radii.
inline bool are_far_apart(double sizes, const Pose& a, const Pose& b) {
  const double reach = sizes * (1 + 0x1p-20);
  return reach > 0x1p-400 && (b.translation() - a.translation()).squaredNorm() > reach * reach;
}

/// Bounds on the distance of the shapes, radii included, in the frame's unit, as computed in doubles.
struct Bounds {
  double lower = 0;
  double upper = 0;

  bool apart() const { return lower > 0; }
  bool overlap() const { return upper <= 0; }
};
Bounds bounds_of(const FramePair& frame, const GjkResult& r);

/// Whether the bounds are as tight as doubles should make them.
bool is_tight(const FramePair& frame, const Bounds& bounds);

/// Whether contact is so far away that the result of a warm-started search may be used. Closer to contact, the steps
/// must be the same with and without a cache.
bool is_clear(const FramePair& frame, const GjkResult& r, const Bounds& bounds);

/// Where to begin the search according to a cache.
WarmStart warm_start(const PairCache* cache, const OrderedBodies& pair, const FramePair& frame, bool want_corners);
void remember(PairCache* cache, const OrderedBodies& pair, const FramePair& frame, const GjkResult& r);

inline void run_gjk(FramePair& frame, const GjkGoal& goal, const WarmStart& warm, GjkResult& r, Cost& cost) {
  run_gjk(frame, goal, warm, r);
  cost.primitive_tests += static_cast<std::uint64_t>(r.supports);
}

enum class Contact { apart, overlap, open };

/// A goal that ends a search as soon as it is known whether the shapes touch.
GjkGoal contact_goal(const FramePair& frame);

/// What doubles prove after a search that was run to its end.
Contact judge(FramePair& frame, const GjkResult& r, Cost& cost);

/// Decides whether the shapes touch if doubles left it open.
Contact judge_exactly(const OrderedBodies& pair, Cost& cost);

/// The distance of two bodies in a frame that has been set (convex_queries.cpp). Returns whether they are not proven
/// apart. Then `r` is where a search ended that was run to its end, and the new result has bounds but perhaps no
/// points. The search starts according to `start`, which may be null.
bool find_gap(const OrderedBodies& pair, FramePair& frame, const SignedDistanceOptions& options, const PairCache* start,
              GjkResult& r, Distance& result);

}  // namespace whisker::convex
