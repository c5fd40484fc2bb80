#pragma once

// Writes a file so that it exists either completely or not at all.

#include <filesystem>
#include <string>
#include <string_view>

namespace whisker::clash {

// Writes to a temporary file beside `path` and renames it at the end. So whoever opens `path` finds either the previous
// content or everything that was written, even if the program is killed or the disk is full. If writing is not
// finished, the temporary file is removed (a killed program leaves it behind, under its own name). Every failure is an
// Error that names `path`.
class WholeFile {
 public:
  explicit WholeFile(std::filesystem::path path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view text);
  // Afterward everything is on the disk and under its final name.
  void finish();

 private:
  void flush();

  std::filesystem::path path_;
  std::string temporary_;
  std::string waiting_;
  int descriptor_ = -1;
};

}  // namespace whisker::clash
