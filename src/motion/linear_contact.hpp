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

#include <array>
#include <cstddef>
#include <cstdint>

namespace whisker::motion {

/// Two features whose corners move. Point and triangle: the point, then the triangle's corners; two segments: the ends
/// of the first, then those of the second. Three coordinates each.
struct FeaturePair {
  const double* start[4];
  const double* end[4];
};

enum class FeaturePairKind : std::uint8_t { point_point, point_segment, point_triangle, segment_segment };

/// Of two features as a polygon: its corner i is corner b[i] of the pair less corner a[i]; its side i goes from there
/// to corner i + 1.
struct PolygonLayout {
  int corners;     ///< of the pair
  int count;       ///< corners of the polygon
  int sides;       ///< of it that differ by more than their sign: a parallelogram's are its first two, and those back
  int a[4], b[4];  ///< numbers of corners
  /// Of pairs in rows, from where the row begins: PointTriangle and SegmentSegment as they lie in memory.
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

/// A polygon in motion, and what rounding may do to what is computed from it.
struct alignas(32) LinearPolygon {
  static constexpr int most = 4;

  /// Corners and sides at time 0, and how they change until time 1. Each is one rounded difference of input
  /// coordinates, times `scale`; a change is the rounded difference of two such. Fourth coordinates are 0.
  double x[most][4], dx[most][4];
  double e[3][4], de[3][4];
  /// The largest |coordinate| along each axis of corners and of sides, at both ends.
  double size_x[4], size_e[4];
  /// How far Bernstein coefficients may be off: of the cubic the outer ones (the inner ones three times as far, and
  /// they are computed three times as large), of the quadratic in the plane across each axis the outer ones (the inner
  /// one twice). With a separation, that many more: beyond it the origin is farther than that from the polygon.
  double quadratic_error[4];
  double cubic_error;
  double width;       ///< of the answer, in time, that is good enough
  double near;        ///< times `scale`: a gap that need not be told from a contact
  double separation;  ///< times `scale`: the origin counts as held by what is no farther from it
  double scale;       ///< a power of two
  bool is_still;      ///< no corner of it changes
  int count;          ///< corners: 1 to 4
  int sides;
};

struct LinearOptions {
  double near;       ///< a gap that need not be told from a contact
  double tolerance;  ///< as FeatureImpactOptions has them
  double time_tolerance;
  double separation;
  double until;
  /// Coordinates are known to be finite and not too large, and boxes about the features to meet, so that it is no use
  /// to compare them first.
  bool is_checked;
};

struct LinearAnswer {
  bool apart = true;
  bool certain = false;  ///< there is a contact in [lower, upper]
  bool limited = false;  ///< the interval is wider than was asked for
  double lower = 1;
  double upper = 1;
};

enum class LinearOutcome : std::uint8_t { apart, touch, refused };

/// One pair. The polygon is set unless they are refused or parted along an axis at both ends. Refuses coordinates that
/// are not finite or beyond `max_coordinate`.
LinearOutcome first_contact_of(FeaturePairKind kind, const FeaturePair& pair, const LinearOptions& options,
                               LinearPolygon& polygon, LinearAnswer& answer);

/// The polygon of a point and a triangle, or of two segments, that are not refused.
void set_polygon_of(FeaturePairKind kind, const FeaturePair& pair, const LinearOptions& options,
                    LinearPolygon& polygon);

/// What touches is handed over in any order.
struct LinearSink {
  void* context;
  void (*take)(void* context, std::size_t number, const FeaturePair& pair, const LinearPolygon& polygon,
               const LinearAnswer& answer);
};

struct alignas(64) MovingVertex {
  double start[3], end[3];
};

/// A pair as numbers of vertices, and what the caller knows it by.
struct NumberedPair {
  std::array<std::uint32_t, 4> corners;
  std::array<std::uint32_t, 2> numbers;
};

/// Points and triangles or two segments, in rows of 24 numbers as the layout says; or, if there are none, as numbers of
/// vertices, of the first feature in the one array and of the second in the other.
struct FeaturePairs {
  const double* rows = nullptr;
  const NumberedPair* numbered = nullptr;
  const MovingVertex* vertices_a = nullptr;
  const MovingVertex* vertices_b = nullptr;
};

/// Many at once: the same answers. False if one was refused.
bool first_contacts_of(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const LinearOptions& options,
                       const LinearSink& sink);

/// Of a point and a triangle, or of two segments, at a time when they touch.
struct Description {
  double weight[LinearPolygon::most];  ///< the shares of the polygon's corners in the point that is at the origin
  double normal[3];                    ///< unit, across both, to the side where the second was at time 0
  bool is_plain;                       ///< if not, the rest is not set: on a border, or nearly parallel, or the like
};
/// In any number, or one by one: the same numbers.
void describe_plainly(FeaturePairKind kind, const FeaturePairs& pairs, std::size_t count, const double* times,
                      Description* results);
Description describe_plainly(FeaturePairKind kind, const FeaturePair& pair, double time);

/// What is computed of a polygon with three or four corners for an interval of time, to be compared with the truth.
struct LinearCoefficients {
  double cubic[4];         ///< the inner ones three times as large
  int axis;                ///< the quadratics are in the plane across it
  double quadratic[4][3];  ///< of each corner, the inner ones twice as large; of the last two of four negated
};
LinearCoefficients coefficients_of(const LinearPolygon& polygon, double from, double to);

/// How far in time the third of the proofs alone gets.
struct Advance {
  double time;      ///< there is no contact from where it began to here
  bool is_apart;    ///< it got to the end
  bool is_stopped;  ///< it hardly gets any farther
  double gap;       ///< if so: about how far away the polygon is, along the axis where that is most
};
/// From time `from`, at most so many steps, until one is smaller than `least`: each goes as far as the direction to the
/// nearest point of the polygon parts it from the origin, so that it gets near a contact as Newton's method would.
Advance advance_by_axes(const LinearPolygon& polygon, double from, double until, double least, int steps);

/// By the third of the proofs alone, for any number of corners and any separation.
void first_contact_by_axes(const LinearPolygon& polygon, double until, double width, LinearAnswer& answer);

/// Whether some direction proves that the polygon stays farther than `separation` from the origin from time `from` to
/// time `to`.
bool is_kept_away(const LinearPolygon& polygon, double from, double to, double separation);

/// The point of the polygon nearest to the origin, at time t, as far as doubles tell; and the shares of the corners in
/// it.
struct NearestOfPolygon {
  double v[4];
  double weight[LinearPolygon::most];
};
NearestOfPolygon nearest_of_polygon(const LinearPolygon& polygon, double t);

}  // namespace whisker::motion
