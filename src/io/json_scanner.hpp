#pragma once

// Reads JSON of a known structure in one pass, without building a tree of its values. The caller visits the members and
// elements that it knows and skips the others. Every failure is an Error with the line number.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <whisker/vector.hpp>

#include "io/line_scanner.hpp"
#include "io/source.hpp"

namespace whisker::io {

class JsonScanner {
 public:
  explicit JsonScanner(const Source& source) : source_(source) {}

  [[noreturn]] void fail(const std::string& reason) const { source_.fail_at_line(at_, reason); }

  /// The position where the next value begins.
  std::size_t next_value() {
    skip_blanks();
    return at_;
  }
  /// Fails if anything but whitespace follows.
  void expect_end() {
    skip_blanks();
    if (!ended()) fail("more text after the end of the object");
  }

  /// Reads a finite number.
  double number() {
    const std::string_view text = word();
    double value = 0;
    if (!is_number(text, value)) fail("expected a number, found " + found(text));
    if (!std::isfinite(value)) fail(quoted(text) + ", which is not a finite number: repair the data");
    return value;
  }

  /// Reads an integer from 0 to 2³² - 1.
  std::uint32_t index() {
    const std::string_view text = word();
    std::int64_t value = 0;
    if (!LineScanner::parse_integer(text, value) || text[0] == '+' || value < 0 || value > 0xFFFF'FFFF)
      fail("expected a whole number, 0 or larger, found " + found(text));
    return static_cast<std::uint32_t>(value);
  }

  /// Reads a list of three numbers. `what` describes it in messages, such as "of a center".
  Vector3 vector(const char* what) {
    Vector3 result = Vector3::Zero();
    expect('[', what);
    for (int i = 0; i < 3; ++i) {
      if (i > 0) expect(',', what);
      result[i] = number();
    }
    expect(']', what);
    return result;
  }

  /// Calls `visit(key)` at each value of an object.
  template <class Visit>
  void each_member(const Visit& visit) {
    expect('{', "of an object");
    if (take('}')) return;
    do {
      skip_blanks();
      const std::string_view key = string();
      expect(':', "after a key");
      visit(key);
    } while (take(','));
    expect('}', "at the end of an object");
  }

  /// Calls `visit()` at each value of a list.
  template <class Visit>
  void each_element(const Visit& visit) {
    expect('[', "of a list");
    if (take(']')) return;
    do
      visit();
    while (take(','));
    expect(']', "at the end of a list");
  }

  /// Skips any value.
  void skip(int nesting = 0) {
    if (nesting > max_nesting) fail("lists and objects nested more than 64 deep");
    skip_blanks();
    if (next() == '{') return each_member([&](std::string_view) { skip(nesting + 1); });
    if (next() == '[') return each_element([&] { skip(nesting + 1); });
    if (next() == '"') return void(string());
    const std::string_view text = word();
    double value = 0;
    if (text == "true" || text == "false" || text == "null" || is_number(text, value)) return;
    fail("expected a value, found " + found(text) + ": not JSON");
  }

 private:
  static constexpr int max_nesting = 64;

  bool ended() const { return at_ >= source_.text.size(); }
  char next() const { return ended() ? '\0' : source_.text[at_]; }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void skip_blanks() {
    while (!ended() && is_blank(next()))
      ++at_;
  }
  /// Consumes `c` if it comes next. Returns whether it did.
  bool take(char c) {
    skip_blanks();
    if (ended() || next() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* where) {
    if (take(c)) return;
    const std::string instead = ended() ? "the end" : quoted(source_.text.substr(at_, 1));
    fail(std::string("expected '") + c + "' " + where + ", found " + instead + ": not JSON, or cut short");
  }

  /// Returns the characters between quotes unchanged. Escapes are kept, so a key with an escape matches no known key.
  std::string_view string() {
    expect('"', "of a string");
    const std::size_t begin = at_;
    while (!ended() && next() != '"') {
      if (static_cast<unsigned char>(next()) < 0x20) fail("a control character in a string: not JSON, or damaged");
      at_ += next() == '\\' ? std::size_t{2} : std::size_t{1};
    }
    if (ended()) {
      at_ = begin;
      fail("unterminated string: the file is cut short");
    }
    return source_.text.substr(begin, at_++ - begin);
  }

  /// Reads letters, digits and signs: a number or a word.
  std::string_view word() {
    skip_blanks();
    const std::size_t begin = at_;
    const auto belongs = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
             c == '.';
    };
    while (!ended() && belongs(next()))
      ++at_;
    return source_.text.substr(begin, at_ - begin);
  }

  /// A word for a message. If there is none, what comes instead.
  std::string found(std::string_view word) const { return quoted(word.empty() ? source_.text.substr(at_, 8) : word); }

  static bool is_number(std::string_view word, double& value) {
    return !word.empty() && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9')) &&
           LineScanner::parse_double(word, value);
  }

  const Source& source_;
  std::size_t at_ = 0;
};

}  // namespace whisker::io
