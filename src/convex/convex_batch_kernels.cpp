// GJK on doubles with a pair in each lane, compiled once per instruction set. What a lane does is what convex_frame,
// gjk, simplex, convex_contact and convex_queries do for one pair, in the same order: see there for what it means.

#include <cmath>

#include "convex/convex_batch_block.hpp"
#include "convex/convex_contact.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convex/convex_batch_kernels.cpp"
#include <hwy/foreach_target.h>
// After it:
#include <hwy/highway.h>

#include "shapes/hull_support-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using whisker::HWY_NAMESPACE::cell_support;
using whisker::HWY_NAMESPACE::scan_support;
using End = BatchBlock::End;

using Tag = hn::CappedTag<double, 8>;
using Number = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;
constexpr Tag tag;
constexpr std::size_t lanes = hn::MaxLanes(tag);
static_assert(BatchBlock::most % lanes == 0);

constexpr double u = contact_roundoff;
constexpr double no_vertices = -1;  // the id of a place in the simplex that is empty

constexpr double number_of(End end) {
  return static_cast<double>(end);
}

/// A vector in each lane.
struct Vector {
  Number x, y, z;
};

HWY_INLINE Number set(double value) {
  return hn::Set(tag, value);
}
HWY_INLINE Number zero() {
  return hn::Zero(tag);
}
HWY_INLINE Vector operator+(const Vector& a, const Vector& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
HWY_INLINE Vector operator-(const Vector& a, const Vector& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE Vector operator*(const Vector& a, Number b) {
  return {hn::Mul(a.x, b), hn::Mul(a.y, b), hn::Mul(a.z, b)};
}
HWY_INLINE Vector operator-(const Vector& a) {
  return {hn::Neg(a.x), hn::Neg(a.y), hn::Neg(a.z)};
}
HWY_INLINE Number dot(const Vector& a, const Vector& b) {
  return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE Vector cross(const Vector& a, const Vector& b) {
  return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
          hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE Vector choose(Mask mask, const Vector& yes, const Vector& no) {
  return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
}
HWY_INLINE Mask is_positive(Number value) {
  return hn::Gt(value, zero());
}
HWY_INLINE bool any(Mask mask) {
  return !hn::AllFalse(tag, mask);
}
HWY_INLINE unsigned bits_of(Mask mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(tag, mask, bits);
  return bits[0];
}
template <std::size_t Size>
HWY_INLINE Vector load(const double (&rows)[3][Size], std::size_t at = 0) {
  return {hn::Load(tag, rows[0] + at), hn::Load(tag, rows[1] + at), hn::Load(tag, rows[2] + at)};
}
template <std::size_t Size>
HWY_INLINE void store(const Vector& v, double (&rows)[3][Size], std::size_t at = 0) {
  hn::Store(v.x, tag, rows[0] + at);
  hn::Store(v.y, tag, rows[1] + at);
  hn::Store(v.z, tag, rows[2] + at);
}

/// From three rows of many.
template <std::size_t Rows, std::size_t Size>
HWY_INLINE Vector load_vector(const double (&rows)[Rows][Size], std::size_t row, std::size_t at) {
  return {hn::Load(tag, rows[row] + at), hn::Load(tag, rows[row + 1] + at), hn::Load(tag, rows[row + 2] + at)};
}

/// geometry::safe_norm where squares stay within the doubles; `fits` becomes false elsewhere.
HWY_INLINE Number norm_if_safe(const Vector& v, Mask& fits) {
  const Number squared = dot(v, v);
  const Mask is_null = hn::And(hn::And(hn::Eq(v.x, zero()), hn::Eq(v.y, zero())), hn::Eq(v.z, zero()));
  const Mask is_plain = hn::And(hn::Gt(squared, set(0x1p-900)), hn::Lt(squared, set(0x1p900)));
  fits = hn::And(fits, hn::Or(is_null, is_plain));
  return hn::Sqrt(squared);
}

// --- Setting up the frames: set_frame ---

/// One vector from the two halves, or from the first alone where that is all of it.
template <class Half>
HWY_INLINE Number joined(const Half (&halves)[2]) {
  if constexpr (sizeof(Half) == sizeof(Number)) {
    return halves[0];
  } else {
    return hn::Combine(tag, halves[1], halves[0]);
  }
}

struct FourNumbers {
  Number of[4];
};

/// Four numbers of each lane, `from[lane][at]` and the next three. (By way of registers: a vector that is loaded from
/// numbers just stored waits until they are in the cache.)
HWY_INLINE FourNumbers load_four(const double* const (&from)[lanes], std::size_t at) {
  FourNumbers result;
  if constexpr (lanes == 2) {
    for (std::size_t half = 0; half < 4; half += 2) {
      const Number first = hn::LoadU(tag, from[0] + at + half), second = hn::LoadU(tag, from[1] + at + half);
      result.of[half] = hn::InterleaveLower(tag, first, second);
      result.of[half + 1] = hn::InterleaveUpper(tag, first, second);
    }
  } else {
    const hn::CappedTag<double, 4> four;
    using Four = hn::Vec<decltype(four)>;
    Four part[4][2];
    for (std::size_t lane = 0; lane < lanes; lane += 4) {
      const Four r0 = hn::LoadU(four, from[lane] + at), r1 = hn::LoadU(four, from[lane + 1] + at),
                 r2 = hn::LoadU(four, from[lane + 2] + at), r3 = hn::LoadU(four, from[lane + 3] + at);
      const Four even01 = hn::InterleaveLower(four, r0, r1), odd01 = hn::InterleaveUpper(four, r0, r1),
                 even23 = hn::InterleaveLower(four, r2, r3), odd23 = hn::InterleaveUpper(four, r2, r3);
      part[0][lane / 4] = hn::ConcatLowerLower(four, even23, even01);
      part[1][lane / 4] = hn::ConcatLowerLower(four, odd23, odd01);
      part[2][lane / 4] = hn::ConcatUpperUpper(four, even23, even01);
      part[3][lane / 4] = hn::ConcatUpperUpper(four, odd23, odd01);
    }
    for (std::size_t k = 0; k < 4; ++k)
      result.of[k] = joined(part[k]);
  }
  return result;
}

HWY_INLINE Number larger(Number a, Number b) {
  return hn::IfThenElse(hn::Lt(a, b), b, a);
}
HWY_INLINE Number smaller(Number a, Number b) {
  return hn::IfThenElse(hn::Lt(b, a), b, a);
}

void set_frames(BatchBlock& block, std::size_t at) {
  const double* pose_a[lanes];
  const double* pose_b[lanes];
  const double* shape_a[lanes];
  const double* shape_b[lanes];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const BatchEntry& entry = block.entries[at + lane < block.count ? at + lane : at];
    pose_a[lane] = entry.pose_a;
    pose_b[lane] = entry.pose_b;
    shape_a[lane] = entry.a->numbers;
    shape_b[lane] = entry.b->numbers;
  }
  Number first[12], second[12];
  for (std::size_t k = 0; k < 12; k += 4) {
    const FourNumbers of_a = load_four(pose_a, k), of_b = load_four(pose_b, k);
    for (std::size_t j = 0; j < 4; ++j) {
      first[k + j] = of_a.of[j];
      second[k + j] = of_b.of[j];
      hn::Store(first[k + j], tag, block.pose_a[k + j] + at);
    }
  }
  const FourNumbers numbers_a = load_four(shape_a, 0), numbers_b = load_four(shape_b, 0);
  // The radius follows, and what else there is.
  const Number radius_a = load_four(shape_a, 4).of[0], radius_b = load_four(shape_b, 4).of[0];
  hn::Store(radius_a, tag, block.radius_a + at);
  hn::Store(radius_b, tag, block.radius_b + at);
  const auto column_a = [&](std::size_t k) HWY_ATTR {
    return Vector{first[3 * k], first[3 * k + 1], first[3 * k + 2]};
  };
  const auto column_b = [&](std::size_t k) HWY_ATTR {
    return Vector{second[3 * k], second[3 * k + 1], second[3 * k + 2]};
  };
  const Number one = set(1);
  const Vector at_a = column_a(3), at_b = column_b(3);
  const Number sa = numbers_a.of[3], sb = numbers_b.of[3];
  const Vector between = at_b - at_a;
  Mask fits = hn::Not(hn::And(hn::And(hn::Eq(at_a.x, at_b.x), hn::Eq(at_a.y, at_b.y)), hn::Eq(at_a.z, at_b.z)));
  const Number st = hn::Mul(norm_if_safe(between, fits), set(1 + 0x1p-48));
  const Number size = hn::Add(hn::Add(sa, sb), st);
  const Number radii = hn::Add(radius_a, radius_b);

  const Vector ra[3] = {column_a(0), column_a(1), column_a(2)};
  const Vector rb[3] = {column_b(0), column_b(1), column_b(2)};
  const auto off_one = [&](const Vector& column) HWY_ATTR { return hn::Abs(hn::Sub(dot(column, column), set(1))); };
  const Number diagonal = larger(larger(off_one(ra[0]), off_one(ra[1])), off_one(ra[2]));
  const Number across =
      hn::Add(hn::Add(hn::Abs(dot(ra[0], ra[1])), hn::Abs(dot(ra[1], ra[2]))), hn::Abs(dot(ra[0], ra[2])));
  const Number off = hn::Add(hn::Add(diagonal, across), set(4 * u));
  fits = hn::And(fits, hn::And(hn::Le(off, set(0x1p-48)), hn::Lt(radii, set(0x1p100))));
  fits = hn::And(fits, hn::And(hn::Gt(size, set(0x1p-100)), hn::Lt(size, set(0x1p100))));

  Number m[3][3], t[3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      m[i][j] = dot(ra[i], rb[j]);
      hn::Store(m[i][j], tag, block.m[3 * i + j] + at);
    }
    t[i] = dot(ra[i], between);
    hn::Store(t[i], tag, block.t[i] + at);
  }
  const Vector own_b = {numbers_b.of[0], numbers_b.of[1], numbers_b.of[2]};
  const auto row = [&](int i) HWY_ATTR {
    const Number turned =
        hn::Add(hn::Add(hn::Mul(m[i][0], own_b.x), hn::Mul(m[i][1], own_b.y)), hn::Mul(m[i][2], own_b.z));
    return hn::Add(turned, t[i]);
  };
  const Vector null = {zero(), zero(), zero()};
  const Vector start =
      (Vector{numbers_a.of[0], numbers_a.of[1], numbers_a.of[2]} + null) - Vector{row(0), row(1), row(2)};
  const Number small = hn::Mul(hn::Mul(set(0x1p-200), size), size);
  fits = hn::And(fits, hn::Not(hn::Lt(dot(start, start), small)));

  const Number error =
      hn::Add(hn::Add(hn::Mul(set(17 * u), sb), hn::Mul(set(9 * u), st)), hn::Mul(hn::Add(set(8 * u), off), sa));
  const Number reach = hn::Add(hn::Add(error, hn::Mul(set(14 * u), hn::Add(sa, sb))), hn::Mul(set(4 * u), st));
  const Number mean = hn::Add(error, hn::Mul(set(6 * u), hn::Add(hn::Add(sa, sb), st)));
  Number far = zero();
  for (const Number& coordinate : {at_a.x, at_a.y, at_a.z, at_b.x, at_b.y, at_b.z})
    far = larger(far, hn::Abs(coordinate));
  const Number half = set(0.5);
  const Number fine = hn::Mul(set(110 * u), larger(larger(far, hn::Mul(sa, half)), hn::Mul(sb, half)));

  store(start, block.start, at);
  hn::Store(off, tag, block.stretch + at);
  hn::Store(hn::Mul(size, set(1 + 0x1p-40)), tag, block.size + at);
  hn::Store(radii, tag, block.radii + at);
  hn::Store(hn::Mul(error, error), tag, block.zero_squared + at);
  hn::Store(reach, tag, block.reach_error + at);
  hn::Store(mean, tag, block.mean_error + at);
  hn::Store(fine, tag, block.fine + at);

  // When the search may end: contact_goal, and the options of a distance.
  Number above = set(HUGE_VAL), below = set(-1), tolerance = zero();
  if (block.question == BatchBlock::Question::touches) {
    above = hn::Mul(hn::Add(hn::Add(radii, reach), hn::Mul(set(8 * u), radii)), set(1 + 16 * u));
    const Number reached = hn::Sub(hn::Mul(radii, set(1 - 16 * u)), hn::Mul(mean, set(2)));
    below = hn::IfThenElse(is_positive(radii), reached, below);
  } else {
    if (block.upper_bound < HUGE_VAL) {
      const Number bound = hn::Mul(set(block.upper_bound), hn::Add(one, off));
      above = hn::Mul(hn::Add(hn::Add(bound, radii), reach), set(1 + 32 * u));
    }
    if (block.close_enough >= 0) {
      const Number near = hn::Mul(set(block.close_enough), hn::Sub(one, off));
      below = hn::Sub(hn::Mul(hn::Add(near, radii), set(1 - 32 * u)), hn::Mul(set(2), mean));
    }
    if (block.tolerance > 0) {
      const Number asked = hn::Mul(set(block.tolerance), set(1 - 0x1p-40));
      const Number errors = hn::Mul(set(2), hn::Add(reach, mean));
      tolerance = larger(zero(), hn::Sub(hn::Sub(asked, errors), hn::Mul(set(16 * u), radii)));
    }
  }
  hn::Store(above, tag, block.stop_above + at);
  hn::Store(below, tag, block.stop_below + at);
  hn::Store(tolerance, tag, block.stop_tolerance + at);

  hn::Store(hn::IfThenElse(fits, set(number_of(End::converged)), set(number_of(End::open))), tag, block.end + at);
}

// --- The nearest point of a simplex: reduce ---

struct OnSegment {
  Number share;
  Vector v;
  Number squared;
};

/// nearest_on_segment, with e = q - p.
HWY_INLINE OnSegment nearest_on_segment(const Vector& p, const Vector& q, const Vector& e) {
  const Number along = hn::Neg(dot(p, e));
  const Number ee = dot(e, e);
  const Mask past_p = is_positive(along), before_q = hn::Lt(along, ee);
  const Number inverse = hn::Div(set(1), ee);
  const Number share = hn::Mul(along, inverse);
  Vector v = p + e * share;
  v = v - e * hn::Mul(dot(v, e), inverse);
  OnSegment result;
  result.share = hn::IfThenElseZero(past_p, hn::IfThenElse(before_q, share, set(1)));
  result.v = choose(past_p, choose(before_q, v, q), p);
  result.squared = dot(result.v, result.v);
  return result;
}

/// Weights of the newest corner a and of x and y.
struct OnFace {
  Number a, x, y;
  Vector v;
  Number squared;
};

/// What a face needs to know: its normal n = (x - a) × (y - a), n · a, and how much of x and y its nearest point has.
struct Face {
  Vector n;
  Number height;
  Number of_x, of_y;
};

/// nearest_on_triangle of a, x and y, where `is_face`; elsewhere the nearest point of the edge to x. The nearest points
/// of both edges at a are known. `counts`: where the answer matters.
HWY_INLINE OnFace nearest_on_face(Mask is_face, Mask counts, const Vector& x, const Vector& y, const Face& face,
                                  const OnSegment& on_x, const OnSegment& on_y) {
  const Number one = set(1);
  const Number nn = dot(face.n, face.n);
  const Mask within_x = is_positive(face.of_x), within_y = is_positive(face.of_y);
  const Mask within = hn::And(is_face, hn::And(within_x, within_y));
  const Mask interior = hn::And(within, hn::Lt(hn::Add(face.of_x, face.of_y), nn));
  const Number inverse = hn::Div(one, nn);
  const Vector v = face.n * hn::Mul(face.height, inverse);
  const Number weight_x = hn::Mul(face.of_x, inverse), weight_y = hn::Mul(face.of_y, inverse);
  const Number weight_a = hn::Sub(one, hn::Add(weight_x, weight_y));

  // The edge to x, or that to y if it is nearer or the only one that may be.
  const Mask is_nearer = hn::Or(within_y, hn::Lt(on_y.squared, on_x.squared));
  const Mask takes_y = hn::And(is_face, hn::AndNot(within_x, is_nearer));
  const Number share = hn::IfThenElse(takes_y, on_y.share, on_x.share);
  OnFace result;
  result.a = hn::IfThenElse(interior, hn::IfThenElseZero(is_positive(weight_a), weight_a), hn::Sub(one, share));
  result.x = hn::IfThenElse(interior, weight_x, hn::IfThenElse(takes_y, zero(), share));
  result.y = hn::IfThenElse(interior, weight_y, hn::IfThenElseZero(takes_y, share));
  result.v = choose(interior, v, choose(takes_y, on_y.v, on_x.v));
  result.squared = hn::IfThenElse(interior, dot(v, v), hn::IfThenElse(takes_y, on_y.squared, on_x.squared));
  const Mask opposite = hn::And(counts, hn::AndNot(interior, within));
  if (HWY_UNLIKELY(any(opposite))) {
    const OnSegment on = nearest_on_segment(x, y, y - x);
    result.a = hn::IfThenElse(opposite, zero(), result.a);
    result.x = hn::IfThenElse(opposite, hn::Sub(one, on.share), result.x);
    result.y = hn::IfThenElse(opposite, on.share, result.y);
    result.v = choose(opposite, on.v, result.v);
    result.squared = hn::IfThenElse(opposite, on.squared, result.squared);
  }
  return result;
}

/// A corner of the simplex. The newest comes first here.
struct Corner {
  Vector w;
  Number id;  ///< of its two vertices, or `no_vertices`
};

struct Reduced {
  Number weight[4];
  Vector v;
  Number squared;
  Mask inside;
  Mask open;  ///< a case that is left to the single question
};

HWY_INLINE Reduced reduce(const Corner (&corner)[4]) {
  const Mask has_b = hn::Ge(corner[1].id, zero()), has_c = hn::Ge(corner[2].id, zero()),
             has_d = hn::Ge(corner[3].id, zero());
  // One corner alone is a segment without length.
  const Vector &a = corner[0].w, b = choose(has_b, corner[1].w, corner[0].w), &c = corner[2].w, &d = corner[3].w;
  const Number one = set(1);
  const Mask never = hn::Lt(zero(), zero());
  Reduced r;
  r.inside = never;
  r.open = never;
  r.weight[2] = zero();
  r.weight[3] = zero();

  const Vector ab = b - a;
  const OnSegment on_b = nearest_on_segment(a, b, ab);
  if (!any(has_c)) {
    r.weight[0] = hn::Sub(one, on_b.share);
    r.weight[1] = on_b.share;
    r.v = on_b.v;
    r.squared = on_b.squared;
    return r;
  }

  const Vector ac = c - a;
  const OnSegment on_c = nearest_on_segment(a, c, ac);
  const Vector a_by_b = cross(a, ab), a_by_c = cross(a, ac);
  // (x - a) × a is a × (x - a) with the sign turned, and so is its product with n.
  const auto face_of = [&](const Vector& to_x, const Vector& to_y, const Vector& a_by_x, const Vector& a_by_y)
                           HWY_ATTR {
                             Face face;
                             face.n = cross(to_x, to_y);
                             face.height = dot(face.n, a);
                             face.of_x = hn::Neg(dot(face.n, a_by_y));
                             face.of_y = dot(face.n, a_by_x);
                             return face;
                           };
  const Face abc = face_of(ab, ac, a_by_b, a_by_c);
  if (!any(has_d)) {
    const OnFace on = nearest_on_face(has_c, has_c, b, c, abc, on_b, on_c);
    r.weight[0] = on.a;
    r.weight[1] = on.x;
    r.weight[2] = on.y;
    r.v = on.v;
    r.squared = on.squared;
    return r;
  }

  const Vector ad = d - a;
  const Number volume = dot(abc.n, ad);
  const Number sizes = hn::Mul(hn::Mul(dot(ab, ab), dot(ac, ac)), dot(ad, ad));
  constexpr double flat = 16 * 0x1p-53;
  const Mask thick = hn::Gt(hn::Mul(volume, volume), hn::Mul(set(flat * flat), sizes));
  const Mask positive = is_positive(volume);
  const auto within = [&](Number share) HWY_ATTR {
    const Mask on_side = hn::Or(hn::And(positive, is_positive(share)), hn::AndNot(positive, hn::Lt(share, zero())));
    return hn::And(thick, on_side);
  };
  const Number of_d = hn::Neg(abc.height);
  const Mask in_abc = hn::And(has_d, within(of_d));
  const OnFace on_abc = nearest_on_face(has_c, hn::AndNot(in_abc, has_c), b, c, abc, on_b, on_c);

  const OnSegment on_d = nearest_on_segment(a, d, ad);
  const Vector a_by_d = cross(a, ad);
  const Face acd = face_of(ac, ad, a_by_c, a_by_d);
  const Number of_b = hn::Neg(acd.height);
  const Mask in_acd = within(of_b), out_acd = hn::AndNot(in_acd, has_d);
  const OnFace on_acd = nearest_on_face(has_d, out_acd, c, d, acd, on_c, on_d);
  const Face adb = face_of(ad, ab, a_by_d, a_by_b);
  const Number of_c = hn::Neg(adb.height);
  const Mask in_adb = within(of_c), out_adb = hn::AndNot(in_adb, has_d);
  const OnFace on_adb = nearest_on_face(has_d, out_adb, d, b, adb, on_d, on_b);

  const Number best = hn::IfThenElse(in_abc, set(HUGE_VAL), on_abc.squared);
  const Mask take_acd = hn::And(out_acd, hn::Lt(on_acd.squared, best));
  const Number better = hn::IfThenElse(take_acd, on_acd.squared, best);
  const Mask take_adb = hn::And(out_adb, hn::Lt(on_adb.squared, better));
  const auto pick = [&](Number of_abc, Number of_acd, Number of_adb)
                        HWY_ATTR { return hn::IfThenElse(take_adb, of_adb, hn::IfThenElse(take_acd, of_acd, of_abc)); };
  r.weight[0] = pick(on_abc.a, on_acd.a, on_adb.a);
  r.weight[1] = pick(on_abc.x, zero(), on_adb.y);
  r.weight[2] = pick(on_abc.y, on_acd.x, zero());
  r.weight[3] = pick(zero(), on_acd.y, on_adb.x);
  r.v = choose(take_adb, on_adb.v, choose(take_acd, on_acd.v, on_abc.v));
  r.squared = hn::IfThenElse(take_adb, on_adb.squared, better);

  const Mask in_three = hn::And(in_abc, hn::And(in_acd, in_adb));
  if (any(in_three)) {
    const Number of_a = hn::Sub(volume, hn::Add(hn::Add(of_b, of_c), of_d));
    const Mask in_bcd = within(of_a);
    r.inside = hn::And(in_three, in_bcd);
    r.open = hn::AndNot(in_bcd, in_three);
    const Number inverse = hn::Div(one, volume);
    r.weight[0] = hn::IfThenElse(r.inside, hn::Mul(of_a, inverse), r.weight[0]);
    r.weight[1] = hn::IfThenElse(r.inside, hn::Mul(of_b, inverse), r.weight[1]);
    r.weight[2] = hn::IfThenElse(r.inside, hn::Mul(of_c, inverse), r.weight[2]);
    r.weight[3] = hn::IfThenElse(r.inside, hn::Mul(of_d, inverse), r.weight[3]);
  }
  return r;
}

// --- The search: gjk ---

/// How a lane finds its supports.
struct LaneBody {
  const double* x;
  const double* y;
  const double* z;
  std::uint32_t padded;
  std::uint32_t count;
  const HullSupport* cells;
};

constexpr std::size_t most_placed = FrameBody::most_placed;

/// A body that all lanes share, with rounded coordinates: these tell at little cost which vertex is the farthest,
/// unless several are nearly so.
struct SharedBody {
  LaneBody body;
  double size;
  alignas(64) float x[most_placed], y[most_placed], z[most_placed];  ///< after the vertices zeros
  alignas(32) double corners[most_placed][4];                        ///< x, y, z, and a zero
  alignas(64) double own[3][8];
};

/// The searches as they stand. Simplices have the newest corner first.
struct State {
  alignas(64) double v[3][lanes];
  alignas(64) double lower[lanes];
  alignas(64) double direction[3][lanes];
  alignas(64) double w[3][3][lanes];
  alignas(64) double id[3][lanes];
  alignas(64) double weight[3][lanes];
};

/// The pairs that are being worked.
struct Lanes {
  State states[2];  ///< before and after a step
  alignas(64) double zero_squared[lanes];
  alignas(64) double stop_above[lanes], stop_below[lanes], stop_tolerance[lanes];
  // What the step found.
  alignas(64) double support_a[3][lanes];
  alignas(64) double support_b[3][lanes];
  alignas(64) double new_id[lanes];
  alignas(64) double last_weight[4][lanes];

  LaneBody a[lanes];
  LaneBody b[lanes];
  bool turns[lanes];  ///< b is not placed: directions are brought to its frame, and vertices back
  alignas(64) double m[9][lanes];
  alignas(64) double t[3][lanes];
  std::uint64_t began[lanes];  ///< in which step
  std::size_t pair[lanes];
  alignas(64) double own[lanes][3][8];
  alignas(64) double placed[lanes][3][most_placed];
  // Where all lanes share their bodies.
  alignas(64) double size[lanes];       ///< of the pair: no coordinate of a difference is larger
  alignas(64) float along_b[3][lanes];  ///< the direction in the frame of b
  alignas(64) float enough_b[lanes];    ///< vertices of b whose rounded height is less are not the farthest

  /// Lanes without a pair are worked as well.
  void set_idle() {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (int k = 0; k < 3; ++k) {
        support_a[k][lane] = support_b[k][lane] = 0;
        for (State& s : states) {
          s.v[k][lane] = s.direction[k][lane] = s.weight[k][lane] = 0;
          s.id[k][lane] = no_vertices;
          for (auto& corner : s.w)
            corner[k][lane] = 0;
        }
      }
      for (State& s : states)
        s.lower[lane] = 0;
      zero_squared[lane] = new_id[lane] = 0;
      stop_above[lane] = stop_below[lane] = stop_tolerance[lane] = 0;
      size[lane] = 0;
      for (auto& row : m)
        row[lane] = 0;
      for (auto& row : t)
        row[lane] = 0;
    }
  }
};

constexpr int id_bits = 26;  // hulls have fewer vertices
constexpr double id_step = 0x1p26;
constexpr std::size_t id_mask = (std::size_t{1} << id_bits) - 1;

/// The vertices of set_own, in ConvexBody.
HWY_INLINE void make_own(const BatchShape& shape, double (&out)[3][8]) {
  for (int k = 0; k < 8; ++k) {
    const double z = shape.numbers[5 + 2];
    if (shape.own == BatchShape::Own::box) {
      out[0][k] = (k & 1) != 0 ? shape.numbers[5 + 0] : -shape.numbers[5 + 0];
      out[1][k] = (k & 2) != 0 ? shape.numbers[5 + 1] : -shape.numbers[5 + 1];
      out[2][k] = (k & 4) != 0 ? z : -z;
    } else {
      out[0][k] = 0;
      out[1][k] = 0;
      out[2][k] = shape.own == BatchShape::Own::point ? 0 : k == 1 ? z : -z;
    }
  }
}

HWY_INLINE LaneBody body_of(const BatchShape& shape, double (&own)[3][8]) {
  if (shape.own == BatchShape::Own::no) return {shape.x, shape.y, shape.z, shape.padded, shape.count, shape.cells};
  make_own(shape, own);
  return {own[0], own[1], own[2], 8, 8, nullptr};
}

/// Brings few vertices of a lane's b into the common frame.
HWY_INLINE void place(const LaneBody& body, Lanes& s, std::size_t lane) {
  Number m[9], t[3];
  for (int k = 0; k < 9; ++k)
    m[k] = set(s.m[k][lane]);
  for (int k = 0; k < 3; ++k)
    t[k] = set(s.t[k][lane]);
  for (std::size_t i = 0; i < body.padded; i += lanes) {
    const Vector p = {hn::Load(tag, body.x + i), hn::Load(tag, body.y + i), hn::Load(tag, body.z + i)};
    for (int r = 0; r < 3; ++r) {
      const Number turned = dot({m[3 * r], m[3 * r + 1], m[3 * r + 2]}, p);
      hn::Store(hn::Add(turned, t[r]), tag, s.placed[lane][r] + i);
    }
  }
}

/// For every set of lanes, given by bits: which of as many numbers goes to which lane, in their order.
struct Spread {
  std::int64_t from[std::size_t{1} << lanes][lanes];
};
constexpr Spread make_spread() {
  Spread spread{};
  for (std::size_t bits = 0; bits < std::size_t{1} << lanes; ++bits) {
    std::int64_t next = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if ((bits >> lane & 1) != 0) spread.from[bits][lane] = next++;
  }
  return spread;
}
constexpr Spread spread = make_spread();

/// Puts the pairs from `next` on into these lanes, one after the other: what does not depend on how supports are found.
HWY_INLINE void begin_search(const BatchBlock& block, std::size_t next, unsigned into, Lanes& s, State& state) {
  const std::uint8_t bits[8] = {static_cast<std::uint8_t>(into)};
  const Mask mask = hn::LoadMaskBits(tag, bits);
  const auto order = hn::SetTableIndices(tag, spread.from[into]);
  const auto put = [&](Number fresh, double* row)
                       HWY_ATTR { hn::Store(hn::IfThenElse(mask, fresh, hn::Load(tag, row)), tag, row); };
  const auto put_row = [&](const BatchBlock::Row& from, double* row)
                           HWY_ATTR { put(hn::TableLookupLanes(hn::LoadU(tag, from + next), order), row); };
  for (int k = 0; k < 3; ++k) {
    put_row(block.start[k], state.v[k]);
    put(set(no_vertices), state.id[k]);
    put_row(block.t[k], s.t[k]);
  }
  for (int k = 0; k < 9; ++k)
    put_row(block.m[k], s.m[k]);
  put(zero(), state.lower);
  put_row(block.zero_squared, s.zero_squared);
  put_row(block.size, s.size);
  put_row(block.stop_above, s.stop_above);
  put_row(block.stop_below, s.stop_below);
  put_row(block.stop_tolerance, s.stop_tolerance);
}

/// Lanes with bodies of their own: the supports are found lane by lane.
struct OwnBodies {
  HWY_INLINE void begin(const BatchBlock& block, std::size_t i, std::size_t lane, Lanes& s) const;
  HWY_INLINE void find_supports(unsigned active, const State& state, Lanes& s) const;
};

void OwnBodies::begin(const BatchBlock& block, std::size_t i, std::size_t lane, Lanes& s) const {
  const BatchEntry& entry = block.entries[i];
  const LaneBody b = body_of(*entry.b, s.own[lane]);
  s.turns[lane] = !entry.b->is_placed;
  s.b[lane] = b;
  if (entry.b->is_placed) {
    place(b, s, lane);
    s.b[lane] = {s.placed[lane][0], s.placed[lane][1], s.placed[lane][2], b.padded, b.count, nullptr};
  }
  s.a[lane] = body_of(*entry.a, s.own[lane]);
}

HWY_INLINE std::uint32_t farthest(const LaneBody& body, double dx, double dy, double dz) {
  if (body.cells != nullptr) return cell_support(*body.cells, dx, dy, dz);
  return scan_support(body.x, body.y, body.z, body.padded, dx, dy, dz);
}

HWY_INLINE void vertex_of_b(const Lanes& s, std::size_t lane, std::size_t vertex, double (&p)[3]) {
  const LaneBody& b = s.b[lane];
  const double x = b.x[vertex], y = b.y[vertex], z = b.z[vertex];
  if (!s.turns[lane]) {
    p[0] = x;
    p[1] = y;
    p[2] = z;
    return;
  }
  const auto& m = s.m;
  for (int r = 0; r < 3; ++r)
    p[r] = ((m[3 * r][lane] * x + m[3 * r + 1][lane] * y) + m[3 * r + 2][lane] * z) + s.t[r][lane];
}

/// The supports of both bodies of a lane, along -v and v.
HWY_INLINE void find_in_lane(const State& state, std::size_t lane, Lanes& s) {
  const double vx = state.v[0][lane], vy = state.v[1][lane], vz = state.v[2][lane];
  const LaneBody &a = s.a[lane], &b = s.b[lane];
  const std::size_t of_a = farthest(a, -vx, -vy, -vz);
  std::size_t of_b;
  if (s.turns[lane]) {
    const auto along = [&](int k)
                           HWY_ATTR { return (s.m[k][lane] * vx + s.m[k + 3][lane] * vy) + s.m[k + 6][lane] * vz; };
    of_b = farthest(b, along(0), along(1), along(2));
  } else {
    of_b = scan_support(b.x, b.y, b.z, b.padded, vx, vy, vz);
  }
  s.support_a[0][lane] = a.x[of_a];
  s.support_a[1][lane] = a.y[of_a];
  s.support_a[2][lane] = a.z[of_a];
  double p[3];
  vertex_of_b(s, lane, of_b, p);
  for (int k = 0; k < 3; ++k)
    s.support_b[k][lane] = p[k];
  s.new_id[lane] = static_cast<double>(static_cast<std::int64_t>(of_a << id_bits | of_b));
}

void OwnBodies::find_supports(unsigned active, const State& state, Lanes& s) const {
  for (std::size_t lane = 0; lane < lanes; ++lane)
    if ((active >> lane & 1) != 0) find_in_lane(state, lane, s);
}

using FloatTag = hn::Rebind<float, Tag>;
using Float = hn::Vec<FloatTag>;
constexpr FloatTag floats;

/// The highest rounded heights of a body in each lane.
struct Highest {
  Float best, second;  ///< the number of the vertex is in the last bits
};
constexpr std::uint32_t number_bits = 63;
static_assert(most_placed <= number_bits + 1);

HWY_INLINE Highest highest_of(const SharedBody& body, Float dx, Float dy, Float dz) {
  const hn::Rebind<std::uint32_t, Tag> bits;
  const Float without = hn::BitCast(floats, hn::Set(bits, ~number_bits));
  const Float none = hn::Set(floats, -HUGE_VALF);
  const auto height = [&](std::uint32_t k) HWY_ATTR {
    const Float x = hn::Set(floats, body.x[k]), y = hn::Set(floats, body.y[k]), z = hn::Set(floats, body.z[k]);
    const Float h = hn::Add(hn::Add(hn::Mul(dx, x), hn::Mul(dy, y)), hn::Mul(dz, z));
    return hn::Or(hn::And(h, without), hn::BitCast(floats, hn::Set(bits, k)));
  };
  const auto take = [](Highest& highest, Float h) HWY_ATTR {
    highest.second = hn::Max(highest.second, hn::Min(highest.best, h));
    highest.best = hn::Max(highest.best, h);
  };
  Highest even = {none, none}, odd = {none, none};
  std::uint32_t k = 0;
  for (; k + 1 < body.body.count; k += 2) {
    take(even, height(k));
    take(odd, height(k + 1));
  }
  if (k < body.body.count) take(even, height(k));
  return {hn::Max(even.best, odd.best), hn::Max(hn::Min(even.best, odd.best), hn::Max(even.second, odd.second))};
}

/// Lanes with the same two bodies, of few vertices. All lanes look for their farthest vertices at once, by rounded
/// heights, those of b in its own frame. Where these leave a doubt, the lane is worked by itself: it finds what it
/// would always find.
struct SharedBodies {
  SharedBody a, b;
  bool is_plain;  ///< floats are for such sizes

  void set_bodies(const BatchShape& shape_a, const BatchShape& shape_b) {
    const auto fill = [](const BatchShape& shape, SharedBody& out) HWY_ATTR {
      out.body = body_of(shape, out.own);
      out.size = shape.size();
      for (std::uint32_t k = out.body.count; k < most_placed; ++k)
        out.x[k] = out.y[k] = out.z[k] = 0;
      for (std::uint32_t k = 0; k < out.body.count; ++k) {
        out.x[k] = static_cast<float>(out.body.x[k]);
        out.y[k] = static_cast<float>(out.body.y[k]);
        out.z[k] = static_cast<float>(out.body.z[k]);
        out.corners[k][0] = out.body.x[k];
        out.corners[k][1] = out.body.y[k];
        out.corners[k][2] = out.body.z[k];
        out.corners[k][3] = 0;
      }
    };
    fill(shape_a, a);
    fill(shape_b, b);
    const auto fits = [](double size) { return size == 0 || (size > 0x1p-40 && size < 0x1p40); };
    is_plain = fits(a.size) && fits(b.size);
  }

  HWY_INLINE void begin(const BatchBlock&, std::size_t, std::size_t lane, Lanes& s) const {
    s.turns[lane] = true;
    s.a[lane] = a.body;
    s.b[lane] = b.body;
  }

  HWY_INLINE void find_supports(unsigned active, const State& state, Lanes& s) const {
    const Vector v = load(state.v);
    const Number size = hn::Load(tag, s.size);
    const Number length = hn::Add(hn::Add(hn::Abs(v.x), hn::Abs(v.y)), hn::Abs(v.z));
    const auto turned = [&](int k) HWY_ATTR {
      const Number x = hn::Load(tag, s.m[k]), y = hn::Load(tag, s.m[k + 3]), z = hn::Load(tag, s.m[k + 6]);
      return hn::DemoteTo(floats, dot(v, {x, y, z}));
    };
    const Float ax = hn::DemoteTo(floats, hn::Neg(v.x)), ay = hn::DemoteTo(floats, hn::Neg(v.y)),
                az = hn::DemoteTo(floats, hn::Neg(v.z));
    const Highest of_a = highest_of(a, ax, ay, az);
    const Float bx = turned(0), by = turned(1), bz = turned(2);
    const Highest of_b = highest_of(b, bx, by, bz);
    const hn::Rebind<std::int32_t, Tag> ints;
    alignas(64) std::int32_t at_a[lanes], at_b[lanes];
    const auto number = [&](const Highest& highest) HWY_ATTR {
      return hn::And(hn::BitCast(ints, highest.best), hn::Set(ints, static_cast<std::int32_t>(number_bits)));
    };
    const auto number_a = number(of_a), number_b = number(of_b);
    hn::Store(number_a, ints, at_a);
    hn::Store(number_b, ints, at_b);
    const double* corner_a[lanes];
    const double* corner_b[lanes];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      corner_a[lane] = a.corners[at_a[lane]];
      corner_b[lane] = b.corners[at_b[lane]];
    }
    const FourNumbers p_a = load_four(corner_a, 0), p_b = load_four(corner_b, 0);
    store({p_a.of[0], p_a.of[1], p_a.of[2]}, s.support_a);
    // A rounded height is off by five roundings of 2^-24, and 2^-17 for the number, of |v|₁ size; that of the vertex
    // in doubles, which is the one that counts, by far less, of |v|₁ and the size of the pair.
    const auto slack_of = [&](const SharedBody& body) HWY_ATTR {
      return hn::Mul(length, hn::Add(set(0x1p-15 * body.size), hn::Mul(set(0x1p-45), size)));
    };
    const Number slack_a = slack_of(a), slack_b = slack_of(b);
    const auto leaves_doubt = [&](const Highest& highest, Number slack) HWY_ATTR {
      return hn::Not(hn::Gt(hn::PromoteTo(tag, hn::Sub(highest.best, highest.second)), slack));
    };
    const auto is_extreme = [&](Number slack) HWY_ATTR {
      return hn::Not(hn::And(hn::Gt(slack, set(0x1p-80)), hn::Lt(slack, set(0x1p60))));
    };
    const Mask is_odd = hn::Not(hn::And(hn::Gt(size, set(0x1p-40)), hn::Lt(size, set(0x1p40))));
    const Mask doubt_a = hn::Or(hn::Or(leaves_doubt(of_a, slack_a), is_extreme(slack_a)), is_odd);
    const Mask doubt_b = hn::Or(hn::Or(leaves_doubt(of_b, slack_b), is_extreme(slack_b)), is_odd);

    const Vector p = {p_b.of[0], p_b.of[1], p_b.of[2]};
    for (int r = 0; r < 3; ++r) {
      const Number x = hn::Load(tag, s.m[3 * r]), y = hn::Load(tag, s.m[3 * r + 1]), z = hn::Load(tag, s.m[3 * r + 2]);
      hn::Store(hn::Add(dot({x, y, z}, p), hn::Load(tag, s.t[r])), tag, s.support_b[r]);
    }
    const Number id = hn::Add(hn::Mul(hn::PromoteTo(tag, number_a), set(id_step)), hn::PromoteTo(tag, number_b));
    hn::Store(id, tag, s.new_id);

    const auto lane_of = [](unsigned bits) {
      return static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(bits));
    };
    for (unsigned alone = is_plain ? bits_of(doubt_a) & active : active; alone != 0; alone &= alone - 1)
      find_a(state, lane_of(alone), s);
    if (unsigned alone = is_plain ? bits_of(doubt_b) & active : active; alone != 0) {
      const Mask takes_all = hn::Or(is_odd, is_extreme(slack_b));
      const Float enough = hn::Sub(of_b.best, hn::DemoteTo(floats, slack_b));
      const Float all = hn::DemoteTo(floats, hn::IfThenElse(takes_all, set(-HUGE_VAL), hn::PromoteTo(tag, enough)));
      hn::Store(is_plain ? all : hn::Set(floats, -HUGE_VALF), floats, s.enough_b);
      hn::Store(bx, floats, s.along_b[0]);
      hn::Store(by, floats, s.along_b[1]);
      hn::Store(bz, floats, s.along_b[2]);
      for (; alone != 0; alone &= alone - 1)
        find_b(state, lane_of(alone), s);
    }
  }

  /// As with bodies of its own.
  HWY_INLINE void find_a(const State& state, std::size_t lane, Lanes& s) const {
    const LaneBody& body = a.body;
    const std::size_t of_a =
        scan_support(body.x, body.y, body.z, body.padded, -state.v[0][lane], -state.v[1][lane], -state.v[2][lane]);
    const auto of_b = static_cast<std::size_t>(static_cast<std::int64_t>(s.new_id[lane])) & id_mask;
    put({body.x[of_a], body.y[of_a], body.z[of_a]}, of_a << id_bits | of_b, lane, s.support_a, s);
  }
  /// A support point and the id of both. (In whole vectors: see load_four.)
  HWY_INLINE void put(const double (&p)[3], std::size_t id, std::size_t lane, double (&rows)[3][lanes],
                      Lanes& s) const {
    const std::uint8_t bits[8] = {static_cast<std::uint8_t>(1u << lane)};
    const Mask mask = hn::LoadMaskBits(tag, bits);
    for (int k = 0; k < 3; ++k)
      hn::Store(hn::IfThenElse(mask, hn::Set(tag, p[k]), hn::Load(tag, rows[k])), tag, rows[k]);
    const double number = static_cast<double>(static_cast<std::int64_t>(id));
    hn::Store(hn::IfThenElse(mask, hn::Set(tag, number), hn::Load(tag, s.new_id)), tag, s.new_id);
  }
  /// The same, of the vertices that may be the farthest.
  HWY_INLINE void find_b(const State& state, std::size_t lane, Lanes& s) const {
    using Wide = hn::CappedTag<float, 16>;
    const Wide wide;
    constexpr std::size_t width = hn::MaxLanes(wide);
    const auto dx = hn::Set(wide, s.along_b[0][lane]), dy = hn::Set(wide, s.along_b[1][lane]),
               dz = hn::Set(wide, s.along_b[2][lane]), enough = hn::Set(wide, s.enough_b[lane]);
    std::uint64_t those = 0;
    for (std::size_t at = 0; at < b.body.count; at += width) {
      const auto x = hn::Load(wide, b.x + at), y = hn::Load(wide, b.y + at), z = hn::Load(wide, b.z + at);
      const auto height = hn::Add(hn::Add(hn::Mul(dx, x), hn::Mul(dy, y)), hn::Mul(dz, z));
      // Not "at least": heights that are not numbers, of vertices beyond the floats, are looked at.
      std::uint8_t bytes[8] = {};
      hn::StoreMaskBits(wide, hn::Not(hn::Lt(height, enough)), bytes);
      those |= (std::uint64_t{bytes[0]} | std::uint64_t{bytes[1]} << 8) << at;
    }
    those &= (std::uint64_t{1} << b.body.count) - 1;
    const double vx = state.v[0][lane], vy = state.v[1][lane], vz = state.v[2][lane];
    double best = -HUGE_VAL;
    double farthest_p[3] = {0, 0, 0};
    std::size_t of_b = 0;
    for (; those != 0; those &= those - 1) {
      const auto vertex = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero64(those));
      double p[3];
      vertex_of_b(s, lane, vertex, p);
      const double height = (vx * p[0] + vy * p[1]) + vz * p[2];
      if (!(height > best)) continue;
      best = height;
      of_b = vertex;
      for (int k = 0; k < 3; ++k)
        farthest_p[k] = p[k];
    }
    const std::size_t of_a = static_cast<std::size_t>(static_cast<std::int64_t>(s.new_id[lane])) >> id_bits;
    put(farthest_p, of_a << id_bits | of_b, lane, s.support_b, s);
  }
};

