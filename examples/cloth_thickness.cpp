// A sheet of cloth with a thickness is lowered onto a ball. In every frame, features closer than the thickness are
// pushed apart along the gradients of their distances.

#include <algorithm>
#include <cstdio>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  constexpr double thickness = 0.02;
  wk::MeshData sheet = wk::make::cloth_sheet({.columns = 40, .rows = 40, .size_x = 3, .size_y = 3});
  for (wk::Vector3& v : sheet.vertices)
    v.z() += 1.04;
  wk::DeformingMesh cloth(sheet), ball(wk::make::icosphere({.subdivisions = 4}));

  std::vector<wk::Vector3> next(cloth.end().begin(), cloth.end().end());
  wk::NearFeatures near;  // its memory is used again
  for (int frame = 1; frame <= 10; ++frame) {
    for (wk::Vector3& v : next)
      v.z() -= 0.008;
    std::size_t at_first = 0;
    double least = thickness;
    for (int round = 0; round < 20; ++round) {
      cloth.set_vertices(next);
      wk::near_features(cloth, ball, thickness, {}, near);
      if (round == 0) at_first = near.pairs.size();
      least = thickness;
      for (const wk::NearPair& pair : near.pairs) {
        least = std::min(least, pair.distance);
        // The vertices of the cloth come first. Move only a part of the way at a time, because many pairs pull at one
        // vertex.
        const std::array<wk::Vector3, 4> gradient = wk::distance_gradient(pair);
        const std::size_t of_cloth = pair.kind == wk::FeatureHitKind::vertex_face ? 1
                                     : pair.kind == wk::FeatureHitKind::edge_edge ? 2
                                                                                  : 3;
        for (std::size_t k = 0; k < of_cloth; ++k)
          next[pair.vertices[k]] += 0.1 * (thickness - pair.distance) * gradient[k];
      }
    }
    // The pairs of closest features, each once: the terms that a barrier would sum over.
    wk::near_features(cloth, ball, thickness, {.merge = true}, near);
    std::printf("frame %2d: %4zu pairs too close; after pushing, the least distance is %.4f, %zu pairs of parts\n",
                frame, at_first, least, near.pairs.size());
    if (least <= 0) return 1;
  }
  wk::near_features(cloth, thickness, {}, near);
  std::printf("the cloth with itself: %zu pairs\n", near.pairs.size());
  return 0;
}
