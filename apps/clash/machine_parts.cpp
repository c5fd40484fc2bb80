#include "clash/machine_parts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

namespace whisker::clash {
namespace {

constexpr int bolt_sides = 16;
constexpr int washer_sides = 24;
constexpr int ring_sides = 64;
constexpr int shaft_sides = 48;

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}
Vector2 polar(double radius, double angle) {
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// A solid of cells between circles and rays. `filled` returns the heights at which cell (ring, sector) has material.
// `node` returns the position of node (ring, ray). Ring 0 may be the single point on the axis (radius 0).
MeshData polar_solid(std::size_t rings, std::size_t rays, const std::function<Vector2(std::size_t, std::size_t)>& node,
                     const std::function<std::vector<Span>(std::size_t, std::size_t)>& filled) {
  LayeredSolid solid;
  for (std::size_t ring = 0; ring + 1 < rings; ++ring)
    for (std::size_t sector = 0; sector < rays; ++sector) {
      const std::vector<Span> spans = filled(ring, sector);
      if (spans.empty()) continue;
      const std::size_t after = (sector + 1) % rays;
      Loop cell{node(ring, sector), node(ring + 1, sector), node(ring + 1, after)};
      if (node(ring, sector) != node(ring, after)) cell.push_back(node(ring, after));
      solid.add(cell, {}, spans);
    }
  return solid.mesh();
}

// The same with circles of these radii and rays at these angles.
MeshData polar_solid(const std::vector<double>& radii, const std::vector<double>& rays,
                     const std::function<std::vector<Span>(std::size_t, std::size_t)>& filled) {
  return polar_solid(
      radii.size(), rays.size(), [&](std::size_t ring, std::size_t ray) { return polar(radii[ring], rays[ray]); },
      filled);
}

// Rays, `steps` in each of alternating arcs: `half_angle` on both sides of `count` directions, and the arcs between
// them. Sector s is in an arc of the first kind if (s / steps) is even.
std::vector<double> alternating(int count, double half_angle, int steps) {
  std::vector<double> angles;
  for (int i = 0; i < count; ++i) {
    const double middle = 2 * std::numbers::pi * i / count;
    angles.insert(angles.end(), {middle - half_angle, middle + half_angle});
  }
  std::vector<double> rays;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const double to = i + 1 < angles.size() ? angles[i + 1] : angles[0] + 2 * std::numbers::pi;
    for (int step = 0; step < steps; ++step)
      rays.push_back(angles[i] + (to - angles[i]) * step / steps);
  }
  return rays;
}

// The groove of a ring between its shoulders, from bottom to top: inside (-1) or outside (1) of the pitch circle.
std::vector<Vector2> groove_of(const Bearing& bearing, double side) {
  const double pitch = bearing.pitch_radius(), half = bearing.width / 2;
  const double shoulder = 0.3 * bearing.ball;  // distance of the shoulders from the pitch circle
  const double radius = 0.52 * bearing.ball;
  const double half_angle = std::acos(shoulder / radius);
  std::vector<Vector2> profile{{pitch + side * shoulder, -half}};
  constexpr int steps = 8;
  for (int i = 0; i <= steps; ++i) {
    const double angle = half_angle * (2.0 * i / steps - 1);
    profile.emplace_back(pitch + side * radius * std::cos(angle), radius * std::sin(angle));
  }
  profile.emplace_back(pitch + side * shoulder, half);
  return profile;
}

}  // namespace

MeshData hex_bolt(const Bolt& bolt) {
  const Loop shank = polygon({0, 0}, bolt.radius, bolt_sides);
  LayeredSolid solid;
  solid.add(shank, {}, {{-bolt.length, bolt.head_height}});
  solid.add(polygon({0, 0}, bolt.head_apothem, 6), {shank}, {{0, bolt.head_height}});
  return solid.mesh();
}

MeshData socket_bolt(const Bolt& bolt) {
  const Loop shank = polygon({0, 0}, bolt.radius, bolt_sides);
  const Loop socket = polygon({0, 0}, 0.72 * bolt.radius, 6);
  LayeredSolid solid;
  solid.add(socket, {}, {{-bolt.length, bolt.head_height / 2}});
  solid.add(shank, {socket}, {{-bolt.length, bolt.head_height}});
  solid.add(polygon({0, 0}, bolt.head_apothem, washer_sides), {shank}, {{0, bolt.head_height}});
  return solid.mesh();
}

MeshData washer(double inner_radius, double outer_radius, double thickness) {
  return extrude(polygon({0, 0}, outer_radius, washer_sides), {polygon({0, 0}, inner_radius, washer_sides)}, 0,
                 thickness);
}

