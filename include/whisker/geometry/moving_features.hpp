#pragma once

/// \file
/// When do points, segments and triangles first touch, if each of their corners moves evenly along a straight line?
///
///     const FeatureImpact hit = first_contact_point_triangle({p0, p1}, {{a0, b0, c0}, {a1, b1, c1}});
///     if (hit.status == ImpactStatus::touch) stop_at(hit.time_lower);
///
/// A corner is at start + t (end - start), t from 0 to 1, in real numbers; corners move on their own, so that features
/// turn, stretch and collapse on their way. The answers are about those real numbers: no contact is missed, rounding
/// counted. All sets are closed; features may be degenerate (a triangle that is a segment or a point), at any time.
///
/// Throws an Error if a coordinate is not finite or beyond `max_coordinate`, or an option makes no sense. Allocates
/// nothing; safe in any thread. The same answers on every processor.

#include <array>
#include <span>

#include <whisker/first_contact.hpp>
#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// At time 0 at `start`, at time 1 at `end`.
struct MovingPoint {
  Vector3 start = Vector3::Zero();
  Vector3 end = Vector3::Zero();
};
struct MovingSegment {
  Segment start;
  Segment end;
};
struct MovingTriangle {
  Triangle start;
  Triangle end;
};

struct FeatureImpactOptions {
  /// Stop when from time_lower to time_upper no coordinate of the way from a corner of one to a corner of the other
  /// changes by more than this. A length, 0 or larger; with 0 as fine as doubles allow.
  double tolerance = 1e-6;
  /// Or when time_upper - time_lower is at most this. 0 or larger.
  double time_tolerance = 0;
  /// Features count as touching if they are no farther apart than this. A length, 0 or larger.
  double separation = 0;
  /// Only contacts until this time count. From 0 to 1.
  double until = 1;
};

/// The first contact of two features.
///
/// `time` is the middle of the bounds; of two triangles, that of the bounds of the parts that meet. `point` is halfway
/// between the points of a and of b that the weights name at `time`. `certain` is false with `touch` where the features
/// come so close (as a rule within the tolerance) that a contact is neither proven nor excluded, and always of a point
/// with a point or segment without `separation`, which meet by exact coincidence only; that they touch at the start is
/// certain. `normal` is right within rounding; where they touch in a way that has no direction (two points that meet),
/// it is that of their motion. `stop` is `exact` if apart or touching at the start, and `limit` if the bounds are wider
/// than was asked for. In `cost`, `primitive_tests` are the pairs of features looked at: 1, or 15 of two triangles.
struct FeatureImpact : Impact {
  /// Where they touch: the shares of a's and of b's corners in the common point, each from 0 to 1, their sum 1, to
  /// about the tolerance. Corners that a feature does not have count 0. All zero if apart.
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
/// By their fifteen pairs of points and triangles and of segments.
FeatureImpact first_contact_triangle_triangle(const MovingTriangle& a, const MovingTriangle& b,
                                              const FeatureImpactOptions& options = {});

/// A question of a batch.
struct PointTriangle {
  MovingPoint a;
  MovingTriangle b;
};
struct SegmentSegment {
  MovingSegment a;
  MovingSegment b;
};

/// Many at once: the same answers as one by one, in the same order. On the calling thread.
/// Throws an Error too if there are not as many results as questions.
void first_contacts(std::span<const PointTriangle> questions, std::span<FeatureImpact> results);
void first_contacts(std::span<const PointTriangle> questions, const FeatureImpactOptions& options,
                    std::span<FeatureImpact> results);
void first_contacts(std::span<const SegmentSegment> questions, std::span<FeatureImpact> results);
void first_contacts(std::span<const SegmentSegment> questions, const FeatureImpactOptions& options,
                    std::span<FeatureImpact> results);

}  // namespace whisker
