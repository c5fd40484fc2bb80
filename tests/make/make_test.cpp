// The mesh generators: their counts, that closed models are closed, that vertices are on the analytic shapes, that
// volumes converge, that seeds determine everything, and that gears mesh.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/predicates.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/make/make.hpp>

#include "make/angle.hpp"
#include "support/cases.hpp"

namespace whisker {
namespace {

constexpr double pi = make::pi;

// ---------------------------------------------------------------------------------------------------------------------
// Measurements of a mesh.

double volume(const MeshData& mesh) {
  double six = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    six += mesh.vertices[a].dot(mesh.vertices[b].cross(mesh.vertices[c]));
  return six / 6;
}

double area(const Vector3& a, const Vector3& b, const Vector3& c) {
  return (b - a).cross(c - a).norm() / 2;
}

Triangle triangle_of(const MeshData& mesh, std::size_t i) {
  const auto& [a, b, c] = mesh.triangles[i];
  return {mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]};
}

/// FNV-1a over the bits of all coordinates and indices.
std::uint64_t fingerprint(const MeshData& mesh) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  const auto add = [&hash](std::uint64_t bits) {
    for (int i = 0; i < 8; ++i, bits >>= 8)
      hash = (hash ^ (bits & 0xFF)) * 0x100000001B3ull;
  };
  for (const Vector3& vertex : mesh.vertices)
    for (int i = 0; i < 3; ++i)
      add(std::bit_cast<std::uint64_t>(vertex[i]));
  for (const Index3& triangle : mesh.triangles)
    for (const std::uint32_t index : triangle)
      add(index);
  return hash;
}

/// The directed edges, sorted, each as (from << 32 | to).
std::vector<std::uint64_t> directed_edges(const MeshData& mesh) {
  std::vector<std::uint64_t> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const Index3& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i)
      edges.push_back(std::uint64_t{t[i]} << 32 | t[(i + 1) % 3]);
  std::sort(edges.begin(), edges.end());
  return edges;
}

/// Finite, in range, every vertex used, no triangle without area, no directed edge twice.
testing::AssertionResult sound(const MeshData& mesh) {
  if (mesh.triangles.empty()) return testing::AssertionFailure() << "no triangles";
  for (const Vector3& vertex : mesh.vertices)
    if (!vertex.allFinite()) return testing::AssertionFailure() << "a coordinate is not finite";
  std::vector<char> used(mesh.vertices.size(), 0);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const std::uint32_t index : mesh.triangles[i]) {
      if (index >= mesh.vertices.size()) return testing::AssertionFailure() << "index out of range in triangle " << i;
      used[index] = 1;
    }
    const Triangle t = triangle_of(mesh, i);
    const double longest = std::max({(t.b - t.a).norm(), (t.c - t.b).norm(), (t.a - t.c).norm()});
    if (!(area(t.a, t.b, t.c) > 1e-9 * longest * longest))
      return testing::AssertionFailure() << "triangle " << i << " is degenerate";
  }
  if (std::count(used.begin(), used.end(), 0) > 0) return testing::AssertionFailure() << "a vertex is unused";
  const std::vector<std::uint64_t> edges = directed_edges(mesh);
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end())
    return testing::AssertionFailure() << "a directed edge occurs twice";
  return testing::AssertionSuccess();
}

std::size_t border_edges(const MeshData& mesh) {
  const std::vector<std::uint64_t> edges = directed_edges(mesh);
  return static_cast<std::size_t>(std::count_if(edges.begin(), edges.end(), [&](std::uint64_t edge) {
    return !std::binary_search(edges.begin(), edges.end(), edge << 32 | edge >> 32);
  }));
}

/// The component of every vertex, numbered from 0, and the number of components.
std::pair<std::vector<std::size_t>, std::size_t> components(const MeshData& mesh) {
  std::vector<std::size_t> root(mesh.vertices.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&root](std::size_t i) {
    while (root[i] != i)
      i = root[i] = root[root[i]];
    return i;
  };
  for (const auto& [a, b, c] : mesh.triangles) {
    root[find(a)] = find(b);
    root[find(b)] = find(c);
  }
  std::map<std::size_t, std::size_t> number;
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < root.size(); ++i)
    result.push_back(number.try_emplace(find(i), number.size()).first->second);
  return {result, number.size()};
}

/// Sound, each directed edge has its opposite, and each component has a volume above 0.
testing::AssertionResult closed(const MeshData& mesh) {
  if (const testing::AssertionResult result = sound(mesh); !result) return result;
  if (border_edges(mesh) > 0) return testing::AssertionFailure() << border_edges(mesh) << " border edges";
  const auto [component, count] = components(mesh);
  std::vector<double> volumes(count, 0.0);
  for (const auto& [a, b, c] : mesh.triangles) {
    // The signed tetrahedron from the origin.
    volumes[component[a]] += mesh.vertices[a].dot(mesh.vertices[b].cross(mesh.vertices[c])) / 6;
  }
  for (std::size_t i = 0; i < count; ++i)
    if (!(volumes[i] > 0)) return testing::AssertionFailure() << "component " << i << " has volume " << volumes[i];
  return testing::AssertionSuccess();
}

/// V - E + F of a closed mesh: 2 per component, minus 2 per handle.
long euler(const MeshData& mesh) {
  return static_cast<long>(mesh.vertices.size()) - static_cast<long>(mesh.triangles.size() * 3 / 2) +
         static_cast<long>(mesh.triangles.size());
}

/// The number of pairs of triangles that touch although they have no common vertex, or that share more than their one
/// common vertex. Exact. Pairs with a common edge are not tested.
std::size_t self_touching_pairs(const MeshData& mesh) {
  struct Entry {
    Vector3 low, high;
    std::size_t triangle;
  };
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle t = triangle_of(mesh, i);
    entries.push_back({t.a.cwiseMin(t.b).cwiseMin(t.c), t.a.cwiseMax(t.b).cwiseMax(t.c), i});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& p, const Entry& q) { return p.low.x() < q.low.x(); });
  const auto opposite_touches = [&](std::size_t one, std::uint32_t shared, std::size_t other) {
    const Index3& t = mesh.triangles[one];
    std::array<Vector3, 2> ends;
    std::size_t count = 0;
    for (const std::uint32_t index : t)
      if (index != shared) ends[count++] = mesh.vertices[index];
    return touches_segment_triangle({ends[0], ends[1]}, triangle_of(mesh, other));
  };
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (std::size_t j = i + 1; j < entries.size() && entries[j].low.x() <= entries[i].high.x(); ++j) {
      const Entry &p = entries[i], &q = entries[j];
      if ((p.low.array() > q.high.array()).any() || (q.low.array() > p.high.array()).any()) continue;
      std::vector<std::uint32_t> shared;
      for (const std::uint32_t a : mesh.triangles[p.triangle])
        for (const std::uint32_t b : mesh.triangles[q.triangle])
          if (a == b) shared.push_back(a);
      if (shared.size() > 1) continue;
      const bool touching =
          shared.empty() ? touches_triangle_triangle(triangle_of(mesh, p.triangle), triangle_of(mesh, q.triangle))
                         : opposite_touches(p.triangle, shared[0], q.triangle) ||
                               opposite_touches(q.triangle, shared[0], p.triangle);
      pairs += touching ? 1u : 0u;
    }
  }
  return pairs;
}

