#include "clash/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <whisker/error.hpp>
#include <whisker/geometry/volumes.hpp>
#include <whisker/motion.hpp>
#include <whisker/queries.hpp>

#include "clash/output.hpp"
#include "clash/whole_file.hpp"
#include "page/page.hpp"
#include "printing.hpp"

namespace whisker::clash {

// Built in by CMakeLists.txt.
std::string embedded_report_html();
std::string embedded_report_css();
std::string embedded_report_view();
std::string embedded_report_page();

namespace {

using nlohmann::json;
using page::Bytes;

// ---- Numbers ----

// Twelve numbers: the rotation, row by row, then the translation.
json numbers(const Pose& pose) {
  const Matrix3& r = pose.rotation();
  const Vector3& t = pose.translation();
  return {r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2), r(2, 0), r(2, 1), r(2, 2), t[0], t[1], t[2]};
}

// An infinite end becomes null.
json numbers(const Bounds& bounds) {
  const auto finite = [](double value) { return std::isfinite(value) ? json(value) : json(nullptr); };
  return {finite(bounds.lower), finite(bounds.upper)};
}

bool same(const Pose& a, const Pose& b) {
  return a.rotation() == b.rotation() && a.translation() == b.translation();
}

// ---- The direction from which to view a finding ----

struct View {
  Vector3 toward_eye = Vector3::UnitZ();  // unit, from the finding
  double radius = 1;                      // of what should be visible around it
  bool is_a_in_front = false;             // whether the part hides the position from there
  bool is_b_in_front = false;
};

// Natural directions come first: from the front, a little to the right and above.
std::vector<Vector3> directions_to_try() {
  std::vector<Vector3> result;
  const double degree = std::acos(-1.0) / 180;
  for (const double elevation : {28.0, 60.0, 5.0, -30.0}) {
    for (const double azimuth : {-55.0, -125.0, -15.0, 35.0, 125.0, 90.0, 180.0, -90.0}) {
      result.emplace_back(std::cos(elevation * degree) * std::cos(azimuth * degree),
                          std::cos(elevation * degree) * std::sin(azimuth * degree), std::sin(elevation * degree));
    }
  }
  return result;
}

// The length of the line from the eye at `distance` to the point that is behind the part's surface.
double hidden_length(const Shape& shape, const Pose& pose, const Vector3& point, const Vector3& toward_eye,
                     double distance) {
  const auto hit = cast_ray({point + distance * toward_eye, -toward_eye}, {shape, pose}, {0, distance});
  return hit ? distance - hit->t : 0;
}

View best_view(const Assembly& assembly, const Finding& finding) {
  static const std::vector<Vector3> directions_in_z = directions_to_try();
  std::vector<Vector3> directions = directions_in_z;
  if (assembly.up == UpAxis::y)
    for (Vector3& direction : directions)
      direction = Vector3(direction.x(), direction.z(), -direction.y());
  const Shape& shape_a = assembly.meshes[assembly.parts[finding.a].mesh].shape;
  const Shape& shape_b = assembly.meshes[assembly.parts[finding.b].mesh].shape;
  const Aabb box_a = shape_a.bounds(finding.pose_a), box_b = shape_b.bounds(finding.pose_b);
  const double size_a = (box_a.upper - box_a.lower).norm(), size_b = (box_b.upper - box_b.lower).norm();

  double reach = std::max((finding.point_a - finding.position).norm(), (finding.point_b - finding.position).norm());
  for (const Polyline& line : finding.curve) {
    for (const Vector3& point : line.points)
      reach = std::max(reach, (point - finding.position).norm());
  }
  View view;
  const double smaller = std::min(size_a, size_b);
  // A contained part is shown entirely. Otherwise the view shows the position and some of the smaller part around it.
  const bool is_gap = finding.distance.has_value() && finding.point_a != finding.point_b;
  const double gap = (finding.point_b - finding.point_a).norm();
  const double part = finding.kind == FindingKind::contained ? 0.65
                      : is_gap                               ? std::clamp(30 * gap / smaller, 0.08, 0.18)
                      : finding.curve.empty()                ? 0.5
                                                             : 0.3;
  view.radius = std::min(std::max(1.9 * reach, part * smaller), std::max(size_a, size_b));
  if (!(view.radius > 0) || !std::isfinite(view.radius)) view.radius = 1;

  const double distance = 2 * (size_a + size_b) + (box_a.lower - finding.position).norm();
  double min_badness = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < directions.size(); ++i) {
    // Along a gap or an arrow, the gap or arrow is not visible. What is hidden deep is drawn through anyway.
    const double along = std::abs(directions[i].dot(finding.normal));
    const double hidden_a = hidden_length(shape_a, finding.pose_a, finding.position, directions[i], distance);
    const double hidden_b = hidden_length(shape_b, finding.pose_b, finding.position, directions[i], distance);
    const double hidden = std::min(is_gap ? 0.8 : 1.5, std::max(hidden_a, hidden_b) / view.radius);
    const double end_on = is_gap ? 4 * std::max(0.0, along - 0.15) : 3 * std::max(0.0, along - 0.5);
    const double badness = hidden + end_on + 0.01 * static_cast<double>(i);
    if (badness >= min_badness) continue;
    min_badness = badness;
    view.toward_eye = directions[i];
    view.is_a_in_front = hidden_a > 0.15 * view.radius;
    view.is_b_in_front = hidden_b > 0.15 * view.radius;
  }
  // The outer part is always drawn transparent, the inner one never.
  if (finding.kind == FindingKind::contained) {
    view.is_a_in_front = size_a > size_b;
    view.is_b_in_front = !view.is_a_in_front;
  }
  return view;
}

