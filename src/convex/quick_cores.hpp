#pragma once

// What the kernels of find_quick_distance take and return: plain numbers.

#include "volumes/edge_axes.hpp"

namespace whisker::convex {

/// A bounded shape. The first five kinds have cores, which are points, segments, triangles and boxes.
struct QuickCore {
  enum class Kind : unsigned char { sphere, capsule, segment, triangle, box, cylinder, cone, ellipsoid };

  Kind kind;
  /// The pose; not used for segments and triangles, and no rotation for spheres.
  const double* rotation;  // column by column
  const double* translation;
  /// Capsule, cylinder, cone: half the length, first. Box: half its size. Ellipsoid: its radii. Segment and triangle:
  /// the sum of all coordinates in the shape's own frame, first.
  double half[3];
  double radius;
  /// Segment and triangle: the placed corners.
  double corners[3][3];
};

/// A half-space, normal · (x - origin) <= offset, or the plane that is its boundary.
struct QuickFlat {
  double normal[3];
  const double* origin;
  double offset;
  bool is_plane;
};

struct QuickAnswer {
  /// `unknown`: point_a and point_b are the closest ones of the cores up to rounding, if they are close together.
  /// `alone`: found, and no other points are as close. `overlapping`: the shapes share point_a. `deep`: they overlap,
  /// and this is their depth.
  enum class State : unsigned char { unknown, found, alone, overlapping, deep, deep_alone };

  State state;
  double lower, upper;                       // of the distance; of the depth if deep
  double point_a[4], point_b[4], normal[4];  // three of each; of overlapping shapes only a point of both, point_a
};

/// The closest points of two cores, of which at least one is a triangle or box, and the first is not of a later kind:
/// coordinates along a segment (0 to 1), the three weights of a triangle, or the coordinates in a box.
void search_closest(const QuickCore& a, const QuickCore& b, double* at_a, double* at_b);

/// `finds_depth`: for overlapping shapes with radii, the depth.
void run_quick(const QuickCore& a, const QuickCore& b, bool finds_depth, QuickAnswer& answer);
/// The same for two spheres. The numbers of the answer do not depend on which is the first.
void run_quick_spheres(const double* center_a, double radius_a, const double* center_b, double radius_b,
                       bool finds_depth, QuickAnswer& answer);
/// The same for a half-space or plane. `finds_depth`: whenever they overlap.
void run_quick_flat(const QuickCore& a, const QuickFlat& b, bool finds_depth, QuickAnswer& answer);

/// The depth of two cores that overlap, of which one is a box, or one is a triangle and the other has edges; the first
/// is not of a later kind. Unknown if they may be apart.
void run_quick_overlap(const QuickCore& a, const QuickCore& b, QuickAnswer& answer);
/// Whether two such shapes are apart or their cores overlap.
volumes::AxesTell run_axes(const QuickCore& a, const QuickCore& b);

}  // namespace whisker::convex
