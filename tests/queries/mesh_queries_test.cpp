// Meshes against meshes and simple shapes: every result is compared with brute force over the placed triangles.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/predicates.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "geometry/constants.hpp"
#include "support/mesh_edits.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using test::cases;
using test::random_pose;
using test::Real;
using test::seeded;
using test::uniform;
using test::unshared;
using Random = std::mt19937_64;

// --- models and poses --------------------------------------------------------------------------------------------

MeshData scaled(MeshData data, double by) {
  for (Vector3& v : data.vertices)
    v *= by;
  return data;
}

MeshData moved(MeshData data, const Vector3& by) {
  for (Vector3& v : data.vertices)
    v += by;
  return data;
}

MeshData joined(MeshData a, const MeshData& b) {
  const auto shift = static_cast<std::uint32_t>(a.vertices.size());
  a.vertices.insert(a.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const Index3& t : b.triangles)
    a.triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
  return a;
}

MeshData reversed(MeshData data) {
  for (Index3& t : data.triangles)
    std::swap(t[1], t[2]);
  return data;
}

MeshData box_mesh(double x, double y, double z) {
  return make::box({.size_x = x, .size_y = y, .size_z = z});
}

/// Scaled to a size of about 1.
MeshData unit(MeshData data) {
  Aabb box;
  for (const Vector3& v : data.vertices)
    box.include(v);
  return scaled(std::move(data), 1 / (box.upper - box.lower).maxCoeff());
}

/// Small enough for brute force, and of every kind: convex, with holes, branching, open, flat.
const std::vector<MeshData>& models() {
  static const std::vector<MeshData> all = {
      unit(make::gear({.teeth = 8, .flank_points = 2})),
      unit(make::torus({.around = 12, .across = 7})),
      unit(make::s_shape({.along = 6, .across = 6})),
      unit(make::icosphere({.subdivisions = 1})),
      unit(make::block()),
      unit(make::cloth_sheet({.columns = 7, .rows = 7, .folds = 2})),
      unit(make::random_hull({.points = 24})),
      unit(make::box({.subdivisions = 2})),
      unit(make::chair()),
  };
  return all;
}

/// Whether the model is closed.
bool is_closed_model(std::size_t i) {
  return i != 5;
}

// --- brute force -------------------------------------------------------------------------------------------------

std::vector<Triangle> placed_triangles(const Mesh& mesh, const Pose& pose) {
  std::vector<Triangle> all;
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    all.push_back({place(pose, t.a), place(pose, t.b), place(pose, t.c)});
  }
  return all;
}

Aabb box_of(const Triangle& t) {
  Aabb box;
  box.include(t.a);
  box.include(t.b);
  box.include(t.c);
  return box;
}

bool surfaces_touch(const std::vector<Triangle>& a, const std::vector<Triangle>& b) {
  std::vector<Aabb> boxes;
  for (const Triangle& t : b)
    boxes.push_back(box_of(t));
  for (const Triangle& t : a) {
    const Aabb box = box_of(t);
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (box.overlaps(boxes[j]) && touches_triangle_triangle(t, b[j])) return true;
    }
  }
  return false;
}

struct TrueBounds {
  double lower = infinity;
  double upper = infinity;
};

/// The smallest of the certified distances of all pairs. Pairs with the nearest boxes come first, and pairs whose boxes
/// alone are clearly farther apart than the distance found are skipped.
TrueBounds surface_distance(const std::vector<Triangle>& a, const std::vector<Triangle>& b) {
  struct Pair {
    double gap;
    std::size_t i, j;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Aabb box_a = box_of(a[i]);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const Aabb box_b = box_of(b[j]);
      pairs.push_back(
          {(box_a.lower - box_b.upper).cwiseMax(box_b.lower - box_a.upper).cwiseMax(0.0).stableNorm(), i, j});
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& p, const Pair& q) { return p.gap < q.gap; });
  TrueBounds best;
  for (const Pair& pair : pairs) {
    if (pair.gap * (1 - 1e-9) > best.upper) break;
    const Distance found = distance(Shape(a[pair.i]), Shape(b[pair.j]));
    best.lower = std::min(best.lower, found.lower);
    best.upper = std::min(best.upper, found.upper);
  }
  return best;
}

TrueBounds surface_distance(const std::vector<Triangle>& a, const Placed& b) {
  TrueBounds best;
  for (const Triangle& t : a) {
    const Distance found = distance(Shape(t), b);
    best.lower = std::min(best.lower, found.lower);
    best.upper = std::min(best.upper, found.upper);
  }
  return best;
}

/// The absolute value of the winding number of closed triangles around a point that is on none of them: the signed
/// crossings of a segment to a point beyond all triangles, with exact signs. A segment that passes through a corner or
/// an edge is not used.
int exact_winding(Random& random, const std::vector<Triangle>& all, const Vector3& point) {
  Aabb box;
  for (const Triangle& t : all)
    box.include(box_of(t));
  const double away = 4 * (box.upper - box.lower).maxCoeff() + 4 * (box.upper - point).cwiseAbs().maxCoeff();
  while (true) {
    const Vector3 far = point + away * test::scenes::unit_vector(random);
    int sum = 0;
    bool general = true;
    for (const Triangle& t : all) {
      const int from = orient3d(t.a, t.b, t.c, point);
      const int to = orient3d(t.a, t.b, t.c, far);
      if (from == 0 && to == 0) {
        general = touches_segment_triangle({point, far}, t) ? false : general;
        continue;
      }
      const int e0 = orient3d(point, far, t.a, t.b), e1 = orient3d(point, far, t.b, t.c),
                e2 = orient3d(point, far, t.c, t.a);
      const bool misses = (e0 > 0 || e1 > 0 || e2 > 0) && (e0 < 0 || e1 < 0 || e2 < 0);
      if (misses || from == to) continue;
      if (e0 == 0 || e1 == 0 || e2 == 0 || from == 0 || to == 0) {
        if (touches_segment_triangle({point, far}, t)) general = false;
        continue;
      }
      // The sign convention does not matter, because the absolute value is returned.
      sum += from;
    }
    if (general) return std::abs(sum);
  }
}

