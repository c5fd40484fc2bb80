#include <algorithm>
#include <cstddef>
#include <limits>

#include "geometry/constants.hpp"
#include "trees/binary_tree.hpp"
#include "trees/build_items.hpp"
#include "trees/chunks.hpp"
#include "trees/morton.hpp"

namespace whisker::trees {
namespace {

// How many neighbors on each side a cluster considers.
constexpr std::size_t reach = 8;

/// Half the surface with all edges slightly lengthened, so that segments still differ by their length.
double half_surface_of(const Aabb& box) {
  const Vector3 edges = box.upper - box.lower + Vector3::Constant(1e-12);
  return edges.x() * (edges.y() + edges.z()) + edges.y() * edges.z();
}

class BottomUp {
 public:
  BottomUp(std::span<const Aabb> boxes, bool parallel) : parallel_(parallel), boxes_(boxes.size()) {
    const Frame frame = frame_of(boxes, parallel);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      boxes_[i].lower = (0.5 * boxes[i].lower - 0.5 * frame.origin) * frame.scale;
      boxes_[i].upper = (0.5 * boxes[i].upper - 0.5 * frame.origin) * frame.scale;
    }
    clusters_.reserve(boxes.size());
    joins_.reserve(boxes.size());
    for (const MortonItem& item : morton_order(boxes, frame, parallel)) {
      clusters_.push_back({boxes_[item.number], item.number, 1});
    }
    best_.resize(boxes.size());
  }

  BinaryTree run(std::vector<std::uint32_t>& order) {
    // Leaves first, as full as neighbors allow, then the levels above them.
    while (join_best(Topology::leaf_size) * few > clusters_.size()) {
    }
    while (clusters_.size() > 1) {
      // Few clusters choose each other if every cluster's best neighbor has a better one, as in a geometric series.
      if (join_best(boxes_.size()) * few <= clusters_.size()) join_neighbors();
    }
    BinaryTree tree;
    tree.reserve(joins_.size() + 1);
    order.reserve(boxes_.size());
    lay_out(tree, order);
    return tree;
  }

 private:
  // A round that joins fewer than one in this many clusters is not worth repeating.
  static constexpr std::size_t few = 32;

  /// Items and joins are numbered together: first the items, then the joins in the order in which they are made.
  struct Cluster {
    Aabb box;
    std::uint32_t number = 0;
    std::uint32_t items = 0;
  };
  struct Join {
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    std::uint32_t items = 0;
    float half_surface = 0;
  };

  /// Joins all clusters that are each other's best, up to `most` items. Returns the number of pairs joined.
  std::size_t join_best(std::size_t most) {
    const std::size_t size = clusters_.size();
    for_all_in_chunks(size, parallel_, [&](std::size_t i) {
      const std::size_t best = best_neighbor(i);
      const bool too_many = std::size_t{clusters_[i].items} + clusters_[best].items > most;
      best_[i] = too_many ? i : best;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t other = best_[i];
      const bool joined = other != i && best_[other] == i;
      if (joined && other < i) continue;
      // Overwriting is safe: kept is at most i, and only clusters after i are still needed.
      clusters_[kept++] = joined ? join(clusters_[i], clusters_[other]) : clusters_[i];
    }
    clusters_.resize(kept);
    return size - kept;
  }

  /// The neighbor with which cluster i has the smallest surface; i itself if there is none. Ties go to the neighbor
  /// whose number is most like i's. Pairs are then ordered in the same way for all clusters, so that the first of them
  /// choose each other, and many equal clusters all find a partner in one round.
  std::size_t best_neighbor(std::size_t i) const {
    std::size_t best = i;
    double best_surface = infinity;
    const std::size_t end = std::min(clusters_.size(), i + reach + 1);
    for (std::size_t j = i - std::min(i, reach); j < end; ++j) {
      if (j == i) continue;
      Aabb both = clusters_[i].box;
      both.include(clusters_[j].box);
      const double surface = half_surface_of(both);
      if (surface < best_surface || (surface == best_surface && (i ^ j) < (i ^ best))) {
        best_surface = surface;
        best = j;
      }
    }
    return best;
  }

  void join_neighbors() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < clusters_.size(); i += 2) {
      clusters_[kept++] = i + 1 < clusters_.size() ? join(clusters_[i], clusters_[i + 1]) : clusters_[i];
    }
    clusters_.resize(kept);
  }

