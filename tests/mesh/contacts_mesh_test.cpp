// All touching pairs of triangles of two meshes: none is missed and none is invented, compared with the exact predicate
// on all pairs of placed triangles.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/queries.hpp>
#include <whisker/simd.hpp>

#include "geometry/constants.hpp"
#include "support/mesh_cases.hpp"

namespace whisker {
namespace {

using test::cases;
using test::expect_contacts_are_true;
using test::IdPair;
using test::ids_of;
using test::medium_meshes;
using test::medium_models;
using test::MeshPair;
using test::PlacedTriangles;
using test::Random;
using test::random_pose;
using test::seeded;
using test::small_meshes;
using test::small_models;
using test::uniform;

/// A half turn about an axis of the frame: signs change, and nothing is rounded.
Pose half_turn(int axis) {
  Matrix3 turn = -Matrix3::Identity();
  turn(axis, axis) = 1;
  return {turn, Vector3::Zero()};
}

TEST(MeshContacts, EveryModelAgainstEveryOtherInRandomPoses) {
  auto random = seeded(3101);
  const std::size_t count = small_meshes().size();
  std::size_t found = 0;
  for (std::size_t round = 0; round < cases(15); ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        found += expect_contacts_are_true(
                     {small_meshes()[i], random_pose(random, 0.4), small_meshes()[j], random_pose(random, 0.4)})
                     .size();
        if (HasFailure()) FAIL() << small_models()[i].name << " and " << small_models()[j].name;
      }
    }
  }
  EXPECT_GT(found, 100 * cases(15));
}

TEST(MeshContacts, MediumModelsInRandomPoses) {
  auto random = seeded(3102);
  const std::size_t count = medium_meshes().size();
  for (std::size_t i = 0; i < cases(12 * count); ++i) {
    const std::size_t first = i % count, second = (i * 7 + i / count) % count;
    expect_contacts_are_true(
        {medium_meshes()[first], random_pose(random, 0.3), medium_meshes()[second], random_pose(random, 0.3)});
    if (HasFailure()) FAIL() << medium_models()[first].name << " and " << medium_models()[second].name;
  }
}

TEST(MeshContacts, AModelAgainstItsOwnCopyAtTheSamePose) {
  auto random = seeded(3103);
  for (const std::vector<Mesh>* meshes : {&small_meshes(), &medium_meshes()}) {
    for (std::size_t i = 0; i < meshes->size(); ++i) {
      const Mesh& mesh = (*meshes)[i];
      for (const Pose& pose : {Pose(), random_pose(random, 1), random_pose(random, 1000)}) {
        const std::vector<IdPair> pairs = expect_contacts_are_true({mesh, pose, mesh, pose});
        EXPECT_GE(pairs.size(), mesh.triangle_count());
        if (HasFailure()) FAIL() << small_models()[i].name << "\n" << test::show(pose);
      }
    }
  }
}

TEST(MeshContacts, AModelAgainstItsOwnCopyTurnedOrMovedByTheLeastAmount) {
  auto random = seeded(3104);
  for (std::size_t i = 0; i < small_meshes().size(); ++i) {
    const Mesh& mesh = small_meshes()[i];
    for (int axis = 0; axis < 3; ++axis)
      expect_contacts_are_true({mesh, Pose(), mesh, half_turn(axis)});
    for (const double by : {1e-300, 1e-30, 0x1p-60, 0x1p-53, 1e-12, 1e-6}) {
      const Vector3 direction = test::scenes::unit_vector(random);
      expect_contacts_are_true({mesh, Pose(), mesh, Pose(by * direction)});
      expect_contacts_are_true({mesh, Pose(), mesh, Pose(by * Vector3::UnitZ())});
      const Matrix3 turn = test::scenes::rotation_from(1, by * direction.x(), by * direction.y(), by * direction.z());
      expect_contacts_are_true({mesh, Pose(), mesh, Pose(turn, Vector3::Zero())});
    }
    if (HasFailure()) FAIL() << small_models()[i].name;
  }
}

