// Every kind of bad file gives an Error of one line that names the file, the place and the reason. One test for each
// kind.

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/io.hpp>

namespace whisker {
namespace {

/// A folder for this test program's files.
class BadFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("whisker_bad_files_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& content) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  /// Reads the content as a file of that name and expects an Error whose message contains all the pieces.
  void expect_error(const std::string& name, const std::string& content, const std::vector<std::string>& pieces) {
    expect_error_at(write(name, content), pieces);
  }
  void expect_error_at(const std::filesystem::path& path, const std::vector<std::string>& pieces) {
    const auto begin = std::chrono::steady_clock::now();
    std::string message;
    try {
      read_mesh(path);
    } catch (const Error& error) {
      message = error.what();
    }
    ASSERT_FALSE(message.empty()) << path << " was accepted";
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with(path.string())) << message;
    for (const std::string& piece : pieces) {
      EXPECT_NE(message.find(piece), std::string::npos) << "'" << piece << "' is not in: " << message;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  }

  std::filesystem::path folder_;
};

const std::string three_vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
const std::string ply_header =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
    "property list uchar int vertex_indices\nend_header\n";

std::string binary_ply_header(const std::string& vertices = "3", const std::string& faces = "1") {
  return "ply\nformat binary_little_endian 1.0\nelement vertex " + vertices +
         "\nproperty float x\nproperty float y\nproperty float z\nelement face " + faces +
         "\nproperty list uchar int vertex_indices\nend_header\n";
}

template <typename Number>
std::string raw(std::initializer_list<Number> numbers) {
  std::string out;
  for (const Number number : numbers) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    out.append(bytes, sizeof number);
  }
  return out;
}

std::string good_binary_stl() {
  return encode_mesh({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}}, MeshFormat::stl, true);
}

// ---- the file itself ----

TEST_F(BadFile, Missing) {
  expect_error_at(folder_ / "nothing.stl", {"cannot open", "No such file"});
}

TEST_F(BadFile, Directory) {
  std::filesystem::create_directory(folder_ / "folder.obj");
  expect_error_at(folder_ / "folder.obj", {"directory"});
}

TEST_F(BadFile, Unreadable) {
  const std::filesystem::path path = write("secret.obj", three_vertices + "f 1 2 3\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  // Root can read every file, so the test temporarily becomes nobody.
  constexpr uid_t nobody = 65534;
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(nobody), 0);
  }
  expect_error_at(path, {"cannot open", "Permission denied"});
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
}

TEST_F(BadFile, PipeIsRefusedAndNotWaitedFor) {
  const std::filesystem::path path = folder_ / "pipe.stl";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  expect_error_at(path, {"not a regular file"});
}

TEST_F(BadFile, Device) {
  std::string message;
  try {
    read_mesh("/dev/zero");
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("not a regular file"), std::string::npos) << message;
}

TEST_F(BadFile, Empty) {
  for (const char* name : {"a.stl", "a.obj", "a.ply", "a.off", "a.xyz"})
    expect_error(name, "", {"empty"});
}

TEST_F(BadFile, UnknownFormat) {
  expect_error("a.xyz", "hello world\n", {"format", ".stl, .obj, .ply and .off"});
}

TEST_F(BadFile, BinaryGarbage) {
  std::string garbage;
  unsigned state = 12345;
  for (int i = 0; i < 5000; ++i) {
    state = state * 1103515245u + 12345u;
    garbage += static_cast<char>(state >> 24);
  }
  expect_error("a.stl", garbage, {"byte 80", "not an STL file"});
  expect_error("a.obj", garbage, {"binary data"});
  expect_error("a.ply", garbage, {"not a PLY file"});
  expect_error("a.off", garbage, {"not an OFF file"});
}

