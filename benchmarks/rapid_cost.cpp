// The cost function of the papers, F = N_u C_u + N_v C_v + N_p C_p: volumes updated, pairs of volumes tested and pairs
// of triangles tested, each with its unit cost. The counts are whisker's. The unit costs are fitted to measured times.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <Eigen/Dense>

#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/queries.hpp>

#include "rapid.hpp"

namespace whisker::bench {
namespace {

struct Sample {
  Cost cost;
  double seconds = 0;
  std::size_t system = 0;
  bool touch = false;  ///< Stops at the first pair; otherwise finds all pairs.
};

/// Nonnegative least squares by coordinate descent, for few unknowns.
Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(a.cols()), rest = b;
  for (int round = 0; round < 20'000; ++round) {
    double moved = 0;
    for (Eigen::Index i = 0; i < a.cols(); ++i) {
      const double weight = a.col(i).squaredNorm();
      if (weight == 0) continue;
      const double next = std::max(0.0, x[i] + a.col(i).dot(rest) / weight);
      rest -= (next - x[i]) * a.col(i);
      moved = std::max(moved, std::abs(next - x[i]) / std::max(next, 1e-300));
      x[i] = next;
    }
    if (moved < 1e-9) break;
  }
  return x;
}

/// The fastest of three runs, each of at least a tenth of a millisecond.
template <class Query>
double seconds_of(const Query& query) {
  double best = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < 3; ++turn) {
    const double begin = thread_seconds();
    double end = begin;
    int count = 0;
    while (end - begin < 1e-4) {
      query();
      ++count;
      end = thread_seconds();
    }
    best = std::min(best, (end - begin) / count);
  }
  return best;
}

}  // namespace

void bench_cost_function(Suite& suite) {
  heading("cost-function: F = N_u C_u + N_v C_v + N_p C_p for two wrinkled tori of 20,000 triangles near contact");
  const MeshData data = make::wrinkled_torus();
  const Shape mesh = Mesh(data);
  const std::vector<PosePair> poses = near_poses(mesh, data, suite.quick() ? 40 : 200, 6);
  const std::size_t systems = compared_kinds.size() + 1;
  std::vector<Sample> samples;
  Contacts found;
  for (std::size_t s = 0; s < systems; ++s) {
    const bool is_mesh = s == compared_kinds.size();
    const methods::VolumeTree tree(data, {.kind = compared_kinds[is_mesh ? 0 : s].kind, .tree = {}});
    for (const PosePair& p : poses) {
      const auto touch = [&](Cost* cost) {
        return is_mesh ? touches({mesh, p.a}, {mesh, p.b}, cost) : touches(tree, p.a, tree, p.b, cost);
      };
      const auto all = [&](Cost* cost) {
        if (!is_mesh) {
          methods::triangle_contacts(tree, p.a, tree, p.b, cost);
          return;
        }
        contacts({mesh, p.a}, {mesh, p.b}, {.segments = false}, found);
        if (cost != nullptr) *cost = found.cost;
      };
      Sample of_touch{.cost = {}, .seconds = 0, .system = s, .touch = true},
          of_all{.cost = {}, .seconds = 0, .system = s};
      touch(&of_touch.cost);
      of_touch.seconds = seconds_of([&] { touch(nullptr); });
      all(&of_all.cost);
      of_all.seconds = seconds_of([&] { all(nullptr); });
      samples.push_back(of_touch);
      samples.push_back(of_all);
    }
  }
  const auto count = [](std::uint64_t n) { return static_cast<double>(n); };
  for (const bool touch : {true, false}) {
    std::printf("\n  %s: counts and times are means of a query\n", touch ? "do the two touch?" : "all touching pairs");
    std::printf("  %-8s %8s %9s %9s %15s %9s %10s %10s\n", "volume", "N_u", "N_v", "N_p", "C_v (+C_u), ns", "C_p, ns",
                "F, us", "time, us");
    for (std::size_t s = 0; s < systems; ++s) {
      double updates = 0, volumes = 0, triangles = 0, seconds = 0;
      // A tree updates eight volumes and then tests them against eight others. The two counts are proportional, and no
      // fit can separate their unit costs: C_v contains the update. The triangle test is the same for all volume trees,
      // but C_p is fitted for each kind, because it absorbs other costs that grow with it: overlapping volumes, which
      // are those above tested triangles, cost more than separated volumes, and so do triangles that touch. Each
      // equation is divided by the root of its time, so that neither the short queries nor the long ones dominate.
      Eigen::MatrixXd counts(static_cast<Eigen::Index>(poses.size()), 2);
      Eigen::VectorXd times(counts.rows());
      Eigen::Index row = 0;
      for (const Sample& sample : samples) {
        if (sample.system != s || sample.touch != touch) continue;
        const double part = 1 / static_cast<double>(poses.size());
        updates += part * count(sample.cost.volume_updates);
        volumes += part * count(sample.cost.volume_tests);
        triangles += part * count(sample.cost.primitive_tests);
        seconds += part * sample.seconds;
        const double weight = 1 / std::sqrt(sample.seconds);
        counts.row(row) << weight * count(sample.cost.volume_tests), weight * count(sample.cost.primitive_tests);
        times[row++] = weight * sample.seconds;
      }
      const Eigen::VectorXd price = nonnegative_least_squares(counts, times);
      const double of_volume = price[0], of_triangle = price[1];
      const double f = volumes * of_volume + triangles * of_triangle;
      const std::string name = s < compared_kinds.size() ? compared_kinds[s].name : "Mesh";
      std::printf("  %-8s %8.1f %9.1f %9.1f %15.1f %9.1f %10.2f %10.2f\n", name.c_str(), updates, volumes, triangles,
                  1e9 * of_volume, 1e9 * of_triangle, 1e6 * f, 1e6 * seconds);
      const std::string case_name = std::string("cost-function/") + (touch ? "touch" : "contacts");
      suite.record(case_name + "/updates", name, "volumes", updates);
      suite.record(case_name + "/volume", name, "tests", volumes);
      suite.record(case_name + "/triangle", name, "tests", triangles);
      suite.record(case_name + "/C_v", name, "ns", 1e9 * of_volume);
      suite.record(case_name + "/C_p", name, "ns", 1e9 * of_triangle);
      suite.record(case_name + "/F", name, "ns", 1e9 * f);
      suite.record(case_name + "/time", name, "ns", 1e9 * seconds);
    }
  }
}

}  // namespace whisker::bench
