// Contact, contacts and distance of a compound and another shape.

#include <algorithm>
#include <cmath>

#include "convex/pair_memory.hpp"
#include "geometry/constants.hpp"
#include "queries/pair_algorithms.hpp"
#include "queries/part_walk.hpp"
#include "queries/table.hpp"
#include "shapes/internals.hpp"

namespace whisker::queries {
namespace {

/// Calls `use(part)` with the part of this index. Returns whether there is such a part and `use` returned true.
template <class Use>
bool with_part(const Placed& placed, std::uint32_t index, const Use& use) {
  const auto* compound = placed.shape.as<Compound>();
  if (compound == nullptr) return use(Part{placed, 0});
  return index < compound->parts().size() && use(part_of(placed, index));
}

/// The index of the part to which a feature number belongs.
std::uint32_t index_of(const Placed& placed, std::uint32_t first_number) {
  const auto* compound = placed.shape.as<Compound>();
  if (compound == nullptr) return 0;
  const auto& numbers = storage_of(*compound).first_number;
  return static_cast<std::uint32_t>(std::upper_bound(numbers.begin(), numbers.end(), first_number) - numbers.begin()) -
         1;
}

}  // namespace

bool CompoundAny::touches(const Placed& a, const Placed& b, PairCache* cache, Cost& cost) {
  if (has_added_kinds(a, b))
    require_pairs("touches", a, b, [](const PairAlgorithms& pair) { return pair.touches != nullptr; });
  const auto parts_touch = [&](const Part& part_a, const Part& part_b) {
    return algorithms(part_a.placed.shape, part_b.placed.shape).touches(part_a.placed, part_b.placed, nullptr, cost);
  };
  PairMemory* const memory = memory_of(cache);
  if (memory != nullptr) {
    const bool still_touch = with_part(a, memory->touching_a, [&](const Part& part_a) {
      return with_part(b, memory->touching_b, [&](const Part& part_b) { return parts_touch(part_a, part_b); });
    });
    if (still_touch) return true;
  }
  bool touch = false;
  walk_parts(a, b, cost, no_budget, OnlyTouching(), [&](const Part& part_a, const Part& part_b, double) {
    touch = parts_touch(part_a, part_b);
    if (touch && memory != nullptr) {
      memory->touching_a = index_of(a, part_a.first_number);
      memory->touching_b = index_of(b, part_b.first_number);
    }
    return touch;
  });
  return touch;
}

void CompoundAny::contacts(const Placed& a, const Placed& b, const ContactOptions& options, Contacts& result) {
  if (has_added_kinds(a, b))
    require_pairs("contacts", a, b, [](const PairAlgorithms& pair) { return pair.contacts != nullptr; });
  const auto is_near = [&](double gap) { return gap <= options.margin; };
  walk_parts(a, b, result.cost, no_budget, is_near, [&](const Part& part_a, const Part& part_b, double) {
    const std::size_t begin = result.pairs.size();
    algorithms(part_a.placed.shape, part_b.placed.shape).contacts(part_a.placed, part_b.placed, options, result);
    for (std::size_t i = begin; i < result.pairs.size(); ++i) {
      result.pairs[i].a.part += part_a.first_number;
      result.pairs[i].b.part += part_b.first_number;
    }
    return result.stop == Stop::count;
  });
}

Distance CompoundAny::distance(const Placed& a, const Placed& b, const DistanceOptions& options) {
  if (has_added_kinds(a, b))
    require_pairs("distance", a, b, [](const PairAlgorithms& pair) { return pair.distance != nullptr; });
  Distance best;
  best.upper = infinity;
  double lower = infinity;      // of the pairs of parts measured
  double passed_by = infinity;  // of the pairs skipped
  Stop lower_stop = Stop::exact;
  Cost cost;
  const auto spent = [&] { return cost.volume_tests + cost.primitive_tests; };
  const auto look_at = [&](const Part& part_a, const Part& part_b) {
    DistanceOptions rest = options;
    // One ulp more, so that a pair that is proven to be no nearer than this is farther than the bound.
    rest.upper_bound = std::nextafter(std::min(options.upper_bound, best.upper), infinity);
    rest.budget = spent() < options.budget ? options.budget - spent() : 0;
    rest.cache = nullptr;
    const Distance found =
        algorithms(part_a.placed.shape, part_b.placed.shape).distance(part_a.placed, part_b.placed, rest);
    cost += found.cost;
    if (found.lower < lower) {
      lower = found.lower;
      lower_stop = found.stop;
    }
    if (found.upper < best.upper) {
      best = found;
      best.feature_a.part += part_a.first_number;
      best.feature_b.part += part_b.first_number;
    }
    return best.upper == 0 || best.upper <= options.close_enough;
  };
  const double left = walk_parts(
      a, b, cost, options.budget,
      [&](double gap) {
        const bool near =
            gap <= options.upper_bound && (best.upper == infinity || gap < best.upper - options.tolerance);
        if (!near) passed_by = std::min(passed_by, gap);
        return near;
      },
      [&](const Part& part_a, const Part& part_b, double) { return look_at(part_a, part_b); });
  const bool enough = best.upper == 0 || best.upper <= options.close_enough;
  if (best.upper == infinity && left < infinity) {
    // The budget was used up before any pair was measured. One is measured now, so that there is an upper bound.
    with_part(a, 0, [&](const Part& part_a) {
      return with_part(b, 0, [&](const Part& part_b) { return look_at(part_a, part_b); });
    });
  }
  best.lower = std::min({lower, passed_by, left, best.upper});
  best.cost = cost;
  best.stop = Stop::exact;
  if (best.upper == 0) return best;
  if (best.lower > options.upper_bound)
    return {.lower = best.lower, .upper = infinity, .stop = Stop::tolerance, .cost = cost};
  // The source of the lower bound tells why it is not better.
  if (left <= best.lower && left < best.upper) {
    best.stop = enough ? Stop::tolerance : Stop::budget;
  } else if (passed_by <= best.lower && passed_by < best.upper) {
    best.stop = Stop::tolerance;
  } else if (lower < best.upper) {
    best.stop = lower_stop;
  }
  return best;
}

}  // namespace whisker::queries
