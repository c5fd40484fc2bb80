#include "sphere_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <whisker/error.hpp>

#include "clash/whole_file.hpp"
#include "page/page.hpp"
#include "printing.hpp"

namespace whisker::apps {

// Built in by CMakeLists.txt.
std::string embedded_sphere_html();
std::string embedded_sphere_css();
std::string embedded_sphere_script();

namespace {

using nlohmann::json;

/// Scales lengths to fractions of the root's radius and positions relative to its center, so that the drawing fits any
/// unit of length.
class Frame {
 public:
  explicit Frame(const SphereTree& tree)
      : center_(tree.nodes[0].sphere.center),
        radius_(tree.nodes[0].sphere.radius > 0 ? tree.nodes[0].sphere.radius : 1) {}
  Vector3 point(const Vector3& p) const { return (p - center_) / radius_; }
  double length(double l) const { return l / radius_; }

 private:
  Vector3 center_;
  double radius_;
};

/// From blue (tight) to red (as far off as the worst of the level).
std::string color(double part) {
  const std::array<double, 3> tight = {63, 143, 220}, loose = {217, 83, 30};
  std::array<int, 3> mixed{};
  for (std::size_t k = 0; k < 3; ++k)
    mixed[k] = static_cast<int>(std::lround(tight[k] + (loose[k] - tight[k]) * std::clamp(part, 0.0, 1.0)));
  return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

/// A sphere of a level, in the frame, with its protrusion as a fraction of the worst.
struct Disc {
  Vector3 center;
  double radius, part;
};

std::vector<Disc> discs_of(const SphereTree& tree, const Frame& frame, int level) {
  const double worst = tree.protrusion(level);
  std::vector<Disc> discs;
  for (const std::uint32_t i : tree.cut(level)) {
    const auto& [center, radius] = tree.nodes[i].sphere;
    discs.push_back({frame.point(center), frame.length(radius), worst > 0 ? tree.nodes[i].protrusion / worst : 0});
  }
  return discs;
}

// ---- SVG ----

constexpr double panel = 300;             // width and height of a level's drawing, in pixels
constexpr double caption = 44;            // height of the caption below it
constexpr double max_triangles = 30'000;  // with more, the file would be large and the picture no better

/// Projects a point as seen from above a corner, with z up: two coordinates on the paper, the third toward the eye.
Vector3 seen(const Vector3& p) {
  static const Matrix3 view = [] {
    const Vector3 eye = Vector3(1, -1.6, 0.9).normalized();
    const Vector3 right = Vector3(Vector3::UnitZ().cross(eye)).normalized();
    Matrix3 rows;
    rows.row(0) = right;
    rows.row(1) = eye.cross(right);
    rows.row(2) = eye;
    return rows;
  }();
  return view * p;
}

std::string mesh_drawing(const Mesh& mesh, const Frame& frame, double scale) {
  struct Face {
    double depth;
    std::array<Vector3, 3> corners;
    double light;
  };
  std::vector<Face> faces;
  if (static_cast<double>(mesh.triangle_count()) > max_triangles) return "";
  for (std::size_t i = 0; i < mesh.triangle_count(); ++i) {
    const Triangle t = mesh.triangle(i);
    const std::array<Vector3, 3> corners = {seen(frame.point(t.a)), seen(frame.point(t.b)), seen(frame.point(t.c))};
    const Vector3 normal = Vector3(corners[1] - corners[0]).cross(Vector3(corners[2] - corners[0]));
    if (!(normal.z() > 0)) continue;
    const double light = normal.normalized().dot(Vector3(-0.4, 0.5, 0.77));
    faces.push_back({corners[0].z() + corners[1].z() + corners[2].z(), corners, std::max(0.0, light)});
  }
  std::stable_sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.depth < b.depth; });
  std::string text;
  for (const Face& face : faces) {
    const int gray = 90 + static_cast<int>(std::lround(130 * face.light));
    text += fmt::format("<path fill=\"#{0:02x}{0:02x}{0:02x}\" d=\"", gray);
    for (std::size_t k = 0; k < 3; ++k)
      text +=
          fmt::format("{}{:.1f} {:.1f}", k == 0 ? "M" : "L", scale * face.corners[k].x(), -scale * face.corners[k].y());
    text += "Z\"/>\n";
  }
  return text;
}

std::string svg_text(const SpherePicture& picture) {
  const Frame frame(picture.tree);
  const double scale = 0.47 * panel;
  const auto levels = static_cast<double>(picture.rows.size());
  const double width = panel * std::max(1.0, levels), height = panel + caption + 40;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"13\" fill=\"#1d232c\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"#ffffff\"/>\n<text x=\"12\" y=\"26\" font-size=\"16\" font-weight=\"600\">{2}</text>\n"
      "<defs><g id=\"mesh\">\n{3}</g></defs>\n",
      width, height, page::html(picture.title), mesh_drawing(picture.mesh, frame, scale));
  for (std::size_t p = 0; p < picture.rows.size(); ++p) {
    const LevelRow& row = picture.rows[p];
    std::vector<Disc> discs = discs_of(picture.tree, frame, row.level);
    for (Disc& disc : discs)
      disc.center = seen(disc.center);
    std::ranges::stable_sort(discs, {}, [](const Disc& disc) { return disc.center.z(); });
    text += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n<use href=\"#mesh\"/>\n",
                        panel * (static_cast<double>(p) + 0.5), panel / 2 + 36);
    for (const Disc& disc : discs)
      text += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.3\" stroke=\"#26323f\" "
          "stroke-opacity=\"0.45\" stroke-width=\"0.6\"/>\n",
          scale * disc.center.x(), -scale * disc.center.y(), std::max(0.3, scale * disc.radius), color(disc.part));
    text += fmt::format(
        "<text y=\"{:.0f}\" text-anchor=\"middle\">level {}: {}</text>\n<text y=\"{:.0f}\" text-anchor=\"middle\" "
        "fill=\"#5b6472\">protrude by {:.3g}, {:.3g} on average</text>\n</g>\n",
        panel / 2 + 18, row.level, counted(row.fit.spheres, "sphere", "spheres"), panel / 2 + 36, row.fit.worst.upper,
        row.fit.mean.upper);
  }
  return text + "</svg>\n";
}

