#pragma once

// The suite `convex`: hulls of random points on ellipsoids against each other, by whisker and by the convex solvers of
// FCL, Bullet and ODE. Declares the hulls and poses that its files share, and the peers, which have files of their own.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <whisker/convex_hull.hpp>
#include <whisker/pose.hpp>
#include <whisker/queries.hpp>
#include <whisker/shape.hpp>

#include "harness.hpp"

namespace whisker::bench {

/// The hulls that are queried, by index.
struct Hulls {
  std::vector<ConvexHull> hulls;
  std::vector<Shape> shapes;
};
/// Returns `count` hulls of `points` random points on an ellipsoid with semi-axes 1, 0.8 and 0.6, moved so that the
/// centroid is the origin (ODE requires the origin inside).
Hulls ellipsoid_hulls(std::size_t count, int points, std::uint64_t seed);

/// Two of the hulls and their poses.
struct HullQuery {
  std::uint32_t a = 0, b = 0;
  Pose pose_a, pose_b;
};

/// The result of each query of a pass, by question: 1 or 0; the distance, 0 if they touch; the depth, 0 if they do not
/// overlap. NaN where the system gave up.
using Answers = std::vector<double>;

/// The queries for a peer. In a sequence, queries come in runs of `sequence` steps that are close together, and a peer
/// that supports warm starts uses them within a run. 0: every query is a cold start.
struct Asked {
  Question question = Question::touches;
  std::span<const HullQuery> queries;
  std::size_t sequence = 0;
};

/// The peers. Each keeps the hulls in its own form, built once, and converts poses to its own types beforehand. A pass
/// runs every query once. It is empty if the peer does not support the query, or was not available when the suite was
/// built.
using PeerPass = std::function<void()>;

/// FCL with libccd: touch by MPR, distance by GJK to 1e-12, depth by GJK and EPA to 1e-6 (FCL's default). libccd has no
/// warm start.
class FclHulls {
 public:
  explicit FclHulls(const Hulls& hulls);
  ~FclHulls();
  FclHulls(const FclHulls&) = delete;
  FclHulls& operator=(const FclHulls&) = delete;

  PeerPass libccd(const Asked& asked, Answers& answers) const;
  /// FCL's contact depth: by MPR, along some direction that need not be the direction of least depth.
  PeerPass libccd_mpr_depth(const Asked& asked, Answers& answers) const;
  /// FCL's own GJK and EPA, in a sequence with its cached guess.
  PeerPass indep(const Asked& asked, Answers& answers) const;

 private:
  struct Storage;
  std::unique_ptr<Storage> storage_;
};

/// Bullet in double, without margins: btGjkPairDetector for touch and distance, btGjkEpaSolver2 for depth. In a
/// sequence, btGjkEpaSolver2 starts from the last normal.
class BulletHulls {
 public:
  explicit BulletHulls(const Hulls& hulls);
  ~BulletHulls();
  BulletHulls(const BulletHulls&) = delete;
  BulletHulls& operator=(const BulletHulls&) = delete;

  PeerPass pass(const Asked& asked, Answers& answers) const;

 private:
  struct Storage;
  std::unique_ptr<Storage> storage_;
};

/// ODE's collider of two convex geometries: touch only. It has no distance query, and the depth of its contact is that
/// of a point, not of the bodies.
class OdeHulls {
 public:
  explicit OdeHulls(const Hulls& hulls);
  ~OdeHulls();
  OdeHulls(const OdeHulls&) = delete;
  OdeHulls& operator=(const OdeHulls&) = delete;

  PeerPass pass(const Asked& asked, Answers& answers) const;

 private:
  struct Storage;
  std::unique_ptr<Storage> storage_;
};

/// Whether the placed hulls share a point, computed exactly in rationals.
bool exactly_touch(const ConvexHull& a, const Pose& pose_a, const ConvexHull& b, const Pose& pose_b);
/// The same by a plain GJK, to sort poses when they are generated.
bool roughly_touch(const Hulls& hulls, const HullQuery& query);

/// The sizes of the hulls, in vertices.
inline constexpr std::array<int, 4> hull_sizes = {8, 32, 256, 2048};

/// `distance/N`, `touch/N`, `depth/N`, `warm-…/N`, `batch-…/N` and `cold-…/N`.
void bench_queries(Suite& suite);
/// `support/N`, `boxes/…`, `contact-time/…`: comparisons made in the literature.
void bench_baselines(Suite& suite);

/// `threads-distance/N`, with 1, 2, 4… threads.
void bench_threads(Suite& suite);

/// Prints an underlined heading.
void heading(const std::string& text);

}  // namespace whisker::bench
