#pragma once

// Units of length, by name.

#include <optional>
#include <string>
#include <string_view>

namespace whisker::clash {

/// How many meters a unit has; nothing for a name that is not known.
std::optional<double> meters_of(std::string_view unit);

/// The names of all units, for messages.
std::string known_units();

/// By what lengths in one unit are multiplied to be in the other; exact where the two are decimal multiples. 1 for the
/// same name, known or not. Throws an Error that begins with `what` if a name is not known.
double conversion(std::string_view from, std::string_view to, const std::string& what);

/// A length from the command line in `unit`: "50mm", "0.1 in", or a bare number, which is in that unit already. Throws
/// an Error that begins with `what` if it is no number, its unit is not known, or `unit` is none that is.
double parse_length(const std::string& text, const std::string& unit, const std::string& what);

}  // namespace whisker::clash