bool on_surface(const std::vector<Triangle>& all, const Vector3& point) {
  return std::any_of(all.begin(), all.end(), [&](const Triangle& t) { return touches_point_triangle(point, t); });
}

std::string show(const Pose& pose) {
  std::ostringstream out;
  out.precision(17);
  out << "rotation\n" << pose.rotation() << "\ntranslation " << pose.translation().transpose();
  return out.str();
}

/// Checks everything that the queries guarantee about each other.
void expect_verbs_agree(const Placed& a, const Placed& b) {
  const bool touch = touches(a, b);
  const Distance apart = distance(a, b);
  ASSERT_EQ(touches(b, a), touch);
  ASSERT_LE(apart.lower, apart.upper);
  ASSERT_GE(apart.lower, 0);
  if (!touch) {
    ASSERT_GT(apart.upper, 0);
  }
  if (apart.lower > 0) {
    ASSERT_FALSE(touch);
  }
  const Distance back = distance(b, a);
  ASSERT_LE(back.lower, apart.upper);
  ASSERT_LE(apart.lower, back.upper);
  const auto is_surface = [](const Shape& s) { return s.as<Mesh>() && !s.as<Mesh>()->is_solid(); };
  if (is_surface(a.shape) || is_surface(b.shape)) {
    ASSERT_THROW(depth(a, b), Error);
    return;
  }
  const Depth deep = depth(a, b);
  ASSERT_GE(deep.lower, 0);
  ASSERT_LE(deep.lower, deep.upper);
  if (!touch) {
    ASSERT_EQ(deep.upper, 0);
  }
  if (deep.lower > 0) {
    ASSERT_TRUE(touch);
  }
  if (apart.lower > 0) {
    ASSERT_EQ(deep.upper, 0);
  }
}

// --- touches -----------------------------------------------------------------------------------------------------

TEST(MeshTouchesMesh, LikeBruteForceInRandomPoses) {
  auto random = seeded(101);
  std::size_t hits = 0;
  const std::size_t count = cases(2500);
  for (std::size_t i = 0; i < count; ++i) {
    const Mesh a(models()[i % models().size()]);
    const Mesh b(models()[(i / models().size()) % models().size()]);
    const Pose pose_a = random_pose(random, 0.7), pose_b = random_pose(random, 0.7);
    const bool truth = surfaces_touch(placed_triangles(a, pose_a), placed_triangles(b, pose_b));
    const Shape shape_a = a, shape_b = b;
    ASSERT_EQ(touches({shape_a, pose_a}, {shape_b, pose_b}), truth) << i << "\n" << show(pose_a) << show(pose_b);
    ASSERT_EQ(touches({shape_b, pose_b}, {shape_a, pose_a}), truth) << i;
    hits += truth ? 1u : 0u;
  }
  EXPECT_GT(hits, count / 10);
  EXPECT_LT(hits, count - count / 10);
}

TEST(MeshTouchesMesh, LikeBruteForceToTheLastBitOfContact) {
  auto random = seeded(102);
  for (std::size_t i = 0; i < cases(36); ++i) {
    const Mesh a(models()[i % models().size()]);
    const Mesh b(models()[(i * 5 + i / 9) % models().size()]);
    const Shape shape_a = a, shape_b = b;
    // Every third pair is aligned, so that faces and edges meet flush.
    const Matrix3 turn_a = i % 3 == 0 ? test::scenes::axis_rotation(random) : test::scenes::any_rotation(random);
    const Matrix3 turn_b = i % 3 == 0 ? test::scenes::axis_rotation(random) : test::scenes::any_rotation(random);
    const Vector3 direction =
        i % 3 == 0 ? Vector3(Vector3::Unit(static_cast<int>(i % 2))) : test::scenes::unit_vector(random);
    const Pose pose_a(turn_a, i % 4 == 0 ? Vector3(1e3, -2e3, 5e2) : Vector3(0, 0, 0));
    const std::vector<Triangle> placed_a = placed_triangles(a, pose_a);
    const auto pose_at = [&](double s) { return Pose(turn_b, pose_a.translation() + s * direction); };
    const auto brute = [&](double s) { return surfaces_touch(placed_a, placed_triangles(b, pose_at(s))); };
    double inside = -1;
    for (double s = 0; s < 1 && inside < 0; s += 0.05) {
      if (brute(s)) inside = s;
    }
    if (inside < 0) continue;
    double outside = 4;
    ASSERT_FALSE(brute(outside));
    while (true) {
      const double middle = inside + (outside - inside) / 2;
      if (middle <= inside || middle >= outside) break;
      const bool truth = brute(middle);
      ASSERT_EQ(touches({shape_a, pose_a}, {shape_b, pose_at(middle)}), truth) << i << " at " << middle;
      const Distance apart = distance({shape_a, pose_a}, {shape_b, pose_at(middle)});
      if (truth) {
        ASSERT_EQ(apart.lower, 0) << i << " at " << middle;
      } else {
        ASSERT_GT(apart.upper, 0) << i << " at " << middle;
      }
      (truth ? inside : outside) = middle;
    }
    // Both sides of the last bit, and a few bits beyond.
    for (int k = 0; k < 4; ++k) {
      for (const double s : {inside, outside}) {
        ASSERT_EQ(touches({shape_a, pose_a}, {shape_b, pose_at(s)}), brute(s)) << i << " at " << s;
      }
      inside = std::nextafter(inside, -infinity);
      outside = std::nextafter(outside, infinity);
    }
  }
}

