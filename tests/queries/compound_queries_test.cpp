// Compounds: every result is compared with brute force over all pairs of parts.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "geometry/constants.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using test::cases;
using test::random_pose;
using test::seeded;
using test::uniform;
using Random = std::mt19937_64;

Shape simple_shape(Random& random, std::size_t kind) {
  return std::visit([](const auto& s) { return Shape(s); }, test::scenes::random_shape(random, kind));
}

HeightField field(Random& random) {
  std::vector<double> heights(5 * 4);
  for (double& h : heights)
    h = uniform(random, -0.3, 0.3);
  return HeightField(heights, 5, 4, 0.5, 0.5);
}

struct Allowed {
  bool unbounded = true;
  bool fields = true;
  bool solids_only = false;
};

/// Any shape that compounds support, with compounds nested up to `nesting` deep.
Shape random_part(Random& random, const Allowed& allowed, int nesting) {
  while (true) {
    const int kind = test::whole(random, 0, nesting > 0 ? 10 : 8);
    if ((kind == 3 || kind == 4) && (!allowed.unbounded || !test::scenes::chance(random, 6))) continue;
    if (kind < 7) return simple_shape(random, static_cast<std::size_t>(kind));
    if (kind == 7) {
      const Mesh mesh(test::scenes::chance(random, 2) ? make::box() : make::icosphere({.subdivisions = 1}));
      return allowed.solids_only || test::scenes::chance(random, 2) ? mesh.solid() : mesh;
    }
    if (kind == 8) {
      if (!allowed.fields) continue;
      return field(random);
    }
    std::vector<CompoundPart> parts;
    for (int i = test::whole(random, 1, 4); i > 0; --i)
      parts.push_back({random_part(random, allowed, nesting - 1), random_pose(random, 1)});
    return Compound(parts);
  }
}

Compound random_compound(Random& random, int parts, double spread, const Allowed& allowed = {}) {
  std::vector<CompoundPart> all;
  for (int i = 0; i < parts; ++i)
    all.push_back({random_part(random, allowed, 2), random_pose(random, spread)});
  return Compound(all);
}

/// A part that is not a compound, with its pose in the world. Parts are in the order of their numbers.
struct Leaf {
  Shape shape;
  Pose pose;
};

void add_leaves(const Shape& shape, const Pose& pose, std::vector<Leaf>& leaves) {
  const auto* compound = shape.as<Compound>();
  if (compound == nullptr) {
    leaves.push_back({shape, pose});
    return;
  }
  for (const CompoundPart& part : compound->parts())
    add_leaves(part.shape, compose(pose, part.pose), leaves);
}

std::vector<Leaf> leaves_of(const Shape& shape, const Pose& pose) {
  std::vector<Leaf> leaves;
  add_leaves(shape, pose, leaves);
  return leaves;
}

/// A total order of contacts, to compare sets of them.
bool comes_before(const Contact& x, const Contact& y) {
  const auto key = [](const Contact& c) {
    return std::vector<std::uint32_t>{
        c.a.part, c.b.part, c.a.id, c.b.id, static_cast<std::uint32_t>(c.a.kind), static_cast<std::uint32_t>(c.b.kind)};
  };
  return key(x) < key(y);
}

struct Truth {
  bool touch = false;
  std::vector<Contact> contacts;
  double lower = infinity;
  double upper = infinity;
};

Truth brute_force(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  Truth truth;
  const std::vector<Leaf> leaves_a = leaves_of(a, pose_a), leaves_b = leaves_of(b, pose_b);
  for (std::uint32_t i = 0; i < leaves_a.size(); ++i) {
    for (std::uint32_t j = 0; j < leaves_b.size(); ++j) {
      const Placed leaf_a(leaves_a[i].shape, leaves_a[i].pose), leaf_b(leaves_b[j].shape, leaves_b[j].pose);
      truth.touch = truth.touch || touches(leaf_a, leaf_b);
      for (Contact contact : contacts(leaf_a, leaf_b, {.segments = false}).pairs) {
        contact.a.part = i;
        contact.b.part = j;
        truth.contacts.push_back(contact);
      }
      const Distance apart = distance(leaf_a, leaf_b);
      truth.lower = std::min(truth.lower, apart.lower);
      truth.upper = std::min(truth.upper, apart.upper);
    }
  }
  std::sort(truth.contacts.begin(), truth.contacts.end(), comes_before);
  return truth;
}

