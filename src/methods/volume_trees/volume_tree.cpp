// A tree of any kind of bounding volume over a mesh, and its traversals, written once for every kind of block.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <queue>
#include <utility>
#include <variant>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/geometry/volumes.hpp>
#include <whisker/methods/volume_tree.hpp>

#include "convex/simple_distance.hpp"
#include "deform/check_mesh.hpp"
#include "geometry/constants.hpp"
#include "geometry/lists.hpp"
#include "geometry/place.hpp"
#include "geometry/threads.hpp"
#include "methods/volume_trees/volume_blocks.hpp"
#include "shapes/internals.hpp"
#include "trees/topology.hpp"
#include "volumes/measure.hpp"

namespace whisker::methods {
namespace volume_trees {

template <class... Block>
using ListOf = std::variant<std::vector<Block>...>;
/// In the order of VolumeKind.
using Blocks = ListOf<SphereBlock, AabbBlock, ObbBlock, KdopBlock<14>, KdopBlock<18>, KdopBlock<26>, SegmentBlock,
                      TriangleBlock, RectangleBlock>;

}  // namespace volume_trees

struct VolumeTree::Storage {
  MeshData data;
  VolumeTreeOptions options;
  trees::Topology topology;
  volume_trees::Blocks blocks;  // one for each node: its children's volumes, in the mesh's frame
  double size = 0;              // largest 1-norm of a vertex
};

namespace {

using volumes::block_width;
using Storage = StorageOf<VolumeTree>;

Triangle triangle_of(const MeshData& data, std::uint32_t number) {
  const Index3& t = data.triangles[number];
  return {data.vertices[t[0]], data.vertices[t[1]], data.vertices[t[2]]};
}

/// The triangles of a leaf.
std::span<const std::uint32_t> leaf_items(const trees::Topology& topology, const trees::Topology::Node& node,
                                          std::size_t slot) {
  return std::span(topology.order).subspan(node.child[slot], node.items[slot]);
}

/// One side of a query.
template <class Block>
struct VolumeSide {
  const Storage& tree;
  const std::vector<Block>& blocks;
  const Pose& pose;

  Triangle triangle(std::uint32_t number) const {
    return geometry::placed_triangle(pose, triangle_of(tree.data, number));
  }
};

/// b's mesh frame in a's, with a bound on the displacement due to the poses' rounding and their deviation from
/// rotations.
struct VolumePairFrame {
  volumes::Relative relative;
  double shrink = 1;  // a distance in a's frame times this is a lower bound on that in the world

