// Consistent penetration depths: measured where edges leave the other body, then propagated inward from vertex to
// vertex.

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/tetrahedra/tetrahedral_depths.hpp>

#include "deform/tetrahedra_storage.hpp"
#include "geometry/lists.hpp"
#include "geometry/predicates_inline.hpp"
#include "geometry/safe_norm.hpp"
#include "geometry/threads.hpp"
#include "geometry/triangle_edge_point.hpp"
#include "geometry/unit_vector.hpp"
#include "mesh/surface_distance.hpp"
#include "trees/chunks.hpp"

namespace whisker {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFFu;

/// Accumulates a weighted mean of depths and directions.
struct Mean {
  double weight = 0;
  double depth = 0;
  Vector3 direction = Vector3::Zero();

  void add(double w, double its_depth, const Vector3& its_direction) {
    weight += w;
    depth += w * its_depth;
    direction += w * its_direction;
  }
};

/// The point where an edge crosses a face.
struct Crossing {
  Vector3 point;
  Vector3 normal;  ///< unit length, or zero if the face has no normal
};

/// The unit normal of a triangle, following the order of its corners. Zero for a triangle without area. The edges are
/// scaled first, because their product may be out of the range of doubles.
Vector3 unit_normal(const Vector3& a, const Vector3& b, const Vector3& c) {
  const Vector3 u = b - a, v = c - a;
  const double size = std::max(u.cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff());
  if (size == 0) return Vector3::Zero();
  const double scale = std::ldexp(1.0, std::min(1000, -std::ilogb(size)));
  return geometry::unit_vector((u * scale).cross(v * scale));
}

/// The point where the edge from p to q, which touches the face, crosses the face's plane. Nothing if the edge lies in
/// the plane. The normal is oriented along the edge.
std::optional<Crossing> crossing_of(const Vector3& p, const Vector3& q, const Vector3& a, const Vector3& b,
                                    const Vector3& c) {
  const int side_p = geometry::orient3d_filtered(a, b, c, p), side_q = geometry::orient3d_filtered(a, b, c, q);
  if (side_p == side_q) return std::nullopt;
  const Vector3 normal = unit_normal(a, b, c);
  const bool is_along = side_p < side_q;
  const Vector3 point = side_p == 0 ? p : side_q == 0 ? q : geometry::edge_plane_point(p, q, a, b, c);
  return Crossing{point, is_along ? normal : Vector3(-normal)};
}

void check(std::span<const TetrahedralMesh> meshes, const TetrahedralContacts& contacts) {
  const auto refuse = [] {
    throw Error("depths of tetrahedral meshes: the contacts belong to other meshes; find the contacts of these first");
  };
  for (const VertexContact& c : contacts.vertices)
    if (c.mesh >= meshes.size() || c.other >= meshes.size() || c.vertex >= meshes[c.mesh].vertices().size()) refuse();
  for (const EdgeContact& c : contacts.edges) {
    if (c.mesh >= meshes.size() || c.other >= meshes.size() || c.edge >= meshes[c.mesh].edges().size() ||
        c.face >= meshes[c.other].faces().size())
      refuse();
  }
}

/// The two meshes that a contact or a depth is about.
constexpr auto meshes_of = [](const auto& one) { return std::pair(one.mesh, one.other); };

}  // namespace

struct TetrahedralDepthFinder::Scratch {
  // About the current two meshes:
  std::vector<Mean> means;           ///< in the order of the depths
  std::vector<std::uint32_t> place;  ///< for each vertex of the first: its index among the depths, or `none`
  std::vector<std::uint32_t> ring, next_ring;

  /// Sets the depth of a vertex from a mean. Returns false if there is none or its directions cancel.
  static bool take(const Mean& mean, DepthSource source, VertexDepth& depth) {
    if (!(mean.weight > 0)) return false;
    const Vector3 direction = geometry::unit_vector(mean.direction / mean.weight);
    if (direction.isZero(0)) return false;
    depth.source = source;
    depth.depth = std::max(0.0, mean.depth / mean.weight);
    depth.normal = direction;
    return true;
  }

