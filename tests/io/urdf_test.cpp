// Robots from URDF files: what is read, and what is refused.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/make/make.hpp>
#include <whisker/robot/urdf.hpp>

#include "fuzz/fuzz_urdf.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

namespace fs = std::filesystem;
using std::numbers::pi;

class Urdf : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("whisker_urdf_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "robots");
    fs::create_directories(folder_ / "parts" / "meshes");
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& text) const {
    const fs::path path = folder_ / "robots" / "robot.urdf";
    std::ofstream(path) << text;
    return path;
  }
  std::string refused(const std::string& text) const {
    try {
      load_urdf(write(text));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

bool has(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

const std::string beam_link =
    R"(<collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision>)";

/// Two beams and a slider. The links are not in the order of the tree.
const std::string arm = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="hand"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="lower">)" +
                        beam_link + R"(</link>
  <link name="upper">)" +
                        beam_link + R"(<visual><geometry><mesh filename="not_there.dae"/></geometry></visual></link>
  <link name="foot"><collision><origin rpy="0 1.5707963267948966 0"/>
    <geometry><cylinder radius="0.2" length="0.4"/></geometry></collision></link>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2.5" effort="1" velocity="1"/></joint>
  <joint name="shoulder" type="continuous"><parent link="foot"/><child link="upper"/><axis xyz="0 0 2"/></joint>
  <joint name="grip" type="prismatic"><parent link="lower"/><child link="hand"/><origin xyz="1 0 0"/>
    <limit lower="0" upper="0.3"/><mimic joint="elbow" multiplier="0.1" offset="0.02"/></joint>
</robot>)";

TEST_F(Urdf, AnArmIsReadWithItsJointsAndShapes) {
  const UrdfRobot robot = load_urdf(write(arm));
  EXPECT_EQ(robot.name, "arm");
  ASSERT_EQ(robot.body.links().size(), 4u);
  EXPECT_EQ(robot.body.links()[0].name, "foot");
  EXPECT_EQ(robot.body.position_count(), 3u);
  ASSERT_EQ(robot.joints.size(), 3u);
  std::vector<double> q(3, 0.0);
  for (const UrdfJoint& joint : robot.joints) {
    if (joint.name == "shoulder") {
      q[joint.position] = pi / 2;
      EXPECT_TRUE(std::isinf(joint.upper));
    }
    if (joint.name == "elbow") {
      q[joint.position] = -pi / 2;
      EXPECT_EQ(joint.lower, -2);
      EXPECT_EQ(joint.upper, 2.5);
    }
    if (joint.name == "grip") {
      q[joint.position] = 0.25;
      EXPECT_EQ(joint.mimics, "elbow");
      EXPECT_EQ(joint.multiplier, 0.1);
      EXPECT_EQ(joint.offset, 0.02);
    }
  }
  // Up by one, then along x by one and by the amount that the grip slides along its own x.
  const Pose hand = robot.body.poses(q)[robot.link("hand")];
  EXPECT_LE((hand.translation() - Vector3(1.25, 1, 0)).norm(), 1e-15);
  EXPECT_THROW(robot.link("foo"), Error);
  // The arm swings into a post.
  const std::vector<double> from(3, 0.0);
  const auto hits =
      first_contacts({robot.body, from, q}, {Box{Vector3(0.1, 0.1, 1)}, Still{Pose(Vector3(1.2, 0.9, 0))}}).hits;
  ASSERT_FALSE(hits.empty());
  EXPECT_TRUE(hits[0].impact.certain);
}

TEST_F(Urdf, MeshesAreFoundInPackagesAndScaled) {
  write_mesh(folder_ / "parts" / "meshes" / "ball.stl", make::icosphere({.subdivisions = 1}));
  const auto robot = [](const std::string& file) {
    return R"(<robot name="r"><link name="a"><collision><geometry><mesh filename=")" + file +
           R"(" scale="2 2 -2"/></geometry></collision></link></robot>)";
  };
  for (const std::string file : {"package://parts/meshes/ball.stl", "../parts/meshes/ball.stl"}) {
    const UrdfRobot one = load_urdf(write(robot(file)));
    const Aabb bounds = one.body.links()[0].shapes[0].shape.bounds();
    EXPECT_NEAR(bounds.upper[0], 2, 0.1);
  }
  EXPECT_TRUE(has(refused(robot("package://elsewhere/ball.stl")), "package_folders"));
  const UrdfRobot given =
      load_urdf(write(robot("package://meshes/ball.stl")), {.package_folders = {folder_ / "parts"}});
  EXPECT_EQ(given.body.links().size(), 1u);
}

