// Winding numbers of meshes about points, compiled once per instruction set.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/geometry/interval.hpp>
#include <whisker/geometry/predicates.hpp>
#include <whisker/geometry/triangle_tests.hpp>

#include "geometry/function_ref.hpp"
#include "mesh/generalized_winding.hpp"
#include "mesh/tree_frame.hpp"
#include "mesh/triangle_at.hpp"
#include "shapes/mesh_storage.hpp"
#include "trees/surface_moments.hpp"
#include "trees/topology.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mesh/generalized_winding_kernels.cpp"
#include <hwy/foreach_target.h>
// Must come after foreach_target.h:
#include <hwy/highway.h>

#include "geometry/constants.hpp"
#include "mesh/point_triangle-inl.hpp"

#ifndef WHISKER_GENERALIZED_WINDING_ONCE
#define WHISKER_GENERALIZED_WINDING_ONCE
namespace whisker::mesh {

/// A patch that is approximated as a whole, unless the bounds are still too wide.
struct WindingPatch {
  double error;
  double value;
  std::uint32_t child;  // as in OrientedNode
};

/// One query, as the traversal sees it.
struct WindingQuery {
  const trees::OrientedTree* tree = nullptr;
  const trees::SurfaceMoments* moments = nullptr;  // null: every triangle is added by itself
  const double* vertices = nullptr;                // three per vertex
  const std::uint32_t* triangles = nullptr;        // three per triangle
  double rotation[3][3] = {};
  double translation[3] = {};
  double point[3] = {};  // in the world
  double local[3] = {};  // in the mesh's frame, in the tree's unit
  double shift = 0;      // how far corners may be off relative to the point, in the tree's unit
  double skew = 0;       // and how far, as a fraction of their distance
  double tolerance = 0;
};

/// The sum over triangles and patches. A triangle's angle is half its solid angle. The angles are added as the
/// arguments of a product of complex numbers, one product per lane. Whenever the real part of a product would become
/// negative, the product is turned by half a turn, and the half turn is counted.
struct WindingSum {
  alignas(32) double re[4] = {1, 1, 1, 1};
  alignas(32) double im[4] = {};
  alignas(32) double half_turns[4] = {};
  alignas(32) double error[4] = {};  // of the angles
  double patches = 0;                // winding numbers
  double patch_error = 0;
  double patch_size = 0;  // the sum of |value|, to bound the rounding of `patches`
  std::uint64_t patch_count = 0;
  std::uint64_t triangle_count = 0;
  std::uint64_t volume_tests = 0;
};

/// The callback for a triangle whose angle the lanes cannot certify.
using UnsureTriangle = geometry::FunctionRef<void(std::uint32_t number)>;

}  // namespace whisker::mesh
#endif

HWY_BEFORE_NAMESPACE();
namespace whisker::mesh::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using trees::OrientedNode;
using trees::TriangleLeaf;

// No multiply-add anywhere in the kernels, so that every instruction set rounds the same way.

