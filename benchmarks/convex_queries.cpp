// The cases of the suite `convex` that all systems run: touch, distance and depth of two hulls, cold and in sequences,
// in batches, and of many different hulls.

#include <algorithm>
#include <cmath>
#include <optional>
#include <tbb/global_control.h>

#include <Eigen/Geometry>

#include <whisker/batch.hpp>
#include <whisker/geometry/separating_axis.hpp>

#include "convex.hpp"
#include "near_poses.hpp"

namespace whisker::bench {
namespace {

// A peer's error above these tolerances counts as a disagreement.
constexpr double libccd_tolerance = 1e-6;  // FCL's setting for depths; distances are computed to 1e-12
constexpr double indep_tolerance = 1e-6;   // it stops when support points are within 1.4e-7 of each other
constexpr double bullet_tolerance = 1e-6;  // it stops at 1e-6 of the distance
/// The error bound of evaluating a proof in plain long double.
constexpr double proof_rounding = 1e-13;
/// Exact arithmetic takes a second for the largest hulls, so at most this many disagreements are checked.
constexpr std::size_t max_exact_checks = 24;

constexpr std::array<const char*, 3> question_names = {"touch", "distance", "depth"};

/// Everything for one size of hulls, or for one set of many hulls.
struct Scene {
  std::string size;
  Hulls hulls;
  FclHulls fcl;
  BulletHulls bullet;
  std::optional<OdeHulls> ode;

