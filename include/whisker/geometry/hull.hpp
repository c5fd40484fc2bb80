#pragma once

/// \file
/// The convex hull of points, as plain data: vertices, faces and the faces' planes.
///
///     HullData hull = convex_hull(points);
///     for (std::size_t f = 0; f < hull.face_count(); ++f)
///       for (std::uint32_t v : hull.face(f)) use(hull.vertices[v], hull.planes[f]);
///     HullData smoothed = convex_hull(points, {.merge_distance = 1e-9});   // nearly coplanar faces become one polygon
///
/// The combinatorics are exact: exact predicates decide which points are vertices and which vertices span a face, so
/// every given point lies exactly inside or on the hull. For a hull as a shape in queries, use ConvexHull
/// (convex_hull.hpp).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/primitives.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// The half-space of all x with normal·x <= offset. The normal has unit length up to rounding.
using HullPlane = HalfSpace;

/// Options of convex_hull().
struct HullOptions {
  /// How far from coplanar the faces that become one polygon may be, in the points' unit.
  ///
  /// With 0, only exactly coplanar faces are merged. With a larger value, two neighboring faces are merged if the
  /// vertices of the resulting polygon lie within a slab of this thickness, no vertex of it is dented inward by more
  /// than this, and the normals of both faces are at most 60° from the polygon's normal. This removes the sliver faces
  /// of, say, a rotated box, whose rounded corners are not quite coplanar. Vertices are never dropped: a merge that
  /// would leave a vertex with fewer than three faces is not made. Merging into a polygon of k vertices costs O(k²),
  /// and each merged face costs O(vertices of the hull).
  double merge_distance = 0;
};

/// An edge of a convex hull. Vertices and faces are given by index.
struct HullEdge {
  /// The value of `left` and `right` for the single edge of a segment, which has no faces.
  static constexpr std::uint32_t no_face = 0xffffffffu;

  std::uint32_t begin = 0;        ///< Vertex; the lower index.
  std::uint32_t end = 0;          ///< Vertex; the higher index.
  std::uint32_t left = no_face;   ///< The face whose vertex loop passes the edge from begin to end.
  std::uint32_t right = no_face;  ///< The face whose vertex loop passes the edge from end to begin.
};

/// A convex hull of dimension 3 (solid), 2 (flat polygon), 1 (segment) or 0 (one point), in the frame of the points.
///
/// The form is canonical, that is, it does not depend on the order in which the hull was found. Vertices are in the
/// order of the given points. Each face begins with its lowest vertex. Faces are sorted by their first two vertices.
struct HullData {
  int dimension = 0;

  /// For each vertex, the index of the given point; ascending. Among equal points, the lowest index. Only extreme
  /// points are vertices: none lies in the interior of a face or an edge.
  std::vector<std::uint32_t> vertex_points;
  /// The vertices' coordinates, exactly as given.
  std::vector<Vector3> vertices;

  /// The vertices of all faces (indices into `vertices`), one face after the other, counter-clockwise seen from
  /// outside. A flat polygon has two faces, its two sides. A segment or a point has none.
  std::vector<std::uint32_t> face_vertices;
  /// Where each face begins in `face_vertices`, followed by the end of the last face: one more entry than faces.
  std::vector<std::uint32_t> face_begin = {0};
  /// The outward plane of each face. It encloses all points: normal·v <= offset holds for every given point v, both in
  /// real arithmetic and when evaluated in doubles from left to right. To ensure this, the offset is moved outward by a
  /// few ulps of the coordinates, or as far as needed where faces were merged.
  std::vector<HullPlane> planes;

  std::size_t face_count() const { return planes.size(); }
  /// The vertices of one face, as a view into `face_vertices`. Throws an Error if there is no such face.
  std::span<const std::uint32_t> face(std::size_t index) const {
    if (index >= face_count()) [[unlikely]]
      refuse_face(index);
    return std::span(face_vertices).subspan(face_begin[index], face_begin[index + 1] - face_begin[index]);
  }
  /// Throws the Error for a face index that is out of range.
  [[noreturn]] void refuse_face(std::size_t index) const;
};

/// The convex hull of `points`, by Quickhull (Barber, Dobkin, Huhdanpaa 1996) with an exact sign for every decision.
///
/// Usually O(n log n) for n points. The same input gives the same output, and a permutation of the points gives the
/// same hull. Any finite coordinates are accepted. Throws an Error if there are no points or more than 2^31, if a point
/// is not finite (the message names its index), or if `merge_distance` is negative or not finite.
HullData convex_hull(std::span<const Vector3> points, const HullOptions& options = {});

}  // namespace whisker
