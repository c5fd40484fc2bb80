// Tests the clash check on parts whose findings are known from their placement.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <tbb/global_control.h>
#include <tuple>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh_queries.hpp>

#include "clash/check.hpp"
#include "clash/output.hpp"
#include "clash/part_mesh.hpp"
#include "clash/pattern.hpp"
#include "clash/shrink.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker::clash {
namespace {

using test::turned_pose;
using test::uniform;

// An assembly that is built part by part.
struct Scene {
  Assembly assembly;

  std::uint32_t mesh(MeshData data) {
    assembly.meshes.push_back(make_part_mesh(std::move(data)));
    return static_cast<std::uint32_t>(assembly.meshes.size() - 1);
  }
  Part& add(const std::string& name, std::uint32_t mesh_number, const Pose& pose, const std::string& group = "") {
    Part part;
    part.name = name;
    part.group = group;
    part.mesh = mesh_number;
    part.pose = pose;
    assembly.parts.push_back(part);
    return assembly.parts.back();
  }
  Part& add(const std::string& name, MeshData data, const Pose& pose = {}, const std::string& group = "") {
    return add(name, mesh(std::move(data)), pose, group);
  }
};

MeshData box(double x, double y, double z) {
  return make::box({.size_x = x, .size_y = y, .size_z = z});
}

// A tube around the z axis whose hole has the cross-section of make::cylinder.
MeshData ring(double inner, double outer, double length, int slices) {
  MeshData mesh;
  const MeshData in = make::cylinder({.radius = inner, .length = length, .slices = slices});
  const MeshData out = make::cylinder({.radius = outer, .length = length, .slices = slices});
  const auto corner = [&](const MeshData& of, int slice, bool above) {
    // Found by direction and height, so that the result does not depend on how the model numbers its corners.
    const double angle = 2 * std::numbers::pi * slice / slices;
    const Vector3 way(std::cos(angle), std::sin(angle), above ? 1 : -1);
    std::size_t best = 0;
    for (std::size_t i = 1; i < of.vertices.size(); ++i)
      if (of.vertices[i].dot(way) > of.vertices[best].dot(way)) best = i;
    return of.vertices[best];
  };
  for (int i = 0; i < slices; ++i)
    for (const bool above : {false, true})
      for (const MeshData* of : {&in, &out})
        mesh.vertices.push_back(corner(*of, i, above));
  const auto n = static_cast<std::uint32_t>(slices);
  const auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  };
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t at = 4 * i, next = 4 * ((i + 1) % n);
    quad(at + 1, next + 1, next + 3, at + 3);
    quad(at, at + 2, next + 2, next);
    quad(at + 2, at + 3, next + 3, next + 2);
    quad(at, next, next + 1, at + 1);
  }
  return mesh;
}

Pose shifted(const Pose& pose, const Vector3& by) {
  return compose(pose, Pose(by));
}

// Returns the only finding, which must be of this kind.
Finding only_finding(const Scene& scene, FindingKind kind) {
  const Findings found = check(scene.assembly);
  EXPECT_TRUE(found.is_complete);
  EXPECT_EQ(found.all.size(), 1u);
  if (found.all.empty()) return {};
  EXPECT_STREQ(to_text(found.all[0].kind), to_text(kind));
  return found.all[0];
}

void expect_bounds(const std::optional<Bounds>& bounds, double truth, double tolerance) {
  ASSERT_TRUE(bounds.has_value());
  EXPECT_LE(bounds->lower, truth + tolerance);
  EXPECT_GE(bounds->upper, truth - tolerance);
  EXPECT_LE(bounds->upper - bounds->lower, 2 * tolerance + 1e-5 * truth);
}

TEST(ClashKinds, BoxesThatOverlapAreAClashOfTheirOverlap) {
  std::mt19937_64 random = test::seeded(1);
  for (std::size_t i = 0; i < test::cases(200); ++i) {
    const Pose base = turned_pose(random, 100);
    const double deep = std::exp(uniform(random, -8, -1));
    Scene scene;
    scene.add("a", box(2, 3, 4), base);
    scene.add("b", box(2, 2, 2), shifted(base, {2 - deep, 0.3, -0.2}));
    const Finding finding = only_finding(scene, FindingKind::clash);
    expect_bounds(finding.depth, deep, 1e-10);
    EXPECT_FALSE(finding.distance);
    EXPECT_NEAR(std::abs(finding.normal.dot(base.rotation().col(0))), 1, 1e-6);
    EXPECT_GT(finding.triangles, 0u);
    ASSERT_FALSE(finding.curve.empty());
    // The curve goes around b's cross-section where b enters a, and around the rim of a's face. Both are in the
    // overlap.
    const Vector3 local = place(inverse(base), finding.position);
    EXPECT_NEAR(local[0], 1 - deep / 2, deep / 2 + 1e-9);
    for (const Polyline& line : finding.curve) {
      for (const Vector3& point : line.points) {
        const Vector3 p = place(inverse(base), point);
        EXPECT_LE(p[0], 1 + 1e-9);
        EXPECT_GE(p[0], 1 - deep - 1e-9);
      }
    }
  }
}

