#pragma once

// The suite `mesh`: a mesh against itself. The models and poses that its files share, and the peers that live in files
// of their own.

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

/// Numbers of a triangle of a and one of b.
using TriangleIds = std::pair<std::uint32_t, std::uint32_t>;

/// FCL's trees of one mesh (mesh_fcl.cpp), in double.
class FclMesh {
 public:
  explicit FclMesh(const MeshData& data);
  ~FclMesh();
  FclMesh(FclMesh&&) noexcept;
  FclMesh& operator=(FclMesh&&) = delete;

  // Each returns a pass over the poses, converted to FCL's own types beforehand.

  /// The settings that are fastest: oriented boxes, stop at the first pair, no contact points. Into `found` goes the
  /// pair that FCL stopped at.
  std::function<void()> touch(std::span<const PosePair> poses, std::vector<std::optional<TriangleIds>>& found) const;
  /// All contacts, with oriented boxes: the number of FCL's contacts for each pose. With `points` FCL also works out
  /// points, normal and depth, and reports a pair once for each of up to two points.
  std::function<void()> contacts(std::span<const PosePair> poses, bool points, std::vector<std::size_t>& counts) const;
  struct Measured {
    double distance = 0;
    TriangleIds ids;
  };
  /// With swept spheres in oriented boxes (OBBRSS) and closest points.
  std::function<void()> distance(std::span<const PosePair> poses, std::vector<Measured>& found) const;

  /// The touching pairs of one pose, sorted. Not for measuring.
  std::vector<TriangleIds> contact_pairs(const PosePair& poses) const;
  /// Work for all poses together, as FCL counts it. Not for measuring.
  Cost touch_cost(std::span<const PosePair> poses) const;
  Cost contacts_cost(std::span<const PosePair> poses) const;
  Cost distance_cost(std::span<const PosePair> poses) const;

  /// Bytes of the tree's nodes and order.
  std::size_t box_tree_bytes() const;
  std::size_t swept_tree_bytes() const;

  /// Builds a tree and drops it; its number of nodes.
  static std::size_t build_boxes(const MeshData& data);
  static std::size_t build_swept(const MeshData& data);

 private:
  struct Trees;
  std::unique_ptr<Trees> trees_;
};

// ODE (mesh_ode.cpp) and Bullet (mesh_bullet.cpp). Each returns a pass, or an empty function where the library was not
// there when the suite was built. Both answer whether two meshes touch; neither reports all pairs of triangles, nor
// distances.
std::function<void()> ode_touch(const MeshData& data, std::span<const PosePair> poses,
                                std::vector<std::uint8_t>& answers);
std::function<void()> ode_build(const MeshData& data);
std::function<void()> bullet_touch(const MeshData& data, std::span<const PosePair> poses,
                                   std::vector<std::uint8_t>& answers);
std::function<void()> bullet_build(const MeshData& data);

/// A mesh with everything that is asked about it.
struct Model {
  std::string name;
  MeshData data;
  Mesh mesh;
  Shape shape;
  FclMesh fcl;
  std::vector<PosePair> near;  ///< Near contact; about half of them touch.
  std::vector<PosePair> far;   ///< One to three diameters apart.
};

/// The triangle with its corners placed: what whisker's exact answers are about.
Triangle placed_triangle(const MeshData& data, std::uint32_t id, const Pose& pose);
/// Is there any pair of triangles that touch? By a sweep over bounding boxes and the exact predicate, without a tree.
bool sweep_touches(const MeshData& data, const PosePair& poses);

/// "12.3 volume tests and 4.5 triangle tests a query (whisker)".
void note_cost(Suite& suite, const std::string& system, const Cost& cost, std::size_t queries);

/// Seconds that a case may take, by the suite's length.
double case_seconds(const Suite& suite);

// The parts of the suite, each for one model.
void bench_touch(Suite& suite, const Model& model);
void bench_far(Suite& suite, const Model& model);
void bench_contacts(Suite& suite, const Model& model);
void bench_distance(Suite& suite, const Model& model);
void bench_build(Suite& suite, const Model& model);
void bench_build_ray(Suite& suite, const Model& model);
/// A scene of a thousand million edge lengths next to one of a thousand.
void bench_extent(Suite& suite);
/// `--scaling`: one family of models from a thousand to two million triangles.
void bench_scaling(Suite& suite);

}  // namespace whisker::bench
