#pragma once

/// \file
/// SurfaceHierarchy: a deforming surface as a tree of its own regions, which finds where the surface meets itself
/// without looking at the parts that bend too little to do so (Volino and Magnenat-Thalmann 1994; Volino 2004).
///
///     SurfaceHierarchy cloth(data), ball(other);
///     for (;;) {
///       cloth.set_vertices(next_cloth());
///       for (const TrianglePair& pair : cloth.self_contacts().pairs) …   // triangles of the cloth that touch
///       for (const TrianglePair& pair : triangle_contacts(cloth, ball).pairs) …   // of the cloth, and of the ball
///     }
///
/// The tree follows the connections of the triangles, which do not change: regions are edge-connected and as round as
/// they get. With every new set of positions only the volumes about the regions and what is known of their normals are
/// fitted anew. A region whose normals all look into one half-space, and whose contour does not meet itself seen from
/// there, is a graph over a plane and cannot touch itself: it is done with, however many triangles it has.
///
/// How that is made certain in spite of rounding, and what it is good for, stands in docs/deforming.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <whisker/detail/held.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/meshes_contacts.hpp>
#include <whisker/methods/volume_tree.hpp>

namespace whisker::methods {

/// The volumes about regions: polytopes whose faces look in fixed directions, in pairs. More directions fit closer, and
/// cost more to fit and to compare.
enum class SurfaceVolume : std::uint8_t {
  aabb,
  kdop14,  ///< the axes and the diagonals of a cube
  kdop18,  ///< the axes and the diagonals of its faces
  kdop26,  ///< all of these
  kdop62,  ///< the axes of symmetry of a dodecahedron, the three coordinate axes among them
};

/// What is known of the normals in a region.
enum class SurfaceCurvature : std::uint8_t {
  none,               ///< Nothing: regions are looked into until the volumes are apart.
  volume_directions,  ///< Which of the directions of the volumes, either way, all normals are within 90 degrees of.
  sixty_four,         ///< The same for 64 directions spread over the sphere.
  cone,               ///< A cone that has all normals in it.
};

/// What is asked of the contour of a region whose normals look into one half-space.
enum class ContourTest : std::uint8_t {
  exact,        ///< It must be proven not to meet itself, seen along that direction. Nothing is missed.
  approximate,  ///< Nothing, but triangles at the surface's own border must keep a margin (`contour_angle`). May miss.
  off,          ///< Nothing. May miss.
};

struct SurfaceHierarchyOptions {
  SurfaceVolume volume = SurfaceVolume::kdop18;
  SurfaceCurvature curvature = SurfaceCurvature::sixty_four;
  ContourTest contour = ContourTest::exact;
  /// For ContourTest::approximate, in degrees, from 0 to 45: the normals of triangles at the border of the surface have
  /// to be that much less than 90 degrees from the direction; twice that where the border is not convex.
  double contour_angle = 15;
  /// If not empty, a number for each triangle: triangles with the same number that share an edge are one face (a quad,
  /// a polygon), and are put together first.
  std::vector<std::uint32_t> faces = {};
};

struct SurfaceContactOptions {
  /// Pairs that are no farther apart than this, in the meshes' unit, are found too. Above 0 no region is left out by
  /// its normals: that a surface does not meet itself does not say how close it gets.
  double distance = 0;
  bool records_visits = false;  ///< Fill SurfaceContacts::visits.
};

/// What a query did beside the tests that Cost counts; these numbers do not depend on the clock either.
struct SurfaceCounts {
  std::uint64_t regions = 0;        ///< Regions asked whether they touch themselves, single triangles left out.
  std::uint64_t nearly_flat = 0;    ///< Of these and of the pairs of regions, those that are connected and whose
                                    ///< normals look into one half-space.
  std::uint64_t left_out = 0;       ///< Of these, those that were left out for it: their contour was found good.
  std::uint64_t contour_edges = 0;  ///< Edges of contours looked at on the way.
};

/// A region that a query looked at by itself, to draw where it looked.
struct SurfaceVisit {
  std::uint32_t region = 0;
  bool left_out = false;  ///< It was found not to touch itself.
};

struct SurfaceContacts {
  /// Sorted, each pair once. Of a mesh with itself, a < b, and pairs that share a vertex do not count.
  std::vector<TrianglePair> pairs;
  /// Something was left out without proof: with ContourTest::approximate or off.
  bool may_miss = false;
  /// `volume_tests`: pairs of regions whose volumes were compared; `primitive_tests`: pairs of triangles compared.
  Cost cost;
  SurfaceCounts counts;
  std::vector<SurfaceVisit> visits;  ///< Only if asked for; in the order of the search.
};

/// A node of the tree. Regions with numbers below the count of triangles are these triangles; children come before
/// their parents, and the root is the last.
struct SurfaceRegion {
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  std::array<std::uint32_t, 3> children = {none, none, none};  ///< The first `size` are set.
  std::uint32_t size = 0;                                      ///< 0 for a triangle, else 2 or 3.
  std::uint32_t parent = none;                                 ///< `none` for the root.
  std::uint32_t level = 0;                                     ///< 0 for a triangle, else above that of all children.
  std::uint32_t triangles = 1;                                 ///< How many are in it.
  /// Grown over common edges. Others put together what is not connected, by nearness.
  bool is_surface = true;
};

/// The regions that make up the whole surface when the building had come to a level.
struct SurfaceLevel {
  std::size_t regions = 0;
  /// The mean of √area / length of contour where the mesh was built, over regions that have both: 0.282 for a disk,
  /// 0.25 for a square.
  double shape_factor = 0;
  /// Of the pairs whose volumes overlap as it stands now, how many share no vertex: at best none.
  std::size_t overlapping = 0;
  std::size_t overlapping_apart = 0;
};

struct SurfaceReport {
  std::size_t triangles = 0;
  std::size_t regions = 0;     ///< Triangles included.
  std::size_t components = 0;  ///< Surfaces that are not connected with each other, as the tree has them.
  std::size_t depth = 0;       ///< Regions on the longest path from the root to a triangle.
  double mean_children = 0;
  double mean_stored_vertices = 0;  ///< Of a region, to find out what is next to it.
  std::size_t max_stored_vertices = 0;
  std::size_t contour_edges = 0;     ///< In all contours that are kept.
  std::size_t bytes = 0;             ///< Of all that is kept.
  std::vector<SurfaceLevel> levels;  ///< The triangles first, the root last.
};

/// A surface of triangles that moves, and its tree. Any triangles will do: open and closed, with holes, in parts. Where
/// an edge has three triangles, or two that run along it the same way, regions with two of these are not left out by
/// their normals; neither are regions with a triangle that has no area. It may be moved and copied; questions are
/// const, and may be asked from many threads while nobody sets vertices.
class SurfaceHierarchy {
 public:
  /// Throws an Error if a vertex is not finite or beyond `max_coordinate`, an index is out of range, there is no
  /// triangle, or an option makes no sense. O(n log n).
  explicit SurfaceHierarchy(MeshData data, const SurfaceHierarchyOptions& options = {});
  SurfaceHierarchy(const SurfaceHierarchy& other);
  SurfaceHierarchy(SurfaceHierarchy&&) noexcept;
  SurfaceHierarchy& operator=(const SurfaceHierarchy& other);
  SurfaceHierarchy& operator=(SurfaceHierarchy&&) noexcept;
  ~SurfaceHierarchy();

