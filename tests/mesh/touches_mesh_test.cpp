// Contact of two meshes, compared with the exact predicate on all pairs of placed triangles: models from every
// generator against each other, anywhere, flush, and on both sides of the last bit of contact.

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/queries.hpp>
#include <whisker/simd.hpp>

#include "convex/pair_memory.hpp"
#include "geometry/constants.hpp"
#include "support/mesh_cases.hpp"

namespace whisker {
namespace {

using test::any_id;
using test::cases;
using test::expect_touches_is_true;
using test::MeshPair;
using test::PlacedTriangles;
using test::Random;
using test::random_pose;
using test::seeded;
using test::small_meshes;
using test::small_models;
using test::solids_touch;
using test::uniform;

const Mesh& some_small(Random& random) {
  return small_meshes()[static_cast<std::size_t>(test::whole(random, 0, static_cast<int>(small_meshes().size()) - 1))];
}

TEST(MeshCases, HoldAModelOfEveryGenerator) {
  std::set<std::string> generators;
  for (const make::Model& model : make::models())
    generators.emplace(model.name);
  for (const std::vector<test::Model>* models : {&small_models(), &test::medium_models()}) {
    std::set<std::string> held;
    for (const test::Model& model : *models) {
      held.insert(model.name);
      EXPECT_LE(model.data.triangles.size(), 4000u) << model.name;
    }
    EXPECT_EQ(held, generators);
  }
}

TEST(MeshTouches, EveryModelAgainstEveryOtherInRandomPoses) {
  auto random = seeded(3001);
  const std::size_t count = small_meshes().size();
  std::size_t hits = 0, all = 0;
  for (std::size_t round = 0; round < cases(60); ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        const MeshPair pair(small_meshes()[i], random_pose(random, 0.6), small_meshes()[j], random_pose(random, 0.6));
        hits += expect_touches_is_true(pair) ? 1u : 0u;
        ++all;
        if (HasFailure()) FAIL() << small_models()[i].name << " and " << small_models()[j].name;
      }
    }
  }
  EXPECT_GT(hits, all / 10);
  EXPECT_LT(hits, all - all / 10);
}

TEST(MeshTouches, MediumModelsInRandomPoses) {
  auto random = seeded(3002);
  const std::vector<Mesh>& meshes = test::medium_meshes();
  for (std::size_t i = 0; i < cases(20 * meshes.size()); ++i) {
    const std::size_t first = i % meshes.size(), second = (i * 7 + i / meshes.size()) % meshes.size();
    const MeshPair pair(meshes[first], random_pose(random, 0.5), meshes[second], random_pose(random, 0.5));
    expect_touches_is_true(pair);
    if (HasFailure()) FAIL() << test::medium_models()[first].name << " and " << test::medium_models()[second].name;
  }
}

/// Checks poses along a line against brute force: on both sides of the last bit of contact, at some neighbors of it,
/// and at all poses of the bisection. Returns false, without checking, if the meshes touch at none of the poses from
/// `pose_at(0)` on or still touch at `pose_at(beyond)`.
template <class PoseAt>
bool expect_true_to_the_last_bit(const Mesh& a, const Pose& pose_a, const Mesh& b, double beyond,
                                 const PoseAt& pose_at) {
  const PlacedTriangles placed_a(a, pose_a);
  const Shape shape_a = a, shape_b = b;
  const auto brute = [&](double s) { return test::surfaces_touch(placed_a, PlacedTriangles(b, pose_at(s))); };
  const auto check = [&](double s) {
    const bool truth = brute(s);
    EXPECT_EQ(touches({shape_a, pose_a}, {shape_b, pose_at(s)}), truth) << MeshPair(a, pose_a, b, pose_at(s));
    EXPECT_EQ(touches({shape_b, pose_at(s)}, {shape_a, pose_a}), truth) << MeshPair(a, pose_a, b, pose_at(s));
    return truth;
  };
  double touching = 0;
  while (touching < beyond && !brute(touching))  // at first, one may be in a hole of the other
    touching += beyond / 32;
  if (touching >= beyond || brute(beyond)) return false;
  auto [inside, outside] = test::last_bit(touching, beyond, check);
  for (int k = 0; k < 6; ++k) {
    check(inside);
    check(outside);
    inside = std::nextafter(inside, -infinity);
    outside = std::nextafter(outside, infinity);
  }
  return true;
}