// ---- The parts of the page ----

// For the page's script.
std::string_view name(FindingKind kind) {
  return apps::word_for(kind, {"clash", "contained", "too_close", "contact"});
}

// The segments of a motion: at t from 0 to 1 of the segment, a point is moved from `start` by a rotation of t * turn
// about a center at center + t * by.
json motion_json(const std::vector<Keyframe>& keyframes) {
  json result = json::array();
  for (std::size_t i = 0; i + 1 < keyframes.size(); ++i) {
    const Turning way = screw(keyframes[i].pose, keyframes[i + 1].pose);
    result.push_back({{"from", keyframes[i].time},
                      {"to", keyframes[i + 1].time},
                      {"start", numbers(keyframes[i].pose)},
                      {"end", numbers(keyframes[i + 1].pose)},
                      {"center", apps::to_json(way.center)},
                      {"by", apps::to_json(way.by)},
                      {"turn", apps::to_json(way.turn)}});
  }
  return result;
}

json parts_json(const Assembly& assembly, const PageScene& scene) {
  json parts = json::array();
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    const Part& part = assembly.parts[i];
    json& entry = parts.emplace_back(json::object());
    entry["name"] = part.name;
    if (!part.group.empty()) entry["group"] = part.group;
    if (!part.path.empty()) entry["path"] = part.path;
    if (!part.id.empty()) entry["id"] = part.id;
    if (!part.type.empty()) entry["type"] = part.type;
    if (!part.file.empty()) entry["file"] = std::filesystem::path(part.file).filename().string();
    entry["mesh"] = scene.mesh_of_part[i];
    if (part.motion.size() > 1) entry["motion"] = motion_json(part.motion);
  }
  return parts;
}

struct Curves {
  Bytes points;  // of all curves, relative to their finding's position
  std::size_t room = 0;
  std::size_t left_out = 0;  // findings whose curve had no room
};

