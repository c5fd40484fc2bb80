// Height fields against simple shapes, meshes and each other: every result is compared with brute force over the placed
// triangles.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "convex/pair_memory.hpp"
#include "geometry/constants.hpp"
#include "support/random_shapes.hpp"

namespace {

std::atomic<std::size_t> allocations = 0;

}  // namespace

// GCC reports the pair of malloc and free as a mismatch once one of them is inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
// std::stable_sort allocates with this one and releases with the delete below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
#pragma GCC diagnostic pop

namespace whisker {
namespace {

using test::cases;
using test::random_pose;
using test::seeded;
using test::uniform;
using Random = std::mt19937_64;

// --- fields, meshes, poses -----------------------------------------------------------------------------------------

enum class Ground { rough, smooth, flat, steps, cell };
constexpr std::size_t ground_count = 5;

/// About 2 by 2 in size, with an arbitrary center.
HeightField make_field(Random& random, Ground ground) {
  const auto side = [&] { return static_cast<std::size_t>(test::whole(random, 2, 14)); };
  std::size_t columns = side(), rows = side();
  if (ground == Ground::cell) columns = rows = 2;
  const double dx = 2.0 / static_cast<double>(columns - 1), dy = 2.0 / static_cast<double>(rows - 1);
  std::vector<double> heights;
  for (std::size_t j = 0; j < rows; ++j) {
    for (std::size_t i = 0; i < columns; ++i) {
      const double x = static_cast<double>(i) * dx, y = static_cast<double>(j) * dy;
      switch (ground) {
        case Ground::smooth:
          heights.push_back(0.3 * x * (1 - x / 2) + 0.2 * y * y);
          break;
        case Ground::flat:
          heights.push_back(0.25);
          break;
        case Ground::steps:
          heights.push_back(0.25 * test::whole(random, 0, 2));
          break;
        default:
          heights.push_back(uniform(random, -0.4, 0.4));
      }
    }
  }
  return HeightField(heights, columns, rows, dx, dy);
}

HeightField make_field(Random& random, std::size_t i) {
  return make_field(random, static_cast<Ground>(i % ground_count));
}

MeshData unit(MeshData data) {
  Aabb box;
  for (const Vector3& v : data.vertices)
    box.include(v);
  const double by = 1 / (box.upper - box.lower).maxCoeff();
  for (Vector3& v : data.vertices)
    v *= by;
  return data;
}

const std::vector<MeshData>& models() {
  static const std::vector<MeshData> all = {
      unit(make::gear({.teeth = 8, .flank_points = 2})), unit(make::torus({.around = 12, .across = 7})),
      unit(make::icosphere({.subdivisions = 1})),        unit(make::box({.subdivisions = 2})),
      unit(make::random_hull({.points = 24})),           unit(make::chair()),
  };
  return all;
}

/// Approximately the middle of a field at `pose`.
Vector3 middle_of(const HeightField& field, const Pose& pose) {
  const Aabb box = field.bounds();
  return place(pose, box.lower / 2 + box.upper / 2);
}

Shape shape_of(const test::SimpleShape& simple) {
  return std::visit([](const auto& s) { return Shape(s); }, simple);
}

// --- brute force ---------------------------------------------------------------------------------------------------

template <class Surface>
std::vector<Triangle> placed_triangles(const Surface& surface, const Pose& pose) {
  std::vector<Triangle> all;
  for (std::size_t i = 0; i < surface.triangle_count(); ++i) {
    const Triangle t = surface.triangle(i);
    all.push_back({place(pose, t.a), place(pose, t.b), place(pose, t.c)});
  }
  return all;
}

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Pairs touching_pairs(const std::vector<Triangle>& a, const std::vector<Triangle>& b) {
  Pairs pairs;
  for (std::uint32_t i = 0; i < a.size(); ++i)
    for (std::uint32_t j = 0; j < b.size(); ++j)
      if (touches_triangle_triangle(a[i], b[j])) pairs.insert({i, j});
  return pairs;
}

Pairs touching_pairs(const std::vector<Triangle>& a, const Placed& b) {
  Pairs pairs;
  for (std::uint32_t i = 0; i < a.size(); ++i)
    if (touches(Shape(a[i]), b)) pairs.insert({i, 0});
  return pairs;
}

struct Bounds {
  double lower = infinity;
  double upper = infinity;
};

Aabb box_of(const Triangle& t) {
  Aabb box;
  box.include(t.a);
  box.include(t.b);
  box.include(t.c);
  return box;
}

/// The smallest of the certified distances of all pairs. Pairs whose boxes are clearly farther apart are skipped.
Bounds surface_distance(const std::vector<Triangle>& a, const std::vector<Triangle>& b) {
  Bounds best;
  for (const Triangle& s : a) {
    for (const Triangle& t : b) {
      const Aabb p = box_of(s), q = box_of(t);
      const double gap = (p.lower - q.upper).cwiseMax(q.lower - p.upper).cwiseMax(0.0).stableNorm();
      if (gap * (1 - 1e-9) > best.upper) continue;
      const Distance found = distance(Shape(s), Shape(t));
      best.lower = std::min(best.lower, found.lower);
      best.upper = std::min(best.upper, found.upper);
    }
  }
  return best;
}

Bounds surface_distance(const std::vector<Triangle>& a, const Placed& b) {
  Bounds best;
  for (const Triangle& t : a) {
    const Distance found = distance(Shape(t), b);
    best.lower = std::min(best.lower, found.lower);
    best.upper = std::min(best.upper, found.upper);
  }
  return best;
}

Pairs pairs_of(const Contacts& found) {
  Pairs pairs;
  for (const Contact& contact : found.pairs)
    pairs.insert({contact.a.id, contact.b.id});
  return pairs;
}

std::string show(const Pose& pose) {
  std::ostringstream out;
  out.precision(17);
  out << "rotation\n" << pose.rotation() << "\ntranslation " << pose.translation().transpose() << "\n";
  return out.str();
}

/// Checks all queries of a field and another shape against the pairs of triangles that touch.
void expect_contacts(const Placed& a, const Placed& b, const Pairs& truth) {
  ASSERT_EQ(touches(a, b), !truth.empty());
  ASSERT_EQ(touches(b, a), !truth.empty());
  const Contacts found = contacts(a, b);
  ASSERT_EQ(found.pairs.size(), truth.size());
  ASSERT_EQ(pairs_of(found), truth);
  ASSERT_EQ(found.stop, Stop::exact);
  for (const Contact& contact : found.pairs)
    ASSERT_EQ(contact.a.kind, FeatureKind::triangle);
  const Contacts back = contacts(b, a);
  ASSERT_EQ(back.pairs.size(), truth.size());
  for (const Contact& contact : back.pairs)
    ASSERT_TRUE(truth.count({contact.b.id, contact.a.id}));
  if (truth.size() > 1) {
    const Contacts some = contacts(a, b, {.max_count = truth.size() / 2, .segments = false});
    ASSERT_EQ(some.pairs.size(), truth.size() / 2);
    ASSERT_EQ(some.stop, Stop::count);
  }
}

/// Checks the distance against the smallest one of all pairs, with all options.
void expect_distance(const Placed& a, const Placed& b, const Bounds& truth, double rounding) {
  const Distance found = distance(a, b);
  ASSERT_LE(found.lower, truth.upper);
  ASSERT_GE(found.upper, truth.lower);
  ASSERT_LE(found.upper, truth.upper * (1 + 1e-14) + rounding);
  ASSERT_LE(found.upper - found.lower, rounding);
  ASSERT_EQ(found.stop, Stop::exact);
  ASSERT_NEAR((found.point_a - found.point_b).norm(), found.upper, rounding);
  if (found.upper == 0) {
    ASSERT_TRUE(touches(a, b));
  }
  if (found.lower > 0) {
    ASSERT_FALSE(touches(a, b));
  }
  const Distance back = distance(b, a);
  ASSERT_LE(back.lower, truth.upper);
  ASSERT_GE(back.upper, truth.lower);
  for (const double tolerance : {1e-6, 1e-2, 0.3, infinity}) {
    const Distance rough = distance(a, b, {.tolerance = tolerance});
    ASSERT_LE(rough.lower, truth.upper) << tolerance;
    ASSERT_GE(rough.upper, truth.lower) << tolerance;
    ASSERT_LE(rough.upper - rough.lower, tolerance + rounding) << tolerance;
    ASSERT_TRUE(std::isfinite(rough.upper));
  }
  for (const std::uint64_t budget : {0u, 1u, 5u, 20u, 100u}) {
    const Distance short_of = distance(a, b, {.budget = budget});
    ASSERT_LE(short_of.lower, truth.upper) << budget;
    ASSERT_GE(short_of.upper, truth.lower) << budget;
    ASSERT_TRUE(std::isfinite(short_of.upper));
    ASSERT_LE(short_of.cost.volume_tests + short_of.cost.primitive_tests, budget + 20);
    if (short_of.stop == Stop::exact) {
      ASSERT_LE(short_of.upper - short_of.lower, rounding);
    }
  }
  for (const double part : {0.0, 0.5, 0.999, 1.001, 2.0}) {
    const double bound = truth.upper * part;
    const Distance bounded = distance(a, b, {.upper_bound = bound});
    ASSERT_LE(bounded.lower, truth.upper) << part;
    ASSERT_GE(bounded.upper, truth.lower) << part;
    if (truth.lower > bound + rounding) {
      ASSERT_GT(bounded.lower, bound) << part;
      ASSERT_EQ(bounded.upper, infinity);
    } else if (truth.upper < bound - rounding) {
      ASSERT_LE(bounded.upper - bounded.lower, rounding) << part;
    }
    const Distance near = distance(a, b, {.close_enough = bound});
    ASSERT_LE(near.lower, truth.upper) << part;
    ASSERT_GE(near.upper, truth.lower) << part;
    if (truth.upper <= bound) {
      ASSERT_LE(near.upper, bound) << part;
    }
    if (std::abs(truth.upper - bound) > rounding) {
      ASSERT_EQ(closer_than(a, b, bound), truth.upper <= bound) << part;
    }
  }
}

// --- against simple shapes -----------------------------------------------------------------------------------------

TEST(HeightFieldSimple, ContactsLikeBruteForce) {
  auto random = seeded(601);
  std::size_t hits = 0;
  const std::size_t count = cases(1400);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kind = i % test::simple_shape_count;
    const HeightField field = make_field(random, i / test::simple_shape_count);
    const Shape a = field, b = shape_of(test::scenes::random_shape(random, kind));
    const Pose pose_a = random_pose(random, i % 11 == 0 ? 1e6 : 1);
    const Pose pose_b(test::scenes::any_rotation(random), middle_of(field, pose_a) + test::random_vector(random, 1.4));
    const std::vector<Triangle> placed = placed_triangles(field, pose_a);
    const Pairs truth = touching_pairs(placed, Placed(b, pose_b));
    ASSERT_NO_FATAL_FAILURE(expect_contacts({a, pose_a}, {b, pose_b}, truth)) << i << " " << name(b.kind());
    hits += truth.empty() ? 0u : 1u;
  }
  EXPECT_GT(hits, count / 8);
  EXPECT_LT(hits, count - count / 8);
}

TEST(HeightFieldSimple, ContactsLikeBruteForceOnGridAlignedShapes) {
  auto random = seeded(602);
  const std::vector<double> heights(5 * 4, 1.0);
  for (std::size_t i = 0; i < cases(700); ++i) {
    std::vector<double> levels = heights;
    if (i % 2 == 1) {
      for (double& level : levels)
        level = test::whole(random, 0, 2);
    }
    const HeightField field(levels, 5, 4, 1, 1);
    const Shape a = field, b = shape_of(test::scenes::integer_shape(random, i % test::simple_shape_count));
    const Pose pose_a(test::scenes::axis_rotation(random), test::scenes::integer_vector(random, 2));
    const Pose pose_b(test::scenes::axis_rotation(random), test::scenes::integer_vector(random, 3));
    const Pairs truth = touching_pairs(placed_triangles(field, pose_a), Placed(b, pose_b));
    ASSERT_NO_FATAL_FAILURE(expect_contacts({a, pose_a}, {b, pose_b}, truth)) << i << " " << name(b.kind());
  }
}

TEST(HeightFieldSimple, DistanceIsTheLeastOfAllTriangles) {
  auto random = seeded(603);
  for (std::size_t i = 0; i < cases(280); ++i) {
    const std::size_t kind = i % test::simple_shape_count;
    const HeightField field = make_field(random, i / test::simple_shape_count);
    const Shape a = field, b = shape_of(test::scenes::random_shape(random, kind));
    const bool far = i % 11 == 0;
    const Pose pose_a = random_pose(random, far ? 1e6 : 1);
    const Pose pose_b(test::scenes::any_rotation(random),
                      middle_of(field, pose_a) + test::random_vector(random, i % 5 == 0 ? 20 : 3));
    const Bounds truth = surface_distance(placed_triangles(field, pose_a), Placed(b, pose_b));
    ASSERT_NO_FATAL_FAILURE(expect_distance({a, pose_a}, {b, pose_b}, truth, far ? 1e-8 : 1e-12))
        << i << " " << name(b.kind());
  }
}

TEST(HeightFieldSimple, DistanceNamesTheTriangleThatItIsOn) {
  auto random = seeded(604);
  for (std::size_t i = 0; i < cases(100); ++i) {
    const HeightField field = make_field(random, i);
    const Shape a = field, b = Sphere{0.1};
    const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 3);
    const Distance found = distance({a, pose_a}, {b, pose_b});
    ASSERT_EQ(found.feature_a.kind, FeatureKind::triangle);
    ASSERT_EQ(found.feature_b, Feature{});
    const Triangle t = field.triangle(found.feature_a.id);
    const Distance alone = distance({Shape(t), pose_a}, {b, pose_b});
    ASSERT_EQ(alone.upper, found.upper);
    ASSERT_EQ(distance({b, pose_b}, {a, pose_a}).feature_b, found.feature_a);
  }
}

