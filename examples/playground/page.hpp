#pragma once

/// \file
/// Writes a recording as a web page that plays it in 3D: a single file without external resources.

#include <string>
#include <string_view>

#include "playground/recording.hpp"

namespace playground {

/// The text of three.js, embedded in the program; empty if the package was missing at build time.
std::string_view three_script();

/// The text of the page. With an empty script it says what to install instead.
std::string page_text(const Recording& recording, std::string_view script = three_script());

/// Writes the page. Throws a whisker::Error if the file cannot be written.
void write_page(const std::string& path, const Recording& recording);

}  // namespace playground
