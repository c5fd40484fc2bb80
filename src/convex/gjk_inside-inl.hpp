// What a search that ended with the origin in a tetrahedron proves about the overlap. Compiled once per instruction
// set: included from files that Highway compiles for each of its targets.

#include <array>
#include <cstddef>

#include "convex/simplex.hpp"

#if defined(WHISKER_GJK_INSIDE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_GJK_INSIDE_INL
#undef WHISKER_GJK_INSIDE_INL
#else
#define WHISKER_GJK_INSIDE_INL
#endif

#include <hwy/highway.h>

#include "convex/simplex_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// tetrahedron_margin(), which is too large to be inlined everywhere.
inline HWY_NOINLINE double margin_of(const std::array<Vec3, 4>& w, double size) {
  return tetrahedron_margin(w, size);
}

/// For faces p, q, r of a tetrahedron, one per lane, and the corners opposite to them: whether the origin is on the
/// inner side of all, by more than `least`. See is_well_inside.
template <class D, class Points = Lanes3<hn::Vec<D>>>
HWY_INLINE bool are_beyond(D d, const Points& p, const Points& q, const Points& r, const Points& opposite, double size,
                           double least) {
  using V = hn::Vec<D>;
  const Points e1 = q - p, e2 = r - p, n = cross(e1, e2);
  const V hp = dot(n, p), hq = dot(n, q), hr = dot(n, r), height_opposite = dot(n, opposite);
  const V lowest = hn::Min(hn::Min(hp, hq), hr), highest = hn::Max(hn::Max(hp, hq), hr);
  const V zero = hn::Zero(d);
  const auto is_up = hn::Gt(lowest, zero);
  const V h = hn::IfThenElse(is_up, lowest, hn::Neg(highest));
  const V beyond = hn::IfThenElse(is_up, hn::Neg(height_opposite), height_opposite);
  const double rounding = 32 * 0x1p-53 * size;
  const V rough = hn::Set(d, rounding * rounding) * dot(e1, e1) * dot(e2, e2);
  const V far = hn::Set(d, 4 * least * least) * dot(n, n);
  auto fits = hn::And(hn::Gt(h, zero), hn::Gt(beyond, zero));
  fits = hn::And(fits, hn::And(hn::Gt(h * h, rough), hn::Gt(h * h, far)));
  return hn::AllTrue(d, hn::And(fits, hn::Gt(beyond * beyond, rough)));
}

/// Whether margin_of() is certainly more than `least`, provided that `least` exceeds the rounding of corners of this
/// size. Needs no roots or quotients, and therefore uses wider bounds on the rounding error.
HWY_INLINE bool is_well_inside(const std::array<Vec3, 4>& c, double size, double least) {
#if HWY_MAX_BYTES >= 32 && !HWY_HAVE_SCALABLE
  const auto turned = [&](std::size_t by) HWY_ATTR {
    const Vec3 &w0 = c[by], &w1 = c[(by + 1) & 3], &w2 = c[(by + 2) & 3], &w3 = c[(by + 3) & 3];
    return FourPoints{four_of(w0.x, w1.x, w2.x, w3.x), four_of(w0.y, w1.y, w2.y, w3.y),
                      four_of(w0.z, w1.z, w2.z, w3.z)};
  };
  return are_beyond(four_lanes, turned(1), turned(2), turned(3), turned(0), size, least);
#else
  const hn::FixedTag<double, 1> one;
  const auto corner = [&](std::size_t i) HWY_ATTR {
    const Vec3& w = c[i & 3];
    return Lanes3<hn::Vec<decltype(one)>>{hn::Set(one, w.x), hn::Set(one, w.y), hn::Set(one, w.z)};
  };
  bool result = true;
  for (std::size_t apex = 0; apex < 4; ++apex)
    result &= are_beyond(one, corner(apex + 1), corner(apex + 2), corner(apex + 3), corner(apex), size, least);
  return result;
#endif
}

/// The points of the two bodies whose difference is a corner of the tetrahedron.
struct CornerPoints {
  Vec3 a, b;
};

/// The common point of two bodies that overlap. The weights of a thin tetrahedron are rough, so the means of its
/// corners on a and on b differ. The weights that represent this difference are subtracted, until a and b are within
/// `wanted` of each other.
inline HWY_NOINLINE void balance_weights(const std::array<Vec3, 4>& w, std::array<double, 4> weight,
                                         const std::array<CornerPoints, 4>& points, double wanted, Vec3& mean_a,
                                         Vec3& mean_b) {
  const Vec3 ab = w[2] - w[3], ac = w[1] - w[3], ad = w[0] - w[3];
  const Vec3 n_abc = cross(ab, ac), n_acd = cross(ac, ad), n_adb = cross(ad, ab);
  const double inverse = 1 / dot(n_abc, ad);
  double apart = norm(mean_a - mean_b);
  for (int round = 0; round < 2 && apart > wanted; ++round) {
    const Vec3 left = (mean_b - mean_a) * inverse;
    const double more[3] = {dot(n_abc, left), dot(n_adb, left), dot(n_acd, left)};
    for (std::size_t i = 0; i < 3; ++i)
      weight[i] += more[i];
    weight[3] -= more[0] + more[1] + more[2];
    Vec3 a{}, b{};
    for (std::size_t i = 0; i < 4; ++i) {
      const double share = weight[i];
      if (!(share >= -0x1p-50)) return;
      a = a + points[i].a * share;
      b = b + points[i].b * share;
    }
    const double nearer = norm(a - b);
    if (!(nearer < apart)) return;
    apart = nearer;
    mean_a = a;
    mean_b = b;
  }
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
