// Loads scenes from files: parts with their names and poses.

#include <cmath>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>

#include <Eigen/LU>
#include <Eigen/SVD>

#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/scene.hpp>

#include "io/faces.hpp"
#include "io/scene_child.hpp"
#include "io/source.hpp"
#include "shapes/plain_mesh.hpp"

namespace whisker {

namespace {

void add_notes(const ReadReport& report, std::vector<std::string>& notes) {
  const auto note = [&](const std::string& done, const std::string& things, std::size_t count) {
    if (count > 0) notes.push_back(done + ": " + things + " (" + std::to_string(count) + ")");
  };
  for (const IgnoredElement& element : report.ignored)
    note("left out", element.what, element.count);
  note("left out", "faces with fewer than three corners", report.short_polygons_ignored);
  note("cut into triangles", "polygons with more than three corners", report.polygons_triangulated);
  note("cut as fans", "polygons that cross themselves or have no area", report.polygons_not_simple);
}

/// Splits a mesh into parts by group name, each with the vertices that it uses, in the order of their numbers.
std::vector<ScenePart> split_groups(const MeshData& mesh, const std::vector<TriangleGroup>& groups) {
  std::vector<ScenePart> parts;
  std::unordered_map<std::string, std::size_t> part_of_name;
  std::vector<std::vector<Index3>> triangles;
  for (const TriangleGroup& group : groups) {
    const auto [found, added] = part_of_name.try_emplace(group.name, parts.size());
    if (added) {
      parts.push_back({.name = group.name, .mesh = {}, .pose = {}});
      triangles.emplace_back();
    }
    const auto first = mesh.triangles.begin() + static_cast<std::ptrdiff_t>(group.first_triangle);
    std::vector<Index3>& all = triangles[found->second];
    all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(group.triangle_count));
  }
  shapes::PartCutter cutter(mesh.vertices);
  for (std::size_t p = 0; p < parts.size(); ++p)
    parts[p].mesh = cutter.part(std::move(triangles[p]));
  return parts;
}

/// Splits a node's linear part M into a rotation R and a remainder S = RᵀM, so that M = R S (the polar decomposition).
/// If M mirrors, so does S.
void split_linear_part(const Matrix3& m, Matrix3& rotation, Matrix3& rest) {
  const Eigen::JacobiSVD<Matrix3> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double handedness = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1.0 : 1.0;
  const Vector3 turned(1, 1, handedness);
  rotation = svd.matrixU() * turned.asDiagonal() * svd.matrixV().transpose();
  const Vector3 stretch = turned.cwiseProduct(Vector3(svd.singularValues()));
  rest = svd.matrixV() * stretch.asDiagonal() * svd.matrixV().transpose();
}

/// The parts that a note refers to: the first few by name, the others by their count.
class NotedParts {
 public:
  void add(const std::string& name) {
    constexpr std::size_t max_names = 3;
    if (++count_ <= max_names) names_ += (names_.empty() ? "'" : ", '") + name + "'";
  }
  void note(const std::string& what, std::vector<std::string>& notes) const {
    if (count_ == 0) return;
    const std::size_t others = count_ - std::min<std::size_t>(count_, 3);
    notes.push_back((count_ == 1 ? "part " : "parts ") + names_ +
                    (others > 0 ? " and " + std::to_string(others) + " more" : "") + ": " + what);
  }

