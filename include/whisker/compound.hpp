#pragma once

/// \file
/// Compound: several shapes, each in a place of its own, as one shape.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <whisker/axis_box.hpp>
#include <whisker/pose.hpp>

namespace whisker {

class Shape;
struct CompoundPart;

/// The union of its parts. Copies share the parts; a part may be a compound itself.
class Compound {
 public:
  /// Throws an Error if there is no part or a part's pose is not rigid and finite.
  explicit Compound(std::vector<CompoundPart> parts);

  std::span<const CompoundPart> parts() const;
  /// Encloses all parts, in the compound's frame.
  AxisBox bounds() const;
  /// The sum over the parts: where parts overlap, the overlap counts for each of them.
  double volume() const;
  /// The parts' centroids weighted by volume, or evenly where the volume is 0.
  Vector3 centroid() const;

 private:
  struct Storage;
  std::shared_ptr<const Storage> storage_;
};

}  // namespace whisker
