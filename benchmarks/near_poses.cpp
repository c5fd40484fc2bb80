#include "near_poses.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include <whisker/geometry/aabb.hpp>
#include <whisker/queries.hpp>

namespace whisker::bench {
namespace {

Aabb bounds(const MeshData& data) {
  Aabb box;
  for (const Vector3& v : data.vertices)
    box.include(v);
  return box;
}

/// The pose with `rotation` that moves the mesh's center `mesh_middle` to `place_of_middle`.
Pose standing_at(const Matrix3& rotation, const Vector3& mesh_middle, const Vector3& place_of_middle) {
  return {rotation, place_of_middle - rotation * mesh_middle};
}

}  // namespace

double diameter(const MeshData& data) {
  const Aabb box = bounds(data);
  return (box.upper - box.lower).norm();
}

Vector3 middle(const MeshData& data) {
  const Aabb box = bounds(data);
  return (box.lower + box.upper) / 2;
}

double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Matrix3 random_rotation(std::mt19937_64& random) {
  // Shoemake 1992: a uniform unit quaternion from three uniform numbers.
  const double u = uniform(random, 0, 1), v = uniform(random, 0, 2 * std::numbers::pi),
               w = uniform(random, 0, 2 * std::numbers::pi);
  const double r = std::sqrt(1 - u), s = std::sqrt(u);
  return Eigen::Quaterniond(s * std::cos(w), r * std::sin(v), r * std::cos(v), s * std::sin(w))
      .normalized()
      .toRotationMatrix();
}

Vector3 random_direction(std::mt19937_64& random) {
  const double z = uniform(random, -1, 1), angle = uniform(random, 0, 2 * std::numbers::pi);
  const double r = std::sqrt(std::max(0.0, 1 - z * z));
  return {r * std::cos(angle), r * std::sin(angle), z};
}

std::vector<PosePair> near_poses(const Shape& shape, const MeshData& data, std::size_t count, std::uint64_t seed,
                                 double offset) {
  constexpr double step_part = 1.0 / 64;  // fraction of the diameter: step size of the search for the first contact
  std::mt19937_64 random(seed);
  const double size = diameter(data);
  const Vector3 center = middle(data);
  std::vector<PosePair> poses;
  while (poses.size() < count) {
    const Matrix3 rotation_a = random_rotation(random), rotation_b = random_rotation(random);
    const Vector3 direction = random_direction(random);
    const Vector3 where = size * uniform(random, 0, 1) * random_direction(random);
    const double back = size * uniform(random, 0, offset);
    const bool deeper = uniform(random, 0, 1) < 0.5;
    const Pose a = standing_at(rotation_a, center, where);
    const auto b_at = [&](double along) { return standing_at(rotation_b, center, where + along * direction); };
    const auto touch_at = [&](double along) { return touches({shape, a}, {shape, b_at(along)}); };
    double apart = size, touching = size;  // the bounding balls cannot overlap at `size`
    while (touching > 0 && !touch_at(touching)) {
      apart = touching;
      touching -= size * step_part;
    }
    if (touching <= 0) continue;  // they passed each other without contact
    while (apart - touching > 1e-7 * size) {
      const double half = (apart + touching) / 2;
      (touch_at(half) ? touching : apart) = half;
    }
    poses.push_back({a, b_at(deeper ? touching - back : apart + back)});
  }
  return poses;
}

std::vector<PosePair> far_poses(const MeshData& data, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const double size = diameter(data);
  const Vector3 center = middle(data);
  std::vector<PosePair> poses;
  for (std::size_t i = 0; i < count; ++i) {
    const Matrix3 rotation_a = random_rotation(random), rotation_b = random_rotation(random);
    const Vector3 where = size * uniform(random, 0, 1) * random_direction(random);
    const double gap = size * uniform(random, 1, 3);
    const Vector3 direction = random_direction(random);
    poses.push_back(
        {standing_at(rotation_a, center, where), standing_at(rotation_b, center, where + (size + gap) * direction)});
  }
  return poses;
}

}  // namespace whisker::bench
