#pragma once

// IFC files as text: what assimp drops of them.

#include <string>
#include <string_view>
#include <unordered_map>

#include <whisker/scene.hpp>

namespace whisker::reader {

// The length unit that the file's project is in, by IFCUNITASSIGNMENT; none where it states none.
SceneUnit unit_of_ifc(std::string_view text);

struct IfcRoot {
  std::string name;       // empty for none; assimp drops blanks and letters beyond ASCII
  std::string type;       // as written: "IFCWALL"
  bool is_shown = false;  // has a shape, and is a thing: neither an opening nor a space, a grid or an annotation
};

// What is derived from IfcRoot, by GlobalId.
std::unordered_map<std::string, IfcRoot> roots_of_ifc(std::string_view text);

// A string of a STEP file as UTF-8 (ISO 10303-21, 6.4.3): what stands between its quotes, with \X2\ and the like.
std::string decoded_step_text(std::string_view text);

}  // namespace whisker::reader
