// The lanes of a batch and their supports, which are the same as those that GJK finds for a single pair. Compiled once
// per instruction set: included from convex_batch_kernels.cpp.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

using FloatTag = hn::Rebind<float, Tag>;
using Float = hn::Vec<FloatTag>;
constexpr FloatTag floats;
/// Vectors of floats with the same size as the vectors of doubles.
using WideTag = hn::CappedTag<float, 2 * lanes>;
using Wide = hn::Vec<WideTag>;
constexpr WideTag wide;
static_assert(hn::MaxLanes(wide) == 2 * lanes);

/// Bodies with at most this many vertices find their supports by float heights, and a set of vertices fits into 64
/// bits.
constexpr std::uint32_t max_rounded = 64;
using Rounded = float[3 * max_rounded];

/// A body prepared for the lanes.
struct Prepared {
  BatchBody body;
  alignas(64) Rounded rounded;
};

/// A point at the origin, for lanes that do not find their supports by float heights.
HWY_INLINE BatchBody no_body() {
  alignas(64) static constexpr double zeros[8] = {};
  alignas(64) static constexpr Rounded rounded_zeros = {};
  static constexpr SupportVertex corner_zeros[8] = {};
  return {zeros, zeros, zeros, corner_zeros, rounded_zeros, 1, 8, nullptr};
}

using State = SearchRows<lanes>;

/// The pairs that are being processed.
struct Lanes : FrameRows<lanes> {
  State states[2];                   ///< before and after a step
  alignas(64) double new_id[lanes];  ///< id of the most recent supports
  alignas(64) double last_weight[4][lanes];
  alignas(64) double end[lanes];  ///< an End, for lanes that ended in the last step

  BatchBody a[lanes];
  BatchBody b[lanes];
  const BatchShape* shape_a[lanes];  ///< the shapes of the bodies
  const BatchShape* shape_b[lanes];
  unsigned alone_a, alone_b;  ///< lanes whose bodies have too many vertices for float heights, one bit each
  bool turns[lanes];          ///< the single call transforms directions to b's frame, not b's vertices to a's frame
  alignas(64) std::int64_t began[lanes];  ///< the step in which the search began
  alignas(64) std::int64_t pair[lanes];
  std::size_t blocks;  ///< no body with float heights has more than 16 times this many vertices
  bool are_shared;     ///< few shapes: each is prepared once; otherwise it is prepared for each lane
  Prepared prepared[2 * lanes];

  /// Lanes without a pair are processed too, so they need valid content.
  void set_idle() {
    alone_a = alone_b = 0;
    // The first step writes the other state.
    for (std::size_t k = 0; k < State::state_count; ++k)
      hn::Store(zero(), tag, states[0].state()[k]);
    for (auto& row : states[0].id)
      hn::Store(set(no_vertices), tag, row);
    for (std::size_t k = 0; k < frame_count; ++k)
      hn::Store(zero(), tag, frame()[k]);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      a[lane] = b[lane] = no_body();
      shape_a[lane] = shape_b[lane] = nullptr;
      pair[lane] = 0;
      began[lane] = 0;
    }
  }
};

/// Calls each(k) for the rows of a frame that the lanes need. `has_limits`: see step().
template <class Each>
HWY_INLINE void each_frame_row(bool has_limits, const Each& each) {
  unrolled<0, Lanes::frame_count_without_limits - 1>(each);
  if (has_limits) unrolled<Lanes::frame_count_without_limits, Lanes::frame_count - 1>(each);
}

constexpr int id_bits = BatchBlock::id_bits;
constexpr double id_step = 0x1p26;
constexpr std::size_t id_mask = BatchBlock::id_mask;

constexpr bool is_rounded(const BatchShape& shape) {
  return shape.cells == nullptr && shape.padded <= max_rounded;
}

constexpr std::size_t blocks_of(const BatchShape& shape) {
  return (shape.padded + 15) / 16;
}

