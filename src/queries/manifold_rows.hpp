#pragma once

// The table's rows for contact manifolds of all kinds. They add to `manifolds`; ids may occur more than once.

#include <vector>

#include <whisker/contact_manifold.hpp>

#include "queries/manifold_places.hpp"
#include "queries/pair_rows.hpp"

namespace whisker::queries {

/// Throws an Error if an option is out of range.
void check_options(const ManifoldOptions& options);

/// Two convex shapes that have a row `manifold`.
void manifolds_convex(const Placed& a, const Placed& b, const ManifoldOptions& options,
                      std::vector<ContactManifold>& manifolds);
/// A convex shape, bounded or not, and a mesh or height field.
void manifolds_convex_surface(const Placed& a, const Placed& b, const ManifoldOptions& options,
                              std::vector<ContactManifold>& manifolds);
/// Two meshes or height fields.
void manifolds_surfaces(const Placed& a, const Placed& b, const ManifoldOptions& options,
                        std::vector<ContactManifold>& manifolds);
/// A compound and anything.
void manifolds_compound(const Placed& a, const Placed& b, const ManifoldOptions& options,
                        std::vector<ContactManifold>& manifolds);
/// Anything and a set of spheres.
void manifolds_spheres(const Placed& a, const Placed& b, const ManifoldOptions& options,
                       std::vector<ContactManifold>& manifolds);
/// A rounded shape and anything: those of the shape without its radius, within the margin and the radius.
void manifolds_rounded(const Placed& a, const Placed& b, const ManifoldOptions& options,
                       std::vector<ContactManifold>& manifolds);
/// The single manifold of a rounded plane and a bounded convex shape.
ContactManifold manifold_slab(const Placed& a, const Placed& b, const ManifoldOptions& options);
ContactManifold manifold_slab_exchanged(const Placed& a, const Placed& b, const ManifoldOptions& options);
/// Anything and a sphere body.
void manifolds_body(const Placed& a, const Placed& b, const ManifoldOptions& options,
                    std::vector<ContactManifold>& manifolds);

/// The same with the two shapes exchanged.
template <auto find>
void manifolds_exchanged(const Placed& a, const Placed& b, const ManifoldOptions& options,
                         std::vector<ContactManifold>& manifolds) {
  const SwappedCache exchanged(options.cache);
  const std::size_t begin = manifolds.size();
  find(b, a, options, manifolds);
  for (std::size_t i = begin; i < manifolds.size(); ++i)
    exchange(manifolds[i]);
}

}  // namespace whisker::queries
