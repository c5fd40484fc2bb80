// The bodies of the suite `kitamura` and their motion.

#include <cmath>
#include <stdexcept>

#include <Eigen/Geometry>

#include <whisker/make/make.hpp>

#include "kitamura.hpp"

namespace whisker::bench {

Scene::Scene(std::vector<Actor> actors) : actors_(std::move(actors)) {
  placed_.resize(actors_.size());
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    placed_[i] = actors_[i].mesh;
    for (const Vector3& v : actors_[i].mesh.vertices)
      actors_[i].radius = std::max(actors_[i].radius, v.norm());
    frame_.soups.push_back({placed_[i].vertices, placed_[i].triangles});
    frame_.poses.push_back(actors_[i].pose);
  }
  place_all();
}

void Scene::place_all() {
  for (std::size_t i = 0; i < actors_.size(); ++i) {
    Actor& actor = actors_[i];
    if (actor.bend) actor.bend(cycle_, actor.mesh);
    for (std::size_t v = 0; v < actor.mesh.vertices.size(); ++v)
      placed_[i].vertices[v] = place(actor.pose, actor.mesh.vertices[v]);
    frame_.poses[i] = actor.pose;
  }
}

void Scene::advance() {
  ++cycle_;
  for (Actor& actor : actors_) {
    actor.pose.set_translation(actor.pose.translation() + actor.velocity);
    actor.pose.set_rotation(
        Eigen::Quaterniond(Matrix3(actor.spin * actor.pose.rotation())).normalized().toRotationMatrix());
    for (int axis = 0; axis < 3 && has_walls; ++axis) {
      double& speed = actor.velocity[axis];
      const double at = actor.pose.translation()[axis];
      if ((at < actor.radius && speed < 0) || (at > 1 - actor.radius && speed > 0)) speed = -speed;
    }
  }
  place_all();
}

