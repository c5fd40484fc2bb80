#include "clash/shrink.hpp"

#include <cstdint>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/editing/mesh_report.hpp>

namespace whisker::clash {
namespace {

// Iterations of the search for a direction in which all faces of a corner recede. Flat corners need one.
constexpr int max_rounds = 24;

// Finds a unit vector whose dot products with all these normals are as negative as a few iterations achieve: the normal
// that suits it least is added again and again (the perceptron, Rosenblatt 1958).
Vector3 way_in(const Vector3* normals, std::size_t count) {
  Vector3 sum = Vector3::Zero();
  for (std::size_t i = 0; i < count; ++i)
    sum -= normals[i];
  Vector3 best = Vector3::Zero();
  double best_least = -2;
  for (int round = 0; round < max_rounds; ++round) {
    const double length = sum.norm();
    const Vector3 way = length > 1e-12 ? Vector3(sum / length) : Vector3(Vector3::Zero());
    double least = 2;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double fall = -way.dot(normals[i]);
      if (fall < least) {
        least = fall;
        worst = i;
      }
    }
    if (least > best_least) {
      best_least = least;
      best = way;
    }
    if (least > 0.999) break;
    sum = (length > 1e-12 ? Vector3(sum / length * (1 + round)) : sum) - normals[worst];
  }
  return best;
}

}  // namespace

std::optional<Mesh> shrunk(const Mesh& solid, double by) {
  const auto vertices = solid.vertices();
  const auto triangles = solid.triangles();
  // Vertices at the same position move together, or the surface would open.
  const std::vector<std::uint32_t> first = first_at_position(vertices);
  std::vector<std::uint32_t> begin(vertices.size() + 1, 0);
  for (const Index3& triangle : triangles)
    for (const std::uint32_t corner : triangle)
      ++begin[first[corner] + 1];
  for (std::size_t i = 0; i < vertices.size(); ++i)
    begin[i + 1] += begin[i];
  std::vector<std::uint32_t> fill(begin.begin(), begin.end() - 1);
  std::vector<Vector3> normals(3 * triangles.size(), Vector3::Zero());
  for (const Index3& triangle : triangles) {
    const Vector3& a = vertices[triangle[0]];
    const Vector3 across = (vertices[triangle[1]] - a).cross(vertices[triangle[2]] - a);
    const double length = across.norm();
    if (!(length > 0)) continue;
    for (const std::uint32_t corner : triangle)
      normals[fill[first[corner]]++] = across / length;
  }
  // Slightly less than requested, so that rounding, here and in the pose, moves no vertex farther.
  const double reach = by * (1 - 0x1p-8);
  std::vector<Vector3> moved(vertices.begin(), vertices.end());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (first[i] != i) {
      moved[i] = moved[first[i]];
    } else if (fill[i] > begin[i]) {
      moved[i] += reach * way_in(normals.data() + begin[i], fill[i] - begin[i]);
    }
  }
  Mesh result = solid.moved(moved);
  if (!result.is_solid()) return {};
  return result;
}

}  // namespace whisker::clash
