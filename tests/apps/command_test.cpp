// Runs the whisker command as a user does and checks its output and exit status.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/wait.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <whisker/io.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/robot/urdf.hpp>
#include <whisker/spheres/sphere_set.hpp>
#include <whisker/spheres/sphere_tree_files.hpp>

#include "support/outcome.hpp"

namespace whisker {
namespace {

using test::Outcome;
using test::text_of;

namespace fs = std::filesystem;
using nlohmann::json;

class Command : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("whisker_command_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome run(const std::string& arguments) const {
    const std::string out = (folder_ / "out.txt").string();
    const std::string err = (folder_ / "err.txt").string();
    const int code = std::system((std::string(WHISKER_COMMAND) + " " + arguments + " >" + out + " 2>" + err).c_str());
    return {WIFEXITED(code) ? WEXITSTATUS(code) : -1, text_of(out), text_of(err)};
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  // Expects status 2, nothing on standard output, and one line on standard error that contains `word`.
  void expect_refused(const std::string& arguments, const std::string& word) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(word), std::string::npos) << arguments << ": " << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }

  fs::path folder_;
};

TEST_F(Command, TouchesAnswersYesAndNo) {
  EXPECT_EQ(run("touches sphere:1 sphere:1 --pose 0,0,0 --pose 2,0,0").out, "yes\n");
  EXPECT_EQ(run("touches sphere:1 sphere:1 --pose 0,0,0 --pose 2.5,0,0").out, "no\n");
}

