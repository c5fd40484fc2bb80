#include "deform/swept_tree.hpp"

#include <algorithm>
#include <cmath>
#include <hwy/highway.h>
#include <limits>

namespace whisker::deform {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
constexpr float infinity = std::numeric_limits<float>::infinity();

float round_down(double value) {
  const auto rounded = static_cast<float>(value);
  return static_cast<double>(rounded) > value ? std::nextafter(rounded, -infinity) : rounded;
}
float round_up(double value) {
  const auto rounded = static_cast<float>(value);
  return static_cast<double>(rounded) < value ? std::nextafter(rounded, infinity) : rounded;
}

void set_empty(SweptNode& node, unsigned k) {
  for (int end = 0; end < 2; ++end) {
    for (int axis = 0; axis < 3; ++axis) {
      node.lower[end][axis][k] = infinity;
      node.upper[end][axis][k] = -infinity;
    }
  }
}

/// A number less the origin, a little smaller or larger than that in truth is.
double less_below(double value, double origin) {
  const double difference = value - origin;
  return difference - 0x1p-52 * std::abs(difference);
}
double less_above(double value, double origin) {
  const double difference = value - origin;
  return difference + 0x1p-52 * std::abs(difference);
}

}  // namespace

SweptTree build_swept_tree(std::span<const Vector3> start, std::span<const Index3> triangles) {
  std::vector<AxisBox> boxes;
  boxes.reserve(triangles.size());
  AxisBox all;
  for (const Index3& t : triangles) {
    const Vector3 &p = start[t[0]], &q = start[t[1]], &r = start[t[2]];
    boxes.push_back({p.cwiseMin(q).cwiseMin(r), p.cwiseMax(q).cwiseMax(r)});
  }
  all = boxes.front();
  for (const AxisBox& box : boxes) {
    all.lower = all.lower.cwiseMin(box.lower);
    all.upper = all.upper.cwiseMax(box.upper);
  }
  SweptTree tree;
  tree.topology = trees::build_topology(boxes, {});
  tree.nodes.resize(tree.topology.nodes.size());
  tree.origin = all.lower + (all.upper - all.lower) / 2;
  refit(tree, start, start, triangles);
  return tree;
}

void refit(SweptTree& tree, std::span<const Vector3> start, std::span<const Vector3> end,
           std::span<const Index3> triangles) {
  const trees::Topology& topology = tree.topology;
  // Children come after their node.
  for (std::size_t n = topology.nodes.size(); n-- > 0;) {
    const trees::Topology::Node& node = topology.nodes[n];
    SweptNode& out = tree.nodes[n];
    for (unsigned k = 0; k < 8; ++k) {
      if (k >= node.size) {
        set_empty(out, k);
      } else if (node.items[k] > 0) {
        for (int time = 0; time < 2; ++time) {
          const std::span<const Vector3> at = time == 0 ? start : end;
          Vector3 lower = Vector3::Constant(HUGE_VAL), upper = -lower;
          for (std::uint32_t i = 0; i < node.items[k]; ++i) {
            for (const std::uint32_t v : triangles[topology.order[node.child[k] + i]]) {
              lower = lower.cwiseMin(at[v]);
              upper = upper.cwiseMax(at[v]);
            }
          }
          for (int axis = 0; axis < 3; ++axis) {
            out.lower[time][axis][k] = round_down(less_below(lower[axis], tree.origin[axis]));
            out.upper[time][axis][k] = round_up(less_above(upper[axis], tree.origin[axis]));
          }
        }
      } else {
        const SweptNode& below = tree.nodes[node.child[k]];
        for (int time = 0; time < 2; ++time) {
          for (int axis = 0; axis < 3; ++axis) {
            const float *lower = below.lower[time][axis], *upper = below.upper[time][axis];
            out.lower[time][axis][k] = *std::min_element(lower, lower + 8);
            out.upper[time][axis][k] = *std::max_element(upper, upper + 8);
          }
        }
      }
    }
  }
}

FloatBoxes shifted(const SweptNode& node, unsigned k, const Vector3& shift, double wider) {
  FloatBoxes boxes;
  for (int time = 0; time < 2; ++time) {
    for (int axis = 0; axis < 3; ++axis) {
      const float lower = node.lower[time][axis][k], upper = node.upper[time][axis][k];
      if (shift[axis] == 0 && wider == 0) {
        boxes.lower[time][axis] = lower;
        boxes.upper[time][axis] = upper;
      } else {
        // The shift itself is a rounded difference.
        const double low = static_cast<double>(lower) + shift[axis], high = static_cast<double>(upper) + shift[axis];
        const double error = 0x1p-51 * (std::abs(shift[axis]) + std::max(std::abs(low), std::abs(high)) + wider);
        boxes.lower[time][axis] = round_down(low - wider - error);
        boxes.upper[time][axis] = round_up(high + wider + error);
      }
    }
  }
  return boxes;
}

unsigned meeting(const SweptNode& node, const FloatBoxes& boxes) {
  const hn::FixedTag<float, 4> d;
  unsigned bits = 0;
  for (unsigned half = 0; half < 8; half += 4) {
    const auto parted = [&](int axis) {
      const auto above = [&](int time) {
        return hn::Gt(hn::Load(d, node.lower[time][axis] + half), hn::Set(d, boxes.upper[time][axis]));
      };
      const auto below = [&](int time) {
        return hn::Lt(hn::Load(d, node.upper[time][axis] + half), hn::Set(d, boxes.lower[time][axis]));
      };
      return hn::Or(hn::And(above(0), above(1)), hn::And(below(0), below(1)));
    };
    std::uint8_t mask[8] = {};
    hn::StoreMaskBits(d, hn::Or(parted(0), hn::Or(parted(1), parted(2))), mask);
    bits |= (~static_cast<unsigned>(mask[0]) & 15u) << half;
  }
  return bits;
}

}  // namespace whisker::deform
