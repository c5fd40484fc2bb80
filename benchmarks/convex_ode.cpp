// ODE's side of the suite `convex`: its collider of two convex geometries.

#include "convex.hpp"

#ifdef WHISKER_BENCH_ODE
#include <ode/ode.h>

#include "ode_session.hpp"
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_ODE

namespace {

/// A hull in the arrays that ODE refers to, as two geometries, so that it can be on both sides of a pair.
struct Convex {
  std::vector<dReal> planes, points;
  std::vector<unsigned> polygons;
  dGeomID first = nullptr, second = nullptr;

  explicit Convex(const ConvexHull& hull) {
    for (const Vector3& v : hull.vertices())
      points.insert(points.end(), {v[0], v[1], v[2]});
    for (const HullPlane& plane : hull.planes())
      planes.insert(planes.end(), {plane.normal[0], plane.normal[1], plane.normal[2], plane.offset});
    for (std::size_t f = 0; f < hull.face_count(); ++f) {
      polygons.push_back(static_cast<unsigned>(hull.face(f).size()));
      polygons.insert(polygons.end(), hull.face(f).begin(), hull.face(f).end());
    }
    first = create(hull);
    second = create(hull);
  }
  ~Convex() {
    dGeomDestroy(first);
    dGeomDestroy(second);
  }
  Convex(const Convex&) = delete;
  Convex& operator=(const Convex&) = delete;

  dGeomID create(const ConvexHull& hull) {
    return dCreateConvex(nullptr, planes.data(), static_cast<unsigned>(hull.face_count()), points.data(),
                         static_cast<unsigned>(hull.vertices().size()), polygons.data());
  }
};

struct Placement {
  dMatrix3 rotation{};
  Vector3 position;

  explicit Placement(const Pose& pose) : position(pose.translation()) {
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column)
        rotation[4 * row + column] = pose.rotation()(row, column);
  }
  void put(dGeomID geometry) const {
    dGeomSetRotation(geometry, rotation);
    dGeomSetPosition(geometry, position[0], position[1], position[2]);
  }
};

struct Placing {
  dGeomID a, b;
  Placement pose_a, pose_b;
};

}  // namespace

struct OdeHulls::Storage {
  std::vector<std::unique_ptr<Convex>> hulls;
};

OdeHulls::OdeHulls(const Hulls& hulls) : storage_(std::make_unique<Storage>()) {
  start_ode();
  for (const ConvexHull& hull : hulls.hulls)
    storage_->hulls.push_back(std::make_unique<Convex>(hull));
}
OdeHulls::~OdeHulls() = default;

PeerPass OdeHulls::pass(const Asked& asked, Answers& answers) const {
  if (asked.question != Question::touches) return {};
  answers.assign(asked.queries.size(), 0);
  std::vector<Placing> placings;
  for (const HullQuery& q : asked.queries)
    placings.push_back(
        {storage_->hulls[q.a]->first, storage_->hulls[q.b]->second, Placement(q.pose_a), Placement(q.pose_b)});
  return [placings = std::move(placings), &answers] {
    // One arbitrary contact: the fastest setting for a yes or no.
    const int flags = static_cast<int>(CONTACTS_UNIMPORTANT | 1u);
    for (std::size_t i = 0; i < placings.size(); ++i) {
      const Placing& p = placings[i];
      p.pose_a.put(p.a);
      p.pose_b.put(p.b);
      dContactGeom contact;
      answers[i] = dCollide(p.a, p.b, flags, &contact, sizeof contact) > 0 ? 1 : 0;
    }
  };
}

#else

struct OdeHulls::Storage {};
OdeHulls::OdeHulls(const Hulls&) {}
OdeHulls::~OdeHulls() = default;
PeerPass OdeHulls::pass(const Asked&, Answers&) const {
  return {};
}

#endif

}  // namespace whisker::bench
