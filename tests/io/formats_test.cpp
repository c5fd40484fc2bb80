// Reading and writing every format: the data survives a round trip, and additional contents of files are accepted.

#include <bit>
#include <clocale>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/io.hpp>

#include "shapes/polygon.hpp"
#include "support/cases.hpp"
#include "support/random_vectors.hpp"

namespace whisker {
namespace {

std::span<const std::byte> bytes_of_text(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

MeshData read_text(const std::string& text, MeshFormat format, ReadReport* report = nullptr) {
  return read_mesh(bytes_of_text(text), format, "file", report);
}

std::size_t ignored(const ReadReport& report, const std::string& what) {
  for (const IgnoredElement& element : report.ignored) {
    if (element.what == what) return element.count;
  }
  return 0;
}

void expect_same_bits(const MeshData& a, const MeshData& b) {
  ASSERT_EQ(a.vertices.size(), b.vertices.size());
  for (std::size_t i = 0; i < a.vertices.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a.vertices[i][k]), std::bit_cast<std::uint64_t>(b.vertices[i][k]))
          << "vertex " << i << " axis " << k << ": " << a.vertices[i][k] << " and " << b.vertices[i][k];
    }
  }
  EXPECT_EQ(a.triangles, b.triangles);
}

MeshData random_mesh(std::mt19937_64& random) {
  MeshData mesh;
  const std::size_t vertices = 3 + random() % 20;
  for (std::size_t i = 0; i < vertices; ++i) {
    mesh.vertices.emplace_back(test::any_finite(random), test::any_finite(random), test::any_finite(random));
  }
  mesh.vertices[0] = {-0.0, std::numeric_limits<double>::denorm_min(), -std::numeric_limits<double>::max()};
  const std::size_t triangles = 1 + random() % 30;
  for (std::size_t i = 0; i < triangles; ++i) {
    Index3 t;
    for (std::uint32_t& corner : t)
      corner = static_cast<std::uint32_t>(random() % vertices);
    mesh.triangles.push_back(t);
  }
  return mesh;
}

// ---- round trips ----

TEST(RoundTrip, TextAndBinaryKeepEveryBitOfEveryDouble) {
  auto random = test::seeded(501);
  for (std::size_t i = 0; i < test::cases(300); ++i) {
    const MeshData mesh = random_mesh(random);
    expect_same_bits(mesh, read_text(encode_mesh(mesh, MeshFormat::obj), MeshFormat::obj));
    expect_same_bits(mesh, read_text(encode_mesh(mesh, MeshFormat::off), MeshFormat::off));
    expect_same_bits(mesh, read_text(encode_mesh(mesh, MeshFormat::ply), MeshFormat::ply));
    expect_same_bits(mesh, read_text(encode_mesh(mesh, MeshFormat::ply, true), MeshFormat::ply));
  }
}

TEST(RoundTrip, TextStlKeepsEveryDoubleOfEveryCorner) {
  auto random = test::seeded(502);
  for (std::size_t i = 0; i < test::cases(300); ++i) {
    const MeshData mesh = random_mesh(random);
    const MeshData back = read_text(encode_mesh(mesh, MeshFormat::stl), MeshFormat::stl);
    ASSERT_EQ(mesh.triangles.size(), back.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(mesh.vertices[mesh.triangles[t][k]], back.vertices[back.triangles[t][k]]);
      }
    }
  }
}

TEST(RoundTrip, BinaryStlRoundsToFloat) {
  auto random = test::seeded(503);
  MeshData mesh;
  for (int i = 0; i < 30; ++i) {
    mesh.vertices.emplace_back(test::uniform(random, -9, 9), test::uniform(random, -9, 9),
                               test::uniform(random, -9, 9));
  }
  for (std::uint32_t i = 0; i + 2 < 30; ++i)
    mesh.triangles.push_back({i, i + 1, i + 2});
  ReadReport report;
  const MeshData back = read_text(encode_mesh(mesh, MeshFormat::stl, true), MeshFormat::stl, &report);
  EXPECT_TRUE(report.binary);
  ASSERT_EQ(mesh.triangles.size(), back.triangles.size());
  ASSERT_EQ(back.vertices.size(), 30u);
  EXPECT_EQ(report.vertices_merged, 3 * mesh.triangles.size() - 30);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3& in = mesh.vertices[mesh.triangles[t][k]];
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(static_cast<double>(static_cast<float>(in[axis])), back.vertices[back.triangles[t][k]][axis]);
      }
    }
  }
}

