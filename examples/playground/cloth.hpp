#pragma once

/// \file
/// A sheet of cloth that falls on things that stand still, and never passes through them or through itself.
///
///     Cloth cloth(sheet, ball);
///     for (…) cloth.step(1.0 / 240);
///
/// Position-based dynamics (Müller, Heidelberger, Hennix and Ratcliff 2007): distances along edges and across them are
/// kept, as well as a few sweeps do. Contact is whisker's: what is near at the start of a step is held a thickness
/// apart (near_features), what would touch on the way for all that is stopped before (first_contacts). So a step starts
/// and ends with no two triangles touching.

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
  double friction = 0.3;    ///< of what holds it back to what presses on it
  double damping = 0.92;    ///< per second: the share of a velocity that is lost in a short time, over that time
  double shear = 0.15;      ///< how much of a wrong distance across a square is set right in a sweep; 1: all
  double bend = 0.02;       ///< the same across an edge
  int sweeps = 20;
};

/// What contact did in a step.
struct ClothStep {
  std::size_t near_obstacle = 0;  ///< pairs of closest parts held apart
  std::size_t near_itself = 0;
  std::size_t stopped = 0;  ///< contacts on the way that were cut short
  std::size_t rounds = 0;   ///< how often the way had to be looked at again
};

class Cloth {
 public:
  /// The edges have their lengths. Nothing may touch at first: throws a whisker::Error if something does.
  Cloth(whisker::MeshData sheet, whisker::MeshData obstacle, const ClothOptions& options = {});

  ClothStep step(double seconds);

  const whisker::DeformingMesh& sheet() const { return sheet_; }
  const whisker::DeformingMesh& obstacle() const { return obstacle_; }
  /// How many pairs of triangles touch now, whether of the sheet or of the obstacle: exact.
  std::size_t touching() const;
  /// The vertices of the sheet's parts that are about the thickness away from the obstacle or from each other (a tenth
  /// more, at most), ascending.
  std::vector<std::uint32_t> near_vertices() const;
  double fastest() const;
  /// The largest length of an edge over what it was.
  double longest_stretch() const;

 private:
  struct Link {
    whisker::Index2 ends;
    double length;
    double stiffness;
  };
  /// Two parts that are near at the start of a step: the way from a to b along `normal` is not to become shorter than
  /// `least`. Parts of the obstacle have no vertices here, only their place.
  struct Hold {
    std::array<std::uint32_t, 4> vertices;
    std::array<double, 4> shares;  ///< of the sheet's vertices in the way from a to b: negative for a's
    whisker::Vector3 normal;
    whisker::Vector3 fixed;  ///< what the obstacle adds to that way
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
  std::vector<double> share_of_way_;  ///< of each vertex
  whisker::NearFeatures near_;
};

}  // namespace playground