/// The vertices in floats, padded with the first vertex to 16 times `blocks`.
HWY_INLINE void round_vertices(const BatchBody& body, std::size_t blocks, Rounded& out) {
  const double* const rows[3] = {body.x, body.y, body.z};
  for (std::size_t k = 0; k < 3; ++k) {
    float* const row = out + k * 16 * blocks;
    const Float first = hn::DemoteTo(floats, set(rows[k][0]));
    const auto part = [&](std::size_t i) HWY_ATTR {
      return i < body.padded ? hn::DemoteTo(floats, hn::Load(tag, rows[k] + i)) : first;
    };
    // Store full vectors as they are read later: loading a vector that was stored in two halves stalls.
    for (std::size_t i = 0; i < 16 * blocks; i += 2 * lanes)
      hn::Store(hn::Combine(wide, part(i + lanes), part(i)), wide, row + i);
  }
}

/// For every set of lanes, given as bits: for each lane of the set, its position within the set.
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

/// Puts waiting pairs into free lanes, in order, with all data except that of the supports. Returns the lanes that
/// received a pair. `waiting` holds the pairs in ascending order. Only pairs less than `lanes` after the first are
/// taken. `began`: see Lanes. `has_begun`: the pairs have made their first steps. `has_limits`: see step().
HWY_INLINE unsigned begin_search(const BatchBlock& block, const std::int64_t* waiting, unsigned free,
                                 std::uint64_t began, bool has_begun, bool has_limits, Lanes& s, State& state) {
  const hn::RebindToSigned<Tag> ints;
  const auto next = static_cast<std::size_t>(waiting[0]);
  const auto first = hn::Set(ints, waiting[0]);
  const auto pair = hn::TableLookupLanes(hn::LoadU(ints, waiting), hn::SetTableIndices(ints, spread.from[free]));
  const auto behind = hn::Sub(pair, first);
  const auto near = hn::Lt(behind, hn::Set(ints, std::int64_t{lanes}));
  const unsigned into = free & bits_of(hn::RebindMask(tag, near));
  const Mask mask = mask_of(into);
  const auto pairs_mask = hn::RebindMask(ints, mask);
  hn::BlendedStore(pair, pairs_mask, ints, s.pair);
  hn::BlendedStore(hn::Set(ints, static_cast<std::int64_t>(began)), pairs_mask, ints, s.began);
  const auto order = hn::IndicesFromVec(tag, hn::And(behind, hn::Set(ints, std::int64_t{lanes - 1})));
  const auto put = [&](Number fresh, double* row)
                       HWY_ATTR { hn::Store(hn::IfThenElse(mask, fresh, hn::Load(tag, row)), tag, row); };
  const auto put_row = [&](const BatchBlock::Row& from, double* row)
                           HWY_ATTR { put(hn::TableLookupLanes(hn::LoadU(tag, from + next), order), row); };
  if (has_begun) {
    unrolled<0, State::state_count - 1>([&](std::size_t k) HWY_ATTR { put_row(block.state()[k], state.state()[k]); });
  } else {
    for (std::size_t k = 0; k < 3; ++k) {
      put_row(block.v[k], state.v[k]);
      put(set(no_vertices), state.id[k]);
    }
    put(zero(), state.lower);
  }
  each_frame_row(has_limits, [&](std::size_t k) HWY_ATTR { put_row(block.frame()[k], s.frame()[k]); });
  return into;
}

/// Sets up `body`. `room` holds the data that the body refers to.
HWY_INLINE void prepare(const BatchShape& shape, std::size_t blocks, BatchBody& body, Prepared& room) {
  body = shape;
  if (!is_rounded(shape)) {
    body.rounded = no_body().rounded;
    body.vertices = no_body().vertices;
  } else if (shape.rounded == nullptr || blocks_of(shape) != blocks) {
    round_vertices(body, blocks, room.rounded);
    body.rounded = room.rounded;
  }
}

/// Prepares the shapes before the first pair.
HWY_INLINE void prepare_shapes(const BatchBlock& block, Lanes& s) {
  s.blocks = 1;
  for (std::size_t i = 0; i < block.shape_count; ++i) {
    const BatchShape& shape = block.shapes[i];
    if (is_rounded(shape) && blocks_of(shape) > s.blocks) s.blocks = blocks_of(shape);
  }
  s.are_shared = block.shape_count <= 2 * lanes;
  if (!s.are_shared) return;
  for (std::size_t i = 0; i < block.shape_count; ++i)
    prepare(block.shapes[i], s.blocks, s.prepared[i].body, s.prepared[i]);
}

