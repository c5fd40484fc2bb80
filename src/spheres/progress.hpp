#pragma once

// Reports the progress of a long computation from many threads.

#include <cstddef>
#include <functional>
#include <mutex>

namespace whisker::spheres {

class Progress {
 public:
  using Report = std::function<void(std::size_t done, std::size_t all)>;

  Progress(const Report& report, std::size_t all) : report_(report), all_(all) {}

  void add(std::size_t parts) {
    if (!report_ || parts == 0) return;
    const std::lock_guard<std::mutex> held(lock_);
    done_ += parts;
    report_(done_, all_);
  }
  /// Reports that `done` parts are done in total, if that is an increase. Must not run concurrently with add().
  void reach(std::size_t done) { add(done > done_ ? done - done_ : 0); }

 private:
  const Report& report_;
  std::size_t all_;
  std::size_t done_ = 0;
  std::mutex lock_;
};

}  // namespace whisker::spheres