  VolumePairFrame(const Pose& a, double size_a, const Pose& b, double size_b) {
    const double skew = volumes::skew_of(a.rotation());
    relative.rotation = a.rotation().transpose() * b.rotation();
    relative.translation = a.rotation().transpose() * (b.translation() - a.translation());
    const double between = volumes::sum_of_sizes(b.translation() - a.translation()) + size_b;
    // The transpose is not exactly the inverse. The second term covers rounding, including that of place() on both
    // sides.
    relative.error = 8 * skew * between + 128 * unit_roundoff *
                                              (volumes::sum_of_sizes(a.translation()) +
                                               volumes::sum_of_sizes(b.translation()) + size_a + size_b);
    shrink = 1 - 4 * skew;
  }
};

/// A node of each tree, and the selected children of each.
struct VolumeEntry {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint8_t children_a = 0xff;
  std::uint8_t children_b = 0xff;
  double lower = 0;
};

/// Visits the child pairs of an entry. Bit 8 i + j of the mask selects child i of a and child j of b. Calls
/// `push(entry, k)` for pairs to descend into, and `leaves(items_a, items_b, k)` for pairs of leaves.
template <class Block, class Push, class Leaves>
void each_child_pair(const VolumeSide<Block>& a, const VolumeSide<Block>& b, const VolumeEntry& entry,
                     std::uint64_t mask, Push&& push, Leaves&& leaves) {
  const trees::Topology::Node& node_a = a.tree.topology.nodes[entry.a];
  const trees::Topology::Node& node_b = b.tree.topology.nodes[entry.b];
  for (; mask != 0; mask &= mask - 1) {
    const std::size_t k = static_cast<std::size_t>(std::countr_zero(mask));
    const std::size_t i = k / 8;
    const std::size_t j = k % 8;
    const bool leaf_a = node_a.items[i] > 0;
    const bool leaf_b = node_b.items[j] > 0;
    const auto only = [](std::size_t slot) { return static_cast<std::uint8_t>(1u << slot); };
    if (leaf_a && leaf_b) {
      leaves(leaf_items(a.tree.topology, node_a, i), leaf_items(b.tree.topology, node_b, j), k);
    } else if (leaf_a) {
      push(VolumeEntry{entry.a, node_b.child[j], only(i), 0xff, 0}, k);
    } else if (leaf_b) {
      push(VolumeEntry{node_a.child[i], entry.b, 0xff, only(j), 0}, k);
    } else {
      push(VolumeEntry{node_a.child[i], node_b.child[j], 0xff, 0xff, 0}, k);
    }
  }
}

/// Calls test(numbers, triangle_a, triangle_b) for the pairs of triangles of two leaves, until it returns true.
template <class Block, class Test>
bool any_pair(const VolumeSide<Block>& a, std::span<const std::uint32_t> items_a, const VolumeSide<Block>& b,
              std::span<const std::uint32_t> items_b, const Test& test) {
  for (const std::uint32_t number_a : items_a) {
    const Triangle triangle = a.triangle(number_a);
    for (const std::uint32_t number_b : items_b)
      if (test(TrianglePair{number_a, number_b}, triangle, b.triangle(number_b))) return true;
  }
  return false;
}

/// The mask of the child pairs that an entry has.
template <class Block>
std::uint64_t pairs_of(const VolumeSide<Block>& a, const VolumeSide<Block>& b, const VolumeEntry& entry, Cost& cost) {
  const auto present = [](const trees::Topology::Node& node, std::uint8_t children) {
    return static_cast<std::uint32_t>(children) & ((1u << node.size) - 1);
  };
  const std::uint32_t of_a = present(a.tree.topology.nodes[entry.a], entry.children_a);
  const std::uint32_t of_b = present(b.tree.topology.nodes[entry.b], entry.children_b);
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    if ((of_a >> i & 1u) != 0) mask |= static_cast<std::uint64_t>(of_b) << (8 * i);
  }
  cost.volume_updates += static_cast<std::uint64_t>(std::popcount(of_b));
  cost.volume_tests += static_cast<std::uint64_t>(std::popcount(mask));
  return mask;
}

/// Finds all pairs of triangles that touch. `found(pair)` returns true to end the traversal.
template <class Block, class Found>
void walk_touching(const VolumeSide<Block>& a, const VolumeSide<Block>& b, Cost& cost, Found&& found) {
  const VolumePairFrame frame(a.pose, a.tree.size, b.pose, b.tree.size);
  std::vector<VolumeEntry> stack = {VolumeEntry{}};
  bool done = false;
  while (!stack.empty() && !done) {
    const VolumeEntry entry = stack.back();
    stack.pop_back();
    std::uint64_t mask = pairs_of(a, b, entry, cost);
    mask &= volumes::overlaps(a.blocks[entry.a], b.blocks[entry.b], frame.relative);
    each_child_pair(
        a, b, entry, mask, [&](const VolumeEntry& next, std::size_t) { stack.push_back(next); },
        [&](auto items_a, auto items_b, std::size_t) {
          done = done || any_pair(a, items_a, b, items_b, [&](TrianglePair pair, const Triangle& p, const Triangle& q) {
                   ++cost.primitive_tests;
                   return touches_triangle_triangle(p, q) && found(pair);
                 });
        });
  }
}

/// Two triangles and their distance according to closest_points(); exactly 0 if they share a point.
struct NearestTriangles {
  double distance = infinity;
  TrianglePair triangles;
};

template <class Block>
NearestTriangles walk_distance(const VolumeSide<Block>& a, const VolumeSide<Block>& b, Cost& cost) {
  const VolumePairFrame frame(a.pose, a.tree.size, b.pose, b.tree.size);
  const auto farther = [](const VolumeEntry& x, const VolumeEntry& y) { return x.lower > y.lower; };
  std::priority_queue<VolumeEntry, std::vector<VolumeEntry>, decltype(farther)> queue(farther);
  queue.push(VolumeEntry{});
  NearestTriangles best;
  while (!queue.empty() && queue.top().lower < best.distance) {
    const VolumeEntry entry = queue.top();
    queue.pop();
    const std::uint64_t mask = pairs_of(a, b, entry, cost);
    double lower[64];
    volumes::lower_bounds(a.blocks[entry.a], b.blocks[entry.b], frame.relative, lower);
    each_child_pair(
        a, b, entry, mask,
        [&](VolumeEntry next, std::size_t k) {
          next.lower = std::max(entry.lower, lower[k] * frame.shrink);
          if (next.lower < best.distance) queue.push(next);
        },
        [&](auto items_a, auto items_b, std::size_t k) {
          if (!(lower[k] * frame.shrink < best.distance)) return;
          any_pair(a, items_a, b, items_b, [&](TrianglePair pair, const Triangle& p, const Triangle& q) {
            ++cost.primitive_tests;
            double apart = closest_points(p, q).distance;
            if (apart < best.distance && touches_triangle_triangle(p, q)) apart = 0;
            if (apart < best.distance) best = {apart, pair};
            return false;
          });
        });
  }
  return best;
}

// The corners of the triangles, without duplicates.
std::vector<Vector3> corners_of(const MeshData& data, const std::vector<std::uint32_t>& items) {
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t item : items)
    numbers.insert(numbers.end(), data.triangles[item].begin(), data.triangles[item].end());
  geometry::sort_unique(numbers);
  return geometry::picked(data.vertices, numbers);
}

