// The report of `whisker clash` in a browser: what it lists, draws and does. The findings are made by hand, so that
// nothing here depends on the checker. Screenshots are left in the test's output folder.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <whisker/error.hpp>
#include <whisker/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/motion.hpp>

#include "clash/report.hpp"
#include "clash/simplify.hpp"
#include "support/browser.hpp"

namespace whisker::clash {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using support::Browser;

// ---- Scenes ----

std::uint32_t add_mesh(Assembly& assembly, MeshData data) {
  const Mesh mesh(data);
  const bool is_closed = mesh.can_be_solid();
  assembly.meshes.push_back({std::move(data), is_closed ? mesh.solid() : mesh, is_closed, ""});
  return static_cast<std::uint32_t>(assembly.meshes.size() - 1);
}

std::uint32_t add_part(Assembly& assembly, std::string name, std::string group, std::uint32_t mesh,
                       const Pose& pose = {}) {
  assembly.parts.push_back({std::move(name), std::move(group), mesh, pose, {}});
  return static_cast<std::uint32_t>(assembly.parts.size() - 1);
}

Pose at(double x, double y, double z) {
  return Pose(Vector3(x, y, z));
}

Pose turned_about_z(double angle, const Vector3& where) {
  return {Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix(), where};
}

Finding finding_of(const Assembly& assembly, std::uint32_t a, std::uint32_t b, FindingKind kind) {
  Finding finding;
  finding.a = a;
  finding.b = b;
  finding.kind = kind;
  finding.pose_a = assembly.parts[a].pose;
  finding.pose_b = assembly.parts[b].pose;
  return finding;
}

Polyline rectangle(const Vector3& middle, const Vector3& u, const Vector3& v) {
  return {{middle - u - v, middle + u - v, middle + u + v, middle - u + v}, true};
}

struct Scene {
  Assembly assembly;
  Findings findings;
};

// Two gears in a frame with shafts, bolts, a cover and brackets, and an arm that swings against a post.
Scene workshop() {
  Scene scene;
  Assembly& assembly = scene.assembly;
  assembly.title = "Gear pair in its frame";
  assembly.unit = "mm";
  assembly.rules.clearance = 0.5;
  assembly.rules.contact = 0.01;
  assembly.rules.allowed = {{"gear_*", "shaft_*"}};
  assembly.notes = {"bracket.stl: 2 degenerate triangles were kept.", "plate.stl: 12 vertices are in no triangle."};

  const std::uint32_t frame_mesh = add_mesh(assembly, make::block({120, 80, 30, 100, 60}));
  const std::uint32_t wheel_mesh = add_mesh(assembly, make::gear({.teeth = 24, .module = 2, .width = 10, .bore = 5}));
  const std::uint32_t pinion_mesh = add_mesh(assembly, make::gear({.teeth = 16, .module = 2, .width = 10, .bore = 5}));
  const std::uint32_t shaft_mesh = add_mesh(assembly, make::cylinder({5, 56, 48, 1}));
  const std::uint32_t bolt_mesh = add_mesh(assembly, make::cylinder({2.5, 24, 24, 1}));
  const std::uint32_t plate_mesh = add_mesh(assembly, make::box({120, 80, 3, 1}));
  const std::uint32_t bracket_mesh = add_mesh(assembly, make::box({20, 20, 20, 1}));
  const std::uint32_t arm_mesh = add_mesh(assembly, make::box({50, 8, 6, 1}));
  const std::uint32_t post_mesh = add_mesh(assembly, make::cylinder({4, 30, 32, 1}));

  const std::uint32_t frame = add_part(assembly, "frame", "housing", frame_mesh);
  add_part(assembly, "gear_1", "gears", wheel_mesh, at(-20, 0, 0));
  add_part(assembly, "gear_2", "gears", pinion_mesh, turned_about_z(make::meshing_angle(24, 16), {20, 0, 0}));
  const std::uint32_t shaft_1 = add_part(assembly, "shaft_1", "shafts", shaft_mesh, at(-20, 0, 4));
  const std::uint32_t shaft_2 = add_part(assembly, "shaft_2", "shafts", shaft_mesh, at(20, 0, 4));
  const std::uint32_t bolt_1 = add_part(assembly, "bolt_1", "bolts", bolt_mesh, at(55, 35, 0));
  add_part(assembly, "bolt_2", "bolts", bolt_mesh, at(-55, 35, 30));
  add_part(assembly, "bolt_3", "bolts", bolt_mesh, at(-55, -35, 30));
  const std::uint32_t plate = add_part(assembly, "base plate", "housing", plate_mesh, at(0, 0, -16.8));
  const std::uint32_t bracket_1 = add_part(assembly, "bracket_1", "", bracket_mesh, at(68, 0, 0));
  const std::uint32_t bracket_2 = add_part(assembly, "bracket_10", "", bracket_mesh, at(0, 49.5787, 0));
  const std::uint32_t arm = add_part(assembly, "arm", "robot", arm_mesh, at(-20, -80, 40));
  const std::uint32_t post = add_part(assembly, "post", "robot", post_mesh, at(40, -80, 40));
  assembly.parts[arm].motion = {{0, at(-20, -80, 40)},
                                {2, turned_about_z(0.5, {11, -80, 40})},
                                {3, turned_about_z(1.5, {11, -60, 50})}};

  std::vector<Finding>& all = scene.findings.all;
  {
    Finding deep = finding_of(assembly, frame, bracket_1, FindingKind::clash);
    deep.depth = {{2, 2.0000000001}};
    deep.position = {59, 0, 0};
    deep.point_a = {60, 0, 0};
    deep.point_b = {58, 0, 0};
    deep.direction = {1, 0, 0};
    deep.curve = {rectangle({60, 0, 0}, {0, 10, 0}, {0, 0, 10})};
    deep.triangles = 14;
    all.push_back(deep);
    Finding shallow = finding_of(assembly, frame, bracket_2, FindingKind::clash);
    shallow.depth = {{0.4212, 0.4214}};
    shallow.stop = Stop::tolerance;
    shallow.position = {0, 39.7894, 0};
    shallow.point_a = {0, 40, 0};
    shallow.point_b = {0, 39.5787, 0};
    shallow.direction = {0, 1, 0};
    shallow.curve = {rectangle({0, 40, 0}, {10, 0, 0}, {0, 0, 10})};
    shallow.triangles = 9;
    all.push_back(shallow);
    Finding moving = finding_of(assembly, arm, post, FindingKind::clash);
    moving.time = {{1.5, 1.5000001}};
    moving.pose_a = pose_at(screw(assembly.parts[arm].motion[0].pose, assembly.parts[arm].motion[1].pose), 0.75);
    moving.position = moving.point_a = moving.point_b = place(moving.pose_a, {25, 3, 0});
    moving.triangles = 2;
    all.push_back(moving);
    Finding inside = finding_of(assembly, frame, bolt_1, FindingKind::contained);
    inside.depth = {{7.5, 7.5}};
    inside.position = {55, 35, 0};
    inside.point_a = {60, 35, 0};
    inside.point_b = {52.5, 35, 0};
    inside.direction = {1, 0, 0};
    all.push_back(inside);
    Finding close = finding_of(assembly, frame, plate, FindingKind::too_close);
    close.distance = {{0.3, 0.3}};
    close.position = {55, -35, -15.15};
    close.point_a = {55, -35, -15};
    close.point_b = {55, -35, -15.3};
    close.direction = {0, 0, -1};
    all.push_back(close);
    Finding flush_1 = finding_of(assembly, 1, shaft_1, FindingKind::contact);
    flush_1.depth = {{0, 0}};
    flush_1.position = {-15, 0, 5};
    flush_1.point_a = flush_1.point_b = flush_1.position;
    flush_1.triangles = 192;
    flush_1.note = "flush";
    all.push_back(flush_1);
    Finding flush_2 = finding_of(assembly, 2, shaft_2, FindingKind::contact);
    flush_2.distance = {{0.004, 0.004}};
    flush_2.position = {25, 0, 5};
    flush_2.point_a = {25.002, 0, 5};
    flush_2.point_b = {24.998, 0, 5};
    all.push_back(flush_2);
  }
  scene.findings.pairs_possible = 78;
  scene.findings.pairs_near = 21;
  scene.findings.pairs_checked = 21;
  scene.findings.pairs_allowed = 2;
  scene.findings.seconds = 0.0123;
  return scene;
}

// ---- Tests in a browser ----

class ClashReport : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    fs::create_directories(folder());
    if (Browser::is_installed()) browser_ = std::make_unique<Browser>();
  }
  static void TearDownTestSuite() { browser_.reset(); }
  void SetUp() override {
    if (!browser_) GTEST_SKIP() << "chromium is not installed: the report was NOT tested. apt-get install chromium";
    browser().set_dark(false);
    browser().set_reduced_motion(true);  // no flights: they are tested on their own
    browser().set_size(1280, 800);
  }
  static Browser& browser() { return *browser_; }
  static fs::path folder() { return WHISKER_TEST_OUTPUT; }

  static fs::path write(const std::string& name, const Scene& scene, const ReportOptions& options = {}) {
    const fs::path path = folder() / (name + ".html");
    write_report(path, scene.assembly, scene.findings, options);
    return path;
  }
  static void show(const std::string& name, const Scene& scene, const ReportOptions& options = {}) {
    browser().open(write(name, scene, options));
    browser().wait_for("window.whiskerReport");
  }
  static void expect_no_problems() {
    EXPECT_EQ(browser().problems(), std::vector<std::string>{});
    // The page itself, and nothing else.
    EXPECT_EQ(browser().requests().size(), 1u) << json(browser().requests()).dump();
  }
  static json listed() { return browser().evaluate("whiskerReport.listed"); }
  static json rows() {
    return browser().evaluate("[...document.querySelectorAll('.row')].map(row => Number(row.dataset.number))");
  }
  static std::string text(const std::string& selector) {
    return browser().evaluate("document.querySelector(" + json(selector).dump() + ").innerText").get<std::string>();
  }
  static double number(const std::string& expression) { return browser().evaluate(expression).get<double>(); }
  static Vector3 vector(const std::string& expression) {
    const json value = browser().evaluate(expression);
    return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
  }
  static void screenshot(const std::string& name) {
    browser().evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
    browser().take_screenshot(folder() / (name + ".png"));
  }
  static void wait_for_pictures(int count) {
    browser().wait_for("whiskerReport.pictures >= " + std::to_string(count));
  }

 private:
  static inline std::unique_ptr<Browser> browser_;
};

TEST_F(ClashReport, DrawsAndListsAllFindings) {
  const Scene scene = workshop();
  show("workshop", scene);
  EXPECT_EQ(rows(), json({0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(text("#title"), "Gear pair in its frame");
  const json pixels = browser().evaluate("whiskerReport.view.pixels()");
  EXPECT_GT(pixels["drawn"].get<double>(), 0.05 * pixels["all"].get<double>());
  wait_for_pictures(7);
  screenshot("overview");
  expect_no_problems();
}

}  // namespace
}  // namespace whisker::clash
