// Runs the examples that draw as a user does, and checks their output and that their pages are self-contained.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "playground/page.hpp"

namespace playground {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The page without the text of three.js, which contains URLs that it never loads, and without the recording.
std::string own_text(std::string page) {
  for (const std::string id : {"<script id=\"three\">", "<script id=\"recording\" type=\"application/json\">"}) {
    const std::size_t begin = page.find(id);
    const std::size_t end = page.find("</script>", begin);
    if (begin == std::string::npos || end == std::string::npos) return "no " + id;
    page.erase(begin + id.size(), end - begin - id.size());
  }
  return page;
}

class Drawing : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("whisker_drawing_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  int run(const std::string& program, const std::string& arguments) {
    const fs::path printed = folder_ / "printed.txt";
    const int code = std::system(
        ("cd " + folder_.string() + " && " + program + " " + arguments + " >" + printed.string() + " 2>&1").c_str());
    printed_ = text_of(printed);
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
  }

  // Runs a program for 12 frames and checks the page that it reports to have written.
  void expect_page(const std::string& program, const std::string& arguments, const std::string& page,
                   const std::string& title) {
    ASSERT_EQ(run(program, arguments + " --frames 12"), 0) << printed_;
    EXPECT_NE(printed_.find("wrote " + page), std::string::npos) << printed_;
    const std::string text = text_of(folder_ / page);
    EXPECT_NE(text.find("<title>" + title + "</title>"), std::string::npos);
    EXPECT_NE(text.find("</html>"), std::string::npos);
    if (three_script().empty()) {
      EXPECT_NE(text.find("libjs-three"), std::string::npos);
      return;
    }
    EXPECT_NE(text.find("\"frameCount\":12"), std::string::npos);
    EXPECT_NE(text.find(three_script()), std::string::npos);
    const std::string own = own_text(text);
    EXPECT_EQ(own.find("//www"), std::string::npos);
    EXPECT_FALSE(
        std::regex_search(own, std::regex("https?:|<link|<iframe|<img| src *=| href *=|url\\(|import|fetch\\(")));
  }

  fs::path folder_;
  std::string printed_;
};

TEST_F(Drawing, BounceBoxWritesAPageThatNeedsNothingElse) {
  expect_page(WHISKER_BOUNCE_BOX, "--bodies 40", "bounce_box.html", "Bounce box");
  EXPECT_NE(printed_.find("40 bodies, 12 frames"), std::string::npos) << printed_;
}

TEST_F(Drawing, BreakingMeshWritesAPageThatNeedsNothingElse) {
  expect_page(WHISKER_BREAKING_MESH, "--bodies 20", "breaking_mesh.html", "A mesh that breaks");
  EXPECT_NE(printed_.find("frame   0:   2 soups,     0 triangle pairs touch"), std::string::npos) << printed_;
}

TEST_F(Drawing, HandWalkWritesAPageThatNeedsNothingElse) {
  expect_page(WHISKER_HAND_WALK, "", "hand_walk.html", "A hand in the kitchen");
}

TEST_F(Drawing, RockPileWritesAPageThatNeedsNothingElse) {
  expect_page(WHISKER_ROCK_PILE, "mine.html --bodies 10", "mine.html", "Rock pile");
}

TEST_F(Drawing, RolledRibbonWritesAPageThatNeedsNothingElse) {
  expect_page(WHISKER_ROLLED_RIBBON, "--bodies 40", "rolled_ribbon.html", "Rolled ribbon");
  EXPECT_NE(printed_.find("it meets itself"), std::string::npos) << printed_;
  EXPECT_NE(printed_.find("without the contour 0"), std::string::npos) << printed_;
}

TEST_F(Drawing, FallingSheetNeverTouchesAndWritesAPageThatNeedsNothingElse) {
  expect_page(WHISKER_FALLING_SHEET, "--bodies 12", "falling_sheet.html", "Falling sheet");
  ASSERT_EQ(run(WHISKER_FALLING_SHEET, "--bodies 20 --frames 75"), 0) << printed_;
  EXPECT_NE(printed_.find("800 triangles, 75 frames"), std::string::npos) << printed_;
  EXPECT_EQ(printed_.find("near something in 0 frames"), std::string::npos) << printed_;
  EXPECT_NE(printed_.find("triangles touched in 0 frames"), std::string::npos) << printed_;
}

TEST_F(Drawing, SoftSpheresWritesAPageThatNeedsNothingElse) {
  expect_page(WHISKER_SOFT_SPHERES, "--bodies 1", "soft_spheres.html", "Soft spheres");
  EXPECT_NE(printed_.find("12 places at 1 heights"), std::string::npos) << printed_;
  EXPECT_EQ(printed_.find("overlap in 0 of them"), std::string::npos) << printed_;
  EXPECT_NE(printed_.find("0 tetrahedra were turned inside out"), std::string::npos) << printed_;
}

TEST_F(Drawing, WhatIsNotUnderstoodIsRefusedWithTheUsage) {
  for (const std::string arguments : {"--frames", "--frames x", "--frames 0", "--bodies -3", "--what"}) {
    EXPECT_EQ(run(WHISKER_BOUNCE_BOX, arguments), 2) << arguments;
    EXPECT_NE(printed_.find("usage:"), std::string::npos) << printed_;
  }
}

}  // namespace
}  // namespace playground