void expect_truth(const Placed& a, const Placed& b, const Truth& truth, double rounding) {
  ASSERT_EQ(touches(a, b), truth.touch);
  ASSERT_EQ(touches(b, a), truth.touch);
  Contacts found = contacts(a, b, {.segments = false});
  ASSERT_EQ(found.stop, Stop::exact);
  std::sort(found.pairs.begin(), found.pairs.end(), comes_before);
  ASSERT_EQ(found.pairs.size(), truth.contacts.size());
  for (std::size_t i = 0; i < found.pairs.size(); ++i) {
    ASSERT_EQ(found.pairs[i].a, truth.contacts[i].a) << i;
    ASSERT_EQ(found.pairs[i].b, truth.contacts[i].b) << i;
  }
  if (truth.contacts.size() > 1) {
    const Contacts some = contacts(a, b, {.max_count = truth.contacts.size() - 1});
    ASSERT_EQ(some.pairs.size(), truth.contacts.size() - 1);
    ASSERT_EQ(some.stop, Stop::count);
  }
  const auto holds = [&](const Distance& d) {
    ASSERT_LE(d.lower, truth.upper);
    ASSERT_GE(d.upper, truth.lower);
    ASSERT_GE(d.lower, 0);
    ASSERT_LE(d.lower, d.upper);
  };
  const Distance apart = distance(a, b);
  ASSERT_NO_FATAL_FAILURE(holds(apart));
  ASSERT_LE(apart.upper - apart.lower, rounding);
  ASSERT_NO_FATAL_FAILURE(holds(distance(b, a)));
  for (const double tolerance : {1e-3, 0.5, infinity}) {
    const Distance rough = distance(a, b, {.tolerance = tolerance});
    ASSERT_NO_FATAL_FAILURE(holds(rough)) << tolerance;
    ASSERT_LE(rough.upper - rough.lower, tolerance + rounding);
  }
  for (const std::uint64_t budget : {0u, 1u, 10u, 100u}) {
    const Distance cut = distance(a, b, {.budget = budget});
    ASSERT_NO_FATAL_FAILURE(holds(cut)) << budget;
    ASSERT_TRUE(std::isfinite(cut.upper)) << budget;
  }
  for (const double part : {0.0, 0.5, 1.5}) {
    const double bound = truth.upper * part;
    const Distance bounded = distance(a, b, {.upper_bound = bound});
    ASSERT_NO_FATAL_FAILURE(holds(bounded)) << part;
    if (truth.lower > bound + rounding) {
      ASSERT_GT(bounded.lower, bound);
      ASSERT_EQ(bounded.upper, infinity);
    }
    if (truth.upper < bound - rounding) {
      ASSERT_LE(bounded.upper - bounded.lower, rounding);
    }
    const Distance near = distance(a, b, {.close_enough = bound});
    ASSERT_NO_FATAL_FAILURE(holds(near)) << part;
    if (truth.upper <= bound) {
      ASSERT_LE(near.upper, bound);
    }
  }
}

TEST(Compound, IsTheUnionOfItsPartsAgainstEveryKind) {
  auto random = seeded(701);
  std::size_t hits = 0;
  const std::size_t count = cases(200);
  for (std::size_t i = 0; i < count; ++i) {
    const Shape a = random_compound(random, test::whole(random, 1, 4), 2, {.unbounded = i % 4 == 0});
    const Shape b = i % 9 < 7 ? simple_shape(random, i % 9) : random_part(random, {.unbounded = false}, 0);
    const bool far = i % 13 == 0;
    const Pose pose_a = random_pose(random, far ? 1e6 : 1);
    const Pose pose_b(test::scenes::any_rotation(random),
                      pose_a.translation() + test::random_vector(random, i % 2 == 0 ? 3 : 8));
    const Truth truth = brute_force(a, pose_a, b, pose_b);
    ASSERT_NO_FATAL_FAILURE(expect_truth({a, pose_a}, {b, pose_b}, truth, far ? 1e-7 : 1e-11))
        << i << " " << name(b.kind());
    hits += truth.touch ? 1u : 0u;
  }
  EXPECT_GT(hits, count / 8);
  EXPECT_LT(hits, count - count / 8);
}