/// Which lanes have ended, and how: a bit for each.
struct Ended {
  unsigned converged, inside, above, below, tolerance, open;
  unsigned all() const { return converged | inside | above | below | tolerance | open; }
};

/// GjkLoop::add in all lanes: from `state` to `after`, which is of no use in lanes that have ended, but for `lower`.
HWY_NOINLINE Ended step(bool has_limits, const State& state, Lanes& s, State& after) {
  const Vector v = load(state.v);
  Corner corner[4];
  const Vector w = load(s.support_a) - load(s.support_b);
  corner[0] = {w, hn::Load(tag, s.new_id)};
  for (std::size_t i = 0; i < 3; ++i)
    corner[i + 1] = {load(state.w[i]), hn::Load(tag, state.id[i])};

  const Number squared = dot(v, v);
  const Number vw = dot(v, w);
  const Number length = hn::Sqrt(squared);
  const Number lower = hn::Div(vw, length);
  const Mask ahead = is_positive(vw);
  const Number known_lower = hn::Load(tag, state.lower);
  const Mask better = hn::And(ahead, hn::Gt(lower, known_lower));
  const Number new_lower = hn::IfThenElse(better, lower, known_lower);
  hn::Store(new_lower, tag, after.lower);
  store(choose(better, v, load(state.direction)), after.direction);

  Mask over = hn::And(ahead, hn::Gt(new_lower, hn::Load(tag, s.stop_above)));
  Ended ended{};
  ended.above = bits_of(over);
  const Mask has_points = hn::Ge(corner[1].id, zero());
  constexpr double share_of_rounding = 4 * 0x1p-53;
  const Number gap = hn::Sub(squared, vw);
  Mask converged = hn::Not(hn::Gt(gap, hn::Mul(set(share_of_rounding), squared)));
  converged = hn::AndNot(over, hn::And(has_points, converged));
  over = hn::Or(over, converged);
  if (has_limits) {
    const Number stop_below = hn::Load(tag, s.stop_below), tolerance = hn::Load(tag, s.stop_tolerance);
    const Mask looks =
        hn::AndNot(over, hn::And(has_points, hn::Or(is_positive(tolerance), hn::Ge(stop_below, zero()))));
    const Mask below = hn::And(looks, hn::Le(length, stop_below));
    const Mask close = hn::AndNot(below, hn::And(looks, hn::Le(hn::Sub(length, new_lower), tolerance)));
    ended.below = bits_of(below);
    ended.tolerance = bits_of(close);
    over = hn::Or(over, hn::Or(below, close));
  }
  Mask known = hn::Eq(corner[0].id, corner[1].id);
  known = hn::Or(known, hn::Or(hn::Eq(corner[0].id, corner[2].id), hn::Eq(corner[0].id, corner[3].id)));
  converged = hn::Or(converged, hn::AndNot(over, known));
  over = hn::Or(over, known);

  const Reduced r = reduce(corner);
  const Mask inside = hn::AndNot(over, r.inside);
  over = hn::Or(over, inside);
  Mask open = hn::AndNot(over, r.open);
  over = hn::Or(over, open);
  // No nearer: stalled, which ends it where it was, as convergence does.
  const Mask stalled = hn::AndNot(over, hn::AndNot(hn::Lt(r.squared, squared), has_points));
  converged = hn::Or(converged, stalled);
  over = hn::Or(over, stalled);
  // The origin; or the newest corner is not needed.
  const Mask lost =
      hn::AndNot(over, hn::Not(hn::And(hn::Gt(r.squared, hn::Load(tag, s.zero_squared)), is_positive(r.weight[0]))));
  open = hn::Or(open, lost);
  ended.converged = bits_of(converged);
  ended.inside = bits_of(inside);
  ended.open = bits_of(open);
  if (ended.inside != 0) {
    for (std::size_t i = 0; i < 4; ++i)
      hn::Store(r.weight[i], tag, s.last_weight[i]);
  }

  // The corners that carry v, close together: keep_positive. The newest is one of them, so three are left at most.
  const Number none = set(no_vertices);
  const Mask keeps_b = is_positive(r.weight[1]), keeps_c = is_positive(r.weight[2]), keeps_d = is_positive(r.weight[3]);
  const Number id_d = hn::IfThenElse(keeps_d, corner[3].id, none);
  const Number weight_d = hn::IfThenElseZero(keeps_d, r.weight[3]);
  const Vector w_c = choose(keeps_c, corner[2].w, corner[3].w);
  const Number id_c = hn::IfThenElse(keeps_c, corner[2].id, id_d);
  const Number weight_c = hn::IfThenElse(keeps_c, r.weight[2], weight_d);
  const Number left_id = hn::IfThenElse(keeps_c, id_d, none);
  const Number left_weight = hn::IfThenElseZero(keeps_c, weight_d);
  const Vector second_w = choose(keeps_b, corner[1].w, w_c);
  const Number second_id = hn::IfThenElse(keeps_b, corner[1].id, id_c);
  const Number second_weight = hn::IfThenElse(keeps_b, r.weight[1], weight_c);
  const Vector third_w = choose(keeps_b, w_c, corner[3].w);
  const Number third_id = hn::IfThenElse(keeps_b, id_c, left_id);
  const Number third_weight = hn::IfThenElse(keeps_b, weight_c, left_weight);

  store(r.v, after.v);
  store(w, after.w[0]);
  store(second_w, after.w[1]);
  store(third_w, after.w[2]);
  hn::Store(corner[0].id, tag, after.id[0]);
  hn::Store(second_id, tag, after.id[1]);
  hn::Store(third_id, tag, after.id[2]);
  hn::Store(r.weight[0], tag, after.weight[0]);
  hn::Store(second_weight, tag, after.weight[1]);
  hn::Store(third_weight, tag, after.weight[2]);
  return ended;
}

