#pragma once

// Two bodies in a common frame, as the kernels read them: plain structs, for code that is compiled once per instruction
// set.
//
// The frame is usually that of the first body, whose vertices are then used without transformation. If its rotation is
// too far from orthonormal for that, or lengths are so extreme that their products leave the range of doubles, the
// frame is the world's, scaled, with its origin at the first body.

#include <cstdint>

#include "convex/convex_body.hpp"
#include "convex/epa.hpp"
#include "convex/gjk.hpp"
#include "convex/small_polytope.hpp"

namespace whisker::convex {

/// Bounds on a distance that differ by at most this many half-ulps of the largest placed coordinate are as tight as one
/// can expect.
inline constexpr double fine_ulps = 110;

struct FrameBody {
  /// The first kernel that runs on the pair turns `to_be_placed` into `placed`.
  enum class Mode : std::uint8_t { placed, to_be_placed, scan, cells, cylinder, cone, ellipsoid, custom };
  /// Hulls with up to this many vertices are transformed to the frame as a whole, others vertex by vertex.
  static constexpr std::uint32_t max_placed = 48;

  Mode mode = Mode::placed;
  bool is_identity = false;  ///< its own frame is the common frame
  /// From its own frame to the common one: m x + t, with t in the last column. Not set if this is the identity and both
  /// bodies have vertices.
  double m[3][4];
  double middle[3];  ///< a point of the body, in its own frame
  const double* x;   ///< `placed`: in the common frame; `scan`: in its own frame
  const double* y;
  const double* z;
  std::uint32_t padded = 0;
  std::uint32_t count = 0;  ///< number of vertices; 0 if it has none
  const HullSupport* table = nullptr;
  double disc = 0;
  double half_length = 0;
  double radii[3];
  const CustomConvex* custom = nullptr;
  alignas(64) double placed[3][max_placed];
};

struct FramePair {
  FrameBody a;
  FrameBody b;
  /// The common frame: world = origin + turn * y / scale.
  Matrix3 turn;
  Vector3 origin;
  double scale = 1;      ///< a power of two
  double unit = 1;       ///< 1 / scale
  bool in_first = true;  ///< the frame is the first body's, with `turn` as its rotation; otherwise `turn` is not used
  /// Lengths in the world are lengths in the frame divided by `scale`, times a factor from 1 - stretch to 1 + stretch.
  double stretch = 0;
  double size = 0;  ///< upper bound on the coordinates of differences
  double radii = 0;
  /// How far a difference of computed points may be off.
  double error = 0;
  /// How much farther a difference may extend along a unit vector than the computed support.
  double reach_error = 0;
  /// How far a weighted mean of computed differences may be off.
  double mean_error = 0;
  /// Bounds on a distance that differ by no more than this are as tight as one can expect. See `fine_ulps`.
  double fine = 0;

  bool has_vertices() const { return a.count > 0 && b.count > 0; }
  Vector3 turned(const Vec3& direction) const {
    if (!in_first) return to_vector3(direction);
    // Term by term, because the order in which Eigen sums a matrix product is not under our control.
    const double* const r = turn.data();
    return {(r[0] * direction.x + r[3] * direction.y) + r[6] * direction.z,
            (r[1] * direction.x + r[4] * direction.y) + r[7] * direction.z,
            (r[2] * direction.x + r[5] * direction.y) + r[8] * direction.z};
  }
  Vector3 to_world(const Vec3& y) const {
    if (in_first) return origin + turned(y);
    return origin + to_vector3(y) * unit;
  }
};

WHISKER_INLINE Vec3 to_common_frame(const FrameBody& body, const Vec3& p) {
  const auto& m = body.m;
  return {((m[0][0] * p.x + m[0][1] * p.y) + m[0][2] * p.z) + m[0][3],
          ((m[1][0] * p.x + m[1][1] * p.y) + m[1][2] * p.z) + m[1][3],
          ((m[2][0] * p.x + m[2][1] * p.y) + m[2][2] * p.z) + m[2][3]};
}

/// A nonzero difference of points of the two bodies, where a search begins.
WHISKER_INLINE Vec3 start_of(const FramePair& pair) {
  const Vec3 a = {pair.a.middle[0], pair.a.middle[1], pair.a.middle[2]};
  const Vec3 b = {pair.b.middle[0], pair.b.middle[1], pair.b.middle[2]};
  const Vec3 start = (pair.a.is_identity ? a : to_common_frame(pair.a, a)) - to_common_frame(pair.b, b);
  return squared_norm(start) < 0x1p-200 * pair.size * pair.size ? Vec3{pair.size, 0, 0} : start;
}

/// Sets up the frame for a and b. a must not be `in_world`. Returns false if both are the same single point.
bool set_frame(const ConvexBody& a, const ConvexBody& b, FramePair& pair);

/// Where a search begins, according to an earlier one: with the vertices of both bodies at which that one ended, or
/// along a direction rather than between the bodies' middles.
struct WarmStart {
  int count = 0;
  std::array<std::uint32_t, 4> a{};
  std::array<std::uint32_t, 4> b{};
  Vec3 direction{};
  bool has_direction = false;

