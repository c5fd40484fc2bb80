// Rays, points and planes at compounds: the answers are, bit for bit, those of asking every part in turn, but few parts
// are asked.

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_body.hpp>
#include <whisker/spheres/sphere_set_queries.hpp>
#include <whisker/spheres/sphere_tree.hpp>
#include <whisker/world.hpp>

#include "geometry/constants.hpp"
#include "support/error_of.hpp"
#include "support/random_shapes.hpp"

namespace whisker::compound_search {
namespace {

using test::cases;
using test::random_pose;
using test::random_vector;
using test::seeded;
using test::uniform;
using test::whole;
using test::scenes::chance;
using Random = std::mt19937_64;

/// What the parts of a compound may be.
struct Allowed {
  bool only_insides = false;
  bool only_triangles = false;
  bool only_meshes = false;
  bool unbounded = true;
};

Mesh some_mesh(Random& random) {
  static const Mesh box(make::box()), ball(make::icosphere({.subdivisions = 1})),
      ring(make::torus({.around = 8, .across = 5}));
  const int which = whole(random, 0, 2);
  return which == 0 ? box : which == 1 ? ball : ring;
}

HeightField some_field(Random& random) {
  std::vector<double> heights(5 * 4);
  for (double& h : heights)
    h = uniform(random, -0.3, 0.3);
  return HeightField(heights, 5, 4, 0.5, 0.5);
}

/// Random, with integer coordinates, without an extent, or very thin.
Shape simple_part(Random& random, std::size_t kind) {
  const int family = whole(random, 0, 3);
  const auto simple = family == 0   ? test::scenes::random_shape(random, kind)
                      : family == 1 ? test::scenes::integer_shape(random, kind)
                      : family == 2 ? test::scenes::degenerate_shape(random, kind)
                                    : test::scenes::slender_shape(random, kind);
  return std::visit([](const auto& s) { return Shape(s); }, simple);
}

Shape curved_part(Random& random) {
  const auto size = [&] { return chance(random, 8) ? 0.0 : uniform(random, 0.1, 1.5); };
  const double x = size(), y = size(), z = size();
  switch (whole(random, 0, 4)) {
    case 0:
      return Cylinder{x, y};
    case 1:
      return Cone{x, y};
    case 2:
      return Ellipsoid{Vector3(x, y, z)};
    case 3: {
      std::vector<Vector3> points;
      for (int i = whole(random, 1, 12); i > 0; --i)
        points.push_back(random_vector(random, 1).cwiseProduct(Vector3(1, y, z)));
      return ConvexHull(points);
    }
    default:
      return SphereSet(std::vector<Vector3>{random_vector(random, 1), random_vector(random, 1)},
                       std::vector<double>{x, y});
  }
}

Pose part_pose(Random& random, double spread) {
  Pose pose = random_pose(random, spread);
  if (chance(random, 4)) pose = Pose(test::scenes::axis_rotation(random), test::scenes::integer_vector(random, 3));
  return pose;
}

Shape some_compound(Random& random, int parts, double spread, const Allowed& allowed, int nesting);

Shape some_part(Random& random, const Allowed& allowed, int nesting) {
  static const SphereBody body(build_sphere_tree(Mesh(make::box()).solid(), {.depth = 1}), Mesh(make::box()).solid());
  for (;;) {
    if (nesting > 0 && chance(random, 6)) return some_compound(random, whole(random, 1, 12), 2, allowed, nesting - 1);
    const int kind = whole(random, 0, 14);
    if (allowed.only_meshes) return some_mesh(random);
    if (allowed.only_triangles) {
      if (kind < 7) return some_mesh(random);
      return kind < 10 ? Shape(some_field(random)) : simple_part(random, 6);
    }
    if (kind < 7) {
      if ((kind == 3 || kind == 4) && (!allowed.unbounded || !chance(random, 6))) continue;
      if (kind > 3 && allowed.only_insides) continue;
      return simple_part(random, static_cast<std::size_t>(kind));
    }
    if (kind < 10) return curved_part(random);
    if (kind == 10) return allowed.only_insides ? some_mesh(random).solid() : some_mesh(random);
    if (kind == 11) return body;
    if (kind == 12 && chance(random, 4)) return ground(some_field(random));
    if (kind == 12 && !allowed.only_insides) return some_field(random);
    // Rounded shapes are slow.
    if (kind == 13 && chance(random, 3)) return rounded(Box{Vector3(0.5, 0.25, 1)}, uniform(random, 0, 0.5));
    if (kind == 14 && chance(random, 6)) return rounded(some_mesh(random).solid(), uniform(random, 0.01, 0.5));
  }
}

Shape some_compound(Random& random, int parts, double spread, const Allowed& allowed, int nesting) {
  std::vector<CompoundPart> all;
  for (int i = 0; i < parts; ++i) {
    // Sometimes the same part twice, in the same place.
    const bool again = !all.empty() && chance(random, 12);
    all.push_back(again ? all.back() : CompoundPart{some_part(random, allowed, nesting), part_pose(random, spread)});
  }
  return Compound(all);
}

/// From one part to far more than a node of the tree has, spread or on one heap.
Shape some_compound(Random& random, const Allowed& allowed = {}) {
  constexpr int counts[] = {1, 2, 7, 9, 40, 120};
  const int count = counts[static_cast<std::size_t>(whole(random, 0, 5))];
  return some_compound(random, count, chance(random, 4) ? 0.5 : 2 * std::cbrt(count), allowed, 2);
}

Pose some_pose(Random& random) {
  constexpr double spreads[] = {0, 1, 10, 1e6};
  Pose pose = part_pose(random, spreads[static_cast<std::size_t>(whole(random, 0, 3))]);
  // A quarter of the allowed inexactness, so that the parts' poses are valid poses too.
  if (chance(random, 3)) pose.set_rotation((test::scenes::sloppy(random, pose.rotation()) + 3 * pose.rotation()) / 4);
  return pose;
}

/// Calls `visit(shape, pose, number)` for every part that is not a compound.
template <class Visit>
void each_part(const Shape& shape, const Pose& pose, std::uint32_t& number, const Visit& visit) {
  const auto* compound = shape.as<Compound>();
  if (compound == nullptr) return visit(shape, pose, number++);
  for (const CompoundPart& part : compound->parts())
    each_part(part.shape, compose(pose, part.pose), number, visit);
}
template <class Visit>
void each_part(const Placed& placed, const Visit& visit) {
  std::uint32_t number = 0;
  each_part(placed.shape, placed.pose, number, visit);
}

/// The first hit, from all parts one after the other.
std::optional<RayHit> cast_at_each(const Ray& ray, const Shape& shape, const Pose& pose, const RayRange& range) {
  const auto* compound = shape.as<Compound>();
  if (compound == nullptr) return cast_ray(ray, {shape, pose}, range);
  const auto has_no_start = [&](const RayHit& hit) { return range.lower == -infinity && hit.inside; };
  const auto comes_before = [&](const RayHit& a, const RayHit& b) {
    if (has_no_start(a) != has_no_start(b)) return has_no_start(a);
    if (!has_no_start(a)) return a.t < b.t;
    if (a.normal.isZero(0) || b.normal.isZero(0)) return !b.normal.isZero(0);
    return a.t > b.t;
  };
  std::optional<RayHit> first;
  double lower = infinity, upper = infinity, latest = -infinity;
  bool certain = false;
  for (const CompoundPart& part : compound->parts()) {
    const auto hit = cast_at_each(ray, part.shape, compose(pose, part.pose), range);
    if (!hit) continue;
    lower = std::min(lower, hit->t_lower);
    latest = std::max(latest, hit->t_upper);
    if (hit->certain) upper = std::min(upper, hit->t_upper);
    certain = certain || hit->certain;
    if (!first || comes_before(*hit, *first)) first = hit;
  }
  if (!first || has_no_start(*first)) return first;
  first->certain = certain;
  first->t_lower = lower;
  first->t_upper = certain ? upper : latest;
  return first;
}

void expect_same(const std::optional<RayHit>& found, const std::optional<RayHit>& each) {
  ASSERT_EQ(found.has_value(), each.has_value());
  if (!found) return;
  ASSERT_EQ(found->t, each->t);
  ASSERT_EQ(found->t_lower, each->t_lower);
  ASSERT_EQ(found->t_upper, each->t_upper);
  // A point that is everywhere on a full line has no coordinates.
  ASSERT_TRUE(found->point == each->point || (found->point.hasNaN() && each->point.hasNaN()));
  ASSERT_EQ(found->normal, each->normal);
  ASSERT_EQ(found->inside, each->inside);
  ASSERT_EQ(found->certain, each->certain);
  ASSERT_EQ(found->face.has_value(), each->face.has_value());
  if (found->face) {
    ASSERT_EQ(found->face->triangle, each->face->triangle);
  }
}

/// A point near the compound: often on or in a part, also exactly, or where boxes touch.
Vector3 some_point(Random& random, const Placed& placed) {
  std::vector<Pose> poses;
  each_part(placed, [&](const Shape&, const Pose& pose, std::uint32_t) { poses.push_back(pose); });
  const Pose& pose = poses[static_cast<std::size_t>(whole(random, 0, static_cast<int>(poses.size()) - 1))];
  const int how = whole(random, 0, 3);
  if (how == 0) return placed.pose.translation() + random_vector(random, 6);
  if (how == 1) return place(pose, Vector3(test::scenes::integer_vector(random, 4) / 2));
  return place(pose, random_vector(random, how == 2 ? 0.5 : 1.5));
}

Ray some_ray(Random& random, const Placed& placed) {
  const Vector3 at = some_point(random, placed);
  Vector3 along = random_vector(random, 1);
  switch (whole(random, 0, 7)) {
    case 0:
      along = Vector3::Unit(whole(random, 0, 2)) * (chance(random, 2) ? -1.0 : 1.0);
      break;
    case 1:
      along = placed.pose.rotation().col(whole(random, 0, 2));
      break;
    case 2:
      along = some_point(random, placed) - at;
      break;
    case 3:
      along = chance(random, 2) ? Vector3::Zero() : Vector3(test::scenes::integer_vector(random, 2));
      break;
    case 4:
      along[whole(random, 0, 2)] *= 1e-18;
      break;
    default:
      break;
  }
  constexpr double speeds[] = {1, 1, 1, 3, 1e-9, 1e20, 1e-250};
  const double speed = speeds[static_cast<std::size_t>(whole(random, 0, 6))];
  constexpr double ways[] = {0, 1, 5, 20, 1e6};
  const Vector3 from = at - ways[static_cast<std::size_t>(whole(random, 0, 4))] * along;
  return {from, speed * along};
}

RayRange some_range(Random& random) {
  switch (whole(random, 0, 4)) {
    case 0:
      return segment_range();
    case 1:
      return line_range();
    case 2: {
      const double lower = uniform(random, -5, 5);
      return {lower, lower + uniform(random, 0, 5)};
    }
    default:
      return {};
  }
}

TEST(CompoundSearch, RaysHitWhatAskingEveryPartFinds) {
  auto random = seeded(9101);
  std::size_t hits = 0, misses = 0, uncertain = 0;
  for (std::size_t i = 0; i < cases(400); ++i) {
    const Shape shape = some_compound(random);
    const Placed placed(shape, some_pose(random));
    for (int k = 0; k < 10; ++k) {
      const Ray ray = some_ray(random, placed);
      const RayRange range = some_range(random);
      const auto each = cast_at_each(ray, placed.shape, placed.pose, range);
      const auto found = cast_ray(ray, placed, range);
      ASSERT_EQ(ray_hits(ray, placed, range), found.has_value()) << i << " " << k;
      ASSERT_NO_FATAL_FAILURE(expect_same(found, each)) << i << " " << k;
      (each ? hits : misses) += 1;
      uncertain += each && !each->certain ? 1u : 0u;
    }
  }
  EXPECT_GT(hits, cases(400));
  EXPECT_GT(misses, cases(400));
  EXPECT_GT(uncertain, cases(400) / 50);
}

TEST(CompoundSearch, RaysHitAllTrianglesThatAskingEveryPartFinds) {
  auto random = seeded(9102);
  std::size_t hits = 0;
  std::vector<SurfaceHit> found, of_part;
  for (std::size_t i = 0; i < cases(400); ++i) {
    const Shape shape = some_compound(random, {.only_triangles = true});
    const Placed placed(shape, some_pose(random));
    const Ray ray = some_ray(random, placed);
    const RayRange range = some_range(random);
    std::vector<SurfaceHit> each;
    each_part(placed, [&](const Shape& part, const Pose& pose, std::uint32_t number) {
      cast_ray_all(ray, {part, pose}, range, of_part);
      for (SurfaceHit& hit : of_part)
        hit.feature.part = number;
      each.insert(each.end(), of_part.begin(), of_part.end());
    });
    std::stable_sort(each.begin(), each.end(),
                     [](const SurfaceHit& a, const SurfaceHit& b) { return a.hit.t < b.hit.t; });
    cast_ray_all(ray, placed, range, found);
    ASSERT_EQ(found.size(), each.size()) << i;
    for (std::size_t k = 0; k < found.size(); ++k) {
      ASSERT_EQ(found[k].feature.part, each[k].feature.part) << i;
      ASSERT_NO_FATAL_FAILURE(expect_same(found[k].hit, each[k].hit)) << i;
    }
    hits += found.size();
  }
  EXPECT_GT(hits, cases(400));
}

TEST(CompoundSearch, PointsAreInWhatAskingEveryPartFinds) {
  auto random = seeded(9103);
  std::size_t in = 0, out = 0;
  for (std::size_t i = 0; i < cases(400); ++i) {
    const Shape shape = some_compound(random, {.only_insides = true, .unbounded = i % 2 == 0});
    const Placed placed(shape, some_pose(random));
    for (int k = 0; k < 10; ++k) {
      const Vector3 point = some_point(random, placed);
      bool any = false;
      each_part(placed, [&](const Shape& part, const Pose& pose, std::uint32_t) {
        any = any || contains({part, pose}, point);
      });
      ASSERT_EQ(contains(placed, point), any) << i << " " << k;
      (any ? in : out) += 1;
    }
  }
  EXPECT_GT(in, cases(400));
  EXPECT_GT(out, cases(400) / 2);
}

TEST(CompoundSearch, ClosestPointsAreThoseOfAskingEveryPart) {
  auto random = seeded(9104);
  for (std::size_t i = 0; i < cases(300); ++i) {
    const Shape shape = some_compound(random, {.only_meshes = true});
    const Placed placed(shape, some_pose(random));
    const Vector3 point =
        chance(random, 5) ? placed.pose.translation() + random_vector(random, 1e6) : some_point(random, placed);
    Distance each;
    each.lower = each.upper = infinity;
    each_part(placed, [&](const Shape& part, const Pose& pose, std::uint32_t number) {
      Distance found = closest_point({part, pose}, point);
      found.feature_a.part = number;
      const double lower = std::min(each.lower, found.lower);
      if (found.upper < each.upper) each = found;
      each.lower = lower;
    });
    const Distance found = closest_point(placed, point);
    ASSERT_EQ(found.upper, each.upper) << i;
    ASSERT_EQ(found.lower, each.lower) << i;
    ASSERT_EQ(found.point_a, each.point_a) << i;
    ASSERT_EQ(found.normal, each.normal) << i;
    ASSERT_EQ(found.feature_a, each.feature_a) << i;
    ASSERT_EQ(found.stop, each.stop) << i;
    const double bound = each.upper * uniform(random, 0.5, 1.5);
    const Distance bounded = closest_point(placed, point, {.upper_bound = bound});
    if (bound >= each.upper) {
      ASSERT_EQ(bounded.upper, each.upper) << i;
      ASSERT_EQ(bounded.feature_a, each.feature_a) << i;
    } else if (bound < each.lower) {
      ASSERT_EQ(bounded.upper, infinity) << i;
      ASSERT_EQ(bounded.stop, Stop::tolerance) << i;
      ASSERT_GT(bounded.lower, bound) << i;
      ASSERT_LE(bounded.lower, each.upper) << i;
    }
    const double tolerance = each.upper * uniform(random, 0, 0.5);
    const Distance rough = closest_point(placed, point, {.tolerance = tolerance});
    ASSERT_LE(rough.lower, each.upper) << i;
    ASSERT_GE(rough.upper, each.lower) << i;
    ASSERT_LE(rough.upper - rough.lower, tolerance + (each.upper - each.lower)) << i;
  }
}

TEST(CompoundSearch, SectionsAreThoseOfEveryPartInTurn) {
  auto random = seeded(9105);
  std::size_t curves = 0;
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Shape shape = some_compound(random, {.only_triangles = true});
    const Placed placed(shape, some_pose(random));
    const Pose pose(chance(random, 2) ? test::scenes::axis_rotation(random) : test::scenes::any_rotation(random),
                    some_point(random, placed));
    const Placed plane(Plane{{0, 0, 1}, 0}, pose);
    std::vector<Polyline> each;
    each_part(placed, [&](const Shape& part, const Pose& at, std::uint32_t) {
      const std::vector<Polyline> of_part = section({part, at}, plane);
      each.insert(each.end(), of_part.begin(), of_part.end());
    });
    const std::vector<Polyline> found = section(placed, plane);
    ASSERT_EQ(found.size(), each.size()) << i;
    for (std::size_t k = 0; k < found.size(); ++k) {
      ASSERT_EQ(found[k].points, each[k].points) << i;
      ASSERT_EQ(found[k].closed, each[k].closed) << i;
    }
    curves += found.size();
  }
  EXPECT_GT(curves, cases(200));
}

TEST(CompoundSearch, ClearancesAreThoseOfAskingEveryPart) {
  auto random = seeded(9106);
  for (std::size_t i = 0; i < cases(40); ++i) {
    const Shape shape = some_compound(random, {.only_insides = true});
    const Placed placed(shape, part_pose(random, 3));
    std::vector<Vector3> centers;
    std::vector<double> radii;
    for (int k = whole(random, 1, 20); k > 0; --k) {
      centers.push_back(random_vector(random, 2));
      radii.push_back(uniform(random, 0, 0.5));
    }
    const SphereSet set(centers, radii);
    const Pose pose = part_pose(random, 6);
    const DistanceOptions options{.upper_bound = chance(random, 2) ? infinity : uniform(random, 0, 3)};
    std::vector<Interval> found(set.size()), each(set.size()), of_part(set.size());
    bool is_first = true;
    each_part(placed, [&](const Shape& part, const Pose& at, std::uint32_t) {
      clearances({part, at}, set, std::span(&pose, 1), options, of_part);
      for (std::size_t k = 0; k < set.size(); ++k)
        each[k] = is_first ? of_part[k] : min(each[k], of_part[k]);
      is_first = false;
    });
    clearances(placed, set, std::span(&pose, 1), options, found);
    for (std::size_t k = 0; k < set.size(); ++k) {
      ASSERT_EQ(found[k].lower, each[k].lower) << i << " " << k;
      ASSERT_EQ(found[k].upper, each[k].upper) << i << " " << k;
    }
  }
}

TEST(CompoundSearch, ClearancesOfBallsDeepInsideAreThoseOfTheDeepestPart) {
  const SphereSet ball(std::vector<Vector3>{Vector3::Zero()}, std::vector<double>{0.1});
  const Shape small = Box{{2, 2, 2}}, large = Box{{200, 200, 200}};
  for (const Compound& both :
       {Compound({{small, Pose()}, {large, Pose()}}), Compound({{large, Pose()}, {small, Pose()}})}) {
    Interval found;
    clearances(Shape(both), {ball, Pose()}, std::span(&found, 1));
    EXPECT_NEAR(found.upper, -100.1, 1e-9);
    EXPECT_NEAR(found.lower, -100.1, 1e-9);
  }
  // Solids of any sizes around each other.
  auto random = seeded(9116);
  for (std::size_t i = 0; i < cases(300); ++i) {
    std::vector<CompoundPart> parts;
    for (int k = whole(random, 2, 6); k > 0; --k) {
      const double size = std::exp2(uniform(random, -1, 4));
      const Pose at = part_pose(random, 1);
      if (chance(random, 2)) {
        parts.push_back({Sphere{size}, at});
      } else {
        parts.push_back({Box{{size, 2 * size, size}}, at});
      }
    }
    const SphereSet set(std::vector<Vector3>{random_vector(random, 1), random_vector(random, 1)},
                        std::vector<double>{0.25, uniform(random, 0, 1)});
    std::vector<Interval> found(2), of_part(2);
    clearances(Shape(Compound(parts)), {set, Pose()}, found);
    std::vector<Interval> each(2, Interval(infinity));
    for (const CompoundPart& part : parts) {
      clearances({part.shape, part.pose}, {set, Pose()}, of_part);
      for (std::size_t k = 0; k < 2; ++k)
        each[k] = min(each[k], of_part[k]);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      ASSERT_EQ(found[k].lower, each[k].lower) << i << " " << k;
      ASSERT_EQ(found[k].upper, each[k].upper) << i << " " << k;
    }
  }
}

TEST(CompoundSearch, NeedlesAreHitNowhereBeyondTheirTips) {
  // Planes that meet at tiny angles bound little beyond the tip. The box does, and so a compound finds what its part
  // finds.
  auto random = seeded(9117);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(4000); ++i) {
    const double width = std::exp2(uniform(random, -52, -30));
    const Pose turned(test::scenes::any_rotation(random), random_vector(random, 1));
    std::vector<Vector3> corners = {{1, 0, 0}, {0, 1, width}, {0, -1, width}, {0, 0, -width}, {0, 0.5, -width}};
    for (Vector3& corner : corners)
      corner = place(turned, corner);
    const ConvexHull needle(corners);
    const Pose pose = chance(random, 2) ? Pose() : part_pose(random, 1);
    // A line across the long side, through the needle or next to its tip.
    const double at = chance(random, 2) ? uniform(random, 0, 1) : 1 + std::exp2(uniform(random, -43, 0));
    const Vector3 aim = place(pose, place(turned, Vector3(at, 0, 0)));
    const Vector3 across =
        pose.rotation() * turned.rotation() * Vector3(uniform(random, -0.1, 0.1), uniform(random, -0.1, 0.1), 1);
    const Ray ray{aim - 3 * across, across};
    const auto alone = cast_ray(ray, {Shape(needle), pose}),
               part = cast_ray(ray, {Shape(Compound({{Shape(needle), Pose()}})), pose});
    ASSERT_EQ(alone.has_value(), part.has_value()) << i;
    if (!alone) continue;
    ++hits;
    ASSERT_EQ(alone->t, part->t) << i;
    const Aabb box = needle.bounds();
    for (const double t : {alone->t_lower, alone->t_upper}) {
      const Vector3 local = pose.rotation().transpose() * (ray.origin + t * ray.direction - pose.translation());
      for (int k = 0; k < 3; ++k) {
        ASSERT_LE(local[k], box.upper[k] + 1e-12) << i;
        ASSERT_GE(local[k], box.lower[k] - 1e-12) << i;
      }
    }
  }
  EXPECT_GT(hits, cases(4000) / 3);
}

