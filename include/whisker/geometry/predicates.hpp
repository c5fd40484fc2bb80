#pragma once

/// \file
/// Exact geometric predicates: on which side of a line, plane, circle or sphere a point lies.
///
///     if (orient3d(t.a, t.b, t.c, p) > 0) in_front(p);          // exact, also for points that are almost on the plane
///     if (orient2d(0, 0, 1, 0, x, y) == 0) on_the_x_axis();
///
/// Every function returns the sign (+1, 0 or -1) of a determinant of the given coordinates, as if it were computed
/// without any rounding. 0 means exactly on the line, plane, circle or sphere, never "close to it".
///
/// The sign is exact for ALL finite doubles, whatever their magnitudes. Subnormal numbers, coordinates near the largest
/// double, and both in one call are handled. The magnitudes only change the cost:
///  - A filter in plain double arithmetic decides nearly every call in a few nanoseconds. It can decide as long as the
///    determinant stays clear of underflow and overflow: coordinates of similar size from about 1e-140 to 1e150 for
///    orient2d, 1e-90 to 1e100 for orient3d, 1e-70 to 1e75 for incircle, 1e-55 to 1e60 for insphere.
///  - Calls that the filter cannot decide (points on the line, plane, circle or sphere or within rounding of it, and
///    sizes outside those ranges) go to exact arithmetic. That takes from a tenth of a microsecond (orient2d, orient3d)
///    to a microsecond (insphere) for points of similar size, and up to a tenth of a millisecond when one call mixes
///    the smallest and the largest doubles.
///
/// If a coordinate is infinite or NaN, the result is 0 and means nothing, but there is no crash and no hang. The
/// floating-point environment must round to nearest and keep subnormal numbers (no flush-to-zero). Nothing is thrown or
/// allocated. All functions are safe in any thread.

#include <whisker/vector.hpp>

namespace whisker {

/// Sign of (b - a) × (c - a): +1 if a, b, c turn left (counter-clockwise), -1 if they turn right, 0 if collinear.
int orient2d(const Vector2& a, const Vector2& b, const Vector2& c);
int orient2d(double ax, double ay, double bx, double by, double cx, double cy);

/// Sign of ((b - a) × (c - a)) · (d - a): +1 if d lies on the side that the counter-clockwise normal of a, b, c points
/// to, -1 on the other side, 0 if the four are coplanar. (Shewchuk's orient3d has the opposite sign.)
int orient3d(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d);

/// +1 if d is strictly inside the circle through a, b, c, -1 if strictly outside, 0 if on it, provided that a, b, c
/// turn left. If they turn right, the sign is the opposite. If they are collinear, the result is the sign of the
/// determinant and has no such meaning.
int incircle(const Vector2& a, const Vector2& b, const Vector2& c, const Vector2& d);

/// +1 if e is strictly inside the sphere through a, b, c, d, -1 if strictly outside, 0 if on it, provided that
/// orient3d(a, b, c, d) > 0. If that is < 0, the sign is the opposite. If a, b, c, d are coplanar, the result is the
/// sign of the determinant and has no such meaning.
int insphere(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d, const Vector3& e);

}  // namespace whisker