TEST(HeightFieldSimple, SloppyRotationsMissNothing) {
  auto random = seeded(605);
  for (std::size_t i = 0; i < cases(280); ++i) {
    const HeightField field = make_field(random, i % 4 == 0 ? Ground::flat : Ground::rough);
    const Shape a = field, b = shape_of(test::scenes::random_shape(random, i % test::simple_shape_count));
    Pose pose_a = random_pose(random, 1);
    const Matrix3 rotation = test::scenes::sloppy(random, pose_a.rotation());
    // If the rotation was already inexact, this may be too much for a pose.
    if ((rotation.transpose() * rotation - Matrix3::Identity()).cwiseAbs().maxCoeff() > Pose::rotation_tolerance)
      continue;
    pose_a.set_rotation(rotation);
    const std::vector<Triangle> placed = placed_triangles(field, pose_a);
    // Every second direction is straight up, where a box around the shape touches the field's box as soon as the shape
    // does.
    const Vector3 direction = i % 2 == 0 ? Vector3(pose_a.rotation().col(2)) : test::scenes::unit_vector(random);
    const Matrix3 turn = test::scenes::any_rotation(random);
    // Poses around the height at which the shape just leaves the field. Boxes in a frame that is off by 1e-9 might miss
    // the contact.
    const auto pose_at = [&](double s) { return Pose(turn, middle_of(field, pose_a) + s * direction); };
    double inside = 0, outside = 8;
    if (touching_pairs(placed, Placed(b, pose_at(inside))).empty()) continue;
    if (!touching_pairs(placed, Placed(b, pose_at(outside))).empty()) continue;
    for (int step = 0; step < 40; ++step) {
      const double middle = (inside + outside) / 2;
      const bool truth = !touching_pairs(placed, Placed(b, pose_at(middle))).empty();
      ASSERT_EQ(touches({a, pose_a}, {b, pose_at(middle)}), truth) << i << " " << name(b.kind());
      (truth ? inside : outside) = middle;
    }
  }
}

