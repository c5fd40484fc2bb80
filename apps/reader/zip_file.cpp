#include "reader/zip_file.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <zlib.h>

#include <whisker/error.hpp>

namespace whisker::reader {
namespace {

// PKWARE's APPNOTE 6.3: sections 4.3.7 (local headers), 4.3.12 (the directory) and 4.3.16 (its end).
constexpr std::string_view local_mark{"PK\x03\x04", 4};
constexpr std::string_view entry_mark{"PK\x01\x02", 4};
constexpr std::string_view end_mark{"PK\x05\x06", 4};
constexpr std::size_t local_size = 30;
constexpr std::size_t entry_size = 46;
constexpr std::size_t end_size = 22;

[[noreturn]] void fail_damaged(const char* what) {
  throw Error(std::string("the zip archive is damaged: ") + what);
}

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  if (at > bytes.size() || size > bytes.size() - at) fail_damaged("it ends too early");
  std::uint32_t value = 0;
  for (std::size_t i = size; i > 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  return value;
}

std::string key_of(std::string_view name) {
  while (name.starts_with('/'))
    name.remove_prefix(1);
  std::string key(name);
  std::transform(key.begin(), key.end(), key.begin(),
                 [](unsigned char c) { return c == '\\' ? '/' : static_cast<char>(std::tolower(c)); });
  return key;
}

std::string inflated(std::string_view stored, std::size_t size) {
  std::string result;
  z_stream stream{};
  constexpr int raw = -15;  // no header: zip has its own
  if (::inflateInit2(&stream, raw) != Z_OK) throw Error("cannot start decompression");
  const std::unique_ptr<z_stream, decltype(&::inflateEnd)> freed_at_the_end(&stream, &::inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));
  stream.avail_in = static_cast<uInt>(stored.size());
  // In steps, because an entry may lie about its size, so memory is allocated only for actual output.
  constexpr std::size_t step = std::size_t{1} << 20;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    const std::size_t done = result.size();
    const std::size_t room = std::min(step, size + 1 - done);
    result.resize(done + room);
    stream.next_out = reinterpret_cast<Bytef*>(result.data() + done);
    stream.avail_out = static_cast<uInt>(room);
    status = ::inflate(&stream, Z_NO_FLUSH);
    result.resize(done + room - stream.avail_out);
    if (result.size() > size) fail_damaged("a file in it is longer than declared");
    if (status != Z_OK && status != Z_STREAM_END) fail_damaged("a file in it cannot be decompressed");
  }
  return result;
}

}  // namespace

bool ZipFile::is_zip(std::string_view bytes) {
  return bytes.starts_with(local_mark) || bytes.starts_with(end_mark);
}

ZipFile::ZipFile(std::string_view bytes) : bytes_(bytes) {
  // The end of the directory is followed by a comment of at most 65535 bytes.
  const std::size_t found = bytes.rfind(end_mark);
  if (found == std::string_view::npos || bytes.size() - found < end_size) {
    fail_damaged("the directory at its end is missing; is the file complete?");
  }
  const std::uint32_t count = number_at(bytes, found + 10, 2);
  std::size_t at = number_at(bytes, found + 16, 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (at > bytes.size() || !bytes.substr(at).starts_with(entry_mark)) fail_damaged("its directory is invalid");
    Entry entry;
    entry.is_encrypted = (number_at(bytes, at + 8, 2) & 1u) != 0;
    entry.method = number_at(bytes, at + 10, 2);
    entry.checksum = number_at(bytes, at + 16, 4);
    entry.stored_size = number_at(bytes, at + 20, 4);
    entry.size = number_at(bytes, at + 24, 4);
    const std::uint32_t name_size = number_at(bytes, at + 28, 2);
    const std::uint32_t extra_size = number_at(bytes, at + 30, 2);
    const std::uint32_t comment_size = number_at(bytes, at + 32, 2);
    entry.offset = number_at(bytes, at + 42, 4);
    if (name_size > bytes.size() - at - entry_size) fail_damaged("its directory ends too early");
    entries_.emplace(key_of(bytes.substr(at + entry_size, name_size)), entry);
    at += entry_size + name_size + extra_size + comment_size;
  }
}

bool ZipFile::holds(std::string_view name) const {
  return entries_.contains(key_of(name));
}

std::string ZipFile::read(std::string_view name) const {
  const auto found = entries_.find(key_of(name));
  if (found == entries_.end()) throw Error("the zip archive has no file '" + std::string(name) + "'");
  const Entry& entry = found->second;
  if (entry.is_encrypted) throw Error("the zip archive is encrypted: save it without a password");
  constexpr std::uint32_t in_zip64 = 0xFFFF'FFFFu;
  if (entry.size == in_zip64 || entry.stored_size == in_zip64 || entry.offset == in_zip64) {
    throw Error("the zip archive contains a file of more than 4 GB: split it");
  }
  const std::size_t at = entry.offset;
  if (at > bytes_.size() || !bytes_.substr(at).starts_with(local_mark)) fail_damaged("a file in it is missing");
  const std::size_t data = at + local_size + number_at(bytes_, at + 26, 2) + number_at(bytes_, at + 28, 2);
  if (data > bytes_.size() || entry.stored_size > bytes_.size() - data) fail_damaged("a file in it is cut short");
  const std::string_view stored = bytes_.substr(data, entry.stored_size);
  std::string result;
  if (entry.method == 0) {
    result = stored;
  } else if (entry.method == 8) {
    result = inflated(stored, entry.size);
  } else {
    throw Error("the zip archive uses an unknown compression method: save it again as plain zip (deflate)");
  }
  if (result.size() != entry.size) fail_damaged("a file in it is shorter than declared");
  const uLong checksum = ::crc32(0, reinterpret_cast<const Bytef*>(result.data()), static_cast<uInt>(result.size()));
  if (checksum != entry.checksum) fail_damaged("a checksum is wrong");
  return result;
}

}  // namespace whisker::reader
