// FCL's side of the suite `convex`: its two solvers, called directly, which is faster than through fcl::distance.

#include <cmath>
#include <limits>

#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/detail/failed_at_this_configuration.h>
#include <fcl/narrowphase/detail/gjk_solver_indep.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>

#include "convex.hpp"

namespace whisker::bench {
namespace {

using Hull = fcl::Convexd;

std::shared_ptr<Hull> to_fcl(const ConvexHull& hull) {
  auto vertices = std::make_shared<const std::vector<fcl::Vector3d>>(hull.vertices().begin(), hull.vertices().end());
  auto faces = std::make_shared<std::vector<int>>();
  for (std::size_t f = 0; f < hull.face_count(); ++f) {
    faces->push_back(static_cast<int>(hull.face(f).size()));
    for (const std::uint32_t corner : hull.face(f))
      faces->push_back(static_cast<int>(corner));
  }
  return std::make_shared<Hull>(vertices, static_cast<int>(hull.face_count()), faces, true);
}

fcl::Transform3d to_fcl(const Pose& pose) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  result.linear() = pose.rotation();
  result.translation() = pose.translation();
  return result;
}

struct Placing {
  const Hull *a, *b;
  fcl::Transform3d pose_a, pose_b;
};
using Placings = std::vector<Placing, Eigen::aligned_allocator<Placing>>;

}  // namespace

struct FclHulls::Storage {
  std::vector<std::shared_ptr<Hull>> hulls;

  Placings placings(std::span<const HullQuery> queries) const {
    Placings result;
    result.reserve(queries.size());
    for (const HullQuery& q : queries)
      result.push_back({hulls[q.a].get(), hulls[q.b].get(), to_fcl(q.pose_a), to_fcl(q.pose_b)});
    return result;
  }
};

FclHulls::FclHulls(const Hulls& hulls) : storage_(std::make_unique<Storage>()) {
  for (const ConvexHull& hull : hulls.hulls)
    storage_->hulls.push_back(to_fcl(hull));
}
FclHulls::~FclHulls() = default;

PeerPass FclHulls::libccd(const Asked& asked, Answers& answers) const {
  answers.assign(asked.queries.size(), 0);
  return [placings = storage_->placings(asked.queries), &answers, question = asked.question] {
    fcl::detail::GJKSolver_libccd<double> solver;
    // Finer than FCL's 1e-6, at no cost: GJK ends when it finds a vertex again.
    if (question == Question::distance) solver.distance_tolerance = 1e-12;
    for (std::size_t i = 0; i < placings.size(); ++i) {
      const Placing& p = placings[i];
      double value = 0;
      fcl::Vector3d on_a, on_b;
      if (question == Question::touches) {
        answers[i] = solver.shapeIntersect(*p.a, p.pose_a, *p.b, p.pose_b, nullptr) ? 1 : 0;
      } else if (question == Question::distance) {
        const bool apart = solver.shapeDistance(*p.a, p.pose_a, *p.b, p.pose_b, &value, &on_a, &on_b);
        answers[i] = apart ? value : 0;
      } else {
        try {
          solver.shapeSignedDistance(*p.a, p.pose_a, *p.b, p.pose_b, &value, &on_a, &on_b);
          answers[i] = value < 0 ? -value : 0;
        } catch (const std::exception&) {  // EPA gives up on some inputs
          answers[i] = std::numeric_limits<double>::quiet_NaN();
        }
      }
    }
  };
}

PeerPass FclHulls::libccd_mpr_depth(const Asked& asked, Answers& answers) const {
  answers.assign(asked.queries.size(), 0);
  return [placings = storage_->placings(asked.queries), &answers] {
    const fcl::detail::GJKSolver_libccd<double> solver;
    std::vector<fcl::ContactPointd> contacts;
    for (std::size_t i = 0; i < placings.size(); ++i) {
      const Placing& p = placings[i];
      contacts.clear();
      const bool touching = solver.shapeIntersect(*p.a, p.pose_a, *p.b, p.pose_b, &contacts);
      answers[i] = touching ? contacts[0].penetration_depth : 0;
    }
  };
}

PeerPass FclHulls::indep(const Asked& asked, Answers& answers) const {
  answers.assign(asked.queries.size(), 0);
  return
      [placings = storage_->placings(asked.queries), &answers, question = asked.question, sequence = asked.sequence] {
        fcl::detail::GJKSolver_indep<double> solver;
        solver.enableCachedGuess(sequence > 0);
        std::vector<fcl::ContactPointd> contacts;
        for (std::size_t i = 0; i < placings.size(); ++i) {
          const Placing& p = placings[i];
          if (sequence > 0 && i % sequence == 0) solver.setCachedGuess(fcl::Vector3d::UnitX());
          double value = 0;
          fcl::Vector3d on_a, on_b;
          if (question == Question::touches) {
            // Its intersection test also computes the depth. The distance alone is sufficient.
            answers[i] = solver.shapeDistance(*p.a, p.pose_a, *p.b, p.pose_b, nullptr, nullptr, nullptr) ? 0 : 1;
          } else if (question == Question::distance) {
            const bool apart = solver.shapeDistance(*p.a, p.pose_a, *p.b, p.pose_b, &value, &on_a, &on_b);
            answers[i] = apart ? value : 0;
          } else {
            contacts.clear();
            const bool touching = solver.shapeIntersect(*p.a, p.pose_a, *p.b, p.pose_b, &contacts);
            answers[i] = touching ? std::abs(contacts[0].penetration_depth) : 0;
          }
        }
      };
}

}  // namespace whisker::bench
