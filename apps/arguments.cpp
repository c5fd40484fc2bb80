#include "arguments.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include <Eigen/Geometry>

#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/scene.hpp>

namespace whisker::apps {
namespace {

// Makes a simple shape from its name and numbers. Returns nothing if the name is not one of them.
std::optional<Shape> simple_shape(const std::string& kind, const std::string& text) {
  const auto numbers = [&](std::size_t count) {
    const std::vector<double> values = parse_numbers(text, kind);
    if (values.size() != count) {
      throw Error(kind + ": takes " + std::to_string(count) + " numbers, got " + std::to_string(values.size()));
    }
    return values;
  };
  if (kind == "sphere") return Sphere{numbers(1)[0]};
  if (kind == "box") {
    const auto v = numbers(3);
    return Box{{v[0], v[1], v[2]}};
  }
  if (kind == "capsule") {
    const auto v = numbers(2);
    return Capsule{v[0], v[1]};
  }
  if (kind == "half-space") {
    const auto v = numbers(4);
    return HalfSpace{{v[0], v[1], v[2]}, v[3]};
  }
  if (kind == "plane") {
    const auto v = numbers(4);
    return Plane{{v[0], v[1], v[2]}, v[3]};
  }
  if (kind == "segment") {
    const auto v = numbers(6);
    return Segment{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  }
  if (kind == "triangle") {
    const auto v = numbers(9);
    return Triangle{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}};
  }
  return std::nullopt;
}

}  // namespace

std::vector<double> parse_numbers(const std::string& text, const std::string& what) {
  std::vector<double> numbers;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find_first_of(", \t\n", at);
    const std::string word = text.substr(at, end == std::string::npos ? end : end - at);
    at = end == std::string::npos ? text.size() : end + 1;
    if (word.empty()) continue;
    const char* first = word.data() + (word[0] == '+' ? 1 : 0);
    double value = 0;
    const auto [rest, failure] = std::from_chars(first, word.data() + word.size(), value);
    if (failure != std::errc() || rest != word.data() + word.size() || !std::isfinite(value)) {
      throw Error(what + ": '" + word + "' is not a finite number");
    }
    numbers.push_back(value);
  }
  return numbers;
}

Vector3 parse_vector(const std::string& text, const std::string& what) {
  const std::vector<double> v = parse_numbers(text, what);
  if (v.size() != 3) throw Error(what + ": takes 3 numbers, got " + std::to_string(v.size()));
  return {v[0], v[1], v[2]};
}

Pose parse_pose(const std::string& text) {
  const std::vector<double> v = parse_numbers(text, "pose");
  if (v.size() == 3) return Pose(Vector3(v[0], v[1], v[2]));
  if (v.size() == 7) {
    const Eigen::Quaterniond turn(v[3], v[4], v[5], v[6]);
    if (!(turn.norm() > 0)) throw Error("pose: the quaternion is zero; it must be a rotation, such as 1,0,0,0");
    return Pose::nearest(turn, Vector3(v[0], v[1], v[2]));
  }
  if (v.size() == 16) {
    if (v[12] != 0 || v[13] != 0 || v[14] != 0 || v[15] != 1)
      throw Error("pose: the last row of a 4x4 matrix must be 0 0 0 1");
    return {(Matrix3() << v[0], v[1], v[2], v[4], v[5], v[6], v[8], v[9], v[10]).finished(), {v[3], v[7], v[11]}};
  }
  throw Error("pose: takes 3, 7 or 16 numbers (" + std::string(pose_help) + "), got " + std::to_string(v.size()));
}

MeshData load_triangles(const std::string& path) {
  if (format_of_extension(path)) return read_mesh(path);
  return joined_parts(load_scene(path));
}

MeshData joined_parts(const Scene& scene) {
  MeshData joined;
  for (const ScenePart& part : scene.parts) {
    const auto base = static_cast<std::uint32_t>(joined.vertices.size());
    for (const Vector3& vertex : part.mesh.vertices)
      joined.vertices.push_back(place(part.pose, vertex));
    for (const Index3& triangle : part.mesh.triangles) {
      joined.triangles.push_back({triangle[0] + base, triangle[1] + base, triangle[2] + base});
    }
  }
  return joined;
}

Shape load_shape(const std::string& text, bool solid) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) {
    if (auto shape = simple_shape(text.substr(0, colon), text.substr(colon + 1))) return *shape;
  }
  Mesh mesh(load_triangles(text));
  if (!solid) return mesh;
  try {
    return mesh.solid();
  } catch (const Error& error) {
    throw Error(text + ": " + error.what());
  }
}

}  // namespace whisker::apps
