// Repairing meshes: whatever is removed from a closed mesh, the repaired mesh is closed, and the filling of a hole is
// the best of all possible ones.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/editing/repair.hpp>
#include <whisker/error.hpp>
#include <whisker/make/make.hpp>
#include <whisker/mesh.hpp>

#include "editing/fill_hole.hpp"
#include "support/cases.hpp"
#include "support/mesh_cases.hpp"
#include "support/mesh_edits.hpp"

namespace whisker {
namespace {

using test::integer_sheet;
using test::joined;
using test::moved;
using test::Random;
using test::reversed;
using test::scaled;
using test::unshared;

bool same(const MeshData& a, const MeshData& b) {
  return a.vertices == b.vertices && a.triangles == b.triangles;
}

MeshData without(MeshData data, const std::vector<std::size_t>& numbers) {
  std::vector<Index3> kept;
  for (std::size_t i = 0; i < data.triangles.size(); ++i)
    if (std::find(numbers.begin(), numbers.end(), i) == numbers.end()) kept.push_back(data.triangles[i]);
  data.triangles = kept;
  return data;
}

/// Repairs a mesh and checks everything that holds for every repair.
MeshRepair checked(const MeshData& data, const RepairOptions& options = {}) {
  const MeshRepair repair = repair_mesh(data, options);
  const MeshReport& after = repair.after;
  EXPECT_EQ(after.unused_vertices, 0u);
  EXPECT_EQ(after.duplicate_vertices, 0u);
  EXPECT_EQ(after.collapsed_triangles, 0u);
  EXPECT_EQ(after.triangles,
            data.triangles.size() - repair.collapsed_removed - repair.duplicates_removed + repair.triangles_added);
  EXPECT_EQ(after.vertices,
            data.vertices.size() - repair.vertices_merged - repair.vertices_removed + repair.vertices_added);
  EXPECT_EQ(after.boundary_edges, repair.border_edges_left);
  EXPECT_LE(after.nonmanifold_edges, repair.before.nonmanifold_edges);
  EXPECT_NE(after.facing, Facing::inward);
  const MeshRepair again = repair_mesh(repair.mesh, options);
  EXPECT_TRUE(same(again.mesh, repair.mesh)) << "a second repair changes it";
  EXPECT_TRUE(again.done.empty());
  return repair;
}

TEST(Repair, WhatNeedsNothingComesBackAsItWas) {
  for (const test::Model& model : test::small_models()) {
    SCOPED_TRACE(model.name);
    if (inspect_mesh(model.data).duplicate_vertices > 0) continue;  // parts of the chair have common corners
    const MeshRepair repair = checked(model.data, {.max_hole_edges = 0});
    EXPECT_TRUE(same(repair.mesh, model.data));
    EXPECT_TRUE(repair.done.empty());
    EXPECT_EQ(repair.after.closed, model.closed);
  }
}

TEST(Repair, ClosesEveryModelThatLostTrianglesAndFacing) {
  Random random = test::seeded(9001);
  std::size_t holes = 0, turned = 0;
  for (std::size_t i = 0; i < test::cases(300); ++i) {
    const test::Model& model = test::small_models()[random() % test::small_models().size()];
    SCOPED_TRACE(model.name + ", case " + std::to_string(i));
    MeshData data = random() % 2 == 0 ? unshared(model.data) : model.data;
    const std::size_t lost = random() % (data.triangles.size() / 4);
    for (std::size_t k = 0; k < lost; ++k)
      data.triangles.erase(data.triangles.begin() + static_cast<std::ptrdiff_t>(random() % data.triangles.size()));
    for (std::size_t k = random() % 20; k > 0; --k) {
      Index3& t = data.triangles[random() % data.triangles.size()];
      std::swap(t[1], t[2]);
    }
    for (std::size_t k = random() % 20; k > 0; --k) {
      const Index3 t = data.triangles[random() % data.triangles.size()];
      data.triangles.push_back(random() % 2 == 0 ? Index3{t[1], t[2], t[0]} : Index3{t[0], t[0], t[1]});
    }
    data.vertices.emplace_back(9, 9, 9);
    const MeshRepair repair = checked(data);
    EXPECT_TRUE(repair.after.closed);
    EXPECT_EQ(repair.holes_left, 0u);
    EXPECT_TRUE(Mesh(repair.mesh).can_be_solid());
    holes += repair.holes_filled;
    turned += repair.triangles_turned;
  }
  EXPECT_GT(holes, test::cases(300));
  EXPECT_GT(turned, test::cases(300));
}

TEST(Repair, AHoleInAFlatFaceIsFilledFlat) {
  // A box of 12 · 16 triangles. A few around one corner of the grid on its upper face are removed.
  MeshData box = make::box({.subdivisions = 4});
  const double volume = inspect_mesh(box).volume;
  std::vector<std::size_t> on_top;
  for (std::size_t i = 0; i < box.triangles.size(); ++i) {
    const Index3& t = box.triangles[i];
    const bool top = box.vertices[t[0]].z() == 0.5 && box.vertices[t[1]].z() == 0.5 && box.vertices[t[2]].z() == 0.5;
    const auto is_middle = [&](std::uint32_t v) { return box.vertices[v].head<2>().isZero(); };
    if (top && (is_middle(t[0]) || is_middle(t[1]) || is_middle(t[2]))) on_top.push_back(i);
  }
  ASSERT_EQ(on_top.size(), 6u);
  const MeshRepair repair = checked(without(box, on_top));
  EXPECT_EQ(repair.holes_filled, 1u);
  EXPECT_EQ(repair.triangles_added, 4u);
  EXPECT_EQ(repair.vertices_removed, 1u);
  EXPECT_NEAR(repair.after.volume, volume, 1e-15);
  EXPECT_NEAR(repair.after.area, 6, 1e-14);
  EXPECT_EQ(repair.done,
            (std::vector<std::string>{"1 hole filled with 4 triangles", "1 vertex that no triangle uses: removed"}));
}

TEST(Repair, AConcaveOpeningIsFilledWithinItsBorder) {
  // A gear without its upper face: the filling has the face's area only if no two of its triangles overlap.
  const MeshData gear = make::gear({.teeth = 12, .flank_points = 4});
  std::vector<std::size_t> top;
  double area = 0;
  const double height = test::bounds_of(gear).upper.z();
  for (std::size_t i = 0; i < gear.triangles.size(); ++i) {
    const Index3& t = gear.triangles[i];
    const Vector3 a = gear.vertices[t[0]], b = gear.vertices[t[1]], c = gear.vertices[t[2]];
    if (a.z() != height || b.z() != height || c.z() != height) continue;
    top.push_back(i);
    area += (b - a).cross(c - a).norm() / 2;
  }
  const MeshRepair repair = checked(without(gear, top));
  EXPECT_EQ(repair.holes_filled, 1u);
  double filled = 0;
  for (std::size_t i = repair.mesh.triangles.size() - repair.triangles_added; i < repair.mesh.triangles.size(); ++i) {
    const Index3& t = repair.mesh.triangles[i];
    const std::vector<Vector3>& v = repair.mesh.vertices;
    filled += (v[t[1]] - v[t[0]]).cross(v[t[2]] - v[t[0]]).norm() / 2;
  }
  EXPECT_NEAR(filled, area, 1e-12 * area);
  EXPECT_NEAR(repair.after.volume, inspect_mesh(gear).volume, 1e-12 * area);
}

TEST(Repair, LoopsOfThousandsOfCornersAreFilled) {
  // A pipe that is open at both ends, each of which is a convex polygon.
  const MeshData pipe = make::cylinder({.slices = 5000});
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < pipe.triangles.size(); ++i) {
    const Index3& t = pipe.triangles[i];
    if (pipe.vertices[t[0]].z() == pipe.vertices[t[1]].z() && pipe.vertices[t[1]].z() == pipe.vertices[t[2]].z())
      ends.push_back(i);
  }
  ASSERT_EQ(ends.size(), 10'000u);
  MeshData open = pipe;
  std::erase_if(open.triangles, [&](const Index3& t) {
    return pipe.vertices[t[0]].z() == pipe.vertices[t[1]].z() && pipe.vertices[t[1]].z() == pipe.vertices[t[2]].z();
  });
  const MeshRepair repair = checked(open);
  EXPECT_TRUE(repair.after.closed);
  EXPECT_EQ(repair.holes_filled, 2u);
  EXPECT_EQ(repair.triangles_added, 2 * 4998u);
  EXPECT_NEAR(repair.after.volume, inspect_mesh(pipe).volume, 1e-9);

  // A band along a curve that crosses itself as seen from every side, so that its boundaries are not polygons in any
  // projection.
  MeshData band;
  const std::uint32_t steps = 3000;
  for (std::uint32_t i = 0; i < steps; ++i) {
    const double u = 2 * std::numbers::pi * i / steps;
    const Vector3 at(std::sin(2 * u) + 0.3 * std::sin(7 * u), std::sin(3 * u) + 0.2 * std::cos(11 * u),
                     std::cos(5 * u));
    band.vertices.push_back(at);
    band.vertices.emplace_back(at + Vector3(0.01, 0.002, 0.01));
    const std::uint32_t next = (i + 1) % steps;
    band.triangles.push_back({2 * i, 2 * next, 2 * i + 1});
    band.triangles.push_back({2 * next, 2 * next + 1, 2 * i + 1});
  }
  const MeshRepair knot = checked(band);
  EXPECT_TRUE(knot.after.closed);
  EXPECT_EQ(knot.holes_filled, 2u);
}

TEST(Repair, HolesThatTouchAtAVertexAreFilledOneByOne) {
  // Four cells of one face in a row, each with one corner in common with the next.
  MeshData box = make::box({.subdivisions = 6});
  const auto cell = [&](double x, double y) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < box.triangles.size(); ++i) {
      const Index3& t = box.triangles[i];
      const Vector3 middle = (box.vertices[t[0]] + box.vertices[t[1]] + box.vertices[t[2]]) / 3;
      if (middle.z() > 0.49 && std::floor(6 * middle.x()) == x && std::floor(6 * middle.y()) == y) found.push_back(i);
    }
    EXPECT_EQ(found.size(), 2u);
    return found;
  };
  std::vector<std::size_t> lost = cell(0, 0);
  for (const auto& [x, y] : {std::pair(1.0, 1.0), {-1.0, 1.0}, {-2.0, 0.0}})
    for (const std::size_t i : cell(x, y))
      lost.push_back(i);
  const MeshRepair repair = checked(without(box, lost));
  EXPECT_EQ(repair.holes_filled, 4u);
  EXPECT_EQ(repair.triangles_added, 8u);
  EXPECT_NEAR(repair.after.volume, 1, 1e-14);
}

