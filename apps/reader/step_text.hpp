#pragma once

// IFC files as text: what assimp drops of them.

#include <string>
#include <string_view>

#include <whisker/scene.hpp>

namespace whisker::reader {

// The length unit that the file's project is in, by IFCUNITASSIGNMENT; none where it states none.
SceneUnit unit_of_ifc(std::string_view text);

// The schema by the header, such as "IFC2X3"; empty where there is none.
std::string schema_of_ifc(std::string_view text);

}  // namespace whisker::reader