TEST(CompoundSearch, OfEquallyNearPartsTheFirstCounts) {
  const Mesh box(make::box({.size_x = 1, .size_y = 1, .size_z = 1}));
  std::vector<CompoundPart> parts(20, {Sphere{0.5}, Pose(Vector3(0, 0, -3))});
  for (int i = 0; i < 20; ++i)
    parts.push_back({box, Pose(Vector3(0, 0, 0))});
  parts.push_back({Box{Vector3(1, 1, 1)}, Pose()});
  const auto hit = cast_ray({{0.1, 0.2, 5}, {0, 0, -1}}, Compound(parts));
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->t, 4.5);
  EXPECT_TRUE(hit->face.has_value()) << "a mesh comes before the box";
  const Distance closest = closest_point(Compound(std::vector<CompoundPart>(20, {box, Pose()})), {0.1, 0.2, 5});
  EXPECT_EQ(closest.feature_a.part, 0u);
}

TEST(CompoundSearch, AnErrorDoesNotDependOnWhatIsNear) {
  const Shape custom = CustomConvex([](const Vector3& d) { return Vector3(d.stableNormalized()); });
  const Mesh open(make::box());
  std::vector<CompoundPart> parts(50, {Sphere{1}, Pose()});
  parts.push_back({custom, Pose(Vector3(1e3, 0, 0))});
  const Ray ray{{0, 0, 5}, {0, 0, -1}};
  EXPECT_NE(test::error_of([&] { cast_ray(ray, Compound(parts)); }).find("custom convex"), std::string::npos);
  EXPECT_TRUE(ray_hits(ray, Compound(parts))) << "an earlier part is hit";
  parts.back().shape = Segment{};
  EXPECT_NE(test::error_of([&] { contains(Compound(parts), Vector3(0, 0, 0)); }).find("segment"), std::string::npos);
  parts.back().shape = open;
  EXPECT_NE(test::error_of([&] { contains(Compound(parts), Vector3(0, 0, 0)); }).find("surface"), std::string::npos);
  std::vector<SurfaceHit> hits;
  EXPECT_NE(test::error_of([&] { cast_ray_all(ray, Compound(parts), {}, hits); }).find("sphere"), std::string::npos);
  EXPECT_NE(test::error_of([&] { closest_point(Compound(parts), Vector3(0, 0, 0)); }).find("sphere"),
            std::string::npos);
}

