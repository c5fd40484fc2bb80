// Meshes saved with their tree: they are restored unchanged, and modified files are refused.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/io.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh_tree.hpp>

#include "fuzz/fuzz_saved.hpp"
#include "shapes/mesh_storage.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::read_hostile_saved_mesh;
using test::with_right_checksum;

Mesh decoded(const std::string& file) {
  return decode_saved_mesh(bytes_of(file), "file");
}

std::string refusal(const std::string& file) {
  try {
    decoded(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class Array>
bool same_bits(const Array& a, const Array& b) {
  return std::memcmp(&a, &b, sizeof(Array)) == 0;
}

void expect_same_tree(const Mesh& a, const Mesh& b) {
  const trees::OrientedTree &s = storage_of(a).oriented, &t = storage_of(b).oriented;
  EXPECT_EQ(s.scale, t.scale);
  EXPECT_EQ(s.depth, t.depth);
  EXPECT_EQ(s.coordinate, t.coordinate);
  ASSERT_EQ(s.nodes.size(), t.nodes.size());
  ASSERT_EQ(s.leaves.size(), t.leaves.size());
  for (std::size_t i = 0; i < s.nodes.size(); ++i) {
    const trees::OrientedNode &m = s.nodes[i], &n = t.nodes[i];
    EXPECT_TRUE(same_bits(m.center, n.center) && same_bits(m.half, n.half) && same_bits(m.child, n.child) &&
                same_bits(m.origin, n.origin) && same_bits(m.axes, n.axes) && m.radius == n.radius &&
                m.valid == n.valid && m.leaves == n.leaves)
        << "node " << i;
  }
  for (std::size_t i = 0; i < s.leaves.size(); ++i)
    EXPECT_TRUE(same_bits(s.leaves[i], t.leaves[i])) << "leaf " << i;
}

std::vector<Mesh> some_meshes() {
  const auto data = make::gear({.teeth = 12});
  std::vector<Mesh> meshes = {
      Mesh(MeshData{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}),
      Mesh(make::box()).solid(),
      Mesh(make::icosphere({.subdivisions = 3})).solid(),
      Mesh(make::cloth_sheet({.columns = 20, .rows = 30})),
      Mesh(data).solid(),
      Mesh(MeshData{{{1, 2, 3}, {1, 2, 3}}, std::vector<Index3>(1000, Index3{0, 1, 0})}),  // all vertices coincide
  };
  for (const Split split : {Split::mean, Split::median, Split::morton, Split::bottom_up})
    meshes.emplace_back(data, TreeOptions{.split = split});
  return meshes;
}

TEST(SavedMesh, ComesBackAsItWasWithItsTree) {
  for (const Mesh& mesh : some_meshes()) {
    const std::string file = encode_saved_mesh(mesh);
    const Mesh again = decoded(file);
    EXPECT_EQ(again.is_solid(), mesh.is_solid());
    EXPECT_TRUE(
        std::equal(mesh.vertices().begin(), mesh.vertices().end(), again.vertices().begin(), again.vertices().end()));
    EXPECT_TRUE(std::equal(mesh.triangles().begin(), mesh.triangles().end(), again.triangles().begin(),
                           again.triangles().end()));
    expect_same_tree(mesh, again);
    EXPECT_EQ(encode_saved_mesh(again), file);
    EXPECT_TRUE(read_hostile_saved_mesh(file));
  }
}

TEST(SavedMesh, AnswersAsBefore) {
  const Shape before = Mesh(make::gear({.teeth = 18})).solid();
  const Shape after = decoded(encode_saved_mesh(*before.as<Mesh>()));
  const Shape probe = Mesh(make::icosphere({.radius = 2, .subdivisions = 2}));
  auto random = test::seeded(61);
  for (std::size_t i = 0; i < test::cases(200); ++i) {
    const Pose pose(
        Vector3(test::uniform(random, -14, 14), test::uniform(random, -14, 14), test::uniform(random, -4, 4)));
    Cost cost_before, cost_after;
    EXPECT_EQ(touches(before, {probe, pose}, &cost_before), touches(after, {probe, pose}, &cost_after));
    EXPECT_EQ(cost_before.volume_tests, cost_after.volume_tests);
    const Distance d = distance(before, {probe, pose}), e = distance(after, {probe, pose});
    EXPECT_EQ(d.lower, e.lower);
    EXPECT_EQ(d.upper, e.upper);
    EXPECT_EQ(d.point_a, e.point_a);
    EXPECT_EQ(d.feature_a, e.feature_a);
  }
}

TEST(SavedMesh, GoesThroughAFile) {
  const fs::path folder = fs::temp_directory_path() / ("whisker_saved_mesh_test_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path path = folder / "box.whisker";
  const Mesh box = Mesh(make::box()).solid();
  save_mesh(box, path);
  expect_same_tree(load_saved_mesh(path), box);
  const auto message = [](const std::function<void()>& work) -> std::string {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message([&] { load_saved_mesh(folder / "missing.whisker"); }).find("missing.whisker"), std::string::npos);
  EXPECT_NE(message([&] { load_saved_mesh(folder); }).find("directory"), std::string::npos);
  EXPECT_NE(message([&] { save_mesh(box, folder / "no" / "box.whisker"); }).find("cannot write"), std::string::npos);
  std::ofstream(path, std::ios::binary | std::ios::app) << 'x';
  const std::string longer = message([&] { load_saved_mesh(path); });
  EXPECT_TRUE(longer.starts_with(path.string() + ": ")) << longer;
  EXPECT_NE(longer.find("the file is too long"), std::string::npos) << longer;
  fs::remove_all(folder);
}

TEST(SavedMesh, EveryTruncationIsRefused) {
  const std::string file = encode_saved_mesh(Mesh(make::box({.subdivisions = 2})).solid());
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(refusal(file.substr(0, size)), "") << size;
    EXPECT_FALSE(read_hostile_saved_mesh(with_right_checksum(file.substr(0, size)))) << size;
  }
  EXPECT_NE(refusal(file.substr(0, 100)).find("cut short (100 of " + std::to_string(file.size()) + " bytes)"),
            std::string::npos);
  EXPECT_NE(refusal(file + '\0').find("the file is too long"), std::string::npos);
}

TEST(SavedMesh, EveryFlippedBitIsRefused) {
  const std::string file = encode_saved_mesh(Mesh(make::box({.subdivisions = 2})).solid());
  std::string damaged = file;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      damaged[at] = static_cast<char>(file[at] ^ (1 << bit));
      EXPECT_NE(refusal(damaged), "") << "byte " << at << ", bit " << bit;
    }
    damaged[at] = file[at];
  }
}

TEST(SavedMesh, EveryByteThatIsAnotherIsRefused) {
  const std::string file = encode_saved_mesh(Mesh(make::box()).solid());
  std::string damaged = file;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      damaged[at] = static_cast<char>(value);
      if (damaged[at] == file[at]) continue;
      EXPECT_NE(refusal(damaged), "") << "byte " << at << " is " << value;
    }
    damaged[at] = file[at];
  }
}