TEST(RoundTrip, FilesOnDiskInEveryFormat) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("whisker_formats_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const MeshData mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.1}}, {{0, 1, 2}, {0, 3, 1}}};
  for (const char* name : {"a.stl", "a.OBJ", "a.ply", "a.off"}) {
    write_mesh(folder / name, mesh);
    ReadReport report;
    expect_same_bits(mesh, read_mesh(folder / name, &report));
    EXPECT_EQ(report.format, format_of_extension(name));
    EXPECT_FALSE(report.binary);
  }
  for (const char* name : {"b.stl", "b.ply"}) {
    write_mesh(folder / name, mesh, {.format = {}, .binary = true});
    ReadReport report;
    EXPECT_EQ(read_mesh(folder / name, &report).triangles, mesh.triangles);
    EXPECT_TRUE(report.binary);
  }
  std::filesystem::remove_all(folder);
}

TEST(RoundTrip, FormatIsFoundFromContentWhateverTheExtension) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("whisker_content_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const MeshData mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  for (const MeshFormat format : {MeshFormat::stl, MeshFormat::ply, MeshFormat::off}) {
    write_mesh(folder / "mesh.dat", mesh, {.format = format, .binary = false});
    ReadReport report;
    EXPECT_EQ(read_mesh(folder / "mesh.dat", &report).triangles.size(), 1u);
    EXPECT_EQ(report.format, format);
    write_mesh(folder / "mesh.obj", mesh, {.format = format, .binary = false});
    read_mesh(folder / "mesh.obj", &report);
    EXPECT_EQ(report.format, format);
  }
  std::filesystem::remove_all(folder);
}