TEST(Repair, WhereEveryJointIsTakenAVertexIsAdded) {
  // An octahedron's four triangles around its upper corner, and tetrahedra on both diagonals of the hole: any two
  // triangles that fill the hole would be the third and fourth at a diagonal.
  MeshData data;
  data.vertices = {{1, 0, 0}, {0, 1, 0},  {-1, 0, 0}, {0, -1, 0}, {0, 0, 1},
                   {0, 0, 5}, {0, 0, -5}, {5, 5, 5},  {5, 5, -5}};
  data.triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  const auto tetrahedron = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    data.triangles.insert(data.triangles.end(), {{a, b, c}, {a, c, d}, {a, d, b}, {b, d, c}});
  };
  tetrahedron(0, 2, 5, 7);
  tetrahedron(1, 3, 6, 8);
  const MeshRepair repair = checked(data);
  EXPECT_TRUE(repair.after.closed);
  EXPECT_EQ(repair.vertices_added, 1u);
  EXPECT_EQ(repair.triangles_added, 4u);
  EXPECT_EQ(repair.done.back().find("1 hole filled with 4 triangles and 1 new vertex"), 0u) << repair.done.back();
}

TEST(Repair, AHoleLongerThanAllowedStaysOpen) {
  const MeshData sheet = integer_sheet(5, 4);
  const MeshRepair repair = checked(sheet, {.max_hole_edges = 17});
  EXPECT_TRUE(same(repair.mesh, sheet));
  EXPECT_EQ(repair.holes_left, 1u);
  EXPECT_EQ(repair.border_edges_left, 18u);
  EXPECT_TRUE(checked(sheet, {.max_hole_edges = 18}).after.closed);
}

