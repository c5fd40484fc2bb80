// What a deforming mesh derives from its vertices and triangles is made when first needed. Each change of the mesh
// keeps it, updates it or drops it, and answers are always those of a mesh that is built from the same data.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/deforming_mesh.hpp>
#include <whisker/error.hpp>
#include <whisker/mesh_queries.hpp>
#include <whisker/near_features.hpp>
#include <whisker/queries.hpp>
#include <whisker/self_contacts.hpp>

#include "deform/deforming_mesh_storage.hpp"
#include "support/cases.hpp"
#include "support/sheets.hpp"
#include "support/sorted_pairs.hpp"
#include "trees/oriented_check.hpp"

namespace whisker {
namespace {

using test::cases;
using test::seeded;
using test::sorted;
using test::uniform;
using Vertices = std::vector<Vector3>;

// --- answers ---------------------------------------------------------------------------------------------------------

/// The questions that a mesh can be asked. Each needs other derived parts.
enum Question { ask_edges, ask_first_contacts, ask_near_features, ask_self_contacts, ask_snapshot, question_count };

using HitKey = std::tuple<FeatureHitKind, std::uint32_t, std::uint32_t, bool, std::array<double, 14>>;
using NearKey = std::tuple<FeatureHitKind, std::uint32_t, std::uint32_t, ClosestParts, std::uint32_t, std::uint32_t,
                           std::uint32_t, std::array<double, 11>>;

/// The answers to some of the questions, bit for bit, without what may depend on the shape of a tree: costs and the
/// order of pairs that touch.
struct Answers {
  std::vector<Index2> edges;
  std::vector<HitKey> hits;
  std::vector<NearKey> near;
  std::array<std::vector<TrianglePair>, 4> pairs;
  std::vector<double> rays;
  Vertices vertices;
  std::vector<Index3> triangles;

