// Reads and writes PLY (Turk 1994), text and binary of both byte orders. Reads the element "vertex" with x, y, z; the
// element "face" with its list vertex_indices or vertex_index; and the element "tristrips", triangle strips separated
// by -1. Everything else is skipped and counted.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/binary.hpp"
#include "io/faces.hpp"
#include "io/line_scanner.hpp"

namespace whisker::io {

namespace {

enum class Type { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct TypeTraits {
  std::string_view name;
  std::string_view short_name;
  std::size_t size;  ///< In bytes.
};
/// In the order of Type.
constexpr std::array<TypeTraits, 8> types{{{"int8", "char", 1},
                                           {"uint8", "uchar", 1},
                                           {"int16", "short", 2},
                                           {"uint16", "ushort", 2},
                                           {"int32", "int", 4},
                                           {"uint32", "uint", 4},
                                           {"float32", "float", 4},
                                           {"float64", "double", 8}}};

std::optional<Type> type_named(std::string_view name) {
  for (std::size_t i = 0; i < types.size(); ++i)
    if (name == types[i].name || name == types[i].short_name) return static_cast<Type>(i);
  return {};
}

std::size_t size_of(Type type) {
  return types[static_cast<std::size_t>(type)].size;
}

bool is_integer(Type type) {
  return type != Type::float32 && type != Type::float64;
}

/// What a property is used for. The first three are the axes of a position.
enum class Role { x, y, z, indices, none };

struct Property {
  Type type = Type::float32;
  bool is_list = false;
  Type count_type = Type::uint8;
  Role role = Role::none;
};

enum class ElementKind { vertex, face, strips, other };

struct Element {
  ElementKind kind = ElementKind::other;
  std::uint64_t count = 0;
  std::vector<Property> properties;
  std::array<bool, 4> skips{};  ///< Which kinds of skipped_data it has.
};

/// Data that is skipped: its name in the report, and the names of its properties. The last kind is everything else.
struct SkippedData {
  std::string_view what;
  std::array<std::string_view, 7> properties;
};
constexpr std::array<SkippedData, 4> skipped_data{
    {{"normals", {"nx", "ny", "nz"}},
     {"colors", {"red", "green", "blue", "alpha"}},
     {"texture coordinates", {"u", "v", "s", "t", "texture_u", "texture_v", "texcoord"}},
     {"other properties", {}}}};

enum class Encoding { text, little, big };
/// In the order of Encoding.
constexpr std::array<std::string_view, 3> encodings = {"ascii", "binary_little_endian", "binary_big_endian"};

struct Header {
  Encoding encoding = Encoding::text;
  std::vector<Element> elements;
  std::size_t size = 0;  ///< In bytes: where the data begins.
};

void add_property(LineScanner& line, Element& element) {
  Property property;
  std::string_view word = line.word();
  if (word == "list") {
    property.is_list = true;
    word = line.word();
    const std::optional<Type> count_type = type_named(word);
    if (!count_type || !is_integer(*count_type)) line.fail("list counted in " + quoted(word) + ": not an integer type");
    property.count_type = *count_type;
    word = line.word();
  }
  const std::optional<Type> type = type_named(word);
  if (!type) line.fail("property of type " + quoted(word) + ", which PLY does not have");
  property.type = *type;
  const std::string_view name = line.word();
  if (name.empty()) line.fail("property without a name: the header is damaged");

  const bool vertex = element.kind == ElementKind::vertex;
  if (vertex && (name == "x" || name == "y" || name == "z")) {
    property.role = name == "x" ? Role::x : name == "y" ? Role::y : Role::z;
    if (property.is_list) line.fail("coordinate " + quoted(name) + " is a list: it must be a number");
  } else if ((element.kind == ElementKind::face || element.kind == ElementKind::strips) &&
             (name == "vertex_indices" || name == "vertex_index")) {
    property.role = Role::indices;
    if (!property.is_list || !is_integer(property.type)) {
      line.fail("property " + quoted(name) + " is not a list of integers");
    }
  } else {
    std::size_t kind = 0;
    while (kind + 1 < skipped_data.size() && std::ranges::count(skipped_data[kind].properties, name) == 0)
      ++kind;
    element.skips[kind] = true;
  }
  if (property.role != Role::none && std::ranges::count(element.properties, property.role, &Property::role) > 0)
    line.fail("property " + quoted(name) + " twice: the header is damaged");
  element.properties.push_back(property);
}

/// Throws an Error unless the element has the properties that its kind requires.
void check_element(const LineScanner& line, const Element& element) {
  const auto roles = std::ranges::count_if(element.properties, [](const Property& p) { return p.role != Role::none; });
  if (element.kind == ElementKind::vertex && roles != 3) {
    line.fail("element 'vertex' without the properties x, y and z: the header is damaged");
  }
  if ((element.kind == ElementKind::face || element.kind == ElementKind::strips) && roles != 1) {
    line.fail("element 'face' or 'tristrips' without the list vertex_indices: the header is damaged");
  }
}

Header read_header(const Source& source) {
  Header header;
  LineScanner line(source, 0, {});
  if (!line.next_line() || line.word() != "ply") source.fail_at_line(0, "no 'ply' at the beginning: not a PLY file");
  line.rest();
  // All lines end like the first one. That matters at the end of the header, where the next byte may be data.
  const std::size_t first_end = line.offset();
  const bool two_bytes = source.text.substr(first_end, 2) == "\r\n";

  bool has_format = false;
  std::size_t vertex_elements = 0;
  while (line.next_line()) {
    const std::string_view keyword = line.word();
    if (keyword == "comment" || keyword == "obj_info") continue;
    if (keyword == "format") {
      const std::string_view name = line.word();
      const auto encoding = std::ranges::find(encodings, name);
      if (encoding == encodings.end())
        line.fail("format " + quoted(name) + ": it must be ascii, binary_little_endian or binary_big_endian");
      header.encoding = static_cast<Encoding>(encoding - encodings.begin());
      if (const std::string_view version = line.word(); version != "1.0") {
        line.fail("PLY version " + quoted(version) + ": only 1.0 is supported");
      }
      has_format = true;
    } else if (keyword == "element") {
      if (!header.elements.empty()) check_element(line, header.elements.back());
      Element element;
      const std::string_view name = line.word();
      if (name == "vertex") element.kind = ElementKind::vertex;
      if (name == "face") element.kind = ElementKind::face;
      if (name == "tristrips") element.kind = ElementKind::strips;
      if (element.kind == ElementKind::vertex && ++vertex_elements > 1) {
        line.fail("element 'vertex' twice: the header is damaged");
      }
      const std::string_view number = line.word();
      std::int64_t count = 0;
      if (!LineScanner::parse_integer(number, count) || count < 0) {
        line.fail("element " + quoted(name) + " with the count " + quoted(number) + ", which is not a count");
      }
      element.count = static_cast<std::uint64_t>(count);
      header.elements.push_back(std::move(element));
    } else if (keyword == "property") {
      if (header.elements.empty()) line.fail("property before the first element: the header is damaged");
      add_property(line, header.elements.back());
    } else if (keyword == "end_header") {
      if (!header.elements.empty()) check_element(line, header.elements.back());
      if (!has_format) line.fail("no 'format' line in the header: the file is damaged");
      line.rest();
      header.size = std::min(line.offset() + (two_bytes ? 2 : 1), source.text.size());
      return header;
    } else {
      line.fail("line that begins with " + quoted(keyword) + " in the header: the file is damaged");
    }
  }
  source.fail("the file ends inside its header: it is cut short; get it again");
}

/// The numbers of a text body: one record per line.
class TextValues {
 public:
  TextValues(const Source& source, const Header& header) : scanner_(source, header.size, {}) {}

