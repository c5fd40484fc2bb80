#include "io/scene_stream.hpp"

#include <cstring>

#include <whisker/error.hpp>

namespace whisker::io {

namespace {

class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : bytes_(bytes) {}

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size()) throw Error("the output ends too early");
    const std::string_view piece = bytes_.substr(0, static_cast<std::size_t>(size));
    bytes_.remove_prefix(static_cast<std::size_t>(size));
    return piece;
  }
  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  /// Checks a count of items of at least `size` bytes each against the remaining bytes.
  std::size_t count(std::uint64_t told, std::size_t size) const {
    if (told > bytes_.size() / size) throw Error("the output declares more than it contains");
    return static_cast<std::size_t>(told);
  }
  std::string text() {
    const auto length = number<std::uint32_t>();
    return std::string(take(length));
  }
  std::vector<std::string> texts(std::uint64_t told) {
    std::vector<std::string> result(count(told, 4));
    for (std::string& one : result)
      one = text();
    return result;
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

StreamPart decode_part(Cursor& cursor) {
  StreamPart part;
  part.name = cursor.text();
  part.id = cursor.text();
  part.type = cursor.text();
  part.path = cursor.texts(cursor.number<std::uint32_t>());
  for (double& x : part.transform)
    x = cursor.number<double>();
  part.mesh.vertices.resize(cursor.count(cursor.number<std::uint64_t>(), 24));
  for (Vector3& vertex : part.mesh.vertices)
    for (double& x : vertex)
      x = cursor.number<double>();
  part.mesh.triangles.resize(cursor.count(cursor.number<std::uint64_t>(), 12));
  for (Index3& t : part.mesh.triangles) {
    for (std::uint32_t& corner : t) {
      corner = cursor.number<std::uint32_t>();
      if (corner >= part.mesh.vertices.size()) throw Error("the output has a triangle without vertices");
    }
  }
  return part;
}

}  // namespace

SceneStream decode_scene_stream(std::string_view bytes) {
  Cursor cursor(bytes);
  if (cursor.take(stream_magic.size()) != stream_magic) throw Error("the output does not begin correctly");
  if (cursor.number<std::uint32_t>() != stream_version) throw Error("the output has another version");
  SceneStream stream;
  const auto notes_told = cursor.number<std::uint32_t>();
  const auto parts_told = cursor.number<std::uint64_t>();
  stream.unit.meters = cursor.number<double>();
  stream.unit.name = cursor.text();
  const auto origin = cursor.number<std::uint8_t>();
  const auto up = cursor.number<std::uint8_t>();
  if (origin > static_cast<std::uint8_t>(UnitOrigin::format) || up > static_cast<std::uint8_t>(UpAxis::z)) {
    throw Error("the output has an invalid unit or up axis");
  }
  stream.unit.origin = static_cast<UnitOrigin>(origin);
  stream.up = static_cast<UpAxis>(up);
  stream.notes = cursor.texts(notes_told);
  constexpr std::size_t min_part = 4 * 4 + 12 * 8 + 8 + 8;
  const std::size_t parts = cursor.count(parts_told, min_part);
  stream.parts.reserve(parts);
  for (std::size_t i = 0; i < parts; ++i)
    stream.parts.push_back(decode_part(cursor));
  if (cursor.take(stream_magic.size()) != stream_magic || !cursor.at_end()) {
    throw Error("the output does not end correctly");
  }
  return stream;
}

}  // namespace whisker::io