// --- costs -------------------------------------------------------------------------------------------------------

/// 640 parts, in a compound of compounds if `nested`, of which any small region meets a few.
Compound many(const Shape& part, bool nested) {
  std::vector<CompoundPart> all, groups;
  for (int i = 0; i < 640; ++i) {
    all.push_back({part, Pose(Vector3(3.0 * (i % 8), 3.0 * (i / 8 % 8), 3.0 * (i / 64)))});
    if (nested && all.size() == 32) groups.push_back({Compound(std::exchange(all, {})), Pose()});
  }
  return Compound(nested ? groups : all);
}

TEST(CompoundSearch, AsksFewOfManyParts) {
  auto random = seeded(9107);
  std::size_t asked = 0;
  const Shape counting = CustomConvex([&asked](const Vector3& d) {
    ++asked;
    return Vector3(d.stableNormalized());
  });
  const auto count = [&](const auto& work) {
    const std::size_t before = asked;
    work();
    return asked - before;
  };
  const Shape round = rounded(counting, 0.1);  // a ray can be cast at it
  const Shape ball = Mesh(make::icosphere({.subdivisions = 1})).solid();
  std::vector<SurfaceHit> hits;
  for (const bool nested : {false, true}) {
    const Compound rounds = many(round, nested), customs = many(counting, nested), balls = many(ball, nested);
    const Shape round_parts = rounds, custom_parts = customs, ball_parts = balls;
    for (std::size_t i = 0; i < cases(50); ++i) {
      const Placed placed(round_parts, random_pose(random, 10));
      const Vector3 at = place(placed.pose, Vector3((random_vector(random, 10) + Vector3(11, 11, 13))));
      const Ray ray{at, random_vector(random, 1)};
      const std::size_t one = count([&] { cast_ray(ray, {round, Pose(ray.origin + 2 * ray.direction.normalized())}); });
      // The row of parts along a ray is a dozen long, and the nearest one that is hit ends the search.
      EXPECT_LT(count([&] { cast_ray(ray, placed); }), 60 * one) << i;
      EXPECT_LT(count([&] { ray_hits(ray, placed); }), 60 * one) << i;
      const std::size_t inside = count([&] { contains(counting, Vector3(0.5, 0.5, 0.5)); });
      EXPECT_LT(count([&] { contains({custom_parts, placed.pose}, at); }), 8 * inside + 8) << i;
      const Distance near = closest_point({ball_parts, placed.pose}, at);
      const Distance alone = closest_point({ball, placed.pose}, at);
      EXPECT_LT(near.cost.volume_tests, 200 + 20 * alone.cost.volume_tests) << i;
      EXPECT_LT(near.cost.primitive_tests, 20 * (alone.cost.primitive_tests + 80)) << i;
      Cost cost, none;
      section({ball_parts, placed.pose}, {Plane{{0, 0, 1}, 1e3}}, &none);
      EXPECT_LT(none.volume_tests, 2u) << i;
      section({ball_parts, placed.pose}, {Plane{{0, 0, 1}, 3}, placed.pose}, &cost);
      EXPECT_LT(cost.primitive_tests, 64u * 80) << i;
    }
  }
}

TEST(CompoundSearch, AWorldAsksFewPartsOfABody) {
  std::size_t asked = 0;
  const Shape round = rounded(CustomConvex([&asked](const Vector3& d) {
                                ++asked;
                                return Vector3(d.stableNormalized());
                              }),
                              0.1);
  World world({.threads = 1});
  world.add(many(round, false));
  world.update();
  const Ray ray{{-5, 0.1, 0.2}, {1, 0, 0}};
  world.cast_ray(ray);  // builds the world's tree
  asked = 0;
  cast_ray(ray, {round, Pose()});
  const std::size_t one = asked;
  asked = 0;
  const auto hit = world.cast_ray(ray);
  ASSERT_TRUE(hit);
  EXPECT_NEAR(hit->hit.t, 3.9 + 0.025, 0.025);
  EXPECT_LT(asked, 10 * one);
}

}  // namespace
}  // namespace whisker::compound_search