  Scene(std::size_t count, int points, std::uint64_t seed, bool with_ode)
      : size(std::to_string(points)), hulls(ellipsoid_hulls(count, points, seed)), fcl(hulls), bullet(hulls) {
    if (with_ode) ode.emplace(hulls);
  }
};

enum class Keep { all, apart, touching };

/// Both hulls rotated at random, with their centers `low` to `high` apart.
std::vector<HullQuery> random_queries(const Hulls& hulls, std::size_t count, std::uint64_t seed, double low,
                                      double high, Keep keep = Keep::all) {
  std::mt19937_64 random(seed);
  const auto number = [&] { return static_cast<std::uint32_t>(random() % hulls.hulls.size()); };
  std::vector<HullQuery> queries;
  while (queries.size() < count) {
    HullQuery q;
    q.a = hulls.hulls.size() > 2 ? number() : 0;
    q.b = hulls.hulls.size() > 2 ? number() : 1;
    q.pose_a = {random_rotation(random), 2 * uniform(random, 0, 1) * random_direction(random)};
    q.pose_b.set_rotation(random_rotation(random));
    q.pose_b.set_translation(q.pose_a.translation() + uniform(random, low, high) * random_direction(random));
    if (keep != Keep::all && roughly_touch(hulls, q) != (keep == Keep::touching)) continue;
    queries.push_back(q);
  }
  return queries;
}

/// Runs of `steps` queries: the first as above, then at each step b rotates by 0.01 radians about a fixed axis and
/// moves by 0.005 along a fixed direction. `keep` applies to all steps of a run.
std::vector<HullQuery> coherent_queries(const Hulls& hulls, std::size_t runs, std::size_t steps, std::uint64_t seed,
                                        double low, double high, Keep keep = Keep::all) {
  std::mt19937_64 random(seed);
  std::vector<HullQuery> queries;
  for (std::uint64_t next = seed + 1; queries.size() < runs * steps; ++next) {
    for (HullQuery q : random_queries(hulls, runs, next, low, high, keep)) {
      if (queries.size() == runs * steps) break;
      const Matrix3 turn = Eigen::AngleAxisd(0.01, random_direction(random)).toRotationMatrix();
      const Vector3 move = 0.005 * random_direction(random);
      std::vector<HullQuery> run;
      for (std::size_t i = 0; i < steps; ++i) {
        if (keep != Keep::all && roughly_touch(hulls, q) != (keep == Keep::touching)) break;
        run.push_back(q);
        // Renormalize with a quaternion, so that rounding errors do not accumulate over a hundred steps.
        q.pose_b.set_rotation(Eigen::Quaterniond(Matrix3(turn * q.pose_b.rotation())).normalized().toRotationMatrix());
        q.pose_b.set_translation(q.pose_b.translation() + move);
      }
      if (run.size() == steps) queries.insert(queries.end(), run.begin(), run.end());
    }
  }
  return queries;
}

struct Peer {
  std::string name;
  double tolerance = 0;
  Answers answers = {};
  PeerPass pass = {};
};

std::size_t count_positive(const Answers& answers) {
  return static_cast<std::size_t>(std::count_if(answers.begin(), answers.end(), [](double x) { return x > 0; }));
}

using LongVector = Eigen::Matrix<long double, 3, 1>;

/// The minimum and maximum of direction · x over the placed hull.
std::pair<long double, long double> range_along(const ConvexHull& hull, const Pose& pose, const LongVector& direction) {
  const LongVector in_hull = pose.rotation().cast<long double>().transpose() * direction;
  long double low = INFINITY, high = -INFINITY;
  for (const Vector3& v : hull.vertices()) {
    const long double along = in_hull.dot(v.cast<long double>());
    low = std::min(low, along);
    high = std::max(high, along);
  }
  const long double shift = direction.dot(pose.translation().cast<long double>());
  return {low + shift, high + shift};
}

bool is_in(const ConvexHull& hull, const Pose& pose, const Vector3& point) {
  const Vector3 local = pose.rotation().transpose() * (point - pose.translation());
  return std::all_of(hull.planes().begin(), hull.planes().end(),
                     [&](const HullPlane& plane) { return plane.normal.dot(local) <= plane.offset + proof_rounding; });
}

/// Whether the result's own points and normal prove it: the points are in the hulls and `upper` apart, and along the
/// normal the hulls are `lower` apart.
bool is_proven(const Hulls& hulls, const HullQuery& q, const Distance& d) {
  const ConvexHull &a = hulls.hulls[q.a], &b = hulls.hulls[q.b];
  const bool upper_holds = std::abs((d.point_a - d.point_b).norm() - d.upper) <= proof_rounding &&
                           is_in(a, q.pose_a, d.point_a) && is_in(b, q.pose_b, d.point_b);
  if (d.lower <= 0) return upper_holds;
  const LongVector n = d.normal.cast<long double>().normalized();
  const long double gap = range_along(b, q.pose_b, n).first - range_along(a, q.pose_a, n).second;
  return upper_holds && gap >= static_cast<long double>(d.lower - proof_rounding);
}

/// Whether the hulls overlap by at most `upper` along the depth's direction.
bool upper_is_proven(const Hulls& hulls, const HullQuery& q, const Depth& d) {
  if (d.upper <= 0) return true;
  const LongVector n = d.normal.cast<long double>().normalized();
  const long double overlap =
      range_along(hulls.hulls[q.a], q.pose_a, n).second - range_along(hulls.hulls[q.b], q.pose_b, n).first;
  return overlap <= static_cast<long double>(d.upper + proof_rounding);
}

/// whisker's results of a pass.
struct Ours {
  std::vector<std::uint8_t> touching;
  std::unique_ptr<bool[]> batch_touching;
  std::vector<Distance> distances;
  std::vector<Depth> depths;

