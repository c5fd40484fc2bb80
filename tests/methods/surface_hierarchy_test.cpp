// Contacts of deforming surfaces found with their regions: they equal those of all pairs, whatever the volumes and
// whatever is known about the normals; and regions that are skipped really do not touch themselves.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/geometry/closest_points.hpp>
#include <whisker/methods/surface_hierarchy.hpp>

#include "deform/surface_cases.hpp"

namespace whisker {
namespace {

using namespace methods;
using namespace test;

constexpr SurfaceVolume volumes[] = {SurfaceVolume::aabb, SurfaceVolume::kdop14, SurfaceVolume::kdop18,
                                     SurfaceVolume::kdop26, SurfaceVolume::kdop62};
constexpr SurfaceCurvature curvatures[] = {SurfaceCurvature::none, SurfaceCurvature::volume_directions,
                                           SurfaceCurvature::sixty_four, SurfaceCurvature::cone};

std::string name_of(const SurfaceHierarchyOptions& options) {
  return "volume " + std::to_string(static_cast<int>(options.volume)) + ", curvature " +
         std::to_string(static_cast<int>(options.curvature)) + ", contour " +
         std::to_string(static_cast<int>(options.contour));
}

std::vector<std::uint32_t> triangles_in(const SurfaceHierarchy& mesh, std::uint32_t region) {
  std::vector<std::uint32_t> parts = {region}, triangles;
  while (!parts.empty()) {
    const std::uint32_t n = parts.back();
    parts.pop_back();
    const SurfaceRegion r = mesh.region(n);
    if (r.size == 0) triangles.push_back(n);
    parts.insert(parts.end(), r.children.begin(), r.children.begin() + r.size);
  }
  return triangles;
}

/// Expects that the triangles of a skipped region share nothing but their common vertices and edges.
void expect_meets_nowhere(const SurfaceHierarchy& mesh, std::uint32_t region) {
  const Vertices vertices(mesh.vertices().begin(), mesh.vertices().end());
  const std::vector<std::uint32_t> inside = triangles_in(mesh, region);
  using Kind = TriangleIntersection::Kind;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Index3 p = mesh.triangles()[inside[i]], q = mesh.triangles()[inside[j]];
      const auto common = std::count_if(p.begin(), p.end(),
                                        [&](std::uint32_t v) { return std::find(q.begin(), q.end(), v) != q.end(); });
      const Kind kind = intersect_triangle_triangle(triangle_at(vertices, p), triangle_at(vertices, q)).kind;
      EXPECT_EQ(kind, common == 0   ? Kind::none
                      : common == 1 ? Kind::point
                                    : Kind::segment)
          << "triangles " << inside[i] << " and " << inside[j] << " of region " << region;
    }
  }
}

TEST(SurfaceHierarchy, SelfContactsAreThoseOfAllPairs) {
  auto random = seeded(901);
  std::size_t found = 0, left_out = 0;
  for (const SurfaceCase& one : surface_cases(random)) {
    const Pairs wanted = brute_self(one.data.vertices, one.data.triangles);
    for (const SurfaceVolume volume : volumes) {
      for (const SurfaceCurvature curvature : curvatures) {
        const SurfaceHierarchyOptions options{.volume = volume, .curvature = curvature};
        SurfaceHierarchy mesh(one.data, options);
        const SurfaceContacts contacts = mesh.self_contacts();
        EXPECT_EQ(contacts.pairs, wanted) << one.name << ", " << name_of(options);
        EXPECT_FALSE(contacts.may_miss);
        found += contacts.pairs.size();
        left_out += contacts.counts.left_out;
        if (curvature == SurfaceCurvature::none) {
          EXPECT_EQ(contacts.counts.nearly_flat, 0u);
        }
      }
    }
  }
  EXPECT_GT(found, 1000u);
  EXPECT_GT(left_out, 1000u);
}

