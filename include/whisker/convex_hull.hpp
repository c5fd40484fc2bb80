#pragma once

/// \file
/// ConvexHull: an immutable convex polyhedron as a shape.

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

/// An edge of a convex hull.
struct HullEdge {
  /// Stands for "no face" at the single edge of a segment.
  static constexpr std::uint32_t no_face = 0xffffffffu;

  std::uint32_t begin = 0;        ///< Vertex; the lower index.
  std::uint32_t end = 0;          ///< Vertex; the higher index.
  std::uint32_t left = no_face;   ///< The face that runs through the edge from begin to end.
  std::uint32_t right = no_face;  ///< The face that runs from end to begin.
};

/// The convex hull of points, in its own frame. Copies share their data; any number of threads may use it.
///
/// It may be flat (dimension 2), a segment (1) or a point (0); its volume is 0 then. See HullData for the order of
/// vertices and faces. A face is what HullOptions makes it: exactly planar, unless `merge_distance` is positive.
class ConvexHull {
 public:
  /// Throws an Error if there are no points, or one is not finite or beyond `max_coordinate`.
  explicit ConvexHull(std::span<const Vector3> points, const HullOptions& options = {});

  int dimension() const;
  std::span<const Vector3> vertices() const;
  /// For each vertex the index of the point that it was made from; ascending.
  std::span<const std::uint32_t> vertex_points() const;

  std::size_t face_count() const;
  /// The vertices of a face, counter-clockwise seen from outside. This and `neighbors` throw an Error if there is no
  /// such face or vertex.
  std::span<const std::uint32_t> face(std::size_t index) const;
  /// The faces' outward planes; the whole hull lies inside of each, rounding included.
  std::span<const HullPlane> planes() const;
  /// The same planes moved inward by some units in the last place: every point inside of all of them is in the hull, in
  /// real arithmetic. None if the hull is flat, or so thin that this is not proven.
  std::span<const HullPlane> inner_planes() const;
  /// Sorted by begin, then end.
  std::span<const HullEdge> edges() const;
  /// The vertices that share an edge with `vertex`; ascending.
  std::span<const std::uint32_t> neighbors(std::size_t vertex) const;

  double volume() const;
  /// Center of volume; of area if flat, of length if a segment.
  Vector3 centroid() const;
  Aabb bounds() const;

  /// The vertex farthest along `direction`, which need not be a unit vector; where several are equally far in double
  /// arithmetic, the lowest. Vertex 0 along a direction that is zero or not finite.
  std::size_t support(const Vector3& direction) const;

  /// Whether the point lies in the hull or on its border: exact. With merged faces it is conservative: false only if
  /// the point is outside one of the planes.
  bool contains(const Vector3& point) const;

  /// The hull as the separating-axis test takes it (geometry/separating_axis.hpp). Valid as long as this ConvexHull or
  /// a copy of it lives.
  const PolyhedronView& polyhedron() const;

  /// Whether two handles share one hull.
  friend bool same_storage(const ConvexHull& a, const ConvexHull& b) { return a.storage_ == b.storage_; }

 private:
  friend struct Internals;
  struct Storage;
  const HullSupport& support_table() const;

  Held<"ConvexHull", std::shared_ptr<const Storage>> storage_;
};

}  // namespace whisker