/// Adds a corner to the weighted means of the supports.
HWY_INLINE void add_corner(const Lanes& s, std::size_t lane, double id, double weight, double (&a)[3], double (&b)[3]) {
  const auto both = static_cast<std::size_t>(static_cast<std::int64_t>(id));
  const std::size_t vertex_a = both >> id_bits, vertex_b = both & id_mask;
  double p[3];
  vertex_of_b(s, lane, vertex_b, p);
  a[0] = a[0] + s.a[lane].x[vertex_a] * weight;
  a[1] = a[1] + s.a[lane].y[vertex_a] * weight;
  a[2] = a[2] + s.a[lane].z[vertex_a] * weight;
  for (int k = 0; k < 3; ++k)
    b[k] = b[k] + p[k] * weight;
}

/// Keeps what the search of a lane ended with.
void keep(const Lanes& s, const State& state, const State& after, std::size_t lane, End end, std::uint64_t supports,
          BatchBlock& block) {
  const std::size_t i = s.pair[lane];
  block.end[i] = number_of(end);
  block.supports[i] = static_cast<double>(supports);
  block.lower[i] = after.lower[lane];
  for (int k = 0; k < 3; ++k)
    block.lower_direction[k][i] = after.direction[k][lane];
  double a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
  int points = 0;
  if (end == End::above && block.question == BatchBlock::Question::touches) {
    // Their distance does not matter: they are apart, or the pair is left open.
  } else if (end == End::inside) {
    // Oldest first; the newest is not in the simplex yet.
    for (std::size_t k = 3; k > 0; --k)
      add_corner(s, lane, state.id[k - 1][lane], s.last_weight[k][lane], a, b);
    add_corner(s, lane, s.new_id[lane], s.last_weight[0][lane], a, b);
    points = 4;
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t k = 0; k < 3; ++k)
        block.corner[k][axis][i] = state.w[2 - k][axis][lane];
      block.corner[3][axis][i] = s.support_a[axis][lane] - s.support_b[axis][lane];
    }
  } else {
    for (std::size_t k = 3; k > 0; --k) {
      if (state.id[k - 1][lane] < 0) continue;
      add_corner(s, lane, state.id[k - 1][lane], state.weight[k - 1][lane], a, b);
      ++points;
    }
  }
  block.points[i] = points;
  for (int k = 0; k < 3; ++k) {
    block.a[k][i] = a[k];
    block.b[k][i] = b[k];
  }
}

