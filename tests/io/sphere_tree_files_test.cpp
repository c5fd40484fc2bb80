// Sphere trees in files: a tree that is written and read is the same, and anything else is refused with a reason.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/spheres/sphere_tree_files.hpp>

#include "fuzz/fuzz_spheres.hpp"
#include "spheres/sphere_methods.hpp"
#include "support/cases.hpp"
#include "support/error_of.hpp"

namespace whisker {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::same_tree;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A random tree: a few levels, some nodes with children, numbers of all sizes.
SphereTree random_tree(std::mt19937_64& random) {
  SphereTree tree;
  const auto number = [&] { return std::ldexp(test::uniform(random, -1, 1), static_cast<int>(random() % 60) - 30); };
  const auto node = [&](std::uint32_t parent) {
    SphereTreeNode made;
    made.sphere = {Vector3(number(), number(), number()), random() % 8 == 0 ? 0 : std::abs(number())};
    made.protrusion = random() % 5 == 0 ? infinite : std::abs(number());
    made.parent = parent;
    return made;
  };
  tree.nodes.push_back(node(0));
  tree.level_begin = {0, 1};
  const std::size_t branching = 1 + random() % 5;
  for (std::size_t level = random() % 5; level > 0; --level) {
    const std::uint32_t begin = tree.level_begin[tree.level_begin.size() - 2], end = tree.level_begin.back();
    for (std::uint32_t n = begin; n < end; ++n) {
      const std::size_t children = random() % (branching + 1);
      tree.nodes[n].first_child = static_cast<std::uint32_t>(tree.nodes.size());
      tree.nodes[n].child_count = static_cast<std::uint32_t>(children);
      for (std::size_t k = 0; k < children; ++k)
        tree.nodes.push_back(node(n));
    }
    if (tree.nodes.size() == end) break;
    tree.level_begin.push_back(static_cast<std::uint32_t>(tree.nodes.size()));
  }
  if (random() % 3 == 0) {
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const SphereTreeNode second = node(0);
      tree.min_error.push_back({second.sphere, second.protrusion});
    }
  }
  return tree;
}

TEST(SphereTreeFiles, WrittenAndReadIsTheSame) {
  std::mt19937_64 random = test::seeded(9101);
  for (std::size_t i = 0; i < test::cases(1000); ++i) {
    const SphereTree tree = random_tree(random);
    check_sphere_tree(tree);
    EXPECT_TRUE(same_tree(parse_sphere_tree_json(encode_sphere_tree_json(tree), "made"), tree, true));
    const SphereTree read = parse_sph_tree(encode_sph_tree(tree), "made");
    EXPECT_TRUE(same_tree(read, tree, false));
    for (const SphereTreeNode& node : read.nodes)
      EXPECT_EQ(node.protrusion, infinite);
  }
}

TEST(SphereTreeFiles, BuiltTreesGoThroughFilesAndGetTheirProtrusionsBack) {
  const Mesh mesh(make::s_shape({.along = 6, .across = 6}));
  const fs::path folder = fs::temp_directory_path() / ("whisker_tree_files_" + std::to_string(getpid()));
  fs::create_directories(folder);
  using Method = test::SphereMethod;
  for (const Method& method : {Method::octree, Method::solid_octree, Method::grid, Method::hybrid, Method::merge}) {
    const SphereTree tree = build_sphere_tree(mesh, {.method = method.method,
                                                     .builder = method.builder,
                                                     .depth = 2,
                                                     .branching = 5,
                                                     .samples = 100,
                                                     .pieces = 400});
    EXPECT_EQ(tree.min_error.empty(), method != Method::hybrid);
    save_sphere_tree(tree, folder / "tree.json");
    EXPECT_TRUE(same_tree(load_sphere_tree(folder / "tree.json"), tree, true));
    save_sphere_tree(tree, folder / "tree.SPH");
    SphereTree read = load_sphere_tree(folder / "tree.SPH");
    EXPECT_TRUE(same_tree(read, tree, false));
    find_protrusions(mesh, read);
    for (std::size_t i = 0; i < read.nodes.size(); ++i)
      EXPECT_LE(read.nodes[i].protrusion, tree.nodes[i].protrusion * (1 + 1e-12)) << i;
  }
  EXPECT_NE(error_of([&] { save_sphere_tree({}, folder / "tree.txt"); }).find(".sph or .json"), std::string::npos);
  EXPECT_NE(error_of([&] { load_sphere_tree(folder / "none.sph"); }).find("none.sph"), std::string::npos);
  fs::remove_all(folder);
}

