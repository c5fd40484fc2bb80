#pragma once

// The suite `kitamura`: the experiments of Kitamura, Smith, Takemura and Kishino, "A Real-Time Algorithm for Accurate
// Collision Detection for Deformable Polyhedral Objects" (1998), with whisker's version of their method and with the
// methods that they compare it to.
//
// Models and motions are reconstructed: the paper states how many faces they have and in which cycle what happens, but
// not the positions. All methods get the same objects in every cycle, take turns in it, and their results are compared.

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/methods/soup_contacts.hpp>
#include <whisker/pose.hpp>

#include "harness.hpp"

namespace whisker::bench {

// --- scenes ------------------------------------------------------------------------------------------------------

/// A body: its mesh in its own frame, its pose, and its motion.
struct Actor {
  MeshData mesh;
  Pose pose;
  Vector3 velocity = Vector3::Zero();        ///< per cycle
  Matrix3 spin = Matrix3::Identity();        ///< per cycle
  std::function<void(int, MeshData&)> bend;  ///< computes the mesh of a cycle, in its own frame; empty if rigid
  double radius = 0;                         ///< of its bounding ball, used for reflection at walls
};

/// The input of the methods: vertices in the world, place(pose, v), and the poses for the methods that need them.
struct Frame {
  std::vector<methods::Soup> soups;
  std::vector<Pose> poses;
};

/// Bodies in the unit cube.
class Scene {
 public:
  explicit Scene(std::vector<Actor> actors);
  Scene(Scene&&) = default;  // the frame refers to data that moves along
  Scene& operator=(Scene&&) = default;

  /// Advances one cycle: moves all bodies and reflects them at the walls.
  void advance();
  const Frame& frame() const { return frame_; }
  int cycle() const { return cycle_; }
  std::vector<Actor>& actors() { return actors_; }
  const std::vector<Actor>& actors() const { return actors_; }
  bool has_walls = true;
  /// Places the vertices according to the poses.
  void place_all();

 private:
  std::vector<Actor> actors_;
  std::vector<MeshData> placed_;
  Frame frame_;
  int cycle_ = 0;
};

/// Spheres as in the paper, with 2·slices·(stacks − 1) faces. `faces` must be one of its fourteen counts.
MeshData sphere_mesh(int faces, double radius);
inline constexpr int sphere_faces[] = {8, 10, 24, 48, 54, 80, 120, 168, 224, 360, 528, 728, 960, 3968};
/// Non-convex substitutes with the paper's numbers of faces, about 2 · size long.
MeshData shuttle_mesh(double size);  ///< 528
MeshData venus_mesh(double size);    ///< 1816
MeshData hand_mesh(double size);     ///< 960
MeshData chair_mesh(double size);    ///< 146
/// Closes and opens the fingers of a hand.
void bend_hand(const MeshData& open, int cycle, MeshData& hand);
/// Adds waves to a sphere.
void wave_sphere(const MeshData& round, int cycle, MeshData& sphere);

// --- methods -----------------------------------------------------------------------------------------------------

using SoupPair = std::pair<std::uint32_t, std::uint32_t>;

/// The result of a method: all contacts, or only which bodies touch.
struct Answer {
  std::vector<MeshTrianglePair> contacts;
  std::vector<SoupPair> pairs;
};

struct Method {
  std::string name;
  bool gives_contacts = true;
  /// Resets the method for a scene.
  std::function<void(const Scene&)> prepare = [](const Scene&) {};
  /// Processes one cycle. Only this is timed.
  std::function<void(const Frame&)> look = {};
  /// The result of the last cycle.
  std::function<Answer()> answer = {};
};

/// whisker's version of the paper's method, without persistent data.
Method soup_method(const std::string& name, const methods::SoupOptions& options);
/// Tests all pairs of triangles of soups whose boxes overlap exactly.
Method naive_method();
/// whisker's trees, refitted in each cycle (Mesh::moved).
Method refitted_trees();
/// whisker's trees in the bodies' own frames, only for rigid bodies.
Method rigid_trees();
/// whisker's trees, built in each cycle.
Method new_trees();
/// A separating plane for each pair, cached between cycles (Baraff 1990; GJK if a new one is needed). Convex and rigid.
Method separating_planes();
/// Sweep and prune with boxes of one size, and Voronoi marching (I-COLLIDE). Convex and rigid.
Method sweep_and_march();
/// Octrees of the bodies' faces, built once. Their nodes are moved in each cycle (Kitamura et al. 1994). Rigid.
Method octree_update();

}  // namespace whisker::bench
