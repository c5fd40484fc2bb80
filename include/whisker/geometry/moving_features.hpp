#pragma once

/// \file
/// When points, segments and triangles first touch if each of their vertices moves uniformly along a straight line
/// (continuous collision detection of single features).
///
///     const FeatureImpact hit = first_contact_point_triangle({p0, p1}, {{a0, b0, c0}, {a1, b1, c1}});
///     if (hit.status == ImpactStatus::touch) stop_at(hit.time_lower);
///     first_contacts(pairs, {.separation = 0.001}, hits);          // many pairs; gaps up to 0.001 count as contact
///
/// A vertex is at start + t (end - start) for t from 0 to 1, in real numbers. Vertices move independently, so features
/// may turn, stretch and collapse on the way. The answers are about this real-number motion: no contact is missed, and
/// rounding is accounted for. All sets are closed. Features may be degenerate at any time (a triangle that is a segment
/// or a point).
///
/// All functions throw an Error if a coordinate is not finite or beyond `max_coordinate`, or if an option is out of
/// range. Nothing is allocated, and all functions are safe in any thread. The results are the same on every processor.

#include <array>
#include <span>

#include <whisker/first_contact.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// A point that is at `start` at time 0 and at `end` at time 1.
struct MovingPoint {
  Vector3 start = Vector3::Zero();
  Vector3 end = Vector3::Zero();
};
/// A segment whose ends move from those of `start` (time 0) to those of `end` (time 1).
struct MovingSegment {
  Segment start;
  Segment end;
};
/// A triangle whose corners move from those of `start` (time 0) to those of `end` (time 1).
struct MovingTriangle {
  Triangle start;
  Triangle end;
};

/// Options of all functions below.
struct FeatureImpactOptions {
  /// Stop when, between time_lower and time_upper, no coordinate of the vector from any vertex of a to any vertex of b
  /// changes by more than this. A length, 0 or larger. With 0 the bounds get as tight as doubles allow.
  double tolerance = 1e-6;
  /// Also stop when time_upper - time_lower is at most this. 0 or larger.
  double time_tolerance = 0;
  /// Features count as touching if they are no farther apart than this. A length, from 0 to `max_coordinate`.
  double separation = 0;
  /// Only contacts up to this time count. From 0 to 1.
  double until = 1;
};

/// The first contact of two features: the fields of Impact, which mean here what follows, and the weights.
///
///  - `time` is the middle of the bounds. For two triangles it is the middle of the bounds of the two features that
///    meet.
///  - `point` is halfway between the point of a and the point of b that the weights define at `time`.
///  - `certain` is false, with the status `touch`, where the features come so close (usually within the tolerance) that
///    a contact is neither proven nor excluded. It is always false for a point with a point or a segment if
///    `separation` is 0, because these meet only by exact coincidence. A contact at the start is always certain.
///  - `normal` is correct up to rounding. For a contact without a direction of its own (two points that meet), it is
///    taken from their relative motion.
///  - `stop` is `exact` if the features are apart or touch at the start, and `limit` if the bounds are wider than
///    requested.
///  - `cost.primitive_tests` counts the pairs of features tested: 1, or 15 for two triangles.
struct FeatureImpact : Impact {
  /// Where the features touch: the barycentric weights of a's and of b's vertices at the common point, accurate to
  /// about the tolerance. Each is from 0 to 1, and they add up to 1. The weight of a vertex that the feature does not
  /// have is 0. All are zero if the features are apart.
  std::array<double, 3> weights_a = {};
  std::array<double, 3> weights_b = {};
};

FeatureImpact first_contact_point_point(const MovingPoint& a, const MovingPoint& b,
                                        const FeatureImpactOptions& options = {});
FeatureImpact first_contact_point_segment(const MovingPoint& a, const MovingSegment& b,
                                          const FeatureImpactOptions& options = {});
FeatureImpact first_contact_point_triangle(const MovingPoint& a, const MovingTriangle& b,
                                           const FeatureImpactOptions& options = {});
FeatureImpact first_contact_segment_segment(const MovingSegment& a, const MovingSegment& b,
                                            const FeatureImpactOptions& options = {});
/// Tests all fifteen pairs of features: six of a vertex and a triangle, nine of two edges.
FeatureImpact first_contact_triangle_triangle(const MovingTriangle& a, const MovingTriangle& b,
                                              const FeatureImpactOptions& options = {});

/// One query of a batch: a point against a triangle.
struct PointTriangle {
  MovingPoint a;
  MovingTriangle b;
};
/// One query of a batch: a segment against a segment.
struct SegmentSegment {
  MovingSegment a;
  MovingSegment b;
};

/// Many queries at once, on the calling thread: results[i] is what the single function returns for questions[i]. Also
/// throws an Error if the two spans differ in size.
void first_contacts(std::span<const PointTriangle> questions, std::span<FeatureImpact> results);
void first_contacts(std::span<const PointTriangle> questions, const FeatureImpactOptions& options,
                    std::span<FeatureImpact> results);
void first_contacts(std::span<const SegmentSegment> questions, std::span<FeatureImpact> results);
void first_contacts(std::span<const SegmentSegment> questions, const FeatureImpactOptions& options,
                    std::span<FeatureImpact> results);

}  // namespace whisker
