// An example of an adapter for `./bench simple --peer` (peer_adapter.h): FCL with libccd, with its default settings,
// for all kinds but segments and triangles. The suite knows FCL already; adapter_test compares the two.

#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <variant>
#include <vector>

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/halfspace.h>
#include <fcl/geometry/shape/plane.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/contact_point.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>

#include "peer_adapter.h"

namespace {

using AnyShape = std::variant<fcl::Sphered, fcl::Capsuled, fcl::Boxd, fcl::Cylinderd, fcl::Coned, fcl::Ellipsoidd,
                              fcl::Halfspaced, fcl::Planed>;
using Solver = fcl::detail::GJKSolver_libccd<double>;

template <class Shape>
constexpr bool unbounded = std::is_same_v<Shape, fcl::Halfspaced> || std::is_same_v<Shape, fcl::Planed>;

struct Placed {
  const AnyShape *a, *b;
  fcl::Transform3d pose_a, pose_b;
};

/// A question about pairs, with the poses in FCL's type.
struct Prepared {
  whisker_peer_question question;
  std::vector<Placed, Eigen::aligned_allocator<Placed>> pairs;
};

template <class A, class B>
double distance(const A& a, const fcl::Transform3d& pose_a, const B& b, const fcl::Transform3d& pose_b) {
  if constexpr (unbounded<A> || unbounded<B>) {
    return std::numeric_limits<double>::quiet_NaN();  // never asked: see prepare
  } else {
    double value = 0;
    fcl::Vector3d on_a, on_b;
    Solver().shapeDistance(a, pose_a, b, pose_b, &value, &on_a, &on_b);
    return value;
  }
}

template <class A, class B>
double answer_one(whisker_peer_question question, const A& a, const fcl::Transform3d& pose_a, const B& b,
                  const fcl::Transform3d& pose_b) {
  if (question == WHISKER_PEER_TOUCH) return Solver().shapeIntersect(a, pose_a, b, pose_b, nullptr) ? 1 : 0;
  if (question == WHISKER_PEER_DISTANCE) return distance(a, pose_a, b, pose_b);
  std::vector<fcl::ContactPointd> contacts;
  Solver().shapeIntersect(a, pose_a, b, pose_b, &contacts);
  double depth = 0;
  for (const fcl::ContactPointd& contact : contacts)
    depth = std::max(depth, std::abs(contact.penetration_depth));
  return depth;
}

fcl::Transform3d pose_of(const double (&numbers)[12]) {
  fcl::Transform3d pose = fcl::Transform3d::Identity();
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column)
      pose.linear()(row, column) = numbers[3 * row + column];
    pose.translation()[row] = numbers[9 + row];
  }
  return pose;
}

// ---- the functions of the table

void* make_shape(whisker_peer_kind kind, const double* x, std::size_t) {
  switch (kind) {
    case WHISKER_PEER_SPHERE:
      return new AnyShape(fcl::Sphered(x[0]));
    case WHISKER_PEER_CAPSULE:
      return new AnyShape(fcl::Capsuled(x[0], x[1]));
    case WHISKER_PEER_BOX:
      return new AnyShape(fcl::Boxd(x[0], x[1], x[2]));
    case WHISKER_PEER_CYLINDER:
      return new AnyShape(fcl::Cylinderd(x[0], x[1]));
    case WHISKER_PEER_CONE:
      return new AnyShape(fcl::Coned(x[0], x[1]));
    case WHISKER_PEER_ELLIPSOID:
      return new AnyShape(fcl::Ellipsoidd(x[0], x[1], x[2]));
    case WHISKER_PEER_HALF_SPACE:
      return new AnyShape(fcl::Halfspaced(fcl::Vector3d(x[0], x[1], x[2]), x[3]));
    case WHISKER_PEER_PLANE:
      return new AnyShape(fcl::Planed(fcl::Vector3d(x[0], x[1], x[2]), x[3]));
    default:
      return nullptr;
  }
}

void free_shape(void* shape) {
  delete static_cast<AnyShape*>(shape);
}

bool is_unbounded(const AnyShape& shape) {
  return std::visit([](const auto& s) { return unbounded<std::decay_t<decltype(s)>>; }, shape);
}

void* prepare(whisker_peer_question question, const whisker_peer_pair* pairs, std::size_t count) {
  auto prepared = std::make_unique<Prepared>();
  prepared->question = question;
  for (std::size_t i = 0; i < count; ++i) {
    prepared->pairs.push_back({static_cast<const AnyShape*>(pairs[i].a), static_cast<const AnyShape*>(pairs[i].b),
                               pose_of(pairs[i].pose_a), pose_of(pairs[i].pose_b)});
  }
  // FCL has no distances from half-spaces and planes, and no depth of two of them.
  const Placed& first = prepared->pairs.front();
  const int sides = (is_unbounded(*first.a) ? 1 : 0) + (is_unbounded(*first.b) ? 1 : 0);
  if (question == WHISKER_PEER_DISTANCE && sides > 0) return nullptr;
  if (question == WHISKER_PEER_DEPTH && sides == 2) return nullptr;
  return prepared.release();
}

void answer(void* prepared, double* answers) {
  const auto& asked = *static_cast<const Prepared*>(prepared);
  for (const Placed& p : asked.pairs) {
    *answers++ = std::visit(
        [&](const auto& a, const auto& b) { return answer_one(asked.question, a, p.pose_a, b, p.pose_b); }, *p.a, *p.b);
  }
}

void discard(void* prepared) {
  delete static_cast<Prepared*>(prepared);
}

constexpr whisker_peer table = {WHISKER_PEER_VERSION, "FCL/adapter", make_shape, free_shape, prepare, answer, discard};

}  // namespace

extern "C" const whisker_peer* whisker_peer_adapter() {
  return &table;
}
