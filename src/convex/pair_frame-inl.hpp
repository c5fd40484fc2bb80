// The common frame of two bodies (see FramePair): one source for one pair and for a pair in each lane. `Number` is
// either a double or a vector of doubles. Compiled once per instruction set: included from files that Highway compiles
// for each of its targets.

#include <cstddef>
#include <type_traits>

#if defined(WHISKER_PAIR_FRAME_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_PAIR_FRAME_INL
#undef WHISKER_PAIR_FRAME_INL
#else
#define WHISKER_PAIR_FRAME_INL
#endif

#include <hwy/highway.h>

#include "geometry/constants.hpp"
#include "simd/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace simd::HWY_NAMESPACE;

/// This many roundoffs, in all lanes.
template <class Number>
HWY_INLINE Number roundoffs(double count) {
  if constexpr (std::is_same_v<Number, double>) {
    return count * unit_roundoff;
  } else {
    return hn::Set(hn::DFromV<Number>(), count * unit_roundoff);
  }
}

/// An upper bound on how far RᵀR is from the identity, for a rotation with these columns.
template <class Number>
HWY_INLINE Number off_orthonormal(const Lanes3<Number>& x, const Lanes3<Number>& y, const Lanes3<Number>& z) {
  const Number one = hn::Set(hn::DFromV<Number>(), 1.0);
  const auto off_one = [&](const Lanes3<Number>& column)
                           HWY_ATTR { return hn::Abs(hn::Sub(dot(column, column), one)); };
  const Number diagonal = hn::Max(hn::Max(off_one(x), off_one(y)), off_one(z));
  const Number across = hn::Abs(dot(x, y)) + hn::Abs(dot(y, z)) + hn::Abs(dot(x, z));
  return diagonal + across + roundoffs<Number>(4);
}

/// RaᵀRb and Raᵀ between, row by row. The rotations are stored column by column.
HWY_INLINE void set_relative_pose(const double* ra, const double* rb, const double* between, double (&out)[3][4]) {
  const hn::FixedTag<double, 2> two;
  using Two = hn::Vec<decltype(two)>;
  const auto pair_of = [&](const double& low, const double& high)
                           HWY_ATTR { return hn::InterleaveLower(two, hn::Set(two, low), hn::Set(two, high)); };
  Lanes3<Two> left, right;
  left = {pair_of(rb[0], rb[3]), pair_of(rb[1], rb[4]), pair_of(rb[2], rb[5])};
  right = {pair_of(rb[6], between[0]), pair_of(rb[7], between[1]), pair_of(rb[8], between[2])};
  for (std::size_t i = 0; i < 3; ++i) {
    const Lanes3<Two> column = set3(two, ra + 3 * i);
    hn::StoreU(dot(column, left), two, out[i]);
    hn::StoreU(dot(column, right), two, out[i] + 2);
  }
}

/// See FramePair. The rounding errors of points and heights, without those of curved cores.
template <class Number>
struct FrameErrors {
  Number error, reach, mean;
};
/// `sa` and `sb`: the sizes of the bodies. `st`: the distance of their origins. `stretch`: see FramePair.
///
/// With u = unit_roundoff, an entry of RaᵀRb is off by 3 u, so m x is off by 9 u |x| because of that, and by 7 u |x|
/// because of its own sums. t is off by 7 u |t|, and the difference by u of all. A body that is used in its own frame
/// is off by as much as its rotation is. Heights are off by 3 u |d||x|, and directions in a body's own frame by 7 u,
/// both for the selected vertex and for the best one.
template <class Number>
HWY_INLINE FrameErrors<Number> frame_errors(Number sa, Number sb, Number st, Number stretch) {
  const auto times = [](double count, Number length) HWY_ATTR { return roundoffs<Number>(count) * length; };
  const Number error = times(17, sb) + times(9, st) + (roundoffs<Number>(8) + stretch) * sa;
  return {error, error + times(14, sa + sb) + times(4, st), error + times(6, sa + sb + st)};
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