MeshData nut(double bore_radius, double apothem, double height) {
  return extrude(polygon({0, 0}, apothem, 6), {polygon({0, 0}, bore_radius, bolt_sides)}, 0, height);
}

MeshData block(const Vector3& low, const Vector3& high) {
  return extrude(rectangle(low.head<2>(), high.head<2>()), low.z(), high.z());
}

MeshData inner_ring(const Bearing& bearing) {
  std::vector<Vector2> profile = groove_of(bearing, -1);
  profile.insert(profile.begin(), Vector2(bearing.bore / 2, -bearing.width / 2));
  profile.emplace_back(bearing.bore / 2, bearing.width / 2);
  return revolve(profile, ring_sides);
}

MeshData outer_ring(const Bearing& bearing) {
  const std::vector<Vector2> groove = groove_of(bearing, 1);
  std::vector<Vector2> profile{{bearing.outside / 2, -bearing.width / 2}, {bearing.outside / 2, bearing.width / 2}};
  profile.insert(profile.end(), groove.rbegin(), groove.rend());
  return revolve(profile, ring_sides);
}

MeshData bearing_ball(const Bearing& bearing) {
  return make::icosphere({.radius = bearing.ball / 2, .subdivisions = 2});
}

MeshData cage(const Bearing& bearing) {
  const double pitch = bearing.pitch_radius();
  const double pocket = std::asin((bearing.ball / 2 + 0.5) / pitch);
  constexpr int steps = 4;
  const std::vector<double> rays = alternating(bearing.balls, pocket, steps);
  const double low = -bearing.width / 2 + 0.5;
  const double top_of_ring = -bearing.ball / 2 - 0.25;
  return polar_solid({pitch - 0.14 * bearing.ball, pitch + 0.14 * bearing.ball}, rays,
                     [&](std::size_t, std::size_t sector) {
                       return std::vector<Span>{{low, (sector / steps) % 2 == 0 ? top_of_ring : bearing.ball / 4}};
                     });
}

MeshData stepped_shaft(const std::vector<ShaftStep>& steps, const std::vector<Keyway>& keyways) {
  const double half_width = keyways.empty() ? 0 : keyways.front().half_width;
  // The circles of the cells: the radii of the steps, and for each keyway one through the corners of its floor.
  struct Circle {
    double radius;
    const Keyway* floor;
  };
  std::vector<Circle> circles{{0, nullptr}};
  for (const ShaftStep& step : steps)
    circles.push_back({step.radius, nullptr});
  for (const Keyway& keyway : keyways)
    circles.push_back({std::hypot(keyway.bottom, keyway.half_width), &keyway});
  std::ranges::sort(circles, {}, &Circle::radius);
  const auto same_radius = [](const Circle& a, const Circle& b) { return a.radius == b.radius; };
  circles.erase(std::unique(circles.begin(), circles.end(), same_radius), circles.end());
  const double lowest_floor = keyways.empty() ? 0 : std::ranges::min(keyways, {}, &Keyway::bottom).bottom;
  const auto node = [&](std::size_t ring, std::size_t ray) -> Vector2 {
    const Circle& circle = circles[ring];
    if (circle.radius == 0) return {0, 0};
    if (keyways.empty() || circle.radius < lowest_floor)
      return polar(circle.radius / std::cos(std::numbers::pi / shaft_sides),
                   2 * std::numbers::pi * static_cast<double>(ray) / shaft_sides);
    // Rays 1 and -1 follow the keyway's sides. The others divide the rest of the circle evenly.
    if (circle.floor != nullptr && (ray <= 1 || ray == shaft_sides - 1))
      return {circle.floor->bottom, ray == 0 ? 0 : ray == 1 ? half_width : -half_width};
    const double side = std::asin(half_width / circle.radius);
    const double step = (2 * std::numbers::pi - 2 * side) / (shaft_sides - 2);
    const double radius = circle.floor != nullptr ? circle.radius : circle.radius / std::cos(step / 2);
    if (ray == 0) return {radius, 0};
    if (ray == 1 || ray == shaft_sides - 1)
      return {std::sqrt(radius * radius - half_width * half_width), ray == 1 ? half_width : -half_width};
    return polar(radius, side + step * (static_cast<double>(ray) - 1));
  };
  return polar_solid(circles.size(), shaft_sides, node, [&](std::size_t ring, std::size_t sector) {
    const double radius = circles[ring + 1].radius;
    std::vector<Span> filled;
    for (const ShaftStep& step : steps) {
      if (step.radius < radius) continue;
      std::vector<Span> pieces{{step.from, step.to}};
      if (sector == 0 || sector == shaft_sides - 1)
        for (const Keyway& keyway : keyways) {
          if (radius <= std::hypot(keyway.bottom, half_width)) continue;
          std::vector<Span> left;
          for (const Span& piece : pieces) {
            if (keyway.along.from > piece.from) left.push_back({piece.from, std::min(piece.to, keyway.along.from)});
            if (keyway.along.to < piece.to) left.push_back({std::max(piece.from, keyway.along.to), piece.to});
          }
          pieces = left;
        }
      filled.insert(filled.end(), pieces.begin(), pieces.end());
    }
    return filled;
  });
}

