#pragma once

// Text files that CMake embeds in the program (cmake/embed.cmake).

#include <string>

namespace playground {

/// page.html.
std::string embedded_page();
/// three.js; empty if it was not found.
std::string embedded_three();

}  // namespace playground
