#pragma once

// The data of a SurfaceHierarchy, and the search through one or two of them.

#include <cstdint>
#include <vector>

#include <whisker/methods/surface_hierarchy.hpp>

#include "methods/surfaces/surface_bounds.hpp"
#include "methods/surfaces/surface_topology.hpp"
#include "shapes/internals.hpp"

namespace whisker::methods {

struct SurfaceHierarchy::Storage {
  std::vector<Vector3> vertices;
  std::vector<Index3> triangles;
  SurfaceHierarchyOptions options;
  surfaces::SurfaceTopology topology;
  std::vector<double> shape_factors;  // of all nodes, at the positions of construction; 0 where undefined

  std::vector<Vector3> directions;    // of the masks
  std::vector<std::uint8_t> margins;  // of the triangles; empty unless the contour test is approximate

  // For the current vertices, one of each per node.
  std::vector<double> bounds;
  std::vector<std::uint64_t> masks;         // if there are no cones
  std::vector<surfaces::NormalCone> cones;  // if cones are used
  std::vector<double> heights;              // of vertices, used only while volumes are fitted

  std::size_t axes() const { return surfaces::axis_count(options.volume); }
};

using SurfaceStorage = StorageOf<SurfaceHierarchy>;

namespace surfaces {

/// Adds the contacts of a surface with itself, and the cost, to the result; not sorted.
void add_self_contacts(const SurfaceStorage& mesh, const SurfaceContactOptions& options, SurfaceContacts& result);
/// The same for two surfaces.
void add_contacts(const SurfaceStorage& a, const SurfaceStorage& b, const SurfaceContactOptions& options,
                  SurfaceContacts& result);

}  // namespace surfaces

}  // namespace whisker::methods
