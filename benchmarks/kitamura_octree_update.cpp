// The octree-update method (Kitamura, Takemura, Ahuja, Kishino 1994), which the paper uses for comparison. Each rigid
// body has an octree of its faces, built once. In each cycle its nodes are moved along with it, and an octree of the
// world is divided down to a fixed level by the moved nodes instead of by the faces.

#include <array>

#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/triangle_tests.hpp>

#include "kitamura.hpp"
#include "methods/soups/soup_kernels.hpp"

namespace whisker::bench {
namespace {

/// A leaf of a body's octree that overlaps faces.
struct Node {
  Vector3 center;  // in the body's frame
  double half;
  std::vector<std::uint32_t> faces;
};

struct MovedNode {
  std::uint32_t body, node;
  Vector3 center;
  Aabb box;
};

class OctreeUpdate {
 public:
  Answer answer;

  explicit OctreeUpdate(const Scene& scene) {
    for (const Actor& actor : scene.actors()) {
      Aabb box;
      for (const Vector3& v : actor.mesh.vertices)
        box.include(v);
      std::vector<std::uint32_t> all(actor.mesh.triangles.size());
      for (std::uint32_t i = 0; i < all.size(); ++i)
        all[i] = i;
      const Vector3 center = (box.lower + box.upper) / 2;
      divide(actor.mesh, center, (box.upper - center).maxCoeff() * (1 + 1e-9), body_level, all, nodes_.emplace_back());
    }
  }

  void look(const Frame& frame) {
    answer.contacts.clear();
    std::vector<Aabb> boxes;
    for (const methods::Soup& soup : frame.soups)
      boxes.push_back(methods::soups::checked_box(soup.vertices));
    // The regions of overlap, and the moved nodes that are in one of their body's regions.
    std::vector<std::vector<Aabb>> regions(boxes.size());
    bool is_any = false;
    for (std::size_t a = 0; a < boxes.size(); ++a) {
      for (std::size_t b = a + 1; b < boxes.size(); ++b) {
        if (!boxes[a].overlaps(boxes[b])) continue;
        const Aabb common = {boxes[a].lower.cwiseMax(boxes[b].lower), boxes[a].upper.cwiseMin(boxes[b].upper)};
        regions[a].push_back(common);
        regions[b].push_back(common);
        is_any = true;
      }
    }
    if (!is_any) return;
    std::vector<MovedNode> moved;
    for (std::uint32_t body = 0; body < boxes.size(); ++body) {
      if (regions[body].empty()) continue;
      const Pose& pose = frame.poses[body];
      const Vector3 reach = pose.rotation().cwiseAbs().rowwise().sum();
      for (std::uint32_t n = 0; n < nodes_[body].size(); ++n) {
        const Node& node = nodes_[body][n];
        const Vector3 center = place(pose, node.center), half = node.half * reach;
        const MovedNode here = {body, n, center, {center - half, center + half}};
        if (std::any_of(regions[body].begin(), regions[body].end(),
                        [&](const Aabb& region) { return here.box.overlaps(region); }))
          moved.push_back(here);
      }
    }
    const auto make_unique = [](std::vector<MeshTrianglePair>& pairs) {
      std::sort(pairs.begin(), pairs.end());
      pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    };
    node_pairs_.clear();
    walk(frame, Vector3::Constant(0.5), 0.5, world_level, moved);
    make_unique(node_pairs_);
    candidates_.clear();
    for (const auto& [a, node_a, b, node_b] : node_pairs_)
      for (const std::uint32_t i : nodes_[a][node_a].faces)
        for (const std::uint32_t j : nodes_[b][node_b].faces)
          candidates_.push_back({a, i, b, j});
    make_unique(candidates_);
    for (const MeshTrianglePair& c : candidates_) {
      const auto triangle = [&](std::uint32_t soup, std::uint32_t face) {
        const methods::Soup& s = frame.soups[soup];
        const Index3& t = s.triangles[face];
        return Triangle{s.vertices[t[0]], s.vertices[t[1]], s.vertices[t[2]]};
      };
      if (touches_triangle_triangle(triangle(c.mesh_a, c.triangle_a), triangle(c.mesh_b, c.triangle_b)))
        answer.contacts.push_back(c);
    }
  }

 private:
  static constexpr int body_level = 5;   // with the next value, the fastest combination of those tried
  static constexpr int world_level = 6;  // the paper's, for the unit cube, which contains all bodies

  static void divide(const MeshData& mesh, const Vector3& center, double half, int levels,
                     const std::vector<std::uint32_t>& faces, std::vector<Node>& nodes) {
    // Enlarged by the rounding error of a moved face.
    const Aabb cell = {center - Vector3::Constant(half * (1 + 1e-9)), center + Vector3::Constant(half * (1 + 1e-9))};
    std::vector<std::uint32_t> within;
    for (const std::uint32_t face : faces) {
      const Index3& t = mesh.triangles[face];
      if (touches_triangle_box({mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]}, cell))
        within.push_back(face);
    }
    if (within.empty()) return;
    if (levels == 0) {
      nodes.push_back({center, half * (1 + 1e-9), within});
      return;
    }
    for (int octant = 0; octant < 8; ++octant)
      divide(mesh, center + half / 2 * sides(octant), half / 2, levels - 1, within, nodes);
  }

  static Vector3 sides(int octant) {
    return {(octant & 1) != 0 ? 1.0 : -1.0, (octant & 2) != 0 ? 1.0 : -1.0, (octant & 4) != 0 ? 1.0 : -1.0};
  }

  /// Whether a moved cube may overlap a cell: tests the cell's axes and its own.
  bool meets(const Frame& frame, const MovedNode& moved, const Vector3& center, double half) const {
    const Aabb cell = {center - Vector3::Constant(half), center + Vector3::Constant(half)};
    if (!moved.box.overlaps(cell)) return false;
    const Matrix3& turn = frame.poses[moved.body].rotation();
    const Vector3 away = (turn.transpose() * (center - moved.center)).cwiseAbs();
    const Vector3 reach = half * turn.cwiseAbs().colwise().sum().transpose();
    return ((away - reach).array() <= nodes_[moved.body][moved.node].half * (1 + 1e-9)).all();
  }

  void walk(const Frame& frame, const Vector3& center, double half, int levels, const std::vector<MovedNode>& nodes) {
    if (nodes.empty() || nodes.front().body == nodes.back().body) return;  // sorted by body
    if (levels == 0) {
      for (const MovedNode& a : nodes)
        for (const MovedNode& b : nodes)
          if (a.body < b.body) node_pairs_.push_back({a.body, a.node, b.body, b.node});
      return;
    }
    for (int octant = 0; octant < 8; ++octant) {
      const Vector3 at = center + half / 2 * sides(octant);
      std::vector<MovedNode> within;
      for (const MovedNode& node : nodes)
        if (meets(frame, node, at, half / 2)) within.push_back(node);
      walk(frame, at, half / 2, levels - 1, within);
    }
  }

  std::vector<std::vector<Node>> nodes_;      // of each body
  std::vector<MeshTrianglePair> node_pairs_;  // node indices in place of triangles
  std::vector<MeshTrianglePair> candidates_;
};

}  // namespace

Method octree_update() {
  const auto state = std::make_shared<std::optional<OctreeUpdate>>();
  Method method{"octree update", true};
  method.prepare = [state](const Scene& scene) { state->emplace(scene); };
  method.look = [state](const Frame& frame) { (*state)->look(frame); };
  method.answer = [state] { return (*state)->answer; };
  return method;
}

}  // namespace whisker::bench
