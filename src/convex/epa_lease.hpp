#pragma once

// The memory of an expanding polytope, kept per thread, so that queries allocate nothing once it has grown.

#include "convex/epa.hpp"

namespace whisker::convex {

/// A thread's memory is used by one search at a time. A user's support function may call whisker in the middle of a
/// search. The inner search then gets memory of its own.
template <class V>
class EpaLease {
 public:
  EpaLease() : nested_(is_busy()) { is_busy() = true; }
  ~EpaLease() { is_busy() = nested_; }
  EpaLease(const EpaLease&) = delete;
  EpaLease& operator=(const EpaLease&) = delete;

  EpaMemory<V>& memory() {
    thread_local EpaMemory<V> shared;
    return nested_ ? own_ : shared;
  }

 private:
  static bool& is_busy() {
    thread_local bool value = false;
    return value;
  }
  bool nested_;
  EpaMemory<V> own_;
};

}  // namespace whisker::convex
