// Checks the order of the modules ("rooms") by their includes: a module may use the modules before it, never those
// after it.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace whisker {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> rooms = {"geometry", "simd",    "volumes", "trees",  "shapes", "make",    "io",
                                        "convex",   "mesh",    "motion",  "deform", "fields", "spheres", "queries",
                                        "world",    "haptics", "hair",    "gpu",    "methods"};

std::ptrdiff_t level(const std::string& room) {
  return std::find(rooms.begin(), rooms.end(), room) - rooms.begin();
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Rooms, NoIncludePointsToARoomBelow) {
  const fs::path source = fs::path(WHISKER_SOURCE_DIR) / "src";
  const std::regex include("#include \"([a-z_]+)/");
  std::size_t files = 0;
  std::size_t includes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(source)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".hpp") continue;
    if (entry.path().parent_path() == source) continue;  // the precompiled header
    ++files;
    const std::string room = fs::relative(entry.path(), source).begin()->string();
    ASSERT_LT(level(room), static_cast<std::ptrdiff_t>(rooms.size())) << room << " is not a room of the house";
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator i(text.begin(), text.end(), include), end; i != end; ++i) {
      ++includes;
      const std::string other = (*i)[1];
      EXPECT_LE(level(other), level(room)) << entry.path() << " includes from " << other;
    }
  }
  EXPECT_GT(files, 20u);
  EXPECT_GT(includes, 20u);
}

TEST(Rooms, PublicHeadersIncludeNoPrivateOnes) {
  const std::regex include("#include \"");
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(WHISKER_SOURCE_DIR) / "include/whisker")) {
    if (entry.is_directory()) continue;
    EXPECT_FALSE(std::regex_search(text_of(entry.path()), include)) << entry.path();
  }
}

TEST(Rooms, NothingOfTheFirstFloorIncludesTheSecond) {
  // The command offers the sphere builders of whisker::methods, which are compiled separately from the rest of it.
  const std::regex any("#include <whisker/methods/"), any_but_builders("#include <whisker/methods/(?!sphere_builders)");
  std::size_t files = 0;
  for (const char* folder : {"include/whisker", "src", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(WHISKER_SOURCE_DIR) / folder)) {
      if (entry.is_directory() || entry.path().string().find("/methods/") != std::string::npos) continue;
      ++files;
      const std::regex& include = std::string(folder) == "apps" ? any_but_builders : any;
      EXPECT_FALSE(std::regex_search(text_of(entry.path()), include)) << entry.path();
    }
  }
  EXPECT_GT(files, 300u);
}

TEST(Rooms, HeadersOfTheSecondFloorDeclareInItsNamespace) {
  const std::regex name_space("\\nnamespace ([a-z_:]+) \\{");
  for (const auto& entry : fs::directory_iterator(fs::path(WHISKER_SOURCE_DIR) / "include/whisker/methods")) {
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator i(text.begin(), text.end(), name_space), end; i != end; ++i)
      EXPECT_EQ((*i)[1], "whisker::methods") << entry.path();
  }
}

TEST(Rooms, AUserSeesAtMostThirtyHeadersAtFirst) {
  const fs::directory_iterator entries(fs::path(WHISKER_SOURCE_DIR) / "include/whisker");
  EXPECT_LE(std::count_if(begin(entries), end(entries), [](const auto& entry) { return !entry.is_directory(); }), 30);
}

}  // namespace
}  // namespace whisker