json findings_json(const Assembly& assembly, const Findings& findings, Curves& curves) {
  json result = json::array();
  for (const Finding& finding : findings.all) {
    const View view = best_view(assembly, finding);
    json& entry = result.emplace_back(json::object());
    entry["a"] = finding.a;
    entry["b"] = finding.b;
    entry["kind"] = name(finding.kind);
    if (finding.ground != Ground::proof) entry["evidence"] = to_text(finding.ground);
    if (finding.depth) entry["depth"] = numbers(*finding.depth);
    if (finding.distance) entry["distance"] = numbers(*finding.distance);
    if (finding.time) entry["time"] = numbers(*finding.time);
    entry["position"] = apps::to_json(finding.position);
    entry["pointA"] = apps::to_json(finding.point_a);
    entry["pointB"] = apps::to_json(finding.point_b);
    entry["normal"] = apps::to_json(finding.normal);
    entry["triangles"] = finding.triangles;
    if (!same(finding.pose_a, assembly.parts[finding.a].pose)) entry["poseA"] = numbers(finding.pose_a);
    if (!same(finding.pose_b, assembly.parts[finding.b].pose)) entry["poseB"] = numbers(finding.pose_b);
    if (finding.stop != Stop::exact) entry["stop"] = apps::to_text(finding.stop);
    if (!finding.note.empty()) entry["note"] = finding.note;
    entry["view"] = {{"towardEye", apps::to_json(view.toward_eye)},
                     {"radius", view.radius},
                     {"veil", {view.is_a_in_front, view.is_b_in_front}}};
    json lines = json::array();
    std::size_t count = 0;
    for (const Polyline& line : finding.curve)
      count += line.points.size();
    if (count <= curves.room) {
      curves.room -= count;
      for (const Polyline& line : finding.curve) {
        for (const Vector3& point : line.points)
          curves.points.put_floats(point - finding.position);
        lines.push_back(line.closed ? -static_cast<std::int64_t>(line.points.size())
                                    : static_cast<std::int64_t>(line.points.size()));
      }
    } else {
      ++curves.left_out;
    }
    entry["curve"] = std::move(lines);  // number of points of each line; negative: closed
  }
  return result;
}

// A mesh in the page, relative to the center of its box: positions as floats, then three vertex numbers per triangle.
struct StoredMesh {
  json about;
  Bytes bytes;
};

StoredMesh stored_mesh(const Assembly& assembly, const PageMesh& planned) {
  const MeshData mesh = mesh_of(assembly, planned);
  StoredMesh stored;
  if (mesh.triangles.empty()) {
    const Aabb box = fit_aabb(assembly.meshes[planned.mesh].data.vertices);
    stored.about = {{"center", apps::to_json(Vector3((box.lower + box.upper) / 2))},
                    {"box", apps::to_json(Vector3(box.upper - box.lower))},
                    {"detail", "box"}};
    return stored;
  }
  const Aabb box = fit_aabb(mesh.vertices);
  const Vector3 center = (box.lower + box.upper) / 2;
  const bool is_wide = mesh.vertices.size() > 65536;
  for (const Vector3& vertex : mesh.vertices)
    stored.bytes.put_floats(vertex - center);
  for (const Index3& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle)
      stored.bytes.put(corner, is_wide ? 4 : 2);
  }
  stored.about = {
      {"center", apps::to_json(center)}, {"vertices", mesh.vertices.size()}, {"triangles", mesh.triangles.size()}};
  if (planned.detail == Detail::near_findings) stored.about["detail"] = "near_findings";
  if (planned.detail == Detail::simplified) stored.about["detail"] = "simplified";
  return stored;
}

// The parts that are not closed, and the undecided pairs: as many as the budget for findings allows.
json open_json(const Assembly& assembly, const Findings& findings, const PageBudget& budget) {
  json parts = json::array(), undecided = json::array();
  for (const std::uint32_t part : findings.open_parts)
    if (parts.size() < budget.findings) parts.push_back(part);
  for (const Undecided& pair : findings.undecided) {
    if (undecided.size() == budget.findings) break;
    json& entry = undecided.emplace_back(json::object());
    entry["inner"] = pair.inner;
    entry["outer"] = pair.outer;
    entry["why"] = pair.why;
    if (pair.winding) entry["winding"] = numbers(*pair.winding);
  }
  return {{"summary", open_summary(assembly, findings)},
          {"count", findings.open_parts.size()},
          {"undecidedCount", findings.undecided.size()},
          {"parts", std::move(parts)},
          {"undecided", std::move(undecided)}};
}