TEST(MeshContacts, LatticesShiftedByWholeAndHalfCells) {
  const Mesh sheet(test::integer_sheet(8, 7));
  const Mesh box(make::box({.size_x = 4, .size_y = 4, .size_z = 4, .subdivisions = 4}));
  const Mesh flat_cloth(make::cloth_sheet({.columns = 8, .rows = 8, .size_x = 8, .size_y = 8, .wrinkle_height = 1e-5}));
  for (const double x : {0.0, 1.0, -2.0, 0.5, 8.0, 4.0, std::nextafter(4.0, 5.0)}) {
    for (const double y : {0.0, 1.0, 3.0, 0.25, -4.0, -7.0}) {
      for (const double z : {0.0, 1.0, 4.0, 2.0, 1e-17}) {
        const Pose shift(Vector3(x, y, z));
        expect_contacts_are_true({sheet, Pose(), sheet, shift});
        expect_contacts_are_true({box, Pose(), box, shift});
        expect_contacts_are_true({box, Pose(), sheet, shift});
        expect_contacts_are_true({sheet, half_turn(2), box, shift});
        expect_contacts_are_true({flat_cloth, Pose(), flat_cloth, shift});
        if (HasFailure()) FAIL() << shift.translation().transpose();
      }
    }
  }
}

TEST(MeshContacts, TinyTrianglesInOnePlaneBesideALargeOne) {
  // So small that products of their lengths are near the smallest float.
  auto random = seeded(3114);
  std::size_t found = 0;
  for (int exponent = -50; exponent <= -26; exponent += 2) {
    for (std::size_t k = 0; k < cases(10); ++k) {
      const auto mesh = [&](double height) {
        MeshData data = {{{-1, -1, height}, {1, -1, height}, {0, 1, height}}, {{0, 1, 2}}};
        const auto on_grid = [&](std::uint64_t most, double unit) {
          return unit * (static_cast<double>(random() % (2 * most + 1)) - static_cast<double>(most));
        };
        for (std::uint32_t t = 0; t < 60; ++t) {
          const double x = on_grid(16, 0x1p-4), y = on_grid(16, 0x1p-4);
          for (int c = 0; c < 3; ++c) {
            const double u = x + on_grid(8, 0x1p-5), v = y + on_grid(8, 0x1p-5);
            data.vertices.push_back(Vector3(u, v, 0.5 * u) * std::ldexp(1.0, exponent));
          }
          data.triangles.push_back({3 * t + 3, 3 * t + 4, 3 * t + 5});
        }
        return Mesh(std::move(data));
      };
      const Mesh a = mesh(1), b = mesh(2);
      found += expect_contacts_are_true({a, {}, b, {}}).size();
      if (HasFailure()) FAIL() << "size 2^" << exponent;
    }
  }
  EXPECT_GT(found, cases(1000));
}

TEST(MeshContacts, BoxesStackedExactly) {
  // A wall of bricks: every face is flush with its neighbors, up to the rounding of the pose.
  const Mesh brick(make::box({.size_x = 0.2, .size_y = 0.1, .size_z = 0.06, .subdivisions = 3}));
  auto random = seeded(3105);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Pose base = random_pose(random, 10);
    const int nx = test::whole(random, -1, 1), ny = test::whole(random, -1, 1), nz = test::whole(random, -1, 1);
    const Pose next = compose(base, Pose(Vector3(0.2 * nx, 0.1 * ny, 0.06 * nz)));
    expect_contacts_are_true({brick, base, brick, next});
    const Pose plain(Vector3(0.2 * nx, 0.1 * ny, 0.06 * nz));
    expect_contacts_are_true({brick, Pose(), brick, plain});
    if (HasFailure()) FAIL() << i;
  }
}

