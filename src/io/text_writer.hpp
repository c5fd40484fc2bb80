#pragma once

// Appends numbers to text, independent of the locale. Doubles are written with the shortest digits that read back to
// the same value.

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <whisker/vector.hpp>

namespace whisker::io {

class TextWriter {
 public:
  void text(std::string_view piece) { out_.append(piece); }
  void number(double value) {
    char digits[32];  // the longest of the shortest forms has 24 characters
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void integer(std::uint64_t value) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void vector(const Vector3& v) {
    number(v.x());
    out_ += ' ';
    number(v.y());
    out_ += ' ';
    number(v.z());
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace whisker::io