TEST(Writing, RefusesWhatItCouldNotReadBack) {
  const MeshData good{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  MeshData bad = good;
  bad.triangles[0][2] = 3;
  EXPECT_THROW(encode_mesh(bad, MeshFormat::ply), Error);
  bad = good;
  bad.vertices[1].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(encode_mesh(bad, MeshFormat::obj), Error);
  bad = good;
  bad.triangles.clear();
  EXPECT_THROW(encode_mesh(bad, MeshFormat::off), Error);
  bad = good;
  bad.vertices[1].x() = 1e39;
  EXPECT_THROW(encode_mesh(bad, MeshFormat::stl, true), Error);
  EXPECT_NO_THROW(encode_mesh(bad, MeshFormat::stl, false));
  EXPECT_THROW(encode_mesh(good, MeshFormat::obj, true), Error);
  EXPECT_THROW(encode_mesh(good, MeshFormat::off, true), Error);
  EXPECT_THROW(write_mesh("/nonexistent-folder/a.stl", good), Error);
  EXPECT_THROW(write_mesh("mesh.unknown", good), Error);
}

// ---- OBJ ----

TEST(Obj, CommentsTabsCarriageReturnsAndContinuationsAreAccepted) {
  ReadReport report;
  const MeshData mesh = read_text(
      "# a comment \\\r\n\tv\t0 0 0 # trailing\r\n v 1 0 \\\r\n 0\r\nv +0 1e0 -.0e1 1.0\r\n\r\nf 1 \\\n 2 3\\\n\nf 3 2 "
      "1",
      MeshFormat::obj, &report);
  ASSERT_EQ(mesh.vertices.size(), 3u);
  EXPECT_EQ(mesh.vertices[2], Vector3(0, 1, 0));
  ASSERT_EQ(mesh.triangles.size(), 2u);
  EXPECT_EQ(mesh.triangles[0], (Index3{0, 1, 2}));
}

TEST(Obj, OldMacintoshLineEndsAreAccepted) {
  EXPECT_EQ(read_text("# c\rv 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", MeshFormat::obj).triangles.size(), 1u);
}

TEST(Obj, ByteOrderMarkIsPassedOver) {
  EXPECT_EQ(read_text("\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", MeshFormat::obj).vertices.size(), 3u);
}

TEST(Obj, NegativeIndicesCountBackFromTheLatestVertex) {
  const MeshData mesh =
      read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nf -1//-1 -2/-5/2 -4\n", MeshFormat::obj);
  ASSERT_EQ(mesh.triangles.size(), 2u);
  EXPECT_EQ(mesh.triangles[0], (Index3{0, 1, 2}));
  EXPECT_EQ(mesh.triangles[1], (Index3{3, 2, 0}));
}

TEST(Obj, FacesMayComeBeforeTheirVertices) {
  EXPECT_EQ(read_text("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", MeshFormat::obj).triangles[0], (Index3{0, 1, 2}));
}

TEST(Obj, WhatIsNotGeometryIsCountedAndPassedOver) {
  ReadReport report;
  read_text(
      "648 216\nmtllib a.mtl\no part\nv 0 0 0 0.5 0.5 0.5\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvn 0 0 1\ns off\n"
      "usemtl red\nf 1/1/1 2/2/1 3/1/1\nl 1 2\np 1\nf 1 2\ncurv 0 1 1 2\n",
      MeshFormat::obj, &report);
  EXPECT_EQ(ignored(report, "texture coordinates"), 2u);
  EXPECT_EQ(ignored(report, "normals"), 1u);
  EXPECT_EQ(ignored(report, "materials"), 2u);
  EXPECT_EQ(ignored(report, "smoothing groups"), 1u);
  EXPECT_EQ(ignored(report, "lines"), 1u);
  EXPECT_EQ(ignored(report, "points"), 1u);
  EXPECT_EQ(ignored(report, "vertex colors"), 1u);
  EXPECT_EQ(ignored(report, "statements of curves and curved surfaces"), 1u);
  EXPECT_EQ(ignored(report, "lines that are not OBJ"), 1u);
  EXPECT_EQ(report.short_polygons_ignored, 1u);
}

TEST(Obj, GroupsCoverTheTrianglesInOrder) {
  ReadReport report;
  read_text(
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\no first\ng empty\ng quads here\nf 1 2 3 4\nf 1 2 3\no last\nf 1 3 "
      "4\n",
      MeshFormat::obj, &report);
  ASSERT_EQ(report.groups.size(), 3u);
  EXPECT_EQ(report.groups[0].name, "");
  EXPECT_EQ(report.groups[0].triangle_count, 1u);
  EXPECT_EQ(report.groups[1].name, "quads here");
  EXPECT_EQ(report.groups[1].first_triangle, 1u);
  EXPECT_EQ(report.groups[1].triangle_count, 3u);
  EXPECT_EQ(report.groups[2].name, "last");
  EXPECT_EQ(report.groups[2].first_triangle, 4u);
  EXPECT_EQ(report.groups[2].triangle_count, 1u);
  EXPECT_EQ(report.polygons_triangulated, 1u);
}

TEST(Obj, NumbersTooSmallForDoubleAreZero) {
  const MeshData mesh = read_text("v 1e-999 -0.000e5 1e-320\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", MeshFormat::obj);
  EXPECT_EQ(mesh.vertices[0].x(), 0.0);
  EXPECT_EQ(mesh.vertices[0].z(), 1e-320);
}

TEST(Obj, DegenerateAndDuplicateTrianglesAndUnusedVerticesAreKept) {
  const MeshData mesh = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 7 7 7\nf 1 1 1\nf 1 2 3\nf 1 2 3\n", MeshFormat::obj);
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.triangles.size(), 3u);
}