TEST(MeshContacts, OnBothSidesOfTheLastBitOfContact) {
  auto random = seeded(3106);
  std::size_t used = 0;
  const std::size_t count = cases(160);
  for (std::size_t i = 0; i < count; ++i) {
    const Mesh &a = small_meshes()[i % small_meshes().size()],
               &b = small_meshes()[(i * 5 + i / 16) % small_meshes().size()];
    const bool flush = i % 3 == 0;
    const Pose pose_a(flush ? test::scenes::axis_rotation(random) : test::scenes::any_rotation(random),
                      i % 4 == 0 ? Vector3(-30, 1e3, 7e2) : Vector3(0, 0, 0));
    const Matrix3 turn_b = flush ? test::scenes::axis_rotation(random) : test::scenes::any_rotation(random);
    const Vector3 direction =
        flush ? Vector3(Vector3::Unit(static_cast<int>(i % 2))) : test::scenes::unit_vector(random);
    const auto pose_at = [&](double s) { return Pose(turn_b, pose_a.translation() + s * direction); };
    const PlacedTriangles placed_a(a, pose_a);
    const auto brute = [&](double s) { return test::surfaces_touch(placed_a, PlacedTriangles(b, pose_at(s))); };
    double start = 0;
    while (start < 1 && !brute(start))
      start += 0.125;
    if (start >= 1) continue;
    ++used;
    auto [inside, outside] = test::last_bit(start, 4.0, brute);
    EXPECT_TRUE(expect_contacts_are_true({a, pose_a, b, pose_at(outside)}).empty());
    for (int k = 0; k < 4; ++k) {
      expect_contacts_are_true({a, pose_a, b, pose_at(inside)});
      expect_contacts_are_true({a, pose_a, b, pose_at(inside - 1e-9 * k)});
      inside = std::nextafter(inside, -infinity);
    }
    if (HasFailure()) FAIL() << "case " << i;
  }
  EXPECT_GT(used, count / 2);
}

// --- segments ----------------------------------------------------------------------------------------------------

double longest_chord(const TriangleIntersection& shared) {
  double longest = 0;
  for (int i = 0; i < shared.count; ++i) {
    for (int j = 0; j < i; ++j) {
      const auto k = static_cast<std::size_t>(i), m = static_cast<std::size_t>(j);
      longest = std::max(longest, (shared.points[k] - shared.points[m]).norm());
    }
  }
  return longest;
}

/// Checks a contact's segment: it lies in both triangles, and is as long as their intersection.
void expect_segment(const Contact& contact, const Triangle& a, const Triangle& b, double ulp) {
  const TriangleIntersection shared = intersect_triangle_triangle(a, b);
  ASSERT_NE(shared.kind, TriangleIntersection::Kind::none);
  for (const Vector3& end : {contact.segment.a, contact.segment.b}) {
    EXPECT_LE(closest_points(end, a).distance, 2 * ulp);
    EXPECT_LE(closest_points(end, b).distance, 2 * ulp);
    double off = infinity;
    for (int i = 0; i < shared.count; ++i)
      off = std::min(off, (end - shared.points[static_cast<std::size_t>(i)]).cwiseAbs().maxCoeff());
    EXPECT_LE(off, 2 * ulp) << "not a corner of what the two share";
  }
  const double length = (contact.segment.b - contact.segment.a).norm();
  EXPECT_NEAR(length, longest_chord(shared), 8 * ulp);
  if (shared.kind == TriangleIntersection::Kind::point) {
    EXPECT_EQ(contact.segment.a, contact.segment.b);
  }
}

void expect_segments(const MeshPair& pair) {
  const PlacedTriangles a = pair.placed_a(), b = pair.placed_b();
  const double ulp = test::eight_ulp(a, b) / 8;
  for (const Contact& contact : pair.find_contacts({}).pairs) {
    ASSERT_LT(contact.a.id, a.triangles.size());
    ASSERT_LT(contact.b.id, b.triangles.size());
    expect_segment(contact, a.triangles[contact.a.id], b.triangles[contact.b.id], ulp);
    if (testing::Test::HasFailure()) FAIL() << contact.a.id << ", " << contact.b.id << "\n" << pair;
  }
}

