#pragma once

// Convex shapes that stand on the plane z = 0 with a known foot: a face, a disc, an edge, a line on a round side, or a
// tip. If one of two such shapes is turned upside down, their contact is the intersection of the two feet, at any gap
// along the normal.

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/convex_hull.hpp>
#include <whisker/queries.hpp>

#include "support/convex_cases.hpp"
#include "support/plane_sets.hpp"

namespace whisker::test {

enum class Stance {
  half_space,
  plane,
  box_face,
  box_edge,
  box_corner,
  prism_face,  // a hull with up to 32 corners per face
  wedge_edge,  // a hull
  pyramid_tip,
  triangle_face,
  triangle_edge,
  segment_along,
  segment_end,
  sphere,
  capsule_side,
  capsule_end,
  cylinder_cap,
  cylinder_side,
  cylinder_rim,
  cone_base,
  cone_side,
  cone_tip,
  cone_rim,
  ellipsoid,
};
inline constexpr std::size_t stance_count = 23;

inline std::string_view name(Stance stance) {
  constexpr std::array<std::string_view, stance_count> names = {
      "half_space", "plane",        "box_face",      "box_edge",      "box_corner",    "prism_face",
      "wedge_edge", "pyramid_tip",  "triangle_face", "triangle_edge", "segment_along", "segment_end",
      "sphere",     "capsule_side", "capsule_end",   "cylinder_cap",  "cylinder_side", "cylinder_rim",
      "cone_base",  "cone_side",    "cone_tip",      "cone_rim",      "ellipsoid"};
  return names[static_cast<std::size_t>(stance)];
}

/// A shape in a pose in which it stands on z = 0, entirely above it, and its foot: its points with z = 0.
struct Standing {
  Shape shape = Sphere{1};
  Pose pose;
  PlaneSet foot;
  bool is_thin = false;    ///< Flat in the plane z = 0. Two such shapes have no depth.
  bool is_smooth = false;  ///< The surface bends away around its foot without an edge.
  bool is_bent = false;    ///< Its foot is a point of a round rim.
  bool is_round = false;   ///< Its depth comes from a search with a relative accuracy of 2e-6.
};

namespace standing {

using scenes::Generator;

inline Matrix3 about(const Vector3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

/// The foot with these corners.
inline PlaneSet foot_of(const std::vector<Vector2>& corners) {
  PlaneSet set;
  for (const Vector2& c : corners)
    set.corners.push_back({c.x(), c.y()});
  return set;
}

inline PlaneSet point_at(Extended x, Extended y) {
  return PlaneSet::of({{x, y}});
}

/// A line of `length` along x, with its middle at `x`.
inline PlaneSet line(Extended x, Extended length) {
  return PlaneSet::of({{x - length / 2, 0}, {x + length / 2, 0}});
}

inline Standing make(Generator& random, Stance stance) {
  Standing s;
  const double x = uniform(random, 0.4, 1.2), y = uniform(random, 0.4, 1.2), z = uniform(random, 0.3, 1.2);
  const double r = uniform(random, 0.25, 0.8), tilt = uniform(random, 0.4, 1.1);
  const double pi = 3.14159265358979323846;
  switch (stance) {
    case Stance::half_space:
    case Stance::plane: {
      const double longer = uniform(random, 0.1, 10);
      // The solid is above the plane, so its normal points down.
      if (stance == Stance::plane)
        s.shape = Plane{Vector3(0, 0, longer), 0};
      else
        s.shape = HalfSpace{Vector3(0, 0, -longer), 0};
      s.foot = PlaneSet::everything();
      s.is_thin = stance == Stance::plane;
      break;
    }
    case Stance::box_face:
      s.shape = Box{Vector3(x, y, z)};
      s.pose = Pose(Vector3(0, 0, z / 2));
      s.foot = foot_of({{-x / 2, -y / 2}, {x / 2, -y / 2}, {x / 2, y / 2}, {-x / 2, y / 2}});
      break;
    case Stance::box_edge: {
      s.shape = Box{Vector3(x, y, z)};
      const Matrix3 turn = about(Vector3::UnitX(), tilt);
      // The height and the position of the lowest corner follow from the two half sizes.
      const double height = (y * std::sin(tilt) + z * std::cos(tilt)) / 2;
      s.pose = Pose(turn, Vector3(0, 0, height));
      const Vector3 low = turn * Vector3(0, -y / 2, -z / 2);
      s.foot = line(0, x);
      s.foot.shift({0, low.y()});
      break;
    }
    case Stance::box_corner: {
      s.shape = Box{Vector3(x, y, z)};
      const Matrix3 turn = about(Vector3::UnitY(), uniform(random, 0.3, 0.9)) * about(Vector3::UnitX(), tilt);
      Vector3 low = turn * Vector3(x / 2, y / 2, z / 2);
      for (int bits = 0; bits < 8; ++bits) {
        const Vector3 p =
            turn * Vector3(bits & 1 ? x / 2 : -x / 2, bits & 2 ? y / 2 : -y / 2, bits & 4 ? z / 2 : -z / 2);
        if (p.z() < low.z()) low = p;
      }
      s.pose = Pose(turn, Vector3(0, 0, -low.z()));
      s.foot = point_at(low.x(), low.y());
      break;
    }
    case Stance::prism_face: {
      const int sides = whole(random, 3, 32);
      std::vector<Vector3> points;
      std::vector<Vector2> corners;
      for (int i = 0; i < sides; ++i) {
        // Not regular, but on a circle and therefore convex.
        const double angle = 2 * pi * (i + uniform(random, 0, 0.6)) / sides;
        const Vector2 p = r * Vector2(std::cos(angle), std::sin(angle));
        corners.push_back(p);
        points.emplace_back(p.x(), p.y(), 0);
        points.emplace_back(0.7 * p.x(), 0.7 * p.y(), z);
      }
      s.shape = ConvexHull(points);
      s.foot = foot_of(corners);
      break;
    }
    case Stance::wedge_edge: {
      const std::vector<Vector3> points = {{-x / 2, 0, 0},    {x / 2, 0, 0},       {-x / 3, y / 2, z},
                                           {x / 3, y / 2, z}, {-x / 3, -y / 3, z}, {x / 3, -y / 3, z}};
      s.shape = ConvexHull(points);
      s.foot = line(0, x);
      break;
    }
    case Stance::pyramid_tip: {
      const std::vector<Vector3> points = {{0, 0, 0}, {x, 0, z}, {0, y, z}, {-x, 0.1, z}, {0, -y, z}};
      s.shape = ConvexHull(points);
      s.foot = point_at(0, 0);
      break;
    }
    case Stance::triangle_face: {
      const Vector2 a(-x / 2, -y / 2), b(x / 2, -y / 3), c(uniform(random, -0.3, 0.3), y / 2);
      s.shape = Triangle{Vector3(a.x(), a.y(), 0), Vector3(b.x(), b.y(), 0), Vector3(c.x(), c.y(), 0)};
      s.foot = foot_of({a, b, c});
      s.is_thin = true;
      break;
    }
    case Stance::triangle_edge:
      s.shape = Triangle{Vector3(-x / 2, 0, 0), Vector3(x / 2, 0, 0), Vector3(0.1, uniform(random, -0.4, 0.4), z)};
      s.foot = line(0, x);
      break;
    case Stance::segment_along:
      s.shape = Segment{Vector3(-x / 2, 0, 0), Vector3(x / 2, 0, 0)};
      s.foot = line(0, x);
      s.is_thin = true;
      break;
    case Stance::segment_end:
      s.shape = Segment{Vector3(0, 0, 0), Vector3(uniform(random, -0.3, 0.3), uniform(random, -0.3, 0.3), z)};
      s.foot = point_at(0, 0);
      break;
    case Stance::sphere:
      s.shape = Sphere{r};
      s.pose = Pose(Vector3(0, 0, r));
      s.foot = point_at(0, 0);
      s.is_smooth = true;
      break;
    case Stance::capsule_side:
      s.shape = Capsule{r, x};
      s.pose = Pose(about(Vector3::UnitY(), pi / 2), Vector3(0, 0, r));
      s.foot = line(0, x);
      s.is_smooth = true;
      break;
    case Stance::capsule_end:
      s.shape = Capsule{r, x};
      s.pose = Pose(about(Vector3::UnitX(), tilt), Vector3(0, 0, r + x / 2 * std::cos(tilt)));
      s.foot = point_at(0, x / 2 * std::sin(tilt));
      s.is_smooth = true;
      break;
    case Stance::cylinder_cap:
      s.shape = Cylinder{r, z};
      s.pose = Pose(Vector3(0, 0, z / 2));
      s.foot = PlaneSet::disc({0, 0}, r);
      s.is_round = true;
      break;
    case Stance::cylinder_side:
      s.shape = Cylinder{r, x};
      s.pose = Pose(about(Vector3::UnitY(), pi / 2), Vector3(0, 0, r));
      s.foot = line(0, x);
      s.is_smooth = s.is_round = true;
      break;
    case Stance::cylinder_rim: {
      s.shape = Cylinder{r, x};
      // The axis points up along (0, -sin, cos). The lowest point of the lower cap is the point of its rim toward (0,
      // -cos, -sin).
      s.pose = Pose(about(Vector3::UnitX(), tilt), Vector3(0, 0, x / 2 * std::cos(tilt) + r * std::sin(tilt)));
      s.foot = point_at(0, x / 2 * std::sin(tilt) - r * std::cos(tilt));
      s.is_round = s.is_bent = true;
      break;
    }
    case Stance::cone_base:
      s.shape = Cone{r, z};
      s.pose = Pose(Vector3(0, 0, z / 2));
      s.foot = PlaneSet::disc({0, 0}, r);
      s.is_round = true;
      break;
    case Stance::cone_side: {
      s.shape = Cone{r, x};
      // The apex and a point of the rim are at the same height: the axis is inclined downward by atan(r / x).
      const double down = std::atan2(r, x), slant = std::sqrt(r * r + x * x);
      s.pose = Pose(about(Vector3::UnitY(), pi / 2 + down), Vector3(0, 0, x / 2 * std::sin(down)));
      // Along x, the apex is at x/2 cos(down), and the slant goes back from there.
      const Extended apex = x / 2 * std::cos(down);
      s.foot = PlaneSet::of({{apex - slant, 0}, {apex, 0}});
      s.is_smooth = s.is_round = true;
      break;
    }
    case Stance::cone_tip:
      s.shape = Cone{r, x};
      s.pose = Pose(about(Vector3::UnitX(), pi) * about(Vector3::UnitX(), 0.1 * tilt), Vector3::Zero());
      s.pose.set_translation(Vector3(0, 0, 0) - s.pose.rotation() * Vector3(0, 0, x / 2));
      s.foot = point_at(0, 0);
      s.is_round = true;
      break;
    case Stance::cone_rim: {
      s.shape = Cone{r, x};
      const double lean = 0.5 * std::atan2(r, x) + 0.1;  // less than the angle at which it lies on its side
      const Matrix3 turn = about(Vector3::UnitX(), lean);
      const Vector3 low = turn * Vector3(0, -r, -x / 2);
      s.pose = Pose(turn, Vector3(0, 0, -low.z()));
      s.foot = point_at(0, low.y());
      s.is_round = s.is_bent = true;
      break;
    }
    case Stance::ellipsoid: {
      const Vector3 radii(0.8 * x, 0.8 * y, 0.8 * z);
      const Vector3 v = random_vector(random, 1);
      const Matrix3 turn = scenes::rotation_from(uniform(random, 0.1, 1), v.x(), v.y(), v.z());
      const Vector3 down = turn.transpose() * Vector3(0, 0, -1), m = radii.cwiseProduct(down);
      const Vector3 low = turn * (radii.cwiseProduct(m) / m.norm());
      s.shape = Ellipsoid{radii};
      s.pose = Pose(turn, Vector3(0, 0, -low.z()));
      s.foot = point_at(low.x(), low.y());
      s.is_smooth = s.is_round = true;
      break;
    }
  }
  return s;
}

}  // namespace standing

/// b stands over a, which is upside down, in a common frame that is rotated and translated. The middle of their shared
/// set is at point_a() on a, at any gap along `normal`.
struct StandingPair {
  Standing a, b;
  Pose pose_a;
  Pose frame;
  Pose pose_b_at_zero;  ///< In the common frame, at gap 0.
  SharedMiddle shared;
  Vector3 normal;
  double size = 2;
  bool is_shallow = true;  ///< For gaps down to -1e-2, the shortest way out is along the normal.