/// Computes the winding number of each of a node's eight children and a bound on its error: infinite where the child is
/// too near.
HWY_INLINE void patch_values(const WindingQuery& query, const double* HWY_RESTRICT origin,
                             const trees::PatchMoments& moments, double* HWY_RESTRICT values,
                             double* HWY_RESTRICT errors) {
  constexpr double share = 1 / (4 * std::numbers::pi);
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  using V = hn::Vec<decltype(d)>;
  const auto set = [&](double x) HWY_ATTR { return hn::Set(d, x); };
  const V px = set(query.local[0] - origin[0]), py = set(query.local[1] - origin[1]),
          pz = set(query.local[2] - origin[2]);
  for (std::size_t h = 0; h < 8; h += hn::Lanes(d)) {
    const auto wide = [&](const float* p) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(df, p + h)); };
    const auto sum3 = [](V x, V y, V z) HWY_ATTR { return hn::Add(hn::Add(x, y), z); };
    const V x = hn::Sub(wide(moments.center[0]), px), y = hn::Sub(wide(moments.center[1]), py),
            z = hn::Sub(wide(moments.center[2]), pz);
    const V xx = hn::Mul(x, x), yy = hn::Mul(y, y), zz = hn::Mul(z, z);
    const V squared = sum3(xx, yy, zz);
    const V length = hn::Sqrt(squared);
    const V radius = wide(moments.radius);
    const V moved = hn::Add(hn::Mul(hn::Add(length, radius), set(query.skew)), set(query.shift));
    const V gap = hn::Sub(hn::Sub(hn::Mul(length, set(1 - 0x1p-46)), radius), moved);
    // One division for both inverses.
    const V inverse_both = hn::Div(set(1.0), hn::Mul(length, gap));
    const V inverse = hn::Mul(inverse_both, gap), inverse_gap = hn::Mul(inverse_both, length);
    const V inverse2 = hn::Mul(inverse, inverse), gap2 = hn::Mul(inverse_gap, inverse_gap);
    const V inverse3 = hn::Mul(inverse2, inverse);
    const V facing = sum3(hn::Mul(wide(moments.normal[0]), x), hn::Mul(wide(moments.normal[1]), y),
                          hn::Mul(wide(moments.normal[2]), z));
    const V sxx = wide(moments.spread[0]), syy = wide(moments.spread[1]), szz = wide(moments.spread[2]);
    const V trace = sum3(sxx, syy, szz);
    const V square =
        hn::Add(sum3(hn::Mul(sxx, xx), hn::Mul(syy, yy), hn::Mul(szz, zz)),
                sum3(hn::Mul(wide(moments.spread[3]), hn::Mul(x, y)), hn::Mul(wide(moments.spread[4]), hn::Mul(x, z)),
                     hn::Mul(wide(moments.spread[5]), hn::Mul(y, z))));
    const auto third = [&](int i) HWY_ATTR { return wide(moments.third[i]); };
    const V t0 = third(0), t1 = third(1), t2 = third(2), t3 = third(3), t4 = third(4), t5 = third(5), t6 = third(6),
            t7 = third(7), t8 = third(8);
    const V cube = hn::Add(sum3(hn::Mul(xx, sum3(hn::Mul(t0, x), hn::Mul(t3, y), hn::Mul(t4, z))),
                                hn::Mul(yy, sum3(hn::Mul(t1, y), hn::Mul(t5, x), hn::Mul(t6, z))),
                                hn::Mul(zz, sum3(hn::Mul(t2, z), hn::Mul(t7, x), hn::Mul(t8, y)))),
                           hn::Mul(third(9), hn::Mul(hn::Mul(x, y), z)));
    const V third_part = set(1.0 / 3);
    const V cube_trace = sum3(hn::Mul(x, hn::Add(t0, hn::Mul(hn::Add(t5, t7), third_part))),
                              hn::Mul(y, hn::Add(t1, hn::Mul(hn::Add(t3, t8), third_part))),
                              hn::Mul(z, hn::Add(t2, hn::Mul(hn::Add(t4, t6), third_part))));
    const V second = hn::Sub(hn::Mul(hn::Mul(cube, set(7.5)), inverse2), hn::Mul(cube_trace, set(4.5)));
    const V kept = hn::Add(hn::Add(facing, trace), hn::Mul(hn::Sub(second, hn::Mul(square, set(3.0))), inverse2));
    const V value = hn::Mul(hn::Mul(kept, inverse3), set(share));
    const V s = hn::Mul(radius, inverse);
    const V shape = hn::Mul(s, hn::Sub(set(4 + 0x1p-20), hn::Mul(s, set(3.0))));
    const V cut = hn::Mul(hn::Mul(hn::Mul(wide(moments.inertia), shape), inverse2), gap2);
    const V swept = hn::Mul(hn::Mul(hn::Mul(wide(moments.edges), moved), gap2), set(1 + 0x1p-10));
    // As fractions of area / R²: 1 for the normal, (√3 + 3) s for the spread, and for the third moment 7.5 s² plus 4.5
    // · 3 √3 s², since each of its coefficients is at most 3 area · radius².
    const V rounding = hn::Add(set(1.0), hn::Mul(s, hn::Add(set(5.0), hn::Mul(s, set(32.0)))));
    const V rounded = hn::Mul(hn::Mul(wide(moments.area), inverse2), hn::Mul(rounding, set(trees::moment_error)));
    const V error = hn::Mul(sum3(cut, swept, rounded), set(share * (1 + 0x1p-20)));
    // Also false where the gap is NaN.
    const auto is_far = hn::Gt(gap, hn::Zero(d));
    hn::Store(hn::IfThenElseZero(is_far, value), d, values + h);
    hn::Store(hn::IfThenElse(is_far, error, set(infinity)), d, errors + h);
  }
}

