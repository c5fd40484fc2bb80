// Checks the built-in example: its parts are closed solids, and among all pairs of parts that no rule allows to touch,
// exactly the planted ones touch or are too close. This is shown with the library's queries on every pair, without the
// clash check that the example demonstrates.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <whisker/first_contact.hpp>
#include <whisker/mesh.hpp>
#include <whisker/queries.hpp>

#include "clash/gearbox.hpp"
#include "clash/machine_parts.hpp"

namespace whisker::clash {
namespace {

using Names = std::pair<std::string, std::string>;

Names sorted(const std::string& a, const std::string& b) {
  return a < b ? Names(a, b) : Names(b, a);
}

// `*` matches any text.
bool covers(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    for (std::size_t i = 0; i <= name.size(); ++i)
      if (covers(pattern.substr(1), name.substr(i))) return true;
    return false;
  }
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) && covers(pattern.substr(1), name.substr(1));
}

bool is_allowed(const Assembly& assembly, const std::string& a, const std::string& b) {
  return std::any_of(assembly.rules.allowed.begin(), assembly.rules.allowed.end(), [&](const PairRule& rule) {
    return (covers(rule.a, a) && covers(rule.b, b)) || (covers(rule.a, b) && covers(rule.b, a));
  });
}

const PlantedAssembly& gearbox() {
  static const PlantedAssembly made = make_gearbox();
  return made;
}

const Shape& shape_of(const Part& part) {
  return gearbox().assembly.meshes[part.mesh].shape;
}

const Part& part_named(const std::string& name) {
  const auto& parts = gearbox().assembly.parts;
  const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.name == name; });
  if (found == parts.end()) throw std::runtime_error("no part is named " + name);
  return *found;
}

// Visits every pair of parts whose boxes at the start are no farther apart than the clearance.
template <class Visit>
void visit_near_pairs(Visit&& visit) {
  const Assembly& assembly = gearbox().assembly;
  std::vector<Aabb> bounds;
  for (const Part& part : assembly.parts)
    bounds.push_back(shape_of(part).bounds(part.pose));
  const double clearance = assembly.rules.clearance;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    for (std::size_t j = i + 1; j < bounds.size(); ++j) {
      const Vector3 gap = (bounds[j].lower - bounds[i].upper).cwiseMax(bounds[i].lower - bounds[j].upper);
      if (gap.maxCoeff() <= clearance) visit(assembly.parts[i], assembly.parts[j]);
    }
}

TEST(ClashGearbox, HasAFewHundredNamedPartsThatShareMeshes) {
  const Assembly& assembly = gearbox().assembly;
  EXPECT_GE(assembly.parts.size(), 300u);
  EXPECT_LE(assembly.parts.size(), 500u);
  EXPECT_LE(assembly.meshes.size(), assembly.parts.size() / 4);
  std::set<std::string> names;
  std::size_t triangles = 0;
  for (const Part& part : assembly.parts) {
    EXPECT_TRUE(names.insert(part.name).second) << part.name;
    EXPECT_TRUE(part.name.starts_with(part.group + "/")) << part.name;
    triangles += assembly.meshes[part.mesh].data.triangles.size();
  }
  RecordProperty("parts", static_cast<int>(assembly.parts.size()));
  RecordProperty("meshes", static_cast<int>(assembly.meshes.size()));
  RecordProperty("triangles", static_cast<int>(triangles));
}

TEST(ClashGearbox, EveryMeshIsAClosedSolidWithoutDoubleTriangles) {
  for (const PartMesh& mesh : gearbox().assembly.meshes) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (const Index3& t : mesh.data.triangles)
      for (std::size_t k = 0; k < 3; ++k)
        ++edges[{t[k], t[(k + 1) % 3]}];
    for (const auto& [edge, count] : edges) {
      EXPECT_EQ(count, 1);
      EXPECT_TRUE(edges.contains({edge.second, edge.first}));
    }
    EXPECT_TRUE(mesh.is_closed);
    EXPECT_GT(mesh.shape.volume(), 0);
  }
}

TEST(ClashGearbox, AtTheStartThePairsThatTouchOrAreTooCloseAreThePlantedOnes) {
  const Assembly& assembly = gearbox().assembly;
  std::set<Names> planted;
  for (const PlantedFinding& finding : gearbox().planted) {
    if (finding.time) continue;
    EXPECT_TRUE(planted.insert(sorted(finding.a, finding.b)).second) << finding.a << " " << finding.b;
    EXPECT_FALSE(is_allowed(assembly, finding.a, finding.b)) << finding.a << " " << finding.b;
  }
  std::set<Names> found;
  visit_near_pairs([&](const Part& a, const Part& b) {
    if (is_allowed(assembly, a.name, b.name)) return;
    const double clearance = assembly.rules.clearance;
    const Distance gap = distance({shape_of(a), a.pose}, {shape_of(b), b.pose}, {.upper_bound = clearance});
    if (gap.lower >= clearance) return;
    found.insert(sorted(a.name, b.name));
    EXPECT_TRUE(planted.contains(sorted(a.name, b.name)))
        << a.name << " and " << b.name << " are " << gap.lower << " apart at " << gap.point_a.transpose();
  });
  EXPECT_EQ(found, planted);
}