TEST(MeshTouches, BothSidesOfTheLastBitOfATranslation) {
  auto random = seeded(3003);
  std::size_t used = 0;
  const std::size_t count = cases(320);
  for (std::size_t i = 0; i < count; ++i) {
    const Mesh &a = small_meshes()[i % small_meshes().size()], &b = some_small(random);
    const bool flush = i % 3 == 0;
    const Matrix3 turn_a = flush ? test::scenes::axis_rotation(random) : test::scenes::any_rotation(random);
    const Matrix3 turn_b = flush ? test::scenes::axis_rotation(random) : test::scenes::any_rotation(random);
    const Vector3 direction =
        flush ? Vector3(Vector3::Unit(test::whole(random, 0, 2))) : test::scenes::unit_vector(random);
    const Pose pose_a(turn_a, i % 4 == 0 ? Vector3(1e3, -2e3, 5e2) : Vector3(0, 0, 0));
    used += expect_true_to_the_last_bit(a, pose_a, b, 4,
                                        [&](double s) { return Pose(turn_b, pose_a.translation() + s * direction); });
    if (HasFailure()) FAIL() << "case " << i;
  }
  EXPECT_GT(used, count / 2);
}

TEST(MeshTouches, BothSidesOfTheLastBitOfARotation) {
  auto random = seeded(3004);
  std::size_t used = 0;
  const std::size_t count = cases(320);
  for (std::size_t i = 0; i < count; ++i) {
    const Mesh &a = small_meshes()[i % small_meshes().size()], &b = some_small(random);
    const Matrix3 turn_a = test::scenes::any_rotation(random);
    const Vector3 axis = test::scenes::unit_vector(random);
    const Vector3 arm = uniform(random, 0.4, 0.7) * test::scenes::unit_vector(random);
    const auto pose_at = [&](double s) {
      const Matrix3 turn = test::scenes::rotation_from(1, s * axis.x(), s * axis.y(), s * axis.z());
      return Pose(turn, arm);
    };
    const PlacedTriangles placed_a(a, Pose(turn_a, Vector3::Zero()));
    // An angle at which they touch, next to one at which they do not.
    const auto brute = [&](double s) { return test::surfaces_touch(placed_a, PlacedTriangles(b, pose_at(s))); };
    double from = 0;
    const bool first = brute(from);
    double to = 0.05;
    while (to < 3 && brute(to) == first) {
      from = to;
      to += 0.05;
    }
    if (to >= 3) continue;
    ++used;
    const Shape shape_a = a, shape_b = b;
    const auto check = [&](double s) {
      const bool truth = brute(s);
      EXPECT_EQ(touches({shape_a, Pose(turn_a, Vector3::Zero())}, {shape_b, pose_at(s)}), truth)
          << i << "\n"
          << MeshPair(a, Pose(turn_a, Vector3::Zero()), b, pose_at(s));
      return truth;
    };
    auto [inside, outside] = first ? test::last_bit(from, to, check) : test::last_bit(to, from, check);
    for (int k = 0; k < 8; ++k) {
      for (const double s : {inside, outside})
        check(s);
      inside = std::nextafter(inside, -infinity);
      outside = std::nextafter(outside, infinity);
    }
    if (HasFailure()) FAIL() << "case " << i;
  }
  EXPECT_GT(used, count / 5);
}

