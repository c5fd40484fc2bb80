// A user's function may call whisker: a support function, a filter or a motion that itself asks queries about meshes,
// polytopes, sphere bodies and another world. The answers are those of a function that does not.

#include <atomic>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/contact_manifold.hpp>
#include <whisker/whisker.hpp>

#include "support/cases.hpp"
#include "support/random_vectors.hpp"
#include "world/random_bodies.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::turned_pose;

Vector3 rounded_box(const Vector3& d) {
  return d.cwiseSign().cwiseProduct(Vector3(0.6, 0.4, 0.3)) + 0.1 * d.stableNormalized();
}

const Mesh& nested_torus() {
  static const Mesh mesh = Mesh(make::torus({.around = 16, .across = 8})).solid();
  return mesh;
}

const SphereBody& nested_body() {
  static const SphereBody body(build_sphere_tree(nested_torus(), {.depth = 2}), nested_torus());
  return body;
}

std::vector<double> numbers(const Distance& d) {
  return {d.lower,      d.upper,      d.point_a[0], d.point_a[1], d.point_a[2], d.point_b[0],
          d.point_b[1], d.point_b[2], d.normal[0],  d.normal[1],  d.normal[2]};
}
std::vector<double> numbers(const Depth& d) {
  return {d.lower,      d.upper,      d.point_a[0], d.point_a[1], d.point_a[2], d.point_b[0],
          d.point_b[1], d.point_b[2], d.normal[0],  d.normal[1],  d.normal[2]};
}

/// Questions that use all the memory that is kept per thread, with answers that never change.
class Asker {
 public:
  explicit Asker(std::uint64_t stream) : random_(seeded(stream)), hull_(test::random_hull(random_)) {
    for (int i = 0; i < 60; ++i)
      world_.add(test::random_shape(random_), turned_pose(random_, 1.5));
    world_.update();
    expected_ = ask();
  }

  std::vector<double> ask() const {
    std::vector<double> answers;
    const auto add = [&](const std::vector<double>& some) { answers.insert(answers.end(), some.begin(), some.end()); };
    const Pose at(Vector3(0.2, 0.1, 0.3));
    add(numbers(distance(nested_torus(), {nested_torus(), Pose(Vector3(0, 0, 2))})));
    add(numbers(distance(nested_torus(), {Sphere{0.1}, Pose(Vector3(2, 1, 1))})));
    add(numbers(depth(hull_, {Cylinder{0.5, 1}, at})));
    add(numbers(depth(CustomConvex(rounded_box, 1e-15), {hull_, at})));
    add(numbers(distance(nested_body(), {Sphere{0.2}, Pose(Vector3(0, 0, 1))})));
    answers.push_back(static_cast<double>(contacts(nested_torus(), {nested_torus(), at}).pairs.size()));
    add(numbers(world_.nearest({hull_, Pose(Vector3(3, 0, 0))})->distance));
    answers.push_back(static_cast<double>(world_.touching({hull_, at}).size()));
    for (const PairDistance& pair : world_.closer_than(0.01))
      answers.push_back(pair.distance.upper);
    return answers;
  }

  /// Asks in every n-th call: an answer takes much longer than a support function.
  void check(std::size_t every = 1) const {
    if (calls_++ % every != 0) return;
    if (ask() != expected_) ++wrong_;
    ++asked_;
  }

  std::size_t asked() const { return asked_; }
  std::size_t wrong() const { return wrong_; }

 private:
  std::mt19937_64 random_;
  Shape hull_;
  World world_;
  std::vector<double> expected_;
  mutable std::atomic<std::size_t> calls_ = 0, asked_ = 0, wrong_ = 0;
};