TEST(Obj, VeryLongLinesAreReadInLinearTime) {
  // A comment of 4 MB, and one convex face on one line whose vertices are on a parabola.
  const int count = 100'000;
  std::string text = "#" + std::string(4'000'000, 'x') + "\n";
  for (int i = 0; i < count; ++i) {
    text.append("v ").append(std::to_string(i)).append(" ").append(std::to_string(std::int64_t{i} * i)).append(" 0\n");
  }
  text += "f";
  for (int i = 0; i < count; ++i)
    text.append(" ").append(std::to_string(i + 1));
  ReadReport report;
  EXPECT_EQ(read_text(text, MeshFormat::obj, &report).triangles.size(), std::size_t{count} - 2);
  EXPECT_EQ(report.polygons_triangulated, 1u);
  EXPECT_EQ(report.polygons_not_simple, 0u);
}

TEST(Obj, ReadingDoesNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  bool comma_locale = false;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"}) {
    comma_locale = comma_locale || std::setlocale(LC_ALL, name) != nullptr;
  }
  const MeshData mesh = read_text("v 0.5 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", MeshFormat::obj);
  const std::string written = encode_mesh(mesh, MeshFormat::obj);
  std::setlocale(LC_ALL, before.c_str());
  EXPECT_EQ(mesh.vertices[0].x(), 0.5);
  EXPECT_NE(written.find("v 0.5 0 0"), std::string::npos);
  if (!comma_locale) std::printf("no locale with a decimal comma is installed: tested in the C locale\n");
}

// ---- STL ----

constexpr const char* one_facet =
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

TEST(Stl, SharedPositionsBecomeOneVertex) {
  const std::string text =
      std::string("solid cube\n") + one_facet +
      "facet normal 0 0 -1 outer loop vertex 0 0 0\nvertex 0 1 0\nvertex 1 0 -0.0\nendloop endfacet\nendsolid cube\n";
  ReadReport report;
  const MeshData mesh = read_text(text, MeshFormat::stl, &report);
  EXPECT_EQ(mesh.vertices.size(), 3u);
  EXPECT_EQ(mesh.triangles[1], (Index3{0, 2, 1}));
  EXPECT_EQ(report.vertices_merged, 3u);
  ASSERT_EQ(report.groups.size(), 1u);
  EXPECT_EQ(report.groups[0].name, "cube");
}

TEST(Stl, KeywordsInAnyCaseNormalsThatAreNotNumbersAndSeveralSolids) {
  const std::string text =
      "SOLID a b\r\n FACET NORMAL nan -nan 0\r\n OUTER LOOP\r\n VERTEX 0 0 0\r\n Vertex 1 0 0\r\n vertex 0 1 0\r\n "
      "ENDLOOP\r\n ENDFACET\r\nENDSOLID a b\r\nsolid\r\n" +
      std::string(one_facet) + "endsolid";
  ReadReport report;
  const MeshData mesh = read_text(text, MeshFormat::stl, &report);
  EXPECT_EQ(mesh.triangles.size(), 2u);
  ASSERT_EQ(report.groups.size(), 2u);
  EXPECT_EQ(report.groups[0].name, "a b");
  EXPECT_EQ(report.groups[1].first_triangle, 1u);
}

TEST(Stl, BinaryThatBeginsWithSolidIsKnownByItsSize) {
  std::string content = encode_mesh({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}, MeshFormat::stl, true);
  content.replace(0, 18, "solid made by CAD ");
  ReadReport report;
  EXPECT_EQ(read_text(content, MeshFormat::stl, &report).triangles.size(), 1u);
  EXPECT_TRUE(report.binary);
}

TEST(Stl, AttributeWordsAreCounted) {
  std::string content = encode_mesh({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}, MeshFormat::stl, true);
  content[84 + 48] = 7;
  ReadReport report;
  read_text(content, MeshFormat::stl, &report);
  EXPECT_EQ(ignored(report, "attribute words"), 1u);
}

