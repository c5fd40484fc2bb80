#pragma once

/// \file
/// SurfaceHierarchy: a deforming surface as a tree of its regions, which finds self-collisions without descending into
/// the parts that bend too little to touch themselves (Volino and Magnenat-Thalmann 1994; Volino 2004).
///
///     SurfaceHierarchy cloth(data), ball(other);
///     for (const std::vector<Vector3>& positions : frames) {
///       cloth.set_vertices(positions);
///       for (const TrianglePair& pair : cloth.self_contacts().pairs) repel(pair.a, pair.b);
///       for (const TrianglePair& pair : triangle_contacts(cloth, ball).pairs) push_out(pair.a, pair.b);
///     }
///
/// The tree follows the connectivity of the triangles, which does not change: regions are edge-connected and as round
/// as possible. New vertex positions only require refitting the bounding volumes of the regions and what is known of
/// their normals. A region cannot touch itself if all its normals point into one half-space and its contour, projected
/// along the direction of that half-space, does not meet itself: then the region is a graph over a plane. Such a region
/// is skipped, however many triangles it has.
///
/// docs/deforming.md explains how this is made certain in spite of rounding, and when the method pays off.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/detail/meshes_contacts.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/methods/volume_tree.hpp>

namespace whisker::methods {

/// The bounding volumes of regions: polytopes whose faces are perpendicular to fixed directions, in opposite pairs.
/// With more directions they fit more tightly, but cost more to fit and to compare.
enum class SurfaceVolume : std::uint8_t {
  aabb,    ///< The coordinate axes.
  kdop14,  ///< The coordinate axes and the space diagonals of a cube.
  kdop18,  ///< The coordinate axes and the face diagonals of a cube.
  kdop26,  ///< All of these.
  kdop62,  ///< The axes of symmetry of a dodecahedron, which include the three coordinate axes.
};

/// What a region stores about its normals.
enum class SurfaceCurvature : std::uint8_t {
  none,               ///< Nothing: no region is skipped, and the search descends until bounding volumes are apart.
  volume_directions,  ///< For each direction of the volumes, both ways, whether all normals are within 90° of it.
  sixty_four,         ///< The same for 64 directions spread over the sphere.
  cone,               ///< A cone that contains all normals.
};

/// What is required of the contour of a region whose normals point into one half-space before the region is skipped.
enum class ContourTest : std::uint8_t {
  exact,        ///< Its projection along that direction must be proven not to meet itself. No contact is missed.
  approximate,  ///< The contour is not tested, but normals at the boundary of the surface must keep a margin
                ///< (`contour_angle`). May miss contacts.
  off,          ///< The contour is not tested. May miss contacts.
};

/// Options of a SurfaceHierarchy.
struct SurfaceHierarchyOptions {
  SurfaceVolume volume = SurfaceVolume::kdop18;
  SurfaceCurvature curvature = SurfaceCurvature::sixty_four;
  ContourTest contour = ContourTest::exact;
  /// For ContourTest::approximate, in degrees, from 0 to 45: the normals of triangles at the boundary of the surface
  /// must be closer than 90° to the direction by this margin, and by twice this margin where the boundary is not
  /// convex.
  double contour_angle = 15;
  /// If not empty, one face number per triangle. Triangles that share an edge and have the same number form one face (a
  /// quad, a polygon), and are merged first.
  std::vector<std::uint32_t> faces = {};
};

/// Options of the contact queries.
struct SurfaceContactOptions {
  /// Pairs that are no farther apart than this are found too. A length in the meshes' unit, from 0 to `max_coordinate`.
  /// If it is above 0, no region is skipped because of its normals: they prove that a surface does not meet itself, but
  /// not how close it comes to itself.
  double distance = 0;
  bool records_visits = false;  ///< Whether to fill SurfaceContacts::visits.
};

/// What a query did in addition to the tests that Cost counts. These counts are deterministic too.
struct SurfaceCounts {
  std::uint64_t regions = 0;        ///< Regions tested for self-contact, without single triangles.
  std::uint64_t nearly_flat = 0;    ///< Regions and pairs of regions that are connected and whose normals point into
                                    ///< one half-space.
  std::uint64_t left_out = 0;       ///< Those of `nearly_flat` that were skipped because their contour passed the test.
  std::uint64_t contour_edges = 0;  ///< Contour edges visited for these tests.
};

/// A region that a query tested for self-contact, for visualization.
struct SurfaceVisit {
  std::uint32_t region = 0;
  bool left_out = false;  ///< The region was skipped, because it was found not to touch itself.
};

/// The result of a contact query of one or two surfaces.
struct SurfaceContacts {
  /// Each pair once, sorted. For a mesh with itself, a < b, and triangles that share a vertex are not a pair.
  std::vector<TrianglePair> pairs;
  /// Whether a region was skipped without proof, with ContourTest::approximate or off. Then contacts may be missing.
  bool may_miss = false;
  /// `volume_tests` counts the pairs of regions whose volumes were compared, `primitive_tests` the pairs of triangles.
  Cost cost;
  SurfaceCounts counts;
  std::vector<SurfaceVisit> visits;  ///< Only with `records_visits`; in the order of the search.
};

/// A node of the tree. Regions with numbers below the number of triangles are the single triangles. Children have lower
/// numbers than their parents, and the root is the last region.
struct SurfaceRegion {
  static constexpr std::uint32_t none = 0xFFFFFFFF;  ///< The number of no region.