TEST(ClashKinds, SpheresAreTooCloseByTheirGap) {
  std::mt19937_64 random = test::seeded(2);
  for (std::size_t i = 0; i < test::cases(200); ++i) {
    const Pose base = turned_pose(random, 100);
    const double gap = uniform(random, 0.01, 0.09);
    Scene scene;
    // The poles are on the z axis, exactly on the sphere.
    const std::uint32_t ball = scene.mesh(make::uv_sphere({.radius = 1}));
    scene.add("a", ball, base);
    scene.add("b", ball, shifted(base, {0, 0, 2 + gap}));
    scene.add("far", ball, shifted(base, {0, 0, -2.2}));
    scene.assembly.rules.clearance = 0.1;
    const Finding finding = only_finding(scene, FindingKind::too_close);
    EXPECT_EQ(finding.a, 0u);
    EXPECT_EQ(finding.b, 1u);
    expect_bounds(finding.distance, gap, 1e-11);
    EXPECT_NEAR((finding.point_b - finding.point_a).norm(), gap, 1e-11);
    EXPECT_NEAR(finding.normal.dot(base.rotation().col(2)), 1, 1e-6);
    EXPECT_FALSE(finding.depth);
    scene.assembly.rules.clearance = gap * 0.99;
    EXPECT_TRUE(check(scene.assembly).all.empty());
  }
}

TEST(ClashKinds, AGapOfExactlyTheClearanceIsFarEnough) {
  Scene scene;
  scene.add("a", box(1, 1, 1));
  scene.add("b", box(1, 1, 1), Pose(Vector3(1.1, 0, 0)));
  scene.assembly.rules.clearance = 0.1;
  EXPECT_TRUE(check(scene.assembly).all.empty());
}

TEST(ClashKinds, FlushFacesAreContactsHoweverTheyAreTurned) {
  std::mt19937_64 random = test::seeded(3);
  for (std::size_t i = 0; i < test::cases(240); ++i) {
    const Pose base = turned_pose(random, 1000);
    Scene scene;
    scene.add("block", box(2, 2, 2), base);
    scene.add("on it", box(1, 1, 1), shifted(base, {1.5, uniform(random, -1, 1), uniform(random, -1, 1)}));
    if (i % 2 == 0) scene.assembly.rules.clearance = 0.5;
    const Finding finding = only_finding(scene, FindingKind::contact);
    EXPECT_FALSE(finding.depth);
    ASSERT_TRUE(finding.distance);
    EXPECT_LT(finding.distance->upper, 1e-8);
    EXPECT_NEAR(place(inverse(base), finding.position)[0], 1, 1e-9);
  }
}

TEST(ClashKinds, AShaftThatFillsItsHoleIsAContact) {
  std::mt19937_64 random = test::seeded(4);
  for (const int slices : {5, 16, 64}) {
    for (std::size_t i = 0; i < test::cases(5); ++i) {
      const Pose base = i == 0 ? Pose() : turned_pose(random, 100);
      Scene scene;
      scene.add("bearing", ring(5, 9, 4, slices), base);
      scene.add("shaft", make::cylinder({.radius = 5, .length = 20, .slices = slices}), base);
      only_finding(scene, FindingKind::contact);
    }
  }
}

TEST(ClashKinds, APressFitIsAContactUpToTheContactDistance) {
  for (const double excess : {0.001, 0.004, 0.02, 0.1}) {
    Scene scene;
    scene.add("bearing", ring(5, 9, 4, 32));
    scene.add("shaft", make::cylinder({.radius = 5 + excess, .length = 20, .slices = 32}));
    scene.assembly.rules.contact = 0.01;
    const Findings found = check(scene.assembly);
    ASSERT_EQ(found.all.size(), 1u);
    EXPECT_EQ(found.all[0].kind == FindingKind::contact, excess < 0.01) << excess;
    // The depth of the clash is how far the shaft must be pulled out. Its lower bound is how deep the shaft's surface
    // lies in the ring.
    if (excess > 0.01) {
      EXPECT_LE(found.all[0].depth->lower, 12);
      EXPECT_GE(found.all[0].depth->lower, 0.9 * excess);
      EXPECT_GE(found.all[0].depth->upper, 12 - 1e-9);
    }
  }
}

