#include "clash/write_scene.hpp"

#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include <whisker/error.hpp>
#include <whisker/io.hpp>

#include "clash/output.hpp"
#include "printing.hpp"

namespace whisker::clash {
namespace {

using nlohmann::ordered_json;

// Three numbers for a pure translation, otherwise the rows of the 4x4 matrix.
ordered_json json_of(const Pose& pose) {
  const Vector3& t = pose.translation();
  if (pose.rotation() == Matrix3::Identity()) return {t.x(), t.y(), t.z()};
  return apps::to_json(pose);
}

// Converts a part's name to a file name: letters, digits, - and _ are kept.
std::string file_name(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const bool is_allowed =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    result += is_allowed ? c : '-';
  }
  return result;
}

}  // namespace

std::filesystem::path write_scene(const Assembly& assembly, const std::filesystem::path& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw Error(folder.string() + ": cannot make the folder: " + failure.message());

  std::vector<std::string> files(assembly.meshes.size());
  std::set<std::string> taken;
  ordered_json parts = ordered_json::array();
  for (const Part& part : assembly.parts) {
    std::string& file = files[part.mesh];
    if (file.empty()) {
      const std::string stem = file_name(part.name);
      file = stem + ".ply";
      for (int number = 2; !taken.insert(file).second; ++number)
        file = stem + "-" + std::to_string(number) + ".ply";
      write_mesh(folder / file, assembly.meshes[part.mesh].data, {.format = MeshFormat::ply, .binary = true});
    }
    ordered_json entry{{"name", part.name}, {"file", file}};
    if (!part.group.empty()) entry["group"] = part.group;
    if (part.motion.empty()) {
      entry["pose"] = json_of(part.pose);
    } else {
      for (const Keyframe& frame : part.motion)
        entry["motion"].push_back({{"time", frame.time}, {"pose", json_of(frame.pose)}});
    }
    parts.push_back(std::move(entry));
  }
  ordered_json rules{{"clearance", assembly.rules.clearance}, {"contact", assembly.rules.contact}};
  if (assembly.rules.solid != Solid::likely) rules["solid"] = to_text(assembly.rules.solid);
  if (!assembly.rules.only.empty()) rules["only"] = assembly.rules.only;
  if (!assembly.rules.ignored.empty()) rules["ignore"] = assembly.rules.ignored;
  if (!assembly.rules.allowed.empty()) rules["allow"] = assembly.rules.allowed;

  // One part per line, so that people can read and change it.
  std::string text = "{\n";
  text += "\"title\": " + ordered_json(assembly.title).dump() + ",\n";
  text += "\"unit\": " + ordered_json(assembly.unit).dump() + ",\n";
  text += "\"rules\": " + rules.dump() + ",\n\"parts\": [\n";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += parts[i].dump() + (i + 1 < parts.size() ? ",\n" : "\n");
  text += "]\n}\n";
  const std::filesystem::path path = folder / "scene.json";
  write_whole_file(path, text);
  return path;
}

}  // namespace whisker::clash
