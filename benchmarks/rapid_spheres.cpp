// Spheres at a gap ε, concentric and side by side: how the cost of `touches` grows as the gap closes, by kind of
// volume. Also how tightly the volumes fit a torus, level by level.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <span>

#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/mesh_tree.hpp>
#include <whisker/queries.hpp>

#include "log_plot.hpp"
#include "rapid.hpp"

namespace whisker::bench {
namespace {

/// Spheres of 4·n·(n − 1) triangles with n stacks: 32,040, where the paper's had 32,000, and finer ones of 261,120.
constexpr int paper_sphere_stacks = 90, fine_sphere_stacks = 256;

/// The trees compared: those of compared_kinds, then a Mesh.
constexpr std::size_t system_count = compared_kinds.size() + 1;

std::string system_name(std::size_t system) {
  return system < compared_kinds.size() ? compared_kinds[system].name : "Mesh";
}

/// The same triangles in every kind of tree.
struct Trees {
  std::vector<methods::VolumeTree> volume_trees;
  Shape mesh;

  explicit Trees(const MeshData& data) : mesh(Mesh(data)) {
    for (const NamedKind& kind : compared_kinds)
      volume_trees.emplace_back(data, methods::VolumeTreeOptions{.kind = kind.kind, .tree = {}});
  }
};

bool touch(const Trees& a, const Pose& pose_a, const Trees& b, const Pose& pose_b, std::size_t system, Cost& cost) {
  if (system < compared_kinds.size())
    return touches(a.volume_trees[system], pose_a, b.volume_trees[system], pose_b, &cost);
  return touches({a.mesh, pose_a}, {b.mesh, pose_b}, &cost);
}

/// Cost by gap and system.
struct Sweep {
  std::vector<double> gaps;                              ///< From wide to narrow.
  std::vector<std::array<double, system_count>> volume;  ///< Volume tests per query.
  std::vector<std::array<double, system_count>> triangle;
};

std::vector<double> gaps_of(const Suite& suite) {
  const int per_decade = suite.quick() ? 3 : 6;
  std::vector<double> gaps;
  for (int i = 0; i <= 4 * per_decade; ++i)
    gaps.push_back(std::pow(10.0, -static_cast<double>(i) / per_decade));
  return gaps;
}

/// The exponent of y over x, by least squares on the logarithms.
double slope(std::span<const std::pair<double, double>> points) {
  const double n = static_cast<double>(points.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) {
    const double u = std::log(x), v = std::log(y);
    sx += u, sy += v, sxx += u * u, sxy += u * v;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/// The part of a curve where the cost grows as the volumes shrink: gaps smaller than the volumes near the root, and
/// cost well below its maximum, where the tree is exhausted and cannot separate more finely.
std::vector<std::pair<double, double>> rising_part(std::span<const std::pair<double, double>> points) {
  constexpr double widest_gap = 0.5, near_plateau = 0.5;
  double most = 0;
  for (const auto& [gap, tests] : points)
    most = std::max(most, tests);
  std::vector<std::pair<double, double>> result;
  for (const auto& point : points)
    if (point.first < widest_gap && point.second > 1 && point.second < near_plateau * most) result.push_back(point);
  return result;
}

void print_counts(const char* what, const Sweep& sweep, const std::vector<std::array<double, system_count>>& counts) {
  std::printf("\n%s\n  %-9s", what, "gap");
  for (std::size_t s = 0; s < system_count; ++s)
    std::printf(" %11s", system_name(s).c_str());
  std::printf("\n");
  for (std::size_t g = 0; g < sweep.gaps.size(); ++g) {
    std::printf("  %-9.3g", sweep.gaps[g]);
    for (const double count : counts[g])
      std::printf(" %11.0f", count);
    std::printf("\n");
  }
}

/// Prints the tables and slopes, and writes the rows of the results file and the plot.
void report(Suite& suite, const std::string& name, const std::string& title, const Sweep& sweep) {
  print_counts("volume tests of a query", sweep, sweep.volume);
  print_counts("triangle tests of a query", sweep, sweep.triangle);
  std::vector<Curve> curves;
  std::printf("\n  slope of the volume tests against the gap, where they rise (gaps of the fit)\n");
  for (std::size_t s = 0; s < system_count; ++s) {
    Curve curve{.name = system_name(s),
                .points = {},
                .exponent = 0,
                .color = static_cast<int>(s),
                .dashed = s == compared_kinds.size()};
    for (std::size_t g = 0; g < sweep.gaps.size(); ++g) {
      char gap[32];
      std::snprintf(gap, sizeof gap, "%.3g", sweep.gaps[g]);
      curve.points.emplace_back(sweep.gaps[g], std::max(1.0, sweep.volume[g][s]));
      suite.record(name + "/gap-" + gap + "/volume", curve.name, "tests", sweep.volume[g][s]);
      suite.record(name + "/gap-" + gap + "/triangle", curve.name, "tests", sweep.triangle[g][s]);
    }
    const auto rising = rising_part(curve.points);
    if (rising.size() >= 3) {
      curve.exponent = slope(rising);
      std::printf("  %-9s %6.2f   (%.2g to %.2g)\n", curve.name.c_str(), curve.exponent, rising.back().first,
                  rising.front().first);
      suite.record(name + "/slope", curve.name, "exponent", curve.exponent);
    } else {
      std::printf("  %-9s rises over too few gaps for a fit\n", curve.name.c_str());
    }
    curves.push_back(std::move(curve));
  }
  if (!suite.writes_results()) return;
  const std::string path = std::string(WHISKER_BENCH_RESULTS) + "/rapid-" + name + ".svg";
  if (write_log_plot(path, title, "gap, in radii", "volume tests of a query", "volume, slope", curves))
    std::printf("\n  plot: %s\n", path.c_str());
  else
    suite.fail("cannot write " + path);
}

}  // namespace

namespace {

void concentric(Suite& suite, const std::string& name, int stacks, const std::vector<double>& gaps) {
  Sweep sweep{.gaps = gaps, .volume = {}, .triangle = {}};
  const Trees inner(make::uv_sphere({.radius = 1, .stacks = stacks}));
  for (const double gap : gaps) {
    const Trees outer(make::uv_sphere({.radius = 1 + gap, .stacks = stacks}));
    sweep.volume.emplace_back();
    sweep.triangle.emplace_back();
    for (std::size_t s = 0; s < system_count; ++s) {
      Cost cost;
      // The two are scaled copies of one polyhedron with the same rotation, so they never touch.
      if (touch(inner, {}, outer, {}, s, cost)) suite.fail(system_name(s) + ": concentric spheres reported to touch");
      sweep.volume.back()[s] = static_cast<double>(cost.volume_tests);
      sweep.triangle.back()[s] = static_cast<double>(cost.primitive_tests);
    }
  }
  report(suite, name, "A sphere in another one, " + std::to_string(4 * stacks * (stacks - 1)) + " triangles each",
         sweep);
}

}  // namespace

void bench_concentric(Suite& suite) {
  heading("concentric: a sphere in another one, radii 1 and 1 + gap, 32,040 triangles each");
  suite.note("the paper: about -2 for AABB, -1 for OBB, and a plateau where a tree is exhausted");
  const std::vector<double> gaps = gaps_of(suite);
  concentric(suite, "concentric", paper_sphere_stacks, gaps);
  if (suite.quick()) return;
  heading("concentric-fine: the same with 261,120 triangles, whose plateau lies at narrower gaps");
  std::vector<double> wide;
  std::copy_if(gaps.begin(), gaps.end(), std::back_inserter(wide), [](double gap) { return gap < 0.5 && gap > 5e-3; });
  concentric(suite, "concentric-fine", fine_sphere_stacks, wide);
}

void bench_side_by_side(Suite& suite) {
  heading("side-by-side: two equal spheres of radius 1 and 32,040 triangles, a gap apart");
  suite.note("the paper: OBB ahead of AABB, the more the narrower the gap, until both level off");
  Sweep sweep{.gaps = gaps_of(suite), .volume = {}, .triangle = {}};
  const Trees trees(make::uv_sphere({.radius = 1, .stacks = paper_sphere_stacks}));
  const std::size_t directions = suite.quick() ? 8 : 32;
  for (const double gap : sweep.gaps) {
    std::mt19937_64 random(2);
    sweep.volume.push_back({});
    sweep.triangle.push_back({});
    for (std::size_t i = 0; i < directions; ++i) {
      const Pose a(random_rotation(random), Vector3::Zero());
      const Matrix3 rotation_b = random_rotation(random);
      const Vector3 direction = random_direction(random);
      // The polyhedra are inside the true spheres: b is moved in until the polyhedra, not the spheres, are `gap` apart.
      double near = 1.9 + gap, far = 2 + gap;
      for (int step = 0; step < 40; ++step) {
        const double half = (near + far) / 2;
        (distance({trees.mesh, a}, {trees.mesh, Pose(rotation_b, half * direction)}).lower < gap ? near : far) = half;
      }
      const Pose b(rotation_b, far * direction);
      for (std::size_t s = 0; s < system_count; ++s) {
        Cost cost;
        if (touch(trees, a, trees, b, s, cost)) suite.fail(system_name(s) + ": spheres apart reported to touch");
        sweep.volume.back()[s] += static_cast<double>(cost.volume_tests) / static_cast<double>(directions);
        sweep.triangle.back()[s] += static_cast<double>(cost.primitive_tests) / static_cast<double>(directions);
      }
    }
  }
  report(
      suite, "side-by-side",
      "Two spheres side by side, " + std::to_string(trees.volume_trees[0].data().triangles.size()) + " triangles each",
      sweep);
}

void bench_torus_levels(Suite& suite) {
  heading("torus-levels: how well the volumes of each level of a tree fit a torus of 80,000 triangles");
  suite.note("air: the mean over a level's volumes of tau/d, how far a volume's corner is from its triangles, over d,");
  suite.note("the diagonal of their bounding box. The paper: AABB keep it from level to level, OBB halve it with d");
  const MeshData data = make::torus({.around = 400, .across = 100});
  std::vector<TreeReport> reports;
  std::vector<std::string> names;
  for (const NamedKind& kind : compared_kinds) {
    // The same median split for all, so that a level has equally many volumes of each kind.
    reports.push_back(methods::VolumeTree(data, {.kind = kind.kind, .tree = {.split = Split::median}}).report());
    names.emplace_back(kind.name);
  }
  reports.push_back(Mesh(data).tree_report());
  names.emplace_back("Mesh");
  std::size_t depth = 0;
  for (const TreeReport& r : reports)
    depth = std::max(depth, r.levels.size());
  std::printf("\n  level");
  for (const std::string& name : names)
    std::printf("  %8s: air, volumes", name.c_str());
  std::printf("\n");
  for (std::size_t level = 0; level < depth; ++level) {
    std::printf("  %5zu", level + 1);
    for (std::size_t r = 0; r < reports.size(); ++r) {
      if (level >= reports[r].levels.size()) {
        std::printf("  %22s", "");
        continue;
      }
      const TreeLevel& of = reports[r].levels[level];
      std::printf("  %13.4f %8zu", of.looseness, of.boxes);
      suite.record("torus-levels/" + std::to_string(level + 1), names[r], "tau/d", of.looseness, of.boxes);
    }
    std::printf("\n");
  }
}

}  // namespace whisker::bench
