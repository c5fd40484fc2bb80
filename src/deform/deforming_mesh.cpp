#include <algorithm>
#include <array>
#include <cmath>
#include <hwy/cache_control.h>
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
  // The vertices that are in a triangle, in another order: that of their tree, so that what is near in space is near in
  // memory. The trees count them so.
  std::vector<std::uint32_t> order;
  std::vector<motion::MovingVertex> vertices;
  Vector3 origin = Vector3::Zero();  // boxes and heights are about it
  std::vector<deform::FloatBoxes> vertex_boxes;
  deform::Heights heights;
  deform::SweptTree vertex_tree;
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
  s.order.reserve(used.size());
  std::vector<std::uint32_t> place(s.start.size());
  std::vector<Vector3> positions;
  for (deform::SweptItem& item : s.vertex_tree.items) {
    item.number = item.vertices[0];  // as the user counts
    item.vertices[0] = place[item.number] = static_cast<std::uint32_t>(s.order.size());
    s.order.push_back(item.number);
    positions.push_back(s.start[item.number]);
  }
  const auto by_place = [&](std::span<const std::uint32_t> vertices) {
    std::vector<std::uint32_t> places;
    places.reserve(vertices.size());
    for (const std::uint32_t v : vertices)
      places.push_back(place[v]);
    return places;
  };
  s.edge_tree = deform::build_swept_tree(positions, by_place(flat(s.edges)), 2);
  s.triangle_tree = deform::build_swept_tree(positions, by_place(flat(s.triangles)), 3);
}

void refit(Storage& s) {
  s.vertices.resize(s.order.size());
  for (std::size_t i = 0; i < s.order.size(); ++i) {
    std::copy_n(s.start[s.order[i]].data(), 3, s.vertices[i].start);
    std::copy_n(s.end[s.order[i]].data(), 3, s.vertices[i].end);
  }
  deform::set_vertex_boxes(s.vertices, s.origin, s.vertex_boxes);
  deform::set_heights(s.vertices, s.origin, s.heights);
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

/// A contact as it is kept until all are found: a hit is three times as large.
struct Found {
  double lower, upper;
  motion::NumberedPair pair;  ///< as the hit has their numbers
  FeatureHitKind kind;
  ImpactStatus status;
  bool certain;
  Stop stop;
};

bool is_before(const Found& p, const Found& q) {
  if (p.lower != q.lower) return p.lower < q.lower;
  return std::tie(p.kind, p.pair.numbers) < std::tie(q.kind, q.pair.numbers);
}

/// The order of contacts. Times are spread over as many bins as there are contacts, as a rule about evenly, and sorted
/// in each.
std::vector<std::uint32_t> order_of(const std::vector<Found>& found) {
  const std::size_t count = found.size();
  const auto bin = [&](const Found& one) {
    return std::min(count - 1, static_cast<std::size_t>(one.lower * static_cast<double>(count)));
  };
  std::vector<std::uint32_t> ends(count + 1);
  for (const Found& one : found)
    ++ends[bin(one) + 1];
  for (std::size_t i = 0; i < count; ++i)
    ends[i + 1] += ends[i];
  // Ends are begins, as long as bins are empty.
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i)
    order[ends[bin(found[i])]++] = static_cast<std::uint32_t>(i);
  for (std::size_t begin = 0, i = 0; i < count; begin = ends[i++]) {
    if (ends[i] - begin < 2) continue;
    std::sort(&order[begin], &order[begin] + (ends[i] - begin),
              [&](std::uint32_t p, std::uint32_t q) { return is_before(found[p], found[q]); });
  }
  return order;
}

/// Walks the trees and keeps the features that touch.
class Search {
 public:
  Search(const Storage& a, const Storage& b, bool is_self, const DeformingOptions& options)
      : a_(a), b_(b), is_self_(is_self), options_(options), features_(options.features) {}

  /// Vertices of the one against triangles of the other, or edges of both.
  void look_at(FeatureHitKind kind) {
    const Storage &first = first_of(kind), &second = second_of(kind);
    const bool is_edges = kind == FeatureHitKind::edge_edge;
    const deform::SweptItems items_a = {is_edges ? first.edge_tree : first.vertex_tree, first.heights};
    const deform::SweptItems items_b = {is_edges ? second.edge_tree : second.triangle_tree, second.heights};
    struct Context {
      Search& search;
      FeatureHitKind kind;
    } context = {*this, kind};
    const deform::PairSink sink = {&context, [](void* given, const motion::NumberedPair* pairs, std::size_t count) {
                                     const auto& to = *static_cast<const Context*>(given);
                                     to.search.look_at_pairs(to.kind, pairs, count);
                                   }};
    contacts_.cost.volume_tests += deform::walk_pairs(
        items_a, items_b, {is_self_, is_self_ && is_edges, first.origin - second.origin, options_.features.separation},
        sink);
  }

