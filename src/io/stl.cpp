// Reads and writes STL (3D Systems, 1989), text and binary.
//
// Text:   solid NAME { facet normal X Y Z outer loop { vertex X Y Z } endloop endfacet } endsolid NAME, any number.
// Binary: 80 arbitrary bytes, the number of triangles (32 bits), and for each triangle 12 floats (normal and corners)
//         and 16 bits of attributes; little-endian.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <whisker/error.hpp>

#include "io/binary.hpp"
#include "io/faces.hpp"
#include "io/line_scanner.hpp"

namespace whisker::io {

namespace {

constexpr std::size_t header_size = 84;
constexpr std::size_t record_size = 50;

/// The number of triangles stated in a binary STL.
std::uint64_t triangle_count(std::string_view content) {
  return load<std::uint32_t>(content.data() + 80, std::endian::little);
}

/// Whether a word is the given keyword, ignoring case.
bool is_word(std::string_view word, std::string_view keyword) {
  return std::ranges::equal(word, keyword, {}, lower_case);
}

MeshData read_binary(const Source& source, ReadReport& report) {
  report.binary = true;
  const std::string_view content = source.text;
  if (content.size() < header_size) {
    source.fail(
        "only " + std::to_string(content.size()) +
        " bytes, and neither a text STL nor the 84 bytes that begin a binary one: cut short or not an STL file");
  }
  const std::uint64_t count = triangle_count(content);
  const std::uint64_t size_told = header_size + record_size * count;
  if (size_told != content.size()) {
    source.fail_at_byte(80, "the file says that it has " + std::to_string(count) + " triangles, which take " +
                                std::to_string(size_told) + " bytes, but it has " + std::to_string(content.size()) +
                                " bytes: it is cut short, damaged, or not an STL file");
  }
  if (3 * count > max_vertices) source.fail("more triangles than can be read at once: split the file");

  MeshData mesh;
  mesh.vertices.reserve(3 * count);
  mesh.triangles.reserve(count);
  std::size_t attributes = 0;
  for (std::size_t record = header_size; record < content.size(); record += record_size) {
    const char* const at = content.data() + record;
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    for (std::size_t corner = 0; corner < 3; ++corner) {
      mesh.vertices.push_back(finite_floats(source, record + 12 + 12 * corner, std::endian::little));
    }
    if (load<std::uint16_t>(at + 48, std::endian::little) != 0) ++attributes;
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  if (mesh.triangles.empty()) source.fail_at_byte(80, "no triangles: the file is empty except for its header");
  ignore(report, "normals", count);
  ignore(report, "attribute words", attributes);
  report.vertices_merged = merge_vertices(mesh);
  return mesh;
}

/// Reads the words of a text STL, regardless of line breaks.
class StlText {
 public:
  explicit StlText(const Source& source) : source_(source), scanner_(source, 0, {}) { at_end_ = !scanner_.next_line(); }

  /// The next word. Empty at the end of the file.
  std::string_view word() {
    while (!at_end_) {
      const std::string_view found = scanner_.word();
      if (!found.empty()) return found;
      at_end_ = !scanner_.next_line();
    }
    return {};
  }
  void expect(std::string_view keyword) {
    const std::string_view found = word();
    if (!is_word(found, keyword)) fail_at(found, keyword);
  }
  [[noreturn]] void fail_at(std::string_view found, std::string_view expected) {
    if (found.empty()) {
      source_.fail_at_line(source_.text.size(),
                           "the file ends where " + quoted(expected) + " should be: it is cut short; get it again");
    }
    scanner_.fail("expected " + quoted(expected) + ", found " + quoted(found) + ": the file is damaged or not an STL");
  }
  LineScanner& scanner() { return scanner_; }

 private:
  const Source& source_;
  LineScanner scanner_;
  bool at_end_ = false;
};

MeshData read_text(const Source& source, ReadReport& report) {
  std::vector<Vector3> vertices;
  FaceList faces;
  StlText text(source);
  for (std::string_view word = text.word(); !word.empty(); word = text.word()) {
    if (!is_word(word, "solid")) text.fail_at(word, "solid");
    if (!faces.groups.empty() && faces.groups.back().first_face == faces.faces.size()) faces.groups.pop_back();
    faces.groups.push_back({printable(text.scanner().rest()), faces.faces.size()});
    while (true) {
      word = text.word();
      if (is_word(word, "endsolid")) {
        text.scanner().rest();
        break;
      }
      if (!is_word(word, "facet")) text.fail_at(word, "facet");
      faces.faces.push_back({faces.corners.size(), text.scanner().line_offset()});
      text.expect("normal");
      for (int axis = 0; axis < 3; ++axis) {  // unused, and often nan or 0 0 0
        const std::string_view number = text.word();
        double ignored = 0;
        if (!LineScanner::parse_double(number, ignored)) text.fail_at(number, "a number");
      }
      text.expect("outer");
      text.expect("loop");
      for (word = text.word(); !is_word(word, "endloop"); word = text.word()) {
        if (!is_word(word, "vertex")) text.fail_at(word, "vertex");
        const Vector3 vertex = text.scanner().finite_vector("vertex");
        if (vertices.size() == max_vertices) text.scanner().fail("more vertices than can be numbered: split the file");
        faces.corners.push_back(static_cast<std::uint32_t>(vertices.size()));
        vertices.push_back(vertex);
      }
      text.expect("endfacet");
    }
  }
  ignore(report, "normals", faces.faces.size());
  MeshData mesh = make_mesh(source, std::move(vertices), faces, false, 0, report);
  report.vertices_merged = merge_vertices(mesh);
  return mesh;
}

}  // namespace

bool is_binary_stl(std::string_view content) {
  return content.size() >= header_size && content.size() == header_size + record_size * triangle_count(content);
}

MeshData read_stl(const Source& source, ReadReport& report) {
  report.format = MeshFormat::stl;
  if (is_binary_stl(source.text)) return read_binary(source, report);
  LineScanner scanner(source, 0, {});
  if (scanner.next_line() && is_word(scanner.word(), "solid")) return read_text(source, report);
  return read_binary(source, report);
}

std::string encode_stl(const MeshData& mesh, bool binary) {
  // The normal of a triangle, or 0 0 0 if it has none, as readers of the format expect, and its corners.
  const auto facet_of = [&](const Index3& t) -> std::array<Vector3, 4> {
    const Vector3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const double scale = std::max((b - a).cwiseAbs().maxCoeff(), (c - a).cwiseAbs().maxCoeff());
    if (!(scale > 0) || !std::isfinite(scale)) return {Vector3::Zero(), a, b, c};
    const Vector3 u = (b - a) / scale;
    const Vector3 v = (c - a) / scale;
    const Vector3 n(u.y() * v.z() - u.z() * v.y(), u.z() * v.x() - u.x() * v.z(), u.x() * v.y() - u.y() * v.x());
    const double length = n.norm();
    return {length > 0 ? Vector3(n / length) : Vector3(Vector3::Zero()), a, b, c};
  };
  if (binary) {
    if (mesh.triangles.size() > std::numeric_limits<std::uint32_t>::max()) {
      throw Error("a binary STL cannot hold more than 4294967295 triangles: split the mesh or write PLY");
    }
    std::string out("whisker");
    out.resize(80, ' ');
    out.reserve(header_size + record_size * mesh.triangles.size());
    append_little(out, static_cast<std::uint32_t>(mesh.triangles.size()));
    for (const Index3& t : mesh.triangles) {
      for (const Vector3& v : facet_of(t)) {
        for (const double x : {v.x(), v.y(), v.z()}) {
          if (std::abs(x) > static_cast<double>(std::numeric_limits<float>::max())) {
            throw Error("a vertex coordinate is too large for the floats of a binary STL: write a text STL or PLY");
          }
          append_little(out, static_cast<float>(x));
        }
      }
      append_little(out, std::uint16_t{0});
    }
    return out;
  }
  TextWriter out;
  out.add("solid whisker\n");
  for (const Index3& t : mesh.triangles) {
    const std::array<Vector3, 4> facet = facet_of(t);
    out.add("facet normal ", facet[0], "\nouter loop\n");
    for (std::size_t corner = 1; corner < 4; ++corner)
      out.add("vertex ", facet[corner], "\n");
    out.add("endloop\nendfacet\n");
  }
  out.add("endsolid whisker\n");
  return out.take();
}

}  // namespace whisker::io
