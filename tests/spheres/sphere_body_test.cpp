// Sphere bodies: refused input, measurements on the mesh, and the contacts of two bodies or of a body and a shape.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/mesh_queries.hpp>

#include "geometry/constants.hpp"
#include "spheres/sphere_body_cases.hpp"

namespace whisker {
namespace {

using test::BodyPair;
using test::cases;
using test::random_body_pair;
using test::random_pose;
using test::seeded;
using test::sphere_bodies;
using test::sphere_body;
using test::uniform;

TEST(SphereBody, NoPointOfASphereIsFartherFromTheSolidThanItStandsOff) {
  auto random = seeded(9701);
  for (const test::NamedBody& named : sphere_bodies()) {
    const SphereBody& body = named.body;
    for (std::size_t k = 0; k < cases(300); ++k) {
      const auto i = static_cast<std::size_t>(random() % body.size());
      const BoundingSphere s = body.sphere(i);
      const Vector3 point = s.center + s.radius * test::scenes::unit_vector(random);
      EXPECT_LE(signed_distance(body.mesh(), point).lower, body.protrusion(i) + 1e-12) << named.name;
    }
  }
}

TEST(SphereBody, ProtrusionsAreThoseOfTheTreeAlsoWhereTheTreeHasNone) {
  const Mesh mesh(make::block());
  SphereTree tree = build_sphere_tree(mesh, {.method = SphereTreeMethod::octree, .depth = 2});
  const SphereBody body(tree, mesh);
  for (SphereTreeNode& node : tree.nodes)
    node.protrusion = 0;
  const SphereBody bare(tree, mesh);
  ASSERT_EQ(body.size(), tree.nodes.size());
  for (std::size_t i = 0; i < body.size(); ++i) {
    EXPECT_EQ(body.protrusion(i), bare.protrusion(i));
    EXPECT_EQ(body.sphere(i).radius, tree.nodes[i].sphere.radius);
    EXPECT_EQ(body.first_child(i), tree.nodes[i].first_child);
    EXPECT_EQ(body.child_count(i), tree.nodes[i].child_count);
  }
  EXPECT_TRUE(body.mesh().is_solid());
}

/// The message of the Error when a body is made; empty if there is none.
std::string error_of(const SphereTree& tree, const Mesh& mesh) {
  try {
    SphereBody body(tree, mesh);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(SphereBody, BadTreesAndMeshesAreErrorsThatNameTheNode) {
  const Mesh mesh(make::box());
  const SphereTree good = build_sphere_tree(mesh, {.method = SphereTreeMethod::octree, .depth = 2});
  EXPECT_EQ(error_of(good, mesh), "");
  EXPECT_NE(error_of({}, mesh).find("no node"), std::string::npos);
  const auto with = [&](std::size_t node, auto&& change) {
    SphereTree tree = good;
    change(tree.nodes[node]);
    return error_of(tree, mesh);
  };
  const double nan = std::nan("");
  EXPECT_NE(with(3, [&](auto& n) { n.sphere.center[1] = nan; }).find("node 3"), std::string::npos);
  EXPECT_NE(with(4, [&](auto& n) { n.sphere.radius = infinity; }).find("node 4"), std::string::npos);
  EXPECT_NE(with(5, [&](auto& n) { n.sphere.radius = -1; }).find("negative"), std::string::npos);
  EXPECT_NE(with(5, [&](auto& n) { n.sphere.radius = 1e91; }).find("1e90"), std::string::npos);
  EXPECT_NE(with(1, [&](auto& n) { n.first_child = 0; }).find("node 1"), std::string::npos);
  EXPECT_NE(with(1, [&](auto& n) { n.first_child = 1; }).find("node 1"), std::string::npos);
  EXPECT_NE(with(1, [&](auto& n) { n.first_child = 0xFFFFFFFF; }).find("node 1"), std::string::npos);
  EXPECT_NE(with(1, [&](auto& n) { n.child_count = 0xFFFFFFFF; }).find("node 1"), std::string::npos);
  EXPECT_NE(with(1, [&](auto& n) { n.child_count = 0; }).find("not the child"), std::string::npos);
  EXPECT_NE(with(2, [&](auto& n) { n.first_child -= 1; }).find("two nodes"), std::string::npos);
  EXPECT_NE(with(0, [&](auto& n) { n.sphere.radius *= 0.9; }).find("vertex"), std::string::npos);
  EXPECT_NE(error_of(good, Mesh(test::moved(make::box(), {1, 0, 0}))).find("vertex"), std::string::npos);
  MeshData open = make::box();
  open.triangles.pop_back();
  EXPECT_NE(error_of(good, Mesh(open)), "");
}

TEST(SphereBody, ATreeOfOneNodeServes) {
  const Mesh mesh(make::icosphere({.subdivisions = 1}));
  SphereTree tree;
  tree.nodes.push_back({.sphere = {Vector3::Zero(), 1 + 1e-9}});
  tree.level_begin = {0, 1};
  const SphereBody body(tree, mesh);
  for (const double x : {0.0, 0.5, 1.95, 2.5}) {
    const Pose pose(Vector3(x, 0, 0));
    const double truth = distance(mesh.solid(), Placed(mesh.solid(), pose)).upper;
    const Distance d = test::distance_by_spheres(body, {body, pose});
    EXPECT_LE(d.lower, truth);
    EXPECT_GE(d.upper, truth);
    EXPECT_EQ(sphere_contacts(body, Placed(body, pose)).pairs.size(), x < 2 ? 1u : 0u);
    EXPECT_EQ(touches(body, Placed(body, pose)), truth == 0);
  }
}

TEST(SphereBody, RoundingAndSloppyRotationsAreAllowedForWhereBoundsAreTight) {
  // Corner to corner, the gap of the two spheres is the distance; face to face, it is that of the inner balls. Both
  // hold to the last bits, except for the stretching of a rotation and the rounding of the positions.
  const Mesh mesh(MeshData{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
                           {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}});
  SphereTree tree;
  tree.nodes.push_back({.sphere = {Vector3::Zero(), 1}});
  tree.level_begin = {0, 1};
  const SphereBody body(tree, mesh);
  auto random = seeded(9706);
  for (std::size_t k = 0; k < cases(400); ++k) {
    Pose a = random_pose(random, 1), b = a;
    const bool corners = k % 2 == 0;
    const Vector3 toward = corners ? Vector3::UnitX() : Vector3(Vector3::Ones() / std::sqrt(3.0));
    b.set_translation(b.translation() + a.rotation() * toward * uniform(random, 2, 2.2));
    if (k % 3 == 0) {
      for (Pose* const pose : {&a, &b})
        pose->set_translation(pose->translation() + Vector3(1e7, -3e6, 2e6));
    } else if (k % 3 == 1) {
      b.set_rotation(b.rotation() * (corners ? 1 + 4e-10 : 1 - 4e-10));
    }
    const Distance truth = distance({body.mesh(), a}, {body.mesh(), b});
    const Distance found = test::distance_by_spheres({body, a}, {body, b});
    EXPECT_LE(found.lower, truth.upper) << k;
    EXPECT_GE(found.upper, truth.lower) << k;
    EXPECT_LE(corners ? truth.upper - found.lower : found.upper - truth.lower, 1e-6) << k;
    // Slightly closer than touching: no contact may be missed.
    b.set_translation(b.translation() - (a.rotation() * toward) * truth.upper);
    if (touches({body.mesh(), a}, {body.mesh(), b})) {
      EXPECT_FALSE(sphere_contacts({body, a}, Placed(body, b)).pairs.empty()) << k;
      EXPECT_TRUE(touches({body, a}, Placed(body, b))) << k;
    }
  }
}

TEST(SphereContacts, OfTwoBodiesAreNoneOnlyIfTheSolidsAreApart) {
  auto random = seeded(9702);
  SphereContacts found;
  std::size_t none = 0, held = 0;
  for (std::size_t i = 0; i < cases(567); ++i) {
    const BodyPair pair = random_body_pair(random, i);
    const Placed a(pair.a->body, pair.pose_a), b(pair.b->body, pair.pose_b);
    const Distance truth = pair.truth();
    sphere_contacts(a, b, {}, found);
    EXPECT_EQ(found.stop, Stop::exact);
    if (found.pairs.empty()) {
      ++none;
      EXPECT_GT(truth.upper, 0) << pair.show();
    }
    for (const SphereContact& contact : found.pairs) {
      EXPECT_GE(contact.error, truth.lower) << pair.show();
      EXPECT_FALSE(contact.is_open);
      const bool leaves = pair.a->body.is_leaf(contact.sphere_a) && pair.b->body.is_leaf(contact.sphere_b);
      if (leaves) continue;
      ++held;
      EXPECT_EQ(found.pairs.size(), 1u) << pair.show();
      EXPECT_EQ(truth.upper, 0) << pair.show();
    }
    // Interrupted: repulsion includes everything that is not proven apart, penetration only what is resolved.
    const SphereBudget some{.budget = static_cast<std::uint64_t>(uniform(random, 0, 2000))};
    const SphereContacts open = sphere_contacts(a, b, {.open = OpenSpheres::repulsion, .budget = some.budget});
    const SphereContacts closed = sphere_contacts(a, b, {.open = OpenSpheres::penetration, .budget = some.budget});
    EXPECT_LE(open.cost.volume_tests + 2 * open.cost.volume_updates, some.budget + 5);
    EXPECT_EQ(open.stop, closed.stop);
    if (truth.upper == 0) {
      EXPECT_FALSE(open.pairs.empty()) << pair.show();
    }
    const auto is_open = [](const SphereContact& contact) { return contact.is_open; };
    EXPECT_EQ(std::any_of(open.pairs.begin(), open.pairs.end(), is_open), open.stop == Stop::budget);
    EXPECT_TRUE(std::none_of(closed.pairs.begin(), closed.pairs.end(), is_open));
    EXPECT_EQ(
        open.pairs.size() - static_cast<std::size_t>(std::count_if(open.pairs.begin(), open.pairs.end(), is_open)),
        closed.pairs.size());
  }
  EXPECT_GT(none, cases(567) / 10);
  EXPECT_GT(held, 0u);
}

TEST(SphereContacts, OfABodyAndAShapeAreNoneOnlyIfTheyAreApart) {
  auto random = seeded(9703);
  const Mesh box(make::box({.size_x = 0.3}));
  const std::vector<Shape> shapes = {Sphere{0.3},
                                     Sphere{0.001},
                                     Capsule{.radius = 0.1, .length = 0.5},
                                     Box{Vector3(0.2, 0.5, 0.3)},
                                     HalfSpace{},
                                     Plane{},
                                     Triangle{{0, 0, 0}, {0.3, 0, 0}, {0, 0.4, 0.1}},
                                     Cylinder{.radius = 0.2, .length = 0.4},
                                     HeightField(std::vector<double>(9, 0.1), 3, 3, 1, 1),
                                     box,
                                     box.solid(),
                                     Compound({{Sphere{0.1}, Pose(Vector3(0.5, 0, 0))}, {box, {}}})};
  std::size_t none = 0, some = 0;
  SphereContacts found;
  for (std::size_t i = 0; i < cases(240); ++i) {
    const Shape& shape = shapes[i % shapes.size()];
    const test::NamedBody& named = sphere_bodies()[i / shapes.size() % sphere_bodies().size()];
    const Pose pose_a = random_pose(random, 0.5), pose_b = random_pose(random, i % 2 == 0 ? 0.2 : 1.5);
    const std::string which = std::string(name(shape.kind())) + test::show(pose_a) + named.name + test::show(pose_b);
    const Distance truth = distance({shape, pose_a}, {named.body.mesh(), pose_b});
    sphere_contacts({shape, pose_a}, {named.body, pose_b}, {}, found);
    EXPECT_EQ(found.stop, Stop::exact);
    (found.pairs.empty() ? none : some) += 1;
    if (found.pairs.empty()) {
      EXPECT_GT(truth.upper, 0) << which;
    }
    for (const SphereContact& contact : found.pairs) {
      EXPECT_EQ(contact.sphere_a, SphereBody::none);
      EXPECT_GE(contact.error, truth.lower) << which;
      EXPECT_GE(contact.depth, 0) << which;
      EXPECT_GE(contact.weight, 0) << which;
      EXPECT_TRUE(contact.point.allFinite()) << which;
      EXPECT_LE(contact.normal.norm(), 1 + 1e-9) << which;
    }
    const SphereBudget few{.budget = 20};
    const SphereContacts open = sphere_contacts({shape, pose_a}, {named.body, pose_b}, {.budget = few.budget});
    EXPECT_LE(open.cost.volume_tests, 21u);
    if (truth.upper == 0) {
      EXPECT_FALSE(open.pairs.empty()) << which;
    }
    for (const SphereContact& contact : sphere_contacts({shape, pose_a}, {named.body, pose_b},
                                                        {.open = OpenSpheres::penetration, .budget = few.budget})
                                            .pairs)
      EXPECT_FALSE(contact.is_open) << which;
  }
  EXPECT_GT(none, cases(240) / 10);
  EXPECT_GT(some, cases(240) / 10);
}

TEST(SphereContacts, OfAShapeInsideTheSolidIsOne) {
  const Shape dot = Sphere{0.01};
  const SphereContacts found = sphere_contacts(dot, sphere_body("ball"));
  ASSERT_EQ(found.pairs.size(), 1u);
  EXPECT_EQ(found.pairs[0].error, 0);
  EXPECT_TRUE(sphere_contacts(dot, sphere_body("shell")).pairs.empty());  // in the cavity
}

// --- reduction ---------------------------------------------------------------------------------------------------

std::vector<SphereContact> random_contacts(std::mt19937_64& random, std::size_t count) {
  std::vector<SphereContact> all(count);
  for (SphereContact& contact : all) {
    contact.sphere_a = static_cast<std::uint32_t>(random() % 100);
    contact.sphere_b = static_cast<std::uint32_t>(random() % 100);
    contact.point = test::random_vector(random, 1);
    contact.normal = test::scenes::unit_vector(random);
    contact.depth = uniform(random, 0, 1);
    contact.weight = uniform(random, 0, 2);
    contact.error = uniform(random, 0, 0.1);
    contact.is_open = random() % 4 == 0;
  }
  return all;
}

/// The rule, step by step.
std::vector<SphereContact> reduced_by_the_rule(const std::vector<SphereContact>& all, std::size_t most) {
  std::vector<std::size_t> seeds;
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].depth > all[deepest].depth) deepest = i;
  seeds.push_back(deepest);
  const auto nearest = [&](std::size_t i) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < seeds.size(); ++k)
      if ((all[seeds[k]].point - all[i].point).norm() < (all[seeds[best]].point - all[i].point).norm()) best = k;
    return best;
  };
  while (seeds.size() < most) {
    std::size_t farthest = 0;
    double away = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double here = (all[seeds[nearest(i)]].point - all[i].point).norm();
      if (here > away) {
        away = here;
        farthest = i;
      }
    }
    if (away == 0) break;
    seeds.push_back(farthest);
  }
  std::vector<SphereContact> few;
  for (std::size_t k = 0; k < seeds.size(); ++k) {
    SphereContact one = all[seeds[k]];
    one.point = one.normal = Vector3::Zero();
    one.weight = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (nearest(i) != k) continue;
      one.point += all[i].weight * all[i].point;
      one.normal += all[i].weight * all[i].normal;
      one.weight += all[i].weight;
      one.depth = std::max(one.depth, all[i].depth);
      one.error = std::max(one.error, all[i].error);
      one.is_open = one.is_open || all[i].is_open;
    }
    one.point /= one.weight;
    one.normal.normalize();
    few.push_back(one);
  }
  return few;
}

