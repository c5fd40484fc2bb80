#pragma once

// What the two files on FCL's solvers share: FCL's types, and the choice of the types of a row.

#include <type_traits>
#include <utility>
#include <vector>

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/halfspace.h>
#include <fcl/geometry/shape/plane.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/geometry/shape/triangle_p.h>
#include <fcl/narrowphase/contact_point.h>

#include "simple.hpp"

namespace whisker::bench {

inline fcl::Transform3d to_fcl(const Pose& pose) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  result.linear() = pose.rotation();
  result.translation() = pose.translation();
  return result;
}

/// A shape in FCL's types. `pose` is moved where FCL's frame of the shape differs.
inline fcl::Sphered to_fcl(const Sphere& s, fcl::Transform3d&) {
  return fcl::Sphered(s.radius);
}
inline fcl::Capsuled to_fcl(const Capsule& s, fcl::Transform3d&) {
  return fcl::Capsuled(s.radius, s.length);
}
inline fcl::Boxd to_fcl(const Box& s, fcl::Transform3d&) {
  return fcl::Boxd(s.size);
}
inline fcl::Cylinderd to_fcl(const Cylinder& s, fcl::Transform3d&) {
  return fcl::Cylinderd(s.radius, s.length);
}
inline fcl::Coned to_fcl(const Cone& s, fcl::Transform3d&) {
  return fcl::Coned(s.radius, s.length);
}
inline fcl::Ellipsoidd to_fcl(const Ellipsoid& s, fcl::Transform3d&) {
  return fcl::Ellipsoidd(s.radii);
}
inline fcl::Halfspaced to_fcl(const HalfSpace& s, fcl::Transform3d&) {
  return fcl::Halfspaced(s.normal, s.offset);
}
inline fcl::Planed to_fcl(const Plane& s, fcl::Transform3d&) {
  return fcl::Planed(s.normal, s.offset);
}
inline fcl::TrianglePd to_fcl(const Triangle& s, fcl::Transform3d&) {
  return fcl::TrianglePd(s.a, s.b, s.c);
}
/// FCL has no segments: a capsule of radius 0.
inline fcl::Capsuled to_fcl(const Segment& s, fcl::Transform3d& pose) {
  const Vector3 along = s.b - s.a;
  const Vector3 middle = (s.a + s.b) / 2;
  pose.translation() = pose * middle;
  pose.linear() = pose.linear() * Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), along).toRotationMatrix();
  return fcl::Capsuled(0, along.norm());
}

template <class Kind>
using FclShape = decltype(to_fcl(std::declval<Kind>(), std::declval<fcl::Transform3d&>()));

/// The inputs of a row in FCL's types.
template <class A, class B>
struct FclInputs {
  struct Input {
    A a;
    B b;
    fcl::Transform3d pose_a, pose_b;
  };
  std::vector<Input, Eigen::aligned_allocator<Input>> inputs;
};

template <class A, class B>
auto fcl_inputs(const SimpleRow& row) {
  FclInputs<FclShape<A>, FclShape<B>> result;
  result.inputs.reserve(row.inputs.size());
  for (const SimpleInput& in : row.inputs) {
    fcl::Transform3d pose_a = to_fcl(in.pose_a), pose_b = to_fcl(in.pose_b);
    const auto a = to_fcl(*in.a.as<A>(), pose_a);
    const auto b = to_fcl(*in.b.as<B>(), pose_b);
    result.inputs.push_back({a, b, pose_a, pose_b});
  }
  return result;
}

template <class T>
inline constexpr bool is_side = std::is_same_v<T, fcl::Halfspaced> || std::is_same_v<T, fcl::Planed>;
template <class T>
inline constexpr bool is_triangle = std::is_same_v<T, fcl::TrianglePd>;
template <class T>
inline constexpr bool is_capsule = std::is_same_v<T, fcl::Capsuled>;

/// The largest depth of the contacts. (The sign differs between FCL's algorithms.)
inline double deepest(const std::vector<fcl::ContactPointd>& contacts) {
  double depth = 0;
  for (const fcl::ContactPointd& contact : contacts)
    depth = std::max(depth, std::abs(contact.penetration_depth));
  return depth;
}

template <class T>
struct KindTag {
  using Type = T;
};

/// Calls `visit` with the place of the kind in `simple_kinds`, as a type, and its struct.
template <class Visit>
Entries with_kind(ShapeKind kind, Visit visit) {
  const auto at = [&]<int Place, class T>(KindTag<T> tag) { return visit(std::integral_constant<int, Place>{}, tag); };
  switch (kind) {
    case ShapeKind::sphere:
      return at.template operator()<0>(KindTag<Sphere>{});
    case ShapeKind::capsule:
      return at.template operator()<1>(KindTag<Capsule>{});
    case ShapeKind::box:
      return at.template operator()<2>(KindTag<Box>{});
    case ShapeKind::cylinder:
      return at.template operator()<3>(KindTag<Cylinder>{});
    case ShapeKind::cone:
      return at.template operator()<4>(KindTag<Cone>{});
    case ShapeKind::ellipsoid:
      return at.template operator()<5>(KindTag<Ellipsoid>{});
    case ShapeKind::half_space:
      return at.template operator()<6>(KindTag<HalfSpace>{});
    case ShapeKind::plane:
      return at.template operator()<7>(KindTag<Plane>{});
    case ShapeKind::segment:
      return at.template operator()<8>(KindTag<Segment>{});
    case ShapeKind::triangle:
      return at.template operator()<9>(KindTag<Triangle>{});
    default:
      return {};
  }
}

/// Calls `entries` with the structs of the row's two kinds.
template <class MakeEntries>
Entries with_kinds(const SimpleRow& row, MakeEntries entries) {
  return with_kind(row.a, [&](auto place_a, auto a) {
    return with_kind(row.b, [&](auto place_b, auto b) -> Entries {
      if constexpr (place_a() <= place_b())
        return entries(a, b);
      else
        return {};
    });
  });
}

/// A pass over the inputs in which `ask(input)` answers each.
template <class Inputs, class Ask>
Entry fcl_entry(std::string how, const Inputs& inputs, Answers& answers, Ask ask) {
  return {std::move(how), [inputs, &answers, ask]() mutable {
            for (std::size_t i = 0; i < inputs->inputs.size(); ++i)
              answers[i] = ask(inputs->inputs[i]);
          }};
}

}  // namespace whisker::bench
