// Bullet's side of the suite `convex`, in double.

#include "convex.hpp"

#ifdef WHISKER_BENCH_BULLET
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include "bullet_shapes.hpp"
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_BULLET

namespace {

struct Placing {
  const btConvexHullShape *a, *b;
  btTransform pose_a, pose_b;
};

/// The detector's code for "a direction separates them by more than the caller's limit".
constexpr int parted_by_a_direction = 10;

bool touch(const Placing& p, btVoronoiSimplexSolver& simplex) {
  btGjkPairDetector detector(p.a, p.b, &simplex, nullptr);
  btGjkPairDetector::ClosestPointInput input;
  input.m_transformA = p.pose_a;
  input.m_transformB = p.pose_b;
  input.m_maximumDistanceSquared = 0;  // yes or no: stop at the first separating direction
  btPointCollector collector;
  detector.getClosestPoints(input, collector, nullptr);
  return detector.m_degenerateSimplex != parted_by_a_direction;
}

double distance(const Placing& p, btVoronoiSimplexSolver& simplex) {
  btGjkPairDetector detector(p.a, p.b, &simplex, nullptr);
  btGjkPairDetector::ClosestPointInput input;
  input.m_transformA = p.pose_a;
  input.m_transformB = p.pose_b;
  btPointCollector collector;
  detector.getClosestPoints(input, collector, nullptr);
  return collector.m_hasResult && collector.m_distance > 0 ? collector.m_distance : 0;
}

/// Uses the solver that takes an initial guess. Updates `guess` for the next call.
double distance(const Placing& p, btVector3& guess) {
  btGjkEpaSolver2::sResults found;
  const bool apart = btGjkEpaSolver2::Distance(p.a, p.pose_a, p.b, p.pose_b, guess, found);
  if (!apart) return 0;
  guess = found.witnesses[0] - found.witnesses[1];
  return found.distance > 0 ? found.distance : 0;
}

double depth(const Placing& p, btVector3& guess) {
  btGjkEpaSolver2::sResults found;
  const bool overlapping = btGjkEpaSolver2::Penetration(p.a, p.pose_a, p.b, p.pose_b, guess, found, false);
  if (!overlapping) return 0;
  guess = found.normal;
  return found.distance < 0 ? -found.distance : found.distance;
}

}  // namespace

struct BulletHulls::Storage {
  std::vector<std::unique_ptr<btConvexHullShape>> hulls;

  std::vector<Placing> placings(std::span<const HullQuery> queries) const {
    std::vector<Placing> result;
    result.reserve(queries.size());
    for (const HullQuery& q : queries)
      result.push_back({hulls[q.a].get(), hulls[q.b].get(), to_bullet(q.pose_a), to_bullet(q.pose_b)});
    return result;
  }
};

BulletHulls::BulletHulls(const Hulls& hulls) : storage_(std::make_unique<Storage>()) {
  for (const ConvexHull& hull : hulls.hulls) {
    auto shape = std::make_unique<btConvexHullShape>();
    for (const Vector3& v : hull.vertices())
      shape->addPoint(btVector3(v[0], v[1], v[2]), false);
    shape->recalcLocalAabb();
    shape->setMargin(0);
    storage_->hulls.push_back(std::move(shape));
  }
}
BulletHulls::~BulletHulls() = default;

PeerPass BulletHulls::pass(const Asked& asked, Answers& answers) const {
  answers.assign(asked.queries.size(), 0);
  return
      [placings = storage_->placings(asked.queries), &answers, question = asked.question, sequence = asked.sequence] {
        btVoronoiSimplexSolver simplex;
        btVector3 guess(1, 0, 0);
        for (std::size_t i = 0; i < placings.size(); ++i) {
          const Placing& p = placings[i];
          if (sequence == 0 || i % sequence == 0) guess = p.pose_b.getOrigin() - p.pose_a.getOrigin();
          if (question == Question::touches) {
            answers[i] = touch(p, simplex) ? 1 : 0;
          } else if (question == Question::distance) {
            answers[i] = sequence > 0 ? distance(p, guess) : distance(p, simplex);
          } else {
            answers[i] = depth(p, guess);
          }
        }
      };
}

#else

struct BulletHulls::Storage {};
BulletHulls::BulletHulls(const Hulls&) {}
BulletHulls::~BulletHulls() = default;
PeerPass BulletHulls::pass(const Asked&, Answers&) const {
  return {};
}

#endif

}  // namespace whisker::bench
