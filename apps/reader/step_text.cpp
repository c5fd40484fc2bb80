#include "reader/step_text.hpp"

#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "io/xml_tags.hpp"
#include "reader/number_text.hpp"

namespace whisker::reader {
namespace {

constexpr std::string_view step_blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(step_blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(step_blanks) + 1 - first);
}

// Takes one statement of the file (ISO 10303-21), up to its semicolon. Strings and comments may contain semicolons,
// too.
std::optional<std::string_view> take_statement(std::string_view& text) {
  bool is_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') {
      is_string = !is_string;
    } else if (!is_string && c == '/' && i + 1 < text.size() && text[i + 1] == '*') {
      const std::size_t end = text.find("*/", i + 2);
      if (end == std::string_view::npos) return {};
      i = end + 1;
    } else if (!is_string && c == ';') {
      const std::string_view statement = trimmed(text.substr(0, i));
      text.remove_prefix(i + 1);
      return statement;
    }
  }
  return {};
}

// Splits at the commas that are not inside brackets or strings, such as in "*,.LENGTHUNIT.,$,.METRE.".
std::vector<std::string_view> arguments_of(std::string_view text) {
  std::vector<std::string_view> result;
  std::size_t begin = 0;
  int depth = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') is_string = !is_string;
    if (is_string) continue;
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0) {
      result.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  result.push_back(trimmed(text.substr(begin)));
  return result;
}

// The text without the brackets around it.
std::string_view inside_of(std::string_view text) {
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return text.substr(open + 1, close - open - 1);
}

std::optional<std::uint64_t> reference_of(std::string_view text) {
  if (!text.starts_with('#')) return {};
  return number_of<std::uint64_t>(text.substr(1));
}

struct Entity {
  std::string type;
  std::vector<std::string_view> arguments;
};

class Units {
 public:
  explicit Units(std::string_view text);
  SceneUnit length() const;

 private:
  // The length unit in meters. Nothing for other kinds of units.
  std::optional<SceneUnit> length_of(std::string_view reference, int depth) const;
  const Entity* find(std::string_view reference) const {
    const std::optional<std::uint64_t> number = reference_of(reference);
    const auto found = number ? entities_.find(*number) : entities_.end();
    return found == entities_.end() ? nullptr : &found->second;
  }

  std::map<std::uint64_t, Entity> entities_;
  const Entity* assignment_ = nullptr;
};

Units::Units(std::string_view text) {
  std::string_view project_units;
  std::optional<std::uint64_t> first_assignment;
  while (const std::optional<std::string_view> statement = take_statement(text)) {
    if (!statement->starts_with('#')) continue;
    const std::size_t equals = statement->find('='), open = statement->find('(');
    if (equals == std::string_view::npos || open == std::string_view::npos || open < equals) continue;
    std::string type(trimmed(statement->substr(equals + 1, open - equals - 1)));
    for (char& c : type)
      c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const bool is_wanted = type == "IFCSIUNIT" || type.starts_with("IFCCONVERSIONBASEDUNIT") ||
                           type == "IFCMEASUREWITHUNIT" || type == "IFCUNITASSIGNMENT" || type == "IFCPROJECT";
    const std::optional<std::uint64_t> number = reference_of(trimmed(statement->substr(0, equals)));
    if (!is_wanted || !number) continue;
    Entity entity{type, arguments_of(inside_of(*statement))};
    if (type == "IFCPROJECT" && !entity.arguments.empty()) project_units = entity.arguments.back();
    if (type == "IFCUNITASSIGNMENT" && !first_assignment) first_assignment = number;
    entities_.insert_or_assign(*number, std::move(entity));
  }
  assignment_ = find(project_units);
  if ((assignment_ == nullptr || assignment_->type != "IFCUNITASSIGNMENT") && first_assignment) {
    assignment_ = &entities_.at(*first_assignment);
  }
}

std::optional<SceneUnit> Units::length_of(std::string_view reference, int depth) const {
  const Entity* const unit = find(reference);
  if (unit == nullptr || depth > 4 || unit->arguments.size() < 4 || unit->arguments[1] != ".LENGTHUNIT.") return {};
  if (unit->type == "IFCSIUNIT") {
    static const std::map<std::string_view, double> prefixes{
        {".EXA.", 1e18},   {".PETA.", 1e15},  {".TERA.", 1e12}, {".GIGA.", 1e9},   {".MEGA.", 1e6},
        {".KILO.", 1e3},   {".HECTO.", 1e2},  {".DECA.", 1e1},  {".DECI.", 1e-1},  {".CENTI.", 1e-2},
        {".MILLI.", 1e-3}, {".MICRO.", 1e-6}, {".NANO.", 1e-9}, {".PICO.", 1e-12}, {".FEMTO.", 1e-15},
        {".ATTO.", 1e-18}, {"$", 1}};
    const auto prefix = prefixes.find(unit->arguments[2]);
    if (prefix == prefixes.end() || unit->arguments[3] != ".METRE.") return {};
    return SceneUnit{prefix->second, "", UnitOrigin::file};
  }
  if (!unit->type.starts_with("IFCCONVERSIONBASEDUNIT")) return {};
  const Entity* const measure = find(unit->arguments[3]);
  if (measure == nullptr || measure->type != "IFCMEASUREWITHUNIT" || measure->arguments.size() != 2) return {};
  // "IFCLENGTHMEASURE(0.3048)", or IFCRATIOMEASURE, or only the number.
  const std::string_view value = measure->arguments[0];
  const std::optional<double> factor = number_of<double>(value.ends_with(')') ? inside_of(value) : value);
  std::optional<SceneUnit> base = length_of(measure->arguments[1], depth + 1);
  if (!factor || !base || !(*factor > 0)) return {};
  std::string_view name = unit->arguments[2];
  if (name.size() >= 2 && name.starts_with('\'')) name = name.substr(1, name.size() - 2);
  return SceneUnit{*factor * base->meters, std::string(name), UnitOrigin::file};
}

