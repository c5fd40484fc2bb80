// distance-triangle and distance-simple: the distance of two simple shapes.

#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/Geometry>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/detail/gjk_solver_indep.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>
#include <fcl/narrowphase/detail/primitive_shape_algorithm/triangle_distance.h>

#include <whisker/geometry/closest_points.hpp>
#include <whisker/queries.hpp>

#include "geometry.hpp"

namespace whisker::bench {
namespace {

/// Distances that differ by more than this count as a disagreement.
constexpr double agreement = 1e-6;
/// The tolerance for the points when a result is checked.
constexpr double rounding = 1e-9;

/// A distance and its witness points.
struct Measured {
  double distance = 0;
  Vector3 point_a = Vector3::Zero(), point_b = Vector3::Zero();
};

// What the check of a result needs from a shape, in the shape's frame: whether a point is in it, up to rounding, and
// its extent in a direction (of unit length).

bool contains(const Sphere& s, const Vector3& p) {
  return p.norm() <= s.radius + rounding;
}
double reach(const Sphere& s, const Vector3&) {
  return s.radius;
}

bool contains(const Capsule& c, const Vector3& p) {
  const Vector3 nearest(0, 0, std::clamp(p[2], -c.length / 2, c.length / 2));
  return (p - nearest).norm() <= c.radius + rounding;
}
double reach(const Capsule& c, const Vector3& direction) {
  return c.length / 2 * std::abs(direction[2]) + c.radius;
}

bool contains(const Box& b, const Vector3& p) {
  return (p.cwiseAbs() - b.size / 2).maxCoeff() <= rounding;
}
double reach(const Box& b, const Vector3& direction) {
  return (b.size / 2).dot(direction.cwiseAbs());
}

bool contains(const Triangle& t, const Vector3& p) {
  const Vector3 u = t.b - t.a, v = t.c - t.a, w = p - t.a;
  const Vector3 normal = u.cross(v);
  if (std::abs(normal.dot(w)) > rounding * normal.norm()) return false;
  // Twice the signed area beyond an edge, divided by the edge's length: the distance from it.
  const auto beyond = [&](const Vector3& from, const Vector3& to) {
    return -normal.dot((to - from).cross(p - from)) / (normal.norm() * (to - from).norm());
  };
  return beyond(t.a, t.b) <= rounding && beyond(t.b, t.c) <= rounding && beyond(t.c, t.a) <= rounding;
}
double reach(const Triangle& t, const Vector3& direction) {
  return std::max({t.a.dot(direction), t.b.dot(direction), t.c.dot(direction)});
}

/// Whether the result is proven by its own points. They must lie in the shapes (so the distance is no larger). If they
/// are apart, the planes through them perpendicular to the line between them must have the shapes behind them (so the
/// distance is no smaller). Plain double arithmetic is sufficient: it is five orders of magnitude more precise than the
/// disagreement threshold.
template <class Kind>
bool proven(const Measured& answer, const Kind& a, const Pose& pose_a, const Kind& b, const Pose& pose_b) {
  const auto local = [](const Pose& pose, const Vector3& p) -> Vector3 {
    return pose.rotation().transpose() * (p - pose.translation());
  };
  const auto placed_reach = [](const Kind& shape, const Pose& pose, const Vector3& direction) {
    return pose.translation().dot(direction) + reach(shape, pose.rotation().transpose() * direction);
  };
  const Vector3 gap = answer.point_b - answer.point_a;
  if (std::abs(gap.norm() - answer.distance) > agreement / 10) return false;
  if (!contains(a, local(pose_a, answer.point_a)) || !contains(b, local(pose_b, answer.point_b))) return false;
  if (answer.distance <= agreement / 10) return true;
  const Vector3 normal = gap / gap.norm();
  return -placed_reach(b, pose_b, -normal) - placed_reach(a, pose_a, normal) >= answer.distance - agreement / 10;
}

void compare_distances(Suite& suite, const char* peer, const std::vector<Measured>& ours,
                       const std::vector<Measured>& theirs, const std::function<bool(std::size_t)>& ours_proven) {
  std::size_t peer_off = 0, open = 0, first_open = 0;
  double worst = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double error = std::abs(ours[i].distance - std::max(theirs[i].distance, 0.0));
    if (error <= agreement) continue;
    if (ours_proven(i)) {
      ++peer_off;
      worst = std::max(worst, error);
    } else {
      if (open++ == 0) first_open = i;
    }
  }
  if (peer_off > 0) {
    char text[160];
    std::snprintf(text, sizeof text, "%zu distances of %s are off by more than %g, up to %.2g (whisker's are proven)",
                  peer_off, peer, agreement, worst);
    suite.note(text);
  }
  if (open > 0) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "%zu distances differ and are not proven, whisker and %s; first %.9g, %.9g (input %zu)", open, peer,
                  ours[first_open].distance, theirs[first_open].distance, first_open);
    suite.fail(text);
  }
}

