// One pair of oriented boxes: whisker's proven test, the 15 axes in plain double, and 144 edge–face tests.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <whisker/geometry/obb.hpp>

#include "rapid.hpp"

namespace whisker::bench {
namespace {

struct BoxPair {
  Obb a, b;
};

/// The separation of the boxes along the best of the 15 axes, in plain double. If negative, the overlap along the axis
/// of least overlap (axes are not of unit length). With `first`, stops at the first separating axis.
double separation(const Obb& a, const Obb& b, bool first) {
  // Gottschalk, Lin and Manocha 1996: everything in a's frame, R = AᵀB.
  const Matrix3 r = a.axes.transpose() * b.axes;
  const Matrix3 abs_r = r.cwiseAbs();
  const Vector3 t = a.axes.transpose() * (b.center - a.center);
  double most = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    most = std::max(most, std::abs(t[i]) - (a.half[i] + abs_r.row(i).dot(b.half)));
    if (first && most > 0) return most;
  }
  for (int j = 0; j < 3; ++j) {
    most = std::max(most, std::abs(r.col(j).dot(t)) - (b.half[j] + abs_r.col(j).dot(a.half)));
    if (first && most > 0) return most;
  }
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double radius_a = a.half[i1] * abs_r(i2, j) + a.half[i2] * abs_r(i1, j);
      const double radius_b = b.half[j1] * abs_r(i, j2) + b.half[j2] * abs_r(i, j1);
      most = std::max(most, std::abs(t[i2] * r(i1, j) - t[i1] * r(i2, j)) - (radius_a + radius_b));
      if (first && most > 0) return most;
    }
  }
  return most;
}

/// Whether one of the 12 edges of `edges` intersects one of the 6 faces of `faces`: 72 tests of a segment and a
/// rectangle.
bool edge_meets_face(const Obb& edges, const Obb& faces) {
  const Matrix3 axes = faces.axes.transpose() * edges.axes;
  const Vector3 center = faces.axes.transpose() * (edges.center - faces.center);
  for (int along = 0; along < 3; ++along) {
    const int u = (along + 1) % 3, v = (along + 2) % 3;
    for (int corner = 0; corner < 4; ++corner) {
      const Vector3 middle_of_edge = center + (corner & 1 ? 1 : -1) * edges.half[u] * axes.col(u) +
                                     (corner & 2 ? 1 : -1) * edges.half[v] * axes.col(v);
      const Vector3 half_edge = edges.half[along] * axes.col(along);
      const Vector3 p = middle_of_edge - half_edge, q = middle_of_edge + half_edge;
      for (int face = 0; face < 6; ++face) {
        const int n = face / 2, n1 = (n + 1) % 3, n2 = (n + 2) % 3;
        const double plane = face % 2 ? faces.half[n] : -faces.half[n];
        const double from = p[n] - plane, to = q[n] - plane;
        if ((from > 0 && to > 0) || (from < 0 && to < 0)) continue;
        if (from == to) continue;  // in the plane: it then meets the border of another face, or lies inside this one
        const double s = from / (from - to);
        if (std::abs(p[n1] + s * (q[n1] - p[n1])) <= faces.half[n1] &&
            std::abs(p[n2] + s * (q[n2] - p[n2])) <= faces.half[n2])
          return true;
      }
    }
  }
  return false;
}

bool center_inside(const Obb& inner, const Obb& outer) {
  const Vector3 t = outer.axes.transpose() * (inner.center - outer.center);
  return (t.cwiseAbs().array() <= outer.half.array()).all();
}

/// 144 tests of an edge and a face, and the centers for boxes that contain each other, where no edge meets a face.
bool edge_face_overlaps(const Obb& a, const Obb& b) {
  return edge_meets_face(a, b) || edge_meets_face(b, a) || center_inside(a, b) || center_inside(b, a);
}

/// Half sizes from 0.2 to 1, the last `flat` of them 0.
Obb random_box(std::mt19937_64& random, int flat) {
  Obb box;
  box.axes = random_rotation(random);
  for (int i = 0; i < 3; ++i)
    box.half[i] = i < 3 - flat ? uniform(random, 0.2, 1) : 0;
  for (int i = 0; i < 3; ++i)
    box.center[i] = uniform(random, -1, 1);
  return box;
}

void bench_pairs(Suite& suite, const std::string& name, int flat_a, int flat_b) {
  if (!suite.wants(name)) return;
  const std::size_t count = suite.quick() ? 16'384 : 65'536;
  std::mt19937_64 random(4);
  std::vector<BoxPair> pairs;
  while (pairs.size() < count) {  // half of the pairs overlap, at random
    const bool overlapping = random() % 2 == 0;
    BoxPair pair{random_box(random, flat_a), random_box(random, flat_b)};
    while ((separation(pair.a, pair.b, true) <= 0) != overlapping)
      pair = {random_box(random, flat_a), random_box(random, flat_b)};
    pairs.push_back(pair);
  }
  const auto system = [&](const std::string& system_name, auto&& test, std::vector<std::uint8_t>& answers) {
    answers.assign(count, 0);
    return System{system_name,
                  [&pairs, &answers, test] {
                    for (std::size_t i = 0; i < pairs.size(); ++i)
                      answers[i] = test(pairs[i].a, pairs[i].b);
                  },
                  [&answers] { return static_cast<std::size_t>(std::count(answers.begin(), answers.end(), 1)); }};
  };
  std::vector<std::uint8_t> proven, plain, edge_face;
  suite.measure(
      {.name = name, .calls = count, .seconds = suite.quick() ? 2.0 : 10.0},
      {system(
           "whisker", [](const Obb& a, const Obb& b) { return overlaps(a, b); }, proven),
       system(
           "15 axes in double", [](const Obb& a, const Obb& b) { return separation(a, b, true) <= 0; }, plain),
       system("144 edge-face tests", edge_face_overlaps, edge_face)});
  // Where the results differ, the boxes must be within rounding of contact. Otherwise one of the tests is wrong.
  std::size_t plain_differs = 0, edge_face_differs = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool near = std::abs(separation(pairs[i].a, pairs[i].b, false)) < 1e-12;
    plain_differs += plain[i] != proven[i];
    edge_face_differs += edge_face[i] != proven[i];
    if (plain[i] != proven[i] && !near)
      suite.fail(name + ": pair " + std::to_string(i) + " is not within rounding of contact, and the axes disagree");
  }
  suite.note("answers that differ from whisker's: 15 axes " + std::to_string(plain_differs) + ", 144 edge-face tests " +
             std::to_string(edge_face_differs));
}

}  // namespace

void bench_boxes(Suite& suite) {
  if (suite.wants("boxes/box-box")) {
    heading("boxes: one pair of oriented boxes, half of the pairs overlap");
    suite.note("the paper (HP 735/125), a pair: 15 axes 5 to 7 us, closest features 45 to 105 us, linear programming");
    suite.note("180 to 230 us; Lin's slides (SGI Max Impact, 250 MHz R4400): 6.26 us, GJK 66.3 us, linear programming");
    suite.note("217 us. GJK and linear programming of today: ./bench convex, boxes/box-box");
  }
  bench_pairs(suite, "boxes/box-box", 0, 0);
  bench_pairs(suite, "boxes/box-rectangle", 0, 1);
  bench_pairs(suite, "boxes/rectangle-rectangle", 1, 1);
  bench_pairs(suite, "boxes/box-segment", 0, 2);
}

}  // namespace whisker::bench