TEST_F(BadFile, NameWithLineEndsStillGivesOneLine) {
  const std::filesystem::path path = folder_ / "two\nlines.obj";
  std::ofstream(path) << "v 0 0 nan\n";
  std::string message;
  try {
    read_mesh(path);
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("two?lines.obj:1"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

// ---- truncated files ----

TEST_F(BadFile, TruncatedTextStl) {
  const std::string whole = encode_mesh({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}, MeshFormat::stl);
  const std::size_t last_needed = whole.find("endsolid") + 8;
  for (std::size_t size = 7; size < last_needed; ++size)
    expect_error("a.stl", whole.substr(0, size), {"a.stl:"});
  expect_error("a.stl", "solid x\nfacet", {"a.stl:2:", "cut short"});
}

TEST_F(BadFile, TruncatedBinaryStl) {
  const std::string whole = good_binary_stl();
  for (const std::size_t size : {std::size_t{10}, std::size_t{83}}) {
    expect_error("a.stl", whole.substr(0, size), {"only", "cut short"});
  }
  for (const std::size_t size : {std::size_t{84}, std::size_t{100}, whole.size() - 1}) {
    expect_error("a.stl", whole.substr(0, size), {"byte 80", "cut short"});
  }
}

TEST_F(BadFile, TruncatedObj) {
  expect_error("a.obj", three_vertices + "f 1 2 3\nv 1 2", {"a.obj:5:", "too few numbers"});
  expect_error("a.obj", three_vertices + "f 1 2 4\n", {"a.obj:4:", "vertex number 4", "3 vertices"});
}

TEST_F(BadFile, TruncatedPly) {
  expect_error("a.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", {"inside its header"});
  expect_error("a.ply", ply_header + "0 0 0\n1 0 0\n0 1 0\n", {"a.ply:13:", "cut short"});
  expect_error("a.ply", ply_header + "0 0 0\n1 0 0\n0 1 0\n3 0 1\n", {"a.ply:13:", "fewer values"});
  expect_error("a.ply",
               binary_ply_header() + raw<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}) + "\x03" + raw<std::int32_t>({0, 1}),
               {"byte", "cut short"});
}

TEST_F(BadFile, TruncatedOff) {
  expect_error("a.off", "OFF\n", {"before its counts"});
  expect_error("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1", {"a.off:6:", "face of 3 corners", "cut short"});
  expect_error("a.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n3 0 1 2\n", {"a.off:6:", "fewer corners"});
  expect_error("a.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0   \n3 0 1 2", {"a.off:6:", "faces"});
}

// ---- numbers ----

TEST_F(BadFile, NotANumberInText) {
  for (const char* number :
       {"nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e999", "-1e999", "1e99999999999999999999"}) {
    SCOPED_TRACE(number);
    const std::string vertex = std::string("0 ") + number + " 0";
    expect_error("a.obj", "v " + vertex + "\n", {"a.obj:1:", "not a finite number"});
    expect_error("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex " + vertex + "\n",
                 {"a.stl:4:", "not a finite number"});
    expect_error("a.ply", ply_header + "0 0 0\n" + vertex + "\n0 0 0\n3 0 1 2\n", {"a.ply:11:", "not a finite number"});
    expect_error("a.off", "OFF 3 1 0\n" + vertex + "\n0 0 0\n0 0 0\n3 0 1 2\n", {"a.off:2:", "not a finite number"});
  }
}

TEST_F(BadFile, NotANumberInBinary) {
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                            -std::numeric_limits<float>::infinity()}) {
    std::string stl = good_binary_stl();
    std::memcpy(stl.data() + 84 + 12 + 4, &value, 4);
    expect_error("a.stl", stl, {"byte 100", "not a finite number"});
    const std::string header = binary_ply_header();
    expect_error("a.ply", header + raw<float>({0, 0, 0, value, 0, 0, 0, 1, 0}) + "\x03" + raw<std::int32_t>({0, 1, 2}),
                 {"byte " + std::to_string(header.size() + 12), "not a finite number"});
  }
}

TEST_F(BadFile, WordsWhereNumbersShouldStand) {
  expect_error("a.obj", "v 0 zero 0\n", {"a.obj:1:", "'zero'", "not a number"});
  expect_error("a.obj", "v 0 0x10 0\n", {"'0x10'", "not a number"});
  expect_error("a.obj", "v 0 1,5 0\n", {"'1,5'", "not a number"});
  expect_error("a.obj", three_vertices + "f 1 two 3\n", {"a.obj:4:", "'two'"});
  expect_error("a.obj", three_vertices + "f 1 2 3x\n", {"a.obj:4:", "'3x'"});
  expect_error("a.obj", three_vertices + "f 1/a 2 3\n", {"a.obj:4:", "'1/a'"});
  expect_error("a.off", "OFF\nmany 1 0\n", {"a.off:2:", "'many'"});
  expect_error("a.ply", ply_header + "0 0 0\n0 0 0\n0 0 0\n3 0 one 2\n", {"a.ply:13:", "'one'", "not an integer"});
}

// ---- indices ----