namespace {

void append(MeshData& whole, const MeshData& part) {
  const auto first = static_cast<std::uint32_t>(whole.vertices.size());
  whole.vertices.insert(whole.vertices.end(), part.vertices.begin(), part.vertices.end());
  for (const Index3& t : part.triangles)
    whole.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

template <typename Change>
MeshData changed(MeshData mesh, const Change& change) {
  for (Vector3& v : mesh.vertices)
    v = change(v);
  return mesh;
}

/// Centers the mesh and scales it so that the farthest vertex is at distance `size`.
MeshData sized(MeshData mesh, double size, std::size_t faces) {
  if (mesh.triangles.size() != faces) throw std::logic_error("the number of faces of a model differs from the paper's");
  Vector3 lower = mesh.vertices[0], upper = lower;
  for (const Vector3& v : mesh.vertices) {
    lower = lower.cwiseMin(v);
    upper = upper.cwiseMax(v);
  }
  const Vector3 middle = (lower + upper) / 2;
  double farthest = 0;
  for (Vector3& v : mesh.vertices) {
    v -= middle;
    farthest = std::max(farthest, v.norm());
  }
  for (Vector3& v : mesh.vertices)
    v *= size / farthest;
  return mesh;
}

}  // namespace

MeshData sphere_mesh(int faces, double radius) {
  if (faces == 10) return make::uv_sphere({.radius = radius, .stacks = 2, .slices = 5});
  if (faces == 54) return make::uv_sphere({.radius = radius, .stacks = 4, .slices = 9});
  for (int stacks = 2;; ++stacks)
    if (4 * stacks * (stacks - 1) == faces) return make::uv_sphere({.radius = radius, .stacks = stacks});
}

MeshData shuttle_mesh(double size) {
  MeshData body = changed(make::capsule({.radius = 0.2, .length = 1.4, .slices = 12, .stacks = 6}),
                          [](const Vector3& v) { return Vector3(v.z(), v.x(), v.y()); });        // 288, along x
  const MeshData plate = make::box({.size_x = 1, .size_y = 1, .size_z = 1, .subdivisions = 2});  // 48
  for (const double side : {-1.0, 1.0}) {
    append(body, changed(plate, [&](const Vector3& v) {  // tapered wings
             const double out = v.y() + 0.5;
             return Vector3(-0.3 + (0.9 - 0.7 * out) * v.x() - 0.25 * out, side * (0.15 + 0.6 * out),
                            -0.1 + 0.04 * v.z());
           }));
    append(body, changed(plate, [&](const Vector3& v) {  // pods
             return Vector3(-0.7 + 0.4 * v.x(), side * 0.13 + 0.12 * v.y(), 0.16 + 0.12 * v.z());
           }));
  }
  append(body, changed(plate, [](const Vector3& v) {  // fin
           const double up = v.z() + 0.5;
           return Vector3(-0.65 + (0.5 - 0.3 * up) * v.x() - 0.2 * up, 0.03 * v.y(), 0.15 + 0.5 * up);
         }));
  return sized(body, size, 528);
}

MeshData venus_mesh(double size) {
  MeshData body = changed(make::uv_sphere({.radius = 1, .stacks = 29, .slices = 30}), [](const Vector3& v) {
    // A waist, hips, and folds of cloth.
    const double wide = 0.35 + 0.12 * std::cos(5 * v.z()) + 0.03 * std::sin(9 * std::atan2(v.y(), v.x()));
    return Vector3(wide * v.x(), 0.8 * wide * v.y(), 1.2 * v.z());
  });  // 1680
  append(body, changed(make::uv_sphere({.radius = 0.22, .stacks = 5, .slices = 17}),
                       [](const Vector3& v) { return Vector3(v + Vector3(0, 0, 1.3)); }));  // 136
  return sized(body, size, 1816);
}

MeshData hand_mesh(double size) {
  MeshData hand = changed(make::uv_sphere({.radius = 1, .stacks = 11, .slices = 16}),
                          [](const Vector3& v) { return Vector3(0.5 * v.x(), 0.15 * v.y(), 0.55 * v.z()); });  // 320
  const MeshData finger = make::capsule({.radius = 0.09, .length = 0.8, .slices = 8, .stacks = 4});            // 128
  for (int i = 0; i < 5; ++i) {
    const double spread = 0.22 * (i - 2);
    append(hand, changed(finger, [&](const Vector3& v) {
             return Vector3(v.x() + spread + 0.2 * spread * (v.z() + 0.5), v.y(), v.z() + 0.9 - 0.1 * std::abs(i - 2));
           }));
  }
  return sized(hand, size, 960);
}

MeshData chair_mesh(double size) {
  return sized(make::chair(), size, 146);
}

void bend_hand(const MeshData& open, int cycle, MeshData& hand) {
  // Bends about the knuckles, increasingly toward the tips.
  const double most = 0.9 * (1 - std::cos(0.05 * cycle)) / 2;
  double top = 0;
  for (const Vector3& v : open.vertices)
    top = std::max(top, v.z());
  for (std::size_t i = 0; i < open.vertices.size(); ++i) {
    const Vector3& v = open.vertices[i];
    const double out = std::max(0.0, v.z()), angle = most * out / top;
    hand.vertices[i] = {v.x(), v.y() * std::cos(angle) + out * std::sin(angle),
                        v.z() - out + out * std::cos(angle) - v.y() * std::sin(angle)};
  }
}

void wave_sphere(const MeshData& round, int cycle, MeshData& sphere) {
  for (std::size_t i = 0; i < round.vertices.size(); ++i) {
    const Vector3& v = round.vertices[i];
    const Vector3 u = v.normalized();
    sphere.vertices[i] =
        v * (1 + 0.15 * std::sin(0.11 * cycle) * (u.z() * u.z() * 3 - 1) / 2 +
             0.1 * std::sin(0.17 * cycle) * std::sin(3 * std::atan2(u.y(), u.x())) * (1 - u.z() * u.z()));
  }
}

}  // namespace whisker::bench