  std::size_t yes(Question question) const {
    if (question == Question::touches) return static_cast<std::size_t>(std::count(touching.begin(), touching.end(), 1));
    if (question == Question::distance)
      return static_cast<std::size_t>(
          std::count_if(distances.begin(), distances.end(), [](const Distance& d) { return d.lower > 0; }));
    return static_cast<std::size_t>(
        std::count_if(depths.begin(), depths.end(), [](const Depth& d) { return d.upper > 0; }));
  }
};

PeerPass whisker_pass(const Asked& asked, const Hulls& hulls, Ours& ours) {
  const std::size_t count = asked.queries.size();
  ours.touching.assign(count, 0);
  ours.distances.assign(asked.question == Question::distance ? count : 0, {});
  ours.depths.assign(asked.question == Question::depth ? count : 0, {});
  return [asked, &hulls, &ours] {
    PairCache cache;
    for (std::size_t i = 0; i < asked.queries.size(); ++i) {
      const HullQuery& q = asked.queries[i];
      const Placed a(hulls.shapes[q.a], q.pose_a), b(hulls.shapes[q.b], q.pose_b);
      PairCache* kept = nullptr;
      if (asked.sequence > 0) {
        if (i % asked.sequence == 0) cache = {};
        kept = &cache;
      }
      if (asked.question == Question::touches) {
        ours.touching[i] = touches(a, b, {.cache = kept});
      } else if (asked.question == Question::distance) {
        ours.distances[i] = distance(a, b, {.cache = kept});
      } else {
        ours.depths[i] = depth(a, b, {.cache = kept});
      }
    }
  };
}

PeerPass whisker_batch(const Asked& asked, const Hulls& hulls, Ours& ours) {
  const std::size_t count = asked.queries.size();
  ours.touching.assign(count, 0);
  ours.batch_touching = std::make_unique<bool[]>(count);
  ours.distances.assign(count, {});
  std::vector<ShapePair> pairs;
  for (const HullQuery& q : asked.queries)
    pairs.push_back({&hulls.shapes[q.a], &hulls.shapes[q.b], q.pose_a, q.pose_b});
  return [question = asked.question, pairs = std::move(pairs), &ours] {
    if (question == Question::touches) {
      const std::span<bool> answers(ours.batch_touching.get(), pairs.size());
      touches(pairs, answers);
      std::copy(answers.begin(), answers.end(), ours.touching.begin());
    } else {
      distance(pairs, ours.distances);
    }
  };
}

/// Reports how a peer's results differ from whisker's, and which are right.
void compare(Suite& suite, const Asked& asked, const Hulls& hulls, const Ours& ours, const Peer& peer) {
  std::size_t differ = 0, peer_wrong = 0, we_wrong = 0, unchecked = 0, gave_up = 0;
  double worst = 0;
  for (std::size_t i = 0; i < peer.answers.size(); ++i) {
    const HullQuery& q = asked.queries[i];
    const double theirs = peer.answers[i];
    if (std::isnan(theirs)) {
      ++gave_up;
      continue;
    }
    double error = 0;
    bool ours_holds = true;
    if (asked.question == Question::touches) {
      if ((theirs > 0) == (ours.touching[i] != 0)) continue;
      if (differ >= max_exact_checks) {
        ++differ;
        ++unchecked;
        continue;
      }
      ours_holds = exactly_touch(hulls.hulls[q.a], q.pose_a, hulls.hulls[q.b], q.pose_b) == (ours.touching[i] != 0);
    } else if (asked.question == Question::distance) {
      const Distance& d = ours.distances[i];
      error = theirs < d.lower ? d.lower - theirs : theirs > d.upper ? theirs - d.upper : 0;
      if (error <= peer.tolerance * std::max(1.0, d.upper)) continue;
      ours_holds = is_proven(hulls, q, d);
    } else {
      const Depth& d = ours.depths[i];
      error = theirs < d.lower ? d.lower - theirs : theirs > d.upper ? theirs - d.upper : 0;
      if (error <= peer.tolerance) continue;
      ours_holds = upper_is_proven(hulls, q, d);
      if (theirs < d.lower) {
        // Only all directions together prove that no smaller depth exists. They take a second for the largest hulls.
        if (differ >= max_exact_checks) {
          ++differ;
          ++unchecked;
          continue;
        }
        ours_holds =
            ours_holds &&
            separating_axis(hulls.hulls[q.a].polyhedron(), q.pose_a, hulls.hulls[q.b].polyhedron(), q.pose_b).overlap >=
                d.lower - proof_rounding;
      }
    }
    ++differ;
    worst = std::max(worst, error);
    ++(ours_holds ? peer_wrong : we_wrong);
  }
  if (gave_up > 0) suite.note(peer.name + " gave up on " + std::to_string(gave_up));
  if (differ == 0) return;
  char text[240];
  if (asked.question == Question::touches) {
    std::snprintf(text, sizeof text, "%s: %zu answers differ from whisker's; in exact arithmetic %zu of them are wrong",
                  peer.name.c_str(), differ, peer_wrong);
  } else {
    std::snprintf(
        text, sizeof text,
        "%s: %zu answers are off by more than %.0e, by up to %.2g; for %zu of them whisker's bounds are proven",
        peer.name.c_str(), differ, peer.tolerance, worst, peer_wrong);
  }
  suite.note(std::string(text) + (unchecked > 0 ? ", " + std::to_string(unchecked) + " not checked" : ""));
  if (we_wrong > 0)
    suite.fail(std::to_string(we_wrong) + " answers of whisker differ from " + peer.name + "'s and do not hold");
}

/// Checks that every result of whisker carries its proof: bounds that are tight and valid.
void check_ours(Suite& suite, const Asked& asked, const Hulls& hulls, const Ours& ours) {
  double widest = 0;
  std::size_t limits = 0, unproven = 0;
  for (std::size_t i = 0; i < asked.queries.size(); ++i) {
    if (asked.question == Question::distance) {
      const Distance& d = ours.distances[i];
      widest = std::max(widest, d.upper - d.lower);
      limits += d.stop == Stop::limit ? 1 : 0;
      if (i < 2000 && !is_proven(hulls, asked.queries[i], d)) ++unproven;
    } else if (asked.question == Question::depth) {
      const Depth& d = ours.depths[i];
      widest = std::max(widest, d.upper - d.lower);
      limits += d.stop == Stop::limit ? 1 : 0;
      if (i < 2000 && !upper_is_proven(hulls, asked.queries[i], d)) ++unproven;
    }
  }
  if (asked.question == Question::touches) return;
  char text[120];
  std::snprintf(text, sizeof text, "whisker's bounds are at most %.2g apart, %zu with Stop::limit", widest, limits);
  suite.note(text);
  if (unproven > 0) suite.fail(std::to_string(unproven) + " bounds of whisker's do not hold");
}

/// ODE tries all pairs of edges, so it runs only as many of the queries as a second allows.
void measure_ode(Suite& suite, const std::string& name, const Scene& scene, Asked asked, const Ours& ours) {
  constexpr double max_seconds_a_query = 0.02;
  if (!scene.ode) return;
  Peer ode{"ODE"};
  const std::span<const HullQuery> all = asked.queries;
  asked.queries = all.first(std::min<std::size_t>(all.size(), 8));
  const auto seconds = [&] {
    ode.pass = scene.ode->pass(asked, ode.answers);
    if (!ode.pass) return 0.0;
    const double begin = thread_seconds();
    ode.pass();
    return thread_seconds() - begin;
  };
  const double one = seconds() / static_cast<double>(asked.queries.size());
  if (!ode.pass) return;
  if (one > max_seconds_a_query) {
    suite.note("ODE: over " + std::to_string(static_cast<int>(1e3 * one)) + " ms a query, not measured");
    return;
  }
  const double afford = (suite.quick() ? 0.2 : 1.0) / std::max(one, 1e-9);
  asked.queries = all.first(std::min(all.size(), std::max<std::size_t>(8, static_cast<std::size_t>(afford))));
  seconds();
  const double nanoseconds = 1e9 * seconds() / static_cast<double>(asked.queries.size());
  suite.record(name, "ODE", "ns", nanoseconds, count_positive(ode.answers));
  char text[120];
  std::snprintf(text, sizeof text, "ODE: %.0f ns on the first %zu queries, %zu touch", nanoseconds,
                asked.queries.size(), count_positive(ode.answers));
  suite.note(text);
  compare(suite, asked, scene.hulls, ours, ode);
}

struct CaseOptions {
  std::size_t sequence = 0;
  bool batch = false;
};

void bench_case(Suite& suite, const std::string& prefix, const Scene& scene, Question question,
                std::span<const HullQuery> queries, const CaseOptions& options = {}) {
  const std::string name = prefix + question_names[static_cast<std::size_t>(question)] + "/" + scene.size;
  if (!suite.wants(name)) return;
  const Asked asked{question, queries, options.sequence};
  std::vector<Peer> peers;
  peers.reserve(4);  // passes refer to the answers
  const auto add = [&](const std::string& peer_name, double tolerance, auto&& make_pass) {
    peers.push_back({peer_name, tolerance});
    peers.back().pass = make_pass(peers.back().answers);
    if (!peers.back().pass) peers.pop_back();
  };
  add("FCL/libccd", libccd_tolerance, [&](Answers& answers) { return scene.fcl.libccd(asked, answers); });
  add("FCL/indep", indep_tolerance, [&](Answers& answers) { return scene.fcl.indep(asked, answers); });
  add("Bullet", bullet_tolerance, [&](Answers& answers) { return scene.bullet.pass(asked, answers); });
  if (question == Question::depth)
    add("FCL/libccd MPR", libccd_tolerance,
        [&](Answers& answers) { return scene.fcl.libccd_mpr_depth(asked, answers); });

  Ours ours;
  std::vector<System> systems;
  std::optional<tbb::global_control> one_thread;
  if (options.batch) one_thread.emplace(tbb::global_control::max_allowed_parallelism, 1);
  systems.push_back({"whisker",
                     options.batch ? whisker_batch(asked, scene.hulls, ours) : whisker_pass(asked, scene.hulls, ours),
                     [&ours, question] { return ours.yes(question); }});
  for (const Peer& peer : peers)
    systems.push_back({peer.name, peer.pass, [&answers = peer.answers] { return count_positive(answers); }});
  suite.measure({.name = name, .calls = queries.size(), .seconds = suite.quick() ? 0.6 : 6.0}, systems);

  if (question == Question::touches && options.sequence == 0 && !options.batch)
    measure_ode(suite, name, scene, asked, ours);
  check_ours(suite, asked, scene.hulls, ours);
  for (const Peer& peer : peers)
    if (peer.name != "FCL/libccd MPR") compare(suite, asked, scene.hulls, ours, peer);
  if (question == Question::depth) {
    double worst = 0, sum = 0;
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const double error = peers.back().answers[i] - ours.depths[i].value();
      worst = std::max(worst, error);
      sum += error;
    }
    char text[120];
    std::snprintf(text, sizeof text, "FCL/libccd MPR is not the least depth: more by %.2g on average, by up to %.2g",
                  sum / static_cast<double>(queries.size()), worst);
    suite.note(text);
  }
}

/// signed_distance, against asking for the distance and, where that is 0, for the depth.
void bench_signed(Suite& suite, const std::string& name, const Scene& scene, std::span<const HullQuery> queries,
                  std::size_t sequence) {
  if (!suite.wants(name)) return;
  std::vector<double> in_one(queries.size()), in_two(queries.size());
  const auto pass = [&, queries, sequence](std::vector<double>& answers, const auto& ask) {
    return [&scene, &answers, queries, sequence, ask] {
      PairCache cache;
      for (std::size_t i = 0; i < queries.size(); ++i) {
        if (sequence > 0 && i % sequence == 0) cache = {};
        const HullQuery& q = queries[i];
        answers[i] = ask({scene.hulls.shapes[q.a], q.pose_a}, {scene.hulls.shapes[q.b], q.pose_b},
                         sequence > 0 ? &cache : nullptr);
      }
    };
  };
  const auto ask_once = [](const Placed& a, const Placed& b, PairCache* cache) {
    return signed_distance(a, b, {.cache = cache}).value();
  };
  const auto ask_twice = [](const Placed& a, const Placed& b, PairCache* cache) {
    const Distance apart = distance(a, b, {.cache = cache});
    return apart.lower > 0 ? apart.value() : -depth(a, b, {.cache = cache}).value();
  };
  suite.measure({.name = name, .calls = queries.size(), .seconds = suite.quick() ? 0.6 : 6.0},
                {{"whisker", pass(in_one, ask_once), [&in_one] { return count_positive(in_one); }},
                 {"whisker/both", pass(in_two, ask_twice), [&in_two] { return count_positive(in_two); }}});
}

/// Prints how many times faster than libccd whisker is, and the goal.
void print_goals(Suite& suite) {
  struct Goal {
    const char* name;
    double ratio;
  };
  constexpr std::array<Goal, 6> goals = {{{"distance/32", 6},
                                          {"distance/256", 8},
                                          {"distance/2048", 18},
                                          {"touch/32", 5},
                                          {"touch/256", 6},
                                          {"touch/2048", 16}}};
  if (std::none_of(goals.begin(), goals.end(), [&](const Goal& goal) { return suite.wants(goal.name); })) return;
  heading("times faster than FCL/libccd, and the goal");
  for (const Goal& goal : goals) {
    const double ratio = suite.ratio(goal.name, "FCL/libccd", "whisker");
    char text[120];
    if (ratio > 0) {
      std::snprintf(text, sizeof text, "%-14s %6.1f x   goal %2.0f x   %s", goal.name, ratio, goal.ratio,
                    ratio >= goal.ratio ? "reached" : "missed");
    } else {
      std::snprintf(text, sizeof text, "%-14s  not measured   goal %2.0f x", goal.name, goal.ratio);
    }
    suite.note(text);
  }
}

}  // namespace

