// Soft bodies fall on each other: which of them overlap, how deep, and which way is out?
//
// A ball falls on a cube that lies on the ground. Every vertex is pulled back to its place in its body (shape matching
// without rotation, as simple as possible), and pushed out of other bodies by its depth.

#include <algorithm>
#include <cstdio>
#include <vector>

#include <whisker/whisker.hpp>

namespace wk = whisker;

namespace {

/// A body and its state of motion.
struct Soft {
  std::vector<wk::Vector3> rest;  // about the middle
  std::vector<wk::Vector3> at, velocity;

  explicit Soft(const wk::TetrahedralMesh& mesh)
      : rest(mesh.vertices().begin(), mesh.vertices().end()), at(rest), velocity(rest.size(), wk::Vector3::Zero()) {
    const wk::Vector3 middle = mean(rest);
    for (wk::Vector3& v : rest)
      v -= middle;
  }

  static wk::Vector3 mean(const std::vector<wk::Vector3>& points) {
    wk::Vector3 sum = wk::Vector3::Zero();
    for (const wk::Vector3& v : points)
      sum += v;
    return sum / static_cast<double>(points.size());
  }

  void step(double dt) {
    const wk::Vector3 middle = mean(at);
    for (std::size_t i = 0; i < at.size(); ++i) {
      const wk::Vector3 back = middle + rest[i] - at[i];
      velocity[i] += dt * (3000 * back + wk::Vector3(0, 0, -9.8));
      velocity[i] *= 0.95;
      at[i] += dt * velocity[i];
      if (at[i].z() < 0) {
        at[i].z() = 0;
        velocity[i].z() = 0;
      }
    }
  }
};

wk::TetrahedralData lifted(wk::TetrahedralData data, double by) {
  for (wk::Vector3& v : data.vertices)
    v.z() += by;
  return data;
}

}  // namespace

int main() {
  std::vector<wk::TetrahedralMesh> bodies;
  bodies.emplace_back(lifted(wk::make::tetrahedral_box({.cells_x = 6, .cells_y = 6, .cells_z = 6}), 0.5));
  bodies.emplace_back(lifted(wk::make::tetrahedral_ball({.radius = 0.4, .subdivisions = 2}), 1.6));
  std::vector<Soft> soft;
  for (const wk::TetrahedralMesh& body : bodies)
    soft.emplace_back(body);

  // Kept from frame to frame.
  wk::TetrahedralContactFinder finder;
  wk::TetrahedralContacts contacts;
  wk::TetrahedralDepthFinder depth_finder;
  std::vector<wk::VertexDepth> depths;

  double deepest_of_all = 0;
  std::size_t touching_frames = 0;
  for (int frame = 0; frame < 120; ++frame) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      soft[i].step(0.01);
      bodies[i].set_vertices(soft[i].at);
    }
    finder.find(bodies, contacts);
    depth_finder.find(bodies, contacts, depths);
    double deepest = 0;
    for (const wk::VertexDepth& d : depths) {
      deepest = std::max(deepest, d.depth);
      soft[d.mesh].velocity[d.vertex] += 60 * d.depth * d.normal;
    }
    deepest_of_all = std::max(deepest_of_all, deepest);
    touching_frames += contacts.empty() ? 0u : 1u;
    if (frame % 12 == 0) {
      std::printf("frame %3d: ball at %.3f, %zu vertices inside, %zu edges through faces, %.4f deep\n", frame,
                  Soft::mean(soft[1].at).z(), depths.size(), contacts.edges.size(), deepest);
    }
  }
  std::printf("they touched in %zu frames, at most %.4f deep; %zu tetrahedra are inside out at the end\n",
              touching_frames, deepest_of_all, bodies[0].inverted().size() + bodies[1].inverted().size());
  const double height = Soft::mean(soft[1].at).z();
  return touching_frames > 0 && height > 1 && deepest_of_all < 0.1 ? 0 : 1;
}
