#pragma once

#include <whisker/contact_manifold.hpp>
#include <whisker/queries.hpp>

namespace whisker::queries {

/// The manifold of two convex shapes, at least one of them bounded.
ContactManifold manifold_convex(const Placed& a, const Placed& b, const ManifoldOptions& options);

}  // namespace whisker::queries
