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
/// Each ball is held by its core and gives way around it. It has no mass: it goes to where what keeps its shape and
/// what keeps the balls apart are in balance. Edges keep their lengths and tetrahedra their volumes, as in
/// position-based dynamics; vertices in the other ball are pushed out by their depths (TetrahedralDepthFinder).

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
  double core = 0.3;    ///< of the radius; vertices within it move with the ball's middle
  double edge = 0.1;    ///< how much of a wrong length is set right in a round; 1: all
  double volume = 0.5;  ///< the same of a volume
  double push = 0.8;    ///< and of a depth
};

class SoftBalls {
 public:
  explicit SoftBalls(const SoftBallOptions& options = {});

  /// Both balls are round and have their middles there.
  void place(const whisker::Vector3& first, const whisker::Vector3& second);
  /// Both are moved there, in the shape that they have.
  void move(const whisker::Vector3& first, const whisker::Vector3& second);
  /// So many rounds toward balance.
  void settle(int rounds);

  std::span<const whisker::TetrahedralMesh> bodies() const { return bodies_; }
  /// Of the balls as they are.
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
  std::vector<whisker::Vector3> rest_;  ///< of both balls, about the middle
  std::vector<bool> is_core_;
  std::vector<Edge> edges_;
  std::vector<double> volumes_;  ///< six times
  std::array<whisker::Vector3, 2> middles_ = {whisker::Vector3::Zero(), whisker::Vector3::Zero()};
  std::array<std::vector<whisker::Vector3>, 2> at_;
  bool is_round_ = true;
  whisker::TetrahedralContactFinder finder_;
  whisker::TetrahedralDepthFinder depth_finder_;
  whisker::TetrahedralContacts contacts_;
  std::vector<whisker::VertexDepth> depths_;
};

}  // namespace playground
