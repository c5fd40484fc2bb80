#pragma once

// Reads text line by line and word by word. Lines end in LF, CR LF or CR. Words are separated by blanks and tabs. One
// pass over the bytes, without copies and independent of the locale.

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <whisker/vector.hpp>

#include "geometry/constants.hpp"
#include "io/source.hpp"

namespace whisker::io {

class LineScanner {
 public:
  struct Syntax {
    bool hash_comments = false;  ///< A word that begins with '#' ends the line.
    bool continuation = false;   ///< A backslash at the end of a line joins it with the next one.
  };

  LineScanner(const Source& source, std::size_t begin, Syntax syntax)
      : source_(source),
        begin_(source.text.data()),
        at_(begin_ + begin),
        end_(begin_ + source.text.size()),
        line_(at_),
        syntax_(syntax) {}

  /// Advances to the next line that has a word. Returns false at the end of the text.
  bool next_line() {
    if (started_) finish_line();
    started_ = true;
    while (true) {
      line_ = at_;
      skip_blanks();
      if (at_ == end_) return false;
      if (!ends_line()) return true;
      finish_line();
    }
  }

  /// The next word of the line. Empty at its end.
  std::string_view word() {
    skip_blanks();
    if (at_ == end_ || ends_line()) return {};
    const char* const first = at_;
    while (at_ != end_ && !is_blank(*at_) && !is_line_end(*at_) && !continues())
      ++at_;
    return {first, static_cast<std::size_t>(at_ - first)};
  }

  /// The rest of the physical line, without surrounding blanks.
  std::string_view rest() {
    while (at_ != end_ && is_blank(*at_))
      ++at_;
    const char* const first = at_;
    while (at_ != end_ && !is_line_end(*at_))
      ++at_;
    const char* last = at_;
    while (last != first && is_blank(last[-1]))
      --last;
    return {first, static_cast<std::size_t>(last - first)};
  }

  /// Reads a finite double. `what` names in messages what it is part of, such as "vertex".
  double finite_number(std::string_view what) {
    const std::string_view token = word();
    if (token.empty()) fail(std::string(what) + " with too few numbers: the line is cut short or damaged");
    double value = 0;
    if (!parse_double(token, value)) fail(std::string(what) + " with " + quoted(token) + ", which is not a number");
    if (!std::isfinite(value)) {
      fail(std::string(what) + " with " + quoted(token) + ", which is not a finite number: repair the data");
    }
    return value;
  }

  /// Reads three of them.
  Vector3 finite_vector(std::string_view what) {
    const double x = finite_number(what), y = finite_number(what), z = finite_number(what);
    return {x, y, z};
  }

  [[noreturn]] void fail(std::string_view reason) const { source_.fail_at_line(offset(), reason); }
  /// Offset of the current line's first byte.
  std::size_t line_offset() const { return static_cast<std::size_t>(line_ - begin_); }
  /// Offset of the next byte to be read.
  std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }
  std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }

  /// Parses a whole word as a double. Values out of range become infinite or 0. Returns false if it is not a number.
  static bool parse_double(std::string_view token, double& value) {
    if (token.size() > 1 && token[0] == '+' && token[1] != '-' && token[1] != '+') token.remove_prefix(1);
    const char* const last = token.data() + token.size();
    const std::from_chars_result result = std::from_chars(token.data(), last, value);
    if (result.ptr != last) return false;
    if (result.ec == std::errc()) return true;
    if (result.ec != std::errc::result_out_of_range) return false;
    value = out_of_range_value(token);
    return true;
  }

  /// Parses a whole word as an integer, clamped to 64 bits. Returns false if it is not an integer.
  static bool parse_integer(std::string_view token, std::int64_t& value) {
    if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
    const char* const last = token.data() + token.size();
    const std::from_chars_result result = std::from_chars(token.data(), last, value);
    if (result.ptr != last || token.empty()) return false;
    if (result.ec == std::errc()) return true;
    if (result.ec != std::errc::result_out_of_range) return false;
    value = token[0] == '-' ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    return true;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
  static bool is_line_end(char c) { return c == '\n' || c == '\r'; }

  bool continues() const { return *at_ == '\\' && syntax_.continuation && at_ + 1 != end_ && is_line_end(at_[1]); }
  bool ends_line() const { return is_line_end(*at_) || (*at_ == '#' && syntax_.hash_comments); }

  void skip_blanks() {
    while (at_ != end_) {
      const bool blank = is_blank(*at_);
      if (!blank && !continues()) return;
      ++at_;
      if (!blank) skip_line_end();
    }
  }

  /// Skips CR LF, LF or CR.
  void skip_line_end() {
    if (at_ == end_) return;
    const bool is_return = *at_++ == '\r';
    if (is_return && at_ != end_ && *at_ == '\n') ++at_;
  }

  void finish_line() {
    bool in_comment = false;
    while (at_ != end_ && !is_line_end(*at_)) {
      in_comment = in_comment || (*at_ == '#' && syntax_.hash_comments);
      const bool joined = !in_comment && continues();
      ++at_;
      if (joined) skip_line_end();
    }
    skip_line_end();
  }

  /// The value, infinite or 0 with its sign, of a number that from_chars found to be outside the range of double. The
  /// sign of the decimal exponent of its first nonzero digit decides, since the number is far from 1 either way.
  static double out_of_range_value(std::string_view token) {
    const bool negative = token[0] == '-';
    std::int64_t before_point = 0;  // digits before the point from the first nonzero one, or minus the zeros after it
    bool seen_point = false;
    bool seen_digit = false;
    std::size_t i = negative ? 1 : 0;
    for (; i < token.size() && token[i] != 'e' && token[i] != 'E'; ++i) {
      if (token[i] == '.') {
        seen_point = true;
      } else if (token[i] != '0' || seen_digit) {
        seen_digit = true;
        if (!seen_point) ++before_point;
      } else if (seen_point) {
        --before_point;
      }
    }
    std::int64_t exponent = 0;
    if (i < token.size()) parse_integer(token.substr(i + 1), exponent);
    const double magnitude = exponent > -before_point ? infinity : 0.0;
    return negative ? -magnitude : magnitude;
  }

  const Source& source_;
  const char* begin_;
  const char* at_;
  const char* end_;
  const char* line_;
  Syntax syntax_;
  bool started_ = false;
};

}  // namespace whisker::io