/// Sets up the bodies of a lane for its pair.
HWY_INLINE void begin_bodies(const BatchBlock& block, std::size_t lane, Lanes& s) {
  const BatchEntry& entry = block.entries[s.pair[lane]];
  s.turns[lane] = !entry.b->is_placed;
  const auto set = [&](const BatchShape* shape, std::size_t place, const BatchShape*& last, BatchBody& body,
                       unsigned& alone) HWY_ATTR {
    if (last == shape) return;
    last = shape;
    if (s.are_shared) {
      body = s.prepared[shape - block.shapes].body;
    } else {
      prepare(*shape, s.blocks, body, s.prepared[place]);
    }
    alone = (alone & ~(1u << lane)) | (is_rounded(*shape) ? 0u : 1u) << lane;
  };
  set(entry.a, lane, s.shape_a[lane], s.a[lane], s.alone_a);
  set(entry.b, lanes + lane, s.shape_b[lane], s.b[lane], s.alone_b);
}

HWY_INLINE std::uint32_t farthest(const BatchBody& body, const Vec3& d) {
  if (body.cells != nullptr) return cell_support(*body.cells, d.x, d.y, d.z);
  return scan_support(body.x, body.y, body.z, body.padded, d.x, d.y, d.z);
}

HWY_INLINE Vec3 vertex_at(const BatchBody& body, std::size_t vertex) {
  return {body.x[vertex], body.y[vertex], body.z[vertex]};
}
/// Transforms a vertex of b to the common frame.
HWY_INLINE Vec3 vertex_of_b(const Lanes& s, std::size_t lane, std::size_t vertex) {
  const Vec3 own = vertex_at(s.b[lane], vertex);
  const auto row = [&](std::size_t r) HWY_ATTR {
    return dot(Vec3{s.m[3 * r][lane], s.m[3 * r + 1][lane], s.m[3 * r + 2][lane]}, own) + s.t[r][lane];
  };
  return {row(0), row(1), row(2)};
}

/// For each lane, the largest entry of its vector of floats.
HWY_INLINE Float largest_in_each(const Float (&of)[lanes]) {
  const hn::RepartitionToWide<FloatTag> pairs;
  // Interleave neighbors, then neighbors of neighbors, so that all lanes are reduced at once.
  Float two[lanes / 2];
  for (std::size_t k = 0; k < lanes; k += 2)
    two[k / 2] = hn::Max(hn::InterleaveLower(floats, of[k], of[k + 1]), hn::InterleaveUpper(floats, of[k], of[k + 1]));
  if constexpr (lanes == 2) {
    return two[0];
  } else {
    Float four[(lanes + 3) / 4];
    for (std::size_t k = 0; k < lanes / 2; k += 2) {
      const auto first = hn::BitCast(pairs, two[k]), second = hn::BitCast(pairs, two[k + 1]);
      four[k / 2] = hn::Max(hn::BitCast(floats, hn::InterleaveLower(pairs, first, second)),
                            hn::BitCast(floats, hn::InterleaveUpper(pairs, first, second)));
    }
    if constexpr (lanes == 4) {
      return four[0];
    } else {
      return hn::Max(hn::ConcatLowerLower(floats, four[1], four[0]), hn::ConcatUpperUpper(floats, four[1], four[0]));
    }
  }
}

/// The direction of each lane in floats, and how far below the highest the float height of the true support may be.
struct Along {
  alignas(64) float d[3][lanes];
  alignas(64) float slack[lanes];
};

HWY_INLINE std::size_t first_of(std::uint64_t bits) {
  return static_cast<std::size_t>(hwy::Num0BitsBelowLS1Bit_Nonzero64(bits));
}
/// Calls each(lane) for the lanes whose bits are set.
template <class Each>
HWY_INLINE void each_lane(unsigned bits, const Each& each) {
  for (; bits != 0; bits &= bits - 1)
    each(first_of(bits));
}

/// The result of the float heights in each lane.
struct Highest {
  std::uint64_t those[lanes];  ///< the vertices that may be the farthest, one bit each
  std::uint32_t first[lanes];  ///< the first of them
  unsigned doubt;              ///< lanes with several candidates, one bit each
};