TEST(SurfaceHierarchy, SelfContactsOfCrumpledSurfacesAreThoseOfAllPairs) {
  auto random = seeded(902);
  std::size_t found = 0, left_out = 0;
  for (std::size_t i = 0; i < cases(3); ++i) {
    for (const SurfaceCase& one : surface_cases(random)) {
      std::vector<SurfaceHierarchy> meshes;
      for (int k = 0; k < 3; ++k) {
        const auto volume = volumes[static_cast<std::size_t>(whole(random, 0, 4))];
        meshes.emplace_back(one.data, SurfaceHierarchyOptions{.volume = volume, .curvature = curvatures[k + 1]});
      }
      Vertices vertices = one.data.vertices;
      for (int frame = 0; frame < 3; ++frame) {
        vertices = deformed(frame % 2 == 0 ? one.data.vertices : vertices, random);
        const Pairs wanted = brute_self(vertices, one.data.triangles);
        found += wanted.size();
        for (SurfaceHierarchy& mesh : meshes) {
          mesh.set_vertices(vertices);
          const SurfaceContacts contacts = mesh.self_contacts({.records_visits = true});
          EXPECT_EQ(contacts.pairs, wanted)
              << one.name << ", case " << i << ", frame " << frame << ", " << name_of(mesh.options());
          left_out += contacts.counts.left_out;
          for (const SurfaceVisit& visit : contacts.visits)
            if (visit.left_out) expect_meets_nowhere(mesh, visit.region);
        }
      }
    }
  }
  EXPECT_GT(found, 300 * cases(3));
  EXPECT_GT(left_out, 300 * cases(3));
}

TEST(SurfaceHierarchy, AnswersDoNotDependOnTheScaleOrThePlace) {
  auto random = seeded(903);
  for (const SurfaceCase& one : surface_cases(random)) {
    for (const double scale : {1e-170, 1e-20, 1e12, 1e85}) {
      MeshData data = one.data;
      const Vertices bent = deformed(data.vertices, random);
      for (std::size_t i = 0; i < bent.size(); ++i)
        data.vertices[i] = scale * bent[i] + Vector3::Constant(scale * (scale < 1 ? 1000 : 0));
      const SurfaceHierarchy mesh(data);
      EXPECT_EQ(mesh.self_contacts().pairs, brute_self(data.vertices, data.triangles)) << one.name << ", " << scale;
    }
  }
}

TEST(SurfaceHierarchy, ARibbonOnAConeIsMissedWithoutTheContour) {
  const MeshData data = cone_ribbon(80, 4, 1.4);
  const Pairs wanted = brute_self(data.vertices, data.triangles);
  ASSERT_GT(wanted.size(), 10u);
  for (const SurfaceCurvature curvature : {SurfaceCurvature::volume_directions, SurfaceCurvature::sixty_four}) {
    const SurfaceContacts off =
        SurfaceHierarchy(data, {.curvature = curvature, .contour = ContourTest::off}).self_contacts();
    EXPECT_TRUE(off.pairs.empty());
    EXPECT_TRUE(off.may_miss);
    EXPECT_EQ(off.counts.regions, 1u);
    const SurfaceContacts exact = SurfaceHierarchy(data, {.curvature = curvature}).self_contacts();
    EXPECT_EQ(exact.pairs, wanted);
    EXPECT_FALSE(exact.may_miss);
    EXPECT_GT(exact.counts.left_out, 0u);
  }
  // A ribbon that ends before it touches itself is skipped at once.
  const SurfaceContacts open = SurfaceHierarchy(cone_ribbon(80, 4, 0.97)).self_contacts();
  EXPECT_EQ(open.counts.regions, 1u);
  EXPECT_EQ(open.counts.left_out, 1u);
}