TEST(ContactSegments, AreWhereTheTrianglesIntersect) {
  auto random = seeded(3107);
  for (std::size_t i = 0; i < cases(600); ++i) {
    const Mesh &a = small_meshes()[i % small_meshes().size()],
               &b = small_meshes()[(i * 5 + i / 16) % small_meshes().size()];
    const Pose pose_a = random_pose(random, i % 7 == 0 ? 1e4 : 0.3);
    const Pose pose_b = i % 11 == 0 ? pose_a : compose(pose_a, random_pose(random, 0.5));
    expect_segments({a, pose_a, b, pose_b});
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(ContactSegments, OfCoplanarFacesAreLongestChords) {
  const Mesh sheet(test::integer_sheet(3, 3));
  for (const double x : {0.0, 0.25, 0.5, 1.0, 3.0}) {
    for (const double y : {0.0, -0.375, 2.0})
      expect_segments({sheet, Pose(), sheet, Pose(Vector3(x, y, 0))});
  }
  const Mesh one(test::soup({{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}}}));
  const Shape shape = one;
  const Contacts same = contacts(shape, shape);
  ASSERT_EQ(same.pairs.size(), 1u);
  EXPECT_DOUBLE_EQ((same.pairs[0].segment.b - same.pairs[0].segment.a).norm(), std::sqrt(8.0));
}

TEST(ContactSegments, AreLeftZeroUnlessAskedFor) {
  const Shape ball = Mesh(make::icosphere());
  const Contacts found = contacts(ball, {ball, Pose(Vector3(0.7, 0.1, 0))}, {.segments = false});
  ASSERT_FALSE(found.pairs.empty());
  for (const Contact& contact : found.pairs) {
    EXPECT_EQ(contact.segment.a, Vector3(0, 0, 0));
    EXPECT_EQ(contact.segment.b, Vector3(0, 0, 0));
  }
}

TEST(ContactSegments, AreTheSameEitherWayRoundUpToRounding) {
  auto random = seeded(3108);
  for (std::size_t i = 0; i < cases(300); ++i) {
    const MeshPair pair(small_meshes()[i % small_meshes().size()], random_pose(random, 0.3),
                        small_meshes()[(i / 3) % small_meshes().size()], random_pose(random, 0.3));
    const double tolerance = test::eight_ulp(pair.placed_a(), pair.placed_b());
    Contacts there = pair.find_contacts({}), back = pair.find_contacts_swapped({});
    ASSERT_EQ(there.pairs.size(), back.pairs.size());
    std::sort(there.pairs.begin(), there.pairs.end(),
              [](const Contact& p, const Contact& q) { return IdPair(p.a.id, p.b.id) < IdPair(q.a.id, q.b.id); });
    std::sort(back.pairs.begin(), back.pairs.end(),
              [](const Contact& p, const Contact& q) { return IdPair(p.b.id, p.a.id) < IdPair(q.b.id, q.a.id); });
    for (std::size_t k = 0; k < there.pairs.size(); ++k) {
      const Contact &p = there.pairs[k], &q = back.pairs[k];
      ASSERT_EQ(p.a, q.b);
      ASSERT_EQ(p.b, q.a);
      const auto off = [](const Vector3& v, const Vector3& w) { return (v - w).cwiseAbs().maxCoeff(); };
      const double straight = std::max(off(p.segment.a, q.segment.a), off(p.segment.b, q.segment.b));
      const double crossed = std::max(off(p.segment.a, q.segment.b), off(p.segment.b, q.segment.a));
      ASSERT_LE(std::min(straight, crossed), tolerance) << p.a.id << ", " << p.b.id << "\n" << pair;
    }
  }
}

// --- limits ------------------------------------------------------------------------------------------------------

TEST(MeshContactsLimit, GivesTheFirstSoManyOfTheWholeList) {
  auto random = seeded(3109);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const MeshPair pair(small_meshes()[i % small_meshes().size()], random_pose(random, 0.3),
                        small_meshes()[(i / 3) % small_meshes().size()], random_pose(random, 0.3));
    const Contacts all = pair.find_contacts();
    const std::size_t n = all.pairs.size();
    for (const std::size_t limit : {std::size_t{0}, std::size_t{1}, std::size_t{7}, n / 2, n, n + 1, 2 * n + 5}) {
      const Contacts some = pair.find_contacts({.max_count = limit, .segments = false});
      ASSERT_EQ(some.pairs.size(), std::min(n, limit)) << pair;
      for (std::size_t k = 0; k < some.pairs.size(); ++k) {
        ASSERT_EQ(some.pairs[k].a, all.pairs[k].a) << "limit " << limit << " of " << n;
        ASSERT_EQ(some.pairs[k].b, all.pairs[k].b) << "limit " << limit << " of " << n;
      }
      if (limit < n) {
        ASSERT_EQ(some.stop, Stop::count) << limit << " of " << n;
      }
      if (limit > n) {
        ASSERT_EQ(some.stop, Stop::exact) << limit << " of " << n;
      }
    }
  }
}