TEST(MeshTouchesMesh, WhereFacesEdgesAndCornersMeetExactly) {
  const Shape cube = Mesh(box_mesh(1, 1, 1));
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_TRUE(touches(cube, {cube, Pose(Vector3(1, 0, 0))}));
  EXPECT_TRUE(touches(cube, {cube, Pose(Vector3(1, 1, 0))}));
  EXPECT_TRUE(touches(cube, {cube, Pose(Vector3(1, -1, 1))}));
  EXPECT_FALSE(touches(cube, {cube, Pose(Vector3(next, 0, 0))}));
  EXPECT_FALSE(touches(cube, {cube, Pose(Vector3(1, next, 0))}));
  EXPECT_FALSE(touches(cube, {cube, Pose(Vector3(1, -1, next))}));
  EXPECT_TRUE(touches(cube, cube));
}

TEST(MeshTouchesMesh, AtAnyScale) {
  auto random = seeded(103);
  for (std::size_t i = 0; i < cases(160); ++i) {
    const double scale = std::vector<double>{1e-60, 1e60, 1e-88, 1e89}[i % 4];
    const Mesh a(scaled(models()[i % models().size()], scale));
    const Mesh b(scaled(models()[(i / 4) % models().size()], scale));
    Pose pose_a = random_pose(random, 0.5), pose_b = random_pose(random, 0.5);
    pose_a.set_translation(pose_a.translation() * scale);
    pose_b.set_translation(pose_b.translation() * scale);
    const bool truth = surfaces_touch(placed_triangles(a, pose_a), placed_triangles(b, pose_b));
    const Shape shape_a = a, shape_b = b;
    ASSERT_EQ(touches({shape_a, pose_a}, {shape_b, pose_b}), truth) << scale;
    ASSERT_NO_FATAL_FAILURE(expect_verbs_agree({shape_a, pose_a}, {shape_b, pose_b})) << scale;
    if (is_closed_model(i % models().size()) && is_closed_model((i / 4) % models().size())) {
      const Shape solid_a = a.solid(), solid_b = b.solid();
      ASSERT_NO_FATAL_FAILURE(expect_verbs_agree({solid_a, pose_a}, {solid_b, pose_b})) << scale;
      if (truth) {
        ASSERT_TRUE(touches({solid_a, pose_a}, {solid_b, pose_b})) << scale;
      }
    }
  }
}

TEST(MeshTouchesMesh, WithDegenerateTrianglesAsTheSegmentsAndPointsTheyAre) {
  const Shape cube = Mesh(box_mesh(2, 2, 2));
  const Shape point = Mesh(MeshData{{{0, 0, 1}}, {{0, 0, 0}}});
  const Shape segment = Mesh(MeshData{{{0, 0, 0.5}, {0, 0, 1.5}}, {{0, 1, 0}}});
  EXPECT_TRUE(touches(cube, point));
  EXPECT_FALSE(touches(cube, {point, Pose(Vector3(0, 0, 0x1p-52))}));
  EXPECT_TRUE(touches(cube, segment));
  EXPECT_TRUE(touches(segment, point));
  EXPECT_FALSE(touches(segment, {point, Pose(Vector3(0x1p-60, 0, 0))}));
  const Distance apart = distance(segment, {point, Pose(Vector3(3, 0, 0))});
  EXPECT_LE(apart.lower, 3);
  EXPECT_GE(apart.upper, 3);
}

TEST(MeshTouchesMesh, ASoupLikeItsSharedForm) {
  auto random = seeded(104);
  for (std::size_t i = 0; i < cases(100); ++i) {
    const std::size_t k = i % models().size();
    if (!is_closed_model(k)) continue;
    const Shape shared = Mesh(models()[k]).solid(), soup = Mesh(unshared(models()[k])).solid();
    const Shape other = Mesh(models()[(i / 3) % models().size()]);
    const Pose pose = random_pose(random, 0.6);
    ASSERT_EQ(touches(shared, {other, pose}), touches(soup, {other, pose}));
    const Distance d = distance(shared, {other, pose}), e = distance(soup, {other, pose});
    ASSERT_EQ(d.lower, e.lower);
    ASSERT_EQ(d.upper, e.upper);
  }
}

// --- distance ----------------------------------------------------------------------------------------------------

TEST(MeshDistanceMesh, IsTheLeastOfAllPairs) {
  auto random = seeded(111);
  std::size_t apart_count = 0;
  for (std::size_t i = 0; i < cases(150); ++i) {
    const Mesh a(models()[i % models().size()]);
    const Mesh b(models()[(i / models().size()) % models().size()]);
    const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, i % 5 == 0 ? 10 : 1);
    const std::vector<Triangle> placed_a = placed_triangles(a, pose_a), placed_b = placed_triangles(b, pose_b);
    const TrueBounds truth = surface_distance(placed_a, placed_b);
    const Shape shape_a = a, shape_b = b;
    const Distance found = distance({shape_a, pose_a}, {shape_b, pose_b});
    ASSERT_LE(found.lower, truth.upper) << i;
    ASSERT_GE(found.upper, truth.lower) << i;
    ASSERT_LE(found.upper, truth.upper) << i << ": the least upper bound is a certified one";
    ASSERT_LE(found.upper - found.lower, 1e-12) << i;
    ASSERT_EQ(found.stop, Stop::exact);
    // The witness points are on the surfaces and at the reported distance.
    ASSERT_NEAR((found.point_a - found.point_b).norm(), found.upper, 1e-12) << i;
    const Shape point = Sphere{0};
    ASSERT_LE(surface_distance(placed_a, Placed(point, Pose(found.point_a))).upper, 1e-12) << i;
    ASSERT_LE(surface_distance(placed_b, Placed(point, Pose(found.point_b))).upper, 1e-12) << i;
    if (found.lower > 0) {
      ++apart_count;
      ASSERT_LT((found.normal - (found.point_b - found.point_a).normalized()).norm(), 1e-6 / found.upper) << i;
      ASSERT_NEAR(found.normal.norm(), 1, 1e-14);
    }
    // A tolerance widens the bounds by no more than itself, and they still contain the truth.
    for (const double tolerance : {1e-6, 1e-2, 0.3, 5.0}) {
      const Distance rough = distance({shape_a, pose_a}, {shape_b, pose_b}, {.tolerance = tolerance});
      ASSERT_LE(rough.lower, truth.upper) << i << " " << tolerance;
      ASSERT_GE(rough.upper, truth.lower) << i << " " << tolerance;
      ASSERT_LE(rough.upper - rough.lower, tolerance + 1e-12) << i << " " << tolerance;
      ASSERT_GE(rough.lower, 0);
      ASSERT_NEAR((rough.point_a - rough.point_b).norm(), rough.upper, 1e-12) << i << " " << tolerance;
    }
  }
  EXPECT_GT(apart_count, cases(150) / 4);
}

