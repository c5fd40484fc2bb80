#pragma once

// What the kernels of edge_axes-inl.hpp take and return: plain numbers.

namespace whisker::volumes {

/// A point, a segment, a triangle or a box, by its edges. A box may be any parallelepiped.
enum class EdgeForm : unsigned char {
  point,
  axis,      ///< One edge; the points are origin + t edge with |t| <= half[0].
  segment,   ///< The same with t from 0 to 1.
  triangle,  ///< Three edges: from the origin to the other corners, and from the first of these to the second.
  box,       ///< Three edges; the points are origin + Σ tᵢ edgeᵢ with |tᵢ| <= half[i].
};

constexpr int edge_count(EdgeForm form) {
  return form == EdgeForm::point ? 0 : form == EdgeForm::axis || form == EdgeForm::segment ? 1 : 3;
}
/// The number of directions in which it has faces.
constexpr int face_count(EdgeForm form) {
  return form == EdgeForm::box ? 3 : form == EdgeForm::triangle ? 1 : 0;
}

struct EdgeCore {
  /// The edges, one per lane, as doubles. The last one is repeated.
  alignas(32) double x[4], y[4], z[4];
  double half[3];
};

/// The two edges of which an axis is the product.
struct EdgePair {
  unsigned char first, second;  ///< 0 to 2: an edge of a, 4 to 6: an edge of b.
};

/// Much more than the rounding of an overlap along the product of two edges, as a fraction of the size of all terms and
/// of the lengths of the two edges.
inline constexpr double axis_error = 0x1p-48;

/// What the axes tell about two shapes.
enum class AxesTell : unsigned char { unknown, apart, overlapping };

}  // namespace whisker::volumes
