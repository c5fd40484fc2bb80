#include "clash/unit.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include <whisker/error.hpp>

namespace whisker::clash {
namespace {

// In tenths of a micrometer, all units are integers, so that quotients are rounded only once.
struct Unit {
  std::string_view name;
  double tenth_micrometers;
};
constexpr Unit units[] = {{"um", 10},   {"mm", 1e4},     {"cm", 1e5},       {"dm", 1e6},      {"m", 1e7},
                          {"km", 1e10}, {"in", 254'000}, {"ft", 3'048'000}, {"yd", 9'144'000}};

std::optional<double> tenth_micrometers_of(std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return unit.tenth_micrometers;
  return {};
}

}  // namespace

std::optional<double> meters_of(std::string_view unit) {
  const std::optional<double> size = tenth_micrometers_of(unit);
  if (!size) return {};
  return *size / 1e7;
}

std::string known_units() {
  std::vector<std::string_view> names;
  std::ranges::transform(units, std::back_inserter(names), &Unit::name);
  return fmt::format("{}", fmt::join(names, ", "));
}

double conversion(std::string_view from, std::string_view to, const std::string& what) {
  if (from == to) return 1;
  for (const std::string_view name : {from, to}) {
    if (!tenth_micrometers_of(name))
      throw Error(what + ": cannot convert " + std::string(from) + " to " + std::string(to) + ": unknown unit '" +
                  std::string(name) + "'; use one of " + known_units());
  }
  return *tenth_micrometers_of(from) / *tenth_micrometers_of(to);
}

double parse_length(const std::string& text, const std::string& unit, const std::string& what) {
  const auto fail = [&](const std::string& why) { throw Error(what + " '" + text + "': " + why); };
  const std::size_t begin = std::min(text.find_first_not_of(" +"), text.size());
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  if (failure != std::errc() || !std::isfinite(value))
    fail("takes a length, such as 0.5 (in the result's unit) or 50mm");
  std::string suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  suffix.erase(0, std::min(suffix.find_first_not_of(' '), suffix.size()));
  if (suffix.empty() || suffix == unit) return value;
  if (!meters_of(suffix)) fail("unknown unit '" + suffix + "'; use one of " + known_units());
  if (!meters_of(unit))
    fail("the result is in '" + unit + "', to which nothing can be converted: omit the unit, or set --unit to " +
         "one of " + known_units());
  return value * conversion(suffix, unit, what);
}

}  // namespace whisker::clash