TEST(MeshVerbs, AgreeForSurfacesAndSolids) {
  auto random = seeded(112);
  for (std::size_t i = 0; i < cases(400); ++i) {
    const std::size_t ka = i % models().size(), kb = (i / models().size()) % models().size();
    Mesh a(models()[ka]), b(models()[kb]);
    if (is_closed_model(ka) && i % 2 == 0) a = a.solid();
    if (is_closed_model(kb) && i % 4 < 3) b = b.solid();
    const Shape shape_a = a, shape_b = b;
    ASSERT_NO_FATAL_FAILURE(
        expect_verbs_agree({shape_a, random_pose(random, 0.8)}, {shape_b, random_pose(random, 0.8)}))
        << i;
  }
}

TEST(MeshVerbs, AgreeWhereTheGapIsTheSmallestDouble) {
  const Shape flat = Mesh(MeshData{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}});
  const Pose above(Vector3(0.25, 0.25, std::numeric_limits<double>::denorm_min()));
  const std::vector<Shape> others = {flat, Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, Segment{{0, 0, 0}, {0.5, 0, 0}}};
  for (const Shape& other : others) {
    ASSERT_FALSE(touches(flat, {other, above})) << name(other.kind());
    EXPECT_GT(distance(flat, {other, above}).upper, 0) << name(other.kind());
  }
  const double low = std::numeric_limits<double>::denorm_min();
  const Triangle wide{{-2, 0, 0}, {2, -1, 0}, {0, 2, 0}},
      near{{-0.25, -0.25, low}, {-0.25, -0.2, low}, {-0.2, -0.2, low}};
  ASSERT_FALSE(touches(Shape(wide), Shape(near)));
  EXPECT_GT(distance(Shape(wide), Shape(near)).upper, 0);
}

// --- mesh and simple shape -----------------------------------------------------------------------------------------

class MeshAndSimple : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Each, MeshAndSimple, testing::Range(std::size_t{0}, test::simple_shape_count),
                         [](const auto& each) { return std::string(test::simple_shape_name(each.param)); });

Shape make_shape(const test::SimpleShape& shape) {
  return std::visit([](const auto& s) { return Shape(s); }, shape);
}

TEST_P(MeshAndSimple, AnswerLikeBruteForce) {
  auto random = seeded(120 + GetParam());
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(150); ++i) {
    const Mesh mesh(models()[i % models().size()]);
    const Shape shape = mesh;
    const Shape simple = make_shape(i % 5 == 0 ? test::scenes::degenerate_shape(random, GetParam())
                                               : test::scenes::random_shape(random, GetParam()));
    const Pose pose = random_pose(random, 1), simple_pose = random_pose(random, 1);
    const std::vector<Triangle> placed = placed_triangles(mesh, pose);
    const Placed other(simple, simple_pose);
    const bool truth =
        std::any_of(placed.begin(), placed.end(), [&](const Triangle& t) { return touches(Shape(t), other); });
    ASSERT_EQ(touches({shape, pose}, other), truth) << i;
    ASSERT_EQ(touches(other, {shape, pose}), truth) << i;
    hits += truth ? 1u : 0u;
    const TrueBounds least = surface_distance(placed, other);
    const Distance found = distance({shape, pose}, other);
    ASSERT_LE(found.lower, least.upper) << i;
    ASSERT_GE(found.upper, least.lower) << i;
    ASSERT_LE(found.upper, least.upper) << i;
    ASSERT_LE(found.upper - found.lower, 1e-12) << i;
    const Distance rough = distance(other, {shape, pose}, {.tolerance = 0.1});
    ASSERT_LE(rough.lower, least.upper) << i;
    ASSERT_GE(rough.upper, least.lower) << i;
    ASSERT_LE(rough.upper - rough.lower, 0.1 + 1e-12) << i;
    ASSERT_NO_FATAL_FAILURE(expect_verbs_agree({shape, pose}, other)) << i;
    if (is_closed_model(i % models().size())) {
      const Shape solid = mesh.solid();
      ASSERT_NO_FATAL_FAILURE(expect_verbs_agree({solid, pose}, other)) << i;
    }
  }
  if (cases(150) >= 100) {  // fewer cases may all miss
    EXPECT_GT(hits, 0u);
  }
}

