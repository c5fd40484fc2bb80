// The suite `deform`: refitting the trees of deforming meshes, and finding all touching triangles of a mesh, from frame
// to frame and from scratch, compared with CGAL and FCL. CGAL's result is compared pair by pair.

#include "deform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>

#include <Eigen/Geometry>

#include <whisker/deforming_mesh.hpp>
#include <whisker/io.hpp>
#include <whisker/make/make.hpp>
#include <whisker/self_contacts.hpp>

#include "harness.hpp"

namespace fs = std::filesystem;
using namespace whisker;
using namespace whisker::bench;

namespace {

constexpr double pi = 3.14159265358979323846;

/// A mesh in two frames.
struct Frames {
  std::string name;
  MeshData first;
  std::vector<Vector3> second;
};

/// A sheet of about this many triangles, bent by `place(u, v)`, with u and v from 0 to 1.
template <class Place>
MeshData sheet(std::size_t triangles, const Place& place) {
  const auto cells = static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(triangles) / 2)));
  MeshData data;
  for (std::uint32_t i = 0; i <= cells; ++i)
    for (std::uint32_t j = 0; j <= cells; ++j)
      data.vertices.push_back(place(static_cast<double>(i) / cells, static_cast<double>(j) / cells));
  for (std::uint32_t i = 0; i < cells; ++i) {
    for (std::uint32_t j = 0; j < cells; ++j) {
      const std::uint32_t a = i * (cells + 1) + j, b = a + cells + 1;
      data.triangles.push_back({a, b, b + 1});
      data.triangles.push_back({a, b + 1, a + 1});
    }
  }
  return data;
}

Vector3 flat(double u, double v) {
  return {u, v, 0};
}
Vector3 wavy(double u, double v) {
  return {u, v, 0.03 * std::sin(9 * u) * std::cos(7 * v)};
}
/// Ten layers close above each other, joined by half-circles.
Vector3 folded(double u, double v) {
  constexpr int layers = 10;
  constexpr double gap = 0.004;
  const double along = u * layers;
  const int layer = std::min(layers - 1, static_cast<int>(along));
  const double part = along - layer;
  constexpr double turn = 0.1;  // of a layer's length
  const double straight = std::clamp((part - turn / 2) / (1 - turn), 0.0, 1.0);
  double x = straight, z = gap * layer;
  const double angle = pi / 2 * std::clamp(std::max(turn / 2 - part, part - 1 + turn / 2) / (turn / 2), 0.0, 1.0);
  const double out = gap / 2 * std::sin(angle), up = gap / 2 * (1 - std::cos(angle));
  x += part < 0.5 ? -out : out;
  z += part < 0.5 ? -up : up;
  if (layer % 2 == 1) x = 1 - x;
  return {x, 3 * v, z + 0.001 * std::sin(40 * v + 3 * u)};
}
/// A rolled-up sheet.
Vector3 curled(double u, double v) {
  const double angle = 2 * pi * (1 + 6 * u), radius = 0.02 * angle;
  return {radius * std::cos(angle), radius * std::sin(angle), 2 * v};
}

/// Moves every vertex by up to `by`.
std::vector<Vector3> shaken(std::vector<Vector3> vertices, double by) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> offset(-by, by);
  for (Vector3& v : vertices)
    v += Vector3(offset(random), offset(random), offset(random));
  return vertices;
}

MeshData crumpled(std::size_t triangles) {
  MeshData data = sheet(triangles, [](double u, double v) {
    return Vector3(0.5 * u + 0.1 * std::sin(23 * u + 11 * v), 0.5 * v + 0.1 * std::sin(19 * v - 13 * u),
                   0.1 * std::sin(17 * u) * std::cos(29 * v) + 0.05 * std::sin(61 * u * v));
  });
  data.vertices = shaken(std::move(data.vertices), 0.0005);
  return data;
}

