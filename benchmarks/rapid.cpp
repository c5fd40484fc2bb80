// The suite `rapid`: the experiments of the papers on oriented boxes and swept spheres.

#include "rapid.hpp"

#include <cstdint>

namespace whisker::bench {

MeshData scaled(const MeshData& data, double factor, const Pose& pose) {
  MeshData result = data;
  for (Vector3& v : result.vertices)
    v = place(pose, factor * v);
  return result;
}

void append(MeshData& whole, const MeshData& part) {
  const auto first = static_cast<std::uint32_t>(whole.vertices.size());
  whole.vertices.insert(whole.vertices.end(), part.vertices.begin(), part.vertices.end());
  for (const Index3& t : part.triangles)
    whole.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

void heading(const std::string& text) {
  std::printf("\n%s\n%s\n", text.c_str(), std::string(text.size(), '-').c_str());
  std::fflush(stdout);
}

}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("rapid", argc, argv);
  if (suite.usage_error()) return 2;
  if (suite.wants("concentric")) bench_concentric(suite);
  if (suite.wants("side-by-side")) bench_side_by_side(suite);
  if (suite.wants("torus-levels")) bench_torus_levels(suite);
  bench_boxes(suite);
  bench_sequences(suite);
  if (suite.wants("cost-function")) bench_cost_function(suite);
  return suite.finish();
}
