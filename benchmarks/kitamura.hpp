#pragma once

// The suite `kitamura`: the experiments of Kitamura, Smith, Takemura and Kishino, "A Real-Time Algorithm for Accurate
// Collision Detection for Deformable Polyhedral Objects" (1998), with whisker's version of their method and with those
// that they compare it to.
//
// Models and motions are rebuilt: the paper says how many faces they have and in which cycle what happens, not where
// they stand. All methods see the same objects in every cycle, take turns in it, and have their answers compared.

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

/// A body: its mesh in its own frame, where it is, and how it goes on.
struct Actor {
  MeshData mesh;
  Pose pose;
  Vector3 velocity = Vector3::Zero();        ///< a cycle
  Matrix3 spin = Matrix3::Identity();        ///< a cycle
  std::function<void(int, MeshData&)> bend;  ///< the mesh in a cycle, in its own frame; none for what is rigid
  double radius = 0;                         ///< of a ball about it: where it turns back at a wall
};

/// What the methods see: vertices in the world, place(pose, v), and for those that need it the poses.
struct Frame {
  std::vector<methods::Soup> soups;
  std::vector<Pose> poses;
};

/// Bodies in the unit cube.
class Scene {
 public:
  explicit Scene(std::vector<Actor> actors);
  Scene(Scene&&) = default;  // the frame refers to what is moved along
  Scene& operator=(Scene&&) = default;

  /// One cycle: all go on, and turn back at the walls.
  void advance();
  const Frame& frame() const { return frame_; }
  int cycle() const { return cycle_; }
  std::vector<Actor>& actors() { return actors_; }
  const std::vector<Actor>& actors() const { return actors_; }
  bool has_walls = true;
  /// Puts the vertices where the poses say.
  void place_all();

 private:
  std::vector<Actor> actors_;
  std::vector<MeshData> placed_;
  Frame frame_;
  int cycle_ = 0;
};

/// Spheres as in the paper: 2·slices·(stacks − 1) faces. One of its fourteen counts.
MeshData sphere_mesh(int faces, double radius);
inline constexpr int sphere_faces[] = {8, 10, 24, 48, 54, 80, 120, 168, 224, 360, 528, 728, 960, 3968};
/// Stand-ins with the paper's numbers of faces, about 2 · size long, not convex.
MeshData shuttle_mesh(double size);  ///< 528
MeshData venus_mesh(double size);    ///< 1816
MeshData hand_mesh(double size);     ///< 960
MeshData chair_mesh(double size);    ///< 146
/// Fingers of a hand that close and open.
void bend_hand(const MeshData& open, int cycle, MeshData& hand);
/// A sphere with waves.
void wave_sphere(const MeshData& round, int cycle, MeshData& sphere);

// --- methods -----------------------------------------------------------------------------------------------------

using SoupPair = std::pair<std::uint32_t, std::uint32_t>;

/// What a method answers: all contacts, or only which bodies touch.
struct Answer {
  std::vector<MeshTrianglePair> contacts;
  std::vector<SoupPair> pairs;
};

struct Method {
  std::string name;
  bool gives_contacts = true;
  /// Starts anew, for a scene.
  std::function<void(const Scene&)> prepare = [](const Scene&) {};
  /// One cycle. Only this is timed.
  std::function<void(const Frame&)> look = {};
  /// What it found.
  std::function<Answer()> answer = {};
};

/// whisker's version of the paper's method, with nothing kept.
Method soup_method(const std::string& name, const methods::SoupOptions& options);
/// All pairs of triangles of soups whose boxes overlap, put to the exact test.
Method naive_method();
/// whisker's trees, fitted anew in each cycle (Mesh::moved).
Method refitted_trees();
/// whisker's trees in the bodies' own frames, for rigid bodies only.
Method rigid_trees();
/// whisker's trees, built in each cycle.
Method new_trees();
/// A plane for each pair, kept from cycle to cycle (Baraff 1990; GJK where a new one is needed). Convex and rigid.
Method separating_planes();
/// Sweep and prune with boxes of one size, and Voronoi marching (I-COLLIDE). Convex and rigid.
Method sweep_and_march();
/// Octrees of the bodies' faces, made once; their nodes are moved in each cycle (Kitamura et al. 1994). Rigid.
Method octree_update();

}  // namespace whisker::bench
