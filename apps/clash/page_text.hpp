#pragma once

// Escapes text that goes into a page, so that it is shown as text.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace whisker::clash {

// For the content of an element.
std::string html(std::string_view text);

// JSON that is safe inside a script element, in ASCII: no tag or comment can begin or end in it, and it contains no
// line ends that scripts and JSON treat differently. Bytes that are not UTF-8 become U+FFFD.
std::string for_script(const nlohmann::json& value);

}  // namespace whisker::clash