TEST(HeightFieldSimple, ASphereKeepsItsRadiusInARotationThatShrinks) {
  Pose shrinking;
  shrinking.set_rotation(shrinking.rotation() * (1 - 4e-10));
  const Shape level = HeightField(std::vector<double>(9, 0.0), 3, 3, 2, 2), ball = Sphere{1};
  EXPECT_TRUE(touches({level, shrinking}, {ball, Pose(Vector3(2, 2, 1 - 1e-10))}));
  EXPECT_TRUE(touches({level, shrinking}, {ball, Pose(Vector3(2, 2, 1))}));
  EXPECT_FALSE(touches({level, shrinking}, {ball, Pose(Vector3(2, 2, 1 + 1e-10))}));
}

// --- against meshes and fields -------------------------------------------------------------------------------------

TEST(HeightFieldMesh, ContactsLikeBruteForce) {
  auto random = seeded(611);
  std::size_t hits = 0;
  const std::size_t count = cases(300);
  for (std::size_t i = 0; i < count; ++i) {
    const HeightField field = make_field(random, i);
    const Mesh mesh(models()[i % models().size()]);
    const Shape a = field, b = mesh;
    const Pose pose_a = random_pose(random, i % 7 == 0 ? 1e6 : 1);
    const Pose pose_b(test::scenes::any_rotation(random), middle_of(field, pose_a) + test::random_vector(random, 1.2));
    const Pairs truth = touching_pairs(placed_triangles(field, pose_a), placed_triangles(mesh, pose_b));
    ASSERT_NO_FATAL_FAILURE(expect_contacts({a, pose_a}, {b, pose_b}, truth)) << i << show(pose_a) << show(pose_b);
    hits += truth.empty() ? 0u : 1u;
  }
  EXPECT_GT(hits, count / 8);
  EXPECT_LT(hits, count - count / 8);
}