using Points = std::span<const Vector3>;

void fit_volume(BoundingSphere& volume, Points points, const VolumeTreeOptions& options) {
  volume = fit_sphere(points, options.sphere_fit);
}
void fit_volume(Aabb& volume, Points points, const VolumeTreeOptions&) {
  volume = fit_aabb(points);
}
void fit_volume(Obb& volume, Points points, const VolumeTreeOptions& options) {
  volume = fit_obb(points, options.box_fit);
}
template <std::size_t K>
void fit_volume(Kdop<K>& volume, Points points, const VolumeTreeOptions&) {
  volume = fit_kdop<K>(points);
}
void fit_volume(SegmentSweptSphere& volume, Points points, const VolumeTreeOptions&) {
  volume = fit_segment_sphere(points);
}
void fit_volume(TriangleSweptSphere& volume, Points points, const VolumeTreeOptions&) {
  volume = points.size() == 3 ? TriangleSweptSphere{{points[0], points[1], points[2]}, 0} : fit_triangle_sphere(points);
}
void fit_volume(RectangleSweptSphere& volume, Points points, const VolumeTreeOptions&) {
  volume = fit_rectangle_sphere(points);
}

// Visits every child of every node with the triangles below it: visit(node, slot, level, items).
template <class Visit>
std::vector<std::uint32_t> each_child(const trees::Topology& topology, std::uint32_t node, std::size_t level,
                                      Visit&& visit) {
  std::vector<std::uint32_t> all;
  const trees::Topology::Node& at = topology.nodes[node];
  for (std::size_t slot = 0; slot < at.size; ++slot) {
    std::vector<std::uint32_t> items;
    if (at.items[slot] > 0) {
      const auto leaf = leaf_items(topology, at, slot);
      items.assign(leaf.begin(), leaf.end());
    } else {
      items = each_child(topology, at.child[slot], level + 1, visit);
    }
    visit(node, slot, level, std::as_const(items));
    all.insert(all.end(), items.begin(), items.end());
  }
  return all;
}

template <class Block>
void fill(Storage& tree, std::vector<Block>& blocks) {
  using Volume = typename Block::Volume;
  // The volumes of a node are found one after the other, and its block's frame needs all of them.
  std::vector<std::array<Volume, block_width>> volumes_of(tree.topology.nodes.size());
  each_child(tree.topology, 0, 0,
             [&](std::uint32_t node, std::size_t slot, std::size_t, const std::vector<std::uint32_t>& items) {
               fit_volume(volumes_of[node][slot], corners_of(tree.data, items), tree.options);
             });
  blocks.resize(tree.topology.nodes.size());
  for (std::size_t node = 0; node < blocks.size(); ++node) {
    const std::size_t size = tree.topology.nodes[node].size;
    Aabb box;
    for (std::size_t slot = 0; slot < size; ++slot)
      box.include(bounds(volumes_of[node][slot]));
    blocks[node].frame = volumes::BlockFrame(box);
    for (std::size_t slot = 0; slot < size; ++slot)
      blocks[node].set(slot, volumes_of[node][slot]);
  }
}

volume_trees::Blocks empty_blocks(VolumeKind kind) {
  if (kind > VolumeKind::rectangle_sphere) throw Error("VolumeTree: the kind of volume is not a value of VolumeKind");
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    const std::array all = {volume_trees::Blocks(std::in_place_index<i>)...};
    return all[static_cast<std::size_t>(kind)];
  }
  (std::make_index_sequence<std::variant_size_v<volume_trees::Blocks>>());
}