TEST(ReduceContacts, FollowsItsRule) {
  auto random = seeded(9704);
  std::vector<SphereContact> few;
  for (std::size_t k = 0; k < cases(60); ++k) {
    const std::vector<SphereContact> all = random_contacts(random, 1 + random() % 60);
    for (const std::size_t most : {std::size_t{1}, std::size_t{4}, std::size_t{100}}) {
      reduce_contacts(all, most, few);
      const std::vector<SphereContact> truth = reduced_by_the_rule(all, most);
      ASSERT_EQ(few.size(), truth.size());
      EXPECT_LE(few.size(), std::min(most, all.size()));
      for (std::size_t i = 0; i < few.size(); ++i) {
        EXPECT_EQ(few[i].sphere_a, truth[i].sphere_a);
        EXPECT_EQ(few[i].sphere_b, truth[i].sphere_b);
        EXPECT_LE((few[i].point - truth[i].point).norm(), 1e-12);
        EXPECT_LE((few[i].normal - truth[i].normal).norm(), 1e-9);
        EXPECT_NEAR(few[i].weight, truth[i].weight, 1e-12);
        EXPECT_EQ(few[i].depth, truth[i].depth);
        EXPECT_EQ(few[i].error, truth[i].error);
        EXPECT_EQ(few[i].is_open, truth[i].is_open);
      }
    }
  }
}