TEST(HeightFieldMesh, ContactSegmentsLieOnBothTriangles) {
  auto random = seeded(612);
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < cases(40); ++i) {
    const HeightField field = make_field(random, Ground::rough);
    const Mesh mesh(models()[i % models().size()]);
    const Shape a = field, b = mesh;
    const Pose pose_a = random_pose(random, 1);
    const Pose pose_b(test::scenes::any_rotation(random), middle_of(field, pose_a));
    const std::vector<Triangle> field_triangles = placed_triangles(field, pose_a),
                                mesh_triangles = placed_triangles(mesh, pose_b);
    for (const Contact& contact : contacts({a, pose_a}, {b, pose_b}).pairs) {
      for (const Vector3& end : {contact.segment.a, contact.segment.b}) {
        const Shape point = Sphere{0};
        ASSERT_LE(distance(Shape(field_triangles[contact.a.id]), {point, Pose(end)}).upper, 1e-14);
        ASSERT_LE(distance(Shape(mesh_triangles[contact.b.id]), {point, Pose(end)}).upper, 1e-14);
        ++looked_at;
      }
    }
  }
  EXPECT_GT(looked_at, 100u);
}

TEST(HeightFieldMesh, DistanceIsTheLeastOfAllPairs) {
  auto random = seeded(613);
  for (std::size_t i = 0; i < cases(40); ++i) {
    const HeightField field = make_field(random, i);
    const Mesh mesh(models()[i % models().size()]);
    const Shape a = field, b = mesh;
    const bool far = i % 7 == 0;
    const Pose pose_a = random_pose(random, far ? 1e6 : 1);
    const Pose pose_b(test::scenes::any_rotation(random),
                      middle_of(field, pose_a) + test::random_vector(random, i % 5 == 0 ? 20 : 2));
    const Bounds truth = surface_distance(placed_triangles(field, pose_a), placed_triangles(mesh, pose_b));
    ASSERT_NO_FATAL_FAILURE(expect_distance({a, pose_a}, {b, pose_b}, truth, far ? 1e-8 : 1e-12)) << i;
  }
}

TEST(HeightFieldField, ContactsAndDistanceLikeBruteForce) {
  auto random = seeded(614);
  std::size_t hits = 0;
  const std::size_t count = cases(60);
  for (std::size_t i = 0; i < count; ++i) {
    const HeightField a = make_field(random, i), b = make_field(random, i / ground_count);
    const Shape shape_a = a, shape_b = b;
    const bool far = i % 7 == 0;
    const Pose pose_a = random_pose(random, far ? 1e6 : 1);
    Pose pose_b(test::scenes::any_rotation(random), pose_a.translation() + test::random_vector(random, 1.5));
    if (i % 3 == 0) pose_b = Pose(pose_a.rotation(), pose_a.translation() + 0.7 * pose_a.rotation().col(2));
    const std::vector<Triangle> placed_a = placed_triangles(a, pose_a), placed_b = placed_triangles(b, pose_b);
    const Pairs truth = touching_pairs(placed_a, placed_b);
    ASSERT_NO_FATAL_FAILURE(expect_contacts({shape_a, pose_a}, {shape_b, pose_b}, truth)) << i;
    ASSERT_NO_FATAL_FAILURE(
        expect_distance({shape_a, pose_a}, {shape_b, pose_b}, surface_distance(placed_a, placed_b), far ? 1e-8 : 1e-12))
        << i;
    hits += truth.empty() ? 0u : 1u;
  }
  EXPECT_GT(hits, count / 8);
  EXPECT_LT(hits, count - count / 8);
}