/// Adds the triangles of a leaf as seen from the point, one in each lane (van Oosterom and Strackee 1983).
///
/// A corner relative to the point is computed with one rounding per coordinate (2^-53 of the result), and so is an edge
/// between corners. So with X, Y and Z the distances of the corners and a the nearest corner, a·((b - a) × (c - a)) is
/// off by less than 2^-48 X |b - a| |c - a|, and XYZ + (a·b) Z + (b·c) X + (c·a) Y is off by less than 2^-46 XYZ: about
/// fifty roundings of terms no larger than XYZ. Because a is the nearest corner, the first error is no larger than 4 ·
/// 2^-48 XYZ, and it is far smaller for a small triangle far away.
HWY_INLINE void add_leaf(const WindingQuery& query, const TriangleLeaf& leaf, std::size_t count, WindingSum& sum,
                         const UnsureTriangle& unsure) {
  const hn::CappedTag<double, 4> d;
  using D = hn::CappedTag<double, 4>;
  using V = hn::Vec<D>;
  alignas(32) double corners[3][3][4];  // corner, coordinate, triangle
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint32_t* const indices = query.triangles + 3 * std::size_t{leaf.id[i]};
    for (std::size_t c = 0; c < 3; ++c) {
      const double* const vertex = query.vertices + 3 * std::size_t{indices[c]};
      for (std::size_t k = 0; k < 3; ++k)
        corners[c][k][i] = vertex[k];
    }
  }
  unsigned unsure_bits = 0;
  const auto set = [&](double x) HWY_ATTR { return hn::Set(d, x); };
  const V zero = hn::Zero(d), one = set(1.0), minus_one = set(-1.0);
  const Lanes3<V> point = set3(d, query.point);
  for (std::size_t h = 0; h < 4; h += hn::Lanes(d)) {
    // Rounds as place() does.
    const auto placed = [&](std::size_t c) HWY_ATTR {
      const Lanes3<V> own = load3(d, corners[c], h);
      const auto row = [&](int i) HWY_ATTR {
        return hn::Add(dot(set3(d, query.rotation[i]), own), set(query.translation[i]));
      };
      return Lanes3<V>{row(0), row(1), row(2)};
    };
    Lanes3<V> at_a = placed(0), at_b = placed(1), at_c = placed(2);
    {
      // Puts the nearest corner first and keeps the orientation.
      const Lanes3<V> a = at_a - point, b = at_b - point, c = at_c - point;
      const V aa = dot(a, a), bb = dot(b, b), cc = dot(c, c);
      const auto b_first = hn::And(hn::Lt(bb, aa), hn::Le(bb, cc));
      const auto c_first = hn::And(hn::Lt(cc, aa), hn::Lt(cc, bb));
      const auto pick = [&](const Lanes3<V>& plain, const Lanes3<V>& b_is, const Lanes3<V>& c_is)
                            HWY_ATTR { return choose(b_first, b_is, choose(c_first, c_is, plain)); };
      const Lanes3<V> first = pick(at_a, at_b, at_c), second = pick(at_b, at_c, at_a), third = pick(at_c, at_a, at_b);
      at_a = first, at_b = second, at_c = third;
    }
    const Lanes3<V> a = at_a - point, b = at_b - point, c = at_c - point;
    const Lanes3<V> ab = at_b - at_a, ac = at_c - at_a;
    const Lanes3<V> normal = cross(ab, ac);
    const V x = hn::Sqrt(dot(a, a)), y = hn::Sqrt(dot(b, b)), z = hn::Sqrt(dot(c, c));
    const V edges = hn::Sqrt(hn::Mul(dot(ab, ab), dot(ac, ac)));
    const V volume = hn::Mul(hn::Mul(x, y), z);
    const V inverse = hn::Div(one, volume);
    const V sine = hn::Mul(dot(a, normal), inverse);
    const V cosine =
        hn::Mul(hn::Add(hn::Add(volume, hn::Mul(dot(a, b), z)), hn::Add(hn::Mul(dot(b, c), x), hn::Mul(dot(c, a), y))),
                inverse);
    const V sine_error = hn::Mul(set(0x1p-48), hn::Add(hn::Mul(hn::Mul(edges, x), inverse), hn::Abs(sine)));
    const V cosine_error = set(0x1p-46);
    const V size2 = hn::Add(hn::Mul(sine, sine), hn::Mul(cosine, cosine));
    // The direction of (cosine, sine) is known if both are known to within a fraction of the vector's length. The angle
    // is then known too, unless the vector may lie on either side of the half-line where the angle jumps.
    const V reach = hn::Mul(set(64.0), hn::Add(sine_error, cosine_error));
    const auto is_clear =
        hn::And(hn::Gt(size2, hn::Mul(reach, reach)), hn::Or(hn::Gt(cosine, zero), hn::Gt(hn::Abs(sine), sine_error)));
    // Squares and products of such distances do not underflow to zero, nor do edges that could matter. Values that are
    // too large become infinite or NaN, and are then not clear.
    const auto is_in_range = hn::Gt(x, set(1e-70));
    const auto is_sure = hn::And(is_clear, is_in_range);
    const auto is_there = hn::Lt(hn::Iota(d, static_cast<double>(h)), set(static_cast<double>(count)));
    unsure_bits |= mask_bits(d, hn::AndNot(is_sure, is_there)) << h;
    const auto counts = hn::And(is_sure, is_there);
    const V length = hn::Div(one, hn::Sqrt(size2));
    // The angle between two vectors that differ by less than 1/64 of their length is at most 1.05 times their cross
    // product over the squared length.
    const V turned_by = hn::Add(hn::Mul(hn::Abs(cosine), sine_error), hn::Mul(hn::Abs(sine), cosine_error));
    const V error = hn::Mul(hn::Mul(hn::Mul(turned_by, length), length), set(1.05));
    V re = hn::IfThenElse(counts, hn::Mul(cosine, length), one);
    V im = hn::IfThenElseZero(counts, hn::Mul(sine, length));
    hn::Store(hn::Add(hn::Load(d, sum.error + h), hn::IfThenElseZero(counts, error)), d, sum.error + h);

    const auto sign = [&](V v) HWY_ATTR { return hn::IfThenElse(hn::Ge(v, zero), one, minus_one); };
    V half_turns = hn::Load(d, sum.half_turns + h);
    const auto is_back = hn::Lt(re, zero);
    half_turns = hn::Add(half_turns, hn::IfThenElseZero(is_back, sign(im)));
    re = hn::Abs(re);
    im = hn::IfThenElse(is_back, hn::Neg(im), im);
    const V old_re = hn::Load(d, sum.re + h), old_im = hn::Load(d, sum.im + h);
    V new_re = hn::Sub(hn::Mul(old_re, re), hn::Mul(old_im, im));
    V new_im = hn::Add(hn::Mul(old_re, im), hn::Mul(old_im, re));
    // Two angles of up to a quarter turn add up to more than a quarter turn only if both have the same sign.
    const auto is_over = hn::Lt(new_re, zero);
    half_turns = hn::Add(half_turns, hn::IfThenElseZero(is_over, sign(old_im)));
    new_re = hn::Abs(new_re);
    new_im = hn::IfThenElse(is_over, hn::Neg(new_im), new_im);
    hn::Store(half_turns, d, sum.half_turns + h);
    hn::Store(new_re, d, sum.re + h);
    hn::Store(new_im, d, sum.im + h);
  }
  sum.triangle_count += count;
  for (const unsigned i : simd::SetBits(unsure_bits))
    unsure(leaf.id[i]);
}

