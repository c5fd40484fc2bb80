#include "clash/read_assembly.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include <Eigen/LU>
#include <fmt/core.h>

#include <whisker/error.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/scene.hpp>

#include "clash/check.hpp"
#include "clash/part_mesh.hpp"
#include "clash/part_source.hpp"
#include "clash/pattern.hpp"
#include "clash/scene_json.hpp"
#include "clash/unit.hpp"

namespace whisker::clash {
namespace {

namespace fs = std::filesystem;

bool is_scene_json(const fs::path& path) {
  return path.extension() == ".json";
}

Pose scaled(Pose pose, double factor) {
  pose.set_translation(pose.translation() * factor);
  return pose;
}

// Sorted by name, so that an assembly does not depend on the order in which the file system lists files.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure))
    if (at->is_regular_file() && is_scene_file(at->path())) files.push_back(at->path());
  if (failure) throw Error(folder.string() + ": cannot be read: " + failure.message());
  if (files.empty())
    throw Error(folder.string() + ": no parts: the folder holds no file of a known format (STL, OBJ, PLY, glTF…)");
  std::sort(files.begin(), files.end());
  return files;
}

// Notes which parts were repaired, and how: one sentence for each mesh.
void note_repairs(Assembly& assembly) {
  std::vector<std::vector<std::string_view>> names(assembly.meshes.size());
  for (const Part& part : assembly.parts)
    names[part.mesh].push_back(part.name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const PartMesh& mesh = assembly.meshes[i];
    if (mesh.repair.empty() || names[i].empty()) continue;
    const std::string who =
        fmt::format("'{}'{}", names[i][0],
                    names[i].size() > 1 ? fmt::format(" and {} more like it", names[i].size() - 1) : std::string());
    assembly.notes.push_back(mesh.is_repaired ? fmt::format("{}: repaired: {}", who, mesh.repair)
                                              : fmt::format("{}: not repaired: {}", who, mesh.repair));
  }
}

class AssemblyBuilder {
 public:
  explicit AssemblyBuilder(const ReadOptions& options) : options_(options), has_contact_(options.has_contact) {
    assembly_.rules.repair = options.repair;
  }

  /// To be called before anything is added. `is_certain`: the user states the unit, so files without a unit are not
  /// questioned.
  void set_unit(const std::string& unit, const std::string& origin, bool is_certain) {
    assembly_.unit = unit;
    assembly_.unit_origin = origin;
    is_unit_certain_ = is_certain;
  }
  /// The file's parts, read only once.
  const Scene& scene_of(const fs::path& path);
  void add_file(const fs::path& path, const std::string& group);
  void add_scene(const StatedScene& scene);
  Assembly finish();

 private:
  // Adds the mesh of a part, with `linear` applied and in the assembly's unit.
  std::uint32_t add_mesh(const MeshData& mesh, const Matrix3& linear, const std::string& file) {
    if (linear.isIdentity(0)) return meshes_.add(mesh, file);
    return meshes_.add(transformed(mesh, linear), file);
  }
  // The parts of a file, in its frame and the assembly's unit.
  const std::vector<Part>& load(const fs::path& path, const Matrix3& linear, const std::string& unit);
  double conversion_of(const Scene& scene, const std::string& stated_unit, const std::string& file) const;
  void measure_without_unit(const Scene& scene, const std::string& file);
  void question_unit();
  void add_stated(const StatedScene& scene, std::size_t number, const std::vector<std::string>& names, double factor);

