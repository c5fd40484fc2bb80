#pragma once

// What a SurfaceHierarchy keeps, and the search through one or two of them.

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
  std::vector<double> shape_factors;  // of all nodes, where the mesh was built; 0 where there is none

  std::vector<Vector3> directions;    // of the masks
  std::vector<std::uint8_t> margins;  // of the triangles; empty unless the contour is approximate

  // As the vertices stand; one each for all nodes.
  std::vector<double> bounds;
  std::vector<std::uint64_t> masks;         // unless there are cones
  std::vector<surfaces::NormalCone> cones;  // if there are
  std::vector<double> heights;              // of vertices, only while the volumes are fitted

  std::size_t axes() const { return surfaces::axis_count(options.volume); }
};

using SurfaceStorage = StorageOf<SurfaceHierarchy>;

namespace surfaces {

/// Adds the pairs of a surface with itself, and what it cost, to the result; not sorted.
void add_self_contacts(const SurfaceStorage& mesh, const SurfaceContactOptions& options, SurfaceContacts& result);
/// Those of two.
void add_contacts(const SurfaceStorage& a, const SurfaceStorage& b, const SurfaceContactOptions& options,
                  SurfaceContacts& result);

}  // namespace surfaces

}  // namespace whisker::methods
