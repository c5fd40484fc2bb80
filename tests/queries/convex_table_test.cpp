// The whole table of kinds × kinds × queries: every cell answers correctly on an example that touches, one that is
// apart and one that overlaps, or is one of the refusals that are listed here.

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/queries.hpp>
#include <whisker/spheres/sphere_tree.hpp>

#include "geometry/constants.hpp"
#include "support/convex_cases.hpp"

namespace whisker::test {
namespace {

/// A shape around the z axis. As the lower one of a pair it ends at z = top on the axis, as the upper one it begins at
/// z = bottom there.
struct Entry {
  const char* name;
  Shape lower, upper;
  double top, bottom;
  Vector3 offset;              // moves it onto the axis
  std::optional<Shape> truth;  // its representation in the reference; for the others, the depth is derived

  Entry(const char* name_, const Shape& shape, double top_ = 1, double bottom_ = -1)
      : name(name_), lower(shape), upper(shape), top(top_), bottom(bottom_), offset(Vector3::Zero()), truth(shape) {}

  ShapeKind kind() const { return lower.kind(); }
  bool is_sheet() const { return kind() == ShapeKind::plane || kind() == ShapeKind::height_field; }
  bool is_surface_mesh() const {
    const Mesh* mesh = lower.as<Mesh>();
    return mesh != nullptr && !mesh->is_solid();
  }
};

std::vector<Entry> make_entries() {
  const std::vector<Vector3> cube = convex_cases::box_points(Vector3(2, 2, 2));
  const std::vector<double> heights(25, 0.0);
  std::vector<Entry> entries;
  entries.emplace_back("sphere", Sphere{1});
  entries.emplace_back("capsule", Capsule{0.5, 1});
  entries.emplace_back("box", Box{Vector3(2, 2, 2)});
  entries.emplace_back("half-space", HalfSpace{Vector3(0, 0, 1), 1});
  entries.back().upper = HalfSpace{Vector3(0, 0, -1), 1};
  entries.emplace_back("plane", Plane{Vector3(0, 0, 1), 0}, 0, 0);
  entries.emplace_back("segment", Segment{Vector3(0, 0, -1), Vector3(0, 0, 1)});
  entries.emplace_back("triangle", Triangle{Vector3(-1, 0, -1), Vector3(1, 0, -1), Vector3(0, 0, 1)});
  entries.emplace_back("cylinder", Cylinder{1, 2});
  entries.emplace_back("cone", Cone{1, 2});
  entries.emplace_back("ellipsoid", Ellipsoid{Vector3(1, 2, 1)});
  entries.emplace_back("convex hull", ConvexHull(cube));
  const Shape ball = Ellipsoid{Vector3(1, 1, 1)};
  entries.emplace_back("custom convex", CustomConvex(convex_cases::support_function(ball, 0), 1e-15));
  entries.back().truth = ball;
  entries.emplace_back("solid mesh", Mesh(make::box({.size_x = 2, .size_y = 2, .size_z = 2})).solid());
  entries.back().truth = ConvexHull(cube);
  entries.emplace_back("surface mesh", Mesh(make::box({.size_x = 2, .size_y = 2, .size_z = 2})));
  entries.back().truth.reset();
  entries.emplace_back("height field", HeightField(heights, 5, 5, 1, 1), 0, 0);
  entries.back().offset = Vector3(-2, -2, 0);
  entries.back().truth.reset();
  entries.emplace_back("compound", Compound({{Box{Vector3(2, 2, 2)}, Pose()}, {Sphere{0.5}, Pose()}}));
  entries.back().truth = Box{Vector3(2, 2, 2)};
  entries.emplace_back("sphere set",
                       SphereSet(std::vector<Vector3>{{0, 0, 0}, {0.2, 0, 0}}, std::vector<double>{1, 0.5}));
  entries.back().truth = Sphere{1};
  const Mesh solid = Mesh(make::box({.size_x = 2, .size_y = 2, .size_z = 2})).solid();
  entries.emplace_back("sphere body", SphereBody(build_sphere_tree(solid, {.depth = 1}), solid));
  entries.back().truth = ConvexHull(cube);
  return entries;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> made = make_entries();
  return made;
}

/// Queries that are unsupported by design.
bool is_refused(Question question, const Entry& a, const Entry& b) {
  if (question != Question::depth && question != Question::signed_distance) return false;
  if (a.is_surface_mesh() || b.is_surface_mesh()) return true;
  const auto is_land = [](const Entry& e) { return e.kind() == ShapeKind::height_field; };
  return is_land(a) || is_land(b);
}

/// b above a with this gap. If it is negative, they overlap.
struct Example {
  const char* name;
  double gap;
};
constexpr Example examples[] = {{"touching", 0}, {"apart", 0.5}, {"overlapping", -0.5}};

/// Bounds of the depth of b above a; nothing if it is not known here.
std::optional<std::pair<double, double>> known_depth(const Entry& a, const Pose& pose_a, const Entry& b,
                                                     const Pose& pose_b, double gap) {
  const bool crossed = a.is_sheet() && b.is_sheet();
  const bool land_a = a.kind() == ShapeKind::height_field, land_b = b.kind() == ShapeKind::height_field;
  if (crossed && gap < 0) return std::pair(infinity, infinity);
  // Everything below a field is in its ground, even if it does not touch the surface.
  if (a.kind() == ShapeKind::half_space && land_b) return std::pair(infinity, infinity);
  if (a.kind() == ShapeKind::plane && land_b) return std::pair(gap, gap);
  if (land_b) return std::nullopt;
  if (gap > 0) return std::pair(0.0, 0.0);
  if (land_a || (a.lower.is_unbounded() && b.lower.is_unbounded())) return std::pair(-gap, -gap);
  const Shape& truth_a = a.lower.is_unbounded() ? a.lower : *a.truth;
  const Shape& truth_b = b.upper.is_unbounded() ? b.upper : *b.truth;
  const ReferenceGap<Extended> found =
      ReferencePair<Extended>(truth_a, pose_a, truth_b, pose_b).gap({.relative_width = 1e-8, .evaluations = 3000});
  const auto depth_at = [](Extended x) { return static_cast<double>(std::max(Extended(0), -x)); };
  return std::pair(depth_at(found.upper), depth_at(found.lower));
}

/// Describes what is wrong with one cell on one example.
std::string wrong_with(Question question, const Entry& a, const Entry& b, const Example& example, bool swap) {
  const Pose pose_a(a.offset);
  Pose pose_b(b.offset + Vector3(0, 0, a.top - b.bottom + example.gap));
  if (a.is_sheet() && b.is_sheet() && example.gap < 0) {
    // Sheets one below the other do not overlap, so they are placed across each other or at the same place.
    pose_b = Pose(b.offset);
    if (a.kind() == ShapeKind::plane || b.kind() == ShapeKind::plane) {
      pose_b = Pose(scenes::rotation_from(1, 1, 0, 0), Vector3(b.kind() == ShapeKind::plane ? 0 : -2, 0, -2));
    }
  }
  const Placed lower(a.lower, pose_a), upper(b.upper, pose_b);
  const Placed &first = swap ? upper : lower, &second = swap ? lower : upper;
  std::ostringstream wrong;
  wrong.precision(17);
  switch (question) {
    case Question::touches:
      if (touches(first, second) != (example.gap <= 0)) wrong << "touches is wrong";
      break;
    case Question::distance: {
      const Distance d = distance(first, second);
      const double expected = std::max(0.0, example.gap);
      if (!(d.lower <= expected && d.upper >= expected && d.upper - d.lower <= 1e-9)) {
        wrong << "distance [" << d.lower << ", " << d.upper << "], expected " << expected;
      }
      break;
    }
    case Question::depth: {
      const Depth d = depth(first, second);
      const auto expected = known_depth(a, pose_a, b, pose_b, example.gap);
      if (!expected) {
        if (!(d.lower >= 0 && d.lower <= d.upper)) wrong << "depth [" << d.lower << ", " << d.upper << "]";
        break;
      }
      const double rounding = std::isfinite(expected->second) ? 1e-12 : 0;
      if (!(d.lower <= expected->second + rounding && d.upper >= expected->first - rounding)) {
        wrong << "depth [" << d.lower << ", " << d.upper << "], expected " << expected->first;
      } else if (std::isfinite(d.upper) && !(d.upper - d.lower <= 1e-6) && d.stop != Stop::limit) {
        wrong << "depth [" << d.lower << ", " << d.upper << "] is wide, but not said to be";
      }
      break;
    }
    case Question::signed_distance: {
      const Distance s = signed_distance(first, second);
      const auto expected = known_depth(a, pose_a, b, pose_b, example.gap);
      if (!expected) {
        if (!(s.lower <= s.upper)) wrong << "signed distance [" << s.lower << ", " << s.upper << "]";
        break;
      }
      const bool is_deep = expected->second > 0;
      const double least = is_deep ? -expected->second : example.gap, most = is_deep ? -expected->first : example.gap;
      const double rounding = std::isfinite(least) ? 1e-12 : 0;
      if (!(s.lower <= most + rounding && s.upper >= least - rounding))
        wrong << "signed distance [" << s.lower << ", " << s.upper << "], expected " << least;
      break;
    }
  }
  return wrong.str();
}

const char* word_for(Question question) {
  return question == Question::touches    ? "touches"
         : question == Question::distance ? "distance"
         : question == Question::depth    ? "depth"
                                          : "signed_distance";
}

class TableOf : public testing::TestWithParam<Question> {};

INSTANTIATE_TEST_SUITE_P(Questions, TableOf,
                         testing::Values(Question::touches, Question::distance, Question::depth,
                                         Question::signed_distance),
                         [](const auto& question) { return word_for(question.param); });

TEST_P(TableOf, EveryPairAnswersRightlyOrIsARefusalThatIsListed) {
  std::set<std::string> missing;
  std::ostringstream wrong;
  std::size_t answered = 0, refused = 0, failed = 0;
  for (const Entry& a : entries()) {
    for (const Entry& b : entries()) {
      for (const Example& example : examples) {
        for (const bool swap : {false, true}) {
          const std::string cell = std::string(a.name) + " below " + b.name;
          const bool refusal = is_refused(GetParam(), a, b);
          try {
            const std::string message = wrong_with(GetParam(), a, b, example, swap);
            ++answered;
            if (refusal) {
              wrong << cell << " answers, though it is listed as refused\n", ++failed;
            } else if (!message.empty()) {
              wrong << cell << ", " << example.name << (swap ? ", swapped: " : ": ") << message << "\n", ++failed;
            }
          } catch (const Error& error) {
            if (refusal) {
              ++refused;
            } else {
              missing.insert(cell + ": " + error.what());
            }
          }
        }
      }
    }
  }
  std::ostringstream list;
  for (const std::string& line : missing)
    list << "  " << line << "\n";
  EXPECT_EQ(missing.size(), 0u) << "not supported yet:\n" << list.str();
  EXPECT_EQ(failed, 0u) << wrong.str();
  std::printf("%s: %zu answers, %zu listed refusals, %zu pairs missing, %zu wrong\n", word_for(GetParam()), answered,
              refused, missing.size(), failed);
}

TEST(Table, HasEveryKind) {
  std::set<ShapeKind> kinds;
  for (const Entry& entry : entries())
    kinds.insert(entry.kind());
  EXPECT_EQ(kinds.size(), shape_kind_count);
}

TEST(Table, IsSupportedSaysWhatTheTableHas) {
  for (const Question question : {Question::touches, Question::distance, Question::depth, Question::signed_distance}) {
    for (const Entry& a : entries()) {
      for (const Entry& b : entries()) {
        if (a.is_surface_mesh() || b.is_surface_mesh()) continue;  // not determined by the kinds
        EXPECT_EQ(is_supported(question, a.kind(), b.kind()), !is_refused(question, a, b))
            << word_for(question) << " " << a.name << " " << b.name;
      }
    }
  }
}

TEST(Table, UnboundedShapesThatAreNotParallelHaveInfiniteDepth) {
  const Shape half = HalfSpace{Vector3(0, 0, 1), 1}, plane = Plane{Vector3(0, 0, 1), 0};
  const Pose tilted(scenes::rotation_from(1, 0.2, 0.1, 0), Vector3(0, 0, 7));
  for (const Shape* a : {&half, &plane}) {
    for (const Shape* b : {&half, &plane}) {
      const Depth d = depth({*a}, {*b, tilted});
      EXPECT_EQ(d.lower, infinity);
      EXPECT_EQ(d.upper, infinity);
    }
  }
  EXPECT_EQ(depth({half}, {half, Pose(Vector3(0, 0, 7))}).lower, infinity);  // both face up
}

}  // namespace
}  // namespace whisker::test
