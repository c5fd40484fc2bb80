// Reads and writes Wavefront OBJ, text. Vertices, faces and the names of groups and objects are read; everything else
// is skipped and counted. Statements are as in the Wavefront "Object Files" description, version 3.0.

#include <cstdint>
#include <string>
#include <string_view>

#include "io/faces.hpp"
#include "io/line_scanner.hpp"

namespace whisker::io {

namespace {

/// The report's name for a statement that is skipped. Empty if OBJ has no such statement.
std::string_view ignored_statement(std::string_view keyword) {
  if (keyword == "usemtl" || keyword == "mtllib" || keyword == "usemap" || keyword == "maplib") return "materials";
  if (keyword == "s") return "smoothing groups";
  if (keyword == "l") return "lines";
  if (keyword == "p") return "points";
  for (const std::string_view curve : {"vp", "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm", "trim",
                                       "hole", "scrv", "sp", "end", "con"}) {
    if (keyword == curve) return "statements of curves and curved surfaces";
  }
  for (const std::string_view display :
       {"bevel", "c_interp", "d_interp", "lod", "shadow_obj", "trace_obj", "ctech", "stech", "mg", "call", "csh"}) {
    if (keyword == display) return "display attributes";
  }
  return {};
}

/// Skips a line that is not an OBJ statement: some writers put counts or remarks there. Binary data is an error.
void ignore_unknown_line(LineScanner& scanner, std::string_view keyword, ReadReport& report) {
  const std::string_view rest = scanner.rest();
  for (const std::string_view piece : {keyword, rest}) {
    for (const char c : piece) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte < 0x20 && byte != '\t' && byte != '\v' && byte != '\f') || byte == 0x7f) {
        scanner.fail("binary data where an OBJ file has text: the file is damaged or of another format");
      }
    }
  }
  ignore(report, "lines that are not OBJ");
}

/// The vertex number, from 0, of a corner such as "7", "7/2", "7//3" or "-1/2/3".
std::uint32_t corner(const LineScanner& scanner, std::string_view word, std::size_t vertices_so_far) {
  const std::string_view number = word.substr(0, word.find('/'));
  std::int64_t value = 0;
  if (!LineScanner::parse_integer(number, value)) {
    scanner.fail("face with the corner " + quoted(word) + ", which does not begin with a vertex number");
  }
  // The other numbers of a corner are not used, but anything other than a number there indicates a damaged file.
  for (const char c : word.substr(number.size())) {
    if (c != '/' && c != '-' && c != '+' && (c < '0' || c > '9')) {
      scanner.fail("face with the corner " + quoted(word) + ", which is not vertex/texture/normal numbers");
    }
  }
  if (value == 0) scanner.fail("face with vertex number 0: an OBJ file numbers its vertices from 1");
  if (value < 0) {
    if (value < -static_cast<std::int64_t>(vertices_so_far)) {
      scanner.fail("face with the relative vertex number " + std::string(number.substr(0, 24)) + ", but only " +
                   std::to_string(vertices_so_far) + " vertices come before it: the file is damaged");
    }
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(vertices_so_far) + value);
  }
  if (value > static_cast<std::int64_t>(max_vertices)) {
    scanner.fail("face with vertex number " + std::string(number.substr(0, 24)) +
                 ", which is out of range: the file is damaged");
  }
  return static_cast<std::uint32_t>(value - 1);
}

}  // namespace

MeshData read_obj(const Source& source, ReadReport& report) {
  report.format = MeshFormat::obj;
  std::vector<Vector3> vertices;
  FaceList faces;
  LineScanner scanner(source, 0, {.hash_comments = true, .continuation = true});
  std::size_t normals = 0;
  std::size_t texture_coordinates = 0;
  std::size_t colors = 0;
  while (scanner.next_line()) {
    const std::string_view keyword = scanner.word();
    if (keyword == "v") {
      vertices.push_back(scanner.finite_vector("vertex"));
      // A weight or a color, which a mesh does not use.
      std::size_t more = 0;
      for (std::string_view extra = scanner.word(); !extra.empty(); extra = scanner.word(), ++more) {
        double ignored = 0;
        if (!LineScanner::parse_double(extra, ignored)) {
          scanner.fail("vertex with " + quoted(extra) + ", which is not a number");
        }
      }
      if (more >= 3) ++colors;
      if (vertices.size() > max_vertices) scanner.fail("more vertices than can be numbered: split the file");
    } else if (keyword == "f" || keyword == "fo") {
      faces.faces.push_back({faces.corners.size(), scanner.line_offset()});
      for (std::string_view word = scanner.word(); !word.empty(); word = scanner.word()) {
        faces.corners.push_back(corner(scanner, word, vertices.size()));
      }
    } else if (keyword == "vn") {
      ++normals;
    } else if (keyword == "vt") {
      ++texture_coordinates;
    } else if (keyword == "g" || keyword == "o") {
      // A name without faces is replaced by the next one.
      if (!faces.groups.empty() && faces.groups.back().first_face == faces.faces.size()) faces.groups.pop_back();
      faces.groups.push_back({printable(scanner.rest()), faces.faces.size()});
    } else if (const std::string_view what = ignored_statement(keyword); !what.empty()) {
      ignore(report, what);
    } else {
      ignore_unknown_line(scanner, keyword, report);
    }
  }
  ignore(report, "normals", normals);
  ignore(report, "texture coordinates", texture_coordinates);
  ignore(report, "vertex colors", colors);
  // Faces before the first name form a group of their own.
  if (!faces.groups.empty() && faces.groups.front().first_face > 0) faces.groups.insert(faces.groups.begin(), {"", 0});
  return make_mesh(source, std::move(vertices), faces, false, 1, report);
}

std::string encode_obj(const MeshData& mesh) {
  TextWriter out;
  out.add("# whisker\n");
  append_lines(mesh, "v ", "f", 1, out);
  return out.take();
}

}  // namespace whisker::io
