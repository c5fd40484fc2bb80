#include "convex/distance_lanes.hpp"

#include <initializer_list>
#include <optional>

#include "convex/shape_cores.hpp"
#include "geometry/expansion.hpp"
#include "geometry/place.hpp"

namespace whisker::convex {
namespace {

using CoreSide = CoreBlock::Side;

bool has_one_way(ShapeKind kind) {
  return kind == ShapeKind::capsule || kind == ShapeKind::segment;
}

void set_column(const double* from, LaneNumbers* to, std::size_t i) {
  for (std::size_t k = 0; k < 3; ++k)
    to[k][i] = from[k];
}

// How a shape is written into a side of a block, as prepare() of quick_distance_kernels.cpp does for one pair.

void put_point(const Shape& shape, const Pose& pose, std::size_t i, CoreSide& side) {
  set_column(pose.translation().data(), side.origin, i);
  side.radius[i] = shape.as<Sphere>()->radius;
}

void put_axis(const double* center, const double* axis, double half, double radius, std::size_t i, CoreSide& side) {
  set_column(center, side.origin, i);
  set_column(axis, side.way, i);
  side.begin[i] = -half;
  side.end[i] = half;
  side.radius[i] = radius;
  side.size[i] = half + radius;
}
void put_capsule(const Shape& shape, const Pose& pose, std::size_t i, CoreSide& side) {
  const Capsule& s = *shape.as<Capsule>();
  put_axis(pose.translation().data(), pose.rotation().data() + 6, s.length / 2, s.radius, i, side);
}

/// Of a capsule or segment.
void put_core(const QuickCore& core, std::size_t i, CoreSide& side) {
  const bool is_segment = core.kind == QuickCore::Kind::segment;
  side.is_segment[i] = is_segment ? 1 : 0;
  if (!is_segment) {
    side.tail[0][i] = side.tail[1][i] = side.tail[2][i] = 0;
    return put_axis(core.translation, core.rotation + 6, core.half[0], core.radius, i, side);
  }
  set_column(core.corners[0], side.origin, i);
  for (std::size_t k = 0; k < 3; ++k) {
    const geometry::Exact2 way = geometry::two_diff(core.corners[1][k], core.corners[0][k]);
    side.way[k][i] = way.high;
    side.tail[k][i] = way.low;
  }
  side.begin[i] = 0;
  side.end[i] = 1;
  side.radius[i] = core.radius;
  side.size[i] = core.half[0];
}

void put_line(const Shape& shape, const Pose& pose, std::size_t i, CoreSide& side) {
  QuickCore core;
  set_core(shape, pose, core);
  put_core(core, i, side);
}

/// Calls `put(pair, i)`, which writes a pair into column i and returns whether its second shape comes first. Returns a
/// bit for each pair for which it does.
template <class Put>
std::uint32_t fill_columns(std::span<const BatchPair> pairs, const Put& put) {
  std::uint32_t exchanged = 0;
  for (std::size_t i = 0; i < distance_lane_pairs; ++i) {
    if (i >= pairs.size() && i % 8 == 0) break;
    // Lanes without a pair repeat the last one.
    exchanged |= static_cast<std::uint32_t>(put(pairs[i < pairs.size() ? i : pairs.size() - 1], i)) << i;
  }
  return exchanged;
}

// Which shape comes first is random in some batches, so that what depends on it is chosen without branches.

template <auto put_a, auto put_b, auto is_exchanged>
std::uint32_t fill_cores(std::span<const BatchPair> pairs, CoreBlock& block) {
  return fill_columns(pairs, [&](const BatchPair& pair, std::size_t i) {
    const bool is_flipped = is_exchanged(pair);
    put_a(is_flipped ? *pair.b : *pair.a, is_flipped ? *pair.pose_b : *pair.pose_a, i, block.a);
    put_b(is_flipped ? *pair.a : *pair.b, is_flipped ? *pair.pose_a : *pair.pose_b, i, block.b);
    return is_flipped;
  });
}

/// The same for lines of any kind.
std::uint32_t fill_lines(std::span<const BatchPair> pairs, CoreBlock& block) {
  return fill_columns(pairs, [&](const BatchPair& pair, std::size_t i) {
    QuickCore cores[2];
    set_core(*pair.a, *pair.pose_a, cores[0]);
    set_core(*pair.b, *pair.pose_b, cores[1]);
    const bool is_flipped = comes_first(cores[1], cores[0]);
    put_core(cores[is_flipped ? 1 : 0], i, block.a);
    put_core(cores[is_flipped ? 0 : 1], i, block.b);
    return is_flipped;
  });
}

// Whether the second shape of a pair comes first.

bool keep(const BatchPair&) {
  return false;
}
bool is_second_point(const BatchPair& pair) {
  return pair.b->kind() == ShapeKind::sphere;
}
bool is_second_capsule_first(const BatchPair& pair) {
  const double radius_a = pair.a->as<Capsule>()->radius, radius_b = pair.b->as<Capsule>()->radius;
  if (radius_a != radius_b) return radius_b < radius_a;
  QuickCore core_a, core_b;
  set_core(*pair.a, *pair.pose_a, core_a);
  set_core(*pair.b, *pair.pose_b, core_b);
  return comes_first(core_b, core_a);
}

std::uint32_t fill_cores_for(DistanceLanes lanes, std::span<const BatchPair> pairs, CoreBlock& block) {
  switch (lanes) {
    case DistanceLanes::points:
      return fill_cores<put_point, put_point, keep>(pairs, block);
    case DistanceLanes::point_axis:
      return fill_cores<put_point, put_capsule, is_second_point>(pairs, block);
    case DistanceLanes::axes:
      return fill_cores<put_capsule, put_capsule, is_second_capsule_first>(pairs, block);
    case DistanceLanes::point_line:
      return fill_cores<put_point, put_line, is_second_point>(pairs, block);
    default:
      return fill_lines(pairs, block);
  }
}

bool is_unbounded_kind(ShapeKind kind) {
  return kind == ShapeKind::half_space || kind == ShapeKind::plane;
}

void put_flat(const Shape& shape, const Pose& pose, std::size_t i, FlatBlock& block) {
  const auto* const half_space = shape.as<HalfSpace>();
  const Vector3& normal = half_space != nullptr ? half_space->normal : shape.as<Plane>()->normal;
  set_column(pose.translation().data(), block.origin, i);
  set_column(geometry::placed_direction(pose, normal).data(), block.normal, i);
  block.offset[i] = half_space != nullptr ? half_space->offset : shape.as<Plane>()->offset;
}

void put_frame(const Pose& pose, std::size_t i, FlatBlock& block) {
  set_column(pose.translation().data(), block.center, i);
  for (std::size_t k = 0; k < 3; ++k)
    set_column(pose.rotation().data() + 3 * k, block.axes[k], i);
}
void put_corners(std::initializer_list<const Vector3*> corners, const Pose& pose, std::size_t i, FlatBlock& block) {
  double size = 0;
  std::size_t k = 0;
  for (const Vector3* const corner : corners) {
    set_column(geometry::placed_point(pose, *corner).data(), block.axes[k++], i);
    size += corner->cwiseAbs().sum();
  }
  block.half[0][i] = size;
}

void put(const Sphere& s, const Pose& pose, std::size_t i, FlatBlock& block) {
  set_column(pose.translation().data(), block.center, i);
  block.radius[i] = s.radius;
}
void put(const Capsule& s, const Pose& pose, std::size_t i, FlatBlock& block) {
  set_column(pose.translation().data(), block.center, i);
  set_column(pose.rotation().data() + 6, block.axes[2], i);
  block.half[2][i] = s.length / 2;
  block.radius[i] = s.radius;
}
void put(const Box& s, const Pose& pose, std::size_t i, FlatBlock& block) {
  put_frame(pose, i, block);
  set_column(Vector3(s.size / 2).data(), block.half, i);
}
void put(const Segment& s, const Pose& pose, std::size_t i, FlatBlock& block) {
  put_corners({&s.a, &s.b}, pose, i, block);
}
void put(const Triangle& s, const Pose& pose, std::size_t i, FlatBlock& block) {
  put_corners({&s.a, &s.b, &s.c}, pose, i, block);
}
template <class Round>
void put_round(const Round& s, const Pose& pose, std::size_t i, FlatBlock& block) {
  put_frame(pose, i, block);
  block.half[2][i] = s.length / 2;
  block.radius[i] = s.radius;
}
void put(const Cylinder& s, const Pose& pose, std::size_t i, FlatBlock& block) {
  put_round(s, pose, i, block);
}
void put(const Cone& s, const Pose& pose, std::size_t i, FlatBlock& block) {
  put_round(s, pose, i, block);
}
void put(const Ellipsoid& s, const Pose& pose, std::size_t i, FlatBlock& block) {
  put_frame(pose, i, block);
  set_column(s.radii.data(), block.half, i);
}

template <class Body>
std::uint32_t fill_flat(std::span<const BatchPair> pairs, FlatBlock& block) {
  return fill_columns(pairs, [&](const BatchPair& pair, std::size_t i) {
    const bool is_flipped = is_unbounded_kind(pair.a->kind());
    put(*(is_flipped ? pair.b : pair.a)->as<Body>(), is_flipped ? *pair.pose_b : *pair.pose_a, i, block);
    put_flat(is_flipped ? *pair.a : *pair.b, is_flipped ? *pair.pose_a : *pair.pose_b, i, block);
    return is_flipped;
  });
}

std::uint32_t fill_flat_for(FlatBody body, std::span<const BatchPair> pairs, FlatBlock& block) {
  switch (body) {
    case FlatBody::point:
      return fill_flat<Sphere>(pairs, block);
    case FlatBody::axis:
      return fill_flat<Capsule>(pairs, block);
    case FlatBody::box:
      return fill_flat<Box>(pairs, block);
    case FlatBody::segment:
      return fill_flat<Segment>(pairs, block);
    case FlatBody::triangle:
      return fill_flat<Triangle>(pairs, block);
    case FlatBody::cylinder:
      return fill_flat<Cylinder>(pairs, block);
    case FlatBody::cone:
      return fill_flat<Cone>(pairs, block);
    default:
      return fill_flat<Ellipsoid>(pairs, block);
  }
}

std::optional<FlatBody> flat_body_of(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::sphere:
      return FlatBody::point;
    case ShapeKind::capsule:
      return FlatBody::axis;
    case ShapeKind::box:
      return FlatBody::box;
    case ShapeKind::segment:
      return FlatBody::segment;
    case ShapeKind::triangle:
      return FlatBody::triangle;
    case ShapeKind::cylinder:
      return FlatBody::cylinder;
    case ShapeKind::cone:
      return FlatBody::cone;
    case ShapeKind::ellipsoid:
      return FlatBody::ellipsoid;
    default:
      return {};
  }
}

Vector3 column_of(const LaneNumbers* from, std::size_t i) {
  return {from[0][i], from[1][i], from[2][i]};
}

/// Writes the answers. `exchanged`: a bit for each pair whose second shape came first. Returns a bit for each pair that
/// is answered.
std::uint32_t take_answers(const LaneAnswers& found, std::uint32_t exchanged, std::span<const BatchPair> pairs,
                           Distance* answers) {
  const std::uint32_t answered = found.apart | found.overlapping | found.deep;
  const LaneNumbers* const points[2] = {found.point_a, found.point_b};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if ((answered >> i & 1) == 0) continue;
    // Constructed where it stays: a copy would be read in larger pieces than it was written in, and wait for it.
    Distance* const to = &answers[pairs[i].number];
    if ((found.overlapping >> i & 1) != 0) {
      const Vector3 common = column_of(found.point_a, i);
      std::construct_at(to, Distance{.point_a = common, .point_b = common, .cost = {.primitive_tests = 1}});
      continue;
    }
    const std::size_t flipped = exchanged >> i & 1;
    const bool is_deep = (found.deep >> i & 1) != 0;
    std::construct_at(to, Distance{.lower = is_deep ? -found.upper[i] : found.lower[i],
                                   .upper = is_deep ? -found.lower[i] : found.upper[i],
                                   .point_a = column_of(points[flipped], i),
                                   .point_b = column_of(points[1 - flipped], i),
                                   .normal = column_of(found.normal, i) * (flipped != 0 ? -1.0 : 1.0),
                                   .cost = {.primitive_tests = 1}});
  }
  return answered;
}

}  // namespace

