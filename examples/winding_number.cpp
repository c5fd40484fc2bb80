// Inside or outside of a mesh with a hole: the generalized winding number, with bounds, of one point and of many.

#include <cstdio>
#include <vector>

#include <whisker/make/make.hpp>
#include <whisker/mesh_queries.hpp>

namespace wk = whisker;

int main() {
  // A ball with its top cut off.
  wk::MeshData data = wk::make::icosphere({.radius = 1, .subdivisions = 4});
  std::erase_if(data.triangles, [&](const wk::Index3& t) { return data.vertices[t[0]].z() > 0.9; });
  const wk::Shape open_ball = wk::Mesh(data);
  std::printf("closed: %s\n", wk::Mesh(data).can_be_solid() ? "yes" : "no");

  std::vector<wk::Vector3> points;
  for (const double z : {-2.0, -0.9, 0.0, 0.7, 0.9, 1.2, 2.0})
    points.emplace_back(0, 0, z);
  std::vector<wk::WindingNumber> answers(points.size());
  wk::winding_number(open_ball, points, answers);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const wk::WindingNumber& w = answers[i];
    const char* const where = w.lower >= 0.75 ? "inside" : w.upper <= 0.25 ? "outside" : "unclear";
    std::printf("z = %4.1f: %.3f to %.3f, %s\n", points[i].z(), w.lower, w.upper, where);
  }

  // As accurate as rounding allows, using every triangle.
  const wk::WindingNumber w = wk::winding_number(open_ball, wk::Vector3(0, 0, 0), {.tolerance = 0});
  std::printf("at the middle: %.12f, known to %.1g\n", w.value(), w.upper - w.lower);
}