TEST(HeightFieldField, CoplanarGridsTouchInEveryPairThatSharesAPoint) {
  auto random = seeded(615);
  const HeightField a(std::vector<double>(20, 2.0), 5, 4, 1, 1), b(std::vector<double>(9, -1.0), 3, 3, 1, 0.5);
  const Shape shape_a = a, shape_b = b;
  for (std::size_t i = 0; i < cases(60); ++i) {
    const Pose frame(test::scenes::axis_rotation(random), test::scenes::integer_vector(random, 3));
    const Vector3 shift(test::whole(random, -6, 6), test::whole(random, -6, 6) / 2.0, 3);
    const Pose pose_b = compose(frame, Pose(shift));
    const Pairs truth = touching_pairs(placed_triangles(a, frame), placed_triangles(b, pose_b));
    ASSERT_NO_FATAL_FAILURE(expect_contacts({shape_a, frame}, {shape_b, pose_b}, truth)) << i;
    Pose above = pose_b;
    above.set_translation(above.translation() + 0x1p-50 * frame.rotation().col(2));
    const Pairs none = touching_pairs(placed_triangles(a, frame), placed_triangles(b, above));
    ASSERT_NO_FATAL_FAILURE(expect_contacts({shape_a, frame}, {shape_b, above}, none)) << i;
  }
}

TEST(HeightFieldMesh, LikeBruteForceToTheLastBitOfContact) {
  auto random = seeded(616);
  std::size_t bisected = 0;
  for (std::size_t i = 0; i < cases(32); ++i) {
    const HeightField field = make_field(random, i % 4 == 1 ? Ground::flat : static_cast<Ground>(i % ground_count));
    const Mesh mesh(models()[i % 4 == 1 ? 3 : i % models().size()]);
    const HeightField other = make_field(random, i % 4 == 1 ? Ground::flat : Ground::rough);
    const Shape a = field, b = i % 3 == 0 ? Shape(other) : Shape(mesh);
    // Axis-aligned, random, or with a face flush with a level field in a rotation that rounds.
    const bool aligned = i % 2 == 0, flush = i % 4 == 1;
    const Matrix3 turn_a = aligned ? test::scenes::axis_rotation(random) : test::scenes::any_rotation(random);
    const Matrix3 turn_b = flush     ? turn_a
                           : aligned ? test::scenes::axis_rotation(random)
                                     : test::scenes::any_rotation(random);
    const Pose pose_a(turn_a, i % 4 == 1 ? Vector3(1e3, -2e3, 5e2) : Vector3(0, 0, 0));
    const Vector3 direction = aligned || flush ? Vector3(turn_a.col(2)) : test::scenes::unit_vector(random);
    const Vector3 from = middle_of(field, pose_a);
    const std::vector<Triangle> placed_a = placed_triangles(field, pose_a);
    const auto pose_at = [&](double s) { return Pose(turn_b, from + s * direction); };
    const auto brute = [&](double s) {
      const std::vector<Triangle> placed_b =
          i % 3 == 0 ? placed_triangles(other, pose_at(s)) : placed_triangles(mesh, pose_at(s));
      for (const Triangle& t : placed_a)
        for (const Triangle& u : placed_b)
          if (box_of(t).overlaps(box_of(u)) && touches_triangle_triangle(t, u)) return true;
      return false;
    };
    double inside = -1, outside = 6;
    for (double s = 0; s < 1.5 && inside < 0; s += 0.05)
      if (brute(s)) inside = s;
    if (inside < 0) continue;
    ++bisected;
    ASSERT_FALSE(brute(outside));
    while (true) {
      const double middle = inside + (outside - inside) / 2;
      if (middle <= inside || middle >= outside) break;
      const bool truth = brute(middle);
      ASSERT_EQ(touches({a, pose_a}, {b, pose_at(middle)}), truth) << i << " at " << middle;
      const Distance apart = distance({a, pose_a}, {b, pose_at(middle)});
      if (truth) {
        ASSERT_EQ(apart.lower, 0) << i << " at " << middle;
        ASSERT_EQ(apart.upper, 0) << i << " at " << middle;
      } else {
        ASSERT_GT(apart.upper, 0) << i << " at " << middle;
      }
      (truth ? inside : outside) = middle;
    }
    for (int k = 0; k < 4; ++k) {
      for (const double s : {inside, outside})
        ASSERT_EQ(touches({a, pose_a}, {b, pose_at(s)}), brute(s)) << i << " at " << s;
      inside = std::nextafter(inside, -infinity);
      outside = std::nextafter(outside, infinity);
    }
  }
  EXPECT_GT(bisected, cases(32) / 2);
}

TEST(HeightFieldMesh, ASolidHoldsAFieldThatDoesNotTouchItsSurface) {
  auto random = seeded(617);
  const Mesh box(make::box({.size_x = 8, .size_y = 8, .size_z = 8, .subdivisions = 2}));
  const Shape surface = box, solid = box.solid();
  for (std::size_t i = 0; i < cases(40); ++i) {
    const HeightField field = make_field(random, i);
    const Shape a = field;
    const Pose pose = random_pose(random, 0.5), frame = random_pose(random, 5);
    const Pose placed = compose(frame, pose);
    EXPECT_FALSE(touches({a, placed}, {surface, frame}));
    EXPECT_GT(distance({a, placed}, {surface, frame}).lower, 0);
    EXPECT_TRUE(contacts({a, placed}, {surface, frame}).pairs.empty());
    EXPECT_TRUE(touches({a, placed}, {solid, frame}));
    EXPECT_TRUE(touches({solid, frame}, {a, placed}));
    for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{3}, std::numeric_limits<std::uint64_t>::max()})
      EXPECT_EQ(distance({a, placed}, {solid, frame}, {.upper_bound = 0.1, .budget = budget}).upper, 0);
    const Contacts found = contacts({a, placed}, {solid, frame});
    ASSERT_EQ(found.pairs.size(), 1u);
    EXPECT_EQ(found.pairs[0].a, Feature{});
    EXPECT_EQ(found.pairs[0].b, Feature{});
    EXPECT_EQ(contacts({a, placed}, {solid, frame}, {.max_count = 0}).stop, Stop::count);
    // A field whose box contains the solid, with the solid above the surface: apart.
    const Pose below = compose(frame, Pose(Vector3(-1, -1, -9)));
    EXPECT_FALSE(touches({a, below}, {solid, frame}));
  }
}

