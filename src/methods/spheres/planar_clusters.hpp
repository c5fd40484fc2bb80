#pragma once

// Finds the flat parts of a surface.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/mesh.hpp>
#include <whisker/vector.hpp>

namespace whisker::methods {

/// Groups of triangles that are connected by edges and lie in one plane, judged by their normals. On a curved surface
/// each triangle is a cluster of its own. No guarantee depends on these groups.
class PlanarClusters {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  explicit PlanarClusters(const Mesh& mesh);

  std::size_t size() const { return normals_.size(); }
  std::uint32_t of(std::uint32_t triangle) const { return cluster_of_[triangle]; }
  /// Of unit length; zero if the triangle is degenerate.
  const Vector3& normal(std::uint32_t cluster) const { return normals_[cluster]; }
  std::span<const std::uint32_t> triangles(std::uint32_t cluster) const { return triangles_[cluster]; }
  /// The triangle across the edge from corner `edge` to the next one; none if the mesh is not closed there.
  std::uint32_t beyond(std::uint32_t triangle, std::size_t edge) const { return beyond_[triangle][edge]; }
  /// Whether the two clusters are the same, or share a corner.
  bool are_near(std::uint32_t a, std::uint32_t b) const;

 private:
  std::vector<std::array<std::uint32_t, 3>> beyond_;
  std::vector<std::uint32_t> cluster_of_;
  std::vector<Vector3> normals_;
  std::vector<std::vector<std::uint32_t>> triangles_;
  std::vector<std::vector<std::uint32_t>> corners_;  // of each cluster, numbered by position, ascending
};

}  // namespace whisker::methods
