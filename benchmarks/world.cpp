// The suite `world`: which of many bodies overlap or touch, frame by frame.

#include "world.hpp"

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("world", argc, argv);
  if (suite.usage_error()) return 2;
  std::printf(
      "system, median time per frame, time over the first system's, overlapping or touching pairs in frame 0\n");
  bench_boxes(suite);
  bench_bodies(suite);
  bench_compound(suite);
  return suite.finish();
}