  Pose pose_b(double gap) const {
    Pose raised = pose_b_at_zero;
    raised.set_translation(raised.translation() + Vector3(0, 0, gap));
    return compose(frame, raised);
  }
  Vector3 point_a() const {
    return place(frame, Vector3(static_cast<double>(shared.middle.x), static_cast<double>(shared.middle.y), 0));
  }
  Vector3 point_b(double gap) const {
    return place(frame, Vector3(static_cast<double>(shared.middle.x), static_cast<double>(shared.middle.y), gap));
  }
};

/// A pair of these stances in a random place, or nothing if their feet share too little. `distant`: far from the
/// origin.
inline std::optional<StandingPair> make_standing_pair(std::mt19937_64& random, Stance below, Stance above,
                                                      bool distant) {
  using namespace standing;
  StandingPair pair;
  pair.a = make(random, below);
  pair.b = make(random, above);
  // Turned upside down: y and z change sign.
  Matrix3 over = Matrix3::Identity();
  over(1, 1) = over(2, 2) = -1;
  Pose a(over * pair.a.pose.rotation(), over * pair.a.pose.translation());
  for (PlanePoint& p : pair.a.foot.corners)
    p.y = -p.y;
  std::reverse(pair.a.foot.corners.begin(), pair.a.foot.corners.end());
  const bool lines = pair.a.foot.is_segment() && pair.b.foot.is_segment();
  const bool collinear = lines && scenes::chance(random, 2);
  double yaw = uniform(random, 0, 6.28);
  if (scenes::chance(random, 4)) yaw = 1.5707963267948966 * whole(random, 0, 3);
  if (collinear) yaw = 3.14159265358979323846 * whole(random, 0, 1);
  const auto center_of = [](const PlaneSet& set) {
    PlanePoint sum;
    for (const PlanePoint& p : set.corners)
      sum = sum + (Extended(1) / static_cast<Extended>(set.corners.size())) * p;
    return sum;
  };
  const Matrix3 turn = about(Vector3::UnitZ(), yaw);
  for (PlanePoint& p : pair.b.foot.corners)
    p = {Extended(turn(0, 0)) * p.x + Extended(turn(0, 1)) * p.y,
         Extended(turn(1, 0)) * p.x + Extended(turn(1, 1)) * p.y};
  const PlanePoint to_a = center_of(pair.a.foot) - center_of(pair.b.foot);
  Vector3 shift(static_cast<double>(to_a.x) + uniform(random, -0.5, 0.5),
                static_cast<double>(to_a.y) + uniform(random, -0.5, 0.5), 0);
  if (collinear)
    shift = Vector3(static_cast<double>(to_a.x) + uniform(random, -0.5, 0.5), static_cast<double>(to_a.y), 0);
  if (scenes::chance(random, 8)) shift = Vector3(static_cast<double>(to_a.x), static_cast<double>(to_a.y), 0);
  pair.b.foot.shift({shift.x(), shift.y()});
  pair.pose_b_at_zero = Pose(turn * pair.b.pose.rotation(), turn * pair.b.pose.translation() + shift);
  // A tip must be well inside the foot on which it stands, and all other feet must still intersect after any small
  // shift. Then no way out is shorter than the one along the normal.
  const auto share = [&](const PlaneSet& b) -> std::optional<SharedMiddle> {
    for (const bool first : {true, false}) {
      const PlaneSet &point = first ? pair.a.foot : b, &other = first ? b : pair.a.foot;
      if (!point.is_point() || other.is_everything) continue;
      const PlanePoint p = point.corners[0];
      if (other.is_point()) {
        if (norm(p - other.corners[0]) > Extended(1e-12)) return std::nullopt;
      } else if (other.is_disc) {
        if (norm(p - other.corners[0]) > other.radius) return std::nullopt;
      } else if (other.is_segment()) {
        const PlanePoint q = other.corners[0], e = other.corners[1] - q;
        const Extended along = dot(p - q, e) / dot(e, e);
        if (along < 0 || along > 1 || std::abs(cross(p - q, e)) > Extended(1e-12)) return std::nullopt;
      } else {
        for (std::size_t i = 0; i < other.corners.size(); ++i) {
          const PlanePoint q = other.corners[i];
          if (cross(other.corners[(i + 1) % other.corners.size()] - q, p - q) < 0) return std::nullopt;
        }
      }
    }
    return shared_middle(pair.a.foot, b, 1e-12L);
  };
  auto shared = share(pair.b.foot);
  const bool tip_on_point = pair.a.foot.is_point() && pair.b.foot.is_point();
  const bool tip_on_line =
      (pair.a.foot.is_point() && pair.b.foot.is_segment()) || (pair.a.foot.is_segment() && pair.b.foot.is_point());
  if (tip_on_point || tip_on_line) {
    // Moves b to where the feet meet.
    const auto target = [&](const PlaneSet& set) {
      if (set.is_point()) return set.corners[0];
      const Extended part = Extended(uniform(random, 0.2, 0.8));
      return set.corners[0] + part * (set.corners[1] - set.corners[0]);
    };
    const PlanePoint at_a = target(pair.a.foot), at_b = target(pair.b.foot), by = at_a - at_b;
    pair.b.foot.shift(by);
    pair.pose_b_at_zero.set_translation(pair.pose_b_at_zero.translation() +
                                        Vector3(static_cast<double>(by.x), static_cast<double>(by.y), 0));
    shared = SharedMiddle{at_a, 0, 0};
    pair.is_shallow = pair.a.is_smooth || pair.b.is_smooth;
  }
  if (!shared) return std::nullopt;
  if (!tip_on_point && !tip_on_line) {
    const bool along_only = collinear;
    for (int i = 0; i < 8; ++i) {
      const double angle = along_only ? 3.14159265358979 * (i % 2) : 0.785398163397448 * i;
      if (along_only) pair.is_shallow = pair.a.is_smooth || pair.b.is_smooth;
      PlaneSet moved = pair.b.foot;
      moved.shift({0.06 * std::cos(angle), along_only ? 0 : 0.06 * std::sin(angle)});
      const auto there = share(moved);
      if (!there || there->dimension != shared->dimension) return std::nullopt;
    }
  }
  if (pair.a.is_thin && pair.b.is_thin) pair.is_shallow = false;
  pair.shared = *shared;
  const Vector3 v = random_vector(random, 1);
  Matrix3 rotation = scenes::rotation_from(uniform(random, 0.1, 1), v.x(), v.y(), v.z());
  if (scenes::chance(random, 4)) rotation = scenes::axis_rotation(random);
  pair.frame = Pose(rotation, (distant ? 1e6 : 3.0) * scenes::unit_vector(random));
  pair.pose_a = compose(pair.frame, a);
  pair.normal = rotation * Vector3::UnitZ();
  return pair;
}

}  // namespace whisker::test
