// Continuous collision detection of deforming meshes: first_contacts(), between two meshes and of a mesh with itself.

#include <algorithm>
#include <array>
#include <cmath>
#include <hwy/cache_control.h>
#include <tuple>
#include <utility>

#include <whisker/deforming_mesh.hpp>
#include <whisker/error.hpp>

#include "deform/deforming_mesh_storage.hpp"
#include "deform/sort_counting.hpp"
#include "geometry/constants.hpp"
#include "motion/feature_impacts.hpp"

namespace whisker {
namespace {

using deform::FeatureSides;
using deform::SweptParts;

/// Compact record of a contact, kept until all contacts are found. A FeatureHit is several times as large.
struct Found {
  double lower, upper;
  motion::NumberedPair pair;  ///< with the feature numbers that the hit will report
  FeatureHitKind kind;
  ImpactStatus status;
  bool certain;
  Stop stop;
};

bool is_before(const Found& p, const Found& q) {
  if (p.lower != q.lower) return p.lower < q.lower;
  return std::tie(p.kind, p.pair.numbers) < std::tie(q.kind, q.pair.numbers);
}

/// Returns the order of the contacts by time. Times are distributed into as many bins as there are contacts, usually
/// about evenly, and then sorted within each bin.
std::vector<std::uint32_t> order_of(const std::vector<Found>& found) {
  const std::size_t count = found.size();
  std::vector<std::size_t> ends;
  std::vector<std::uint32_t> order(count);
  deform::sort_counting(
      [&](const auto& visit) {
        for (std::uint32_t i = 0; i < count; ++i)
          visit(i);
      },
      [&](std::uint32_t i) {
        return std::min(count - 1, static_cast<std::size_t>(found[i].lower * static_cast<double>(count)));
      },
      [&](std::uint32_t p, std::uint32_t q) { return is_before(found[p], found[q]); }, ends, order);
  return order;
}

/// Traverses the trees and keeps the pairs of features that touch.
class FirstContactSearch {
 public:
  FirstContactSearch(const SweptParts& a, const SweptParts& b, bool is_self, const DeformingOptions& options)
      : a_(a), b_(b), is_self_(is_self), options_(options), features_(options.features) {}

  /// Tests vertices of one mesh against triangles of the other, or edges against edges.
  void look_at(FeatureHitKind kind) {
    const FeatureSides sides(a_, b_, kind);
    const auto look_at_pairs = [&](const motion::NumberedPair* pairs, std::size_t count) {
      contacts_.cost.primitive_tests += count;
      motion::for_each_impact(sides.pair_kind(), sides.pairs_of(pairs), count, features_,
                              {.is_checked = true, .is_described = false},
                              [&](std::size_t i, const FeatureImpact& impact) { take(kind, pairs[i], impact); });
    };
    contacts_.cost.volume_tests += deform::walk_pairs(
        sides.items_a(), sides.items_b(),
        {is_self_, is_self_ && sides.is_edges, sides.first.origin - sides.second.origin, options_.features.separation},
        look_at_pairs);
  }

  FirstContacts<FeatureHit> result() && {
    if (std::isfinite(options_.within)) {
      const double last = first_ + options_.within;
      std::erase_if(found_, [&](const Found& one) { return one.lower > last; });
    }
    const std::vector<std::uint32_t> order = order_of(found_);
    contacts_.hits.reserve(order.size());
    constexpr std::size_t at_once = 128;  // enough of each kind to fill the lanes, few enough to stay in the cache
    for (std::size_t first = 0; first < order.size(); first += at_once)
      add_hits({&order[first], std::min(at_once, order.size() - first)});
    return std::move(contacts_);
  }

 private:
  void take(FeatureHitKind kind, const motion::NumberedPair& pair, const FeatureImpact& impact) {
    found_.push_back({impact.time_lower, impact.time_upper, pair, kind, impact.status, impact.certain, impact.stop});
    if (kind == FeatureHitKind::face_vertex) std::swap(found_.back().pair.numbers[0], found_.back().pair.numbers[1]);
    if (!impact.certain) return;
    first_ = std::min(first_, impact.time_upper);
    // Contacts that begin later than this are not needed.
    features_.until = std::min(options_.features.until, first_ + options_.within);
  }

  /// Describes the found contacts with these numbers and appends them to the hits.
  void add_hits(std::span<const std::uint32_t> numbers) {
    // The records are scattered in memory, so all of them are prefetched before the first one is read.
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
      impact.time = motion::middle(one.lower, one.upper);
      impact.time_lower = one.lower;
      impact.time_upper = one.upper;
      impact.certain = one.certain;
      impact.stop = one.stop;
    }
    for (const FeatureHitKind kind : kinds) {
      ToDescribe& some = to_describe_[static_cast<std::size_t>(kind)];
      const FeatureSides sides(a_, b_, kind);
      motion::describe(sides.pair_kind(), sides.pairs_of(some.pairs.data()), options_.features, some.impacts);
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
  /// Contacts of one kind that are still to be described.
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

  const SweptParts& a_;
  const SweptParts& b_;
  bool is_self_;
  const DeformingOptions& options_;
  FeatureImpactOptions features_;
  double first_ = infinity;
  std::vector<Found> found_;
  std::array<ToDescribe, 3> to_describe_;               // indexed by FeatureHitKind
  const FeatureImpact blank_ = motion::apart_impact();  // copying this is faster than constructing one
  FirstContacts<FeatureHit> contacts_;
};

FirstContacts<FeatureHit> find_contacts(const SweptParts& a, const SweptParts& b, bool is_self,
                                        const DeformingOptions& options) {
  motion::check(options.features);
  if (!(options.within >= 0)) throw Error("first contacts of deforming meshes: `within` must be a time, 0 or larger");
  FirstContactSearch search(a, b, is_self, options);
  search.look_at(FeatureHitKind::vertex_face);
  if (!is_self) search.look_at(FeatureHitKind::face_vertex);
  search.look_at(FeatureHitKind::edge_edge);
  return std::move(search).result();
}

}  // namespace

FirstContacts<FeatureHit> first_contacts(const DeformingMesh& a, const DeformingMesh& b,
                                         const DeformingOptions& options) {
  return find_contacts(storage_of(a).swept(), storage_of(b).swept(), false, options);
}

FirstContacts<FeatureHit> first_contacts(const DeformingMesh& mesh, const DeformingOptions& options) {
  return find_contacts(storage_of(mesh).swept(), storage_of(mesh).swept(), true, options);
}

}  // namespace whisker