DistanceLanes distance_lanes_of(ShapeKind a, ShapeKind b) {
  if (is_unbounded_kind(a) || is_unbounded_kind(b)) {
    const std::optional<FlatBody> body = flat_body_of(is_unbounded_kind(a) ? b : a);
    if (!body) return DistanceLanes::none;
    const bool is_plane = a == ShapeKind::plane || b == ShapeKind::plane;
    const auto first = static_cast<unsigned>(is_plane ? DistanceLanes::plane : DistanceLanes::half_space);
    return static_cast<DistanceLanes>(first + static_cast<unsigned>(*body));
  }
  const bool is_point_a = a == ShapeKind::sphere, is_point_b = b == ShapeKind::sphere;
  if (!(is_point_a || has_one_way(a)) || !(is_point_b || has_one_way(b))) return DistanceLanes::none;
  if (is_point_a && is_point_b) return DistanceLanes::points;
  const bool has_segment = a == ShapeKind::segment || b == ShapeKind::segment;
  if (is_point_a || is_point_b) return has_segment ? DistanceLanes::point_line : DistanceLanes::point_axis;
  return has_segment ? DistanceLanes::lines : DistanceLanes::axes;
}

std::uint32_t DistanceQueue::answer(DistanceLanes lanes, std::span<const BatchPair> pairs) const {
  if (lanes >= DistanceLanes::half_space) {
    const bool is_plane = lanes >= DistanceLanes::plane;
    const auto first = static_cast<unsigned>(is_plane ? DistanceLanes::plane : DistanceLanes::half_space);
    const auto body = static_cast<FlatBody>(static_cast<unsigned>(lanes) - first);
    FlatBlock block;
    const std::uint32_t exchanged = fill_flat_for(body, pairs, block);
    run_flat_lanes(body, is_plane, is_signed_, pairs.size(), block);
    return take_answers(block.answers, exchanged, pairs, answers_);
  }
  CoreBlock block;
  const std::uint32_t exchanged = fill_cores_for(lanes, pairs, block);
  run_distance_lanes(lanes, is_signed_, pairs.size(), block);
  return take_answers(block.answers, exchanged, pairs, answers_);
}

}  // namespace whisker::convex