TEST(Compound, IsTheUnionOfItsPartsAgainstCompounds) {
  auto random = seeded(702);
  std::size_t hits = 0;
  const std::size_t count = cases(100);
  for (std::size_t i = 0; i < count; ++i) {
    const Shape a = random_compound(random, test::whole(random, 1, 4), 1.5, {.unbounded = i % 5 == 0});
    const Shape b = random_compound(random, test::whole(random, 1, 4), 1.5, {.unbounded = i % 7 == 0});
    const Pose pose_a = random_pose(random, 1);
    const Pose pose_b(test::scenes::any_rotation(random),
                      pose_a.translation() + test::random_vector(random, i % 2 == 0 ? 1.5 : 8));
    const Truth truth = brute_force(a, pose_a, b, pose_b);
    ASSERT_NO_FATAL_FAILURE(expect_truth({a, pose_a}, {b, pose_b}, truth, 1e-11)) << i;
    hits += truth.touch ? 1u : 0u;
  }
  EXPECT_GT(hits, test::at_least(100) / 8);
  EXPECT_LT(hits, count - count / 8);
}

TEST(Compound, IsCloserThanWhatItsNearestPartsAreApart) {
  auto random = seeded(706);
  for (std::size_t i = 0; i < cases(100); ++i) {
    const Shape a = random_compound(random, 3, 1.5, {.unbounded = false});
    const Shape b = i % 2 == 0 ? random_part(random, {.unbounded = false}, 0)
                               : Shape(random_compound(random, 2, 1.5, {.unbounded = false}));
    const Pose pose = random_pose(random, 6);
    const Distance apart = distance(a, {b, pose});
    for (const double part : {0.0, 0.5, 0.999, 1.001, 2.0}) {
      if (apart.upper == 0) {
        ASSERT_TRUE(closer_than(a, {b, pose}, part)) << i;
      } else {
        ASSERT_EQ(closer_than(a, {b, pose}, part * apart.upper), part > 1) << i << " " << part;
        ASSERT_EQ(closer_than({b, pose}, a, part * apart.upper), part > 1) << i << " " << part;
      }
    }
  }
}

TEST(Compound, PartsAreNumberedThroughNestedCompounds) {
  const Compound pair({{Box{{1, 1, 1}}, Pose(Vector3(0, 0, 0))}, {Box{{1, 1, 1}}, Pose(Vector3(10, 0, 0))}});
  const Shape row = Compound({{Sphere{0.5}, Pose(Vector3(-10, 0, 0))},
                              {pair, Pose(Vector3(20, 0, 0))},
                              {Capsule{0.2, 1}, Pose(Vector3(50, 0, 0))},
                              {Mesh(make::box()), Pose(Vector3(70, 0, 0))}});
  const double at[] = {-10, 20, 30, 50, 70};
  const Shape probe = Sphere{1};
  for (std::uint32_t i = 0; i < 5; ++i) {
    const Contacts found = contacts(row, {probe, Pose(Vector3(at[i], 0, 0))});
    ASSERT_FALSE(found.pairs.empty()) << i;
    for (const Contact& contact : found.pairs) {
      EXPECT_EQ(contact.a.part, i);
      EXPECT_EQ(contact.b, Feature{});
      EXPECT_EQ(contact.a.kind, i == 4 ? FeatureKind::triangle : FeatureKind::whole);
    }
    const Distance apart = distance({probe, Pose(Vector3(at[i], 3, 0))}, row);
    EXPECT_EQ(apart.feature_b.part, i);
    EXPECT_EQ(apart.feature_a, Feature{});
  }
  const Contacts found = contacts({row, Pose(Vector3(0, 0, 0.5))}, row, {.segments = false});
  for (const Contact& contact : found.pairs)
    EXPECT_EQ(contact.a.part, contact.b.part);
}

TEST(Compound, SloppyRotationsAndTheLastBitMissNothing) {
  auto random = seeded(703);
  std::size_t bisected = 0;
  for (std::size_t i = 0; i < cases(60); ++i) {
    const Shape a = random_compound(random, 3, 1, {.unbounded = false});
    const Shape b = i % 2 == 0 ? random_part(random, {.unbounded = false}, 0)
                               : Shape(random_compound(random, 3, 1, {.unbounded = false}));
    Pose pose_a = random_pose(random, i % 5 == 0 ? 1e4 : 1);
    // A quarter of the allowed inexactness, so that the parts' poses are valid poses too.
    pose_a.set_rotation((test::scenes::sloppy(random, pose_a.rotation()) + 3 * pose_a.rotation()) / 4);
    const Matrix3 turn = test::scenes::any_rotation(random);
    const Vector3 direction = test::scenes::unit_vector(random);
    const auto pose_at = [&](double s) { return Pose(turn, pose_a.translation() + s * direction); };
    const std::vector<Leaf> leaves_a = leaves_of(a, pose_a);
    const auto brute = [&](double s) {
      for (const Leaf& leaf_b : leaves_of(b, pose_at(s)))
        for (const Leaf& leaf_a : leaves_a)
          if (touches({leaf_a.shape, leaf_a.pose}, {leaf_b.shape, leaf_b.pose})) return true;
      return false;
    };
    double inside = 0, outside = 40;
    if (!brute(inside)) continue;
    ASSERT_FALSE(brute(outside));
    ++bisected;
    for (int step = 0; step < 60; ++step) {
      const double middle = inside + (outside - inside) / 2;
      if (middle <= inside || middle >= outside) break;
      const bool truth = brute(middle);
      ASSERT_EQ(touches({a, pose_a}, {b, pose_at(middle)}), truth) << i << " at " << middle;
      (truth ? inside : outside) = middle;
    }
  }
  EXPECT_GT(bisected, cases(60) / 4);
}

