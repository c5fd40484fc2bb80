#include <cstddef>
#include <vector>

#include <whisker/batch.hpp>
#include <whisker/make/make.hpp>
#include <whisker/simd.hpp>

#include "geometry/threads.hpp"

namespace whisker {
namespace {

/// A shape of each kind that has algorithms of its own.
std::vector<Shape> small_shapes() {
  const MeshData ball = make::icosphere({.radius = 0.5, .subdivisions = 1});
  const std::vector<double> heights(9, 0.25);
  return {Sphere{0.5},
          Capsule{0.25, 1},
          Box{{1, 1, 1}},
          HalfSpace{},
          Plane{},
          Segment{{-1, 0, 0}, {1, 0, 0}},
          Triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
          Cylinder{0.5, 1},
          Cone{0.5, 1},
          Ellipsoid{{0.25, 0.5, 1}},
          ConvexHull(ball.vertices),
          Mesh(ball).solid(),
          HeightField(heights, 3, 3, 1, 1),
          Compound({{Sphere{0.5}, Pose()}, {Box{{1, 1, 1}}, Pose(Vector3(1, 0, 0))}})};
}

void ask(Question question, const Placed& a, const Placed& b) {
  if (!is_supported(question, a.shape.kind(), b.shape.kind())) return;
  if (question == Question::touches) touches(a, b);
  if (question == Question::distance) distance(a, b);
  if (question == Question::depth) depth(a, b);
  if (question == Question::signed_distance) signed_distance(a, b);
}

}  // namespace

void warm_up(int threads) {
  const std::vector<Shape> shapes = small_shapes();
  const Matrix3 turn = (Matrix3() << 0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1).finished();
  const Pose overlapping(turn, Vector3(0.3, 0.1, 0.2)), apart(turn, Vector3(4, 5, 6));
  std::vector<ShapePair> pairs;
  for (auto a = shapes.begin(); a != shapes.end(); ++a)
    for (auto b = a; b != shapes.end(); ++b)
      pairs.push_back({&*a, &*b, Pose(), apart});
  std::vector<Distance> answers(pairs.size());
  with_threads("warm_up", threads, [&] { distance(pairs, answers); });
  for (auto a = shapes.begin(); a != shapes.end(); ++a) {
    for (auto b = a; b != shapes.end(); ++b) {
      for (const Question question : {Question::touches, Question::distance, Question::depth})
        ask(question, *a, {*b, overlapping});
      for (const Question question : {Question::touches, Question::distance, Question::signed_distance})
        ask(question, *a, {*b, apart});
    }
    cast_ray({{4, 0.1, 0.2}, {-1, 0, 0}}, *a);
  }
}

}  // namespace whisker