  bool operator==(const Answers&) const = default;
};

void ask(const DeformingMesh& mesh, int question, Answers& answers, int threads = 1) {
  switch (question) {
    case ask_edges:
      answers.edges.assign(mesh.edges().begin(), mesh.edges().end());
      break;
    case ask_first_contacts:
      for (const FeatureHit& hit : first_contacts(mesh).hits) {
        const FeatureImpact& i = hit.impact;
        const auto &p = i.weights_a, &q = i.weights_b;
        answers.hits.push_back({hit.kind,
                                hit.a,
                                hit.b,
                                i.certain,
                                {i.time_lower, i.time_upper, p[0], p[1], p[2], q[0], q[1], q[2], i.normal[0],
                                 i.normal[1], i.normal[2], i.point[0], i.point[1], i.point[2]}});
      }
      break;
    case ask_near_features:
      for (const NearPair& n : near_features(mesh, 0.02, {.threads = threads}).pairs) {
        const auto &p = n.weights_a, &q = n.weights_b;
        answers.near.push_back(
            {n.kind,
             n.a,
             n.b,
             n.parts,
             n.part_a,
             n.part_b,
             n.count,
             {n.lower, n.upper, p[0], p[1], p[2], q[0], q[1], q[2], n.normal[0], n.normal[1], n.normal[2]}});
      }
      break;
    case ask_self_contacts:
      for (const bool by_direction : {false, true}) {
        const SelfContacts found = self_contacts(mesh, {.by_direction = by_direction, .threads = threads});
        answers.pairs[by_direction ? 0 : 2] = sorted(found.pairs);
        answers.pairs[by_direction ? 1 : 3] = sorted(found.adjacent);
      }
      break;
    case ask_snapshot: {
      const Mesh snapshot = mesh.snapshot();
      answers.vertices.assign(snapshot.vertices().begin(), snapshot.vertices().end());
      answers.triangles.assign(snapshot.triangles().begin(), snapshot.triangles().end());
      for (int i = 0; i < 5; ++i) {
        const auto hit = cast_ray(Ray{{0.1 + 0.2 * i, 0.3 + 0.1 * i, 9}, {0.01, 0.02, -1}}, snapshot);
        answers.rays.push_back(hit ? hit->t : -1);
      }
      break;
    }
    default:
      break;
  }
}

/// Expects that the mesh answers the questions, given as bits, like a fresh one with the same step.
void expect_right(const DeformingMesh& mesh, unsigned questions, const std::string& what) {
  DeformingMesh fresh({{mesh.start().begin(), mesh.start().end()}, {mesh.triangles().begin(), mesh.triangles().end()}});
  fresh.set_step(mesh.start(), mesh.end());
  Answers answers, expected;
  for (int question = 0; question < question_count; ++question) {
    if ((questions >> question & 1) == 0) continue;
    ask(mesh, question, answers);
    ask(fresh, question, expected);
  }
  EXPECT_EQ(answers.edges, expected.edges) << what;
  EXPECT_EQ(answers.hits, expected.hits) << what;
  EXPECT_EQ(answers.near, expected.near) << what;
  EXPECT_EQ(answers.pairs, expected.pairs) << what;
  EXPECT_TRUE(answers == expected) << what << ": snapshots";
}
constexpr unsigned all_questions = (1u << question_count) - 1;

// --- changes ---------------------------------------------------------------------------------------------------------

MeshData small_sheet() {
  return test::bent_sheet(5, 5, [](double u, double v) { return Vector3(u, v, 0.2 * std::sin(7 * u)); });
}

MeshEdit small_edit(const DeformingMesh& mesh, std::mt19937_64& random) {
  const auto some = [&](std::size_t count) { return static_cast<std::uint32_t>(random() % count); };
  MeshEdit edit;
  edit.new_vertices.push_back(mesh.end()[some(mesh.end().size())] + Vector3(0.01, 0.02, 0.03));
  const auto added = static_cast<std::uint32_t>(mesh.end().size());
  const std::uint32_t changed = some(mesh.triangles().size());
  const Index3& corners = mesh.triangles()[changed];
  edit.changed = {{changed, {corners[0], corners[1], added}}};
  edit.removed = {some(mesh.triangles().size())};
  edit.added = {{corners[0], corners[2], added}};
  return edit;
}

/// Positions for which a tree that was built for any others is much too large: half of the vertices change places.
Vertices mixed(const DeformingMesh& mesh, std::mt19937_64& random) {
  Vertices vertices(mesh.end().begin(), mesh.end().end());
  std::shuffle(vertices.begin(), vertices.end(), random);
  return vertices;
}

/// What a mutator does to the derived parts: kept (k), updated (u) or dropped (d), in the order of the names below. A
/// part that is kept or updated stays where it is in memory.
struct Mutator {
  const char* name;
  const char* effects;
  void (*change)(DeformingMesh& mesh, std::mt19937_64& random);
};
constexpr std::array<const char*, 7> part_names = {"edges", "triangle edges", "fans",      "swept",
                                                   "still", "contours",       "leaf boxes"};

const Mutator mutators[] = {
    {"set_vertices", "kkkuuku",
     [](DeformingMesh& mesh, std::mt19937_64& random) {
       mesh.set_vertices(test::shaken({mesh.end().begin(), mesh.end().end()}, random, 0.01));
     }},
    {"set_vertices to the same", "kkkuuku",
     [](DeformingMesh& mesh, std::mt19937_64&) { mesh.set_vertices(mesh.end()); }},
    {"set_step", "kkkuuku",
     [](DeformingMesh& mesh, std::mt19937_64& random) {
       const Vertices end = test::shaken({mesh.start().begin(), mesh.start().end()}, random, 0.01);
       mesh.set_step(test::shaken(end, random, 0.1), end);
     }},
    {"set_step back", "kkkuuku",
     [](DeformingMesh& mesh, std::mt19937_64&) { mesh.set_step(mesh.end(), mesh.start()); }},
    {"a step that makes the tree bad", "kkkuudu",
     [](DeformingMesh& mesh, std::mt19937_64& random) { mesh.set_vertices(mixed(mesh, random)); }},
    {"rebuild", "kkkkudu", [](DeformingMesh& mesh, std::mt19937_64&) { mesh.rebuild(); }},
    {"edit", "ddddudd", [](DeformingMesh& mesh, std::mt19937_64& random) { mesh.edit(small_edit(mesh, random)); }},
    {"an edit of nothing", "ddddudd", [](DeformingMesh& mesh, std::mt19937_64&) { mesh.edit({}); }},
    {"an edit that makes the tree bad", "ddddudd",
     [](DeformingMesh& mesh, std::mt19937_64& random) {
       MeshEdit edit;
       for (std::uint32_t i = 0; i < mesh.triangles().size(); ++i) {
         const auto v = [&] { return static_cast<std::uint32_t>(random() % mesh.end().size()); };
         edit.changed.push_back({i, {v(), v(), v()}});
       }
       mesh.edit(edit);
     }},
    {"an edit that replaces all triangles", "ddddudd",
     [](DeformingMesh& mesh, std::mt19937_64&) {
       MeshEdit edit;
       edit.added.assign(mesh.triangles().begin(), mesh.triangles().end());
       for (std::uint32_t i = 0; i < mesh.triangles().size(); ++i)
         edit.removed.push_back(i);
       mesh.edit(edit);
     }},
    {"an invalid step", "kkkkkkk",
     [](DeformingMesh& mesh, std::mt19937_64&) {
       Vertices bad(mesh.end().begin(), mesh.end().end());
       bad.back()[2] = test::nan;
       EXPECT_THROW(mesh.set_vertices(bad), Error);
       EXPECT_THROW(mesh.set_step(mesh.start(), bad), Error);
       bad.pop_back();
       EXPECT_THROW(mesh.set_vertices(bad), Error);
     }},
    {"an invalid edit", "kkkkkkk",
     [](DeformingMesh& mesh, std::mt19937_64&) {
       EXPECT_THROW(mesh.edit({.removed = {static_cast<std::uint32_t>(mesh.triangles().size())}}), Error);
     }},
    {"being moved", "kkkkkkk",
     [](DeformingMesh& mesh, std::mt19937_64&) {
       DeformingMesh other = std::move(mesh);
       mesh = std::move(other);
     }},
};

// --- the derived parts -----------------------------------------------------------------------------------------------

using Addresses = std::array<const void*, 7>;

Addresses parts_of(const DeformingMesh& mesh) {
  const deform::DerivedParts& d = storage_of(mesh).derived;
  return {d.edges.made(), d.triangle_edges.made(), d.fans.made(),      d.swept.made(),
          d.still.made(), d.contours.made(),       d.leaf_boxes.made()};
}

void make_part(const DeformingMesh& mesh, std::size_t part) {
  const DeformingMeshStorage& s = storage_of(mesh);
  switch (part) {
    case 0:
      return (void)s.edges();
    case 1:
      return (void)s.triangle_edges();
    case 2:
      return (void)s.fans();
    case 3:
      return (void)s.swept();
    case 4:
      return (void)s.still();
    case 5:
      return (void)s.contours();
    default:
      return (void)s.leaf_boxes();
  }
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Expects that each part that has been made is what would be made from the current vertices and triangles, and, for
/// contours and leaf boxes, from the current tree.
void expect_parts_are_current(const DeformingMesh& mesh, const std::string& what) {
  const DeformingMeshStorage& s = storage_of(mesh);
  const deform::DerivedParts& d = s.derived;
  const DeformingMesh fresh({s.end, s.triangles});
  if (d.edges.made() != nullptr) {
    EXPECT_EQ(*d.edges.made(), storage_of(fresh).edges()) << what;
  }
  if (d.triangle_edges.made() != nullptr) {
    EXPECT_EQ(*d.triangle_edges.made(), storage_of(fresh).triangle_edges()) << what;
  }
  if (const deform::Fans* const fans = d.fans.made()) {
    EXPECT_EQ(fans->centers, storage_of(fresh).fans().centers) << what;
    EXPECT_EQ(fans->rings, storage_of(fresh).fans().rings) << what;
    EXPECT_EQ(fans->irregular, storage_of(fresh).fans().irregular) << what;
  }
  if (const deform::SweptParts* const swept = d.swept.made()) {
    deform::SweptParts again = *swept;
    for (std::size_t i = 0; i < again.order.size(); ++i) {
      std::copy_n(s.start[again.order[i]].data(), 3, again.vertices[i].start);
      std::copy_n(s.end[again.order[i]].data(), 3, again.vertices[i].end);
    }
    EXPECT_TRUE(same_bytes(again.vertices, swept->vertices)) << what;
    deform::set_vertex_boxes(again.vertices, again.origin, again.vertex_boxes);
    deform::set_heights(again.vertices, again.origin, again.heights);
    EXPECT_TRUE(same_bytes(again.heights.vertices, swept->heights.vertices)) << what;
    EXPECT_EQ(again.heights.error, swept->heights.error) << what;
    for (deform::SweptTree* const tree : {&again.vertex_tree, &again.edge_tree, &again.triangle_tree})
      deform::refit(*tree, again.vertex_boxes);
    EXPECT_TRUE(same_bytes(again.vertex_tree.leaves, swept->vertex_tree.leaves)) << what;
    EXPECT_TRUE(same_bytes(again.edge_tree.leaves, swept->edge_tree.leaves)) << what;
    EXPECT_TRUE(same_bytes(again.triangle_tree.leaves, swept->triangle_tree.leaves)) << what;
    EXPECT_EQ(again.edge_tree.items.size(), storage_of(fresh).edges().size()) << what;
    EXPECT_EQ(again.triangle_tree.items.size(), s.triangles.size()) << what;
  }
  const deform::StillParts* const still = d.still.made();
  if (still == nullptr) return;
  EXPECT_EQ(still->now->data.vertices, s.end) << what;
  EXPECT_EQ(still->now->data.triangles, s.triangles) << what;
  const trees::OrientedTree& tree = still->now->oriented;
  trees::OrientedTree checked = tree;
  EXPECT_EQ(trees::check_links(checked, s.triangles.size()), "") << what;
  if (const deform::NodeContours* const contours = d.contours.made()) {
    const deform::NodeContours again = deform::find_contours(tree, s.triangles, s.end.size());
    EXPECT_EQ(contours->of_node.first, again.of_node.first) << what;
    EXPECT_TRUE(same_bytes(contours->of_node.items, again.of_node.items)) << what;
    EXPECT_EQ(contours->node_of_vertex, again.node_of_vertex) << what;
  }
  if (d.leaf_boxes.made() != nullptr) {
    std::vector<deform::LeafBoxes> again;
    deform::set_leaf_boxes(tree, again);
    EXPECT_TRUE(same_bytes(*d.leaf_boxes.made(), again)) << what;
  }
}

/// Calls visit(made) for every set of parts, one bit each, that queries can have made: with a part, those that it is
/// made from.
template <class Visit>
void for_all_states(const Visit& visit) {
  constexpr std::array<unsigned, 7> needs = {0, 1u << 0, 0, 1u << 0, 0, 1u << 4, 1u << 4};
  for (unsigned made = 0; made < 1u << 7; ++made) {
    bool is_possible = true;
    for (std::size_t part = 0; part < 7; ++part)
      if ((made >> part & 1) != 0 && (made & needs[part]) != needs[part]) is_possible = false;
    if (is_possible) visit(made);
  }
}

DeformingMesh mesh_in_state(unsigned made, std::mt19937_64& random) {
  const MeshData data = small_sheet();
  DeformingMesh mesh(data);
  mesh.set_vertices(test::shaken(data.vertices, random, 0.05));
  for (std::size_t part = 0; part < 7; ++part)
    if ((made >> part & 1) != 0) make_part(mesh, part);
  return mesh;
}

TEST(DeformingState, PartsAreMadeWhenFirstNeededAndNotBefore) {
  std::mt19937_64 random = seeded(851);
  std::size_t states = 0;
  for_all_states([&](unsigned made) {
    const DeformingMesh mesh = mesh_in_state(made, random);
    const Addresses parts = parts_of(mesh);
    for (std::size_t part = 0; part < 7; ++part)
      EXPECT_EQ(parts[part] != nullptr, (made >> part & 1) != 0) << made << ", " << part_names[part];
    ++states;
  });
  EXPECT_EQ(states, 50u);
  // What each question needs, of a mesh that has taken a step: edges, triangle edges, fans, swept, still, contours,
  // leaf boxes.
  const std::pair<Question, const char*> needs[] = {{ask_edges, "x......"},
                                                    {ask_first_contacts, "x..x..."},
                                                    {ask_near_features, "xx.x..."},
                                                    {ask_self_contacts, "..x.xxx"},
                                                    {ask_snapshot, "....x.."}};
  for (const auto& [question, needed] : needs) {
    const DeformingMesh mesh = mesh_in_state(0, random);
    Answers answers;
    ask(mesh, question, answers);
    const Addresses parts = parts_of(mesh);
    for (std::size_t part = 0; part < 7; ++part)
      EXPECT_EQ(parts[part] != nullptr, needed[part] == 'x') << question << ", " << part_names[part];
  }
}

TEST(DeformingState, EveryChangeKeepsUpdatesOrDropsEveryPart) {
  std::mt19937_64 random = seeded(852);
  for (const Mutator& mutator : mutators) {
    for_all_states([&](unsigned made) {
      DeformingMesh mesh = mesh_in_state(made, random);
      const Addresses before = parts_of(mesh);
      mutator.change(mesh, random);
      const Addresses after = parts_of(mesh);
      const std::string what = mutator.name + (" with parts " + std::to_string(made));
      for (std::size_t part = 0; part < 7; ++part)
        EXPECT_EQ(after[part], mutator.effects[part] == 'd' ? nullptr : before[part])
            << what << ": " << part_names[part];
      expect_parts_are_current(mesh, what);
      expect_right(mesh, all_questions, what);
      // After the answers every part exists, and all of them are current.
      expect_parts_are_current(mesh, what);
      for (const void* const part : parts_of(mesh))
        EXPECT_NE(part, nullptr) << what;
    });
    if (HasFailure()) return;
  }
}

TEST(DeformingState, CopiesHaveWhatWasMadeAndAreOfTheirOwn) {
  std::mt19937_64 random = seeded(853);
  for_all_states([&](unsigned made) {
    DeformingMesh mesh = mesh_in_state(made, random);
    const Addresses parts = parts_of(mesh);
    DeformingMesh copy = mesh, assigned(small_sheet());
    (void)assigned.snapshot();
    assigned = mesh;
    for (const DeformingMesh* const other : {&copy, &assigned}) {
      const Addresses others = parts_of(*other);
      for (std::size_t part = 0; part < 7; ++part) {
        EXPECT_EQ(others[part] != nullptr, parts[part] != nullptr) << made << ", " << part_names[part];
        if (parts[part] != nullptr) {
          EXPECT_NE(others[part], parts[part]) << made << ", " << part_names[part];
        }
      }
    }
    // All three go different ways from here.
    const std::string what = "copies with parts " + std::to_string(made);
    mutators[made % std::size(mutators)].change(mesh, random);
    copy.edit(small_edit(copy, random));
    assigned.set_vertices(mixed(assigned, random));
    for (const DeformingMesh* const one : {&mesh, &copy, &assigned}) {
      expect_parts_are_current(*one, what);
      expect_right(*one, all_questions, what);
    }
  });
}

TEST(DeformingState, AnyHistoryGivesTheAnswersOfAFreshMesh) {
  std::mt19937_64 random = seeded(854);
  std::array<std::size_t, std::size(mutators)> used = {};
  for (std::size_t history = 0; history < cases(60); ++history) {
    DeformingMesh mesh = mesh_in_state(0, random);
    std::optional<Mesh> held;
    std::string what = "history " + std::to_string(history) + ":";
    for (int step = 0; step < 20; ++step) {
      const std::size_t choice = random() % std::size(mutators);
      what += std::string(" ") + mutators[choice].name + ",";
      mutators[choice].change(mesh, random);
      ++used[choice];
      // Some of the questions, or none, so that parts exist in all combinations.
      expect_right(mesh, static_cast<unsigned>(random()) & static_cast<unsigned>(random()) & all_questions, what);
      expect_parts_are_current(mesh, what);
      if (random() % 4 == 0) held = mesh.snapshot();
      if (random() % 4 == 0) held.reset();
      if (random() % 6 == 0) mesh = DeformingMesh(mesh);
      if (HasFailure()) return;
    }
    expect_right(mesh, all_questions, what);
  }
  for (std::size_t i = 0; i < used.size(); ++i)
    EXPECT_GT(used[i], cases(20)) << mutators[i].name;
}

TEST(DeformingState, ManyThreadsMayBeTheFirstToAsk) {
  std::mt19937_64 random = seeded(855);
  for (std::size_t round = 0; round < cases(20); ++round) {
    const DeformingMesh mesh = mesh_in_state(0, random);
    std::array<Answers, 6> answers;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < answers.size(); ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < question_count; ++i)
          ask(mesh, (i + static_cast<int>(t)) % question_count, answers[t]);
      });
    }
    for (std::thread& thread : threads)
      thread.join();
    for (const Answers& one : answers)
      EXPECT_TRUE(one == answers[0]);
    expect_right(mesh, all_questions, "threads");
  }
}