void winding_target(const WindingQuery& query, std::vector<WindingPatch>& waiting, WindingSum& sum,
                    const UnsureTriangle& unsure) {
  const OrientedNode* const nodes = query.tree->nodes.data();
  const TriangleLeaf* const leaves = query.tree->leaves.data();
  const auto add_triangles = [&](std::uint32_t child) HWY_ATTR {
    add_leaf(query, leaves[child & OrientedNode::index_mask], (child >> OrientedNode::count_shift & 3u) + 1, sum,
             unsure);
  };
  if (query.moments == nullptr) {
    for (std::size_t n = 0; n < query.tree->nodes.size(); ++n)
      for (const unsigned i : simd::SetBits(nodes[n].leaves))
        add_triangles(nodes[n].child[i]);
    return;
  }
  HWY_ALIGN double values[8];
  HWY_ALIGN double errors[8];
  // The allowed error of all patches together, and of a single patch.
  const double most = query.tolerance / 2;
  double limit = most;
  double waiting_error = 0;
  waiting.clear();
  const auto wait = [&](unsigned i, std::uint32_t child) HWY_ATTR {
    waiting.push_back({errors[i], values[i], child});
    waiting_error += errors[i];
  };
  // Descends to patches whose error is within the limit.
  const auto open = [&](std::uint32_t top) HWY_ATTR {
    if ((top & OrientedNode::leaf_bit) != 0) return add_triangles(top);
    std::uint32_t stack[trees::Topology::max_waiting];
    std::size_t size = 0;
    stack[size++] = top;
    while (size > 0) {
      const std::uint32_t number = stack[--size];
      const OrientedNode& node = nodes[number];
      patch_values(query, node.origin, query.moments->nodes[number], values, errors);
      for (const unsigned i : node.children()) {
        ++sum.volume_tests;
        if (errors[i] <= limit) {
          wait(i, node.child[i]);
        } else if (node.is_leaf(i)) {
          add_triangles(node.child[i]);
        } else {
          stack[size++] = node.child[i];
        }
      }
    }
  };
  patch_values(query, nodes[0].origin, query.moments->whole, values, errors);
  sum.volume_tests = 1;
  if (errors[0] <= limit) {
    wait(0, 0);
  } else {
    open(0);
  }
  while (true) {
    // The running sum has accumulated rounding errors, so the sum is recomputed.
    waiting_error = 0;
    for (const WindingPatch& patch : waiting)
      waiting_error += patch.error;
    if (waiting_error <= most) break;
    // The total error of patches that barely meet a limit is roughly proportional to the square root of the limit: a
    // patch that is smaller by a factor f has an error smaller by f⁴, and there are f² times as many patches. The step
    // is shorter than this suggests so as not to overshoot, and it ends as soon as the total is small enough.
    const double ratio = most / waiting_error;
    limit *= std::min(0.7, ratio * std::sqrt(ratio));
    for (std::size_t k = waiting.size(); k-- > 0 && waiting_error > most;) {
      const WindingPatch patch = waiting[k];
      if (patch.error <= limit) continue;
      waiting[k] = waiting.back();
      waiting.pop_back();
      waiting_error -= patch.error;
      open(patch.child);
    }
  }
  sum.patch_error = waiting_error;
  sum.patch_count = waiting.size();
  for (const WindingPatch& patch : waiting) {
    sum.patches += patch.value;
    sum.patch_size += std::abs(patch.value);
  }
}

}  // namespace whisker::mesh::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::mesh {

