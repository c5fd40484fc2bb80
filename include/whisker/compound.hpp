#pragma once

/// \file
/// Compound: several shapes, each in a place of its own, as one shape.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/vector.hpp>

namespace whisker {

class Shape;
struct CompoundPart;

/// The union of its parts. Copies share the parts; a part may be a compound itself. Parts that stand in several places
/// are shared too: to nest compounds costs what their own lists of parts do, not the count through all of them.
///
/// Answers name a part by one number, counted through nested compounds: parts are numbered from 0 in their order, a
/// part that is a compound takes as many numbers as it has parts itself, counted so, and none for itself. A compound of
/// a sphere, a compound of two boxes, and a capsule has the sphere 0, the boxes 1 and 2, and the capsule 3.
class Compound {
 public:
  /// How deep compounds may be nested.
  static constexpr std::size_t max_nesting = 64;

  /// Throws an Error if there is no part, if compounds are nested deeper than `max_nesting`, or if there are 2^32 parts
  /// or more, counted through nested compounds.
  explicit Compound(std::vector<CompoundPart> parts);

  std::span<const CompoundPart> parts() const;
  /// Encloses all parts, in the compound's frame.
  Aabb bounds() const;
  /// The sum over the parts: where parts overlap, the overlap counts for each of them.
  double volume() const;
  /// The parts' centroids weighted by volume, or evenly where the volume is 0.
  Vector3 centroid() const;

 private:
  friend struct Internals;
  struct Storage;
  Held<"Compound", std::shared_ptr<const Storage>> storage_;
};

}  // namespace whisker
