#pragma once

// Working memory that a thread keeps from one query to the next, so that queries allocate nothing once it has grown.

#include <memory>
#include <utility>

namespace whisker::geometry {

/// Lends a thread's memory of this type to one user at a time. A query may begin in the middle of another on the same
/// thread: in a user's function, or in a task that the thread takes on while it waits. The inner one then gets memory
/// of its own.
template <class Memory>
class Lease {
 public:
  Lease() : kept_(kept()), is_nested_(std::exchange(kept_.is_lent, true)) {
    if (is_nested_) own_ = std::make_unique<Memory>();
  }
  ~Lease() { kept_.is_lent = is_nested_; }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Memory& operator*() const { return is_nested_ ? *own_ : kept_.memory; }
  Memory* operator->() const { return &**this; }

 private:
  struct Kept {
    Memory memory;
    bool is_lent = false;
  };
  static Kept& kept() {
    thread_local Kept value;
    return value;
  }

  Kept& kept_;
  bool is_nested_;
  std::unique_ptr<Memory> own_;
};

}  // namespace whisker::geometry
