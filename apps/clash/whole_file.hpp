#pragma once

// A file that is there whole or not at all.

#include <filesystem>
#include <string>
#include <string_view>

namespace whisker::clash {

// Writes to a temporary file beside `path` and gives it that name at the end: whoever opens `path` finds what was there
// before or all that was written, also if the program is killed or the disk is full. Not finished, the temporary file
// is removed (a killed program leaves it, under its own name). Every failure is an Error that names `path`.
class WholeFile {
 public:
  explicit WholeFile(std::filesystem::path path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  void write(std::string_view text);
  // Everything is on the disk and under its name.
  void finish();

 private:
  void flush();

  std::filesystem::path path_;
  std::string temporary_;
  std::string waiting_;
  int descriptor_ = -1;
};

}  // namespace whisker::clash
