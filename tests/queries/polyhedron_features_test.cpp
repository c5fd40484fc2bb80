// The vertices, edges and faces that DistanceOptions::features names, against all features of the placed polyhedron,
// one by one, in 64 bits: the named one contains the point, and none that is smaller does.

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/batch.hpp>
#include <whisker/compound.hpp>
#include <whisker/convex_hull.hpp>
#include <whisker/make/make.hpp>
#include <whisker/make/rounded.hpp>
#include <whisker/mesh.hpp>
#include <whisker/queries.hpp>
#include <whisker/simd.hpp>
#include <whisker/spheres/sphere_set.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"
#include "support/random_vectors.hpp"

namespace whisker::test {
namespace {

using Long = long double;
using Long3 = Eigen::Matrix<Long, 3, 1>;

/// All features of a polyhedron, as loops of vertices in the world: one vertex, two or more.
struct ListedPolyhedron {
  std::vector<Long3> vertices;
  std::vector<std::array<std::size_t, 2>> edges;
  std::vector<std::vector<std::size_t>> faces;
  std::vector<Long3> normals;  // of the faces of a hull, outward
  double size = 0;             // from the origin of its frame
  double thickness = 0;        // of merged faces
  bool is_flat = false;
};

ListedPolyhedron list_polyhedron(const Shape& shape, const Pose& pose) {
  ListedPolyhedron all;
  std::vector<Vector3> own;
  if (const auto* const hull = shape.as<ConvexHull>()) {
    own.assign(hull->vertices().begin(), hull->vertices().end());
    for (const HullEdge& edge : hull->edges())
      all.edges.push_back({edge.begin, edge.end});
    for (std::size_t f = 0; f < hull->face_count(); ++f) {
      const HullPlane& plane = hull->planes()[f];
      all.faces.emplace_back(hull->face(f).begin(), hull->face(f).end());
      all.normals.push_back((pose.rotation() * plane.normal).cast<Long>());
      for (const std::uint32_t v : hull->face(f))
        all.thickness = std::max(all.thickness, plane.offset - plane.normal.dot(own[v]));
    }
    all.is_flat = hull->dimension() == 2;
  } else if (const auto* const box = shape.as<Box>()) {
    for (int v = 0; v < 8; ++v)
      own.push_back(Vector3(v & 1 ? 1 : -1, v & 2 ? 1 : -1, v & 4 ? 1 : -1).cwiseProduct(box->size / 2));
    constexpr std::array<std::array<std::size_t, 2>, 3> others = {{{1, 2}, {0, 2}, {0, 1}}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t along = std::size_t{1} << axis;
      const std::size_t first = std::size_t{1} << others[axis][0], second = std::size_t{1} << others[axis][1];
      for (const std::size_t base : {std::size_t{0}, first, second, first + second})
        all.edges.push_back({base, base + along});
      for (const std::size_t base : {std::size_t{0}, along})
        all.faces.push_back({base, base + first, base + first + second, base + second});
    }
  } else if (const auto* const triangle = shape.as<Triangle>()) {
    own = {triangle->a, triangle->b, triangle->c};
    all.edges = {{0, 1}, {1, 2}, {2, 0}};
    all.faces = {{0, 1, 2}};
  } else if (const auto* const segment = shape.as<Segment>()) {
    own = {segment->a, segment->b};
    all.edges = {{0, 1}};
  }
  for (const Vector3& v : own) {
    all.vertices.push_back(pose.rotation().cast<Long>() * v.cast<Long>() + pose.translation().cast<Long>());
    all.size = std::max(all.size, v.stableNorm());
  }
  return all;
}

Long off_segment(const Long3& p, const Long3& a, const Long3& b) {
  const Long3 along = b - a;
  const Long squared = along.squaredNorm();
  const Long t = squared > 0 ? std::clamp<Long>((p - a).dot(along) / squared, 0, 1) : 0;
  return (p - a - t * along).norm();
}

Long off_corners(const Long3& p, const Long3& a, const Long3& b, const Long3& c) {
  const Long rim = std::min({off_segment(p, a, b), off_segment(p, b, c), off_segment(p, c, a)});
  const Long3 n = Eigen::Matrix<Long, 3, 1>((b - a).cross(c - a));
  const Long area = n.norm();
  if (!(area > 0)) return rim;
  const auto is_left = [&](const Long3& from, const Long3& to) { return (to - from).cross(p - from).dot(n) >= 0; };
  if (!is_left(a, b) || !is_left(b, c) || !is_left(c, a)) return rim;
  return std::min(rim, std::abs((p - a).dot(n)) / area);
}

/// How far a point is off a feature.
Long off_feature(const ListedPolyhedron& all, FeatureKind kind, std::size_t id, const Long3& p) {
  if (kind == FeatureKind::vertex) return (p - all.vertices.at(id)).norm();
  if (kind == FeatureKind::edge)
    return off_segment(p, all.vertices[all.edges.at(id)[0]], all.vertices[all.edges.at(id)[1]]);
  const std::vector<std::size_t>& face = all.faces.at(id);
  Long least = HUGE_VALL;
  for (std::size_t i = 1; i + 1 < face.size(); ++i)
    least = std::min(least, off_corners(p, all.vertices[face[0]], all.vertices[face[i]], all.vertices[face[i + 1]]));
  return least;
}

struct NamedCounts {
  std::size_t vertices = 0, edges = 0, faces = 0;