TEST(SurfaceHierarchy, WithoutTheExactContourSomeMayBeMissedButNoneInvented) {
  auto random = seeded(904);
  std::size_t missed = 0;
  for (std::size_t i = 0; i < cases(4); ++i) {
    for (const SurfaceCase& one : surface_cases(random)) {
      const Vertices vertices = i == 0 ? one.data.vertices : deformed(one.data.vertices, random);
      const Pairs wanted = brute_self(vertices, one.data.triangles);
      for (const ContourTest contour : {ContourTest::off, ContourTest::approximate}) {
        SurfaceHierarchy mesh(one.data, {.curvature = curvatures[1 + i % 3], .contour = contour});
        mesh.set_vertices(vertices);
        const SurfaceContacts contacts = mesh.self_contacts();
        EXPECT_TRUE(std::includes(wanted.begin(), wanted.end(), contacts.pairs.begin(), contacts.pairs.end()));
        EXPECT_EQ(contacts.may_miss, contacts.counts.left_out > 0);
        EXPECT_TRUE(contacts.may_miss || contacts.pairs == wanted) << one.name;
        missed += wanted.size() - contacts.pairs.size();
      }
    }
  }
  EXPECT_GT(missed, 0u);
}

TEST(SurfaceHierarchy, AMarginAtTheBorderFindsMore) {
  // A steep ribbon, so that a margin of a few degrees makes the difference.
  const auto ribbon = [](double steep) {
    return grid(80, 4, [steep](double s, double t) {
      const double angle = -2 * std::numbers::pi * 1.4 * s, radius = 1 + 0.1 * t;
      return Vector3(radius * std::cos(angle), radius * std::sin(angle),
                     -steep * radius + 0.05 * s * steep * (t - 0.5));
    });
  };
  const MeshData data = ribbon(4);
  const Pairs wanted = brute_self(data.vertices, data.triangles);
  ASSERT_FALSE(wanted.empty());
  const auto found = [&](double angle) {
    return SurfaceHierarchy(data, {.contour = ContourTest::approximate, .contour_angle = angle}).self_contacts();
  };
  EXPECT_TRUE(found(0).pairs.empty());
  EXPECT_EQ(found(30).pairs, wanted);
  EXPECT_TRUE(found(30).may_miss);
}

TEST(SurfaceHierarchy, RefiningASurfaceLeavesTheNumberOfRegionsLookedAt) {
  // A flat sheet, a sheet that is bent by more than 180 degrees and does not touch itself, and a ball.
  const auto bent = [](double s, double t) {
    const double a = 4 * s;
    return Vector3(std::cos(a), std::sin(a), t);
  };
  const auto looked_at = [](const MeshData& data) {
    const SurfaceContacts contacts = SurfaceHierarchy(data).self_contacts();
    EXPECT_TRUE(contacts.pairs.empty());
    EXPECT_EQ(contacts.cost.primitive_tests, 0u);
    return contacts.counts.regions + contacts.cost.volume_tests;
  };
  for (const std::uint32_t n : {8u, 16u, 32u, 64u, 128u}) {
    EXPECT_EQ(looked_at(flat_sheet(n, n)), 1u);
    EXPECT_LE(looked_at(grid(n, n, bent)), 12u) << n;
  }
  for (int n = 1; n <= 5; ++n)
    EXPECT_LE(looked_at(make::icosphere({.subdivisions = n})), 150u) << n;
  // Without the normals, the cost grows with the number of triangles.
  const SurfaceHierarchy plain(flat_sheet(64, 64), {.curvature = SurfaceCurvature::none});
  EXPECT_GT(plain.self_contacts().cost.volume_tests, 50'000u);
}

TEST(SurfaceHierarchy, ManyPartsCostNoMoreEachThanFew) {
  auto random = seeded(909);
  for (const std::size_t parts : {100u, 3000u}) {
    // The same density in both.
    MeshData data = many_parts(random, parts);
    const double wider = std::cbrt(static_cast<double>(parts)) / 5;
    for (std::size_t i = 0; i < data.vertices.size(); i += 12) {
      Vector3 middle = Vector3::Zero();
      for (std::size_t k = 0; k < 12; ++k)
        middle += data.vertices[i + k] / 12;
      for (std::size_t k = 0; k < 12; ++k)
        data.vertices[i + k] += (wider - 1) * middle;
    }
    const SurfaceHierarchy mesh(data);
    EXPECT_EQ(mesh.report().components, parts);
    EXPECT_LT(mesh.self_contacts().cost.volume_tests, 30 * data.triangles.size()) << parts;
  }
}

TEST(SurfaceHierarchy, ManyThreadsMayAsk) {
  const MeshData data = cone_ribbon(60, 6, 1.4);
  const SurfaceHierarchy mesh(data), cones(data, {.curvature = SurfaceCurvature::cone});
  const Pairs wanted = brute_self(data.vertices, data.triangles);
  std::vector<std::thread> threads;
  std::array<bool, 4> is_right = {};
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      is_right[i] = true;
      for (int k = 0; k < 20; ++k)
        is_right[i] = is_right[i] && (i % 2 == 0 ? mesh : cones).self_contacts().pairs == wanted;
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const bool is : is_right)
    EXPECT_TRUE(is);
}