TEST(ClashKinds, OverlapsAndGapsUpToTheContactDistanceAreContacts) {
  std::mt19937_64 random = test::seeded(5);
  for (std::size_t i = 0; i < test::cases(240); ++i) {
    const Pose base = turned_pose(random, 10);
    const double overlap = uniform(random, -0.03, 0.03);
    Scene scene;
    scene.add("a", box(2, 2, 2), base);
    scene.add("b", box(2, 2, 2), shifted(base, {0.1, 0.2, 2 - overlap}));
    scene.assembly.rules.contact = 0.02;
    const Findings found = check(scene.assembly);
    if (overlap < -0.02) {
      EXPECT_TRUE(found.all.empty());
    } else {
      ASSERT_EQ(found.all.size(), 1u);
      EXPECT_EQ(found.all[0].kind == FindingKind::contact, overlap <= 0.02) << overlap;
    }
  }
}

TEST(ClashKinds, APartInsideAnotherIsContained) {
  std::mt19937_64 random = test::seeded(6);
  for (std::size_t i = 0; i < test::cases(120); ++i) {
    const Pose base = turned_pose(random, 100);
    Scene scene;
    scene.add("bolt", box(1, 1, 1), shifted(base, {1, 0, 0}));
    scene.add("wall", box(10, 20, 30), base);
    const Finding finding = only_finding(scene, FindingKind::contained);
    EXPECT_NE(finding.note.find("'bolt' lies inside 'wall'"), std::string::npos);
    // The shortest way out is through the nearest face: from x = 0.5 to 5.
    expect_bounds(finding.depth, 4.5, 1e-8);
    EXPECT_EQ(finding.triangles, 0u);
    EXPECT_LT((place(inverse(base), finding.position) - Vector3(1, 0, 0)).norm(), 1e-9);
  }
}

TEST(ClashKinds, APartInTheHollowOfAnotherIsNotContained) {
  Scene scene;
  MeshData hollow = box(10, 10, 10);
  MeshData inner = box(8, 8, 8);
  const auto base = static_cast<std::uint32_t>(hollow.vertices.size());
  hollow.vertices.insert(hollow.vertices.end(), inner.vertices.begin(), inner.vertices.end());
  for (const Index3& t : inner.triangles)
    hollow.triangles.push_back({t[0] + base, t[2] + base, t[1] + base});
  scene.add("case", std::move(hollow));
  scene.add("kernel", box(1, 1, 1));
  EXPECT_TRUE(check(scene.assembly).all.empty());
  scene.assembly.rules.clearance = 4;
  const Finding finding = only_finding(scene, FindingKind::too_close);
  expect_bounds(finding.distance, 3.5, 1e-12);
}

TEST(ClashKinds, APieceInsideIsAClashNotContained) {
  // Two boxes in one mesh, one inside the wall and one far outside.
  MeshData pieces = box(1, 1, 1);
  const MeshData other = box(1, 1, 1);
  for (const Vector3& v : other.vertices)
    pieces.vertices.push_back(v + Vector3(50, 0, 0));
  for (const Index3& t : other.triangles)
    pieces.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
  Scene scene;
  scene.add("pieces", std::move(pieces));
  scene.add("wall", box(10, 10, 10));
  const Finding finding = only_finding(scene, FindingKind::clash);
  EXPECT_NE(finding.note.find("pieces"), std::string::npos);
}

