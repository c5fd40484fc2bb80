#include <whisker/spheres/sphere_body.hpp>

#include "shapes/sphere_body_storage.hpp"

namespace whisker {

std::size_t SphereBody::size() const {
  return storage_->count();
}

BoundingSphere SphereBody::sphere(std::size_t i) const {
  const Storage& s = *storage_;
  return {s.center(s.checked(i)), s.radius[i]};
}

double SphereBody::protrusion(std::size_t i) const {
  return storage_->protrusion[storage_->checked(i)];
}

std::uint32_t SphereBody::first_child(std::size_t i) const {
  return storage_->first_child[storage_->checked(i)];
}

std::uint32_t SphereBody::child_count(std::size_t i) const {
  return storage_->child_count[storage_->checked(i)];
}

const Mesh& SphereBody::mesh() const {
  return storage_->mesh;
}

}  // namespace whisker
