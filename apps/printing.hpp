#pragma once

// Formats vectors, poses, costs and results for the commands' output.

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <whisker/first_contact.hpp>
#include <whisker/pose.hpp>
#include <whisker/queries.hpp>
#include <whisker/result.hpp>
#include <whisker/vector.hpp>

#include "page/page.hpp"

namespace whisker::apps {

inline nlohmann::json to_json(const Vector3& v) {
  return {v[0], v[1], v[2]};
}
inline nlohmann::json to_json(const Polyline& line) {
  nlohmann::json points = nlohmann::json::array();
  for (const Vector3& point : line.points)
    points.push_back(to_json(point));
  return {{"closed", line.closed}, {"points", std::move(points)}};
}
inline nlohmann::json to_json(const Cost& cost) {
  return {{"volume_tests", cost.volume_tests}, {"primitive_tests", cost.primitive_tests}};
}

/// Prints JSON on standard output. Bytes that are not UTF-8, as in names of files, become U+FFFD.
inline void print_json(const nlohmann::json& value) {
  fmt::print("{}\n", value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

/// For a script element, in ASCII. Bytes that are not UTF-8 become U+FFFD.
inline std::string script_json(const nlohmann::json& value) {
  return page::for_script(value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

/// "1 part", "2 parts".
inline std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// The first few of `count` names in quotes, and how many more there are. `name_of(i)` returns a name.
template <class NameOf>
std::string listed(std::size_t count, std::size_t most, const NameOf& name_of) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, count); ++i)
    text += (i == 0 ? "'" : ", '") + name_of(i) + "'";
  return count > most ? fmt::format("{} and {} more", text, count - most) : text;
}

/// The word for an enumerator, given the words for all of them in their order.
template <class Enum, std::size_t count>
constexpr const char* word_for(Enum value, const char* const (&words)[count]) {
  const auto number = static_cast<std::size_t>(value);
  return number < count ? words[number] : "";
}

inline const char* to_text(Stop stop) {
  return word_for(stop, {"exact", "tolerance", "budget", "count", "limit"});
}

inline std::string to_text(const Vector3& v) {
  return fmt::format("({}, {}, {})", v[0], v[1], v[2]);
}

inline nlohmann::json to_json(const Pose& pose) {
  nlohmann::json rows = nlohmann::json::array();
  for (int i = 0; i < 3; ++i)
    rows.push_back({pose.rotation()(i, 0), pose.rotation()(i, 1), pose.rotation()(i, 2), pose.translation()[i]});
  rows.push_back({0, 0, 0, 1});
  return rows;
}

inline const char* to_text(ImpactStatus status) {
  return word_for(status, {"apart", "touching at the start", "touch"});
}

}  // namespace whisker::apps
