#pragma once

// Reads information from the text of IFC files that assimp drops.

#include <string>
#include <string_view>
#include <unordered_map>

#include <whisker/scene.hpp>

namespace whisker::reader {

// The length unit of the file's project, from IFCUNITASSIGNMENT. None if the file states none.
SceneUnit unit_of_ifc(std::string_view text);

struct IfcRoot {
  std::string name;       // empty if there is none; assimp drops blanks and non-ASCII characters
  std::string type;       // as written: "IFCWALL"
  bool is_shown = false;  // has a shape and is a physical element, not an opening, a space, a grid or an annotation
};

// The entities derived from IfcRoot, by GlobalId.
std::unordered_map<std::string, IfcRoot> roots_of_ifc(std::string_view text);

// Converts a string of a STEP file to UTF-8 (ISO 10303-21, 6.4.3): the text between its quotes, with \X2\ and similar.
std::string decoded_step_text(std::string_view text);

}  // namespace whisker::reader
