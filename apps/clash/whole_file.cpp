#include "clash/whole_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <whisker/error.hpp>

namespace whisker::clash {
namespace {

constexpr std::size_t max_waiting = std::size_t(1) << 20;

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw Error(path.string() + ": cannot be written: " + std::system_category().message(error));
}

}  // namespace

WholeFile::WholeFile(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.filename().empty() || std::filesystem::is_directory(path_)) fail(path_, EISDIR);
  temporary_ = path_.string() + ".part-XXXXXX";
  descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0) fail(path_, errno);
}

WholeFile::~WholeFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(temporary_.c_str());
}

void WholeFile::write(std::string_view text) {
  waiting_ += text;
  if (waiting_.size() >= max_waiting) flush();
}

void WholeFile::flush() {
  std::string_view left = waiting_;
  while (!left.empty()) {
    const ssize_t count = ::write(descriptor_, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path_, errno);
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  waiting_.clear();
}

void WholeFile::finish() {
  flush();
  // Temporary files are accessible only to their owner. This file should have the usual permissions.
  const mode_t mask = umask(0);
  umask(mask);
  if (fchmod(descriptor_, 0666 & ~mask) != 0 || fsync(descriptor_) != 0) fail(path_, errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, errno);
  close(descriptor_);
  descriptor_ = -1;
}

}  // namespace whisker::clash
