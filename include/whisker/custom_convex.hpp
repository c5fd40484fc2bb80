#pragma once

/// \file
/// CustomConvex: a convex shape that the user describes by a support function.

#include <functional>
#include <memory>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// A convex, bounded shape of the user's own, known by its support mapping alone.
///
/// `support(d)` returns a point of the shape that lies farthest along d (d is never zero, and need not be unit). It is
/// called from any thread that queries the shape, and may itself call whisker.
///
/// That the points are those of one convex shape is the caller's promise. Where a query sees that they are not, as its
/// bounds cross each other or a point lies farther along a direction than the one that was given for it, it throws an
/// Error, and so it does where a point is not finite. It does not look for such contradictions: what it does not come
/// across goes unnoticed.
class CustomConvex {
 public:
  using Support = std::function<Vector3(const Vector3& direction)>;

  /// `support_error`: how far, in the user's unit, a returned point may fall short of the true extreme along d/|d|,
  /// or lie outside the shape. Certified bounds are widened by it.
  /// Throws an Error if the function is empty, the error is negative, not finite or beyond `max_coordinate`, or a
  /// support point along one of the six axis directions is not finite or beyond it.
  explicit CustomConvex(Support support, double support_error = 0);

  Vector3 support(const Vector3& direction) const;
  double support_error() const;
  /// Encloses the shape, from the support points along the axes.
  Aabb bounds() const;

 private:
  struct Storage;
  Held<"CustomConvex", std::shared_ptr<const Storage>> storage_;
};

}  // namespace whisker
