// A ribbon is rolled up into a cone until it runs into itself. Volino's normals alone miss this case: they all point to
// one side, and only the contour test detects it. Writes a web page that plays the motion.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/make/make.hpp>
#include <whisker/methods/surface_hierarchy.hpp>

#include "playground/arguments.hpp"
#include "playground/page.hpp"

namespace wk = whisker;

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr std::uint32_t rows = 3;  // of triangles, across the ribbon
constexpr double inner = 1, outer = 1.4;

// The ribbon is a part of a flat ring around the origin. Lines through the origin divide it into flat pieces, which
// keep their shape. It is folded by the same angle wherever two of them meet.
std::vector<Eigen::Matrix3d> turns_of(int pieces, double turn, double fold) {
  const Eigen::Matrix3d step = Eigen::AngleAxisd(turn, Eigen::Vector3d::UnitZ()).toRotationMatrix() *
                               Eigen::AngleAxisd(fold, Eigen::Vector3d::UnitX()).toRotationMatrix();
  std::vector<Eigen::Matrix3d> turns = {Eigen::Matrix3d::Identity()};
  for (int i = 0; i < pieces; ++i)
    turns.push_back(turns.back() * step);
  return turns;
}

// The positions of the vertices: a row of them for each border of a piece.
std::vector<wk::Vector3> vertices_of(const std::vector<Eigen::Matrix3d>& turns) {
  std::vector<wk::Vector3> vertices;
  for (const Eigen::Matrix3d& turn : turns)
    for (std::uint32_t j = 0; j <= rows; ++j)
      vertices.emplace_back(turn * wk::Vector3(inner + (outer - inner) * j / rows, 0, 0));
  return vertices;
}

// One piece, visible from both sides.
wk::MeshData piece_of(double turn) {
  const wk::Vector3 end(std::cos(turn), std::sin(turn), 0);
  return {{{inner, 0, 0}, {outer, 0, 0}, outer * end, inner * end}, {{0, 1, 2}, {0, 2, 3}, {0, 2, 1}, {0, 3, 2}}};
}

}  // namespace

int main(int count, char** values) {
  const playground::Arguments arguments =
      playground::read_arguments(count, values, {.output = "rolled_ribbon.html", .frames = 120, .bodies = 96});
  const int pieces = std::max(8, arguments.bodies);
  const double turn = 200 * pi / 180 / pieces;      // of a piece, in the plane
  const double last_turn = 1.35 * 2 * pi / pieces;  // of a piece about the cone's axis, at the end
  const double last_fold = std::sqrt(last_turn * last_turn - turn * turn);

  wk::MeshData flat;
  flat.vertices = vertices_of(turns_of(pieces, turn, 0));
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(pieces); ++i) {
    for (std::uint32_t j = 0; j < rows; ++j) {
      const std::uint32_t v = i * (rows + 1) + j, w = v + rows + 1;
      flat.triangles.push_back({v, v + 1, w + 1});
      flat.triangles.push_back({v, w + 1, w});
    }
  }
  wk::methods::SurfaceHierarchy ribbon(flat), hasty(flat, {.contour = wk::methods::ContourTest::off}),
      plain(flat, {.curvature = wk::methods::SurfaceCurvature::none});

  playground::Recording recording{.title = "Rolled ribbon", .note = "Pieces that meet another part are lit up."};
  recording.view.emplace();
  recording.view->include(wk::Vector3(-1.5, -1.5, -0.5));
  recording.view->include(wk::Vector3(1.5, 1.5, 1.5));
  for (int i = 0; i < pieces; ++i) {
    recording.bodies.push_back({.id = {}, .mesh = 0, .look = {.color = i % 2 == 0 ? 0x7d8fa9u : 0x8d9cb3u}});
  }
  recording.meshes.push_back(piece_of(turn));

  bool was_touching = false;
  std::size_t looked_at = 0, looked_at_plainly = 0, found = 0, found_hastily = 0;
  for (int frame = 0; frame < arguments.frames; ++frame) {
    const double fold = last_fold * frame / std::max(1, arguments.frames - 1);
    const std::vector<Eigen::Matrix3d> turns = turns_of(pieces, turn, fold);
    const std::vector<wk::Vector3> vertices = vertices_of(turns);
    for (wk::methods::SurfaceHierarchy* const mesh : {&ribbon, &hasty, &plain})
      mesh->set_vertices(vertices);
    const wk::methods::SurfaceContacts contacts = ribbon.self_contacts(), without = hasty.self_contacts(),
                                       every = plain.self_contacts();
    if (contacts.pairs != every.pairs || contacts.may_miss) {
      std::printf("in frame %d the normals make a difference\n", frame);
      return 1;
    }
    looked_at += contacts.counts.regions + contacts.cost.volume_tests;
    looked_at_plainly += every.counts.regions + every.cost.volume_tests;
    found += contacts.pairs.size();
    found_hastily += without.pairs.size();
    if (contacts.pairs.empty() == was_touching) {
      was_touching = !was_touching;
      std::printf("frame %d: %s, at %.2f of a round\n", frame, was_touching ? "it meets itself" : "it is free",
                  pieces * std::sqrt(turn * turn + fold * fold) / (2 * pi));
    }

    playground::RecordedFrame recorded;
    for (int i = 0; i < pieces; ++i)
      recorded.poses.emplace_back(turns[static_cast<std::size_t>(i)], wk::Vector3::Zero());
    std::set<std::pair<std::uint32_t, std::uint32_t>> meeting;
    for (const wk::TrianglePair& pair : contacts.pairs)
      meeting.insert(std::minmax(pair.a / (2 * rows), pair.b / (2 * rows)));
    for (const auto& [a, b] : meeting)
      recorded.touching.push_back({a, b});
    recording.frames.push_back(std::move(recorded));
  }

  std::printf("%d pieces, %d frames; regions and pairs of regions visited per frame: %.1f, without normals %.1f\n",
              pieces, arguments.frames, static_cast<double>(looked_at) / arguments.frames,
              static_cast<double>(looked_at_plainly) / arguments.frames);
  std::printf("%zu pairs of triangles in all; without the contour %zu\n", found, found_hastily);
  playground::write_page(arguments.output, recording);
  playground::report_page(arguments.output);
}