void bench_queries(Suite& suite) {
  const std::size_t poses = suite.quick() ? 2'000 : 10'000;
  const std::size_t runs = suite.quick() ? 20 : 100;
  constexpr std::size_t steps = 100;
  const auto wanted = [&suite](const std::string& size) {
    for (const char* prefix : {"", "mixed-", "deep-", "warm-", "warm-deep-", "batch-"})
      for (const char* question : question_names)
        if (suite.wants(prefix + std::string(question) + "/" + size)) return true;
    return suite.wants("signed/" + size) || suite.wants("warm-signed/" + size);
  };
  for (const int points : hull_sizes) {
    if (!wanted(std::to_string(points))) continue;
    heading("two hulls of " + std::to_string(points) + " points on ellipsoids");
    const Scene scene(2, points, 1, true);
    // Centers far enough apart that most pairs are disjoint, as in the pairs of a broad phase, and centers where about
    // half are.
    const std::vector<HullQuery> mostly_apart = random_queries(scene.hulls, poses, 10, 1.2, 3.2);
    const std::vector<HullQuery> mixed = random_queries(scene.hulls, poses, 11, 0.6, 2.4);
    bench_case(suite, "", scene, Question::distance, mostly_apart);
    bench_case(suite, "", scene, Question::touches, mostly_apart);
    bench_case(suite, "mixed-", scene, Question::distance, mixed);
    bench_case(suite, "mixed-", scene, Question::touches, mixed);
    // The overlapping ones of the same poses, and hulls that penetrate each other by half or more.
    if (suite.wants("depth/" + scene.size))
      bench_case(suite, "", scene, Question::depth, random_queries(scene.hulls, poses, 12, 1.2, 3.2, Keep::touching));
    if (suite.wants("deep-depth/" + scene.size))
      bench_case(suite, "deep-", scene, Question::depth, random_queries(scene.hulls, poses, 12, 0.2, 0.8));
    bench_signed(suite, "signed/" + scene.size, scene, mixed, 0);
    if (suite.wants("warm-signed/" + scene.size))
      bench_signed(suite, "warm-signed/" + scene.size, scene, coherent_queries(scene.hulls, runs, steps, 16, 0.6, 2.4),
                   steps);
    const std::vector<HullQuery> sequences = coherent_queries(scene.hulls, runs, steps, 13, 1.2, 3.2);
    bench_case(suite, "warm-", scene, Question::distance, sequences, {.sequence = steps});
    bench_case(suite, "warm-", scene, Question::touches, sequences, {.sequence = steps});
    if (suite.wants("warm-depth/" + scene.size))
      bench_case(suite, "warm-", scene, Question::depth,
                 coherent_queries(scene.hulls, runs, steps, 14, 1.2, 3.2, Keep::touching), {.sequence = steps});
    if (suite.wants("warm-deep-depth/" + scene.size))
      bench_case(suite, "warm-deep-", scene, Question::depth, coherent_queries(scene.hulls, runs, steps, 14, 0.2, 0.8),
                 {.sequence = steps});
    if (points == 32) {
      bench_case(suite, "batch-", scene, Question::distance, mostly_apart, {.batch = true});
      bench_case(suite, "batch-", scene, Question::touches, mostly_apart, {.batch = true});
    }
  }
  for (const int points : hull_sizes) {
    const std::string size = std::to_string(points);
    if (!suite.wants("cold-distance/" + size) && !suite.wants("cold-touch/" + size)) continue;
    const std::size_t count = suite.quick() && points > 256 ? 100 : 500;
    heading(std::to_string(count) + " different hulls of " + size + " points, two of them at a time");
    const Scene scene(count, points, 1000, false);
    const std::vector<HullQuery> queries = random_queries(scene.hulls, poses, 15, 1.2, 3.2);
    bench_case(suite, "cold-", scene, Question::distance, queries);
    bench_case(suite, "cold-", scene, Question::touches, queries);
  }
  print_goals(suite);
}

}  // namespace whisker::bench