static_assert(sizeof(Vector3) == 3 * sizeof(double) && sizeof(Index3) == 3 * sizeof(std::uint32_t));

HWY_EXPORT(winding_target);

namespace {

/// Up to this many triangles are added one by one, which takes less time than computing the moments.
constexpr std::size_t few_triangles = 256;

constexpr double pi = std::numbers::pi;

/// Half the solid angle of a triangle over 2π, for triangles that the lanes cannot certify. The result is as tight as
/// rounding allows, and its sign comes from the exact predicates.
Interval sure_turns(const Triangle& t, const Vector3& point) {
  // A triangle without area has a solid angle of zero from any point.
  if (t.a == t.b || t.b == t.c || t.c == t.a) return 0;
  // Positive behind the triangle: the triangles of a closed surface face away from a point inside.
  const int side = -orient3d(t.a, t.b, t.c, point);
  if (side == 0) return touches_point_triangle(point, t) ? Interval(-0.5, 0.5) : Interval(0);
  const Interval any = side > 0 ? Interval(0, 0.5) : Interval(-0.5, 0);
  // The angle depends only on the directions of the corners, so each corner is scaled to a length of about 1.
  std::array<Vector3, 3> corner{t.a - point, t.b - point, t.c - point};
  for (Vector3& v : corner) {
    const double size = v.cwiseAbs().maxCoeff();
    if (size == 0) return any;
    const int exponent = -std::ilogb(size);
    for (int i = 0; i < 3; ++i)
      v[i] = std::ldexp(v[i], exponent);
  }
  const double x = corner[0].norm(), y = corner[1].norm(), z = corner[2].norm();
  const double volume = x * y * z;
  const double sine = corner[0].dot(corner[1].cross(corner[2])) / volume;
  const double cosine =
      (volume + corner[0].dot(corner[1]) * z + corner[1].dot(corner[2]) * x + corner[2].dot(corner[0]) * y) / volume;
  constexpr double error = 0x1p-45;
  const double size = std::hypot(sine, cosine);
  if (!(size > 64 * 2 * error)) return any;
  const double slack = 1.05 * 2 * error / size;
  // The angle that the exact sign allows, whatever sign rounding gave the sine.
  const double angle = std::atan2(side * sine, cosine);
  const double turned = angle < -pi / 2 ? angle + 2 * pi : angle;
  const double low = std::clamp((turned - slack) / (2 * pi) - 0x1p-52, 0.0, 0.5);
  const double high = std::clamp((turned + slack) / (2 * pi) + 0x1p-52, 0.0, 0.5);
  return side > 0 ? Interval(low, high) : Interval(-high, -low);
}

}  // namespace

