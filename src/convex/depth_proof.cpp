#include "convex/depth_proof.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace whisker::convex {
namespace {

/// For a ball in all directions, the required accuracy takes three million supports (see depth_convex_test).
constexpr int max_supports = 8'000'000;
/// With this limit, coordinates of the corners are multiples of 2^-max_halvings, and exact.
constexpr int max_halvings = 50;

/// A direction, and how far the Minkowski difference of the bodies extends along it.
struct Ray {
  Vec3 corner;  ///< on the octahedron with corners at 1 and -1 on the axes
  Vec3 n;       ///< the same direction, of unit length
  Vec3 w;       ///< the point of the difference that is farthest along n
  double height;
};

/// Halves triangles of directions, starting from the faces of an octahedron, until the supports at their corners show
/// that the difference extends far enough in all directions between.
///
/// Take unit vectors n₁, n₂, n₃, points w₁, w₂, w₃ of the difference, usually the supports along n₁, n₂, n₃, and a
/// direction between, n = Σ mᵢ nᵢ / |Σ mᵢ nᵢ| with mᵢ ≥ 0 and Σ mᵢ = 1. Along n the difference extends at least to
/// Σ mᵢ n·wᵢ, which is Σ mᵢ mⱼ nⱼ·wᵢ / |Σ mᵢ nᵢ|. This is t or more if
///
///     Σ mᵢ mⱼ bᵢⱼ ≥ 0   with   2 bᵢⱼ = nⱼ·wᵢ + nᵢ·wⱼ - t (1 + nᵢ·nⱼ),
///
/// because |x| ≤ (1 + |x|²) / 2. If all bᵢᵢ ≥ s > 0, and x, y, z are the other bᵢⱼ divided by s, the inequality holds
/// if none of x, y, z is below -1 and 1 + x + y + z + √(2 (1 + x) (1 + y) (1 + z)) ≥ 0 (Hadeler 1983, on copositive
/// matrices). For a ball of radius t + s this holds for triangles with circumradius √(2 s / t), for which the plane
/// through the three supports is at t. So no proof from supports alone could use larger triangles.
class Sweep {
 public:
  Sweep(FramePair& frame, const EpaGoal& goal, EpaResult& found)
      : frame_(frame), goal_(goal), found_(found), most_(std::min(max_supports, goal.budget - found.supports)) {
    aim();
  }

  /// Returns whether the whole sphere of directions was proven.
  bool run() {
    std::array<Ray, 6> ends;
    for (std::size_t i = 0; i < 6; ++i) {
      const double sign = i < 3 ? 1 : -1;
      ends[i] = look({i % 3 == 0 ? sign : 0, i % 3 == 1 ? sign : 0, i % 3 == 2 ? sign : 0});
    }
    for (std::size_t x : {0u, 3u})
      for (std::size_t y : {1u, 4u})
        for (std::size_t z : {2u, 5u})
          if (!prove(ends[x], ends[y], ends[z], 0)) return false;
    // The products above are off by a few roundings of the size, and |Σ mᵢ nᵢ| is at least 1/√3.
    found_.lower = std::max(found_.lower, aim_ - 64 * Numbers<Vec3>::roundoff * frame_.size);
    return true;
  }

  int supports() const { return supports_; }

 private:
  // The aim only decreases, so what was proven stays proven.
  void aim() { aim_ = found_.upper - std::max(goal_.tolerance, goal_.relative_tolerance * found_.upper); }

  Ray look(const Vec3& corner) {
    ++supports_;
    const Vec3 n = corner * (1 / norm(corner));
    const SupportPoint<Vec3> point = run_support(frame_, n);
    const Vec3 w = point.a - point.b;
    const double height = dot(n, w);
    if (height < found_.upper) {
      found_.take(height, n, point);
      aim();
    }
    return {corner, n, w, height};
  }

  bool prove(const Ray& p, const Ray& q, const Ray& r, int halvings) {
    const double pq = dot(p.n, q.n), qr = dot(q.n, r.n), rp = dot(r.n, p.n);
    const auto reaches = [&](const Vec3& wp, const Vec3& wq, const Vec3& wr) {
      const double spare = std::min({dot(p.n, wp), dot(q.n, wq), dot(r.n, wr)}) - aim_;
      const double x = (dot(q.n, wp) + dot(p.n, wq) - aim_ * (1 + pq)) / (2 * spare);
      const double y = (dot(r.n, wq) + dot(q.n, wr) - aim_ * (1 + qr)) / (2 * spare);
      const double z = (dot(p.n, wr) + dot(r.n, wp) - aim_ * (1 + rp)) / (2 * spare);
      const double sum = 1 + x + y + z;
      return spare > 0 && std::min({x, y, z}) >= -1 && (sum >= 0 || 2 * (1 + x) * (1 + y) * (1 + z) >= sum * sum);
    };
    if (reaches(p.w, q.w, r.w)) return true;
    const double longest = std::min({pq, qr, rp});
    const double spare = std::min({p.height, q.height, r.height}) - aim_;
    if ((1 - longest) * aim_ <= 2 * spare) {
      // The triangle is small enough for a round difference. Supports on either side of an edge of the difference are
      // far from each other, but the supports of one side may suffice for the whole triangle.
      if (reaches(q.w, q.w, r.w) || reaches(r.w, q.w, r.w) || reaches(p.w, p.w, r.w) || reaches(p.w, r.w, r.w) ||
          reaches(p.w, q.w, p.w) || reaches(p.w, q.w, q.w) || reaches(p.w, p.w, p.w) || reaches(q.w, q.w, q.w) ||
          reaches(r.w, r.w, r.w)) {
        return true;
      }
    }
    if (halvings == max_halvings || supports_ >= most_) return false;
    // Halve at the middle of the longest edge.
    if (pq == longest) return halve(p, q, r, halvings + 1);
    return qr == longest ? halve(q, r, p, halvings + 1) : halve(r, p, q, halvings + 1);
  }

  bool halve(const Ray& p, const Ray& q, const Ray& opposite, int halvings) {
    const Ray middle = look_again((p.corner + q.corner) * 0.5);
    return prove(p, middle, opposite, halvings) && prove(middle, q, opposite, halvings);
  }

  // Most edges are halved from both sides, and soon after each other, so recent results are kept.
  Ray look_again(const Vec3& corner) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(corner.x) * 0x9E3779B97F4A7C15u +
                               std::bit_cast<std::uint64_t>(corner.y) * 0xC2B2AE3D27D4EB4Fu +
                               std::bit_cast<std::uint64_t>(corner.z) * 0x165667B19E3779F9u;
    Ray& known = known_[bits >> (64 - known_bits)];
    if (!(known.corner.x == corner.x && known.corner.y == corner.y && known.corner.z == corner.z)) {
      known = look(corner);
    }
    return known;
  }

  static constexpr int known_bits = 14;

  FramePair& frame_;
  const EpaGoal& goal_;
  EpaResult& found_;
  int most_;
  int supports_ = 0;
  double aim_ = 0;
  std::vector<Ray> known_ = std::vector<Ray>(std::size_t{1} << known_bits);  // all at the origin initially
};

}  // namespace

bool prove_depth(FramePair& frame, const EpaGoal& goal, EpaResult& found) {
  if (!(found.upper > 0)) return false;
  Sweep sweep(frame, goal, found);
  const bool is_proven = sweep.run();
  found.supports += sweep.supports();
  return is_proven;
}

}  // namespace whisker::convex