TEST(Compound, ASphereKeepsItsRadiusInARotationThatShrinks) {
  Pose shrinking;
  shrinking.set_rotation(shrinking.rotation() * (1 - 4e-10));
  const Shape ball = Compound({{Sphere{1}, Pose()}}), floor = Box{{4, 4, 2}};
  EXPECT_TRUE(touches({ball, shrinking}, {floor, Pose(Vector3(0, 0, -2 + 1e-10))}));
  EXPECT_TRUE(touches({ball, shrinking}, {floor, Pose(Vector3(0, 0, -2))}));
  EXPECT_FALSE(touches({ball, shrinking}, {floor, Pose(Vector3(0, 0, -2 - 1e-10))}));
}

TEST(Compound, NestedPosesThatNearlyCancelMissNothing) {
  auto random = seeded(707);
  for (std::size_t i = 0; i < cases(40); ++i) {
    // Far away in one pose and back in the next: the rounding is that of a million, while the parts are of size one.
    const Pose far = random_pose(random, 1e6);
    const Shape inner = Compound({{Box{{1, 1, 1}}, inverse(far)}, {Sphere{0.5}, inverse(far)}});
    const Shape a = Compound({{inner, far}}), b = Compound({{Box{{1, 1, 1}}, Pose()}});
    const Pose pose_a = i % 2 == 0 ? Pose() : random_pose(random, 1);
    const std::vector<Leaf> leaves_a = leaves_of(a, pose_a);
    const Vector3 direction = pose_a.rotation().col(static_cast<int>(i % 3));
    const auto pose_at = [&](double s) { return Pose(pose_a.rotation(), pose_a.translation() + s * direction); };
    const auto brute = [&](double s) {
      return std::any_of(leaves_a.begin(), leaves_a.end(), [&](const Leaf& leaf) {
        return touches({leaf.shape, leaf.pose}, {Shape(Box{{1, 1, 1}}), compose(pose_at(s), Pose())});
      });
    };
    double inside = 0.5, outside = 2;
    for (int step = 0; step < 60; ++step) {
      const double middle = inside + (outside - inside) / 2;
      if (middle <= inside || middle >= outside) break;
      const bool truth = brute(middle);
      ASSERT_EQ(touches({a, pose_a}, {b, pose_at(middle)}), truth) << i << " at " << middle;
      (truth ? inside : outside) = middle;
    }
  }
}

TEST(Compound, TwoOfThousandsOfPartsAreNotAskedPairByPair) {
  auto random = seeded(704);
  const auto cloud = [&](double spread) {
    std::vector<CompoundPart> parts;
    for (int i = 0; i < 3000; ++i)
      parts.push_back({Sphere{0.05}, Pose(test::random_vector(random, spread))});
    return Compound(parts);
  };
  const Shape a = cloud(10), b = cloud(10);
  const Contacts found = contacts(a, b, {.segments = false});
  EXPECT_LT(found.cost.volume_tests + found.cost.primitive_tests, 200000u);
  std::size_t truth = 0;
  for (const CompoundPart& p : a.as<Compound>()->parts())
    for (const CompoundPart& q : b.as<Compound>()->parts())
      if ((p.pose.translation() - q.pose.translation()).norm() < 0.2)
        truth += touches({p.shape, p.pose}, {q.shape, q.pose}) ? 1u : 0u;
  EXPECT_EQ(found.pairs.size(), truth);
  const Distance apart = distance(a, {b, Pose(Vector3(30, 0, 0))});
  EXPECT_LT(apart.cost.volume_tests + apart.cost.primitive_tests, 20000u);
}