TEST(SurfaceHierarchy, ContactsOfTwoAreThoseOfAllPairs) {
  auto random = seeded(905);
  std::size_t found = 0;
  for (std::size_t i = 0; i < cases(5); ++i) {
    const std::vector<SurfaceCase> all = surface_cases(random);
    // The last two are too small to touch anything, and all are at about the same place.
    const auto any = [&] {
      const MeshData& data = all[static_cast<std::size_t>(whole(random, 0, 18))].data;
      const Vector3 middle = data.vertices[data.vertices.size() / 2];
      return moved(data, 0.1 * scenes::unit_vector(random) - middle);
    };
    const MeshData a = any(), b = any();
    for (const SurfaceVolume volume : volumes) {
      SurfaceHierarchy first(a, {.volume = volume}), second(b, {.volume = volume});
      const Vertices p = deformed(a.vertices, random), q = deformed(b.vertices, random);
      first.set_vertices(p);
      second.set_vertices(q);
      Pairs wanted;
      for (std::uint32_t s = 0; s < a.triangles.size(); ++s)
        for (std::uint32_t t = 0; t < b.triangles.size(); ++t)
          if (touches_triangle_triangle(triangle_at(p, a.triangles[s]), triangle_at(q, b.triangles[t])))
            wanted.push_back({s, t});
      EXPECT_EQ(triangle_contacts(first, second).pairs, wanted);
      found += wanted.size();
      // One run for all, with one of them twice.
      const SurfaceHierarchy* const meshes[] = {&second, &first, &second};
      const SurfaceSceneContacts scene = triangle_contacts(meshes);
      std::vector<MeshTrianglePair> every;
      for (const std::uint32_t m : {0u, 2u})
        for (const TrianglePair& pair : brute_self(q, b.triangles))
          every.push_back({m, pair.a, m, pair.b});
      for (const TrianglePair& pair : brute_self(p, a.triangles))
        every.push_back({1, pair.a, 1, pair.b});
      for (const TrianglePair& pair : wanted) {
        every.push_back({0, pair.b, 1, pair.a});
        every.push_back({1, pair.a, 2, pair.b});
      }
      for (const TrianglePair& pair : triangle_contacts(second, second).pairs)
        every.push_back({0, pair.a, 2, pair.b});
      std::sort(every.begin(), every.end());
      EXPECT_EQ(scene.pairs, every);
    }
  }
  EXPECT_GT(found, 10 * cases(5));
}

