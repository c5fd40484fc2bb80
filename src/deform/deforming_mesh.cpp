#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include <whisker/deforming_mesh.hpp>
#include <whisker/error.hpp>

#include "deform/swept_tree.hpp"

namespace whisker {

struct DeformingMesh::Storage {
  std::vector<Vector3> start;
  std::vector<Vector3> end;
  std::vector<Index3> triangles;
  std::vector<Index2> edges;
  /// The edges of a triangle: from corner 0 to 1, 1 to 2, 2 to 0.
  std::vector<Index3> edges_of;
  /// Each vertex and edge belongs to one of its triangles, so that a pair of features is looked at with one pair of
  /// triangles (after Curtis, Tamstorf and Manocha 2008): a bit for each corner, then for each edge.
  std::vector<std::uint8_t> owns;
  deform::SweptTree tree;
};

namespace {

using Storage = DeformingMesh::Storage;

void check_vertices(std::span<const Vector3> vertices) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!(vertices[i].cwiseAbs().maxCoeff() <= largest_coordinate) || !vertices[i].allFinite())
      throw Error("deforming mesh: vertex " + std::to_string(i) + " is not finite, or beyond 1e90");
  }
}

void set_edges(Storage& s) {
  std::vector<Index2> all;
  all.reserve(3 * s.triangles.size());
  const auto edge = [](std::uint32_t p, std::uint32_t q) { return Index2{std::min(p, q), std::max(p, q)}; };
  for (const Index3& t : s.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      all.push_back(edge(t[k], t[(k + 1) % 3]));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  s.edges = std::move(all);
  s.edges_of.resize(s.triangles.size());
  s.owns.assign(s.triangles.size(), 0);
  std::vector<bool> vertex_taken(s.start.size()), edge_taken(s.edges.size());
  for (std::size_t i = 0; i < s.triangles.size(); ++i) {
    const Index3& t = s.triangles[i];
    for (std::size_t k = 0; k < 3; ++k) {
      const Index2 one = edge(t[k], t[(k + 1) % 3]);
      const auto number =
          static_cast<std::uint32_t>(std::lower_bound(s.edges.begin(), s.edges.end(), one) - s.edges.begin());
      s.edges_of[i][k] = number;
      if (!vertex_taken[t[k]]) s.owns[i] = static_cast<std::uint8_t>(s.owns[i] | 1u << k);
      if (!edge_taken[number]) s.owns[i] = static_cast<std::uint8_t>(s.owns[i] | 8u << k);
      vertex_taken[t[k]] = true;
      edge_taken[number] = true;
    }
  }
}

}  // namespace

DeformingMesh::DeformingMesh(MeshData data) : storage_(std::make_unique<Storage>()) {
  check_vertices(data.vertices);
  if (data.triangles.empty()) throw Error("deforming mesh: there is no triangle");
  for (std::size_t i = 0; i < data.triangles.size(); ++i) {
    for (const std::uint32_t v : data.triangles[i]) {
      if (v < data.vertices.size()) continue;
      throw Error("deforming mesh: triangle " + std::to_string(i) + " has vertex " + std::to_string(v) +
                  ", but there are " + std::to_string(data.vertices.size()));
    }
  }
  Storage& s = *storage_;
  s.start = std::move(data.vertices);
  s.end = s.start;
  s.triangles = std::move(data.triangles);
  set_edges(s);
  s.tree = deform::build_swept_tree(s.start, s.triangles);
}

DeformingMesh::DeformingMesh(const DeformingMesh& other) : storage_(std::make_unique<Storage>(*other.storage_)) {}
DeformingMesh::DeformingMesh(DeformingMesh&&) noexcept = default;
DeformingMesh& DeformingMesh::operator=(const DeformingMesh& other) {
  if (this != &other) storage_ = std::make_unique<Storage>(*other.storage_);
  return *this;
}
DeformingMesh& DeformingMesh::operator=(DeformingMesh&&) noexcept = default;
DeformingMesh::~DeformingMesh() = default;

void DeformingMesh::set_vertices(std::span<const Vector3> vertices) {
  Storage& s = *storage_;
  if (vertices.size() != s.end.size()) {
    throw Error("deforming mesh: " + std::to_string(vertices.size()) + " vertices, but it has " +
                std::to_string(s.end.size()));
  }
  check_vertices(vertices);
  std::swap(s.start, s.end);
  // One by one: they may be the mesh's own.
  for (std::size_t i = 0; i < vertices.size(); ++i)
    s.end[i] = vertices[i];
  deform::refit(s.tree, s.start, s.end, s.triangles);
}

