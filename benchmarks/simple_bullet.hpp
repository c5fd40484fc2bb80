#pragma once

// What the two files on Bullet in the suite `simple` share: shapes in Bullet's types.

#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <btBulletCollisionCommon.h>
#include <memory>
#include <vector>

#include "bullet_shapes.hpp"
#include "simple.hpp"

namespace whisker::bench {

/// A shape without margin, and its pose. Both are null and unchanged for kinds that Bullet does not have.
inline std::unique_ptr<btCollisionShape> to_bullet(const Shape& shape, btTransform& pose) {
  const auto vector = [](const Vector3& v) { return btVector3(v[0], v[1], v[2]); };
  std::unique_ptr<btCollisionShape> result;
  if (const auto* sphere = shape.as<Sphere>()) return std::make_unique<btSphereShape>(sphere->radius);
  if (const auto* capsule = shape.as<Capsule>())
    return std::make_unique<btCapsuleShapeZ>(capsule->radius, capsule->length);
  if (const auto* segment = shape.as<Segment>()) {  // a capsule of radius 0
    const btVector3 a = vector(segment->a), b = vector(segment->b), z(0, 0, 1), along = (b - a).normalized();
    pose = pose * btTransform(shortestArcQuat(z, along), (a + b) / 2);
    return std::make_unique<btCapsuleShapeZ>(0, (b - a).length());
  }
  if (const auto* side = shape.as<HalfSpace>()) {
    const double length = side->normal.norm();
    return std::make_unique<btStaticPlaneShape>(vector(side->normal / length), side->offset / length);
  }
  if (const auto* box = shape.as<Box>()) result = std::make_unique<btBoxShape>(vector(box->size / 2));
  if (const auto* c = shape.as<Cylinder>())
    result = std::make_unique<btCylinderShapeZ>(btVector3(c->radius, c->radius, c->length / 2));
  if (const auto* cone = shape.as<Cone>()) result = std::make_unique<btConeShapeZ>(cone->radius, cone->length);
  if (const auto* t = shape.as<Triangle>())
    result = std::make_unique<btTriangleShape>(vector(t->a), vector(t->b), vector(t->c));
  if (result != nullptr) result->setMargin(0);
  return result;
}

/// Whether Bullet has the kind.
inline bool in_bullet(ShapeKind kind) {
  return kind != ShapeKind::ellipsoid && kind != ShapeKind::plane;
}

/// The inputs of a row in Bullet's types.
struct BulletInputs {
  struct Input {
    std::unique_ptr<btCollisionShape> a, b;
    btTransform pose_a, pose_b;
  };
  std::vector<Input> inputs;

  explicit BulletInputs(const SimpleRow& row) {
    for (const SimpleInput& in : row.inputs) {
      Input& input = inputs.emplace_back();
      input.pose_a = to_bullet(in.pose_a);
      input.pose_b = to_bullet(in.pose_b);
      input.a = to_bullet(in.a, input.pose_a);
      input.b = to_bullet(in.b, input.pose_b);
    }
  }
};

}  // namespace whisker::bench
