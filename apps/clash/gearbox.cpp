// The built-in example. The machine stands on z = 0 with its three shafts upright: input at x = 0, intermediate at x =
// 72, output at x = 172. A robot hand lowers a cover onto a window of the housing's upper plate.
//
// All planes that are meant to be flush, or at an exact distance, are at multiples of 1/64 mm and belong to parts that
// are not rotated or rotated by quarter turns, so that their contact is exact in doubles.

#include "clash/gearbox.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/core.h>

#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>

#include "clash/machine_parts.hpp"

namespace whisker::clash {
namespace {

// Rounding of coordinates of a few hundred mm, with room to spare. Planted values are exact up to this.
constexpr double rounding = 1e-10;
Bounds about(double value) {
  return {value - rounding, value + rounding};
}

// Assembles the gearbox.
class GearboxBuilder {
 public:
  std::uint32_t mesh(MeshData data) {
    result_.assembly.meshes.push_back({data, Mesh(data).solid(), true, {}});
    return static_cast<std::uint32_t>(result_.assembly.meshes.size() - 1);
  }
  // The group is the beginning of the name.
  Part& part(const std::string& name, std::uint32_t mesh, const Pose& pose = {}) {
    result_.assembly.parts.push_back({name, name.substr(0, name.find('/')), mesh, pose, {}});
    return result_.assembly.parts.back();
  }
  Part& part(const std::string& name, MeshData data, const Pose& pose = {}) {
    return part(name, mesh(std::move(data)), pose);
  }
  PlantedFinding& plant(const std::string& a, const std::string& b, FindingKind kind, const Vector3& position,
                        double reach) {
    return result_.planted.emplace_back(
        PlantedFinding{.a = a, .b = b, .kind = kind, .position = position, .position_tolerance = reach});
  }
  void plant_contact(const std::string& a, const std::string& b, const Vector3& position, double reach) {
    plant(a, b, FindingKind::contact, position, reach).distance = Bounds{0, 0};
  }
  void plant_clash(const std::string& a, const std::string& b, double depth, const Vector3& position, double reach) {
    plant(a, b, FindingKind::clash, position, reach).depth = about(depth);
  }
  void plant_gap(const std::string& a, const std::string& b, double distance, const Vector3& position, double reach) {
    plant(a, b, FindingKind::too_close, position, reach).distance = about(distance);
  }
  void allow(const std::string& a, const std::string& b) { result_.assembly.rules.allowed.push_back({a, b}); }
  PlantedAssembly& result() { return result_; }