TEST_F(BadFile, ObjIndexZero) {
  expect_error("a.obj", three_vertices + "f 0 1 2\n", {"a.obj:4:", "vertex number 0", "from 1"});
}

TEST_F(BadFile, ObjIndexTooLarge) {
  expect_error("a.obj", three_vertices + "f 1 2 3\nf 1 2 4\n", {"a.obj:5:", "vertex number 4"});
  expect_error("a.obj", three_vertices + "f 1 2 4294967295\n", {"a.obj:4:", "4294967295", "out of range"});
  expect_error("a.obj", three_vertices + "f 1 2 99999999999999999999999999\n", {"a.obj:4:", "out of range"});
}

TEST_F(BadFile, ObjRelativeIndexBeforeTheFirstVertex) {
  expect_error("a.obj", three_vertices + "f -1 -2 -4\n", {"a.obj:4:", "-4", "only 3 vertices"});
  expect_error("a.obj", three_vertices + "f -1 -2 -99999999999999999999999\n", {"a.obj:4:", "only 3 vertices"});
}

TEST_F(BadFile, PlyIndexOutOfRange) {
  expect_error("a.ply", ply_header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", {"a.ply:13:", "vertex number 3"});
  expect_error("a.ply", ply_header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", {"a.ply:13:", "-1", "out of range"});
  const std::string data = raw<float>({0, 0, 0, 1, 0, 0, 0, 1, 0});
  expect_error("a.ply", binary_ply_header() + data + "\x03" + raw<std::int32_t>({0, 1, 7}),
               {"byte", "vertex number 7"});
  expect_error("a.ply", binary_ply_header() + data + "\x03" + raw<std::int32_t>({0, 1, -7}), {"byte", "-7"});
}

TEST_F(BadFile, OffIndexOutOfRange) {
  expect_error("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", {"a.off:6:", "vertex number 3"});
  expect_error("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", {"a.off:6:", "'-1'"});
  expect_error("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 99999999999999999999\n",
               {"a.off:6:", "not a vertex number"});
}

// ---- wrong counts ----

TEST_F(BadFile, StlCountThatLies) {
  for (const std::uint32_t count : {0u, 1u, 3u, 0xFFFFFFFFu}) {
    std::string stl = good_binary_stl();
    std::memcpy(stl.data() + 80, &count, 4);
    expect_error("a.stl", stl, {"byte 80", std::to_string(count) + " triangles"});
  }
}

TEST_F(BadFile, PlyCountThatLies) {
  for (const char* count : {"4", "1000000", "99999999999", "9223372036854775807", "18446744073709551615"}) {
    SCOPED_TRACE(count);
    expect_error("a.ply", binary_ply_header(count) + raw<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}), {"a.ply"});
    std::string text = ply_header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    text.replace(text.find("vertex 3") + 7, 1, count);
    expect_error("a.ply", text, {"a.ply:"});
  }
  expect_error("a.ply", binary_ply_header("99999999999"), {"declares 99999999999 elements", "counts are wrong"});
  expect_error("a.ply", binary_ply_header("3", "99999999999") + raw<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}),
               {"declares 99999999999 elements"});
}

TEST_F(BadFile, PlyCountThatIsTooSmall) {
  expect_error("a.ply", ply_header + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n", {"a.ply:14:", "more lines"});
  expect_error("a.ply", ply_header + "0 0 0 9\n1 0 0\n0 1 0\n3 0 1 2\n", {"a.ply:10:", "more values"});
  expect_error("a.ply",
               binary_ply_header() + raw<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}) + "\x03" + raw<std::int32_t>({0, 1, 2, 5}),
               {"4 bytes more"});
}

TEST_F(BadFile, PlyListCountThatLies) {
  expect_error("a.ply", ply_header + "0 0 0\n1 0 0\n0 1 0\n255 0 1 2\n", {"a.ply:13:", "list of 255"});
  expect_error("a.ply", ply_header + "0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n", {"a.ply:13:", "list of -3"});
  expect_error("a.ply", ply_header + "0 0 0\n1 0 0\n0 1 0\n99999999999 0 1 2\n", {"a.ply:13:", "list of 99999999999"});
  expect_error("a.ply",
               binary_ply_header() + raw<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}) + "\xFF" + raw<std::int32_t>({0, 1, 2}),
               {"list of 255", "12 bytes"});
}

TEST_F(BadFile, PlyElementWithoutPropertiesAndAHugeCountDoesNotHang) {
  expect_error("a.ply", "ply\nformat ascii 1.0\nelement nothing 9000000000000000000\nend_header\n", {"no triangles"});
}