  /// Handles the vertices of one mesh inside another, with the edge contacts between the two meshes.
  void find_consistent(std::span<const TetrahedralMesh> meshes, std::span<VertexDepth> depths,
                       std::span<const EdgeContact> edges) {
    const TetrahedralMeshStorage& s = storage_of(meshes[depths.front().mesh]);
    const TetrahedralMeshStorage& o = storage_of(meshes[depths.front().other]);
    const std::vector<Vector3>& at = s.vertices;
    if (place.size() < at.size()) place.resize(at.size(), none);
    for (std::size_t i = 0; i < depths.size(); ++i)
      place[depths[i].vertex] = static_cast<std::uint32_t>(i);
    means.assign(depths.size(), {});

    // Distances in weights are relative to the size of the whole mesh, and at least 1e-50 of it. So weights stay in the
    // range of doubles, and a coincident point outweighs all others.
    double whole = geometry::safe_norm(s.bounds.upper - s.bounds.lower);
    if (whole == 0) whole = 1;
    const auto weight_of = [&](const Vector3& way) {
      const double part = std::max(geometry::safe_norm(way) / whole, 1e-50);
      return 1 / (part * part);
    };

    // Vertices with edges that leave the other body.
    for (std::size_t i = 0; i < edges.size();) {
      const std::uint32_t edge = edges[i].edge;
      const Index2& ends = s.topology->edges[edge];
      const bool leaves = (place[ends[0]] == none) != (place[ends[1]] == none);
      const std::uint32_t inner = place[ends[0]] != none ? ends[0] : ends[1], outer = ends[0] ^ ends[1] ^ inner;
      std::optional<Crossing> last;
      double last_way = 0;
      for (; i < edges.size() && edges[i].edge == edge; ++i) {
        if (!leaves) continue;
        const Index3& face = o.topology->faces[edges[i].face];
        const std::optional<Crossing> found =
            crossing_of(at[inner], at[outer], o.vertices[face[0]], o.vertices[face[1]], o.vertices[face[2]]);
        if (!found || found->normal.isZero(0)) continue;
        const double way = geometry::safe_norm(found->point - at[outer]);
        if (last && way >= last_way) continue;  // on a tie, the face with the lowest number wins
        last = found;
        last_way = way;
      }
      if (!last) continue;
      const Vector3 way = last->point - at[inner];
      means[place[inner]].add(weight_of(way), way.dot(last->normal), last->normal);
    }
    ring.clear();
    for (std::size_t i = 0; i < depths.size(); ++i)
      if (take(means[i], DepthSource::edges, depths[i])) ring.push_back(depths[i].vertex);

    // Propagates ring by ring. Vertices of the same ring do not influence each other.
    const geometry::Grouped<std::uint32_t>& neighbors = s.topology->neighbors;
    while (!ring.empty()) {
      next_ring.clear();
      for (const std::uint32_t v : ring) {
        for (const std::uint32_t w : neighbors[v])
          if (place[w] != none && depths[place[w]].source == DepthSource::none) next_ring.push_back(w);
      }
      geometry::sort_unique(next_ring);
      for (const std::uint32_t v : next_ring) {
        Mean& mean = means[place[v]];
        mean = {};
        for (const std::uint32_t w : neighbors[v]) {
          if (place[w] == none || depths[place[w]].source == DepthSource::none) continue;
          const VertexDepth& known = depths[place[w]];
          const Vector3 way = at[w] - at[v];
          mean.add(weight_of(way), way.dot(known.normal) + known.depth, known.normal);
        }
      }
      ring.clear();
      for (const std::uint32_t v : next_ring)
        if (take(means[place[v]], DepthSource::neighbors, depths[place[v]])) ring.push_back(v);
    }
    for (const VertexDepth& depth : depths)
      place[depth.vertex] = none;
  }

  /// Sets the depth from the nearest point on the other body's border for vertices that have no depth yet. Also sets
  /// bounds, if requested, for all vertices.
  void find_nearest(std::span<const TetrahedralMesh> meshes, std::span<VertexDepth> depths, bool bounds) const {
    const TetrahedralMesh &mesh = meshes[depths.front().mesh], &other = meshes[depths.front().other];
    if (&mesh == &other) return;
    const bool is_certain = other.inverted().empty();
    const auto is_open = [](const VertexDepth& d) { return d.source == DepthSource::none; };
    if (!(bounds && is_certain) && std::none_of(depths.begin(), depths.end(), is_open)) return;
    const Mesh border = other.border();
    const Pose here;
    const auto one = [&](std::size_t i) {
      VertexDepth& d = depths[i];
      if (!is_open(d) && !(bounds && is_certain)) return;
      const Vector3& p = mesh.vertices()[d.vertex];
      const Distance found = mesh::surface_distance({border, here}, convex::simple_point(p), {}, convex::Effort::quick);
      if (bounds && is_certain) d.lower = found.lower;
      if (!is_open(d)) return;
      d.source = DepthSource::surface;
      d.depth = found.upper;
      d.normal = geometry::unit_vector(found.point_a - p);
      if (!d.normal.isZero(0)) return;
      const Triangle face = border.triangle(found.feature_a.id);
      d.normal = unit_normal(face.a, face.b, face.c);
      if (d.normal.isZero(0)) d.normal = Vector3::UnitZ();  // any direction will do
    };
    constexpr std::size_t few = 64;
    trees::for_all(depths.size(), depths.size() > few, one);
  }
};

TetrahedralDepthFinder::TetrahedralDepthFinder() : scratch_(std::make_unique<Scratch>()) {}

void TetrahedralDepthFinder::find(std::span<const TetrahedralMesh> meshes, const TetrahedralContacts& contacts,
                                  std::vector<VertexDepth>& depths) {
  find(meshes, contacts, {}, depths);
}

void TetrahedralDepthFinder::find(std::span<const TetrahedralMesh> meshes, const TetrahedralContacts& contacts,
                                  const TetrahedralDepthOptions& options, std::vector<VertexDepth>& depths) {
  check_threads("depths of tetrahedral meshes", options.threads);
  check(meshes, contacts);
  Scratch& s = *scratch_;
  depths.clear();
  for (const VertexContact& c : contacts.vertices) {
    const bool is_known =
        !depths.empty() && meshes_of(depths.back()) == meshes_of(c) && depths.back().vertex == c.vertex;
    if (!is_known) depths.push_back({.mesh = c.mesh, .other = c.other, .vertex = c.vertex});
  }
  for (std::span<VertexDepth> left = depths; !left.empty();) {
    const std::pair pair = meshes_of(left.front());
    const auto end = std::ranges::find_if(left, [&](const VertexDepth& d) { return meshes_of(d) != pair; });
    const std::span<VertexDepth> some(left.begin(), end);
    if (options.mode == DepthMode::consistent) {
      const auto first = std::ranges::lower_bound(contacts.edges, pair, {}, meshes_of);
      s.find_consistent(meshes, some, {first, std::ranges::upper_bound(contacts.edges, pair, {}, meshes_of)});
    }
    with_threads("depths of tetrahedral meshes", options.threads,
                 [&] { s.find_nearest(meshes, some, options.bounds); });
    left = left.subspan(some.size());
  }
}

}  // namespace whisker
