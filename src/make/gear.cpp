// Mesh generator for involute spur gears.

#include <array>
#include <cmath>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>

#include "make/angle.hpp"
#include "make/check.hpp"
#include "make/sweep.hpp"

namespace whisker::make {
namespace {

constexpr int max_teeth = 10'000;

// The proportions of standard full-depth teeth (ISO 53), in modules.
constexpr double addendum = 1;
constexpr double dedendum = 1.25;

// What must remain of a tooth at its tip and of a gap at its root, in modules, on each side of its center line.
constexpr double narrowest = 0.01;

// The bore must leave some of the disc below the roots.
constexpr double largest_bore = 0.95;

constexpr OptionTable gear_options{
    "gear",
    option("teeth", &Gear::teeth, 4, max_teeth, "around the gear"),
    length("module", &Gear::module, "pitch diameter per tooth"),
    option("pressure-angle", &Gear::pressure_angle, 5, 35, "degrees"),
    length("width", &Gear::width, "along z"),
    option("bore", &Gear::bore, 0, largest_length, "radius of the hole; 0: none"),
    option("flank-points", &Gear::flank_points, 2, 1000, "vertices of an involute flank"),
    option("backlash", &Gear::backlash, 0, 0.5, "reduction of the tooth thickness on the pitch circle, in modules"),
};

void check_options(const Gear& o) {
  gear_options.check(o);
  const double root = o.module * (o.teeth / 2.0 - dedendum);
  check_below("gear", "bore", o.bore, largest_bore * root, "0.95 times the root radius");
  check_ratio("gear", {o.module, o.width, o.bore});
  check_count("gear", o.teeth * (8.0 * o.flank_points + 40), "teeth or flank-points");
}

/// The left side (y > 0) of the tooth on the +x axis, from root to tip.
std::vector<Vector2> left_flank(const Gear& o) {
  const double pitch_radius = o.module * o.teeth / 2;
  const double root_radius = pitch_radius - dedendum * o.module;
  const double tip_radius = pitch_radius + addendum * o.module;
  const Direction pressure = degrees(o.pressure_angle);
  const double base_radius = pitch_radius * pressure.cos;

  // A tooth takes half the pitch, less the backlash. From the pitch circle down to the base circle it widens by the
  // involute of the pressure angle, tan α - α on each side (Litvin and Fuentes 2004).
  const double involute = pressure.sin / pressure.cos - o.pressure_angle * (pi / 180);
  const Direction base = radians((pi / 2 - o.backlash) / o.teeth + involute);

  // The involute unrolls from the base circle by `roll` radians, up to a radius of base·√(1 + roll²).
  const auto roll_at = [base_radius](double radius) {
    const double ratio = radius / base_radius;
    return ratio > 1 ? std::sqrt(ratio * ratio - 1) : 0.0;
  };
  const double first_roll = roll_at(root_radius);
  const double last_roll = roll_at(tip_radius);

  std::vector<Vector2> flank;
  if (root_radius < base_radius) flank.emplace_back(root_radius * base.cos, root_radius * base.sin);
  for (int i = 0; i < o.flank_points; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(o.flank_points - 1);
    const double roll = first_roll + part * (last_roll - first_roll);
    const Direction d = radians(roll);
    const double x = base_radius * (d.cos + roll * d.sin);
    const double y = base_radius * (roll * d.cos - d.sin);  // of the mirrored involute, which leans to the right
    flank.emplace_back(x * base.cos - y * base.sin, x * base.sin + y * base.cos);
  }

  if (flank.back().y() < narrowest * o.module)
    throw Error(
        "make gear: the flanks of its teeth meet below the tips; lower pressure-angle or backlash, or use more teeth");
  const Direction gap = turn(1, 2 * static_cast<std::int64_t>(o.teeth));
  if (gap.sin * flank.front().x() - gap.cos * flank.front().y() < narrowest * o.module)
    throw Error("make gear: its teeth meet at their roots; lower pressure-angle");
  return flank;
}

/// Indices of one tooth's vertices in the outline. Each tooth starts at the root of its right side: up the right side,
/// the middle of the tip, down the left side, the middle of the gap.
struct ToothNumbers {
  std::uint32_t flank;  ///< number of vertices on one side