  const ReadOptions& options_;
  Assembly assembly_;
  MeshStore meshes_;
  UniqueNames names_;
  std::map<std::string, Scene> scenes_;
  std::map<std::string, std::vector<Part>> loaded_;
  std::string file_of_up_;  // the file that stated the up axis
  bool has_floats_ = false;
  bool has_contact_;
  bool is_unit_certain_ = false;
  std::string file_without_unit_;  // the first that states none
  std::size_t files_without_unit_ = 0;
  double largest_without_unit_ = 0;  // longest side of the box of any of their parts
};

const Scene& AssemblyBuilder::scene_of(const fs::path& path) {
  const std::string file = path.lexically_normal().string();
  const auto [read, is_first] = scenes_.try_emplace(file);
  if (!is_first) return read->second;
  has_floats_ = has_floats_ || holds_floats(path);
  try {
    read->second = load_parts(path);
  } catch (...) {
    scenes_.erase(read);
    throw;
  }
  for (const std::string& note : read->second.notes)
    assembly_.notes.push_back(path.filename().string() + ": " + note);
  return read->second;
}

// The factor by which the file's lengths are multiplied.
double AssemblyBuilder::conversion_of(const Scene& scene, const std::string& stated_unit,
                                      const std::string& file) const {
  if (!stated_unit.empty()) return conversion(stated_unit, assembly_.unit, file);
  if (!(scene.unit.meters > 0)) return 1;
  if (meters_of(scene.unit.name)) return conversion(scene.unit.name, assembly_.unit, file);
  // A nonstandard unit, of which only the length is known.
  return scene.unit.meters * conversion("m", assembly_.unit, file);
}

void AssemblyBuilder::measure_without_unit(const Scene& scene, const std::string& file) {
  if (scene.unit.meters > 0) return;
  if (files_without_unit_++ == 0) file_without_unit_ = file;
  for (const ScenePart& part : scene.parts) {
    Aabb box;
    for (const Vector3& vertex : part.mesh.vertices)
      box.include(vertex);
    largest_without_unit_ = std::max(largest_without_unit_, (box.upper - box.lower).maxCoeff());
  }
}

// Files that state no unit may be in a different one than assumed. Their size can reveal that.
void AssemblyBuilder::question_unit() {
  const std::optional<double> meters = meters_of(assembly_.unit);
  if (is_unit_certain_ || files_without_unit_ == 0 || !meters) return;
  const double largest = largest_without_unit_;
  constexpr double smallest_likely = 1e-3, largest_likely = 1e4;  // meters
  if (largest * *meters >= smallest_likely && largest * *meters <= largest_likely) return;
  const std::string others = files_without_unit_ > 1 ? fmt::format(" and {} more", files_without_unit_ - 1) : "";
  assembly_.notes.push_back(fmt::format(
      "{}{}: no unit is stated; assuming {}, the largest part is {:.3g} {} long: if that is wrong, set the unit with "
      "--unit",
      file_without_unit_, others, assembly_.unit, largest, assembly_.unit));
}

// Each file is placed once for each scale at which it is used.
const std::vector<Part>& AssemblyBuilder::load(const fs::path& path, const Matrix3& linear,
                                               const std::string& stated_unit) {
  const std::string file = path.lexically_normal().string();
  const Scene& scene = scene_of(path);
  const double factor = conversion_of(scene, stated_unit, file);
  std::string key = file;
  for (int i = 0; i < 9; ++i)
    key += fmt::format("|{}", factor * linear(i / 3, i % 3));
  const auto [entry, is_new] = loaded_.try_emplace(key);
  if (!is_new) return entry->second;
  const std::string name = path.filename().string();
  if (factor != 1) {
    const std::string own = !stated_unit.empty()         ? stated_unit
                            : meters_of(scene.unit.name) ? scene.unit.name
                                                         : fmt::format("units of {} m", scene.unit.meters);
    assembly_.notes.push_back(fmt::format("{}: converted from {} to {}", name, own, assembly_.unit));
  }
  if (stated_unit.empty()) measure_without_unit(scene, name);
  if (linear.determinant() < 0)
    assembly_.notes.push_back(path.filename().string() + ": mirrored; its triangles were reversed to match");
  if (assembly_.up == UpAxis::unknown && scene.up != UpAxis::unknown) {
    assembly_.up = scene.up;
    file_of_up_ = name;
  }
  for (const ScenePart& part : scene.parts) {
    Part& loaded =
        entry->second.emplace_back(Part{part.name, "", 0, part.pose, {}, file, part.path, part.id, part.type});
    // The non-rigid part is applied in the file's frame: M (R v + t) = R' S' v + M t, decomposed again by the part's
    // S'.
    const Matrix3 whole = factor * linear;
    const Matrix3 own = part.pose.rotation().transpose() * whole * part.pose.rotation();
    loaded.mesh = add_mesh(part.mesh, linear.isIdentity(0) ? whole : own, file);
    try {
      loaded.pose.set_translation(whole * part.pose.translation());
    } catch (const Error& error) {  // out of range in the assembly's unit
      throw Error(fmt::format("{}: part '{}', in {}: {}", file, part.name, assembly_.unit, error.what()));
    }
  }
  return entry->second;
}

// The rotation that makes z point up when another axis does, as in COLLADA and glTF: about a single axis.
Matrix3 turn_to_z(UpAxis up) {
  if (up == UpAxis::y) return (Matrix3() << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished();
  if (up == UpAxis::x) return (Matrix3() << 0, -1, 0, 0, 0, -1, 1, 0, 0).finished();
  return Matrix3::Identity();
}

void AssemblyBuilder::add_file(const fs::path& path, const std::string& group) {
  const std::vector<Part>& parts = load(path, Matrix3::Identity(), "");
  const UpAxis up = scene_of(path).up;
  const bool is_turned = up != UpAxis::unknown && up != assembly_.up;
  const Pose turn(is_turned ? Matrix3(turn_to_z(assembly_.up).transpose() * turn_to_z(up)) : Matrix3::Identity(),
                  Vector3::Zero());
  if (is_turned) {
    constexpr std::string_view axes = "?xyz";
    assembly_.notes.push_back(fmt::format("{}: rotated so that its {} axis points up, as the {} axis does in {}",
                                          path.filename().string(), axes[static_cast<std::size_t>(up)],
                                          axes[static_cast<std::size_t>(assembly_.up)], file_of_up_));
  }
  for (const Part& loaded : parts) {
    Part& part = assembly_.parts.emplace_back(loaded);
    part.name = names_.make(loaded.name);
    part.group = group.empty() ? part.type : group;
    if (is_turned) part.pose = compose(turn, loaded.pose);
  }
}

// `factor` converts from the scene's unit to the assembly's.
void AssemblyBuilder::add_stated(const StatedScene& scene, std::size_t number, const std::vector<std::string>& names,
                                 double factor) {
  const StatedPart& stated = scene.parts[number];
  // Walks up to the root, collecting the pose and at most one motion on the way.
  Pose outer;
  std::vector<Keyframe> motion = stated.motion;
  Pose inner;
  if (motion.empty()) inner = stated.pose;
  for (std::optional<std::size_t> at = stated.parent; at; at = scene.parts[*at].parent) {
    const StatedPart& parent = scene.parts[*at];
    if (!parent.motion.empty() && !motion.empty())
      scene.fail(stated.field + ".parent", "both '" + names[number] + "' and '" + names[*at] +
                                               "' move: give the keyframes of '" + names[number] +
                                               "' in world coordinates");
    if (!parent.motion.empty()) {
      motion = parent.motion;
    } else if (motion.empty()) {
      inner = compose(parent.pose, inner);
    } else {
      outer = compose(parent.pose, outer);
    }
  }
  std::vector<Part> loaded;
  try {
    if (!stated.file.empty()) {
      const fs::path file = fs::path(scene.file).parent_path() / stated.file;
      std::error_code failure;
      if (!fs::exists(file, failure)) throw Error("there is no file '" + file.string() + "'");
      loaded = load(file, stated.linear, stated.unit);
    } else {
      const double size = stated.unit.empty() ? factor : conversion(stated.unit, assembly_.unit, stated.unit);
      loaded.emplace_back().mesh = add_mesh(mesh_of_shape(stated.shape), size * stated.linear, stated.shape);
    }
  } catch (const Error& error) {
    scene.fail(stated.field + (stated.file.empty() ? ".shape" : ".file"), error.what());
  }
  std::string group = stated.group;
  for (const auto& [name, patterns] : scene.groups) {
    if (!group.empty()) break;
    for (const std::string& pattern : patterns)
      if (matches(pattern, names[number])) group = name;
  }
  for (const Part& piece : loaded) {
    Part part = piece;
    part.name = names_.make(loaded.size() == 1 ? names[number] : names[number] + "/" + piece.name);
    part.group = group;
    try {
      const Pose fixed = compose(scaled(inner, factor), piece.pose);
      const Pose base = scaled(outer, factor);
      for (const Keyframe& frame : motion)
        part.motion.push_back({frame.time, compose(base, compose(scaled(frame.pose, factor), fixed))});
      part.pose = part.motion.empty() ? compose(base, fixed) : part.motion.front().pose;
    } catch (const Error& error) {  // a pose is out of range in the assembly's unit
      scene.fail(stated.field, error.what());
    }
    assembly_.parts.push_back(std::move(part));
  }
}

void AssemblyBuilder::add_scene(const StatedScene& scene) {
  const std::string unit = scene.unit.empty() ? assembly_.unit : scene.unit;
  const double factor = conversion(unit, assembly_.unit, scene.file + ": unit");
  if (factor != 1)
    assembly_.notes.push_back(
        fmt::format("{}: converted from {} to {}", fs::path(scene.file).filename().string(), unit, assembly_.unit));
  if (assembly_.title.empty()) assembly_.title = scene.title;
  // Names for parts that have none, distinct from the given ones.
  UniqueNames unique;
  for (const StatedPart& part : scene.parts)
    if (!part.name.empty()) unique.make(part.name);
  std::vector<std::string> names;
  for (const StatedPart& part : scene.parts) {
    const std::string own =
        part.file.empty() ? part.shape.substr(0, part.shape.find(':')) : fs::path(part.file).stem().string();
    names.push_back(part.name.empty() ? unique.make(own) : part.name);
  }
  for (std::size_t i = 0; i < scene.parts.size(); ++i)
    add_stated(scene, i, names, factor);
  Rules& rules = assembly_.rules;
  rules.clearance = std::max(rules.clearance, factor * scene.rules.clearance);
  has_contact_ = has_contact_ || scene.states_contact;
  rules.contact = std::max(rules.contact, factor * scene.rules.contact);
  const auto append = [](std::vector<PairRule>& to, const std::vector<PairRule>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  if (scene.states_solid) rules.solid = scene.rules.solid;
  rules.repair = rules.repair || scene.rules.repair;
  append(rules.only, scene.rules.only);
  append(rules.ignored, scene.rules.ignored);
  append(rules.allowed, scene.rules.allowed);
}

Assembly AssemblyBuilder::finish() {
  loaded_.clear();
  scenes_.clear();
  if (assembly_.parts.empty()) throw Error("no parts: there is nothing to check");
  question_unit();
  const auto begin = std::chrono::steady_clock::now();
  assembly_.meshes = meshes_.build(assembly_.notes, assembly_.rules.repair);
  if (assembly_.rules.repair) note_repairs(assembly_);
  if (options_.build_seconds != nullptr)
    *options_.build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (has_floats_ && !has_contact_) {
    // Both parts of a pair are off by a few ulps of a float, and load_scene ignores scales that differ from 1 by less
    // than a millionth.
    assembly_.rules.contact = 0x1p21 * rounding_of(assembly_);
    assembly_.notes.push_back(fmt::format("coordinates are floats: overlaps and gaps up to {:.1g} {} count as contacts",
                                          assembly_.rules.contact, assembly_.unit));
  }
  return std::move(assembly_);
}

}  // namespace

Assembly read_assembly(std::span<const fs::path> paths, const ReadOptions& options) {
  // Collects the inputs before reading them, because the unit depends on all of them.
  struct Input {
    fs::path path;
    std::string group;
    std::optional<StatedScene> scene;
  };
  std::vector<Input> inputs;
  for (const fs::path& path : paths) {
    std::error_code failure;
    if (!fs::exists(path, failure)) throw Error(path.string() + ": there is no such file or folder");
    if (fs::is_directory(path)) {
      for (const fs::path& file : files_in(path)) {
        const std::string group = file.parent_path().lexically_relative(path).string();
        inputs.push_back({file, group == "." ? "" : group, {}});
      }
    } else if (is_scene_json(path)) {
      inputs.push_back({path, "", read_scene_json(path)});
    } else {
      inputs.push_back({path, "", {}});
    }
  }
  AssemblyBuilder builder(options);
  std::string unit = options.unit;
  std::string origin = "set by --unit";
  for (const Input& input : inputs) {
    if (!unit.empty() || !input.scene || input.scene->unit.empty()) continue;
    unit = input.scene->unit;
    origin = "stated by " + input.path.filename().string();
  }
  const bool is_certain = !unit.empty();
  if (unit.empty()) {
    // The first input that states no unit decides. scene.json files that state one were handled above.
    const auto without = std::ranges::find_if(
        inputs, [&](const Input& input) { return input.scene || !(builder.scene_of(input.path).unit.meters > 0); });
    if (without == inputs.end() && !inputs.empty()) {
      const SceneUnit& first = builder.scene_of(inputs[0].path).unit;
      const bool is_usual = meters_of(first.name).has_value();
      unit = is_usual ? first.name : "m";
      const std::string name = inputs[0].path.filename().string();
      origin = !is_usual                            ? name + " uses an uncommon unit, which is converted"
               : first.origin == UnitOrigin::format ? "defined by the format of " + name
                                                    : "stated by " + name;
    } else {
      unit = "mm";
      origin =
          without == inputs.end() ? "assumed" : "assumed: " + without->path.filename().string() + " states no unit";
    }
  }
  builder.set_unit(unit, origin, is_certain);
  for (const Input& input : inputs) {
    if (input.scene) {
      builder.add_scene(*input.scene);
    } else {
      builder.add_file(input.path, input.group);
    }
  }
  Assembly assembly = builder.finish();
  if (assembly.title.empty())
    assembly.title = paths.size() == 1 ? fs::absolute(paths[0]).lexically_normal().filename().string() : "assembly";
  if (assembly.title.empty()) assembly.title = "assembly";
  return assembly;
}

}  // namespace whisker::clash