TEST(Compound, ACacheOfAnotherPairChangesNoAnswer) {
  auto random = seeded(705);
  PairCache cache;
  for (std::size_t i = 0; i < cases(150); ++i) {
    const Shape a = random_compound(random, 3, 1.5, {.unbounded = false});
    const Shape b = i % 2 == 0 ? random_part(random, {.unbounded = false}, 0)
                               : Shape(random_compound(random, 2, 1.5, {.unbounded = false}));
    const Pose pose = random_pose(random, 3);
    ASSERT_EQ(touches(a, {b, pose}, {.cache = &cache}), touches(a, {b, pose})) << i;
    ASSERT_EQ(touches({b, pose}, a, {.cache = &cache}), touches(a, {b, pose})) << i;
    ASSERT_EQ(touches(a, {b, pose}, {.cache = &cache}), touches(a, {b, pose})) << i;
    const Distance with = distance(a, {b, pose}, {.cache = &cache}), without = distance(a, {b, pose});
    ASSERT_EQ(with.lower, without.lower) << i;
    ASSERT_EQ(with.upper, without.upper) << i;
  }
}

TEST(Compound, APartThatDepthCannotAnswerIsNamedAtOnce) {
  const std::vector<double> heights = {0, 0, 0, 0};
  const Shape inner = Compound({{Sphere{0.5}, Pose()}, {HeightField(heights, 2, 2, 1, 1), Pose(Vector3(1e6, 0, 0))}});
  const Shape odd = Compound({{Sphere{1}, Pose()}, {inner, Pose()}});
  const Shape ball = Sphere{1}, hull = Cylinder{1, 1}, plain = Compound({{Sphere{1}, Pose()}});
  for (const Shape& other : {ball, hull, plain, odd}) {
    for (const bool flip : {false, true}) {
      const Shape& a = flip ? other : odd;
      const Shape& b = flip ? odd : other;
      EXPECT_TRUE(touches(a, b));
      EXPECT_FALSE(contacts(a, b).pairs.empty());
      EXPECT_EQ(distance(a, b).upper, 0);
      try {
        depth(a, b);
        ADD_FAILURE() << "depth answers";
      } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("depth"), std::string::npos) << message;
        EXPECT_NE(message.find("height field"), std::string::npos) << message;
      }
    }
  }
}

TEST(Compound, PartsOfEveryConvexKindAnswer) {
  const std::vector<Vector3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const std::vector<Shape> kinds = {
      Cylinder{0.5, 1}, Cone{0.5, 1}, Ellipsoid{Vector3(0.5, 0.25, 0.75)}, ConvexHull(corners),
      CustomConvex([](const Vector3& d) { return Vector3(0.5 * d.normalized()); }, 1e-15)};
  for (const Shape& kind : kinds) {
    const Shape inner =
        Compound({{Box{Vector3(0.1, 0.1, 0.1)}, Pose(Vector3(1e3, 0, 0))}, {kind, Pose(Vector3(0, 3, 0))}});
    const Shape nested = Compound({{Sphere{1}, Pose(Vector3(-1e3, 0, 0))}, {inner, Pose(Vector3(1, 0, 0))}});
    for (const Shape& other : kinds) {
      const Pose part(Vector3(1, 3, 0)), near(Vector3(1.1, 3.1, 0.05)), far(Vector3(1, 3, 2.5));
      EXPECT_TRUE(touches(nested, {other, near}));
      EXPECT_FALSE(touches(nested, {other, far}));
      const Distance found = distance(nested, {other, far}), alone = distance({kind, part}, {other, far});
      EXPECT_NEAR(found.lower, alone.lower, 1e-12);
      EXPECT_NEAR(found.upper, alone.upper, 1e-12);
      EXPECT_EQ(found.feature_a.part, 2u);
      const Depth deep = depth(nested, {other, near}), plain = depth({kind, part}, {other, near});
      EXPECT_LE(deep.lower, plain.upper + 1e-12);
      EXPECT_GE(deep.upper, plain.lower - 1e-12);
      EXPECT_LE(deep.upper - deep.lower, 1e-5);
    }
  }
}

