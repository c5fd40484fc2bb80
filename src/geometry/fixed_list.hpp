#pragma once

// A list with a fixed amount of room, in place.

#include <algorithm>
#include <array>
#include <cstddef>

namespace whisker::geometry {

template <class T, std::size_t most>
class FixedList {
 public:
  static constexpr std::size_t capacity = most;

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T* begin() { return items_.data(); }
  T* end() { return items_.data() + count_; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + count_; }
  T& back() { return items_[count_ - 1]; }
  const T& back() const { return items_[count_ - 1]; }

  void clear() { count_ = 0; }
  /// Does nothing if the list is full.
  void push_back(const T& item) {
    if (count_ < most) items_[count_++] = item;
  }
  /// There must be room. `item` must not be in the list.
  void insert(std::size_t at, const T& item) {
    std::copy_backward(begin() + at, end(), end() + 1);
    items_[at] = item;
    ++count_;
  }
  void erase(std::size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --count_;
  }

 private:
  std::array<T, most> items_;
  std::size_t count_ = 0;
};

}  // namespace whisker::geometry
