#include "clash/scene_json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <tuple>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>

#include "clash/output.hpp"
#include "printing.hpp"

namespace whisker::clash {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The number of characters that must be inserted, deleted or replaced to turn one word into the other (Levenshtein
// 1965).
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// For a message: the nearest of the known words, which `name_of` finds in their entries.
template <class Entries, class NameOf = std::identity>
std::string hint_for(std::string_view word, const Entries& known, NameOf name_of = {}) {
  const auto edits = [&](const auto& entry) { return edits_between(word, std::invoke(name_of, entry)); };
  const std::string_view nearest = std::invoke(name_of, *std::ranges::min_element(known, {}, edits));
  return "; the nearest known one is '" + std::string(nearest) + "'";
}

// A value and its location in the file.
struct Field {
  const json& value;
  std::string path;
  const std::string& file;

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(file + ": " + (path.empty() ? "" : path + ": ") + message);
  }
  Field operator[](std::size_t i) const { return {value[i], path + "[" + std::to_string(i) + "]", file}; }
  Field operator[](const std::string& name) const {
    return {value.at(name), path.empty() ? name : path + "." + name, file};
  }
  bool has(const std::string& name) const { return value.contains(name); }

  void expect(bool is_so, const char* what) const {
    if (!is_so) fail(std::string("must be ") + what + ", not " + value.type_name());
  }
  void expect_object(std::initializer_list<std::string_view> known) const {
    expect(value.is_object(), "an object");
    for (const auto& [name, unused] : value.items())
      if (std::ranges::find(known, name) == known.end()) fail("unknown field '" + name + "'" + hint_for(name, known));
  }
  std::vector<Field> list() const {
    expect(value.is_array(), "a list");
    std::vector<Field> result;
    for (std::size_t i = 0; i < value.size(); ++i)
      result.push_back((*this)[i]);
    return result;
  }
  std::string text() const {
    expect(value.is_string(), "a string");
    return value.get<std::string>();
  }
  std::string filled_text() const {
    std::string result = text();
    if (result.empty()) fail("must not be empty");
    return result;
  }
  double number() const {
    expect(value.is_number(), "a number");
    const double result = value.get<double>();
    if (!std::isfinite(result)) fail("must be finite");
    return result;
  }
  double length() const {
    const double result = number();
    if (result < 0) fail("must be 0 or more, not " + value.dump());
    return result;
  }
  std::vector<double> numbers() const {
    std::vector<double> result;
    for (const Field& entry : list())
      result.push_back(entry.number());
    return result;
  }
  Vector3 vector(const char* takes) const {
    const std::vector<double> v = numbers();
    if (v.size() != 3) fail(fmt::format("takes {}, got {}", takes, v.size()));
    return {v[0], v[1], v[2]};
  }
};

Matrix3 rotation_of(const Field& field, double w, double x, double y, double z) {
  const Eigen::Quaterniond turn(w, x, y, z);
  if (!(turn.norm() > 0) || !std::isfinite(turn.norm()))
    field.fail("the quaternion (w, x, y, z) is zero; it must be a rotation, such as 1, 0, 0, 0");
  return turn.normalized().toRotationMatrix();
}

// The rotation in the 4x4 matrix. Sets `rest`.
Matrix3 rotation_in(const Field& field, const std::vector<double>& m, Matrix3& rest) {
  if (m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1)
    field.fail("the last row of the 4x4 matrix must be 0, 0, 0, 1 (rows come one after the other)");
  Matrix3 linear;
  linear << m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10];
  if ((linear.transpose() * linear - Matrix3::Identity()).cwiseAbs().maxCoeff() <= Pose::rotation_tolerance &&
      linear.determinant() > 0)
    return linear;
  const Eigen::JacobiSVD<Matrix3> svd(linear, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector3 stretch = svd.singularValues();
  if (!(stretch.minCoeff() > 1e-12 * stretch.maxCoeff()))
    field.fail("has scale zero: the part would be flat, or a point");
  const double handedness = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1.0 : 1.0;
  const Vector3 turned(1, 1, handedness);
  rest = svd.matrixV() * turned.cwiseProduct(stretch).asDiagonal() * svd.matrixV().transpose();
  return svd.matrixU() * turned.asDiagonal() * svd.matrixV().transpose();
}

// The pose, and the rest of the matrix: M = R S (the polar decomposition). If M mirrors, so does S.
std::pair<Pose, Matrix3> parse_pose(const Field& field) {
  Matrix3 rotation = Matrix3::Identity(), rest = Matrix3::Identity();
  Vector3 translation = Vector3::Zero();
  if (field.value.is_object()) {
    field.expect_object({"translation", "rotation"});
    if (field.has("translation")) translation = field["translation"].vector("3 numbers");
    if (field.has("rotation")) {
      const std::vector<double> q = field["rotation"].numbers();
      if (q.size() != 4)
        field["rotation"].fail("takes the 4 numbers of a quaternion, w first, got " + std::to_string(q.size()));
      rotation = rotation_of(field["rotation"], q[0], q[1], q[2], q[3]);
    }
  } else {
    std::vector<double> v;
    if (field.value.is_array() && field.value.size() == 4 && field.value[0].is_array()) {
      for (const Field& row : field.list()) {
        const std::vector<double> some = row.numbers();
        if (some.size() != 4) row.fail("a row of a 4x4 matrix has 4 numbers, got " + std::to_string(some.size()));
        v.insert(v.end(), some.begin(), some.end());
      }
    } else {
      v = field.numbers();
    }
    if (v.size() == 16) {
      rotation = rotation_in(field, v, rest);
      translation = {v[3], v[7], v[11]};
    } else if (v.size() == 3 || v.size() == 7) {
      translation = {v[0], v[1], v[2]};
      if (v.size() == 7) rotation = rotation_of(field, v[3], v[4], v[5], v[6]);
    } else {
      field.fail("takes 3 numbers (x, y, z), 7 (and a quaternion, w first) or the 16 of a 4x4 matrix, got " +
                 std::to_string(v.size()));
    }
  }
  try {
    return {Pose(rotation, translation), rest};
  } catch (const Error& error) {
    field.fail(error.what());
  }
}

std::vector<Keyframe> parse_motion(const Field& field) {
  std::vector<Keyframe> frames;
  for (const Field& entry : field.list()) {
    entry.expect_object({"time", "pose"});
    for (const char* name : {"time", "pose"})
      if (!entry.has(name)) entry.fail(std::string("lacks '") + name + "'");
    const double time = entry["time"].number();
    if (!frames.empty() && !(time > frames.back().time))
      entry["time"].fail("times must ascend: " + entry["time"].value.dump() + " comes after " +
                         json(frames.back().time).dump());
    const auto [pose, rest] = parse_pose(entry["pose"]);
    if (!rest.isIdentity(0))
      entry["pose"].fail("scales or mirrors: a part cannot change its size while it moves; use the part's 'scale'");
    frames.push_back({time, pose});
  }
  if (frames.empty()) field.fail("has no keyframes; omit it for a part that does not move");
  return frames;
}

Matrix3 parse_scale(const Field& field) {
  const Vector3 factors =
      field.value.is_number() ? Vector3::Constant(field.number()).eval() : field.vector("one number or 3");
  if ((factors.array() == 0).any()) field.fail("is zero: the part would be flat, or a point");
  return factors.asDiagonal();
}

StatedPart parse_part(const Field& field) {
  field.expect_object({"name", "file", "shape", "pose", "group", "scale", "unit", "parent", "motion"});
  StatedPart part;
  part.field = field.path;
  if (field.has("name")) part.name = field["name"].filled_text();
  if (field.has("group")) part.group = field["group"].text();
  if (field.has("unit")) part.unit = field["unit"].filled_text();
  if (field.has("file") == field.has("shape")) field.fail("needs a 'file' or a 'shape', and not both");
  if (field.has("file")) part.file = field["file"].filled_text();
  if (field.has("shape")) part.shape = field["shape"].filled_text();
  if (field.has("pose") && field.has("motion"))
    field.fail("has a 'pose' and a 'motion': it starts at the pose of the first keyframe");
  if (field.has("pose")) std::tie(part.pose, part.linear) = parse_pose(field["pose"]);
  if (field.has("scale")) part.linear = part.linear * parse_scale(field["scale"]);
  if (field.has("motion")) {
    part.motion = parse_motion(field["motion"]);
    part.pose = part.motion.front().pose;
  }
  return part;
}

std::vector<PairRule> parse_pair_rules(const Field& field) {
  std::vector<PairRule> rules;
  for (const Field& entry : field.list()) {
    const std::vector<Field> pair = entry.list();
    if (pair.size() != 2) entry.fail("takes two patterns of names or groups, got " + std::to_string(pair.size()));
    rules.push_back({pair[0].filled_text(), pair[1].filled_text()});
  }
  return rules;
}

Rules parse_rules(const Field& field) {
  field.expect_object({"clearance", "contact", "only", "ignore", "allow", "solid", "repair"});
  Rules rules;
  if (field.has("clearance")) rules.clearance = field["clearance"].length();
  if (field.has("contact")) rules.contact = field["contact"].length();
  if (field.has("only")) rules.only = parse_pair_rules(field["only"]);
  if (field.has("ignore")) rules.ignored = parse_pair_rules(field["ignore"]);
  if (field.has("allow")) rules.allowed = parse_pair_rules(field["allow"]);
  if (field.has("solid")) {
    const std::optional<Solid> solid = solid_of_text(field["solid"].text());
    if (!solid) field["solid"].fail("takes 'likely', 'proven' or 'never', not '" + field["solid"].text() + "'");
    rules.solid = *solid;
  }
  if (field.has("repair")) {
    field["repair"].expect(field["repair"].value.is_boolean(), "true or false");
    rules.repair = field["repair"].value.get<bool>();
  }
  return rules;
}

// Finds parents by name and checks that no part is its own ancestor.
void find_parents(const std::vector<Field>& parts, StatedScene& scene,
                  const std::map<std::string, std::size_t>& by_name) {
  for (std::size_t i = 0; i < scene.parts.size(); ++i) {
    const Field field = parts[i];
    if (!field.has("parent")) continue;
    const std::string parent = field["parent"].text();
    const auto found = by_name.find(parent);
    if (found == by_name.end()) field["parent"].fail("there is no part '" + parent + "'");
    scene.parts[i].parent = found->second;
  }
  for (std::size_t i = 0; i < scene.parts.size(); ++i) {
    std::optional<std::size_t> at = scene.parts[i].parent;
    for (std::size_t steps = 0; at; ++steps, at = scene.parts[*at].parent) {
      if (*at == i || steps > scene.parts.size())
        parts[i]["parent"].fail("forms a cycle: '" + scene.parts[i].name + "' is its own ancestor");
    }
  }
}

json parse_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(path.string() + ": cannot be read; does it exist?");
  try {
    return json::parse(std::string{std::istreambuf_iterator<char>(file), {}});
  } catch (const json::exception& error) {
    std::string message = error.what();  // "[json.exception.parse_error.101] parse error at line 3, column 5: …"
    if (const std::size_t end = message.find("] "); end != std::string::npos) message = message.substr(end + 2);
    throw Error(path.string() + ": " + message);
  }
}

}  // namespace

