// contacts: all pairs of triangles that touch.

#include <algorithm>
#include <numeric>

#include <whisker/geometry/triangle_tests.hpp>
#include <whisker/queries.hpp>

#include "mesh.hpp"

namespace whisker::bench {
namespace {

/// A pass over the poses that stores the number of contacts of each.
std::function<void()> ask(const Model& model, bool segments, std::vector<std::size_t>& counts) {
  return [&model, segments, &counts, found = Contacts()]() mutable {
    for (std::size_t i = 0; i < model.near.size(); ++i) {
      contacts({model.shape, model.near[i].a}, {model.shape, model.near[i].b}, {.segments = segments}, found);
      counts[i] = found.pairs.size();
    }
  };
}

auto total(const std::vector<std::size_t>& counts) {
  return [&counts] { return std::accumulate(counts.begin(), counts.end(), std::size_t{0}); };
}

std::vector<TriangleIds> pairs_of(const Contacts& found) {
  std::vector<TriangleIds> pairs;
  pairs.reserve(found.pairs.size());
  for (const Contact& contact : found.pairs)
    pairs.emplace_back(contact.a.id, contact.b.id);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

void bench_contacts(Suite& suite, const Model& model) {
  const std::string name = "contacts/" + model.name;
  if (!suite.wants(name)) return;
  const std::size_t count = model.near.size();
  std::vector<std::size_t> ours(count), ours_ids(count), theirs(count), theirs_points(count);
  suite.measure({.name = name, .calls = count, .hit_rate = false, .seconds = case_seconds(suite)},
                {{"whisker", ask(model, false, ours_ids), total(ours_ids)},
                 {"whisker/segments", ask(model, true, ours), total(ours)},
                 {"FCL", model.fcl.contacts(model.near, false, theirs), total(theirs)},
                 {"FCL/points", model.fcl.contacts(model.near, true, theirs_points), total(theirs_points)}});
  if (ours != ours_ids) suite.fail("whisker finds other contacts without segments than with them");

  // Check every pair that only one of the two systems reports with exact arithmetic on the placed triangles.
  Cost cost;
  Contacts found;
  std::size_t peer_missing = 0, peer_extra = 0, missing = 0, extra = 0, repeated = 0;
  for (const PosePair& poses : model.near) {
    contacts({model.shape, poses.a}, {model.shape, poses.b}, {.segments = false}, found);
    cost.volume_tests += found.cost.volume_tests;
    cost.primitive_tests += found.cost.primitive_tests;
    const std::vector<TriangleIds> our_pairs = pairs_of(found), their_pairs = model.fcl.contact_pairs(poses);
    if (std::adjacent_find(our_pairs.begin(), our_pairs.end()) != our_pairs.end()) ++repeated;
    std::vector<TriangleIds> only_ours, only_theirs;
    std::set_difference(our_pairs.begin(), our_pairs.end(), their_pairs.begin(), their_pairs.end(),
                        std::back_inserter(only_ours));
    std::set_difference(their_pairs.begin(), their_pairs.end(), our_pairs.begin(), our_pairs.end(),
                        std::back_inserter(only_theirs));
    const auto truth = [&](const TriangleIds& ids) {
      return touches_triangle_triangle(placed_triangle(model.data, ids.first, poses.a),
                                       placed_triangle(model.data, ids.second, poses.b));
    };
    for (const TriangleIds& ids : only_ours)
      (truth(ids) ? peer_missing : extra) += 1;
    for (const TriangleIds& ids : only_theirs)
      (truth(ids) ? missing : peer_extra) += 1;
  }
  note_cost(suite, "whisker", cost, count);
  note_cost(suite, "FCL", model.fcl.contacts_cost(model.near), count);
  if (peer_missing + peer_extra > 0) {
    suite.note("by exact arithmetic FCL misses " + std::to_string(peer_missing) + " pairs and has " +
               std::to_string(peer_extra) + " that do not touch");
  }
  if (missing > 0) suite.fail("whisker misses " + std::to_string(missing) + " pairs that touch by exact arithmetic");
  if (extra > 0) suite.fail("whisker has " + std::to_string(extra) + " pairs that do not touch by exact arithmetic");
  if (repeated > 0) suite.fail("whisker reports a pair twice in " + std::to_string(repeated) + " poses");
}

}  // namespace whisker::bench
