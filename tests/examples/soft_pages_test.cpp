// Pages of soft bodies in a browser: they draw in light and dark mode, and a body follows the pointer and keys.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/make/make.hpp>

#include "playground/page.hpp"
#include "support/browser.hpp"

namespace playground {
namespace {

namespace fs = std::filesystem;
namespace wk = whisker;
using nlohmann::json;
using wk::support::Browser;

constexpr int columns = 5, rows = 3;  // of places

// A ball that can be dragged over 5 by 3 places, perpendicular to the line of sight. Row r and column c have frame 5 r
// + c. Rows go down.
Recording ball_of_many_places() {
  const wk::MeshData ball = wk::make::icosphere({.radius = 0.5, .subdivisions = 2});
  Recording recording{.title = "Many places", .note = "", .azimuth = -1.5707963267948966};
  recording.view.emplace();
  recording.view->include(wk::Vector3(-3, -1, -2));
  recording.view->include(wk::Vector3(3, 1, 2));
  recording.watch_fixed(wk::make::box({.size_x = 0.3, .size_y = 0.3, .size_z = 0.3}));
  recording.dragged = recording.watch_soft(ball, {.color = 0xff0000, .shows_touch = false});
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      RecordedFrame frame;
      frame.grip = wk::Vector3(c - 2.0, 0, 1.0 - r);
      frame.vertices.emplace_back();
      for (const wk::Vector3& v : ball.vertices)
        frame.vertices.back().push_back(v + frame.grip);
      for (int i = 0; i < r + c; ++i)
        frame.marks.push_back({frame.grip, frame.grip + wk::Vector3(0.1 * i, 0, 1)});
      recording.frames.push_back(std::move(frame));
    }
  }
  return recording;
}

class SoftPage : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Browser::is_installed() || three_script().empty()) return;
    browser_ = std::make_unique<Browser>();
    fs::create_directories(folder());
    write_page(page().string(), ball_of_many_places());
  }
  static void TearDownTestSuite() { browser_.reset(); }
  void SetUp() override {
    if (!browser_) GTEST_SKIP() << "chromium or libjs-three is not installed: the pages were NOT tested";
    browser_->set_size(640, 400);  // rendering is in software: small is fast
  }
  void TearDown() override {
    if (!browser_) return;
    EXPECT_EQ(browser_->problems(), std::vector<std::string>{});
    EXPECT_EQ(browser_->requests().size(), 1u) << json(browser_->requests()).dump();
  }

  static fs::path folder() { return fs::path(WHISKER_TEST_OUTPUT) / "soft_pages"; }
  static fs::path page() { return folder() / "many_places.html"; }
  void open(bool is_dark) {
    browser_->set_dark(is_dark);
    browser_->open(page());
    browser_->wait_for("window.playgroundPage");
    show(0);
  }
  void wait_for_frame(int frame) { browser_->wait_for("playgroundPage.shown === " + std::to_string(frame)); }
  void show(int frame) {
    browser_->evaluate("(() => { const slider = document.getElementById('slider'); slider.value = " +
                       std::to_string(frame) + "; slider.dispatchEvent(new Event('input')); })()");
    wait_for_frame(frame);
  }
  wk::Vector3 grip(int frame) {
    const json at = browser_->evaluate("playgroundPage.gripOnScreen(" + std::to_string(frame) + ")");
    return {at["x"].get<double>(), at["y"].get<double>(), 0};
  }
  // The red, green and blue values of a pixel in the last drawn frame.
  std::vector<int> color_at(double x, double y) {
    return browser_
        ->evaluate(R"(new Promise(resolve => requestAnimationFrame(() => {
             const copy = document.createElement("canvas"), scene = document.getElementById("scene");
             copy.width = scene.width;
             copy.height = scene.height;
             const pen = copy.getContext("2d");
             pen.drawImage(scene, 0, 0);
             const scale = scene.width / scene.clientWidth;
             resolve([...pen.getImageData(scale * )" +
                   std::to_string(x) + ", scale * " + std::to_string(y) + ", 1, 1).data].slice(0, 3)); }))")
        .get<std::vector<int>>();
  }
  std::string text(const std::string& id) {
    return browser_->evaluate("document.getElementById('" + id + "').textContent").get<std::string>();
  }

  static std::unique_ptr<Browser> browser_;
};
std::unique_ptr<Browser> SoftPage::browser_;

TEST_F(SoftPage, DrawsTheBodyWhereItIsInTheLightAndInTheDark) {
  for (const bool is_dark : {true, false}) {
    open(is_dark);
    for (const int frame : {0, 7, 14}) {
      show(frame);
      const wk::Vector3 here = grip(frame), elsewhere = grip(14 - frame);
      // A little beside the center, where the marks begin.
      const std::vector<int> body = color_at(here.x() - 12, here.y() + 10);
      EXPECT_GT(body[0], 60 + body[1] + body[2]) << frame;
      if (frame != 7) {
        const std::vector<int> ground = color_at(elsewhere.x() - 12, elsewhere.y() + 10);
        EXPECT_EQ(ground, is_dark ? (std::vector<int>{0x14, 0x17, 0x1c}) : (std::vector<int>{0xec, 0xef, 0xf3}));
      }
    }
    browser_->take_screenshot(folder() / (is_dark ? "dark.png" : "light.png"));
  }
}

TEST_F(SoftPage, SaysHowManyContactsThereAre) {
  open(true);
  EXPECT_EQ(text("mark-count"), "0");
  show(13);
  EXPECT_EQ(text("mark-count"), "5");
  EXPECT_EQ(browser_->evaluate("document.getElementById('marks-row').hidden"), false);
}

TEST_F(SoftPage, TheBodyFollowsThePointer) {
  open(true);
  for (const auto& [from, to] : {std::pair(0, 3), std::pair(3, 13), std::pair(13, 5)}) {
    const wk::Vector3 a = grip(from), b = grip(to);
    // Gripped beside its center, and released beside a place.
    browser_->drag(a.x() + 6, a.y() - 5, b.x() + 10, b.y() - 1);
    wait_for_frame(to);
    EXPECT_EQ(text("play"), "Play");
  }
  // Dragging beside the ball rotates the view, and the frame stays the same.
  const wk::Vector3 before = grip(5);
  browser_->drag(grip(4).x(), grip(4).y(), grip(4).x() + 40, grip(4).y());
  EXPECT_GT((grip(5) - before).norm(), 5);
  wait_for_frame(5);
}

TEST_F(SoftPage, TheBodyFollowsTheArrowKeys) {
  open(true);
  browser_->evaluate("document.activeElement.blur()");
  int frame = 0;
  for (const auto& [key, next] :
       {std::pair("ArrowRight", 1), std::pair("ArrowDown", 6), std::pair("ArrowLeft", 5), std::pair("ArrowLeft", 5),
        std::pair("ArrowDown", 10), std::pair("ArrowDown", 10), std::pair("ArrowUp", 5)}) {
    browser_->press(key);
    frame = next;
    wait_for_frame(frame);
  }
  EXPECT_EQ(frame, 5);
}

}  // namespace
}  // namespace playground
