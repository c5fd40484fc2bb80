#include "queries/manifold_places.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include <Eigen/Geometry>

#include "convex/manifold_points.hpp"
#include "geometry/constants.hpp"
#include "geometry/fixed_list.hpp"
#include "geometry/lease.hpp"
#include "geometry/unit_vector.hpp"

namespace whisker::queries {
namespace {

/// Losses of area that differ by less than this fraction count as equal.
constexpr double equal_loss = 0x1p-20;
/// A corner with the largest gap may cost this fraction of the area more than one that touches.
constexpr double open_bonus = 0.25;

double turn(const FlatPoint& o, const FlatPoint& p, const FlatPoint& q) {
  return (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x);
}

/// Whether (x, y) is longer than a length: by squares, unless they are nearly equal or out of range.
bool is_longer(double x, double y, double length) {
  const double square = x * x + y * y, limit = length * length;
  if (limit > 0x1p-900 && square < 0x1p900) {
    if (square > limit * (1 + 0x1p-40)) return true;
    if (square < limit * (1 - 0x1p-40)) return false;
  }
  return std::hypot(x, y) > length;
}

/// 0 for a corner of a, 1 for a corner of b, 2 for all others; see ManifoldPoint::id.
int corner_rank(std::uint64_t id) {
  constexpr std::uint64_t corner = convex::corner_name(0) >> 30;
  if (id >> 62 == corner) return 0;
  return (id >> 30 & 3) == corner ? 1 : 2;
}

/// The length of (x, y).
double length_of(double x, double y) {
  const double square = x * x + y * y;
  return square > 0x1p-900 && square < 0x1p900 ? std::sqrt(square) : std::hypot(x, y);
}

struct PlaceMemory {
  std::vector<FlatPoint> flat, hull, deep;
  std::vector<std::uint32_t> order, others;
  std::vector<std::uint32_t> first, next, place;
  WeldGrid grid;
};

/// Up to this many points are joined to places by comparing them with the deepest point of each.
constexpr std::size_t many_points = 256;

/// Up to this many points are compared one by one.
constexpr std::size_t few_points = 32;

/// Only the points that stay are in the grid. They are farther apart than `weld`, so a square holds few of them,
/// however many there are.
void weld_many(std::vector<FlatPoint>& flat, double weld, WeldGrid& grid) {
  double largest = 0;
  for (const FlatPoint& p : flat)
    largest = std::max({largest, std::abs(p.x), std::abs(p.y)});
  // Squares a little wider than `weld`, and at most 2^30 of them to either side: rounding does not move a point that is
  // within `weld` of another beyond the next square.
  const double width = std::max(weld * (1 + 0x1p-20), largest * 0x1p-30);
  const auto square_of = [&](double x) { return width > 0 ? static_cast<std::int64_t>(std::floor(x / width)) : 0; };
  const std::size_t slots = std::bit_ceil(2 * flat.size());
  const auto slot_of = [&](std::int64_t x, std::int64_t y) {
    const std::uint64_t mixed =
        static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(y) * 0xC2B2AE3D27D4EB4Fu;
    return static_cast<std::size_t>((mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u >> 32) & (slots - 1);
  };
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  grid.first.assign(slots, none);
  grid.next.resize(flat.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const FlatPoint p = flat[i];
    const std::int64_t x = square_of(p.x), y = square_of(p.y);
    bool stays = true;
    for (std::int64_t k = 0; k < 9 && stays; ++k)
      for (std::uint32_t j = grid.first[slot_of(x + k % 3 - 1, y + k / 3 - 1)]; j != none && stays; j = grid.next[j])
        stays = is_longer(p.x - flat[j].x, p.y - flat[j].y, weld);
    if (!stays) continue;
    std::uint32_t& first = grid.first[slot_of(x, y)];
    grid.next[kept] = first;
    first = static_cast<std::uint32_t>(kept);
    flat[kept++] = p;
  }
  flat.resize(kept);
}

/// The corners of the convex hull, counter-clockwise (Andrew 1979). Points within `weld` of a side are no corners.
void find_hull(std::vector<FlatPoint>& flat, double weld, std::vector<FlatPoint>& hull) {
  std::sort(flat.begin(), flat.end(), [](const FlatPoint& p, const FlatPoint& q) {
    return p.x != q.x ? p.x < q.x : p.y != q.y ? p.y < q.y : p.index < q.index;
  });
  hull.clear();
  const auto bends = [&](const FlatPoint& p) {
    const FlatPoint &o = hull[hull.size() - 2], &q = hull.back();
    const double x = p.x - o.x, y = p.y - o.y, area = turn(o, q, p);
    // Most points are clearly off the side, and need no root.
    if (area > weld * (std::abs(x) + std::abs(y)) || area > weld * length_of(x, y)) return true;
    // Points one above the other are sorted by the last digits of x: `q` may be beyond `o` or `p`.
    const double along = (q.x - o.x) * x + (q.y - o.y) * y;
    return area > 0 && (along < 0 || along > x * x + y * y);
  };
  for (const FlatPoint& p : flat) {
    while (hull.size() >= 2 && !bends(p))
      hull.pop_back();
    hull.push_back(p);
  }
  const std::size_t lower = hull.size() + 1;
  for (std::size_t i = flat.size() - 1; i-- > 0;) {
    while (hull.size() >= lower && !bends(flat[i]))
      hull.pop_back();
    hull.push_back(flat[i]);
  }
  if (hull.size() > 1) hull.pop_back();
}

/// Drops corners until `most` are left: those whose loss costs little area and that are far from touching. `kept` is
/// the index of a point that stays.
void drop_corners(std::vector<FlatPoint>& hull, std::span<const ContactPoint> points, double weld, std::size_t most,
                  std::uint32_t kept) {
  if (hull.size() <= most) return;
  double area = 0, least_gap = infinity, largest_gap = -infinity;
  for (std::size_t i = 1; i + 1 < hull.size(); ++i)
    area += std::abs(turn(hull[0], hull[i], hull[i + 1]));
  for (const FlatPoint& p : hull) {
    least_gap = std::min(least_gap, points[p.index].gap);
    largest_gap = std::max(largest_gap, points[p.index].gap);
  }
  const double gaps = std::max(largest_gap - least_gap, weld);
  const auto loss = [&](std::size_t i) {
    const double lost = std::abs(turn(hull[(i + hull.size() - 1) % hull.size()], hull[i], hull[(i + 1) % hull.size()]));
    return lost - open_bonus * area * ((points[hull[i].index].gap - least_gap) / gaps);
  };
  while (hull.size() > most) {
    std::size_t drop = hull.size();
    double least = infinity;
    for (std::size_t i = 0; i < hull.size(); ++i) {
      if (hull[i].index == kept || !(loss(i) < least - equal_loss * area)) continue;
      least = loss(i);
      drop = i;
    }
    hull.erase(hull.begin() + static_cast<std::ptrdiff_t>(drop));
  }
}

/// The least gap that the flat pieces between the given points have at `q`, which must be within `weld` of them;
/// negative infinity outside of them. Pieces without area do not count. Stops where it is not above `enough`.
double least_height(std::span<const FlatPoint> given, const FlatPoint& q, std::span<const ContactPoint> points,
                    double weld, double enough) {
  double least = infinity;
  if (given.size() == 2) {
    const double dx = given[1].x - given[0].x, dy = given[1].y - given[0].y;
    const double t = ((q.x - given[0].x) * dx + (q.y - given[0].y) * dy) / (dx * dx + dy * dy);
    const double first = points[given[0].index].gap;
    least = std::min(least, first + t * (points[given[1].index].gap - first));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const FlatPoint& o = given[i];
    for (std::size_t j = i + 1; j < given.size(); ++j) {
      const FlatPoint& p = given[j];
      const double of_r = turn(o, p, q);
      for (std::size_t k = j + 1; k < given.size(); ++k) {
        const FlatPoint& r = given[k];
        const double area = turn(o, p, r), of_o = turn(p, r, q), of_p = turn(r, o, q);
        // Most pieces are beside `q`. The longest side is no longer than the other two together.
        const double out = area > 0 ? -std::min({of_o, of_p, of_r}) : std::max({of_o, of_p, of_r});
        if (out > 2 * weld * (std::abs(r.x - p.x) + std::abs(r.y - p.y) + std::abs(p.x - o.x) + std::abs(p.y - o.y)))
          continue;
        const double longest = std::max(
            {length_of(p.x - o.x, p.y - o.y), length_of(r.x - p.x, r.y - p.y), length_of(o.x - r.x, o.y - r.y)});
        if (!(std::abs(area) > 4 * weld * longest) || out > weld * longest) continue;
        least = std::min(least,
                         (of_o * points[o.index].gap + of_p * points[p.index].gap + of_r * points[r.index].gap) / area);
        if (!(least > enough)) return least;
      }
    }
  }
  return least < infinity ? least : -infinity;
}

/// Finds points that are deeper than what the corners span there, as on a ridge under a face: without them the shape
/// would rock on those that are left. The deepest point is one of them, unless a corner is as deep. Up to half of the
/// points of a manifold, the most telling first.
void find_deep_points(std::span<const FlatPoint> all, std::span<const ContactPoint> points, const FlatPoint& lowest,
                      const PlaceOptions& options, std::span<const FlatPoint> corners, std::vector<FlatPoint>& deep) {
  deep.clear();
  if (all.size() == corners.size()) return;  // All points are corners.
  constexpr std::size_t most = ContactManifold::max_points / 2;
  geometry::FixedList<FlatPoint, ContactManifold::max_points + most> kept;
  double least = infinity, largest = -infinity;
  for (const FlatPoint& p : corners) {
    kept.push_back(p);
    least = std::min(least, points[p.index].gap);
    largest = std::max(largest, points[p.index].gap);
  }
  const auto is_kept = [&](const FlatPoint& q) {
    return std::any_of(kept.begin(), kept.end(), [&](const FlatPoint& p) { return p.index == q.index; });
  };
  if (!is_kept(lowest) && points[lowest.index].gap < least - options.rounding) {
    deep.push_back(lowest);
    kept.push_back(lowest);
  }
  while (deep.size() < most) {
    const FlatPoint* telling = nullptr;
    double below = options.rounding;
    for (const FlatPoint& q : all) {
      const double gap = points[q.index].gap;
      if (!(gap < largest - below) || is_kept(q)) continue;
      const double depth = least_height({kept.begin(), kept.size()}, q, points, options.weld, gap + below) - gap;
      if (!(depth > below)) continue;
      below = depth;
      telling = &q;
    }
    if (telling == nullptr) return;
    deep.push_back(*telling);
    kept.push_back(*telling);
  }
}

/// Inserts a point on the side that it is on, or at the end if it is inside.
void insert_point(std::vector<FlatPoint>& outline, const FlatPoint& q, double weld) {
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const FlatPoint &p = outline[i], &r = outline[i + 1 < outline.size() ? i + 1 : 0];
    const double length = length_of(r.x - p.x, r.y - p.y);
    const double along = (q.x - p.x) * (r.x - p.x) + (q.y - p.y) * (r.y - p.y);
    if (std::abs(turn(p, r, q)) > weld * length || !(along >= 0 && along <= length * length)) continue;
    outline.insert(outline.begin() + static_cast<std::ptrdiff_t>(i + 1), q);
    return;
  }
  outline.push_back(q);
}

/// Adds the manifold of the points of one place, given by their indices, the deepest one first.
void add_place(std::span<const ContactPoint> points, std::span<const std::uint32_t> place, const PlaceOptions& options,
               PlaceMemory& memory, std::vector<ContactManifold>& manifolds) {
  const ContactPoint& deepest = points[place.front()];
  const Vector3& normal = deepest.normal;
  const Vector3 u = geometry::perpendicular(normal), v = normal.cross(u);
  memory.flat.clear();
  for (const std::uint32_t i : place) {
    const Vector3 at = (points[i].a - deepest.a + (points[i].b - deepest.a)) / 2;
    memory.flat.push_back({u.dot(at), v.dot(at), i});
  }
  weld_points(memory.flat, options.weld, memory.grid);
  constexpr std::size_t most = ContactManifold::max_points;
  if (memory.flat.size() > 2) {
    const FlatPoint lowest = memory.flat.front();  // the deepest one stays first
    const std::uint32_t kept = lowest.index;
    find_hull(memory.flat, options.weld, memory.hull);
    drop_corners(memory.hull, points, options.weld, most, kept);
    find_deep_points(memory.flat, points, lowest, options, memory.hull, memory.deep);
    memory.flat.swap(memory.hull);
    drop_corners(memory.flat, points, options.weld, most - memory.deep.size(), kept);
    for (const FlatPoint& p : memory.deep)
      insert_point(memory.flat, p, options.weld);
  }
  ContactManifold& manifold = manifolds.emplace_back();
  manifold.normal = normal;
  manifold.feature_a = deepest.feature_a;
  manifold.feature_b = deepest.feature_b;
  manifold.count = static_cast<std::uint32_t>(memory.flat.size());
  double least = infinity;
  for (std::uint32_t i = 0; i < manifold.count; ++i) {
    const ContactPoint& p = points[memory.flat[i].index];
    manifold.storage[i] = {p.a, p.b, normal.dot(p.b - p.a), p.id};
    least = std::min(least, manifold.storage[i].gap);
  }
  manifold.lower = least - options.rounding;
  manifold.upper = least + options.rounding;
}

/// The loop of join_points() for many points, of which many have normals of their own: the points are in a grid of
/// their normals, so that those of a place are found without looking at all others.
void join_many(std::span<const ContactPoint> points, const PlaceOptions& options, PlaceMemory& memory,
               std::vector<ContactManifold>& manifolds) {
  const std::vector<std::uint32_t>& order = memory.order;
  struct Level {
    double least_cosine, width;
  };
  const auto level_of = [](double angle) {
    return Level{std::cos(angle), std::max(2 * std::sin(angle / 2) * (1 + 0x1p-20), 0x1p-10)};
  };
  // Of the points that touch, and of those that do not.
  const std::array<Level, 2> levels = {level_of(options.max_angle),
                                       level_of(std::max(options.max_angle, options.open_angle))};
  const auto level_index = [&](const ContactPoint& p) { return p.gap > options.rounding ? 1u : 0u; };
  using Cell = std::array<std::int64_t, 3>;
  const auto cell_of = [&](const ContactPoint& p, unsigned level) {
    Cell cell;
    for (int i = 0; i < 3; ++i)
      cell[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(std::floor(p.normal[i] / levels[level].width));
    return cell;
  };
  const std::size_t slots = std::bit_ceil(2 * order.size());
  const auto slot_of = [&](const Cell& cell, std::uint32_t region, unsigned level) {
    std::uint64_t mixed = std::uint64_t{region} << 1 | level;
    for (const std::int64_t x : cell) {
      mixed = (mixed ^ static_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15u;
      mixed ^= mixed >> 29;
    }
    return static_cast<std::size_t>(mixed * 0xBF58476D1CE4E5B9u >> 32) & (slots - 1);
  };
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  memory.first.assign(slots, none);
  memory.next.resize(order.size());
  // The entries of the grid are positions in the order.
  for (std::uint32_t at = 0; at < order.size(); ++at) {
    const ContactPoint& p = points[order[at]];
    std::uint32_t& first = memory.first[slot_of(cell_of(p, level_index(p)), p.region, level_index(p))];
    memory.next[at] = first;
    first = at;
  }
  std::vector<std::uint32_t>&place = memory.place, &taken = memory.others;
  taken.assign(order.size(), 0);
  for (std::uint32_t begin = 0; begin < order.size(); ++begin) {
    if (taken[begin] != 0) continue;
    const ContactPoint& deepest = points[order[begin]];
    place.assign(1, begin);
    taken[begin] = 1;
    for (unsigned level = 0; level < levels.size(); ++level) {
      const Cell middle = cell_of(deepest, level);
      for (std::int64_t k = 0; k < 27; ++k) {
        const Cell cell = {middle[0] + k % 3 - 1, middle[1] + k / 3 % 3 - 1, middle[2] + k / 9 - 1};
        std::uint32_t* link = &memory.first[slot_of(cell, deepest.region, level)];
        while (*link != none) {
          const std::uint32_t at = *link;
          const ContactPoint& p = points[order[at]];
          if (taken[at] == 0 && p.region == deepest.region &&
              p.normal.dot(deepest.normal) >= levels[level_index(p)].least_cosine) {
            taken[at] = 1;
            place.push_back(at);
          }
          if (taken[at] != 0) {
            *link = memory.next[at];
          } else {
            link = &memory.next[at];
          }
        }
      }
    }
    std::sort(place.begin(), place.end());
    for (std::uint32_t& at : place)
      at = order[at];
    add_place(points, place, options, memory, manifolds);
  }
}

}  // namespace

void weld_points(std::vector<FlatPoint>& flat, double weld, WeldGrid& grid) {
  if (flat.size() > few_points) return weld_many(flat, weld, grid);
  std::size_t kept = 0;
  for (const FlatPoint& p : flat) {
    bool stays = true;
    for (std::size_t j = 0; j < kept && stays; ++j)
      stays = is_longer(p.x - flat[j].x, p.y - flat[j].y, weld);
    if (stays) flat[kept++] = p;
  }
  flat.resize(kept);
}

void join_points(std::span<const ContactPoint> points, const PlaceOptions& options,
                 std::vector<ContactManifold>& manifolds) {
  if (points.empty()) return;
  const geometry::Lease<PlaceMemory> memory;
  std::vector<std::uint32_t>& order = memory->order;
  order.resize(points.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  const auto is_deeper = [&](std::uint32_t i, std::uint32_t j) {
    if (points[i].gap != points[j].gap) return points[i].gap < points[j].gap;
    return points[i].id != points[j].id ? points[i].id < points[j].id : i < j;
  };
  std::sort(order.begin(), order.end(), is_deeper);
  // Of points that are equally deep up to rounding, corners come first: they stand for others that are close to them.
  for (auto begin = order.begin(); begin != order.end();) {
    const double equal = points[*begin].gap + options.rounding;
    const auto end = std::find_if(begin, order.end(), [&](std::uint32_t i) { return points[i].gap > equal; });
    std::sort(begin, end, [&](std::uint32_t i, std::uint32_t j) {
      const int rank_i = corner_rank(points[i].id), rank_j = corner_rank(points[j].id);
      if (rank_i != rank_j) return rank_i < rank_j;
      // A corner over a face comes before one over an edge, which may be a point beside the corner.
      return points[i].id != points[j].id ? points[i].id < points[j].id : i < j;
    });
    begin = end;
  }
  const double least_cosine = std::cos(options.max_angle);
  const double least_open = std::cos(std::max(options.max_angle, options.open_angle));
  if (order.size() > many_points) return join_many(points, options, *memory, manifolds);
  for (auto begin = order.begin(); begin != order.end();) {
    const Vector3 normal = points[*begin].normal;
    const std::uint32_t region = points[*begin].region;
    const auto belongs = [&](const ContactPoint& p) {
      return p.region == region && p.normal.dot(normal) >= (p.gap > options.rounding ? least_open : least_cosine);
    };
    // A stable partition. The first point belongs to its own place, whatever rounding does to the cosine.
    memory->others.clear();
    auto next = begin + 1;
    for (auto at = next; at != order.end(); ++at) {
      if (belongs(points[*at])) {
        *next++ = *at;
      } else {
        memory->others.push_back(*at);
      }
    }
    std::copy(memory->others.begin(), memory->others.end(), next);
    add_place(points, {begin, next}, options, *memory, manifolds);
    begin = next;
  }
}

void make_ids_unique(std::span<ContactManifold> manifolds) {
  const geometry::Lease<std::vector<std::uint64_t>> ids;
  ids->clear();
  for (const ContactManifold& manifold : manifolds)
    for (const ManifoldPoint& p : manifold.points())
      ids->push_back(p.id);
  std::sort(ids->begin(), ids->end());
  if (std::adjacent_find(ids->begin(), ids->end()) == ids->end()) return;
  const auto is_taken = [&](std::uint64_t id) { return std::binary_search(ids->begin(), ids->end(), id); };
  std::unordered_set<std::uint64_t> given;
  for (ContactManifold& manifold : manifolds) {
    for (ManifoldPoint& p : std::span(manifold.storage).first(manifold.count)) {
      if (given.insert(p.id).second) continue;
      // The triangle tells points apart that are at the same corner of the other shape.
      const std::uint64_t step = std::uint64_t{manifold.feature_b.id} << 1 | 1;
      do {
        p.id += step;
      } while (is_taken(p.id) || !given.insert(p.id).second);
    }
  }
}

void keep_names(std::span<ContactManifold> manifolds, const Pose& pose_a, const Pose& pose_b, double reach,
                std::span<const ManifoldMemory::Point> before, std::uint64_t& next_id,
                std::vector<ManifoldMemory::Point>& after) {
  const Matrix3 to_a = pose_a.rotation().transpose(), to_b = pose_b.rotation().transpose();
  const std::size_t first = after.size();
  for (const ContactManifold& manifold : manifolds) {
    for (const ManifoldPoint& p : manifold.points())
      after.push_back({to_a * (p.point_a - pose_a.translation()), to_b * (p.point_b - pose_b.translation()), 0});
  }
  const std::span<ManifoldMemory::Point> now = std::span(after).subspan(first);
  struct Match {
    double distance;
    std::uint32_t old, now;
  };
  const geometry::Lease<std::vector<Match>> matches;
  matches->clear();
  const double far = reach * reach * (1 + 0x1p-40) + 0x1p-900;  // most points are: their squares tell
  for (std::uint32_t i = 0; i < before.size(); ++i) {
    for (std::uint32_t j = 0; j < now.size(); ++j) {
      if ((before[i].in_a - now[j].in_a).squaredNorm() > far) continue;
      const double moved = std::max((before[i].in_a - now[j].in_a).norm(), (before[i].in_b - now[j].in_b).norm());
      if (moved < reach) matches->push_back({moved, i, j});
    }
  }
  std::sort(matches->begin(), matches->end(), [](const Match& p, const Match& q) {
    if (p.distance != q.distance) return p.distance < q.distance;
    return p.old != q.old ? p.old < q.old : p.now < q.now;
  });
  const auto is_given = [&](std::uint64_t id) {
    return std::any_of(now.begin(), now.end(), [&](const ManifoldMemory::Point& p) { return p.id == id; });
  };
  for (const Match& match : *matches) {
    const std::uint64_t id = before[match.old].id;
    if (now[match.now].id == 0 && !is_given(id)) now[match.now].id = id;
  }
  std::size_t k = 0;
  for (ContactManifold& manifold : manifolds) {
    for (ManifoldPoint& p : std::span(manifold.storage).first(manifold.count)) {
      if (now[k].id == 0) now[k].id = next_id++;
      p.id = now[k++].id;
    }
  }
}

double name_reach(const Shape& a, const Shape& b) {
  double smaller = infinity;
  for (const Shape* const shape : {&a, &b}) {
    const Aabb box = shape->bounds();
    const double size = (box.upper - box.lower).maxCoeff();
    if (std::isfinite(size)) smaller = std::min(smaller, size);
  }
  return 0.02 * smaller;
}

void exchange(ContactManifold& manifold) {
  manifold.normal = -manifold.normal;
  std::swap(manifold.feature_a, manifold.feature_b);
  for (ManifoldPoint& p : std::span(manifold.storage).first(manifold.count)) {
    std::swap(p.point_a, p.point_b);
    p.id = p.id << 32 | p.id >> 32;
  }
  // In order around the normal again.
  std::reverse(manifold.storage.begin(), manifold.storage.begin() + manifold.count);
}

}  // namespace whisker::queries