/// Searches the pairs from `next` to `last`, whose supports `bodies` find.
template <class Bodies>
void search(const Bodies& bodies, std::size_t next, std::size_t last, BatchBlock& block, Lanes& s) {
  const bool is_contact = block.question == BatchBlock::Question::touches;
  const bool has_limits = is_contact || block.close_enough >= 0 || block.tolerance > 0;
  unsigned active = 0;
  std::uint64_t steps = 0;
  const auto is_open = [&](std::size_t i) HWY_ATTR { return block.end[i] == number_of(End::open); };
  const auto refill = [&](unsigned free, State& state) HWY_ATTR {
    active &= ~free;
    while (free != 0) {
      while (next < last && is_open(next))
        ++next;
      if (next == last) return;
      // As many as there are one after the other.
      unsigned into = 0;
      const std::size_t first = next;
      for (; free != 0 && next < last && !is_open(next); ++next, free &= free - 1) {
        const auto lane = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(free));
        into |= 1u << lane;
        s.pair[lane] = next;
        s.began[lane] = steps;
      }
      begin_search(block, first, into, s, state);
      active |= into;
      for (; into != 0; into &= into - 1) {
        const auto lane = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(into));
        bodies.begin(block, s.pair[lane], lane, s);
      }
    }
  };
  s.set_idle();
  refill((1u << lanes) - 1, s.states[0]);
  std::size_t now = 0;
  constexpr std::uint64_t most_supports = GjkLoop<Vec3>::most_supports;
  while (active != 0) {
    const State& state = s.states[now];
    now ^= 1;
    State& after = s.states[now];
    bodies.find_supports(active, state, s);
    ++steps;
    const Ended ended = step(has_limits, state, s, after);
    unsigned over = ended.all() & active;
    // Now and then, so that all come to an end.
    if (steps % 32 == 0) {
      for (std::size_t lane = 0; lane < lanes; ++lane)
        if (steps - s.began[lane] >= most_supports) over |= active & (1u << lane);
    }
    const unsigned free = over;
    for (; over != 0; over &= over - 1) {
      const auto lane = static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero32(over));
      const auto has = [lane](unsigned bits) { return (bits >> lane & 1) != 0; };
      End end = End::open;
      if (has(ended.above)) end = End::above;
      if (has(ended.below)) end = End::below;
      if (has(ended.tolerance)) end = End::tolerance;
      if (has(ended.converged)) end = End::converged;
      if (has(ended.inside)) end = End::inside;
      const std::uint64_t supports = steps - s.began[lane];
      if (supports >= most_supports) end = End::open;
      if (end == End::open) {
        block.end[s.pair[lane]] = number_of(end);
      } else {
        keep(s, state, after, lane, end, supports, block);
      }
    }
    if (free != 0) refill(free, after);
  }
}

