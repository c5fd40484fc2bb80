#pragma once

/// \file
/// MeshData: plain vertices and triangles, as files contain them, generators make them and meshes are built from them.
///
///     MeshData square;
///     square.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
///     square.triangles = {{0, 1, 2}, {0, 2, 3}};
///     const Mesh mesh(square);
///
///     struct Corner { float position[3], normal[3]; };  // a vertex buffer, as renderers have it
///     const std::vector<Corner> corners = {{{0, 0, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 0, 1}}, {{0, 1, 0}, {0, 0, 1}}};
///     const std::vector<std::uint16_t> indices = {0, 1, 2};
///     const Mesh part(mesh_data({corners[0].position, corners.size(), sizeof(Corner)}, indices));
///
/// Also the index types that results about triangles use. Vertices and triangles are numbered from 0. Nothing in a
/// MeshData is checked; Mesh and the other users of the data check it.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <whisker/detail/strided.hpp>
#include <whisker/vector.hpp>

namespace whisker {

/// An edge as two vertex numbers, the smaller first.
using Index2 = std::array<std::uint32_t, 2>;

/// A triangle as three vertex numbers, counter-clockwise when seen from outside.
using Index3 = std::array<std::uint32_t, 3>;

/// Vertices and the triangles that connect them. Nothing is guaranteed: the mesh need not be closed, connected or free
/// of duplicates.
struct MeshData {
  std::vector<Vector3> vertices;  ///< Positions, in the user's unit.
  std::vector<Index3> triangles;
};

// ---- the caller's own arrays

/// A view of points in the caller's memory: floats or doubles, three for each point, at any distance and alignment. It
/// is read when it is passed to a function, and need not outlive the call.
class StridedPoints {
 public:
  /// `count` points. `first` is the first coordinate of the first point; the other two follow it. `stride` is the
  /// number of bytes from a point to the next. Throws an Error if the stride is less than a point's size, if `first` is
  /// null but `count` is not 0, or if there is no such memory.
  template <detail::StridedReal Real>
  StridedPoints(const Real* first, std::size_t count, std::size_t stride = 3 * sizeof(Real))
      : rows_(detail::checked_rows({first, count, stride, detail::number_type<Real>()}, 3 * sizeof(Real), "point",
                                   "points")) {}
  /// From anything that a std::span can view: a vector, an array or a span of Vector3, of another vector of three
  /// floats or doubles (Eigen::Vector3f, std::array<float, 3>), or of the coordinates themselves, three for each point.
  /// (A matrix is passed as a pointer and a count, if the coordinates of a point follow each other in it.) Throws an
  /// Error if the number of coordinates is not a multiple of three.
  template <class Range>
  requires detail::StridedReal<detail::NumberOf<Range, 3>> StridedPoints(const Range& range)  // NOLINT: implicit
      : rows_(detail::rows_of<3>(range, "point", "points")) {}

  std::size_t size() const { return rows_.count; }
  const detail::StridedRows& rows() const { return rows_; }

 private:
  detail::StridedRows rows_;
};

/// A view of vertex numbers in the caller's memory, `corners` of them for each triangle or tetrahedron: signed or
/// unsigned integers of 16, 32 or 64 bits, at any distance and alignment, as in StridedPoints.
template <std::size_t corners>
class StridedIndices {
 public:
  template <detail::StridedInteger Integer>
  StridedIndices(const Integer* first, std::size_t count, std::size_t stride = corners * sizeof(Integer))
      : rows_(detail::checked_rows({first, count, stride, detail::number_type<Integer>()}, corners * sizeof(Integer),
                                   what, rows_name)) {}
  /// From a vector, an array or a span of Index3 or other arrays of integers, or of the vertex numbers themselves.
  template <class Range>
  requires detail::StridedInteger<detail::NumberOf<Range, corners>> StridedIndices(
      const Range& range)  // NOLINT: implicit
      : rows_(detail::rows_of<corners>(range, what, rows_name)) {}

  std::size_t size() const { return rows_.count; }
  const detail::StridedRows& rows() const { return rows_; }

 private:
  static_assert(corners == 3 || corners == 4);
  static constexpr const char* what = corners == 3 ? "triangle" : "tetrahedron";
  static constexpr const char* rows_name = corners == 3 ? "triangles" : "tetrahedra";

  detail::StridedRows rows_;
};

/// Copies the points. Floats become the doubles of the same value.
///
///     const ConvexHull hull(to_points({cloud.data(), 1000, 16}));  // floats x, y, z and a fourth that is skipped
std::vector<Vector3> to_points(const StridedPoints& points);
/// Copies the vertex numbers. Throws an Error that names the triangle or tetrahedron if a number is negative or does
/// not fit into 32 bits. Whether there is such a vertex is checked when the data is used.
template <std::size_t corners>
std::vector<std::array<std::uint32_t, corners>> to_indices(const StridedIndices<corners>& indices);

/// Copies both. Throws the Errors of to_indices.
MeshData mesh_data(const StridedPoints& vertices, const StridedIndices<3>& triangles);

// ---- numbers of triangles in results

/// Two triangle numbers: of one mesh and of another, or both of the same mesh.
struct TrianglePair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  auto operator<=>(const TrianglePair&) const = default;
};

/// Two triangles among several meshes, each given by the mesh's number in the list that was queried and the triangle's
/// number in that mesh. If both are of the same mesh, mesh_a = mesh_b and triangle_a < triangle_b; otherwise
/// mesh_a < mesh_b.
struct MeshTrianglePair {
  std::uint32_t mesh_a = 0;
  std::uint32_t triangle_a = 0;
  std::uint32_t mesh_b = 0;
  std::uint32_t triangle_b = 0;

  auto operator<=>(const MeshTrianglePair&) const = default;
};

}  // namespace whisker