TEST(ClashKinds, OpenSurfacesThatCrossAreAClashWithoutADepth) {
  MeshData sheet{{{-5, -5, 0}, {5, -5, 0}, {5, 5, 0}, {-5, 5, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  Scene scene;
  scene.add("sheet", sheet);
  scene.add("pin", make::cylinder({.radius = 1, .length = 4}));
  const Finding finding = only_finding(scene, FindingKind::clash);
  EXPECT_FALSE(finding.depth);
  EXPECT_NE(finding.note.find("'sheet' is not closed"), std::string::npos);
  ASSERT_EQ(finding.curve.size(), 1u);
  EXPECT_TRUE(finding.curve[0].closed);
  for (const Vector3& point : finding.curve[0].points)
    EXPECT_NEAR(point.head<2>().norm(), 1, 0.01);
  // A sheet that lies on a closed part is a contact.
  scene.assembly.parts[1].pose = Pose(Vector3(0, 0, 2));
  only_finding(scene, FindingKind::contact);
}

TEST(ClashKinds, MeshesThatAreInsideOutAreTurnedRound) {
  MeshData inward = box(1, 1, 1);
  for (Index3& t : inward.triangles)
    std::swap(t[0], t[1]);
  const PartMesh mesh = make_part_mesh(inward);
  EXPECT_TRUE(mesh.is_turned);
  EXPECT_TRUE(mesh.is_closed);
  EXPECT_NEAR(mesh.shape.volume(), 1, 1e-12);
}

TEST(ClashRules, OnlyIgnoredAndAllowedPairsByNameAndGroup) {
  Scene scene;
  const std::uint32_t cube = scene.mesh(box(1, 1, 1));
  scene.add("bolt_1", cube, {}, "bolts");
  scene.add("bolt_2", cube, Pose(Vector3(0.1, 0, 0)), "bolts");
  scene.add("plate", cube, Pose(Vector3(0.2, 0, 0)));
  scene.add("cover", cube, Pose(Vector3(0.3, 0, 0)));
  const auto pairs = [&] {
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const Finding& finding : check(scene.assembly).all)
      found.emplace(finding.a, finding.b);
    return found;
  };
  using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;
  EXPECT_EQ(pairs().size(), 6u);
  scene.assembly.rules.ignored = {{"bolts", "bolts"}};
  EXPECT_EQ(pairs().size(), 5u);
  EXPECT_EQ(pairs().count({0, 1}), 0u);
  scene.assembly.rules.ignored = {{"bolt_?", "p*"}};
  EXPECT_EQ(pairs(), (Pairs{{0, 1}, {0, 3}, {1, 3}, {2, 3}}));
  scene.assembly.rules.ignored = {{"*", "*"}};
  EXPECT_TRUE(pairs().empty());
  EXPECT_EQ(check(scene.assembly).pairs_possible, 0u);
  scene.assembly.rules.ignored.clear();
  scene.assembly.rules.only = {{"cover", "bolts"}};
  EXPECT_EQ(pairs(), (Pairs{{0, 3}, {1, 3}}));
  EXPECT_EQ(check(scene.assembly).pairs_possible, 2u);
  scene.assembly.rules.only.clear();
  scene.assembly.rules.allowed = {{"plate", "bolt*"}};
  EXPECT_EQ(pairs(), (Pairs{{0, 1}, {0, 3}, {1, 3}, {2, 3}}));
  EXPECT_EQ(check(scene.assembly).pairs_allowed, 2u);
}

TEST(ClashRules, PatternsMatchWholeTexts) {
  EXPECT_TRUE(matches("bolt*", "bolt"));
  EXPECT_TRUE(matches("*olt*", "bolt_12"));
  EXPECT_TRUE(matches("b?lt", "bolt"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*b*c", "aXXbYYbZZc"));
  EXPECT_FALSE(matches("bolt", "bolt_1"));
  EXPECT_FALSE(matches("?", ""));
  EXPECT_FALSE(matches("a*b*c", "aXXcYYb"));
}

TEST(ClashRules, PairsAreCountedAsTheRulesLeaveThem) {
  std::mt19937_64 random = test::seeded(7);
  for (std::size_t round = 0; round < test::cases(20); ++round) {
    Scene scene;
    const std::uint32_t cube = scene.mesh(box(1, 1, 1));
    const std::vector<std::string> words{"a", "b", "ab", "ba", "abc", "c"};
    for (int i = 0; i < 12; ++i)
      scene.add(words[random() % 6] + std::to_string(i), cube, Pose(Vector3(10 * i, 0, 0)), words[random() % 6]);
    const auto rule = [&] { return PairRule{words[random() % 6] + "*", "*" + words[random() % 6] + "*"}; };
    if (random() % 2 == 0) scene.assembly.rules.only = {rule(), rule()};
    scene.assembly.rules.ignored = {rule()};
    std::size_t expected = 0;
    const PairFilter filter(scene.assembly);
    const auto names = [&](const PairRule& r, const Part& p, const Part& q) {
      const auto is = [](const std::string& pattern, const Part& part) {
        return matches(pattern, part.name) || matches(pattern, part.group);
      };
      return (is(r.a, p) && is(r.b, q)) || (is(r.a, q) && is(r.b, p));
    };
    for (std::uint32_t i = 0; i < 12; ++i) {
      for (std::uint32_t j = i + 1; j < 12; ++j) {
        const Part &p = scene.assembly.parts[i], &q = scene.assembly.parts[j];
        bool is_checked = scene.assembly.rules.only.empty();
        for (const PairRule& r : scene.assembly.rules.only)
          is_checked = is_checked || names(r, p, q);
        for (const PairRule& r : scene.assembly.rules.ignored)
          is_checked = is_checked && !names(r, p, q);
        expected += is_checked ? 1u : 0u;
        EXPECT_EQ(filter.is_checked(i, j), is_checked);
        EXPECT_EQ(filter.is_checked(j, i), is_checked);
      }
    }
    EXPECT_EQ(check(scene.assembly).pairs_possible, expected);
  }
}

TEST(ClashMotion, TheFirstContactOfAStraightWay) {
  std::mt19937_64 random = test::seeded(8);
  for (std::size_t i = 0; i < test::cases(20); ++i) {
    const Pose base = turned_pose(random, 10);
    const double gap = uniform(random, 1, 5), begin = uniform(random, -5, 5);
    Scene scene;
    scene.add("wall", box(2, 8, 8), base);
    Part& mover = scene.add("mover", box(2, 2, 2), {});
    // The part waits for two seconds, then moves by 10 in four seconds.
    mover.motion = {{begin, shifted(base, {-2 - gap, 0, 0})},
                    {begin + 2, shifted(base, {-2 - gap, 0, 0})},
                    {begin + 6, shifted(base, {-2 - gap + 10, 0, 0})}};
    mover.pose = mover.motion.front().pose;
    const Finding finding = only_finding(scene, FindingKind::clash);
    ASSERT_TRUE(finding.time);
    const double truth = begin + 2 + 4 * gap / 10;
    EXPECT_LE(finding.time->lower, truth + 1e-8);
    EXPECT_GE(finding.time->upper, truth - 1e-8);
    EXPECT_LT(finding.time->upper - finding.time->lower, 1e-6);
    EXPECT_NEAR(place(inverse(base), finding.position)[0], -1, 1e-6);
    EXPECT_FALSE(
        touches({scene.assembly.meshes[0].shape, finding.pose_a}, {scene.assembly.meshes[1].shape, finding.pose_b}));
  }
}

TEST(ClashMotion, AnArmThatTurnsOnAScrewMeetsAPostAtItsAngle) {
  // An arm along x with half width 0.25 rotates about z by 90 degrees between times 0 and 1. An edge of a post is at
  // distance 3 and angle 60 degrees. The arm's upper side meets it where 3 sin(60° - angle) = 0.25.
  Scene scene;
  Part& arm = scene.add("arm", box(8, 0.5, 1), {});
  const auto turned = [](double angle) {
    return Pose(Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix(), Vector3::Zero());
  };
  arm.motion = {{0, turned(0)}, {1, turned(std::numbers::pi / 2)}};
  const double sixty = std::numbers::pi / 3;
  const Vector3 corner(3 * std::cos(sixty), 3 * std::sin(sixty), 0);
  // A thin upright prism whose sharp edge points at the arm.
  MeshData post{{corner + Vector3(0, 0, -2), corner + Vector3(0, 0, 2), corner + Vector3(-1, 1, -2),
                 corner + Vector3(-1, 1, 2), corner + Vector3(-0.2, 1.2, -2), corner + Vector3(-0.2, 1.2, 2)},
                {{0, 2, 4}, {1, 5, 3}, {0, 1, 3}, {0, 3, 2}, {2, 3, 5}, {2, 5, 4}, {4, 5, 1}, {4, 1, 0}}};
  scene.add("post", std::move(post));
  ASSERT_TRUE(scene.assembly.meshes[1].is_closed);
  const Finding finding = only_finding(scene, FindingKind::clash);
  const double truth = (sixty - std::asin(0.25 / 3)) / (std::numbers::pi / 2);
  ASSERT_TRUE(finding.time);
  EXPECT_NEAR(finding.time->lower, truth, 1e-6);
  EXPECT_NEAR(finding.time->upper, truth, 1e-6);
  EXPECT_NEAR((finding.position - corner).head<2>().norm(), 0, 1e-5);
}

TEST(ClashMotion, BothMoveWithKeyframesOfTheirOwn) {
  // a moves right at 2 per second from time 0 to 10. b is 20 away, moves toward a at 2 per second from time 4 on, and
  // stops at 9. Contact: 20 = 2 t + 2 (t - 4).
  Scene scene;
  const std::uint32_t cube = scene.mesh(box(1, 1, 1));
  scene.add("a", cube, {}).motion = {{0, Pose()}, {10, Pose(Vector3(20, 0, 0))}};
  scene.add("b", cube, {}).motion = {{4, Pose(Vector3(21, 0, 0))}, {9, Pose(Vector3(11, 0, 0))}};
  const Finding finding = only_finding(scene, FindingKind::clash);
  EXPECT_LE(finding.time->lower, 7 + 1e-9);
  EXPECT_GE(finding.time->upper, 7 - 1e-9);
  EXPECT_LT(finding.time->upper - finding.time->lower, 1e-6);
  EXPECT_NEAR(pose_of(scene.assembly.parts[1], 6.5).translation()[0], 16, 1e-12);
  EXPECT_NEAR(pose_of(scene.assembly.parts[1], 0).translation()[0], 21, 0);
  EXPECT_NEAR(pose_of(scene.assembly.parts[1], 99).translation()[0], 11, 0);
}

TEST(ClashMotion, APairThatTouchesAtTheStartIsJudgedThere) {
  Scene scene;
  const std::uint32_t cube = scene.mesh(box(1, 1, 1));
  scene.add("a", cube, {});
  scene.add("b", cube, Pose(Vector3(0.75, 0, 0))).motion = {{3, Pose(Vector3(0.75, 0, 0))},
                                                            {4, Pose(Vector3(5, 0, 0))}};
  const Finding finding = only_finding(scene, FindingKind::clash);
  EXPECT_EQ(finding.time->lower, 3);
  EXPECT_EQ(finding.time->upper, 3);
  expect_bounds(finding.depth, 0.25, 1e-12);
}

TEST(ClashMotion, WhatPassesInBetweenIsNotMissedAndWhatMissesIsNotFound) {
  Scene scene;
  const std::uint32_t cube = scene.mesh(box(1, 1, 1));
  scene.add("wall", cube, {});
  scene.add("through", cube, {}).motion = {{0, Pose(Vector3(-100, 0, 0))}, {1, Pose(Vector3(100, 0, 0))}};
  scene.add("past", cube, {}).motion = {{0, Pose(Vector3(-50, 0, 1.5))}, {1, Pose(Vector3(50, 0, 1.5))}};
  const Findings found = check(scene.assembly);
  ASSERT_EQ(found.all.size(), 1u);
  EXPECT_EQ(found.all[0].b, 1u);
  EXPECT_NEAR(found.all[0].time->lower, 99.0 / 200, 1e-6);
}

// Two meshing gears, the second of which turns faster by two thousandths. Its teeth slide into those of the first so
// gradually that no step of the search proves when they touch.
TEST(ClashMotion, TeethThatCreepIntoEachOtherAreFound) {
  const make::Gear options{.teeth = 24, .bore = 3, .backlash = 0.1};
  Scene scene;
  const std::uint32_t gear = scene.mesh(make::gear(options));
  Part &first = scene.add("first", gear, {}), turned = first;
  turned.name = "second";
  const double apart = make::meshing_distance(24, 24, 1), angle = make::meshing_angle(24, 24);
  const auto at = [](double x, double turn) {
    return Pose(Eigen::AngleAxisd(turn, Vector3::UnitZ()).toRotationMatrix(), Vector3(x, 0, 0));
  };
  for (int i = 0; i < 5; ++i) {
    const double turn = i * std::numbers::pi / 2;
    scene.assembly.parts[0].motion.push_back({double(i), at(0, turn)});
    turned.motion.push_back({double(i), at(apart, angle - 1.002 * turn)});
  }
  scene.assembly.parts.push_back(turned);
  const Finding finding = only_finding(scene, FindingKind::clash);
  ASSERT_TRUE(finding.time);
  EXPECT_LT(finding.time->upper - finding.time->lower, 0.02);
  const Shape& shape = scene.assembly.meshes[gear].shape;
  const auto touch_at = [&](double time) {
    return touches({shape, pose_of(scene.assembly.parts[0], time)}, {shape, pose_of(scene.assembly.parts[1], time)});
  };
  EXPECT_TRUE(touch_at(finding.time->upper + 1e-9));
  for (int i = 0; i < 1000; ++i)
    EXPECT_FALSE(touch_at(finding.time->lower * i / 1000));
  // If both turn at the same rate, they never touch.
  for (int i = 0; i < 5; ++i)
    scene.assembly.parts[1].motion[static_cast<std::size_t>(i)].pose = at(apart, angle - i * std::numbers::pi / 2);
  EXPECT_TRUE(check(scene.assembly).all.empty());
}

TEST(ClashMotion, AStoppedWayIsNotCountedAsChecked) {
  Scene scene;
  const std::uint32_t cube = scene.mesh(box(1, 1, 1));
  scene.add("a", cube, {});
  Part& mover = scene.add("b", cube, {});
  for (int i = 0; i < 100; ++i)
    mover.motion.push_back({double(i), Pose(Vector3(0, i % 2, 1.1))});
  mover.pose = mover.motion[0].pose;
  scene.assembly.rules.clearance = 0.2;
  EXPECT_TRUE(check(scene.assembly).is_complete);
  const Findings late = check(scene.assembly, {.seconds = 1e-9});
  EXPECT_FALSE(late.is_complete);
  EXPECT_EQ(late.pairs_checked, 0u);
}

// A grid of cells, each with one planted finding.
Scene random_plants(std::mt19937_64& random, std::size_t cells,
                    std::vector<std::tuple<FindingKind, std::uint32_t, double>>& planted) {
  Scene scene;
  scene.assembly.rules.clearance = 0.2;
  const std::uint32_t block = scene.mesh(box(4, 4, 4)), small = scene.mesh(box(1, 1, 1));
  const std::uint32_t gear = scene.mesh(make::gear({.teeth = 12, .width = 2}));
  const double tip = scene.assembly.meshes[gear].shape.bounds().upper[0];
  for (std::size_t cell = 0; cell < cells; ++cell) {
    Pose base = turned_pose(random, 0);
    base.set_translation(60 * Vector3(static_cast<double>(cell % 10), static_cast<double>(cell / 10), 0));
    const auto number = static_cast<std::uint32_t>(scene.assembly.parts.size());
    scene.add("base " + std::to_string(cell), block, base);
    const double amount = uniform(random, 0.02, 0.18);
    const double off = uniform(random, -1, 1);
    const auto add = [&](std::uint32_t mesh, const Vector3& at) {
      scene.add("thing " + std::to_string(cell), mesh, shifted(base, at));
    };
    switch (random() % 6) {
      case 0:
        add(small, {2.5 - amount, off, 0.3});
        planted.emplace_back(FindingKind::clash, number, amount);
        break;
      case 1:
        add(small, {off / 2, 0.5, 0.3});
        planted.emplace_back(FindingKind::contained, number, 0);
        break;
      case 2:
        add(small, {2.5 + amount, off, 0.3});
        planted.emplace_back(FindingKind::too_close, number, amount);
        break;
      case 3:
        add(small, {off, 2.5, 0.3});
        planted.emplace_back(FindingKind::contact, number, 0);
        break;
      case 4:  // a tooth's tip in the block
        add(gear, {2 + tip - amount, 0, 0});
        planted.emplace_back(FindingKind::clash, number, amount);
        break;
      default:
        add(small, {2.8, off, 0});
    }
  }
  return scene;
}

TEST(ClashScenes, ThePlantedFindingsAreTheFindings) {
  std::mt19937_64 random = test::seeded(9);
  for (std::size_t round = 0; round < test::cases(4); ++round) {
    std::vector<std::tuple<FindingKind, std::uint32_t, double>> planted;
    const Scene scene = random_plants(random, 100, planted);
    const Findings found = check(scene.assembly);
    EXPECT_EQ(found.pairs_possible, 200u * 199 / 2);
    EXPECT_EQ(found.pairs_checked, found.pairs_near);
    ASSERT_EQ(found.all.size(), planted.size());
    for (const auto& [kind, number, amount] : planted) {
      const auto finding = std::find_if(found.all.begin(), found.all.end(),
                                        [n = number](const Finding& f) { return f.a == n && f.b == n + 1; });
      ASSERT_NE(finding, found.all.end());
      EXPECT_STREQ(to_text(finding->kind), to_text(kind));
      if (kind == FindingKind::clash) {
        EXPECT_LE(finding->depth->lower, amount + 1e-9);
        EXPECT_GE(finding->depth->upper, amount - 1e-9);
        EXPECT_LE(finding->depth->upper, 1.1 * amount);
      }
      if (kind == FindingKind::too_close) expect_bounds(finding->distance, amount, 1e-9);
    }
    // Sorted with the worst first.
    for (std::size_t i = 1; i < found.all.size(); ++i) {
      const Finding &x = found.all[i - 1], &y = found.all[i];
      EXPECT_LE(x.kind, y.kind);
      if (x.kind != y.kind) continue;
      if (x.kind == FindingKind::clash) {
        EXPECT_GE(x.depth->lower, y.depth->lower);
      } else if (x.kind == FindingKind::too_close) {
        EXPECT_LE(x.distance->lower, y.distance->lower);
      }
    }
  }
}

TEST(ClashScenes, ThreadsDoNotChangeTheAnswer) {
  std::mt19937_64 random = test::seeded(10);
  std::vector<std::tuple<FindingKind, std::uint32_t, double>> planted;
  const Scene scene = random_plants(random, 200, planted);
  std::string first;
  for (const std::size_t threads : {1u, 2u, 3u, 4u}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    Findings found = check(scene.assembly);
    found.seconds = 0;
    const std::string text = json_of(scene.assembly, found);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << threads;
  }
}

TEST(ClashScenes, EqualMeshesAreKeptOnce) {
  MeshStore store;
  EXPECT_EQ(store.add(box(1, 2, 3), "one"), 0u);
  EXPECT_EQ(store.add(box(1, 2, 4), "two"), 1u);
  EXPECT_EQ(store.add(box(1, 2, 3), "three"), 0u);
  MeshData other = box(1, 2, 3);
  std::swap(other.triangles[0], other.triangles[1]);
  EXPECT_EQ(store.add(other, "four"), 2u);
  std::vector<std::string> notes;
  EXPECT_EQ(store.build(notes).size(), 3u);
}

TEST(ClashScenes, AStoppedCheckSaysSo) {
  std::mt19937_64 random = test::seeded(11);
  std::vector<std::tuple<FindingKind, std::uint32_t, double>> planted;
  const Scene scene = random_plants(random, 100, planted);
  const std::atomic<bool> stop{true};
  const Findings none = check(scene.assembly, {.stop = &stop});
  EXPECT_FALSE(none.is_complete);
  EXPECT_EQ(none.pairs_checked, 0u);
  EXPECT_GT(none.pairs_near, 50u);
  const Findings late = check(scene.assembly, {.seconds = 1e-9});
  EXPECT_FALSE(late.is_complete);
  EXPECT_NE(table_of(scene.assembly, late).find("INCOMPLETE"), std::string::npos);
  // A check that is stopped midway has some of the pairs, and all of its findings are true.
  std::atomic<bool> soon{false};
  std::size_t calls = 0;
  CheckOptions options;
  options.stop = &soon;
  options.progress = [&](std::size_t done, std::size_t all) {
    EXPECT_LE(done, all);
    ++calls;
    soon = true;
  };
  const Findings some = check(scene.assembly, options);
  const Findings all = check(scene.assembly);
  EXPECT_EQ(some.is_complete, some.pairs_checked == some.pairs_near);
  for (const Finding& finding : some.all)
    EXPECT_TRUE(std::any_of(all.all.begin(), all.all.end(), [&](const Finding& f) {
      return f.a == finding.a && f.b == finding.b && f.kind == finding.kind;
    }));
}

TEST(ClashInput, WhatIsWrongIsSaid) {
  const auto message_of = [](const Assembly& assembly) -> std::string {
    try {
      check(assembly);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  Scene scene;
  EXPECT_NE(message_of(scene.assembly).find("no parts"), std::string::npos);
  const std::uint32_t cube = scene.mesh(box(1, 1, 1));
  scene.add("a", cube, {});
  scene.add("a", cube, {});
  EXPECT_NE(message_of(scene.assembly).find("'a': two parts have this name"), std::string::npos);
  scene.assembly.parts[1].name = "b";
  scene.assembly.parts[1].motion = {{1, Pose()}, {1, Pose()}};
  EXPECT_NE(message_of(scene.assembly).find("ascend"), std::string::npos);
  scene.assembly.parts[1].motion.clear();
  scene.assembly.rules.clearance = -1;
  EXPECT_NE(message_of(scene.assembly).find("clearance"), std::string::npos);
  scene.assembly.rules.clearance = std::nan("");
  EXPECT_NE(message_of(scene.assembly).find("clearance"), std::string::npos);
}

// A point that is deeper than `by` in the solid is inside the shrunk solid.
TEST(ClashShrink, WhatLiesDeepStaysInside) {
  std::mt19937_64 random = test::seeded(12);
  for (const MeshData& data : {make::gear({}), make::torus({}), make::box({}), make::block({}), make::s_shape({})}) {
    const Mesh solid = Mesh(data).solid();
    const Aabb bounds = solid.bounds();
    for (const double by : {1e-6, 0.01, 0.04}) {
      const std::optional<Mesh> small = shrunk(solid, by);
      ASSERT_TRUE(small);
      EXPECT_LT(small->volume(), solid.volume());
      for (std::size_t i = 0; i < test::cases(300); ++i) {
        Vector3 point;
        for (int axis = 0; axis < 3; ++axis)
          point[axis] = uniform(random, bounds.lower[axis], bounds.upper[axis]);
        const Distance depth = signed_distance({solid, {}}, point);
        if (depth.upper < -by) {
          EXPECT_TRUE(contains({*small, {}}, point)) << by << ": " << point.transpose();
        }
      }
    }
  }
}

}  // namespace
}  // namespace whisker::clash
