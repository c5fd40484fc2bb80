#include "convex/min_overlap.hpp"

#include <algorithm>

#include "geometry/constants.hpp"
#include "geometry/fixed_list.hpp"

namespace whisker::convex {
namespace {

using geometry::cross;
using geometry::norm;
using geometry::to_double_double;
using geometry::to_vector3;

// The directions of a core's edges, exactly.
using Edges = geometry::FixedList<Vector3dd, 3>;

Edges edges_of(const SimpleShape& shape) {
  Edges edges;
  const auto add = [&](const Vector3dd& direction) {
    if (norm(direction).hi > 0) edges.push_back(direction);
  };
  const Corners t = corners_of(shape);
  if (shape.corner_count() >= 2) add(t.b - t.a);
  if (shape.corner_count() >= 3) {
    add(t.c - t.b);
    add(t.a - t.c);
  }
  if (shape.core == SimpleShape::Core::box)
    for (int axis = 0; axis < 3; ++axis)
      add(box_axis(shape, axis));
  return edges;
}

// a d - b c, with a relative error of at most 2^-100.
DoubleDouble exact_minor(DoubleDouble a, DoubleDouble b, DoubleDouble c, DoubleDouble d) {
  const auto expansion = [](DoubleDouble x) { return geometry::to_expansion({x.hi, x.lo}); };
  const auto exact = expansion(a) * geometry::Exact2{d.hi, d.lo} - expansion(b) * geometry::Exact2{c.hi, c.lo};
  const double head = exact.estimate();
  return DoubleDouble(geometry::two_sum(head, geometry::grow(exact, -head).estimate()));
}

Vector3dd exact_cross(const Vector3dd& e, const Vector3dd& f) {
  return {exact_minor(e.y, e.z, f.y, f.z), exact_minor(e.z, e.x, f.z, f.x), exact_minor(e.x, e.y, f.x, f.y)};
}

// The search for the direction of least overlap, in the scaled world. A direction that is off by an angle e changes the
// overlap of two shapes that meet by less than e times the sum of their diameters.
class OverlapSearch {
 public:
  OverlapSearch(const SimpleShape& a, const SimpleShape& b) : a_(a), b_(b), size_(diameter(a) + diameter(b)) {}

  /// Tries the normal of the plane that two edges span, in both directions. If the edges are parallel, there is no such
  /// face.
  void try_edges(const Vector3dd& e, const Vector3dd& f) {
    Vector3dd normal = cross(e, f);
    DoubleDouble length = norm(normal);
    const double lengths = norm(e).hi * norm(f).hi;
    double angle = 0x1p-98 * lengths / length.hi;  // by which rounding may have turned the normal
    if (!(length.hi > 0x1p-40 * lengths)) {
      // Nearly parallel: the edges themselves are exact, so compute an exact product. Only a capsule's axis is rounded.
      normal = exact_cross(e, f);
      length = norm(normal);
      if (!(length.hi > 0)) return;
      angle = 0x1p-95;
      if (a_.has_tails() || b_.has_tails()) {
        const double sine = length.hi / lengths;
        angle = 0x1p-100 / sine;
        if (sine < 0x1p-50) {
          // The arcs of the two edges on the Gauss map lie within that angle of each other. Along their common part the
          // overlap is concave, hence least at its ends. These are normals of the shapes' own faces, which are tried
          // too.
          left_out_ = std::max(left_out_, 2 * size_ * sine);
          return;
        }
      }
    }
    try_direction(normal * (1.0 / length), size_ * angle);
  }

  /// Tries a unit direction, both ways. `uncertainty`: how much smaller the overlap along the true normal may be.
  void try_direction(const Vector3dd& direction, double uncertainty) {
    const Vector3dd zero{};
    const Vector3dd opposite = -direction;
    const Reach a_high = reach(a_, direction, zero);
    const Reach a_low = reach(a_, opposite, zero);
    const Reach b_high = reach(b_, direction, zero);
    const Reach b_low = reach(b_, opposite, zero);
    keep(a_high.value + b_low.value, uncertainty, direction, a_high.point, b_low.point);
    keep(a_low.value + b_high.value, uncertainty, opposite, a_low.point, b_high.point);
  }

  /// False if there is nothing to try: both shapes lie on one line or in one point, and separate at once perpendicular
  /// to it.
  bool has_direction() const { return best_.upper < infinity; }

  MinOverlap result() const {
    MinOverlap result = best_;
    result.lower = best_.lower - left_out_ - certificate_error;
    result.upper += certificate_error;
    return result;
  }

 private:
  void keep(DoubleDouble overlap, double uncertainty, const Vector3dd& direction, const Vector3dd& point_a,
            const Vector3dd& point_b) {
    best_.lower = std::min(best_.lower, overlap - uncertainty, [](auto x, auto y) { return x < y; });
    if (overlap < best_.upper) best_ = {best_.lower, overlap, direction, point_a, point_b};
  }

  const SimpleShape& a_;
  const SimpleShape& b_;
  double size_;
  MinOverlap best_{infinity, infinity, {}, {}, {}};
  double left_out_ = 0;
};

Vector3dd any_square_to(const Vector3dd& direction) {
  const Vector3 d = to_vector3(direction);
  Eigen::Index smallest = 0;
  d.cwiseAbs().minCoeff(&smallest);
  const Vector3dd normal = cross(direction, to_double_double(Vector3::Unit(smallest)));
  return normal * (1.0 / norm(normal));
}

}  // namespace

MinOverlap min_overlap(const SimpleShape& a, const SimpleShape& b) {
  const Edges edges_a = edges_of(a);
  const Edges edges_b = edges_of(b);
  OverlapSearch least(a, b);
  const auto each_pair = [&](const Edges& first, const Edges& second, bool within) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      for (std::size_t j = within ? i + 1 : 0; j < second.size(); ++j)
        least.try_edges(first[i], second[j]);
    }
  };
  each_pair(edges_a, edges_a, true);
  each_pair(edges_b, edges_b, true);
  each_pair(edges_a, edges_b, false);
  if (!least.has_direction()) {
    const Edges& edges = edges_a.empty() ? edges_b : edges_a;
    least.try_direction(edges.empty() ? to_double_double(Vector3::UnitZ()) : any_square_to(edges[0]), 0);
  }
  return least.result();
}

}  // namespace whisker::convex