TEST_P(MeshAndSimple, ToTheLastBitOfContact) {
  auto random = seeded(130 + GetParam());
  for (std::size_t i = 0; i < cases(12); ++i) {
    const Mesh mesh(models()[i % models().size()]);
    const Shape shape = mesh;
    const Shape simple = make_shape(i % 2 == 0 ? test::scenes::integer_shape(random, GetParam())
                                               : test::scenes::random_shape(random, GetParam()));
    const Matrix3 turn = i % 2 == 0 ? Matrix3::Identity() : test::scenes::any_rotation(random);
    const Pose simple_pose(turn, Vector3(0, 0, 0));
    const Vector3 direction = i % 2 == 0 ? Vector3(Vector3::UnitZ()) : test::scenes::unit_vector(random);
    const auto at = [&](double s) { return Pose(turn, s * direction); };
    const auto brute = [&](double s) {
      const std::vector<Triangle> placed = placed_triangles(mesh, at(s));
      return std::any_of(placed.begin(), placed.end(), [&](const Triangle& t) {
        return touches(Shape(t), {simple, simple_pose});
      });
    };
    std::optional<double> touching, apart;
    for (double s = -8; s <= 8; s += 0.25) {
      (brute(s) ? touching : apart) = s;
    }
    if (!touching || !apart) continue;
    double in = *touching, out = *apart;
    while (true) {
      const double middle = in + (out - in) / 2;
      if (middle == in || middle == out) break;
      const bool truth = brute(middle);
      ASSERT_EQ(touches({shape, at(middle)}, {simple, simple_pose}), truth) << i << " at " << middle;
      (truth ? in : out) = middle;
    }
    ASSERT_TRUE(touches({shape, at(in)}, {simple, simple_pose}));
    ASSERT_FALSE(touches({shape, at(out)}, {simple, simple_pose}));
    ASSERT_NO_FATAL_FAILURE(expect_verbs_agree({shape, at(in)}, {simple, simple_pose}));
    ASSERT_NO_FATAL_FAILURE(expect_verbs_agree({shape, at(out)}, {simple, simple_pose}));
  }
}

TEST(MeshAndCapsule, TouchWhereTheCapsulesLowestPointIsARoundingError) {
  // The capsule's end and its radius cancel: only the rounding of the end is left, far below the end's last bit.
  auto random = seeded(140);
  std::size_t checked = 0, missed = 0;
  for (std::size_t i = 0; i < cases(500); ++i) {
    const Matrix3 turn = test::scenes::rotation_from(uniform(random, 0.1, 1), uniform(random, -1, 1),
                                                     uniform(random, -1, 1), uniform(random, -1, 1));
    const Capsule capsule{uniform(random, 0.5, 1), uniform(random, 0.5, 2)};
    const double drop = std::abs(turn(2, 2)) * capsule.length / 2;
    const Pose pose(turn, Vector3(0, 0, drop + capsule.radius));
    const Real lowest =
        Real(pose.translation().z()) - Real(std::abs(turn(2, 2))) * Real(capsule.length) / 2 - Real(capsule.radius);
    // A wide triangle at the height of the lowest point, or at the next double above: it truly touches.
    double height = static_cast<double>(lowest);
    if (Real(height) < lowest) height = std::nextafter(height, infinity);
    const Triangle floor{{-50, -50, height}, {50, -50, height}, {0, 80, height}};
    const Shape shape = capsule, mesh = Mesh(MeshData{{floor.a, floor.b, floor.c}, {{0, 1, 2}}});
    ASSERT_TRUE(touches(Shape(floor), {shape, pose})) << i;
    ++checked;
    if (!touches(mesh, {shape, pose})) ++missed;
  }
  EXPECT_EQ(missed, 0u) << "of " << checked;
}

// --- surface and solid ---------------------------------------------------------------------------------------------

TEST(SurfaceAndSolid, DifferWhereOneLiesInsideTheOther) {
  const Mesh large(box_mesh(10, 10, 10)), small(make::icosphere({.radius = 1, .subdivisions = 1}));
  const Shape shell = large, block = large.solid(), skin = small, ball = small.solid();
  for (const Pose& pose : {Pose(), Pose(Vector3(2, -1, 3)), Pose(Vector3(3.5, 3.5, -3.5))}) {
    EXPECT_FALSE(touches(shell, {skin, pose}));
    EXPECT_FALSE(touches(shell, {ball, pose})) << "the ball is inside a hollow shell";
    EXPECT_TRUE(touches(block, {skin, pose}));
    EXPECT_TRUE(touches(block, {ball, pose}));
    EXPECT_TRUE(touches({ball, pose}, block));
    const Distance hollow = distance(shell, {skin, pose});
    EXPECT_GT(hollow.lower, 0.4);
    const Distance filled = distance(block, {skin, pose});
    EXPECT_EQ(filled.lower, 0);
    EXPECT_EQ(filled.upper, 0);
    EXPECT_EQ(filled.point_a, filled.point_b);
    EXPECT_EQ(distance({ball, pose}, block).upper, 0);
  }
  EXPECT_FALSE(touches(block, {ball, Pose(Vector3(7, 0, 0))}));
}

