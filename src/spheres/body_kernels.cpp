// Tests and measures the spheres of two trees against each other, compiled once per instruction set.

#include "spheres/body_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "spheres/body_kernels.cpp"
#include <hwy/foreach_target.h>
// highway.h must come after foreach_target.h.
#include <hwy/highway.h>

#include "simd/lanes-inl.hpp"
#include "simd/set_bits.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::spheres::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

// No fused multiply-add is used here, so every instruction set rounds in the same way.

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;

/// The squared distance of two centers carries four rounding errors, a sum of radii two.
constexpr double square_share = 1 + 0x1p-48;
constexpr double length_share = 0x1p-48;

/// Computes the same centers as place(). Lanes beyond the last child hold other spheres of the body, for which the
/// values written are also correct.
HWY_INLINE void place_group(PlacedNodes& nodes, std::uint32_t node) {
  const D d;
  const std::size_t first = nodes.first_child[node], count = nodes.child_count[node];
  const double* const r = nodes.rotation;
  const double* const t = nodes.translation;
  for (std::size_t h = first; h < first + count; h += hn::Lanes(d)) {
    const Lanes3<V> p = load3(d, nodes.x + h, nodes.y + h, nodes.z + h);
    const auto row = [&](int i) HWY_ATTR { return hn::Add(dot(set3(d, r + 3 * i), p), hn::Set(d, t[i])); };
    hn::StoreU(row(0), d, nodes.world_x + h);
    hn::StoreU(row(1), d, nodes.world_y + h);
    hn::StoreU(row(2), d, nodes.world_z + h);
  }
  nodes.stamp[node] = nodes.step;
}

HWY_INLINE Lanes3<V> center_of(const PlacedNodes& nodes, std::uint32_t i) {
  const D d;
  return {hn::Set(d, nodes.world_x[i]), hn::Set(d, nodes.world_y[i]), hn::Set(d, nodes.world_z[i])};
}

HWY_INLINE V squared_distance(const PlacedNodes& nodes, std::size_t h, const Lanes3<V>& center) {
  const Lanes3<V> way = load3(D(), nodes.world_x + h, nodes.world_y + h, nodes.world_z + h) - center;
  return dot(way, way);
}

/// Bit i is set if child i of the node overlaps the sphere `beside` of the other body.
HWY_INLINE std::uint64_t overlapping_children(const PlacedNodes& nodes, std::uint32_t node, const PlacedNodes& other,
                                              std::uint32_t beside) {
  const D d;
  const std::size_t first = nodes.first_child[node], count = nodes.child_count[node];
  const Lanes3<V> center = center_of(other, beside);
  const V far = hn::Set(d, other.radius[beside] + (nodes.slack + other.slack)), share = hn::Set(d, square_share);
  std::uint64_t found = 0;
  for (std::size_t h = 0; h < count; h += hn::Lanes(d)) {
    const V apart2 = squared_distance(nodes, first + h, center);
    const V together = hn::Add(hn::LoadU(d, nodes.radius + first + h), far);
    found |= std::uint64_t{mask_bits(d, hn::Le(apart2, hn::Mul(hn::Mul(together, together), share)))} << h;
  }
  return count == 64 ? found : found & ((std::uint64_t{1} << count) - 1);
}

std::size_t open_target(FrontWork& work) {
  for (std::size_t k = 0; k < work.entry_count; ++k) {
    const FrontEntry entry = work.entries[k];
    FrontPair& pair = work.pairs[entry.pair];
    PlacedNodes &a = work.bodies[pair.body_a], &b = work.bodies[pair.body_b];
    const bool is_a = opens_a(a, entry.a, b, entry.b);
    PlacedNodes& opened = is_a ? a : b;
    const PlacedNodes& other = is_a ? b : a;
    const std::uint32_t node = is_a ? entry.a : entry.b, beside = is_a ? entry.b : entry.a;
    const std::uint64_t operations = opened.operations(node);
    if (operations > work.operations) return k;
    work.operations -= operations;
    const std::uint32_t count = opened.child_count[node], first = opened.first_child[node];
    work.tests += count;
    if (!opened.has_placed_children(node)) {
      work.updates += count;
      place_group(opened, node);
    }
    const bool other_is_leaf = other.child_count[beside] == 0;
    std::size_t next = work.next_count, resolved = work.resolved_count;
    for (const std::uint32_t i : simd::SetBits(overlapping_children(opened, node, other, beside))) {
      const std::uint32_t child = first + i;
      const FrontEntry below = is_a ? FrontEntry{entry.pair, child, beside} : FrontEntry{entry.pair, beside, child};
      if (other_is_leaf && opened.child_count[child] == 0) {
        work.resolved[resolved++] = below;
      } else {
        work.next[next++] = below;
      }
    }
    pair.open += static_cast<std::uint32_t>(next - work.next_count) - 1;
    pair.resolved += static_cast<std::uint32_t>(resolved - work.resolved_count);
    work.next_count = next;
    work.resolved_count = resolved;
    if (pair.open == 0 && pair.resolved == 0) work.emptied[work.emptied_count++] = entry.pair;
  }
  return work.entry_count;
}

std::uint32_t place_target(PlacedNodes& nodes, std::uint32_t node) {
  if (nodes.has_placed_children(node)) return 0;
  place_group(nodes, node);
  return nodes.child_count[node];
}

void measure_target(const PlacedNodes& nodes, std::uint32_t node, const PlacedNodes& other, std::uint32_t beside,
                    double* gaps, double* uppers) {
  const D d;
  const std::size_t first = nodes.first_child[node], count = nodes.child_count[node];
  const Lanes3<V> center = center_of(other, beside);
  const double slack = nodes.slack + other.slack;
  const V radius = hn::Set(d, other.radius[beside] + slack), height = hn::Set(d, other.height[beside] + slack);
  for (std::size_t h = 0; h < count; h += hn::Lanes(d)) {
    const V apart = hn::Sqrt(squared_distance(nodes, first + h, center));
    const V inside = hn::Add(hn::LoadU(d, nodes.radius + first + h), radius);
    const V above = hn::Add(hn::LoadU(d, nodes.height + first + h), height);
    hn::StoreU(hn::Sub(hn::Mul(apart, hn::Set(d, 1 - length_share)), inside), d, gaps + h);
    hn::StoreU(hn::Add(hn::Mul(apart, hn::Set(d, 1 + length_share)), above), d, uppers + h);
  }
}

}  // namespace whisker::spheres::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::spheres {

HWY_EXPORT(open_target);
HWY_EXPORT(place_target);
HWY_EXPORT(measure_target);

std::size_t open_front(FrontWork& work) {
  return HWY_DYNAMIC_DISPATCH(open_target)(work);
}

std::uint32_t place_children(PlacedNodes& nodes, std::uint32_t node) {
  return HWY_DYNAMIC_DISPATCH(place_target)(nodes, node);
}

void measure_children(const PlacedNodes& nodes, std::uint32_t node, const PlacedNodes& other, std::uint32_t beside,
                      double* gaps, double* uppers) {
  HWY_DYNAMIC_DISPATCH(measure_target)(nodes, node, other, beside, gaps, uppers);
}

}  // namespace whisker::spheres
#endif