TEST(SavedMesh, ForgedFilesAreRefusedOrAnswerRightly) {
  auto random = test::seeded(62);
  std::vector<std::string> files;
  for (const Mesh& mesh : {Mesh(make::box()).solid(), Mesh(make::icosphere({.subdivisions = 1})),
                           Mesh(make::cloth_sheet({.columns = 7, .rows = 9}))})
    files.push_back(encode_saved_mesh(mesh));
  std::size_t accepted = 0;
  const std::size_t count = test::cases(20'000);
  for (std::size_t i = 0; i < count; ++i) {
    std::string file = files[random() % files.size()];
    for (std::size_t damages = 1 + random() % 3; damages > 0; --damages) {
      const std::size_t at = random() % file.size();
      switch (random() % 3) {
        case 0:
          file[at] = static_cast<char>(random());
          break;
        case 1:
          file[at] = static_cast<char>(file[at] ^ (1 << random() % 8));
          break;
        default: {  // overwrites one number with another
          const std::size_t from = 32 + random() % (file.size() - 36) / 4 * 4,
                            to = 32 + random() % (file.size() - 36) / 4 * 4;
          std::copy_n(std::string(file, from, 4).begin(), 4, file.begin() + static_cast<std::ptrdiff_t>(to));
        }
      }
    }
    accepted += read_hostile_saved_mesh(with_right_checksum(file)) ? 1u : 0u;
  }
  EXPECT_GT(accepted, 0u);     // moved vertices are accepted
  EXPECT_LT(accepted, count);  // changed links are not
  std::printf("forged: %zu of %zu files were accepted\n", accepted, count);
}

const fs::path saved_corpus = fs::path(WHISKER_SOURCE_DIR) / "tests/fuzz/corpus/saved";

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(SavedMesh, TheCorpusIsReadOrRefusedCleanly) {
  std::size_t files = 0, accepted = 0;
  for (const auto& entry : fs::directory_iterator(saved_corpus)) {
    const std::string file = content_of(entry.path());
    const bool good = read_hostile_saved_mesh(file);
    EXPECT_EQ(good, !entry.path().filename().string().starts_with("bad")) << entry.path();
    EXPECT_TRUE(!good || test::saved_version_of(file) == 1) << entry.path();
    accepted += good ? 1u : 0u;
    ++files;
  }
  EXPECT_GE(files, 5u);
  EXPECT_GE(accepted, 3u);  // files of version 1 must always be readable
}

TEST(SavedMesh, FilesOfVersion1AreReadAndCheckedAsEver) {
  const std::string file = content_of(saved_corpus / "solid-box.whisker");
  const Mesh box = decoded(file);
  EXPECT_TRUE(box.is_solid());
  EXPECT_EQ(box.volume(), Mesh(make::box()).solid().volume());
  std::string damaged = file;
  for (std::size_t at = 0; at < file.size(); ++at) {
    EXPECT_NE(refusal(file.substr(0, at)), "") << at;
    for (int bit = 0; bit < 8; ++bit) {
      damaged[at] = static_cast<char>(file[at] ^ (1 << bit));
      EXPECT_NE(refusal(damaged), "") << "byte " << at << ", bit " << bit;
      read_hostile_saved_mesh(with_right_checksum(damaged));
    }
    damaged[at] = file[at];
  }
  EXPECT_NE(refusal(file + '\0').find("the file is too long"), std::string::npos);
  EXPECT_NE(refusal(file.substr(0, 100)).find("cut short (100 of " + std::to_string(file.size()) + " bytes)"),
            std::string::npos);
}

// The positions of the sections in the file of a mesh that is not a solid, for forging it.
struct Places {
  std::size_t flags = 44, counts = 48, vertices = 80, triangles, nodes, leaves, masks;

  explicit Places(const Mesh& mesh) {
    triangles = vertices + 24 * mesh.vertices().size();
    nodes = triangles + 12 * mesh.triangle_count();
    leaves = nodes + 32 * storage_of(mesh).oriented.nodes.size();
    masks = leaves + 16 * storage_of(mesh).oriented.leaves.size();
  }
};

template <class Number>
std::string with(std::string file, std::size_t at, Number number) {
  std::string bytes;
  io::append_little(bytes, number);
  std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
  return with_right_checksum(file);
}

TEST(SavedMesh, SaysWhatIsWrong) {
  const Mesh mesh = Mesh(make::icosphere({.subdivisions = 2}));
  const std::string file = encode_saved_mesh(mesh);
  const Places at(mesh);
  ASSERT_EQ(at.masks + 2 * storage_of(mesh).oriented.nodes.size(), file.size());
  const trees::OrientedNode& root = storage_of(mesh).oriented.nodes[0];
  ASSERT_FALSE(root.is_leaf(0));
  const auto expect = [&](const std::string& forged, const std::string& words) {
    EXPECT_NE(refusal(forged).find(words), std::string::npos) << words << ": " << refusal(forged);
  };
  expect("", "cut short");
  expect("solid a mesh of another kind", "not a file that save_shape wrote");
  expect(with(file, 8, std::uint32_t{3}), "version 3, but this whisker reads versions up to 2");
  expect(with(file, 8, std::uint32_t{0}), "version 0");
  expect(with(file, at.flags, std::uint32_t{2}), "flags");
  expect(with(file, at.counts, std::uint64_t{1} << 61), "a count beyond");
  expect(with(file, at.counts, std::uint64_t{0xFFFFFFFF}), "its counts do not fit its size");
  expect(with(file, at.counts + 8, std::uint64_t{0}), "its counts do not fit its size");
  expect(with(file, at.vertices + 16, std::numeric_limits<double>::quiet_NaN()), "vertex 0 is NaN");
  expect(with(file, at.vertices + 24, 1e91), "vertex 1 has a coordinate beyond");
  expect(with(file, at.triangles, std::uint32_t{5000}), "triangle 0 refers to vertex 5000");
  expect(with(file, at.nodes, std::uint32_t{0}), "does not come after it");           // a cycle
  expect(with(file, at.nodes, std::uint32_t{0x1FFFFFFF}), "does not come after it");  // out of range
  expect(with(file, at.nodes, root.child[1]), "is the child of two nodes");           // a node with two parents
  expect(with(file, at.nodes, root.child[0] | 0x80000000u), "does not mark it as a leaf");
  expect(with(file, at.leaves, std::uint32_t{5000}), "refers to a triangle that does not exist");
  expect(with(file, at.leaves, storage_of(mesh).oriented.leaves[1].id[0]),
         "contains a triangle that is already in a leaf");
  expect(with(file, at.masks, std::uint8_t{0}), "no children, or a gap between them");
  expect(with(file, at.masks, std::uint8_t{0b101}), "no children, or a gap between them");
  expect(with(file, at.masks + 1, std::uint8_t{1}), "marks a child as a leaf, but");
}

}  // namespace
}  // namespace whisker
