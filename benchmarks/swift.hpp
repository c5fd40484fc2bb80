#pragma once

// The suite `swift`: two convex polyhedra, one of which orbits the other, for marching, levels of detail, direction
// tables and GJK.
//
// "The paper" is Ehmann and Lin, Accelerated proximity queries between convex polyhedra by multi-level Voronoi marching
// (2000). Its curves are missing in our source. Its statements about which method is faster are not, and are listed
// next to ours.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <whisker/convex_hull.hpp>
#include <whisker/methods/hull_levels.hpp>
#include <whisker/pose.hpp>

#include "harness.hpp"

namespace whisker::bench {

/// The query for every pose.
enum class Ask { touch, approximate, distance };
inline const char* name(Ask ask) {
  return ask == Ask::touch ? "touch" : ask == Ask::approximate ? "approximate" : "distance";
}

/// The result and cost of one query.
struct OrbitAnswer {
  bool apart = false;
  double lower = 0;
  double upper = 0;
  std::uint64_t steps = 0;
  std::uint64_t plane_tests = 0;
};

/// One way to answer a query.
struct Contender {
  std::string name;
  std::function<void()> forget;  ///< Called before a pass.
  std::function<OrbitAnswer(const Pose&)> answer;
};

/// The models: random points on an ellipsoid whose largest semi-axis is 1.
struct OrbitModel {
  const char* name;
  Vector3 axes;
};
inline const std::vector<OrbitModel> orbit_models = {
    {"fat", {1, 1, 1}}, {"plate", {1, 1, 0.1}}, {"long", {1, 0.1, 0.1}}};

/// Which contenders: the full set for the paper's size, a smaller one for --quick, or those for large models.
enum class Selection { full, quick, large, huge };

/// Two hulls and their levels, built once for all queries.
class OrbitHulls {
 public:
  OrbitHulls(ConvexHull a_, ConvexHull b_) : a(std::move(a_)), b(std::move(b_)) {}

  struct Levels {
    methods::HullLevels a, b;
  };
  /// The levels for the options, cached under the given name.
  const Levels& levels(const std::string& name, const methods::HullLevelOptions& options) {
    const auto found = made_.find(name);
    if (found != made_.end()) return found->second;
    return made_.emplace(name, Levels{methods::HullLevels(a, options), methods::HullLevels(b, options)}).first->second;
  }

  const ConvexHull a, b;

 private:
  std::map<std::string, Levels> made_;
};

std::vector<Contender> contenders(Ask ask, OrbitHulls& hulls, Selection selection);

/// Names of the contenders that the orderings refer to.
namespace series {
inline constexpr const char* march = "whisker/march";
inline constexpr const char* v_clip = "whisker/march-first-violated";
inline constexpr const char* gjk = "whisker";
inline constexpr const char* gjk_cold = "whisker/cold";
}  // namespace series

/// The paper's experiment on 2,000 triangles.
void bench_orbits(Suite& suite);
/// The same on 10,000 and 100,000 triangles, with more and fewer levels.
void bench_large_orbits(Suite& suite);
/// The time to build hierarchies, and the deviation of their levels.
void bench_level_builds(Suite& suite);
/// The paper's statements next to the measurements.
void print_orderings(Suite& suite);

/// The motions per query, in degrees of the orbit.
std::vector<double> orbit_steps(bool quick);
std::string orbit_case(Ask ask, const std::string& model, int radius, double degrees);

}  // namespace whisker::bench
