// Witness points of overlaps of which one shape is not convex: solid meshes, compounds, height fields. The way out ends
// where the two touch, and the witness points are that contact.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/compound.hpp>
#include <whisker/error.hpp>
#include <whisker/height_field.hpp>
#include <whisker/make/ground.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>
#include <whisker/queries.hpp>

#include "support/convex_cases.hpp"

namespace whisker::test {
namespace {

struct Named {
  std::string name;
  Shape shape;
};

/// A prism with an L-shaped base.
MeshData l_shape() {
  const std::vector<Vector2> outline = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, -0.1}, {-0.1, -0.1}, {-0.1, 0.5}, {-0.5, 0.5}};
  MeshData data;
  for (const double z : {-0.2, 0.2}) {
    for (const Vector2& p : outline)
      data.vertices.emplace_back(p.x(), p.y(), z);
  }
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t j = (i + 1) % 6;
    data.triangles.push_back({i, j, i + 6});
    data.triangles.push_back({j, j + 6, i + 6});
  }
  const std::vector<Index3> top = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
  for (const Index3& t : top) {
    data.triangles.push_back({t[0] + 6, t[1] + 6, t[2] + 6});
    data.triangles.push_back({t[0], t[2], t[1]});
  }
  return data;
}

std::vector<Named> solids() {
  return {
      {"torus", Mesh(make::torus({.major = 0.5, .minor = 0.15, .around = 24, .across = 12})).solid()},
      {"L", Mesh(l_shape()).solid()},
      {"block", Mesh(make::block({.size_x = 1, .size_y = 0.6, .size_z = 0.3, .slot_x = 0.5, .slot_y = 0.2})).solid()},
      {"S", Mesh(make::s_shape({.bend_radius = 0.4, .tube_radius = 0.12, .along = 12, .across = 8})).solid()},
      {"gear", Mesh(make::gear({.teeth = 10, .module = 0.1, .width = 0.3, .flank_points = 3})).solid()}};
}

std::vector<Named> compounds() {
  const Shape table = Compound({{Box{Vector3(1, 1, 0.1)}, Pose(Vector3(0, 0, 0.4))},
                                {Box{Vector3(0.1, 0.1, 0.8)}, Pose(Vector3(0.4, 0.4, 0))},
                                {Box{Vector3(0.1, 0.1, 0.8)}, Pose(Vector3(-0.4, -0.4, 0))}});
  const Matrix3 lying = Eigen::AngleAxisd(1.5707963267948966, Vector3::UnitY()).toRotationMatrix();
  const Shape dumbbell = Compound({{Sphere{0.3}, Pose(Vector3(-0.5, 0, 0))},
                                   {Sphere{0.3}, Pose(Vector3(0.5, 0, 0))},
                                   {Cylinder{0.1, 0.9}, Pose(lying, Vector3(0, 0, 0))}});
  return {{"table", table}, {"dumbbell", dumbbell}};
}

std::vector<Named> convex_shapes() {
  const std::vector<Vector3> corners = {{0.4, 0, 0}, {-0.3, 0.3, 0}, {-0.2, -0.4, 0.1}, {0, 0, 0.5}, {0.1, 0.1, -0.4}};
  return {{"box", Box{Vector3(0.5, 0.4, 0.6)}},
          {"sphere", Sphere{0.3}},
          {"capsule", Capsule{0.15, 0.5}},
          {"cylinder", Cylinder{0.25, 0.5}},
          {"cone", Cone{0.3, 0.6}},
          {"ellipsoid", Ellipsoid{Vector3(0.4, 0.2, 0.3)}},
          {"hull", ConvexHull(corners)},
          {"half_space", HalfSpace{Vector3(0, 0, 1), 0}},
          {"plane", Plane{Vector3(0, 0, 1), 0}},
          {"segment", Segment{Vector3(-0.4, 0, 0), Vector3(0.3, 0.2, 0.1)}},
          {"triangle", Triangle{Vector3(-0.4, 0, 0), Vector3(0.3, 0.2, 0.1), Vector3(0, -0.3, 0.3)}}};
}

Named land(std::mt19937_64& random) {
  std::vector<double> heights;
  for (int i = 0; i < 81; ++i)
    heights.push_back(uniform(random, -0.2, 0.2));
  return {"land", ground(HeightField(heights, 9, 9, 0.25, 0.25))};
}

/// The distance of a point from the boundary of a mesh or of the ground below a height field, including walls; for any
/// other shape, the distance from the shape.
double off_border(const Placed& shape, const Vector3& point) {
  const Placed at(Sphere{0}, Pose(point));
  if (const auto* mesh = shape.shape.as<Mesh>()) {
    MeshData data;
    data.vertices.assign(mesh->vertices().begin(), mesh->vertices().end());
    data.triangles.assign(mesh->triangles().begin(), mesh->triangles().end());
    return distance({Mesh(data), shape.pose}, at).upper;
  }
  if (const auto* field = shape.shape.as<HeightField>()) {
    const double above = distance(shape, at).upper;
    const Vector3 local = place(inverse(shape.pose), point);
    const Aabb box = field->bounds();
    const double x = std::clamp(local.x(), box.lower.x(), box.upper.x()),
                 y = std::clamp(local.y(), box.lower.y(), box.upper.y());
    if (local.z() > *field->height_at(x, y)) return above;
    const double outside = std::hypot(x - local.x(), y - local.y());
    const double inside = std::min({x - box.lower.x(), box.upper.x() - x, y - box.lower.y(), box.upper.y() - y});
    return std::min(above, std::max(outside, inside));
  }
  return distance(shape, at).upper;
}

