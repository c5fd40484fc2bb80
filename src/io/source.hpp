#pragma once

// The bytes and name of a file, and the error messages about its content. Every message is one line.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace whisker::io {

struct Source {
  std::string_view text;  ///< The whole content, text or binary.
  std::string name;       ///< The file's name in messages.

  /// Throws an Error about the whole file: "name: reason".
  [[noreturn]] void fail(std::string_view reason) const;
  /// Throws an Error about the line that contains byte `offset`: "name:line: reason".
  [[noreturn]] void fail_at_line(std::size_t offset, std::string_view reason) const;
  /// Throws an Error about a position in binary data: "name: byte offset: reason".
  [[noreturn]] void fail_at_byte(std::size_t offset, std::string_view reason) const;
};

/// Formats a piece of a file for a message: in quotes, control and non-ASCII bytes as '?', truncated after 40
/// characters.
std::string quoted(std::string_view piece);

/// The content of a file. read_file throws an Error if it is missing, not a regular file, unreadable or larger than
/// memory.
struct FileBytes {
  std::unique_ptr<char[]> data;
  std::size_t size = 0;
  std::string_view view() const { return {data.get(), size}; }
};
FileBytes read_file(const std::filesystem::path& path);

/// Writes these bytes to a file, replacing an existing one. Throws an Error if it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Throws the Errors of read_file that can be detected without reading, and one if the file is empty.
void check_file(const std::filesystem::path& path);

/// The letter in lower case, if it is an ASCII letter.
inline char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The file's extension in lower case, such as ".stl".
std::string extension_of(const std::filesystem::path& path);

/// Converts a name from a file to UTF-8, with control characters as '?'. If its bytes are not UTF-8, as in older files,
/// they are interpreted as Latin-1: ASCII stays readable, and different names stay different.
std::string readable_name(std::string_view name);

/// Formats a path or name for a message: control characters as '?', so that the message stays one line.
std::string printable(std::string_view name);

}  // namespace whisker::io
