#pragma once

// The text form of the sphere-tree construction toolkit (Bradshaw 2003): what its readers share.

#include <cstdint>
#include <vector>

#include <whisker/vector.hpp>

#include "io/source.hpp"
#include "io/text_writer.hpp"

namespace whisker::spheres {

/// All spheres of a file, level by level; those with a negative radius are not there. The children of sphere i are
/// i · children + 1 and the next ones.
struct SphText {
  std::uint64_t children = 0;
  std::vector<std::uint64_t> level_begin;  ///< Of each level, and the end of the last one.
  std::vector<Vector3> centers;
  std::vector<double> radii;

  std::uint64_t levels() const { return level_begin.size() - 1; }
  bool is_there(std::uint64_t i) const { return radii[i] >= 0; }
  /// Whether one of its children is there.
  bool has_children(std::uint64_t i) const;
};

/// Throws an Error with the line.
SphText read_sph(const io::Source& source);

void write_sph_line(io::TextWriter& out, const Vector3& center, double radius);

}  // namespace whisker::spheres