TEST(DeformingState, AllQuestionsMayBeAskedInTasksOfTheCaller) {
  // More threads than cores: a thread that waits for a part of its answer takes on another task, with another question
  // about another mesh, and both need the thread's working memory.
  std::mt19937_64 random = seeded(856);
  std::vector<DeformingMesh> meshes;
  std::vector<Answers> expected(6);
  for (std::uint32_t i = 0; i < expected.size(); ++i) {
    MeshData data =
        test::bent_sheet(20 + i, 20, [](double u, double v) { return Vector3(u, v, 0.1 * std::sin(9 * u)); });
    meshes.emplace_back(data).set_vertices(test::shaken(data.vertices, random, 0.03));
    for (int question = 0; question < question_count; ++question)
      ask(meshes[i], question, expected[i], 0);
  }
  std::vector<const DeformingMesh*> all;
  for (const DeformingMesh& mesh : meshes)
    all.push_back(&mesh);
  const MeshesContacts together = triangle_contacts(all, {.threads = 1});
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena arena(8);
  for (std::size_t round = 0; round < cases(3); ++round) {
    std::vector<int> is_right(24);
    arena.execute([&] {
      tbb::parallel_for(
          std::size_t{0}, is_right.size(),
          [&](std::size_t i) {
            Answers answers;
            for (int k = 0; k < question_count; ++k)
              ask(meshes[i % meshes.size()], (k + static_cast<int>(i)) % question_count, answers, 0);
            const MeshesContacts found = triangle_contacts(all);
            is_right[i] = answers == expected[i % meshes.size()] && found.pairs == together.pairs &&
                          found.adjacent == together.adjacent;
          },
          tbb::simple_partitioner());
    });
    EXPECT_EQ(std::count(is_right.begin(), is_right.end(), 1), 24);
  }
}

}  // namespace
}  // namespace whisker