// Calls ask(side_a, side_b) with the type of the blocks.
template <class Ask>
auto with_sides(const VolumeTree& a, const Pose& pose_a, const VolumeTree& b, const Pose& pose_b, Ask&& ask) {
  if (a.kind() != b.kind()) {
    throw Error("VolumeTree: the two trees have different kinds of volumes; build both with the same kind");
  }
  return std::visit(
      [&](const auto& blocks_a) {
        using Vector = std::decay_t<decltype(blocks_a)>;
        using Block = typename Vector::value_type;
        const VolumeSide<Block> side_a{storage_of(a), blocks_a, pose_a};
        const VolumeSide<Block> side_b{storage_of(b), std::get<Vector>(storage_of(b).blocks), pose_b};
        return ask(side_a, side_b);
      },
      storage_of(a).blocks);
}

// Finds the pairs of triangles that touch, until found(pair) returns true.
template <class Found>
void find_touching(const VolumeTree& a, const Pose& pose_a, const VolumeTree& b, const Pose& pose_b, Cost* cost,
                   const Found& found) {
  Cost unused;
  with_sides(a, pose_a, b, pose_b, [&](const auto& side_a, const auto& side_b) {
    walk_touching(side_a, side_b, cost != nullptr ? *cost : unused, found);
  });
}

std::vector<Vector3> ball_directions() {
  std::vector<Vector3> result;
  for (const std::array<int, 3>& d : Kdop<26>::directions) {
    const Vector3 direction = Vector3(d[0], d[1], d[2]).normalized();
    result.push_back(direction);
    result.push_back(-direction);
  }
  return result;
}

// Points on the border of a sphere or a swept sphere; below, of the other volumes: corners where it has any.
template <class Volume>
std::vector<Vector3> border_points(const Volume& v) {
  static const std::vector<Vector3> directions = ball_directions();
  std::vector<Vector3> points;
  for (const Vector3& corner : core_corners(v)) {
    for (const Vector3& direction : directions)
      points.push_back(corner + v.radius * direction);
  }
  return points;
}
std::vector<Vector3> border_points(const Obb& v) {
  std::vector<Vector3> points;
  for (int i = 0; i < 8; ++i) {
    const Vector3 sign(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    points.push_back(v.center + v.axes * sign.cwiseProduct(v.half));
  }
  return points;
}
std::vector<Vector3> border_points(const Aabb& v) {
  Obb box;
  box.center = (v.lower + v.upper) / 2;
  box.half = (v.upper - v.lower) / 2;
  return border_points(box);
}
template <std::size_t K>
std::vector<Vector3> border_points(const Kdop<K>& v) {
  // The points where rays from the center of its box leave it. These are not its corners, so the looseness is slightly
  // underestimated.
  const Vector3 middle = (bounds(v).lower + bounds(v).upper) / 2;
  std::vector<Vector3> points;
  for (const Vector3& direction : ball_directions()) {
    double way = infinity;
    for (std::size_t i = 0; i < K / 2; ++i) {
      const Vector3 d(Kdop<K>::directions[i][0], Kdop<K>::directions[i][1], Kdop<K>::directions[i][2]);
      const double speed = d.dot(direction);
      if (std::abs(speed) < 1e-9) continue;
      way = std::min(way, std::max(0.0, ((speed > 0 ? v.upper[i] : v.lower[i]) - d.dot(middle)) / speed));
    }
    points.push_back(middle + way * direction);
  }
  return points;
}

template <class Block>
TreeReport report_of(const Storage& tree, const std::vector<Block>& blocks) {
  using Volume = typename Block::Volume;
  TreeReport report;
  report.triangles = tree.data.triangles.size();
  report.nodes = blocks.size();
  std::size_t children = 0;
  double surfaces = 0;
  const auto fitted = [&](const std::vector<std::uint32_t>& items) {
    Volume volume;
    fit_volume(volume, corners_of(tree.data, items), tree.options);
    return volume;
  };
  const std::vector<std::uint32_t> all =
      each_child(tree.topology, 0, 0,
                 [&](std::uint32_t node, std::size_t slot, std::size_t level, const std::vector<std::uint32_t>& items) {
                   const Volume volume = fitted(items);
                   ++children;
                   if (tree.topology.nodes[node].items[slot] > 0) ++report.leaves;
                   surfaces += surface_area(volume);
                   if (report.levels.size() <= level) report.levels.resize(level + 1);
                   const Aabb box = fit_aabb(corners_of(tree.data, items));
                   const double diagonal = volumes::norm_near(box.upper - box.lower);
                   double farthest = 0;
                   for (const Vector3& point : border_points(volume)) {
                     double nearest = infinity;
                     for (const std::uint32_t item : items)
                       nearest = std::min(nearest, closest_points(point, triangle_of(tree.data, item)).distance);
                     farthest = std::max(farthest, nearest);
                   }
                   TreeLevel& at = report.levels[level];
                   ++at.boxes;
                   at.mean_diagonal += diagonal;
                   at.looseness += diagonal > 0 ? farthest / diagonal : 0;
                 });
  for (TreeLevel& level : report.levels) {
    level.mean_diagonal /= static_cast<double>(level.boxes);
    level.looseness /= static_cast<double>(level.boxes);
  }
  report.depth = report.levels.size();
  const double root = surface_area(fitted(all));
  report.surface_cost = root > 0 ? surfaces / root : 0;
  report.mean_children = static_cast<double>(children) / static_cast<double>(report.nodes);
  report.leaf_fill =
      static_cast<double>(report.triangles) / static_cast<double>(report.leaves * trees::Topology::leaf_size);
  report.bytes = blocks.size() * (sizeof(Block) + sizeof(trees::Topology::Node)) +
                 tree.topology.order.size() * sizeof(std::uint32_t);
  report.bytes_per_triangle = static_cast<double>(report.bytes) / static_cast<double>(report.triangles);
  return report;
}

}  // namespace