TEST(NestedCalls, SupportFunctionThatAsksQueriesChangesNoAnswer) {
  auto random = seeded(7101);
  const Asker asker(7102);
  const Shape plain = CustomConvex(rounded_box, 1e-15);
  const Shape nested = CustomConvex(
      [&](const Vector3& d) {
        asker.check(199);
        return rounded_box(d);
      },
      1e-15);
  const Shape others[] = {test::random_hull(random),
                          Box{},
                          Cylinder{0.4, 1},
                          plain,
                          nested_torus(),
                          Compound({{Box{}, Pose()}, {test::random_hull(random), Pose(Vector3(1, 0, 0))}}),
                          nested_body(),
                          HalfSpace{}};
  for (const Shape& other : others) {
    for (std::size_t i = 0; i < cases(2); ++i) {
      const Pose pose = turned_pose(random, i % 2 == 0 ? 0.3 : 1.0);
      const std::string what = std::string(name(other.kind())) + ", case " + std::to_string(i);
      EXPECT_EQ(touches({nested, pose}, other), touches({plain, pose}, other)) << what;
      EXPECT_EQ(numbers(distance(other, {nested, pose})), numbers(distance(other, {plain, pose}))) << what;
      EXPECT_EQ(numbers(depth(other, {nested, pose})), numbers(depth(other, {plain, pose}))) << what;
      EXPECT_EQ(contacts(other, {nested, pose}).pairs.size(), contacts(other, {plain, pose}).pairs.size()) << what;
      if (!is_supported(Question::distance, other.kind(), ShapeKind::box) || other.kind() == ShapeKind::half_space)
        continue;
      const Pose away(Vector3(5, 0.2, 0.1));
      const auto impact = [&](const Shape& shape) {
        return first_contact({shape, Straight{away, Vector3(-6, 0, 0)}}, {other, Still{pose}});
      };
      const MotionImpact with = impact(nested), without = impact(plain);
      EXPECT_EQ(with.time, without.time) << what;
      EXPECT_EQ(with.time_lower, without.time_lower) << what;
    }
  }
  EXPECT_GT(asker.asked(), 50u);
  EXPECT_EQ(asker.wrong(), 0u);
}

TEST(NestedCalls, WorldOfShapesAndAFilterThatAskQueriesIsTheSameAsWithout) {
  auto random = seeded(7103);
  const Asker asker(7104);
  // Its tree of boxes is built by the first of the nested queries, in parallel, while other threads and tasks ask too.
  World boxes;
  for (int i = 0; i < 40000; ++i) {
    const Vector3 at = test::random_vector(random, 10);
    boxes.add_box({at, at + Vector3(0.1, 0.1, 0.1)});
  }
  boxes.update();
  std::size_t filtered = 0;
  World plain, nested;
  nested.set_filter([&](BodyId, BodyId) {
    asker.check();
    ++filtered;
    return true;
  });
  const Aabb around{Vector3(-1, -1, -1), Vector3(1, 1, 1)};
  for (int i = 0; i < 60; ++i) {
    const Pose pose = turned_pose(random, 1.5);
    plain.add(CustomConvex(rounded_box, 1e-15), pose);
    nested.add(CustomConvex(
                   [&](const Vector3& d) {
                     static_cast<void>(boxes.overlapping(around));
                     return rounded_box(d);
                   },
                   1e-15),
               pose);
  }
  // The constructors above have asked; a change makes the world build its tree anew, inside the update of the other.
  boxes.update();
  for (int step = 0; step < 2; ++step) {
    plain.update();
    nested.update();
    EXPECT_EQ(test::to_vector(nested.touching()), test::to_vector(plain.touching()));
    EXPECT_EQ(nested.report().tested, plain.report().tested);
    EXPECT_EQ(nested.report().cost, plain.report().cost);
    const std::vector<BodyId> bodies = plain.bodies();
    for (std::size_t i = 0; i < bodies.size(); i += 7) {
      const Pose pose = turned_pose(random, 1.5);
      plain.move(bodies[i], pose);
      nested.move(bodies[i], pose);
    }
  }
  EXPECT_GT(filtered, 50u);
  EXPECT_GT(plain.touching().size(), 20u);
  EXPECT_EQ(asker.wrong(), 0u);
}

TEST(NestedCalls, MotionThatAsksQueriesChangesNoAnswer) {
  const Asker asker(7105);
  const auto pose_of = [](double t) { return Pose(Vector3(3 - 4 * t, 0.1, 0.2)); };
  const auto way = [](double from, double to, double) { return 4 * (to - from); };
  const CustomMotion plain{.start = pose_of(0), .pose = pose_of, .way = way};
  const CustomMotion nested{.start = pose_of(0),
                            .pose =
                                [&](double t) {
                                  asker.check();
                                  return pose_of(t);
                                },
                            .way = way};
  for (const Shape& shape : {Shape(Cylinder{0.3, 0.5}), Shape(nested_torus())}) {
    const MotionImpact with = first_contact({shape, nested}, {nested_torus(), Still{}}),
                       without = first_contact({shape, plain}, {nested_torus(), Still{}});
    EXPECT_EQ(with.status, without.status);
    EXPECT_EQ(with.time, without.time);
  }
  EXPECT_GT(asker.asked(), 3u);
  EXPECT_EQ(asker.wrong(), 0u);
}

}  // namespace
}  // namespace whisker
