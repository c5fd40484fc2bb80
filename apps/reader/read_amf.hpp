#pragma once

// Reads AMF: objects of volumes, and constellations of them (ISO/ASTM 52915), as XML or in a zip archive. It is not
// read by assimp, which drops the unit and the names and mistakes degrees for radians.

#include <string_view>

#include "reader/placed_part.hpp"

namespace whisker::reader {

// Returns a part for each object, with all its volumes joined, wherever constellations place it. Throws an Error if the
// file cannot be read.
ReadScene read_amf(std::string_view file);

}  // namespace whisker::reader