void StatedScene::fail(const std::string& field, const std::string& message) const {
  throw Error(file + ": " + field + ": " + message);
}

StatedScene read_scene_json(const fs::path& path) {
  const json content = parse_file(path);
  StatedScene scene;
  scene.file = path.string();
  const Field root{content, "", scene.file};
  root.expect_object({"title", "unit", "parts", "groups", "rules"});
  if (root.has("title")) scene.title = root["title"].text();
  if (root.has("unit")) scene.unit = root["unit"].filled_text();
  if (!root.has("parts")) root.fail("lacks 'parts'");
  const std::vector<Field> parts = root["parts"].list();
  if (parts.empty()) root["parts"].fail("is empty: there is nothing to check");
  std::map<std::string, std::size_t> by_name;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    scene.parts.push_back(parse_part(parts[i]));
    const std::string& name = scene.parts.back().name;
    if (name.empty()) continue;
    const auto [other, is_new] = by_name.try_emplace(name, i);
    if (!is_new)
      parts[i]["name"].fail("'" + name + "' is also the name of parts[" + std::to_string(other->second) + "]");
  }
  find_parents(parts, scene, by_name);
  if (root.has("groups")) {
    const Field groups = root["groups"];
    groups.expect(groups.value.is_object(), "an object");
    for (const auto& [name, unused] : groups.value.items()) {
      std::vector<std::string> patterns;
      for (const Field& pattern : groups[name].list())
        patterns.push_back(pattern.filled_text());
      scene.groups.emplace_back(name, std::move(patterns));
    }
  }
  if (root.has("rules")) {
    scene.rules = parse_rules(root["rules"]);
    scene.states_contact = root["rules"].has("contact");
    scene.states_solid = root["rules"].has("solid");
  }
  return scene;
}