/// Sheets and cubes on one common lattice: many equal coordinates, no general position.
TEST(MeshTouches, ALatticeAgainstItselfAtEveryExactShift) {
  const Mesh sheet(test::integer_sheet(6, 5));
  const Mesh cube(test::scaled(make::box({.size_x = 4, .size_y = 4, .size_z = 4, .subdivisions = 4}), 1));
  const double least = std::numeric_limits<double>::denorm_min();
  std::vector<double> heights = {0, least, -least, 1e-300, 0x1p-1022, 1e-30, 0x1p-52, 1, 2, std::nextafter(2, 3)};
  for (const double x : {0.0, 1.0, -3.0, 6.0, 0.5, 6.5, std::nextafter(6, 7)}) {
    for (const double y : {0.0, 1.0, 5.0, std::nextafter(5, 6), -2.25}) {
      for (const double z : heights) {
        const Pose shift(Vector3(x, y, z));
        expect_touches_is_true({sheet, Pose(), sheet, shift});
        expect_touches_is_true({cube, Pose(), sheet, shift});
        expect_touches_is_true({cube, Pose(), cube, shift});
        if (HasFailure()) FAIL() << shift.translation().transpose();
      }
    }
  }
}

TEST(MeshTouches, RotationsThatAreOffByAllThatAPoseMayBe) {
  auto random = seeded(3005);
  for (std::size_t i = 0; i < cases(2000); ++i) {
    const Mesh &a = some_small(random), &b = some_small(random);
    Pose pose_a = random_pose(random, 0.5), pose_b = random_pose(random, 0.5);
    pose_a.set_rotation(test::scenes::sloppy(random, pose_a.rotation()));
    pose_b.set_rotation(test::scenes::sloppy(random, pose_b.rotation()));
    expect_touches_is_true({a, pose_a, b, pose_b});
    if (i % 8 == 0) {
      const Vector3 direction = test::scenes::unit_vector(random);
      expect_true_to_the_last_bit(
          a, pose_a, b, 4, [&](double s) { return Pose(pose_b.rotation(), pose_a.translation() + s * direction); });
    }
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(MeshTouches, SoSmallThatSquaresOfLengthsUnderflow) {
  const double unit = std::sqrt(std::numeric_limits<double>::denorm_min());
  const Vector3 along = Vector3(1, 1, 1) / std::sqrt(3.0), across(1, -1, 0);
  const Mesh sliver(MeshData{{-0.775 * unit * along, 0.775 * unit * along, 0.01 * unit * across}, {{0, 1, 2}}});
  auto random = seeded(3006);
  for (std::size_t i = 0; i < cases(500); ++i) {
    const Vector3 shift = uniform(random, 1.2, 1.6) * unit * along;
    expect_touches_is_true({sliver, Pose(), sliver, Pose(shift)});
    if (HasFailure()) FAIL() << "case " << i;
  }
}

// --- all builders and instruction sets agree ----------------------------------------------------------------------

/// Restores the best target at the end of a test.
struct ForcedTarget {
  explicit ForcedTarget(const std::string& name) { EXPECT_TRUE(use_simd_target(name)) << name; }
  ~ForcedTarget() { use_simd_target(""); }
};

TEST(MeshTouches, AlikeOnEveryInstructionSetAndWithEveryBuilder) {
  const std::vector<std::string> targets = simd_targets();
  ASSERT_FALSE(targets.empty());
  std::vector<std::vector<Mesh>> meshes;
  for (const Split split : test::all_splits)
    meshes.push_back(test::meshes_of(small_models(), {.split = split}));
  for (const std::string& target : targets) {
    const ForcedTarget forced(target);
    auto random = seeded(3006);
    for (std::size_t i = 0; i < cases(1600); ++i) {
      const std::size_t k = i % small_models().size(), m = (i * 5 + i / 16) % small_models().size();
      const Pose pose_a = random_pose(random, 0.5), pose_b = i % 9 == 0 ? pose_a : random_pose(random, 0.6);
      const bool truth = test::surfaces_touch({meshes[0][k], pose_a}, {meshes[0][m], pose_b});
      for (std::size_t s = 0; s < meshes.size(); ++s) {
        const Mesh &a = meshes[s][k], &b = meshes[(s + i) % meshes.size()][m];
        ASSERT_EQ(MeshPair(a, pose_a, b, pose_b).touch(), truth)
            << target << ", builders " << s << " and " << (s + i) % meshes.size() << ", models " << k << " and " << m
            << "\n"
            << test::show(pose_a) << test::show(pose_b);
      }
    }
  }
}

TEST(SimdTarget, AnUnknownNameIsRefusedAndChangesNothing) {
  EXPECT_FALSE(use_simd_target("abacus"));
  EXPECT_TRUE(use_simd_target(""));
  const Shape ball = Mesh(make::icosphere());
  EXPECT_TRUE(touches(ball, {ball, Pose(Vector3(1, 0, 0))}));
}

// --- solids ------------------------------------------------------------------------------------------------------

void expect_solids(Random& random, const Mesh& a, const Pose& pose_a, const Mesh& b, const Pose& pose_b) {
  const PlacedTriangles placed_a(a, pose_a), placed_b(b, pose_b);
  const MeshPair solids(a.solid(), pose_a, b.solid(), pose_b);
  const bool truth = solids_touch(random, placed_a, placed_b);
  EXPECT_EQ(solids.touch(), truth) << solids;
  EXPECT_EQ(solids.touch_swapped(), truth) << solids;
}

TEST(SolidTouches, RandomPosesLikeTheWindingNumber) {
  auto random = seeded(3007);
  for (std::size_t i = 0; i < cases(2400); ++i) {
    const std::size_t k = i % small_models().size(), m = (i / 3 + i) % small_models().size();
    if (!small_models()[k].closed || !small_models()[m].closed) continue;
    // One is small, so that it is inside or outside more often than across the surface.
    const double size = uniform(random, 0.02, 0.4);
    const Mesh small(test::scaled(small_models()[m].data, size));
    expect_solids(random, small_meshes()[k], random_pose(random, 0.1), small, random_pose(random, 0.4));
    if (HasFailure()) FAIL() << "case " << i << ": " << small_models()[k].name << " and " << small_models()[m].name;
  }
}

TEST(SolidTouches, OneSolidWithAnotherIsHalfAnAnswer) {
  // Of a solid and a surface, only the solid has an interior.
  const Shape big_solid = Mesh(make::box({.size_x = 4, .size_y = 4, .size_z = 4})).solid();
  const Shape big_surface = Mesh(make::box({.size_x = 4, .size_y = 4, .size_z = 4}));
  const Shape small_solid = Mesh(make::box()).solid();
  const Shape small_surface = Mesh(make::box());
  EXPECT_TRUE(touches(big_solid, small_solid));
  EXPECT_TRUE(touches(big_solid, small_surface));
  EXPECT_FALSE(touches(big_surface, small_solid));
  EXPECT_FALSE(touches(big_surface, small_surface));
  EXPECT_TRUE(touches(small_solid, big_solid));
  EXPECT_TRUE(touches(small_surface, big_solid));
  EXPECT_FALSE(touches(small_solid, big_surface));
  EXPECT_FALSE(touches(small_surface, big_surface));
}

TEST(SolidTouches, ShellsWithinShells) {
  const auto cube = [](double size) { return make::box({.size_x = size, .size_y = size, .size_z = size}); };
  // A hollow box of size 10 with a cavity of size 6, and an island of size 2 in the cavity.
  const Mesh hollow = Mesh(test::joined(cube(10), test::reversed(cube(6)))).solid();
  const Mesh island = Mesh(test::joined(test::joined(cube(10), test::reversed(cube(6))), cube(2))).solid();
  const Mesh probe = Mesh(cube(0.5)).solid();
  const auto at = [](double x) { return Pose(Vector3(x, 0, 0)); };
  auto random = seeded(3008);
  for (const double x : {0.0, 0.5, 1.0, 1.25, 1.5, 2.0, 2.5, 2.75, 3.0, 3.25, 3.3, 4.0, 4.75, 5.0, 5.25, 5.3, 7.0}) {
    expect_solids(random, hollow, Pose(), probe, at(x));
    expect_solids(random, island, Pose(), probe, at(x));
    expect_solids(random, probe, at(x), hollow, Pose());
    if (HasFailure()) FAIL() << x;
  }
  EXPECT_FALSE(touches(Shape(hollow), Shape(probe)));
  EXPECT_TRUE(touches(Shape(island), Shape(probe)));
  // A solid shell within the cavity of another solid.
  const Mesh inner = Mesh(test::joined(cube(5), test::reversed(cube(3)))).solid();
  EXPECT_FALSE(touches(Shape(hollow), Shape(inner)));
  EXPECT_FALSE(touches(Shape(inner), Shape(hollow)));
  EXPECT_FALSE(touches(Shape(island), Shape(inner)));              // island 2 < 3 < 5 < 6
  EXPECT_TRUE(touches({Shape(hollow)}, {Shape(inner), at(0.5)}));  // flush faces: 5/2 + 0.5 = 3
  EXPECT_FALSE(touches({Shape(hollow)}, {Shape(inner), at(0.499)}));
}

TEST(SolidTouches, OneOfSeveralPartsInsideIsEnough) {
  const auto cube_at = [](double size, double x) {
    return test::moved(make::box({.size_x = size, .size_y = size, .size_z = size}), Vector3(x, 0, 0));
  };
  const Mesh big = Mesh(cube_at(4, 0)).solid();
  auto random = seeded(3009);
  // The part inside is first, in the middle or last in the list of triangles.
  for (std::size_t inside = 0; inside < 5; ++inside) {
    MeshData parts;
    for (std::size_t k = 0; k < 5; ++k)
      parts = test::joined(parts, cube_at(0.5, k == inside ? 0.25 : 10 + 2 * static_cast<double>(k)));
    const Mesh several = Mesh(parts).solid();
    EXPECT_TRUE(touches(Shape(big), Shape(several))) << inside;
    EXPECT_TRUE(touches(Shape(several), Shape(big))) << inside;
    EXPECT_TRUE(touches(Shape(big), Shape(Mesh(parts)))) << "as a surface, part " << inside;
    EXPECT_FALSE(touches({Shape(big)}, {Shape(several), Pose(Vector3(0, 5, 0))})) << inside;
    expect_solids(random, big, Pose(), several, Pose());
  }
  // Several solids, one of which contains the other mesh.
  for (std::size_t holder = 0; holder < 5; ++holder) {
    MeshData parts;
    for (std::size_t k = 0; k < 5; ++k)
      parts = test::joined(parts, cube_at(4, 10 * static_cast<double>(k)));
    const Mesh several = Mesh(parts).solid();
    const Mesh probe = Mesh(cube_at(0.5, 10 * static_cast<double>(holder) + 0.5)).solid();
    EXPECT_TRUE(touches(Shape(several), Shape(probe))) << holder;
    EXPECT_FALSE(touches({Shape(several)}, {Shape(probe), Pose(Vector3(5, 0, 0))})) << holder;
  }
}

// --- caches ------------------------------------------------------------------------------------------------------

double any_double(Random& random) {
  switch (test::whole(random, 0, 6)) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return infinity;
    case 2:
      return 0;
    case 3:
      return 1e300;
    case 4:
      return -1e-310;
    default:
      return uniform(random, -1, 1);
  }
}

PairCache any_cache(Random& random, const Mesh& a, const Mesh& b) {
  PairCache cache;
  memory_of(cache).touching_a = any_id(random, a.triangle_count());
  memory_of(cache).touching_b = any_id(random, b.triangle_count());
  memory_of(cache).closest_a = any_id(random, a.triangle_count());
  memory_of(cache).closest_b = any_id(random, b.triangle_count());
  for (double& x : memory_of(cache).apart_along)
    x = any_double(random);
  return cache;
}

TEST(MeshTouchesWithCache, RandomCachesChangeNoAnswer) {
  auto random = seeded(3010);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(20000); ++i) {
    const MeshPair pair(some_small(random), random_pose(random, 0.6), some_small(random), random_pose(random, 0.6));
    const bool truth = pair.touch();
    hits += truth ? 1u : 0u;
    PairCache cache = any_cache(random, pair.a, pair.b);
    ASSERT_EQ(touches({pair.shape_a, pair.pose_a}, {pair.shape_b, pair.pose_b}, {.cache = &cache}), truth) << i << "\n"
                                                                                                           << pair;
    ASSERT_EQ(touches({pair.shape_a, pair.pose_a}, {pair.shape_b, pair.pose_b}, {.cache = &cache}), truth)
        << i << ", again";
    ASSERT_EQ(touches({pair.shape_b, pair.pose_b}, {pair.shape_a, pair.pose_a}, {.cache = &cache}), truth)
        << i << ", swapped";
    Cost cost;
    ASSERT_EQ(touches({pair.shape_a, pair.pose_a}, {pair.shape_b, pair.pose_b}, {.cache = &cache}, &cost), truth) << i;
    ASSERT_GT(cost.volume_tests + cost.primitive_tests, 0u) << i;
  }
  EXPECT_GT(hits, cases(20000) / 10);
}