  /// Where the vertices are now. O(n). Throws an Error as the constructor does, and if there are not as many as before;
  /// nothing is then changed.
  void set_vertices(std::span<const Vector3> vertices);

  std::span<const Vector3> vertices() const;
  std::span<const Index3> triangles() const;
  const SurfaceHierarchyOptions& options() const;

  /// All pairs of its triangles that touch and share no vertex (by number). Exact, as touches_triangle_triangle() is,
  /// if options().contour is `exact` or options().curvature `none`; else some may be missing. Throws an Error if the
  /// distance is negative or not finite.
  ///
  /// With a distance d above 0: all pairs no farther apart; a pair that is farther by less than 1e-11 d and some
  /// twenty units in the last place of the largest coordinate may be among them.
  SurfaceContacts self_contacts(const SurfaceContactOptions& options = {}) const;
  /// The same into a result that is used again, which then allocates nothing.
  void self_contacts(const SurfaceContactOptions& options, SurfaceContacts& result) const;

  std::size_t region_count() const;
  /// Throws an Error if there is no such region.
  SurfaceRegion region(std::uint32_t number) const;
  /// For each triangle the region that it was in when the building had come to this level: itself at level 0, the root
  /// at the root's level and above.
  std::vector<std::uint32_t> regions_at(std::uint32_t level) const;
  /// How good the tree is. O(n log n) as a rule.
  SurfaceReport report() const;

 private:
  friend struct whisker::Internals;
  struct Storage;
  Held<"SurfaceHierarchy", std::unique_ptr<Storage>> storage_;
};

/// All pairs of a triangle of one and a triangle of the other, which must have the same kind of volume. Nothing is
/// missed, whatever the options.
SurfaceContacts triangle_contacts(const SurfaceHierarchy& a, const SurfaceHierarchy& b,
                                  const SurfaceContactOptions& options = {});
/// The same into a result that is used again, which then allocates nothing.
void triangle_contacts(const SurfaceHierarchy& a, const SurfaceHierarchy& b, const SurfaceContactOptions& options,
                       SurfaceContacts& result);

/// Nobody looks for `adjacent` here.
struct SurfaceSceneContacts : MeshesContacts {
  /// As in SurfaceContacts.
  bool may_miss = false;
  SurfaceCounts counts;
};

/// Many surfaces in one run: each with itself and with every other. All must have the same kind of volume.
SurfaceSceneContacts triangle_contacts(std::span<const SurfaceHierarchy* const> meshes,
                                       const SurfaceContactOptions& options = {});

}  // namespace whisker::methods