WindingBounds generalized_winding(const PlacedMesh& placed, const Vector3& point, double tolerance) {
  // Reused between calls: nothing in here calls back.
  thread_local std::vector<WindingPatch> waiting;
  const MeshStorage& storage = storage_of(placed.mesh);
  WindingQuery query;
  query.tree = &storage.oriented;
  query.vertices = storage.data.vertices.front().data();
  query.triangles = storage.data.triangles.front().data();
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor>::Map(query.rotation[0]) = placed.pose.rotation();
  Vector3::Map(query.translation) = placed.pose.translation();
  Vector3::Map(query.point) = point;
  query.tolerance = tolerance;
  if (tolerance > 0 && storage.data.triangles.size() > few_triangles) {
    const LocalFrame frame(placed);
    const double size = point.cwiseAbs().maxCoeff();
    Vector3::Map(query.local) = frame.to_local(point);
    // Doubled to cover the rounding of corners, centers and origins relative to each other.
    query.shift = 4 * frame.error(size);
    query.skew = 1 - frame.stretch;
    // Beyond these limits, squares overflow, or triangles without size may move by more than their edges account for.
    const bool is_in_range = (size + frame.coordinate) * frame.scale < 0x1p200 && 6 * query.shift <= trees::edge_slack;
    if (is_in_range) query.moments = &storage.surface_moments();
  }
  WindingSum sum;
  Interval unsure = 0;  // the sum over the triangles that the lanes cannot certify
  const auto add_unsure = [&](std::uint32_t number) {
    unsure = unsure + sure_turns(triangle_at(placed, number), point);
  };
  HWY_DYNAMIC_DISPATCH(winding_target)(query, waiting, sum, add_unsure);

  double half_turns = 0, angle = 0, error = 0;
  for (int i = 0; i < 4; ++i) {
    half_turns += sum.half_turns[i];
    angle += std::atan2(sum.im[i], sum.re[i]);
    error += sum.error[i];
  }
  // Normalizing each triangle's complex number and multiplying it into the product adds an error below 8 · 2^-53.
  const double count = static_cast<double>(sum.triangle_count) + 4;
  error = (error + count * 0x1p-50) / (2 * pi) * (1 + 0x1p-20);
  const double patch_count = static_cast<double>(sum.patch_count) + 4;
  error += sum.patch_error * (1 + 0x1p-52 * patch_count) + patch_count * 0x1p-52 * (sum.patch_size + 0x1p-1000);
  const double middle = half_turns / 2 + (angle / (2 * pi) + sum.patches);
  error += 0x1p-51 * (std::abs(middle) + 1);
  const Interval whole = Interval(middle - error, middle + error) + unsure;
  return {whole.lower, whole.upper, {.volume_tests = sum.volume_tests, .primitive_tests = sum.triangle_count}};
}

}  // namespace whisker::mesh
#endif
