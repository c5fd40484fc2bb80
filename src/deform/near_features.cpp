#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <span>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tuple>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/near_features.hpp>

#include "deform/deforming_mesh_storage.hpp"
#include "deform/near_distance.hpp"
#include "deform/sort_counting.hpp"
#include "geometry/threads.hpp"

namespace whisker {
namespace {

using deform::NearDistances;
using motion::NumberedPair;

/// The pairs found by one piece of the traversal.
struct FoundNearPairs {
  std::vector<NumberedPair> pairs;
  Cost cost;
};

/// The closest parts of a pair, and the pair's index in the list.
struct PartsOfPair {
  ClosestParts parts;
  std::uint32_t first, second;
  std::size_t place;
};

}  // namespace

struct NearMemory::Storage {
  /// The traversal is split into this many pieces, whatever the number of threads, so that each piece needs the same
  /// memory every time.
  static constexpr std::size_t pieces = 64;

  std::vector<deform::NodePair> nodes;
  std::array<FoundNearPairs, pieces + 1> found;  // the last one: pairs found before the split
  std::vector<std::size_t> ends;
  std::vector<NumberedPair> sorted;
  std::vector<PartsOfPair> parts_of_pairs, by_parts;
};

using NearStorage = StorageOf<NearMemory>;

NearMemory::Storage& NearMemory::storage() {
  if (storage_ == nullptr) storage_ = std::make_unique<Storage>();
  return *storage_;
}

namespace {

/// Searches features of one kind: vertices of the first mesh against triangles of the second, or edges of both. For
/// `face_vertex`, the first mesh is the caller's b.
class NearSearch {
 public:
  NearSearch(const DeformingMesh& a, const DeformingMesh& b, bool is_self, FeatureHitKind kind, double thickness,
             NearFeatures& result)
      : kind_(kind),
        is_flipped_(kind == FeatureHitKind::face_vertex),
        sides_(storage_of(a).swept(), storage_of(b).swept(), kind),
        triangle_edges_(storage_of(is_flipped_ ? a : b).triangle_edges()),
        options_{is_self, is_self && sides_.is_edges, sides_.first.origin - sides_.second.origin, thickness, true},
        thickness_(thickness),
        result_(result),
        memory_(Internals::working_storage(result.memory)) {}

  /// Adds the near pairs to the result.
  void look() {
    find();
    sort();
    describe();
  }

 private:
  /// Finds the pairs that are not proven to be farther than the thickness, in any order.
  void find() {
    const deform::SweptItems a = sides_.items_a(), b = sides_.items_b();
    constexpr std::size_t pieces = NearStorage::pieces;
    const auto search = [&](FoundNearPairs& found, const auto& walk) {
      found.pairs.clear();
      found.cost = {};
      const auto keep = [&](const NumberedPair* pairs, std::size_t count) { keep_near(pairs, count, found); };
      found.cost.volume_tests += walk(keep);
    };
    search(memory_.found[pieces], [&](const deform::PairSink& sink) {
      return deform::begin_walk(a, b, options_, 4 * pieces, memory_.nodes, sink);
    });
    const std::span<const deform::NodePair> nodes = memory_.nodes;
    tbb::parallel_for(std::size_t{0}, pieces, [&](std::size_t piece) {
      const std::size_t from = nodes.size() * piece / pieces, to = nodes.size() * (piece + 1) / pieces;
      search(memory_.found[piece], [&](const deform::PairSink& sink) -> std::uint64_t {
        if (from == to) return 0;
        return deform::walk_pairs(a, b, options_, sink, nodes.subspan(from, to - from));
      });
    });
  }

  void keep_near(const NumberedPair* pairs, std::size_t count, FoundNearPairs& found) const {
    found.cost.primitive_tests += count;
    NearDistances distances;
    for (std::size_t first = 0; first < count; first += NearDistances::most) {
      const std::size_t some = std::min(NearDistances::most, count - first);
      deform::measure_near(sides_.pair_kind(), sides_.pairs_of(pairs + first), some, distances);
      for (std::size_t i = 0; i < some; ++i)
        if (distances.lower[i] <= thickness_) found.pairs.push_back(pairs[first + i]);
    }
  }

  std::uint32_t number_a(const NumberedPair& pair) const { return pair.numbers[is_flipped_ ? 1 : 0]; }
  std::uint32_t number_b(const NumberedPair& pair) const { return pair.numbers[is_flipped_ ? 0 : 1]; }

  /// Sorts by a, then by b.
  void sort() {
    std::size_t count = 0;
    for (const FoundNearPairs& found : memory_.found) {
      count += found.pairs.size();
      result_.cost += found.cost;
    }
    memory_.sorted.resize(count);
    deform::sort_counting(
        [&](const auto& visit) {
          for (const FoundNearPairs& found : memory_.found)
            std::for_each(found.pairs.begin(), found.pairs.end(), visit);
        },
        [&](const NumberedPair& pair) { return number_a(pair); },
        [&](const NumberedPair& p, const NumberedPair& q) { return number_b(p) < number_b(q); }, memory_.ends,
        memory_.sorted);
  }

