#pragma once

// AMF: objects of volumes, and constellations of them (ISO/ASTM 52915), as XML or that in a zip archive. Read here and
// not by assimp, which drops the unit and the names and takes degrees for radians.

#include <string_view>

#include "reader/placed_part.hpp"

namespace whisker::reader {

// A part for each object, all its volumes joined, where constellations place it. Throws an Error.
ReadScene read_amf(std::string_view file);

}  // namespace whisker::reader
