// ODE's side of the suite `simple`: its function dCollide.

#include "simple.hpp"

#ifdef WHISKER_BENCH_ODE
#include <algorithm>
#include <memory>
#include <ode/ode.h>

#include "ode_session.hpp"
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_ODE

namespace {

/// A geometry in its place. A segment is a ray, a triangle a mesh of one.
struct Geometry {
  std::vector<dReal> vertices;
  std::vector<dTriIndex> corners;
  dTriMeshDataID data = nullptr;
  dGeomID id = nullptr;

  Geometry(const Shape& shape, const Pose& pose) {
    if (const auto* sphere = shape.as<Sphere>()) id = dCreateSphere(nullptr, sphere->radius);
    if (const auto* capsule = shape.as<Capsule>()) id = dCreateCapsule(nullptr, capsule->radius, capsule->length);
    if (const auto* box = shape.as<Box>()) id = dCreateBox(nullptr, box->size[0], box->size[1], box->size[2]);
    if (const auto* c = shape.as<Cylinder>()) id = dCreateCylinder(nullptr, c->radius, c->length);
    if (const auto* t = shape.as<Triangle>()) {
      for (const Vector3& v : {t->a, t->b, t->c})
        vertices.insert(vertices.end(), {v[0], v[1], v[2]});
      corners = {0, 1, 2};
      data = dGeomTriMeshDataCreate();
      dGeomTriMeshDataBuildDouble(data, vertices.data(), 3 * sizeof(dReal), 3, corners.data(), 3,
                                  3 * sizeof(dTriIndex));
      id = dCreateTriMesh(nullptr, data, nullptr, nullptr, nullptr);
    }
    if (const auto* side = shape.as<HalfSpace>()) {  // in the world, without a pose
      const Vector3 n = place_direction(pose, side->normal).normalized();
      id = dCreatePlane(nullptr, n[0], n[1], n[2], side->offset / side->normal.norm() + n.dot(pose.translation()));
      return;
    }
    if (const auto* segment = shape.as<Segment>()) {
      const Vector3 a = place(pose, segment->a), along = place(pose, segment->b) - a;
      id = dCreateRay(nullptr, along.norm());
      dGeomRaySet(id, a[0], a[1], a[2], along[0], along[1], along[2]);
      return;
    }
    dMatrix3 rotation{};
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column)
        rotation[4 * row + column] = pose.rotation()(row, column);
    dGeomSetRotation(id, rotation);
    dGeomSetPosition(id, pose.translation()[0], pose.translation()[1], pose.translation()[2]);
  }
  ~Geometry() {
    dGeomDestroy(id);
    if (data != nullptr) dGeomTriMeshDataDestroy(data);
  }
  Geometry(const Geometry&) = delete;
  Geometry& operator=(const Geometry&) = delete;
};

struct Pair {
  std::unique_ptr<Geometry> a, b;
};

bool in_ode(ShapeKind kind) {
  return kind != ShapeKind::cone && kind != ShapeKind::ellipsoid && kind != ShapeKind::plane;
}

/// Pairs for which dCollide has no function: it returns 0 without a word.
bool has_collider(ShapeKind a, ShapeKind b) {
  const auto is = [&](ShapeKind x, ShapeKind y) { return (a == x && b == y) || (a == y && b == x); };
  return in_ode(a) && in_ode(b) && !is(ShapeKind::half_space, ShapeKind::half_space) &&
         !is(ShapeKind::segment, ShapeKind::segment);
}

}  // namespace

Entries ode_entries(const SimpleRow& row, Answers& answers) {
  answers.assign(row.inputs.size(), 0);
  const bool ray = row.a == ShapeKind::segment || row.b == ShapeKind::segment;
  if (row.question == Question::distance || !has_collider(row.a, row.b)) return {};
  if (row.question == Question::depth && ray) return {};  // the depth of a ray's contact is a length along it
  start_ode();
  const auto pairs = std::make_shared<std::vector<Pair>>();
  for (const SimpleInput& in : row.inputs)
    pairs->push_back({std::make_unique<Geometry>(in.a, in.pose_a), std::make_unique<Geometry>(in.b, in.pose_b)});
  const bool touch = row.question == Question::touches;
  Entries result;
  for (const unsigned most : {CONTACTS_UNIMPORTANT | 1u, 1u, 8u}) {
    const unsigned count = most & 0xffffu;
    const std::string how = "dCollide, " + std::to_string(count) + (count == most ? " contacts" : " of any contacts");
    result.push_back({how, [pairs, &answers, most, touch] {
                        std::array<dContactGeom, 8> contacts;
                        for (std::size_t i = 0; i < pairs->size(); ++i) {
                          const int found = dCollide((*pairs)[i].a->id, (*pairs)[i].b->id, static_cast<int>(most),
                                                     contacts.data(), sizeof(dContactGeom));
                          double depth = 0;
                          for (int k = 0; k < found; ++k)
                            depth = std::max(depth, contacts[static_cast<std::size_t>(k)].depth);
                          answers[i] = touch ? (found > 0 ? 1 : 0) : depth;
                        }
                      }});
  }
  return result;
}

#else

Entries ode_entries(const SimpleRow&, Answers&) {
  return {};
}

#endif

}  // namespace whisker::bench
