#pragma once

/// \file
/// Writes a recording as a web page that plays it in 3D: a single file without external resources.

#include <string>
#include <string_view>

#include "page/page.hpp"
#include "playground/recording.hpp"

namespace playground {

using whisker::page::three_script;

/// The text of the page. With an empty script it says what to install instead.
std::string page_text(const Recording& recording, std::string_view script = three_script());

/// Writes the page. Throws a whisker::Error if the file cannot be written.
void write_page(const std::string& path, const Recording& recording);

}  // namespace playground
