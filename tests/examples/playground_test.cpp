// The response of bodies in the examples' playground, and the page that plays a recording.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/contact_manifold.hpp>
#include <whisker/error.hpp>
#include <whisker/make/make.hpp>

#include "playground/bouncing.hpp"
#include "playground/page.hpp"
#include "playground/pile.hpp"
#include "support/cases.hpp"

namespace playground {
namespace {

namespace wk = whisker;
using wk::test::cases;
using wk::test::seeded;
using wk::test::uniform;

wk::Vector3 any_vector(std::mt19937_64& random, double largest) {
  return {uniform(random, -largest, largest), uniform(random, -largest, largest), uniform(random, -largest, largest)};
}

Eigen::Matrix3d any_rotation(std::mt19937_64& random) {
  const Eigen::Vector4d q(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1),
                          uniform(random, -1, 1));
  return Eigen::Quaterniond(q).normalized().toRotationMatrix();
}

TEST(Bouncing, ExchangeKeepsMomentumAndEnergyAndPartsThePair) {
  auto random = seeded(501);
  std::size_t exchanged = 0;
  for (std::size_t i = 0; i < cases(2000); ++i) {
    Flyer a, b;
    a.pose = wk::Pose(any_vector(random, 3));
    b.pose = wk::Pose(any_vector(random, 3));
    a.velocity = any_vector(random, 5);
    b.velocity = any_vector(random, 5);
    const wk::Vector3 line = b.pose.translation() - a.pose.translation();
    const double closing = (a.velocity - b.velocity).dot(line);
    const wk::Vector3 momentum = a.velocity + b.velocity;
    const double before = a.velocity.squaredNorm() + b.velocity.squaredNorm();
    EXPECT_EQ(exchange_velocities(a, b), closing > 0);
    exchanged += closing > 0 ? 1 : 0;
    EXPECT_LT((a.velocity + b.velocity - momentum).norm(), 1e-13 * 10);
    EXPECT_NEAR(a.velocity.squaredNorm() + b.velocity.squaredNorm(), before, 1e-13 * before);
    EXPECT_NEAR((a.velocity - b.velocity).dot(line), -std::abs(closing), 1e-12 * 100);
    EXPECT_FALSE(exchange_velocities(a, b) && std::abs(closing) > 1e-9) << "a pair that parts must be left alone";
  }
  EXPECT_GT(exchanged, 0u);
}

TEST(Bouncing, AWallTurnsBackOnlyWhatFliesOutward) {
  wk::Aabb room, out_below;
  room.include(wk::Vector3(0, 0, 0));
  room.include(wk::Vector3(10, 10, 10));
  out_below.include(wk::Vector3(4, 4, -0.5));
  out_below.include(wk::Vector3(6, 6, 1.5));
  Flyer flyer;
  flyer.velocity = {1, -2, -3};
  EXPECT_TRUE(reflect(flyer, out_below, room));
  EXPECT_EQ(flyer.velocity, wk::Vector3(1, -2, 3));
  EXPECT_FALSE(reflect(flyer, out_below, room));
  EXPECT_EQ(flyer.velocity, wk::Vector3(1, -2, 3));
}

TEST(Bouncing, ABodyThatTurnsForLongKeepsARigidPose) {
  wk::Pose pose;
  for (int i = 0; i < 20000; ++i)
    pose = moved(pose, {1, 0, 0}, {0, 0, 0.5}, 0.01);
  EXPECT_NO_THROW(wk::Pose(pose.rotation(), pose.translation()));
  EXPECT_NEAR(pose.translation().x(), 200, 1e-9);
  const double angle = std::atan2(pose.rotation()(1, 0), pose.rotation()(0, 0));
  EXPECT_NEAR(std::cos(angle - 100), 1, 1e-9);
}

TEST(Bouncing, EnergyDoesNotGrowInTheBounceBoxAndNobodyLeaves) {
  auto random = seeded(502);
  wk::Aabb room;
  room.include(wk::Vector3(0, 0, 0));
  room.include(wk::Vector3(12, 12, 12));
  wk::World world;
  std::vector<Flyer> flyers;
  for (int i = 0; i < 64; ++i) {
    const wk::MeshData points = wk::make::random_hull({.points = 16, .seed = random() % 1000 + 1});
    Flyer flyer;
    flyer.pose = wk::Pose(wk::Vector3(i % 4 * 3 + 1.5, i / 4 % 4 * 3 + 1.5, i / 16 * 3 + 1.5));
    flyer.velocity = any_vector(random, 5);
    flyer.spin = any_vector(random, 3);
    flyer.id = world.add(wk::ConvexHull(points.vertices), flyer.pose, {.user = flyers.size()});
    flyers.push_back(flyer);
  }
  const double before = energy(flyers);
  const double seconds = 1.0 / 60;
  std::size_t touching = 0, changed = 0;
  for (std::size_t frame = 0; frame < cases(400); ++frame) {
    for (Flyer& flyer : flyers) {
      flyer.pose = moved(flyer.pose, flyer.velocity, flyer.spin, seconds);
      world.move(flyer.id, flyer.pose);
    }
    world.update();
    touching += world.touching().size();
    changed += bounce(world, flyers, room).size();
    ASSERT_NEAR(energy(flyers), before, 1e-10 * before) << "frame " << frame;
    for (const Flyer& flyer : flyers) {
      // A body is fastest if it has all the energy, and it is turned back in the frame after it has left.
      const double farthest = 1 + std::sqrt(2 * before) * seconds;
      ASSERT_TRUE(
          ((flyer.pose.translation().array() > -farthest) && (flyer.pose.translation().array() < 12 + farthest)).all());
    }
  }
  EXPECT_GT(touching, 0u);
  EXPECT_GT(changed, 0u);
}

TEST(Pile, InertiaOfABoxIsTheKnownOne) {
  const wk::MeshData box = wk::make::box({.size_x = 2, .size_y = 3, .size_z = 5});
  const wk::Matrix3 inertia = inertia_of(wk::ConvexHull(box.vertices));
  const wk::Vector3 expected(30.0 / 12 * (9 + 25), 30.0 / 12 * (4 + 25), 30.0 / 12 * (4 + 9));
  EXPECT_LT((inertia - wk::Matrix3(expected.asDiagonal())).norm(), 1e-11);
}

TEST(Pile, ACrateOnTheFloorStaysWhereItIs) {
  Pile pile;
  pile.add(wk::ConvexHull(wk::make::box().vertices), wk::Pose(wk::Vector3(0, 0, 0.5)));
  for (int i = 0; i < 240; ++i)
    pile.step(1.0 / 120);
  const wk::Pose& pose = pile.rocks()[0].pose;
  EXPECT_EQ(pile.asleep(), 1u);
  EXPECT_LT(std::hypot(pose.translation().x(), pose.translation().y()), 1e-3);
  EXPECT_NEAR(pose.translation().z(), 0.5, 0.01);
  EXPECT_GT(pose.rotation()(2, 2), 0.9999);
}

TEST(Pile, AFallingBodyFallsAsGalileoSaid) {
  Pile pile({.top_speed = 100});
  pile.add(wk::ConvexHull(wk::make::box().vertices), wk::Pose(wk::Vector3(0, 0, 20)));
  for (int i = 0; i < 100; ++i)
    pile.step(0.01);
  // Semi-implicit Euler steps fall g·t·dt/2 farther than the parabola.
  EXPECT_NEAR(pile.rocks()[0].pose.translation().z(), 20 - 9.81 / 2 - 9.81 * 0.01 / 2, 1e-9);
}

TEST(Pile, RocksComeToRestAboveTheFloorAndHardlyOverlap) {
  auto random = seeded(503);
  Pile pile;
  double height = 0.6;
  for (int i = 0; i < 25; ++i) {
    const wk::MeshData points = wk::make::random_hull({.points = 16,
                                                       .radius_x = uniform(random, 0.2, 0.4),
                                                       .radius_y = uniform(random, 0.2, 0.3),
                                                       .radius_z = uniform(random, 0.15, 0.25),
                                                       .seed = random() % 1000 + 1});
    pile.add(centered(wk::ConvexHull(points.vertices)),
             wk::Pose(any_rotation(random), {uniform(random, -0.4, 0.4), uniform(random, -0.4, 0.4), height}));
    height += 0.75;
  }
  double energy = pile.energy();
  for (int i = 0; i < 120 * 12; ++i) {
    pile.step(1.0 / 120);
    // Correcting overlaps lifts bodies a little, but nothing may explode.
    ASSERT_LT(pile.energy(), energy + 0.02 * std::abs(energy) + 1e-3) << "step " << i;
    energy = std::min(energy, pile.energy());
  }
  EXPECT_EQ(pile.asleep(), pile.rocks().size());
  for (const Rock& rock : pile.rocks()) {
    EXPECT_EQ(rock.velocity.norm(), 0);
    EXPECT_GT(pile.world().box(rock.id).lower.z(), -0.015);
    EXPECT_LT(pile.world().box(rock.id).upper.z(), 3);
    EXPECT_LT(rock.pose.translation().head<2>().norm(), 6);
  }
  // Each rock rests on something.
  std::set<wk::BodyId> leaning;
  for (const wk::PairDistance& near : pile.world().closer_than(0.01)) {
    leaning.insert(near.pair.a);
    leaning.insert(near.pair.b);
  }
  EXPECT_EQ(leaning.size(), pile.rocks().size() + 1);
  for (const wk::WorldPair& pair : pile.world().touching()) {
    if (pair.a == pile.floor() || pair.b == pile.floor()) continue;
    const wk::World& world = pile.world();
    EXPECT_LT(wk::depth({world.shape(pair.a), world.pose(pair.a)}, {world.shape(pair.b), world.pose(pair.b)}).upper,
              0.03);
  }
}

Recording two_spheres() {
  wk::World world;
  Recording recording{.title = "Balls </script> & more", .note = "\"quoted\""};
  const wk::BodyId a = world.add(wk::Sphere{1}, {}, {.is_static = true});
  const wk::BodyId b = world.add(wk::Sphere{1}, wk::Pose(wk::Vector3(5, 0, 0)));
  recording.watch(world, a);
  recording.watch(world, b, {.color = 0x00ff7f});
  for (const double x : {5.0, 1.5}) {
    world.move(b, wk::Pose(wk::Vector3(x, 0, 0)));
    world.update();
    recording.capture(world);
  }
  return recording;
}

TEST(Recorder, KeepsPosesAndWhoTouches) {
  const Recording recording = two_spheres();
  ASSERT_EQ(recording.frames.size(), 2u);
  EXPECT_EQ(recording.fixed_poses.size(), 1u);
  EXPECT_EQ(recording.frames[0].poses.size(), 1u);
  EXPECT_EQ(recording.frames[1].poses[0].translation().x(), 1.5);
  EXPECT_TRUE(recording.frames[0].touching.empty());
  ASSERT_EQ(recording.frames[1].touching.size(), 1u);
  EXPECT_EQ(recording.frames[1].touching[0], (std::array<std::uint32_t, 2>{0, 1}));
  wk::World world;
  const wk::BodyId late = world.add(wk::Sphere{1});
  EXPECT_THROW(Recording(recording).watch(world, late), wk::Error);
}

TEST(Recorder, DrawsEveryBoundedSolidAndRefusesTheRest) {
  const wk::Mesh ring(wk::make::torus());
  const wk::Compound two({{wk::Sphere{1}}, {wk::Box{{1, 1, 1}}, wk::Pose(wk::Vector3(3, 0, 0))}});
  const wk::ConvexHull hull(wk::make::random_hull().vertices);
  const std::vector<wk::Shape> shapes = {wk::Sphere{1},
                                         wk::Box{{1, 2, 3}},
                                         wk::Capsule{.radius = 1, .length = 2},
                                         wk::Cylinder{.radius = 1, .length = 2},
                                         wk::Cone{.radius = 1, .length = 2},
                                         wk::Ellipsoid{{1, 2, 3}},
                                         hull,
                                         ring,
                                         two};
  for (const wk::Shape& shape : shapes) {
    // The triangles extend as far as the shape, except for the discretization of curves.
    const wk::Aabb drawn = wk::Mesh(triangles_of(shape)).bounds(), own = shape.bounds();
    EXPECT_LT((drawn.lower - own.lower).norm(), 0.02 * (own.upper - own.lower).norm()) << wk::name(shape.kind());
    EXPECT_LT((drawn.upper - own.upper).norm(), 0.02 * (own.upper - own.lower).norm()) << wk::name(shape.kind());
    if (!shape.as<wk::Compound>()) {
      EXPECT_TRUE(wk::Mesh(triangles_of(shape)).can_be_solid()) << wk::name(shape.kind());
    }
  }
  EXPECT_THROW(triangles_of(wk::HalfSpace{}), wk::Error);
}

TEST(Page, HoldsTheRecordingAsBrowsersReadIt) {
  const std::string page = page_text(two_spheres(), "/* a script */");
  EXPECT_NE(page.find("<script id=\"three\">/* a script */</script>"), std::string::npos);
  EXPECT_NE(page.find("\"frameCount\":2"), std::string::npos);
  EXPECT_NE(page.find("\"color\":\"#00ff7f\""), std::string::npos);
  // Positions (5, 0, 0) and (1.5, 0, 0) as floats, and twice the quaternion (0, 0, 0, 32767), in base64.
  EXPECT_NE(
      page.find(
          "\"moving\":{\"positions\":\"AACgQAAAAAAAAAAAAADAPwAAAAAAAAAA\",\"rotations\":\"AAAAAAAA/38AAAAAAAD/fw==\"}"),
      std::string::npos);
  // No pair in the first frame, pair 0 and 1 in the second.
  EXPECT_NE(page.find("\"touching\":{\"starts\":\"AAAAAAAAAAABAAAA\",\"pairs\":\"AAAAAAEAAAA=\"}"), std::string::npos);
  // The title must not close a script or a tag.
  EXPECT_EQ(page.find("</script> & more"), std::string::npos);
  EXPECT_NE(page.find("Balls &lt;/script> &amp; more"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

// A triangle that does not move and one that deforms, over two frames.
Recording soft_triangle() {
  const wk::MeshData triangle{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  Recording recording{.title = "Soft", .note = ""};
  EXPECT_EQ(recording.watch_fixed(triangle), 0u);
  EXPECT_EQ(recording.watch_soft(triangle), 1u);
  recording.frames.resize(2);
  recording.frames[0].vertices = {triangle.vertices};
  recording.frames[1].vertices = {{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}}};
  recording.frames[1].marks = {{{0, 0, 1}, {0, 0, 0}}};
  recording.frames[1].grip = {5, 0, 0};
  return recording;
}

TEST(Page, HoldsTheVerticesOfSoftBodiesAndMarksInTheirBox) {
  Recording recording = soft_triangle();
  recording.dragged = 1;
  const std::string page = page_text(recording, "/* a script */");
  EXPECT_NE(page.find("\"isFixed\":false,\"isSoft\":true"), std::string::npos);
  EXPECT_NE(page.find("\"soft\":{\"box\":[0,0,0,1,1,1]"), std::string::npos);
  // Eighteen coordinates, each 0 or 65535.
  EXPECT_NE(page.find("\"vertices\":\"AAAAAAAA//8AAAAAAAD//wAAAAAAAP////8AAP//AAD/////\""), std::string::npos);
  // No mark in the first frame, one from (0, 0, 1) to (0, 0, 0) in the second.
  EXPECT_NE(page.find("\"marks\":{\"starts\":\"AAAAAAAAAAABAAAA\",\"ends\":\"AAAAAP//AAAAAAAA\"}"), std::string::npos);
  // Grips at (0, 0, 0) and (5, 0, 0) as floats.
  EXPECT_NE(page.find("\"dragged\":{\"body\":1,\"grips\":\"AAAAAAAAAAAAAAAAAACgQAAAAAAAAAAA\"}"), std::string::npos);
  EXPECT_EQ(page_text(two_spheres(), "/* a script */").find("\"soft\""), std::string::npos);
}

TEST(Page, OfASoftBodyWithoutItsVerticesIsAnError) {
  Recording recording = soft_triangle();
  recording.frames[1].vertices[0].pop_back();
  EXPECT_THROW(page_text(recording, "script"), wk::Error);
  recording.frames[1].vertices.clear();
  EXPECT_THROW(page_text(recording, "script"), wk::Error);
  recording = soft_triangle();
  recording.dragged = 0;
  EXPECT_THROW(page_text(recording, "script"), wk::Error);
  recording.dragged = 7;
  EXPECT_THROW(page_text(recording, "script"), wk::Error);
}

TEST(Page, WithoutTheScriptSaysWhatToInstall) {
  const std::string page = page_text(two_spheres(), "");
  EXPECT_NE(page.find("apt-get install libjs-three"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("</html>"), std::string::npos);
}

TEST(Page, ThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_page("/no/such/folder/page.html", two_spheres()), wk::Error);
}

}  // namespace
}  // namespace playground