TEST(ClashGearbox, PlantedNumbersAgreeWithTheQueries) {
  for (const PlantedFinding& finding : gearbox().planted) {
    if (finding.time) continue;
    const Part& a = part_named(finding.a);
    const Part& b = part_named(finding.b);
    const bool touch = touches({shape_of(a), a.pose}, {shape_of(b), b.pose});
    SCOPED_TRACE(finding.a + " and " + finding.b);
    EXPECT_EQ(touch, finding.kind != FindingKind::too_close);
    if (finding.depth) {
      const Depth found = depth({shape_of(a), a.pose}, {shape_of(b), b.pose}, {.budget = 200'000});
      EXPECT_LE(found.lower, finding.depth->upper);
      EXPECT_GE(found.upper, finding.depth->lower);
      EXPECT_GT(found.lower, 0.1);
    }
    if (finding.distance) {
      const Distance found = distance({shape_of(a), a.pose}, {shape_of(b), b.pose});
      EXPECT_LE(found.lower, finding.distance->upper);
      EXPECT_GE(found.upper, finding.distance->lower);
      const Vector3 middle = (found.point_a + found.point_b) / 2;
      EXPECT_LE((middle - finding.position).norm(), finding.position_tolerance);
    }
    if (finding.kind == FindingKind::contained) {
      EXPECT_TRUE(contacts({Mesh(gearbox().assembly.meshes[a.mesh].data), a.pose},
                           {Mesh(gearbox().assembly.meshes[b.mesh].data), b.pose})
                      .pairs.empty());
    }
  }
}

TEST(ClashGearbox, WhatTheRulesAllowRunsCloseAndOnlyFastenersAndTheMotorTouch) {
  std::size_t close = 0;
  visit_near_pairs([&](const Part& a, const Part& b) {
    if (!is_allowed(gearbox().assembly, a.name, b.name)) return;
    ++close;
    const auto may_touch = [](const Part& part) {
      return part.name.find("washer_") != std::string::npos || part.name.find("bolt_") != std::string::npos ||
             part.group == "motor";
    };
    if (may_touch(a) || may_touch(b)) return;
    EXPECT_FALSE(touches({shape_of(a), a.pose}, {shape_of(b), b.pose})) << a.name << " " << b.name;
  });
  EXPECT_GT(close, 100u);
}

TEST(ClashGearbox, InMotionOnlyThePlantedPairMeetsAndWhenItShould) {
  const Assembly& assembly = gearbox().assembly;
  std::set<Names> met;
  for (const Part& a : assembly.parts) {
    if (a.motion.empty()) continue;
    ASSERT_EQ(a.motion.size(), 3u);
    EXPECT_EQ(a.motion[0].pose.translation(), a.pose.translation()) << a.name;
    for (const Part& b : assembly.parts) {
      if (!b.motion.empty()) {  // both move in the same way
        for (std::size_t k = 0; k < 3; ++k)
          EXPECT_TRUE((a.motion[k].pose.translation() - a.pose.translation())
                          .isApprox(b.motion[k].pose.translation() - b.pose.translation(), 1e-14));
        continue;
      }
      for (std::size_t k = 0; k + 1 < a.motion.size(); ++k) {
        const Turning way = screw(a.motion[k].pose, a.motion[k + 1].pose);
        // Nothing else comes closer than the clearance during the motion either.
        Aabb swept = swept_bounds(shape_of(a), way);
        swept.lower.array() -= assembly.rules.clearance;
        swept.upper.array() += assembly.rules.clearance;
        if (!swept.overlaps(shape_of(b).bounds(b.pose))) continue;
        const MotionImpact hit = first_contact({shape_of(a), way}, {shape_of(b), Still{b.pose}}, {.tolerance = 1e-9});
        if (hit.status == ImpactStatus::apart) {
          const Distance gap = distance({shape_of(a), a.motion[k + 1].pose}, {shape_of(b), b.pose});
          EXPECT_GT(gap.lower, assembly.rules.clearance) << a.name << " " << b.name;
          continue;
        }
        met.insert(sorted(a.name, b.name));
        for (const PlantedFinding& finding : gearbox().planted) {
          if (!finding.time) continue;
          const double span = a.motion[k + 1].time - a.motion[k].time;
          EXPECT_LE(a.motion[k].time + hit.time_lower * span, finding.time->upper);
          EXPECT_GE(a.motion[k].time + hit.time_upper * span, finding.time->lower);
          EXPECT_LE((hit.point - finding.position).norm(), finding.position_tolerance);
        }
      }
    }
  }
  EXPECT_EQ(met, std::set<Names>{sorted("cover/plate", "left_behind/nut")});
}

TEST(MachineParts, APlateWithHolesHasTheAreaOfItsOutlineLessTheHoles) {
  const std::vector<Loop> holes{polygon({-2, 0}, 1, 12), polygon({2, 1}, 0.5, 8), rectangle({1, -2}, {3, -1}, 0.25)};
  const auto area = [](const Loop& loop) {
    double twice = 0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vector2& p = loop[i];
      const Vector2& q = loop[(i + 1) % loop.size()];
      twice += p.x() * q.y() - p.y() * q.x();
    }
    return twice / 2;
  };
  const Loop outline = rectangle({-4, -3}, {4, 3}, 1);
  const Mesh plate = Mesh(extrude(outline, holes, 1, 3)).solid();
  EXPECT_NEAR(plate.volume(), 2 * (area(outline) - area(holes[0]) - area(holes[1]) - area(holes[2])), 1e-12);
}

TEST(MachineParts, LoopsThatCrossAreRefused) {
  const std::vector<Loop> outside{polygon({0, 0}, 5, 8)};
  EXPECT_THROW(triangulate(rectangle({-1, -1}, {1, 1}), outside), std::logic_error);
  EXPECT_THROW(triangulate({{0, 0}, {1, 1}, {1, 0}, {0, 1}}), std::logic_error);
}

}  // namespace
}  // namespace whisker::clash
