// extent: the cost of a scene that is huge compared to its details. The same part twice, at the two ends of a scene of
// 10³ or 10⁹ edge lengths, with queries near contact of the first parts.

#include <array>

#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>

#include "mesh.hpp"

namespace whisker::bench {
namespace {

/// The part at the origin, and a copy `extent` edge lengths away.
MeshData at_both_ends(const MeshData& part, double extent) {
  double edges = 0;
  for (const Index3& t : part.triangles)
    edges += (part.vertices[t[1]] - part.vertices[t[0]]).norm();
  const Vector3 away = Vector3(0.9, 0.4, 0.1) * (extent * edges / static_cast<double>(part.triangles.size()));
  MeshData scene = part;
  const auto count = static_cast<std::uint32_t>(part.vertices.size());
  for (const Vector3& v : part.vertices)
    scene.vertices.push_back(v + away);
  for (const Index3& t : part.triangles)
    scene.triangles.push_back({t[0] + count, t[1] + count, t[2] + count});
  return scene;
}

}  // namespace

void bench_extent(Suite& suite) {
  if (!suite.wants("extent/touch") && !suite.wants("extent/contacts") && !suite.wants("extent/distance")) return;
  const MeshData part = make::wrinkled_torus({});
  const Shape alone = Mesh(part);
  const std::vector<PosePair> poses = near_poses(alone, part, suite.quick() ? 60 : 300, 3);
  const std::array<Shape, 2> scenes = {Mesh(at_both_ends(part, 1e3)), Mesh(at_both_ends(part, 1e9))};
  const std::array<std::string, 2> names = {"whisker", "whisker/1e9"};
  std::array<std::size_t, 2> answers{};
  Contacts found;
  const auto measure = [&](const std::string& question, const auto& ask) {
    if (!suite.wants("extent/" + question)) return;
    std::vector<System> systems;
    for (std::size_t k = 0; k < 2; ++k) {
      systems.push_back({names[k],
                         [&, k] {
                           answers[k] = 0;
                           for (const PosePair& p : poses)
                             answers[k] += ask(scenes[k], p);
                         },
                         [&, k] { return answers[k]; }});
    }
    suite.measure(
        {.name = "extent/" + question, .calls = poses.size(), .hit_rate = false, .seconds = case_seconds(suite)},
        systems);
  };
  measure("touch", [](const Shape& scene, const PosePair& p) -> std::size_t {
    return touches({scene, p.a}, {scene, p.b}) ? 1 : 0;
  });
  measure("contacts", [&](const Shape& scene, const PosePair& p) {
    contacts({scene, p.a}, {scene, p.b}, {.segments = false}, found);
    return found.pairs.size();
  });
  measure("distance", [](const Shape& scene, const PosePair& p) -> std::size_t {
    return distance({scene, p.a}, {scene, p.b}).upper > 0 ? 1 : 0;
  });
}

}  // namespace whisker::bench
