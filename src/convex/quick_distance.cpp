#include "convex/quick_distance.hpp"

#include <cmath>

#include "convex/exchange.hpp"
#include "convex/quick_cores.hpp"
#include "convex/shape_cores.hpp"
#include "geometry/closest_parameters.hpp"
#include "geometry/place.hpp"
#include "geometry/raw_pose.hpp"
#include "volumes/box_axes.hpp"

namespace whisker::convex {
namespace {

using Kind = QuickCore::Kind;

void copy(const Vector3& from, double* to) {
  for (int i = 0; i < 3; ++i)
    to[i] = from[i];
}

Vector3 vector(const double* from) {
  return {from[0], from[1], from[2]};
}

double sum_of_sizes(const Vector3& v) {
  return v.cwiseAbs().sum();
}

void set_posed(Kind kind, const Pose& pose, double radius, QuickCore& core) {
  core.kind = kind;
  core.rotation = pose.rotation().data();
  core.translation = pose.translation().data();
  core.radius = radius;
}

int compare(const double* x, const double* y, int count) {
  for (int i = 0; i < count; ++i)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

}  // namespace

bool set_core(const Shape& shape, const Pose& pose, QuickCore& core) {
  switch (shape.kind()) {
    case ShapeKind::sphere:
      set_posed(Kind::sphere, pose, shape.as<Sphere>()->radius, core);
      return true;
    case ShapeKind::capsule: {
      const Capsule& s = *shape.as<Capsule>();
      set_posed(Kind::capsule, pose, s.radius, core);
      core.half[0] = s.length / 2;
      return true;
    }
    case ShapeKind::box: {
      const Box& s = *shape.as<Box>();
      set_posed(Kind::box, pose, 0, core);
      for (int i = 0; i < 3; ++i)
        core.half[i] = s.size[i] / 2;
      return true;
    }
    case ShapeKind::segment: {
      const Segment& s = *shape.as<Segment>();
      core.kind = Kind::segment;
      core.radius = 0;
      copy(geometry::placed_point(pose, s.a), core.corners[0]);
      copy(geometry::placed_point(pose, s.b), core.corners[1]);
      core.half[0] = sum_of_sizes(s.a) + sum_of_sizes(s.b);
      return true;
    }
    case ShapeKind::triangle: {
      const Triangle& s = *shape.as<Triangle>();
      core.kind = Kind::triangle;
      core.radius = 0;
      copy(geometry::placed_point(pose, s.a), core.corners[0]);
      copy(geometry::placed_point(pose, s.b), core.corners[1]);
      copy(geometry::placed_point(pose, s.c), core.corners[2]);
      core.half[0] = sum_of_sizes(s.a) + sum_of_sizes(s.b) + sum_of_sizes(s.c);
      return true;
    }
    default:
      return false;
  }
}

bool comes_first(const QuickCore& a, const QuickCore& b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.radius != b.radius) return a.radius < b.radius;
  if (a.kind == Kind::segment || a.kind == Kind::triangle) {
    for (int i = 0; i < (a.kind == Kind::segment ? 2 : 3); ++i)
      if (const int order = compare(a.corners[i], b.corners[i], 3); order != 0) return order < 0;
    return false;
  }
  if (const int order = compare(a.translation, b.translation, 3); order != 0) return order < 0;
  if (a.kind == Kind::sphere) return false;
  if (const int order = compare(a.half, b.half, a.kind == Kind::box ? 3 : 1); order != 0) return order < 0;
  return compare(a.rotation, b.rotation, 9) < 0;
}

namespace {

bool set_core(const Placed& placed, QuickCore& core) {
  return set_core(placed.shape, placed.pose, core);
}
/// The same for shapes that have no core.
bool set_curved(const Placed& placed, QuickCore& core) {
  if (const auto* const cylinder = placed.shape.as<Cylinder>()) {
    set_posed(Kind::cylinder, placed.pose, cylinder->radius, core);
    core.half[0] = cylinder->length / 2;
  } else if (const auto* const cone = placed.shape.as<Cone>()) {
    set_posed(Kind::cone, placed.pose, cone->radius, core);
    core.half[0] = cone->length / 2;
  } else if (const auto* const ellipsoid = placed.shape.as<Ellipsoid>()) {
    set_posed(Kind::ellipsoid, placed.pose, 0, core);
    copy(ellipsoid->radii, core.half);
  } else {
    return false;
  }
  return true;
}

bool set_core(const SimpleShape& shape, QuickCore& core) {
  const Vector3* const corners[] = {&shape.corners.a, &shape.corners.b, &shape.corners.c};
  switch (shape.core) {
    case SimpleShape::Core::point:
      core.kind = Kind::sphere;
      core.rotation = nullptr;
      core.translation = shape.corners.a.data();
      core.radius = shape.radius;
      return true;
    case SimpleShape::Core::segment:
      if (shape.capsule_length >= 0) {
        set_posed(Kind::capsule, shape.pose, shape.radius, core);
        core.half[0] = shape.capsule_length / 2;
        return true;
      }
      [[fallthrough]];
    case SimpleShape::Core::triangle: {
      const bool is_segment = shape.core == SimpleShape::Core::segment;
      core.kind = is_segment ? Kind::segment : Kind::triangle;
      core.radius = shape.radius;
      core.half[0] = 0;
      for (int i = 0; i < (is_segment ? 2 : 3); ++i) {
        copy(*corners[i], core.corners[i]);
        core.half[0] += corners[i]->lpNorm<1>();
      }
      return true;
    }
    case SimpleShape::Core::box:
      set_posed(Kind::box, shape.pose, 0, core);
      copy(shape.box.size / 2, core.half);
      return true;
    default:
      return false;
  }
}

Segment segment_of(const QuickCore& core) {
  if (core.kind == Kind::segment) return {vector(core.corners[0]), vector(core.corners[1])};
  const Vector3 center = vector(core.translation);
  const Vector3 half = core.half[0] * vector(core.rotation + 6);
  return {center - half, center + half};
}
Triangle triangle_of(const QuickCore& core) {
  return {vector(core.corners[0]), vector(core.corners[1]), vector(core.corners[2])};
}

/// `is_flipped`: the answer is that of the exchanged shapes.
Quick copy_answer(const QuickAnswer& answer, bool is_flipped, Distance& result, Depth* deep) {
  result.cost.primitive_tests = 1;
  const auto copy_to = [&](auto& found) {
    found.lower = answer.lower;
    found.upper = answer.upper;
    found.normal = vector(answer.normal);
    found.point_a = vector(answer.point_a);
    found.point_b = vector(answer.point_b);
    if (is_flipped) exchange(found);
  };
  switch (answer.state) {
    case QuickAnswer::State::unknown:
      return Quick::unknown;
    case QuickAnswer::State::overlapping:
      result.point_a = result.point_b = vector(answer.point_a);
      return Quick::alone;
    case QuickAnswer::State::deep:
      copy_to(*deep);
      return Quick::found;
    case QuickAnswer::State::deep_alone:
      copy_to(*deep);
      return Quick::alone;
    default:
      copy_to(result);
      return answer.state == QuickAnswer::State::alone ? Quick::alone : Quick::found;
  }
}

/// The cores of two shapes, in an order of their own.
struct CorePair {
  QuickCore cores[2];
  bool is_flipped = false;