  DeformingContacts result() && {
    if (std::isfinite(options_.within)) {
      const double last = first_ + options_.within;
      std::erase_if(found_, [&](const Found& one) { return one.lower > last; });
    }
    const std::vector<std::uint32_t> order = order_of(found_);
    contacts_.hits.reserve(order.size());
    constexpr std::size_t at_once = 128;  // enough of a kind to fill the lanes, few enough for the cache
    for (std::size_t first = 0; first < order.size(); first += at_once)
      add_hits({&order[first], std::min(at_once, order.size() - first)});
    return std::move(contacts_);
  }

 private:
  /// The mesh with the point, or with the first of two segments.
  const Storage& first_of(FeatureHitKind kind) const { return kind == FeatureHitKind::face_vertex ? b_ : a_; }
  const Storage& second_of(FeatureHitKind kind) const { return kind == FeatureHitKind::face_vertex ? a_ : b_; }

  static motion::FeaturePairKind pair_kind(FeatureHitKind kind) {
    return kind == FeatureHitKind::edge_edge ? motion::FeaturePairKind::segment_segment
                                             : motion::FeaturePairKind::point_triangle;
  }

  motion::FeaturePairs pairs_of(FeatureHitKind kind, const motion::NumberedPair* pairs) const {
    return {
        .numbered = pairs, .vertices_a = first_of(kind).vertices.data(), .vertices_b = second_of(kind).vertices.data()};
  }

  void look_at_pairs(FeatureHitKind kind, const motion::NumberedPair* pairs, std::size_t count) {
    contacts_.cost.primitive_tests += count;
    motion::for_each_impact(pair_kind(kind), pairs_of(kind, pairs), count, features_,
                            {.is_checked = true, .is_described = false},
                            [&](std::size_t i, const FeatureImpact& impact) { take(kind, pairs[i], impact); });
  }

  void take(FeatureHitKind kind, const motion::NumberedPair& pair, const FeatureImpact& impact) {
    found_.push_back({impact.time_lower, impact.time_upper, pair, kind, impact.status, impact.certain, impact.stop});
    if (kind == FeatureHitKind::face_vertex) std::swap(found_.back().pair.numbers[0], found_.back().pair.numbers[1]);
    if (!impact.certain) return;
    first_ = std::min(first_, impact.time_upper);
    // What begins later is not asked for.
    features_.until = std::min(options_.features.until, first_ + options_.within);
  }

  /// Those found with these numbers, described.
  void add_hits(std::span<const std::uint32_t> numbers) {
    // They lie anywhere in memory: all are asked for before the first is waited for.
    for (const std::uint32_t number : numbers) {
      hwy::Prefetch(&found_[number]);
      hwy::Prefetch(&found_[number].stop);
    }
    for (ToDescribe& some : to_describe_)
      some.clear();
    for (const std::uint32_t number : numbers) {
      const Found& one = found_[number];
      ToDescribe& some = to_describe_[static_cast<std::size_t>(one.kind)];
      some.pairs.push_back(one.pair);
      FeatureImpact& impact = some.impacts.emplace_back(blank_);
      impact.status = one.status;
      impact.time_lower = one.lower;
      impact.time_upper = one.upper;
      impact.certain = one.certain;
      impact.stop = one.stop;
    }
    for (const FeatureHitKind kind : kinds) {
      ToDescribe& some = to_describe_[static_cast<std::size_t>(kind)];
      motion::describe(pair_kind(kind), pairs_of(kind, some.pairs.data()), options_.features, some.impacts);
      if (kind != FeatureHitKind::face_vertex) continue;
      for (FeatureImpact& impact : some.impacts) {
        std::swap(impact.weights_a, impact.weights_b);
        impact.normal = -impact.normal;
      }
    }
    for (const std::uint32_t number : numbers) {
      const Found& one = found_[number];
      ToDescribe& some = to_describe_[static_cast<std::size_t>(one.kind)];
      contacts_.hits.push_back({one.kind, one.pair.numbers[0], one.pair.numbers[1], some.impacts[some.taken++]});
    }
  }

  static constexpr std::array<FeatureHitKind, 3> kinds = {FeatureHitKind::vertex_face, FeatureHitKind::face_vertex,
                                                          FeatureHitKind::edge_edge};
  /// Contacts of one kind.
  struct ToDescribe {
    std::vector<motion::NumberedPair> pairs;
    std::vector<FeatureImpact> impacts;
    std::size_t taken = 0;

    void clear() {
      pairs.clear();
      impacts.clear();
      taken = 0;
    }
  };

  const Storage& a_;
  const Storage& b_;
  bool is_self_;
  const DeformingOptions& options_;
  FeatureImpactOptions features_;
  double first_ = std::numeric_limits<double>::infinity();
  std::vector<Found> found_;
  std::array<ToDescribe, 3> to_describe_;  // by kind
  const FeatureImpact blank_;              // which is faster to copy than to make
  DeformingContacts contacts_;
};

DeformingContacts find_contacts(const Storage& a, const Storage& b, bool is_self, const DeformingOptions& options) {
  motion::check(options.features);
  if (!(options.within >= 0)) throw Error("first contacts of deforming meshes: `within` must be a time, 0 or larger");
  Search search(a, b, is_self, options);
  search.look_at(FeatureHitKind::vertex_face);
  if (!is_self) search.look_at(FeatureHitKind::face_vertex);
  search.look_at(FeatureHitKind::edge_edge);
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