TEST(SurfaceAndSolid, ASimpleShapeInsideASolidTouchesIt) {
  const Mesh large(box_mesh(10, 10, 10));
  const Shape shell = large, block = large.solid();
  const std::vector<Shape> inside = {Sphere{1},      Capsule{1, 1},
                                     Box{{1, 2, 3}}, Segment{{0, 0, 0}, {1, 1, 1}},
                                     Sphere{0},      Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  for (const Shape& shape : inside) {
    EXPECT_FALSE(touches(shell, shape)) << name(shape.kind());
    EXPECT_GT(distance(shell, shape).lower, 1) << name(shape.kind());
    EXPECT_TRUE(touches(block, shape)) << name(shape.kind());
    EXPECT_TRUE(touches(shape, block)) << name(shape.kind());
    EXPECT_EQ(distance(block, shape).upper, 0) << name(shape.kind());
    EXPECT_FALSE(touches(block, {shape, Pose(Vector3(20, 0, 0))})) << name(shape.kind());
    if (shape.volume() > 0) {
      EXPECT_GT(depth(block, shape).upper, 5) << name(shape.kind());
    }
  }
}

TEST(SurfaceAndSolid, AMeshInsideASimpleSolidTouchesIt) {
  const Shape skin = Mesh(make::icosphere({.radius = 1, .subdivisions = 1}));
  EXPECT_TRUE(touches(skin, Shape(Sphere{5})));
  EXPECT_TRUE(touches(skin, Shape(Box{{9, 9, 9}})));
  EXPECT_TRUE(touches(skin, Shape(HalfSpace{Vector3::UnitZ(), 10})));
  EXPECT_FALSE(touches(skin, Shape(Plane{Vector3::UnitZ(), 10})));
  EXPECT_EQ(distance(skin, Shape(Sphere{5})).upper, 0);
}

TEST(SurfaceAndSolid, OnePartInsideIsEnough) {
  const Mesh large(box_mesh(10, 10, 10));
  const MeshData small = make::icosphere({.subdivisions = 0});
  const Mesh scattered(joined(moved(small, {100, 0, 0}), joined(moved(small, {0, 50, 0}), small)));
  const Shape block = large.solid(), crowd = scattered, solid_crowd = scattered.solid(), shell = large;
  EXPECT_TRUE(touches(block, crowd));
  EXPECT_TRUE(touches(crowd, block));
  EXPECT_TRUE(touches(block, solid_crowd));
  EXPECT_FALSE(touches(shell, solid_crowd)) << "a shell around one part of it";
  EXPECT_EQ(distance(block, crowd).upper, 0);
  // The solid of several parts contains what is inside any of them.
  const Shape seed = Sphere{0.1};
  EXPECT_TRUE(touches(solid_crowd, {seed, Pose(Vector3(100, 0, 0))}));
  EXPECT_TRUE(touches(solid_crowd, {seed, Pose(Vector3(0, 50, 0))}));
  EXPECT_FALSE(touches(solid_crowd, {seed, Pose(Vector3(50, 0, 0))}));
}

TEST(SurfaceAndSolid, TheWitnessOfContainmentIsAPointOfBoth) {
  const MeshData small = make::icosphere({.subdivisions = 0});
  const Shape block = Mesh(box_mesh(10, 10, 10)).solid();
  const Mesh scattered(joined(moved(small, {100, 0, 0}), small));
  for (const Shape& crowd : {Shape(scattered), Shape(scattered.solid())}) {
    const Distance found = distance(block, crowd);
    ASSERT_EQ(found.upper, 0);
    const Shape point = Sphere{0};
    EXPECT_TRUE(touches(block, {point, Pose(found.point_a)})) << found.point_a.transpose();
    EXPECT_LE(distance(crowd, {point, Pose(found.point_b)}).upper, 1e-12) << found.point_b.transpose();
    const Distance back = distance(crowd, block);
    EXPECT_LE(distance(crowd, {point, Pose(back.point_a)}).upper, 1e-12) << back.point_a.transpose();
  }
}

TEST(SurfaceAndSolid, ACavityIsOutside) {
  const Shape hollow = Mesh(joined(box_mesh(10, 10, 10), reversed(box_mesh(6, 6, 6)))).solid();
  const Shape ball = Mesh(make::icosphere({.subdivisions = 1})).solid();
  EXPECT_FALSE(touches(hollow, ball));
  EXPECT_GT(distance(hollow, ball).lower, 1.9);
  EXPECT_EQ(depth(hollow, ball).upper, 0);
  EXPECT_FALSE(touches(hollow, Shape(Sphere{1})));
  const Shape seed = Sphere{0.5};
  EXPECT_TRUE(touches(hollow, {seed, Pose(Vector3(4, 0, 0))})) << "in the wall";
}

TEST(SurfaceAndSolid, PointsNextToTheSurfaceAreInOrOutExactly) {
  // Rounded points of the faces are inside, outside or on them by a last bit. Exact signs decide which.
  auto random = seeded(141);
  std::size_t inside = 0, outside = 0, denied = 0, invented = 0;
  const std::size_t count = cases(1500);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = i % models().size();
    if (!is_closed_model(k)) continue;
    const Mesh mesh = Mesh(models()[k]).solid();
    const Pose pose = random_pose(random, 1);
    const std::vector<Triangle> placed = placed_triangles(mesh, pose);
    const Triangle& t = placed[static_cast<std::size_t>(test::whole(random, 0, static_cast<int>(placed.size()) - 1))];
    const double u = uniform(random, 0, 1), v = uniform(random, 0, 1 - u);
    const Vector3 point = t.a + u * (t.b - t.a) + v * (t.c - t.a);
    const bool on = on_surface(placed, point);
    const bool truth = on || exact_winding(random, placed, point) != 0;
    const Shape shape = mesh, dot = Segment{point, point};
    if (!on) ++(truth ? inside : outside);
    const bool found = touches({shape, pose}, dot);
    if (truth && !found) ++denied;
    if (!truth && found) ++invented;
  }
  EXPECT_EQ(denied, 0u) << "points inside are said to be outside, of " << inside;
  EXPECT_EQ(invented, 0u) << "points outside are said to be inside, of " << outside;
  EXPECT_GT(inside, count / 8);
  EXPECT_GT(outside, count / 8);
}