/// Tests 16 times `Blocks` vertices of each lane.
template <std::size_t Blocks>
HWY_NOINLINE void find_highest(const BatchBody (&bodies)[lanes], const Along& along, Highest& highest) {
  constexpr std::size_t width = 2 * lanes, vectors = 16 * Blocks / width;
  Wide height[lanes][vectors];
  Float best[lanes];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const float* const x = bodies[lane].rounded;
    const Wide dx = hn::Set(wide, along.d[0][lane]), dy = hn::Set(wide, along.d[1][lane]),
               dz = hn::Set(wide, along.d[2][lane]);
    Wide largest = hn::Zero(wide);
    for (std::size_t k = 0; k < vectors; ++k) {
      const float* const at = x + k * width;
      Wide h = hn::Mul(dx, hn::Load(wide, at));
      h = hn::MulAdd(dy, hn::Load(wide, at + 16 * Blocks), h);
      h = hn::MulAdd(dz, hn::Load(wide, at + 2 * 16 * Blocks), h);
      height[lane][k] = h;
      largest = k == 0 ? h : hn::Max(largest, h);
    }
    best[lane] = hn::Max(hn::LowerHalf(floats, largest), hn::UpperHalf(floats, largest));
  }
  alignas(64) float enough[lanes];
  hn::Store(hn::Sub(largest_in_each(best), hn::Load(floats, along.slack)), floats, enough);
  unsigned doubt = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Wide least = hn::Set(wide, enough[lane]);
    std::uint64_t lower = 0;  // none if heights are NaN
    for (std::size_t k = 0; k < vectors; ++k) {
      std::uint8_t bytes[8] = {};
      hn::StoreMaskBits(wide, hn::Lt(height[lane][k], least), bytes);
      std::uint16_t bits;
      std::memcpy(&bits, bytes, sizeof(bits));
      lower |= std::uint64_t{bits} << (k * width);
    }
    const std::uint64_t those = bodies[lane].vertices & ~lower;
    highest.those[lane] = those;
    highest.first[lane] = static_cast<std::uint32_t>(first_of(those));
    doubt |= ((those & (those - 1)) != 0 ? 1u : 0u) << lane;
  }
  highest.doubt = doubt;
}

HWY_INLINE void find_highest(std::size_t blocks, const BatchBody (&bodies)[lanes], const Along& along,
                             Highest& highest) {
  switch (blocks) {
    case 1:
      return find_highest<1>(bodies, along, highest);
    case 2:
      return find_highest<2>(bodies, along, highest);
    case 3:
      return find_highest<3>(bodies, along, highest);
    default:
      return find_highest<4>(bodies, along, highest);
  }
}

/// The first of the given vertices, two or more, for which `height(vertex)` is largest.
template <class Height>
HWY_INLINE std::uint32_t highest_of(std::uint64_t those, const Height& height) {
  std::size_t best = first_of(those);
  double largest = height(best);
  those &= those - 1;
  do {
    const std::size_t vertex = first_of(those);
    const double next = height(vertex);
    best = next > largest ? vertex : best;
    largest = next > largest ? next : largest;
    those &= those - 1;
  } while (those != 0);
  return static_cast<std::uint32_t>(best);
}

struct Supports {
  Vector a, b;
};