/// So many pairs with the same bodies, one after the other, are worth to be worked as such; with fewer than eight lanes
/// that does not pay.
constexpr std::size_t few_pairs = lanes < 8 ? BatchBlock::most + 1 : 2 * lanes;

void search_all(BatchBlock& block) {
  Lanes s;
  std::size_t begin = 0;  // of those with bodies of their own
  for (std::size_t i = 0; i < block.count;) {
    const BatchShape &a = *block.entries[i].a, &b = *block.entries[i].b;
    std::size_t end = i + 1;
    while (end < block.count && block.entries[end].a == &a && block.entries[end].b == &b)
      ++end;
    if (a.is_placed && b.is_placed && end - i >= few_pairs) {
      if (begin < i) search(OwnBodies(), begin, i, block, s);
      SharedBodies bodies;
      bodies.set_bodies(a, b);
      search(bodies, i, end, block, s);
      begin = end;
    }
    i = end;
  }
  if (begin < block.count) search(OwnBodies(), begin, block.count, block, s);
}

// --- The answers: bounds_of, judge, distance_of ---

/// margin_of.
HWY_INLINE Number margin_of(const BatchBlock& block, std::size_t at) {
  const Vector w[4] = {load(block.corner[0], at), load(block.corner[1], at), load(block.corner[2], at),
                       load(block.corner[3], at)};
  const Number size = hn::Load(tag, block.size + at);
  Number margin = set(HUGE_VAL);
  Mask certain = hn::Eq(zero(), zero());
  for (std::size_t apex = 0; apex < 4; ++apex) {
    const Vector &p = w[(apex + 1) & 3], &q = w[(apex + 2) & 3], &r = w[(apex + 3) & 3];
    const Vector e1 = q - p, e2 = r - p;
    Vector n = cross(e1, e2);
    const Number length = hn::Sqrt(dot(n, n));
    certain = hn::And(certain, is_positive(length));
    n = n * hn::Div(set(1), length);
    const Number hp = dot(n, p), hq = dot(n, q), hr = dot(n, r);
    Number h = smaller(smaller(hp, hq), hr);
    Number beyond = dot(n, w[apex]);
    const Mask turned = hn::Lt(h, zero());
    h = hn::IfThenElse(turned, hn::Neg(larger(larger(hp, hq), hr)), h);
    beyond = hn::IfThenElse(turned, hn::Neg(beyond), beyond);
    const Number n1 = hn::Sqrt(dot(e1, e1)), n2 = hn::Sqrt(dot(e2, e2));
    const Number rounding = hn::Mul(hn::Mul(hn::Mul(set(16 * 0x1p-53), n1), n2), size);
    certain = hn::And(certain, hn::And(hn::Gt(hn::Mul(h, length), rounding), hn::Lt(beyond, zero())));
    margin = smaller(margin, h);
  }
  return hn::IfThenElseZero(certain, margin);
}