auto count_apart(const std::vector<Measured>& answers) {
  return [&answers] {
    return static_cast<std::size_t>(
        std::count_if(answers.begin(), answers.end(), [](const Measured& m) { return m.distance > agreement; }));
  };
}

void bench_triangles(Suite& suite, const std::string& name) {
  constexpr std::size_t count = many_inputs / 2;
  std::mt19937_64 random(41);
  std::vector<TrianglePair> pairs(count);
  for (TrianglePair& pair : pairs) {
    const Vector3 shift = uniform_in_cube(random, 1.5);
    for (Vector3* corner : {&pair.first.a, &pair.first.b, &pair.first.c})
      *corner = uniform_in_cube(random, 0.5);
    for (Vector3* corner : {&pair.second.a, &pair.second.b, &pair.second.c})
      *corner = shift + uniform_in_cube(random, 0.5);
  }
  std::vector<Measured> ours(count), theirs(count);
  suite.measure({.name = name, .calls = count},
                {{"whisker",
                  [&] {
                    for (std::size_t i = 0; i < count; ++i) {
                      const ClosestPoints found = closest_points(pairs[i].first, pairs[i].second);
                      ours[i] = {found.distance, found.point_a, found.point_b};
                    }
                  },
                  count_apart(ours)},
                 {"FCL",
                  [&] {
                    for (std::size_t i = 0; i < count; ++i) {
                      const Triangle &s = pairs[i].first, &t = pairs[i].second;
                      theirs[i].distance = fcl::detail::TriangleDistance<double>::triDistance(
                          s.a, s.b, s.c, t.a, t.b, t.c, theirs[i].point_a, theirs[i].point_b);
                    }
                  },
                  count_apart(theirs)}});
  compare_distances(suite, "FCL", ours, theirs,
                    [&](std::size_t i) { return proven(ours[i], pairs[i].first, Pose(), pairs[i].second, Pose()); });
}

Pose random_pose(std::mt19937_64& random, double spread) {
  const Vector3 axis = uniform_in_cube(random, 1).normalized();
  Pose pose;
  pose.set_rotation(Eigen::AngleAxisd(uniform(random, 0, 3), axis).toRotationMatrix());
  pose.set_translation(uniform_in_cube(random, spread));
  return pose;
}

fcl::Sphered to_fcl(const Sphere& s) {
  return fcl::Sphered(s.radius);
}
fcl::Capsuled to_fcl(const Capsule& c) {
  return fcl::Capsuled(c.radius, c.length);
}
fcl::Boxd to_fcl(const Box& b) {
  return fcl::Boxd(b.size);
}
fcl::Transform3d to_fcl(const Pose& pose) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  result.linear() = pose.rotation();
  result.translation() = pose.translation();
  return result;
}

Sphere make(std::mt19937_64& random, Sphere) {
  return {uniform(random, 0.1, 0.5)};
}
Capsule make(std::mt19937_64& random, Capsule) {
  const double radius = uniform(random, 0.1, 0.3);
  return {radius, uniform(random, 0.1, 1)};
}
Box make(std::mt19937_64& random, Box) {
  const double x = uniform(random, 0.1, 1), y = uniform(random, 0.1, 1), z = uniform(random, 0.1, 1);
  return {{x, y, z}};
}
Triangle make(std::mt19937_64& random, Triangle) {
  const Vector3 a = uniform_in_cube(random, 0.5), b = uniform_in_cube(random, 0.5), c = uniform_in_cube(random, 0.5);
  return {a, b, c};
}

constexpr std::size_t simple_count = many_inputs / 8;
constexpr double simple_spread = 1;

/// Uses the public query, with shapes and poses as a user has them.
template <class Kind>
struct SimpleCase {
  std::vector<Kind> kinds_a, kinds_b;
  std::vector<Shape> shapes_a, shapes_b;
  std::vector<Pose> poses_a, poses_b;
  std::vector<Measured> ours = std::vector<Measured>(simple_count);

