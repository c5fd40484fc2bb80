// Sets of spheres as JSON: {"spheres": [{"center": [x, y, z], "radius": r}, …]}.
//
// A reader of this form alone, in one pass, that passes over what it does not know.

#include <cmath>
#include <string>
#include <vector>

#include <whisker/sphere_set.hpp>

#include "io/line_scanner.hpp"
#include "io/source.hpp"
#include "io/text_writer.hpp"

namespace whisker {
namespace {

class JsonReader {
 public:
  JsonReader(std::string_view text, std::string_view name) : source_{text, name} {}

  SphereSet read() {
    std::vector<Vector3> centres;
    std::vector<double> radii;
    bool seen = false;
    each_member([&](std::string_view key) {
      if (key != "spheres") return skip(0);
      if (seen) fail("\"spheres\" is there twice");
      seen = true;
      each_element([&] {
        bool has_centre = false, has_radius = false;
        Vector3 centre = Vector3::Zero();
        double radius = 0;
        skip_blanks();
        const std::size_t begin = at_;
        each_member([&](std::string_view inner) {
          if (inner == "center") {
            centre = vector();
            has_centre = true;
          } else if (inner == "radius") {
            radius = number();
            has_radius = true;
          } else {
            skip(0);
          }
        });
        const std::string which = "sphere " + std::to_string(radii.size());
        const auto fail_here = [&](const char* reason) { source_.fail_at_line(begin, which + " " + reason); };
        if (!has_centre) fail_here("has no \"center\"");
        if (!has_radius) fail_here("has no \"radius\"");
        if (radius < 0) fail_here("has a negative radius; leave it out, or give it 0 to be a point");
        if (centre.cwiseAbs().maxCoeff() > largest_coordinate || radius > largest_coordinate)
          fail_here("has a number beyond 1e90: use another unit of length");
        centres.push_back(centre);
        radii.push_back(radius);
      });
    });
    skip_blanks();
    if (at_ != source_.text.size()) fail("more text after the end of the object");
    if (!seen) source_.fail("it has no list \"spheres\"");
    if (radii.empty()) source_.fail("its list \"spheres\" is empty; give at least one");
    return {centres, radii};
  }

 private:
  static constexpr int most_nesting = 64;

  [[noreturn]] void fail(const std::string& reason) const { source_.fail_at_line(at_, reason); }

  bool ended() const { return at_ >= source_.text.size(); }
  char next() const { return ended() ? '\0' : source_.text[at_]; }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void skip_blanks() {
    while (!ended() && is_blank(next()))
      ++at_;
  }
  /// Whether `c` is what comes next; passes it then.
  bool take(char c) {
    skip_blanks();
    if (ended() || next() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, const char* where) {
    if (take(c)) return;
    const std::string found = ended() ? "the end" : io::quoted(source_.text.substr(at_, 1));
    fail(found + " where '" + c + "' " + where + " should be: not JSON, or cut short");
  }

  /// The characters between quotes as they stand; escapes are kept, so that a key with one is none of ours.
  std::string_view string() {
    expect('"', "of a string");
    const std::size_t begin = at_;
    while (!ended() && next() != '"') {
      if (static_cast<unsigned char>(next()) < 0x20) fail("a control character in a string: not JSON, or damaged");
      at_ += next() == '\\' ? std::size_t{2} : std::size_t{1};
    }
    if (ended()) {
      at_ = begin;
      fail("a string without an end: the file is cut short");
    }
    return source_.text.substr(begin, at_++ - begin);
  }

  /// Letters, digits and signs: a number or a word.
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

  static bool is_number(std::string_view word) {
    return !word.empty() && (word[0] == '-' || (word[0] >= '0' && word[0] <= '9'));
  }

  double number() {
    const std::string_view text = word();
    double value = 0;
    if (!is_number(text) || !io::LineScanner::parse_double(text, value)) {
      fail(io::quoted(text.empty() ? source_.text.substr(at_, 8) : text) + " where a number should be");
    }
    if (!std::isfinite(value)) fail(io::quoted(text) + ", which is not a finite number: repair the data");
    return value;
  }

  Vector3 vector() {
    Vector3 result = Vector3::Zero();
    expect('[', "of a center");
    for (int i = 0; i < 3; ++i) {
      if (i > 0) expect(',', "of a center of three numbers");
      result[i] = number();
    }
    expect(']', "of a center of three numbers");
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

  /// Passes over any value.
  void skip(int nesting) {
    if (nesting > most_nesting) fail("lists and objects nested more than 64 deep");
    skip_blanks();
    if (next() == '{') return each_member([&](std::string_view) { skip(nesting + 1); });
    if (next() == '[') return each_element([&] { skip(nesting + 1); });
    if (next() == '"') {
      string();
      return;
    }
    const std::string_view text = word();
    double value = 0;
    if (text == "true" || text == "false" || text == "null") return;
    if (!is_number(text) || !io::LineScanner::parse_double(text, value)) {
      fail(io::quoted(text.empty() ? source_.text.substr(at_, 8) : text) + " where a value should be: not JSON");
    }
  }

  io::Source source_;
  std::size_t at_ = 0;
};

}  // namespace

SphereSet parse_sphere_json(std::string_view text, std::string_view name) {
  return JsonReader(text, name).read();
}

std::string encode_sphere_json(const SphereSet& set) {
  io::TextWriter out;
  out.text("{\"spheres\": [");
  for (std::size_t i = 0; i < set.size(); ++i) {
    out.text(i == 0 ? "\n  {\"center\": [" : ",\n  {\"center\": [");
    for (int axis = 0; axis < 3; ++axis) {
      if (axis > 0) out.text(", ");
      out.number(set.centre(i)[axis]);
    }
    out.text("], \"radius\": ");
    out.number(set.radius(i));
    out.text("}");
  }
  out.text("\n]}\n");
  return out.take();
}

}  // namespace whisker
