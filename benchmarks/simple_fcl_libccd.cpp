// FCL's solver on top of libccd, with its closed forms, in the suite `simple`.

#include <cmath>
#include <limits>
#include <memory>

#include <fcl/narrowphase/detail/failed_at_this_configuration.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>
#include <fcl/narrowphase/detail/primitive_shape_algorithm/triangle_distance.h>
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

#include "simple_fcl.hpp"

namespace whisker::bench {
namespace {

using Solver = fcl::detail::GJKSolver_libccd<double>;

/// FCL's default is the first one. Curved shapes need a finer one for six digits.
constexpr std::array<double, 4> tolerances = {1e-6, 1e-8, 1e-10, 1e-12};

Solver solver_to(double tolerance) {
  Solver solver;
  solver.distance_tolerance = tolerance;
  return solver;
}

std::string to(const char* how, double tolerance) {
  char text[80];
  std::snprintf(text, sizeof text, "%s to %g", how, tolerance);
  return text;
}

/// The answer, or NaN where libccd gives up with an exception.
template <class Ask>
auto or_nan(Ask ask) {
  return [ask](const auto& in) mutable {
    try {
      return ask(in);
    } catch (const std::exception&) {
      return std::numeric_limits<double>::quiet_NaN();
    }
  };
}

/// Half-spaces and planes: touch, and depth if the other shape is bounded.
template <class Inputs>
Entries entries_of_side(const SimpleRow& row, const Inputs& inputs, Answers& answers, bool both_sides) {
  if (row.question == Question::touches) {
    return {fcl_entry("shapeIntersect", inputs, answers, [](const auto& in) {
      return Solver().shapeIntersect(in.a, in.pose_a, in.b, in.pose_b, nullptr) ? 1.0 : 0.0;
    })};
  }
  if (row.question != Question::depth || both_sides) return {};
  return {fcl_entry("shapeIntersect", inputs, answers,
                    [contacts = std::vector<fcl::ContactPointd>(), solver = Solver()](const auto& in) mutable {
                      contacts.clear();
                      solver.shapeIntersect(in.a, in.pose_a, in.b, in.pose_b, &contacts);
                      return deepest(contacts);
                    })};
}

template <class Inputs>
Entries entries_of_bounded(const SimpleRow& row, const Inputs& inputs, Answers& answers, bool capsules) {
  Entries result;
  const auto shape_distance = [](const Solver& solver) {
    return or_nan([solver](const auto& in) {
      double value = 0;
      fcl::Vector3d on_a, on_b;
      solver.shapeDistance(in.a, in.pose_a, in.b, in.pose_b, &value, &on_a, &on_b);
      return value;
    });
  };
  if (row.question == Question::touches) {
    result.push_back(fcl_entry("shapeIntersect", inputs, answers, [solver = Solver()](const auto& in) {
      return solver.shapeIntersect(in.a, in.pose_a, in.b, in.pose_b, nullptr) ? 1.0 : 0.0;
    }));
    result.push_back(fcl_entry("shapeDistance", inputs, answers, or_nan([solver = Solver()](const auto& in) {
                                 double value = 0;
                                 fcl::Vector3d on_a, on_b;
                                 return solver.shapeDistance(in.a, in.pose_a, in.b, in.pose_b, &value, &on_a, &on_b)
                                            ? 0.0
                                            : 1.0;
                               })));
  } else if (row.question == Question::distance) {
    for (const double tolerance : tolerances)
      result.push_back(
          fcl_entry(to("shapeDistance", tolerance), inputs, answers, shape_distance(solver_to(tolerance))));
  } else {
    result.push_back(
        fcl_entry("shapeIntersect", inputs, answers,
                  [contacts = std::vector<fcl::ContactPointd>(), solver = Solver()](const auto& in) mutable {
                    contacts.clear();
                    solver.shapeIntersect(in.a, in.pose_a, in.b, in.pose_b, &contacts);
                    return deepest(contacts);
                  }));
    if (capsules) {
      result.push_back(fcl_entry("shapeDistance", inputs, answers,
                                 [ask = shape_distance(Solver())](const auto& in) mutable { return -ask(in); }));
    }
    for (const double tolerance : tolerances) {
      result.push_back(fcl_entry(to("shapeSignedDistance", tolerance), inputs, answers,
                                 or_nan([solver = solver_to(tolerance)](const auto& in) {
                                   double value = 0;
                                   fcl::Vector3d on_a, on_b;
                                   solver.shapeSignedDistance(in.a, in.pose_a, in.b, in.pose_b, &value, &on_a, &on_b);
                                   return -value;
                                 })));
    }
  }
  return result;
}

/// EPA of libccd for a shape and a triangle, for which the solver has no entry.
template <class Shape>
double signed_distance_to_triangle(const Shape& shape, const fcl::Transform3d& pose, const fcl::TrianglePd& t,
                                   const fcl::Transform3d& pose_t, double tolerance) {
  using namespace fcl::detail;
  using Support = GJKInitializer<double, Shape>;
  void* const a = Support::createGJKObject(shape, pose);
  void* const b = triCreateGJKObject(t.a, t.b, t.c, pose_t);
  double value = std::numeric_limits<double>::quiet_NaN();
  fcl::Vector3d on_a, on_b;
  try {
    GJKSignedDistance(a, Support::getSupportFunction(), b, triGetSupportFunction(), 1000u, tolerance, &value, &on_a,
                      &on_b);
  } catch (const std::exception&) {  // it gives up on some inputs
  }
  Support::deleteGJKObject(a);
  triDeleteGJKObject(b);
  return value;
}

/// A shape and a triangle.
template <class Inputs>
Entries entries_of_triangle(const SimpleRow& row, const Inputs& inputs, Answers& answers) {
  using A = std::decay_t<decltype(inputs->inputs[0].a)>;
  Entries result;
  if (row.question == Question::touches) {
    result.push_back(fcl_entry("shapeTriangleIntersect", inputs, answers, [solver = Solver()](const auto& in) {
      const fcl::TrianglePd& t = in.b;
      return solver.shapeTriangleIntersect(in.a, in.pose_a, t.a, t.b, t.c, in.pose_b, nullptr, nullptr, nullptr) ? 1.0
                                                                                                                 : 0.0;
    }));
  } else if (row.question == Question::distance) {
    if constexpr (!is_side<A>) {
      for (const double tolerance : tolerances) {
        result.push_back(fcl_entry(to("shapeTriangleDistance", tolerance), inputs, answers,
                                   or_nan([solver = solver_to(tolerance)](const auto& in) {
                                     const fcl::TrianglePd& t = in.b;
                                     double value = 0;
                                     fcl::Vector3d on_a, on_b;
                                     solver.shapeTriangleDistance(in.a, in.pose_a, t.a, t.b, t.c, in.pose_b, &value,
                                                                  &on_a, &on_b);
                                     return value;
                                   })));
      }
    }
  } else {
    result.push_back(fcl_entry("shapeTriangleIntersect", inputs, answers, [solver = Solver()](const auto& in) {
      const fcl::TrianglePd& t = in.b;
      double value = 0;
      fcl::Vector3d at, normal;
      solver.shapeTriangleIntersect(in.a, in.pose_a, t.a, t.b, t.c, in.pose_b, &at, &value, &normal);
      return std::abs(value);
    }));
    if constexpr (!is_side<A>) {
      for (const double tolerance : tolerances) {
        result.push_back(fcl_entry(to("GJKSignedDistance", tolerance), inputs, answers, [tolerance](const auto& in) {
          return -signed_distance_to_triangle(in.a, in.pose_a, in.b, in.pose_b, tolerance);
        }));
      }
    }
  }
  return result;
}

template <class Inputs>
Entries entries_of_triangles(const SimpleRow& row, const Inputs& inputs, Answers& answers) {
  if (row.question == Question::touches) {
    return {fcl_entry("intersect_Triangle", inputs, answers, [](const auto& in) {
      const fcl::Transform3d relative = in.pose_a.inverse(Eigen::Isometry) * in.pose_b;
      return fcl::detail::Intersect<double>::intersect_Triangle(in.a.a, in.a.b, in.a.c, in.b.a, in.b.b, in.b.c,
                                                                relative)
                 ? 1.0
                 : 0.0;
    })};
  }
  if (row.question != Question::distance) return {};
  return {fcl_entry("triDistance", inputs, answers, [](const auto& in) {
    const fcl::Transform3d relative = in.pose_a.inverse(Eigen::Isometry) * in.pose_b;
    fcl::Vector3d on_a, on_b;
    return fcl::detail::TriangleDistance<double>::triDistance(in.a.a, in.a.b, in.a.c, in.b.a, in.b.b, in.b.c, relative,
                                                              on_a, on_b);
  })};
}

}  // namespace

Entries fcl_libccd_entries(const SimpleRow& row, Answers& answers) {
  answers.assign(row.inputs.size(), 0);
  return with_kinds(row, [&](auto kind_a, auto kind_b) -> Entries {
    using A = FclShape<typename decltype(kind_a)::Type>;
    using B = FclShape<typename decltype(kind_b)::Type>;
    const auto inputs = std::make_shared<const FclInputs<A, B>>(
        fcl_inputs<typename decltype(kind_a)::Type, typename decltype(kind_b)::Type>(row));
    if constexpr (is_triangle<A>) {
      return entries_of_triangles(row, inputs, answers);
    } else if constexpr (is_triangle<B>) {
      return entries_of_triangle(row, inputs, answers);
    } else if constexpr (is_side<A> || is_side<B>) {
      return entries_of_side(row, inputs, answers, is_side<A> && is_side<B>);
    } else {
      return entries_of_bounded(row, inputs, answers, is_capsule<A> && is_capsule<B>);
    }
  });
}

}  // namespace whisker::bench