/// The message of the Error that `build` throws, or "" if it throws none.
std::string make_error_of(const std::function<void()>& build) {
  try {
    build();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

testing::AssertionResult names(const std::string& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    if (message.find(part) == std::string::npos)
      return testing::AssertionFailure() << "\"" << message << "\" does not say \"" << part << "\"";
  return testing::AssertionSuccess();
}

int any(std::mt19937_64& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

// ---------------------------------------------------------------------------------------------------------------------
// Sines.

TEST(MakeAngle, AgreesWithTheStandardLibraryToRounding) {
  std::mt19937_64 random = test::seeded(1);
  double worst = 0;
  for (std::size_t i = 0; i < test::cases(200'000); ++i) {
    const double x = test::uniform(random, -20, 20);
    const make::Direction d = make::turn(x);
    // The argument 2πx is rounded, so this compares with the fractional part, which is exact, in long double.
    const long double fraction = static_cast<long double>(x) - std::floor(static_cast<long double>(x));
    const long double angle = 2 * 3.14159265358979323846264338327950288L * fraction;
    worst = std::max({worst, static_cast<double>(std::abs(d.cos - std::cos(angle))),
                      static_cast<double>(std::abs(d.sin - std::sin(angle)))});
  }
  EXPECT_LT(worst, 4e-16);
}

TEST(MakeAngle, IsExactAtTheQuartersAndSymmetricAroundThem) {
  for (int n = 1; n <= 64; ++n) {
    EXPECT_EQ(make::turn(0, n).cos, 1);
    EXPECT_EQ(make::turn(n, 4 * n).sin, 1);
    EXPECT_EQ(make::turn(n, 4 * n).cos, 0);
    EXPECT_EQ(make::turn(2 * n, 4 * n).cos, -1);
    EXPECT_EQ(make::turn(2 * n, 4 * n).sin, 0);
    EXPECT_EQ(make::turn(3 * n, 4 * n).sin, -1);
    for (int i = -n; i <= 2 * n; ++i) {
      EXPECT_EQ(make::turn(i, n).cos, make::turn(-i, n).cos);
      EXPECT_EQ(make::turn(i, n).sin, -make::turn(-i, n).sin);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The table.

TEST(MakeModels, EveryOneBuildsFromItsDefaultsAndIsAsClosedAsItSays) {
  std::set<std::string_view> seen;
  for (const make::Model& model : make::models()) {
    SCOPED_TRACE(std::string(model.name));
    EXPECT_TRUE(seen.insert(model.name).second) << "twice in the table";
    std::vector<double> values;
    for (const make::Parameter& parameter : model.parameters) {
      EXPECT_LE(parameter.least, parameter.initial) << parameter.name;
      EXPECT_GE(parameter.most, parameter.initial) << parameter.name;
      EXPECT_FALSE(parameter.summary.empty()) << parameter.name;
      values.push_back(parameter.initial);
    }
    const MeshData mesh = model.build(values);
    EXPECT_TRUE(sound(mesh));
    if (model.closed)
      EXPECT_TRUE(closed(mesh));
    else
      EXPECT_GT(border_edges(mesh), 0u);
  }
  const std::set<std::string_view> expected = {
      "uv-sphere", "icosphere", "torus", "wrinkled-torus", "box",   "cylinder", "cone",        "capsule",
      "s-shape",   "block",     "gear",  "pipes",          "chair", "terrain",  "random-hull", "cloth-sheet"};
  EXPECT_EQ(seen, expected);
}

TEST(MakeModels, TheTableBuildsWhatTheFunctionsBuild) {
  using namespace make;
  const std::map<std::string_view, MeshData> direct = {{"uv-sphere", uv_sphere()},
                                                       {"icosphere", icosphere()},
                                                       {"torus", torus()},
                                                       {"box", box()},
                                                       {"wrinkled-torus", wrinkled_torus()},
                                                       {"cylinder", cylinder()},
                                                       {"cone", cone()},
                                                       {"capsule", capsule()},
                                                       {"s-shape", s_shape()},
                                                       {"block", block()},
                                                       {"gear", gear()},
                                                       {"pipes", pipes()},
                                                       {"chair", chair()},
                                                       {"terrain", terrain()},
                                                       {"cloth-sheet", cloth_sheet()},
                                                       {"random-hull", random_hull()}};
  for (const Model& model : models()) {
    std::vector<double> values;
    for (const Parameter& parameter : model.parameters)
      values.push_back(parameter.initial);
    EXPECT_EQ(fingerprint(model.build(values)), fingerprint(direct.at(model.name))) << model.name;
  }
}

TEST(MakeModels, EveryParameterChangesTheMesh) {
  for (const make::Model& model : make::models()) {
    std::vector<double> values;
    for (const make::Parameter& parameter : model.parameters)
      values.push_back(parameter.initial);
    // Options that only matter if others are on.
    for (std::size_t i = 0; i < values.size(); ++i)
      if (model.parameters[i].name == "dimples" || model.parameters[i].name == "spikes" ||
          model.parameters[i].name == "folds" || model.parameters[i].name == "bore")
        values[i] = 3;
    const std::uint64_t before = fingerprint(model.build(values));
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::vector<double> changed = values;
      if (model.parameters[i].kind == make::Parameter::Kind::integer)
        changed[i] = changed[i] == 0 ? 5 : changed[i] + 1;
      else
        changed[i] *= 0.97;
      EXPECT_NE(fingerprint(model.build(changed)), before) << model.name << " " << model.parameters[i].name;
    }
  }
}

TEST(MakeModels, AnyAllowedOptionsGiveASoundMeshAndOthersAnError) {
  std::mt19937_64 random = test::seeded(5);
  for (const make::Model& model : make::models()) {
    std::size_t built = 0;
    const std::size_t tries = test::cases(60);
    for (std::size_t n = 0; n < tries; ++n) {
      std::vector<double> values;
      std::string shown(model.name);
      for (const make::Parameter& parameter : model.parameters) {
        if (parameter.kind == make::Parameter::Kind::integer)
          values.push_back(any(random, static_cast<int>(parameter.least), static_cast<int>(parameter.least) + 40));
        else
          values.push_back(
              std::clamp(parameter.initial * std::exp2(test::uniform(random, -2, 1)), parameter.least, parameter.most));
        if (parameter.name == "subdivisions" || parameter.name == "count") values.back() = any(random, 1, 4);
        if (parameter.name == "twists") values.back() = any(random, -10, 10);
        values.back() = std::min(values.back(), parameter.most);
        shown += " --" + std::string(parameter.name) + " " + std::to_string(values.back());
      }
      MeshData mesh;
      const std::string message = make_error_of([&] { mesh = model.build(values); });
      if (!message.empty()) {
        ASSERT_TRUE(names(message, {"make " + std::string(model.name) + ": "}));
        continue;
      }
      ++built;
      if (model.closed)
        ASSERT_TRUE(closed(mesh)) << shown;
      else
        ASSERT_TRUE(sound(mesh)) << shown;
    }
    EXPECT_GT(built, tries / 10) << model.name;
  }
}

TEST(MakeModels, ValuesOutOfRangeAreErrorsThatNameTheParameterAndItsRange) {
  for (const make::Model& model : make::models()) {
    std::vector<double> values;
    for (const make::Parameter& parameter : model.parameters)
      values.push_back(parameter.initial);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const make::Parameter& parameter = model.parameters[i];
      std::vector<double> bad = {parameter.least - 1, parameter.most * 2 + 1, std::nan(""), HUGE_VAL, -HUGE_VAL};
      if (parameter.kind == make::Parameter::Kind::integer) bad.push_back(parameter.initial + 0.5);
      for (const double value : bad) {
        std::vector<double> changed = values;
        changed[i] = value;
        const std::string message = make_error_of([&] { model.build(changed); });
        EXPECT_TRUE(
            names(message, {"make " + std::string(model.name), std::string(parameter.name), " is ", " from ", " to "}))
            << value;
      }
    }
    values.push_back(1);
    EXPECT_TRUE(names(make_error_of([&] { model.build(values); }), {std::string(model.name), "parameters"}));
    EXPECT_TRUE(names(make_error_of([&] { model.build({}); }), {std::string(model.name), "parameters"}));
  }
}

TEST(MakeModels, ModelsTooLargeForMemoryAreErrorsBeforeAnythingIsAllocated) {
  using namespace make;
  const auto too_many = [](const std::string& message) { return names(message, {"triangles", "at most 50000000"}); };
  EXPECT_TRUE(too_many(make_error_of([] { uv_sphere({.stacks = 1'000'000}); })));
  EXPECT_TRUE(too_many(make_error_of([] { torus({.around = 1'000'000, .across = 1'000'000}); })));
  EXPECT_TRUE(too_many(make_error_of([] { wrinkled_torus({.around = 1'000'000, .across = 1'000'000}); })));
  EXPECT_TRUE(too_many(make_error_of([] { cylinder({.slices = 1'000'000, .stacks = 1'000'000}); })));
  EXPECT_TRUE(too_many(make_error_of([] { cone({.slices = 1'000'000, .stacks = 1'000'000}); })));
  EXPECT_TRUE(too_many(make_error_of([] { capsule({.slices = 1'000'000, .stacks = 1'000'000}); })));
  EXPECT_TRUE(too_many(make_error_of([] { s_shape({.along = 1'000'000, .across = 1'000'000}); })));
  EXPECT_TRUE(too_many(make_error_of([] { pipes({.count = 2000, .segments = 1'000'000, .stretches = 1'000'000}); })));
  EXPECT_TRUE(too_many(make_error_of([] { gear({.teeth = 10'000, .flank_points = 1000}); })));
  EXPECT_TRUE(too_many(make_error_of([] { terrain({.columns = 1'000'000, .rows = 1'000'000}); })));
  EXPECT_TRUE(too_many(make_error_of([] { cloth_sheet({.columns = 1'000'000, .rows = 1'000'000}); })));
}

TEST(MakeModels, OptionsThatContradictEachOtherAreErrors) {
  using namespace make;
  EXPECT_TRUE(names(make_error_of([] { uv_sphere({.slices = 2}); }), {"slices is 2", "at least 3"}));
  EXPECT_TRUE(names(make_error_of([] { torus({.major = 1, .minor = 1}); }), {"minor is 1", "major"}));
  EXPECT_TRUE(names(make_error_of([] { torus({.major = 1, .minor = 1e-7}); }), {"1e-07", "1e+06 times"}));
  EXPECT_TRUE(names(make_error_of([] { wrinkled_torus({.minor = 0.8}); }), {"minor is 0.8"}));
  EXPECT_TRUE(
      names(make_error_of([] { wrinkled_torus({.lobe_depth = 0.6, .wrinkle_depth = 0.6}); }), {"lobe-depth", "1.2"}));
  EXPECT_TRUE(names(make_error_of([] { capsule({.radius = 1e-9, .length = 1}); }), {"1e-09"}));
  EXPECT_TRUE(names(make_error_of([] { s_shape({.tube_radius = 0.6}); }), {"tube-radius is 0.6", "bend-radius"}));
  EXPECT_TRUE(names(make_error_of([] { s_shape({.along = 2}); }), {"along is 2", "sweep"}));
  EXPECT_TRUE(names(make_error_of([] { block({.slot_x = 2}); }), {"slot-x is 2", "size-x"}));
  EXPECT_TRUE(names(make_error_of([] { block({.slot_y = 3}); }), {"slot-y is 3", "size-y"}));
  EXPECT_TRUE(names(make_error_of([] { gear({.bore = 9}); }), {"bore is 9", "root radius"}));
  EXPECT_TRUE(
      names(make_error_of([] { gear({.teeth = 5, .pressure_angle = 35, .bore = 0}); }), {"meet below the tips"}));
  EXPECT_TRUE(names(make_error_of([] { meshing_distance(0, 10, 1); }), {"driver-teeth is 0"}));
  EXPECT_TRUE(names(make_error_of([] { meshing_angle(10, -1); }), {"driven-teeth is -1"}));
  EXPECT_TRUE(
      names(make_error_of([] { pipes({.radius = 0.2, .wander = 0.1}); }), {"radius + wander", "0.3", "spacing/4"}));
  EXPECT_TRUE(names(make_error_of([] { chair({.thickness = 0.2}); }), {"thickness is 0.2"}));
  EXPECT_TRUE(names(make_error_of([] { chair({.back_height = 0.5}); }), {"back-height is 0.5"}));
}

TEST(MakeModels, TheSameOptionsGiveTheSameBitsOnEveryPlatform) {
  // Fingerprints of small models, so that another compiler, platform or change that alters a bit is noticed.
  using namespace make;
  EXPECT_EQ(fingerprint(uv_sphere({.stacks = 7})), 0x3A6F69FE7965403Dull);
  EXPECT_EQ(fingerprint(wrinkled_torus({.around = 20, .across = 10})), 0x917C11A6D71CA9B2ull);
  EXPECT_EQ(fingerprint(s_shape({.along = 8, .across = 7})), 0x09B29F63A28C3FD9ull);
  EXPECT_EQ(fingerprint(gear({.teeth = 17, .bore = 3})), 0x9E122D119E24B465ull);
  EXPECT_EQ(fingerprint(pipes({.count = 2})), 0x7E061844ABC19C26ull);
  EXPECT_EQ(fingerprint(terrain({.dimples = 5, .spikes = 5})), 0xDC54DF0406E88FAAull);
  EXPECT_EQ(fingerprint(cloth_sheet({.folds = 3})), 0x4A5DE7A3180198C6ull);
  EXPECT_EQ(fingerprint(random_hull()), 0x61A8BF9CF303C405ull);
}

TEST(MakeModels, AnotherSeedGivesAnotherMeshOfTheSameKind) {
  using namespace make;
  for (std::uint64_t seed = 2; seed < 12; ++seed) {
    EXPECT_NE(fingerprint(wrinkled_torus({.seed = seed})), fingerprint(wrinkled_torus({.seed = seed + 1})));
    EXPECT_NE(fingerprint(terrain({.seed = seed})), fingerprint(terrain({.seed = seed + 1})));
    EXPECT_NE(fingerprint(cloth_sheet({.seed = seed})), fingerprint(cloth_sheet({.seed = seed + 1})));
    EXPECT_NE(fingerprint(pipes({.count = 2, .seed = seed})), fingerprint(pipes({.count = 2, .seed = seed + 1})));
    EXPECT_NE(fingerprint(random_hull({.seed = seed})), fingerprint(random_hull({.seed = seed + 1})));
    EXPECT_TRUE(closed(wrinkled_torus({.seed = seed})));
    EXPECT_TRUE(closed(pipes({.count = 2, .seed = seed})));
    EXPECT_TRUE(closed(random_hull({.seed = seed})));
    EXPECT_TRUE(sound(terrain({.dimples = 10, .spikes = 10, .seed = seed})));
    EXPECT_TRUE(sound(cloth_sheet({.folds = 2, .seed = seed})));
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Round models.

TEST(MakeSphere, HasTheFaceCountsOfKitamura) {
  std::vector<std::size_t> counts;
  for (const int n : {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 32})
    counts.push_back(make::uv_sphere({.stacks = n}).triangles.size());
  EXPECT_EQ(counts, (std::vector<std::size_t>{8, 24, 48, 80, 120, 168, 224, 360, 528, 728, 960, 3968}));
  EXPECT_EQ(make::uv_sphere({.stacks = 2, .slices = 5}).triangles.size(), 10u);
  EXPECT_EQ(make::uv_sphere({.stacks = 4, .slices = 9}).triangles.size(), 54u);
}

TEST(MakeSphere, IsClosedWithItsVerticesOnTheSphereAtEverySize) {
  std::mt19937_64 random = test::seeded(2);
  for (std::size_t i = 0; i < test::cases(200); ++i) {
    const double radius = std::exp2(test::uniform(random, -29, 29));
    const int stacks = any(random, 2, 30), slices = any(random, 3, 40);
    const MeshData mesh = make::uv_sphere({radius, stacks, slices});
    ASSERT_EQ(mesh.triangles.size(), static_cast<std::size_t>(2 * slices * (stacks - 1)));
    ASSERT_TRUE(closed(mesh)) << radius << " " << stacks << " " << slices;
    ASSERT_EQ(euler(mesh), 2);
    for (const Vector3& v : mesh.vertices)
      ASSERT_NEAR(v.norm() / radius, 1, 1e-12);
  }
  for (int subdivisions = 0; subdivisions <= 5; ++subdivisions) {
    const MeshData mesh = make::icosphere({.radius = 3, .subdivisions = subdivisions});
    EXPECT_EQ(mesh.triangles.size(), std::size_t{20} << (2 * subdivisions));
    EXPECT_TRUE(closed(mesh));
    EXPECT_EQ(euler(mesh), 2);
    for (const Vector3& v : mesh.vertices)
      EXPECT_NEAR(v.norm(), 3, 1e-12);
  }
}

/// Compares the error of a volume at n and at 2n divisions: second order means a quarter of it, always from below.
void expect_second_order(const std::function<MeshData(int)>& build, double truth) {
  const double coarse = truth - volume(build(32));
  const double fine = truth - volume(build(64));
  EXPECT_GT(fine, 0);
  EXPECT_LT(fine, 0.01 * truth);
  EXPECT_NEAR(coarse / fine, 4, 0.05);
}

TEST(MakeRound, VolumesConvergeToTheAnalyticOnesAtSecondOrder) {
  expect_second_order([](int n) { return make::uv_sphere({.radius = 2, .stacks = n}); }, 4.0 / 3 * pi * 8);
  expect_second_order([](int n) { return make::torus({.major = 3, .minor = 1, .around = 2 * n, .across = n}); },
                      2 * pi * pi * 3);
  expect_second_order([](int n) { return make::cylinder({.radius = 2, .length = 5, .slices = n, .stacks = 3}); },
                      pi * 4 * 5);
  expect_second_order([](int n) { return make::cone({.radius = 2, .length = 5, .slices = n, .stacks = 3}); },
                      pi * 4 * 5 / 3);
  expect_second_order([](int n) { return make::capsule({.radius = 2, .length = 5, .slices = n, .stacks = n / 4}); },
                      4.0 / 3 * pi * 8 + pi * 4 * 5);
  // The S is two pieces of a torus. By Pappus, its volume is its cross-section times the length of its center line.
  expect_second_order(
      [](int n) {
        return make::s_shape({.bend_radius = 2, .tube_radius = 0.5, .sweep = 200, .along = n, .across = n});
      },
      pi * 0.25 * 2 * (2 * pi * 2 * 200 / 360));
  const double icosphere_error_3 = 4.0 / 3 * pi - volume(make::icosphere({.subdivisions = 3}));
  const double icosphere_error_4 = 4.0 / 3 * pi - volume(make::icosphere({.subdivisions = 4}));
  EXPECT_NEAR(icosphere_error_3 / icosphere_error_4, 4, 0.05);
}

TEST(MakeRound, AreClosedWithTheCountsAndSurfacesThatTheySay) {
  std::mt19937_64 random = test::seeded(3);
  for (std::size_t i = 0; i < test::cases(100); ++i) {
    const double radius = test::uniform(random, 0.1, 3), length = test::uniform(random, 0.1, 10);
    const int slices = any(random, 3, 30), stacks = any(random, 1, 12);
    const auto count = static_cast<std::size_t>(slices * stacks), round = static_cast<std::size_t>(slices);

    const MeshData cylinder = make::cylinder({radius, length, slices, stacks});
    ASSERT_EQ(cylinder.triangles.size(), 2 * (count + round));
    ASSERT_TRUE(closed(cylinder));
    ASSERT_EQ(euler(cylinder), 2);
    for (const Vector3& v : cylinder.vertices) {
      ASSERT_LE(std::abs(v.z()), length / 2);
      const double from_axis = v.head<2>().norm();
      ASSERT_TRUE(from_axis == 0 ? std::abs(v.z()) == length / 2 : std::abs(from_axis - radius) < 1e-12);
    }

    const MeshData cone = make::cone({radius, length, slices, stacks});
    ASSERT_EQ(cone.triangles.size(), 2 * count);
    ASSERT_TRUE(closed(cone));
    ASSERT_EQ(euler(cone), 2);
    double top = -HUGE_VAL;
    for (const Vector3& v : cone.vertices) {
      const double from_axis = v.head<2>().norm();
      if (from_axis == 0 && v.z() < 0)
        ASSERT_EQ(v.z(), -length / 2);
      else
        ASSERT_NEAR(from_axis, radius * (0.5 - v.z() / length), 1e-12);
      top = std::max(top, v.z());
    }
    ASSERT_EQ(top, length / 2);

    const MeshData capsule = make::capsule({radius, length, slices, stacks});
    ASSERT_EQ(capsule.triangles.size(), 4 * count);
    ASSERT_TRUE(closed(capsule));
    ASSERT_EQ(euler(capsule), 2);
    for (const Vector3& v : capsule.vertices) {
      const Vector3 nearest(0, 0, std::clamp(v.z(), -length / 2, length / 2));
      ASSERT_NEAR((v - nearest).norm(), radius, 1e-12);
    }

    const double major = radius + test::uniform(random, 0.1, 2);
    const int around = any(random, 3, 40);
    const MeshData torus = make::torus({major, radius, around, slices});
    ASSERT_EQ(torus.triangles.size(), static_cast<std::size_t>(2 * around * slices));
    ASSERT_TRUE(closed(torus));
    ASSERT_EQ(euler(torus), 0);
    for (const Vector3& v : torus.vertices)
      ASSERT_NEAR(std::hypot(v.head<2>().norm() - major, v.z()), radius, 1e-12);
  }
}

TEST(MakeWrinkledTorus, HasTwentyThousandTrianglesWithinItsDepthsAndDoesNotMeetItself) {
  const make::WrinkledTorus options;
  const MeshData mesh = make::wrinkled_torus();
  EXPECT_EQ(mesh.triangles.size(), 20'000u);
  EXPECT_EQ(euler(mesh), 0);
  double low = HUGE_VAL, high = 0;
  for (const Vector3& v : mesh.vertices) {
    const double radius = std::hypot(v.head<2>().norm() - options.major, v.z());
    low = std::min(low, radius / options.minor);
    high = std::max(high, radius / options.minor);
  }
  const double depth = options.lobe_depth + options.wrinkle_depth;
  EXPECT_GE(low, 1 - depth - 1e-12);
  EXPECT_LE(high, 1 + depth + 1e-12);
  EXPECT_LT(low, 1 - 0.7 * depth);
  EXPECT_GT(high, 1 + 0.7 * depth);
  EXPECT_EQ(self_touching_pairs(mesh), 0u);
}

TEST(MakeWrinkledTorus, WithoutLobesAndWrinklesIsATorus) {
  const MeshData plain = make::torus({.major = 1, .minor = 0.35, .around = 200, .across = 50});
  EXPECT_EQ(fingerprint(make::wrinkled_torus({.lobes = 0, .wrinkles = 0})), fingerprint(plain));
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes.

TEST(MakeBox, IsClosedAndExactAtEverySubdivision) {
  for (int n = 1; n <= 12; ++n) {
    const MeshData mesh = make::box({.size_x = 0.3, .size_y = 1.7, .size_z = 5.1, .subdivisions = n});
    EXPECT_EQ(mesh.triangles.size(), static_cast<std::size_t>(12 * n * n));
    EXPECT_EQ(mesh.vertices.size(), static_cast<std::size_t>(6 * n * n + 2));
    EXPECT_TRUE(closed(mesh));
    EXPECT_NEAR(volume(mesh), 0.3 * 1.7 * 5.1, 1e-12);
    for (const Vector3& v : mesh.vertices) {
      const bool on_face = std::abs(v.x()) == 0.3 / 2 || std::abs(v.y()) == 1.7 / 2 || std::abs(v.z()) == 5.1 / 2;
      EXPECT_TRUE(on_face) << v.transpose();
    }
    EXPECT_EQ(self_touching_pairs(mesh), 0u);
  }
}

TEST(MakeBlock, IsABoxLessItsSlotWithOneHandle) {
  const MeshData mesh = make::block({.size_x = 3, .size_y = 2, .size_z = 1.5, .slot_x = 1, .slot_y = 0.75});
  EXPECT_EQ(mesh.triangles.size(), 32u);
  EXPECT_TRUE(closed(mesh));
  EXPECT_EQ(euler(mesh), 0);
  EXPECT_DOUBLE_EQ(volume(mesh), 3 * 2 * 1.5 - 1 * 0.75 * 1.5);
  EXPECT_EQ(self_touching_pairs(mesh), 0u);
}

TEST(MakeChair, IsTwelveClosedPartsOf146TrianglesThatOnlyTouch) {
  const MeshData mesh = make::chair();
  EXPECT_EQ(mesh.triangles.size(), 146u);
  EXPECT_TRUE(closed(mesh));
  const auto [component, count] = components(mesh);
  EXPECT_EQ(count, 12u);
  EXPECT_EQ(euler(mesh), 24);
  // The parts are boxes, except for the dome on the seat (component 0), which only the posts and legs are near.
  std::vector<Vector3> low(count, Vector3::Constant(HUGE_VAL)), high(count, Vector3::Constant(-HUGE_VAL));
  for (std::size_t i = 0; i < component.size(); ++i) {
    const Vector3& v = mesh.vertices[i];
    const bool dome = component[i] == 0 && v.z() > 0.45;
    if (dome) continue;
    low[component[i]] = low[component[i]].cwiseMin(v);
    high[component[i]] = high[component[i]].cwiseMax(v);
  }
  std::vector<std::set<std::size_t>> neighbors(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j) continue;
      const bool apart_or_touching =
          (low[i].array() >= high[j].array()).any() || (low[j].array() >= high[i].array()).any();
      EXPECT_TRUE(apart_or_touching) << i << " and " << j;
      const bool touching = (low[i].array() <= high[j].array()).all() && (low[j].array() <= high[i].array()).all();
      if (touching) neighbors[i].insert(j);
    }
  // All parts are connected.
  std::set<std::size_t> reached = {0};
  for (std::size_t round = 0; round < count; ++round)
    for (const std::size_t i : std::set<std::size_t>(reached))
      reached.insert(neighbors[i].begin(), neighbors[i].end());
  EXPECT_EQ(reached.size(), count);
  EXPECT_EQ(low[1].z(), 0);
  EXPECT_EQ(high[7].z(), 0.9);
}

// ---------------------------------------------------------------------------------------------------------------------
// Tubes.

TEST(MakeSShape, IsATubeAroundTwoArcsThatDoesNotMeetItself) {
  std::mt19937_64 random = test::seeded(4);
  for (std::size_t i = 0; i < test::cases(30); ++i) {
    const double bend = test::uniform(random, 0.5, 2), tube = bend * test::uniform(random, 0.05, 0.49);
    const double sweep = test::uniform(random, 10, 270);
    const int along = any(random, 5, 24), across = any(random, 3, 16);
    const MeshData mesh = make::s_shape({bend, tube, sweep, along, across});
    ASSERT_EQ(mesh.triangles.size(), static_cast<std::size_t>(2 * across * (2 * along + 1)));
    ASSERT_TRUE(closed(mesh)) << bend << " " << tube << " " << sweep << " " << along << " " << across;
    ASSERT_EQ(euler(mesh), 2);
    ASSERT_EQ(self_touching_pairs(mesh), 0u) << bend << " " << tube << " " << sweep << " " << along << " " << across;
    const std::size_t on_rings = mesh.vertices.size() - 2;
    for (std::size_t k = 0; k < on_rings; ++k) {
      const Vector3& v = mesh.vertices[k];
      const bool upper = k < on_rings / 2;
      const double to_arc = std::abs(std::hypot(v.x(), v.y() - (upper ? bend : -bend)) - bend);
      // The middle ring belongs to both arcs.
      if (std::abs(v.x()) > 1e-9) {
        ASSERT_NEAR(std::hypot(to_arc, v.z()), tube, 1e-12) << k;
      }
    }
  }
}

TEST(MakeSShape, LooksLikeAnSSeenFromAbove) {
  const MeshData mesh = make::s_shape({.bend_radius = 1, .tube_radius = 0.2, .sweep = 270});
  const Vector3& upper_end = mesh.vertices[mesh.vertices.size() - 2];
  const Vector3& lower_end = mesh.vertices[mesh.vertices.size() - 1];
  EXPECT_NEAR((upper_end - Vector3(1, 1, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((lower_end - Vector3(-1, -1, 0)).norm(), 0, 1e-12);
}

TEST(MakePipes, AreSeparateClosedTubesAndAboutAsManyTrianglesAsGottschalks) {
  const MeshData mesh = make::pipes();
  EXPECT_EQ(mesh.triangles.size(), 143'424u);
  EXPECT_NEAR(static_cast<double>(mesh.triangles.size()), 143'690, 0.002 * 143'690);
  const auto [component, count] = components(mesh);
  ASSERT_EQ(count, 3u * 12 * 12);
  EXPECT_EQ(euler(mesh), 2 * 432);
  std::vector<Vector3> low(count, Vector3::Constant(HUGE_VAL)), high(count, Vector3::Constant(-HUGE_VAL));
  for (std::size_t i = 0; i < component.size(); ++i) {
    low[component[i]] = low[component[i]].cwiseMin(mesh.vertices[i]);
    high[component[i]] = high[component[i]].cwiseMax(mesh.vertices[i]);
  }
  double nearest = HUGE_VAL;
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_LE(low[i].cwiseAbs().maxCoeff(), 6.0);
    EXPECT_LE(high[i].cwiseAbs().maxCoeff(), 6.0);
    for (std::size_t j = i + 1; j < count; ++j) {
      const double gap = std::max((low[j] - high[i]).maxCoeff(), (low[i] - high[j]).maxCoeff());
      nearest = std::min(nearest, gap);
    }
  }
  // spacing/2 - 2 (radius + wander)
  EXPECT_GE(nearest, 0.5 - 2 * 0.23 - 1e-12);
}

TEST(MakePipes, OfOtherSizesAreClosedAndDoNotMeetThemselves) {
  for (const int segments : {3, 4, 7})
    for (const int stretches : {1, 2, 9}) {
      const MeshData mesh = make::pipes({.count = 3, .segments = segments, .stretches = stretches, .seed = 9});
      EXPECT_EQ(mesh.triangles.size(), static_cast<std::size_t>(27 * (2 * segments * (stretches + 1) - 4)));
      EXPECT_TRUE(closed(mesh));
      EXPECT_EQ(self_touching_pairs(mesh), 0u);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Gears.

std::vector<Vector2> placed(const std::vector<Vector2>& outline, double x, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  std::vector<Vector2> result;
  for (const Vector2& p : outline)
    result.emplace_back(x + c * p.x() - s * p.y(), s * p.x() + c * p.y());
  return result;
}

bool segments_cross(const Vector2& a, const Vector2& b, const Vector2& c, const Vector2& d) {
  const int abc = orient2d(a, b, c), abd = orient2d(a, b, d), cda = orient2d(c, d, a), cdb = orient2d(c, d, b);
  return abc * abd <= 0 && cda * cdb <= 0;
}

bool contains(const std::vector<Vector2>& polygon, const Vector2& p) {
  bool inside = false;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vector2 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    if ((a.y() > p.y()) == (b.y() > p.y())) continue;
    if ((orient2d(a, b, p) > 0) == (b.y() > a.y())) inside = !inside;
  }
  return inside;
}

bool overlap(const std::vector<Vector2>& p, const std::vector<Vector2>& q) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vector2 &a = p[i], &b = p[(i + 1) % p.size()];
    const Vector2 low = a.cwiseMin(b), high = a.cwiseMax(b);
    for (std::size_t j = 0; j < q.size(); ++j) {
      const Vector2 &c = q[j], &d = q[(j + 1) % q.size()];
      if (std::max(c.x(), d.x()) < low.x() || std::min(c.x(), d.x()) > high.x()) continue;
      if (std::max(c.y(), d.y()) < low.y() || std::min(c.y(), d.y()) > high.y()) continue;
      if (segments_cross(a, b, c, d)) return true;
    }
  }
  return contains(p, q[0]) || contains(q, p[0]);
}

TEST(MakeGear, IsClosedWithTheRadiiAndCountsThatItSays) {
  for (const int teeth : {6, 12, 17, 20, 41, 42, 60, 100})
    for (const double bore : {0.0, 1.0})
      for (const int flank_points : {2, 3, 9}) {
        const make::Gear options = {.teeth = teeth, .module = 1.5, .bore = bore, .flank_points = flank_points};
        const MeshData mesh = make::gear(options);
        const std::vector<Vector2> outline = make::gear_outline(options);
        SCOPED_TRACE(std::to_string(teeth) + " teeth, bore " + std::to_string(bore));
        EXPECT_TRUE(closed(mesh));
        EXPECT_EQ(euler(mesh), bore > 0 ? 0 : 2);
        EXPECT_EQ(mesh.triangles.size(),
                  4 * outline.size() + (bore > 0 ? 12 * static_cast<std::size_t>(teeth) : std::size_t{0}));
        const double pitch = 1.5 * teeth / 2;
        double low = HUGE_VAL, high = 0;
        for (const Vector2& p : outline) {
          low = std::min(low, p.norm());
          high = std::max(high, p.norm());
        }
        EXPECT_NEAR(low, pitch - 1.25 * 1.5, 1e-12);
        EXPECT_NEAR(high, pitch + 1.5, 1e-12);
        // The mesh is the outline times its width, minus the bore.
        double twice_area = 0;
        for (std::size_t i = 0; i < outline.size(); ++i) {
          const Vector2 &a = outline[i], &b = outline[(i + 1) % outline.size()];
          twice_area += a.x() * b.y() - a.y() * b.x();
        }
        if (bore == 0) {
          EXPECT_NEAR(volume(mesh) / (4 * twice_area / 2), 1, 1e-12);
        }
        if (teeth <= 20) {
          EXPECT_EQ(self_touching_pairs(mesh), 0u);
        }
        // Each tooth pitch covers the same angle, and the tooth on +x is symmetric.
        EXPECT_EQ(outline.size() % static_cast<std::size_t>(teeth), 0u);
      }
}

TEST(MakeGear, FlanksAreInvolutesOfTheBaseCircleAndTeethAreHalfThePitchWide) {
  // The normal of an involute is tangent to the base circle at every point. Between two neighbors on a dense outline,
  // the normal of the chord is so up to the square of their distance.
  const make::Gear options = {.teeth = 30, .module = 2, .flank_points = 400, .backlash = 0.1};
  const std::vector<Vector2> outline = make::gear_outline(options);
  const double base = 30 * std::cos(pi / 9);
  const std::size_t per_tooth = outline.size() / 30;
  std::size_t tested = 0;
  for (std::size_t i = 0; i + 1 < per_tooth / 2 - 1; ++i) {
    const Vector2 &a = outline[i], &b = outline[i + 1];
    if (a.norm() < base + 0.05) continue;
    const Vector2 chord = (b - a).normalized(), middle = (a + b) / 2;
    EXPECT_NEAR(std::abs(middle.dot(chord)), base, 1e-3);
    ++tested;
  }
  EXPECT_GT(tested, 300u);
  // The width of the tooth on the pitch circle, by interpolation: half the circular pitch minus the backlash.
  for (std::size_t i = 0; i + 1 < per_tooth / 2; ++i) {
    const Vector2 &a = outline[i], &b = outline[i + 1];
    if (a.norm() > 30 || b.norm() <= 30) continue;
    const double t = (30 - a.norm()) / (b.norm() - a.norm());
    const Vector2 p = a + t * (b - a);
    EXPECT_NEAR(2 * 30 * std::atan2(-p.y(), p.x()), pi * 2 / 2 - 0.1 * 2, 1e-5);
  }
}

TEST(MakeGear, PairsInMeshNeverOverlapWhileTheyTurnButDoWhenHalfAModuleCloser) {
  struct Pair {
    int driver, driven;
    double module, pressure_angle;
  };
  for (const Pair& pair : {Pair{20, 20, 1, 20}, Pair{18, 40, 2.5, 20}, Pair{23, 18, 0.1, 20}, Pair{14, 31, 1, 25}}) {
    SCOPED_TRACE(std::to_string(pair.driver) + " and " + std::to_string(pair.driven));
    const auto gear = [&pair](int teeth, double backlash) {
      return make::gear_outline({.teeth = teeth,
                                 .module = pair.module,
                                 .pressure_angle = pair.pressure_angle,
                                 .bore = 0,
                                 .flank_points = 12,
                                 .backlash = backlash});
    };
    const std::vector<Vector2> driver = gear(pair.driver, 0.02), driven = gear(pair.driven, 0.02);
    const double distance = make::meshing_distance(pair.driver, pair.driven, pair.module);
    EXPECT_EQ(distance, (pair.driver + pair.driven) * pair.module / 2);
    const int steps = static_cast<int>(test::cases(12));
    int turned_into_each_other = 0, without_phase = 0;
    for (int i = 0; i < steps; ++i) {
      const double angle = (i + 0.25) / steps * 2 * pi / pair.driver;
      const std::vector<Vector2> first = placed(driver, 0, angle);
      const double meshing = make::meshing_angle(pair.driver, pair.driven, angle);
      EXPECT_FALSE(overlap(first, placed(driven, distance, meshing))) << "at driver angle " << angle;
      EXPECT_TRUE(overlap(first, placed(driven, distance - 0.5 * pair.module, meshing))) << "at " << angle;
      // The play is as small as requested: a rotation by more than the backlash makes them overlap.
      const double play = 0.05 / (pair.driven / 2.0);
      turned_into_each_other += overlap(first, placed(driven, distance, meshing + play)) ? 1 : 0;
      turned_into_each_other += overlap(first, placed(driven, distance, meshing - play)) ? 1 : 0;
      without_phase += overlap(first, placed(driven, distance, meshing + pi / pair.driven)) ? 1 : 0;
    }
    EXPECT_EQ(turned_into_each_other, 2 * steps);
    EXPECT_EQ(without_phase, steps);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Open surfaces and hulls.

TEST(MakeTerrain, IsAHeightFieldWithinItsHeight) {
  const MeshData mesh = make::terrain({.columns = 245, .rows = 200, .size_x = 24, .size_y = 20, .height = 1.5});
  EXPECT_EQ(mesh.triangles.size(), 98'000u);  // as in the landscape of Gottschalk, Lin and Manocha (1996)
  EXPECT_EQ(border_edges(mesh), 2u * (245 + 200));
  double low = 0, high = 0;
  for (const Vector3& v : mesh.vertices) {
    EXPECT_LE(std::abs(v.x()), 12);
    EXPECT_LE(std::abs(v.y()), 10);
    low = std::min(low, v.z());
    high = std::max(high, v.z());
  }
  EXPECT_GE(low, -1.5);
  EXPECT_LE(high, 1.5);
  EXPECT_GT(high - low, 0.5);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle t = triangle_of(mesh, i);
    EXPECT_GT((t.b - t.a).cross(t.c - t.a).z(), 0);
  }
}

TEST(MakeTerrain, DimplesLowerAndSpikesRaiseItOnlyNearTheirCenters) {
  const make::Terrain flat = {.height = 0, .seed = 5};
  make::Terrain dimpled = flat, spiked = flat;
  dimpled.dimples = 6;
  spiked.spikes = 6;
  std::size_t lowered = 0, raised = 0;
  double deepest = 0, highest = 0;
  for (const Vector3& v : make::terrain(dimpled).vertices) {
    EXPECT_LE(v.z(), 0);
    lowered += v.z() < 0 ? 1u : 0u;
    deepest = std::min(deepest, v.z());
  }
  for (const Vector3& v : make::terrain(spiked).vertices) {
    EXPECT_GE(v.z(), 0);
    raised += v.z() > 0 ? 1u : 0u;
    highest = std::max(highest, v.z());
  }
  const double cell = 10.0 / 64 * 10.0 / 64;
  EXPECT_LE(static_cast<double>(lowered), 6 * pi * 0.8 * 0.8 / cell * 1.1);
  EXPECT_LE(static_cast<double>(raised), 6 * pi * 0.5 * 0.5 / cell * 1.1);
  EXPECT_LT(deepest, -0.5 * 0.4);
  EXPECT_GT(highest, 0.5);
}

TEST(MakeTerrain, DimplesAndSpikesAreWhereABruteForceOverAllVerticesPutsThem) {
  // A stamp visits only the cells around it. With cells of very different sizes, none may be missed. The spikes of a
  // coarse and of a fine grid agree at the vertices that the grids have in common.
  const make::Terrain coarse = {.columns = 10, .rows = 35, .size_x = 7, .height = 0, .spikes = 40, .seed = 3};
  make::Terrain fine = coarse;
  fine.columns *= 4;
  fine.rows *= 4;
  const MeshData a = make::terrain(coarse), b = make::terrain(fine);
  for (std::size_t j = 0; j <= 35; ++j)
    for (std::size_t i = 0; i <= 10; ++i) {
      const Vector3 &p = a.vertices[j * 11 + i], &q = b.vertices[4 * j * 41 + 4 * i];
      EXPECT_NEAR((p - q).norm(), 0, 1e-12);
    }
}

TEST(MakeClothSheet, FoldsKeepItsLengthAndDoNotMeet) {
  for (const double angle : {30.0, 90.0, 115.0}) {
    const MeshData mesh = make::cloth_sheet(
        {.columns = 400, .rows = 2, .size_x = 2, .folds = 4, .fold_angle = angle, .wrinkle_height = 0});
    EXPECT_EQ(mesh.triangles.size(), 1600u);
    double along = 0;
    for (std::size_t i = 0; i < 400; ++i)
      along += (mesh.vertices[i + 1] - mesh.vertices[i]).norm();
    EXPECT_NEAR(along, 2, 2e-3);
    EXPECT_LT(mesh.vertices[400].x() - mesh.vertices[0].x(), 1.9);
    EXPECT_NEAR(mesh.vertices[400].z(), mesh.vertices[0].z(), 1e-9);
    EXPECT_EQ(self_touching_pairs(mesh), 0u) << angle;
  }
}

TEST(MakeClothSheet, WrinklesStayWithinTheirHeight) {
  const MeshData mesh = make::cloth_sheet({.columns = 80, .rows = 40, .size_x = 4, .size_y = 2, .wrinkle_height = 0.1});
  EXPECT_EQ(mesh.triangles.size(), 6400u);
  double highest = 0;
  for (const Vector3& v : mesh.vertices)
    highest = std::max(highest, std::abs(v.z()));
  EXPECT_LE(highest, 0.1);
  EXPECT_GT(highest, 0.02);
  EXPECT_EQ(self_touching_pairs(mesh), 0u);
}

TEST(MakeRandomHull, IsConvexWithEveryPointACornerOnTheEllipsoid) {
  for (const int points : {4, 5, 10, 100, 1000}) {
    const MeshData mesh =
        make::random_hull({.points = points, .radius_x = 1, .radius_y = 2, .radius_z = 0.5, .seed = 7});
    EXPECT_EQ(mesh.vertices.size(), static_cast<std::size_t>(points));
    EXPECT_EQ(mesh.triangles.size(), static_cast<std::size_t>(2 * points - 4));
    EXPECT_TRUE(closed(mesh));
    EXPECT_EQ(euler(mesh), 2);
    for (const Vector3& v : mesh.vertices)
      EXPECT_NEAR(v.x() * v.x() + v.y() * v.y() / 4 + v.z() * v.z() * 4, 1, 1e-12);
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      const Triangle t = triangle_of(mesh, i);
      for (const Vector3& v : mesh.vertices)
        EXPECT_LE(orient3d(t.a, t.b, t.c, v), 0);
    }
  }
}

}  // namespace
}  // namespace whisker
