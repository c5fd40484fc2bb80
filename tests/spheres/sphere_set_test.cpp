// A set of spheres: its contents, the input that it refuses, and its files.

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/spheres/sphere_set.hpp>

#include "geometry/constants.hpp"
#include "support/cases.hpp"
#include "support/error_of.hpp"

namespace whisker {
namespace {

using test::cases;
using test::error_of;
using test::seeded;
using test::uniform;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string error_of_set(const std::vector<Vector3>& centers, const std::vector<double>& radii) {
  return error_of([&] { SphereSet(centers, radii); });
}

SphereSet random_set(std::uint64_t stream, std::size_t count, double size = 1) {
  auto random = seeded(stream);
  std::vector<Vector3> centers;
  std::vector<double> radii;
  for (std::size_t i = 0; i < count; ++i) {
    centers.push_back(size * Vector3(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)));
    radii.push_back(size * uniform(random, 0, 0.3));
  }
  return {centers, radii};
}

void expect_same(const SphereSet& a, const SphereSet& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a.center(i), b.center(i)) << i;
    EXPECT_EQ(a.radius(i), b.radius(i)) << i;
  }
}

TEST(SphereSet, KeepsItsSpheresInOrder) {
  const SphereSet set(std::vector<Vector3>{{1, 2, 3}, {4, 5, 6}}, std::vector<double>{0.5, 0});
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(set.center(1), Vector3(4, 5, 6));
  EXPECT_EQ(set.radius(0), 0.5);
  EXPECT_EQ(set.radius(1), 0);
  EXPECT_EQ(set.y()[0], 2);
}

TEST(SphereSet, BallAndBoxHoldAllSpheres) {
  for (const std::size_t count : {1u, 63u, 64u, 65u, 200u}) {
    for (const double size : {1e-80, 1.0, 1e80}) {
      const SphereSet set = random_set(count, count, size);
      const BoundingSphere ball = set.ball();
      const Aabb box = set.bounds();
      for (std::size_t i = 0; i < count; ++i) {
        const Interval apart = norm(IntervalVector3(set.center(i) / size) - IntervalVector3(ball.center / size));
        EXPECT_LE((apart + set.radius(i) / size).lower, ball.radius / size);
        for (int axis = 0; axis < 3; ++axis) {
          EXPECT_LE(box.lower[axis], (Interval(set.center(i)[axis]) - set.radius(i)).lower);
          EXPECT_GE(box.upper[axis], (Interval(set.center(i)[axis]) + set.radius(i)).upper);
        }
      }
    }
  }
}

TEST(SphereSet, ErrorsNameTheSphere) {
  const std::vector<Vector3> two = {{0, 0, 0}, {1, 1, 1}};
  EXPECT_EQ(error_of_set({}, {}), "sphere set: it has no spheres; give at least one");
  EXPECT_EQ(error_of_set(two, {1}), "sphere set: 2 centers, but 1 radii; give one for each");
  EXPECT_NE(error_of_set(two, {1, -1e-300}).find("sphere 1 has a negative radius"), std::string::npos);
  EXPECT_NE(error_of_set(two, {nan, 1}).find("sphere 0 has a radius that is not finite"), std::string::npos);
  EXPECT_NE(error_of_set(two, {1, infinity}).find("sphere 1 has a radius that is not finite"), std::string::npos);
  EXPECT_NE(error_of_set(two, {1, 2e90}).find("sphere 1 has a number beyond 1e90"), std::string::npos);
  EXPECT_NE(error_of_set({{0, 0, 0}, {0, nan, 0}}, {1, 1}).find("sphere 1 has a center"), std::string::npos);
  EXPECT_NE(error_of_set({{0, -infinity, 0}}, {1}).find("sphere 0 has a center"), std::string::npos);
  EXPECT_NE(error_of_set({{0, 0, -2e90}}, {1}).find("sphere 0 has a number beyond"), std::string::npos);
}

TEST(SphereSetFiles, SphAndJsonReadBackTheSame) {
  for (const double size : {1e-200, 1.0, 1e89}) {
    for (const std::size_t count : {1u, 2u, 100u}) {
      const SphereSet set = random_set(10 + count, count, size);
      expect_same(set, parse_sph(encode_sph(set), "made"));
      expect_same(set, parse_sphere_json(encode_sphere_json(set), "made"));
    }
  }
}

