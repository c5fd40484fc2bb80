#pragma once

// When does a polygon whose corners move evenly along straight lines first hold the origin? Point against triangle and
// segment against segment are this one question about the differences of their corners. Plain structs, for code that
// is compiled once per instruction set.
//
// Point p against triangle abc: the triangle a - p, b - p, c - p. Segment a0a1 against b0b1: the parallelogram a0 - b0,
// a1 - b0, a1 - b1, a0 - b1. (Point against segment, and point against point: a segment and a point.)
//
// At a time when such a polygon holds the origin, with corners x_i and sides e_i from x_i to the next:
//  - x_0 · (e_0 × e_1) = 0: all corners are in one plane with the origin. A cubic in t;
//  - all x_i × e_i are c_i n with one vector n and c_i >= 0. So no coordinate of them is positive for one i and
//  negative
//    for another. Quadratics in t;
//  - no vector n has n · x_i > 0 for all i. Linear in t.
// Each of them, if it certainly fails for all times of an interval, proves that there is no contact in it; the second
// and third hold for degenerate polygons too. Whether a polynomial is certainly positive on an interval is seen from
// its Bernstein coefficients there, less what rounding may have done to them.

#include <cstdint>

namespace whisker::motion {

/// A polygon in motion, and what rounding may do to what is computed from it.
struct LinearPolygon {
  static constexpr int most = 4;

  int count = 0;  ///< corners: 1 to 4
  /// Corners and sides at time 0, and how they change until time 1. Each is one rounded difference of input
  /// coordinates, times `scale`; a change is the rounded difference of two such. (A point has no sides.)
  double x[most][3], dx[most][3];
  double e[most][3], de[most][3];
  /// The largest |coordinate| along each axis of corners and of sides, at both ends.
  double size_x[3], size_e[3];
  /// How far a coordinate of a corner or a side at any time may be off, over its size.
  static constexpr double interpolation = 7 * 0x1p-53;
  /// How far Bernstein coefficients may be off: of the cubic the outer ones (the inner ones three times as far, and
  /// they are computed three times as large), of the quadratic in the plane across each axis the outer ones (the inner
  /// one twice).
  double cubic_error = 0;
  double quadratic_error[3] = {0, 0, 0};
  double scale = 1;  ///< a power of two
};

struct LinearGoal {
  /// How wide the answer may be, in time.
  double width = 0;
  double until = 1;
  /// Times the polygon's scale: the origin counts as held by what is no farther from it.
  double separation = 0;
};

struct LinearAnswer {
  bool apart = true;
  bool certain = false;  ///< there is a contact in [lower, upper]
  bool limited = false;  ///< the interval is wider than was asked for
  double lower = 1;
  double upper = 1;
};

/// For three or four corners and no separation.
void first_contact_polygon(const LinearPolygon& polygon, const LinearGoal& goal, LinearAnswer& answer);

/// For all, by the third of the proofs alone: slower where they touch.
void first_contact_by_axes(const LinearPolygon& polygon, const LinearGoal& goal, LinearAnswer& answer);

/// Whether some direction proves that the polygon stays farther than `separation` from the origin from time `from` to
/// time `to`.
bool is_kept_away(const LinearPolygon& polygon, double from, double to, double separation);

/// The point of the polygon nearest to the origin, at time t, as far as doubles tell; and the shares of the corners in
/// it.
struct NearestOfPolygon {
  double v[3];
  double weight[LinearPolygon::most];
};
NearestOfPolygon nearest_of_polygon(const LinearPolygon& polygon, double t);

}  // namespace whisker::motion
