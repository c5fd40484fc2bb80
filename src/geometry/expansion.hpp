#pragma once

// Error-free transformations of doubles, and expansions: exact sums of several doubles.
//
// Sources: T. J. Dekker, "A floating-point technique for extending the available precision" (1971), with Veltkamp's
// splitting; D. E. Knuth, "The Art of Computer Programming", vol. 2 (two_sum); J. R. Shewchuk, "Adaptive Precision
// Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997), whose theorem numbers are given below.
//
// Exactness. Let every input be an integer multiple of 2^-s. Then sums and their errors are multiples of 2^-s too, and
// products of two such numbers and their errors are multiples of 2^-2s. A number that is a multiple of 2^-1074 and has
// at most 53 significant bits is a double. So nothing is lost to underflow as long as each final multiple is at least
// 2^-1074. Nothing is lost to overflow as long as two_product's operands stay below 2^996 (the splitter multiplies by
// 2^27 + 1) and all results below 2^1023. A nonzero double of magnitude at least 2^-k is a multiple of 2^(-k-52).
//
// Requires round-to-nearest-even, subnormal numbers and -ffp-contract=off.

namespace whisker::geometry {

/// An unevaluated sum high + low, where high is the rounded result of an operation and low is its exact error.
struct Exact2 {
  double high;
  double low;
};

/// a + b exactly, for |a| >= |b| or a == 0 (Dekker 1971; Shewchuk's theorem 6).
inline Exact2 fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly, in any order (Knuth; Shewchuk's theorem 7). Underflow never harms it.
inline Exact2 two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}

/// a - b exactly. high is 0 only if a == b.
inline Exact2 two_diff(double a, double b) {
  const double difference = a - b;
  const double b_part = a - difference;
  const double a_part = difference + b_part;
  return {difference, (a - a_part) + (b_part - b)};
}

/// The two halves of a double, of at most 26 bits each (Veltkamp; Shewchuk's theorem 17). |a| must be below 2^996.
inline Exact2 split(double a) {
  constexpr double splitter = 134217729.0;  // 2^27 + 1
  const double scaled = splitter * a;
  const double high = scaled - (scaled - a);
  return {high, a - high};
}

/// a * b exactly, with b already split (Dekker 1971; Shewchuk's theorem 18).
inline Exact2 two_product(double a, double b, Exact2 b_halves) {
  const double product = a * b;
  const Exact2 a_halves = split(a);
  const double error1 = product - a_halves.high * b_halves.high;
  const double error2 = error1 - a_halves.low * b_halves.high;
  const double error3 = error2 - a_halves.high * b_halves.low;
  return {product, a_halves.low * b_halves.low - error3};
}

/// a * b exactly. See the top of this file for the range.
inline Exact2 two_product(double a, double b) {
  return two_product(a, b, split(b));
}

/// a * a exactly.
inline Exact2 two_square(double a) {
  const double square = a * a;
  const Exact2 halves = split(a);
  const double error1 = square - halves.high * halves.high;
  const double error2 = error1 - (halves.high + halves.high) * halves.low;
  return {square, halves.low * halves.low - error2};
}

/// The exact sum of `size` nonzero doubles, sorted by increasing magnitude, whose bits do not overlap. So the sum has
/// the sign of the last term. An empty expansion is 0.
template <int Capacity>
struct Expansion {
  int size = 0;
  double term[static_cast<unsigned>(Capacity)];  // The first `size` are set.

  Expansion() {}  // Leaves the terms unset on purpose: clearing them costs more than the sums.
  /// The same sum with room for more terms.
  template <int Fewer>
  explicit Expansion(const Expansion<Fewer>& other) : size(other.size) {
    static_assert(Fewer <= Capacity);
    for (int i = 0; i < size; ++i)
      term[i] = other.term[i];
  }