TEST(SurfaceAndSolid, SmallMeshesNextToTheSurfaceAreInOrOutExactly) {
  auto random = seeded(142);
  std::size_t denied = 0, invented = 0, apart = 0;
  const std::size_t count = cases(800);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = i % models().size();
    if (!is_closed_model(k)) continue;
    const Mesh mesh = Mesh(models()[k]).solid();
    const Pose pose = random_pose(random, 1);
    const std::vector<Triangle> placed = placed_triangles(mesh, pose);
    const Triangle& t = placed[static_cast<std::size_t>(test::whole(random, 0, static_cast<int>(placed.size()) - 1))];
    const Vector3 point = t.a / 3 + t.b / 3 + t.c / 3;
    const Vector3 normal = (t.b - t.a).cross(t.c - t.a).normalized() * (i % 2 == 0 ? 1 : -1);
    // A small triangle that stands on its first corner, which is next to the face.
    const Vector3 across = (t.b - t.a) * 1e-3;
    const Mesh probe(MeshData{{point, point + 1e-3 * normal + across, point + 1e-3 * normal - across}, {{0, 1, 2}}});
    const std::vector<Triangle> placed_probe = placed_triangles(probe, Pose());
    if (surfaces_touch(placed, placed_probe)) continue;
    ++apart;
    const bool truth = exact_winding(random, placed, point) != 0;
    const Shape shape = mesh, small = probe;
    const bool found = touches({shape, pose}, small);
    if (truth && !found) ++denied;
    if (!truth && found) ++invented;
  }
  EXPECT_EQ(denied, 0u) << "meshes inside are said to be outside, of " << apart << " in or out";
  EXPECT_EQ(invented, 0u) << "meshes outside are said to be inside, of " << apart << " in or out";
  EXPECT_GT(apart, count / 8);
}

TEST(SurfaceAndSolid, RandomPointsAreInOrOutLikeTheExactWindingNumber) {
  auto random = seeded(143);
  std::size_t inside = 0;
  for (std::size_t i = 0; i < cases(3000); ++i) {
    const std::size_t k = i % models().size();
    if (!is_closed_model(k)) continue;
    const Mesh mesh = Mesh(models()[k]).solid();
    const Pose pose = random_pose(random, 0.1);
    const Vector3 point = test::random_vector(random, 0.5);
    const std::vector<Triangle> placed = placed_triangles(mesh, pose);
    if (on_surface(placed, point)) continue;
    const bool truth = exact_winding(random, placed, point) != 0;
    const Shape shape = mesh, dot = Segment{point, point};
    ASSERT_EQ(touches({shape, pose}, dot), truth) << i << ": " << point.transpose();
    inside += truth ? 1 : 0;
  }
  EXPECT_GT(inside, cases(3000) / 20);
}

// --- depth -------------------------------------------------------------------------------------------------------

TEST(MeshDepth, IsAnErrorForASurfaceAndSaysWhatToDo) {
  const Shape surface = Mesh(box_mesh(1, 1, 1)), solid = Mesh(box_mesh(1, 1, 1)).solid();
  for (const auto& [a, b] : {std::pair(surface, solid), std::pair(solid, surface), std::pair(surface, Shape(Sphere{1})),
                             std::pair(Shape(Plane{}), surface)}) {
    try {
      depth(a, b);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("solid()"), std::string::npos) << error.what();
    }
  }
}

TEST(MeshDepth, OfBoxesHoldsTheDepthOfTheSameSimpleBoxes) {
  auto random = seeded(151);
  std::size_t deep_count = 0;
  for (std::size_t i = 0; i < cases(400); ++i) {
    const Vector3 size_a = test::random_vector(random, 0.9) + Vector3::Constant(1);
    const Vector3 size_b = test::random_vector(random, 0.9) + Vector3::Constant(1);
    const Shape mesh_a = Mesh(box_mesh(size_a[0], size_a[1], size_a[2])).solid();
    const Shape mesh_b = Mesh(box_mesh(size_b[0], size_b[1], size_b[2])).solid();
    const Shape box_a = Box{size_a}, box_b = Box{size_b};
    Pose pose_a = random_pose(random, 0.6);
    const Pose pose_b = random_pose(random, 0.6);
    if (i % 5 == 0) pose_a.set_rotation(test::scenes::sloppy(random, pose_a.rotation()));
    const Depth truth = depth({box_a, pose_a}, {box_b, pose_b});
    const std::vector<std::pair<Shape, Shape>> forms = {{mesh_a, mesh_b}, {mesh_a, box_b}, {box_a, mesh_b}};
    for (const auto& [a, b] : forms) {
      const Depth found = depth({a, pose_a}, {b, pose_b});
      // The mesh's corners are rounded, the box's are not.
      ASSERT_LE(found.lower, truth.upper + 1e-14) << i;
      ASSERT_GE(found.upper, truth.lower - 1e-14) << i;
      if (found.upper == 0) continue;
      ++deep_count;
      ASSERT_NEAR(found.normal.norm(), 1, 1e-9) << i;
      // The guarantee of `upper`: b moved by it along the direction does not overlap a any more.
      Pose parted = pose_b;
      parted.set_translation(parted.translation() + found.normal * (found.upper * (1 + 1e-12) + 1e-12));
      ASSERT_FALSE(touches({a, pose_a}, {b, parted})) << i;
    }
  }
  EXPECT_GT(deep_count, cases(400) / 4);
}

TEST(MeshDepth, DirectionIsAUnitVectorAlsoIfTheRotationIsSloppy) {
  const Shape cube = Mesh(box_mesh(1, 1, 1)).solid();
  const Pose sloppy((1 - 4.9e-10) * Matrix3::Identity(), Vector3(0.5, 0, 0));
  EXPECT_NEAR(depth({cube, sloppy}, cube).normal.norm(), 1, 1e-14);
  EXPECT_NEAR(depth({cube, sloppy}, Shape(Sphere{0.7})).normal.norm(), 1, 1e-14);
}

