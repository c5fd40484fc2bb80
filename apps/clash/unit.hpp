#pragma once

// Units of length, by name.

#include <optional>
#include <string>
#include <string_view>

namespace whisker::clash {

/// How many metres a unit has; nothing for a name that is not known.
std::optional<double> metres_of(std::string_view unit);

/// The names of all units, for messages.
std::string known_units();

/// By what lengths in one unit are multiplied to be in the other; exact where the two are decimal multiples. 1 for the
/// same name, known or not. Throws an Error that begins with `what` if a name is not known.
double conversion(std::string_view from, std::string_view to, const std::string& what);

}  // namespace whisker::clash