TEST(Compound, NestedTooDeepIsAnError) {
  Shape shape = Compound({{Sphere{1}, Pose()}});
  for (std::size_t i = 1; i < Compound::max_nesting; ++i)
    shape = Compound({{shape, Pose(Vector3(1, 0, 0))}});
  EXPECT_TRUE(touches(shape, {Shape(Sphere{1}), Pose(Vector3(static_cast<double>(Compound::max_nesting - 1), 0, 0))}));
  EXPECT_FALSE(touches(shape, Shape(Sphere{1})));
  EXPECT_THROW(Compound({{shape, Pose()}}), Error);
}

// --- depth ---------------------------------------------------------------------------------------------------------

TEST(CompoundDepth, BoundsHold) {
  auto random = seeded(711);
  std::size_t deep = 0;
  for (std::size_t i = 0; i < cases(60); ++i) {
    const Allowed allowed = {.unbounded = false, .fields = false, .solids_only = true};
    const Shape a = random_compound(random, 3, 0.8, allowed);
    const Shape b = i % 2 == 0 ? random_part(random, allowed, 0) : Shape(random_compound(random, 2, 0.8, allowed));
    const Pose pose = random_pose(random, 1.5);
    const Depth found = depth(a, {b, pose});
    ASSERT_GE(found.lower, 0);
    ASSERT_LE(found.lower, found.upper);
    ASSERT_TRUE(std::isfinite(found.upper));
    const auto overlaps = [&](const Vector3& by) {
      return touches(a, {b, Pose(pose.rotation(), pose.translation() + by)});
    };
    if (!overlaps(Vector3::Zero())) {
      ASSERT_EQ(found.upper, 0) << i;
      continue;
    }
    ++deep;
    ASSERT_FALSE(overlaps(found.normal * found.upper * (1 + 1e-9))) << i;
    if (found.lower > 1e-9) {
      for (int k = 0; k < 50; ++k)
        ASSERT_TRUE(overlaps(test::scenes::unit_vector(random) * found.lower * uniform(random, 0, 0.999))) << i;
    }
    const Depth back = depth({b, pose}, a);
    ASSERT_LE(back.lower, found.upper);
    ASSERT_LE(found.lower, back.upper);
  }
  EXPECT_GT(deep, cases(60) / 4);
}

TEST(CompoundDepth, OfKnownPairs) {
  const Shape bar = Compound({{Box{{1, 1, 1}}, Pose(Vector3(-0.5, 0, 0))}, {Box{{1, 1, 1}}, Pose(Vector3(0.5, 0, 0))}});
  const Shape ball = Sphere{0.5};
  // Between the two boxes: 1 down to the middle of the bar, not out of each box separately.
  const Depth found = depth(bar, {ball, Pose(Vector3(0, 0, 0.25))});
  EXPECT_NEAR(found.upper, 0.75, 1e-9);
  EXPECT_NEAR(found.normal[2], 1, 1e-9);
  EXPECT_LE(found.lower, 0.75);
  // In a half-space: as deep as the deepest part.
  const Depth sunk = depth({bar, Pose(Vector3(0, 0, 0.2))}, Shape(HalfSpace{{0, 0, 1}, 0}));
  EXPECT_NEAR(sunk.upper, 0.3, 1e-9);
  EXPECT_NEAR(sunk.lower, 0.3, 1e-9);
  const Shape corner = Compound({{HalfSpace{{0, 0, 1}, 0}, Pose()}, {HalfSpace{{1, 0, 0}, 0}, Pose()}});
  const Depth in_corner = depth(corner, {ball, Pose(Vector3(0.4, 0, 0.2))});
  EXPECT_GE(in_corner.upper, 0.3162);  // (0.1, 0, 0.3)
  EXPECT_NEAR(in_corner.lower, 0.3, 1e-9);
}

TEST(CompoundDepth, SurfacesAndFieldsAreErrors) {
  auto random = seeded(712);
  const Shape with_surface = Compound({{Sphere{1}, Pose()}, {Mesh(make::box()), Pose()}});
  const Shape with_field = Compound({{field(random), Pose()}});
  const Shape ball = Sphere{1}, plain = Compound({{Sphere{1}, Pose()}});
  EXPECT_THROW(depth(with_surface, ball), Error);
  EXPECT_THROW(depth(ball, with_surface), Error);
  EXPECT_THROW(depth(plain, Shape(Mesh(make::box()))), Error);
  EXPECT_THROW(depth(with_field, ball), Error);
  EXPECT_THROW(depth(plain, with_field), Error);
  EXPECT_THROW(depth(plain, Shape(field(random))), Error);
  EXPECT_FALSE(is_supported(Question::depth, ShapeKind::compound, ShapeKind::height_field));
}

}  // namespace
}  // namespace whisker
