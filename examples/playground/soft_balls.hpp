#pragma once

/// \file
/// Soft balls of tetrahedra that are pushed into each other.
///
///     SoftBalls balls({.radius = 1, .subdivisions = 3});
///     balls.place({0, 0, 0}, {2.2, 0, 0});
///     for (…) {
///       balls.move({0, 0, 0}, {x, 0, 0});
///       balls.settle(10);                // rounds
///     }
///
/// Each ball is held by its core and deforms around it. It has no mass: it moves to the equilibrium of the constraints
/// that keep its shape and those that keep the balls apart. Edges keep their lengths and tetrahedra their volumes, as
/// in position-based dynamics. Vertices inside the other ball are pushed out by their depths (TetrahedralDepthFinder).

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <whisker/make/tetrahedra.hpp>
#include <whisker/tetrahedra/tetrahedral_contacts.hpp>
#include <whisker/tetrahedra/tetrahedral_depths.hpp>
#include <whisker/tetrahedra/tetrahedral_mesh.hpp>

namespace playground {

struct SoftBallOptions {
  double radius = 1;
  int subdivisions = 3;
  double core = 0.3;    ///< fraction of the radius; vertices within it move with the ball's center
  double edge = 0.1;    ///< fraction of a length error corrected per round; 1: all
  double volume = 0.5;  ///< the same for volumes
  double push = 0.8;    ///< the same for depths
};

class SoftBalls {
 public:
  explicit SoftBalls(const SoftBallOptions& options = {});

  /// Makes both balls round, with their centers at the given points.
  void place(const whisker::Vector3& first, const whisker::Vector3& second);
  /// Moves both balls there without changing their shapes.
  void move(const whisker::Vector3& first, const whisker::Vector3& second);
  /// Runs this many rounds toward equilibrium.
  void settle(int rounds);

  std::span<const whisker::TetrahedralMesh> bodies() const { return bodies_; }
  /// Contacts of the balls in their current shapes.
  const whisker::TetrahedralContacts& contacts() const { return contacts_; }
  std::span<const whisker::VertexDepth> depths() const { return depths_; }
  double deepest() const;

 private:
  struct Edge {
    whisker::Index2 ends;
    double length;
  };
  void keep_shape(std::vector<whisker::Vector3>& at) const;
  void look();

  SoftBallOptions options_;
  std::vector<whisker::TetrahedralMesh> bodies_;
  std::vector<whisker::Vector3> rest_;  ///< of both balls, relative to the center
  std::vector<bool> is_core_;
  std::vector<Edge> edges_;
  std::vector<double> volumes_;  ///< six times the volume
  std::array<whisker::Vector3, 2> middles_ = {whisker::Vector3::Zero(), whisker::Vector3::Zero()};
  std::array<std::vector<whisker::Vector3>, 2> at_;
  bool is_round_ = true;
  whisker::TetrahedralContactFinder finder_;
  whisker::TetrahedralDepthFinder depth_finder_;
  whisker::TetrahedralContacts contacts_;
  std::vector<whisker::VertexDepth> depths_;
};

}  // namespace playground
