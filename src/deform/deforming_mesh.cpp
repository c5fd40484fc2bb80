#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>

#include <whisker/deforming_mesh.hpp>
#include <whisker/error.hpp>

#include "deform/swept_tree.hpp"
#include "motion/feature_impacts.hpp"

namespace whisker {

struct DeformingMesh::Storage {
  std::vector<Vector3> start;
  std::vector<Vector3> end;
  std::vector<Index3> triangles;
  std::vector<Index2> edges;
  // About one origin.
  Vector3 origin = Vector3::Zero();
  std::vector<motion::MovingVertex> vertices;
  std::vector<deform::FloatBoxes> vertex_boxes;
  deform::SweptTree vertex_tree;  // of vertices that are in a triangle
  deform::SweptTree edge_tree;
  deform::SweptTree triangle_tree;
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
  for (const Index3& t : s.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      all.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  s.edges = std::move(all);
}

template <std::size_t corners>
std::span<const std::uint32_t> flat(const std::vector<std::array<std::uint32_t, corners>>& items) {
  return {items.front().data(), corners * items.size()};
}

void set_trees(Storage& s) {
  std::vector<bool> is_used(s.start.size());
  for (const std::uint32_t v : flat(s.triangles))
    is_used[v] = true;
  std::vector<std::uint32_t> used;
  for (std::uint32_t v = 0; v < s.start.size(); ++v)
    if (is_used[v]) used.push_back(v);
  Vector3 lower = s.start[used.front()], upper = lower;
  for (const std::uint32_t v : used) {
    lower = lower.cwiseMin(s.start[v]);
    upper = upper.cwiseMax(s.start[v]);
  }
  s.origin = lower + (upper - lower) / 2;
  s.vertex_tree = deform::build_swept_tree(s.start, used, 1);
  s.edge_tree = deform::build_swept_tree(s.start, flat(s.edges), 2);
  s.triangle_tree = deform::build_swept_tree(s.start, flat(s.triangles), 3);
}

void refit(Storage& s) {
  s.vertices.resize(s.start.size());
  for (std::size_t i = 0; i < s.start.size(); ++i) {
    std::copy_n(s.start[i].data(), 3, s.vertices[i].start);
    std::copy_n(s.end[i].data(), 3, s.vertices[i].end);
  }
  deform::set_vertex_boxes(s.start, s.end, s.origin, s.vertex_boxes);
  for (deform::SweptTree* const tree : {&s.vertex_tree, &s.edge_tree, &s.triangle_tree})
    deform::refit(*tree, s.vertex_boxes);
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
  set_trees(s);
  refit(s);
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
  refit(s);
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
  refit(s);
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

/// Pairs of features that wait to be looked at together.
struct Waiting {
  static constexpr std::size_t most = 256;  // some hundreds fill the lanes and stay in the cache

  std::size_t count = 0;
  std::array<std::array<std::uint32_t, 4>, most> corners;
  std::array<std::array<std::uint32_t, 2>, most> numbers;  ///< of the features, as the hit has them

  void push(const std::array<std::uint32_t, 4>& vertices, std::uint32_t a, std::uint32_t b, bool is_wanted) {
    corners[count] = vertices;
    numbers[count] = {a, b};
    count += is_wanted ? 1u : 0u;
  }
};

void sort_by_time(std::vector<FeatureHit>& hits) {
  struct Place {
    double time;
    std::uint32_t number;
  };
  // Hits are large: their places are sorted, and each hit moves once.
  std::vector<Place> places;
  places.reserve(hits.size());
  for (std::size_t i = 0; i < hits.size(); ++i)
    places.push_back({hits[i].impact.time_lower, static_cast<std::uint32_t>(i)});
  std::sort(places.begin(), places.end(), [&](const Place& x, const Place& y) {
    if (x.time != y.time) return x.time < y.time;
    const FeatureHit &p = hits[x.number], &q = hits[y.number];
    return std::tie(p.kind, p.a, p.b) < std::tie(q.kind, q.a, q.b);
  });
  std::vector<FeatureHit> sorted;
  sorted.reserve(hits.size());
  for (const Place& place : places)
    sorted.push_back(hits[place.number]);
  hits = std::move(sorted);
}

unsigned same(std::uint32_t p, std::uint32_t q) {
  return p == q ? 1 : 0;
}

/// Walks the trees and keeps the features that touch.
class Search {
 public:
  Search(const Storage& a, const Storage& b, bool is_self, const DeformingOptions& options)
      : a_(a), b_(b), is_self_(is_self), options_(options), features_(options.features) {}

  /// Vertices of the one against triangles of the other.
  void look_at_vertices(FeatureHitKind kind) {
    const bool is_flipped = kind == FeatureHitKind::face_vertex;
    const Storage &of = is_flipped ? b_ : a_, &against = is_flipped ? a_ : b_;
    const unsigned is_self = is_self_ ? 1 : 0;
    const deform::SweptTree &vertices = of.vertex_tree, &triangles = against.triangle_tree;
    walk(of, vertices, against, triangles, false, [&](std::uint32_t i, std::uint32_t j) {
      const std::uint32_t v = vertices.items[i].vertices[0];
      const deform::SweptItem& triangle = triangles.items[j];
      const std::array<std::uint32_t, 3>& t = triangle.vertices;
      const unsigned shares = is_self & (same(v, t[0]) | same(v, t[1]) | same(v, t[2]));
      const std::uint32_t face = triangle.number;
      waiting_.push({v, t[0], t[1], t[2]}, is_flipped ? face : v, is_flipped ? v : face, shares == 0);
      if (waiting_.count == Waiting::most) settle(kind);
    });
    settle(kind);
  }

  void look_at_edges() {
    const unsigned is_self = is_self_ ? 1 : 0;
    walk(a_, a_.edge_tree, b_, b_.edge_tree, is_self_, [&](std::uint32_t i, std::uint32_t j) {
      const deform::SweptItem &edge_a = a_.edge_tree.items[i], &edge_b = b_.edge_tree.items[j];
      const std::array<std::uint32_t, 3>&p = edge_a.vertices, &q = edge_b.vertices;
      // Without branches here, which would be guessed wrong half of the time.
      const bool swap = (is_self & (edge_a.number > edge_b.number ? 1u : 0u)) != 0;
      const unsigned shares = is_self & (same(p[0], q[0]) | same(p[0], q[1]) | same(p[1], q[0]) | same(p[1], q[1]));
      waiting_.push({swap ? q[0] : p[0], swap ? q[1] : p[1], swap ? p[0] : q[0], swap ? p[1] : q[1]},
                    swap ? edge_b.number : edge_a.number, swap ? edge_a.number : edge_b.number, shares == 0);
      if (waiting_.count == Waiting::most) settle(FeatureHitKind::edge_edge);
    });
    settle(FeatureHitKind::edge_edge);
  }

  DeformingContacts result() && {
    std::vector<FeatureHit>& hits = contacts_.hits;
    if (std::isfinite(options_.within)) {
      const double last = first_ + options_.within;
      std::erase_if(hits, [&](const FeatureHit& hit) { return hit.impact.time_lower > last; });
    }
    sort_by_time(hits);
    return std::move(contacts_);
  }

 private:
  template <class Visit>
  void walk(const Storage& of, const deform::SweptTree& tree, const Storage& against, const deform::SweptTree& other,
            bool is_same, const Visit& visit) {
    const auto take = [](void* context, const std::uint32_t* places_a, const std::uint32_t* places_b,
                         std::size_t count) {
      const Visit& each = *static_cast<const Visit*>(context);
      for (std::size_t i = 0; i < count; ++i)
        each(places_a[i], places_b[i]);
    };
    const deform::PairSink sink = {const_cast<Visit*>(&visit), take};
    contacts_.cost.volume_tests +=
        deform::walk_pairs(tree, other, {is_same, of.origin - against.origin, options_.features.separation}, sink);
  }

  void settle(FeatureHitKind kind) {
    const bool is_flipped = kind == FeatureHitKind::face_vertex;
    const Storage &first = is_flipped ? b_ : a_, &second = is_flipped ? a_ : b_;
    const motion::FeaturePairs pairs = {
        .corners = waiting_.corners.data(), .vertices_a = first.vertices.data(), .vertices_b = second.vertices.data()};
    const auto pair_kind = kind == FeatureHitKind::edge_edge ? motion::FeaturePairKind::segment_segment
                                                             : motion::FeaturePairKind::point_triangle;
    contacts_.cost.primitive_tests += waiting_.count;
    motion::for_each_impact(pair_kind, pairs, waiting_.count, features_, true,
                            [&](std::size_t i, const FeatureImpact& impact) {
                              FeatureHit hit{kind, waiting_.numbers[i][0], waiting_.numbers[i][1], impact};
                              if (is_flipped) {
                                std::swap(hit.impact.weights_a, hit.impact.weights_b);
                                hit.impact.normal = -hit.impact.normal;
                              }
                              take(hit);
                            });
    waiting_.count = 0;
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
  Waiting waiting_;
  double first_ = std::numeric_limits<double>::infinity();
  DeformingContacts contacts_;
};

DeformingContacts find_contacts(const Storage& a, const Storage& b, bool is_self, const DeformingOptions& options) {
  motion::check(options.features);
  if (!(options.within >= 0)) throw Error("first contacts of deforming meshes: `within` must be a time, 0 or larger");
  Search search(a, b, is_self, options);
  search.look_at_vertices(FeatureHitKind::vertex_face);
  if (!is_self) search.look_at_vertices(FeatureHitKind::face_vertex);
  search.look_at_edges();
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