/// Snaps to a grid with this many cells along the longest side, and drops triangles that have zero area then.
MeshData snapped(MeshData data, double cells) {
  Aabb box;
  for (const Vector3& v : data.vertices)
    box.include(v);
  const double unit = (box.upper - box.lower).maxCoeff() / cells;
  for (Vector3& v : data.vertices)
    v = ((v - box.lower) / unit).array().round().matrix();
  std::erase_if(data.triangles, [&](const Index3& t) {
    const Vector3 &a = data.vertices[t[0]], &b = data.vertices[t[1]], &c = data.vertices[t[2]];
    return (b - a).cross(c - a) == Vector3::Zero();  // integers: exact
  });
  return data;
}

/// Checks that CGAL has the same pairs, and reports differences.
void compare(Suite& suite, const std::string& name, const SelfContacts& found, const CgalSelf& cgal) {
  Pairs ours = found.pairs;
  ours.insert(ours.end(), found.adjacent.begin(), found.adjacent.end());
  std::sort(ours.begin(), ours.end());
  if (ours != cgal.pairs())
    suite.fail(name + ": " + std::to_string(ours.size()) + " pairs differ from CGAL's " + std::to_string(cgal.count()) +
               " pairs");
}

/// From frame to frame: refit, then find all pairs.
void bench_self(Suite& suite, const Frames& frames, bool with_fcl, bool with_threads) {
  const std::string name = "self/" + frames.name;
  if (!suite.wants(name)) return;
  DeformingMesh mesh(frames.first, {.threads = 1});
  SelfContacts found;
  self_contacts(mesh, {.by_direction = true, .threads = 1}, found);
  const auto both = [&](std::optional<bool> by_direction) {
    mesh.set_vertices(frames.second);
    self_contacts(mesh, {.by_direction = by_direction, .threads = 1}, found);
  };
  const auto count = [&] { return found.pairs.size() + found.adjacent.size(); };
  CgalSelf cgal(frames.first);
  std::vector<System> systems = {{"whisker", [&] { both({}); }, count},
                                 {"whisker/boxes alone", [&] { both(false); }, count}};
  if (cgal.manifold()) {
    cgal.set_vertices(frames.second);
    systems.push_back({"CGAL", [&] { cgal.find(false); }, [&] { return cgal.count(); }});
  }
  std::unique_ptr<FclSelf> fcl;
  if (with_fcl) {
    fcl = std::make_unique<FclSelf>(frames.first);
    systems.push_back({"FCL",
                       [&] {
                         fcl->refit(frames.second);
                         fcl->find();
                       },
                       [&] { return fcl->count(); }});
  }
  suite.measure({.name = name, .calls = 1, .hit_rate = false, .seconds = suite.quick() ? 4.0 : 20.0}, systems);
  suite.note(std::to_string(frames.first.triangles.size()) +
             " triangles; CGAL / whisker: " + std::to_string(suite.ratio(name, "CGAL", "whisker")));
  both({});
  if (cgal.manifold()) compare(suite, name, found, cgal);
  if (!with_threads) return;
  DeformingMesh all(frames.first);
  SelfContacts found_by_all;
  const std::string threads = "self-threads/" + frames.name;
  suite.measure({.name = threads, .calls = 1, .hit_rate = false, .seconds = suite.quick() ? 4.0 : 20.0},
                {{"whisker",
                  [&] {
                    all.set_vertices(frames.second);
                    self_contacts(all, found_by_all);
                  },
                  [&] { return found_by_all.pairs.size() + found_by_all.adjacent.size(); }, true},
                 {"whisker/one", [&] { both({}); }, count, true},
                 {"CGAL", [&] { cgal.find(true); }, [&] { return cgal.count(); }, true}});
}