TEST(Repair, TheOutermostPartsFaceOutwardAndThoseInsideAsTheyDidRelativeToThem) {
  const MeshData ball = make::icosphere({.subdivisions = 2});
  const MeshData inner = scaled(ball, 0.5), innermost = scaled(ball, 0.2), aside = moved(ball, {5, 0, 0});
  const double volume = inspect_mesh(ball).volume;
  const auto volume_of = [&](const MeshData& data) { return checked(data).after.volume / volume; };
  EXPECT_NEAR(volume_of(reversed(ball)), 1, 1e-12);
  // A cavity with a kernel inside, with the right orientation and inside out.
  const MeshData hollow = joined(joined(ball, reversed(inner)), innermost);
  EXPECT_TRUE(same(checked(hollow).mesh, hollow));
  EXPECT_TRUE(same(checked(reversed(hollow)).mesh, hollow));
  // One of two is inside out: the smaller, the larger, or one with a cavity.
  EXPECT_NEAR(volume_of(joined(ball, reversed(moved(inner, {3, 0, 0})))), 1.125, 1e-12);
  EXPECT_NEAR(volume_of(joined(reversed(ball), moved(inner, {3, 0, 0}))), 1.125, 1e-12);
  const MeshData both = joined(reversed(hollow), scaled(aside, 2));
  const MeshRepair repair = checked(both);
  EXPECT_TRUE(same(repair.mesh, joined(hollow, scaled(aside, 2))));
  EXPECT_EQ(repair.triangles_turned, 3 * ball.triangles.size());
  // Two parts with the same orientation, one inside the other, keep the same orientation.
  EXPECT_NEAR(volume_of(reversed(joined(ball, inner))), 1.125, 1e-12);
}

