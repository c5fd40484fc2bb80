#pragma once

// A value that is computed when it is first needed.

#include <atomic>
#include <memory>
#include <mutex>
#include <tbb/task_arena.h>
#include <utility>

namespace whisker::shapes {

/// Any number of threads may call get() at once. The first one computes the value and the others wait. A copy includes
/// a value that was already computed.
template <class T>
class Lazily {
 public:
  Lazily() = default;
  Lazily(const Lazily& other) {
    if (const T* const made = other.ready_.load(std::memory_order_acquire)) set(*made);
  }
  Lazily& operator=(const Lazily&) = delete;
  ~Lazily() = default;

  template <class Make>
  const T& get(const Make& make) const {
    if (const T* const made = ready_.load(std::memory_order_acquire)) return *made;
    const std::lock_guard lock(mutex_);
    // Isolated: if `make` runs in parallel, this thread must not start another task in the meantime that needs the same
    // value.
    if (value_ == nullptr) tbb::this_task_arena::isolate([&] { set(make()); });
    return *value_;
  }

  /// The value, or null if it has not been computed.
  const T* made() const { return ready_.load(std::memory_order_acquire); }
  /// The same for the owner, while no other thread uses it.
  T* made() { return value_.get(); }
  void drop() {
    ready_.store(nullptr, std::memory_order_relaxed);
    value_.reset();
  }

 private:
  void set(T value) const {
    value_ = std::make_unique<T>(std::move(value));
    ready_.store(value_.get(), std::memory_order_release);
  }

  mutable std::mutex mutex_;
  mutable std::unique_ptr<T> value_;
  mutable std::atomic<const T*> ready_ = nullptr;
};

}  // namespace whisker::shapes
