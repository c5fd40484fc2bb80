// A ball flies at a ring and breaks into pieces when it touches it. The pieces fly on and bounce off the ring. One soup
// of triangles becomes many from one frame to the next, so nothing could have been precomputed. Prints the contacts
// frame by frame, and writes a web page that plays the motion.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/make/make.hpp>
#include <whisker/methods/soup_contacts.hpp>

#include "playground/arguments.hpp"
#include "playground/bouncing.hpp"
#include "playground/page.hpp"

namespace wk = whisker;

namespace {

/// Some triangles of the ball that stay together: in a frame around their centroid, and at their positions in the
/// world.
struct Piece {
  wk::MeshData mesh;
  std::vector<wk::Vector3> placed;
  playground::Flyer flyer;
};

/// Splits the triangles by their nearest direction.
std::vector<Piece> pieces_of(const wk::MeshData& ball, std::span<const wk::Vector3> directions) {
  std::vector<Piece> pieces(directions.size());
  std::vector<std::map<std::uint32_t, std::uint32_t>> numbers(directions.size());  // indices in a piece of the ball's
                                                                                   // vertices
  for (const wk::Index3& t : ball.triangles) {
    const wk::Vector3 middle = (ball.vertices[t[0]] + ball.vertices[t[1]] + ball.vertices[t[2]]) / 3;
    const auto nearest = std::ranges::max_element(directions, {}, [&](const wk::Vector3& d) { return d.dot(middle); });
    const auto piece = static_cast<std::size_t>(nearest - directions.begin());
    wk::MeshData& mesh = pieces[piece].mesh;
    wk::Index3 own{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto next = static_cast<std::uint32_t>(mesh.vertices.size());
      const auto [at, is_new] = numbers[piece].try_emplace(t[k], next);
      if (is_new) mesh.vertices.push_back(ball.vertices[t[k]]);
      own[k] = at->second;
    }
    mesh.triangles.push_back(own);
  }
  std::erase_if(pieces, [](const Piece& piece) { return piece.mesh.triangles.empty(); });
  for (Piece& piece : pieces) {
    wk::Vector3 middle = wk::Vector3::Zero();
    for (const wk::Vector3& v : piece.mesh.vertices)
      middle += v / static_cast<double>(piece.mesh.vertices.size());
    for (wk::Vector3& v : piece.mesh.vertices)
      v -= middle;
    piece.flyer.pose = wk::Pose(middle);
    piece.placed.resize(piece.mesh.vertices.size());
  }
  return pieces;
}

/// Gives the shell a thickness for drawing, so that it is also visible from inside.
wk::MeshData thick(const Piece& piece) {
  wk::MeshData mesh = piece.mesh;
  const auto count = static_cast<std::uint32_t>(mesh.vertices.size());
  for (const wk::Vector3& v : piece.mesh.vertices)
    mesh.vertices.push_back(v - 0.04 * (v + piece.flyer.pose.translation()));
  for (const wk::Index3& t : piece.mesh.triangles)
    mesh.triangles.push_back({t[0] + count, t[2] + count, t[1] + count});
  return mesh;
}

wk::Vector3 area_normal(const wk::MeshData& mesh, std::uint32_t triangle) {
  const wk::Index3& t = mesh.triangles[triangle];
  return (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]);
}

}  // namespace

