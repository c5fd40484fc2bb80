// Meshes that nobody makes on purpose but everybody gets: triangles that are segments and points, a million of them in
// one place, sizes at both ends of the range of double, and parts far from the origin and far from each other.

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
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
using test::expect_touches_is_true;
using test::MeshPair;
using test::PlacedTriangles;
using test::Random;
using test::random_pose;
using test::Real;
using test::seeded;
using test::small_meshes;
using test::small_models;
using test::uniform;

/// Checks that the bounds of the distance of two surfaces contain the truth and are as tight as they should be.
void expect_distance_is_true(const MeshPair& pair) {
  const PlacedTriangles a = pair.placed_a(), b = pair.placed_b();
  const Real truth = test::surface_distance(a, b), tolerance = test::distance_tolerance(truth, a, b);
  const Distance found = pair.find_distance();
  EXPECT_LE(Real(found.lower), truth) << pair;
  EXPECT_GE(Real(found.upper), truth) << pair;
  EXPECT_LE(Real(found.upper) - truth, tolerance) << "of " << double(truth) << "\n" << pair;
  EXPECT_LE(truth - Real(found.lower), tolerance) << "of " << double(truth) << "\n" << pair;
}

void expect_all_is_true(const MeshPair& pair) {
  expect_contacts_are_true(pair);
  expect_distance_is_true(pair);
}

// --- triangles without area --------------------------------------------------------------------------------------

/// Points, segments, slivers and proper triangles on a small lattice, so that they touch in all ways.
MeshData lattice_soup(Random& random, int count) {
  std::vector<Triangle> all;
  for (int i = 0; i < count; ++i) {
    const Vector3 a = test::scenes::integer_vector(random, 4);
    switch (test::whole(random, 0, 4)) {
      case 0:
        all.push_back({a, a, a});
        break;
      case 1: {
        const Vector3 b = test::scenes::integer_vector(random, 4);
        all.push_back({a, b, test::scenes::chance(random, 2) ? a : b});
        break;
      }
      case 2: {  // three collinear points, in any order
        const Vector3 along = test::scenes::integer_vector(random, 2);
        all.push_back({a, a + test::whole(random, -2, 2) * along, a + along});
        break;
      }
      default:
        all.push_back({a, a + test::scenes::integer_vector(random, 2), a + test::scenes::integer_vector(random, 2)});
    }
    if (test::scenes::chance(random, 6)) all.push_back(all.back());  // a duplicate
  }
  return test::soup(all);
}