  void push(double value) {
    if (value != 0) term[size++] = value;
  }
  int sign() const { return size == 0 ? 0 : (term[size - 1] > 0 ? 1 : -1); }
  /// The sum rounded to a double, accurate to one ulp.
  double estimate() const {
    double sum = 0;
    for (int i = 0; i < size; ++i)
      sum += term[i];
    return sum;
  }
};

inline Expansion<2> to_expansion(Exact2 value) {
  Expansion<2> result;
  result.push(value.low);
  result.push(value.high);
  return result;
}

template <int Capacity>
Expansion<Capacity> operator-(Expansion<Capacity> a) {
  for (int i = 0; i < a.size; ++i)
    a.term[i] = -a.term[i];
  return a;
}

/// a + b, nonoverlapping (Shewchuk's grow-expansion, theorem 10, with zeros omitted).
template <int Capacity>
Expansion<Capacity + 1> grow(const Expansion<Capacity>& a, double b) {
  Expansion<Capacity + 1> result;
  double rest = b;
  for (int i = 0; i < a.size; ++i) {
    const Exact2 sum = two_sum(rest, a.term[i]);
    result.push(sum.low);
    rest = sum.high;
  }
  result.push(rest);
  return result;
}

/// a + b, nonoverlapping (Shewchuk's linear-expansion-sum, which only requires that a and b are nonoverlapping; his
/// faster sum requires more than scale-expansion guarantees).
template <int CapacityA, int CapacityB>
Expansion<CapacityA + CapacityB> operator+(const Expansion<CapacityA>& a, const Expansion<CapacityB>& b) {
  Expansion<CapacityA + CapacityB> result;
  int i = 0;
  int j = 0;
  const auto next = [&] {
    if (j == b.size) return a.term[i++];
    if (i == a.size) return b.term[j++];
    const double x = a.term[i];
    const double y = b.term[j];
    // |x| < |y|, in Shewchuk's form.
    if ((y > x) == (y > -x)) {
      ++i;
      return x;
    }
    ++j;
    return y;
  };
  const int count = a.size + b.size;
  if (count == 0) return result;
  const double first = next();
  if (count == 1) {
    result.push(first);
    return result;
  }
  Exact2 running = fast_two_sum(next(), first);
  for (int k = 2; k < count; ++k) {
    const Exact2 partial = fast_two_sum(next(), running.low);
    result.push(partial.low);
    running = two_sum(running.high, partial.high);
  }
  result.push(running.low);
  result.push(running.high);
  return result;
}

template <int CapacityA, int CapacityB>
Expansion<CapacityA + CapacityB> operator-(const Expansion<CapacityA>& a, const Expansion<CapacityB>& b) {
  return a + (-b);
}

/// a · b of two vectors of three numbers.
inline Expansion<6> exact_dot(const double* a, const double* b) {
  return to_expansion(two_product(a[0], b[0])) + to_expansion(two_product(a[1], b[1])) +
         to_expansion(two_product(a[2], b[2]));
}

/// a * b, nonoverlapping (Shewchuk's scale-expansion, theorem 19, with zeros omitted).
template <int Capacity>
Expansion<2 * Capacity> operator*(const Expansion<Capacity>& a, double b) {
  Expansion<2 * Capacity> result;
  if (a.size == 0 || b == 0) return result;
  const Exact2 b_halves = split(b);
  const Exact2 first = two_product(a.term[0], b, b_halves);
  result.push(first.low);
  double rest = first.high;
  for (int i = 1; i < a.size; ++i) {
    const Exact2 product = two_product(a.term[i], b, b_halves);
    const Exact2 sum = two_sum(rest, product.low);
    result.push(sum.low);
    const Exact2 carried = fast_two_sum(product.high, sum.high);
    result.push(carried.low);
    rest = carried.high;
  }
  result.push(rest);
  return result;
}

/// a * (b.high + b.low), nonoverlapping.
template <int Capacity>
Expansion<4 * Capacity> operator*(const Expansion<Capacity>& a, Exact2 b) {
  if (b.low == 0) return Expansion<4 * Capacity>(a * b.high);
  return a * b.low + a * b.high;
}

}  // namespace whisker::geometry