  bool is_cold() const { return count == 0 && !has_direction; }
};

struct GjkResult {
  GjkEnd end = GjkEnd::running;
  int supports = 0;
  double lower = 0;  ///< as computed
  Vec3 lower_direction;
  double upper = 0;  ///< as computed
  Vec3 a;            ///< the points of the bodies' cores that are `upper` apart
  Vec3 b;
  int count = 0;
  std::array<SupportPoint<Vec3>, 4> simplex;
  /// After `inside`: the computed distance of the origin from the faces of the tetrahedron. 0 if that is not certain.
  double margin = 0;
};

void run_gjk(FramePair& pair, const GjkGoal& goal, const WarmStart& warm, GjkResult& result);

using EpaResult = EpaFound<Vec3>;

/// What a cache keeps of two bodies with vertices that overlapped: the surface on which their depth was found.
struct WarmSurface {
  SmallPolytope polytope;  ///< not valid if `is_set` is false
  bool is_set = false;
  bool is_exchanged = false;  ///< the surface is that of the bodies in the other order
};

/// Begins at the simplex that GJK ended with.
void run_epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, EpaMemory<Vec3>& memory, EpaResult& result);
/// The same for bodies with vertices and a tetrahedron, in a small polytope. Returns false if that did not succeed.
/// Then nothing is known.
bool run_small_epa(FramePair& pair, const EpaGoal& goal, const GjkResult& start, SmallPolytope& polytope,
                   EpaResult& result);
/// Begins at the polytope that an earlier search ended with.
bool run_warm_epa(FramePair& pair, const EpaGoal& goal, SmallPolytope& polytope, EpaResult& result);

/// The support along one direction.
SupportPoint<Vec3> run_support(FramePair& pair, const Vec3& direction);

/// For kernels: a user's support function.
void custom_support(const CustomConvex& custom, const double (&direction)[3], double (&point)[3]);

// Detection of a user's support function that is not the support function of a convex shape: bounds cross that cannot.

/// Bounds may cross by less than this fraction of the bodies' size without an error. So a function that rounds without
/// declaring it in its support error is not rejected.
inline constexpr double unsaid_rounding = 0x1p-32;

[[noreturn]] void throw_contradiction();

inline bool is_custom(const ConvexBody& a, const ConvexBody& b) {
  return a.core == ConvexBody::Core::custom || b.core == ConvexBody::Core::custom;
}
inline bool is_custom(const FramePair& pair) {
  return pair.a.mode == FrameBody::Mode::custom || pair.b.mode == FrameBody::Mode::custom;
}

/// Takes bounds on a distance or depth of the cores, as computed in doubles, in the frame's unit. Throws an Error if
/// they contradict each other. For whisker's own shapes they cannot.
inline void check_bounds(const FramePair& pair, double lower, double upper) {
  if (!is_custom(pair)) return;
  if (lower - upper > pair.reach_error + pair.mean_error + unsaid_rounding * pair.size) throw_contradiction();
}

}  // namespace whisker::convex
