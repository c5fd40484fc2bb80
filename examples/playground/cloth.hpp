#pragma once

/// \file
/// A sheet of cloth that falls on static objects, and never passes through them or through itself.
///
///     Cloth cloth(sheet, ball);
///     for (…) cloth.step(1.0 / 240);
///
/// Position-based dynamics (Müller, Heidelberger, Hennix and Ratcliff 2007): distances along and across edges are
/// preserved, as far as a few sweeps achieve it. whisker handles the contacts: features that are near at the start of a
/// step are kept a thickness apart (near_features), and motions that would still lead to a contact are stopped before
/// it (first_contacts). So a step starts and ends with no two triangles touching.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/deforming_mesh.hpp>
#include <whisker/near_features.hpp>

namespace playground {

struct ClothOptions {
  double thickness = 0.03;  ///< m; well below the length of an edge
  double gravity = 9.81;    ///< m/s², down along z
  double friction = 0.3;    ///< Coulomb's coefficient
  double damping = 0.92;    ///< per second: relative rate at which velocities decay
  double shear = 0.15;      ///< fraction of a length error across a square that a sweep corrects; 1: all
  double bend = 0.02;       ///< the same across an edge
  int sweeps = 20;
};

/// Statistics of the contacts in a step.
struct ClothStep {
  std::size_t near_obstacle = 0;  ///< pairs of closest features kept apart
  std::size_t near_itself = 0;
  std::size_t stopped = 0;  ///< contacts prevented by shortening a motion
  std::size_t rounds = 0;   ///< how often the motion was checked
};

class Cloth {
 public:
  /// The edges keep the lengths they have in `sheet`. Throws a whisker::Error if anything touches initially.
  Cloth(whisker::MeshData sheet, whisker::MeshData obstacle, const ClothOptions& options = {});

  ClothStep step(double seconds);

  const whisker::DeformingMesh& sheet() const { return sheet_; }
  const whisker::DeformingMesh& obstacle() const { return obstacle_; }
  /// The exact number of pairs of triangles that touch, of the sheet with itself or with the obstacle.
  std::size_t touching() const;
  /// The vertices of the sheet's features that are about the thickness away from the obstacle or from each other (at
  /// most a tenth more), ascending.
  std::vector<std::uint32_t> near_vertices() const;
  double fastest() const;
  /// The largest ratio of an edge's length to its initial length.
  double longest_stretch() const;

 private:
  struct Link {
    whisker::Index2 ends;
    double length;
    double stiffness;
  };
  /// Two features that are near at the start of a step: their separation along `normal` must not fall below `least`.
  /// Features of the obstacle have no vertices here, only a fixed position.
  struct Hold {
    std::array<std::uint32_t, 4> vertices;
    std::array<double, 4> shares;  ///< weights of the sheet's vertices in the vector from a to b: negative for those of
                                   ///< a
    whisker::Vector3 normal;
    whisker::Vector3 fixed;  ///< the obstacle's contribution to that vector
    whisker::Vector3 at_start;
    double least;
    double weight;  ///< Σ shares²
  };

  void add_holds(const whisker::NearFeatures& near, bool is_obstacle);
  void keep_lengths();
  void keep_apart();
  void stop_before_contact(ClothStep& report);

  ClothOptions options_;
  whisker::DeformingMesh sheet_;
  whisker::DeformingMesh obstacle_;
  std::vector<Link> links_;
  std::vector<whisker::Vector3> start_, next_, velocity_;
  std::vector<Hold> holds_;
  std::vector<double> share_of_way_;  ///< by vertex
  whisker::NearFeatures near_;
};

}  // namespace playground