 private:
  std::string names_;
  std::size_t count_ = 0;
};

/// Parts whose nodes do more than place their meshes.
struct NodeEffects {
  NotedParts scaled;
  NotedParts mirrored;
};

/// Makes a part in its own frame, with the pose of its node.
ScenePart place_part(const io::Source& about, io::StreamPart&& from, NodeEffects& effects) {
  constexpr double float_rounding = 1e-6;
  ScenePart part{.name = io::readable_name(from.name), .mesh = std::move(from.mesh), .pose = {}};
  part.id = io::readable_name(from.id);
  part.type = io::readable_name(from.type);
  for (const std::string& name : from.path)
    part.path.push_back(io::readable_name(name));
  if (part.name.empty()) part.name = part.type;
  for (const Vector3& v : part.mesh.vertices) {
    if (!v.allFinite()) {
      about.fail("part " + io::quoted(part.name) + " has a vertex that is not a finite number: repair the data");
    }
  }
  const Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>> transform(from.transform.data());
  const Matrix3 linear = transform.leftCols<3>();
  const Vector3 translation = transform.col(3);
  if (!linear.allFinite() || !translation.allFinite()) {
    about.fail("part " + io::quoted(part.name) + " has a transform that is not finite: repair the data");
  }
  Matrix3 rotation, rest;
  split_linear_part(linear, rotation, rest);
  try {
    part.pose = Pose(rotation, translation);
  } catch (const Error&) {
    about.fail("part " + io::quoted(part.name) + " has a transform out of the range of numbers: repair the data");
  }
  io::merge_vertices(part.mesh);
  part.mesh = shapes::without_unused(std::move(part.mesh));
  if ((rest - Matrix3::Identity()).cwiseAbs().maxCoeff() >= float_rounding) {
    for (Vector3& v : part.mesh.vertices) {
      v = Vector3(rest * v);
      if (!v.allFinite()) {
        about.fail("part " + io::quoted(part.name) + " has a scale out of the range of numbers: repair the data");
      }
    }
    const bool mirrors = rest.determinant() < 0;
    if (mirrors) {
      for (Index3& t : part.mesh.triangles)
        std::swap(t[1], t[2]);
    }
    (mirrors ? effects.mirrored : effects.scaled).add(part.name);
  }
  return part;
}

Scene load_mesh_as_scene(const std::filesystem::path& path) {
  ReadReport report;
  MeshData mesh = read_mesh(path, &report);
  Scene scene;
  add_notes(report, scene.notes);
  if (report.format == MeshFormat::obj && !report.groups.empty()) {
    scene.parts = split_groups(mesh, report.groups);
  } else {
    scene.parts.push_back(
        {.name = report.groups.size() == 1 ? report.groups[0].name : "", .mesh = std::move(mesh), .pose = {}});
  }
  return scene;
}

/// Sets the usual name for a unit of that length. Other units keep the file's name for them.
SceneUnit named(SceneUnit unit) {
  static constexpr std::pair<double, const char*> known[] = {{1e-6, "um"},   {1e-3, "mm"},   {1e-2, "cm"},
                                                             {0.1, "dm"},    {1, "m"},       {1e3, "km"},
                                                             {0.0254, "in"}, {0.3048, "ft"}, {0.9144, "yd"}};
  if (!(unit.meters > 0) || !std::isfinite(unit.meters)) return {};
  unit.name = io::readable_name(unit.name);
  // A name such as "mm" for another length would be converted as if it were millimeters.
  for (const auto& [meters, name] : known)
    if (unit.name == name) unit.name.clear();
  // Files state the factor as a float, or with however many digits someone typed.
  constexpr double rounding = 2e-7;
  for (const auto& [meters, name] : known) {
    if (std::abs(unit.meters / meters - 1) > rounding) continue;
    unit.meters = meters;
    unit.name = name;
  }
  return unit;
}

void name_parts(Scene& scene, const std::filesystem::path& path) {
  UniqueNames names;
  const std::string own_name = io::readable_name(path.stem().string());
  for (ScenePart& part : scene.parts)
    part.name = names.make(part.name.empty() ? own_name : io::readable_name(part.name));
}

}  // namespace

Scene io::load_scene_in_child(const std::filesystem::path& path, const SceneOptions& options) {
  const Source about{{}, path.string()};
  SceneStream stream = read_in_child(path, options);
  Scene scene;
  scene.unit = named(stream.unit);
  scene.up = stream.up;
  for (const std::string& note : stream.notes)
    scene.notes.push_back(readable_name(note));
  NodeEffects effects;
  try {
    for (StreamPart& part : stream.parts) {
      if (part.mesh.triangles.empty()) continue;
      scene.parts.push_back(place_part(about, std::move(part), effects));
    }
  } catch (const std::bad_alloc&) {
    about.fail("not enough memory for the scene: split the file");
  }
  effects.scaled.note("scaled by their nodes; applied to the vertices", scene.notes);
  effects.mirrored.note("mirrored by their nodes; applied to the vertices", scene.notes);
  if (scene.parts.empty()) about.fail("no triangles: the file has no surface that can be read");
  name_parts(scene, path);
  return scene;
}

Scene load_scene(const std::filesystem::path& path, const SceneOptions& options) {
  if (!format_of_extension(path)) return io::load_scene_in_child(path, options);
  Scene scene = load_mesh_as_scene(path);
  name_parts(scene, path);
  return scene;
}

MeshData joined_parts(const Scene& scene) {
  MeshData joined;
  for (const ScenePart& part : scene.parts) {
    const auto base = static_cast<std::uint32_t>(joined.vertices.size());
    for (const Vector3& vertex : part.mesh.vertices)
      joined.vertices.push_back(place(part.pose, vertex));
    for (const Index3& triangle : part.mesh.triangles)
      joined.triangles.push_back({triangle[0] + base, triangle[1] + base, triangle[2] + base});
  }
  return joined;
}

std::string UniqueNames::make(const std::string& wanted) {
  const auto [known, is_new] = last_number_.try_emplace(wanted, 1);
  if (is_new) return wanted;
  std::size_t& number = known->second;  // stays where it is while others are added
  while (true) {
    std::string name = wanted + "_" + std::to_string(++number);
    if (last_number_.try_emplace(name, 1).second) return name;
  }
}

}  // namespace whisker
