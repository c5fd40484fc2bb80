#pragma once

// Decides whether a part lies inside another part that is not closed, from the winding number of the other's surface.
//
// A surface with a hole has no provable inside. But if the surface winds almost once around a point, hardly any
// direction leads out from there, and if it winds almost not at all around a point, the point is outside by the same
// measure. In between, near the hole, the result is unclear.

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <whisker/geometry/aabb.hpp>

#include "clash/assembly.hpp"
#include "clash/findings.hpp"

namespace whisker::clash {

/// A point with a winding number of at least this counts as inside…
inline constexpr double inside_from = 0.75;
/// …and one whose winding number has at most this absolute value counts as outside.
inline constexpr double outside_to = 0.25;

enum class Place : std::uint8_t { outside, inside, unclear };

struct Evidence {
  Place place = Place::outside;
  Bounds winding;        ///< the range of the winding numbers that it is based on
  const char* why = "";  ///< why it is unclear
};

/// Tests parts of an assembly. Remembers the points to test for each mesh.
class InsideJudge {
 public:
  explicit InsideJudge(const Assembly& assembly);

  /// The position of a part, or a piece of it, relative to the surface of another part: inside if all tested points of
  /// one connected piece are inside, outside if all tested points of all pieces are outside. Points within `on_surface`
  /// of the other's surface are ignored. If it is negative, no point is ignored.
  Evidence look(std::uint32_t inner, const Pose& inner_pose, std::uint32_t outer, const Pose& outer_pose,
                double on_surface);

  /// Whether there is anything to test: a piece of `inner` whose box overlaps that of `outer`.
  bool reaches(std::uint32_t inner, const Pose& inner_pose, std::uint32_t outer, const Pose& outer_pose);

 private:
  // A connected piece of a mesh: its box, and its extreme vertices along each axis.
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
