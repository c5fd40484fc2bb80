#pragma once

// The time at which points, segments and triangles whose corners move linearly first touch, computed in integers:
// without rounding, and with no case left undecided.
//
// Whether two features touch at a given time depends on the signs of a few polynomials in time. Signs change only at
// roots, and the times of contact form a closed set. So the first contact is at time 0, or at a root of one of the
// polynomials that is not identically zero. Sturm's theorem isolates the real roots. The sign of a polynomial at such a
// root is zero if the root is also a root of the greatest common divisor. Otherwise the sign becomes known once the
// root's bracket is narrow enough.
//
// The signs that decide contact:
// - A point is on a segment if the vectors U, V from it to the ends have U x V = 0 and U · V <= 0.
// - A point and a triangle, or two segments, touch if a corner is on a segment of the other feature (for the point: if
//   the point is on an edge), or if the four points are coplanar and, projected along some axis along which the plane
//   is not a line, the signed areas show that the point is strictly inside or that the segments cross at interior
//   points.
// The signs that decide whether features are within a distance: those for the distances from corner to corner, from a
// corner to the interior of a segment, between interior points of two segments, and from a corner to the interior of a
// triangle.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include <whisker/geometry/moving_features.hpp>

namespace whisker::test::exact_motion {

using Integer =
    boost::multiprecision::number<boost::multiprecision::cpp_int_backend<512>, boost::multiprecision::et_off>;

inline int sign_of(const Integer& value) {
  return value.sign();
}

/// Lowest coefficient first. The last one is not zero. Empty if the polynomial is identically zero.
using Polynomial = std::vector<Integer>;

inline void trim(Polynomial& p) {
  while (!p.empty() && p.back().is_zero())
    p.pop_back();
}

inline Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial sum(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] = (i < a.size() ? a[i] : Integer(0)) + (i < b.size() ? b[i] : Integer(0));
  trim(sum);
  return sum;
}

inline Polynomial operator-(const Polynomial& a, const Polynomial& b) {
  Polynomial difference(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < difference.size(); ++i)
    difference[i] = (i < a.size() ? a[i] : Integer(0)) - (i < b.size() ? b[i] : Integer(0));
  trim(difference);
  return difference;
}

inline Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  if (a.empty() || b.empty()) return {};
  Polynomial product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j)
      product[i + j] += a[i] * b[j];
  }
  return product;
}

inline Polynomial derivative(const Polynomial& p) {
  Polynomial slope;
  for (std::size_t i = 1; i < p.size(); ++i)
    slope.push_back(p[i] * static_cast<unsigned>(i));
  return slope;
}

/// Divides the coefficients by their greatest common divisor if they have grown long.
inline void shorten(Polynomial& p) {
  if (p.empty() || boost::multiprecision::msb(boost::multiprecision::abs(p.back())) < 2000) return;
  Integer common = boost::multiprecision::abs(p.back());
  for (const Integer& c : p)
    common = boost::multiprecision::gcd(common, c);
  for (Integer& c : p)
    c /= common;
}

struct Division {
  Polynomial quotient, remainder;
};

/// Divides a, multiplied by a positive integer, by b.
inline Division divide(Polynomial a, const Polynomial& b) {
  Division result;
  if (a.size() >= b.size()) result.quotient.resize(a.size() - b.size() + 1);
  const Integer lead = boost::multiprecision::abs(b.back());
  const bool negative = b.back().sign() < 0;
  while (a.size() >= b.size()) {
    const std::size_t shift = a.size() - b.size();
    const Integer top = negative ? Integer(-a.back()) : a.back();
    for (Integer& c : a)
      c *= lead;
    for (Integer& c : result.quotient)
      c *= lead;
    result.quotient[shift] += top;
    for (std::size_t i = 0; i < b.size(); ++i)
      a[i + shift] -= top * b[i];
    trim(a);
  }
  result.remainder = std::move(a);
  return result;
}

/// The greatest common divisor, up to a factor.
inline Polynomial common_divisor(Polynomial a, Polynomial b) {
  while (!b.empty()) {
    Polynomial rest = divide(std::move(a), b).remainder;
    shorten(rest);
    a = std::move(b);
    b = std::move(rest);
  }
  return a;
}

/// p, its derivative, and the negated remainders. The last one divides both p and its derivative.
inline std::vector<Polynomial> sturm_sequence(const Polynomial& p) {
  std::vector<Polynomial> sequence = {p, derivative(p)};
  while (!sequence.back().empty()) {
    Polynomial rest = divide(sequence[sequence.size() - 2], sequence.back()).remainder;
    shorten(rest);
    for (Integer& c : rest)
      c = -c;
    sequence.push_back(std::move(rest));
  }
  sequence.pop_back();
  return sequence;
}

