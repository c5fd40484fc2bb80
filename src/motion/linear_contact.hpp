#pragma once

// Finds when a polygon whose corners move at constant velocity along straight lines first contains the origin. Point
// against triangle and segment against segment both reduce to this, for the differences of their corners. Plain
// structs, for code that is compiled once per instruction set.
//
// Point p against triangle abc: the triangle a - p, b - p, c - p. Segment a0a1 against b0b1: the parallelogram b0 - a0,
// b0 - a1, b1 - a1, b1 - a0. (Point against segment gives a segment, and point against point gives a point.)
//
// At a time when such a polygon contains the origin, with corners x_i and sides e_i from x_i to the next corner:
// - x_0 · (e_0 × e_1) = 0: all corners are in one plane with the origin. A cubic in t.
// - All x_i × e_i are c_i n with one vector n and c_i >= 0. So no coordinate of them is positive for one i and negative
//   for another. Quadratics in t.
// - No vector n has n · x_i > 0 for all i. Linear in t.
//
// If one of these conditions certainly fails for all times of an interval, there is no contact in the interval. The
// second and third hold for degenerate polygons too. Whether a polynomial is certainly positive on an interval is
// decided by its Bernstein coefficients there, minus their possible rounding error.

#include <array>
#include <cstddef>
#include <cstdint>

#include <whisker/vector.hpp>

#include "geometry/function_ref.hpp"

namespace whisker::motion {

/// Two features whose corners move. Point and triangle: the point, then the triangle's corners. Two segments: the ends
/// of the first, then those of the second. Three coordinates each.
struct FeaturePair {
  const double* start[4];
  const double* end[4];
};

enum class FeaturePairKind : std::uint8_t { point_point, point_segment, point_triangle, segment_segment };

/// The number of corners of the first feature of a pair. The others belong to the second feature.
constexpr std::size_t corners_of_first(FeaturePairKind kind) {
  return kind == FeaturePairKind::segment_segment ? 2 : 1;
}

/// How two features form a polygon: corner i of the polygon is corner b[i] of the pair minus corner a[i]. Side i goes
/// from corner i to corner i + 1.
struct PolygonLayout {
  int corners;     ///< of the pair
  int count;       ///< corners of the polygon
  int sides;       ///< sides of the polygon that differ by more than their sign: for a parallelogram the first two
  int a[4], b[4];  ///< corner numbers
  /// For pairs in rows, offsets from where the row begins: PointTriangle and SegmentSegment as they lie in memory.
  int start[4], end[4];
};
constexpr PolygonLayout layout_of(FeaturePairKind kind) {
  switch (kind) {
    case FeaturePairKind::point_point:
      return {2, 1, 0, {0}, {1}, {}, {}};
    case FeaturePairKind::point_segment:
      return {3, 2, 2, {0, 0}, {1, 2}, {}, {}};
    case FeaturePairKind::point_triangle:
      return {4, 3, 3, {0, 0, 0}, {1, 2, 3}, {0, 6, 9, 12}, {3, 15, 18, 21}};
    default:
      return {4, 4, 2, {0, 1, 1, 0}, {2, 2, 3, 3}, {0, 3, 12, 15}, {6, 9, 18, 21}};
  }
}

/// A moving polygon, with bounds on the rounding errors of what is computed from it.
struct alignas(32) LinearPolygon {
  static constexpr int most = 4;

