#pragma once

// The triangles of a mesh or height field that are near another shape.

#include <whisker/queries.hpp>

namespace whisker::mesh {

/// Adds a contact for every triangle of a, or pair of triangles of a and b, that is not proven to be farther apart than
/// `reach`. `a` is a mesh or height field, of which only the surface counts. `b` is a mesh, a height field, or of a
/// convex kind. The contact's point divides the line between the closest points: it is the fraction `share` of the way
/// from a to b. Returns whether there is any such triangle, whatever `options.max_count`.
bool near_contacts(const Placed& a, const Placed& b, double reach, double share, const ContactOptions& options,
                   Contacts& result);

}  // namespace whisker::mesh
