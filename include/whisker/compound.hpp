#pragma once

/// \file
/// Compound: several shapes, each with its own pose, combined into one shape.
///
///     const Compound mug({{Cylinder{.radius = 4, .length = 10}}, {handle, Pose({5, 0, 0})}});
///     const Contacts found = contacts({mug, pose}, table);
///     for (const Contact& contact : found.pairs) report(contact.a.part);  // 0 is the cylinder, 1 the handle
///
/// Queries say whether they accept compounds; is_supported() (queries.hpp) answers it for a pair of shape kinds. A tree
/// of boxes over the bounded parts lets queries between two shapes skip parts that are far away.

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

/// The union of its parts. Immutable; any number of threads may use it. Copies share the parts.
///
/// A part may itself be a compound. A compound that is nested in several places is shared as well, so nesting costs
/// memory only for each compound's own list of parts, not for the number of parts counted through all nested compounds.
///
/// Query results name a part by a single number that counts through nested compounds. Parts are numbered from 0 in
/// their order. A part that is a compound has no number of its own; it takes one number for each of its own parts,
/// counted in the same way. A compound of a sphere, a compound of two boxes, and a capsule numbers the sphere 0, the
/// boxes 1 and 2, and the capsule 3.
class Compound {
 public:
  /// The largest nesting depth; a compound of plain shapes has depth 1.
  static constexpr std::size_t max_nesting = 64;

  /// Takes the parts, whose poses place them in the compound's frame (CompoundPart is defined in shape.hpp). Throws an
  /// Error if there is no part, if compounds are nested deeper than `max_nesting`, or if there are 2^32 parts or more,
  /// counted through nested compounds.
  explicit Compound(std::vector<CompoundPart> parts);

  /// The direct parts, as given. The span is valid as long as this compound or a copy of it lives.
  std::span<const CompoundPart> parts() const;
  /// An AABB that encloses all parts, in the compound's frame. Infinite where a part is unbounded.
  Aabb bounds() const;
  /// The sum of the parts' volumes: where parts overlap, the overlap counts for each of them. Throws an Error if a part
  /// is a CustomConvex, whose volume is unknown.
  double volume() const;
  /// The mean of the parts' centroids in the compound's frame, weighted by volume, or unweighted where the volume is 0.
  /// Throws an Error if a part is unbounded or a CustomConvex.
  Vector3 centroid() const;

 private:
  friend struct Internals;
  struct Storage;
  Held<"Compound", std::shared_ptr<const Storage>> storage_;
};

}  // namespace whisker