TEST_F(Command, SweepSaysWhenTheyFirstTouch) {
  // A unit box that moves 4 units along x toward a sphere 3.5 away: the gap is 3.5 - 0.5 - 1 = 2.
  const json hit = json::parse(run("sweep box:1,1,1 sphere:1 --from 0,0,0 --from 3.5,0,0 --to 4,0,0 --json").out);
  EXPECT_EQ(hit["status"], "touch");
  EXPECT_NEAR(hit["time"].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(hit["pose_a"][0][3].get<double>(), 2, 1e-9);
  // An arm that rotates by 90 degrees into a post. It is free at both ends of its motion.
  const std::string half = "0.7071067811865476";
  const std::string arm =
      "sweep box:2,0.1,0.1 box:0.1,0.1,2 --from 1,0,0 --from 1.2,1.2,0 --to 0,1,0," + half + ",0,0," + half;
  EXPECT_EQ(run(arm).out.substr(0, 8), "touch at");
  EXPECT_EQ(run("sweep sphere:1 sphere:1 --from 0,0,0 --from 9,0,0 --to 0,5,0").out, "apart, at all times\n");
  EXPECT_EQ(run("sweep sphere:1 sphere:1 --to 0,5,0").out.substr(0, 21), "touching at the start");
  expect_refused("sweep sphere:1 sphere:1 --to 0,5,0 --motion bend", "bend");
  expect_refused("sweep sphere:1 half-space:0,0,1,0 --to 0,5,0 --from 0,0,5 --from 0,0,0 --to 0,0,0,0,1,0,0", "turns");
}

TEST_F(Command, AnswersInJson) {
  const Outcome outcome = run("distance sphere:1 box:2,2,2 --pose 0,0,0 --pose 5,0,0,1,0,0,0 --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_LE(result["lower"].get<double>(), 3);
  EXPECT_GE(result["upper"].get<double>(), 3);
  EXPECT_NEAR(result["point_b"][0].get<double>(), 4, 1e-15);
  EXPECT_EQ(result["stop"], "exact");
  const json touch = json::parse(run("touches sphere:1 sphere:1 --json").out);
  EXPECT_EQ(touch["touches"], true);
  const json depth = json::parse(run("depth half-space:0,0,1,0 half-space:0,1,1,0 --json").out);
  EXPECT_EQ(depth["depth"], "infinity");
}

TEST_F(Command, PosesAreTranslationsQuaternionsAndMatrices) {
  const std::string box = "distance sphere:0 box:2,4,6 --json --pose 10,0,0 --pose ";
  const auto distance = [&](const std::string& pose) {
    return json::parse(run(box + pose).out)["distance"].get<double>();
  };
  EXPECT_NEAR(distance("0,0,0"), 9, 1e-14);
  EXPECT_NEAR(distance("'0 0 0 0.7071067811865476 0 0 0.7071067811865476'"), 8, 1e-14);
  EXPECT_NEAR(distance("'0,-1,0,0, 1,0,0,0, 0,0,1,0, 0,0,0,1'"), 8, 1e-14);
}

TEST_F(Command, MakesInspectsAndComparesFiles) {
  ASSERT_EQ(run("make gear --teeth 20 -o " + file("a.stl")).status, 0);
  ASSERT_EQ(run("make icosphere --radius 2 --subdivisions 2 -o " + file("b.ply") + " --binary").status, 0);
  const json report = json::parse(run("inspect --json " + file("a.stl")).out);
  EXPECT_EQ(report["closed"], true);
  EXPECT_EQ(report["facing"], "outward");
  EXPECT_EQ(report["boundary_edges"], 0);
  EXPECT_GT(report["volume"].get<double>(), 0);
  EXPECT_NE(run("inspect " + file("b.ply")).out.find("PLY, binary"), std::string::npos);
  EXPECT_EQ(run("touches " + file("a.stl") + " " + file("b.ply")).status, 0);
  const json gap =
      json::parse(run("distance --json " + file("a.stl") + " " + file("b.ply") + " --pose 0,0,0 --pose 30,0,0").out);
  EXPECT_GT(gap["lower"].get<double>(), 10);
}

TEST_F(Command, InspectCountsTrianglesThatTouchEachOther) {
  ASSERT_EQ(run("make icosphere --subdivisions 2 -o " + file("ball.stl")).status, 0);
  EXPECT_EQ(json::parse(run("inspect --json " + file("ball.stl")).out)["self_contacts"],
            json({{"pairs", 0}, {"neighbors", 0}, {"complete", true}}));
  EXPECT_NE(run("inspect " + file("ball.stl")).out.find("self-contacts           none"), std::string::npos);
  // One triangle through another, one folded onto the first, and two that meet at a duplicated vertex.
  write("odd.obj",
        "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0.5 0.5 -1\nv 0.5 0.5 1\nv 3 3 0\nv 1 1.5 0\nv 0 0 0\nv -1 0 0\nv 0 -1 0\n"
        "f 1 2 3\nf 4 5 6\nf 1 2 7\nf 8 9 10\n");
  const json odd = json::parse(run("inspect --json " + file("odd.obj")).out)["self_contacts"];
  EXPECT_EQ(odd["pairs"], 2);
  EXPECT_EQ(odd["neighbors"], 1);
}

TEST_F(Command, InspectReportsCenterAndInertiaOfSolids) {
  ASSERT_EQ(run("make box --size-x 1 --size-y 2 --size-z 3 -o " + file("box.obj")).status, 0);
  const json report = json::parse(run("inspect --json " + file("box.obj")).out);
  for (const json& coordinate : report["center"])
    EXPECT_NEAR(coordinate.get<double>(), 0, 1e-14);
  EXPECT_NEAR(report["inertia"][0][0].get<double>(), 6.5, 1e-12);
  EXPECT_NEAR(report["inertia"][1][1].get<double>(), 5, 1e-12);
  EXPECT_NEAR(report["inertia"][2][2].get<double>(), 2.5, 1e-12);
  EXPECT_NEAR(report["inertia"][0][1].get<double>(), 0, 1e-12);
  EXPECT_NE(run("inspect " + file("box.obj")).out.find("principal moments       (2.5"), std::string::npos);
  // A surface, and a closed one without volume.
  write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n");
  for (const char* name : {"open.obj", "flat.obj"}) {
    const json none = json::parse(run("inspect --json " + file(name)).out);
    EXPECT_TRUE(none["center"].is_null() && none["inertia"].is_null()) << name;
    EXPECT_EQ(run("inspect " + file(name)).out.find("principal"), std::string::npos) << name;
  }
}

TEST_F(Command, InspectReportsTheSearchTree) {
  ASSERT_EQ(run("make icosphere --subdivisions 3 -o " + file("ball.ply")).status, 0);
  const json tree = json::parse(run("inspect --json " + file("ball.ply")).out)["tree"];
  EXPECT_GT(tree["nodes"].get<int>(), 10);
  EXPECT_GT(tree["bytes_per_triangle"].get<double>(), 40);
  EXPECT_EQ(tree["levels"].size(), tree["depth"].get<std::size_t>());
  EXPECT_NE(run("inspect " + file("ball.ply")).out.find("search tree"), std::string::npos);
  write("huge.obj", "v 0 0 0\nv 1e100 0 0\nv 0 1 0\nf 1 2 3\n");  // too large for queries, but a valid file
  const Outcome huge = run("inspect " + file("huge.obj"));
  EXPECT_EQ(huge.status, 0);
  EXPECT_NE(huge.out.find("beyond 1e90"), std::string::npos);
}

TEST_F(Command, ContactsListsPairsAndCurves) {
  ASSERT_EQ(run("make icosphere --subdivisions 3 -o " + file("ball.ply")).status, 0);
  const std::string pair = "contacts " + file("ball.ply") + " " + file("ball.ply") + " --pose 0,0,0 --pose 1,0.1,0.2 ";
  const json all = json::parse(run(pair + "--json").out);
  EXPECT_EQ(all["stop"], "exact");
  ASSERT_GT(all["contacts"].size(), 20u);
  EXPECT_TRUE(all["contacts"][0]["a"].contains("triangle"));
  EXPECT_EQ(all["contacts"][0]["segment"].size(), 2u);
  const json some = json::parse(run(pair + "--json --limit 5").out);
  EXPECT_EQ(some["contacts"].size(), 5u);
  EXPECT_EQ(some["stop"], "count");
  EXPECT_NE(run(pair + "--limit 5").out.find("5 contacts, and maybe more\nA triangle"), std::string::npos);
  const json curves = json::parse(run(pair + "--json --polylines").out)["polylines"];
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0]["closed"], true);
  EXPECT_NEAR(curves[0]["length"].get<double>(), 5.4, 0.2);
  EXPECT_EQ(run(pair + "--polylines").out.find("1 curve\nclosed"), 0u);
  EXPECT_EQ(run("contacts sphere:1 sphere:1 --pose 0,0,0 --pose 3,0,0").out, "0 contacts\n");
  expect_refused("contacts sphere:1 sphere:1 --limit many", "limit");
}