TEST(DegenerateMesh, SoupsOfPointsSegmentsAndTriangles) {
  auto random = seeded(3201);
  for (std::size_t i = 0; i < cases(1500); ++i) {
    const Mesh a(lattice_soup(random, test::whole(random, 1, 60))), b(lattice_soup(random, test::whole(random, 1, 60)));
    const Pose pose_a(i % 2 == 0 ? Matrix3(Matrix3::Identity()) : test::scenes::axis_rotation(random),
                      test::scenes::integer_vector(random, 3));
    Pose pose_b(test::scenes::axis_rotation(random), test::scenes::integer_vector(random, 5));
    if (i % 5 == 0) pose_b = random_pose(random, 4);
    if (i % 5 == 1) pose_b.set_translation(test::scenes::integer_vector(random, 1) * 9);
    expect_contacts_are_true({a, pose_a, b, pose_b});
    if (i % 8 == 0) expect_distance_is_true({a, pose_a, b, pose_b});
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(DegenerateMesh, OnlyPointsOrOnlySegments) {
  auto random = seeded(3202);
  const auto points = [&](int count) {
    std::vector<Triangle> all;
    for (int i = 0; i < count; ++i) {
      const Vector3 p = test::scenes::integer_vector(random, 3);
      all.push_back({p, p, p});
    }
    return Mesh(test::soup(all));
  };
  const auto segments = [&](int count) {
    std::vector<Triangle> all;
    for (int i = 0; i < count; ++i) {
      const Vector3 p = test::scenes::integer_vector(random, 3), q = test::scenes::integer_vector(random, 3);
      all.push_back({p, q, p});
    }
    return Mesh(test::soup(all));
  };
  for (std::size_t i = 0; i < cases(200); ++i) {
    const int n = test::whole(random, 1, 40);
    const Pose pose(test::scenes::integer_vector(random, 4));
    const Mesh p = points(n), q = points(n), s = segments(n), t = segments(n);
    for (const auto& [a, b] : {std::pair(p, q), std::pair(p, s), std::pair(s, t)})
      expect_contacts_are_true({a, Pose(), b, pose});
    if (i % 8 == 0) {
      expect_distance_is_true({p, Pose(), q, pose});
      expect_distance_is_true({p, Pose(), s, pose});
      expect_distance_is_true({s, Pose(), t, pose});
    }
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(DegenerateMesh, VerticesThatNoTriangleUsesAreNotThere) {
  MeshData data = make::icosphere({.subdivisions = 1});
  data.vertices.emplace_back(100, 0, 0);
  data.vertices.emplace_back(-1e80, 1e80, 1e-80);
  const Mesh mesh(data), plain(make::icosphere({.subdivisions = 1}));
  EXPECT_FALSE(MeshPair(mesh, Pose(), plain, Pose(Vector3(100, 0, 0))).touch());
  expect_all_is_true({mesh, Pose(), plain, Pose(Vector3(1.5, 0, 0))});
  expect_all_is_true({mesh, Pose(), plain, Pose(Vector3(2.5, 0, 0))});
}

/// All vertices coincide: no plane divides the triangles, and all boxes are the same.
void expect_heap_in_one_point(std::size_t count, Split split) {
  MeshData data;
  data.vertices = {Vector3(0.1, 0.2, 0.3)};
  data.triangles.assign(count, {0, 0, 0});
  const Shape heap = Mesh(data, {.split = split});
  const Shape box = Mesh(make::box()), solid = Mesh(make::box()).solid();
  EXPECT_TRUE(touches(heap, heap));
  EXPECT_FALSE(touches(heap, box));
  EXPECT_TRUE(touches(solid, heap));
  EXPECT_TRUE(touches(heap, {heap, Pose(Vector3(0x1p-60, 0, 0))})) << "the sum is rounded to the same place";
  EXPECT_FALSE(touches(heap, {heap, Pose(Vector3(1e-12, 0, 0))}));
  EXPECT_FALSE(touches(heap, {heap, Pose(Vector3(1, 0, 0))}));
  EXPECT_TRUE(touches(box, {heap, Pose(Vector3(0.4, 0, 0))})) << "0.1 + 0.4 is 0.5";
  const Contacts some = contacts(heap, heap, {.max_count = 1000});
  EXPECT_EQ(some.pairs.size(), 1000u);
  EXPECT_EQ(some.stop, Stop::count);
  const Contacts whole = contacts(box, {heap, Pose(Vector3(0.4, 0, 0))}, {.segments = false});
  EXPECT_GE(whole.pairs.size(), count);
  EXPECT_EQ(whole.stop, Stop::exact);
}

TEST(DegenerateMesh, AMillionTrianglesInOnePoint) {
  expect_heap_in_one_point(1'000'000, Split::surface_area);
}

TEST(DegenerateMesh, ManyTrianglesInOnePointWithEveryBuilder) {
  for (const Split split : test::all_splits)
    expect_heap_in_one_point(20'000, split);
}

TEST(DegenerateMesh, AHundredThousandEqualTriangles) {
  MeshData data;
  data.vertices = {Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0)};
  data.triangles.assign(100'000, {0, 1, 2});
  const Shape heap = Mesh(data);
  EXPECT_TRUE(touches(heap, heap));
  EXPECT_FALSE(touches(heap, {heap, Pose(Vector3(0, 0, 1e-3))}));
  // Closer than culling can distinguish: every pair is tested.
  data.triangles.resize(300);
  const Shape small_heap = Mesh(data);
  EXPECT_FALSE(touches(small_heap, {small_heap, Pose(Vector3(0, 0, 1e-300))}));
  EXPECT_EQ(contacts(heap, heap, {.max_count = 5000}).pairs.size(), 5000u);
  const Shape one = Mesh(test::soup({{{0.5, 0.5, -1}, {0.5, 0.5, 1}, {1, 1, 1}}}));
  EXPECT_EQ(contacts(heap, one).pairs.size(), 100'000u);
}

// --- sizes -------------------------------------------------------------------------------------------------------

TEST(DegenerateMesh, PairsOfLikeSizeAtAnyScale) {
  auto random = seeded(3203);
  const std::array<double, 8> scales = {1e-90, 1e-60, 1e-38, 1e-20, 1e20, 1e38, 1e60, 5e89};
  for (const double scale : scales) {
    for (std::size_t i = 0; i < cases(16); ++i) {
      const std::size_t k = i % small_models().size(), m = (i * 5 + i / 16) % small_models().size();
      const Mesh a(test::scaled(small_models()[k].data, scale)), b(test::scaled(small_models()[m].data, scale));
      Pose pose_a = random_pose(random, 0.4), pose_b = random_pose(random, i % 2 == 0 ? 0.4 : 0.9);
      pose_a.set_translation(pose_a.translation() * scale);
      pose_b.set_translation(pose_b.translation() * scale);
      expect_contacts_are_true({a, pose_a, b, pose_b});
      expect_contacts_are_true({a, pose_a, a, pose_a});
      if (i % 4 == 0) expect_distance_is_true({a, pose_a, b, pose_b});
      if (HasFailure()) FAIL() << scale << ", case " << i;
    }
  }
}

TEST(DegenerateMesh, ScalingByAPowerOfTwoScalesTheAnswer) {
  auto random = seeded(3204);
  for (const int exponent : {-290, -200, -127, -100, -30, 30, 100, 127, 200, 290}) {
    const double scale = std::ldexp(1.0, exponent);
    for (std::size_t i = 0; i < cases(48); ++i) {
      const std::size_t k = i % small_models().size(), m = (i * 5 + i / 16) % small_models().size();
      const Mesh a(small_models()[k].data), b(small_models()[m].data);
      const Mesh scaled_a(test::scaled(small_models()[k].data, scale)),
          scaled_b(test::scaled(small_models()[m].data, scale));
      const Pose pose_a = random_pose(random, 0.5), pose_b = random_pose(random, 0.5);
      const MeshPair pair(a, pose_a, b, pose_b);
      const MeshPair scaled(scaled_a, Pose(pose_a.rotation(), scale * pose_a.translation()), scaled_b,
                            Pose(pose_b.rotation(), scale * pose_b.translation()));
      ASSERT_EQ(scaled.touch(), pair.touch()) << "2^" << exponent << "\n" << pair;
      ASSERT_EQ(test::difference(test::ids_of(scaled.find_contacts()), test::ids_of(pair.find_contacts())), "")
          << "2^" << exponent << "\n"
          << pair;
      const Distance d = pair.find_distance(), e = scaled.find_distance();
      ASSERT_LE(e.lower, scale * d.upper) << "2^" << exponent << "\n" << pair;
      ASSERT_GE(e.upper, scale * d.lower) << "2^" << exponent << "\n" << pair;
    }
  }
}

TEST(DegenerateMesh, VeryDifferentSizes) {
  auto random = seeded(3205);
  const std::vector<std::size_t> tall = {0, 3, 8, 10, 13};
  for (const double scale : {1e-3, 1e-6, 1e-9, 1e-15, 1e-30, 1e-60, 1e-88}) {
    for (std::size_t i = 0; i < cases(30); ++i) {
      const Mesh& big = small_meshes()[tall[i % tall.size()]];
      const Mesh small(test::scaled(small_models()[i % small_models().size()].data, scale));
      // At a corner, on an edge or on a face of the large one, or right next to it.
      const Pose pose_big = i % 3 == 0 ? Pose() : random_pose(random, 0.3);
      const PlacedTriangles placed(big, pose_big);
      const Triangle& t = placed.triangles[random() % placed.triangles.size()];
      const std::array<Vector3, 4> spots = {t.a, (t.a + t.b) / 2, (t.a + t.b + t.c) / 3, Vector3(0, 0, 0)};
      Pose pose_small = random_pose(random, 1);
      pose_small.set_translation(spots[i % spots.size()] +
                                 static_cast<double>(i % 7) * scale * pose_small.translation());
      expect_contacts_are_true({big, pose_big, small, pose_small});
      if (i % 5 == 0) expect_distance_is_true({big, pose_big, small, pose_small});
      if (HasFailure()) FAIL() << scale << ", case " << i;
    }
    // Around the origin, a small mesh keeps its own digits.
    const Mesh small(test::scaled(small_models()[1].data, scale));
    const Mesh cross(test::soup({{{0, -1, -1}, {0, 1, -1}, {0, 0, 1}}, {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}}}));
    expect_all_is_true({cross, Pose(), small, Pose()});
    expect_all_is_true({cross, Pose(), small, Pose(Vector3(0.51 * scale, 0, 0))});
    expect_all_is_true({cross, Pose(), small, Pose(Vector3(0.49 * scale, 0, 0))});
    if (HasFailure()) FAIL() << scale;
  }
}

TEST(DegenerateMesh, OneMeshWithTrianglesOfAllSizes) {
  auto random = seeded(3206);
  for (std::size_t i = 0; i < cases(150); ++i) {
    std::vector<Triangle> all, others;
    for (int n = 0; n < 120; ++n) {
      const double size = test::scenes::power_of_ten(-test::whole(random, 0, 80));
      const Vector3 middle = size * test::random_vector(random, 2);
      const auto corner = [&] { return Vector3(middle + size * test::random_vector(random, 1)); };
      const Vector3 a = corner(), b = corner();
      (n % 2 == 0 ? all : others).push_back({a, b, corner()});
    }
    const Mesh a(test::soup(all)), b(test::soup(others));
    const Pose turned(test::scenes::any_rotation(random), Vector3::Zero());
    expect_contacts_are_true({a, Pose(), b, turned});
    if (i % 10 == 0) expect_distance_is_true({a, Pose(), b, Pose(turned.rotation(), Vector3(3, 4, 5))});
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(DegenerateMesh, FarFromTheOrigin) {
  auto random = seeded(3207);
  for (const double away : {1e3, 1e6, 1e9, 1e12, 1e15, 1e30}) {
    for (std::size_t i = 0; i < cases(32); ++i) {
      const std::size_t k = i % small_models().size(), m = (i * 5 + i / 16) % small_models().size();
      const Vector3 there = away * test::scenes::unit_vector(random);
      // Far away because of its pose, or because of its own coordinates.
      const Mesh moved_a(test::moved(small_models()[k].data, there));
      const Pose pose_a = random_pose(random, 0.4);
      Pose pose_b = random_pose(random, 0.4);
      const Pose far_a(pose_a.rotation(), pose_a.translation() + there),
          far_b(pose_b.rotation(), pose_b.translation() + there);
      expect_contacts_are_true({small_meshes()[k], far_a, small_meshes()[m], far_b});
      expect_contacts_are_true({moved_a, Pose(), small_meshes()[m], far_b});
      // There and back: the coordinates are large, but the placed mesh is near the origin.
      const Pose back(pose_b.rotation(), -(pose_b.rotation() * there));
      expect_contacts_are_true({moved_a, back, small_meshes()[m], pose_b});
      if (i % 24 == 0) {
        expect_distance_is_true({small_meshes()[k], far_a, small_meshes()[m], far_b});
        expect_distance_is_true({moved_a, back, small_meshes()[m], pose_b});
      }
      if (HasFailure()) FAIL() << away << ", case " << i;
    }
  }
}

TEST(DegenerateMesh, FarFromTheOriginToTheLastBitOfContact) {
  auto random = seeded(3208);
  for (const double away : {1e6, 1e12}) {
    for (std::size_t i = 0; i < cases(40); ++i) {
      const Mesh &a = small_meshes()[i % small_meshes().size()],
                 &b = small_meshes()[(i * 5 + i / 16) % small_meshes().size()];
      const Vector3 there = away * test::scenes::unit_vector(random), direction = test::scenes::unit_vector(random);
      const Pose pose_a(test::scenes::any_rotation(random), there);
      const Matrix3 turn = test::scenes::any_rotation(random);
      const auto pose_at = [&](double s) { return Pose(turn, there + s * direction); };
      const PlacedTriangles placed_a(a, pose_a);
      const auto brute = [&](double s) { return test::surfaces_touch(placed_a, {b, pose_at(s)}); };
      double start = 0;
      while (start < 1 && !brute(start))
        start += 0.125;
      if (start >= 1) continue;
      const auto [inside, outside] = test::last_bit(start, 4.0, brute);
      EXPECT_TRUE(expect_touches_is_true({a, pose_a, b, pose_at(inside)}));
      EXPECT_FALSE(expect_touches_is_true({a, pose_a, b, pose_at(outside)}));
      for (double s = inside - 4e-16 * away; s < inside + 4e-16 * away; s += 1e-16 * away)
        expect_contacts_are_true({a, pose_a, b, pose_at(s)});
      if (HasFailure()) FAIL() << away << ", case " << i;
    }
  }
}

// --- flat meshes ---------------------------------------------------------------------------------------------------

TEST(DegenerateMesh, FlatMeshesAgainstEachOtherAndAgainstSolids) {
  auto random = seeded(3209);
  const auto flattened = [](MeshData data, int axis) {
    for (Vector3& v : data.vertices)
      v[axis] = 0;
    return data;
  };
  for (std::size_t i = 0; i < cases(64); ++i) {
    const std::size_t k = i % small_models().size(), m = (i * 5 + i / 16) % small_models().size();
    const int axis = static_cast<int>(i % 3);
    const Mesh flat_a(flattened(small_models()[k].data, axis)), flat_b(flattened(small_models()[m].data, axis));
    Vector3 in_plane = test::random_vector(random, 0.7);
    in_plane[axis] = 0;
    expect_contacts_are_true({flat_a, Pose(), flat_b, Pose(in_plane)});
    Matrix3 turn = -Matrix3::Identity();  // half a turn in the plane
    turn(axis, axis) = 1;
    expect_contacts_are_true({flat_a, Pose(), flat_b, Pose(turn, in_plane)});
    const Pose anywhere = random_pose(random, 0.3);
    expect_contacts_are_true({flat_a, anywhere, small_meshes()[m], random_pose(random, 0.3)});
    const Vector3 lifted = in_plane + uniform(random, 1e-9, 1) * Vector3(Vector3::Unit(axis));
    if (i % 6 == 0) {
      expect_distance_is_true({flat_a, Pose(), small_meshes()[m], Pose(2 * lifted)});
      if (k != 4 && m != 4) expect_distance_is_true({flat_a, Pose(), flat_b, Pose(anywhere.rotation(), 2 * lifted)});
    }
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(DegenerateMesh, MeshesAlongALine) {
  // All triangles on one line: boxes of zero width in two directions.
  auto random = seeded(3210);
  for (std::size_t i = 0; i < cases(200); ++i) {
    const Vector3 along = i % 2 == 0 ? Vector3(Vector3::UnitX()) : Vector3(1, 2, 3);
    const auto line = [&] {
      std::vector<Triangle> all;
      for (int n = 0; n < 50; ++n) {
        const int from = test::whole(random, -60, 60);
        const Vector3 a = from * along, b = (from + test::whole(random, 0, 3)) * along;
        all.push_back({a, b, (from + test::whole(random, 0, 3)) * along});
      }
      return Mesh(test::soup(all));
    };
    const Mesh a = line(), b = line();
    expect_contacts_are_true({a, Pose(), b, Pose(test::whole(random, -120, 120) * along)});
    expect_contacts_are_true({a, Pose(), b, Pose(test::scenes::axis_rotation(random), Vector3::Zero())});
    if (i % 20 == 0) expect_distance_is_true({a, Pose(), b, Pose(Vector3(3, -4, 12))});
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(DegenerateMesh, OneTriangleAgainstABigMesh) {
  auto random = seeded(3211);
  const std::vector<Mesh>& meshes = test::medium_meshes();
  for (std::size_t i = 0; i < cases(300); ++i) {
    const Mesh& big = meshes[i % meshes.size()];
    const auto corner = [&] { return test::random_vector(random, i % 3 == 0 ? 5 : 0.5); };
    const Vector3 a = corner(), b = i % 10 == 0 ? a : corner(), c = i % 20 < 5 ? b : corner();
    const Mesh one(test::soup({{a, b, c}}));
    const MeshPair pair(big, random_pose(random, 0.1), one, Pose());
    expect_contacts_are_true(pair);
    if (i % 10 == 3) expect_distance_is_true(pair);
    if (HasFailure()) FAIL() << "case " << i;
  }
}

// --- kilometers and micrometers ----------------------------------------------------------------------------------

/// Parts of size 1e-6 at both ends of a kilometer, connected by one long thin triangle.
TEST(DegenerateMesh, AnExtentOfAThousandMillionFeatures) {
  auto random = seeded(3212);
  const MeshData tiny = test::scaled(small_models()[3].data, 1e-6);
  const MeshData knob = test::scaled(small_models()[10].data, 1e-6);
  MeshData bar = test::joined(test::moved(tiny, Vector3(-500, 0, 0)), test::moved(knob, Vector3(500, 0, 0)));
  bar = test::joined(bar, test::soup({{{-500, 0, 0}, {500, 0, 0}, {0, 1e-6, 0}}}));
  const Mesh wide(bar),
      other(test::joined(test::moved(knob, Vector3(-500, 0, 0)), test::moved(tiny, Vector3(500, 0, 0))));
  for (std::size_t i = 0; i < cases(120); ++i) {
    const Pose jitter(1e-6 * test::random_vector(random, 0.8));
    expect_contacts_are_true({wide, Pose(), other, jitter});
    const Pose home = random_pose(random, 1);
    expect_contacts_are_true({wide, home, other, compose(home, jitter)});
    const Mesh probe(i % 2 == 0 ? tiny : knob);
    Pose at_end = random_pose(random, 1);
    at_end.set_translation(Vector3(i % 4 < 2 ? 500 : -500, 0, 0) + 1e-6 * at_end.translation());
    expect_contacts_are_true({wide, Pose(), probe, at_end});
    if (i % 20 == 0) {
      expect_distance_is_true({wide, Pose(), probe, at_end});
      expect_distance_is_true({other, Pose(), probe, at_end});
    }
    if (HasFailure()) FAIL() << "case " << i;
  }
}

// --- invalid input -------------------------------------------------------------------------------------------------

TEST(DegenerateMesh, BeyondTheDocumentedRangeIsAnErrorThatNamesIt) {
  MeshData data = make::box();
  data.vertices[3].x() = 2e90;
  EXPECT_THROW(Mesh{data}, Error);
  data.vertices[3].x() = infinity;
  EXPECT_THROW(Mesh{data}, Error);
  data.vertices[3].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Mesh{data}, Error);
}

TEST(DegenerateMesh, AtTheVeryEndOfTheRange) {
  auto random = seeded(3213);
  const Mesh huge(test::scaled(make::box(), 2e90));  // corners at 1e90
  const Mesh unit_box(make::box());
  const Mesh least(test::scaled(small_models()[1].data, std::numeric_limits<double>::denorm_min() * 64));
  for (std::size_t i = 0; i < cases(24); ++i) {
    Pose pose = random_pose(random, 1);
    expect_contacts_are_true({unit_box, Pose(), huge, Pose(pose.rotation(), Vector3::Zero())});
    pose.set_translation(pose.translation() * 1e90);
    expect_contacts_are_true({huge, Pose(), huge, pose});
    expect_contacts_are_true({huge, pose, unit_box, pose});
    // Triangles whose coordinates are small multiples of the smallest double.
    expect_contacts_are_true({least, Pose(), least, Pose(pose.rotation(), Vector3::Zero())});
    expect_contacts_are_true({least, Pose(), unit_box, Pose(Vector3(0.5, 0, 0))});
    expect_contacts_are_true({least, Pose(), huge, Pose(Vector3(1e90, 0, 0))});
    if (HasFailure()) FAIL() << "case " << i;
  }
}

TEST(DegenerateMesh, AlikeOnEveryInstructionSet) {
  for (const std::string& target : simd_targets()) {
    ASSERT_TRUE(use_simd_target(target));
    auto random = seeded(3214);
    for (std::size_t i = 0; i < cases(100); ++i) {
      const double scale = std::array<double, 7>{1e-90, 1e-44, 1e-20, 1, 1e20, 1e44, 1e89}[i % 7];
      const Mesh a(test::scaled(lattice_soup(random, 30), scale)), b(test::scaled(lattice_soup(random, 30), scale));
      expect_contacts_are_true({a, Pose(), b, Pose(scale * test::scenes::integer_vector(random, 4))});
      Pose pose = random_pose(random, 4);
      pose.set_translation(pose.translation() * scale);
      expect_contacts_are_true({a, pose, b, Pose()});
      const Mesh tiny(test::scaled(lattice_soup(random, 30), 1e-30 * scale));
      expect_contacts_are_true({a, Pose(), tiny, Pose()});
      if (HasFailure()) break;
    }
    use_simd_target("");
    if (HasFailure()) FAIL() << target;
  }
}

}  // namespace
}  // namespace whisker