 private:
  PlantedAssembly result_;
};

Pose at(double x, double y, double z) {
  return Pose(Vector3(x, y, z));
}
Pose turned(double angle, const Vector3& translation) {
  return {Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix(), translation};
}
// An exact quarter turn about z.
Pose quarter_turned(const Vector3& translation) {
  return {(Matrix3() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished(), translation};
}
Vector2 on_circle(double x, double y, double radius, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  return {x + radius * std::cos(angle), y + radius * std::sin(angle)};
}

// ---- shared by several groups

struct Fasteners {
  std::uint32_t m5_socket, m5_washer, m6_hex, m6_long, m6_short, m6_washer, m6_nut, m8_hex, m8_washer;
};
constexpr double m5_washer_thickness = 1.25;
constexpr double m6_washer_thickness = 1.5;
constexpr double m6_washer_radius = 6;
constexpr double m6_head = 5;  // half the width across flats
constexpr double m6_length = 30;
constexpr double m6_long_length = 38;
constexpr double m6_nut_height = 5;
constexpr double m6_hole = 3.75;  // radii of holes
constexpr double m5_hole = 3.25;
constexpr double m8_hole = 4.75;

Fasteners add_fasteners(GearboxBuilder& b) {
  return {
      .m5_socket = b.mesh(socket_bolt({.radius = 2.5, .length = 16, .head_apothem = 4.25, .head_height = 5})),
      .m5_washer = b.mesh(washer(2.75, 5, m5_washer_thickness)),
      .m6_hex = b.mesh(hex_bolt({.radius = 3, .length = m6_length, .head_apothem = m6_head, .head_height = 4})),
      .m6_long = b.mesh(hex_bolt({.radius = 3, .length = m6_long_length, .head_apothem = m6_head, .head_height = 4})),
      .m6_short = b.mesh(hex_bolt({.radius = 3, .length = 16, .head_apothem = m6_head, .head_height = 4})),
      .m6_washer = b.mesh(washer(3.25, m6_washer_radius, m6_washer_thickness)),
      .m6_nut = b.mesh(nut(3.25, m6_head, m6_nut_height)),
      .m8_hex = b.mesh(hex_bolt({.radius = 4, .length = 30, .head_apothem = 6.5, .head_height = 5.5})),
      .m8_washer = b.mesh(washer(4.25, 8, m6_washer_thickness))};
}

// The positions of the shafts, and their bearings (6203, 6204, 6206).
struct ShaftPlace {
  const char* name;
  double x;
  Bearing bearing;
  double upper_boss;  // radius of the boss around the bearing in the upper plate
  double lower_boss;
  double lower_boss_top;
};
constexpr double wheel2_bottom = 26;
constexpr double boss_gap = 0.25;  // planted: the boss under the output wheel is too high
const std::array<ShaftPlace, 3> shafts{
    ShaftPlace{"input", 0, {.bore = 17, .outside = 40, .width = 12, .ball = 6.75, .balls = 8}, 32, 27, 20},
    ShaftPlace{
        "intermediate", 72, {.bore = 20, .outside = 47, .width = 14, .ball = 7.9375, .balls = 8}, 35.5, 30.5, 20},
    ShaftPlace{"output",
               172,
               {.bore = 30, .outside = 62, .width = 16, .ball = 9.525, .balls = 9},
               43,
               38,
               wheel2_bottom - boss_gap}};
constexpr double bearing_play = 0.0625;  // between ring and seat
double cap_bolt_circle(const ShaftPlace& shaft) {
  return shaft.bearing.outside / 2 + 7;
}
Vector2 cap_bolt(const ShaftPlace& shaft, int i) {
  return on_circle(shaft.x, 0, cap_bolt_circle(shaft), 30 + 60 * i);
}

// ---- the housing

// Heights.
constexpr double pocket_floor = 6;
constexpr double floor_top = 14;
constexpr double rim_hole_bottom = 70;
constexpr double rim = 90;
constexpr double gasket_top = 91;
constexpr double boss_bottom = 85;
constexpr double top = 105;
// Dimensions in plan.
constexpr double x_low = -56, x_high = 272, y_high = 100;  // outside; y_low = -y_high
constexpr double wall = 16;
const Loop cavity = rectangle({x_low + wall, -y_high + wall}, {x_high - wall, y_high - wall}, 12);
constexpr std::array<double, 2> foot_x{-20, 236};
constexpr double foot_half = 18, foot_end = 126, foot_bolt = 113, foot_top = 12;
constexpr std::array<double, 3> rib_x{36, 108, 180};
constexpr double rib_half = 4, rib_end = 108, rib_top = 76;

// Planted: a bolt for a ground strap so close to another one that their washers overlap.
constexpr double strap_bolt_distance = 11;
const Vector2 strap_neighbor{108, 92};
const Vector2 strap_bolt{strap_neighbor.x() + strap_bolt_distance, 92};

// The strap's bolt is the last one.
std::vector<Vector2> rim_bolts() {
  std::vector<Vector2> places;
  for (const double y : {-92.0, 92.0})
    for (int i = 0; i < 9; ++i)
      places.emplace_back(-36 + 36 * i, y);
  for (const double x : {-48.0, 264.0})
    for (const double y : {-60.0, -20.0, 20.0, 60.0})
      places.emplace_back(x, y);
  places.push_back(strap_bolt);
  return places;
}

std::vector<Loop> rim_holes() {
  std::vector<Loop> holes;
  for (const Vector2& place : rim_bolts())
    holes.push_back(polygon(place, m6_hole, 16));
  return holes;
}

// Openings in the front wall that show the gears, between these heights.
constexpr std::array<Span, 2> front_openings{Span{44, 100}, Span{116, 212}};  // in x
constexpr double opening_low = 20, opening_high = 64;

// The loop with additional corners at these x, ascending, on its sides along x.
Loop with_corners(const Loop& loop, const std::vector<double>& corners) {
  Loop result;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vector2& from = loop[i];
    const Vector2& to = loop[(i + 1) % loop.size()];
    result.push_back(from);
    if (from.y() != to.y()) continue;
    if (to.x() > from.x())
      for (const double x : corners)
        result.emplace_back(x, from.y());
    else
      for (std::size_t k = corners.size(); k > 0; --k)
        result.emplace_back(corners[k - 1], from.y());
  }
  return result;
}

// The loop's corners from one of them to another.
Loop stretch_of(Loop loop, const Vector2& from, const Vector2& to) {
  std::rotate(loop.begin(), std::find(loop.begin(), loop.end(), from), loop.end());
  loop.erase(std::find(loop.begin(), loop.end(), to) + 1, loop.end());
  return loop;
}

// A rectangle that adjoins the outside, on the side given by `side` (-1 or 1).
Loop on_outside(double x, double half, double end, double side) {
  return side > 0 ? rectangle({x - half, y_high}, {x + half, end}) : rectangle({x - half, -end}, {x + half, -y_high});
}

MeshData lower_half() {
  std::vector<double> openings;
  for (const Span& opening : front_openings)
    openings.insert(openings.end(), {opening.from, opening.to});
  std::vector<double> corners = openings;  // where feet, ribs and openings begin and end
  for (const double x : foot_x)
    corners.insert(corners.end(), {x - foot_half, x + foot_half});
  for (const double x : rib_x)
    corners.insert(corners.end(), {x - rib_half, x + rib_half});
  std::sort(corners.begin(), corners.end());
  const Loop outside = with_corners(rectangle({x_low, -y_high}, {x_high, y_high}, 16), corners);
  const Loop inside = with_corners(cavity, openings);

  // The wall in pieces: from opening to opening, and around the back to the first.
  LayeredSolid solid;
  const double front = -y_high, back = -y_high + wall;
  for (std::size_t i = 0; i < openings.size(); ++i) {
    const double from = openings[i], to = openings[(i + 1) % openings.size()];
    Loop piece = stretch_of(outside, {from, front}, {to, front});
    Loop inner = stretch_of(inside, {from, back}, {to, back});
    piece.insert(piece.end(), inner.rbegin(), inner.rend());
    const bool is_opening = i % 2 == 0, goes_around = i + 1 == openings.size();
    const auto in_piece = [&](const Vector2& place) {
      const bool is_between = place.y() < back && place.x() > openings.front() && place.x() < openings.back();
      return goes_around ? !is_between : is_between && place.x() > from && place.x() < to;
    };
    std::vector<Loop> holes;
    const auto up_to = [&](double height) {
      return is_opening ? std::vector<Span>{{0, opening_low}, {opening_high, height}} : std::vector<Span>{{0, height}};
    };
    for (const Vector2& place : rim_bolts()) {
      if (!in_piece(place)) continue;
      holes.push_back(polygon(place, m6_hole, 16));
      solid.add(holes.back(), {}, up_to(rim_hole_bottom));
    }
    solid.add(piece, holes, up_to(rim));
  }
  std::vector<Loop> bosses;
  for (const ShaftPlace& shaft : shafts) {
    const Loop boss = polygon({shaft.x, 0}, shaft.lower_boss, 48);
    const Loop bore = polygon({shaft.x, 0}, shaft.bearing.outside / 2 + bearing_play, 64);
    solid.add(boss, {bore}, {{0, shaft.lower_boss_top}});
    solid.add(bore, {}, {{0, pocket_floor}});
    bosses.push_back(boss);
  }
  solid.add(inside, bosses, {{0, floor_top}});
  for (const double side : {-1.0, 1.0}) {
    for (const double x : foot_x)
      solid.add(on_outside(x, foot_half, foot_end, side), {polygon({x, side * foot_bolt}, m8_hole, 16)},
                {{0, foot_top}});
    for (const double x : rib_x) {
      const bool is_opening = side < 0 && x > front_openings[1].from && x < front_openings[1].to;
      if (!is_opening) solid.add(on_outside(x, rib_half, rib_end, side), {}, {{0, rib_top}});
    }
  }
  return solid.mesh();
}

MeshData gasket() {
  std::vector<Loop> holes = rim_holes();
  holes.push_back(cavity);
  return extrude(rectangle({x_low, -y_high}, {x_high, y_high}, 16), holes, rim, gasket_top);
}

// The window under the cover, and others that show the gears.
const Vector2 window_low{126, -80}, window_high{218, -54};
std::vector<Loop> windows() {
  const auto arc = [](Loop& loop, double x, double radius, double from, double to) {
    for (int i = 0; i <= 10; ++i)
      loop.push_back(on_circle(x, 0, radius, from + (to - from) * i / 10));
  };
  Loop back_right{{248, 30}, {248, 80}, {118, 80}, {118, 30}};
  arc(back_right, 172, 52, 145, 35);
  Loop back_left{{106, 28}, {106, 80}, {-34, 80}, {-34, 46}, {30, 46}};
  arc(back_left, 72, 43, 120, 42);
  Loop front_left;
  for (std::size_t i = back_left.size(); i > 0; --i)
    front_left.emplace_back(back_left[i - 1].x(), -back_left[i - 1].y());
  return {rectangle(window_low, window_high, 6), back_right, back_left, front_left,
          rectangle({224, -24}, {248, 24}, 6)};
}

MeshData upper_half() {
  LayeredSolid solid;
  std::vector<Loop> openings = windows();
  const std::vector<Loop> holes = rim_holes();
  openings.insert(openings.end(), holes.begin(), holes.end());
  for (const ShaftPlace& shaft : shafts) {
    const Loop boss = polygon({shaft.x, 0}, shaft.upper_boss, 48);
    std::vector<Loop> in_boss{polygon({shaft.x, 0}, shaft.bearing.outside / 2 + bearing_play, 64)};
    for (int i = 0; i < 6; ++i) {
      in_boss.push_back(polygon(cap_bolt(shaft, i), m5_hole, 16));
      solid.add(in_boss.back(), {}, {{boss_bottom, gasket_top}});
    }
    solid.add(boss, in_boss, {{boss_bottom, top}});
    openings.push_back(boss);
  }
  solid.add(rectangle({x_low, -y_high}, {x_high, y_high}, 16), openings, {{gasket_top, top}});
  return solid.mesh();
}

void add_housing(GearboxBuilder& b, const Fasteners& f) {
  b.part("housing/lower", lower_half());
  b.part("housing/gasket", gasket());
  b.part("housing/upper", upper_half());
  const Vector3 middle((x_low + x_high) / 2, 0, 0);
  b.plant_contact("housing/lower", "housing/gasket", middle + Vector3(0, 0, rim), 200);
  b.plant_contact("housing/gasket", "housing/upper", middle + Vector3(0, 0, gasket_top), 200);

  const std::vector<Vector2> places = rim_bolts();
  constexpr std::size_t too_long = 2;  // index of the bolt that is too long
  std::string strap_washer, neighbor_washer;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double x = places[i].x(), y = places[i].y();
    const std::string bolt = fmt::format("housing/bolt_{:02}", i + 1);
    const std::string under = fmt::format("housing/washer_{:02}", i + 1);
    b.part(under, f.m6_washer, at(x, y, top));
    b.part(bolt, i == too_long ? f.m6_long : f.m6_hex, at(x, y, top + m6_washer_thickness));
    if (places[i] == strap_bolt) strap_washer = under;
    if (places[i] == strap_neighbor) neighbor_washer = under;
    if (i == too_long) {
      // Its tip is below the bottom of its hole. The solid around the tip is thicker than that, so straight up is the
      // shortest way out.
      const double depth = rim_hole_bottom - (top + m6_washer_thickness - m6_long_length);
      b.plant_clash(bolt, "housing/lower", depth, {x, y, rim_hole_bottom - depth / 2}, 4);
    }
  }
  // Sides of the two polygons face each other across x. Along x they separate first, well before their thickness of 1.5
  // mm.
  b.plant_clash(neighbor_washer, strap_washer, 2 * m6_washer_radius - strap_bolt_distance,
                {(strap_neighbor.x() + strap_bolt.x()) / 2, 92, top + m6_washer_thickness / 2}, 4);

