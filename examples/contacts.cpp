// Which triangles touch, and the curves along which two surfaces intersect.
#include <cstdio>

#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const wk::Shape ball = wk::Mesh(wk::make::icosphere({.radius = 1, .subdivisions = 4}));
  const wk::Shape rod = wk::Mesh(wk::make::cylinder({.radius = 0.3, .length = 4, .slices = 64, .stacks = 16}));

  const wk::Contacts found = wk::contacts(ball, rod);
  std::printf("%zu pairs of triangles touch\n", found.pairs.size());
  const wk::Contact& first = found.pairs.front();
  std::printf("one of them: %u and %u, from (%.3f, %.3f, %.3f)\n", first.a.id, first.b.id, first.segment.a[0],
              first.segment.a[1], first.segment.a[2]);

  // The rod enters and leaves the ball: two loops.
  for (const wk::Polyline& curve : wk::polylines(found))
    std::printf("%s curve of %zu points\n", curve.closed ? "closed" : "open", curve.points.size());

  // A few contacts are enough to know where. `stop` says whether there may be more.
  const wk::Contacts few = wk::contacts(ball, rod, {.max_count = 4});
  std::printf("%zu contacts, %s\n", few.pairs.size(), few.stop == wk::Stop::count ? "maybe more" : "all");
}
