// contacts with a margin and with normals: against all pairs of features, one by one.

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/place.hpp"
#include "support/cases.hpp"
#include "support/error_of.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

using Key = std::tuple<std::uint32_t, FeatureKind, std::uint32_t, std::uint32_t, FeatureKind, std::uint32_t>;

Key key_of(const Feature& a, const Feature& b) {
  return {a.part, a.kind, a.id, b.part, b.kind, b.id};
}

/// A feature and the shape that it is by itself, in the world.
struct Piece {
  Feature feature;
  Shape shape;
  Pose pose;
};

/// All features of a shape.
std::vector<Piece> pieces_of(const Shape& shape, const Pose& pose, std::uint32_t part = 0) {
  std::vector<Piece> pieces;
  const auto add_triangles = [&](const auto& surface) {
    for (std::uint32_t i = 0; i < surface.triangle_count(); ++i) {
      const Triangle t = geometry::placed_triangle(pose, surface.triangle(i));
      pieces.push_back({{part, FeatureKind::triangle, i}, t, Pose()});
    }
  };
  if (const auto* mesh = shape.as<Mesh>()) {
    add_triangles(*mesh);
  } else if (const auto* body = shape.as<SphereBody>()) {
    add_triangles(body->mesh());
  } else if (const auto* field = shape.as<HeightField>()) {
    add_triangles(*field);
  } else if (const auto* set = shape.as<SphereSet>()) {
    for (std::uint32_t i = 0; i < set->size(); ++i)
      pieces.push_back({{part, FeatureKind::sphere, i}, Sphere{set->radius(i)}, Pose(place(pose, set->center(i)))});
  } else if (const auto* compound = shape.as<Compound>()) {
    for (const CompoundPart& p : compound->parts()) {
      for (const Piece& piece : pieces_of(p.shape, compose(pose, p.pose), part))
        pieces.push_back(piece);
      ++part;  // no nested compounds here
    }
  } else {
    pieces.push_back({{part, FeatureKind::whole, 0}, shape, pose});
  }
  return pieces;
}

std::vector<Shape> margin_shapes() {
  const std::vector<double> heights = {0, 0.1, 0.2, 0.3, 0, 0.4, 0.1, 0.2, 0.3};
  const Mesh torus = Mesh(make::torus({.major = 0.6, .minor = 0.3, .around = 10, .across = 6})).solid();
  return {Sphere{0.3},
          Capsule{0.2, 0.5},
          Box{Vector3(0.5, 0.4, 0.3)},
          HalfSpace{Vector3(0.1, 0, 1), -0.5},
          Plane{Vector3(1, 2, 2), 0.5},
          Triangle{{0, 0, 0}, {0.5, 0, 0}, {0, 0.5, 0}},
          Cylinder{0.2, 0.4},
          ConvexHull(std::vector<Vector3>{{0, 0, 0}, {0.4, 0, 0}, {0, 0.4, 0}, {0, 0, 0.4}}),
          torus,
          Mesh(make::box()),
          HeightField(heights, 3, 3, 0.6, 0.6),
          Compound({{Sphere{0.2}, Pose()},
                    {Box{Vector3(0.5, 0.2, 0.2)}, Pose(Vector3(0.5, 0, 0.2))},
                    {Mesh(make::box()), Pose(Vector3(-1.2, 0, 0))}}),
          SphereSet(std::vector<Vector3>{{0, 0, 0}, {0.4, 0, 0}}, std::vector<double>{0.3, 0.2}),
          SphereBody(build_sphere_tree(Mesh(make::box()), {.depth = 1}), Mesh(make::box()).solid())};
}

Pose some_pose(std::mt19937_64& random, double spread) {
  const Eigen::Quaterniond turn(test::uniform(random, 0.1, 1), test::uniform(random, -1, 1),
                                test::uniform(random, -1, 1), test::uniform(random, -1, 1));
  return Pose(turn.normalized().toRotationMatrix(), test::random_vector(random, spread));
}