TEST(MeshDepth, WitnessPointsAreDeepestPointsOfTheShapes) {
  const Shape cube = Mesh(box_mesh(2, 2, 2)).solid();
  const Pose lifted(Vector3(10, 20, 30));
  const auto near = [](const Aabb& box, const Vector3& point) {
    return (point.array() >= box.lower.array() - 1e-9).all() && (point.array() <= box.upper.array() + 1e-9).all();
  };
  const std::vector<Shape> others = {Sphere{1}, Box{{2, 2, 2}}, cube};
  for (const Shape& other : others) {
    const Pose pose(Vector3(11.5, 20.2, 30.1));
    const Depth found = depth({cube, lifted}, {other, pose});
    ASSERT_GT(found.upper, 0);
    EXPECT_TRUE(near(cube.bounds(lifted), found.point_a)) << name(other.kind()) << ": " << found.point_a.transpose();
    EXPECT_TRUE(near(other.bounds(pose), found.point_b)) << name(other.kind()) << ": " << found.point_b.transpose();
  }
  const Depth ground = depth({cube, lifted}, {Shape(HalfSpace{Vector3::UnitZ(), 29.5}), Pose()});
  EXPECT_NEAR(ground.value(), 0.5, 1e-12);
  EXPECT_NEAR(ground.point_a[2], 29, 1e-9) << "the lowest point of the cube";
  EXPECT_NEAR(ground.point_b[2], 29.5, 1e-9) << "the ground below it";
}

/// The depth of placed vertices in a half-space or plane, with a hundred digits.
Real flat_depth(const std::vector<Triangle>& all, const Vector3& normal, double offset, const Pose& pose, bool plane) {
  const test::Vec<Real> m = test::exactly<Real>(place_direction(pose, normal)),
                        t = test::exactly<Real>(pose.translation());
  const Real length = test::length(m);
  Real below = -Real(1e100), above = -Real(1e100);
  for (const Triangle& triangle : all) {
    for (const Vector3& v : {triangle.a, triangle.b, triangle.c}) {
      const Real height = (test::dot(m, test::exactly<Real>(v) - t) - Real(offset)) / length;
      below = std::max<Real>(below, -height);
      above = std::max<Real>(above, height);
    }
  }
  if (below <= 0 || (plane && above <= 0)) return Real(0);
  return plane ? std::min(below, above) : below;
}

void expect_flat_depth(Random random, bool far_out) {
  std::size_t deep_count = 0;
  for (std::size_t i = 0; i < cases(300); ++i) {
    const std::size_t k = i % models().size();
    if (!is_closed_model(k)) continue;
    const Mesh mesh = Mesh(models()[k]).solid();
    const Shape shape = mesh;
    Pose pose = random_pose(random, 0.5);
    if (far_out) pose.set_translation(pose.translation() + Vector3(1e6, -3e6, 0));
    const bool level = far_out || i % 2 == 0;
    const Vector3 normal = !level ? test::scenes::unit_vector(random) : Vector3(0, 0, uniform(random, 0.5, 2));
    const double offset = uniform(random, -0.5, 0.5);
    const Pose ground_pose = level ? Pose() : random_pose(random, 0.3);
    const std::vector<Triangle> placed = placed_triangles(mesh, pose);
    const double size = 4 + pose.translation().cwiseAbs().maxCoeff();
    for (const bool plane : {false, true}) {
      const Shape ground = plane ? Shape(Plane{normal, offset}) : Shape(HalfSpace{normal, offset});
      const Real truth = flat_depth(placed, normal, offset, ground_pose, plane);
      const Depth found = depth({shape, pose}, {ground, ground_pose});
      ASSERT_LE(Real(found.lower), truth) << i << (plane ? ", plane" : ", half-space") << ": too deep by "
                                          << double(Real(found.lower) - truth) << " of " << double(truth) << "\n"
                                          << show(pose);
      ASSERT_GE(Real(found.upper), truth) << i << (plane ? ", plane" : ", half-space") << ": too shallow by "
                                          << double(truth - Real(found.upper)) << "\n"
                                          << show(pose);
      ASSERT_LE(found.upper - found.lower, 1e-13 * size) << i;
      if (truth > 0) {
        ++deep_count;
        const Vector3 m = place_direction(ground_pose, normal).normalized();
        ASSERT_NEAR(std::abs(found.normal.dot(m)), 1, 1e-12);
        if (!plane) {
          ASSERT_NEAR(found.normal.dot(m), -1, 1e-12) << "the ground leaves the mesh downward";
        }
      }
      const Depth back = depth({ground, ground_pose}, {shape, pose});
      ASSERT_EQ(back.upper, found.upper);
      ASSERT_EQ(back.normal, -found.normal);
    }
  }
  EXPECT_GT(deep_count, cases(300) / 4);
}

TEST(MeshDepth, InAHalfSpaceOrPlaneIsExactUpToRounding) {
  expect_flat_depth(seeded(152), false);
}

TEST(MeshDepth, InAHalfSpaceOrPlaneFarOutAlongTheGroundIsExactUpToRounding) {
  expect_flat_depth(seeded(153), true);  // the heights are small, the coordinates are not
}

// --- costs -------------------------------------------------------------------------------------------------------

TEST(MeshCost, IsAddedToAndFarBelowBruteForce) {
  const Mesh ball(make::icosphere({.subdivisions = 4}));
  const Shape shape = ball;
  Cost cost{.volume_tests = 1000, .primitive_tests = 2000};
  EXPECT_FALSE(touches(shape, {shape, Pose(Vector3(2.01, 0, 0))}, &cost));
  EXPECT_GT(cost.volume_tests, 1000u);
  EXPECT_LT(cost.volume_tests, 1000u + 20000u);
  const Distance found = distance(shape, {shape, Pose(Vector3(2.5, 0.3, 0.1))});
  EXPECT_LT(found.cost.primitive_tests, ball.triangle_count() * ball.triangle_count() / 1000);
}

}  // namespace
}  // namespace whisker
