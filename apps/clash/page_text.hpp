#pragma once

// Text that goes into a page, so that it stays text.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace whisker::clash {

// As the content of an element.
std::string html(std::string_view text);

// JSON that may stand in a script element, in ASCII: no tag and no comment can begin or end in it, and no line ends
// that scripts and JSON see differently. Bytes that are no UTF-8 become U+FFFD.
std::string for_script(const nlohmann::json& value);

}  // namespace whisker::clash
