// The methods of the suite `kitamura`, except for the octree update.

#include <array>

#include <whisker/convex_hull.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/methods/broad_phases.hpp>
#include <whisker/methods/closest_features.hpp>
#include <whisker/queries.hpp>
#include <whisker/world.hpp>

#include "kitamura.hpp"
#include "methods/soups/soup_kernels.hpp"

namespace whisker::bench {
namespace {

/// Calls use(a, b) for soups whose boxes overlap. Tests all pairs, as in the paper.
template <typename Use>
void for_each_overlap(const Frame& frame, const Use& use) {
  std::vector<Aabb> boxes;
  for (const methods::Soup& soup : frame.soups)
    boxes.push_back(methods::soups::checked_box(soup.vertices));
  for (std::uint32_t a = 0; a < boxes.size(); ++a)
    for (std::uint32_t b = a + 1; b < boxes.size(); ++b)
      if (boxes[a].overlaps(boxes[b])) use(a, b);
}

Triangle triangle(const methods::Soup& soup, std::size_t i) {
  const Index3& t = soup.triangles[i];
  return {soup.vertices[t[0]], soup.vertices[t[1]], soup.vertices[t[2]]};
}

/// Appends the contacts of two shapes as contacts of soups a and b.
void add_contacts(const Placed& shape_a, const Placed& shape_b, std::uint32_t a, std::uint32_t b, Contacts& scratch,
                  std::vector<MeshTrianglePair>& all) {
  contacts(shape_a, shape_b, {.segments = false}, scratch);
  const std::size_t first = all.size();
  for (const Contact& c : scratch.pairs)
    all.push_back({a, c.a.id, b, c.b.id});
  std::sort(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
}

/// A method whose state is reset for each scene.
template <typename State>
Method method_of(const std::string& name, bool gives_contacts) {
  const auto state = std::make_shared<std::optional<State>>();
  Method method{name, gives_contacts};
  method.prepare = [state](const Scene& scene) { state->emplace(scene); };
  method.look = [state](const Frame& frame) { (*state)->look(frame); };
  method.answer = [state] {
    Answer answer = (*state)->answer;
    std::sort(answer.contacts.begin(), answer.contacts.end());
    return answer;
  };
  return method;
}

struct Naive {
  Answer answer;
  explicit Naive(const Scene&) {}
  void look(const Frame& frame) {
    answer.contacts.clear();
    for_each_overlap(frame, [&](std::uint32_t a, std::uint32_t b) {
      for (std::uint32_t i = 0; i < frame.soups[a].triangles.size(); ++i) {
        const Triangle first = triangle(frame.soups[a], i);
        for (std::uint32_t j = 0; j < frame.soups[b].triangles.size(); ++j)
          if (touches_triangle_triangle(first, triangle(frame.soups[b], j))) answer.contacts.push_back({a, i, b, j});
      }
    });
  }
};

struct RefittedTrees {
  Answer answer;
  std::vector<Mesh> meshes;
  Contacts scratch;
  explicit RefittedTrees(const Scene& scene) {
    for (const methods::Soup& soup : scene.frame().soups)
      meshes.emplace_back(
          MeshData{{soup.vertices.begin(), soup.vertices.end()}, {soup.triangles.begin(), soup.triangles.end()}});
  }
  void look(const Frame& frame) {
    answer.contacts.clear();
    // Refit only the meshes that overlap another.
    std::vector<std::optional<Shape>> shapes(frame.soups.size());
    for_each_overlap(frame, [&](std::uint32_t a, std::uint32_t b) {
      for (const std::uint32_t i : {a, b})
        if (!shapes[i]) shapes[i].emplace(meshes[i].moved(frame.soups[i].vertices));
      add_contacts({*shapes[a]}, {*shapes[b]}, a, b, scratch, answer.contacts);
    });
  }
};

struct NewTrees {
  Answer answer;
  Contacts scratch;
  explicit NewTrees(const Scene&) {}
  void look(const Frame& frame) {
    answer.contacts.clear();
    std::vector<std::optional<Shape>> shapes(frame.soups.size());
    for_each_overlap(frame, [&](std::uint32_t a, std::uint32_t b) {
      for (const std::uint32_t i : {a, b}) {
        const methods::Soup& soup = frame.soups[i];
        if (!shapes[i])
          shapes[i].emplace(Mesh(
              MeshData{{soup.vertices.begin(), soup.vertices.end()}, {soup.triangles.begin(), soup.triangles.end()}}));
      }
      add_contacts({*shapes[a]}, {*shapes[b]}, a, b, scratch, answer.contacts);
    });
  }
};

struct RigidTrees {
  Answer answer;
  std::vector<Shape> shapes;
  Contacts scratch;
  explicit RigidTrees(const Scene& scene) {
    for (const Actor& actor : scene.actors())
      shapes.emplace_back(Mesh(actor.mesh));
  }
  void look(const Frame& frame) {
    answer.contacts.clear();
    for_each_overlap(frame, [&](std::uint32_t a, std::uint32_t b) {
      add_contacts({shapes[a], frame.poses[a]}, {shapes[b], frame.poses[b]}, a, b, scratch, answer.contacts);
    });
  }
};

struct SeparatingPlanes {
  Answer answer;
  std::vector<Shape> hulls;
  std::vector<Vector3> normals;  // for each pair, from the first to the second; zero if not known yet
  explicit SeparatingPlanes(const Scene& scene) {
    for (const Actor& actor : scene.actors())
      hulls.emplace_back(ConvexHull(actor.mesh.vertices));
    normals.assign(hulls.size() * hulls.size(), Vector3::Zero());
  }
  static bool parts(const Vector3& normal, const methods::Soup& a, const methods::Soup& b) {
    double highest = -HUGE_VAL, lowest = HUGE_VAL;
    for (const Vector3& v : a.vertices)
      highest = std::max(highest, normal.dot(v));
    for (const Vector3& v : b.vertices)
      lowest = std::min(lowest, normal.dot(v));
    return highest < lowest;
  }
  void look(const Frame& frame) {
    answer.pairs.clear();
    for (std::uint32_t a = 0; a < hulls.size(); ++a) {
      for (std::uint32_t b = a + 1; b < hulls.size(); ++b) {
        Vector3& normal = normals[a * hulls.size() + b];
        if (parts(normal, frame.soups[a], frame.soups[b])) continue;
        const Distance d = distance({hulls[a], frame.poses[a]}, {hulls[b], frame.poses[b]});
        normal = d.normal;
        if (d.lower == 0) answer.pairs.emplace_back(a, b);
      }
    }
  }
};

struct SweepAndMarch {
  Answer answer;
  World world{{.broad_phase = methods::sweep_and_prune(), .boxes = BodyBoxKind::cube, .tests_shapes = false}};
  std::vector<BodyId> ids;
  std::vector<methods::MarchingHull> hulls;
  std::vector<methods::FeatureTrack> tracks;
  explicit SweepAndMarch(const Scene& scene) {
    for (const Actor& actor : scene.actors()) {
      const ConvexHull hull(actor.mesh.vertices);
      hulls.emplace_back(hull);
      ids.push_back(world.add(hull, actor.pose, {.user = ids.size()}));
    }
    tracks.resize(hulls.size() * hulls.size());
  }
  void look(const Frame& frame) {
    answer.pairs.clear();
    world.move(ids, frame.poses);
    world.update();
    for (const WorldPair& pair : world.touching()) {  // overlapping boxes
      const std::uint32_t a = pair.a.slot, b = pair.b.slot;
      const methods::ClosestFeatures c =
          methods::closest_features(hulls[a], frame.poses[a], hulls[b], frame.poses[b], tracks[a * hulls.size() + b]);
      if (c.touches != whisker::Answer::no) answer.pairs.emplace_back(a, b);
    }
  }
};

}  // namespace

Method soup_method(const std::string& name, const methods::SoupOptions& options) {
  struct State {
    methods::SoupContactFinder finder;
    const methods::SoupContacts* found = nullptr;
  };
  const auto state = std::make_shared<State>();
  Method method{name};
  method.look = [state, options](const Frame& frame) { state->found = &state->finder.find(frame.soups, options); };
  method.answer = [state] { return Answer{state->found->pairs, {}}; };
  return method;
}

Method naive_method() {
  return method_of<Naive>("all pairs", true);
}
Method refitted_trees() {
  return method_of<RefittedTrees>("whisker/trees, refitted", true);
}
Method rigid_trees() {
  return method_of<RigidTrees>("whisker/trees, rigid", true);
}
Method new_trees() {
  return method_of<NewTrees>("whisker/trees, built", true);
}
Method separating_planes() {
  return method_of<SeparatingPlanes>("separating planes", false);
}
Method sweep_and_march() {
  return method_of<SweepAndMarch>("sweep and march", false);
}

}  // namespace whisker::bench
