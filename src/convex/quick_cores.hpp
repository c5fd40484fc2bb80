#pragma once

// What the kernel of find_quick_distance takes and returns: plain numbers.

namespace whisker::convex {

/// The core of a simple shape: a point, segment, triangle or box.
struct QuickCore {
  enum class Kind : unsigned char { sphere, capsule, segment, triangle, box };

  Kind kind;
  /// Sphere, capsule and box: the pose. Segment and triangle: not used.
  const double* rotation;  // column by column
  const double* translation;
  /// Capsule: half its length. Box: half its size.
  double half[3];
  double radius;
  /// Segment and triangle: the placed corners.
  double corners[3][3];
};

struct QuickAnswer {
  enum class State : unsigned char { unknown, found, alone, overlapping, deep };

  State state;
  double lower, upper;                       // of the distance; of the depth if deep
  double point_a[4], point_b[4], normal[4];  // three of each; of overlapping shapes only a point of both, point_a
};

/// The closest points of two cores, of which at least one is a triangle or box, and the first is not of a later kind:
/// coordinates along a segment (0 to 1), the three weights of a triangle, or the coordinates in a box.
void search_closest(const QuickCore& a, const QuickCore& b, double* at_a, double* at_b);

/// `finds_depth`: for overlapping shapes with radii, the depth.
void run_quick(const QuickCore& a, const QuickCore& b, bool finds_depth, QuickAnswer& answer);

}  // namespace whisker::convex