/// The allowed rounding error, in spacings of the doubles at the largest coordinate.
constexpr double allowed_spacings = 1024;

struct Tally {
  std::size_t overlaps = 0, failed = 0;
  double together = 0, off = 0, apart = 0;
};
std::map<std::string, Tally>& tallies() {
  static std::map<std::string, Tally> all;
  return all;
}

class PrintTallies : public testing::Environment {
 public:
  void TearDown() override {
    std::printf("worst, in spacings: |a - b - depth direction|, off the border, apart after the way out\n");
    for (const auto& [name, t] : tallies())
      std::printf("  %-24s %6zu overlaps, %zu failed; %.3g, %.3g, %.3g\n", name.c_str(), t.overlaps, t.failed,
                  t.together, t.off, t.apart);
  }
};
const testing::Environment* const print_tallies = testing::AddGlobalTestEnvironment(new PrintTallies);

std::string describe_pose(const Pose& pose) {
  std::ostringstream text;
  text.precision(17);
  for (int row = 0; row < 3; ++row)
    text << "{" << pose.rotation()(row, 0) << ", " << pose.rotation()(row, 1) << ", " << pose.rotation()(row, 2) << "}";
  text << ", {" << pose.translation().transpose() << "}";
  return text.str();
}

/// Checks the depth of a and b, and describes what is wrong with it.
void check(const std::string& name, const Placed& a, const Placed& b, double size, std::ostream& wrong) {
  Tally& tally = tallies()[name];
  const Depth d = depth(a, b);
  if (!(d.upper > 0) || !std::isfinite(d.upper)) {
    if (d.normal != Vector3::Zero() || d.point_a != Vector3::Zero() || d.point_b != Vector3::Zero())
      wrong << "depth " << d.upper << " has points; ";
    return;
  }
  ++tally.overlaps;
  const double coordinate = std::max({size, a.pose.translation().lpNorm<Eigen::Infinity>() + size,
                                      b.pose.translation().lpNorm<Eigen::Infinity>() + size,
                                      d.point_a.lpNorm<Eigen::Infinity>(), d.point_b.lpNorm<Eigen::Infinity>()});
  const double spacing = spacing_of_doubles_at(coordinate), rounding = allowed_spacings * spacing;
  if (!(std::abs(d.normal.norm() - 1) <= 1e-14)) {
    wrong << "normal " << d.normal.transpose() << "; ";
    return;
  }
  const auto see = [&](double& worst, double value, double allowed, const char* what) {
    worst = std::max(worst, value / spacing);
    if (!(value <= allowed)) wrong << what << " " << value << " (" << value / spacing << " spacings); ";
  };
  see(tally.together, (d.point_a - d.point_b - d.normal * d.upper).norm(), rounding, "points do not belong together:");
  see(tally.off, std::max(off_border(a, d.point_a), off_border(b, d.point_b)), rounding,
      "points are off the borders by");
  const bool ground = a.shape.kind() == ShapeKind::height_field || b.shape.kind() == ShapeKind::height_field;
  if (!ground) {  // ground may be left through a wall, which does not exist for a distance
    const Placed out(b.shape, Pose(b.pose.rotation(), b.pose.translation() + d.normal * d.upper));
    see(tally.apart, distance(a, out).upper, rounding, "after the way out they are apart by");
  }
  const Depth after =
      depth(a, {b.shape, Pose(b.pose.rotation(), b.pose.translation() + d.normal * (d.upper + rounding))});
  if (after.lower > rounding) wrong << "after the way out they overlap by " << after.lower << "; ";
}

void check_pairs(const std::string& group, const std::vector<Named>& first, const std::vector<Named>& second,
                 std::size_t count, std::uint64_t stream) {
  std::mt19937_64 random = seeded(stream);
  std::size_t failed = 0;
  for (const Named& a : first) {
    for (const Named& b : second) {
      if (!is_supported(Question::depth, a.shape.kind(), b.shape.kind())) continue;
      for (std::size_t i = 0; i < count; ++i) {
        const bool aligned = i % 3 == 2;
        Pose pose_a(scenes::any_rotation(random), random_vector(random, 0.5));
        Pose pose_b(scenes::any_rotation(random), pose_a.translation() + random_vector(random, 0.5));
        if (aligned) {
          pose_a = Pose(scenes::axis_rotation(random), 0.25 * scenes::integer_vector(random, 2));
          pose_b = Pose(scenes::axis_rotation(random), 0.25 * scenes::integer_vector(random, 2));
        }
        if (a.name == "land") pose_b.set_translation(place(pose_a, Vector3(1, 1, 0)) + random_vector(random, 0.9));
        for (const bool swap : {false, true}) {
          const Placed x(swap ? b.shape : a.shape, swap ? pose_b : pose_a),
              y(swap ? a.shape : b.shape, swap ? pose_a : pose_b);
          std::ostringstream wrong;
          wrong.precision(6);
          try {
            check(group + " " + a.name + "-" + b.name, x, y, 3, wrong);
          } catch (const Error& error) {
            wrong << "threw " << error.what();
          }
          if (wrong.str().empty()) continue;
          ++tallies()[group + " " + a.name + "-" + b.name].failed;
          if (++failed <= 3) {
            ADD_FAILURE() << wrong.str() << "\n  " << (swap ? b.name : a.name) << " at " << describe_pose(x.pose)
                          << "\n  " << (swap ? a.name : b.name) << " at " << describe_pose(y.pose);
          }
        }
      }
    }
  }
  if (failed > 3) ADD_FAILURE() << failed << " failed";
}