/// The number units / 2^scale.
struct Dyadic {
  Integer units = 0;
  unsigned scale = 0;
};

inline Dyadic dyadic(double value) {
  int exponent = 0;
  const double part = std::frexp(value, &exponent);
  Dyadic result{Integer(static_cast<std::int64_t>(std::ldexp(part, 53))), 0};
  exponent -= 53;
  if (exponent >= 0) {
    result.units <<= static_cast<unsigned>(exponent);
  } else {
    result.scale = static_cast<unsigned>(-exponent);
  }
  if (result.units.is_zero()) return {};
  const unsigned spare =
      std::min(boost::multiprecision::lsb(boost::multiprecision::abs(result.units)) + 0u, result.scale);
  result.units >>= spare;
  result.scale -= spare;
  return result;
}

inline int compare(const Dyadic& a, const Dyadic& b) {
  const unsigned scale = std::max(a.scale, b.scale);
  return sign_of((a.units << (scale - a.scale)) - (b.units << (scale - b.scale)));
}

inline Dyadic middle(const Dyadic& a, const Dyadic& b) {
  const unsigned scale = std::max(a.scale, b.scale);
  return {(a.units << (scale - a.scale)) + (b.units << (scale - b.scale)), scale + 1};
}

inline double nearest(const Dyadic& a) {
  if (a.units.is_zero()) return 0;
  const unsigned bits = boost::multiprecision::msb(boost::multiprecision::abs(a.units));
  const unsigned spare = bits > 60 ? bits - 60 : 0;
  return std::ldexp(static_cast<double>(static_cast<std::int64_t>(a.units >> spare)),
                    static_cast<int>(spare) - static_cast<int>(a.scale));
}

inline int sign_at(const Polynomial& p, const Dyadic& at) {
  if (p.empty()) return 0;
  Integer value = p.back();
  for (std::size_t i = p.size() - 1; i-- > 0;) {
    value *= at.units;
    value += p[i] << (at.scale * static_cast<unsigned>(p.size() - 1 - i));
  }
  return sign_of(value);
}

/// A real number: either dyadic, or the only root of a polynomial without multiple roots between low and high.
class Root {
 public:
  explicit Root(const Dyadic& value) : low_(value), high_(value), exact_(true) {}
  Root(Polynomial p, const Dyadic& low, const Dyadic& high)
      : polynomial_(std::move(p)), low_(low), high_(high), sign_at_low_(exact_motion::sign_at(polynomial_, low)) {}

  bool exact() const { return exact_; }
  const Dyadic& low() const { return low_; }
  const Dyadic& high() const { return high_; }

  void refine() {
    if (exact_) return;
    const Dyadic mid = middle(low_, high_);
    const int sign = exact_motion::sign_at(polynomial_, mid);
    if (sign == 0) {
      low_ = high_ = mid;
      exact_ = true;
    } else {
      (sign == sign_at_low_ ? low_ : high_) = mid;
    }
  }

  /// Refines until the bracket is at most 2^-bits wide.
  void refine_to(int bits) {
    while (!exact_ && nearest(high_) - nearest(low_) > std::ldexp(1, -bits) && low_.scale < 5000)
      refine();
  }

  /// -1, 0 or 1: less than, equal to or greater than `value`.
  int compare(const Dyadic& value) const {
    const int from_low = exact_motion::compare(low_, value);
    if (exact_) return from_low;
    if (from_low >= 0) return 1;
    if (exact_motion::compare(high_, value) <= 0) return -1;
    const int sign = exact_motion::sign_at(polynomial_, value);
    return sign == 0 ? 0 : sign == sign_at_low_ ? 1 : -1;
  }
  int compare(double value) const { return compare(dyadic(value)); }

  int compare(Root& other) {
    if (other.exact_) return compare(other.low_);
    if (exact_) return -other.compare(low_);
    for (int round = 0;; ++round) {
      if (exact_ || other.exact_) return compare(other);
      if (exact_motion::compare(high_, other.low_) <= 0) return -1;
      if (exact_motion::compare(low_, other.high_) >= 0) return 1;
      if (round == 4) {
        const Polynomial common = common_divisor(polynomial_, other.polynomial_);
        const Dyadic& low = exact_motion::compare(low_, other.low_) < 0 ? other.low_ : low_;
        const Dyadic& high = exact_motion::compare(high_, other.high_) < 0 ? high_ : other.high_;
        if (common.size() > 1 && exact_motion::sign_at(common, low) != exact_motion::sign_at(common, high)) return 0;
      }
      refine();
      other.refine();
    }
  }

