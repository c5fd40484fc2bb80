// Reads and writes OFF (Geomview's Object File Format), text and binary; the forms [ST][C][N]OFF, in three dimensions.
//
// Text:   OFF, then the numbers of vertices, faces and edges (ignored, may be missing); a line for each vertex that
//         begins with x y z; a line for each face: the number of its corners, the corners from 0, and maybe a color.
// Binary: the line "OFF BINARY", then the same in big-endian 32-bit integers and floats, where the corners of each face
//         are followed by the number of its color components and the components.

#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "io/binary.hpp"
#include "io/faces.hpp"
#include "io/line_scanner.hpp"

namespace whisker::io {

namespace {

struct Keyword {
  bool texture = false;
  bool colors = false;
  bool normals = false;
};

/// Parses a keyword such as "STCNOFF". Returns nothing if it is not one.
std::optional<Keyword> parse_keyword(std::string_view word) {
  Keyword keyword;
  const auto take = [&](std::string_view prefix) {
    if (!word.starts_with(prefix)) return false;
    word.remove_prefix(prefix.size());
    return true;
  };
  keyword.texture = take("ST");
  keyword.colors = take("C");
  keyword.normals = take("N");
  return word == "OFF" ? std::optional(keyword) : std::nullopt;
}

std::uint64_t parse_count(const LineScanner& line, std::string_view word, std::string_view what) {
  std::int64_t value = 0;
  if (!LineScanner::parse_integer(word, value) || value < 0) {
    line.fail("number of " + std::string(what) + " is " + quoted(word) + ", which is not a count");
  }
  return static_cast<std::uint64_t>(value);
}

/// Fails if that many vertices and faces cannot fit into the remaining bytes.
template <typename Fail>
void check_counts(std::uint64_t vertices, std::uint64_t faces, std::size_t min_vertex, std::size_t min_face,
                  std::size_t bytes_left, const Fail& fail) {
  if (vertices > bytes_left / min_vertex || faces > (bytes_left - vertices * min_vertex) / min_face) {
    fail("the header declares " + std::to_string(vertices) + " vertices and " + std::to_string(faces) +
         " faces, but only " + std::to_string(bytes_left) +
         " bytes are left: the file is cut short, or its counts are wrong");
  }
  if (vertices > max_vertices) fail("more vertices than can be numbered: split the file");
}

MeshData read_text(const Source& source, LineScanner& line, std::string_view first_count, ReadReport& report) {
  const std::uint64_t vertex_count = parse_count(line, first_count, "vertices");
  const std::uint64_t face_count = parse_count(line, line.word(), "faces");
  // "0 0 0" and "0" are the shortest lines. The last one may lack its line end.
  check_counts(vertex_count, face_count, 6, 2, line.bytes_left() + 1,
               [&](const std::string& reason) { line.fail(reason); });

  std::vector<Vector3> vertices;
  vertices.reserve(static_cast<std::size_t>(vertex_count));
  FaceList faces;
  faces.faces.reserve(static_cast<std::size_t>(face_count));
  std::size_t vertex_data = 0;
  std::size_t face_data = 0;
  const auto next_line = [&](std::string_view what) {
    if (!line.next_line()) {
      line.fail("the file ends before all its " + std::string(what) +
                " are there: it is cut short, or its counts are wrong");
    }
  };
  for (std::uint64_t i = 0; i < vertex_count; ++i) {
    next_line("vertices");
    vertices.push_back(line.finite_vector("vertex"));
    if (!line.word().empty()) ++vertex_data;
  }
  for (std::uint64_t i = 0; i < face_count; ++i) {
    next_line("faces");
    faces.faces.push_back({faces.corners.size(), line.line_offset()});
    const std::uint64_t corner_count = parse_count(line, line.word(), "corners");
    if (corner_count > (line.bytes_left() + 1) / 2) {
      line.fail("face of " + std::to_string(corner_count) + " corners, but only " + std::to_string(line.bytes_left()) +
                " bytes are left: the file is cut short or damaged");
    }
    for (std::uint64_t k = 0; k < corner_count; ++k) {
      const std::string_view word = line.word();
      std::int64_t value = 0;
      if (word.empty()) line.fail("face with fewer corners than it declares: the line is cut short or damaged");
      if (!LineScanner::parse_integer(word, value) || value < 0 || value > static_cast<std::int64_t>(max_vertices)) {
        line.fail("face with the corner " + quoted(word) + ", which is not a vertex number: the file is damaged");
      }
      faces.corners.push_back(static_cast<std::uint32_t>(value));
    }
    if (!line.word().empty()) ++face_data;
  }
  if (line.next_line()) line.fail("more lines than the header declares: its counts are wrong");
  ignore(report, "normals, colors and texture coordinates of vertices", vertex_data);
  ignore(report, "colors of faces", face_data);
  return make_mesh(source, std::move(vertices), faces, false, 0, report);
}

MeshData read_binary(const Source& source, std::size_t begin, const Keyword& keyword, ReadReport& report) {
  report.binary = true;
  std::size_t at = begin;
  const auto fail = [&](const std::string& reason) { source.fail_at_byte(at, reason); };
  const auto left = [&] { return source.text.size() - at; };
  const auto integer = [&]() -> std::uint32_t {
    if (left() < 4) fail("the file ends too early: it is cut short");
    const auto value = load<std::uint32_t>(source.text.data() + at, std::endian::big);
    at += 4;
    return value;
  };
  const std::uint64_t vertex_count = integer();
  const std::uint64_t face_count = integer();
  integer();  // edges
  const std::size_t vertex_size =
      std::size_t{12} + (keyword.normals ? 12 : 0) + (keyword.colors ? 16 : 0) + (keyword.texture ? 8 : 0);
  check_counts(vertex_count, face_count, vertex_size, 8, left(), fail);

  std::vector<Vector3> vertices;
  vertices.reserve(static_cast<std::size_t>(vertex_count));
  for (std::uint64_t i = 0; i < vertex_count; ++i, at += vertex_size)
    vertices.push_back(finite_floats(source, at, std::endian::big));
  FaceList faces;
  faces.faces.reserve(static_cast<std::size_t>(face_count));
  std::size_t face_colors = 0;
  for (std::uint64_t i = 0; i < face_count; ++i) {
    faces.faces.push_back({faces.corners.size(), at});
    const std::uint32_t corner_count = integer();
    if (corner_count > left() / 4) {
      fail("face of " + std::to_string(corner_count) + " corners, but only " + std::to_string(left()) +
           " bytes are left: the file is cut short or damaged");
    }
    for (std::uint32_t k = 0; k < corner_count; ++k)
      faces.corners.push_back(integer());
    const std::uint32_t components = integer();
    if (components > left() / 4) {
      fail("color of " + std::to_string(components) + " components, but only " + std::to_string(left()) +
           " bytes are left: the file is cut short or damaged");
    }
    at += std::size_t{4} * components;
    if (components > 0) ++face_colors;
  }
  if (left() > 0) fail(std::to_string(left()) + " bytes more than the header declares: its counts are wrong");
  const auto count = static_cast<std::size_t>(vertex_count);
  if (keyword.normals) ignore(report, "normals", count);
  if (keyword.colors) ignore(report, "colors", count);
  if (keyword.texture) ignore(report, "texture coordinates", count);
  ignore(report, "colors of faces", face_colors);
  return make_mesh(source, std::move(vertices), faces, true, 0, report);
}

}  // namespace

MeshData read_off(const Source& source, ReadReport& report) {
  report.format = MeshFormat::off;
  LineScanner line(source, 0, {.hash_comments = true});
  if (!line.next_line()) source.fail("no 'OFF' at the beginning: not an OFF file");
  std::string_view word = line.word();
  const std::optional<Keyword> keyword = parse_keyword(word);
  if (!keyword) line.fail(quoted(word) + " at the beginning: not an OFF file of three dimensions");
  word = line.word();
  if (word == "BINARY") {
    line.rest();
    // The data begins after exactly one line end.
    const std::size_t end = line.offset();
    const std::size_t line_end = source.text.substr(end, 2) == "\r\n" ? 2 : 1;
    return read_binary(source, std::min(end + line_end, source.text.size()), *keyword, report);
  }
  if (word.empty()) {
    if (!line.next_line()) line.fail("the file ends before its counts: it is cut short");
    word = line.word();
  }
  return read_text(source, line, word, report);
}

std::string encode_off(const MeshData& mesh) {
  TextWriter out;
  out.add("OFF\n", mesh.vertices.size(), " ", mesh.triangles.size(), " 0\n");
  append_lines(mesh, "", "3", 0, out);
  return out.take();
}

}  // namespace whisker::io
