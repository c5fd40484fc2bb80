#pragma once

// Appends numbers to text, independent of the locale. Doubles are written with the shortest digits that read back to
// the same value.

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <whisker/vector.hpp>

namespace whisker::io {

class TextWriter {
 public:
  /// Appends texts, numbers and vectors, one after the other. The numbers of a vector are separated by blanks.
  template <class... Pieces>
  void add(const Pieces&... pieces) {
    (append(pieces), ...);
  }
  std::string take() { return std::move(out_); }

 private:
  void append(std::string_view piece) { out_.append(piece); }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void append(Number value) {
    char digits[32];  // the longest of the shortest forms has 24 characters
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void append(const Vector3& v) {
    append(v.x());
    out_ += ' ';
    append(v.y());
    out_ += ' ';
    append(v.z());
  }

  std::string out_;
};

}  // namespace whisker::io