int main(int count, char** values) {
  const playground::Arguments arguments =
      playground::read_arguments(count, values, {.output = "breaking_mesh.html", .frames = 120, .bodies = 60});
  const double seconds = 1.0 / 30;  // of a frame

  std::mt19937_64 random(5);
  const auto any_vector = [&](double largest) {
    const auto between = [&] { return largest * (2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1); };
    return wk::Vector3(between(), between(), between());
  };
  wk::MeshData ball = wk::make::icosphere({.subdivisions = 4}), ring = wk::make::torus({.major = 1.6, .minor = 0.5});
  const wk::Vector3 ball_middle(0.6, 0.4, 3.2), fall(0, 0, -3);
  std::vector<wk::Vector3> directions;
  for (int i = 0; i < arguments.bodies; ++i)
    directions.push_back(any_vector(1).normalized());
  const std::size_t triangles = ball.triangles.size();
  std::vector<Piece> pieces = pieces_of(ball, directions);

  playground::Recording recording{.title = "A mesh that breaks",
                                  .note = "A ball of 5,120 triangles falls on a ring and breaks."};
  recording.view.emplace();
  recording.view->include(wk::Vector3(-4, -4, -3));
  recording.view->include(wk::Vector3(4, 4, 4));
  const auto watch = [&](wk::MeshData mesh, const playground::Look& look, bool is_static) {
    recording.bodies.push_back({{}, static_cast<std::uint32_t>(recording.meshes.size()), look, is_static});
    recording.meshes.push_back(std::move(mesh));
  };
  watch(ring, {.color = 0x6b7686}, true);
  recording.fixed_poses.emplace_back();
  for (const Piece& piece : pieces)
    watch(thick(piece), {.color = 0xb8935a}, false);

  for (Piece& piece : pieces) {
    piece.flyer.pose.set_translation(piece.flyer.pose.translation() + ball_middle);
    piece.flyer.velocity = fall;
  }

  wk::methods::SoupContactFinder finder;
  std::vector<wk::methods::Soup> soups;
  bool is_broken = false;
  std::size_t contacts = 0;
  for (int frame = 0; frame < arguments.frames; ++frame) {
    for (Piece& piece : pieces) {
      if (frame > 0)
        piece.flyer.pose = playground::moved(piece.flyer.pose, piece.flyer.velocity, piece.flyer.spin, seconds);
      for (std::size_t i = 0; i < piece.placed.size(); ++i)
        piece.placed[i] = wk::place(piece.flyer.pose, piece.mesh.vertices[i]);
    }
    // The ring, and the ball or its pieces.
    soups.assign(1, {ring.vertices, ring.triangles});
    if (!is_broken) {
      ball.vertices.clear();
      ball.triangles.clear();
      for (const Piece& piece : pieces) {
        const auto first = static_cast<std::uint32_t>(ball.vertices.size());
        ball.vertices.insert(ball.vertices.end(), piece.placed.begin(), piece.placed.end());
        for (const wk::Index3& t : piece.mesh.triangles)
          ball.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      }
      soups.push_back({ball.vertices, ball.triangles});
    } else {
      for (const Piece& piece : pieces)
        soups.push_back({piece.placed, piece.mesh.triangles});
    }

    const wk::methods::SoupContacts& found = finder.find(soups);
    std::size_t with_ring = 0;
    playground::RecordedFrame recorded;
    std::map<std::uint32_t, wk::Vector3> pushes;  // by piece that touches the ring
    for (const wk::MeshTrianglePair& c : found.pairs) {
      if (c.mesh_a != 0) continue;  // contacts between pieces
      ++with_ring;
      pushes.try_emplace(c.mesh_b - 1, wk::Vector3::Zero()).first->second += area_normal(ring, c.triangle_a);
    }
    contacts += found.pairs.size();
    std::printf(
        "frame %3d: %3zu soups, %5zu triangle pairs touch (%zu of them with the ring); %zu of %zu faces kept, "
        "%zu pairs tested\n",
        frame, soups.size(), found.pairs.size(), with_ring, static_cast<std::size_t>(found.counts.faces_kept),
        static_cast<std::size_t>(found.counts.faces), static_cast<std::size_t>(found.cost.primitive_tests));
    for (const Piece& piece : pieces)
      recorded.poses.push_back(piece.flyer.pose);
    for (const auto& [piece, push] : pushes)
      if (is_broken) recorded.touching.push_back({0, piece + 1});
    recording.frames.push_back(std::move(recorded));

    if (!is_broken && with_ring > 0) {
      // From here on every piece is a soup of its own, which flies away from the ball's center.
      is_broken = true;
      const wk::Vector3 middle = ball_middle + fall * (frame * seconds);
      for (Piece& piece : pieces) {
        const wk::Vector3 out = piece.flyer.pose.translation() - middle;
        piece.flyer.velocity = 0.4 * fall + 2 * out + any_vector(0.4);
        piece.flyer.spin = any_vector(3);
      }
    } else {
      for (const auto& [number, push] : pushes) {
        wk::Vector3& velocity = pieces[number].flyer.velocity;
        const wk::Vector3 normal = push.normalized();
        velocity -= 1.6 * std::min(0.0, velocity.dot(normal)) * normal;
      }
    }
    if (is_broken) {
      for (Piece& piece : pieces)
        piece.flyer.velocity += seconds * wk::Vector3(0, 0, -1.5);
    }
  }
  std::printf("%zu pieces of %zu triangles, %d frames, %zu contacts in all\n", pieces.size(), triangles,
              arguments.frames, contacts);
  playground::write_page(arguments.output, recording);
  playground::report_page(arguments.output);
}
