#pragma once

// Shows the progress of long work.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <unistd.h>
#include <utility>

#include <fmt/core.h>

namespace whisker::apps {

/// Shows a bar on a terminal, or a line every few seconds elsewhere, on standard error. Shows nothing for short work.
class ProgressShow {
 public:
  /// `things` names what is counted, such as "pairs".
  explicit ProgressShow(std::string things) : things_(std::move(things)) {}

  void operator()(std::size_t done, std::size_t all) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (seconds < (is_terminal_ ? 0.5 : 2.0)) return;
    if (is_terminal_) {
      constexpr std::size_t width = 40;
      const std::size_t filled = all == 0 ? width : std::min(width, width * done / all);
      fmt::print(stderr, "\r[{}{}] {} of {} {}", std::string(filled, '#'), std::string(width - filled, '.'), done, all,
                 things_);
      is_drawn_ = true;
    } else if (seconds - last_ >= 5 || last_ == 0) {
      last_ = seconds;
      fmt::print(stderr, "{} of {} {}, {:.0f} s\n", done, all, things_, seconds);
    }
    std::fflush(stderr);
  }
  void finish() const {
    if (is_drawn_) fmt::print(stderr, "\r\033[K");
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::string things_;
  Clock::time_point begin_ = Clock::now();
  bool is_terminal_ = ::isatty(STDERR_FILENO) != 0;
  bool is_drawn_ = false;
  double last_ = 0;
};

}  // namespace whisker::apps
