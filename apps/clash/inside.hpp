#pragma once

// Whether a part lies inside another that is not closed: by how often the other's surface winds round it.
//
// A surface with a hole has no inside that could be proven. But a point that it winds round nearly once is one that
// hardly any way leads out from, and one that it winds round nearly not at all is outside by the same measure. Between
// the two, near the hole, nothing is clear.

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <whisker/geometry/aabb.hpp>

#include "clash/assembly.hpp"
#include "clash/findings.hpp"

namespace whisker::clash {

/// A point with a winding number of at least this is taken to be inside…
inline constexpr double inside_from = 0.75;
/// …and one with no more than this, either way, outside.
inline constexpr double outside_to = 0.25;

enum class Place : std::uint8_t { outside, inside, unclear };

struct Evidence {
  Place place = Place::outside;
  Bounds winding;        ///< the least and the largest of the winding numbers that it rests on
  const char* why = "";  ///< what makes it unclear
};

/// Remembers for each mesh of an assembly where to look.
class InsideJudge {
 public:
  explicit InsideJudge(const Assembly& assembly);

  /// Where a part lies, in this pose, or a piece of it, relative to the surface of another one: inside if all points
  /// that are looked at of one connected piece are, outside if all of all pieces are. Points within `on_surface` of the
  /// other's surface tell nothing; below 0 none is so near.
  Evidence look(std::uint32_t inner, const Pose& inner_pose, std::uint32_t outer, const Pose& outer_pose,
                double on_surface);

  /// Whether there is anything to look at: a piece of the one whose box reaches into the other's.
  bool reaches(std::uint32_t inner, const Pose& inner_pose, std::uint32_t outer, const Pose& outer_pose);

 private:
  // A connected piece of a mesh: its box, and its outermost vertices along each axis.
  struct Piece {
    Aabb box;
    std::vector<Vector3> points;
  };
  struct Pieces {
    std::once_flag once;
    std::vector<Piece> all;
  };
  const std::vector<Piece>& pieces_of(std::uint32_t part);
  const PartMesh& mesh_of(std::uint32_t part) const { return assembly_.meshes[assembly_.parts[part].mesh]; }

  const Assembly& assembly_;
  std::unique_ptr<Pieces[]> pieces_;
};

}  // namespace whisker::clash