TEST(SphereSetFiles, SavesAndLoads) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "sphere_set_test.sph";
  const SphereSet set = random_set(5, 7);
  save_sph(set, path);
  expect_same(set, load_sph(path));
  std::filesystem::remove(path);
  EXPECT_NE(error_of([&] { load_sph(path); }).find("sphere_set_test.sph"), std::string::npos);
}

// A root, its child 1 with children 3 and 4, of which 4 is unused, and its child 2 without children.
constexpr const char* small_tree_text =
    "3 2\n"
    "0 0 0 4 1\n"
    "-1 0 0 2.5 1\n"
    "1.5 0 0 2.000000 1.000000\n"
    "-2 0 0 1 1 0 0 0 1 0.5\n"
    "0.000000 0.000000 0.000000 -1.000000 1.000000\n"
    "0 0 0 -1 1\n"
    "0 0 0 -1 1\n";

TEST(SphereSetFiles, ALevelOfATreeHasTheLeavesAboveIt) {
  const SphereSet root = parse_sph(small_tree_text, "tree", {.level = 0});
  ASSERT_EQ(root.size(), 1u);
  EXPECT_EQ(root.radius(0), 4);
  const SphereSet middle = parse_sph(small_tree_text, "tree", {.level = 1});
  ASSERT_EQ(middle.size(), 2u);
  EXPECT_EQ(middle.radius(0), 2.5);
  for (const std::size_t level : {std::size_t{2}, std::size_t{9}, SphReadOptions{}.level}) {
    const SphereSet last = parse_sph(small_tree_text, "tree", {.level = level});
    ASSERT_EQ(last.size(), 2u);
    EXPECT_EQ(last.center(0), Vector3(1.5, 0, 0));
    EXPECT_EQ(last.center(1), Vector3(-2, 0, 0));
  }
}

TEST(SphereSetFiles, HeaderMayStandOnTwoLines) {
  EXPECT_EQ(parse_sph("1\r\n8\r\n\r\n1 2 3 4", "tree").radius(0), 4);
}

TEST(SphereSetFiles, BadSphIsAnErrorWithLineAndReason) {
  const auto error = [](const char* text) { return error_of([&] { parse_sph(text, "bad.sph"); }); };
  const auto expect = [&](const char* text, const char* reason) {
    EXPECT_NE(error(text).find(reason), std::string::npos) << text << "\ngives: " << error(text);
  };
  expect("", "bad.sph: the file is empty");
  expect("two 8\n0 0 0 1\n", "bad.sph:1: number of levels is 'two'");
  expect("0 8\n", "bad.sph:1: number of levels is '0'");
  expect("1 -8\n", "number of children is '-8'");
  expect("1", "number of children is ''");
  expect("2 2\n0 0 0 1\n0 0 0 1\n", "the header declares 2 levels");
  expect("2 2\n0 0 0 1 1 1 1 1 1 1\n0 0 0 1 1\n", "bad.sph:4: the file ends after 2 of 3 spheres");
  expect("9999999999999 9999999999999\n0 0 0 1\n", "the header declares");
  expect("999999999999999999999999 1\n0 0 0 1\n", "the header declares");
  expect("1 1\n0 0 1\n0000000000\n", "bad.sph:2: sphere with too few numbers");
  expect("1 1\n0 0 x 1\n", "bad.sph:2: sphere with 'x', which is not a number");
  expect("1 1\n0 0 nan 1\n", "bad.sph:2: sphere with 'nan', which is not a finite number");
  expect("1 1\n0 0 1e999 1\n", "not a finite number");
  expect("1 1\n0 0 1e91 1\n", "bad.sph:2: sphere with a number beyond 1e90");
  expect("1 1\n0 0 0 1\n0 0 0 1\n", "bad.sph:3: more lines than the header declares");
  expect("1 1\n0 0 0 -1\n", "there are no spheres down to level 0");
}