TEST(Repair, TwinsAndWallsAndSheets) {
  const MeshData box = make::box({.subdivisions = 2});
  // Everything twice, with the same or with the opposite orientation: one of each stays.
  const MeshRepair twice = checked(joined(box, box));
  EXPECT_TRUE(same(twice.mesh, box));
  EXPECT_EQ(twice.duplicates_removed, box.triangles.size());
  const MeshRepair both_ways = checked(joined(box, reversed(box)));
  EXPECT_TRUE(both_ways.after.closed);
  EXPECT_EQ(both_ways.after.triangles, box.triangles.size());
  // One face a second time with the opposite orientation: one of them stays.
  MeshData doubled = box;
  const Index3 t = doubled.triangles[3];
  doubled.triangles.push_back({t[0], t[2], t[1]});
  EXPECT_TRUE(same(checked(doubled).mesh, box));
  // Two boxes with a common face become one: the wall between them is removed, including the middle vertex of each
  // face.
  const MeshRepair two = checked(joined(box, moved(box, {1, 0, 0})));
  EXPECT_TRUE(two.after.closed);
  EXPECT_EQ(two.duplicates_removed, 16u);
  EXPECT_NEAR(two.after.volume, 2, 1e-14);
  // A fin of two triangles back to back is removed.
  MeshData fin = box;
  fin.vertices.emplace_back(3, 3, 3);
  const auto tip = static_cast<std::uint32_t>(fin.vertices.size() - 1);
  fin.triangles.push_back({t[0], t[1], tip});
  fin.triangles.push_back({t[1], t[0], tip});
  EXPECT_TRUE(same(checked(fin).mesh, box));
  // A single triangle becomes a closed sheet.
  MeshData single;
  single.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  single.triangles = {{0, 1, 2}};
  const MeshRepair sheet = checked(single);
  EXPECT_TRUE(sheet.after.closed);
  EXPECT_EQ(sheet.mesh.triangles, (std::vector<Index3>{{0, 1, 2}, {2, 1, 0}}));
}

TEST(Repair, WhatCannotBeMendedIsTold) {
  // Three sheets at one edge.
  MeshData three;
  three.vertices = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {-1, -1, 0}};
  three.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}};
  const MeshRepair odd = checked(three);
  EXPECT_FALSE(odd.after.closed);
  EXPECT_EQ(odd.after.nonmanifold_edges, 1u);
  EXPECT_FALSE(odd.after.findings.empty());
  // A Möbius strip has one side and one boundary.
  MeshData moebius;
  const std::uint32_t n = 12;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double u = 2 * std::numbers::pi * i / n;
    const Vector3 out(std::cos(u), std::sin(u), 0), up = std::cos(u / 2) * out + std::sin(u / 2) * Vector3::UnitZ();
    moebius.vertices.emplace_back(out + 0.3 * up);
    moebius.vertices.emplace_back(out - 0.3 * up);
    const std::uint32_t a = 2 * i, b = 2 * i + 1, c = i + 1 < n ? a + 2 : 1, d = i + 1 < n ? b + 2 : 0;
    moebius.triangles.push_back({a, c, b});
    moebius.triangles.push_back({c, d, b});
  }
  const MeshRepair strip = checked(moebius);
  EXPECT_GT(strip.after.inconsistent_edges, 0u);
  EXPECT_FALSE(strip.after.closed);
}

