// Bullet's solvers in the suite `simple`, called directly, in double and without margins.

#include "simple.hpp"

#ifdef WHISKER_BENCH_BULLET
#include <BulletCollision/CollisionDispatch/SphereTriangleDetector.h>
#include <BulletCollision/CollisionDispatch/btBoxBoxDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

#include "simple_bullet.hpp"
#endif

namespace whisker::bench {

#ifdef WHISKER_BENCH_BULLET

namespace {

/// Two convex shapes.
struct Convexes {
  const btConvexShape *a, *b;
  const btTransform &pose_a, &pose_b;
};

/// The detector's code for "a direction separates them by more than the caller's limit".
constexpr int parted_by_a_direction = 10;

double touch(const Convexes& p, btVoronoiSimplexSolver& simplex) {
  btGjkPairDetector detector(p.a, p.b, &simplex, nullptr);
  btGjkPairDetector::ClosestPointInput input;
  input.m_transformA = p.pose_a;
  input.m_transformB = p.pose_b;
  // Yes or no: stop at the first direction that separates the cores by more than the radii.
  const double radii = p.a->getMargin() + p.b->getMargin();
  input.m_maximumDistanceSquared = radii * radii;
  btPointCollector collector;
  detector.getClosestPoints(input, collector, nullptr);
  if (detector.m_degenerateSimplex == parted_by_a_direction) return 0;
  return collector.m_hasResult && collector.m_distance > 0 ? 0 : 1;
}

/// The signed distance with a solver for depths, otherwise the distance.
double signed_distance(const Convexes& p, btVoronoiSimplexSolver& simplex, btConvexPenetrationDepthSolver* depths) {
  btGjkPairDetector detector(p.a, p.b, &simplex, depths);
  btGjkPairDetector::ClosestPointInput input;
  input.m_transformA = p.pose_a;
  input.m_transformB = p.pose_b;
  btPointCollector collector;
  detector.getClosestPoints(input, collector, nullptr);
  return collector.m_hasResult ? collector.m_distance : 0;
}

/// The distance by the other solver, which measures the cores without their radii.
double distance_by_epa_solver(const Convexes& p) {
  btGjkEpaSolver2::sResults found;
  const btVector3 guess = p.pose_b.getOrigin() - p.pose_a.getOrigin();
  if (!btGjkEpaSolver2::Distance(p.a, p.pose_a, p.b, p.pose_b, guess, found)) return 0;
  return found.distance - p.a->getMargin() - p.b->getMargin();
}

double depth_by_epa_solver(const Convexes& p) {
  btGjkEpaSolver2::sResults found;
  const btVector3 guess = p.pose_b.getOrigin() - p.pose_a.getOrigin();
  if (!btGjkEpaSolver2::Penetration(p.a, p.pose_a, p.b, p.pose_b, guess, found, true)) return 0;
  return std::abs(found.distance);
}

/// Keeps the least of the distances that a detector reports.
struct Deepest : btDiscreteCollisionDetectorInterface::Result {
  double least = 1e30;
  void setShapeIdentifiersA(int, int) override {}
  void setShapeIdentifiersB(int, int) override {}
  void addContactPoint(const btVector3&, const btVector3&, btScalar distance) override {
    least = std::min(least, distance);
  }
};

using Inputs = std::shared_ptr<BulletInputs>;

template <class Ask>
Entry entry(std::string how, const Inputs& inputs, Answers& answers, Ask ask) {
  return {std::move(how), [inputs, &answers, ask]() mutable {
            for (std::size_t i = 0; i < inputs->inputs.size(); ++i) {
              const BulletInputs::Input& in = inputs->inputs[i];
              answers[i] = ask(in);
            }
          }};
}

template <class Ask>
Entry convex_entry(std::string how, const Inputs& inputs, Answers& answers, Ask ask) {
  return entry(std::move(how), inputs, answers, [ask](const BulletInputs::Input& in) mutable {
    return ask(Convexes{static_cast<const btConvexShape*>(in.a.get()), static_cast<const btConvexShape*>(in.b.get()),
                        in.pose_a, in.pose_b});
  });
}

/// An answer from the distance that a special detector reports.
double answer_of(Question question, double least) {
  if (question == Question::touches) return least <= 0 ? 1 : 0;
  return question == Question::distance ? least : -least;
}

}  // namespace

Entries bullet_entries(const SimpleRow& row, Answers& answers) {
  answers.assign(row.inputs.size(), 0);
  if (!in_bullet(row.a) || !in_bullet(row.b)) return {};
  const auto inputs = std::make_shared<BulletInputs>(row);
  Entries result = bullet_algorithm_entries(row, answers);
  if (row.a == ShapeKind::half_space || row.b == ShapeKind::half_space) return result;
  const auto simplex = std::make_shared<btVoronoiSimplexSolver>();
  if (row.question == Question::touches) {
    result.push_back(convex_entry("btGjkPairDetector", inputs, answers,
                                  [simplex](const Convexes& p) { return touch(p, *simplex); }));
    result.push_back(convex_entry("btGjkEpaSolver2::Distance", inputs, answers,
                                  [](const Convexes& p) { return distance_by_epa_solver(p) > 0 ? 0.0 : 1.0; }));
  } else if (row.question == Question::distance) {
    result.push_back(convex_entry("btGjkPairDetector", inputs, answers,
                                  [simplex](const Convexes& p) { return signed_distance(p, *simplex, nullptr); }));
    result.push_back(convex_entry("btGjkEpaSolver2::Distance", inputs, answers, distance_by_epa_solver));
  } else {
    const auto depths = std::make_shared<btGjkEpaPenetrationDepthSolver>();
    result.push_back(convex_entry("btGjkPairDetector with EPA", inputs, answers, [simplex, depths](const Convexes& p) {
      return -signed_distance(p, *simplex, depths.get());
    }));
    result.push_back(convex_entry("btGjkEpaSolver2::Penetration", inputs, answers, depth_by_epa_solver));
  }
  if (row.a == ShapeKind::box && row.b == ShapeKind::box && row.question != Question::distance) {
    result.push_back(
        entry("btBoxBoxDetector", inputs, answers, [question = row.question](const BulletInputs::Input& in) {
          btBoxBoxDetector detector(static_cast<const btBoxShape*>(in.a.get()),
                                    static_cast<const btBoxShape*>(in.b.get()));
          btDiscreteCollisionDetectorInterface::ClosestPointInput input;
          input.m_transformA = in.pose_a;
          input.m_transformB = in.pose_b;
          Deepest found;
          detector.getClosestPoints(input, found, nullptr);
          return answer_of(question, found.least);
        }));
  }
  if (row.a == ShapeKind::sphere && row.b == ShapeKind::triangle) {
    const double limit = row.question == Question::distance ? 100 : 0;
    result.push_back(entry("SphereTriangleDetector", inputs, answers,
                           [question = row.question, limit](const BulletInputs::Input& in) {
                             SphereTriangleDetector detector(static_cast<btSphereShape*>(in.a.get()),
                                                             static_cast<btTriangleShape*>(in.b.get()), limit);
                             btDiscreteCollisionDetectorInterface::ClosestPointInput input;
                             input.m_transformA = in.pose_a;
                             input.m_transformB = in.pose_b;
                             Deepest found;
                             detector.getClosestPoints(input, found, nullptr);
                             return answer_of(question, found.least);
                           }));
  }
  return result;
}

#else

Entries bullet_entries(const SimpleRow&, Answers&) {
  return {};
}

#endif

}  // namespace whisker::bench