TEST(SphereTreeFiles, TheTextIsAsOthersWriteIt) {
  SphereTree tree;
  tree.nodes = {{{{0, 0, 0}, 4}, 1.5, 0, 1, 2},
                {{{-1, 0, 0}, 2}, 0.5, 0, 3, 1},
                {{{1, 0, 0}, 2}, 0.25, 0, 0, 0},
                {{{-1.5, 0, 0}, 1}, 0, 1, 0, 0}};
  tree.level_begin = {0, 1, 3, 4};
  EXPECT_EQ(encode_sph_tree(tree),
            "3 2\n0 0 0 4 1\n-1 0 0 2 1\n1 0 0 2 1\n-1.5 0 0 1 1\n0 0 0 -1 1\n0 0 0 -1 1\n0 0 0 -1 1\n");
  EXPECT_EQ(encode_sphere_tree_json(tree),
            "{\"nodes\": [\n"
            "  {\"center\": [0, 0, 0], \"radius\": 4, \"protrusion\": 1.5},\n"
            "  {\"center\": [-1, 0, 0], \"radius\": 2, \"protrusion\": 0.5, \"parent\": 0},\n"
            "  {\"center\": [1, 0, 0], \"radius\": 2, \"protrusion\": 0.25, \"parent\": 0},\n"
            "  {\"center\": [-1.5, 0, 0], \"radius\": 1, \"protrusion\": 0, \"parent\": 1}\n]}\n");
  // Children that are not the first of their slots, and a last level without a sphere.
  const SphereTree gaps =
      parse_sph_tree("3 2\n0 0 0 4\n0 0 0 -1\n1 0 0 2\n0 0 0 -1\n0 0 0 -1\n0 0 0 -1\n0 0 0 -1", "t");
  EXPECT_EQ(gaps.level_begin, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(gaps.nodes[0].child_count, 1u);
  EXPECT_EQ(gaps.nodes[1].sphere.center, Vector3(1, 0, 0));
}

TEST(SphereTreeFiles, WhatIsNoTreeIsRefusedWithTheReason) {
  const auto sph = [](const char* text) { return error_of([&] { parse_sph_tree(text, "bad.sph"); }); };
  EXPECT_EQ(sph(""), "bad.sph: the file is empty: not a sphere tree");
  EXPECT_EQ(sph("2 2\n0 0 0 -1\n0 0 0 1\n0 0 0 1\n"),
            "bad.sph: sphere 1 exists, but its parent, sphere 0, has a negative radius: the file is damaged");
  EXPECT_EQ(sph("1 2\n0 0 0 -1\n"), "bad.sph: there are no spheres: all radii are negative");
  EXPECT_EQ(sph("1 1\n0 0 x 1\n"), "bad.sph:2: sphere with 'x', which is not a number");
  const auto json = [](const std::string& text) { return error_of([&] { parse_sphere_tree_json(text, "bad.json"); }); };
  EXPECT_EQ(json("{}"), "bad.json: the list \"nodes\" is missing");
  EXPECT_EQ(json("{\"nodes\": []}"), "bad.json: the list \"nodes\" is empty; a tree must have a root");
  EXPECT_EQ(json("{\"nodes\": [], \"nodes\": []}"), "bad.json:1: \"nodes\" occurs twice");
  const std::string root = "{\"nodes\": [{\"center\": [0, 0, 0], \"radius\": 1}";
  const std::string child = ",\n{\"center\": [0, 0, 0], \"radius\": 1";
  EXPECT_EQ(json(root + child + "}]}"),
            "bad.json:2: node 1 has no \"parent\"; only the first node, the root, has none");
  EXPECT_EQ(json(root + child + ", \"parent\": 1}]}"),
            "bad.json:2: node 1 has a \"parent\" that does not come before it");
  EXPECT_EQ(json(root + child + ", \"parent\": -1}]}"), "bad.json:2: expected a whole number, 0 or larger, found '-1'");
  EXPECT_EQ(json(root + child + ", \"parent\": 0}" + child + ", \"parent\": 1}" + child + ", \"parent\": 0}]}"),
            "bad.json:4: node 3 has a smaller \"parent\" than the node before it; nodes must be in the order of their "
            "parents");
  EXPECT_EQ(json("{\"nodes\": [{\"center\": [0, 0, 0], \"radius\": 1, \"parent\": 0}]}"),
            "bad.json:1: node 0 has a \"parent\", but is the first node, the root");
  EXPECT_EQ(json("{\"nodes\": [{\"center\": [0, 0, 0], \"radius\": 1, \"protrusion\": -1}]}"),
            "bad.json:1: node 0 has a negative \"protrusion\"");
  EXPECT_EQ(json("{\"nodes\": [{\"center\": [0, 0, 0]}]}"), "bad.json:1: node 0 has no \"radius\"");
  EXPECT_EQ(json(root + child + ", \"parent\": 0, \"min_error\": {\"center\": [0, 0, 0], \"radius\": 1}}]}"),
            "bad.json:2: node 1 must have a \"min_error\" if, and only if, the nodes before it have one");
  EXPECT_EQ(json("{\"nodes\": [{\"min_error\": {\"radius\": 1}}]}"),
            "bad.json:1: node 0, its \"min_error\", has no \"center\"");
  EXPECT_EQ(json(root + "]} x"), "bad.json:1: more text after the end of the object");
}

TEST(SphereTreeFiles, WhatCannotBeWrittenIsRefused) {
  std::mt19937_64 random = test::seeded(9102);
  SphereTree good;
  while (good.nodes.size() < 10)
    good = random_tree(random);
  const auto broken = [&](const std::function<void(SphereTree&)>& damage) {
    SphereTree tree = good;
    damage(tree);
    EXPECT_THROW(check_sphere_tree(tree), Error);
    EXPECT_THROW(encode_sph_tree(tree), Error);
    EXPECT_THROW(encode_sphere_tree_json(tree), Error);
  };
  broken([](SphereTree& t) { t.nodes.clear(); });
  broken([](SphereTree& t) { t.nodes.pop_back(); });
  broken([](SphereTree& t) { t.nodes[2].sphere.radius = -1; });
  broken([](SphereTree& t) { t.nodes[2].sphere.radius = infinite; });
  broken([](SphereTree& t) { t.nodes[2].sphere.center.y() = std::nan(""); });
  broken([](SphereTree& t) { t.nodes[2].sphere.center.y() = 1e91; });
  broken([](SphereTree& t) { t.nodes[2].protrusion = std::nan(""); });
  broken([](SphereTree& t) { t.nodes[3].parent = 9; });
  broken([](SphereTree& t) { ++t.nodes[0].child_count; });
  broken([](SphereTree& t) { t.nodes[0].first_child = 2; });
  broken([](SphereTree& t) { t.level_begin.pop_back(); });
  broken([](SphereTree& t) { ++t.level_begin[1]; });
  broken([](SphereTree& t) { t.min_error.resize(3); });
  broken([](SphereTree& t) { t.min_error.assign(t.nodes.size(), {{Vector3::Zero(), -1}, 0}); });

  // A chain of twenty levels in which one node has five children: 5^20 slots.
  SphereTree chain;
  chain.level_begin = {0};
  for (std::uint32_t i = 0; i <= 24; ++i) {
    const std::uint32_t parent = i == 0 ? 0 : i <= 5 ? 0 : i - 1;
    chain.nodes.push_back({{Vector3::Zero(), 1},
                           0,
                           parent,
                           i == 0 ? 1 : i + 1,
                           i == 0             ? 5u
                           : i < 5 || i == 24 ? 0u
                                              : 1u});
    if (i == 0 || i >= 5) chain.level_begin.push_back(i + 1);
  }
  check_sphere_tree(chain);
  EXPECT_NE(error_of([&] { encode_sph_tree(chain); }).find("write JSON"), std::string::npos);
  EXPECT_TRUE(same_tree(parse_sphere_tree_json(encode_sphere_tree_json(chain), "made"), chain, true));
}

// --- hostile files -------------------------------------------------------------------------------------------------

struct SphereFile {
  std::string name, content;
  bool is_json = false;
};

std::vector<SphereFile> sphere_files() {
  std::vector<SphereFile> files;
  for (const std::string folder : {"sph", "sphere_json"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(WHISKER_SOURCE_DIR) / "tests/fuzz/corpus" / folder)) {
      std::ifstream in(entry.path(), std::ios::binary);
      files.push_back({entry.path().filename().string(),
                       std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()),
                       folder == "sphere_json"});
    }
  }
  std::sort(files.begin(), files.end(), [](const SphereFile& a, const SphereFile& b) { return a.name < b.name; });
  return files;
}

