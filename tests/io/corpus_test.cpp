// Replays the fuzzers' corpus of hostile and ordinary files, each of which must be read or refused cleanly. Also tries
// every truncation and many small modifications of them, which does not need the fuzzers.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/fuzz_mesh.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

struct CorpusFile {
  std::string name;
  std::string content;
  MeshFormat format;
};

std::vector<CorpusFile> corpus() {
  std::vector<CorpusFile> files;
  for (const MeshFormat format : {MeshFormat::stl, MeshFormat::obj, MeshFormat::ply, MeshFormat::off}) {
    const char* const folder = format == MeshFormat::stl   ? "stl"
                               : format == MeshFormat::obj ? "obj"
                               : format == MeshFormat::ply ? "ply"
                                                           : "off";
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(WHISKER_SOURCE_DIR) /
                                                                 "tests/fuzz/corpus" / folder)) {
      std::ifstream in(entry.path(), std::ios::binary);
      files.push_back({entry.path().filename().string(),
                       std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()), format});
    }
  }
  std::sort(files.begin(), files.end(), [](const CorpusFile& a, const CorpusFile& b) { return a.name < b.name; });
  return files;
}

bool accepted(const std::string& content, MeshFormat format) {
  return test::read_hostile_mesh(std::as_bytes(std::span(content.data(), content.size())), format);
}

TEST(Corpus, EveryFileIsReadOrRefusedCleanly) {
  std::size_t read = 0;
  const std::vector<CorpusFile> files = corpus();
  for (const CorpusFile& file : files) {
    SCOPED_TRACE(file.name);
    const bool good = accepted(file.content, file.format);
    read += good ? 1u : 0u;
    // The undamaged tetrahedra must be among the files that are read.
    EXPECT_TRUE(good || !file.name.starts_with("tetra"));
    EXPECT_FALSE(good && file.name.starts_with("lying"));
  }
  EXPECT_GE(files.size(), 20u);
  std::printf("corpus: %zu files, %zu of them read\n", files.size(), read);
}

TEST(Corpus, EveryTruncationIsReadOrRefusedCleanly) {
  for (const CorpusFile& file : corpus()) {
    for (std::size_t size = 0; size < file.content.size(); ++size)
      accepted(file.content.substr(0, size), file.format);
  }
}

TEST(Corpus, TruncatedBinaryFilesAreNeverAccepted) {
  for (const CorpusFile& file : corpus()) {
    if (file.name != "tetra-binary.stl" && file.name != "tetra-little.ply" && file.name != "tetra-big.ply" &&
        file.name != "binary.off") {
      continue;
    }
    ASSERT_TRUE(accepted(file.content, file.format)) << file.name;
    for (std::size_t size = 0; size < file.content.size(); ++size) {
      EXPECT_FALSE(accepted(file.content.substr(0, size), file.format)) << file.name << " cut to " << size;
    }
    EXPECT_FALSE(accepted(file.content + '\0', file.format)) << file.name << " with a byte more";
  }
}

TEST(Corpus, RandomDamageIsReadOrRefusedCleanly) {
  auto random = test::seeded(507);
  const std::vector<CorpusFile> files = corpus();
  for (std::size_t i = 0; i < test::cases(20'000); ++i) {
    const CorpusFile& file = files[random() % files.size()];
    std::string content = file.content;
    for (std::size_t damages = 1 + random() % 4; damages > 0 && !content.empty(); --damages) {
      const std::size_t at = random() % content.size();
      switch (random() % 4) {
        case 0:
          content[at] = static_cast<char>(random() & 0xFF);
          break;
        case 1:
          content.erase(at, 1 + random() % 8);
          break;
        case 2:
          content.insert(at, content.substr(random() % content.size(), random() % 16));
          break;
        default:
          content.insert(at, std::string(1 + random() % 20, "9-. \n/ef\\0"[random() % 10]));
          break;
      }
    }
    accepted(content, file.format);
  }
}

}  // namespace
}  // namespace whisker