TEST(Stl, FacetsOfFourCornersAreCut) {
  ReadReport report;
  const MeshData mesh = read_text(
      "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\n"
      "endloop\nendfacet\nendsolid\n",
      MeshFormat::stl, &report);
  EXPECT_EQ(mesh.triangles.size(), 2u);
  EXPECT_EQ(report.polygons_triangulated, 1u);
}

// ---- PLY ----

TEST(Ply, FacesBeforeVerticesExtraPropertiesAndElementsAreAccepted) {
  ReadReport report;
  const MeshData mesh = read_text(
      "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nobj_info x\r\nelement face 2\r\nproperty uchar flags\r\n"
      "property list uchar int vertex_index\r\nproperty list uchar float texcoord\r\nelement vertex 4\r\n"
      "property float nx\r\nproperty float y\r\nproperty double x\r\nproperty int z\r\nproperty uchar red\r\n"
      "element edge 1\r\nproperty int vertex1\r\nproperty int vertex2\r\nend_header\r\n"
      "1 4 0 1 2 3 2 0.5 0.5\r\n0 3 0 2 3 0\r\n9 0 0 0 255\r\n9 0 1 0 255\r\n9 1 1 0 255\r\n\r\n9 1 0 0 255\r\n0 1\r\n",
      MeshFormat::ply, &report);
  EXPECT_FALSE(report.binary);
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[1], Vector3(1, 0, 0));
  EXPECT_EQ(mesh.triangles.size(), 3u);
  EXPECT_EQ(ignored(report, "normals"), 4u);
  EXPECT_EQ(ignored(report, "colors"), 4u);
  EXPECT_EQ(ignored(report, "elements other than vertices and faces"), 1u);
}

/// A number in big-endian or little-endian order.
template <typename Number>
void append(std::string& out, Number value, std::endian order) {
  char bytes[sizeof(Number)];
  std::memcpy(bytes, &value, sizeof bytes);
  if (order != std::endian::native) std::reverse(bytes, bytes + sizeof bytes);
  out.append(bytes, sizeof bytes);
}

TEST(Ply, BinaryOfBothByteOrdersAndEveryType) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    std::string text =
        std::string("ply\nformat ") + (order == std::endian::little ? "binary_little_endian" : "binary_big_endian") +
        " 1.0\nelement vertex 4\nproperty short x\nproperty float y\nproperty uint8 c\nproperty double z\n"
        "property list ushort char more\nelement face 2\nproperty list int uint vertex_indices\nproperty int8 "
        "d\nend_header\n";
    for (int i = 0; i < 4; ++i) {
      append(text, static_cast<std::int16_t>(-300 + i), order);
      append(text, static_cast<float>(i * i) + 0.25f, order);
      append(text, std::uint8_t{10}, order);  // a line feed in the data
      append(text, 0.1 * i, order);
      append(text, static_cast<std::uint16_t>(i), order);
      for (int k = 0; k < i; ++k)
        append(text, std::int8_t{13}, order);
    }
    for (const std::uint32_t last : {2u, 3u}) {
      append(text, std::int32_t{3}, order);
      for (const std::uint32_t corner : {0u, 1u, last})
        append(text, corner, order);
      append(text, std::int8_t{-1}, order);
    }
    ReadReport report;
    const MeshData mesh = read_text(text, MeshFormat::ply, &report);
    EXPECT_TRUE(report.binary);
    ASSERT_EQ(mesh.vertices.size(), 4u);
    EXPECT_EQ(mesh.vertices[3], Vector3(-297, 9.25, 0.1 * 3));
    ASSERT_EQ(mesh.triangles.size(), 2u);
    EXPECT_EQ(mesh.triangles[1], (Index3{0, 1, 3}));
  }
}

TEST(Ply, BinaryDataThatBeginsWithALineFeedIsNotTakenForTheHeader) {
  // x of the first vertex is the byte 10.
  std::string text =
      "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty uchar x\nproperty uchar y\nproperty uchar z\n"
      "element face 1\nproperty list uchar uchar vertex_indices\nend_header\n";
  text += std::string("\x0A\x00\x00\x01\x00\x00\x00\x01\x00\x03\x00\x01\x02", 13);
  EXPECT_EQ(read_text(text, MeshFormat::ply).vertices[0], Vector3(10, 0, 0));
}