// --- spheres for collision shapes ----------------------------------------------------------------------------------

TEST_F(Urdf, SpheresTakeThePlaceOfCollisionShapesAndAllElseStays) {
  const std::string before = R"(<?xml version="1.0"?>
<!-- an arm: <link><collision/></link> -->
<robot name="arm" xmlns:xacro="http://x">
  <link name="a"   mass='1 > 0'>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
    )";
  const std::string first = R"(<collision name="x &amp; y">
      <origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><!-- </collision> -->
      <geometry><box size="2 2 2"/></geometry>
    </collision>)";
  const std::string between = "\n\t<inertial/><collision><geometry><sphere radius='1'/></geometry></collision>\n\t";
  const std::string second = "<collision><geometry><cylinder radius='1' length='2'/></geometry></collision>";
  const std::string after = R"(
  </link><gazebo><link name="a"><collision><geometry><box size="1 1 1"/></geometry></collision></link></gazebo>
  <link name="b"/>  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
</robot>
<!-- the end -->)";
  const std::string text = before + first + between + second + after;
  std::vector<ShapeKind> seen;
  const std::string out = urdf_with_spheres(text, folder_ / "robots/robot.urdf", [&](const UrdfCollision& collision) {
    EXPECT_EQ(collision.link, "a");
    EXPECT_EQ(collision.number, seen.size());
    seen.push_back(collision.shape.kind());
    if (collision.shape.as<Sphere>() != nullptr) return std::vector<BoundingSphere>();
    if (collision.shape.as<Cylinder>() != nullptr) return std::vector<BoundingSphere>{{Vector3(0, 0, 1), 0.5}};
    return std::vector<BoundingSphere>{{Vector3(1, 0, 0), 0.25}, {Vector3(0, 0.5, 0), 2}};
  });
  EXPECT_EQ(seen, (std::vector<ShapeKind>{ShapeKind::box, ShapeKind::sphere, ShapeKind::cylinder}));
  ASSERT_TRUE(out.starts_with(before + "<collision name=\"x &amp; y_0\">\n      <origin xyz=\"1"));
  EXPECT_TRUE(has(out, "\n    </collision>\n    <collision name=\"x &amp; y_1\">\n"));
  EXPECT_TRUE(has(out, "</collision>" + between + "<collision>\n\t  <origin xyz=\"0 0 1\" rpy=\"0 0 0\"/>"));
  EXPECT_TRUE(out.ends_with("\n\t</collision>" + after));
  const UrdfRobot robot = load_urdf(write(out));
  const std::vector<LinkShape>& shapes = robot.body.links()[robot.link("a")].shapes;
  ASSERT_EQ(shapes.size(), 4u);
  // A quarter turn about z, then the translation.
  EXPECT_LE((shapes[0].pose.translation() - Vector3(1, 3, 3)).norm(), 1e-15);
  EXPECT_LE((shapes[1].pose.translation() - Vector3(0.5, 2, 3)).norm(), 1e-15);
  const double radius = shapes[0].shape.as<Sphere>()->radius;
  EXPECT_GT(radius, 0.25);
  EXPECT_LT(radius, 0.25 + 1e-13);
  EXPECT_EQ(shapes[2].shape.as<Sphere>()->radius, 1);
}

TEST_F(Urdf, WithoutSpheresTheTextIsTheSame) {
  const auto none = [](const UrdfCollision&) { return std::vector<BoundingSphere>(); };
  EXPECT_EQ(urdf_with_spheres(arm, "arm.urdf", none), arm);
  const auto bad = [](const UrdfCollision&) { return std::vector<BoundingSphere>{{Vector3::Zero(), -1}}; };
  EXPECT_THROW(urdf_with_spheres(arm, "arm.urdf", bad), Error);
  EXPECT_THROW(urdf_with_spheres("<robot>", "arm.urdf", none), Error);
}

