#pragma once

// Text files that CMake builds into the program (cmake/embed.cmake).

#include <string>

namespace playground {

/// page.html.
std::string embedded_page();
/// three.js; empty if it was not there.
std::string embedded_three();

}  // namespace playground