TEST(MeshContactsReused, MemoryHoldsWhatANewResultHolds) {
  auto random = seeded(3110);
  Contacts reused;
  for (std::size_t i = 0; i < cases(400); ++i) {
    const MeshPair pair(small_meshes()[i % small_meshes().size()], random_pose(random, 0.5),
                        small_meshes()[(i / 3) % small_meshes().size()], random_pose(random, 0.5));
    const ContactOptions options{.max_count = i % 5 == 0 ? 3u : std::size_t{1} << 30, .segments = i % 2 == 0};
    const Contacts fresh = pair.find_contacts(options);
    contacts({pair.shape_a, pair.pose_a}, {pair.shape_b, pair.pose_b}, options, reused);
    ASSERT_EQ(fresh.pairs.size(), reused.pairs.size());
    ASSERT_EQ(fresh.stop, reused.stop);
    ASSERT_EQ(fresh.cost.volume_tests, reused.cost.volume_tests) << "the cost of one query, not of all";
    ASSERT_EQ(fresh.cost.primitive_tests, reused.cost.primitive_tests);
    for (std::size_t k = 0; k < fresh.pairs.size(); ++k) {
      ASSERT_EQ(fresh.pairs[k].a, reused.pairs[k].a);
      ASSERT_EQ(fresh.pairs[k].b, reused.pairs[k].b);
      ASSERT_EQ(fresh.pairs[k].segment.a, reused.pairs[k].segment.a);
      ASSERT_EQ(fresh.pairs[k].segment.b, reused.pairs[k].segment.b);
    }
  }
}

// --- all builders and instruction sets agree ----------------------------------------------------------------------

TEST(MeshContacts, AreTheSameSetWithEveryBuilderAndTheSameListOnEveryInstructionSet) {
  const std::vector<std::string> targets = simd_targets();
  std::vector<std::vector<Mesh>> meshes;
  for (const Split split : test::all_splits)
    meshes.push_back(test::meshes_of(small_models(), {.split = split}));
  auto random = seeded(3111);
  for (std::size_t i = 0; i < cases(300); ++i) {
    const std::size_t k = i % small_models().size(), m = (i * 5 + i / 16) % small_models().size();
    const Pose pose_a = random_pose(random, 0.4);
    const Pose pose_b = i % 9 == 0 ? pose_a : random_pose(random, 0.4);
    const std::vector<IdPair> truth = test::touching_pairs({meshes[0][k], pose_a}, {meshes[0][m], pose_b});
    for (std::size_t s = 0; s < meshes.size(); ++s) {
      const MeshPair pair(meshes[s][k], pose_a, meshes[(s + i) % meshes.size()][m], pose_b);
      const Contacts best = pair.find_contacts({});
      ASSERT_EQ(test::difference(ids_of(best), truth), "") << "builder " << s << "\n" << pair;
      for (const std::string& target : targets) {
        ASSERT_TRUE(use_simd_target(target));
        const Contacts found = pair.find_contacts({});
        use_simd_target("");
        ASSERT_EQ(found.pairs.size(), best.pairs.size()) << target << ", builder " << s;
        for (std::size_t n = 0; n < found.pairs.size(); ++n) {
          ASSERT_EQ(found.pairs[n].a, best.pairs[n].a) << target << ", builder " << s << ", contact " << n;
          ASSERT_EQ(found.pairs[n].b, best.pairs[n].b) << target << ", builder " << s << ", contact " << n;
          ASSERT_EQ(found.pairs[n].segment.a, best.pairs[n].segment.a) << target << ", builder " << s;
          ASSERT_EQ(found.pairs[n].segment.b, best.pairs[n].segment.b) << target << ", builder " << s;
        }
      }
    }
  }
}

