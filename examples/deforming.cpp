// A sheet of cloth falls on a ball: where do they touch between two frames, and does the sheet touch itself?

#include <cstdio>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  wk::MeshData sheet = wk::make::cloth_sheet({.columns = 30, .rows = 30, .size_x = 3, .size_y = 3});
  for (wk::Vector3& v : sheet.vertices)
    v += wk::Vector3(-1.5, -1.5, 1.05);
  wk::DeformingMesh cloth(sheet), ball(wk::make::icosphere({.subdivisions = 3}));

  std::vector<wk::Vector3> next(cloth.end().begin(), cloth.end().end());
  for (int frame = 1; frame <= 4; ++frame) {
    // The part above the ball falls slower than the rest. (In an application, a simulation computes the positions.)
    for (wk::Vector3& v : next)
      v.z() -= v.head<2>().norm() < 0.5 ? 0.03 : 0.1;
    cloth.set_vertices(next);
    const wk::FirstContacts<wk::FeatureHit> with_ball = wk::first_contacts(cloth, ball);
    const wk::FirstContacts<wk::FeatureHit> with_itself = wk::first_contacts(cloth);
    std::printf("frame %d: %zu contacts with the ball, %zu with itself", frame, with_ball.hits.size(),
                with_itself.hits.size());
    if (!with_ball.hits.empty())
      std::printf(", the first at t = %.6f of the step", with_ball.hits.front().impact.time_lower);
    std::printf("\n");
    if (!with_itself.hits.empty()) return 1;
  }

  // Only the first contacts, for a solver that stops there.
  const wk::FirstContacts<wk::FeatureHit> first = wk::first_contacts(cloth, ball, {.within = 0});
  for (const wk::FeatureHit& hit : first.hits) {
    std::printf("%s %u and %u, normal (%.3f, %.3f, %.3f)\n",
                hit.kind == wk::FeatureHitKind::edge_edge ? "edges" : "vertex and face", hit.a, hit.b,
                hit.impact.normal.x(), hit.impact.normal.y(), hit.impact.normal.z());
  }
  return first.hits.empty() ? 1 : 0;
}
