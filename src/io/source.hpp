#pragma once

// The bytes of one file and its name, and the messages about what is wrong in it. Every message is one line.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace whisker::io {

struct Source {
  std::string_view text;  ///< The whole content, text or not.
  std::string_view name;  ///< Names the file in messages.

  /// Throws an Error about the whole file: "name: reason".
  [[noreturn]] void fail(std::string_view reason) const;
  /// Throws an Error about the line that holds byte `offset`: "name:line: reason".
  [[noreturn]] void fail_at_line(std::size_t offset, std::string_view reason) const;
  /// Throws an Error about a place in binary data: "name: byte offset: reason".
  [[noreturn]] void fail_at_byte(std::size_t offset, std::string_view reason) const;
};

/// A piece of a file for a message: in quotes, control and non-ASCII bytes as '?', cut after 40 characters.
std::string quoted(std::string_view piece);

/// The content of a file. Throws an Error if it is missing, not a regular file, unreadable or larger than memory.
struct FileBytes {
  std::unique_ptr<char[]> data;
  std::size_t size = 0;
  std::string_view view() const { return {data.get(), size}; }
};
FileBytes read_file(const std::filesystem::path& path);

/// Makes a file of these bytes, replacing what was there. Throws an Error if it cannot be written.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Throws the Errors of read_file about what can be seen without reading, and one if the file is empty.
void check_file(const std::filesystem::path& path);

/// A name out of a file as UTF-8, control characters as '?'. Where its bytes are not UTF-8, as in files of the time
/// before it, they are taken for Latin-1: ASCII stays readable, and different names stay different.
std::string readable_name(std::string_view name);

/// A path or name for a message: control characters as '?', so that the message stays one line.
std::string printable(std::string_view name);

}  // namespace whisker::io
