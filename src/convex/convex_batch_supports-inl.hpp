// The lanes of a batch, and how they find their supports: those that GJK finds for one pair.
// Compiled once per instruction set: included from convex_batch_kernels.cpp.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "convex/convex_batch_block.hpp"
#include "convex/convex_frame.hpp"

#if defined(WHISKER_CONVEX_BATCH_SUPPORTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef WHISKER_CONVEX_BATCH_SUPPORTS_INL
#undef WHISKER_CONVEX_BATCH_SUPPORTS_INL
#else
#define WHISKER_CONVEX_BATCH_SUPPORTS_INL
#endif

#include <hwy/highway.h>

#include "convex/convex_batch_vectors-inl.hpp"
#include "shapes/hull_support-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace whisker::convex::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using whisker::HWY_NAMESPACE::cell_support;
using whisker::HWY_NAMESPACE::scan_support;

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

struct Numbering {
  std::uint32_t of[most_placed];
};
constexpr Numbering make_numbering() {
  Numbering numbering{};
  for (std::uint32_t k = 0; k < most_placed; ++k)
    numbering.of[k] = k;
  return numbering;
}
/// In memory, from where a number goes to all lanes at once.
constexpr Numbering numbering = make_numbering();

HWY_INLINE Highest highest_of(const SharedBody& body, Float dx, Float dy, Float dz) {
  const hn::Rebind<std::uint32_t, Tag> bits;
  const Float without = hn::BitCast(floats, hn::Set(bits, ~number_bits));
  const Float none = hn::Set(floats, -HUGE_VALF);
  const auto height = [&](std::uint32_t k) HWY_ATTR {
    const Float x = hn::Set(floats, body.x[k]), y = hn::Set(floats, body.y[k]), z = hn::Set(floats, body.z[k]);
    const Float h = hn::Add(hn::Add(hn::Mul(dx, x), hn::Mul(dy, y)), hn::Mul(dz, z));
    return hn::Or(hn::And(h, without), hn::BitCast(floats, hn::Set(bits, numbering.of[k])));
  };
  const auto take = [](Highest& highest, Float h) HWY_ATTR {
    highest.second = hn::Max(highest.second, hn::Min(highest.best, h));
    highest.best = hn::Max(highest.best, h);
  };
  const auto better = [](const Highest& a, const Highest& b) HWY_ATTR {
    return Highest{hn::Max(a.best, b.best), hn::Max(hn::Min(a.best, b.best), hn::Max(a.second, b.second))};
  };
  // Four at a time, so that none waits for the one before.
  Highest part[4];
  for (Highest& highest : part)
    highest = {none, none};
  std::uint32_t k = 0;
  for (; k + 4 <= body.body.count; k += 4)
    for (std::uint32_t j = 0; j < 4; ++j)
      take(part[j], height(k + j));
  for (; k < body.body.count; ++k)
    take(part[0], height(k));
  return better(better(part[0], part[1]), better(part[2], part[3]));
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

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