TEST_F(Command, RepairMakesAClosedMeshAndTellsWhatItDid) {
  ASSERT_EQ(run("make icosphere --subdivisions 1 -o " + file("ball.off")).status, 0);
  // Without its last triangle, and with the first one reversed and duplicated.
  std::string text = text_of(folder_ / "ball.off");
  text.erase(text.rfind("3 "));
  const std::size_t first = text.find("\n3 ") + 1;
  const std::string line = text.substr(first, text.find('\n', first) - first);
  int a = 0, b = 0, c = 0;
  ASSERT_EQ(std::sscanf(line.c_str(), "3 %d %d %d", &a, &b, &c), 3);
  const std::string turned = "3 " + std::to_string(b) + " " + std::to_string(a) + " " + std::to_string(c) + "\n";
  text.replace(first, line.size() + 1, turned + turned);
  write("odd.off", text);
  EXPECT_EQ(json::parse(run("inspect --json " + file("odd.off")).out)["closed"], false);
  const Outcome outcome = run("repair " + file("odd.off") + " -o " + file("whole.ply"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "1 triangle on the vertices of another: removed\n1 triangle that faced the wrong way: reversed\n"
            "1 hole filled with 1 triangle\n" +
                file("whole.ply") + ": 80 triangles, 42 vertices, closed\n");
  EXPECT_EQ(json::parse(run("inspect --json " + file("whole.ply")).out)["facing"], "outward");
  const json again = json::parse(run("repair --json " + file("whole.ply") + " -o " + file("again.ply")).out);
  EXPECT_TRUE(again["done"].empty());
  EXPECT_EQ(again["closed"], true);
  EXPECT_EQ(again["self_contacts"]["pairs"], 0);
  const Outcome open = run("repair " + file("odd.off") + " --longest-hole 2 -o " + file("open.stl"));
  EXPECT_NE(open.out.find("79 triangles, 42 vertices, not closed\n- 1 hole stays open"), std::string::npos) << open.out;
  write("line.obj", "v 0 0 0\nv 1 0 0\nf 1 2 2\n");
  expect_refused("repair " + file("line.obj") + " -o " + file("x.obj"), "nothing is left");
  expect_refused("repair " + file("odd.off") + " -o " + file("x.xyz"), "x.xyz");
  expect_refused("repair " + file("odd.off"), "--output");
}

TEST_F(Command, SpheresCoverAMeshAndGoIntoFiles) {
  ASSERT_EQ(run("make s-shape --along 6 --across 6 -o " + file("s.obj")).status, 0);
  const Mesh mesh = load_mesh(file("s.obj"));
  const std::string small = " --method grid --depth 2 --branching 4 --pieces 300 ";
  const Outcome outcome = run("spheres " + file("s.obj") + small + "--json -o " + file("s.json"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json levels = json::parse(outcome.out)["levels"];
  const SphereTree tree = load_sphere_tree(file("s.json"));
  ASSERT_EQ(levels.size(), 3u);
  ASSERT_EQ(tree.depth(), 2);
  for (int level = 0; level <= 2; ++level) {
    const json& row = levels[static_cast<std::size_t>(level)];
    EXPECT_EQ(row["spheres"], tree.cut(level).size());
    EXPECT_LE(row["worst"][0].get<double>(), row["worst"][1].get<double>());
    EXPECT_EQ(check_coverage(tree.spheres(level), mesh).answer, Answer::yes);
  }
  const Outcome table =
      run("spheres " + file("s.obj") + small + "-o " + file("s.sph") + " --quiet --picture " + file("s.svg"));
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 6) << table.out;
  EXPECT_EQ(table.err, "");
  EXPECT_EQ(load_sphere_tree(file("s.sph")).nodes.size(), tree.nodes.size());
  const std::string picture = text_of(file("s.svg"));
  EXPECT_NE(picture.find("level 2: " + std::to_string(tree.cut(2).size()) + " spheres"), std::string::npos);
  std::size_t circles = 0;
  for (std::size_t at = picture.find("<circle"); at != std::string::npos; at = picture.find("<circle", at + 1))
    ++circles;
  EXPECT_EQ(circles, 1 + tree.cut(1).size() + tree.cut(2).size());
}

TEST_F(Command, SpheresInAGivenNumberOrWithAGivenError) {
  ASSERT_EQ(run("make s-shape --along 6 --across 6 -o " + file("s.obj")).status, 0);
  const Mesh mesh = load_mesh(file("s.obj"));
  const std::string method = " --method merge --samples 200 --pieces 500 ";
  for (const char* name : {"set.json", "set.sph"}) {
    ASSERT_EQ(run("spheres " + file("s.obj") + method + "-n 12 -o " + file(name)).status, 0);
    const SphereSet set =
        std::string(name) == "set.sph" ? load_sph(file(name)) : parse_sphere_json(text_of(file(name)), name);
    EXPECT_LE(set.size(), 12u);
    EXPECT_GT(set.size(), 6u);
    std::vector<BoundingSphere> spheres;
    for (std::size_t i = 0; i < set.size(); ++i)
      spheres.push_back({set.center(i), set.radius(i)});
    EXPECT_EQ(check_coverage(spheres, mesh).answer, Answer::yes);
  }
  const Outcome loose = run("spheres " + file("s.obj") + " --method grid --error 0.9 --pieces 300 --json");
  const Outcome tight = run("spheres " + file("s.obj") + " --method grid --error 0.5 --pieces 300 --json");
  const auto last = [](const Outcome& outcome) { return json::parse(outcome.out)["levels"].back(); };
  EXPECT_LE(last(loose)["worst"][1].get<double>(), 0.9);
  EXPECT_LE(last(tight)["worst"][1].get<double>(), 0.5);
  EXPECT_LT(last(loose)["spheres"].get<int>(), last(tight)["spheres"].get<int>());
  const Outcome missed = run("spheres " + file("s.obj") + method + "-n 3 --error 1e-9");
  EXPECT_EQ(missed.status, 0);
  EXPECT_NE(missed.out.find("--error 1e-09 was not reached"), std::string::npos) << missed.out;
}

TEST_F(Command, SpheresByEveryMethod) {
  ASSERT_EQ(run("make s-shape --along 6 --across 6 -o " + file("s.obj")).status, 0);
  const std::string small = "spheres " + file("s.obj") + " --samples 50 --pieces 100 --json --method ";
  for (const std::string method :
       {"octree", "solid-octree", "grid", "hybrid", "hubbard", "merge", "burst", "expand", "spawn", "combined"}) {
    const Outcome outcome = run(small + method + " --depth 1 --branching 4");
    ASSERT_EQ(outcome.status, 0) << method << ": " << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["levels"].size(), 2u) << method;
  }
  for (const std::string method : {"merge", "burst", "expand", "spawn", "combined"})
    EXPECT_EQ(run(small + method + " -n 3").status, 0) << method;
}

TEST_F(Command, SpheresAreRefusedWithWhatToDo) {
  ASSERT_EQ(run("make box -o " + file("box.obj")).status, 0);
  write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  expect_refused("spheres " + file("open.obj"), "whisker repair " + file("open.obj"));
  expect_refused("spheres " + file("box.obj") + " --method best", "merge");
  expect_refused("spheres " + file("box.obj") + " --method grid -n 4", "burst");
  expect_refused("spheres " + file("box.obj") + " -o " + file("x.obj"), ".sph or .json");
  expect_refused("spheres " + file("box.obj") + " --picture " + file("x.png"), ".svg or .html");
  expect_refused("spheres " + file("box.obj") + " -n 0", "-n");
  expect_refused("spheres " + file("box.obj") + " --depth 11", "depth");
  expect_refused("spheres " + file("box.obj") + " --error=-1", "--error");
  expect_refused("spheres missing.stl", "missing.stl");
  write("robot.urdf", "<robot name='r'><link name='a'/></robot>");
  expect_refused("spheres " + file("robot.urdf") + " -o " + file("out.urdf"), "-n");
  expect_refused("spheres " + file("robot.urdf") + " -n 4 -o " + file("out.sph"), ".urdf");
  expect_refused("spheres " + file("robot.urdf") + " -n 4 -o " + file("robot.urdf"), "itself");
}

TEST_F(Command, SpheresTakeThePlaceOfARobotsCollisionShapes) {
  ASSERT_EQ(run("make torus --around 10 --across 6 -o " + file("ring.stl")).status, 0);
  // The ring without its last triangles, like an incomplete scan.
  MeshData open = read_mesh(file("ring.stl"));
  open.triangles.resize(open.triangles.size() - 5);
  write_mesh(file("open.stl"), open);
  write("robot.urdf", R"(<robot name="r"><!-- kept -->
  <link name="a">
    <collision><origin xyz="1 2 3" rpy="0.3 -0.2 0.5"/><geometry><mesh filename="ring.stl" scale="1 2 -3"/></geometry></collision>
    <collision><geometry><sphere radius="0.25"/></geometry></collision>
  </link>
  <link name="b">
    <collision><origin rpy="1 0 0"/><geometry><box size="1 2 3"/></geometry></collision>
    <collision><geometry><cylinder radius="1" length="2"/></geometry></collision>
    <collision><geometry><capsule radius="0.5" length="2"/></geometry></collision>
    <collision><geometry><mesh filename="open.stl"/></geometry></collision>
  </link>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
</robot>
)");
  const Outcome outcome = run("spheres " + file("robot.urdf") +
                              " --method merge --samples 100 --pieces 300 -n 10 --json -o " + file("balls.urdf"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json told = json::parse(outcome.out);
  ASSERT_EQ(told["collisions"].size(), 6u);
  EXPECT_LT(told["collisions"][4]["protrusion"].get<double>(), 0.013);  // along the capsule's axis
  ASSERT_EQ(told["notes"].size(), 1u) << told["notes"];
  EXPECT_NE(told["notes"][0].get<std::string>().find("repaired"), std::string::npos);
  EXPECT_NE(text_of(file("balls.urdf")).find("<robot name=\"r\"><!-- kept -->"), std::string::npos);
  const UrdfRobot before = load_urdf(file("robot.urdf")), after = load_urdf(file("balls.urdf"));
  std::size_t spheres = 0;
  for (const std::string link : {"a", "b"}) {
    std::vector<BoundingSphere> balls;
    for (const LinkShape& shape : after.body.links()[after.link(link)].shapes) {
      const Sphere* ball = shape.shape.as<Sphere>();
      ASSERT_NE(ball, nullptr);
      balls.push_back({shape.pose.translation(), ball->radius});
    }
    spheres += balls.size();
    // The shapes as surface meshes. Round shapes get vertices on their outermost points.
    for (const LinkShape& shape : before.body.links()[before.link(link)].shapes) {
      MeshData data;
      if (const Mesh* mesh = shape.shape.as<Mesh>()) {
        data = {{mesh->vertices().begin(), mesh->vertices().end()},
                {mesh->triangles().begin(), mesh->triangles().end()}};
      } else if (const Box* box = shape.shape.as<Box>()) {
        data = make::box({.size_x = box->size[0], .size_y = box->size[1], .size_z = box->size[2]});
      } else if (const Cylinder* round = shape.shape.as<Cylinder>()) {
        data = make::cylinder({.radius = round->radius, .length = round->length, .slices = 500});
      } else if (const Capsule* capsule = shape.shape.as<Capsule>()) {
        data = make::capsule({.radius = capsule->radius, .length = capsule->length, .slices = 100, .stacks = 30});
      } else {
        continue;
      }
      for (Vector3& v : data.vertices)
        v = place(shape.pose, v);
      EXPECT_EQ(check_coverage(balls, Mesh(data)).answer, Answer::yes);
    }
  }
  EXPECT_EQ(told["spheres"], spheres);
  const std::string table =
      run("spheres " + file("robot.urdf") + " --method merge --samples 100 --pieces 300 -n 10 -o " + file("balls.urdf"))
          .out;
  EXPECT_NE(
      table.find("spheres for 6 collision shapes\n- link b, collision 3: its mesh is not closed, and was repaired: "),
      std::string::npos)
      << table;
}

TEST_F(Command, OptionsBeforeTheInputsDoNotSwallowThem) {
  EXPECT_EQ(run("touches --pose 0,0,0 --pose 2.5,0,0 sphere:1 sphere:1").out, "no\n");
  EXPECT_EQ(run("touches --pose 0,0,0 sphere:1 sphere:1").out, "yes\n");
  EXPECT_EQ(run("touches --pose 0,0,0 sphere:1 --pose 2.5,0,0 sphere:1").out, "no\n");
  EXPECT_EQ(run("distance --tolerance 0.1 --pose 0,0,0 --pose 9,0,0 sphere:1 sphere:1").status, 0);
  EXPECT_EQ(run("sweep --from 0,0,0 --from 9,0,0 --to 0,5,0 sphere:1 sphere:1").out, "apart, at all times\n");
  EXPECT_EQ(run("sweep --to 0,5,0 sphere:1 sphere:1").out.substr(0, 21), "touching at the start");
  EXPECT_EQ(run("ray --direction -1,0,0 --origin 5,0,0 sphere:1").out.substr(0, 10), "hit at t  ");
  // An option takes one pose: the next word is an input, and it is not a valid one.
  expect_refused("touches sphere:1 sphere:1 --pose 0,0,0 2.5,0,0", "2.5,0,0");
  ASSERT_EQ(run("make box -o " + file("part.stl")).status, 0);
  EXPECT_EQ(run("repair -o " + file("mended.stl") + " --longest-hole 3 " + file("part.stl")).status, 0);
  write("robot.urdf", R"(<robot name="r"><link name="a"><collision><geometry><mesh filename="package://parts/part.stl"/>
    </geometry></collision></link></robot>)");
  fs::create_directories(folder_ / "store" / "parts");
  fs::create_directories(folder_ / "other");
  fs::copy_file(file("part.stl"), folder_ / "store" / "parts" / "part.stl");
  const std::string job = "-n 4 --method merge --samples 100 --pieces 300 -o " + file("balls.urdf") + " ";
  const std::string store = "--packages " + file("store") + " ", other = "--packages " + file("other") + " ";
  for (const std::string& arguments : {job + store + file("robot.urdf"), job + other + store + file("robot.urdf"),
                                       store + file("robot.urdf") + " " + job, file("robot.urdf") + " " + job + store,
                                       store + file("robot.urdf") + " " + other + job}) {
    fs::remove(file("balls.urdf"));
    const Outcome outcome = run("spheres " + arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << outcome.err;
    EXPECT_TRUE(fs::exists(file("balls.urdf"))) << arguments;
  }
}

TEST_F(Command, SolidAndSurfaceDiffer) {
  ASSERT_EQ(run("make box --size-x 4 --size-y 4 --size-z 4 -o " + file("large.obj")).status, 0);
  ASSERT_EQ(run("make box -o " + file("small.obj")).status, 0);
  const std::string pair = file("large.obj") + " " + file("small.obj");
  EXPECT_EQ(run("touches " + pair).out, "no\n");
  EXPECT_EQ(run("touches --solid " + pair).out, "yes\n");
}

TEST_F(Command, BadInputIsOneLineAndStatusTwo) {
  expect_refused("touches missing.stl sphere:1", "missing.stl");
  expect_refused("touches sphere:1", "B");
  expect_refused("touches sphere:x sphere:1", "'x'");
  expect_refused("touches sphere:-1 sphere:1", "radius");
  expect_refused("touches sphere:1,2 sphere:1", "takes 1");
  expect_refused("touches sphere:1 sphere:1 --pose 1,2", "pose");
  expect_refused("touches sphere:1 sphere:1 --pose 0,0,0,0,0,0,0", "quaternion");
  expect_refused("touches sphere:1 sphere:1 --pose '2,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1'", "orthonormal");
  expect_refused("touches sphere:1 sphere:1 --nonsense", "nonsense");
  expect_refused("nonsense", "nonsense");
  expect_refused("make gear --teeth 2 -o " + file("x.stl"), "teeth");
  expect_refused("make gear -o " + file("x.xyz"), "x.xyz");
  expect_refused("inspect " + folder_.string(), folder_.string());
  write("empty.stl", "");
  expect_refused("inspect " + file("empty.stl"), "empty.stl");
  write("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
  expect_refused("inspect " + file("nan.obj"), "nan.obj:2");
  write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  expect_refused("depth " + file("open.obj") + " sphere:1", "not closed");
}

TEST_F(Command, HelpAndVersionAreAnswers) {
  EXPECT_EQ(run("--help").status, 0);
  EXPECT_EQ(run("--version").status, 0);
  EXPECT_NE(run("make --help").out.find("wrinkled-torus"), std::string::npos);
}

TEST_F(Command, TheExampleWritesAReportAndASceneThatHasTheSameFindings) {
  const Outcome outcome = run("clash --example -o " + file("example"));
  ASSERT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("Open " + file("example/gearbox.html")), std::string::npos) << outcome.out;
  EXPECT_GT(fs::file_size(file("example/gearbox.html")), 100'000u);
  const auto pairs_of = [](const Outcome& clash) {
    std::set<std::string> pairs;
    const json content = json::parse(clash.out);
    for (const json& finding : content["findings"])
      pairs.insert(finding["kind"].get<std::string>() + " " + finding["a"].get<std::string>() + " " +
                   finding["b"].get<std::string>());
    return pairs;
  };
  const auto pairs = pairs_of(run("clash --example --json"));
  EXPECT_TRUE(pairs.contains("contained housing/lower left_behind/bolt"));
  EXPECT_EQ(pairs_of(run("clash " + file("example/gearbox/scene.json") + " --json")), pairs);
}

TEST_F(Command, TheExampleTakesNoInputsAndItsFolderIsForItAlone) {
  expect_refused("clash", "--example");
  expect_refused("clash --example " + file("gear.stl"), "not both");
  expect_refused("clash " + file("gear.stl") + " -o " + file("x"), "--output");
}

}  // namespace
}  // namespace whisker