TEST(HeightField, AtAnyScaleLikeBruteForce) {
  auto random = seeded(618);
  for (std::size_t i = 0; i < cases(80); ++i) {
    const double scale = std::vector<double>{1e-60, 1e60, 1e-88, 1e89}[i % 4];
    const HeightField small = make_field(random, i / 4);
    std::vector<double> heights;
    for (std::size_t j = 0; j < small.rows(); ++j)
      for (std::size_t k = 0; k < small.columns(); ++k)
        heights.push_back(small.height(k, j) * scale);
    const HeightField field(heights, small.columns(), small.rows(), small.spacing_x() * scale,
                            small.spacing_y() * scale);
    MeshData data = models()[i % models().size()];
    for (Vector3& v : data.vertices)
      v *= scale;
    const Mesh mesh(data);
    const Shape a = field, b = mesh;
    Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 1);
    pose_a.set_translation(pose_a.translation() * scale);
    pose_b.set_translation(middle_of(field, pose_a) + pose_b.translation() * scale);
    const Pairs truth = touching_pairs(placed_triangles(field, pose_a), placed_triangles(mesh, pose_b));
    ASSERT_NO_FATAL_FAILURE(expect_contacts({a, pose_a}, {b, pose_b}, truth)) << scale;
    const Distance found = distance({a, pose_a}, {b, pose_b});
    ASSERT_EQ(found.upper == 0, !truth.empty()) << scale;
  }
}

TEST(HeightField, ACacheOfAnotherPairChangesNoAnswer) {
  auto random = seeded(619);
  PairCache cache;
  for (std::size_t i = 0; i < cases(400); ++i) {
    const HeightField field = make_field(random, i);
    const HeightField small = make_field(random, Ground::rough);
    const std::vector<Shape> others = {Sphere{0.4}, Mesh(models()[i % models().size()]), small,
                                       Plane{Vector3(0.1, 0.2, 1), 0.1}};
    const Shape a = field;
    const Shape& b = others[i % others.size()];
    const Pose pose_a = random_pose(random, 1), pose_b = random_pose(random, 1);
    if (i % 3 == 0) memory_of(cache).touching_a = static_cast<std::uint32_t>(random() % 40);
    if (i % 5 == 0) memory_of(cache).closest_b = static_cast<std::uint32_t>(random() % 40);
    ASSERT_EQ(touches({a, pose_a}, {b, pose_b}, {.cache = &cache}), touches({a, pose_a}, {b, pose_b})) << i;
    const Distance with = distance({a, pose_a}, {b, pose_b}, {.cache = &cache});
    const Distance without = distance({a, pose_a}, {b, pose_b});
    ASSERT_EQ(with.lower, without.lower) << i;
    ASSERT_EQ(with.upper, without.upper) << i;
    ASSERT_EQ(touches({b, pose_b}, {a, pose_a}, {.cache = &cache}), touches({a, pose_a}, {b, pose_b})) << i;
  }
}

TEST(HeightField, AQueryLooksAtAFewBlocksOfALargeField) {
  auto random = seeded(620);
  const std::size_t n = 513;
  std::vector<double> heights(n * n);
  for (double& h : heights)
    h = uniform(random, 0, 0.5);
  const Shape field = HeightField(heights, n, n, 1, 1), mesh = Mesh(models()[0]);
  for (const Matrix3& turn : {Matrix3(Matrix3::Identity()), test::scenes::any_rotation(random)}) {
    const Pose pose(turn, Vector3(3, 4, 5));
    for (std::size_t i = 0; i < cases(40); ++i) {
      const Vector3 over(uniform(random, 10, 500), uniform(random, 10, 500), uniform(random, -2, 3));
      const Pose there(test::scenes::any_rotation(random), place(pose, over));
      for (const Shape& other : {Shape(Sphere{0.5}), Shape(Box{{1, 2, 1}}), mesh}) {
        Cost cost;
        touches({field, pose}, {other, there}, &cost);
        EXPECT_LT(cost.volume_tests + cost.primitive_tests, 6000u);
        const Distance found = distance({field, pose}, {other, there});
        EXPECT_LT(found.cost.volume_tests + found.cost.primitive_tests, 20000u);
      }
    }
    // The top of the pyramid rules out a plane far below.
    Cost cost;
    const Shape plane = Plane{Vector3(turn * Vector3(0.001, 0, 1)), -1000};
    EXPECT_FALSE(touches({field, pose}, plane, &cost));
    EXPECT_LT(cost.volume_tests, 10u);
  }
}

