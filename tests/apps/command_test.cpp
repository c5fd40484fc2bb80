// The whisker command as a user runs it: what it prints and how it exits.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/wait.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace whisker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

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

  // Status 2, nothing on standard output, one line that names `word` on standard error.
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
  // A unit box that moves 4 units along x towards a sphere 3.5 away: 3.5 - 0.5 - 1 = 2 to go.
  const json hit = json::parse(run("sweep box:1,1,1 sphere:1 --from 0,0,0 --from 3.5,0,0 --to 4,0,0 --json").out);
  EXPECT_EQ(hit["status"], "touch");
  EXPECT_NEAR(hit["time"].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(hit["pose_a"][0][3].get<double>(), 2, 1e-9);
  // An arm that turns by a right angle into a post; both ends of its way are free.
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
            json({{"pairs", 0}, {"neighbours", 0}, {"complete", true}}));
  EXPECT_NE(run("inspect " + file("ball.stl")).out.find("self-contacts           none"), std::string::npos);
  // One through the other, one folded onto the first, and two that meet at a corner that is there twice.
  write("odd.obj",
        "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0.5 0.5 -1\nv 0.5 0.5 1\nv 3 3 0\nv 1 1.5 0\nv 0 0 0\nv -1 0 0\nv 0 -1 0\n"
        "f 1 2 3\nf 4 5 6\nf 1 2 7\nf 8 9 10\n");
  const json odd = json::parse(run("inspect --json " + file("odd.obj")).out)["self_contacts"];
  EXPECT_EQ(odd["pairs"], 2);
  EXPECT_EQ(odd["neighbours"], 1);
}

TEST_F(Command, InspectReportsTheSearchTree) {
  ASSERT_EQ(run("make icosphere --subdivisions 3 -o " + file("ball.ply")).status, 0);
  const json tree = json::parse(run("inspect --json " + file("ball.ply")).out)["tree"];
  EXPECT_GT(tree["nodes"].get<int>(), 10);
  EXPECT_GT(tree["bytes_per_triangle"].get<double>(), 40);
  EXPECT_EQ(tree["levels"].size(), tree["depth"].get<std::size_t>());
  EXPECT_NE(run("inspect " + file("ball.ply")).out.find("search tree"), std::string::npos);
  write("huge.obj", "v 0 0 0\nv 1e100 0 0\nv 0 1 0\nf 1 2 3\n");  // no shape for queries, but a file all the same
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
  EXPECT_EQ(some["stop"], "limit");
  EXPECT_NE(run(pair + "--limit 5").out.find("5 contacts, and maybe more\nA triangle"), std::string::npos);
  const json curves = json::parse(run(pair + "--json --polylines").out)["polylines"];
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0]["closed"], true);
  EXPECT_NEAR(curves[0]["length"].get<double>(), 5.4, 0.2);
  EXPECT_EQ(run(pair + "--polylines").out.find("1 curve\nclosed"), 0u);
  EXPECT_EQ(run("contacts sphere:1 sphere:1 --pose 0,0,0 --pose 3,0,0").out, "0 contacts\n");
  expect_refused("contacts sphere:1 sphere:1 --limit many", "limit");
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