Loop keyed_bore(double radius, const Keyway& keyway) {
  if (keyway.half_width == 0) return polygon({0, 0}, radius, shaft_sides);
  Loop loop{{keyway.bottom, -keyway.half_width}, {keyway.bottom, keyway.half_width}};
  const double corner = radius / std::cos(std::numbers::pi / shaft_sides);
  const double side = std::asin(keyway.half_width / corner);
  const int steps = shaft_sides - 2;
  for (int i = 0; i <= steps; ++i) {
    const Vector2 point = polar(corner, side + (2 * std::numbers::pi - 2 * side) * i / steps);
    loop.push_back(i == 0       ? Vector2(point.x(), keyway.half_width)
                   : i == steps ? Vector2(point.x(), -keyway.half_width)
                                : point);
  }
  return loop;
}

MeshData gear_wheel(const Wheel& wheel) {
  const double half = wheel.gear.width / 2;
  const Loop outline = make::gear_outline(wheel.gear);
  const Loop bore = keyed_bore(wheel.bore, wheel.keyway);
  LayeredSolid solid;
  if (wheel.hub_radius == 0) {
    solid.add(outline, {bore}, {{-half, half}});
    return solid.mesh();
  }
  const Loop rim = polygon({0, 0}, wheel.rim_radius, ring_sides);
  const Loop hub = polygon({0, 0}, wheel.hub_radius, shaft_sides);
  std::vector<Loop> openings{hub};
  for (int i = 0; i < wheel.holes; ++i)
    openings.push_back(polygon(polar(wheel.hole_circle, 2 * std::numbers::pi * (i + 0.5) / wheel.holes),
                               wheel.hole_radius, washer_sides));
  solid.add(outline, {rim}, {{-half, half}});
  solid.add(rim, openings, {{-wheel.web / 2, wheel.web / 2}});
  solid.add(hub, {bore}, {{-half, half}});
  return solid.mesh();
}

MeshData jaw_hub(const JawHub& hub) {
  constexpr int steps = 6;
  const std::vector<double> rays = alternating(hub.jaws, radians(hub.half_angle), steps);
  return polar_solid({hub.bore, hub.inner, hub.outer}, rays, [&](std::size_t ring, std::size_t sector) {
    const bool is_jaw = ring == 1 && (sector / steps) % 2 == 0;
    return std::vector<Span>{{0, is_jaw ? hub.height : hub.base}};
  });
}

MeshData spider(double disc_radius, double leg_radius, double leg_half_angle, int legs, double height) {
  constexpr int steps = 4;
  const std::vector<double> rays = alternating(legs, radians(leg_half_angle), steps);
  return polar_solid({0, disc_radius, leg_radius}, rays, [&](std::size_t ring, std::size_t sector) {
    return ring == 0 || (sector / steps) % 2 == 0 ? std::vector<Span>{{0, height}} : std::vector<Span>{};
  });
}

MeshData finned_cylinder(double radius, double fin_radius, int fins, double height) {
  Loop outline;
  for (int i = 0; i < fins; ++i) {
    const double pitch = 2 * std::numbers::pi / fins;
    const double fin = 0.2 * pitch;
    for (const auto& [r, angle] : {std::pair(radius, -fin), std::pair(fin_radius, -fin), std::pair(fin_radius, fin),
                                   std::pair(radius, fin), std::pair(radius, pitch / 2)})
      outline.push_back(polar(r, i * pitch + angle));
  }
  return extrude(outline, 0, height);
}

MeshData link_bar(double length, double half_width, double thickness, double hole_radius) {
  Loop outline;
  constexpr int steps = 8;
  for (int end = 0; end < 2; ++end)
    for (int i = 0; i <= steps; ++i) {
      const Vector2 out =
          polar(half_width, std::numbers::pi * i / steps - std::numbers::pi / 2 + std::numbers::pi * end);
      outline.emplace_back(out.x() + (end == 0 ? length : 0), out.y());
    }
  return extrude(outline, {polygon({0, 0}, hole_radius, bolt_sides), polygon({length, 0}, hole_radius, bolt_sides)},
                 -thickness / 2, thickness / 2);
}

}  // namespace whisker::clash