// ---- The page ----

double shortened(double x) {
  return std::stod(fmt::format("{:.6g}", x));
}

json numbers(const Vector3& v) {
  return {shortened(v[0]), shortened(v[1]), shortened(v[2])};
}

json page_data(const SpherePicture& picture) {
  const Frame frame(picture.tree);
  json data = {{"title", picture.title}, {"note", picture.note}, {"levels", json::array()}};
  for (const LevelRow& row : picture.rows) {
    json spheres = json::array();
    for (const Disc& disc : discs_of(picture.tree, frame, row.level)) {
      json one = numbers(disc.center);
      one.push_back(shortened(disc.radius));
      one.push_back(std::round(1000 * std::min(1.0, disc.part)) / 1000);
      spheres.push_back(std::move(one));
    }
    data["levels"].push_back({{"level", row.level},
                              {"worst", fmt::format("{:.4g}", row.fit.worst.upper)},
                              {"mean", fmt::format("{:.4g}", row.fit.mean.upper)},
                              {"rms", fmt::format("{:.4g}", row.fit.root_mean_square.upper)},
                              {"spheres", std::move(spheres)}});
  }
  json vertices = json::array(), triangles = json::array();
  for (const Vector3& v : picture.mesh.vertices())
    for (const json& x : numbers(frame.point(v)))
      vertices.push_back(x);
  for (const Index3& t : picture.mesh.triangles())
    for (const std::uint32_t corner : t)
      triangles.push_back(corner);
  data["mesh"] = {{"vertices", std::move(vertices)}, {"triangles", std::move(triangles)}};
  return data;
}

void write_page(const SpherePicture& picture, const page::Write& write) {
  page::write_page({.title = picture.title,
                    .styles = {page::viewer_style(), embedded_sphere_css()},
                    .body = embedded_sphere_html(),
                    .scripts = {page::viewer_script(), embedded_sphere_script()}},
                   write,
                   [&] { page::write_data(write, "data", "application/json", script_json(page_data(picture))); });
}

}  // namespace

void check_picture_path(const std::filesystem::path& path) {
  if (path.extension() != ".svg" && path.extension() != ".html")
    throw Error(path.string() + ": a picture must be a .svg or .html file");
}

void write_sphere_picture(const std::filesystem::path& path, const SpherePicture& picture) {
  check_picture_path(path);
  clash::WholeFile file(path);
  if (path.extension() == ".svg") {
    file.write(svg_text(picture));
  } else {
    write_page(picture, [&](std::string_view text) { file.write(text); });
  }
  file.finish();
}

}  // namespace whisker::apps