TEST(MeshContacts, AreTheSameListFromTreesBuiltOnOneCoreAndOnAll) {
  auto random = seeded(3112);
  for (const Split split : test::all_splits) {
    const std::vector<Mesh> alone = test::meshes_of(medium_models(), {.split = split, .threads = 1});
    const std::vector<Mesh> together = test::meshes_of(medium_models(), {.split = split, .threads = 0});
    for (std::size_t k = 0; k < alone.size(); ++k) {
      const std::size_t m = (k * 5 + 3) % alone.size();
      const Pose pose = random_pose(random, 0.2);
      const Contacts p = MeshPair(alone[k], Pose(), alone[m], pose).find_contacts();
      const Contacts q = MeshPair(together[k], Pose(), together[m], pose).find_contacts();
      ASSERT_EQ(p.pairs.size(), q.pairs.size());
      for (std::size_t n = 0; n < p.pairs.size(); ++n) {
        ASSERT_EQ(p.pairs[n].a, q.pairs[n].a) << medium_models()[k].name;
        ASSERT_EQ(p.pairs[n].b, q.pairs[n].b) << medium_models()[k].name;
      }
    }
  }
}

// --- solids ------------------------------------------------------------------------------------------------------

TEST(SolidContacts, OneInsideTheOtherIsOneContactOfTheWholes) {
  const Shape outer = Mesh(make::box({.size_x = 4, .size_y = 4, .size_z = 4})).solid();
  const Shape inner = Mesh(make::icosphere({.radius = 0.5})).solid();
  const Shape inner_surface = Mesh(make::icosphere({.radius = 0.5}));
  const Shape outer_surface = Mesh(make::box({.size_x = 4, .size_y = 4, .size_z = 4}));
  for (const Shape& small : {inner, inner_surface}) {
    for (const bool swap : {false, true}) {
      const Contacts found = swap ? contacts(small, outer) : contacts(outer, small);
      ASSERT_EQ(found.pairs.size(), 1u);
      EXPECT_EQ(found.pairs[0].a, Feature{});
      EXPECT_EQ(found.pairs[0].b, Feature{});
      // Twice the same point, which is in both.
      EXPECT_EQ(found.pairs[0].segment.a, found.pairs[0].segment.b);
      EXPECT_LE(found.pairs[0].segment.a.norm(), 0.5 * (1 + 1e-12));
      EXPECT_GE(found.pairs[0].segment.a.norm(), small.as<Mesh>()->is_solid() ? 0 : 0.4);
      EXPECT_TRUE(contacts(outer, small, {.max_count = 0}).pairs.empty());
    }
    EXPECT_TRUE(contacts(outer_surface, small).pairs.empty());
    EXPECT_TRUE(contacts(outer, {small, Pose(Vector3(5, 0, 0))}).pairs.empty());
  }
}

TEST(SolidContacts, AreThoseOfTheSurfacesWhereTheseTouch) {
  auto random = seeded(3113);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < cases(400); ++i) {
    const std::size_t k = i % small_models().size(), m = (i * 5 + i / 16) % small_models().size();
    if (!small_models()[k].closed || !small_models()[m].closed) continue;
    const Pose pose_a = random_pose(random, 0.4), pose_b = random_pose(random, 0.4);
    const MeshPair surfaces(small_meshes()[k], pose_a, small_meshes()[m], pose_b);
    const MeshPair solids(small_meshes()[k].solid(), pose_a, small_meshes()[m].solid(), pose_b);
    const std::vector<IdPair> truth = test::touching_pairs(surfaces.placed_a(), surfaces.placed_b());
    const Contacts found = solids.find_contacts();
    ASSERT_EQ(!found.pairs.empty(), solids.touch()) << solids;
    if (truth.empty()) {
      for (const Contact& contact : found.pairs) {
        ASSERT_EQ(contact.a, Feature{});
        ASSERT_EQ(contact.b, Feature{});
      }
      continue;
    }
    ++hits;
    ASSERT_EQ(test::difference(ids_of(found), truth), "") << solids;
  }
  EXPECT_GT(hits, cases(400) / 10);
}

}  // namespace
}  // namespace whisker