std::optional<Solid> solid_of_text(std::string_view text) {
  for (const Solid solid : {Solid::likely, Solid::proven, Solid::never})
    if (text == to_text(solid)) return solid;
  return {};
}

MeshData mesh_of_shape(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  // Words between commas. Words with = are named options.
  std::vector<double> plain;
  std::vector<std::pair<std::string, double>> named;
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t end = std::min(rest.find(',', at), rest.size());
    std::string word = rest.substr(at, end - at);
    at = end + 1;
    std::string name;
    if (const std::size_t equals = word.find('='); equals != std::string::npos) {
      name = word.substr(0, equals);
      word = word.substr(equals + 1);
    }
    const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
    for (std::string* piece : {&name, &word})
      piece->erase(std::remove_if(piece->begin(), piece->end(), is_space), piece->end());
    double value = 0;
    const auto [last, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failure != std::errc() || last != word.data() + word.size() || !std::isfinite(value))
      throw Error(kind + ": '" + word + "' is not a finite number");
    if (name.empty()) {
      plain.push_back(value);
    } else {
      named.emplace_back(name, value);
    }
  }
  const auto& models = make::models();
  const auto model = std::ranges::find(models, kind == "sphere" ? "icosphere" : kind, &make::Model::name);
  if (model == models.end()) {
    std::vector<std::string_view> names;
    std::ranges::transform(models, std::back_inserter(names), &make::Model::name);
    throw Error(fmt::format("unknown shape '{}'; the known ones are sphere, {}", kind, fmt::join(names, ", ")));
  }
  // Plain numbers are the first options of a model, which are its lengths. A sphere is finer than the model's default.
  const auto& parameters = model->parameters;
  std::vector<double> values;
  for (const make::Parameter& parameter : parameters)
    values.push_back(kind == "sphere" && parameter.name == "subdivisions" ? 4 : parameter.initial);
  static const std::map<std::string, std::size_t> counts{
      {"sphere", 1}, {"box", 3}, {"cylinder", 2}, {"cone", 2}, {"capsule", 2}};
  const auto count = counts.find(kind);
  if (!plain.empty() && count == counts.end())
    throw Error(kind + ": its options need names, such as " + kind + ":" + std::string(parameters[0].name) + "=" +
                json(parameters[0].initial).dump());
  if (count != counts.end() && plain.size() != count->second && !(plain.empty() && !named.empty()))
    throw Error(kind + ": takes " + apps::counted(count->second, "number", "numbers") + ", got " +
                std::to_string(plain.size()));
  std::copy(plain.begin(), plain.end(), values.begin());
  for (const auto& [name, value] : named) {
    const auto found = std::ranges::find(parameters, name, &make::Parameter::name);
    if (found == parameters.end())
      throw Error(kind + ": unknown option '" + name + "'" + hint_for(name, parameters, &make::Parameter::name));
    values[static_cast<std::size_t>(found - parameters.begin())] = value;
  }
  return model->build(values);
}

}  // namespace whisker::clash