/// From scratch: from vertices and triangles to all pairs.
void bench_one_shot(Suite& suite, const Frames& frames) {
  const std::string name = "self-one-shot/" + frames.name;
  if (!suite.wants(name)) return;
  SelfContacts found;
  const MeshData data = {frames.second, frames.first.triangles};
  std::unique_ptr<CgalSelf> cgal;
  suite.measure({.name = name, .calls = 1, .hit_rate = false, .seconds = suite.quick() ? 4.0 : 20.0},
                {{"whisker", [&] { found = self_contacts(DeformingMesh(data, {.threads = 1}), {.threads = 1}); },
                  [&] { return found.pairs.size() + found.adjacent.size(); }},
                 {"CGAL",
                  [&] {
                    cgal = std::make_unique<CgalSelf>(data);
                    cgal->find(false);
                  },
                  [&] { return cgal->count(); }}});
  suite.note("CGAL / whisker: " + std::to_string(suite.ratio(name, "CGAL", "whisker")));
  if (cgal != nullptr && cgal->manifold()) compare(suite, name, found, *cgal);
}

void bench_refit(Suite& suite, const Frames& frames) {
  const std::string name = "refit/" + frames.name;
  if (!suite.wants(name)) return;
  DeformingMesh mesh(frames.first, {.threads = 1});
  (void)mesh.snapshot();
  FclSelf fcl(frames.first);
  const auto none = [] { return std::size_t{0}; };
  suite.measure(
      {.name = name, .calls = 1, .hit_rate = false, .seconds = 3},
      {{"whisker", [&] { mesh.set_vertices(frames.second); }, none}, {"FCL", [&] { fcl.refit(frames.second); }, none}});
}

}  // namespace

int main(int argc, char** argv) {
  Suite suite("deform", argc, argv);
  if (suite.usage_error()) return 2;
  std::vector<Frames> frames;
  if (const char* const data = std::getenv("WHISKER_DATA")) {
    const fs::path scenes = fs::path(data) / "ccd" / "scenes", meshes = fs::path(data) / "meshes";
    const auto scene = [&](const char* name, const char* first, const char* second) {
      frames.push_back(
          {name, read_mesh(scenes / name / "frames" / first), read_mesh(scenes / name / "frames" / second).vertices});
    };
    scene("cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply");
    scene("rod-twist", "3036.ply", "3037.ply");
    scene("cloth-funnel", "227.ply", "228.ply");
    const auto still = [&](const char* name, MeshData mesh) { frames.push_back({name, mesh, mesh.vertices}); };
    still("bunny", read_mesh(meshes / "stanford-bunny.obj"));
    still("dragon", read_mesh(meshes / "dragon.obj"));
    const auto snap = [&](const char* name, const Frames& from, double cells) {
      still(name, snapped({from.second, from.first.triangles}, cells));
    };
    snap("snapped-cloth", Frames(frames[0]), 400);
    snap("snapped-rod", Frames(frames[1]), 500);
    snap("snapped-dragon", Frames(frames[4]), 300);
  } else {
    suite.note("WHISKER_DATA is not set: no public meshes");
  }
  const auto made = [&](const std::string& name, const MeshData& mesh, double by) {
    frames.push_back({name, mesh, shaken(mesh.vertices, by)});
  };
  made("flat", sheet(92'000, flat), 0);
  made("wavy", sheet(92'000, wavy), 0);
  made("curled", sheet(92'000, curled), 0);
  made("crumpled", crumpled(92'000), 1e-5);
  made("folded-10k", sheet(10'000, folded), 1e-5);
  made("folded-100k", sheet(100'000, folded), 1e-5);
  if (!suite.quick()) made("folded-1M", sheet(1'000'000, folded), 1e-5);
  for (const Frames& one : frames)
    bench_self(suite, one, one.name == "cloth-ball" || one.name == "rod-twist" || one.name == "bunny",
               one.name == "cloth-ball" || one.name == "bunny");
  for (const Frames& one : frames)
    bench_one_shot(suite, one);
  bench_refit(suite, {"100k", sheet(100'000, wavy), sheet(100'000, folded).vertices});
  return suite.finish();
}
