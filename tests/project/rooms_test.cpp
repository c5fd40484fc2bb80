// Checks the order of the modules ("rooms") by their includes: a module may use the modules before it, never those
// after it.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace whisker {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The rooms in their order: those of the engine, as src/CMakeLists.txt lists them, and whisker::methods.
std::vector<std::string> rooms() {
  const std::string text = text_of(fs::path(WHISKER_SOURCE_DIR) / "src/CMakeLists.txt");
  std::smatch list;
  if (!std::regex_search(text, list, std::regex("\\nset\\(rooms ([a-z ]+)\\)"))) return {};
  std::istringstream words(list[1]);
  std::vector<std::string> result(std::istream_iterator<std::string>(words), {});
  result.push_back("methods");
  return result;
}

std::ptrdiff_t level(const std::string& room) {
  static const std::vector<std::string> all = rooms();
  const auto found = std::find(all.begin(), all.end(), room);
  EXPECT_NE(found, all.end()) << room << " is not a room of the house";
  return found - all.begin();
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

TEST(Rooms, TheTableForContributorsListsThemAllInOrder) {
  const std::string text = text_of(fs::path(WHISKER_SOURCE_DIR) / "CONTRIBUTING.md");
  const std::regex row("\\n\\| `src/([a-z_]+)/` \\|");
  std::vector<std::string> listed;
  for (std::sregex_iterator i(text.begin(), text.end(), row), end; i != end; ++i)
    listed.push_back((*i)[1]);
  EXPECT_EQ(listed, rooms());
}

TEST(Rooms, TestsAreInTheRoomsThatTheyTest) {
  const std::set<std::string> others = {"apps", "examples", "fuzz", "project", "support"};
  for (const auto& entry : fs::directory_iterator(fs::path(WHISKER_SOURCE_DIR) / "tests"))
    if (entry.is_directory() && !others.contains(entry.path().filename())) level(entry.path().filename());
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