  /// The sign of p at this number.
  int sign_at(const Polynomial& p) {
    if (p.empty()) return 0;
    for (int round = 0;; ++round) {
      if (exact_) return exact_motion::sign_at(p, low_);
      if (const int sign = constant_sign(p)) return sign;
      if (round == 4) {
        const Polynomial common = common_divisor(polynomial_, p);
        if (common.size() > 1 && exact_motion::sign_at(common, low_) != exact_motion::sign_at(common, high_)) return 0;
      }
      refine();
    }
  }

 private:
  /// The sign of p from low to high, if the value at the middle outweighs the sum of all other terms of the Taylor
  /// series there; otherwise 0.
  int constant_sign(const Polynomial& p) const {
    const Dyadic mid = middle(low_, high_);
    const Integer half = mid.units - (low_.units << (mid.scale - low_.scale));
    Polynomial q = p;
    const std::size_t degree = q.size() - 1;
    for (std::size_t i = 0; i < degree; ++i)
      q[i] <<= mid.scale * static_cast<unsigned>(degree - i);
    for (std::size_t from = 0; from < degree; ++from) {
      for (std::size_t i = degree; i-- > from;)
        q[i] += q[i + 1] * mid.units;
    }
    Integer rest = 0;
    for (std::size_t i = degree; i > 0; --i)
      rest = (rest + boost::multiprecision::abs(q[i])) * half;
    return boost::multiprecision::abs(q[0]) > rest ? sign_of(q[0]) : 0;
  }

  Polynomial polynomial_;
  Dyadic low_, high_;
  int sign_at_low_ = 0;
  bool exact_ = false;
};

/// All roots from 0 to `until` of p, which must not be identically zero, in ascending order.
class RootFinder {
 public:
  static std::vector<Root> roots(const Polynomial& p, const Dyadic& until) {
    RootFinder finder;
    if (p.size() < 2) return {};
    if (p.front().is_zero()) finder.roots_.emplace_back(Dyadic{});
    finder.sequence_ = sturm_sequence(p);
    if (finder.sequence_.back().size() > 1) {
      finder.sequence_ = sturm_sequence(divide(p, finder.sequence_.back()).quotient);
    }
    const Dyadic zero;
    if (!until.units.is_zero()) finder.search(zero, finder.changes(zero), until, finder.changes(until));
    return std::move(finder.roots_);
  }

 private:
  int changes(const Dyadic& at) const {
    int count = 0, last = 0;
    for (const Polynomial& p : sequence_) {
      const int sign = sign_at(p, at);
      if (sign != 0 && last != 0 && sign != last) ++count;
      if (sign != 0) last = sign;
    }
    return count;
  }

  /// The roots that are greater than low and at most high.
  void search(const Dyadic& low, int changes_low, const Dyadic& high, int changes_high) {
    const Polynomial& p = sequence_.front();
    if (changes_low == changes_high) return;
    if (changes_low == changes_high + 1) {
      if (sign_at(p, high) == 0) {
        roots_.emplace_back(high);
        return;
      }
      if (sign_at(p, low) != 0) {
        roots_.emplace_back(p, low, high);
        return;
      }
    }
    const Dyadic mid = middle(low, high);
    const int changes_mid = changes(mid);
    search(low, changes_low, mid, changes_mid);
    search(mid, changes_mid, high, changes_high);
  }

  std::vector<Polynomial> sequence_;
  std::vector<Root> roots_;
};

using Way = std::array<Polynomial, 3>;