/// The supports of both bodies in all lanes, along -v and v, and their id.
///
/// The vertices are first compared by heights in floats, with b in its own frame. Unless sizes are unusual, one vertex
/// or a few remain as candidates for the farthest. Among these, the heights that the single call computes decide.
HWY_NOINLINE void find_supports(unsigned active, const State& state, Lanes& s, Supports& supports) {
  const Vector v = load(state.v);
  const Number length = hn::Add(hn::Add(hn::Abs(v.x), hn::Abs(v.y)), hn::Abs(v.z));
  const auto turned = [&](int k) HWY_ATTR {
    const Number x = hn::Load(tag, s.m[k]), y = hn::Load(tag, s.m[k + 3]), z = hn::Load(tag, s.m[k + 6]);
    return dot(v, {x, y, z});
  };
  const auto set_along = [&](Number x, Number y, Number z, const double* doubt, Along& along) HWY_ATTR {
    hn::Store(hn::DemoteTo(floats, x), floats, along.d[0]);
    hn::Store(hn::DemoteTo(floats, y), floats, along.d[1]);
    hn::Store(hn::DemoteTo(floats, z), floats, along.d[2]);
    // If products would leave the range of floats, all vertices remain candidates.
    const Number slack = hn::Mul(length, hn::Load(tag, doubt));
    const Mask fits = hn::And(hn::Gt(slack, set(0x1p-80)), hn::Lt(slack, set(0x1p60)));
    hn::Store(hn::DemoteTo(floats, hn::IfThenElse(fits, slack, set(HUGE_VAL))), floats, along.slack);
  };
  Along along_a, along_b;
  set_along(hn::Neg(v.x), hn::Neg(v.y), hn::Neg(v.z), s.doubt_a, along_a);
  set_along(turned(0), turned(1), turned(2), s.doubt_b, along_b);
  Highest of_a, of_b;
  const auto find = [&](unsigned alone, const BatchBody(&bodies)[lanes], const Along& along, Highest& highest)
                        HWY_ATTR {
                          if ((active & ~alone) != 0) return find_highest(s.blocks, bodies, along, highest);
                          highest.doubt = 0;
                          for (std::uint32_t& first : highest.first)
                            first = 0;
                        };
  find(s.alone_a, s.a, along_a, of_a);
  find(s.alone_b, s.b, along_b, of_b);

  // The directions in the bodies' own frames, as the single call computes them.
  const auto v_of = [&](std::size_t lane) HWY_ATTR {
    return Vec3{state.v[0][lane], state.v[1][lane], state.v[2][lane]};
  };
  const auto v_in_b = [&](std::size_t lane) HWY_ATTR {
    const Vec3 d = v_of(lane);
    const auto along = [&](std::size_t k) HWY_ATTR {
      return dot(Vec3{s.m[k][lane], s.m[k + 3][lane], s.m[k + 6][lane]}, d);
    };
    return Vec3{along(0), along(1), along(2)};
  };
  const auto highest_along = [](std::uint64_t those, const BatchBody& body, const Vec3& d) HWY_ATTR {
    return highest_of(those, [&](std::size_t i) HWY_ATTR { return dot(d, vertex_at(body, i)); });
  };
  each_lane(of_a.doubt & active, [&](std::size_t lane) HWY_ATTR {
    of_a.first[lane] = highest_along(of_a.those[lane], s.a[lane], -v_of(lane));
  });
  each_lane(of_b.doubt & active, [&](std::size_t lane) HWY_ATTR {
    const Vec3 d = v_of(lane);
    const auto height = [&](std::size_t i) HWY_ATTR { return dot(d, vertex_of_b(s, lane, i)); };
    of_b.first[lane] =
        s.turns[lane] ? highest_along(of_b.those[lane], s.b[lane], v_in_b(lane)) : highest_of(of_b.those[lane], height);
  });
  each_lane(s.alone_a & active, [&](std::size_t lane) HWY_ATTR WHISKER_INLINE_LAMBDA {
    of_a.first[lane] = farthest(s.a[lane], -v_of(lane));
  });
  each_lane(s.alone_b & active, [&](std::size_t lane) HWY_ATTR WHISKER_INLINE_LAMBDA {
    of_b.first[lane] = farthest(s.b[lane], v_in_b(lane));
  });

  const double* at_a[lanes];
  const double* at_b[lanes];
  for (std::size_t i = 0; i < lanes; ++i) {
    at_a[i] = &s.a[i].corners[of_a.first[i]].x;
    at_b[i] = &s.b[i].corners[of_b.first[i]].x;
  }
  const FourNumbers vertex_a = load_four(at_a, 0), vertex_b = load_four(at_b, 0);
  supports.a = {vertex_a.of[0], vertex_a.of[1], vertex_a.of[2]};
  const Vector p = {vertex_b.of[0], vertex_b.of[1], vertex_b.of[2]};
  hn::Store(hn::Add(hn::Mul(vertex_a.of[3], set(id_step)), vertex_b.of[3]), tag, s.new_id);
  const auto placed = [&](int r) HWY_ATTR { return hn::Add(dot(load3(tag, s.m + 3 * r), p), hn::Load(tag, s.t[r])); };
  supports.b = {placed(0), placed(1), placed(2)};
}

}  // namespace whisker::convex::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