TEST(SurfaceHierarchy, AMeshAgainstItsOwnPlaceMeetsEveryTriangleOfItself) {
  const SurfaceHierarchy mesh(make::icosphere({.subdivisions = 1}));
  const SurfaceContacts contacts = triangle_contacts(mesh, mesh);
  std::size_t same = 0;
  for (const TrianglePair& pair : contacts.pairs)
    same += pair.a == pair.b ? 1 : 0;
  EXPECT_EQ(same, mesh.triangles().size());
  for (const TrianglePair& pair : contacts.pairs)
    EXPECT_TRUE(std::binary_search(contacts.pairs.begin(), contacts.pairs.end(), TrianglePair{pair.b, pair.a}));
}

TEST(SurfaceHierarchy, PairsWithinADistance) {
  auto random = seeded(906);
  std::size_t touching = 0, found = 0;
  for (std::size_t i = 0; i < cases(2); ++i) {
    for (const SurfaceCase& one : surface_cases(random)) {
      const Vertices vertices = deformed(one.data.vertices, random);
      SurfaceHierarchy mesh(one.data, {.volume = volumes[(i + one.name.size()) % 5]});
      mesh.set_vertices(vertices);
      const double distance = 0.03;
      const SurfaceContacts near = mesh.self_contacts({.distance = distance});
      EXPECT_EQ(near.counts.left_out, 0u);
      EXPECT_FALSE(near.may_miss);
      Pairs must, may;
      for (std::uint32_t s = 0; s < one.data.triangles.size(); ++s) {
        for (std::uint32_t t = s + 1; t < one.data.triangles.size(); ++t) {
          const Index3 &p = one.data.triangles[s], &q = one.data.triangles[t];
          if (share_vertex(p, q)) continue;
          const double d = closest_points(triangle_at(vertices, p), triangle_at(vertices, q)).distance;
          if (d <= distance * (1 - 1e-10)) must.push_back({s, t});
          if (d <= distance * (1 + 1e-10)) may.push_back({s, t});
        }
      }
      EXPECT_TRUE(std::includes(near.pairs.begin(), near.pairs.end(), must.begin(), must.end())) << one.name;
      EXPECT_TRUE(std::includes(may.begin(), may.end(), near.pairs.begin(), near.pairs.end())) << one.name;
      touching += mesh.self_contacts().pairs.size();
      found += near.pairs.size();
    }
  }
  EXPECT_GT(found, touching + 500 * cases(2));
}

TEST(SurfaceHierarchy, FacesAreRegions) {
  MeshData data = flat_sheet(10, 7);
  auto random = seeded(907);
  std::vector<std::uint32_t> faces(data.triangles.size());
  for (std::size_t t = 0; t < faces.size(); ++t)
    faces[t] = static_cast<std::uint32_t>(1000 - t / 2);
  SurfaceHierarchy mesh(data, {.faces = faces});
  const std::vector<std::uint32_t> regions = mesh.regions_at(1);
  for (std::size_t t = 0; t < faces.size(); t += 2) {
    EXPECT_EQ(regions[t], regions[t + 1]);
    EXPECT_EQ(mesh.region(regions[t]).triangles, 2u);
  }
  // Faces of many triangles, connected or not.
  for (std::size_t t = 0; t < faces.size(); ++t)
    faces[t] = t < 50 ? 0 : t % 7 == 0 ? 1 : static_cast<std::uint32_t>(t);
  SurfaceHierarchy other(data, {.faces = faces});
  for (std::size_t i = 0; i < cases(5); ++i) {
    const Vertices vertices = deformed(data.vertices, random);
    const Pairs wanted = brute_self(vertices, data.triangles);
    mesh.set_vertices(vertices);
    other.set_vertices(vertices);
    EXPECT_EQ(mesh.self_contacts().pairs, wanted);
    EXPECT_EQ(other.self_contacts().pairs, wanted);
  }
  const std::uint32_t root = static_cast<std::uint32_t>(other.region_count() - 1);
  bool has_face = false;
  for (std::uint32_t n = 0; n <= root && !has_face; ++n) {
    if (other.region(n).triangles != 50) continue;
    const std::vector<std::uint32_t> inside = triangles_in(other, n);
    has_face = std::all_of(inside.begin(), inside.end(), [](std::uint32_t t) { return t < 50; });
  }
  EXPECT_TRUE(has_face);
}