  std::uint32_t size() const { return 2 * flank + 2; }
  std::uint32_t right(std::uint32_t i) const { return i; }
  std::uint32_t tip() const { return flank; }
  std::uint32_t left(std::uint32_t i) const { return 2 * flank - i; }
  std::uint32_t gap() const { return 2 * flank + 1; }
};

std::vector<Vector2> outline(const Gear& o, const std::vector<Vector2>& flank) {
  std::vector<Vector2> tooth;
  for (const Vector2& p : flank)
    tooth.emplace_back(p.x(), -p.y());
  tooth.emplace_back(o.module * (o.teeth / 2.0 + addendum), 0);
  for (auto p = flank.rbegin(); p != flank.rend(); ++p)
    tooth.push_back(*p);
  const Direction gap = turn(1, 2 * static_cast<std::int64_t>(o.teeth));
  const double root_radius = o.module * (o.teeth / 2.0 - dedendum);
  tooth.emplace_back(root_radius * gap.cos, root_radius * gap.sin);

  std::vector<Vector2> points;
  points.reserve(tooth.size() * static_cast<std::size_t>(o.teeth));
  for (int k = 0; k < o.teeth; ++k) {
    const Direction d = turn(k, o.teeth);
    for (const Vector2& p : tooth)
      points.emplace_back(d.cos * p.x() - d.sin * p.y(), d.sin * p.x() + d.cos * p.y());
  }
  return points;
}

void check_teeth(int driver_teeth, int driven_teeth) {
  const auto check = [](std::string_view name, int teeth) {
    check_value("gear", {name, "", Parameter::Kind::integer, 1, 1, max_teeth}, teeth);
  };
  check("driver-teeth", driver_teeth);
  check("driven-teeth", driven_teeth);
}

}  // namespace

std::vector<Vector2> gear_outline(const Gear& options) {
  check_options(options);
  return outline(options, left_flank(options));
}

MeshData gear(const Gear& options) {
  const Gear& o = options;
  check_options(o);
  const std::vector<Vector2> flank = left_flank(o);
  const std::vector<Vector2> points = outline(o, flank);
  const ToothNumbers tooth{static_cast<std::uint32_t>(flank.size())};
  const auto teeth = static_cast<std::uint32_t>(o.teeth);
  const auto rim = static_cast<std::uint32_t>(points.size());

  // The vertices on the root circle bound the disc that carries the teeth.
  std::vector<std::uint32_t> roots;
  roots.reserve(std::size_t{3} * teeth);
  for (std::uint32_t k = 0; k < teeth; ++k)
    for (const std::uint32_t i : {tooth.right(0), tooth.left(0), tooth.gap()})
      roots.push_back(k * tooth.size() + i);
  const auto disc = static_cast<std::uint32_t>(roots.size());
  const double root_radius = o.module * (o.teeth / 2.0 - dedendum);

  // The order of vertices: the bottom rim, the top rim, then the bores or centers of the bottom and the top.
  MeshData mesh;
  const std::uint32_t inner = 2 * rim;
  const std::uint32_t inner_size = o.bore > 0 ? disc : 1;
  mesh.vertices.reserve(std::size_t{inner} + 2 * std::size_t{inner_size});
  const std::array heights = {-o.width / 2, o.width / 2};
  for (const double z : heights)
    for (const Vector2& p : points)
      mesh.vertices.emplace_back(p.x(), p.y(), z);
  for (const double z : heights) {
    if (o.bore > 0)
      for (const std::uint32_t i : roots)
        mesh.vertices.emplace_back(points[i].x() / root_radius * o.bore, points[i].y() / root_radius * o.bore, z);
    else
      mesh.vertices.emplace_back(0, 0, z);
  }

  add_grid(mesh, 0, 2, static_cast<int>(rim), Ends::open, Ends::joined);
  // Adds a triangle to both end faces, given as seen from above.
  const auto add_ends = [&](std::uint32_t bottom_a, std::uint32_t bottom_b, std::uint32_t bottom_c) {
    const auto above = [&](std::uint32_t i) { return i < inner ? i + rim : i + inner_size; };
    mesh.triangles.push_back({bottom_a, bottom_c, bottom_b});
    mesh.triangles.push_back({above(bottom_a), above(bottom_b), above(bottom_c)});
  };
  for (std::uint32_t k = 0; k < teeth; ++k) {
    const std::uint32_t at = k * tooth.size();
    for (std::uint32_t i = 0; i + 1 < tooth.flank; ++i) {
      add_ends(at + tooth.right(i), at + tooth.right(i + 1), at + tooth.left(i + 1));
      add_ends(at + tooth.right(i), at + tooth.left(i + 1), at + tooth.left(i));
    }
    add_ends(at + tooth.right(tooth.flank - 1), at + tooth.tip(), at + tooth.left(tooth.flank - 1));
  }
  for (std::uint32_t i = 0; i < disc; ++i) {
    const std::uint32_t j = (i + 1) % disc;
    if (o.bore > 0) {
      add_ends(inner + i, roots[i], roots[j]);
      add_ends(inner + i, roots[j], inner + j);
      const std::uint32_t bottom_i = inner + i, bottom_j = inner + j;
      add_square(mesh, bottom_j, bottom_i, bottom_i + disc, bottom_j + disc);
    } else {
      add_ends(inner, roots[i], roots[j]);
    }
  }
  return mesh;
}

double meshing_distance(int driver_teeth, int driven_teeth, double module) {
  check_teeth(driver_teeth, driven_teeth);
  check_value("gear", gear_options.parameters()[1], module);
  return (driver_teeth + driven_teeth) * module / 2;
}

double meshing_angle(int driver_teeth, int driven_teeth, double driver_angle) {
  check_teeth(driver_teeth, driven_teeth);
  return pi - pi / driven_teeth - driver_angle * driver_teeth / driven_teeth;
}

constexpr Model gear_model = model_of<gear_options, gear>("an involute spur gear around z", true);

}  // namespace whisker::make