  const Loop mushroom{{0, 0}, {7, 0}, {7, 5}, {5, 6}, {5, 9}, {8, 9}, {6.5, 14}, {0, 15.5}};
  b.part("housing/breather", revolve(mushroom, 32), at(118.25, 0, top));
  b.plant_contact("housing/upper", "housing/breather", {118.25, 0, top}, 8);

  // Forgotten when the housing was cast: a bolt in the middle of the long wall, with its flats facing the wall's sides.
  // The shortest way out is through the inner side; ends, rim and floor are farther.
  const double bolt_y = 91, inside = y_high - wall;
  b.part("left_behind/bolt", f.m6_hex, quarter_turned({88, bolt_y, 50}));
  b.plant("housing/lower", "left_behind/bolt", FindingKind::contained, {88, bolt_y, 37}, 18).depth =
      about(bolt_y - inside + m6_head);
}

void add_base(GearboxBuilder& b, const Fasteners& f) {
  std::vector<Loop> holes;
  int number = 0;
  for (const double side : {-1.0, 1.0})
    for (const double x : foot_x) {
      ++number;
      holes.push_back(polygon({x, side * foot_bolt}, m8_hole, 16));
      b.part(fmt::format("base/washer_{}", number), f.m8_washer, at(x, side * foot_bolt, foot_top));
      b.part(fmt::format("base/bolt_{}", number), f.m8_hex, at(x, side * foot_bolt, foot_top + m6_washer_thickness));
    }
  for (const double x : {-82.0, 298.0})
    for (const double y : {-136.0, 136.0})
      holes.push_back(polygon({x, y}, 6, 24));
  b.part("base/plate", extrude(rectangle({-96, -150}, {312, 150}, 10), holes, -20, 0));
  b.plant_contact("base/plate", "housing/lower", {(x_low + x_high) / 2, 0, 0}, 230);

  // A stop that was placed 2 mm too far to the left.
  constexpr double too_far = 2;
  const double foot_side = foot_x[1] + foot_half;
  b.part("base/stop_block", block({foot_side - too_far, 104, 0}, {foot_side + 22, 122, 16}));
  b.plant_clash("base/stop_block", "housing/lower", too_far, {foot_side - too_far / 2, 113, foot_top / 2}, 13);
  b.plant_contact("base/stop_block", "base/plate", {foot_side + 10, 113, 0}, 17);

  // The cover's bolts wait in a rack.
  constexpr double rack_top = 24;
  LayeredSolid rack;
  std::vector<Loop> rack_holes;
  for (int i = 0; i < 8; ++i) {
    rack_holes.push_back(polygon({60 + 18 * i, -136}, m6_hole, 16));
    rack.add(rack_holes.back(), {}, {{0, 6}});
    b.part(fmt::format("rack/washer_{}", i + 1), f.m6_washer, at(60 + 18 * i, -136, rack_top));
    b.part(fmt::format("rack/bolt_{}", i + 1), f.m6_short, at(60 + 18 * i, -136, rack_top + m6_washer_thickness));
  }
  rack.add(rectangle({46, -146}, {200, -127}, 4), rack_holes, {{0, rack_top}});
  b.part("rack/block", rack.mesh());
  b.plant_contact("rack/block", "base/plate", {123, -136.5, 0}, 80);
}

// ---- shafts, gears, bearings

constexpr double key_play = 0.625;  // play of a key in its slots, above the required clearance

// A key: `bottom` and `height` are along the shaft's radius, toward +x before rotation.
MeshData key(double bottom, double height, double half_width, double from, double to) {
  return block({bottom, -half_width, from}, {height, half_width, to});
}

void add_shafts(GearboxBuilder& b) {
  const auto gear = [](int teeth, double module, double width) {
    return make::Gear{.teeth = teeth, .module = module, .width = width, .flank_points = 6, .backlash = 0.08};
  };
  const double x2 = shafts[1].x, x3 = shafts[2].x;
  // The pinion's keyway is at +x. The others are rotated as the meshing teeth require.
  const double angle2 = make::meshing_angle(18, 54, 0);
  const double angle3 = make::meshing_angle(20, 60, angle2);

  // Input: 18 teeth of module 2. Planted: its key is too high for the pinion's keyway. The shortest way out is through
  // the top, because the slot is longer and wider than it is deep.
  constexpr double key_too_high = 0.75, roof1 = 12;
  b.part("shaft_input/shaft", stepped_shaft({{9, 24, 8.5}, {24, 57, 12}, {57, 82, 10}, {82, 108, 8.5}, {108, 131, 8}},
                                            {{.half_width = 3 + key_play, .bottom = 6.25, .along = {62, 78}}}));
  b.part("shaft_input/key", key(7, roof1 + key_too_high, 3, 63, 77));
  b.part("stage1/pinion",
         gear_wheel({.gear = gear(18, 2, 18), .bore = 10.25, .keyway = {.half_width = 3 + key_play, .bottom = roof1}}),
         at(0, 0, 70));
  b.plant_clash("shaft_input/key", "stage1/pinion", key_too_high, {roof1 + key_too_high / 2, 0, 70}, 8);

  // Intermediate: 54 teeth of module 2 above 20 of module 2.5. Planted: a spacer between them that is too long.
  const Keyway in_shaft{.half_width = 4 + key_play, .bottom = 8.25};
  const Keyway in_gear{.half_width = 4 + key_play, .bottom = 14.75};
  const Pose intermediate = turned(angle2, {x2, 0, 0});
  const auto raised = [](const Pose& pose, double z) {
    return Pose(pose.rotation(), pose.translation() + Vector3(0, 0, z));
  };
  b.part("shaft_intermediate/shaft",
         stepped_shaft({{9, 22, 10}, {22, 82, 12}, {82, 103, 10}}, {{in_shaft.half_width, in_shaft.bottom, {29, 49}},
                                                                    {in_shaft.half_width, in_shaft.bottom, {63, 77}}}),
         intermediate);
  b.part("shaft_intermediate/key_pinion", key(9, 14, 4, 30, 48), intermediate);
  b.part("shaft_intermediate/key_wheel", key(9, 14, 4, 64, 76), intermediate);
  b.part("stage1/wheel",
         gear_wheel({.gear = gear(54, 2, 16),
                     .bore = 12.25,
                     .keyway = in_gear,
                     .hub_radius = 26,
                     .rim_radius = 45,
                     .web = 7,
                     .holes = 6,
                     .hole_radius = 7,
                     .hole_circle = 35.5}),
         raised(intermediate, 70));
  constexpr double pinion2_top = 54, spacer_too_long = 0.25;
  b.part("stage2/pinion", gear_wheel({.gear = gear(20, 2.5, 30), .bore = 12.25, .keyway = in_gear}),
         raised(intermediate, pinion2_top - 15));
  b.part("shaft_intermediate/spacer", washer(13, 18, 7 + spacer_too_long), at(x2, 0, pinion2_top - spacer_too_long));
  b.plant_clash("stage2/pinion", "shaft_intermediate/spacer", spacer_too_long,
                {x2, 0, pinion2_top - spacer_too_long / 2}, 19);

  // Output: 60 teeth of module 2.5. Planted: the housing's boss below it is too high.
  const Pose output = turned(angle3, {x3, 0, 0});
  b.part("shaft_output/shaft",
         stepped_shaft({{9, 24, 15}, {24, 56, 17}, {56, 84, 20}, {84, 116, 15}, {116, 150, 14.5}},
                       {{.half_width = 5 + key_play, .bottom = 12.75, .along = {28, 50}},
                        {.half_width = 5 + key_play, .bottom = 10.5, .along = {121, 145}}}),
         output);
  b.part("shaft_output/key_wheel", key(13.5, 19.5, 5, 29, 49), output);
  b.part("shaft_output/key_end", key(11.25, 17, 5, 122, 144), output);
  b.part("stage2/wheel",
         gear_wheel({.gear = gear(60, 2.5, 26),
                     .bore = 17.25,
                     .keyway = {.half_width = 5 + key_play, .bottom = 20.25},
                     .hub_radius = 40,
                     .rim_radius = 64,
                     .web = 10,
                     .holes = 6,
                     .hole_radius = 8,
                     .hole_circle = 52}),
         raised(output, wheel2_bottom + 13));
  b.plant_gap("housing/lower", "stage2/wheel", boss_gap, {x3, 0, wheel2_bottom - boss_gap / 2}, 39);

  b.allow("stage1/pinion", "stage1/wheel");
  b.allow("stage2/pinion", "stage2/wheel");
  b.allow("stage?/*", "shaft_*/shaft");
}

void add_bearings(GearboxBuilder& b) {
  char letter = 'A';
  for (const ShaftPlace& shaft : shafts) {
    const Bearing& bearing = shaft.bearing;
    Bearing loose = bearing;  // the inner ring's bore has play on the shaft
    loose.bore += 2 * bearing_play;
    const std::uint32_t inner = b.mesh(inner_ring(loose));
    const std::uint32_t outer = b.mesh(outer_ring(bearing));
    const std::uint32_t ball = b.mesh(bearing_ball(bearing));
    const std::uint32_t crown = b.mesh(cage(bearing));
    for (const double z : {pocket_floor + 1 + bearing.width / 2, top - 1 - bearing.width / 2}) {
      const std::string name = fmt::format("bearing_{}", letter++);
      b.part(name + "/inner_ring", inner, at(shaft.x, 0, z));
      b.part(name + "/outer_ring", outer, at(shaft.x, 0, z));
      b.part(name + "/cage", crown, at(shaft.x, 0, z));
      for (int i = 0; i < bearing.balls; ++i) {
        const Vector2 place = on_circle(shaft.x, 0, bearing.pitch_radius(), 360.0 * i / bearing.balls);
        b.part(fmt::format("{}/ball_{:02}", name, i + 1), ball, at(place.x(), place.y(), z));
      }
      b.allow(name + "/*", name + "/*");
    }
  }
  b.allow("bearing_*/outer_ring", "housing/lower");
  b.allow("bearing_*/outer_ring", "housing/upper");
  b.allow("bearing_*/inner_ring", "shaft_*/shaft");
}

// ---- caps, lantern, coupling, motor

constexpr double cap_thickness = 6;
double cap_radius(const ShaftPlace& shaft) {
  return shaft.bearing.outside / 2 + 13;
}
// Planted: the lantern's foot is so large that it is too close to the cap beside it. Sides of the two face each other.
constexpr double cap_gap = 0.375;
double lantern_foot() {
  return shafts[1].x - cap_gap - cap_radius(shafts[1]);
}
constexpr double lantern_foot_top = top + 8;
constexpr double lantern_top = 173, lantern_flange = 165;

void add_cap_bolts(GearboxBuilder& b, const Fasteners& f, const std::string& group, const ShaftPlace& shaft, double z) {
  for (int i = 0; i < 6; ++i) {
    const Vector2 place = cap_bolt(shaft, i);
    b.part(fmt::format("{}/washer_{}", group, i + 1), f.m5_washer, at(place.x(), place.y(), z));
    b.part(fmt::format("{}/bolt_{}", group, i + 1), f.m5_socket, at(place.x(), place.y(), z + m5_washer_thickness));
  }
}

void add_cap(GearboxBuilder& b, const Fasteners& f, const ShaftPlace& shaft, double shaft_hole) {
  const std::string group = fmt::format("cap_{}", shaft.name);
  LayeredSolid solid;
  const Loop step = polygon({0, 0}, shaft.bearing.outside / 2 - 2, 48);
  std::vector<Loop> in_rim{step};
  for (int i = 0; i < 6; ++i) {
    const Vector2 place = on_circle(0, 0, cap_bolt_circle(shaft), 30 + 60 * i);
    in_rim.push_back(polygon(place, m5_hole, 16));
  }
  solid.add(polygon({0, 0}, cap_radius(shaft), 48), in_rim, {{0, cap_thickness}});
  std::vector<Loop> hole;
  if (shaft_hole > 0) hole.push_back(polygon({0, 0}, shaft_hole, 48));
  solid.add(step, hole, {{0, cap_thickness + 4}});
  b.part(group + "/cap", solid.mesh(), at(shaft.x, 0, top));
  b.plant_contact(group + "/cap", "housing/upper", {shaft.x, 0, top}, cap_radius(shaft) + 1);
  add_cap_bolts(b, f, group, shaft, top + cap_thickness);
}

void add_drive(GearboxBuilder& b, const Fasteners& f) {
  add_cap(b, f, shafts[1], 0);
  add_cap(b, f, shafts[2], 17);

  // The lantern: a foot and a flange with six legs between them, so that the coupling is visible.
  constexpr double flange_radius = 60, motor_bolt_circle = 52;
  const Loop foot = polygon({0, 0}, lantern_foot(), 48);
  std::vector<Loop> in_foot{polygon({0, 0}, 19, 48)};
  LayeredSolid lantern;
  for (int i = 0; i < 6; ++i) {
    const Loop hole = polygon(cap_bolt(shafts[0], i), m5_hole, 16);
    lantern.add(hole, {}, {{lantern_flange, lantern_top}});
    in_foot.push_back(hole);
    Loop leg;
    for (int k = -2; k <= 2; ++k)
      leg.push_back(on_circle(0, 0, 33, 60 * i + 6 * k));
    for (int k = 2; k >= -2; --k)
      leg.push_back(on_circle(0, 0, 25, 60 * i + 6 * k));
    lantern.add(leg, {}, {{top, lantern_top}});
    in_foot.push_back(leg);
  }
  lantern.add(foot, in_foot, {{top, lantern_foot_top}, {lantern_flange, lantern_top}});
  std::vector<Loop> in_flange{foot};
  std::vector<Loop> motor_holes{polygon({0, 0}, 9, 32)};
  for (int i = 0; i < 4; ++i) {
    const Vector2 place = on_circle(0, 0, motor_bolt_circle, 45 + 90 * i);
    in_flange.push_back(polygon(place, m6_hole, 16));
    motor_holes.push_back(in_flange.back());
  }
  lantern.add(polygon({0, 0}, flange_radius, 64), in_flange, {{lantern_flange, lantern_top}});
  b.part("lantern/body", lantern.mesh());
  b.plant_contact("lantern/body", "housing/upper", {0, 0, top}, lantern_foot() + 1);
  b.plant_gap("lantern/body", "cap_intermediate/cap", cap_gap,
              {lantern_foot() + cap_gap / 2, 0, top + cap_thickness / 2}, 6);
  add_cap_bolts(b, f, "lantern", shafts[0], lantern_foot_top);

  b.part("coupling/lower_hub", jaw_hub({.bore = 8.5, .inner = 9, .outer = 17, .base = 12, .height = 22}),
         at(0, 0, 119));
  // The other half hangs upside down, with its jaws between those of the lower one.
  const Matrix3 upside_down = (Matrix3() << -1, 0, 0, 0, 1, 0, 0, 0, -1).finished();
  b.part("coupling/upper_hub", jaw_hub({.bore = 7.5, .inner = 9, .outer = 17, .base = 12, .height = 22}),
         Pose(upside_down, {0, 0, 155}));
  b.part("coupling/spider", spider(7.5, 16.5, 3, 6, 10), turned(std::numbers::pi / 6, {0, 0, 132}));

  const double motor_flange_top = lantern_top + 10;
  b.part("motor/shaft", stepped_shaft({{144, motor_flange_top - 1, 7}}));
  b.part("motor/flange", extrude(polygon({0, 0}, flange_radius, 64), motor_holes, lantern_top, motor_flange_top));
  b.plant_contact("lantern/body", "motor/flange", {0, 0, lantern_top}, flange_radius + 1);
  constexpr double body = 80;
  b.part("motor/body", finned_cylinder(36, 42, 40, body), at(0, 0, motor_flange_top));
  const Loop hood{{0, 0}, {42, 0}, {42, 20}, {39, 26}, {30, 29}, {0, 30}};
  b.part("motor/fan_cover", revolve(hood, 64), at(0, 0, motor_flange_top + body + 1));
  b.part("motor/terminal_box", block({-58, -18, 0}, {-43, 18, 40}), at(0, 0, motor_flange_top + 20));
  for (int i = 0; i < 4; ++i) {
    const Vector2 place = on_circle(0, 0, motor_bolt_circle, 45 + 90 * i);
    const double x = place.x(), y = place.y();
    b.part(fmt::format("motor/washer_{}", i + 1), f.m6_washer, at(x, y, motor_flange_top));
    b.part(fmt::format("motor/bolt_{}", i + 1), f.m6_hex, at(x, y, motor_flange_top + m6_washer_thickness));
    b.part(fmt::format("motor/washer_{}", i + 5), f.m6_washer, at(x, y, lantern_flange - m6_washer_thickness));
    b.part(fmt::format("motor/nut_{}", i + 1), f.m6_nut,
           at(x, y, lantern_flange - m6_washer_thickness - m6_nut_height));
  }
  b.allow("coupling/*", "coupling/*");
  b.allow("coupling/*", "*/shaft");
  b.allow("motor/*", "motor/*");
}

// ---- the hand and the cover that it carries

// Times in s. The hand first moves above the window, then down. It stops above the plate.
constexpr double down_from = 2, down_to = 6, down_by = 64;
const Vector3 cover_low(112, -84, 171), cover_high(232, -50, 177);
const Vector3 first_offset(96, -64, 24);

std::vector<Keyframe> hand_motion(const Pose& pose) {
  const auto moved = [&](const Vector3& by) { return Pose(pose.rotation(), pose.translation() + by); };
  return {{0, moved(first_offset)}, {down_from, pose}, {down_to, moved({0, 0, -down_by})}};
}

void add_hand(GearboxBuilder& b, const Fasteners& f) {
  const Vector3 center((cover_low.x() + cover_high.x()) / 2, (cover_low.y() + cover_high.y()) / 2, cover_low.z());
  // In the hand's own frame: x from finger to finger, z up, the origin in the middle of the cover's lower side.
  const auto add = [&](const std::string& name, std::uint32_t mesh, const Pose& local = {}) {
    const Pose pose(local.rotation(), local.translation() + center);
    Part& part = b.part(name, mesh, pose);
    part.motion = hand_motion(pose);
    part.pose = part.motion.front().pose;
  };
  const double half = (cover_high.x() - cover_low.x()) / 2, half_y = (cover_high.y() - cover_low.y()) / 2;
  {
    std::vector<Loop> holes;
    for (const double x : {-53.0, 0.0, 53.0})
      for (const double y : {-12.0, 12.0})
        holes.push_back(polygon({x, y}, m6_hole, 16));
    add("cover/plate",
        b.mesh(extrude(rectangle({-half, -half_y}, {half, half_y}), holes, 0, cover_high.z() - cover_low.z())));
  }
  // Fingers lie in the xz plane: a link's own x and y become x and z. `side` selects the left or right fingers.
  const Matrix3 upright = (Matrix3() << 1, 0, 0, 0, 0, -1, 0, 1, 0).finished();
  const auto link_pose = [&](double side, const Vector2& from, const Vector2& to, double y) {
    const double angle = std::atan2(to.y() - from.y(), side * (to.x() - from.x()));
    const Matrix3 turn = upright * Eigen::AngleAxisd(angle, Vector3::UnitZ()).toRotationMatrix();
    return Pose(turn, {side * from.x(), y, from.y()});
  };
  constexpr double pad_thickness = 4, pad_height = 16, tip_half = 5;
  const Vector2 tip_low(half + pad_thickness + tip_half + 0.75, 8), tip_high(tip_low.x(), 40), knee(88, 84),
      knuckle(56, 112);
  const double plate = 2.5, bar = 6, lane = bar / 2 + plate / 2 + 0.75;
  const std::uint32_t pad = b.mesh(block({0, -6, 0}, {pad_thickness, 6, pad_height}));
  const std::uint32_t tip = b.mesh(link_bar((tip_high - tip_low).norm(), tip_half, bar, 3.25));
  const std::uint32_t middle = b.mesh(link_bar((knee - tip_high).norm(), 6, plate, 3.25));
  const std::uint32_t proximal = b.mesh(link_bar((knuckle - knee).norm(), 7, bar, 3.25));
  const std::uint32_t bracket = b.mesh(link_bar(12, 7, plate, 3.25));
  const std::uint32_t pin = b.mesh(make::cylinder({.radius = 2.5, .length = 16, .slices = 20}));
  const std::uint32_t clip = b.mesh(washer(2.75, 4, 1));
  int finger = 0;
  for (const double side : {-1.0, 1.0})
    for (const double y : {-9.0, 9.0}) {
      const std::string name = fmt::format("hand/finger{}", ++finger);
      const double pad_x = side > 0 ? half : -half - pad_thickness;
      add(name + "/pad", pad, at(pad_x, y, 0));
      b.plant_contact(name + "/pad", "cover/plate",
                      center + first_offset + Vector3(side * half, y, (cover_high.z() - cover_low.z()) / 2), 7);
      add(name + "/tip", tip, link_pose(side, tip_low, tip_high, y));
      for (const double lane_side : {-1.0, 1.0}) {
        add(name + (lane_side < 0 ? "/middle_a" : "/middle_b"), middle,
            link_pose(side, tip_high, knee, y + lane_side * lane));
        add(name + (lane_side < 0 ? "/bracket_a" : "/bracket_b"), bracket,
            link_pose(side, knuckle, knuckle + Vector2(0, 12), y + lane_side * lane));
      }
      add(name + "/proximal", proximal, link_pose(side, knee, knuckle, y));
      const std::array<Vector2, 4> pins{tip_low, tip_high, knee, knuckle};
      for (std::size_t i = 0; i < pins.size(); ++i) {
        for (const double clip_side : {-1.0, 1.0})
          add(fmt::format("{}/clip_{}{}", name, i + 1, clip_side < 0 ? 'a' : 'b'), clip,
              Pose(upright, {side * pins[i].x(), y + clip_side * 7 + 0.5, pins[i].y()}));
        add(fmt::format("{}/pin_{}", name, i + 1), pin, Pose(upright, {side * pins[i].x(), y, pins[i].y()}));
      }
    }
  constexpr double palm_low = 132, palm_high = 154;
  add("hand/palm", b.mesh(extrude(rectangle({-66, -22}, {66, 22}, 14), palm_low, palm_high)));
  std::vector<Loop> holes;
  for (int i = 0; i < 6; ++i) {
    const Vector2 place = on_circle(0, 0, 16, 60 * i);
    holes.push_back(polygon(place, m5_hole, 16));
    add(fmt::format("hand/flange/bolt_{}", i + 1), f.m5_socket, at(place.x(), place.y(), palm_high + 17));
  }
  add("hand/flange/plate", b.mesh(extrude(polygon({0, 0}, 21, 48), holes, palm_high + 1, palm_high + 17)));
  const Loop wrist{{0, 0}, {11, 0}, {11, 14}, {20, 22}, {20, 40}, {0, 40}};
  add("hand/wrist", b.mesh(revolve(wrist, 48)), at(0, 0, palm_high + 18));
  const Loop forearm{{0, 0}, {20, 0}, {24, 6}, {26, 76}, {22, 84}, {0, 84}};
  add("hand/forearm", b.mesh(revolve(forearm, 48)), at(0, 0, palm_high + 59));
  b.allow("hand/*", "hand/*");

  // A nut lies where the cover will go: on the plate and in the cover's way.
  const Vector3 nut_place(119, -67, top);
  b.part("left_behind/nut", f.m6_nut, Pose(nut_place));
  b.plant_contact("left_behind/nut", "housing/upper", nut_place, 6);
  const double way = cover_low.z() - (top + m6_nut_height);
  b.plant("cover/plate", "left_behind/nut", FindingKind::clash, nut_place + Vector3(0, 0, m6_nut_height), 6).time =
      about(down_from + way / down_by * (down_to - down_from));
}

}  // namespace

PlantedAssembly make_gearbox() {
  GearboxBuilder b;
  Assembly& assembly = b.result().assembly;
  assembly.title = "Gearbox";
  assembly.unit = "mm";
  assembly.rules.clearance = 0.5;
  assembly.rules.contact = 0.01;
  const Fasteners fasteners = add_fasteners(b);
  add_base(b, fasteners);
  add_housing(b, fasteners);
  add_shafts(b);
  add_bearings(b);
  add_drive(b, fasteners);
  add_hand(b, fasteners);
  // Fasteners touch what they hold.
  b.allow("*/bolt_*", "*/washer_*");
  b.allow("*/bolt_*", "*/nut_*");
  b.allow("*/nut_*", "*/washer_*");
  for (const char* held : {"housing/lower", "housing/upper", "cap_*/cap", "lantern/body", "rack/block"})
    b.allow("*/washer_*", held);
  return std::move(b.result());
}

}  // namespace whisker::clash
