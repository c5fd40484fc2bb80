#pragma once

// Units of length, by name.

#include <optional>
#include <string>
#include <string_view>

namespace whisker::clash {

/// The length of a unit in meters. Nothing for an unknown name.
std::optional<double> meters_of(std::string_view unit);

/// The names of all units, for messages.
std::string known_units();

/// The factor that converts lengths from one unit to the other. Exact if they are decimal multiples. 1 for equal names,
/// known or not. Throws an Error that begins with `what` if a name is unknown.
double conversion(std::string_view from, std::string_view to, const std::string& what);

/// Parses a length from the command line and converts it to `unit`: "50mm", "0.1 in", or a plain number, which is
/// already in that unit. Throws an Error that begins with `what` if it is not a number, its unit is unknown, or `unit`
/// is unknown and a conversion is needed.
double parse_length(const std::string& text, const std::string& unit, const std::string& what);

}  // namespace whisker::clash
