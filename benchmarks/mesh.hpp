#pragma once

// The suite `mesh`: a mesh against itself. Declares the models and poses that its files share, and the peers, which
// have files of their own.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <whisker/mesh.hpp>
#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>
#include <whisker/result.hpp>
#include <whisker/shape.hpp>

#include "harness.hpp"
#include "near_poses.hpp"

namespace whisker::bench {

/// The indices of a triangle of a and one of b.
using TriangleIds = std::pair<std::uint32_t, std::uint32_t>;

/// FCL's trees of one mesh (mesh_fcl.cpp), in double.
class FclMesh {
 public:
  explicit FclMesh(const MeshData& data);
  ~FclMesh();
  FclMesh(FclMesh&&) noexcept;
  FclMesh& operator=(FclMesh&&) = delete;

  // Each returns a pass over the poses, converted to FCL's own types beforehand.

  /// The fastest settings: oriented boxes, stop at the first pair, no contact points. `found` gets the pair at which
  /// FCL stopped.
  std::function<void()> touch(std::span<const PosePair> poses, std::vector<std::optional<TriangleIds>>& found) const;
  /// All contacts, with oriented boxes: the number of FCL's contacts for each pose. With `points`, FCL also computes
  /// points, normal and depth, and reports a pair once for each of up to two points.
  std::function<void()> contacts(std::span<const PosePair> poses, bool points, std::vector<std::size_t>& counts) const;
  struct Measured {
    double distance = 0;
    TriangleIds ids;
  };
  /// With OBBRSS volumes and closest points.
  std::function<void()> distance(std::span<const PosePair> poses, std::vector<Measured>& found) const;

  /// The touching pairs of one pose, sorted. Not for measuring.
  std::vector<TriangleIds> contact_pairs(const PosePair& poses) const;
  /// The cost of all poses together, as FCL counts it. Not for measuring.
  Cost touch_cost(std::span<const PosePair> poses) const;
  Cost contacts_cost(std::span<const PosePair> poses) const;
  Cost distance_cost(std::span<const PosePair> poses) const;

  /// The bytes of the tree's nodes and order.
  std::size_t box_tree_bytes() const;
  std::size_t swept_tree_bytes() const;

  /// Builds a tree and discards it. Returns its number of nodes.
  static std::size_t build_boxes(const MeshData& data);
  static std::size_t build_swept(const MeshData& data);

 private:
  struct Trees;
  std::unique_ptr<Trees> trees_;
};

// ODE (mesh_ode.cpp) and Bullet (mesh_bullet.cpp). Each returns a pass, or an empty function if the library was not
// available when the suite was built. Both determine whether two meshes touch. Neither reports all pairs of triangles,
// nor distances.
std::function<void()> ode_touch(const MeshData& data, std::span<const PosePair> poses,
                                std::vector<std::uint8_t>& answers);
std::function<void()> ode_build(const MeshData& data);
std::function<void()> bullet_touch(const MeshData& data, std::span<const PosePair> poses,
                                   std::vector<std::uint8_t>& answers);
std::function<void()> bullet_build(const MeshData& data);

/// A mesh with everything needed to query it.
struct Model {
  std::string name;
  MeshData data;
  Mesh mesh;
  Shape shape;
  FclMesh fcl;
  std::vector<PosePair> near;  ///< Near contact; about half of them touch.
  std::vector<PosePair> far;   ///< One to three diameters apart.
};

/// The triangle with its corners placed, on which whisker's exact results are based.
Triangle placed_triangle(const MeshData& data, std::uint32_t id, const Pose& pose);
/// Whether any two triangles touch, by a sweep over bounding boxes and the exact predicate, without a tree.
bool sweep_touches(const MeshData& data, const PosePair& poses);

/// "12.3 volume tests and 4.5 triangle tests a query (whisker)".
void note_cost(Suite& suite, const std::string& system, const Cost& cost, std::size_t queries);

/// The seconds that a case may take, depending on the suite's length.
double case_seconds(const Suite& suite);

// The parts of the suite, each for one model.
void bench_touch(Suite& suite, const Model& model);
void bench_far(Suite& suite, const Model& model);
void bench_contacts(Suite& suite, const Model& model);
void bench_distance(Suite& suite, const Model& model);
void bench_ray(Suite& suite, const Model& model);
void bench_build(Suite& suite, const Model& model);
void bench_build_ray(Suite& suite, const Model& model);
/// A scene of 10⁹ edge lengths, compared with one of 10³.
void bench_extent(Suite& suite);
/// `--scaling`: one family of models from a thousand to two million triangles.
void bench_scaling(Suite& suite);

}  // namespace whisker::bench
