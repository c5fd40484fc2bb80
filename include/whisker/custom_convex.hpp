#pragma once

/// \file
/// CustomConvex: a convex shape that the user defines by a support function.
///
///     // A box with rounded edges: the box's own support point, moved outward by the radius 0.1.
///     const Vector3 half(2, 1, 0.5);
///     const auto support = [half](const Vector3& d) -> Vector3 {
///       return d.cwiseSign().cwiseProduct(half) + 0.1 * d.stableNormalized();
///     };
///     const CustomConvex rounded(support, 1e-15);  // rounding: up to 1e-15 off
///     const bool hit = touches({rounded, pose}, table);
///
/// A custom shape works wherever bounded convex shapes do, except that rays cannot be cast at it and that its volume()
/// and centroid() are not known. `mass_properties` (mass.hpp) finds bounds for them.

#include <functional>
#include <memory>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// A bounded convex shape that is known only by its support function. Copies share the function.
///
/// `support(d)` returns a point of the shape that is farthest along d, in the shape's own frame. The direction d is
/// never zero and need not be a unit vector. The function may be called from every thread that queries the shape, from
/// several at once, and may itself call whisker. Exceptions that it throws propagate to the caller of whisker.
///
/// The caller guarantees that the returned points belong to one convex shape. A query that encounters a contradiction
/// throws an Error: its bounds cross each other, or a point lies farther along a direction than the support point that
/// was returned for that direction. A point that is not finite is an Error as well. Queries do not search for
/// contradictions, so one that no query encounters goes unnoticed.
class CustomConvex {
 public:
  using Support = std::function<Vector3(const Vector3& direction)>;

  /// `support_error` is a length in the user's unit: how far a returned point may fall short of the true extreme along
  /// d/|d|, or lie outside the shape. Certified bounds are widened by it.
  ///
  /// Calls the function for the six axis directions. Throws an Error if the function is empty, if `support_error` is
  /// negative, not finite or beyond `max_coordinate`, or if one of the six support points is not finite or has a
  /// coordinate beyond `max_coordinate`.
  explicit CustomConvex(Support support, double support_error = 0);

  /// Calls the user's function.
  Vector3 support(const Vector3& direction) const;
  double support_error() const;
  /// An AABB that encloses the shape, in its own frame: from the support points along the axes, widened by
  /// `support_error`.
  Aabb bounds() const;

 private:
  struct Storage;
  Held<"CustomConvex", std::shared_ptr<const Storage>> storage_;
};

}  // namespace whisker