bool accepted(const std::string& content, bool is_json) {
  return is_json ? test::read_hostile_sphere_json(content) : test::read_hostile_sph(content);
}

TEST(SphereTreeFiles, TheCorpusIsReadOrRefusedCleanlyWholeAndCutShort) {
  const std::vector<SphereFile> files = sphere_files();
  EXPECT_GE(files.size(), 12u);
  for (const SphereFile& file : files) {
    SCOPED_TRACE(file.name);
    EXPECT_EQ(accepted(file.content, file.is_json), !file.name.starts_with("lying"));
    for (std::size_t size = 0; size < file.content.size(); ++size)
      accepted(file.content.substr(0, size), file.is_json);
  }
}

TEST(SphereTreeFiles, RandomDamageIsReadOrRefusedCleanly) {
  std::mt19937_64 random = test::seeded(9103);
  const std::vector<SphereFile> files = sphere_files();
  std::size_t good = 0;
  for (std::size_t i = 0; i < test::cases(10'000); ++i) {
    const SphereFile& file = files[random() % files.size()];
    std::string content = file.content;
    for (std::size_t damages = 1 + random() % 3; damages > 0 && !content.empty(); --damages) {
      const std::size_t at = random() % content.size();
      if (random() % 2 == 0) {
        content[at] = "0123456789-.e \n{}[],\":"[random() % 22];
      } else {
        content.insert(at, content.substr(random() % content.size(), random() % 16));
      }
    }
    good += accepted(content, file.is_json) ? 1u : 0u;
  }
  EXPECT_GT(good, test::cases(10'000) / 50);
}

}  // namespace
}  // namespace whisker
