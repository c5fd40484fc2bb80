// The suite `swift`: marching and levels of detail on the orbits of their paper.

#include "swift.hpp"

int main(int argc, char** argv) {
  using namespace whisker::bench;
  Suite suite("swift", argc, argv);
  if (suite.usage_error()) return 2;
  bench_level_builds(suite);
  bench_orbits(suite);
  if (!suite.quick()) bench_large_orbits(suite);
  print_orderings(suite);
  return suite.finish();
}
