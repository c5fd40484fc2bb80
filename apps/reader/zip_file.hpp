#pragma once

// Reads files in a zip archive, as used by 3MF and compressed AMF.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace whisker::reader {

class ZipFile {
 public:
  struct Entry {
    std::uint32_t method = 0;
    std::uint32_t checksum = 0;
    std::uint32_t stored_size = 0;
    std::uint32_t size = 0;
    std::uint32_t offset = 0;
    bool is_encrypted = false;
  };

  // Whether these bytes begin like an archive.
  static bool is_zip(std::string_view bytes);

  // Reads the directory at the end of the archive. `bytes` must outlive this object. Throws an Error if the directory
  // is missing or inconsistent.
  explicit ZipFile(std::string_view bytes);

  // By their names in lower case without a leading slash, which is how packages refer to them.
  const std::map<std::string, Entry>& entries() const { return entries_; }
  bool holds(std::string_view name) const;
  // Reads a whole file and verifies its length and checksum. Throws an Error if there is no such file or if it is cut
  // short, damaged, encrypted, or in an unknown form. The result is never larger than its entry says.
  std::string read(std::string_view name) const;

 private:
  std::string_view bytes_;
  std::map<std::string, Entry> entries_;
};

}  // namespace whisker::reader