void DeformingMesh::set_step(std::span<const Vector3> start, std::span<const Vector3> end) {
  Storage& s = *storage_;
  if (start.size() != s.end.size() || end.size() != s.end.size()) {
    throw Error("deforming mesh: " + std::to_string(start.size()) + " and " + std::to_string(end.size()) +
                " vertices, but it has " + std::to_string(s.end.size()));
  }
  check_vertices(start);
  check_vertices(end);
  // Both at a time: they may be the mesh's own, exchanged.
  for (std::size_t i = 0; i < start.size(); ++i) {
    const Vector3 from = start[i], to = end[i];
    s.start[i] = from;
    s.end[i] = to;
  }
  deform::refit(s.tree, s.start, s.end, s.triangles);
}

std::span<const Vector3> DeformingMesh::start() const {
  return storage_->start;
}
std::span<const Vector3> DeformingMesh::end() const {
  return storage_->end;
}
std::span<const Index3> DeformingMesh::triangles() const {
  return storage_->triangles;
}
std::span<const Index2> DeformingMesh::edges() const {
  return storage_->edges;
}

namespace {

/// At the start and at the end.
struct Boxes {
  Vector3 lower[2], upper[2];
};
Boxes boxes_of_vertex(const Storage& s, std::uint32_t v) {
  return {{s.start[v], s.end[v]}, {s.start[v], s.end[v]}};
}
Boxes join(const Boxes& a, const Boxes& b) {
  return {{a.lower[0].cwiseMin(b.lower[0]), a.lower[1].cwiseMin(b.lower[1])},
          {a.upper[0].cwiseMax(b.upper[0]), a.upper[1].cwiseMax(b.upper[1])}};
}
/// False if one is beyond the other by more than `separation` along an axis at both ends, and so all along.
bool may_meet(const Boxes& a, const Boxes& b, double separation) {
  bool parted = false;
  for (int k = 0; k < 3; ++k) {
    parted |= std::min(a.lower[0][k] - b.upper[0][k], a.lower[1][k] - b.upper[1][k]) > separation;
    parted |= std::min(b.lower[0][k] - a.upper[0][k], b.lower[1][k] - a.upper[1][k]) > separation;
  }
  return !parted;
}

/// A triangle with the boxes of its corners, edges and all of it.
struct Face {
  std::uint32_t number;
  Index3 corners, edges;
  unsigned owns;
  std::array<Boxes, 3> corner;
  std::array<Boxes, 3> edge;
  Boxes whole;
};
Face face_of(const Storage& s, std::uint32_t number) {
  Face face;
  face.number = number;
  face.corners = s.triangles[number];
  face.edges = s.edges_of[number];
  face.owns = s.owns[number];
  for (std::size_t k = 0; k < 3; ++k)
    face.corner[k] = boxes_of_vertex(s, face.corners[k]);
  for (std::size_t k = 0; k < 3; ++k)
    face.edge[k] = join(face.corner[k], face.corner[(k + 1) % 3]);
  face.whole = join(face.edge[0], face.corner[2]);
  return face;
}

bool has(const Index3& corners, std::uint32_t v) {
  return corners[0] == v || corners[1] == v || corners[2] == v;
}

/// Looks at the features of pairs of triangles and keeps those that touch.
class Search {
 public:
  Search(const Storage& a, const Storage& b, bool is_self, const DeformingOptions& options)
      : a_(a), b_(b), is_self_(is_self), options_(options), features_(options.features) {}

  void look(const Face& a, const Face& b) {
    if (!may_meet(a.whole, b.whole, options_.features.separation)) return;
    corners(a_, a, b_, b, false);
    corners(b_, b, a_, a, true);
    for (std::size_t i = 0; i < 3; ++i) {
      if ((a.owns >> (3 + i) & 1) == 0) continue;
      for (std::size_t j = 0; j < 3; ++j) {
        if ((b.owns >> (3 + j) & 1) == 0) continue;
        if (!may_meet(a.edge[i], b.edge[j], options_.features.separation)) continue;
        edges(a.edges[i], b.edges[j]);
      }
    }
  }

  DeformingContacts result() && {
    std::vector<FeatureHit>& hits = contacts_.hits;
    std::sort(hits.begin(), hits.end(), [](const FeatureHit& x, const FeatureHit& y) {
      return std::tie(x.impact.time_lower, x.kind, x.a, x.b) < std::tie(y.impact.time_lower, y.kind, y.a, y.b);
    });
    if (std::isfinite(options_.within)) {
      double last = first_ + options_.within;
      std::erase_if(hits, [&](const FeatureHit& hit) { return hit.impact.time_lower > last; });
    }
    return std::move(contacts_);
  }