TEST(HeightField, QueriesAllocateNothing) {
  auto random = seeded(621);
  const HeightField field = make_field(random, Ground::rough);
  const Shape a = field, mesh = Mesh(models()[1]).solid(), other = make_field(random, Ground::rough);
  std::vector<Shape> others = {mesh, other};
  for (std::size_t kind = 0; kind < test::simple_shape_count; ++kind)
    others.push_back(shape_of(test::scenes::random_shape(random, kind)));
  Contacts found;
  std::size_t counted = 0;
  for (int round = 0; round < 2; ++round) {
    auto poses = seeded(622);
    const std::size_t before = allocations;
    for (int i = 0; i < 20; ++i) {
      for (const Shape& b : others) {
        const Pose pose = random_pose(poses, 1.5);
        touches({a, pose}, b);
        distance({a, pose}, b);
        contacts({a, pose}, b, {}, found);
      }
    }
    counted = allocations - before;
  }
  EXPECT_EQ(counted, 0u);
}

// --- depth ---------------------------------------------------------------------------------------------------------

/// Whether a point is in the ground under a placed field.
bool in_ground(const HeightField& field, const Pose& pose, const Vector3& point) {
  return ray_height_field({point, pose.rotation().col(2)}, field, pose).has_value();
}

/// The walls below the border of a placed field, 20 deep.
std::vector<Triangle> walls_of(const HeightField& field, const Pose& pose) {
  std::vector<Triangle> walls;
  const Vector3 down = -20 * pose.rotation().col(2);
  const auto add = [&](const Vector3& p, const Vector3& q) {
    const Vector3 a = place(pose, p), b = place(pose, q);
    walls.push_back({a, b, a + down});
    walls.push_back({b, a + down, b + down});
  };
  for (const std::size_t j : {std::size_t{0}, field.rows() - 1})
    for (std::size_t i = 0; i + 1 < field.columns(); ++i)
      add(field.vertex(i, j), field.vertex(i + 1, j));
  for (const std::size_t i : {std::size_t{0}, field.columns() - 1})
    for (std::size_t j = 0; j + 1 < field.rows(); ++j)
      add(field.vertex(i, j), field.vertex(i, j + 1));
  return walls;
}

TEST(GroundDepth, OfShapesInFlatGround) {
  auto random = seeded(631);
  const HeightField field(std::vector<double>(9 * 9, 0.0), 9, 9, 1, 1);
  const Shape ground = whisker::ground(field);
  for (std::size_t i = 0; i < cases(60); ++i) {
    const Pose frame = i % 2 == 0 ? Pose() : random_pose(random, 5);
    const double sunk = uniform(random, 0.05, 0.9);
    // The lowest point of each shape is 0.5 below its center, and the shape is far from the walls.
    const Pose pose = compose(frame, Pose(Vector3(uniform(random, 3.5, 4.5), uniform(random, 3.5, 4.5), 0.5 - sunk)));
    const Shape cube = Mesh(make::box()).solid();
    for (const Shape& shape : {Shape(Sphere{0.5}), Shape(Box{{1, 1, 1}}), Shape(Capsule{0.2, 0.6}), cube,
                               Shape(Segment{{0, 0, -0.5}, {0, 0, 0.5}}),
                               Shape(Triangle{{-0.2, 0, -0.5}, {0.3, 0, 0.5}, {0.2, 0.1, 0.2}})}) {
      const Depth found = depth({ground, frame}, {shape, pose});
      ASSERT_LE(found.lower, sunk * (1 + 1e-12)) << name(shape.kind());
      ASSERT_GE(found.upper, sunk * (1 - 1e-12)) << name(shape.kind());
      ASSERT_NEAR(found.lower, sunk, 1e-9) << name(shape.kind());
      ASSERT_NEAR(found.upper, sunk, 1e-9) << name(shape.kind());
      ASSERT_NEAR(found.normal.dot(frame.rotation().col(2)), 1, 1e-9) << name(shape.kind());
      const Depth back = depth({shape, pose}, {ground, frame});
      ASSERT_EQ(back.upper, found.upper);
      ASSERT_EQ(back.normal, -found.normal);
    }
  }
}

TEST(GroundDepth, BoundsHoldInRoughGround) {
  auto random = seeded(632);
  std::size_t deep = 0;
  for (std::size_t i = 0; i < cases(60); ++i) {
    const HeightField field = make_field(random, i);
    const Pose pose_a = random_pose(random, 1);
    const Mesh mesh = Mesh(models()[i % models().size()]).solid();
    const std::vector<Shape> bodies = {Sphere{0.3}, Box{{0.5, 0.4, 0.3}}, Capsule{0.1, 0.6}, mesh};
    const Shape a = ground(field);
    const Shape& b = bodies[i % bodies.size()];
    const Pose pose_b(test::scenes::any_rotation(random), middle_of(field, pose_a) + test::random_vector(random, 0.8));
    const Depth found = depth({a, pose_a}, {b, pose_b});
    ASSERT_GE(found.lower, 0);
    ASSERT_LE(found.lower, found.upper);
    ASSERT_TRUE(std::isfinite(found.upper));
    // Points of the body: the vertices of a mesh, and a point cloud for the others.
    std::vector<Vector3> points;
    if (b.kind() == ShapeKind::mesh) {
      for (const Vector3& v : mesh.vertices())
        points.push_back(place(pose_b, v));
    } else {
      for (int k = 0; k < 200; ++k)
        points.push_back(place(pose_b, b.support(test::scenes::unit_vector(random)) * uniform(random, 0.5, 1)));
    }
    const std::vector<Triangle> walls = walls_of(field, pose_a);
    const auto overlaps = [&](const Vector3& by) {
      const Pose moved(pose_b.rotation(), pose_b.translation() + by);
      if (touches({field, pose_a}, {b, moved})) return true;
      if (!touching_pairs(walls, Placed(b, moved)).empty()) return true;
      return std::any_of(points.begin(), points.end(),
                         [&](const Vector3& point) { return in_ground(field, pose_a, point + by); });
    };
    if (found.upper == 0) {
      ASSERT_FALSE(overlaps(Vector3::Zero())) << i;
      continue;
    }
    ++deep;
    ASSERT_NEAR(found.normal.norm(), 1, 1e-12);
    ASSERT_FALSE(overlaps(found.normal * found.upper * (1 + 1e-9))) << i;
    // No shorter translation separates it, in any of many directions.
    if (found.lower > 1e-9) {
      for (int k = 0; k < 50; ++k)
        ASSERT_TRUE(overlaps(test::scenes::unit_vector(random) * found.lower * uniform(random, 0.5, 0.999))) << i;
      ASSERT_TRUE(overlaps(found.normal * found.lower * 0.999)) << i;
    }
  }
  EXPECT_GT(deep, cases(60) / 4);
}

