// Two soft balls are pushed into each other, at several heights: which vertices of each are in the other, how deep, and
// which way is out? Writes a web page in which one of them can be dragged to every position it has been in.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "playground/arguments.hpp"
#include "playground/page.hpp"
#include "playground/soft_balls.hpp"

namespace wk = whisker;

namespace {

/// Only the border is drawn.
std::vector<wk::Vector3> border_vertices(const wk::TetrahedralMesh& body) {
  std::vector<wk::Vector3> vertices;
  for (const std::uint32_t vertex : body.border_vertices())
    vertices.push_back(body.vertices()[vertex]);
  return vertices;
}

wk::MeshData border_mesh(const wk::TetrahedralMesh& body) {
  wk::MeshData mesh{.vertices = border_vertices(body), .triangles = {}};
  const auto number = [&](std::uint32_t vertex) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(body.border_vertices(), vertex) -
                                      body.border_vertices().begin());
  };
  for (const wk::Index3& t : body.border_triangles())
    mesh.triangles.push_back({number(t[0]), number(t[1]), number(t[2])});
  return mesh;
}

}  // namespace

int main(int count, char** values) {
  // The number of bodies is the number of heights at which one ball is pushed into the other. Each height has `frames`
  // frames.
  const playground::Arguments arguments =
      playground::read_arguments(count, values, {.output = "soft_spheres.html", .frames = 20, .bodies = 9});
  const int heights = arguments.bodies, places = arguments.frames;
  const double farthest = 2.3, nearest = 1.1, highest = 0.9;

  playground::SoftBalls balls;
  playground::Recording recording{.title = "Soft spheres",
                                  .note = "Drag the right one, or use the arrow keys. Lines are four times the depths.",
                                  .seconds_per_frame = 0.1,
                                  .azimuth = -1.35};
  recording.view.emplace();
  recording.view->include(wk::Vector3(-2, -1, -1.3));
  recording.view->include(wk::Vector3(2, 1, 1.3));
  recording.watch_soft(border_mesh(balls.bodies()[0]), {.color = 0x6f8fb8, .shows_touch = false});
  recording.dragged = recording.watch_soft(border_mesh(balls.bodies()[1]), {.color = 0xa8787f, .shows_touch = false});

  std::size_t overlapping = 0, max_inside = 0, inverted = 0;
  double deepest = 0;
  for (int row = 0; row < heights; ++row) {
    const double height = heights > 1 ? highest * (1 - 2.0 * row / (heights - 1)) : 0;
    std::size_t inside = 0;
    for (int place = 0; place < places; ++place) {
      const double apart = places > 1 ? farthest + (nearest - farthest) * place / (places - 1) : farthest;
      const wk::Vector3 first(-0.8, 0, 0), second(-0.8 + apart, 0, height);
      if (place == 0) balls.place(first, second);
      balls.move(first, second);
      balls.settle(10);

      playground::RecordedFrame recorded;
      recorded.grip = second;
      for (const wk::TetrahedralMesh& body : balls.bodies()) {
        recorded.vertices.push_back(border_vertices(body));
        inverted += body.inverted().size();
      }
      for (const wk::VertexDepth& d : balls.depths()) {
        const wk::Vector3& vertex = balls.bodies()[d.mesh].vertices()[d.vertex];
        recorded.marks.push_back({vertex, vertex + 4 * d.depth * d.normal});
      }
      if (!balls.contacts().empty()) {
        recorded.touching.push_back({0, 1});
        ++overlapping;
      }
      inside = balls.depths().size();
      max_inside = std::max(max_inside, inside);
      deepest = std::max(deepest, balls.deepest());
      recording.frames.push_back(std::move(recorded));
    }
    std::printf("height %5.2f: %3zu vertices inside where they are nearest, %.4f deep\n", height, inside,
                balls.deepest());
  }

  std::printf("%d places at %d heights: the balls overlap in %zu of them\n", places, heights, overlapping);
  std::printf("at most %zu vertices are inside, %.4f deep; %zu tetrahedra were turned inside out\n", max_inside,
              deepest, inverted);
  playground::write_page(arguments.output, recording);
  playground::report_page(arguments.output);
  return inverted == 0 ? 0 : 1;
}
