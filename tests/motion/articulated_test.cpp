// Bodies of links and joints: kinematics against closed forms, first contacts against dense sampling.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/queries.hpp>
#include <whisker/robot/articulated.hpp>

#include "support/cases.hpp"
#include "support/random_shapes.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::uniform;
using test::scenes::any_rotation;
using test::scenes::unit_vector;

using std::numbers::pi;

/// A beam along x that starts at the joint, 1 long and 0.1 thick.
LinkShape beam() {
  return {Box{Vector3(1, 0.1, 0.1)}, Pose(Vector3(0.5, 0, 0))};
}

/// A chain of beams in a plane, each at the end of the previous one, with revolute joints about z.
Articulated planar_arm(std::size_t count) {
  std::vector<Link> links;
  for (std::size_t i = 0; i < count; ++i) {
    Link link;
    link.name = "beam " + std::to_string(i);
    link.parent = i == 0 ? 0 : i - 1;
    link.shapes = {beam()};
    link.joint = {.kind = JointKind::revolute, .origin = Pose(Vector3(i == 0 ? 0 : 1, 0, 0))};
    links.push_back(link);
  }
  return Articulated(links);
}

TEST(Articulated, PlanarPosesAreThoseOfTheClosedForm) {
  const Articulated arm = planar_arm(3);
  EXPECT_EQ(arm.position_count(), 3u);
  const std::vector<double> q = {0.3, -1.1, 2.2};
  const std::vector<Pose> poses = arm.poses(q, Pose(Vector3(5, 6, 7)));
  double x = 5, y = 6, angle = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    angle += q[i];
    EXPECT_NEAR(poses[i].translation()[0], x, 1e-14);
    EXPECT_NEAR(poses[i].translation()[1], y, 1e-14);
    EXPECT_NEAR(poses[i].rotation()(0, 0), std::cos(angle), 1e-15);
    EXPECT_NEAR(poses[i].rotation()(1, 0), std::sin(angle), 1e-15);
    x += std::cos(angle);
    y += std::sin(angle);
  }
}

TEST(Articulated, AnArmMeetsWhatIsBetweenTwoFreePositions) {
  const Articulated arm = planar_arm(2);
  const std::vector<double> from = {0, 0}, to = {pi / 2, 0};
  // A post at 45 degrees, in the way of only the outer beam.
  const Shape post = Mesh(make::box({.size_x = 0.1, .size_y = 0.1, .size_z = 1}));
  const Pose at(Vector3(1.2, 1.2, 0));
  const FirstContacts<LinkImpact> found = first_contacts({arm, from, to}, {post, Still{at}});
  const std::vector<LinkImpact>& hits = found.hits;
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_EQ(hits[0].link_a, 1u);
  EXPECT_TRUE(hits[0].impact.certain);
  // The straight arm's side, 0.05 off its axis, meets the post's corner (1.25, 1.15).
  const double angle = std::atan2(1.15, 1.25) - std::asin(0.05 / std::hypot(1.25, 1.15));
  EXPECT_NEAR(hits[0].impact.time, angle / (pi / 2), 1e-11);
  EXPECT_GE(found.cost.primitive_tests, hits[0].impact.cost.primitive_tests);
  EXPECT_GE(found.cost.volume_tests, hits[0].impact.cost.volume_tests);
  EXPECT_TRUE(first_contacts({arm, from, to}, {post, Still{Pose(Vector3(3, 3, 0))}}).hits.empty());
}

struct RandomBody {
  Articulated body;
  std::vector<double> from, to;
};

RandomBody random_body(std::mt19937_64& random, std::size_t count) {
  const std::vector<Shape> shapes = {Box{Vector3(0.6, 0.2, 0.2)}, Capsule{.radius = 0.1, .length = 0.5},
                                     Mesh(make::icosphere({.radius = 0.25, .subdivisions = 1}))};
  std::vector<Link> links;
  RandomBody result{planar_arm(1), {}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    Link link;
    link.parent = i == 0 ? 0 : random() % i;
    link.shapes.push_back({shapes[random() % shapes.size()], Pose(any_rotation(random), 0.2 * unit_vector(random))});
    const JointKind kinds[] = {JointKind::revolute, JointKind::revolute, JointKind::prismatic, JointKind::fixed,
                               JointKind::free};
    link.joint.kind = kinds[random() % 5];
    link.joint.origin = Pose(any_rotation(random), 0.6 * unit_vector(random));
    link.joint.axis = 3 * unit_vector(random);
    const std::size_t positions = link.joint.kind == JointKind::fixed ? 0 : link.joint.kind == JointKind::free ? 6 : 1;
    for (std::size_t k = 0; k < positions; ++k) {
      result.from.push_back(uniform(random, -1, 1));
      result.to.push_back(uniform(random, -1, 1));
    }
    links.push_back(link);
  }
  result.body = Articulated(links);
  return result;
}