  static constexpr bool binary = false;
  /// The minimum size of a record in bytes: a digit and a separator for each property.
  static std::size_t min_size(const Element& element) { return 2 * element.properties.size(); }
  /// One more than there are, because the last separator may be missing.
  std::size_t bytes_left() const { return scanner_.bytes_left() + 1; }
  std::size_t offset() const { return scanner_.offset(); }
  [[noreturn]] void fail(const std::string& reason) const { scanner_.fail(reason); }

  void begin_record() {
    if (!scanner_.next_line()) scanner_.fail("the file ends before all its elements are there: it is cut short");
  }
  void end_record() {
    if (const std::string_view more = scanner_.word(); !more.empty()) {
      scanner_.fail(quoted(more) + " after the last property: the line has more values than the header declares");
    }
  }
  double coordinate(Type) { return scanner_.finite_number("vertex"); }
  std::int64_t integer(Type) {
    const std::string_view word = value_word();
    std::int64_t value = 0;
    if (!LineScanner::parse_integer(word, value))
      scanner_.fail(quoted(word) + " is not an integer: the file is damaged");
    return value;
  }
  void skip(Type, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      value_word();
  }
  void expect_end() {
    if (scanner_.next_line()) scanner_.fail("more lines than the header declares: its counts are wrong");
  }

