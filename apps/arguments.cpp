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

Vector3 vector_at(const std::vector<double>& v, std::size_t first) {
  return {v[first], v[first + 1], v[first + 2]};
}

// Makes a simple shape from its name and numbers. Returns nothing if the name is not one of them.
std::optional<Shape> simple_shape(const std::string& kind, const std::string& text) {
  std::vector<double> v;
  const auto is = [&](const char* name, std::size_t count) {
    if (kind != name) return false;
    v = parse_numbers(text, kind);
    if (v.size() != count)
      throw Error(kind + ": takes " + std::to_string(count) + " numbers, got " + std::to_string(v.size()));
    return true;
  };
  if (is("sphere", 1)) return Sphere{v[0]};
  if (is("box", 3)) return Box{vector_at(v, 0)};
  if (is("capsule", 2)) return Capsule{v[0], v[1]};
  if (is("half-space", 4)) return HalfSpace{vector_at(v, 0), v[3]};
  if (is("plane", 4)) return Plane{vector_at(v, 0), v[3]};
  if (is("segment", 6)) return Segment{vector_at(v, 0), vector_at(v, 3)};
  if (is("triangle", 9)) return Triangle{vector_at(v, 0), vector_at(v, 3), vector_at(v, 6)};
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
  return vector_at(v, 0);
}

Pose parse_pose(const std::string& text) {
  const std::vector<double> v = parse_numbers(text, "pose");
  if (v.size() == 3) return Pose(vector_at(v, 0));
  if (v.size() == 7) {
    const Eigen::Quaterniond turn(v[3], v[4], v[5], v[6]);
    if (!(turn.norm() > 0)) throw Error("pose: the quaternion is zero; it must be a rotation, such as 1,0,0,0");
    return Pose::nearest(turn, vector_at(v, 0));
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
