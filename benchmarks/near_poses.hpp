#pragma once

// Generates seeded poses for two copies of a mesh. The suites `mesh` and `rapid` share it.

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

namespace whisker::bench {

/// The poses of the two copies of a mesh.
struct PosePair {
  Pose a, b;
};

/// The diagonal and the center of the bounding box.
double diameter(const MeshData& data);
Vector3 middle(const MeshData& data);

double uniform(std::mt19937_64& random, double low, double high);
/// Uniformly distributed over all rotations, and over all directions.
Matrix3 random_rotation(std::mt19937_64& random);
Vector3 random_direction(std::mt19937_64& random);

/// Both copies have random rotations. b is moved in along a random direction until the two first touch, to within 1e-7
/// diameters, and then moved back or further, with equal probability, by up to `offset` diameters. With the default of
/// a tenth, a touching pose has about four hundred touching pairs of triangles, and FCL needs about 180 volume tests to
/// find the first.
inline constexpr double usual_offset = 0.1;
std::vector<PosePair> near_poses(const Shape& shape, const MeshData& data, std::size_t count, std::uint64_t seed,
                                 double offset = usual_offset);
/// Both copies have random rotations, with a gap of one to three diameters between their bounding balls.
std::vector<PosePair> far_poses(const MeshData& data, std::size_t count, std::uint64_t seed);

}  // namespace whisker::bench