TEST(Ply, TriangleStripsAreReadWithTheirTurns) {
  const MeshData mesh = read_text(
      "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\nelement "
      "tristrips 1\n"
      "property list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n8 0 1 2 3 -1 2 3 4\n",
      MeshFormat::ply);
  ASSERT_EQ(mesh.triangles.size(), 3u);
  EXPECT_EQ(mesh.triangles[0], (Index3{0, 1, 2}));
  EXPECT_EQ(mesh.triangles[1], (Index3{2, 1, 3}));
  EXPECT_EQ(mesh.triangles[2], (Index3{2, 3, 4}));
}

// ---- OFF ----

TEST(Off, CommentsCountsOnTheFirstLineColorsAndPolygons) {
  ReadReport report;
  const MeshData mesh = read_text(
      "# made by hand\nCOFF 4 2 0 # counts\n\n0 0 0 255 0 0 255\n1 0 0 1 1 1 1\n1 1 0\n0 1 0\n4 0 1 2 3 0.5 0.5 "
      "0.5\n3\t0 1 2\n",
      MeshFormat::off, &report);
  EXPECT_EQ(mesh.triangles.size(), 3u);
  EXPECT_EQ(report.polygons_triangulated, 1u);
  EXPECT_EQ(ignored(report, "colors of faces"), 1u);
  EXPECT_EQ(ignored(report, "normals, colors and texture coordinates of vertices"), 2u);
}

TEST(Off, BinaryIsBigEndian) {
  std::string text = "NOFF BINARY\n";
  for (const std::int32_t n : {4, 2, 0})
    append(text, n, std::endian::big);
  for (int i = 0; i < 4; ++i) {
    for (const float x : {static_cast<float>(i % 2), static_cast<float>(i / 2), 0.5f, 0.f, 0.f, 1.f}) {
      append(text, x, std::endian::big);
    }
  }
  for (const std::int32_t n : {3, 0, 1, 2, 0, 4, 0, 1, 3, 2, 1})
    append(text, n, std::endian::big);
  append(text, 0.5f, std::endian::big);
  ReadReport report;
  const MeshData mesh = read_text(text, MeshFormat::off, &report);
  EXPECT_TRUE(report.binary);
  EXPECT_EQ(mesh.vertices[3], Vector3(1, 1, 0.5));
  EXPECT_EQ(mesh.triangles.size(), 3u);
  EXPECT_EQ(ignored(report, "normals"), 4u);
  EXPECT_EQ(ignored(report, "colors of faces"), 1u);
}

// ---- polygons ----

double signed_area(const std::vector<Vector3>& p, const Index3& t) {
  const Vector3 u = p[t[1]] - p[t[0]];
  const Vector3 v = p[t[2]] - p[t[0]];
  return (u.x() * v.y() - u.y() * v.x()) / 2;
}

double polygon_area(const std::vector<Vector3>& p) {
  double area = 0;
  for (std::size_t i = 1; i + 1 < p.size(); ++i) {
    area += signed_area(p, {0, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1)});
  }
  return area;
}

/// Expects n - 2 triangles, none of them flipped, whose areas add up to the polygon's, and each polygon edge in exactly
/// one of them.
void expect_tiling(const std::vector<Vector3>& polygon, bool area_everywhere = true) {
  std::uint64_t steps = 1'000'000'000;
  std::vector<Index3> triangles;
  ASSERT_EQ(shapes::cut_polygon(polygon, steps, triangles), shapes::PolygonCut::simple);
  ASSERT_EQ(triangles.size(), polygon.size() - 2);
  double sum = 0;
  std::vector<int> edge_uses(polygon.size(), 0);
  for (const Index3& t : triangles) {
    const double area = signed_area(polygon, t);
    if (area_everywhere) {
      EXPECT_GT(area, 0) << t[0] << " " << t[1] << " " << t[2];
    } else {
      EXPECT_GE(area, 0) << t[0] << " " << t[1] << " " << t[2];
    }
    sum += area;
    for (std::size_t k = 0; k < 3; ++k) {
      if ((t[k] + 1) % polygon.size() == t[(k + 1) % 3]) ++edge_uses[t[k]];
    }
  }
  EXPECT_NEAR(sum, polygon_area(polygon), 1e-9 * std::abs(sum));
  for (const int uses : edge_uses)
    EXPECT_EQ(uses, 1);
}