  /// Returns false if there are none.
  template <class Form>
  bool set(const Form& a, const Form& b) {
    if (!set_core(a, cores[0]) || !set_core(b, cores[1])) return false;
    is_flipped = comes_first(cores[1], cores[0]);
    return true;
  }
  const QuickCore& first() const { return cores[is_flipped ? 1 : 0]; }
  const QuickCore& second() const { return cores[is_flipped ? 0 : 1]; }
  /// Whether they can overlap by more than rounding.
  bool have_axes() const {
    return second().kind == Kind::box || (second().kind == Kind::triangle && first().kind != Kind::sphere);
  }
};

/// Whether closest points are a common point of two cores that are known to overlap.
bool is_common_point(const QuickAnswer& answer) {
  double off = 0, size = 0;
  for (int i = 0; i < 3; ++i) {
    off += std::abs(answer.point_b[i] - answer.point_a[i]);
    size += std::abs(answer.point_a[i]);
  }
  return off <= 0x1p-48 * size;
}

/// For any form of placed shapes.
template <class Form>
Quick find_for(const Form& a, const Form& b, Distance& result, Depth* deep) {
  CorePair pair;
  if (!pair.set(a, b)) return Quick::unknown;
  const QuickCore &first = pair.first(), &second = pair.second();
  QuickAnswer answer;
  answer.state = QuickAnswer::State::unknown;
  if (deep != nullptr && pair.have_axes()) run_quick_overlap(first, second, answer);
  if (answer.state == QuickAnswer::State::unknown) {
    run_quick(first, second, deep != nullptr, answer);
    if (answer.state == QuickAnswer::State::unknown && deep == nullptr && pair.have_axes() && is_common_point(answer) &&
        run_axes(first, second) == volumes::AxesTell::overlapping) {
      answer.state = QuickAnswer::State::overlapping;
    }
  }
  return copy_answer(answer, pair.is_flipped, result, deep);
}

QuickTouch to_touch(volumes::AxesTell tell) {
  return tell == volumes::AxesTell::unknown ? QuickTouch::unknown
         : tell == volumes::AxesTell::apart ? QuickTouch::no
                                            : QuickTouch::yes;
}

template <class Form>
QuickTouch touch_for(const Form& a, const Form& b) {
  CorePair pair;
  if (!pair.set(a, b) || !pair.have_axes()) return QuickTouch::unknown;
  return to_touch(run_axes(pair.first(), pair.second()));
}
}  // namespace

void search_closest(const QuickCore& a, const QuickCore& b, double* at_a, double* at_b) {
  const auto pose_of = [](const QuickCore& core) {
    return geometry::raw_pose(Matrix3(Eigen::Map<const Matrix3>(core.rotation)), vector(core.translation));
  };
  const auto box_of = [](const QuickCore& core) { return Box{2 * vector(core.half)}; };
  const bool is_line = a.kind == Kind::capsule || a.kind == Kind::segment;
  if (b.kind == Kind::triangle) {
    if (a.kind == Kind::sphere) {
      const Vector3 point = vector(a.translation);
      copy(geometry::closest_point_triangle(point, triangle_of(b)).weights, at_b);
    } else if (is_line) {
      const auto p = geometry::closest_segment_triangle(segment_of(a), triangle_of(b));
      at_a[0] = p.s;
      copy(p.weights, at_b);
    } else {
      const auto p = geometry::closest_triangle_triangle(triangle_of(a), triangle_of(b));
      copy(p.weights_a, at_a);
      copy(p.weights_b, at_b);
    }
  } else if (is_line) {
    const auto p = geometry::closest_segment_box(segment_of(a), box_of(b), pose_of(b));
    at_a[0] = p.s;
    copy(p.local, at_b);
  } else if (a.kind == Kind::triangle) {
    const auto p = geometry::closest_triangle_box(triangle_of(a), box_of(b), pose_of(b));
    copy(p.weights, at_a);
    copy(p.local, at_b);
  } else {
    const auto p = geometry::closest_box_box(box_of(a), pose_of(a), box_of(b), pose_of(b));
    copy(p.local_a, at_a);
    copy(p.local_b, at_b);
  }
}

Quick find_quick_distance(const Placed& a, const Placed& b, Distance& result, Depth* deep) {
  return find_for(a, b, result, deep);
}
Quick find_quick_distance(const SimpleShape& a, const SimpleShape& b, Distance& result, Depth* deep) {
  return find_for(a, b, result, deep);
}

Quick find_sphere_distance(const Vector3& center_a, double radius_a, const Vector3& center_b, double radius_b,
                           Distance& result, Depth* deep) {
  QuickAnswer answer;
  run_quick_spheres(center_a.data(), radius_a, center_b.data(), radius_b, deep != nullptr, answer);
  return copy_answer(answer, false, result, deep);
}

QuickTouch find_axes_touch(const Placed& a, const Placed& b) {
  const auto *const box_a = a.shape.as<Box>(), *const box_b = b.shape.as<Box>();
  if (box_a == nullptr || box_b == nullptr) {
    // A sphere and a triangle have no axes, so their cores are not needed.
    const bool has_ball = a.shape.kind() == ShapeKind::sphere || b.shape.kind() == ShapeKind::sphere;
    return has_ball && box_a == nullptr && box_b == nullptr ? QuickTouch::unknown : touch_for(a, b);
  }
  const Vector3 half_a = box_a->size / 2, half_b = box_b->size / 2,
                between = b.pose.translation() - a.pose.translation();
  return to_touch(volumes::tell_boxes({a.pose.rotation().data(), half_a.data()},
                                      {b.pose.rotation().data(), half_b.data()}, between.data()));
}
QuickTouch find_axes_touch(const SimpleShape& a, const SimpleShape& b) {
  return touch_for(a, b);
}

Quick find_quick_flat(const Placed& a, const Placed& b, Distance& result, Depth* deep) {
  const ShapeKind kind_a = a.shape.kind();
  const bool is_flipped = kind_a == ShapeKind::half_space || kind_a == ShapeKind::plane;
  const Placed &bounded = is_flipped ? b : a, &flat = is_flipped ? a : b;
  QuickCore core;
  if (!set_core(bounded, core) && !set_curved(bounded, core)) return Quick::unknown;
  const auto* const half_space = flat.shape.as<HalfSpace>();
  QuickFlat boundary;
  boundary.is_plane = half_space == nullptr;
  boundary.offset = half_space != nullptr ? half_space->offset : flat.shape.as<Plane>()->offset;
  boundary.origin = flat.pose.translation().data();
  copy(geometry::placed_direction(flat.pose,
                                  half_space != nullptr ? half_space->normal : flat.shape.as<Plane>()->normal),
       boundary.normal);
  QuickAnswer answer;
  run_quick_flat(core, boundary, deep != nullptr, answer);
  return copy_answer(answer, is_flipped, result, deep);
}

}  // namespace whisker::convex