TEST(Repair, NothingMayBeLeft) {
  MeshData collapsed;
  collapsed.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 0, -0.0}};
  collapsed.triangles = {{0, 1, 2}, {1, 1, 1}};
  const MeshRepair repair = checked(collapsed);
  EXPECT_TRUE(repair.mesh.triangles.empty());
  EXPECT_TRUE(repair.mesh.vertices.empty());
  EXPECT_EQ(repair.collapsed_removed, 2u);
  EXPECT_TRUE(checked({}).mesh.triangles.empty());
}

TEST(Repair, SizesFromTheSmallestDoublesToTheLargest) {
  MeshData open = without(make::icosphere({.subdivisions = 1}), {3, 4, 20, 50});
  for (const double size : {1e-320, 1e-300, 1e-200, 1e-100, 1e100, 1e200, 1e300}) {
    SCOPED_TRACE(size);
    MeshData data = scaled(open, size);
    if (size > 1e-310) {
      EXPECT_TRUE(checked(data).after.closed);
    }
    data = scaled(reversed(open), size);
    EXPECT_EQ(checked(data).after.boundary_edges, 0u);
  }
}

TEST(Repair, BadInputIsAnError) {
  MeshData data = make::box();
  data.triangles[2][1] = 99;
  EXPECT_THROW(repair_mesh(data), Error);
  data = make::box();
  data.vertices[1].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(repair_mesh(data), Error);
}

TEST(Repair, SoupsOfAnyKindAreSurvived) {
  // Few vertices and many triangles: edges with many triangles, duplicates, one-sided surfaces.
  Random random = test::seeded(9002);
  std::size_t closed = 0;
  for (std::size_t i = 0; i < test::cases(2000); ++i) {
    SCOPED_TRACE(i);
    MeshData data;
    const std::uint32_t count = 3 + static_cast<std::uint32_t>(random() % 8);
    for (std::uint32_t k = 0; k < count; ++k)
      data.vertices.emplace_back(static_cast<double>(random() % 3), static_cast<double>(random() % 3),
                                 static_cast<double>(random() % 3));
    for (std::size_t k = random() % 12; k > 0; --k) {
      const auto corner = [&] { return static_cast<std::uint32_t>(random() % count); };
      data.triangles.push_back({corner(), corner(), corner()});
    }
    const MeshRepair repair = repair_mesh(data);
    closed += repair.after.closed ? 1u : 0u;
    EXPECT_EQ(repair.after.boundary_edges, repair.border_edges_left);
    EXPECT_LE(repair.after.nonmanifold_edges, repair.before.nonmanifold_edges);
    EXPECT_NE(repair.after.facing, Facing::inward);
    if (repair.after.closed) {
      EXPECT_TRUE(same(repair_mesh(repair.mesh).mesh, repair.mesh));
    }
  }
  EXPECT_GT(closed, test::cases(2000) / 20);
}

// --- filling one hole ----------------------------------------------------------------------------------------------

double twice_area(const std::vector<Vector3>& corners, const Index3& t) {
  return (corners[t[1]] - corners[t[0]]).cross(corners[t[2]] - corners[t[0]]).norm();
}

/// The price that a filling minimizes: the area plus a thousandth of the squared side lengths.
double price(const std::vector<Vector3>& corners, const Index3& t) {
  double squares = 0;
  for (std::size_t k = 0; k < 3; ++k)
    squares += (corners[t[k]] - corners[t[(k + 1) % 3]]).squaredNorm();
  return twice_area(corners, t) + 1e-3 * squares;
}

/// The smallest price of all triangulations of corners i to j, tried one by one.
double smallest_price(const std::vector<Vector3>& corners, std::uint32_t i, std::uint32_t j) {
  if (j - i < 2) return 0;
  double best = std::numeric_limits<double>::max();
  for (std::uint32_t k = i + 1; k < j; ++k)
    best = std::min(best, smallest_price(corners, i, k) + smallest_price(corners, k, j) + price(corners, {i, k, j}));
  return best;
}