TEST(Articulated, NoPointGoesFartherThanTheBound) {
  auto random = seeded(901);
  for (std::size_t i = 0; i < cases(60); ++i) {
    const RandomBody one = random_body(random, 6);
    for (std::size_t link = 0; link < 6; ++link) {
      const CustomMotion motion = link_motion({one.body, one.from, one.to}, link);
      const double t0 = uniform(random, 0, 1), t1 = uniform(random, t0, 1), reach = uniform(random, 0, 1);
      const Vector3 point = reach * unit_vector(random);
      const double went = (place(motion.pose(t1), point) - place(motion.pose(t0), point)).norm();
      EXPECT_LE(went, motion.way(t0, t1, reach) + 1e-13);
      // At the ends, the link is where `poses` says.
      const Pose start = one.body.poses(one.from)[link], end = one.body.poses(one.to)[link];
      EXPECT_LE((motion.pose(0).translation() - start.translation()).norm(), 1e-14);
      EXPECT_LE((motion.pose(1).translation() - end.translation()).norm(), 1e-13);
      EXPECT_LE((motion.pose(1).rotation() - end.rotation()).cwiseAbs().maxCoeff(), 1e-13);
    }
  }
}

TEST(Articulated, BoundsOfALongChainAreThoseOfItsLength) {
  const std::size_t count = 40;
  const Articulated chain = planar_arm(count);
  std::vector<double> from(count, 0.0), to(count, 0.01);
  const CustomMotion last = link_motion({chain, from, to}, count - 1);
  // The sum of the arms, with 0.01 per joint: 0.01 (39 + 38 + … + 0) plus what is within reach.
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += 0.01 * (static_cast<double>(i) + 0.5);
  EXPECT_NEAR(last.way(0, 1, 0.5), sum, 1e-6 * sum);
  // The actual motion is at least half as long.
  const double went = (place(last.pose(1), {1, 0, 0}) - place(last.pose(0), {1, 0, 0})).norm();
  EXPECT_GT(went, sum / 2);
}

/// The first of many sampled times at which two placed shapes touch; 2 if there is none.
template <class TouchAt>
double sampled(int looks, TouchAt&& touch_at) {
  for (int i = 0; i <= looks; ++i)
    if (touch_at(static_cast<double>(i) / looks)) return static_cast<double>(i) / looks;
  return 2;
}

TEST(Articulated, ContactsAreNoLaterThanDenseLooks) {
  auto random = seeded(902);
  std::size_t touched = 0;
  for (std::size_t i = 0; i < cases(12); ++i) {
    const RandomBody one = random_body(random, 4), two = random_body(random, 3);
    const ArticulatedStep a{one.body, one.from, one.to}, b{two.body, two.from, two.to, Pose(Vector3(1.5, 0, 0))};
    const Shape post = Mesh(make::box({.size_x = 0.3, .size_y = 0.3, .size_z = 3}));
    const Turning swing{Pose(1.2 * unit_vector(random)), Vector3::Zero(), Vector3::Zero(), 0.5 * unit_vector(random)};
    const auto with_post = first_contacts(a, {post, swing}).hits;
    const auto with_other = first_contacts(a, b).hits;
    const auto with_itself = first_contacts(a).hits;
    touched += with_post.size() + with_other.size() + with_itself.size();
    const auto expect_right = [&](const std::vector<LinkImpact>& found, std::size_t link_a, std::size_t link_b,
                                  auto&& touch_at) {
      const auto hit = std::find_if(found.begin(), found.end(), [&](const LinkImpact& impact) {
        return impact.link_a == link_a && impact.link_b == link_b;
      });
      const double seen = sampled(200, touch_at);
      if (hit == found.end()) {
        EXPECT_EQ(seen, 2) << link_a << " " << link_b;
      } else {
        EXPECT_LE(hit->impact.time_lower, seen);
        EXPECT_TRUE(!hit->impact.certain || hit->impact.status == ImpactStatus::touching_at_start ||
                    touch_at(hit->impact.time_upper));
      }
    };
    const auto shape = [](const ArticulatedStep& step, std::size_t link) -> const LinkShape& {
      return step.body.links()[link].shapes[0];
    };
    const auto pose = [&](const ArticulatedStep& step, std::size_t link, double t) {
      return link_motion(step, link, shape(step, link).pose).pose(t);
    };
    for (std::size_t link = 0; link < 4; ++link) {
      expect_right(with_post, link, 0, [&](double t) {
        return touches({shape(a, link).shape, pose(a, link, t)}, {post, pose_at(swing, t)});
      });
      for (std::size_t other = 0; other < 3; ++other) {
        expect_right(with_other, link, other, [&](double t) {
          return touches({shape(a, link).shape, pose(a, link, t)}, {shape(b, other).shape, pose(b, other, t)});
        });
      }
      for (std::size_t other = link + 1; other < 4; ++other) {
        if (one.body.is_adjacent(link, other)) continue;
        const auto hit = std::find_if(with_itself.begin(), with_itself.end(), [&](const LinkImpact& impact) {
          return impact.link_a == link && impact.link_b == other;
        });
        const double seen = sampled(200, [&](double t) {
          return touches({shape(a, link).shape, pose(a, link, t)}, {shape(a, other).shape, pose(a, other, t)});
        });
        if (hit == with_itself.end()) {
          EXPECT_EQ(seen, 2);
        } else {
          EXPECT_LE(hit->impact.time_lower, seen + 1e-9);
        }
      }
    }
  }
  EXPECT_GT(touched, test::at_least(5));
}