TEST(ReduceContacts, EdgesOfTheRule) {
  std::vector<SphereContact> few(3);
  reduce_contacts({}, 4, few);
  EXPECT_TRUE(few.empty());
  std::vector<SphereContact> all(2);
  all[0] = {.normal = Vector3::UnitX(), .depth = 1, .weight = 1};
  all[1] = {.normal = -Vector3::UnitX(), .depth = 2, .weight = 1};
  reduce_contacts(all, 0, few);
  EXPECT_TRUE(few.empty());
  reduce_contacts(all, 4, few);  // one place, and normals that cancel out: the deepest one's is used
  ASSERT_EQ(few.size(), 1u);
  EXPECT_EQ(few[0].normal, Vector3(-Vector3::UnitX()));
  EXPECT_EQ(few[0].weight, 2);
  all[0].weight = all[1].weight = 0;  // they only touch
  reduce_contacts(all, 4, few);
  EXPECT_EQ(few[0].normal, Vector3(-Vector3::UnitX()));
  all[0] = {.point = {1e80, 0, 0}, .normal = Vector3::UnitX(), .depth = 1, .weight = 1e260};
  all[1] = {.point = {3e80, 0, 0}, .normal = Vector3::UnitX(), .depth = 2, .weight = 1e260};
  reduce_contacts(all, 1, few);
  EXPECT_NEAR(few[0].point[0] / 2e80, 1, 1e-12);
}

TEST(SphereBody, TinyAndHugeBodiesHaveTrueBounds) {
  auto random = seeded(9705);
  for (const double scale : {1e-80, 1e-20, 1e20, 1e80}) {
    const SphereBody body = test::body_of(test::scaled(make::s_shape({.along = 6, .across = 6}), scale));
    for (std::size_t k = 0; k < cases(20); ++k) {
      Pose pose = random_pose(random, 3);
      pose.set_translation(pose.translation() * scale);
      const Distance truth = distance(body.mesh(), Placed(body.mesh(), pose));
      const Distance d = test::distance_by_spheres(body, {body, pose});
      EXPECT_LE(d.lower, truth.upper) << scale;
      EXPECT_GE(d.upper, truth.lower) << scale;
      EXPECT_LT(d.upper, infinity);
      const SphereContacts found = sphere_contacts(body, Placed(body, pose));
      EXPECT_EQ(found.pairs.empty(), d.lower > 0);
      for (const SphereContact& contact : found.pairs)
        EXPECT_TRUE(contact.point.allFinite() && std::isfinite(contact.weight) && contact.error >= truth.lower);
    }
  }
}

}  // namespace
}  // namespace whisker
