// The page of `whisker spheres --picture` in a browser: what it lists and draws. The screenshot is left in the test's
// output folder.

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "support/browser.hpp"

namespace whisker {
namespace {

namespace fs = std::filesystem;
using support::Browser;

TEST(SpherePicture, ThePageShowsEachLevelAndNeedsNothingElse) {
  if (!Browser::is_installed()) GTEST_SKIP() << "no Chromium: the page is not opened";
  const fs::path folder = fs::path(WHISKER_TEST_OUTPUT) / "sphere_picture";
  fs::create_directories(folder);
  const auto run = [](const std::string& arguments) {
    return std::system((std::string(WHISKER_COMMAND) + " " + arguments + " >/dev/null").c_str());
  };
  const std::string mesh = (folder / "x<b>&.obj").string(), page = (folder / "page.html").string();
  ASSERT_EQ(run("make s-shape --along 8 --across 8 -o '" + mesh + "'"), 0);
  ASSERT_EQ(run("spheres '" + mesh + "' --method grid --depth 2 --pieces 500 --picture " + page), 0);
  Browser browser;
  browser.open(page);
  browser.wait_for("window.spherePicture !== undefined && window.spherePicture.triangles > 0");
  EXPECT_EQ(browser.evaluate("document.title"), "x<b>&.obj");
  EXPECT_EQ(browser.evaluate("document.getElementById('title').textContent"), "x<b>&.obj");
  EXPECT_EQ(browser.evaluate("document.querySelectorAll('#levels tr').length"), 3);
  EXPECT_EQ(browser.evaluate("spherePicture.level"), 2);
  browser.take_screenshot(folder / "level2.png");
  const int fine = browser.evaluate("spherePicture.triangles").get<int>();
  browser.press("ArrowLeft");
  EXPECT_EQ(browser.evaluate("spherePicture.level"), 1);
  browser.click("#levels tr:first-child");
  EXPECT_EQ(browser.evaluate("spherePicture.level"), 0);
  browser.wait_for("spherePicture.triangles < " + std::to_string(fine));
  browser.click("#mesh");
  browser.wait_for("spherePicture.triangles === 40 * 18 * 2 + 40 * 2");
  EXPECT_TRUE(browser.problems().empty()) << browser.problems()[0];
  EXPECT_EQ(browser.requests().size(), 1u);
}

}  // namespace
}  // namespace whisker