 private:
  std::string_view value_word() {
    const std::string_view word = scanner_.word();
    if (word.empty()) scanner_.fail("line with fewer values than the header declares: cut short or damaged");
    return word;
  }

  LineScanner scanner_;
};

/// The numbers of a binary body.
class BinaryValues {
 public:
  BinaryValues(const Source& source, const Header& header)
      : source_(source),
        at_(header.size),
        order_(header.encoding == Encoding::little ? std::endian::little : std::endian::big) {}

  static constexpr bool binary = true;
  static std::size_t min_size(const Element& element) {
    std::size_t size = 0;
    for (const Property& p : element.properties)
      size += size_of(p.is_list ? p.count_type : p.type);
    return size;
  }
  std::size_t bytes_left() const { return source_.text.size() - at_; }
  std::size_t offset() const { return at_; }
  [[noreturn]] void fail(const std::string& reason) const { source_.fail_at_byte(at_, reason); }

  void begin_record() {}
  void end_record() {}
  double coordinate(Type type) {
    const double value = number(type);
    if (!std::isfinite(value)) {
      source_.fail_at_byte(at_ - size_of(type), "vertex that is not a finite number: repair the data");
    }
    return value;
  }
  std::int64_t integer(Type type) {
    const char* const at = take(size_of(type));
    switch (type) {
      case Type::int8:
        return load<std::int8_t>(at, order_);
      case Type::uint8:
        return load<std::uint8_t>(at, order_);
      case Type::int16:
        return load<std::int16_t>(at, order_);
      case Type::uint16:
        return load<std::uint16_t>(at, order_);
      case Type::int32:
        return load<std::int32_t>(at, order_);
      case Type::uint32:
        return load<std::uint32_t>(at, order_);
      case Type::float32:
      case Type::float64:
        break;
    }
    return 0;  // the header rejects floating-point counts and indices
  }
  void skip(Type type, std::uint64_t count) {
    if (count > bytes_left() / size_of(type)) fail_cut_short();
    at_ += static_cast<std::size_t>(count) * size_of(type);
  }
  void expect_end() {
    if (bytes_left() > 0) {
      fail(std::to_string(bytes_left()) + " bytes more than the header declares: its counts are wrong");
    }
  }

 private:
  [[noreturn]] void fail_cut_short() const { fail("the file ends before all its elements are there: it is cut short"); }
  const char* take(std::size_t size) {
    if (size > bytes_left()) fail_cut_short();
    const char* const at = source_.text.data() + at_;
    at_ += size;
    return at;
  }
  double number(Type type) {
    if (type == Type::float32) return static_cast<double>(load<float>(take(4), order_));
    if (type == Type::float64) return load<double>(take(8), order_);
    return static_cast<double>(integer(type));
  }