  Cost& cost() { return contacts_.cost; }

 private:
  void corners(const Storage& of, const Face& face, const Storage& other, const Face& against, bool flipped) {
    for (std::size_t k = 0; k < 3; ++k) {
      if ((face.owns >> k & 1) == 0) continue;
      const std::uint32_t v = face.corners[k];
      if (is_self_ && has(against.corners, v)) continue;
      if (!may_meet(face.corner[k], against.whole, options_.features.separation)) continue;
      const Index3& t = against.corners;
      ++contacts_.cost.primitive_tests;
      const FeatureImpact impact =
          first_contact_point_triangle({of.start[v], of.end[v]},
                                       {{other.start[t[0]], other.start[t[1]], other.start[t[2]]},
                                        {other.end[t[0]], other.end[t[1]], other.end[t[2]]}},
                                       features_);
      if (impact.status == ImpactStatus::apart) continue;
      if (flipped && !is_self_) {
        FeatureHit hit{FeatureHitKind::face_vertex, against.number, v, impact};
        std::swap(hit.impact.weights_a, hit.impact.weights_b);
        hit.impact.normal = -hit.impact.normal;
        take(hit);
      } else {
        take({FeatureHitKind::vertex_face, v, against.number, impact});
      }
    }
  }

  void edges(std::uint32_t i, std::uint32_t j) {
    if (is_self_ && i > j) std::swap(i, j);
    const Index2 &p = a_.edges[i], &q = b_.edges[j];
    if (is_self_ && (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1])) return;
    ++contacts_.cost.primitive_tests;
    const FeatureImpact impact =
        first_contact_segment_segment({{a_.start[p[0]], a_.start[p[1]]}, {a_.end[p[0]], a_.end[p[1]]}},
                                      {{b_.start[q[0]], b_.start[q[1]]}, {b_.end[q[0]], b_.end[q[1]]}}, features_);
    if (impact.status != ImpactStatus::apart) take({FeatureHitKind::edge_edge, i, j, impact});
  }

  void take(const FeatureHit& hit) {
    contacts_.hits.push_back(hit);
    if (!hit.impact.certain) return;
    first_ = std::min(first_, hit.impact.time_upper);
    // What begins later is not asked for.
    features_.until = std::min(options_.features.until, first_ + options_.within);
  }

  const Storage& a_;
  const Storage& b_;
  bool is_self_;
  const DeformingOptions& options_;
  FeatureImpactOptions features_;
  double first_ = std::numeric_limits<double>::infinity();
  DeformingContacts contacts_;
};

DeformingContacts find_contacts(const Storage& a, const Storage& b, bool is_self, const DeformingOptions& options) {
  if (!(options.within >= 0)) throw Error("first contacts of deforming meshes: `within` must be a time, 0 or larger");
  Search search(a, b, is_self, options);
  const Vector3 shift = a.tree.origin - b.tree.origin;
  const double separation = options.features.separation;
  std::array<Face, trees::Topology::leaf_size> faces_b;
  const auto look = [&](const deform::LeafPair& pair) {
    const bool same = is_self && pair.first_a == pair.first_b;
    unsigned known = 0;
    for (std::uint32_t i = 0; i < pair.count_a; ++i) {
      const std::uint32_t place_a = pair.first_a + i;
      unsigned hit =
          deform::meeting(b.tree, pair.first_b, pair.count_b, deform::shifted(a.tree, place_a, shift, separation));
      if (same) hit &= ~((2u << i) - 1);
      if (hit == 0) continue;
      const Face face_a = face_of(a, a.tree.topology.order[place_a]);
      for (; hit != 0; hit &= hit - 1) {
        const auto j = static_cast<std::uint32_t>(std::countr_zero(hit));
        if ((known >> j & 1) == 0) faces_b[j] = face_of(b, b.tree.topology.order[pair.first_b + j]);
        known |= 1u << j;
        search.look(face_a, faces_b[j]);
      }
    }
  };
  deform::walk_pairs(a.tree, b.tree, is_self, separation, search.cost().volume_tests, look);
  return std::move(search).result();
}

}  // namespace

DeformingContacts first_contacts(const DeformingMesh& a, const DeformingMesh& b, const DeformingOptions& options) {
  return find_contacts(a.storage(), b.storage(), false, options);
}

DeformingContacts first_contacts(const DeformingMesh& mesh, const DeformingOptions& options) {
  return find_contacts(mesh.storage(), mesh.storage(), true, options);
}

}  // namespace whisker