TEST(MeshTouchesWithCache, OneCacheForAllPairsAndPosesChangesNoAnswer) {
  auto random = seeded(3011);
  PairCache cache;
  for (std::size_t i = 0; i < cases(20000); ++i) {
    const MeshPair pair(some_small(random), random_pose(random, 0.6), some_small(random), random_pose(random, 0.6));
    ASSERT_EQ(touches({pair.shape_a, pair.pose_a}, {pair.shape_b, pair.pose_b}, {.cache = &cache}), pair.touch())
        << i << "\n"
        << pair;
  }
}

TEST(MeshTouchesWithCache, CoherentMotionThroughContactAndOut) {
  auto random = seeded(3012);
  for (std::size_t i = 0; i < cases(400); ++i) {
    const Mesh &a = some_small(random), &b = some_small(random);
    const Shape shape_a = a, shape_b = b;
    const Vector3 direction = test::scenes::unit_vector(random), start = -1.6 * direction;
    const Matrix3 turn = test::scenes::any_rotation(random);
    PairCache cache;
    for (int step = 0; step <= 200; ++step) {
      const Pose pose(turn, start + 0.016 * step * direction);
      const bool truth = touches(shape_a, {shape_b, pose});
      ASSERT_EQ(touches(shape_a, {shape_b, pose}, {.cache = &cache}), truth) << i << ", step " << step;
    }
  }
}

TEST(SolidTouchesWithCache, ContainmentIsNotForgotten) {
  const Shape outer = Mesh(make::box({.size_x = 4, .size_y = 4, .size_z = 4})).solid();
  const Shape inner = Mesh(make::icosphere({.radius = 0.5, .subdivisions = 2})).solid();
  PairCache cache;
  for (int round = 0; round < 3; ++round) {
    for (double x = -4; x <= 4; x += 0.0625) {
      const Pose pose(Vector3(x, 0.1, 0.2));
      ASSERT_EQ(touches(outer, {inner, pose}, {.cache = &cache}), touches(outer, {inner, pose})) << x;
      ASSERT_EQ(touches(outer, {inner, pose}, {.cache = &cache}), std::abs(x) <= 2.5) << x;
    }
  }
}

}  // namespace
}  // namespace whisker