TEST(ContactsMargin, FindsExactlyThePairsOfFeaturesWithinTheMargin) {
  const std::vector<Shape> shapes = margin_shapes();
  auto random = test::seeded(201);
  std::size_t near = 0, touching = 0, far = 0;
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      for (std::size_t i = 0; i < test::cases(3); ++i) {
        // Every third case is far from the origin.
        const Vector3 offset = i % 3 == 2 ? Vector3(3e8, -2e8, 1e8) : Vector3(Vector3::Zero());
        const double rounding = i % 3 == 2 ? 1e-6 : 1e-9;
        const Pose near_a = some_pose(random, 0.3), near_b = some_pose(random, 1.2);
        const Pose pose_a(near_a.rotation(), near_a.translation() + offset);
        const Pose pose_b(near_b.rotation(), near_b.translation() + offset);
        const double margin = i == 0 ? 0.02 : i == 1 ? 0.15 : 0.5;
        const Contacts found = contacts({a, pose_a}, {b, pose_b}, {.margin = margin});
        SCOPED_TRACE(std::string(name(a.kind())) + " " + std::string(name(b.kind())) + " margin " +
                     std::to_string(margin));
        EXPECT_EQ(found.stop, Stop::exact);
        std::vector<std::pair<Key, const Contact*>> listed;
        for (const Contact& c : found.pairs)
          listed.push_back({key_of(c.a, c.b), &c});
        std::sort(listed.begin(), listed.end());
        for (std::size_t k = 1; k < listed.size(); ++k)
          ASSERT_NE(listed[k].first, listed[k - 1].first) << "a pair is listed twice";
        std::size_t expected = 0;
        for (const Piece& p : pieces_of(a, pose_a)) {
          for (const Piece& q : pieces_of(b, pose_b)) {
            const Distance d = distance({p.shape, p.pose}, {q.shape, q.pose});
            const auto at = std::lower_bound(listed.begin(), listed.end(),
                                             std::pair<Key, const Contact*>(key_of(p.feature, q.feature), nullptr));
            const bool is_listed = at != listed.end() && at->first == key_of(p.feature, q.feature);
            if (d.upper <= margin) {
              ASSERT_TRUE(is_listed) << "missed a pair at " << d.upper;
            }
            if (d.lower > margin * (1 + 1e-12)) {
              ASSERT_FALSE(is_listed) << "listed a pair at " << d.lower;
              ++far;
            }
            if (!is_listed) continue;
            ++expected;
            const Segment& s = at->second->segment;
            if (d.lower > 0) {
              ++near;
              EXPECT_NEAR((s.b - s.a).norm(), d.upper, rounding);
              EXPECT_LE(distance({p.shape, p.pose}, {Sphere{0}, Pose(s.a)}).lower, rounding);
              EXPECT_LE(distance({q.shape, q.pose}, {Sphere{0}, Pose(s.b)}).lower, rounding);
            } else {
              ++touching;
            }
          }
        }
        // What remains are shapes, or balls of a set, inside a solid as a whole.
        const std::vector<Piece> of_a = pieces_of(a, pose_a), of_b = pieces_of(b, pose_b);
        const auto piece = [](const std::vector<Piece>& pieces, const Feature& feature) {
          return std::find_if(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.feature == feature; });
        };
        std::size_t whole = 0;
        for (const auto& [key, contact] : listed) {
          const auto p = piece(of_a, contact->a), q = piece(of_b, contact->b);
          if (p != of_a.end() && q != of_b.end()) continue;
          ++whole;
          EXPECT_TRUE(p != of_a.end() || contact->a.kind == FeatureKind::whole);
          EXPECT_TRUE(q != of_b.end() || contact->b.kind == FeatureKind::whole);
          const Placed in_a = p != of_a.end() ? Placed(p->shape, p->pose) : Placed(a, pose_a);
          const Placed in_b = q != of_b.end() ? Placed(q->shape, q->pose) : Placed(b, pose_b);
          EXPECT_TRUE(touches(in_a, in_b));
          // None of the solid's triangles touches it.
          for (const Piece& r : of_a)
            EXPECT_FALSE(p == of_a.end() && r.feature.part == contact->a.part && touches({r.shape, r.pose}, in_b));
          for (const Piece& r : of_b)
            EXPECT_FALSE(q == of_b.end() && r.feature.part == contact->b.part && touches(in_a, {r.shape, r.pose}));
        }
        EXPECT_EQ(listed.size(), expected + whole);
        // All contacts without a margin are among them.
        for (const Contact& c : contacts({a, pose_a}, {b, pose_b}).pairs) {
          const Key key = key_of(c.a, c.b);
          EXPECT_TRUE(std::any_of(listed.begin(), listed.end(), [&](const auto& l) { return l.first == key; }));
        }
      }
    }
  }
  EXPECT_GE(near, test::at_least(1000));
  EXPECT_GE(touching, test::at_least(500));
  EXPECT_GE(far, test::at_least(10000));
}

