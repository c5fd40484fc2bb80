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
  for (int time = 0; time < 2; ++time) {
    for (int axis = 0; axis < 3; ++axis) {
      tree.lower[time][axis].assign(triangles.size() + trees::Topology::leaf_size, infinity);
      tree.upper[time][axis].assign(triangles.size() + trees::Topology::leaf_size, -infinity);
    }
  }
  refit(tree, start, start, triangles);
  return tree;
}

void refit(SweptTree& tree, std::span<const Vector3> start, std::span<const Vector3> end,
           std::span<const Index3> triangles) {
  const trees::Topology& topology = tree.topology;
  for (std::size_t i = 0; i < topology.order.size(); ++i) {
    const Index3& t = triangles[topology.order[i]];
    for (int time = 0; time < 2; ++time) {
      const std::span<const Vector3> at = time == 0 ? start : end;
      const Vector3 &p = at[t[0]], &q = at[t[1]], &r = at[t[2]];
      for (int axis = 0; axis < 3; ++axis) {
        const double lower = std::min({p[axis], q[axis], r[axis]}), upper = std::max({p[axis], q[axis], r[axis]});
        tree.lower[time][axis][i] = round_down(less_below(lower, tree.origin[axis]));
        tree.upper[time][axis][i] = round_up(less_above(upper, tree.origin[axis]));
      }
    }
  }
  // Children come after their node.
  for (std::size_t n = topology.nodes.size(); n-- > 0;) {
    const trees::Topology::Node& node = topology.nodes[n];
    SweptNode& out = tree.nodes[n];
    for (unsigned k = 0; k < 8; ++k) {
      if (k >= node.size) {
        set_empty(out, k);
      } else if (node.items[k] > 0) {
        for (int time = 0; time < 2; ++time) {
          for (int axis = 0; axis < 3; ++axis) {
            const float* const lower = tree.lower[time][axis].data() + node.child[k];
            const float* const upper = tree.upper[time][axis].data() + node.child[k];
            out.lower[time][axis][k] = *std::min_element(lower, lower + node.items[k]);
            out.upper[time][axis][k] = *std::max_element(upper, upper + node.items[k]);
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

namespace {

template <class Boxes>
FloatBoxes shifted_at(const Boxes& boxes, std::size_t k, const Vector3& shift, double wider) {
  FloatBoxes result;
  for (int time = 0; time < 2; ++time) {
    for (int axis = 0; axis < 3; ++axis) {
      const float lower = boxes.lower[time][axis][k], upper = boxes.upper[time][axis][k];
      if (shift[axis] == 0 && wider == 0) {
        result.lower[time][axis] = lower;
        result.upper[time][axis] = upper;
      } else {
        // The shift itself is a rounded difference.
        const double low = static_cast<double>(lower) + shift[axis], high = static_cast<double>(upper) + shift[axis];
        const double error = 0x1p-51 * (std::abs(shift[axis]) + std::max(std::abs(low), std::abs(high)) + wider);
        result.lower[time][axis] = round_down(low - wider - error);
        result.upper[time][axis] = round_up(high + wider + error);
      }
    }
  }
  return result;
}

/// Of the four boxes from `first` on.
template <class Boxes>
unsigned four_meeting(const Boxes& four, std::size_t first, const FloatBoxes& boxes) {
  const hn::FixedTag<float, 4> d;
  const auto parted = [&](int axis) {
    const auto above = [&](int time) {
      return hn::Gt(hn::LoadU(d, &four.lower[time][axis][first]), hn::Set(d, boxes.upper[time][axis]));
    };
    const auto below = [&](int time) {
      return hn::Lt(hn::LoadU(d, &four.upper[time][axis][first]), hn::Set(d, boxes.lower[time][axis]));
    };
    return hn::Or(hn::And(above(0), above(1)), hn::And(below(0), below(1)));
  };
  std::uint8_t mask[8] = {};
  hn::StoreMaskBits(d, hn::Or(parted(0), hn::Or(parted(1), parted(2))), mask);
  return ~static_cast<unsigned>(mask[0]) & 15u;
}

}  // namespace

FloatBoxes shifted(const SweptNode& node, unsigned k, const Vector3& shift, double wider) {
  return shifted_at(node, k, shift, wider);
}
FloatBoxes shifted(const SweptTree& tree, std::uint32_t place, const Vector3& shift, double wider) {
  return shifted_at(tree, place, shift, wider);
}

unsigned meeting(const SweptNode& node, const FloatBoxes& boxes) {
  return four_meeting(node, 0, boxes) | four_meeting(node, 4, boxes) << 4;
}
unsigned meeting(const SweptTree& tree, std::uint32_t place, std::uint32_t count, const FloatBoxes& boxes) {
  return four_meeting(tree, place, boxes) & ((1u << count) - 1);
}

}  // namespace whisker::deform