Shape named(const std::vector<Named>& shapes, const std::string& name) {
  return std::find_if(shapes.begin(), shapes.end(), [&](const Named& one) { return one.name == name; })->shape;
}

void check_both_orders(const std::string& name, const Placed& a, const Placed& b) {
  for (const bool swap : {false, true}) {
    std::ostringstream wrong;
    check(name, swap ? b : a, swap ? a : b, 3, wrong);
    EXPECT_EQ(wrong.str(), "") << name << (swap ? ", exchanged" : "");
  }
  EXPECT_EQ(tallies()[name].overlaps, 2u) << name;
}

// The normal where the shapes touch last is off the way out by about 1e-8, since faces are tilted, or since the
// distance of an ellipsoid says little about its normal. The closest points after b has moved farther are then off
// sideways.
TEST(WitnessOfMeshes, WayOutALittleOffTheNormal) {
  Matrix3 gear, l;
  gear << 1, 4.2926246911068732e-14, -1.7475206503920075e-13, -4.2926246911102432e-14, 1, -1.9286164712281263e-13,
      1.7475206503919247e-13, 1.9286164712282015e-13, 1;
  l << 0.99999999999999989, -2.0872825142804782e-09, 1.3469491057422275e-08, 2.0872827124319149e-09,
      0.99999999999999989, -1.4711130218282659e-08, -1.3469491026715987e-08, 1.4711130246397294e-08,
      0.99999999999999978;
  check_both_orders(
      "slight gear-L",
      {named(solids(), "gear"), Pose(gear, {0.14372880173572467, -0.04993750958526294, 0.32081782832536621})},
      {named(solids(), "L"), Pose(l, {-0.0091679090453409828, 0.083758329586979763, 0.34192616440949097})});
}
TEST(WitnessOfCompounds, WayOutALittleOffTheNormal) {
  Matrix3 table, dumbbell;
  table << -0.76315511967787808, -0.23208143445036433, -0.60310237198414796, 0.62465192823349136, -0.5040145890251746,
      -0.59647234856610587, -0.16554223589049857, -0.83192998613660163, 0.52961142954351781;
  dumbbell << -0.32883179031892129, -0.77238442358285475, 0.54340772526918901, -0.88735620245196811,
      0.055766739321491232, -0.45769972772055578, 0.32321606340909953, -0.63270243637276302, -0.70371798567486898;
  const Shape ellipsoid = named(convex_shapes(), "ellipsoid");
  check_both_orders(
      "slight table-ellipsoid",
      {named(compounds(), "table"), Pose(table, {-0.22913560511442604, 0.20460322830362732, 0.21476257994478265})},
      {ellipsoid, Pose(Vector3(0.2192238094154047, 0.36243217040996767, 0.13540700468656347))});
  check_both_orders("slight dumbbell-ellipsoid",
                    {named(compounds(), "dumbbell"),
                     Pose(dumbbell, {0.10041381750442091, -0.064200017992769198, 0.2988309208650719})},
                    {ellipsoid, Pose(Vector3(-0.32507854123406277, -0.5591570768789087, 0.16591999867110824))});
}

TEST(WitnessOfMeshes, WithEachOther) {
  check_pairs("meshes", solids(), solids(), cases(3), 81);
}
TEST(WitnessOfMeshes, WithConvexShapes) {
  check_pairs("convex", solids(), convex_shapes(), cases(3), 82);
}
TEST(WitnessOfCompounds, WithConvexShapes) {
  check_pairs("compound", compounds(), convex_shapes(), cases(3), 83);
}
TEST(WitnessOfCompounds, WithMeshesAndEachOther) {
  check_pairs("compound", compounds(), solids(), cases(3), 84);
  check_pairs("compound", compounds(), compounds(), cases(3), 85);
}
TEST(WitnessOfHeightFields, WithConvexShapesAndMeshes) {
  std::mt19937_64 random = seeded(86);
  for (std::uint64_t i = 0; i < 2; ++i) {
    check_pairs("ground", {land(random)}, convex_shapes(), cases(6), 87 + 10 * i);
    check_pairs("ground", {land(random)}, solids(), cases(6), 88 + 10 * i);
  }
}

}  // namespace
}  // namespace whisker::test