TEST(Polygon, ConvexOnesBecomeAFan) {
  std::vector<Vector3> polygon;
  for (int i = 0; i < 12; ++i)
    polygon.emplace_back(std::cos(i * 0.5236), std::sin(i * 0.5236), 0);
  expect_tiling(polygon);
}

TEST(Polygon, ConcaveQuadIsCutAtItsReflexCorner) {
  for (std::size_t turn = 0; turn < 4; ++turn) {
    std::vector<Vector3> dart{{0, 0, 0}, {4, -2, 0}, {1, 0, 0}, {4, 2, 0}};
    std::rotate(dart.begin(), dart.begin() + static_cast<std::ptrdiff_t>(turn), dart.end());
    expect_tiling(dart);
  }
}

TEST(Polygon, FlatCornersStayCorners) {
  expect_tiling({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}});
  expect_tiling({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {0, 1, 0}});
  // An L with flat corners on all sides.
  expect_tiling({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 1.5, 0}, {1, 2, 0}, {0, 2, 0}, {0, 1, 0}});
}

TEST(Polygon, HoleJoinedByABridgeStaysAHole) {
  // A square of side 4 with a square hole of side 2, connected by a bridge that is traversed both ways: area 12.
  const std::vector<Vector3> polygon{{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0},
                                     {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}};
  expect_tiling(polygon);
  std::uint64_t steps = 1'000'000;
  std::vector<Index3> triangles;
  shapes::cut_polygon(polygon, steps, triangles);
  for (const Index3& t : triangles) {
    const Vector3 middle = (polygon[t[0]] + polygon[t[1]] + polygon[t[2]]) / 3;
    EXPECT_TRUE(std::abs(middle.x() - 2) > 1 || std::abs(middle.y() - 2) > 1) << "a triangle covers the hole";
  }
}

TEST(Polygon, RandomStarShapedPolygonsAreTiled) {
  auto random = test::seeded(504);
  for (std::size_t i = 0; i < test::cases(300); ++i) {
    const std::size_t count = 4 + random() % 40;
    std::vector<Vector3> polygon;
    for (std::size_t k = 0; k < count; ++k) {
      const double angle = 6.283185307179586 * static_cast<double>(k) / static_cast<double>(count);
      const double radius = test::uniform(random, 0.1, 1);
      polygon.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0);
    }
    expect_tiling(polygon);
  }
}

TEST(Polygon, RandomStaircasesOnAnIntegerGridAreTiled) {
  // Rectilinear outlines with many straight corners and collinear corners: the hard cases for exactness.
  auto random = test::seeded(505);
  for (std::size_t i = 0; i < test::cases(300); ++i) {
    std::vector<Vector3> polygon;
    const int columns = 2 + static_cast<int>(random() % 12);
    for (int x = 0; x < columns; ++x) {  // the lower side, left to right
      const double y = -1.0 - static_cast<double>(random() % 3);
      polygon.emplace_back(x, y, 0);
      polygon.emplace_back(x + 1, y, 0);
    }
    for (int x = columns; x > 0; --x) {  // the upper side, right to left
      const double y = 1.0 + static_cast<double>(random() % 3);
      polygon.emplace_back(x, y, 0);
      polygon.emplace_back(x - 1, y, 0);
    }
    expect_tiling(polygon, false);
  }
}

