#pragma once

/// \file
/// ConvexHull: an immutable convex polyhedron as a shape, built from a set of points.
///
///     const ConvexHull hull(points);  // a std::vector<Vector3>, for example
///     for (std::size_t i = 0; i < hull.face_count(); ++i)
///       draw(hull.face(i), hull.planes()[i].normal);
///     const Distance gap = distance({hull, pose}, ground);
///
/// Which points are vertices, and which vertices form a face, is decided by exact predicates (geometry/hull.hpp). The
/// hull keeps its edges, face planes and a search structure for support queries.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/hull.hpp>
#include <whisker/vector.hpp>

namespace whisker {

struct HullSupport;
struct PolyhedronView;

/// The convex hull of a set of points, in its own frame. Copies share their data, and any number of threads may use it.
/// Spans and references that its functions return are valid as long as the hull or a copy of it lives.
///
/// The hull may be flat (dimension 2), a segment (1) or a point (0); its volume is then 0. HullData describes the order
/// of vertices and faces. Faces are exactly planar, unless HullOptions::merge_distance is positive.
class ConvexHull {
 public:
  /// Usually O(n log n) for n points. Throws an Error if there are no points, more than 2^31 of them, or one that is
  /// not finite or beyond `max_coordinate`, or if `merge_distance` is negative or not finite.
  explicit ConvexHull(std::span<const Vector3> points, const HullOptions& options = {});

  /// 3 for a solid, 2 for a flat polygon, 1 for a segment, 0 for a point.
  int dimension() const;
  /// The coordinates of the vertices, as given.
  std::span<const Vector3> vertices() const;
  /// For each vertex, the index of the given point that it was made from; ascending.
  std::span<const std::uint32_t> vertex_points() const;

  /// A flat hull has two faces, its two sides. A segment or point has none.
  std::size_t face_count() const;
  /// The vertices of a face, counter-clockwise seen from outside. Throws an Error if there is no such face.
  std::span<const std::uint32_t> face(std::size_t index) const;
  /// The outward plane of each face. The whole hull lies inside each of them, rounding included.
  std::span<const HullPlane> planes() const;
  /// The same planes moved inward by a few ulps: every point inside all of them is in the hull, in real arithmetic.
  /// Empty if the hull is flat, or so thin that this cannot be proven.
  std::span<const HullPlane> inner_planes() const;
  /// Every edge once, sorted by begin, then end.
  std::span<const HullEdge> edges() const;
  /// The vertices that share an edge with `vertex`; ascending. Throws an Error if there is no such vertex.
  std::span<const std::uint32_t> neighbors(std::size_t vertex) const;

  /// 0 if the dimension is below 3.
  double volume() const;
  /// The center of volume; of area if the hull is flat, of length if it is a segment.
  Vector3 centroid() const;
  /// The smallest AABB around the vertices, in the hull's frame.
  Aabb bounds() const;

  /// The index of the vertex farthest along `direction`, which need not be a unit vector. If several vertices are
  /// equally far in double arithmetic, the one with the lowest index. If the direction is zero or not finite, vertex 0.
  std::size_t support(const Vector3& direction) const;

  /// Whether a point in the hull's frame lies in the hull or on its boundary. Exact. With merged faces it is
  /// conservative: false only if the point is outside one of the planes.
  bool contains(const Vector3& point) const;

  /// The hull in the form that the separating-axis test takes (geometry/separating_axis.hpp).
  const PolyhedronView& polyhedron() const;

  /// Whether two handles share the same hull data.
  friend bool same_storage(const ConvexHull& a, const ConvexHull& b) { return a.storage_ == b.storage_; }

 private:
  friend struct Internals;
  struct Storage;
  /// From data that is known to be valid.
  explicit ConvexHull(std::shared_ptr<const Storage> storage);
  const HullSupport& support_table() const;

  Held<"ConvexHull", std::shared_ptr<const Storage>> storage_;
};

}  // namespace whisker
