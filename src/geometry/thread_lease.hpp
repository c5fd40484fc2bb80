#pragma once

// Memory that is kept per thread, so that queries allocate nothing once it has grown.

#include <memory>

namespace whisker::geometry {

/// Gives a thread's memory to one query at a time. A user's support function may start another query in the middle of a
/// query. The nested query then gets memory of its own.
template <class Memory>
class ThreadLease {
 public:
  ThreadLease() : nested_(is_busy()) { is_busy() = true; }
  ~ThreadLease() { is_busy() = nested_; }
  ThreadLease(const ThreadLease&) = delete;
  ThreadLease& operator=(const ThreadLease&) = delete;

  Memory& memory() {
    thread_local Memory shared;
    if (!nested_) return shared;
    if (!own_) own_ = std::make_unique<Memory>();
    return *own_;
  }

 private:
  static bool& is_busy() {
    thread_local bool value = false;
    return value;
  }
  bool nested_;
  std::unique_ptr<Memory> own_;
};

}  // namespace whisker::geometry
