#pragma once

// The text format of the sphere-tree construction toolkit (Bradshaw 2003): the parts that its readers share.

#include <cstdint>
#include <vector>

#include <whisker/geometry/bounding_sphere.hpp>

#include "io/source.hpp"
#include "io/text_writer.hpp"

namespace whisker::io {

/// All spheres of a file, level by level. A negative radius marks a missing sphere. The children of sphere i are the
/// spheres from i · children + 1 on.
struct SphText {
  std::uint64_t children = 0;
  std::vector<std::uint64_t> level_begin;  ///< The start of each level, and the end of the last one.
  std::vector<BoundingSphere> spheres;

  std::uint64_t levels() const { return level_begin.size() - 1; }
  bool is_there(std::uint64_t i) const { return spheres[i].radius >= 0; }
  /// Whether at least one of its children exists.
  bool has_children(std::uint64_t i) const;
};

/// Throws an Error that names the line.
SphText read_sph(const Source& source);

void write_sph_line(TextWriter& out, const BoundingSphere& sphere);

}  // namespace whisker::io
