// A sheet of cloth falls on a ball and drapes itself over it. Near features are kept apart, motions that would lead to
// a contact between two frames are stopped before it, and an exact check in every frame confirms that no two triangles
// touch. Writes a web page that plays the motion.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <whisker/make/make.hpp>

#include "playground/arguments.hpp"
#include "playground/cloth.hpp"
#include "playground/page.hpp"

namespace wk = whisker;

int main(int count, char** values) {
  // The number of bodies is the number of squares along a side of the sheet.
  const playground::Arguments arguments =
      playground::read_arguments(count, values, {.output = "falling_sheet.html", .frames = 150, .bodies = 40});
  const int squares = std::max(4, arguments.bodies);
  const double side = 4;
  const int steps_per_frame = 2;

  wk::MeshData sheet = wk::make::cloth_sheet(
      {.columns = squares, .rows = squares, .size_x = side, .size_y = side, .wrinkle_height = 0.01});
  const wk::Vector3 middle = (sheet.vertices.front() + sheet.vertices.back()) / 2;
  for (wk::Vector3& v : sheet.vertices)
    v += wk::Vector3(0.15, -0.1, 1.8) - middle;  // not quite above the ball's center
  const wk::MeshData ball = wk::make::icosphere({.subdivisions = 3});
  playground::Cloth cloth(sheet, ball, {.thickness = std::min(0.02, 0.3 * side / squares)});

  playground::Recording recording{
      .title = "Falling sheet",
      .note = "Dots are where the cloth is about its thickness away from the ball or from itself."};
  recording.view.emplace();
  recording.view->include(wk::Vector3(-1.7, -1.7, -1.9));
  recording.view->include(wk::Vector3(1.7, 1.7, 1.7));
  recording.watch_fixed(ball, {.color = 0x9aa5b5});
  recording.watch_soft(sheet, {.color = 0x9a8fb8});

  std::size_t touching_frames = 0, near_frames = 0, stopped = 0, max_rounds = 0;
  double longest = 1;
  for (int frame = 0; frame < arguments.frames; ++frame) {
    playground::ClothStep last;
    for (int step = 0; frame > 0 && step < steps_per_frame; ++step) {
      last = cloth.step(1.0 / 30 / steps_per_frame);
      stopped += last.stopped;
      max_rounds = std::max(max_rounds, last.rounds);
    }
    longest = std::max(longest, cloth.longest_stretch());

    playground::RecordedFrame recorded;
    if (cloth.touching() > 0) {
      ++touching_frames;
      recorded.touching.push_back({0, 1});
    }
    recorded.vertices.emplace_back(cloth.sheet().end().begin(), cloth.sheet().end().end());
    for (const std::uint32_t vertex : cloth.near_vertices())
      recorded.marks.push_back({cloth.sheet().end()[vertex], cloth.sheet().end()[vertex]});
    near_frames += recorded.marks.empty() ? 0u : 1u;
    if (frame % 15 == 14) {
      std::printf("frame %3d: near the ball at %4zu places, near itself at %3zu, the fastest at %.2f m/s\n", frame + 1,
                  last.near_obstacle, last.near_itself, cloth.fastest());
    }
    recording.frames.push_back(std::move(recorded));
  }

  std::printf("%zu triangles, %d frames; cloth was near something in %zu frames; edges became at most %.1f %% longer\n",
              cloth.sheet().triangles().size(), arguments.frames, near_frames, 100 * (longest - 1));
  std::printf("%zu contacts on the way were stopped, in at most %zu rounds\n", stopped, max_rounds);
  std::printf("triangles touched in %zu frames\n", touching_frames);
  playground::write_page(arguments.output, recording);
  playground::report_page(arguments.output);
  return touching_frames == 0 ? 0 : 1;
}