TEST(GroundDepth, AShapeBelowTheSurfaceIsInTheGroundAndMayLeaveThroughAWall) {
  const HeightField field(std::vector<double>(9 * 9, 0.0), 9, 9, 1, 1);
  const Shape ground = whisker::ground(field), ball = Sphere{0.5};
  // Six below the surface and half a unit from the wall: the way out is through the wall, by its distance plus the
  // radius.
  const Pose pose(Vector3(0.5, 4, -6));
  EXPECT_FALSE(touches(field, {ball, pose}));
  EXPECT_TRUE(touches(ground, {ball, pose}));
  const Depth found = depth(ground, {ball, pose});
  EXPECT_NEAR(found.upper, 1, 1e-6);
  EXPECT_NEAR(found.lower, 1, 1e-6);
  EXPECT_NEAR(found.normal[0], -1, 1e-9);
  // Beside the wall: not in the ground. Half in the wall: half a radius.
  EXPECT_EQ(depth(ground, {ball, Pose(Vector3(-0.6, 4, -6))}).upper, 0);
  const Depth half = depth(ground, {ball, Pose(Vector3(-0.25, 4, -6))});
  EXPECT_NEAR(half.upper, 0.25, 1e-6);
  EXPECT_LE(half.lower, 0.25);
  // Above the surface: no depth.
  EXPECT_EQ(depth(ground, {ball, Pose(Vector3(4, 4, 0.6))}).upper, 0);
}

TEST(GroundDepth, OfHalfSpacesAndPlanes) {
  const HeightField field(std::vector<double>{0, 1, 2, 3}, 2, 2, 1, 1);
  const Shape ground = whisker::ground(field);
  const auto is = [](const Depth& found, double truth) {
    EXPECT_LE(found.lower, truth);
    EXPECT_GE(found.upper, truth);
    EXPECT_NEAR(found.lower, truth, 1e-12);
    EXPECT_NEAR(found.upper, truth, 1e-12);
  };
  // The half-space above z = 2.5: the highest vertex reaches 0.5 into it. Above 3.5: no overlap.
  const Depth sky = depth(ground, Shape(HalfSpace{{0, 0, -2}, -5}));
  is(sky, 0.5);
  EXPECT_NEAR(sky.normal[2], 1, 1e-12);
  EXPECT_EQ(depth(ground, Shape(HalfSpace{{0, 0, -1}, -3.5})).upper, 0);
  // The ground cannot leave a half-space that extends below it forever.
  EXPECT_EQ(depth(ground, Shape(HalfSpace{{0, 0, 1}, -100})).lower, infinity);
  EXPECT_EQ(depth(ground, Shape(HalfSpace{{0.5, 0, 1}, 0})).upper, infinity);
  // A vertical half-space, and one that leans over the ground.
  is(depth(ground, Shape(HalfSpace{{1, 0, 0}, 0.25})), 0.25);
  is(depth(ground, Shape(HalfSpace{{3, 0, -4}, -7.5})), (9 - 7.5) / 5);
  // Planes: the horizontal one moves up through the whole ground, the vertical one leaves on the nearer side.
  is(depth(ground, Shape(Plane{{0, 0, 1}, -1})), 4);
  is(depth(ground, Shape(Plane{{0, 0, 1}, 2})), 1);
  EXPECT_EQ(depth(ground, Shape(Plane{{0, 0, 1}, 4})).upper, 0);
  is(depth(ground, Shape(Plane{{1, 0, 0}, 0.25})), 0.25);
  is(depth(ground, Shape(Plane{{1, 0, 0}, 0.7})), 0.3);
}

TEST(GroundDepth, OfASurfaceIsAnError) {
  auto random = seeded(633);
  const Shape field = make_field(random, Ground::rough), surface = Mesh(models()[0]);
  const Shape ground = whisker::ground(*field.as<HeightField>());
  EXPECT_THROW(depth(ground, surface), Error);
  EXPECT_THROW(depth(surface, ground), Error);
  EXPECT_THROW(depth(field, surface), Error);
  EXPECT_THROW(depth(field, Shape(Sphere{1})), Error);
  EXPECT_THROW(depth(field, field), Error);
  EXPECT_FALSE(is_supported(Question::depth, ShapeKind::height_field, ShapeKind::height_field));
}

}  // namespace
}  // namespace whisker