  void describe() {
    const std::span<const NumberedPair> sorted = memory_.sorted;
    const std::size_t before = result_.pairs.size();
    result_.pairs.resize(before + sorted.size());
    const std::span<NearPair> pairs = std::span(result_.pairs).subspan(before);
    std::atomic<bool> is_some_far = false;
    const auto describe_some = [&](const tbb::blocked_range<std::size_t>& range) {
      NearDistances distances;
      bool is_far = false;
      for (std::size_t first = range.begin(); first < range.end(); first += NearDistances::most) {
        const std::size_t some = std::min(NearDistances::most, range.end() - first);
        deform::measure_near(sides_.pair_kind(), sides_.pairs_of(&sorted[first]), some, distances);
        for (std::size_t i = 0; i < some; ++i) {
          set_pair(sorted[first + i], distances, i, pairs[first + i]);
          is_far = is_far || pairs[first + i].lower > thickness_;
        }
      }
      if (is_far) is_some_far.store(true, std::memory_order_relaxed);
    };
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, sorted.size(), 4 * NearDistances::most), describe_some);
    // Some pairs may be proven farther only by the accurate measurement.
    if (is_some_far) std::erase_if(result_.pairs, [&](const NearPair& pair) { return pair.lower > thickness_; });
  }

  void set_pair(const NumberedPair& pair, const NearDistances& distances, std::size_t i, NearPair& to) const {
    const std::size_t corners_first = motion::corners_of_first(sides_.pair_kind());
    const auto side_of = [&](std::size_t k) -> const deform::SweptParts& {
      return k < corners_first ? sides_.first : sides_.second;
    };
    deform::NearDistance found;
    if (distances.is_tight[i]) {
      found = distances.at(i);
    } else {
      Vector3 corners[4];
      for (std::size_t k = 0; k < 4; ++k)
        corners[k] = Eigen::Map<const Vector3>(side_of(k).vertices[pair.corners[k]].end);
      found = deform::measure_near_carefully(sides_.pair_kind(), corners);
    }
    to.lower = found.lower;
    to.upper = found.upper;
    to.distance = to.lower + (to.upper - to.lower) / 2;
    to.normal = is_flipped_ ? Vector3(-found.normal) : found.normal;
    to.kind = kind_;
    to.a = number_a(pair);
    to.b = number_b(pair);
    to.count = 1;
    for (std::size_t k = 0; k < 4; ++k)
      to.vertices[k] = side_of(k).order[pair.corners[k]];
    // From the order of the first and second mesh to that of a and b.
    if (is_flipped_) {
      std::rotate(to.vertices.begin(), to.vertices.begin() + 1, to.vertices.end());
      std::rotate(found.weights.begin(), found.weights.begin() + 1, found.weights.end());
    }
    const std::size_t corners_a = is_flipped_ ? 4 - corners_first : corners_first;
    const auto set_part = [&](std::size_t first, std::size_t count, std::uint32_t feature,
                              std::array<double, 3>& weights, std::uint32_t& part) {
      weights = {};
      std::copy_n(found.weights.begin() + static_cast<std::ptrdiff_t>(first), count, weights.begin());
      return set_closest_part({&to.vertices[first], count}, weights, feature, part);
    };
    const std::size_t of_a = set_part(0, corners_a, to.a, to.weights_a, to.part_a);
    const std::size_t of_b = set_part(corners_a, 4 - corners_a, to.b, to.weights_b, to.part_b);
    // By the numbers of their corners. A face can only be closest to a vertex.
    using enum ClosestParts;
    static constexpr ClosestParts parts[3][3] = {
        {vertex_vertex, vertex_edge, vertex_face}, {edge_vertex, edge_edge}, {face_vertex}};
    to.parts = parts[of_a - 1][of_b - 1];
  }

  /// Sets the number of the part of a feature that the closest point lies on. Returns how many corners that part has.
  std::size_t set_closest_part(std::span<const std::uint32_t> vertices, const std::array<double, 3>& weights,
                               std::uint32_t feature, std::uint32_t& part) const {
    std::size_t corners = 0, some = 0, none = 0;
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      (weights[k] == 0 ? none : some) = k;
      corners += weights[k] == 0 ? 0u : 1u;
    }
    if (corners == vertices.size()) {
      part = feature;
      return corners;
    }
    // The edge opposite to the corner without weight, or a vertex.
    part = corners == 2 ? triangle_edges_[feature][(none + 1) % 3] : vertices[some];
    return corners == 2 ? 2 : 1;
  }

  FeatureHitKind kind_;
  bool is_flipped_;
  deform::FeatureSides sides_;
  const std::vector<Index3>& triangle_edges_;  // of the second mesh
  deform::WalkOptions options_;
  double thickness_;
  NearFeatures& result_;
  NearStorage& memory_;
};