TEST_F(BadFile, OffCountsThatLie) {
  for (const char* counts :
       {"4 1 0", "3 2 0", "3 99999999999 0", "99999999999 1 0", "9223372036854775807 9223372036854775807 0"}) {
    SCOPED_TRACE(counts);
    expect_error("a.off", std::string("OFF\n") + counts + "\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", {"a.off:"});
  }
  expect_error("a.off", "OFF\n3 0 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", {"more lines"});
  expect_error("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n4000000000 0 1 2\n", {"a.off:6:", "4000000000 corners"});
  expect_error("a.off", std::string("OFF BINARY\n\x7f\xff\xff\xff\x7f\xff\xff\xff\0\0\0\0", 23),
               {"byte 23", "declares 2147483647"});
}

// ---- no contents ----

TEST_F(BadFile, NoTriangles) {
  expect_error("a.obj", three_vertices, {"no triangles"});
  expect_error("a.obj", three_vertices + "f 1 2\nl 1 2\n", {"no triangles"});
  expect_error("a.obj", "hello world\n", {"no triangles"});
  expect_error("a.stl", "solid a\nendsolid a\n", {"no triangles"});
  expect_error("a.stl", std::string(84, '\0'), {"no triangles"});
  expect_error(
      "a.ply",
      "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
      {"no triangles"});
  expect_error("a.off", "OFF\n0 0 0\n", {"no triangles"});
}

// ---- broken headers and syntax ----

TEST_F(BadFile, PlyHeaderThatMakesNoSense) {
  const auto header = [](const std::string& lines) { return "ply\nformat ascii 1.0\n" + lines + "end_header\n"; };
  expect_error("a.ply", "ply\nformat utf8 1.0\n", {"a.ply:2:", "'utf8'"});
  expect_error("a.ply", "ply\nformat ascii 2.0\n", {"a.ply:2:", "'2.0'"});
  expect_error("a.ply", "ply\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
               {"format"});
  expect_error("a.ply", header("property float x\n"), {"a.ply:3:", "before the first element"});
  expect_error("a.ply", header("element vertex 3\nproperty quad x\n"), {"a.ply:4:", "'quad'"});
  expect_error("a.ply", header("element vertex 3\nproperty float x\nproperty float y\n"), {"x, y and z"});
  expect_error("a.ply", header("element vertex 3\nproperty float x\nproperty float x\n"), {"'x' twice"});
  expect_error("a.ply", header("element vertex 3\nproperty list uchar float x\n"), {"list"});
  expect_error("a.ply", header("element face 3\nproperty float area\n"), {"vertex_indices"});
  expect_error("a.ply", header("element face 3\nproperty list float int vertex_indices\n"), {"'float'"});
  expect_error("a.ply", header("element face 3\nproperty list uchar float vertex_indices\n"), {"integers"});
  expect_error("a.ply", header("element vertex minus\n"), {"a.ply:3:", "'minus'"});
  expect_error("a.ply", header("element vertex -3\n"), {"a.ply:3:", "'-3'"});
  expect_error("a.ply", header("hello\n"), {"a.ply:3:", "'hello'"});
}

TEST_F(BadFile, StlKeywordOutOfPlace) {
  expect_error("a.stl", "solid a\nfacet normal 0 0 1\nouter ring\n", {"a.stl:3:", "'ring'", "'loop'"});
  expect_error("a.stl", "solid a\nvertex 0 0 0\n", {"a.stl:2:", "'vertex'", "'facet'"});
  expect_error("a.stl", "solid a\nfacet normal 0 zero 1\n", {"a.stl:2:", "'zero'"});
}

TEST_F(BadFile, OffOfFourDimensions) {
  expect_error("a.off", "4OFF\n1 0 0\n0 0 0 0\n", {"a.off:1:", "'4OFF'"});
}

TEST_F(BadFile, LinesAreCountedInEveryStyle) {
  expect_error("a.obj", "v 0 0 0\r\nv 1 0 0\r\nv nan 0 0\r\n", {"a.obj:3:"});
  expect_error("a.obj", "v 0 0 0\rv 1 0 0\rv nan 0 0\r", {"a.obj:3:"});
  expect_error("a.obj", "v 0 \\\n0 0\nv 1 0 0\nv nan 0 0\n", {"a.obj:4:"});
}

}  // namespace
}  // namespace whisker
