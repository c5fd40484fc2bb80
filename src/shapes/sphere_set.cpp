#include <algorithm>
#include <cmath>
#include <string>

#include <whisker/error.hpp>
#include <whisker/spheres/sphere_set.hpp>

#include "geometry/lists.hpp"
#include "shapes/sphere_data.hpp"
#include "shapes/sphere_set_storage.hpp"

namespace whisker {
namespace {

/// A ball around the spheres from `begin` to `end`, centered in their AABB.
BoundingSphere ball_around(const SphereSetStorage& s, std::size_t begin, std::size_t end) {
  Aabb box;
  for (std::size_t i = begin; i < end; ++i) {
    box.include(Vector3(s.center(i) - Vector3::Constant(s.radii[i])));
    box.include(Vector3(s.center(i) + Vector3::Constant(s.radii[i])));
  }
  BoundingSphere ball;
  ball.center = box.lower / 2 + box.upper / 2;
  for (std::size_t i = begin; i < end; ++i) {
    const double apart = (s.center(i) - ball.center).stableNorm();
    ball.radius = std::max(ball.radius, apart + s.radii[i]);
  }
  // Covers a dozen rounding errors of half an ulp each.
  ball.radius = ball.radius * (1 + 0x1p-48) + 0x1p-1000;
  return ball;
}

Aabb box_around(const SphereSetStorage& s) {
  Aabb box;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const Vector3 center = s.center(i);
    const Vector3 reach = Vector3::Constant(s.radii[i] * (1 + 0x1p-51)) + center.cwiseAbs() * 0x1p-51;
    box.include(Vector3(center - reach));
    box.include(Vector3(center + reach));
  }
  return box;
}

std::uint32_t link_of(const SphereSetStorage& s, std::size_t i) {
  for (std::size_t j = i / SphereSetStorage::group_size * SphereSetStorage::group_size; j < i; ++j) {
    const Vector3 apart = s.center(i) - s.center(j);
    if (apart.stableNorm() < (s.radii[i] + s.radii[j]) * (1 - 0x1p-20)) return static_cast<std::uint32_t>(j);
  }
  return static_cast<std::uint32_t>(i);
}

}  // namespace

const char* shapes::fault_of(const BoundingSphere& sphere) {
  if (!sphere.center.allFinite()) return "has a center that is not finite: repair the data";
  if (!std::isfinite(sphere.radius)) return "has a radius that is not finite: repair the data";
  if (sphere.radius < 0) return "has a negative radius; remove it, or use radius 0 for a point";
  if (sphere.center.cwiseAbs().maxCoeff() > max_coordinate || sphere.radius > max_coordinate)
    return "has a number beyond 1e90; use another unit of length";
  return nullptr;
}

SphereSet::SphereSet(std::span<const Vector3> centers, std::span<const double> radii) {
  if (centers.size() != radii.size()) {
    throw Error("sphere set: " + std::to_string(centers.size()) + " centers, but " + std::to_string(radii.size()) +
                " radii; give one for each");
  }
  if (centers.empty()) throw Error("sphere set: it has no spheres; give at least one");
  if (centers.size() >= none) throw Error("sphere set: more spheres than can be numbered; split it");
  for (std::size_t i = 0; i < centers.size(); ++i) {
    if (const char* fault = shapes::fault_of({centers[i], radii[i]})) {
      throw Error("sphere set: sphere " + std::to_string(i) + " " + fault);
    }
  }
  auto storage = std::make_shared<Storage>();
  const std::size_t count = centers.size();
  storage->radii.assign(radii.begin(), radii.end());
  for (const Vector3& center : centers) {
    storage->x.push_back(center[0]);
    storage->y.push_back(center[1]);
    storage->z.push_back(center[2]);
  }
  storage->ball = ball_around(*storage, 0, count);
  storage->bounds = box_around(*storage);
  for (std::size_t begin = 0; begin < count; begin += Storage::group_size)
    storage->group_balls.push_back(ball_around(*storage, begin, std::min(begin + Storage::group_size, count)));
  for (std::size_t i = 0; i < count; ++i)
    storage->links.push_back(link_of(*storage, i));
  storage_ = std::move(storage);
}

SphereSet shapes::set_of(std::span<const BoundingSphere> spheres) {
  return {geometry::mapped(spheres, &BoundingSphere::center), geometry::mapped(spheres, &BoundingSphere::radius)};
}

std::size_t SphereSet::size() const {
  return storage_->x.size();
}

Vector3 SphereSet::center(std::size_t i) const {
  return storage_->center(storage_->checked(i));
}

double SphereSet::radius(std::size_t i) const {
  return storage_->radii[storage_->checked(i)];
}

std::span<const double> SphereSet::x() const {
  return storage_->x;
}

std::span<const double> SphereSet::y() const {
  return storage_->y;
}

std::span<const double> SphereSet::z() const {
  return storage_->z;
}

std::span<const double> SphereSet::radii() const {
  return storage_->radii;
}

BoundingSphere SphereSet::ball() const {
  return storage_->ball;
}

Aabb SphereSet::bounds() const {
  return storage_->bounds;
}

}  // namespace whisker