  Cluster join(const Cluster& left, const Cluster& right) {
    Cluster both{left.box, static_cast<std::uint32_t>(boxes_.size() + joins_.size()), left.items + right.items};
    both.box.include(right.box);
    joins_.push_back({left.number, right.number, both.items, static_cast<float>(half_surface_of(both.box))});
    return both;
  }

  bool is_item(std::uint32_t number) const { return number < boxes_.size(); }
  const Join& join_of(std::uint32_t number) const { return joins_[number - boxes_.size()]; }
  std::size_t items_of(std::uint32_t number) const { return is_item(number) ? 1 : join_of(number).items; }

  /// Lays out the joins depth first. Where they would become too deep, the items below are halved instead.
  void lay_out(BinaryTree& tree, std::vector<std::uint32_t>& order) const {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    struct Waiting {
      std::uint32_t number;
      std::size_t depth;
      std::size_t parent;  // for a right child its parent, otherwise none
    };
    std::vector<Waiting> stack{{clusters_[0].number, 0, none}};
    while (!stack.empty()) {
      const Waiting next = stack.back();
      stack.pop_back();
      const std::size_t self = tree.size();
      if (next.parent != none) tree[next.parent].right = static_cast<std::uint32_t>(self - next.parent);
      const std::size_t items = items_of(next.number);
      const auto first = static_cast<std::uint32_t>(order.size());
      if (items <= Topology::leaf_size) {
        tree.push_back({surface_of(next.number), first, static_cast<std::uint32_t>(items), 0});
        add_items(next.number, order);
        continue;
      }
      const Join& made = join_of(next.number);
      if (std::max(items_of(made.left), items_of(made.right)) > max_items_below(next.depth)) {
        add_items(next.number, order);
        halve(first, items, order, tree);
        continue;
      }
      tree.push_back({surface_of(next.number), first, static_cast<std::uint32_t>(items), 0});
      stack.push_back({made.right, next.depth + 1, self});
      stack.push_back({made.left, next.depth + 1, none});
    }
  }

  float surface_of(std::uint32_t number) const {
    return (is_item(number) ? static_cast<float>(half_surface_of(boxes_[number])) : join_of(number).half_surface) +
           min_surface;
  }

  void add_items(std::uint32_t number, std::vector<std::uint32_t>& order) const {
    std::vector<std::uint32_t> stack{number};
    while (!stack.empty()) {
      const std::uint32_t next = stack.back();
      stack.pop_back();
      if (is_item(next)) {
        order.push_back(next);
      } else {
        stack.push_back(join_of(next).right);
        stack.push_back(join_of(next).left);
      }
    }
  }

  Aabb halve(std::size_t first, std::size_t count, const std::vector<std::uint32_t>& order, BinaryTree& tree) const {
    const std::size_t self = tree.size();
    tree.push_back({0, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count), 0});
    Aabb box;
    if (count <= Topology::leaf_size) {
      for (std::size_t i = first; i < first + count; ++i)
        box.include(boxes_[order[i]]);
    } else {
      const std::size_t left = full_half(count);
      box = halve(first, left, order, tree);
      tree[self].right = static_cast<std::uint32_t>(tree.size() - self);
      box.include(halve(first + left, count - left, order, tree));
    }
    tree[self].half_surface = static_cast<float>(half_surface_of(box)) + min_surface;
    return box;
  }

  bool parallel_;
  std::vector<Aabb> boxes_;  // in the frame of all boxes
  std::vector<Cluster> clusters_;
  std::vector<std::size_t> best_;
  std::vector<Join> joins_;
};

}  // namespace

BinaryTree build_bottom_up(std::span<const Aabb> boxes, bool parallel, std::vector<std::uint32_t>& order) {
  return BottomUp(boxes, parallel).run(order);
}

}  // namespace whisker::trees