TEST(SurfaceHierarchy, LevelsAreThePartsThatTheRegionsMake) {
  auto random = seeded(908);
  for (const SurfaceCase& one : surface_cases(random)) {
    const SurfaceHierarchy mesh(one.data);
    const SurfaceReport report = mesh.report();
    const auto root = static_cast<std::uint32_t>(mesh.region_count() - 1);
    EXPECT_EQ(report.regions, mesh.region_count());
    ASSERT_EQ(report.levels.size(), mesh.region(root).level + 1) << one.name;
    for (std::uint32_t level = 0; level < report.levels.size(); ++level) {
      std::vector<std::uint32_t> regions = mesh.regions_at(level);
      ASSERT_EQ(regions.size(), one.data.triangles.size());
      for (std::uint32_t t = 0; t < regions.size(); ++t) {
        const std::vector<std::uint32_t> inside = triangles_in(mesh, regions[t]);
        EXPECT_TRUE(std::find(inside.begin(), inside.end(), t) != inside.end());
        EXPECT_LE(mesh.region(regions[t]).level, level);
      }
      std::sort(regions.begin(), regions.end());
      regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
      EXPECT_EQ(report.levels[level].regions, regions.size()) << one.name << ", level " << level;
      EXPECT_LE(report.levels[level].overlapping_apart, report.levels[level].overlapping);
      if (one.name == "flat") {
        EXPECT_LE(report.levels[level].shape_factor, 0.2821);
      }
    }
    EXPECT_EQ(report.levels.back().regions, 1u);
    EXPECT_EQ(mesh.regions_at(1000), std::vector<std::uint32_t>(one.data.triangles.size(), root));
  }
}

TEST(SurfaceHierarchy, ReportsCountTheVolumesThatOverlap) {
  auto random = seeded(910);
  std::size_t apart = 0;
  for (const SurfaceCase& one : surface_cases(random)) {
    SurfaceHierarchy mesh(one.data, {.volume = SurfaceVolume::aabb});
    const Vertices vertices = deformed(one.data.vertices, random);
    mesh.set_vertices(vertices);
    const SurfaceReport report = mesh.report();
    for (std::uint32_t level = 1; level < report.levels.size(); ++level) {
      std::map<std::uint32_t, Aabb> boxes;
      std::map<std::uint32_t, std::set<std::uint32_t>> corners;
      const std::vector<std::uint32_t> regions = mesh.regions_at(level);
      for (std::size_t t = 0; t < regions.size(); ++t) {
        for (const std::uint32_t v : one.data.triangles[t]) {
          boxes[regions[t]].include(vertices[v]);
          corners[regions[t]].insert(v);
        }
      }
      std::size_t overlapping = 0, overlapping_apart = 0;
      for (const auto& [a, box] : boxes) {
        for (const auto& [b, other] : boxes) {
          if (b >= a || !box.overlaps(other)) continue;
          ++overlapping;
          const auto &of_a = corners[a], &of_b = corners[b];
          if (std::none_of(of_a.begin(), of_a.end(), [&](auto v) { return of_b.contains(v); })) ++overlapping_apart;
        }
      }
      EXPECT_EQ(report.levels[level].overlapping, overlapping) << one.name << ", level " << level;
      EXPECT_EQ(report.levels[level].overlapping_apart, overlapping_apart) << one.name << ", level " << level;
      apart += overlapping_apart;
    }
  }
  EXPECT_GT(apart, 0u);
}