SceneUnit Units::length() const {
  if (assignment_ == nullptr || assignment_->arguments.empty()) return {};
  for (const std::string_view reference : arguments_of(inside_of(assignment_->arguments[0])))
    if (const std::optional<SceneUnit> unit = length_of(reference, 0)) return *unit;
  return {};
}

}  // namespace

SceneUnit unit_of_ifc(std::string_view text) {
  return Units(text).length();
}

std::string decoded_step_text(std::string_view text) {
  std::string out;
  std::uint32_t first_half = 0;
  const auto append_code = [&](std::uint32_t code) {
    // Two halves of a character beyond 16 bits (UTF-16).
    if (code >= 0xD800 && code < 0xDC00) {
      first_half = code;
    } else if (code >= 0xDC00 && code < 0xE000 && first_half != 0) {
      io::append_utf8(out, 0x10000 + ((first_half - 0xD800) << 10) + (code - 0xDC00));
      first_half = 0;
    } else {
      io::append_utf8(out, code);
      first_half = 0;
    }
  };
  const auto code_at = [&](std::size_t at, std::size_t digits) -> std::optional<std::uint32_t> {
    if (at + digits > text.size()) return {};
    std::uint32_t code = 0;
    const auto [end, failure] = std::from_chars(text.data() + at, text.data() + at + digits, code, 16);
    if (failure != std::errc() || end != text.data() + at + digits) return {};
    return code;
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view left = text.substr(i);
    if (left.starts_with("''")) {
      out += '\'';
      i += 2;
    } else if (left.starts_with("\\X2\\") || left.starts_with("\\X4\\")) {
      const std::size_t digits = left[2] == '2' ? 4 : 8;
      i += 4;
      while (const std::optional<std::uint32_t> code = code_at(i, digits)) {
        append_code(*code);
        i += digits;
      }
      if (text.substr(i).starts_with("\\X0\\")) i += 4;
    } else if (left.starts_with("\\X\\") && code_at(i + 3, 2)) {
      append_code(*code_at(i + 3, 2));
      i += 5;
    } else if (left.starts_with("\\S\\") && left.size() > 3) {
      append_code(static_cast<unsigned char>(left[3]) + 0x80u);
      i += 4;
    } else if (left.starts_with("\\\\")) {
      out += '\\';
      i += 2;
    } else {
      out += text[i++];
    }
  }
  return out;
}

std::unordered_map<std::string, IfcRoot> roots_of_ifc(std::string_view text) {
  constexpr std::size_t id_size = 22;
  std::unordered_map<std::string, IfcRoot> roots;
  while (const std::optional<std::string_view> statement = take_statement(text)) {
    // "#12=IFCWALL('GlobalId',#5,'Name',$,$,#placement,#shape,…".
    const std::size_t equals = statement->find('='), open = statement->find('(');
    if (!statement->starts_with('#') || open == std::string_view::npos || equals > open) continue;
    const std::string_view inside = trimmed(statement->substr(open + 1));
    if (inside.size() < id_size + 3 || inside[0] != '\'' || inside[id_size + 1] != '\'') continue;
    const std::vector<std::string_view> arguments = arguments_of(inside);
    IfcRoot root;
    root.type = trimmed(statement->substr(equals + 1, open - equals - 1));
    if (arguments.size() > 2 && arguments[2].size() >= 2 && arguments[2].front() == '\'') {
      root.name = decoded_step_text(arguments[2].substr(1, arguments[2].size() - 2));
    }
    const bool has_shape = arguments.size() > 6 && arguments[5].starts_with('#') && arguments[6].starts_with('#');
    root.is_shown = has_shape && !root.type.starts_with("IFCREL") && !root.type.starts_with("IFCOPENING") &&
                    root.type != "IFCSPACE" && root.type != "IFCANNOTATION" && root.type != "IFCGRID" &&
                    root.type != "IFCVIRTUALELEMENT";
    roots.emplace(inside.substr(1, id_size), std::move(root));
  }
  return roots;
}

}  // namespace whisker::reader
