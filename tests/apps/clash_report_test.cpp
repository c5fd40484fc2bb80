// The report of `whisker clash` in a browser: what it lists, draws and does. The findings are constructed by hand, so
// that nothing here depends on the checker. Screenshots are left in the test's output folder.

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/motion.hpp>

#include "clash/output.hpp"
#include "clash/report.hpp"
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

struct ReportScene {
  Assembly assembly;
  Findings findings;
};

// Two gears in a frame with shafts, bolts, a cover and brackets, and an arm that swings against a post.
ReportScene workshop() {
  ReportScene scene;
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
  assembly.parts[arm].motion = {
      {0, at(-20, -80, 40)}, {2, turned_about_z(0.5, {11, -80, 40})}, {3, turned_about_z(1.5, {11, -60, 50})}};
  // The arm's end face meets the post's side at time 1.5.
  const Pose at_touch = pose_at(screw(assembly.parts[arm].motion[0].pose, assembly.parts[arm].motion[1].pose), 0.75);
  const std::uint32_t post = add_part(assembly, "post", "robot", post_mesh, Pose(place(at_touch, {29, 0, 0})));

  std::vector<Finding>& all = scene.findings.all;
  {
    Finding deep = finding_of(assembly, frame, bracket_1, FindingKind::clash);
    deep.depth = {{2, 2.0000000001}};
    deep.position = {59, 0, 0};
    deep.point_a = {60, 0, 0};
    deep.point_b = {58, 0, 0};
    deep.normal = {1, 0, 0};
    deep.curve = {rectangle({60, 0, 0}, {0, 10, 0}, {0, 0, 10})};
    deep.triangles = 14;
    all.push_back(deep);
    Finding shallow = finding_of(assembly, frame, bracket_2, FindingKind::clash);
    shallow.depth = {{0.4212, 0.4214}};
    shallow.stop = Stop::tolerance;
    shallow.position = {0, 39.7894, 0};
    shallow.point_a = {0, 40, 0};
    shallow.point_b = {0, 39.5787, 0};
    shallow.normal = {0, 1, 0};
    shallow.curve = {rectangle({0, 40, 0}, {10, 0, 0}, {0, 0, 10})};
    shallow.triangles = 9;
    all.push_back(shallow);
    Finding moving = finding_of(assembly, arm, post, FindingKind::clash);
    moving.time = {{1.5, 1.5000001}};
    moving.pose_a = at_touch;
    moving.position = moving.point_a = moving.point_b = place(at_touch, {25, 0, 0});
    moving.triangles = 2;
    all.push_back(moving);
    Finding inside = finding_of(assembly, frame, bolt_1, FindingKind::contained);
    inside.depth = {{7.5, 7.5}};
    inside.position = {55, 35, 0};
    inside.point_a = {60, 35, 0};
    inside.point_b = {52.5, 35, 0};
    inside.normal = {1, 0, 0};
    all.push_back(inside);
    Finding close = finding_of(assembly, frame, plate, FindingKind::too_close);
    close.distance = {{0.3, 0.3}};
    close.position = {55, -35, -15.15};
    close.point_a = {55, -35, -15};
    close.point_b = {55, -35, -15.3};
    close.normal = {0, 0, -1};
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
    browser().set_reduced_motion(true);  // no camera flights: they are tested separately
    browser().set_size(840, 440);        // rendering is in software: small is fast
  }
  static Browser& browser() { return *browser_; }
  static fs::path folder() { return fs::path(WHISKER_TEST_OUTPUT) / "clash_report"; }

  static fs::path write(const std::string& name, const ReportScene& scene, const PageBudget& budget = {}) {
    const fs::path path = folder() / (name + ".html");
    write_report(path, scene.assembly, scene.findings, budget);
    return path;
  }
  static void show(const std::string& name, const ReportScene& scene, const PageBudget& budget = {}) {
    browser().open(write(name, scene, budget));
    browser().wait_for("window.whiskerReport");
  }
  // Shows the workshop in its initial state. Loading is slow in software, so a page that is already loaded is reset
  // instead.
  static void show_workshop() {
    if (browser().evaluate("location.pathname.endsWith('/workshop.html') && Boolean(window.whiskerReport)") != true)
      return show("workshop", workshop());
    browser().evaluate(
        "(() => { const put = (id, value, event) => { const node = document.getElementById(id); node.value = value;"
        "node.dispatchEvent(new Event(event)); }; put('search', '', 'input'); put('least-depth', '', 'input');"
        "put('order', 'worst', 'change');"
        "for (const node of document.querySelectorAll('#reverse[aria-pressed=true], .kind[aria-pressed=false],"
        "#rest[aria-pressed=true], #glass[aria-pressed=true]')) node.click();"
        "document.getElementById('about').open = false; document.activeElement.blur();"
        "put('slider', document.getElementById('slider').min, 'input'); document.getElementById('all').click();"
        "whiskerReport.view.drawNow(); })()");
    ASSERT_EQ(rows(), json({0, 1, 2, 3, 4, 5, 6}));
  }
  static void expect_no_problems() {
    EXPECT_EQ(browser().problems(), std::vector<std::string>{});
    // Only the page itself was requested.
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
  static void wait_for_pictures(int count) { browser().wait_for("whiskerReport.pictures >= " + std::to_string(count)); }

 private:
  static inline std::unique_ptr<Browser> browser_;
};

TEST_F(ClashReport, DrawsAndListsAllFindingsWorstFirst) {
  browser().set_size(1280, 800);
  show("workshop", workshop());
  EXPECT_EQ(rows(), json({0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(text("#title"), "Gear pair in its frame");
  EXPECT_EQ(text("#state"), "Complete");
  for (const char* fact : {"13 parts", "21 pairs", "unit mm", "clearance 0.5", "contact within 0.01"})
    EXPECT_NE(text("#facts").find(fact), std::string::npos) << fact;
  EXPECT_EQ(browser().evaluate("[...document.querySelectorAll('.kind')].map(node => node.innerText)"),
            json({"3\nclashes", "1\ncontained", "1\ntoo close", "2\ncontacts"}));

  const json pixels = browser().evaluate("whiskerReport.view.pixels()");
  EXPECT_GT(pixels["drawn"].get<double>(), 0.05 * pixels["all"].get<double>());
  EXPECT_LT(pixels["drawn"].get<double>(), 0.9 * pixels["all"].get<double>());
  wait_for_pictures(7);
  // Each picture shows something, and no two are alike.
  const json inks = browser().evaluate(
      "[...document.querySelectorAll('.row canvas')].map(canvas => canvas.getContext('2d')"
      ".getImageData(0, 0, canvas.width, canvas.height).data.filter((value, i) => i % 4 === 3 && value > 0).length)");
  for (const json& ink : inks)
    EXPECT_GT(ink.get<double>(), 0.1 * 208 * 156);
  EXPECT_EQ(browser().evaluate("new Set([...document.querySelectorAll('.row canvas')].map(c => c.toDataURL())).size"),
            7);
  screenshot("overview");
  expect_no_problems();
}

TEST_F(ClashReport, RowsTellKindPartsValueTimeAndTriangles) {
  show_workshop();
  const auto expect_in_row = [&](int row, const std::vector<std::string>& words) {
    const std::string shown = text("#finding-" + std::to_string(row));
    for (const std::string& word : words)
      EXPECT_NE(shown.find(word), std::string::npos) << word << " in: " << shown;
  };
  expect_in_row(0, {"Clash", "2\u00a0mm", "\u00b1\u00a05e-11", "frame", "housing", "bracket_1", "14 triangle pairs"});
  expect_in_row(1, {"0.4213\u00a0mm", "\u00b1\u00a00.0001", "bracket_10"});
  expect_in_row(2, {"arm", "post", "at time 1.5"});
  expect_in_row(3, {"Contained", "7.5\u00a0mm", "bolt_1"});
  expect_in_row(4, {"Too close", "0.3\u00a0mm", "base plate", "distance"});
  expect_in_row(5, {"Contact", "0\u00a0mm", "flush"});
  // The selected finding shows its bounds in full.
  browser().click("#finding-1");
  expect_in_row(1, {"[0.4212, 0.4214]", "0, 39.7894, 0", "the tolerance was reached"});
  // Notes and rules can be expanded.
  browser().click("#about summary");
  for (const char* word : {"2 degenerate triangles", "12 vertices", "gear_* with shaft_*", "78 pairs"})
    EXPECT_NE(text("#about").find(word), std::string::npos) << word;
}

TEST_F(ClashReport, Sorts) {
  show_workshop();
  const std::vector<std::pair<std::string, json>> orders{
      {"kind", {0, 1, 2, 3, 4, 5, 6}},  {"depth", {3, 0, 1, 5, 2, 4, 6}}, {"distance", {6, 4, 0, 1, 2, 3, 5}},
      {"parts", {2, 4, 3, 0, 1, 5, 6}}, {"time", {2, 0, 1, 3, 4, 5, 6}},  {"triangles", {5, 0, 1, 2, 3, 4, 6}},
      {"worst", {0, 1, 2, 3, 4, 5, 6}},
  };
  for (const auto& [order, expected] : orders) {
    browser().evaluate("(() => { const order = document.getElementById('order'); order.value = '" + order +
                       "'; order.dispatchEvent(new Event('change')); })()");
    EXPECT_EQ(rows(), expected) << order;
  }
  browser().click("#reverse");
  EXPECT_EQ(rows(), json({6, 5, 4, 3, 2, 1, 0}));
}

TEST_F(ClashReport, FiltersByTextKindAndDepth) {
  show_workshop();
  browser().press("/");
  browser().type("BOLT");
  EXPECT_EQ(rows(), json({3}));
  EXPECT_EQ(text("#shown"), "1 of 7 findings");
  browser().press("Escape");
  EXPECT_EQ(rows().size(), 7u);
  browser().evaluate("document.getElementById('search').focus()");
  browser().type("robot post");  // a group and a name
  EXPECT_EQ(rows(), json({2}));
  browser().press("Escape");
  browser().type("nobody");
  EXPECT_EQ(rows().size(), 0u);
  EXPECT_NE(text("#nothing").find("No findings match"), std::string::npos);
  browser().press("Escape");

  browser().click(".kind[data-kind=clash]");
  EXPECT_EQ(rows(), json({3, 4, 5, 6}));
  EXPECT_EQ(browser().evaluate("document.querySelector('.kind').getAttribute('aria-pressed')"), "false");
  browser().press("4");  // keys also work while a button has the focus
  EXPECT_EQ(rows(), json({3, 4}));
  browser().press("1");
  browser().press("4");
  EXPECT_EQ(rows().size(), 7u);

  browser().evaluate("document.getElementById('least-depth').focus()");
  browser().type("0.5");
  EXPECT_EQ(rows(), json({0, 2, 3}));  // the depth of the moving pair is unknown, so it stays
}

TEST_F(ClashReport, FliesToAFindingAndBack) {
  const ReportScene scene = workshop();
  browser().set_reduced_motion(false);
  show_workshop();
  const Vector3 start = vector("whiskerReport.view.camera().target");
  const double far_off = number("whiskerReport.view.camera().distance");
  for (const std::size_t i : {0u, 4u}) {
    browser().click("#finding-" + std::to_string(i));
    EXPECT_EQ(browser().evaluate("whiskerReport.view.isFlying"), true);
    browser().wait_for("!whiskerReport.view.isFlying");
    EXPECT_LT((vector("whiskerReport.view.camera().target") - scene.findings.all[i].position).norm(), 1e-9);
    EXPECT_LT(number("whiskerReport.view.camera().distance"), 0.9 * far_off);
    EXPECT_EQ(browser().evaluate("whiskerReport.selected"), i);
    EXPECT_EQ(browser().evaluate("document.querySelectorAll('[aria-selected=true]').length"), 1);
    // The label is at the finding, which is in the middle of the view.
    EXPECT_EQ(browser().evaluate("document.getElementById('callout').hidden"), false);
    if (i == 0) screenshot("finding");
  }
  browser().press("Escape");
  browser().wait_for("!whiskerReport.view.isFlying");
  EXPECT_LT((vector("whiskerReport.view.camera().target") - start).norm(), 1e-9);
  EXPECT_EQ(browser().evaluate("whiskerReport.selected"), nullptr);
  EXPECT_EQ(browser().evaluate("document.getElementById('callout').hidden"), true);
  expect_no_problems();
}

TEST_F(ClashReport, ShowsTheTwoPartsInTwoColorsAndFadesTheRest) {
  show_workshop();
  // Counts the pixels of the finding's two parts, the blue and the orange one. Nothing else has these colors.
  const auto colors = [&] {
    return browser().evaluate(
        "(() => { whiskerReport.view.drawNow(); const gl = document.getElementById('view').getContext('webgl');"
        "const w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, p = new Uint8Array(4 * w * h);"
        "gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, p); let blue = 0, orange = 0, pink = 0, faint = 0;"
        "for (let i = 0; i < p.length; i += 4) { const [r, g, b, a] = p.subarray(i, i + 4);"
        "if (a > 200 && b > 1.8 * r && b > 60) ++blue; if (a > 200 && r > 1.8 * b && g > 1.3 * b) ++orange;"
        "if (a > 200 && r > 200 && g < 90 && b > 70 && b < 160) ++pink; if (a > 0 && a < 100) ++faint; }"
        "return { blue, orange, pink, faint }; })()");
  };
  const json before = colors();
  // Only the markers of the findings have these colors.
  EXPECT_LT(before["blue"], 500);
  EXPECT_LT(before["orange"], 500);
  EXPECT_LT(before["pink"], 20);
  browser().click("#finding-0");
  browser().evaluate("whiskerReport.view.zoomBy(3)");
  const json after = colors();
  EXPECT_GT(after["blue"].get<int>() + after["orange"].get<int>(), 1500) << after;
  EXPECT_GT(after["pink"], 60) << after;     // the curve
  EXPECT_GT(after["faint"], 1500) << after;  // the rest
  browser().press("h");                      // hides the rest
  EXPECT_LT(colors()["faint"], after["faint"].get<int>() / 2);
  EXPECT_EQ(browser().evaluate("document.getElementById('rest').getAttribute('aria-pressed')"), "true");
}

TEST_F(ClashReport, KeysDoWhatTheHelpSays) {
  show_workshop();
  const auto selected = [&] { return browser().evaluate("whiskerReport.selected"); };
  browser().press("j");
  EXPECT_EQ(selected(), 0);
  browser().press("j");
  browser().press("ArrowDown");
  EXPECT_EQ(selected(), 2);
  browser().press("k");
  browser().press("ArrowUp");
  EXPECT_EQ(selected(), 0);
  browser().press("End");
  EXPECT_EQ(selected(), 6);
  browser().press("Home");
  EXPECT_EQ(selected(), 0);
  browser().press("Escape");
  EXPECT_EQ(selected(), nullptr);
  browser().press("Enter");
  EXPECT_EQ(selected(), 0);
  browser().press("?");
  EXPECT_EQ(browser().evaluate("document.getElementById('help').open"), true);
  screenshot("help");
  browser().press("Escape");
  browser().wait_for("!document.getElementById('help').open");
  EXPECT_EQ(selected(), 0);  // Escape closed only the help
  for (const char* mode : {"wire", "plain", "edges"}) {
    browser().press("e");
    EXPECT_EQ(browser().evaluate("whiskerReport.view.look.edges"), mode);
  }
  browser().press("x");
  EXPECT_EQ(browser().evaluate("whiskerReport.view.look.isGlass"), true);
  browser().press("x");
  browser().press("u");
  EXPECT_EQ(browser().evaluate("whiskerReport.view.up"), "y");
  browser().press("u");
  browser().evaluate("document.getElementById('view').focus()");
  const double azimuth = number("whiskerReport.view.camera().azimuth");
  browser().press("ArrowLeft");
  EXPECT_NE(number("whiskerReport.view.camera().azimuth"), azimuth);
  EXPECT_EQ(selected(), 0);  // in the view, arrow keys rotate the camera
  const double distance = number("whiskerReport.view.camera().distance");
  browser().press("+");
  EXPECT_LT(number("whiskerReport.view.camera().distance"), distance);
  browser().press("f");
  EXPECT_NEAR(number("whiskerReport.view.camera().distance"), distance, 1e-9 * distance);
  expect_no_problems();
}

TEST_F(ClashReport, MouseTurnsZoomsAndNamesParts) {
  show_workshop();
  const json stage = browser().evaluate(
      "(() => { const b = document.getElementById('stage').getBoundingClientRect();"
      "return [b.left, b.top]; })()");
  const double left = stage[0].get<double>(), top = stage[1].get<double>();
  // The top of shaft_2 is visible from everywhere above.
  const json end = browser().evaluate("whiskerReport.view.project([20, 0, 32])");
  const double x = left + end["x"].get<double>(), y = top + end["y"].get<double>();
  browser().move_mouse(x, y);
  browser().wait_for("!document.getElementById('tip').hidden");
  EXPECT_NE(text("#tip").find("shaft_2"), std::string::npos) << text("#tip");
  browser().click(x, y);
  EXPECT_NE(text("#legend").find("shaft_2"), std::string::npos) << text("#legend");
  EXPECT_NE(text("#legend").find("1 finding"), std::string::npos) << text("#legend");
  browser().click("#legend button");
  EXPECT_EQ(rows(), json({6}));
  browser().press("Escape");

  // Clicking a marker in the view selects its finding.
  browser().evaluate("document.getElementById('view').focus()");
  browser().press("Escape");
  const json sign = browser().evaluate("whiskerReport.view.project([55, -35, -15.15])");
  browser().evaluate(
      "(() => { const s = document.getElementById('search'); s.value = ''; "
      "s.dispatchEvent(new Event('input')); })()");
  browser().click(left + sign["x"].get<double>(), top + sign["y"].get<double>());
  EXPECT_EQ(browser().evaluate("whiskerReport.selected"), 4);
  browser().press("Escape");

  const json before = browser().evaluate("whiskerReport.view.camera()");
  browser().drag(left + 60, top + 200, left + 160, top + 240);
  const json turned = browser().evaluate("whiskerReport.view.camera()");
  EXPECT_LT(turned["azimuth"], before["azimuth"]);
  EXPECT_GT(turned["elevation"], before["elevation"]);
  EXPECT_EQ(turned["target"], before["target"]);
  browser().wheel(left + 200, top + 200, -120);
  browser().wait_for("whiskerReport.view.camera().distance < " + before["distance"].dump());
  expect_no_problems();
}

TEST_F(ClashReport, MovesPartsAlongTheirScrews) {
  const ReportScene scene = workshop();
  const std::vector<Keyframe>& motion = scene.assembly.parts[11].motion;
  show_workshop();
  EXPECT_EQ(browser().evaluate("document.getElementById('motion').hidden"), false);
  const auto expect_pose = [&](const Pose& pose, const char* what) {
    const json rows = browser().evaluate("whiskerReport.view.partMatrix(11)");
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column)
        EXPECT_NEAR(rows[4u * static_cast<unsigned>(row) + static_cast<unsigned>(column)].get<double>(),
                    pose.rotation()(row, column), 1e-6)
            << what;
      EXPECT_NEAR(rows[4u * static_cast<unsigned>(row) + 3].get<double>(), pose.translation()[row], 1e-4) << what;
    }
  };
  expect_pose(motion[0].pose, "start");
  for (const double time : {0.5, 1.0, 2.0, 2.25, 2.9, 3.0}) {
    browser().evaluate("(() => { const s = document.getElementById('slider'); s.value = " + std::to_string(time) +
                       "; s.dispatchEvent(new Event('input')); })()");
    const std::size_t stretch = time <= 2 ? 0 : 1;
    const double begin = motion[stretch].time, end = motion[stretch + 1].time;
    expect_pose(pose_at(screw(motion[stretch].pose, motion[stretch + 1].pose), (time - begin) / (end - begin)),
                "slider");
  }
  // Selecting a finding sets its time.
  browser().click("#finding-2");
  EXPECT_NEAR(number("whiskerReport.time"), 1.5, 1e-12);
  expect_pose(scene.findings.all[2].pose_a, "finding");
  EXPECT_EQ(browser().evaluate("document.getElementById('callout').hidden"), false);
  screenshot("moving");
  browser().press(".");
  EXPECT_NEAR(number("whiskerReport.time"), 1.53, 1e-12);
  browser().evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
  EXPECT_EQ(browser().evaluate("document.getElementById('callout').hidden"), true);  // not valid at this time
  browser().click("#marks button");
  EXPECT_NEAR(number("whiskerReport.time"), 1.5, 1e-12);
  browser().press(" ");
  browser().wait_for("whiskerReport.time > 1.6");
  browser().click("#play");
  const double stopped = number("whiskerReport.time");
  browser().evaluate("new Promise(done => setTimeout(done, 100))");
  EXPECT_EQ(number("whiskerReport.time"), stopped);
  expect_no_problems();
}

TEST_F(ClashReport, IsDarkWhereTheSystemIsAndOnRequest) {
  browser().set_size(1000, 620);
  browser().set_dark(true);
  show("workshop", workshop());
  const std::string background = "getComputedStyle(document.body).backgroundColor";
  const std::string dark = browser().evaluate(background);
  browser().click("#finding-0");
  screenshot("dark_finding");
  browser().click("#theme");
  const std::string light = browser().evaluate(background);
  EXPECT_EQ(dark, "rgb(18, 22, 27)");
  EXPECT_EQ(light, "rgb(244, 246, 248)");
  browser().press("d");
  EXPECT_EQ(browser().evaluate(background), dark);
  expect_no_problems();
}

TEST_F(ClashReport, IsReadableOnAPhone) {
  browser().set_size(390, 844, true);
  show("workshop", workshop());
  wait_for_pictures(1);
  EXPECT_EQ(browser().evaluate("document.documentElement.scrollWidth"), 390);
  // The view is above the list.
  EXPECT_LT(number("document.getElementById('stage').getBoundingClientRect().top"),
            number("document.getElementById('list').getBoundingClientRect().top"));
  browser().evaluate("document.getElementById('finding-1').click()");
  EXPECT_EQ(browser().evaluate("whiskerReport.selected"), 1);
  screenshot("phone_finding");
  const json stage = browser().evaluate(
      "(() => { const b = document.getElementById('stage').getBoundingClientRect();"
      "return [b.left + b.width / 2, b.top + b.height / 2]; })()");
  const double before = number("whiskerReport.view.camera().distance");
  browser().pinch(stage[0].get<double>(), stage[1].get<double>(), 80, 160);
  EXPECT_NEAR(number("whiskerReport.view.camera().distance"), before / 2, 0.02 * before);
  browser().set_size(320, 568, true, 2);
  EXPECT_EQ(browser().evaluate("document.documentElement.scrollWidth"), 320);
  // Nothing is cut off either if the list is narrow and beside the view.
  browser().set_size(900, 500);
  EXPECT_LE(number("Math.max(...[...document.querySelectorAll('.filters > *')].map(node => "
                   "node.getBoundingClientRect().right))"),
            number("document.getElementById('side').getBoundingClientRect().right"));
  expect_no_problems();
}

TEST_F(ClashReport, TextFromFilesIsTextAlone) {
  const std::string evil = "</script><img src=x onerror=\"window.hacked=1\"><!-- <b>&amp; \" ' \\ \u2028 {{data}}";
  ReportScene scene;
  Assembly& assembly = scene.assembly;
  assembly.title = "T" + evil;
  assembly.unit = "<i>mm";
  assembly.notes = {"N" + evil};
  assembly.rules.ignored = {{"P" + evil, "*"}};
  const std::uint32_t box = add_mesh(assembly, make::box());
  add_part(assembly, "A" + evil, "G" + evil, box);
  add_part(assembly, "bytes \xff\xc0 that are no text", "<script>window.hacked=2</script>", box, at(0.5, 0, 0));
  Finding finding = finding_of(assembly, 0, 1, FindingKind::clash);
  finding.depth = {{0.5, 0.5}};
  finding.note = "O" + evil;
  scene.findings.all = {finding};
  show("evil", scene);
  browser().click("#finding-0");
  browser().click("#about summary");
  EXPECT_EQ(browser().evaluate("window.hacked"), nullptr);
  EXPECT_EQ(browser().evaluate("document.images.length"), 0);
  EXPECT_EQ(browser().evaluate("document.getElementById('title').textContent"), "T" + evil);
  EXPECT_EQ(browser().evaluate("document.title"), "T" + evil);
  EXPECT_EQ(browser().evaluate("document.querySelector('#finding-0 .name span').textContent"), "A" + evil);
  EXPECT_EQ(browser().evaluate("document.querySelector('#finding-0 .name em').textContent"), "G" + evil);
  EXPECT_NE(text("#about").find("window.hacked"), std::string::npos);
  EXPECT_NE(browser().evaluate("document.querySelector('#finding-0 .foot').textContent").get<std::string>().find(evil),
            std::string::npos);
  expect_no_problems();
}

TEST_F(ClashReport, SaysWhatIsMissing) {
  ReportScene scene = workshop();
  scene.findings.is_complete = false;
  scene.findings.pairs_checked = 5;
  show("incomplete", scene);
  EXPECT_EQ(text("#state"), "INCOMPLETE: 5 of 21 pairs checked");

  scene.findings = {};
  scene.assembly.parts[11].motion.clear();
  show("nothing", scene);
  EXPECT_NE(text("#nothing").find("Nothing found"), std::string::npos);
  EXPECT_EQ(browser().evaluate("document.getElementById('motion').hidden"), true);
  expect_no_problems();
  scene.assembly = {};
  show("empty", scene);
  EXPECT_EQ(text("#title"), "Clash report");
  EXPECT_EQ(rows().size(), 0u);
  expect_no_problems();
}

TEST_F(ClashReport, OpensTheRightWayUpAndFromAbove) {
  // A mast on a plate, first with y up as in glTF.
  for (const UpAxis up : {UpAxis::y, UpAxis::z}) {
    ReportScene scene;
    scene.assembly.up = up;
    const Vector3 above = up == UpAxis::y ? Vector3::UnitY() : Vector3::UnitZ();
    const Vector3 along = Vector3::Ones() - above;
    for (const auto& [size, height] : {std::pair{Vector3(10 * along + 0.5 * above), 0.0}, {along + 6 * above, 3.0}}) {
      Part part;
      part.name = height > 0 ? "mast" : "plate";
      part.path = {"yard", "pier"};
      part.id = "node 7";
      part.file = "harbor.glb";
      part.mesh = add_mesh(scene.assembly, make::box({size.x(), size.y(), size.z(), 1}));
      part.pose.set_translation(height * above);
      scene.assembly.parts.push_back(part);
    }
    Finding clash = finding_of(scene.assembly, 0, 1, FindingKind::clash);
    clash.depth = {{0.25, 0.25}};
    scene.findings.all.push_back(clash);
    show(up == UpAxis::y ? "y_up" : "z_up", scene);
    EXPECT_EQ(browser().evaluate("whiskerReport.view.up"), up == UpAxis::y ? "y" : "z");
    EXPECT_GT(number("whiskerReport.view.camera().elevation"), 0.2);
    // On the screen, y points down.
    const auto on_screen = [&](const Vector3& point) {
      const std::string text =
          std::to_string(point.x()) + "," + std::to_string(point.y()) + "," + std::to_string(point.z());
      return number("whiskerReport.view.project([" + text + "]).y");
    };
    EXPECT_LT(on_screen(6 * above), on_screen(Vector3::Zero()) - 50);
    screenshot(up == UpAxis::y ? "y_up" : "z_up");
    // A finding is also viewed from above, if the view from there is unobstructed.
    browser().press("j");
    EXPECT_GT(number("whiskerReport.view.camera().elevation"), 0);
    EXPECT_NE(browser().evaluate("document.querySelector('.name').title").get<std::string>().find("yard / pier"),
              std::string::npos);
    expect_no_problems();
  }
}

TEST_F(ClashReport, SaysWhichPartsAreNotClosedAndWhatRestsOnThem) {
  ReportScene scene = workshop();
  show("workshop", scene);
  EXPECT_EQ(browser().evaluate("document.getElementById('unclosed').hidden"), true);
  EXPECT_EQ(text("#state"), "Complete");
  EXPECT_EQ(browser().evaluate("document.querySelectorAll('.evidence').length"), 0);
  // As if the frame were not closed.
  scene.findings.open_parts = {0, 8};
  scene.findings.undecided.push_back({5, 0, Bounds{0.41, 0.68}, "too much of the surface is missing there"});
  Finding& inside = scene.findings.all[3];
  inside.ground = Ground::winding;
  inside.depth.reset();
  scene.findings.all[0].ground = Ground::repair;
  browser().set_size(1280, 800);
  show("unclosed", scene);
  EXPECT_EQ(browser().evaluate("document.getElementById('unclosed').hidden"), false);
  EXPECT_EQ(text("#unclosed summary"), open_summary(scene.assembly, scene.findings));
  EXPECT_NE(text("#unclosed summary").find("NOT CLOSED: 2 of 13 parts ('frame', 'base plate')"), std::string::npos);
  EXPECT_EQ(text("#state"), "Complete except for 1 undecided pair");
  EXPECT_EQ(text("#finding-3 .evidence"), "likely");
  EXPECT_EQ(text("#finding-0 .evidence"), "repaired");
  EXPECT_EQ(browser().evaluate("document.querySelectorAll('.evidence').length"), 2);
  browser().click("#unclosed summary");
  EXPECT_NE(text("#unclosed-text")
                .find("bolt_1 inside frame? too much of the surface is missing there (winding "
                      "number 0.41 to 0.68)"),
            std::string::npos);
  EXPECT_NE(text("#unclosed-text").find("base plate"), std::string::npos);
  browser().click("#finding-3");
  EXPECT_NE(text("#legend").find("Contained (likely)"), std::string::npos);
  screenshot("unclosed");
  expect_no_problems();
}

TEST_F(ClashReport, LargeScenesAreSimplifiedAndSaySo) {
  ReportScene scene;
  Assembly& assembly = scene.assembly;
  assembly.title = "Many balls";
  const std::uint32_t fine = add_mesh(assembly, make::icosphere({1, 5}));    // 20,480 triangles
  const std::uint32_t finer = add_mesh(assembly, make::icosphere({1, 6}));   // 81,920
  const std::uint32_t coarse = add_mesh(assembly, make::icosphere({1, 1}));  // 80
  const std::uint32_t a = add_part(assembly, "large", "", finer, at(0, 0, 0));
  const std::uint32_t b = add_part(assembly, "small", "", coarse, at(1.9, 0, 0));
  for (int i = 0; i < 30; ++i)
    add_part(assembly, "ball " + std::to_string(i), "balls", fine, at(-3.0 - 2.5 * (i % 6), 2.5 * (i / 6) - 5, 0));
  Finding finding = finding_of(assembly, a, b, FindingKind::clash);
  finding.depth = {{0.1, 0.1}};
  finding.position = finding.point_a = {1, 0, 0};
  finding.point_b = {0.9, 0, 0};
  finding.normal = {1, 0, 0};
  scene.findings.all = {finding};
  PageBudget budget{20'000, 100'000};
  show("large", scene, budget);
  const json stored = browser().evaluate("JSON.parse(document.getElementById('report').textContent).triangles");
  EXPECT_LE(stored["stored"], 20'000);
  EXPECT_GT(stored["stored"], 5'000);
  EXPECT_EQ(stored["read"], 81'920 + 80 + 30 * 20'480);
  EXPECT_NE(text("#drawing").find("1 part with findings is drawn whole only near its findings"), std::string::npos);
  EXPECT_NE(text("#drawing").find("30 parts without findings are drawn with fewer triangles"), std::string::npos);
  screenshot("large");
  expect_no_problems();
  // With a smaller budget they are drawn as boxes.
  budget = {300, 700};
  show("boxes", scene, budget);
  EXPECT_NE(text("#drawing").find("boxes"), std::string::npos) << text("#drawing");
  EXPECT_GT(number("whiskerReport.view.pixels().drawn"), 1000);
  expect_no_problems();
}

TEST_F(ClashReport, TooManyFindingsAreCountedAndTheWorstListed) {
  PageBudget budget;
  budget.findings = 4;
  budget.curve_points = 5;  // enough only for the first finding's curve
  show("cut", workshop(), budget);
  EXPECT_EQ(rows(), json({0, 1, 2, 3}));
  EXPECT_EQ(text("#shown"), "4 of 7 findings; only the worst 4 are in this page");
  EXPECT_EQ(text(".kind[data-kind=contact] b"), "2");
  EXPECT_NE(text("#drawing").find("The curve of 1 finding is not drawn"), std::string::npos) << text("#drawing");
  expect_no_problems();
}

TEST_F(ClashReport, ListsWithoutWebGl) {
  const fs::path page = write("workshop", workshop());
  Browser plain(false);
  plain.open(page);
  plain.wait_for("window.whiskerReport");
  EXPECT_EQ(plain.evaluate("whiskerReport.view"), nullptr);
  EXPECT_EQ(plain.evaluate("whiskerReport.listed"), json({0, 1, 2, 3, 4, 5, 6}));
  EXPECT_NE(plain.evaluate("document.getElementById('failure').innerText").get<std::string>().find("needs WebGL"),
            std::string::npos);
  plain.press("j");
  EXPECT_EQ(plain.evaluate("whiskerReport.selected"), 0);
  plain.take_screenshot(folder() / "without_webgl.png");
}

// ---- Tests of the file ----

class ClashReportFile : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const fs::path folder_ = fs::path(WHISKER_TEST_OUTPUT) / "clash_report" / "files";
};

TEST_F(ClashReportFile, IsTheSameEveryTime) {
  const ReportScene scene = workshop();
  write_report(folder_ / "a.html", scene.assembly, scene.findings);
  write_report(folder_ / "b.html", scene.assembly, scene.findings);
  EXPECT_EQ(text_of(folder_ / "a.html"), text_of(folder_ / "b.html"));
  EXPECT_GT(fs::file_size(folder_ / "a.html"), 10'000u);
  EXPECT_EQ(file_count(), 2u);
}

TEST_F(ClashReportFile, FailuresNameThePath) {
  const ReportScene scene = workshop();
  for (const fs::path& path : {folder_ / "no such folder" / "a.html", folder_}) {
    try {
      write_report(path, scene.assembly, scene.findings);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path.string() + ": ", 0), 0u) << error.what();
    }
  }
  ReportScene wrong = scene;
  wrong.findings.all[0].b = 99;
  EXPECT_THROW(write_report(folder_ / "a.html", wrong.assembly, wrong.findings), Error);
  EXPECT_EQ(file_count(), 0u);
}

// Writes the report in a separate process with a limit on the file size. Returns the process's status.
int write_with_little_room(const fs::path& path, bool is_killed) {
  const ReportScene scene = workshop();
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    if (!is_killed) std::signal(SIGXFSZ, SIG_IGN);  // then writing fails, as on a full disk
    try {
      write_report(path, scene.assembly, scene.findings);
    } catch (const Error&) {
      _exit(3);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(ClashReportFile, AFullDiskLeavesWhatWasThere) {
  const fs::path path = folder_ / "report.html";
  std::ofstream(path) << "what was there";
  const int status = write_with_little_room(path, false);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(text_of(path), "what was there");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(ClashReportFile, KilledMidwayNothingIsUnderItsName) {
  const fs::path path = folder_ / "report.html";
  const int status = write_with_little_room(path, true);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGXFSZ);
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace whisker::clash
