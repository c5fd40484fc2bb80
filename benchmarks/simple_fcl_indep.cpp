// FCL's own solver, with its closed forms, in the suite `simple`.

#include <cmath>
#include <memory>

#include <fcl/narrowphase/detail/gjk_solver_indep.h>

#include "simple_fcl.hpp"

namespace whisker::bench {
namespace {

using Solver = fcl::detail::GJKSolver_indep<double>;

/// FCL's default is the first one. Curved shapes need a finer one for six digits.
constexpr std::array<double, 4> tolerances = {1e-6, 1e-8, 1e-10, 1e-12};

Solver solver_to(double tolerance) {
  Solver solver;
  solver.gjk_tolerance = tolerance;
  solver.epa_tolerance = tolerance;
  if (tolerance < 1e-6) {  // room for more steps, which the finer tolerance needs
    solver.epa_max_face_num = 512;
    solver.epa_max_vertex_num = 256;
    solver.epa_max_iterations = 512;
  }
  return solver;
}

std::string to(const char* how, double tolerance) {
  char text[80];
  std::snprintf(text, sizeof text, "%s to %g", how, tolerance);
  return text;
}

/// For shapes other than triangles. `apart`: whether distances are answered.
template <class Inputs>
Entries entries_of_shapes(const SimpleRow& row, const Inputs& inputs, Answers& answers) {
  using A = std::decay_t<decltype(inputs->inputs[0].a)>;
  using B = std::decay_t<decltype(inputs->inputs[0].b)>;
  Entries result;
  if (row.question == Question::touches) {
    result.push_back(fcl_entry("shapeIntersect", inputs, answers, [solver = Solver()](const auto& in) {
      return solver.shapeIntersect(in.a, in.pose_a, in.b, in.pose_b, nullptr) ? 1.0 : 0.0;
    }));
  }
  if constexpr (!is_side<A> && !is_side<B>) {
    if (row.question == Question::touches) {
      result.push_back(fcl_entry("shapeDistance", inputs, answers, [solver = Solver()](const auto& in) {
        double value = 0;
        fcl::Vector3d on_a, on_b;
        return solver.shapeDistance(in.a, in.pose_a, in.b, in.pose_b, &value, &on_a, &on_b) ? 0.0 : 1.0;
      }));
    }
    for (const double tolerance : tolerances) {
      const bool capsules = is_capsule<A> && is_capsule<B>;
      if (row.question != Question::distance && !(row.question == Question::depth && capsules)) break;
      const double sign = row.question == Question::distance ? 1 : -1;
      result.push_back(fcl_entry(to("shapeDistance", tolerance), inputs, answers,
                                 [solver = solver_to(tolerance), sign](const auto& in) {
                                   double value = 0;
                                   fcl::Vector3d on_a, on_b;
                                   solver.shapeDistance(in.a, in.pose_a, in.b, in.pose_b, &value, &on_a, &on_b);
                                   return sign * value;
                                 }));
    }
  }
  if (row.question == Question::depth && !(is_side<A> && is_side<B>)) {
    for (const double tolerance : tolerances) {
      result.push_back(fcl_entry(
          to("shapeIntersect", tolerance), inputs, answers,
          [contacts = std::vector<fcl::ContactPointd>(), solver = solver_to(tolerance)](const auto& in) mutable {
            contacts.clear();
            solver.shapeIntersect(in.a, in.pose_a, in.b, in.pose_b, &contacts);
            return deepest(contacts);
          }));
    }
  }
  return result;
}

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
  }
  if constexpr (!is_side<A>) {
    if (row.question == Question::touches) {
      result.push_back(fcl_entry("shapeTriangleDistance", inputs, answers, [solver = Solver()](const auto& in) {
        const fcl::TrianglePd& t = in.b;
        double value = 0;
        fcl::Vector3d on_a, on_b;
        return solver.shapeTriangleDistance(in.a, in.pose_a, t.a, t.b, t.c, in.pose_b, &value, &on_a, &on_b) ? 0.0
                                                                                                             : 1.0;
      }));
    }
    for (const double tolerance : tolerances) {
      if (row.question != Question::distance) break;
      result.push_back(fcl_entry(
          to("shapeTriangleDistance", tolerance), inputs, answers, [solver = solver_to(tolerance)](const auto& in) {
            const fcl::TrianglePd& t = in.b;
            double value = 0;
            fcl::Vector3d on_a, on_b;
            solver.shapeTriangleDistance(in.a, in.pose_a, t.a, t.b, t.c, in.pose_b, &value, &on_a, &on_b);
            return value;
          }));
    }
  }
  if (row.question == Question::depth) {
    for (const double tolerance : tolerances) {
      result.push_back(fcl_entry(
          to("shapeTriangleIntersect", tolerance), inputs, answers, [solver = solver_to(tolerance)](const auto& in) {
            const fcl::TrianglePd& t = in.b;
            double value = 0;
            fcl::Vector3d at, normal;
            solver.shapeTriangleIntersect(in.a, in.pose_a, t.a, t.b, t.c, in.pose_b, &at, &value, &normal);
            return std::abs(value);
          }));
      if (is_side<A>) break;
    }
  }
  return result;
}

}  // namespace

Entries fcl_indep_entries(const SimpleRow& row, Answers& answers) {
  answers.assign(row.inputs.size(), 0);
  return with_kinds(row, [&](auto kind_a, auto kind_b) -> Entries {
    using A = FclShape<typename decltype(kind_a)::Type>;
    using B = FclShape<typename decltype(kind_b)::Type>;
    const auto inputs = std::make_shared<const FclInputs<A, B>>(
        fcl_inputs<typename decltype(kind_a)::Type, typename decltype(kind_b)::Type>(row));
    if constexpr (is_triangle<B>)
      return entries_of_triangle(row, inputs, answers);
    else
      return entries_of_shapes(row, inputs, answers);
  });
}

}  // namespace whisker::bench