  explicit SimpleCase(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < simple_count; ++i) {
      kinds_a.push_back(make(random, Kind{}));
      kinds_b.push_back(make(random, Kind{}));
      shapes_a.emplace_back(kinds_a.back());
      shapes_b.emplace_back(kinds_b.back());
      poses_a.push_back(random_pose(random, simple_spread));
      poses_b.push_back(random_pose(random, simple_spread));
    }
  }
  void ask() {
    for (std::size_t i = 0; i < simple_count; ++i) {
      const Distance d = distance({shapes_a[i], poses_a[i]}, {shapes_b[i], poses_b[i]});
      ours[i] = {d.value(), d.point_a, d.point_b};
    }
  }
  bool is_proven(std::size_t i) const { return proven(ours[i], kinds_a[i], poses_a[i], kinds_b[i], poses_b[i]); }
};

template <class Kind>
void bench_simple(Suite& suite, const std::string& name, std::uint64_t seed) {
  if (!suite.wants(name)) return;
  SimpleCase<Kind> inputs(seed);
  using Theirs = decltype(to_fcl(Kind{}));
  std::vector<Theirs> fcl_a, fcl_b;
  std::vector<fcl::Transform3d, Eigen::aligned_allocator<fcl::Transform3d>> tf_a, tf_b;
  for (std::size_t i = 0; i < simple_count; ++i) {
    fcl_a.push_back(to_fcl(inputs.kinds_a[i]));
    fcl_b.push_back(to_fcl(inputs.kinds_b[i]));
    tf_a.push_back(to_fcl(inputs.poses_a[i]));
    tf_b.push_back(to_fcl(inputs.poses_b[i]));
  }
  std::vector<Measured> libccd(simple_count), indep(simple_count);
  const fcl::detail::GJKSolver_libccd<double> libccd_solver;
  const fcl::detail::GJKSolver_indep<double> indep_solver;
  const auto ask_fcl = [&](std::vector<Measured>& answers, const auto& solver) {
    return [&] {
      for (std::size_t i = 0; i < simple_count; ++i) {
        solver.shapeDistance(fcl_a[i], tf_a[i], fcl_b[i], tf_b[i], &answers[i].distance, &answers[i].point_a,
                             &answers[i].point_b);
      }
    };
  };
  suite.measure({.name = name, .calls = simple_count},
                {{"whisker", [&] { inputs.ask(); }, count_apart(inputs.ours)},
                 {"FCL", ask_fcl(libccd, libccd_solver), count_apart(libccd)},
                 {"FCL/indep", ask_fcl(indep, indep_solver), count_apart(indep)}});
  compare_distances(suite, "FCL", inputs.ours, libccd, [&](std::size_t i) { return inputs.is_proven(i); });
  compare_distances(suite, "FCL/indep", inputs.ours, indep, [&](std::size_t i) { return inputs.is_proven(i); });
}

void bench_simple_triangles(Suite& suite, const std::string& name, std::uint64_t seed) {
  SimpleCase<Triangle> inputs(seed);
  std::vector<fcl::Transform3d, Eigen::aligned_allocator<fcl::Transform3d>> tf_a, tf_b;
  for (std::size_t i = 0; i < simple_count; ++i) {
    tf_a.push_back(to_fcl(inputs.poses_a[i]));
    tf_b.push_back(to_fcl(inputs.poses_b[i]));
  }
  std::vector<Measured> theirs(simple_count);
  suite.measure({.name = name, .calls = simple_count},
                {{"whisker", [&] { inputs.ask(); }, count_apart(inputs.ours)},
                 {"FCL",
                  [&] {
                    for (std::size_t i = 0; i < simple_count; ++i) {
                      const Triangle &s = inputs.kinds_a[i], &t = inputs.kinds_b[i];
                      const fcl::Transform3d relative = tf_a[i].inverse(Eigen::Isometry) * tf_b[i];
                      theirs[i].distance = fcl::detail::TriangleDistance<double>::triDistance(
                          s.a, s.b, s.c, t.a, t.b, t.c, relative, theirs[i].point_a, theirs[i].point_b);
                    }
                  },
                  count_apart(theirs)}});
  compare_distances(suite, "FCL", inputs.ours, theirs, [&](std::size_t i) { return inputs.is_proven(i); });
}

}  // namespace

void bench_distance(Suite& suite) {
  if (suite.wants("distance-triangle")) bench_triangles(suite, "distance-triangle");
  bench_simple<Sphere>(suite, "distance-simple/sphere-sphere", 51);
  bench_simple<Capsule>(suite, "distance-simple/capsule-capsule", 52);
  bench_simple<Box>(suite, "distance-simple/box-box", 53);
  if (suite.wants("distance-simple/triangle-triangle"))
    bench_simple_triangles(suite, "distance-simple/triangle-triangle", 54);
}

}  // namespace whisker::bench