inline Way operator-(const Way& a, const Way& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Polynomial dot(const Way& a, const Way& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Way cross(const Way& a, const Way& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Two features, each given by its corners: a point and a point, segment or triangle, or two segments.
class Pair {
 public:
  Pair(const std::vector<MovingPoint>& a, const std::vector<MovingPoint>& b) {
    unsigned scale = 0;
    const auto each = [&](const auto& use) {
      for (const std::vector<MovingPoint>* corners : {&a, &b}) {
        for (const MovingPoint& corner : *corners)
          use(corner);
      }
    };
    each([&](const MovingPoint& corner) {
      for (int k = 0; k < 3; ++k)
        scale = std::max({scale, dyadic(corner.start[k]).scale, dyadic(corner.end[k]).scale});
    });
    scale_ = scale;
    const auto units = [&](double value) {
      const Dyadic d = dyadic(value);
      return Integer(d.units << (scale - d.scale));
    };
    std::vector<Way> corners;
    each([&](const MovingPoint& corner) {
      Way way;
      for (int k = 0; k < 3; ++k) {
        Polynomial& p = way[static_cast<std::size_t>(k)];
        p = {units(corner.start[k]), units(corner.end[k]) - units(corner.start[k])};
        trim(p);
      }
      corners.push_back(way);
    });
    a_.assign(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(a.size()));
    b_.assign(corners.begin() + static_cast<std::ptrdiff_t>(a.size()), corners.end());
    if (parted_along_an_axis(a, b)) parted_ = true;
    if (!parted_) prepare();
  }

  /// The time of the first contact up to `until`; nothing if there is none.
  std::optional<Root> first_contact(double until = 1) const {
    if (parted_) return {};
    const Dyadic end = dyadic(until);
    if (!coplanar_.empty()) {
      for (Root& root : RootFinder::roots(coplanar_, end)) {
        if (touch(root, true)) return root;
      }
      return {};
    }
    Root start{Dyadic{}};
    if (touch(start, true)) return start;
    std::optional<Root> first;
    const auto look_at_roots_of = [&](const Polynomial& p) {
      if (p.empty()) return;
      for (Root& root : RootFinder::roots(p, end)) {
        if (first && first->compare(root) <= 0) return;
        if (touch(root, true)) {
          first = root;
          return;
        }
      }
    };
    for (const OnSegment& border : borders_) {
      for (const Polynomial& p : border.cross)
        look_at_roots_of(p);
      look_at_roots_of(border.dot);
    }
    return first;
  }

  bool touch_at(double time) const {
    if (parted_) return false;
    Root root(dyadic(time));
    return touch(root, false);
  }

  /// The first time up to `until` at which the features are no farther apart than `separation`.
  std::optional<Root> first_within(double separation, double until = 1) const {
    const Dyadic end = dyadic(until);
    const std::vector<Nearness> parts = nearness(separation);
    Root start{Dyadic{}};
    for (const Nearness& part : parts) {
      if (start.sign_at(part.excess) <= 0 && above_inside(start, part)) return start;
    }
    // After time 0, the features first come within the separation where the excess of a part falls to zero. A part
    // whose excess is identically zero is not the first: its foot point enters over a boundary, which is a part of its
    // own.
    std::optional<Root> first;
    for (const Nearness& part : parts) {
      if (part.excess.empty()) continue;
      for (Root& root : RootFinder::roots(part.excess, end)) {
        if (first && first->compare(root) <= 0) break;
        if (!above_inside(root, part)) continue;
        first = root;
        break;
      }
    }
    return first;
  }

 private:
  /// A point on a segment, with the segment's ends taken relative to the point.
  struct OnSegment {
    Way cross;
    Polynomial dot;
  };
  /// Two parts are within the separation where `excess` is not positive and all of `positive` are positive.
  struct Nearness {
    Polynomial excess;
    std::vector<Polynomial> positive;
  };

  /// Whether one of x, y and z separates the features at both ends of the motion, and therefore throughout.
  static bool parted_along_an_axis(const std::vector<MovingPoint>& a, const std::vector<MovingPoint>& b) {
    for (int k = 0; k < 3; ++k) {
      bool less = true, more = true;
      for (const MovingPoint& p : a) {
        for (const MovingPoint& q : b) {
          less = less && p.start[k] < q.start[k] && p.end[k] < q.end[k];
          more = more && p.start[k] > q.start[k] && p.end[k] > q.end[k];
        }
      }
      if (less || more) return true;
    }
    return false;
  }

  void add_border(const Way& point, const Way& from, const Way& to) {
    const Way u = from - point, v = to - point;
    borders_.push_back({cross(u, v), dot(u, v)});
  }

  void prepare() {
    if (a_.size() == 1 && b_.size() < 3) {
      add_border(a_[0], b_.front(), b_.back());
    } else if (a_.size() == 1) {
      for (std::size_t i = 0; i < 3; ++i)
        add_border(a_[0], b_[i], b_[(i + 1) % 3]);
      coplanar_ = dot(b_[2] - a_[0], borders_[0].cross);
    } else {
      for (const Way& p : a_)
        add_border(p, b_[0], b_[1]);
      for (const Way& q : b_)
        add_border(q, a_[0], a_[1]);
      coplanar_ = dot(a_[1] - a_[0], borders_[0].cross);
    }
  }

  bool touch(Root& time, bool in_plane) const {
    if (borders_.size() > 1 && !in_plane && time.sign_at(coplanar_) != 0) return false;
    std::array<std::array<int, 3>, 4> signs = {};
    for (std::size_t k = 0; k < 3; ++k) {
      bool clear = borders_.size() > 1;
      for (std::size_t i = 0; i < borders_.size(); ++i) {
        signs[i][k] = time.sign_at(borders_[i].cross[k]);
        clear = clear && signs[i][k] != 0;
      }
      if (!clear) continue;
      if (borders_.size() == 3) return signs[0][k] == signs[1][k] && signs[1][k] == signs[2][k];
      return signs[0][k] != signs[1][k] && signs[2][k] != signs[3][k];
    }
    for (std::size_t i = 0; i < borders_.size(); ++i) {
      if (signs[i] == std::array<int, 3>{} && time.sign_at(borders_[i].dot) <= 0) return true;
    }
    return false;
  }

  std::vector<Nearness> nearness(double separation) const {
    const Dyadic d = dyadic(separation);
    // In units of 2^-scale_, times 2^d.scale, so that everything is an integer.
    const Polynomial apart = {(d.units * d.units) << (2 * scale_)};
    const Polynomial one = {Integer(1) << (2 * d.scale)};
    const auto beyond = [&](const Polynomial& squared, const Polynomial& over) { return one * squared - apart * over; };
    std::vector<Nearness> parts;
    for (const Way& p : a_) {
      for (const Way& q : b_)
        parts.push_back({beyond(dot(q - p, q - p), {Integer(1)}), {}});
    }
    const auto add_segment = [&](const Way& point, const Way& from, const Way& to) {
      const Way u = from - point, e = to - from, area = cross(u, e);
      parts.push_back({beyond(dot(area, area), dot(e, e)), {dot(point - from, e), dot(to - point, e)}});
    };
    if (b_.size() >= 2) {
      for (const Way& p : a_) {
        for (std::size_t i = 0; i < (b_.size() == 3 ? 3u : 1u); ++i)
          add_segment(p, b_[i], b_[(i + 1) % b_.size()]);
      }
    }
    if (a_.size() == 2) {
      for (const Way& q : b_)
        add_segment(q, a_[0], a_[1]);
      // The feet of the common perpendicular, as parameters on each segment (multiplied by nn).
      const Way e = a_[1] - a_[0], f = b_[1] - b_[0], w = b_[0] - a_[0], n = cross(e, f);
      const Polynomial nn = dot(n, n), wn = dot(w, n);
      const Polynomial s = dot(cross(w, f), n), r = dot(cross(w, e), n);
      parts.push_back({beyond(wn * wn, nn), {s, nn - s, r, nn - r}});
    }
    if (b_.size() == 3) {
      const Way u = b_[0] - a_[0], n = cross(b_[1] - b_[0], b_[2] - b_[0]);
      const Polynomial un = dot(u, n);
      Nearness face{beyond(un * un, dot(n, n)), {}};
      for (std::size_t i = 0; i < 3; ++i)
        face.positive.push_back(dot(cross(b_[i] - a_[0], b_[(i + 1) % 3] - a_[0]), n));
      parts.push_back(face);
    }
    return parts;
  }

  static bool above_inside(Root& time, const Nearness& part) {
    for (const Polynomial& p : part.positive) {
      if (time.sign_at(p) <= 0) return false;
    }
    return true;
  }

  std::vector<Way> a_, b_;
  unsigned scale_ = 0;
  bool parted_ = false;
  std::vector<OnSegment> borders_;
  Polynomial coplanar_;  // also empty if every motion is coplanar: a point against a point or segment
};

inline std::vector<MovingPoint> corners(const MovingPoint& p) {
  return {p};
}
inline std::vector<MovingPoint> corners(const MovingSegment& s) {
  return {{s.start.a, s.end.a}, {s.start.b, s.end.b}};
}
inline std::vector<MovingPoint> corners(const MovingTriangle& t) {
  return {{t.start.a, t.end.a}, {t.start.b, t.end.b}, {t.start.c, t.end.c}};
}

template <class A, class B>
Pair pair(const A& a, const B& b) {
  return {corners(a), corners(b)};
}

/// The earliest contact among the fifteen pairs of a corner and a triangle or of two edges.
inline std::optional<Root> first_contact(const MovingTriangle& a, const MovingTriangle& b, double until = 1) {
  const std::vector<MovingPoint> p = corners(a), q = corners(b);
  std::optional<Root> first;
  const auto take = [&](const Pair& part) {
    std::optional<Root> time = part.first_contact(until);
    if (time && (!first || time->compare(*first) < 0)) first = time;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    take(Pair({p[i]}, q));
    take(Pair({q[i]}, p));
    for (std::size_t j = 0; j < 3; ++j)
      take(Pair({p[i], p[(i + 1) % 3]}, {q[j], q[(j + 1) % 3]}));
  }
  return first;
}

}  // namespace whisker::test::exact_motion
