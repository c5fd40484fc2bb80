// B1 to B3: sets of spheres without a tree: regular and refined medial spheres, how spheres of equal protrusion are
// selected, and how many spheres are reduced to few.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <whisker/editing/mesh_report.hpp>

#include "harness.hpp"
#include "methods/spheres/region_methods.hpp"
#include "spheres/adaptive_axis.hpp"
#include "spheres/reduce.hpp"
#include "spheretree.hpp"

namespace whisker::bench {

namespace {

using spheres::AdaptiveAxis;
using spheres::MedialSphere;
using spheres::Piece;
using spheres::Solid;

std::vector<BoundingSphere> spheres_of(const std::vector<MedialSphere>& medial) {
  std::vector<BoundingSphere> result;
  for (const MedialSphere& m : medial)
    result.push_back(m.sphere);
  return result;
}

/// The data that the experiments share: the solid and its surface in pieces.
struct Subject {
  explicit Subject(const Model& m)
      : model(m), solid(m.mesh), pieces(spheres::cut_surface(m.mesh, 5000)), region(solid, pieces) {
    const MeshReport report = inspect_mesh(m.data);
    area = report.area;
    volume = report.volume;
  }

  const Model& model;
  Solid solid;
  std::vector<Piece> pieces;
  spheres::Region region;
  double area = 0, volume = 0;
};

/// A sphere for each vertex of the samples' Voronoi diagram that lies in the solid; without neighbors.
std::vector<MedialSphere> medial_spheres(const Solid& solid, std::span<const spheres::SurfaceSample> samples) {
  // Scale to coordinates from -1 to 1.
  const Aabb box = solid.mesh().bounds();
  const Vector3 middle = box.lower + (box.upper - box.lower) / 2;
  const double size = (box.upper - box.lower).maxCoeff();
  std::vector<MedialSphere> result;
  if (!(size > 0)) return result;
  spheres::Delaunay delaunay;
  for (const spheres::SurfaceSample& sample : samples)
    delaunay.insert(((sample.point - middle) / size).cwiseMax(-1.0).cwiseMin(1.0));
  for (std::uint32_t i = 0; i < delaunay.tetrahedra().size(); ++i) {
    if (!delaunay.is_used(i) || !delaunay.is_finite(i)) continue;
    const Vector3 a = delaunay.position(delaunay.tetrahedra()[i].vertices[0]);
    const std::optional<Vector3> center = delaunay.circumcenter(i);
    if (!center || center->cwiseAbs().maxCoeff() > 1) continue;
    const Vector3 placed = middle + size * *center;
    const double height = solid.height(placed);
    if (height < 0) result.push_back({{placed, size * (a - *center).norm()}, height, {}});
  }
  return result;
}

/// Medial and coverage spheres, refined until there are about this many.
std::vector<MedialSphere> refined(const Subject& subject, std::size_t start, std::size_t count,
                                  std::size_t* samples = nullptr) {
  AdaptiveAxis axis(subject.solid, spheres::sample_surface(subject.model.mesh, start, 1));
  const spheres::Refinement end =
      axis.refine(subject.pieces, {.min_spheres = count,
                                   .worst_protrusion = std::numeric_limits<double>::infinity(),
                                   .max_insertions = 10 * count});
  if (samples != nullptr) *samples = start + end.insertions;
  return axis.spheres(subject.pieces);
}

void print_heading(const char* first) {
  std::printf("  %-22s %7s %8s %8s %9s %9s %13s %11s\n", first, "spheres", "max", "rms", "variance", "wasted %",
              "bare area %", "bare vol. %");
}

/// Prints one line of the tables. Errors are fractions of the bounding radius. The uncovered area is given as lower and
/// upper bound.
LevelReport print_fit(const Subject& subject, const std::string& name, std::span<const BoundingSphere> set) {
  const LevelReport r = report_spheres(set, subject.model.mesh);
  const double radius = subject.model.radius;
  std::printf("  %-22s %7zu %8.4f %8.4f %9.2g %9.1f %6.2f-%6.2f %11.2f\n", name.c_str(), r.spheres,
              r.worst.lower / radius, r.root_mean_square.lower / radius, r.variance.upper / (radius * radius),
              100 * r.wasted_volume.value / subject.volume, 100 * r.uncovered_area.lower / subject.area,
              100 * r.uncovered_area.upper / subject.area, 100 * r.uncovered_volume.value / subject.volume);
  std::fflush(stdout);
  return r;
}

}  // namespace

void bench_axis(Suite& suite) {
  bool is_first = true;
  for (const char* name : {"bunny", "cow", "dragon", "cube"}) {
    const std::string case_name = std::string("axis/") + name;
    if (!suite.wants(case_name) || (suite.quick() && std::string(name) != "bunny")) continue;
    const Model* model = find_model(name);
    if (model == nullptr) continue;
    if (is_first) std::printf("\nB1: medial spheres of evenly spread samples, and refined where they protrude most\n");
    is_first = false;
    const Subject subject(*model);
    print_heading(name);
    for (const std::size_t samples : {125u, 250u, 500u, 1000u}) {
      const std::vector<MedialSphere> regular =
          medial_spheres(subject.solid, spheres::sample_surface(model->mesh, samples, 1));
      std::size_t needed = 0;
      const std::vector<MedialSphere> adaptive = refined(subject, samples / 2, regular.size(), &needed);
      for (const auto& [way, set, used] :
           {std::tuple{"regular", &regular, samples}, {"adaptive", &adaptive, static_cast<unsigned>(needed)}}) {
        const LevelReport r =
            print_fit(subject, std::string(way) + ", " + std::to_string(used) + " samples", spheres_of(*set));
        const std::string where = case_name + "/" + std::to_string(samples);
        suite.record("worst/" + where, std::string("whisker/") + way, "bounding radii", r.worst.lower / model->radius,
                     r.spheres);
        suite.record("uncovered-area/" + where, std::string("whisker/") + way, "%",
                     100 * r.uncovered_area.lower / subject.area, r.spheres);
      }
    }
  }
}

void bench_selection(Suite& suite) {
  bool is_first = true;
  const std::vector<std::size_t> counts = {4, 6, 8, 12, 16, 24, 32, 48, 64};
  for (const char* name :
       {"bunny", "cow", "dragon", "cube", "ellipsoid", "torus", "cone", "cylinder", "block", "s-shape"}) {
    const std::string case_name = std::string("selection/") + name;
    if (!suite.wants(case_name) || (suite.quick() && std::string(name) != "bunny")) continue;
    const Model* model = find_model(name);
    if (model == nullptr) continue;
    if (is_first) {
      std::printf(
          "\nB2: the least protrusion for this many of 500 medial spheres, as a share of the bounding radius,\n");
      std::printf("    selected by what they make redundant (elimination) or by what they contain (cover)\n  %-22s",
                  "");
      for (const std::size_t count : counts)
        std::printf(" %8zu", count);
      std::printf("  F (critical: 4.49)\n");
    }
    is_first = false;
    const Subject subject(*model);
    const std::vector<MedialSphere> medial = refined(subject, 250, 500);
    std::vector<std::vector<double>> logarithms;
    for (const auto& [way, selection] :
         {std::pair{"elimination", SphereSelection::max_elimination}, std::pair{"cover", SphereSelection::max_cover}}) {
      std::printf("  %-10s %-11s", name, way);
      std::vector<double>& logs = logarithms.emplace_back();
      for (const std::size_t count : counts) {
        double worst = 0;
        for (const BoundingSphere& sphere : spheres::expand_spheres(subject.region, medial, count, selection))
          worst = std::max(worst, spheres::protrusion(sphere.radius, subject.solid.height(sphere.center)));
        std::printf(" %8.4f", worst / model->radius);
        logs.push_back(std::log(worst));
        suite.record(case_name + "/" + std::to_string(count), std::string("whisker/") + way, "bounding radii",
                     worst / model->radius, count);
      }
      if (logarithms.size() == 1) std::printf("\n");
    }
    // One-way analysis of variance of two groups of n: F has 1 and 2 n - 2 degrees of freedom.
    const auto n = static_cast<double>(counts.size());
    double means[2] = {}, within = 0;
    for (std::size_t g = 0; g < 2; ++g) {
      for (const double x : logarithms[g])
        means[g] += x / n;
      for (const double x : logarithms[g])
        within += (x - means[g]) * (x - means[g]) / (2 * n - 2);
    }
    const double f = n * (means[0] - means[1]) * (means[0] - means[1]) / 2 / within;
    std::printf("  %.4f\n", f);
    suite.record(case_name + "/F", "whisker", "F", f, counts.size());
    std::fflush(stdout);
  }
}

void bench_reduction(Suite& suite) {
  struct Reducer {
    const char* name;
    std::function<std::vector<BoundingSphere>(const Subject&, std::span<const MedialSphere>, std::size_t)> reduce;
  };
  const Reducer reducers[] = {
      {"merge", [](const Subject& s, std::span<const MedialSphere> medial,
                   std::size_t count) { return spheres::merge_spheres(s.region, medial, count); }},
      {"burst", [](const Subject& s, std::span<const MedialSphere> medial,
                   std::size_t count) { return methods::burst_spheres(s.region, medial, count); }},
      {"expand", [](const Subject& s, std::span<const MedialSphere> medial,
                    std::size_t count) { return spheres::expand_spheres(s.region, medial, count); }},
  };
  bool is_first = true;
  for (const char* name : {"bunny", "cow", "dragon", "cone"}) {
    const std::string case_name = std::string("reduction/") + name;
    if (!suite.wants(case_name) || (suite.quick() && std::string(name) != "bunny")) continue;
    const Model* model = find_model(name);
    if (model == nullptr) continue;
    if (is_first) std::printf("\nB3: 500 medial spheres reduced to few\n");
    is_first = false;
    const Subject subject(*model);
    const std::vector<MedialSphere> medial = refined(subject, 250, 500);
    print_heading(name);
    print_fit(subject, "all medial spheres", spheres_of(medial));
    for (const std::size_t count : {8u, 32u, 128u}) {
      for (const Reducer& reducer : reducers) {
        const std::vector<BoundingSphere> set = reducer.reduce(subject, medial, count);
        const LevelReport r = print_fit(subject, std::string(reducer.name) + " to " + std::to_string(count), set);
        const std::string where = case_name + "/" + std::to_string(count);
        const std::string system = std::string("whisker/") + reducer.name;
        suite.record("worst/" + where, system, "bounding radii", r.worst.lower / model->radius, r.spheres);
        suite.record("rms/" + where, system, "bounding radii", r.root_mean_square.lower / model->radius, r.spheres);
        suite.record("wasted/" + where, system, "%", 100 * r.wasted_volume.value / subject.volume, r.spheres);
      }
    }
  }
}

}  // namespace whisker::bench