TEST(SurfaceHierarchy, ReportsOfASheetSayThatItIsGood) {
  const SurfaceReport report = SurfaceHierarchy(flat_sheet(64, 64)).report();
  EXPECT_EQ(report.triangles, 8192u);
  EXPECT_EQ(report.components, 1u);
  EXPECT_LE(report.depth, 20u);
  EXPECT_GE(report.mean_children, 2);
  EXPECT_LE(report.mean_children, 3);
  EXPECT_LT(report.mean_stored_vertices, 6);
  // Regions are about as round as squares.
  for (std::size_t level = 4; level + 1 < report.levels.size(); ++level)
    EXPECT_GT(report.levels[level].shape_factor, 0.15) << level;
}

TEST(SurfaceHierarchy, CopiesAreOfTheirOwn) {
  const MeshData data = flat_sheet(6, 6);
  SurfaceHierarchy mesh(data);
  const SurfaceHierarchy copy = mesh;
  Vertices vertices = data.vertices;
  for (Vector3& v : vertices)
    v.x() = std::abs(v.x() - 0.5);
  mesh.set_vertices(vertices);
  EXPECT_FALSE(mesh.self_contacts().pairs.empty());
  EXPECT_TRUE(copy.self_contacts().pairs.empty());
  mesh.set_vertices(mesh.vertices());
  EXPECT_FALSE(mesh.self_contacts().pairs.empty());
  SurfaceHierarchy other(make::box());
  other = mesh;
  EXPECT_EQ(other.self_contacts().pairs, mesh.self_contacts().pairs);
}

void expect_error(const std::function<void()>& action, const std::string& part) {
  try {
    action();
    FAIL() << "no error about " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(SurfaceHierarchy, BadInputIsRefusedByName) {
  const MeshData good = flat_sheet(2, 2);
  MeshData bad = good;
  bad.vertices[3].y() = std::numeric_limits<double>::quiet_NaN();
  expect_error([&] { SurfaceHierarchy mesh(bad); }, "vertex 3");
  bad.vertices[3].y() = -2e90;
  expect_error([&] { SurfaceHierarchy mesh(bad); }, "vertex 3");
  bad = good;
  bad.triangles[1][2] = 9;
  expect_error([&] { SurfaceHierarchy mesh(bad); }, "triangle 1 has vertex 9");
  bad.triangles.clear();
  expect_error([&] { SurfaceHierarchy mesh(bad); }, "no triangle");
  expect_error([&] { SurfaceHierarchy mesh(good, {.faces = {1, 2}}); }, "`faces` has 2 entries");
  expect_error([&] { SurfaceHierarchy mesh(good, {.contour_angle = 50}); }, "contour_angle");
  expect_error([&] { SurfaceHierarchy mesh(good, {.volume = static_cast<SurfaceVolume>(9)}); }, "has an invalid value");
  SurfaceHierarchy mesh(good);
  Vertices vertices = good.vertices;
  vertices[0].x() = std::numeric_limits<double>::infinity();
  expect_error([&] { mesh.set_vertices(vertices); }, "vertex 0");
  EXPECT_EQ(mesh.vertices()[0], good.vertices[0]);
  vertices.pop_back();
  expect_error([&] { mesh.set_vertices(vertices); }, "8 vertices, but it has 9");
  expect_error([&] { (void)mesh.self_contacts({.distance = -1}); }, "distance");
  expect_error([&] { (void)mesh.self_contacts({.distance = std::numeric_limits<double>::quiet_NaN()}); }, "distance");
  expect_error([&] { (void)mesh.region(1000); }, "region 1000 is out of range");
  const SurfaceHierarchy boxes(good, {.volume = SurfaceVolume::aabb});
  expect_error([&] { (void)triangle_contacts(mesh, boxes); }, "different kinds");
  const SurfaceHierarchy* const meshes[] = {&mesh, nullptr};
  expect_error([&] { (void)triangle_contacts(meshes); }, "mesh 1 is null");
  EXPECT_TRUE(triangle_contacts(std::span<const SurfaceHierarchy* const>()).pairs.empty());
}

}  // namespace
}  // namespace whisker