void finish(BatchBlock& block, std::size_t at) {
  const auto ended_by = [&](End end) HWY_ATTR { return hn::Eq(hn::Load(tag, block.end + at), set(number_of(end))); };
  const auto row = [&](const BatchBlock::Row& of) HWY_ATTR { return hn::Load(tag, of + at); };
  const Mask ended = hn::Not(ended_by(End::open));
  const Mask inside = ended_by(End::inside);
  const Vector a = load(block.a, at), b = load(block.b, at);
  const Vector difference = a - b;
  const Number length = hn::Sqrt(dot(difference, difference));
  const Number upper = hn::IfThenElse(is_positive(row(block.points)), length, set(HUGE_VAL));
  const Number radii = row(block.radii), reach = row(block.reach_error), mean = row(block.mean_error);
  const Number lower = row(block.lower);
  Mask proven = hn::Lt(zero(), zero());
  if (any(inside)) proven = hn::And(inside, hn::Gt(margin_of(block, at), mean));

  const Number slack = hn::Mul(set(4 * u), radii);
  const Number bound_lower = hn::Sub(hn::Sub(hn::Sub(hn::Mul(lower, set(shrink)), reach), radii), slack);
  const Number reached = hn::Add(hn::Sub(hn::Add(hn::Mul(upper, set(widen)), mean), radii), slack);
  const Number bound_upper = hn::IfThenElse(proven, hn::Neg(radii), reached);
  const Mask apart = is_positive(bound_lower), overlap = hn::Le(bound_upper, zero());
  if (block.question == BatchBlock::Question::touches) {
    const unsigned answered = bits_of(hn::And(ended, hn::Or(apart, overlap))), touching = bits_of(hn::Not(apart));
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      block.answered[at + lane] = (answered >> lane & 1) != 0;
      block.touching[at + lane] = (touching >> lane & 1) != 0;
    }
    return;
  }

  const Number one = set(1), stretch = row(block.stretch);
  const Number world_lower =
      hn::IfThenElseZero(apart, hn::Mul(hn::Mul(bound_lower, hn::Sub(one, stretch)), set(shrink)));
  const Number world_upper = hn::Mul(hn::Mul(bound_upper, hn::Add(one, stretch)), set(widen));
  const Mask above = ended_by(End::above), below = ended_by(End::below), close = ended_by(End::tolerance);
  const Mask stopped = hn::Or(above, hn::Or(below, close));
  Mask fails = hn::And(above, hn::Not(hn::Gt(world_lower, set(block.upper_bound))));
  fails = hn::Or(fails, hn::And(below, hn::Not(hn::Le(world_upper, set(block.close_enough)))));
  fails = hn::Or(fails, hn::And(close, hn::Not(hn::Le(hn::Sub(world_upper, world_lower), set(block.tolerance)))));
  const Number rounding = hn::Add(hn::Mul(set(1.25), hn::Add(reach, mean)), hn::Mul(set(16 * u), radii));
  const Number allowed = hn::Add(hn::Mul(set(0x1p-31), bound_upper), smaller(rounding, row(block.fine)));
  const Mask tight = hn::Le(hn::Sub(bound_upper, bound_lower), allowed);
  const Mask met = hn::And(overlap, hn::Le(length, hn::Add(hn::Mul(set(8), mean), radii)));
  const Mask measured = hn::AndNot(overlap, hn::Or(stopped, hn::And(apart, tight)));
  Mask fits = hn::And(hn::AndNot(fails, ended), hn::Or(met, measured));

  const Number radius_a = row(block.radius_a), radius_b = row(block.radius_b);
  const auto column = [&](std::size_t k) HWY_ATTR { return load_vector(block.pose_a, 3 * k, at); };
  const Vector turn[3] = {column(0), column(1), column(2)};
  const Vector origin = column(3);
  const auto turned = [&](const Vector& d) HWY_ATTR {
    const auto of = [&](Number x, Number y, Number z)
                        HWY_ATTR { return hn::Add(hn::Add(hn::Mul(x, d.x), hn::Mul(y, d.y)), hn::Mul(z, d.z)); };
    return Vector{of(turn[0].x, turn[1].x, turn[2].x), of(turn[0].y, turn[1].y, turn[2].y),
                  of(turn[0].z, turn[1].z, turn[2].z)};
  };
  const Vector core_a = origin + turned(a), core_b = origin + turned(b);
  const Vector along = core_b - core_a;
  const Vector null = {zero(), zero(), zero()};

  const Vector out = turned(choose(is_positive(lower), -load(block.lower_direction, at), b - a));
  const Number out_length = norm_if_safe(out, fits);
  Vector normal = out;
  normal = {hn::Div(out.x, out_length), hn::Div(out.y, out_length), hn::Div(out.z, out_length)};
  normal = choose(is_positive(out_length), normal, null);
  const Number gap = norm_if_safe(along, fits);
  const Number from_origin = norm_if_safe(core_a - origin, fits);
  const Number least = hn::Mul(set(0x1p-40), hn::Add(hn::Add(from_origin, radius_a), radius_b));
  const Vector straight = {hn::Div(along.x, gap), hn::Div(along.y, gap), hn::Div(along.z, gap)};
  const Vector way = choose(hn::Gt(gap, least), straight, normal);
  const Number both = hn::Add(radius_a, radius_b);
  const Vector shared = choose(is_positive(both), core_a + along * hn::Div(radius_a, both), core_a);
  store(choose(overlap, shared, core_a + way * radius_a), block.point_a, at);
  store(choose(overlap, shared, core_b - way * radius_b), block.point_b, at);
  const Mask has_normal = hn::AndNot(overlap, is_positive(world_lower));
  store(choose(has_normal, normal, null), block.normal, at);
  hn::Store(hn::IfThenElse(overlap, zero(), world_lower), tag, block.answer_lower + at);
  const Number shown_upper = hn::IfThenElse(above, set(HUGE_VAL), world_upper);
  hn::Store(hn::IfThenElse(overlap, zero(), shown_upper), tag, block.answer_upper + at);
  const unsigned answered = bits_of(fits), by_option = bits_of(hn::AndNot(overlap, stopped));
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    block.answered[at + lane] = (answered >> lane & 1) != 0;
    block.stopped[at + lane] = (by_option >> lane & 1) != 0;
  }
}

void block_of_pairs(BatchBlock& block) {
  for (std::size_t at = 0; at < block.count; at += lanes)
    set_frames(block, at);
  search_all(block);
  for (std::size_t at = 0; at < block.count; at += lanes)
    finish(block, at);
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace whisker::convex {

HWY_EXPORT(block_of_pairs);

void work_block(BatchBlock& block) {
  HWY_DYNAMIC_DISPATCH(block_of_pairs)(block);
}

}  // namespace whisker::convex
#endif
