#include "io/source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <whisker/error.hpp>

#include "io/file_descriptor.hpp"

namespace whisker::io {

namespace {

/// The line number, from 1, of a byte. LF, CR and CR LF each end a line.
std::size_t line_of(std::string_view text, std::size_t offset) {
  std::size_t line = 1;
  for (std::size_t i = 0; i < std::min(offset, text.size()); ++i) {
    if (text[i] == '\n' || (text[i] == '\r' && !(i + 1 < text.size() && text[i + 1] == '\n'))) ++line;
  }
  return line;
}

std::string reason_of(int error) {
  return std::generic_category().message(error);
}

/// Opens a regular file and finds its size.
FileDescriptor open_file(const std::filesystem::path& path, const Source& about, std::size_t& size) {
  // Non-blocking, so that a pipe without a writer is rejected below instead of being waited for.
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number < 0) {
    about.fail("cannot open the file (" + reason_of(errno) + "): check the path and its permissions");
  }
  FileDescriptor file(number);
  struct stat info {};
  if (::fstat(number, &info) != 0) about.fail("cannot inspect the file (" + reason_of(errno) + ")");
  if (S_ISDIR(info.st_mode)) about.fail("this is a directory: give the path of a file in it");
  if (!S_ISREG(info.st_mode)) about.fail("this is not a regular file: copy the data into a file first");
  size = static_cast<std::size_t>(info.st_size);
  return file;
}

}  // namespace

void Source::fail(std::string_view reason) const {
  throw Error(printable(name) + ": " + std::string(reason));
}

void Source::fail_at_line(std::size_t offset, std::string_view reason) const {
  throw Error(printable(name) + ":" + std::to_string(line_of(text, offset)) + ": " + std::string(reason));
}

void Source::fail_at_byte(std::size_t offset, std::string_view reason) const {
  throw Error(printable(name) + ": byte " + std::to_string(offset) + ": " + std::string(reason));
}

std::string quoted(std::string_view piece) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  for (const char c : piece.substr(0, longest))
    result += c >= ' ' && c <= '~' ? c : '?';
  if (piece.size() > longest) result += "...";
  return result + "'";
}

std::string printable(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return result;
}

namespace {

/// The length in bytes of the first character in UTF-8 (RFC 3629). 0 if it is invalid.
std::size_t length_of_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first < 0xF5                  ? 4
                                                             : 0;
  if (first < 0xC2 || length == 0) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Rejects overlong forms, halves of a surrogate pair, and values beyond the last character.
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) >= 0xA0) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = length_of_letter(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

std::string readable_name(std::string_view name) {
  if (is_utf8(name)) return printable(name);
  std::string result;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += c;
    } else {
      result += static_cast<char>(0xC0 | byte >> 6);
      result += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return printable(result);
}

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), lower_case);
  return extension;
}

FileBytes read_file(const std::filesystem::path& path) {
  const Source about{{}, path.string()};
  std::size_t size = 0;
  const FileDescriptor file = open_file(path, about, size);
  FileBytes bytes;
  try {
    bytes.data = std::make_unique_for_overwrite<char[]>(std::max<std::size_t>(size, 1));
  } catch (const std::bad_alloc&) {
    about.fail("the file (" + std::to_string(size) + " bytes) does not fit into memory: split it");
  }
  while (bytes.size < size) {
    const ssize_t got = ::read(file.get(), bytes.data.get() + bytes.size, size - bytes.size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) about.fail("cannot read the file (" + reason_of(errno) + "): check the disk");
    if (got == 0) break;
    bytes.size += static_cast<std::size_t>(got);
  }
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  const auto fail_because = [&](int error) {
    Source{{}, path.string()}.fail("cannot write the file (" + reason_of(error) + "): check the path and the disk");
  };
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) fail_because(errno);
  errno = 0;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int write_error = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written) fail_because(write_error);
  if (!closed) fail_because(errno);
}

void check_file(const std::filesystem::path& path) {
  const Source about{{}, path.string()};
  std::size_t size = 0;
  open_file(path, about, size);
  if (size == 0) about.fail("the file is empty: get it again");
}

}  // namespace whisker::io