TEST(ContactsMargin, NormalAndGapAreTheSignedDistanceOfTheTwoFeatures) {
  const std::vector<Shape> shapes = margin_shapes();
  auto random = test::seeded(202);
  std::size_t deep = 0, apart = 0;
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      const Pose pose_a = some_pose(random, 0.2), pose_b = some_pose(random, 0.8);
      const Contacts plain = contacts({a, pose_a}, {b, pose_b}, {.margin = 0.1});
      const Contacts found = contacts({a, pose_a}, {b, pose_b}, {.normals = true, .margin = 0.1});
      ASSERT_EQ(found.pairs.size(), plain.pairs.size());
      SCOPED_TRACE(std::string(name(a.kind())) + " " + std::string(name(b.kind())));
      const std::vector<Piece> of_a = pieces_of(a, pose_a), of_b = pieces_of(b, pose_b);
      const auto piece = [](const std::vector<Piece>& pieces, const Feature& feature) -> const Piece* {
        const auto at =
            std::find_if(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.feature == feature; });
        return at != pieces.end() ? &*at : nullptr;
      };
      for (std::size_t i = 0; i < found.pairs.size(); ++i) {
        const Contact& c = found.pairs[i];
        EXPECT_EQ(c.a, plain.pairs[i].a);
        EXPECT_EQ(c.b, plain.pairs[i].b);
        EXPECT_EQ(plain.pairs[i].normal, Vector3(Vector3::Zero()));
        EXPECT_EQ(plain.pairs[i].gap, 0);
        EXPECT_EQ(c.segment.a, plain.pairs[i].segment.a);
        const Piece *p = piece(of_a, c.a), *q = piece(of_b, c.b);
        if (p == nullptr || q == nullptr) continue;  // a whole solid
        const Distance d = distance({p->shape, p->pose}, {q->shape, q->pose});
        const Depth deepness = depth({p->shape, p->pose}, {q->shape, q->pose});
        if (deepness.lower == std::numeric_limits<double>::infinity()) continue;
        EXPECT_NEAR(c.gap, d.value() - deepness.value(), 1e-6);
        if (d.lower > 0) {
          EXPECT_LE((c.normal - d.normal).norm(), 1e-9);
          ++apart;
        } else if (deepness.lower > 1e-6) {
          EXPECT_LE((c.normal - deepness.normal).norm(), 1e-3);
          EXPECT_LT(c.gap, 0);
          ++deep;
        }
        if (c.gap != 0) {
          EXPECT_NEAR(c.normal.norm(), 1, 1e-12);
        }
      }
    }
  }
  EXPECT_GE(deep, 100u);
  EXPECT_GE(apart, 100u);
}

TEST(ContactsMargin, OfTrianglesThatCrossIsTheirOwnShortestWayOut) {
  // An upright triangle pierces a flat one by 0.25.
  const Shape flat = Mesh({{{-4, -4, 0}, {4, -4, 0}, {0, 4, 0}}, {{0, 1, 2}}});
  const Shape upright = Mesh({{{0, 0, -0.25}, {1, 0, 2}, {-1, 0, 2}}, {{0, 1, 2}}});
  const Contacts found = contacts(flat, upright, {.normals = true});
  ASSERT_EQ(found.pairs.size(), 1u);
  EXPECT_LE((found.pairs[0].normal - Vector3::UnitZ()).norm(), 1e-12);
  EXPECT_NEAR(found.pairs[0].gap, -0.25, 1e-12);
  const Contacts back = contacts(upright, flat, {.normals = true});
  EXPECT_LE((back.pairs[0].normal + Vector3::UnitZ()).norm(), 1e-12);
}

TEST(ContactsMargin, StopsAtTheCountAndRefusesBadMargins) {
  const Shape ball = Mesh(make::torus()).solid();
  const Contacts few = contacts(ball, {ball, Pose(Vector3(0.1, 0, 0))}, {.max_count = 5, .margin = 0.1});
  EXPECT_EQ(few.pairs.size(), 5u);
  EXPECT_EQ(few.stop, Stop::count);
  for (const double margin : {-1.0, test::nan, std::numeric_limits<double>::infinity()})
    EXPECT_NE(test::error_of([&] { contacts(ball, ball, {.margin = margin}); }).find("margin"), std::string::npos);
}

}  // namespace
}  // namespace whisker