TEST_F(Urdf, WhatIsWrongIsSaidWithTheLine) {
  EXPECT_TRUE(has(refused("<robot name='r'>\n<link name='a'><collision><geometry><sphere radius='-1'/></geometry>"
                          "</collision></link></robot>"),
                  "robot.urdf:2: <collision>: "));

  EXPECT_TRUE(has(refused("no xml"), "XML"));
  EXPECT_TRUE(has(refused("<sdf/>"), "robot"));
  EXPECT_TRUE(has(refused("<robot name='r'></robot>"), "no link"));
  EXPECT_TRUE(has(refused("<robot name='r'><link name='a'/><link name='b'/></robot>"), "base"));
  EXPECT_TRUE(has(refused("<robot name='r'><link name='a'/><link name='a'/></robot>"), "another link"));
  const std::string two = "<robot name='r'>\n<link name='a'/><link name='b'/>\n";
  const auto joint = [](const std::string& type, const std::string& parent, const std::string& child) {
    return "<joint name='j" + parent + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child +
           "'/></joint>";
  };
  EXPECT_TRUE(has(refused(two + joint("planar", "a", "b") + "</robot>"), "planar"));
  EXPECT_TRUE(has(refused(two + joint("planar", "a", "b") + "</robot>"), "robot.urdf:3"));
  EXPECT_TRUE(has(refused(two + joint("fixed", "a", "c") + "</robot>"), "no link c"));
  EXPECT_TRUE(has(refused(two + joint("fixed", "a", "b") + joint("fixed", "b", "a") + "</robot>"), "loop"));
  EXPECT_TRUE(has(refused(two + joint("fixed", "a", "b") + joint("fixed", "b", "b") + "</robot>"), "two joints"));
  EXPECT_TRUE(has(refused("<robot name='r'><link name='a'><collision><geometry><box size='1 2 x'/></geometry>"
                          "</collision></link></robot>"),
                  "'x' is not a number"));
  EXPECT_TRUE(has(refused("<robot name='r'><link name='a'><collision><geometry><box size='1 2'/></geometry>"
                          "</collision></link></robot>"),
                  "3 numbers"));
  EXPECT_TRUE(has(refused("<robot name='r'><link name='a'><collision><geometry><torus/></geometry></collision></link>"
                          "</robot>"),
                  "unknown geometry"));
  const std::string far = refused(
      "<robot name='r'><link name='a'>\n<collision><origin xyz='0 1e91 0'/><geometry>"
      "<sphere radius='1'/></geometry></collision></link></robot>");
  EXPECT_TRUE(has(far, "robot.urdf:2: <origin>: ")) << far;
  EXPECT_TRUE(has(far, "beyond 1e90")) << far;
}

TEST_F(Urdf, HostileFilesAreReadOrRefusedCleanlyWholeCutShortAndDamaged) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(fs::path(WHISKER_SOURCE_DIR) / "tests/fuzz/corpus/urdf")) {
    std::ifstream in(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    const bool is_lying = entry.path().filename().string().starts_with("lying");
    EXPECT_EQ(test::read_hostile_urdf(files.back()), !is_lying) << entry.path();
    for (std::size_t size = 0; size < files.back().size(); ++size)
      EXPECT_FALSE(test::read_hostile_urdf(std::string_view(files.back()).substr(0, size)) &&
                   size + 1 < files.back().size())
          << entry.path() << " cut to " << size;
  }
  ASSERT_GE(files.size(), 6u);
  std::sort(files.begin(), files.end());
  std::mt19937_64 random = test::seeded(9201);
  std::size_t good = 0;
  for (std::size_t i = 0; i < test::cases(2000); ++i) {
    std::string text = files[random() % files.size()];
    for (std::size_t damages = 1 + random() % 2; damages > 0; --damages) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text[at] = "<>/\"'=!- \n0a&"[random() % 13];
      } else {
        text.insert(at, text.substr(random() % text.size(), random() % 40));
      }
    }
    good += test::read_hostile_urdf(text) ? 1u : 0u;
  }
  EXPECT_GT(good, test::at_least(2000) / 50);
}

}  // namespace
}  // namespace whisker
