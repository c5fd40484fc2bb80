// The suite `geometry`: the smallest queries, one call at a time, compared with plain double arithmetic, FCL, CGAL,
// Embree and Qhull.

#include "geometry.hpp"

#include <string>

namespace whisker::bench {

std::size_t count_positive(const Answers& answers) {
  std::size_t count = 0;
  for (const std::int8_t answer : answers)
    count += answer > 0 ? 1u : 0u;
  return count;
}

void compare(Suite& suite, const char* peer, const Answers& ours, const Answers& theirs,
             const std::function<int(std::size_t)>& truth) {
  std::size_t peer_wrong = 0, we_wrong = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] == theirs[i]) continue;
    if (truth(i) == ours[i]) {
      ++peer_wrong;
    } else {
      ++we_wrong;
    }
  }
  if (peer_wrong > 0) suite.note(std::to_string(peer_wrong) + " answers of " + peer + " are wrong by exact arithmetic");
  if (we_wrong > 0) {
    suite.fail(std::to_string(we_wrong) + " answers of whisker differ from " + peer + " and from exact arithmetic");
  }
}

}  // namespace whisker::bench

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("geometry", argc, argv);
  if (suite.usage_error()) return 2;
  std::printf("system, median time per call, time over whisker's, yes answers\n");
  bench_touch(suite);
  bench_ray(suite);
  bench_orient(suite);
  bench_distance(suite);
  bench_hull(suite);
  return suite.finish();
}