  /// Corners and sides at time 0, and their changes until time 1. Each is one rounded difference of input coordinates,
  /// times `scale`. A change is the rounded difference of two of these. Fourth coordinates are 0.
  double x[most][4], dx[most][4];
  double e[3][4], de[3][4];
  /// The largest absolute coordinate along each axis, of corners and of sides, at both ends.
  double size_x[4], size_e[4];
  /// How far Bernstein coefficients may be off. `cubic_error` is for the outer coefficients of the cubic. The inner
  /// ones are off by three times as much, and are computed three times as large. `quadratic_error` is for the outer
  /// coefficients of the quadratic in the plane perpendicular to each axis. The inner one is off by twice as much. A
  /// separation is included: if a coefficient exceeds its bound, the origin is farther than the separation from the
  /// polygon.
  double quadratic_error[4];
  double cubic_error;
  double width;       ///< the width of the answer, in time, that is good enough
  double near;        ///< times `scale`: a gap that need not be distinguished from a contact
  double separation;  ///< times `scale`: the origin counts as contained if it is no farther away than this
  double scale;       ///< a power of two
  bool is_still;      ///< no corner changes
  int count;          ///< number of corners: 1 to 4
  int sides;
};

struct LinearOptions {
  double near;       ///< a gap that need not be distinguished from a contact
  double tolerance;  ///< as in FeatureImpactOptions, like the next three
  double time_tolerance;
  double separation;
  double until;
  /// The caller has checked that coordinates are finite and not too large. The features' boxes are known to overlap, so
  /// that comparing them first is of no use.
  bool is_checked;
};

struct LinearAnswer {
  bool apart = true;
  bool certain = false;  ///< there certainly is a contact in [lower, upper]
  bool limited = false;  ///< the interval is wider than requested
  double lower = 1;
  double upper = 1;
};

enum class LinearOutcome : std::uint8_t { apart, touch, refused };

/// Tests one pair. Sets the polygon unless the pair is refused or separated along an axis at both ends. Refuses
/// coordinates that are not finite or beyond `max_coordinate`.
LinearOutcome first_contact_of(FeaturePairKind kind, const FeaturePair& pair, const LinearOptions& options,
                               LinearPolygon& polygon, LinearAnswer& answer);

/// Sets the polygon of a point and a triangle, or of two segments, that are not refused.
void set_polygon_of(FeaturePairKind kind, const FeaturePair& pair, const LinearOptions& options,
                    LinearPolygon& polygon);

/// Receives the pairs that touch, in any order.
using LinearSink = geometry::FunctionRef<void(std::size_t number, const FeaturePair& pair, const LinearPolygon& polygon,
                                              const LinearAnswer& answer)>;

struct alignas(64) MovingVertex {
  double start[3], end[3];
};

/// A pair given by vertex numbers, and the caller's own numbers for it.
struct NumberedPair {
  std::array<std::uint32_t, 4> corners;
  std::array<std::uint32_t, 2> numbers;
};

/// Pairs of a point and a triangle, or of two segments, in rows of 24 numbers as in the layout. If `rows` is null,
/// pairs are given by vertex numbers: those of the first feature in vertices_a, those of the second in vertices_b.
struct FeaturePairs {
  const double* rows = nullptr;
  const NumberedPair* numbered = nullptr;
  const MovingVertex* vertices_a = nullptr;
  const MovingVertex* vertices_b = nullptr;

  /// Corner k of a pair that is given by vertex numbers.
  const MovingVertex& corner(FeaturePairKind kind, std::size_t number, std::size_t k) const {
    return (k < corners_of_first(kind) ? vertices_a : vertices_b)[numbered[number].corners[k]];
  }
  FeaturePair pair(FeaturePairKind kind, std::size_t number) const {
    FeaturePair pair;
    for (std::size_t k = 0; k < 4; ++k) {
      pair.start[k] = corner(kind, number, k).start;
      pair.end[k] = corner(kind, number, k).end;
    }
    return pair;
  }
};

/// Tests many pairs at once, with the same results. Returns false if a pair was refused.
bool first_contacts_of(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const LinearOptions& options,
                       const LinearSink& sink);

/// Describes a point and a triangle, or two segments, at a time when they touch.
struct Description {
  double weight[LinearPolygon::most];  ///< the weights of the polygon's corners in the point that is at the origin
  double normal[3];  ///< unit vector perpendicular to both, on the side where the second was at time 0
  bool is_set;       ///< if false, the rest is not set: contact on a border, or nearly parallel, or the like
};
/// Many pairs or a single one, with the same results.
void describe_plainly(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const double* times,
                      Description* results);
Description describe_plainly(FeaturePairKind kind, const FeaturePair& pair, double time);

/// The values computed for a polygon with three or four corners over a time interval, for comparison with the exact
/// ones.
struct LinearCoefficients {
  double cubic[4];         ///< the inner ones are three times as large
  int axis;                ///< the quadratics are in the plane perpendicular to it
  double quadratic[4][3];  ///< for each corner; the inner ones are twice as large; the last two of four are negated
};
LinearCoefficients coefficients_of(const LinearPolygon& polygon, double from, double to);

/// How far in time the third condition alone gets.
struct Advance {
  double time;      ///< there is no contact from the start of the search to this time
  bool is_apart;    ///< the search reached the end
  bool is_stopped;  ///< the search makes hardly any progress
  double gap;       ///< if so: about how far away the polygon is, along the axis where this is largest
};
/// Searches from time `from` with at most `steps` steps, until a step is smaller than `least`. Each step goes as far as
/// the direction to the nearest point of the polygon separates it from the origin, so that the search approaches a
/// contact as Newton's method would.
Advance advance_by_axes(const LinearPolygon& polygon, double from, double until, double least, int steps);

/// Finds the first contact with the third condition alone, for any number of corners and any separation.
void first_contact_by_axes(const LinearPolygon& polygon, double until, double width, LinearAnswer& answer);

/// Whether some direction proves that the polygon stays farther than `separation` from the origin from time `from` to
/// time `to`.
bool is_kept_away(const LinearPolygon& polygon, double from, double to, double separation);

/// The point of the polygon nearest to the origin at time t, as far as doubles can tell, and the weights of the corners
/// in it.
struct NearestOfPolygon {
  Vector3 v = Vector3::Zero();
  double weight[LinearPolygon::most] = {};
};
NearestOfPolygon nearest_of_polygon(const LinearPolygon& polygon, double t);

}  // namespace whisker::motion
