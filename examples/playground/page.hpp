#pragma once

/// \file
/// A recording as a web page that plays it in 3D: one file, which needs no other and no network.

#include <string>
#include <string_view>

#include "playground/recording.hpp"

namespace playground {

/// The text of three.js, built into the program; empty if the package was missing when the program was built.
std::string_view three_script();

/// The page. With an empty script it shows in plain words what to install instead.
std::string page_text(const Recording& recording, std::string_view script = three_script());

/// Writes the page. Throws a whisker::Error if the file cannot be written.
void write_page(const std::string& path, const Recording& recording);

}  // namespace playground