/// Of the pairs with the same closest parts, keeps the first.
void merge_pairs(bool is_self, NearFeatures& result) {
  NearStorage& memory = Internals::working_storage(result.memory);
  std::vector<PartsOfPair>& all = memory.parts_of_pairs;
  all.clear();
  for (std::size_t i = 0; i < result.pairs.size(); ++i) {
    const NearPair& pair = result.pairs[i];
    PartsOfPair one = {pair.parts, pair.part_a, pair.part_b, i};
    // The interior of a face, or of two edges, belongs to only one pair.
    if (one.parts > ClosestParts::edge_vertex) continue;
    // Within one mesh, the order of the two parts has no meaning, so it is normalized.
    if (is_self && one.parts == ClosestParts::edge_vertex) {
      one.parts = ClosestParts::vertex_edge;
      std::swap(one.first, one.second);
    } else if (is_self && one.parts == ClosestParts::vertex_vertex && one.first > one.second) {
      std::swap(one.first, one.second);
    }
    all.push_back(one);
  }
  std::vector<PartsOfPair>& by_parts = memory.by_parts;
  by_parts.resize(all.size());
  deform::sort_counting([&](const auto& visit) { std::for_each(all.begin(), all.end(), visit); },
                        [](const PartsOfPair& one) { return one.first; },
                        [](const PartsOfPair& p, const PartsOfPair& q) {
                          return std::tie(p.parts, p.second, p.place) < std::tie(q.parts, q.second, q.place);
                        },
                        memory.ends, by_parts);
  const auto parts_of = [](const PartsOfPair& one) { return std::tie(one.parts, one.first, one.second); };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < by_parts.size(); ++i) {
    if (i == 0 || parts_of(by_parts[i]) != parts_of(by_parts[i - 1])) kept = by_parts[i].place;
    result.pairs[by_parts[i].place].count = 0;
    ++result.pairs[kept].count;
  }
  std::erase_if(result.pairs, [](const NearPair& pair) { return pair.count == 0; });
}

void find_near(const DeformingMesh& a, const DeformingMesh& b, bool is_self, double thickness,
               const NearOptions& options, NearFeatures& result) {
  if (!(thickness >= 0) || !std::isfinite(thickness))
    throw Error("near features: the thickness must be a length, finite and 0 or larger");
  result.pairs.clear();
  result.cost = {};
  NearSearch(a, b, is_self, FeatureHitKind::vertex_face, thickness, result).look();
  if (!is_self) NearSearch(a, b, false, FeatureHitKind::face_vertex, thickness, result).look();
  NearSearch(a, b, is_self, FeatureHitKind::edge_edge, thickness, result).look();
  if (options.merge) merge_pairs(is_self, result);
}

std::array<Vector3, 4> scaled_gradient(const NearPair& pair, double scale) {
  const std::size_t corners_a = pair.kind == FeatureHitKind::vertex_face ? 1
                                : pair.kind == FeatureHitKind::edge_edge ? 2
                                                                         : 3;
  std::array<Vector3, 4> gradient;
  for (std::size_t k = 0; k < 4; ++k) {
    const double weight = k < corners_a ? -pair.weights_a[k] : pair.weights_b[k - corners_a];
    gradient[k] = scale * weight * pair.normal;
  }
  return gradient;
}

}  // namespace

std::array<Vector3, 4> distance_gradient(const NearPair& pair) {
  return scaled_gradient(pair, 1);
}
std::array<Vector3, 4> squared_distance_gradient(const NearPair& pair) {
  return scaled_gradient(pair, 2 * pair.distance);
}

void near_features(const DeformingMesh& a, const DeformingMesh& b, double thickness, const NearOptions& options,
                   NearFeatures& result) {
  with_threads("near features", options.threads, [&] { find_near(a, b, false, thickness, options, result); });
}
void near_features(const DeformingMesh& mesh, double thickness, const NearOptions& options, NearFeatures& result) {
  with_threads("near features", options.threads, [&] { find_near(mesh, mesh, true, thickness, options, result); });
}

NearFeatures near_features(const DeformingMesh& a, const DeformingMesh& b, double thickness,
                           const NearOptions& options) {
  NearFeatures result;
  near_features(a, b, thickness, options, result);
  return result;
}
NearFeatures near_features(const DeformingMesh& mesh, double thickness, const NearOptions& options) {
  NearFeatures result;
  near_features(mesh, thickness, options, result);
  return result;
}

}  // namespace whisker
