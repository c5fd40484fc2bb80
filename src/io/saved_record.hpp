#pragma once

// What the files of saved shapes consist of: a header with a checksum, and records. saved_shape.cpp has the layout.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <whisker/error.hpp>
#include <whisker/mesh.hpp>

#include "io/binary.hpp"
#include "io/checksum.hpp"

namespace whisker::io {

/// How all versions of the file begin: a byte beyond ASCII, both kinds of line ends and the DOS end-of-file character,
/// to detect damage from copying the file as text (as in PNG).
inline constexpr std::string_view saved_magic = "\x89WKM\r\n\x1a\n";

/// The checksum of a whole file except for the eight bytes of the checksum itself, which are at `at`.
inline std::uint64_t file_checksum(std::string_view file, std::size_t at) {
  return checksum(file.substr(0, at)) ^ std::rotl(checksum(file.substr(at + 8)), 1);
}

// All Errors below are without the file's name, which decode_shape adds.

/// Throws an Error if the file does not have this size, or if its checksum, which is at `at`, is wrong.
void check_whole(std::string_view file, std::uint64_t size, std::size_t at);

/// Reads little-endian numbers from the front of a record. Throws an Error if there are too few bytes.
class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : bytes_(bytes) {}

  std::size_t left() const { return bytes_.size(); }
  template <class Number>
  Number take() {
    if (bytes_.size() < sizeof(Number)) throw Error("it is cut short");
    const Number number = load<Number>(bytes_.data(), std::endian::little);
    bytes_.remove_prefix(sizeof(Number));
    return number;
  }
  template <class Number>
  void take_to(Number& number) {
    number = take<Number>();
  }
  /// The number of items that follow, of this many bytes each, to the record's end.
  std::size_t take_count(std::size_t item_bytes) {
    const auto count = take<std::uint64_t>();
    if (count > left() / item_bytes || count * item_bytes != left()) throw Error("its count does not fit its size");
    return static_cast<std::size_t>(count);
  }
  std::string_view take_bytes(std::uint64_t count) {
    if (count > bytes_.size()) throw Error("it is cut short");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

 private:
  std::string_view bytes_;
};

/// Appends a mesh with the links of its tree, whether or not it is a solid.
void append_mesh(std::string& out, const Mesh& mesh);
/// Reads what append_mesh wrote, as a surface. Throws an Error if it is inconsistent.
Mesh take_mesh(RecordReader& reader);
/// Reads a file of version 1, which contains one mesh. Throws an Error if it is inconsistent.
Mesh read_mesh_file(std::string_view file);

}  // namespace whisker::io
