// Points and vertex numbers in the caller's arrays: every type, layout and alignment, and what is wrong with them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/convex_hull.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

#include "support/cases.hpp"
#include "support/error_of.hpp"

namespace whisker {
namespace {

using test::error_of;

/// Rows of numbers at a distance of `stride` bytes from byte `offset`, between bytes of rubbish.
template <class Number, std::size_t width>
std::vector<std::byte> scattered(const std::vector<std::array<Number, width>>& rows, std::size_t offset,
                                 std::size_t stride) {
  std::vector<std::byte> bytes(offset + rows.size() * stride, std::byte{0xA5});
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::memcpy(bytes.data() + offset + i * stride, rows[i].data(), sizeof rows[i]);
  return bytes;
}

/// Every offset and several strides, most of which leave numbers misaligned.
template <class Number, std::size_t width, class Read>
void for_all_layouts(const std::vector<std::array<Number, width>>& rows, const Read& read) {
  for (const std::size_t offset : {0u, 1u, 3u, 8u})
    for (const std::size_t gap : {0u, 1u, 4u, 7u, 52u}) {
      const std::size_t stride = width * sizeof(Number) + gap;
      // The last row ends where the memory ends, so that a read beyond it is an error for the address sanitizer.
      std::vector<std::byte> bytes = scattered(rows, offset, stride);
      bytes.resize(bytes.size() - gap);
      bytes.shrink_to_fit();
      read(reinterpret_cast<const Number*>(bytes.data() + offset), stride);
    }
}

template <class Real>
void expect_points() {
  auto random = test::seeded(71);
  std::vector<std::array<Real, 3>> rows = {
      {Real(0.1), -0.0, std::numeric_limits<Real>::denorm_min()},
      {std::numeric_limits<Real>::max(), std::numeric_limits<Real>::infinity(), 3}};
  for (int i = 0; i < 20; ++i)
    rows.push_back({Real(test::uniform(random, -9, 9)), Real(test::uniform(random, -9, 9)), Real(i)});
  for_all_layouts(rows, [&](const Real* first, std::size_t stride) {
    const std::vector<Vector3> points = to_points({first, rows.size(), stride});
    ASSERT_EQ(points.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(points[i][int(k)], double(rows[i][k]));
        EXPECT_EQ(std::signbit(points[i][int(k)]), std::signbit(rows[i][k]));
      }
  });
}

TEST(Strided, PointsAreReadAtAnyDistanceAndAlignment) {
  expect_points<float>();
  expect_points<double>();
}

template <class Integer, std::size_t corners>
void expect_indices() {
  std::vector<std::array<Integer, corners>> rows(9);
  std::vector<std::array<std::uint32_t, corners>> wanted(rows.size());
  std::uint64_t largest = std::uint64_t(std::numeric_limits<Integer>::max());
  largest = std::min<std::uint64_t>(largest, 0xFFFFFFFF);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < corners; ++k) {
      wanted[i][k] = std::uint32_t(largest - 257 * (i * corners + k));
      rows[i][k] = Integer(wanted[i][k]);
    }
  for_all_layouts(rows, [&](const Integer* first, std::size_t stride) {
    EXPECT_EQ(to_indices(StridedIndices<corners>(first, rows.size(), stride)), wanted);
  });
  EXPECT_EQ(to_indices(StridedIndices<corners>(rows)), wanted);
  EXPECT_EQ(to_indices(StridedIndices<corners>(rows[0].data(), rows.size())), wanted);
}

TEST(Strided, IndicesOfEveryTypeAreReadAtAnyDistanceAndAlignment) {
  expect_indices<std::int16_t, 3>();
  expect_indices<std::uint16_t, 3>();
  expect_indices<std::int32_t, 3>();
  expect_indices<std::uint32_t, 3>();
  expect_indices<std::int64_t, 3>();
  expect_indices<std::uint64_t, 3>();
  expect_indices<long long, 3>();
  expect_indices<unsigned long long, 3>();
  expect_indices<std::uint16_t, 4>();
  expect_indices<std::int32_t, 4>();
  expect_indices<std::uint64_t, 4>();
}

TEST(Strided, RangesOfEveryKindGiveTheSameMesh) {
  const std::vector<double> doubles = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<float> floats(doubles.begin(), doubles.end());
  const std::vector<Vector3> vectors = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<Index3> wanted = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const std::vector<std::uint16_t> flat = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  const int plain[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

  std::vector<std::array<float, 3>> arrays(4);
  std::vector<Eigen::Vector3f> eigen_floats;
  for (std::size_t i = 0; i < 4; ++i) {
    arrays[i] = {floats[3 * i], floats[3 * i + 1], floats[3 * i + 2]};
    eigen_floats.push_back(vectors[i].cast<float>());
  }
  const std::vector<StridedPoints> points = {doubles,
                                             floats,
                                             vectors,
                                             arrays,
                                             eigen_floats,
                                             std::span<const double>(doubles),
                                             std::span<const float>(floats),
                                             std::span<const Vector3>(vectors),
                                             {doubles.data(), 4},
                                             {floats.data(), 4}};
  const std::vector<StridedIndices<3>> indices = {wanted, flat, plain, std::span<const Index3>(wanted), {plain, 4}};
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const MeshData data = mesh_data(points[i], indices[k]);
      EXPECT_EQ(data.vertices, vectors) << i;
      EXPECT_EQ(data.triangles, wanted) << k;
      EXPECT_TRUE(Mesh(data).solid().is_solid());
    }
  EXPECT_EQ(ConvexHull(to_points(floats)).face_count(), 4u);
  const TetrahedralData tetrahedron = tetrahedral_data(floats, std::array<std::uint16_t, 4>{0, 1, 2, 3});
  EXPECT_EQ(tetrahedron.vertices, vectors);
  EXPECT_EQ(tetrahedron.tetrahedra, (std::vector<Index4>{{0, 1, 2, 3}}));
  EXPECT_EQ(TetrahedralMesh(tetrahedron).border_triangles().size(), 4u);
}

TEST(Strided, WhatIsNotAnArrayOfPointsIsNotAccepted) {
  // A matrix of n × 3 coordinates is stored column by column, and would be read wrongly.
  static_assert(!std::is_constructible_v<StridedPoints, Eigen::MatrixXd>);
  static_assert(!std::is_constructible_v<StridedPoints, Eigen::Matrix<double, Eigen::Dynamic, 3>>);
  static_assert(!std::is_constructible_v<StridedPoints, std::vector<int>>);
  static_assert(!std::is_constructible_v<StridedPoints, std::vector<std::vector<double>>>);  // of the right size
  static_assert(!std::is_constructible_v<StridedPoints, std::list<double>>);
  static_assert(!std::is_constructible_v<StridedPoints, std::vector<std::array<float, 4>>>);
  static_assert(!std::is_constructible_v<StridedPoints, std::vector<Index3>>);
  static_assert(!std::is_constructible_v<StridedIndices<3>, std::vector<double>>);
  static_assert(!std::is_constructible_v<StridedIndices<3>, std::vector<char>>);
  static_assert(!std::is_constructible_v<StridedIndices<3>, std::vector<Index4>>);
  static_assert(!std::is_constructible_v<StridedIndices<4>, std::vector<Index3>>);
}

TEST(Strided, EmptyArraysGiveEmptyData) {
  EXPECT_EQ(StridedPoints(std::vector<float>()).size(), 0u);
  EXPECT_TRUE(to_points(std::span<const double>()).empty());
  EXPECT_TRUE(to_points({static_cast<const float*>(nullptr), 0}).empty());
  EXPECT_TRUE(to_points({static_cast<const double*>(nullptr), 0, 0}).empty());
  const MeshData data = mesh_data(std::vector<Vector3>(), std::vector<std::uint16_t>());
  EXPECT_TRUE(data.vertices.empty() && data.triangles.empty());
  EXPECT_EQ(error_of([&] { Mesh{data}; }), "mesh: it has no triangles");
}

TEST(Strided, SaysWhatIsWrong) {
  const std::vector<double> some(12, 0.0);
  EXPECT_EQ(error_of([&] { StridedPoints(std::span(some).first(7)); }),
            "7 numbers for points of 3 numbers each: the last one is incomplete");
  EXPECT_EQ(error_of([&] { StridedIndices<4>(std::vector<int>(6)); }),
            "6 numbers for tetrahedra of 4 numbers each: the last one is incomplete");
  EXPECT_EQ(error_of([&] { StridedPoints(static_cast<const float*>(nullptr), 5); }),
            "5 points in an array: the pointer to the first point is null");
  EXPECT_EQ(error_of([&] { StridedPoints(some.data(), 4, 0); }),
            "4 points in an array: a stride of 0 bytes is less than the 24 bytes of a point; give the bytes from one "
            "point to the next");
  EXPECT_EQ(error_of([&] { StridedIndices<3>(static_cast<const int*>(nullptr), 5); }),
            "5 triangles in an array: the pointer to the first triangle is null");
  const std::vector<std::int32_t> numbers = {0, 1, 2, 0, -1, 2};
  EXPECT_NE(error_of([&] { StridedIndices<3>(numbers.data(), 2, 11); }).find("less than the 12 bytes of a triangle"),
            std::string::npos);
  // A negative stride, and a count that is one.
  EXPECT_NE(
      error_of([&] { StridedPoints(some.data() + 9, 4, static_cast<std::size_t>(-24)); }).find("strides are positive"),
      std::string::npos);
  EXPECT_NE(
      error_of([&] { StridedPoints(some.data(), static_cast<std::size_t>(-1)); }).find("more than memory can hold"),
      std::string::npos);
  EXPECT_EQ(error_of([&] { mesh_data(some, numbers); }),
            "triangle 1 refers to vertex -1; vertices are numbered from 0");
  EXPECT_EQ(error_of([&] {
              mesh_data(some, std::vector<std::int16_t>{0, 1, -7});
            }),
            "triangle 0 refers to vertex -7; vertices are numbered from 0");
  EXPECT_EQ(error_of([&] {
              mesh_data(some, std::vector<std::uint64_t>{0, 1, 2, 0, 1, std::uint64_t{1} << 32});
            }),
            "triangle 1 refers to vertex 4294967296, which is beyond the largest vertex number, 4294967295");
  EXPECT_EQ(error_of([&] {
              tetrahedral_data(some, std::vector<std::int64_t>{0, 1, 2, std::int64_t{1} << 40});
            }),
            "tetrahedron 0 refers to vertex 1099511627776, which is beyond the largest vertex number, 4294967295");
  // A vertex that does not exist is found by the mesh.
  EXPECT_NE(error_of([&] {
              Mesh(mesh_data(some, std::vector<int>{0, 1, 4}));
            }).find("refers to vertex 4, but there are 4"),
            std::string::npos);
}

}  // namespace
}  // namespace whisker