  const Source& source_;
  std::size_t at_;
  std::endian order_;
};

/// Reads the length of a list and checks it against the remaining bytes.
template <typename Values>
std::uint64_t list_length(Values& values, const Property& property) {
  const std::int64_t length = values.integer(property.count_type);
  const std::size_t min_size = Values::binary ? size_of(property.type) : 2;
  if (length < 0 || static_cast<std::uint64_t>(length) > values.bytes_left() / min_size) {
    values.fail("list of " + std::to_string(length) + " values, but only " + std::to_string(values.bytes_left()) +
                " bytes are left: the file is cut short or damaged");
  }
  return static_cast<std::uint64_t>(length);
}

template <typename Values>
std::uint32_t vertex_number(const Values& values, std::int64_t value) {
  if (value < 0 || value > static_cast<std::int64_t>(max_vertices)) {
    values.fail("face with vertex number " + std::to_string(value) + ", which is out of range: the file is damaged");
  }
  return static_cast<std::uint32_t>(value);
}

/// Reads one face, or the triangles of strips. In a strip, every corner after the second makes a triangle with the two
/// before it, with alternating orientation. -1 begins a new strip.
template <typename Values>
void read_indices(Values& values, const Property& property, bool strips, std::size_t offset, FaceList& faces) {
  const std::uint64_t length = list_length(values, property);
  if (!strips) {
    faces.faces.push_back({faces.corners.size(), offset});
    for (std::uint64_t i = 0; i < length; ++i) {
      faces.corners.push_back(vertex_number(values, values.integer(property.type)));
    }
    return;
  }
  std::uint32_t before[2] = {0, 0};
  std::uint64_t in_strip = 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::int64_t value = values.integer(property.type);
    if (value == -1) {
      in_strip = 0;
      continue;
    }
    const std::uint32_t corner = vertex_number(values, value);
    if (in_strip >= 2) {
      faces.faces.push_back({faces.corners.size(), offset});
      const bool turned = in_strip % 2 == 1;
      faces.corners.insert(faces.corners.end(), {before[turned ? 1 : 0], before[turned ? 0 : 1], corner});
    }
    before[0] = before[1];
    before[1] = corner;
    ++in_strip;
  }
}

template <typename Values>
MeshData read_body(const Source& source, const Header& header, ReadReport& report) {
  Values values(source, header);
  std::vector<Vector3> vertices;
  FaceList faces;
  for (const Element& element : header.elements) {
    if (element.properties.empty()) continue;
    const std::size_t min_size = Values::min_size(element);
    if (element.count > values.bytes_left() / min_size) {
      values.fail("the header declares " + std::to_string(element.count) + " elements of at least " +
                  std::to_string(min_size) + " bytes here, but only " + std::to_string(values.bytes_left()) +
                  " bytes are left: the file is cut short, or its counts are wrong");
    }
    if (element.kind == ElementKind::vertex) {
      if (element.count > max_vertices) source.fail("more vertices than can be numbered: split the file");
      vertices.reserve(static_cast<std::size_t>(element.count));
    }
    if (element.kind == ElementKind::face) faces.faces.reserve(static_cast<std::size_t>(element.count));
    for (std::uint64_t i = 0; i < element.count; ++i) {
      values.begin_record();
      const std::size_t offset = values.offset();
      Vector3 position = Vector3::Zero();
      for (const Property& property : element.properties) {
        switch (property.role) {
          case Role::x:
          case Role::y:
          case Role::z:
            position[static_cast<Eigen::Index>(property.role)] = values.coordinate(property.type);
            break;
          case Role::indices:
            read_indices(values, property, element.kind == ElementKind::strips, offset, faces);
            break;
          case Role::none:
            values.skip(property.type, property.is_list ? list_length(values, property) : 1);
            break;
        }
      }
      if (element.kind == ElementKind::vertex) vertices.push_back(position);
      values.end_record();
    }
    const auto count = static_cast<std::size_t>(element.count);
    if (element.kind == ElementKind::other) {
      ignore(report, "elements other than vertices and faces", count);
    } else {
      for (std::size_t kind = 0; kind < skipped_data.size(); ++kind)
        if (element.skips[kind]) ignore(report, skipped_data[kind].what, count);
    }
  }
  values.expect_end();
  return make_mesh(source, std::move(vertices), faces, Values::binary, 0, report);
}

}  // namespace

MeshData read_ply(const Source& source, ReadReport& report) {
  report.format = MeshFormat::ply;
  const Header header = read_header(source);
  report.binary = header.encoding != Encoding::text;
  return report.binary ? read_body<BinaryValues>(source, header, report)
                       : read_body<TextValues>(source, header, report);
}

std::string encode_ply(const MeshData& mesh, bool binary) {
  TextWriter header;
  header.add("ply\nformat ", binary ? "binary_little_endian" : "ascii", " 1.0\ncomment whisker\n");
  header.add("element vertex ", mesh.vertices.size(), "\nproperty double x\nproperty double y\nproperty double z\n");
  header.add("element face ", mesh.triangles.size(), "\nproperty list uchar uint vertex_indices\nend_header\n");
  if (binary) {
    std::string out = header.take();
    out.reserve(out.size() + 24 * mesh.vertices.size() + 13 * mesh.triangles.size());
    for (const Vector3& v : mesh.vertices) {
      for (const double x : {v.x(), v.y(), v.z()})
        append_little(out, x);
    }
    for (const Index3& t : mesh.triangles) {
      out += static_cast<char>(3);
      for (const std::uint32_t corner : t)
        append_little(out, corner);
    }
    return out;
  }
  append_lines(mesh, "", "3", 0, header);
  return header.take();
}

}  // namespace whisker::io
