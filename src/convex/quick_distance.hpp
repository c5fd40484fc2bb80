#pragma once

// Distances and depths of simple shapes in double, for nearly all pairs. The rest is left to simple_distance.hpp.

#include <whisker/queries.hpp>

#include "convex/quick_touch.hpp"
#include "convex/simple_shape.hpp"

namespace whisker::convex {

enum class Quick : unsigned char {
  unknown,  ///< Nothing is known.
  found,
  alone,  ///< Found, and the two closest points are the only ones, up to rounding.
};

/// The distance of two shapes if both are spheres, capsules, boxes, segments or triangles, and doubles determine it as
/// precisely as docs/accuracy.md promises. If `deep` is given and the shapes overlap, their depth instead, and
/// `unknown` if that is not determined. The results must be new.
Quick find_quick_distance(const Placed& a, const Placed& b, Distance& result, Depth* deep = nullptr);
/// The same for placed simple shapes. The bits are the same, too, but more pairs may be `found` and not `alone`.
Quick find_quick_distance(const SimpleShape& a, const SimpleShape& b, Distance& result, Depth* deep = nullptr);

/// The distance of two spheres, or their depth if `deep` is given and they overlap. `found` or, if they touch within
/// rounding or their centers are in one place, `unknown`. The results must be new.
Quick find_sphere_distance(const Vector3& center_a, double radius_a, const Vector3& center_b, double radius_b,
                           Distance& result, Depth* deep = nullptr);

/// Whether a box and another such shape touch, or a triangle and one that is no sphere, by the axes that may separate
/// their cores. Unknown for others.
QuickTouch find_axes_touch(const Placed& a, const Placed& b);
QuickTouch find_axes_touch(const SimpleShape& a, const SimpleShape& b);

/// The same as find_quick_distance for a half-space or plane and any other simple shape, cylinder, cone or ellipsoid,
/// in either order.
Quick find_quick_flat(const Placed& a, const Placed& b, Distance& result, Depth* deep);

}  // namespace whisker::convex