VolumeTree::VolumeTree(MeshData data, const VolumeTreeOptions& options) {
  deform::check_mesh(data, "VolumeTree");
  check_threads("volume tree", options.tree.threads);
  auto tree = std::make_shared<Storage>();
  tree->data = std::move(data);
  tree->options = options;
  std::vector<Aabb> boxes;
  boxes.reserve(tree->data.triangles.size());
  for (std::uint32_t i = 0; i < tree->data.triangles.size(); ++i) {
    const Triangle t = triangle_of(tree->data, i);
    Aabb box;
    for (const Vector3& corner : {t.a, t.b, t.c}) {
      box.include(corner);
      tree->size = std::max(tree->size, volumes::sum_of_sizes(corner));
    }
    boxes.push_back(box);
  }
  tree->topology = trees::build_topology(boxes, options.tree);
  tree->blocks = empty_blocks(options.kind);
  std::visit([&](auto& blocks) { fill(*tree, blocks); }, tree->blocks);
  storage_ = std::move(tree);
}

const MeshData& VolumeTree::data() const {
  return storage_->data;
}

VolumeKind VolumeTree::kind() const {
  return storage_->options.kind;
}

TreeReport VolumeTree::report() const {
  return std::visit([&](const auto& blocks) { return report_of(*storage_, blocks); }, storage_->blocks);
}

bool touches(const VolumeTree& a, const Pose& pose_a, const VolumeTree& b, const Pose& pose_b, Cost* cost) {
  bool hit = false;
  find_touching(a, pose_a, b, pose_b, cost, [&](const TrianglePair&) { return hit = true; });
  return hit;
}

std::vector<TrianglePair> triangle_contacts(const VolumeTree& a, const Pose& pose_a, const VolumeTree& b,
                                            const Pose& pose_b, Cost* cost) {
  std::vector<TrianglePair> pairs;
  find_touching(a, pose_a, b, pose_b, cost, [&](const TrianglePair& pair) {
    pairs.push_back(pair);
    return false;
  });
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

Distance distance(const VolumeTree& a, const Pose& pose_a, const VolumeTree& b, const Pose& pose_b) {
  Cost cost;
  return with_sides(a, pose_a, b, pose_b, [&](const auto& side_a, const auto& side_b) {
    const auto [apart, triangles] = walk_distance(side_a, side_b, cost);
    const Triangle of_a = side_a.triangle(triangles.a), of_b = side_b.triangle(triangles.b);
    Distance result = convex::distance_simple_simple(convex::simple_triangle(of_a), convex::simple_triangle(of_b));
    if (touches_triangle_triangle(of_a, of_b)) {
      result.lower = result.upper = 0;
      result.normal = Vector3::Zero();
    } else {
      // No other pair is closer, within the accuracy of closest_points().
      const double coordinate = side_a.tree.size + side_b.tree.size + volumes::sum_of_sizes(pose_a.translation()) +
                                volumes::sum_of_sizes(pose_b.translation());
      const double others = apart * (1 - 2e-12) - 64 * unit_roundoff * coordinate;
      result.lower = std::max(0.0, std::min(result.lower, others));
    }
    result.feature_a = {0, FeatureKind::triangle, triangles.a};
    result.feature_b = {0, FeatureKind::triangle, triangles.b};
    result.cost = cost;
    return result;
  });
}

}  // namespace whisker::methods