// Writes the page's data: first the buffers of geometry, one after the other, then their description. `counts` has the
// number of findings of each kind, including those that are not in the page.
void write_data(const page::Write& write, const Assembly& assembly, const Findings& findings, const PageScene& scene,
                const json& counts, const PageBudget& budget) {
  json data;
  json& meshes = data["meshes"] = json::array();
  std::size_t triangles_read = 0, triangles_stored = 0;
  for (std::size_t i = 0; i < scene.meshes.size(); ++i) {
    StoredMesh stored = stored_mesh(assembly, scene.meshes[i]);
    if (stored.about.contains("triangles")) {
      page::write_data(write, "mesh-" + std::to_string(i), "text/plain", stored.bytes.base64());
      triangles_stored += stored.about["triangles"].get<std::size_t>();
    }
    meshes.push_back(std::move(stored.about));
  }
  for (const Part& part : assembly.parts)
    triangles_read += assembly.meshes[part.mesh].data.triangles.size();

  Bytes poses;
  for (const Part& part : assembly.parts) {
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column)
        poses.put_double(part.pose.rotation()(row, column));
      poses.put_double(part.pose.translation()[row]);
    }
  }
  data["title"] = assembly.title;
  data["unit"] = assembly.unit;
  data["unitOrigin"] = assembly.unit_origin;
  data["up"] = assembly.up == UpAxis::y ? "y" : "z";
  data["isComplete"] = findings.is_complete;
  data["pairs"] = {{"possible", findings.pairs_possible},
                   {"near", findings.pairs_near},
                   {"checked", findings.pairs_checked},
                   {"allowed", findings.pairs_allowed}};
  data["seconds"] = findings.seconds;
  data["rules"] = {{"clearance", assembly.rules.clearance},
                   {"contact", assembly.rules.contact},
                   {"solid", to_text(assembly.rules.solid)},
                   {"repair", assembly.rules.repair},
                   {"only", assembly.rules.only},
                   {"ignored", assembly.rules.ignored},
                   {"allowed", assembly.rules.allowed}};
  data["notes"] = assembly.notes;
  data["open"] = open_json(assembly, findings, budget);
  data["counts"] = counts;
  data["triangles"] = {{"read", triangles_read}, {"stored", triangles_stored}};
  data["parts"] = parts_json(assembly, scene);
  Curves curves{{}, budget.curve_points, 0};
  data["findings"] = findings_json(assembly, findings, curves);
  std::vector<std::string> drawing_notes = scene.notes;
  if (curves.left_out > 0)
    drawing_notes.push_back(fmt::format("{} not drawn: there are too many points.",
                                        curves.left_out == 1
                                            ? "The curve of 1 finding is"
                                            : fmt::format("The curves of {} findings are", curves.left_out)));
  data["drawingNotes"] = drawing_notes;
  page::write_data(write, "poses", "text/plain", poses.base64());
  page::write_data(write, "curves", "text/plain", curves.points.base64());
  page::write_data(write, "report", "application/json", apps::script_json(data));
}

void write_page(const std::filesystem::path& path, const Assembly& assembly, const Findings& findings,
                const json& counts, const PageBudget& budget) {
  WholeFile file(path);
  const PageScene scene = plan_scene(assembly, findings, budget);
  const auto write = [&](std::string_view text) { file.write(text); };
  page::write_page({.title = assembly.title.empty() ? "Clash report" : assembly.title,
                    .styles = {embedded_report_css()},
                    .body = embedded_report_html(),
                    .scripts = {embedded_report_view(), embedded_report_page()}},
                   write, [&] { write_data(write, assembly, findings, scene, counts, budget); });
  file.finish();
}

}  // namespace

void write_report(const std::filesystem::path& path, const Assembly& assembly, const Findings& findings,
                  const PageBudget& budget) {
  for (const Finding& finding : findings.all) {
    if (finding.a >= assembly.parts.size() || finding.b >= assembly.parts.size())
      throw Error(path.string() + ": not written: a finding names a part that the assembly does not have");
  }
  json counts{{"clash", 0}, {"contained", 0}, {"too_close", 0}, {"contact", 0}};
  for (const Finding& finding : findings.all) {
    json& count = counts[std::string(name(finding.kind))];
    count = count.get<std::size_t>() + 1;
  }
  if (findings.all.size() > budget.findings) {
    Findings worst = findings;
    worst.all.resize(budget.findings);
    write_page(path, assembly, worst, counts, budget);
  } else {
    write_page(path, assembly, findings, counts, budget);
  }
}

}  // namespace whisker::clash