  void add(const Feature& feature) {
    vertices += feature.kind == FeatureKind::vertex;
    edges += feature.kind == FeatureKind::edge;
    faces += feature.kind == FeatureKind::face;
  }
};

/// What one side of a result says about a polyhedron. Returns what is wrong. `sizes`: of both shapes.
std::string wrong_name(const Shape& shape, const Pose& pose, const Feature& feature, const Vector3& point,
                       const Vector3& outward, double sizes, const Distance& d) {
  std::ostringstream wrong;
  const ListedPolyhedron all = list_polyhedron(shape, pose);
  const double coordinate = d.point_a.cwiseAbs().cwiseMax(d.point_b.cwiseAbs()).maxCoeff();
  const double gap = std::max(std::abs(d.lower), std::abs(d.upper));
  const int dimension = feature.kind == FeatureKind::vertex ? 0 : feature.kind == FeatureKind::edge ? 1 : 2;
  double bound = 0x1p-40 * (sizes + gap) + 0x1p-47 * coordinate;
  if (dimension == 2) bound += all.thickness + (d.lower > 0 ? d.upper - d.lower : 0);
  const std::size_t count = dimension == 0 ? all.vertices.size() : dimension == 1 ? all.edges.size() : all.faces.size();
  if (feature.kind == FeatureKind::whole || feature.kind == FeatureKind::triangle || feature.id >= count) {
    wrong << "no feature of the polyhedron: kind " << static_cast<int>(feature.kind) << " id " << feature.id;
    return wrong.str();
  }
  const Long3 p = point.cast<Long>();
  const Long off = off_feature(all, feature.kind, feature.id, p);
  if (!(off <= bound)) wrong << "the point is " << off << " off, allowed are " << bound << "; ";
  // Smaller ones are named well before rounding ends.
  const double clear = 0x1p-42 * (sizes + gap) + 0x1p-49 * coordinate;
  const auto look = [&](FeatureKind kind, std::size_t ids) {
    for (std::size_t id = 0; id < ids; ++id)
      if (off_feature(all, kind, id, p) <= clear)
        wrong << "smaller: kind " << static_cast<int>(kind) << " id " << id << " instead of "
              << static_cast<int>(feature.kind) << " id " << feature.id << "; ";
  };
  if (dimension > 0) look(FeatureKind::vertex, all.vertices.size());
  if (dimension > 1) look(FeatureKind::edge, all.edges.size());
  if (dimension == 2 && all.is_flat && all.normals[feature.id].dot(outward.cast<Long>()) < -1e-9L)
    wrong << "the side that faces away; ";
  return wrong.str();
}

double size_of_any(const Shape& shape, const Pose& pose) {
  const double known = list_polyhedron(shape, pose).size;
  if (known > 0 || shape.is_unbounded()) return known;
  const Aabb box = shape.bounds(pose);
  return std::max(box.lower.cwiseAbs().maxCoeff(), box.upper.cwiseAbs().maxCoeff());
}

bool is_polyhedron(const Shape& shape) {
  return shape.as<ConvexHull>() || shape.as<Box>() || shape.as<Triangle>() || shape.as<Segment>();
}

/// Both sides.
std::string wrong_names(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, const Distance& d,
                        NamedCounts* counts = nullptr) {
  if (d.normal.isZero(0)) {
    const bool whole_a = !is_polyhedron(a) || d.feature_a.kind == FeatureKind::whole;
    const bool whole_b = !is_polyhedron(b) || d.feature_b.kind == FeatureKind::whole;
    return whole_a && whole_b ? "" : "a feature without a normal; ";
  }
  const double sizes = size_of_any(a, pose_a) + size_of_any(b, pose_b);
  std::string wrong;
  if (is_polyhedron(a)) wrong += wrong_name(a, pose_a, d.feature_a, d.point_a, d.normal, sizes, d);
  if (is_polyhedron(b)) wrong += wrong_name(b, pose_b, d.feature_b, d.point_b, -d.normal, sizes, d);
  if (counts != nullptr && is_polyhedron(a)) counts->add(d.feature_a);
  if (counts != nullptr && is_polyhedron(b)) counts->add(d.feature_b);
  return wrong;
}

ConvexHull hull_of_box(const Vector3& size, const HullOptions& options = {},
                       const Matrix3& turned = Matrix3::Identity()) {
  std::vector<Vector3> points;
  for (int v = 0; v < 8; ++v)
    points.push_back(turned * Vector3(v & 1 ? 1 : -1, v & 2 ? 1 : -1, v & 4 ? 1 : -1).cwiseProduct(size / 2));
  return ConvexHull(points, options);
}

Shape some_polyhedron(std::mt19937_64& random) {
  const auto axis = [&] { return uniform(random, 0.1, 1); };
  std::vector<Vector3> points;
  const int kind = whole(random, 0, 12);
  switch (kind) {
    case 0:
      return hull_of_box({axis(), axis(), axis()});
    case 1:  // sides that rounding has split into two nearly coplanar triangles
      return hull_of_box({axis(), axis(), axis()}, {}, random_rotation(random));
    case 2:  // the same with merged faces
      return hull_of_box({axis(), axis(), axis()}, {.merge_distance = 1e-9}, random_rotation(random));
    case 3:
    case 4: {  // a prism, or a flat polygon
      const int sides = whole(random, 3, 12);
      const double radius = axis(), height = kind == 3 ? axis() : 0;
      for (int i = 0; i < sides; ++i) {
        const double angle = 6.283185307179586 * i / sides;
        for (const double z : {-height / 2, height / 2})  // twice the same point if it is flat
          points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
      }
      return ConvexHull(points);
    }
    case 5:  // a segment, with points in between
      points = {random_vector(random), random_vector(random)};
      points.push_back(points[0]);
      return ConvexHull(points);
    case 6:
      return ConvexHull(std::vector<Vector3>(3, random_vector(random)));
    case 7:
      for (int i = whole(random, 1, 12); i > 0; --i)
        points.push_back(scenes::integer_vector(random, 2));
      return ConvexHull(points);
    case 8:
      return Box{{axis(), axis(), whole(random, 0, 3) == 0 ? 0 : axis()}};
    case 9:
      return Triangle{random_vector(random), random_vector(random), random_vector(random)};
    case 10:
      return Segment{random_vector(random), random_vector(random)};
    default:
      for (int i = whole(random, 4, 60); i > 0; --i)
        points.push_back(random_unit(random).cwiseProduct(Vector3(1, 0.7, 0.5)));
      return ConvexHull(points);
  }
}

/// Often in parallel, and sometimes with integer coordinates.
Pose some_place(std::mt19937_64& random, double reach) {
  const int kind = whole(random, 0, 3);
  if (kind == 0) return Pose(scenes::axis_rotation(random), scenes::integer_vector(random, 2));
  if (kind == 1) return Pose(scenes::axis_rotation(random), random_vector(random, reach));
  return Pose(random_rotation(random), random_vector(random, reach));
}

TEST(PolyhedronFeatures, NamesTheSmallestFeatureThatContainsThePoint) {
  NamedCounts apart, deep;
  for (std::size_t i = 0; i < cases(6000); ++i) {
    std::mt19937_64 random = seeded(480000000 + i);
    const Shape a = some_polyhedron(random), b = some_polyhedron(random);
    const Pose pose_a = some_place(random, 0.5), pose_b = some_place(random, i % 2 == 0 ? 2 : 0.6);
    const Distance d = distance({a, pose_a}, {b, pose_b}, {.features = true});
    ASSERT_EQ(wrong_names(a, pose_a, b, pose_b, d, &apart), "") << i << ", " << name(a.kind()) << " " << name(b.kind());
    const Distance s = signed_distance({a, pose_a}, {b, pose_b}, {.features = true});
    ASSERT_EQ(wrong_names(a, pose_a, b, pose_b, s, s.lower < 0 ? &deep : nullptr), "")
        << i << ", signed, " << name(a.kind()) << " " << name(b.kind()) << " " << s.lower << " " << s.upper;

    // The other fields do not depend on it, and exchanged shapes have exchanged features.
    const Distance plain = signed_distance({a, pose_a}, {b, pose_b});
    ASSERT_EQ(plain.point_a, s.point_a);
    ASSERT_EQ(plain.point_b, s.point_b);
    ASSERT_EQ(plain.normal, s.normal);
    ASSERT_EQ(plain.lower, s.lower);
    ASSERT_EQ(plain.upper, s.upper);
    ASSERT_EQ(plain.feature_a, Feature());
    ASSERT_EQ(plain.feature_b, Feature());
    const Distance back = signed_distance({b, pose_b}, {a, pose_a}, {.features = true});
    ASSERT_EQ(wrong_names(b, pose_b, a, pose_a, back), "") << i;
    ASSERT_EQ(back.feature_a, s.feature_b) << i;
    ASSERT_EQ(back.feature_b, s.feature_a) << i;
  }
  for (const NamedCounts& counts : {apart, deep}) {
    EXPECT_GE(counts.vertices, at_least(300));
    EXPECT_GE(counts.edges, at_least(300));
    EXPECT_GE(counts.faces, at_least(300));
  }
}

TEST(PolyhedronFeatures, HoldWithACacheInBatchesAndWithATolerance) {
  for (std::size_t i = 0; i < cases(60); ++i) {
    std::mt19937_64 random = seeded(481000000 + i);
    const Shape a = some_polyhedron(random), b = some_polyhedron(random);
    const Pose pose_a = some_place(random, 0.5);
    std::vector<Pose> poses;
    Pose pose = some_place(random, 2);
    for (int k = 0; k < 24; ++k) {
      poses.push_back(pose);
      pose = Pose(pose.rotation(), pose.translation() * 0.9 + random_vector(random, 0.02));
    }
    std::vector<ShapePair> pairs;
    for (const Pose& placed : poses)
      pairs.push_back({&a, &b, pose_a, placed});
    std::vector<Distance> distances(poses.size()), both(poses.size()), of_pairs(poses.size()),
        both_of_pairs(poses.size());
    distance({a, pose_a}, b, poses, {.features = true}, distances);
    signed_distance({a, pose_a}, b, poses, {.features = true}, both);
    distance(pairs, {.features = true}, of_pairs);
    signed_distance(pairs, {.features = true}, both_of_pairs);
    PairCache cache, signed_cache;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const Placed placed_a(a, pose_a), placed_b(b, poses[k]);
      const Distance single = distance(placed_a, placed_b, {.features = true});
      for (const Distance& of_batch : {distances[k], of_pairs[k]}) {
        EXPECT_EQ(of_batch.feature_a, single.feature_a) << i << " " << k;
        EXPECT_EQ(of_batch.feature_b, single.feature_b) << i << " " << k;
      }
      const Distance one = signed_distance(placed_a, placed_b, {.features = true});
      for (const Distance& of_batch : {both[k], both_of_pairs[k]}) {
        EXPECT_EQ(of_batch.feature_a, one.feature_a) << i << " " << k;
        EXPECT_EQ(of_batch.feature_b, one.feature_b) << i << " " << k;
      }
      const Distance warm = distance(placed_a, placed_b, {.cache = &cache, .features = true});
      EXPECT_EQ(warm.feature_a, single.feature_a) << i << " " << k;
      EXPECT_EQ(warm.feature_b, single.feature_b) << i << " " << k;
      const Distance signed_warm = signed_distance(placed_a, placed_b, {.cache = &signed_cache, .features = true});
      EXPECT_EQ(signed_warm.feature_a, one.feature_a) << i << " " << k;
      EXPECT_EQ(signed_warm.feature_b, one.feature_b) << i << " " << k;
      const Distance rough = distance(placed_a, placed_b, {.tolerance = 0.05, .features = true});
      ASSERT_EQ(wrong_names(a, pose_a, b, poses[k], rough), "") << i << " " << k;
    }
  }
}

TEST(PolyhedronFeatures, HoldForOtherUnitsPlacesAndSloppyRotations) {
  for (std::size_t i = 0; i < cases(1500); ++i) {
    std::mt19937_64 random = seeded(482000000 + i);
    const double unit = std::array{1e-80, 1e-6, 1.0, 1e5, 1e80}[i % 5];
    const auto hull = [&] {
      std::vector<Vector3> points;
      for (int k = whole(random, 4, 20); k > 0; --k)
        points.push_back(random_vector(random, unit));
      return ConvexHull(points);
    };
    const Shape a = hull(), b = hull();
    const Vector3 away = i % 3 == 0 ? Vector3(1e6 * unit, -2e6 * unit, 0) : Vector3(Vector3::Zero());
    const Matrix3 turned = i % 2 == 0 ? scenes::sloppy(random, random_rotation(random)) : random_rotation(random);
    const Pose pose_a(turned, away), pose_b(random_rotation(random), away + random_vector(random, 3 * unit));
    const Distance s = signed_distance({a, pose_a}, {b, pose_b}, {.features = true});
    ASSERT_EQ(wrong_names(a, pose_a, b, pose_b, s), "") << i << " " << unit;
  }
}

TEST(PolyhedronFeatures, OfShapesWithOtherKinds) {
  const std::vector<double> heights = {0, 0.2, 0, 0.3, 0, 0.5, -0.2, 0.1, 0.4, 0, 0.1, -0.3, 0, 0, 0.2, 0.3};
  const std::vector<Vector3> centers = {{0, 0, 0}, {0.5, 0, 0}, {0, 0, 1}};
  const std::vector<double> radii = {0.25, 0.4, 0.3};
  const std::vector<Shape> others = {Sphere{0.3},
                                     Capsule{0.2, 1},
                                     Cylinder{0.3, 0.8},
                                     Cone{0.5, 1},
                                     Ellipsoid{{0.3, 0.5, 0.7}},
                                     rounded(Cylinder{0.3, 0.8}, 0.1),
                                     HalfSpace{},
                                     Plane{},
                                     HeightField(heights, 4, 4, 0.5, 0.5),
                                     SphereSet(centers, radii)};
  NamedCounts counts;
  for (std::size_t i = 0; i < cases(1500); ++i) {
    std::mt19937_64 random = seeded(483000000 + i);
    const Shape a = some_polyhedron(random), &b = others[i % others.size()];
    const Pose pose_a = some_place(random, 1), pose_b = some_place(random, i % 2 == 0 ? 2 : 0.5);
    const Distance d = distance({a, pose_a}, {b, pose_b}, {.features = true});
    ASSERT_EQ(wrong_names(a, pose_a, b, pose_b, d, &counts), "") << i << " " << name(b.kind());
    if (!is_supported(Question::signed_distance, a.kind(), b.kind())) continue;
    const Distance s = signed_distance({b, pose_b}, {a, pose_a}, {.features = true});
    ASSERT_EQ(wrong_names(b, pose_b, a, pose_a, s), "") << i << " " << name(b.kind()) << " signed " << s.lower;
    // The other shape keeps the feature that it has anyway.
    ASSERT_EQ(s.feature_a, signed_distance({b, pose_b}, {a, pose_a}).feature_a) << i;
  }
  EXPECT_GE(counts.vertices, at_least(100));
  EXPECT_GE(counts.faces, at_least(30));
}

TEST(PolyhedronFeatures, MeshesKeepTheirTriangles) {
  const Shape mesh = Mesh(make::torus({.major = 1, .minor = 0.3})).solid();
  std::size_t deep = 0;
  for (std::size_t i = 0; i < cases(150); ++i) {
    std::mt19937_64 random = seeded(484000000 + i);
    const Shape b = some_polyhedron(random);
    const Pose pose_a = some_place(random, 0.5), pose_b = some_place(random, i % 2 == 0 ? 2 : 1);
    const Distance s = signed_distance({mesh, pose_a}, {b, pose_b}, {.features = true});
    const Distance plain = signed_distance({mesh, pose_a}, {b, pose_b});
    ASSERT_EQ(s.feature_a, plain.feature_a) << i;
    if (s.lower != 0) {
      ASSERT_EQ(s.feature_a.kind, FeatureKind::triangle) << i;
    }
    // Bounds of a depth may be far apart, but the points are not off by more than rounding.
    Distance as_exact = s;
    if (s.lower < 0) as_exact.upper = s.lower;
    ASSERT_EQ(wrong_names(mesh, pose_a, b, pose_b, as_exact), "") << i << " " << name(b.kind()) << " " << s.lower;
    deep += s.lower < 0;
    const Distance d = distance({b, pose_b}, {mesh, pose_a}, {.features = true});
    ASSERT_EQ(wrong_names(b, pose_b, mesh, pose_a, d), "") << i;
  }
  EXPECT_GE(deep, at_least(20));
}

TEST(PolyhedronFeatures, RoundedMeshesHaveTheTrianglesOfTheMesh) {
  const Mesh torus = Mesh(make::torus({.major = 1, .minor = 0.3})).solid();
  const double radius = 0.1;
  const std::array<Shape, 2> meshes = {torus, rounded(torus, radius)};
  std::size_t deep = 0;
  for (std::size_t i = 0; i < cases(80); ++i) {
    std::mt19937_64 random = seeded(488000000 + i);
    const bool is_rounded = i % 2 == 0;
    const Shape b = is_rounded ? some_polyhedron(random) : rounded(some_polyhedron(random), 0.2);
    const Pose pose_a = some_place(random, 0.5), pose_b = some_place(random, i % 4 < 2 ? 2 : 1);
    const Distance s = signed_distance({meshes[is_rounded ? 1 : 0], pose_a}, {b, pose_b});
    if (s.lower == 0 && s.upper == 0) continue;
    ASSERT_EQ(s.feature_a.kind, FeatureKind::triangle) << i << " " << s.lower;
    const Triangle t = torus.triangle(s.feature_a.id);
    const auto place = [&](const Vector3& v) {
      return Long3(pose_a.rotation().cast<Long>() * v.cast<Long>() + pose_a.translation().cast<Long>());
    };
    const Long off = off_corners(s.point_a.cast<Long>(), place(t.a), place(t.b), place(t.c));
    ASSERT_NEAR(static_cast<double>(off), is_rounded ? radius : 0, 1e-9) << i << " " << s.lower;
    deep += s.lower < 0;
  }
  EXPECT_GE(deep, at_least(15));
}

TEST(PolyhedronFeatures, PartsOfCompoundsKeepTheirNumbers) {
  for (std::size_t i = 0; i < cases(200); ++i) {
    std::mt19937_64 random = seeded(485000000 + i);
    std::vector<CompoundPart> parts;
    for (int k = 0; k < 3; ++k)
      parts.push_back({some_polyhedron(random), Pose(random_rotation(random), Vector3(2.5 * k, 0, 0))});
    const Shape inner = Compound(parts);
    const Shape a = Compound({{Sphere{0.1}, Pose(Vector3(0, 9, 0))}, {inner, Pose(Vector3(0, 0, 1))}});
    const Shape b = some_polyhedron(random);
    const Pose pose_a = some_place(random, 0.5), pose_b = Pose(random_rotation(random), random_vector(random, 5));
    const Distance d = distance({a, pose_a}, {b, pose_b}, {.features = true});
    const Distance plain = distance({a, pose_a}, {b, pose_b});
    ASSERT_EQ(d.feature_a.part, plain.feature_a.part);
    if (d.normal.isZero(0) || d.feature_a.part == 0) continue;
    const CompoundPart& part = parts[d.feature_a.part - 1];
    const Pose placed = compose(compose(pose_a, Pose(Vector3(0, 0, 1))), part.pose);
    ASSERT_EQ(wrong_names(part.shape, placed, b, pose_b, d), "") << i;
    const Distance back = signed_distance({b, pose_b}, {a, pose_a}, {.features = true});
    if (back.lower > 0) {
      ASSERT_EQ(back.feature_b, d.feature_a) << i;
    }
  }
}

TEST(PolyhedronFeatures, OfBoxesAreNumberedAsDocumented) {
  const Shape box = Box{{2, 4, 6}}, ball = Sphere{0.5};
  const auto at = [&](double x, double y, double z) {
    return distance(box, {ball, Pose(Vector3(x, y, z))}, {.features = true}).feature_a;
  };
  const auto expect = [](FeatureKind kind, std::uint32_t id) { return Feature{0, kind, id}; };
  EXPECT_EQ(at(3, 0, 0), expect(FeatureKind::face, 1));
  EXPECT_EQ(at(-3, 0.5, 1), expect(FeatureKind::face, 0));
  EXPECT_EQ(at(0, 5, 0), expect(FeatureKind::face, 3));
  EXPECT_EQ(at(0, 0, -5), expect(FeatureKind::face, 4));
  EXPECT_EQ(at(0, 5, -5), expect(FeatureKind::edge, 1));  // along x, y up, z down
  EXPECT_EQ(at(-3, 0, 5), expect(FeatureKind::edge, 6));  // along y, x down, z up
  EXPECT_EQ(at(3, -5, 1), expect(FeatureKind::edge, 9));  // along z, x up, y down
  EXPECT_EQ(at(3, -5, 9), expect(FeatureKind::vertex, 5));
  // From inside, the way out is through the nearest face.
  const Distance deep = signed_distance(box, {ball, Pose(Vector3(-0.9, 0, 0))}, {.features = true});
  EXPECT_LT(deep.upper, 0);
  EXPECT_EQ(deep.feature_a, expect(FeatureKind::face, 0));
  EXPECT_EQ(deep.feature_b, Feature());
}

TEST(PolyhedronFeatures, OfParallelFacesAreFaces) {
  // Hulls of boxes, one above the other: apart, just touching and overlapping.
  const ConvexHull lower = hull_of_box({2, 2, 2}), upper = hull_of_box({1, 1, 1});
  const auto facing = [](const ConvexHull& hull, double z) {
    for (std::uint32_t f = 0; f < hull.face_count(); ++f)
      if (hull.planes()[f].normal.z() == z) return Feature{0, FeatureKind::face, f};
    return Feature();
  };
  for (const double gap : {0.25, 0x1p-40, 0.0, -0x1p-20, -0.25}) {
    const Distance s =
        signed_distance(Shape(lower), {Shape(upper), Pose(Vector3(0.25, 0, 1.5 + gap))}, {.features = true});
    EXPECT_EQ(s.feature_a, facing(lower, 1)) << gap;
    EXPECT_EQ(s.feature_b, facing(upper, -1)) << gap;
  }
  // Faces that share only a strip with an edge in the middle of it: the edge of neither is named.
  const Distance beside = distance(Shape(lower), {Shape(upper), Pose(Vector3(1.25, 0, 2))}, {.features = true});
  EXPECT_EQ(beside.feature_a, facing(lower, 1));
  EXPECT_EQ(beside.feature_b, facing(upper, -1));
  // An edge above a face.
  const Pose turned(Matrix3{{std::sqrt(0.5), 0, std::sqrt(0.5)}, {0, 1, 0}, {-std::sqrt(0.5), 0, std::sqrt(0.5)}},
                    Vector3(0, 0, 3));
  const Distance on_edge = distance(Shape(lower), {Shape(upper), turned}, {.features = true});
  EXPECT_EQ(on_edge.feature_a, facing(lower, 1));
  ASSERT_EQ(on_edge.feature_b.kind, FeatureKind::edge);
  const HullEdge& edge = upper.edges()[on_edge.feature_b.id];
  EXPECT_EQ(upper.vertices()[edge.begin].x(), upper.vertices()[edge.end].x());
  EXPECT_EQ(upper.vertices()[edge.begin].z(), upper.vertices()[edge.end].z());
}

TEST(PolyhedronFeatures, OfBoxesAboveSetsOfSpheresInManyPoses) {
  const std::vector<Vector3> centers = {{0, 0, 0}, {1, 0, 0}};
  const std::vector<double> radii = {0.25, 0.25};
  const Shape set = SphereSet(centers, radii);
  const Shape box = Box{{1, 1, 1}};
  const std::vector<Pose> poses = {Pose(Vector3(2, 0, 0)), Pose(Vector3(0, -3, 0)), Pose(Vector3(1, 1, 1))};
  std::vector<Distance> answers(poses.size());
  distance(box, set, poses, {.features = true}, answers);
  EXPECT_EQ(answers[0].feature_a, (Feature{0, FeatureKind::face, 1}));
  EXPECT_EQ(answers[1].feature_a, (Feature{0, FeatureKind::face, 2}));
  EXPECT_EQ(answers[2].feature_a, (Feature{0, FeatureKind::vertex, 7}));
  for (const Distance& d : answers) {
    EXPECT_EQ(d.feature_b, (Feature{0, FeatureKind::sphere, 0}));
  }
}

/// A feature of part 0.
Feature feature_number(FeatureKind kind, std::uint32_t id) {
  return {0, kind, id};
}
/// The features of a, in its own frame, below or beside a small ball at a place: by a distance, and by a signed
/// distance in either order.
Feature feature_at_ball(const Shape& a, const Vector3& center) {
  const Shape ball = Sphere{0.125};
  const Pose pose(center);
  const Feature found = distance(a, {ball, pose}, {.features = true}).feature_a;
  EXPECT_EQ(signed_distance(a, {ball, pose}, {.features = true}).feature_a, found);
  EXPECT_EQ(signed_distance({ball, pose}, a, {.features = true}).feature_b, found);
  return found;
}
std::uint32_t number_of_vertex(const ConvexHull& hull, const Vector3& place) {
  const auto vertices = hull.vertices();
  return static_cast<std::uint32_t>(std::find(vertices.begin(), vertices.end(), place) - vertices.begin());
}
Feature edge_with_ends(const ConvexHull& hull, const Vector3& from, const Vector3& to) {
  const std::uint32_t u = number_of_vertex(hull, from), v = number_of_vertex(hull, to);
  for (std::uint32_t e = 0; e < hull.edges().size(); ++e)
    if (std::minmax(u, v) == std::minmax(hull.edges()[e].begin, hull.edges()[e].end))
      return feature_number(FeatureKind::edge, e);
  return {};
}

TEST(PolyhedronFeatures, OfAHullOfOnePointAndOfASegment) {
  const Shape point = ConvexHull(std::vector<Vector3>(4, Vector3(1, 2, 3)));
  EXPECT_EQ(feature_at_ball(point, {5, 2, 3}), feature_number(FeatureKind::vertex, 0));
  // The points in the middle are no vertices.
  const Shape line = ConvexHull(std::vector<Vector3>{{1, 0, 0}, {4, 0, 0}, {3, 0, 0}, {-2, 0, 0}});
  EXPECT_EQ(feature_at_ball(line, {9, 1, 0}), feature_number(FeatureKind::vertex, 0));
  EXPECT_EQ(feature_at_ball(line, {-9, 1, 0}), feature_number(FeatureKind::vertex, 1));
  EXPECT_EQ(feature_at_ball(line, {1, 0, 2}), feature_number(FeatureKind::edge, 0));
}

TEST(PolyhedronFeatures, OfAFlatHullAreOnTheSideOfTheOther) {
  const ConvexHull hull(std::vector<Vector3>{{-1, -1, 0}, {1, -1, 0}, {0, 0, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 1, 0}});
  ASSERT_EQ(hull.face_count(), 2u);
  const std::uint32_t up = hull.planes()[0].normal.z() > 0 ? 0 : 1;
  EXPECT_EQ(feature_at_ball(hull, {0.25, 0.5, 2}), feature_number(FeatureKind::face, up));
  EXPECT_EQ(feature_at_ball(hull, {0.25, 0.5, -2}), feature_number(FeatureKind::face, 1 - up));
  // Not the given point in the middle of this edge.
  EXPECT_EQ(feature_at_ball(hull, {0, 2, 1}), edge_with_ends(hull, {1, 1, 0}, {-1, 1, 0}));
  EXPECT_EQ(feature_at_ball(hull, {3, -2, 0}), feature_number(FeatureKind::vertex, number_of_vertex(hull, {1, -1, 0})));
  // A box without a height has two faces along z as well.
  const Shape sheet = Box{{2, 2, 0}};
  EXPECT_EQ(feature_at_ball(sheet, {0.25, 0.5, 2}), feature_number(FeatureKind::face, 5));
  EXPECT_EQ(feature_at_ball(sheet, {0.25, 0.5, -2}), feature_number(FeatureKind::face, 4));
  EXPECT_EQ(feature_at_ball(sheet, {0.25, 3, 2}), feature_number(FeatureKind::edge, 3));
  EXPECT_EQ(feature_at_ball(sheet, {0.25, 3, -2}), feature_number(FeatureKind::edge, 1));
}

TEST(PolyhedronFeatures, OfTrianglesAndSegmentsAreNumberedAsDocumented) {
  const Shape triangle = Triangle{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
  EXPECT_EQ(feature_at_ball(triangle, {1, 1, 2}), feature_number(FeatureKind::face, 0));
  EXPECT_EQ(feature_at_ball(triangle, {1, 1, -2}), feature_number(FeatureKind::face, 0));
  EXPECT_EQ(feature_at_ball(triangle, {2, -1, 1}), feature_number(FeatureKind::edge, 0));
  EXPECT_EQ(feature_at_ball(triangle, {3, 3, 1}), feature_number(FeatureKind::edge, 1));
  EXPECT_EQ(feature_at_ball(triangle, {-1, 2, 1}), feature_number(FeatureKind::edge, 2));
  EXPECT_EQ(feature_at_ball(triangle, {-1, -1, 1}), feature_number(FeatureKind::vertex, 0));
  EXPECT_EQ(feature_at_ball(triangle, {9, -1, 1}), feature_number(FeatureKind::vertex, 1));
  EXPECT_EQ(feature_at_ball(triangle, {-1, 9, 1}), feature_number(FeatureKind::vertex, 2));
  const Shape segment = Segment{{0, 0, 0}, {4, 0, 0}};
  EXPECT_EQ(feature_at_ball(segment, {2, 1, 0}), feature_number(FeatureKind::edge, 0));
  EXPECT_EQ(feature_at_ball(segment, {-2, 1, 0}), feature_number(FeatureKind::vertex, 0));
  EXPECT_EQ(feature_at_ball(segment, {5, 1, 0}), feature_number(FeatureKind::vertex, 1));
}

TEST(PolyhedronFeatures, OfTrianglesWithCornersThatCoincideAreEdgesThatContainThePoint) {
  const Vector3 here(0, 0, 0), there(4, 0, 0);
  const Shape other = Segment{{2, -1, 3}, {2.2, 1, 3}};
  struct Folded {
    std::array<Vector3, 3> corners;
    std::uint32_t edge;
  };
  for (const double size : {1.0, 1e-60, 1e60, 1e-85}) {
    // Corners that coincide, and ones that do so up to less than squares of doubles can hold.
    for (const double off : {0.0, 1e-200, 1e-30}) {
      const Vector3 beside = here + Vector3(0, off, 0);
      const std::vector<Folded> folded = {
          {{here, beside, there}, 1}, {{here, there, there}, 0}, {{here, there, beside}, 0}};
      for (const Folded& f : folded) {
        const Triangle triangle{f.corners[0] * size, f.corners[1] * size, f.corners[2] * size};
        const Segment rod{other.as<Segment>()->a * size, other.as<Segment>()->b * size};
        const Distance apart = distance(triangle, rod, {.features = true});
        EXPECT_EQ(apart.feature_a, feature_number(FeatureKind::edge, f.edge)) << size << " " << off;
        EXPECT_EQ(signed_distance(triangle, rod, {.features = true}).feature_a, apart.feature_a) << size << " " << off;
        EXPECT_EQ(distance(rod, triangle, {.features = true}).feature_b, apart.feature_a) << size << " " << off;
      }
    }
  }
}

TEST(PolyhedronFeatures, OfCoplanarFacesThatWereMergedAreOneFace) {
  // A cube with points in the middle of its sides and edges, and one whose top is dented by less than what is merged.
  std::vector<Vector3> points;
  for (int i = 0; i < 27; ++i)
    points.emplace_back(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
  const ConvexHull cube(points);
  ASSERT_EQ(cube.face_count(), 6u);
  const Feature top = feature_at_ball(cube, {0, 0, 3});
  ASSERT_EQ(top.kind, FeatureKind::face);
  EXPECT_EQ(cube.planes()[top.id].normal, Vector3(0, 0, 1));
  EXPECT_EQ(feature_at_ball(cube, {0.5, 0.25, 3}), top);
  EXPECT_EQ(feature_at_ball(cube, {0, 3, 3}), edge_with_ends(cube, {-1, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(feature_at_ball(cube, {3, 3, 3}), feature_number(FeatureKind::vertex, number_of_vertex(cube, {1, 1, 1})));

  std::vector<Vector3> uneven;
  for (const Vector3& p : points)
    if (p.cwiseAbs() == Vector3(1, 1, 1))
      uneven.push_back(p.z() > 0 && p.x() == p.y() ? Vector3(p.x(), p.y(), 0.99) : p);
  const ConvexHull sharp(uneven), merged(uneven, {.merge_distance = 0.1});
  ASSERT_EQ(sharp.face_count(), 7u);
  ASSERT_EQ(merged.face_count(), 6u);
  // On the ridge of the top, which is an edge only if it was not merged, and on the slope beside it.
  EXPECT_EQ(feature_at_ball(sharp, {0, 0, 3}), edge_with_ends(sharp, {-1, 1, 1}, {1, -1, 1}));
  for (const Vector3& above : {Vector3(0, 0, 3), Vector3(0.5, 0.5, 3), Vector3(-0.75, -0.75, 2)}) {
    const Feature found = feature_at_ball(merged, above);
    ASSERT_EQ(found.kind, FeatureKind::face);
    EXPECT_GT(merged.planes()[found.id].normal.z(), 0.9);
  }
}

TEST(PolyhedronFeatures, OfTwoBoxes) {
  const double root = std::sqrt(0.5);
  const Pose upright;  // turned by 45 degrees about y and about x: an edge below
  const Matrix3 about_y{{root, 0, root}, {0, 1, 0}, {-root, 0, root}},
      about_x{{1, 0, 0}, {0, root, -root}, {0, root, root}};
  const Shape box = Box{{2, 2, 2}}, hull = hull_of_box({2, 2, 2});
  const auto both = [&](const Pose& pose_a, const Pose& pose_b, const Feature& on_a, const Feature& on_b) {
    const Distance d = signed_distance({box, pose_a}, {box, pose_b}, {.features = true});
    EXPECT_EQ(d.feature_a, on_a) << static_cast<int>(d.feature_a.kind) << " " << d.feature_a.id;
    EXPECT_EQ(d.feature_b, on_b) << static_cast<int>(d.feature_b.kind) << " " << d.feature_b.id;
    // Hulls of the same corners have features of the same kinds in the same places.
    const Distance h = signed_distance({hull, pose_a}, {box, pose_b}, {.features = true});
    EXPECT_EQ(h.feature_a.kind, on_a.kind);
    EXPECT_EQ(h.feature_b, on_b);
  };
  const Feature top = feature_number(FeatureKind::face, 5), bottom = feature_number(FeatureKind::face, 4);
  for (const double gap : {1.0, 0x1p-30, 0.0, -0.25}) {
    SCOPED_TRACE(gap);
    // Face to face, aligned and shifted.
    both(upright, Pose(Vector3(0, 0, 2 + gap)), top, bottom);
    both(upright, Pose(Vector3(0.5, -0.75, 2 + gap)), top, bottom);
    // An edge along y above the face.
    const double below = 2 * root;
    both(upright, Pose(about_y, Vector3(0, 0, 1 + below + gap)), top, feature_number(FeatureKind::edge, 5));
    // Edges that cross: along x below, along y above.
    both(Pose(about_x, Vector3::Zero()), Pose(about_y, Vector3(0, 0, 2 * below + gap)),
         feature_number(FeatureKind::edge, 3), feature_number(FeatureKind::edge, 5));
  }
  // Parallel edges, which are beside each other along all of their common length.
  both(upright, Pose(Vector3(3, 0.5, 4)), feature_number(FeatureKind::edge, 7), feature_number(FeatureKind::edge, 4));
  both(upright, Pose(Vector3(3, 3, 4)), feature_number(FeatureKind::vertex, 7), feature_number(FeatureKind::vertex, 0));
}

TEST(PolyhedronFeatures, AreWholeWithoutANormalOrBeyondTheUpperBound) {
  const Shape box = Box{{2, 2, 2}}, hull = hull_of_box({2, 2, 2});
  for (const Shape& shape : {box, hull}) {
    const Distance touching = distance(shape, {box, Pose(Vector3(1.5, 0, 0))}, {.features = true});
    ASSERT_EQ(touching.upper, 0);
    EXPECT_EQ(touching.feature_a, Feature());
    EXPECT_EQ(touching.feature_b, Feature());
  }
  const Distance far = distance(hull, {box, Pose(Vector3(9, 0, 0))}, {.upper_bound = 1, .features = true});
  ASSERT_EQ(far.upper, HUGE_VAL);
  EXPECT_EQ(far.feature_a, Feature());
  EXPECT_EQ(far.feature_b, Feature());
}

TEST(PolyhedronFeatures, OfRoundedShapesAreThoseOfTheInnerShape) {
  NamedCounts counts;
  for (std::size_t i = 0; i < cases(1000); ++i) {
    std::mt19937_64 random = seeded(486000000 + i);
    const Shape inner_a = some_polyhedron(random), inner_b = some_polyhedron(random);
    const double radius_a = uniform(random, 0.01, 0.5), radius_b = i % 2 == 0 ? 0 : uniform(random, 0.01, 0.5);
    const Shape a = rounded(inner_a, radius_a), b = rounded(inner_b, radius_b);
    if (!unrounded(a)) continue;
    const Pose pose_a = some_place(random, 0.5), pose_b = some_place(random, i % 4 < 2 ? 2 : 0.6);
    Distance s = signed_distance({a, pose_a}, {b, pose_b}, {.features = true});
    if (s.normal.isZero(0)) continue;
    const double between = s.lower;
    s.point_a -= s.normal * radius_a;
    s.point_b += s.normal * radius_b;
    ASSERT_EQ(wrong_names(inner_a, pose_a, inner_b, pose_b, s, &counts), "")
        << i << " " << name(inner_a.kind()) << " " << name(inner_b.kind()) << " " << between;
  }
  EXPECT_GE(counts.vertices, at_least(100));
  EXPECT_GE(counts.edges, at_least(100));
  EXPECT_GE(counts.faces, at_least(100));
}

TEST(PolyhedronFeatures, AreTheSameOnEveryInstructionSet) {
  const auto all = [] {
    std::vector<Feature> found;
    for (std::size_t i = 0; i < cases(100); ++i) {
      std::mt19937_64 random = seeded(487000000 + i);
      const Shape a = some_polyhedron(random), b = some_polyhedron(random);
      std::vector<Pose> poses;
      for (int k = 0; k < 12; ++k)
        poses.push_back(some_place(random, 1.5));
      std::vector<Distance> answers(poses.size());
      signed_distance(a, b, poses, {.features = true}, answers);
      for (const Distance& d : answers)
        found.insert(found.end(), {d.feature_a, d.feature_b});
    }
    return found;
  };
  const std::vector<Feature> usual = all();
  for (const std::string& target : simd_targets()) {
    ASSERT_TRUE(use_simd_target(target));
    const std::vector<Feature> forced = all();
    use_simd_target("");
    EXPECT_TRUE(forced == usual) << target;
  }
}

}  // namespace
}  // namespace whisker::test
