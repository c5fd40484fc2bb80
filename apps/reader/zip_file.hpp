#pragma once

// Files in a zip archive, as 3MF and compressed AMF are.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace whisker::reader {

class ZipFile {
 public:
  // Whether these bytes begin as an archive does.
  static bool is_zip(std::string_view bytes);

  // Reads the directory at the end of the archive, whose bytes must outlive this. Throws an Error if there is none or
  // it does not hold together.
  explicit ZipFile(std::string_view bytes);

  // Names as stored, by names in small letters and without a slash in front: as packages look for them.
  const std::map<std::string, std::string>& names() const { return names_; }
  bool holds(std::string_view name) const;
  // The whole file, its length and checksum proven. Throws an Error: no such file, cut short, damaged, encrypted, or
  // in a form that is not known. A file is never larger than its entry says.
  std::string read(std::string_view name) const;

 private:
  struct Entry {
    std::uint32_t method = 0;
    std::uint32_t checksum = 0;
    std::uint32_t stored_size = 0;
    std::uint32_t size = 0;
    std::uint32_t offset = 0;
    bool is_encrypted = false;
  };
  std::string_view bytes_;
  std::map<std::string, std::string> names_;
  std::map<std::string, Entry> entries_;
};

}  // namespace whisker::reader