  std::array<std::uint32_t, 3> children = {none, none, none};  ///< The first `size` are set.
  std::uint32_t size = 0;                                      ///< 0 for a triangle, else 2 or 3.
  std::uint32_t parent = none;                                 ///< `none` for the root.
  std::uint32_t level = 0;                                     ///< 0 for a triangle, else above that of all children.
  std::uint32_t triangles = 1;                                 ///< The number of triangles in it.
  /// Whether the region was grown across shared edges. Other regions combine unconnected parts that are near each
  /// other.
  bool is_surface = true;
};

/// Statistics of the regions that made up the whole surface when the construction had reached a level.
struct SurfaceLevel {
  std::size_t regions = 0;
  /// The mean of √area / contour length over all regions that have both, at the vertex positions with which the
  /// hierarchy was built: 0.282 for a disk, 0.25 for a square.
  double shape_factor = 0;
  /// Pairs of regions whose volumes overlap at the current vertex positions.
  std::size_t overlapping = 0;
  /// Those of `overlapping` that share no vertex; ideally none.
  std::size_t overlapping_apart = 0;
};

/// Statistics of a SurfaceHierarchy.
struct SurfaceReport {
  std::size_t triangles = 0;
  std::size_t regions = 0;              ///< Including the single triangles.
  std::size_t components = 0;           ///< Connected components of the surface, as the tree has them.
  std::size_t depth = 0;                ///< Regions on the longest path from the root to a triangle.
  double mean_children = 0;             ///< Of regions that are not single triangles.
  double mean_stored_vertices = 0;      ///< Vertices that a region stores to detect its neighbors.
  std::size_t max_stored_vertices = 0;  ///< The largest number of such vertices.
  std::size_t contour_edges = 0;        ///< Edges in all stored contours.
  std::size_t bytes = 0;                ///< Size of all stored data.
  std::vector<SurfaceLevel> levels;     ///< The level of the triangles first, that of the root last.
};

/// A deforming surface of triangles and its tree. Any triangles are accepted: open or closed, with holes, in several
/// parts. Where an edge has three triangles, or two that run along it in the same direction, regions that contain two
/// of these triangles are not skipped because of their normals. Neither are regions that contain a triangle without
/// area.
///
/// The object owns its data and can be moved and copied. Queries are const, and may run on many threads while no thread
/// calls set_vertices().
class SurfaceHierarchy {
 public:
  /// Builds the tree; O(n log n). Throws an Error if a vertex is not finite or beyond `max_coordinate`, an index is out
  /// of range, there is no triangle, or an option is out of range.
  explicit SurfaceHierarchy(MeshData data, const SurfaceHierarchyOptions& options = {});

  /// Sets the positions of all vertices and refits the tree; O(n). Throws an Error if a vertex is not finite or beyond
  /// `max_coordinate`, or if the number of vertices differs; then nothing is changed.
  void set_vertices(std::span<const Vector3> vertices);

  /// The current positions. The spans stay valid until the object is assigned to, moved from or destroyed.
  std::span<const Vector3> vertices() const;
  std::span<const Index3> triangles() const;
  const SurfaceHierarchyOptions& options() const;

  /// All pairs of triangles of this surface that touch and share no vertex (by number). Exact, as
  /// touches_triangle_triangle() is, if options().contour is `exact` or options().curvature is `none`; otherwise
  /// contacts may be missing. Throws an Error if the distance is not a length from 0 to `max_coordinate`.
  ///
  /// With a distance d above 0: all pairs that are no farther apart than d. The result may include pairs that are
  /// farther apart by less than 1e-11 d plus about twenty ulps of the largest coordinate.
  SurfaceContacts self_contacts(const SurfaceContactOptions& options = {}) const;
  /// The same into a reused result: once the result has enough capacity, nothing is allocated.
  void self_contacts(const SurfaceContactOptions& options, SurfaceContacts& result) const;

  /// The number of regions, including the single triangles.
  std::size_t region_count() const;
  /// A node of the tree. Throws an Error if there is no such region.
  SurfaceRegion region(std::uint32_t number) const;
  /// For each triangle, the region that contained it when the construction had reached this level: the triangle itself
  /// at level 0, the root at the root's level and above.
  std::vector<std::uint32_t> regions_at(std::uint32_t level) const;
  /// Statistics about the quality of the tree. Usually O(n log n).
  SurfaceReport report() const;

 private:
  friend struct whisker::Internals;
  struct Storage;
  Held<"SurfaceHierarchy", OwnedCopy<Storage>> storage_;
};

/// All pairs of a triangle of a and a triangle of b that touch, or that are no farther apart than `distance`. No
/// contact is missed, whatever the options of the two surfaces. Throws an Error if they have different kinds of
/// volumes, or if the distance is not a length from 0 to `max_coordinate`.
SurfaceContacts triangle_contacts(const SurfaceHierarchy& a, const SurfaceHierarchy& b,
                                  const SurfaceContactOptions& options = {});
/// The same into a reused result: once the result has enough capacity, nothing is allocated.
void triangle_contacts(const SurfaceHierarchy& a, const SurfaceHierarchy& b, const SurfaceContactOptions& options,
                       SurfaceContacts& result);

/// The result for many surfaces. `adjacent` stays empty.
struct SurfaceSceneContacts : MeshesContacts {
  /// As in SurfaceContacts.
  bool may_miss = false;
  SurfaceCounts counts;
};

/// The contacts of many surfaces in one call: each with itself and with every other one. Throws an Error if a pointer
/// is null, if the surfaces have different kinds of volumes, or if the distance is not a length from 0 to
/// `max_coordinate`.
SurfaceSceneContacts triangle_contacts(std::span<const SurfaceHierarchy* const> meshes,
                                       const SurfaceContactOptions& options = {});

}  // namespace whisker::methods
