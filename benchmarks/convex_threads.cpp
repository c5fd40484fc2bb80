// --threads: how a batch of convex pairs scales with the number of threads, in wall time.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <tbb/global_control.h>
#include <thread>

#include <whisker/batch.hpp>

#include "convex.hpp"
#include "near_poses.hpp"

namespace whisker::bench {

void bench_threads(Suite& suite) {
  const std::size_t count = suite.quick() ? 100'000 : 400'000;
  const auto most = static_cast<std::size_t>(std::max(1u, std::thread::hardware_concurrency()));
  for (const int points : {32, 256}) {
    const Hulls hulls = ellipsoid_hulls(2, points, 1);
    std::mt19937_64 random(10);
    std::vector<Pose> poses;
    for (std::size_t i = 0; i < count; ++i)
      poses.push_back({random_rotation(random), uniform(random, 1.2, 3.2) * random_direction(random)});
    std::vector<Distance> answers(count);
    const std::string name = "threads-distance/" + std::to_string(points);
    heading(name + ": one pair of hulls in " + std::to_string(count) + " poses");
    double alone = 0;
    for (std::size_t threads = 1; threads <= most; threads = threads < most ? std::min(2 * threads, most) : most + 1) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      double best = HUGE_VAL;
      for (int round = 0; round < 7; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        distance({hulls.shapes[0], Pose()}, hulls.shapes[1], poses, answers);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      }
      const double nanoseconds = 1e9 * best / static_cast<double>(count);
      if (threads == 1) alone = nanoseconds;
      suite.record(name, std::to_string(threads) + " threads", "ns", nanoseconds);
      char text[120];
      std::snprintf(text, sizeof text, "%3zu threads %8.1f ns a pair   %5.2f x one thread", threads, nanoseconds,
                    alone / nanoseconds);
      suite.note(text);
    }
  }
}

}  // namespace whisker::bench