TEST(FillHole, HasTheSmallestAreaOfAllCuts) {
  Random random = test::seeded(9003);
  for (std::size_t i = 0; i < test::cases(500); ++i) {
    std::vector<Vector3> corners;
    for (std::size_t n = 3 + random() % 7; n > 0; --n)
      corners.push_back(test::random_vector(random, 1));
    const std::vector<Index3> fill = editing::fill_hole(corners, [](auto, auto) { return false; });
    ASSERT_EQ(fill.size(), corners.size() - 2);
    double sum = 0;
    for (const Index3& t : fill)
      sum += price(corners, t);
    const double best = smallest_price(corners, 0, static_cast<std::uint32_t>(corners.size()) - 1);
    EXPECT_NEAR(sum, best, 1e-12 * best);
  }
}

TEST(FillHole, JoinsNoCornersThatMustNotBeJoined) {
  Random random = test::seeded(9004);
  std::size_t none = 0;
  for (std::size_t i = 0; i < test::cases(500); ++i) {
    const auto n = static_cast<std::uint32_t>(4 + random() % 5);
    std::vector<Vector3> corners;
    for (std::uint32_t k = 0; k < n; ++k)
      corners.push_back(test::random_vector(random, 1));
    std::vector<std::vector<bool>> taken(n, std::vector<bool>(n, false));
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = 0; b < a; ++b)
        taken[a][b] = taken[b][a] = random() % 3 == 0;
    // Whether there is any triangulation at all, tried one by one.
    const std::function<bool(std::uint32_t, std::uint32_t)> possible = [&](std::uint32_t a, std::uint32_t b) {
      if (b - a < 2) return true;
      if (b - a < n - 1 && taken[a][b]) return false;
      for (std::uint32_t k = a + 1; k < b; ++k)
        if (possible(a, k) && possible(k, b)) return true;
      return false;
    };
    const std::vector<Index3> fill = editing::fill_hole(corners, [&](auto a, auto b) -> bool { return taken[a][b]; });
    EXPECT_EQ(!fill.empty(), possible(0, n - 1));
    none += fill.empty() ? 1u : 0u;
    for (const Index3& t : fill) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax(t[k], t[(k + 1) % 3]);
        const bool follow = high - low == 1 || high - low == n - 1;
        EXPECT_TRUE(follow || !taken[low][high]);
      }
    }
  }
  EXPECT_GT(none, test::cases(500) / 50);
}

TEST(FillHole, LongLoopsToo) {
  // A flat star, filled as a polygon. Then the edges of one of its triangles are marked as taken, so that another
  // filling is needed.
  std::vector<Vector3> star;
  const std::uint32_t n = 1000;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double u = 2 * std::numbers::pi * i / n, r = i % 2 == 0 ? 1 : 0.9;
    star.emplace_back(r * std::cos(u), r * std::sin(u), 0);
  }
  double area = 0;
  for (std::uint32_t i = 0; i < n; ++i)
    area += star[i].cross(star[(i + 1) % n]).z();
  const auto check = [&](const std::vector<Index3>& fill) {
    ASSERT_EQ(fill.size(), n - 2);
    std::vector<std::vector<std::uint32_t>> next(n);
    for (const Index3& t : fill)
      for (std::size_t k = 0; k < 3; ++k)
        next[t[k]].push_back(t[(k + 1) % 3]);
    for (std::uint32_t a = 0; a < n; ++a) {
      for (const std::uint32_t b : next[a]) {  // a side of the loop, or an inner edge used from both sides
        const bool is_side = b == (a + 1) % n;
        EXPECT_EQ(std::count(next[b].begin(), next[b].end(), a), is_side ? 0 : 1);
        EXPECT_EQ(std::count(next[a].begin(), next[a].end(), b), 1);
      }
    }
  };
  const std::vector<Index3> fill = editing::fill_hole(star, [](auto, auto) { return false; });
  check(fill);
  double sum = 0;
  for (const Index3& t : fill)
    sum += twice_area(star, t);
  EXPECT_NEAR(sum, area, 1e-12);
  const Index3 first = fill[n / 2];
  const auto taken = [&](std::uint32_t a, std::uint32_t b) {
    return std::count(first.begin(), first.end(), a) == 1 && std::count(first.begin(), first.end(), b) == 1;
  };
  const std::vector<Index3> other = editing::fill_hole(star, taken);
  check(other);
  EXPECT_EQ(std::count(other.begin(), other.end(), first), 0);
  EXPECT_TRUE(editing::fill_hole(star, [](auto, auto) { return true; }).empty());
}

}  // namespace
}  // namespace whisker