TEST(SphereSetFiles, JsonPassesOverWhatItDoesNotKnow) {
  const SphereSet set = parse_sphere_json(
      R"({"name": "a\"b\\", "list": [1, [2, {"x": null}], true], "spheres": [
          {"radius": 2e0, "center": [1, -2.5, 3], "note": {"center": []}}
        ], "n": -1.5e3} )",
      "set");
  ASSERT_EQ(set.size(), 1u);
  EXPECT_EQ(set.center(0), Vector3(1, -2.5, 3));
  EXPECT_EQ(set.radius(0), 2);
}

TEST(SphereSetFiles, BadJsonIsAnErrorWithLineAndReason) {
  const auto error = [](const std::string& text) { return error_of([&] { parse_sphere_json(text, "bad.json"); }); };
  const auto expect = [&](const std::string& text, const char* reason) {
    EXPECT_NE(error(text).find(reason), std::string::npos) << text << "\ngives: " << error(text);
  };
  const std::string good = R"({"center": [0, 0, 0], "radius": 1})";
  expect("", "expected '{' of an object, found the end");
  expect("{}", "bad.json: the list \"spheres\" is missing");
  expect("{\"spheres\": []}", "list \"spheres\" is empty");
  expect("{\"spheres\": [" + good + "]", "expected '}' at the end of an object, found the end");
  expect("{\"spheres\": [" + good, "expected ']' at the end of a list, found the end");
  expect("{\"spheres\": [" + good + "]} x", "more text after the end");
  expect("{\"spheres\": [" + good + "], \"spheres\": [" + good + "]}", "occurs twice");
  expect("{\"spheres\": [\n" + good + ",\n{\"center\": [0, 0, 0]}]}", "bad.json:3: sphere 1 has no \"radius\"");
  expect("{\"spheres\": [\n{\"radius\": 1}]}", "bad.json:2: sphere 0 has no \"center\"");
  expect("{\"spheres\": [{\"center\": [0, 0], \"radius\": 1}]}", "of three numbers");
  expect("{\"spheres\": [{\"center\": [0, 0, 0, 0], \"radius\": 1}]}", "of three numbers");
  expect("{\"spheres\": [{\"center\": [0, 0, \"0\"], \"radius\": 1}]}", "expected a number, found");
  expect("{\"spheres\": [{\"center\": [0, 0, nan], \"radius\": 1}]}", "expected a number, found 'nan'");
  expect("{\"spheres\": [{\"center\": [0, 0, 1e999], \"radius\": 1}]}", "not a finite number");
  expect("{\"spheres\": [{\"center\": [0, 0, 0], \"radius\": -1}]}", "sphere 0 has a negative radius");
  expect("{\"spheres\": [{\"center\": [0, 0, 0], \"radius\": 1e91}]}", "beyond 1e90");
  expect("{\"a\\", "unterminated string");
  expect("{\"a\": \"\n\"}", "a control character");
  expect("{\"a\": +1}", "expected a value, found");
  expect("{\"a\": " + std::string(100, '[') + std::string(100, ']') + "}", "nested more than 64 deep");
}

TEST(SphereSetFiles, DamagedTextNeverDoesAnythingButThrowAnError) {
  auto random = seeded(77);
  const SphereSet set = random_set(3, 5);
  const std::string_view likely = "0-19[]{},\" \n";
  for (const std::string& good : {encode_sph(set), encode_sphere_json(set), std::string(small_tree_text)}) {
    for (std::size_t n = 0; n < cases(2000); ++n) {
      std::string text = good;
      for (int k = 0; k < 3; ++k) {
        const std::size_t at = random() % text.size();
        if (random() % 3 == 0) {
          text.erase(at, 1 + random() % 5);
        } else {
          text[at] = random() % 2 == 0 ? static_cast<char>(random() % 256) : likely[random() % likely.size()];
        }
        if (text.empty()) text.push_back(' ');
      }
      for (const bool json : {false, true}) {
        try {
          const SphereSet read = json ? parse_sphere_json(text, "damaged") : parse_sph(text, "damaged");
          EXPECT_GE(read.size(), 1u);
        } catch (const Error& error) {
          EXPECT_EQ(std::string(error.what()).rfind("damaged", 0), 0u) << error.what();
        }
      }
    }
  }
}

}  // namespace
}  // namespace whisker