TEST(Polygon, SpiralsOfThousandsOfCornersAreTiledQuickly) {
  std::vector<Vector3> polygon;
  const int count = 20'000;
  for (int i = 0; i < count; ++i) {
    const double angle = 0.01 * i;
    polygon.emplace_back((10 + angle) * std::cos(angle), (10 + angle) * std::sin(angle), 0);
  }
  for (int i = count - 1; i >= 0; --i) {
    const double angle = 0.01 * i;
    polygon.emplace_back((8 + angle) * std::cos(angle), (8 + angle) * std::sin(angle), 0);
  }
  std::reverse(polygon.begin(), polygon.end());
  if (polygon_area(polygon) < 0) std::reverse(polygon.begin(), polygon.end());
  expect_tiling(polygon);
}

TEST(Polygon, EveryPlaneAndBothTurnsGiveTheSameTurnBack) {
  // The dart in each coordinate plane, and seen from behind: the triangles have the polygon's orientation.
  const std::vector<Vector3> dart{{0, 0, 0}, {4, -2, 0}, {1, 0, 0}, {4, 2, 0}};
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool reversed : {false, true}) {
      std::vector<Vector3> polygon;
      for (const Vector3& p : dart) {
        Vector3 q;
        q[axis] = p.x();
        q[(axis + 1) % 3] = p.y();
        q[(axis + 2) % 3] = 3;
        polygon.push_back(q);
      }
      if (reversed) std::reverse(polygon.begin(), polygon.end());
      std::uint64_t steps = 1'000'000;
      std::vector<Index3> triangles;
      ASSERT_EQ(shapes::cut_polygon(polygon, steps, triangles), shapes::PolygonCut::simple);
      ASSERT_EQ(triangles.size(), 2u);
      for (const Index3& t : triangles) {
        std::vector<Vector3> flat;
        for (const std::uint32_t corner : t) {
          flat.emplace_back(polygon[corner][axis], polygon[corner][(axis + 1) % 3], 0);
        }
        const double area = signed_area(flat, {0, 1, 2});
        EXPECT_EQ(area > 0, !reversed);
      }
    }
  }
}

TEST(Polygon, OneWithoutAProperCutBecomesAFanAndIsCounted) {
  ReadReport report;
  const MeshData mesh =
      read_text("v 0 0 0\nv 2 2 0\nv 2 0 0\nv 0 2 0\nf 1 2 3 4\nf 1 1 1 1 1\n", MeshFormat::obj, &report);
  ASSERT_EQ(mesh.triangles.size(), 5u);
  EXPECT_EQ(report.polygons_not_simple, 2u);
  EXPECT_EQ(mesh.triangles[1], (Index3{0, 2, 3}));
}

TEST(Polygon, OneThatRunsOverItselfThousandsOfTimesEndsInBoundedTime) {
  // All corners are at three positions, so there is never a free ear. The polygon may be refused, but the algorithm
  // must terminate.
  std::vector<Vector3> polygon;
  for (int i = 0; i < 200'000; ++i)
    polygon.emplace_back(i % 3 == 1 ? 1 : 0, i % 3 == 2 ? 1 : 0, 0);
  std::uint64_t steps = 100'000'000;
  std::vector<Index3> triangles;
  const shapes::PolygonCut cut = shapes::cut_polygon(polygon, steps, triangles);
  EXPECT_EQ(triangles.size(), cut == shapes::PolygonCut::too_intricate ? 0 : polygon.size() - 2);
}

TEST(Polygon, ExtremeCoordinatesNeitherHangNorCrash) {
  auto random = test::seeded(506);
  for (std::size_t i = 0; i < test::cases(200); ++i) {
    std::vector<Vector3> polygon;
    for (int k = 0; k < 8; ++k)
      polygon.emplace_back(test::any_finite(random), test::any_finite(random), test::any_finite(random));
    std::uint64_t steps = 1'000'000'000;
    std::vector<Index3> triangles;
    EXPECT_NE(shapes::cut_polygon(polygon, steps, triangles), shapes::PolygonCut::too_intricate);
    EXPECT_EQ(triangles.size(), 6u);
  }
}

}  // namespace
}  // namespace whisker
