#pragma once

/// \file
/// The convex hull of points, with exact combinatorics: which points are corners and which corners span a face are
/// decided by exact predicates, so every given point lies exactly inside or on the hull.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// The half-space of all x with normal·x <= offset; the normal has unit length up to rounding.
using HullPlane = HalfSpace;

/// How a hull is made.
struct HullOptions {
  /// In the points' unit. 0: only exactly coplanar faces are one polygon. Larger: neighboring faces become one polygon
  /// if the polygon's corners then lie within a slab of this thickness, no corner is dented by more than this, and
  /// neither face turns more than 60° from the common normal. That mends the slivers of a turned box, whose rounded
  /// corners are not quite coplanar. Corners are never dropped: a merge that would leave a corner with fewer than three
  /// faces is not made. Merging a polygon of k corners costs O(k²), and each merged face O(corners of the hull).
  double merge_distance = 0;
};

/// A convex hull of dimension 3 (solid), 2 (flat polygon), 1 (segment) or 0 (one point).
///
/// The form is canonical, it does not depend on how the hull was found: vertices stand in the order of the given
/// points; each face begins with its lowest vertex; faces are sorted by their first two vertices.
struct HullData {
  int dimension = 0;

  /// For each vertex the index of the given point; ascending. Among equal points the lowest index. Only extreme points
  /// are vertices: none lies inside a face or an edge.
  std::vector<std::uint32_t> vertex_points;
  /// The vertices' coordinates, as given.
  std::vector<Vector3> vertices;

  /// All faces' vertices (indices into `vertices`), one face after the other, counter-clockwise seen from outside.
  /// A flat polygon has two faces, its two sides. A segment or a point has none.
  std::vector<std::uint32_t> face_vertices;
  /// Where each face begins in `face_vertices`, and at last the end: one more entry than faces.
  std::vector<std::uint32_t> face_begin = {0};
  /// Each face's outward plane. It encloses: normal·v <= offset holds for every given point v, both in real arithmetic
  /// and evaluated in doubles from left to right. For that the offset is moved outward by some units in the last place
  /// of the coordinates, or as far as needed where faces were merged.
  std::vector<HullPlane> planes;

  std::size_t face_count() const { return planes.size(); }
  /// Throws an Error if there is no such face.
  std::span<const std::uint32_t> face(std::size_t index) const {
    if (index >= face_count()) [[unlikely]]
      refuse_face(index);
    return std::span(face_vertices).subspan(face_begin[index], face_begin[index + 1] - face_begin[index]);
  }
  [[noreturn]] void refuse_face(std::size_t index) const;
};

/// The convex hull of `points`. Quickhull (Barber, Dobkin, Huhdanpaa 1996) in which every decision is an exact sign.
///
/// Usually O(n log n) for n points. The same input gives the same output; a permutation of the points gives the same
/// hull. Any finite coordinates will do. Throws an Error if there are no points, more than 2^31, or one that is not
/// finite (the message names its index), or if `merge_distance` is negative or not finite.
HullData convex_hull(std::span<const Vector3> points, const HullOptions& options = {});

}  // namespace whisker
