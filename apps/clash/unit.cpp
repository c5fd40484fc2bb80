#include "clash/unit.hpp"

#include <array>
#include <cmath>

#include <whisker/error.hpp>

namespace whisker::clash {
namespace {

// In tenths of a micrometre all of them are whole numbers, so that quotients are rounded once.
struct Unit {
  std::string_view name;
  double tenth_micrometres;
};
constexpr std::array<Unit, 7> units{
    {{"um", 10}, {"mm", 1e4}, {"cm", 1e5}, {"m", 1e7}, {"km", 1e10}, {"in", 254'000}, {"ft", 3'048'000}}};

std::optional<double> tenth_micrometres_of(std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return unit.tenth_micrometres;
  return {};
}

}  // namespace

std::optional<double> metres_of(std::string_view unit) {
  const std::optional<double> size = tenth_micrometres_of(unit);
  if (!size) return {};
  return *size / 1e7;
}

std::string known_units() {
  std::string names;
  for (const Unit& unit : units)
    names += (names.empty() ? "" : ", ") + std::string(unit.name);
  return names;
}

double conversion(std::string_view from, std::string_view to, const std::string& what) {
  if (from == to) return 1;
  for (const std::string_view name : {from, to}) {
    if (!tenth_micrometres_of(name))
      throw Error(what + ": cannot convert " + std::string(from) + " to " + std::string(to) + ": the unit '" +
                  std::string(name) + "' is not known; known are " + known_units());
  }
  return *tenth_micrometres_of(from) / *tenth_micrometres_of(to);
}

}  // namespace whisker::clash