TEST(Articulated, TheCostIsThatOfAllPairsLookedAt) {
  // All links overlap the box in which the arm swings: the cost is that of each link's own first contact.
  const Articulated arm = planar_arm(3);
  const std::vector<double> from = {0, 0, 0}, to = {0.5, 0.2, 0.1};
  const Shape room = Mesh(make::box({.size_x = 3.5, .size_y = 3.5, .size_z = 3.5}));
  const ArticulatedStep step{arm, from, to};
  const FirstContacts<LinkImpact> found = first_contacts(step, {room, Still{}});
  Cost all;
  std::size_t met = 0;
  for (std::size_t link = 0; link < 3; ++link) {
    const LinkShape& shape = arm.links()[link].shapes[0];
    const MotionImpact impact = first_contact({shape.shape, link_motion(step, link, shape.pose)}, {room, Still{}});
    all += impact.cost;
    met += impact.status != ImpactStatus::apart ? 1u : 0u;
  }
  EXPECT_EQ(found.hits.size(), met);
  EXPECT_GT(met, 0u);
  EXPECT_LT(met, 3u);
  EXPECT_GT(all.primitive_tests, 0u);
  EXPECT_EQ(found.cost.volume_tests, all.volume_tests);
  EXPECT_EQ(found.cost.primitive_tests, all.primitive_tests);
  EXPECT_EQ(found.cost.volume_updates, all.volume_updates);
}

TEST(Articulated, AnArmThatFoldsMeetsItself) {
  const Articulated arm = planar_arm(4);
  EXPECT_TRUE(arm.is_adjacent(1, 2));
  EXPECT_FALSE(arm.is_adjacent(0, 2));
  const std::vector<double> straight = {0, 0, 0, 0}, folded = {0, 2.2, 2.2, 2.2};
  const auto hits = first_contacts({arm, straight, folded}).hits;
  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(hits[0].link_a, 0u);
  EXPECT_EQ(hits[0].link_b, 3u);
  // The pose of the base and a rotation of the whole arm change nothing.
  const std::vector<double> turned = {1.5, 2.2, 2.2, 2.2};
  const auto other = first_contacts({arm, straight, turned, Pose(Vector3(9, 9, 9))}).hits;
  ASSERT_EQ(other.size(), hits.size());
  EXPECT_EQ(other[0].impact.time_lower, hits[0].impact.time_lower);
  Articulated loose = arm;
  for (std::size_t i = 0; i < 3; ++i)
    loose.leave_out(3, i);
  loose.leave_out(0, 2);
  EXPECT_TRUE(first_contacts({loose, straight, folded}).hits.empty());
}

TEST(Articulated, FixedJointsMakeOneBody) {
  std::vector<Link> links(4);
  links[1] = {.parent = 0, .shapes = {beam()}, .joint = {.kind = JointKind::revolute}};
  links[2] = {.parent = 1, .shapes = {beam()}};  // fixed, in the same place
  links[3] = {.parent = 2, .shapes = {beam()}, .joint = {.kind = JointKind::revolute}};
  const Articulated body(links);
  EXPECT_TRUE(body.is_adjacent(1, 2));
  EXPECT_TRUE(body.is_adjacent(1, 3));
  EXPECT_FALSE(body.is_adjacent(0, 3));
  EXPECT_EQ(body.position_count(), 2u);
}

TEST(Articulated, BadInputIsAnError) {
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto has = [&](const std::string& text, const char* word) { return text.find(word) != std::string::npos; };
  EXPECT_TRUE(has(message([] { Articulated body({}); }), "no link"));
  std::vector<Link> links(2);
  links[1].parent = 1;
  EXPECT_TRUE(has(message([&] { Articulated body(links); }), "before"));
  links[1] = {.name = "knee", .joint = {.kind = JointKind::revolute, .axis = Vector3::Zero()}};
  EXPECT_TRUE(has(message([&] { Articulated body(links); }), "knee"));
  links[1] = {.shapes = {{HalfSpace{}}}};
  EXPECT_TRUE(has(message([&] { Articulated body(links); }), "half-space"));
  const Articulated arm = planar_arm(2);
  const std::vector<double> good = {0, 0}, few = {0}, odd = {0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_TRUE(has(message([&] { arm.poses(few); }), "positions"));
  EXPECT_TRUE(has(message([&] { first_contacts({arm, good, odd}); }), "position 1"));
}

}  // namespace
}  // namespace whisker
