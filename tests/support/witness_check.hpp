#pragma once

// Checks a pair of witness points of two placed convex shapes: each point lies on its shape, the points differ by the
// gap along the normal, each is as far along the normal as its shape reaches, and if the shapes share more than a point
// along it, the points are in the middle of the shared set. Everything follows from support functions in long double.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <whisker/queries.hpp>

#include "support/convex_cases.hpp"
#include "support/plane_sets.hpp"

namespace whisker::test {

/// The allowed error of the points, in spacings of the doubles at the largest number that they are computed from: a
/// coordinate of a placed shape, of its pose or in its own frame, or the gap. (A point of a shape that is far from the
/// origin of its own frame may be placed near the world's origin. The rounding errors of the two large numbers remain.)
inline constexpr int witness_rounding = 128;

/// The worst observed value of some number, in the unit that the member's name implies.
struct Worst {
  double value = 0;
  std::string where;

  void see(double x, const auto& describe_it) {
    if (!(x > value)) return;
    value = x;
    where = describe_it();
  }
};

/// Counts and worst values over a whole program, printed at its end.
struct WitnessStatistics {
  std::size_t overlaps = 0, distances = 0, patches = 0, faces = 0, off_faces = 0, open_faces = 0;
  Worst together, on_shape, flat_short, round_short, distance_short, middle;

  void print() const {
    std::printf(
        "witness points: %zu overlaps, %zu distances, %zu one-point patches; "
        "%zu shared segments or areas, %zu of them with points off the middle, %zu more that rounding leaves open\n",
        overlaps, distances, patches, faces, off_faces, open_faces);
    const auto line = [](const char* what, const Worst& worst) {
      std::printf("  %s: %.3g\n    %s\n", what, worst.value, worst.where.c_str());
    };
    line("|b - a - gap normal|, in spacings", together);
    line("off the shape, in spacings", on_shape);
    line("short of the support, flat-faced, in spacings", flat_short);
    line("short of the support, curved, as a part of the depth", round_short);
    line("short of the support, distances, in spacings beyond the bounds' width", distance_short);
    line("off the middle, as a part of what is allowed", middle);
  }
};

inline WitnessStatistics& witness_statistics() {
  static WitnessStatistics statistics;
  return statistics;
}

/// Two placed convex shapes of any kinds, in one of their two orders.
class WitnessPair {
 public:
  WitnessPair(const KnownShape& a, const Pose& pose_a, const KnownShape& b, const Pose& pose_b)
      : a_(make_side(a, pose_a)), b_(make_side(b, pose_b)) {
    origin_ = exactly<Extended>(a.truth.is_unbounded() ? pose_b.translation() : pose_a.translation());
    double largest = 0;
    for (Side* side : {&a_, &b_}) {
      stretch_ = std::max(stretch_, stretch_of(side->pose.rotation()));
      largest = std::max(largest, side->pose.translation().lpNorm<Eigen::Infinity>());
      if (side->unbounded) {
        side->to_origin = exactly<Extended>(side->pose.translation()) - origin_;
      } else {
        const Aabb own = side->known->truth.bounds();
        largest = std::max({largest, own.lower.lpNorm<Eigen::Infinity>(), own.upper.lpNorm<Eigen::Infinity>()});
        side->body = reference_body<Extended>(side->known->truth, side->pose, origin_);
        ReferenceBody<Extended> placed = side->body;
        placed.translate(origin_);
        largest = std::max(largest, static_cast<double>(placed.max_coordinate()));
        size_ = std::max(size_, side->body.extent());
      }
    }
    largest_ = largest;
    custom_ = 4 * (Extended(a.error) + Extended(b.error)) + 2 * (Extended(a.slack) + Extended(b.slack));
  }

  /// Checks the points of a gap along `normal`, which points from a to b. The gap is negative if the shapes overlap.
  /// `gap` is the bound that the points realize, and `part` is its allowed error relative to itself. Writes what is
  /// wrong to `wrong`.
  ///
  /// The points of a distance are its upper bound apart, whereas the normal is that of the slab between the shapes
  /// whose width is the lower bound. For distances, `slab` is that width, and the points only need to be at least that
  /// far apart along the normal.
  void check(const Vector3& normal, double gap, const Vector3& point_a, const Vector3& point_b, double part,
             std::ostream& wrong, const double* slab = nullptr) const {
    if (!point_a.allFinite() || !point_b.allFinite() || !normal.allFinite()) {
      wrong << "points or direction are not finite; ";
      return;
    }
    if (!(std::abs(normal.norm() - 1) <= 1e-14)) {
      wrong << "direction " << normal.transpose() << " of length " << normal.norm() << "; ";
      return;
    }
    WitnessStatistics& seen = witness_statistics();
    const auto name_it = [this] { return describe_both(); };
    const double coordinate =
        std::max({largest_, point_a.lpNorm<Eigen::Infinity>(), point_b.lpNorm<Eigen::Infinity>(), std::abs(gap)});
    const Extended ulp = spacing_of_doubles_at(coordinate), rounding = witness_rounding * ulp;
    const Vec<Extended> n = exactly<Extended>(normal), p = exactly<Extended>(point_a), q = exactly<Extended>(point_b);
    const Extended apart = slab == nullptr ? norm(q - p - Extended(gap) * n)
                                           : std::max(std::abs(norm(q - p) - gap), Extended(*slab) - dot(n, q - p));
    seen.together.see(static_cast<double>((apart - custom_) / ulp), name_it);
    if (apart > rounding + custom_) {
      wrong << "points do not belong together: " << number(apart) << " (" << number(apart / ulp) << " ulp) off gap "
            << gap << " along " << normal.transpose() << ": " << point_a.transpose() << " | " << point_b.transpose()
            << "; ";
    }
    const Extended width = slab == nullptr ? Extended(part) * std::abs(Extended(gap)) : Extended(gap) - Extended(*slab);
    const auto look_at = [&](const Side& side, const Vec<Extended>& outward, const Vec<Extended>& point, char name) {
      const Extended off = off_side(side, point - origin_);
      seen.on_shape.see(static_cast<double>((off - custom_) / ulp), name_it);
      if (off > rounding + custom_) {
        wrong << "point_" << name << " is " << number(off) << " (" << number(off / ulp) << " ulp) off its shape; ";
      }
      const Extended lacks = short_of(side, outward, point - origin_);
      if (slab != nullptr)
        seen.distance_short.see(static_cast<double>((lacks - custom_ - width) / ulp), name_it);
      else if (part == 0)
        seen.flat_short.see(static_cast<double>((lacks - custom_) / ulp), name_it);
      else
        seen.round_short.see(static_cast<double>((lacks - custom_ - rounding) / std::abs(Extended(gap))), name_it);
      if (lacks > rounding + custom_ + width) {
        wrong << "point_" << name << " is " << number(lacks) << " (" << number(lacks / ulp)
              << " ulp) short of the support along the direction, gap " << gap << "; ";
      }
    };
    look_at(a_, n, p, 'a');
    look_at(b_, -n, q, 'b');
    // Points closer together than rounding touch, along any normal.
    if (std::abs(Extended(gap)) > rounding) check_middle(n, gap, p, ulp, wrong);
  }

  /// Checks the points of a patch: they are on their shapes and differ by the gap along the normal, which need not be
  /// the direction of the depth. If the shapes do not overlap, the points are those of the distance. On round shapes
  /// they may then be offset across the normal by as much as the surfaces are flat up to rounding.
  void check_pair(const Vector3& normal, double gap, const Vector3& point_a, const Vector3& point_b,
                  std::ostream& wrong) const {
    const double coordinate =
        std::max({largest_, point_a.lpNorm<Eigen::Infinity>(), point_b.lpNorm<Eigen::Infinity>()});
    const Extended ulp = spacing_of_doubles_at(coordinate), rounding = witness_rounding * ulp;
    const Vec<Extended> n = exactly<Extended>(normal), p = exactly<Extended>(point_a), q = exactly<Extended>(point_b);
    const Extended apart = norm(q - p - Extended(gap) * n), along = std::abs(dot(n, q - p) - Extended(gap));
    const Extended bent = gap < -static_cast<double>(rounding) ? Extended(0) : std::sqrt(2 * size_ * rounding);
    const Extended across = std::max(rounding, bent);
    if (!(apart <= across + custom_) || !(along <= rounding + custom_)) {
      wrong << "the patch's points do not belong together: " << number(apart) << " (" << number(apart / ulp)
            << " ulp) off gap " << gap << " along " << normal.transpose() << "; ";
    }
    for (const bool first : {true, false}) {
      const Extended off = off_side(first ? a_ : b_, (first ? p : q) - origin_);
      if (off > rounding + custom_) {
        wrong << "the patch's point_" << (first ? 'a' : 'b') << " is " << number(off) << " (" << number(off / ulp)
              << " ulp) off its shape, gap " << gap << "; ";
      }
    }
  }

  std::string describe_both() const {
    const auto placed = [](const Side& side) {
      std::ostringstream text;
      text.precision(17);
      const Pose& pose = side.pose;
      text << describe(side.known->truth) << " at ";
      for (int row = 0; row < 3; ++row)
        text << "{" << pose.rotation()(row, 0) << ", " << pose.rotation()(row, 1) << ", " << pose.rotation()(row, 2)
             << "}";
      text << ", {" << pose.translation().x() << ", " << pose.translation().y() << ", " << pose.translation().z()
           << "}";
      return text.str();
    };
    return "a: " + placed(a_) + "\n    b: " + placed(b_);
  }

 private:
  struct Side {
    const KnownShape* known = nullptr;
    Pose pose;
    bool unbounded = false, thin = false;  // a half-space, or a plane
    Vec<Extended> normal, to_origin;       // of half-spaces and planes; the normal is a unit vector
    Extended offset = 0;
    ReferenceBody<Extended> body;  // of all other shapes
  };

  static Side make_side(const KnownShape& known, const Pose& pose) {
    Side side;
    side.known = &known;
    side.pose = pose;
    side.unbounded = known.truth.is_unbounded();
    if (!side.unbounded) return side;
    const auto take = [&](const auto& s) {
      const Vec<Extended> n = exactly<Extended>(place_direction(pose, s.normal));
      const Extended largest = std::max({std::abs(n.x), std::abs(n.y), std::abs(n.z)});
      const Vec<Extended> m = {n.x / largest, n.y / largest, n.z / largest};
      const Extended length = norm(m);
      side.normal = (1 / length) * m;
      side.offset = Extended(s.offset) / largest / length;
    };
    if (const auto* plane = known.truth.as<Plane>()) {
      side.thin = true;
      take(*plane);
    } else {
      take(*known.truth.as<HalfSpace>());
    }
    return side;
  }

  /// An upper bound of how much a "rotation" stretches or shrinks any vector, relative to its length: half of the norm
  /// of RᵀR - I.
  static Extended stretch_of(const Matrix3& r) {
    Extended sum = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        Extended product = i == j ? -1 : 0;
        for (int k = 0; k < 3; ++k)
          product += Extended(r(k, i)) * Extended(r(k, j));
        sum += product * product;
      }
    }
    return std::sqrt(sum) / 2;
  }

  static Extended height_over(const Side& side, const Vec<Extended>& point) {
    return dot(side.normal, point - side.to_origin) - side.offset;
  }

  static Extended off_side(const Side& side, const Vec<Extended>& point) {
    if (side.unbounded) {
      const Extended height = height_over(side, point);
      return side.thin ? std::abs(height) : std::max<Extended>(0, height);
    }
    const ReferenceDistance<Extended> found =
        reference_distance(reference_point(point), side.body, wanted_width<Extended>());
    return found.overlapping ? Extended(0) : found.lower;
  }

  /// How far a point falls short of the shape's reach along a direction. For a half-space, its distance from the
  /// boundary.
  static Extended short_of(const Side& side, const Vec<Extended>& outward, const Vec<Extended>& point) {
    if (side.unbounded) return std::abs(height_over(side, point));
    return side.body.reach(outward) / norm(outward) - dot(outward, point) / norm(outward);
  }

  /// All points of the shape that reach as far along `n` as any other, up to `tolerance`, in the plane of u and v.
  /// Nothing if they do not form a flat set that is known here.
  static std::optional<PlaneSet> support_face(const Side& side, const Vec<Extended>& n, const Vec<Extended>& u,
                                              const Vec<Extended>& v, Extended tolerance) {
    if (side.unbounded) return PlaneSet::everything();
    using Core = ReferenceBody<Extended>::Core;
    const ReferenceBody<Extended>& body = side.body;
    const auto flat = [&](const Vec<Extended>& p) { return PlanePoint{dot(u, p), dot(v, p)}; };
    if (body.core == Core::ellipsoid) return std::nullopt;
    if (body.core == Core::points) {
      Extended most = dot(n, body.points[0]);
      for (const Vec<Extended>& p : body.points)
        most = std::max(most, dot(n, p));
      std::vector<PlanePoint> points;
      for (const Vec<Extended>& p : body.points)
        if (dot(n, p) >= most - tolerance) points.push_back(flat(p));
      return hull_of(points, tolerance);
    }
    std::array<Extended, 3> m;
    for (std::size_t i = 0; i < 3; ++i)
      m[i] = body.half_sizes[i] * dot(body.axes[i], n);
    const Extended s = std::sqrt(m[0] * m[0] + m[1] * m[1]), r = body.half_sizes[0];
    const Vec<Extended> axis = body.half_sizes[2] * body.axes[2];
    if (!(r > 1000 * tolerance) || !(body.half_sizes[2] > 1000 * tolerance)) return std::nullopt;
    const auto rim = [&](int end) {
      const Extended x = r * m[0] / s, y = r * m[1] / s;
      return flat(body.center + (x * body.axes[0] + (y * body.axes[1] + Extended(end) * axis)));
    };
    if (body.core == Core::cylinder) {
      const int end = m[2] >= 0 ? 1 : -1;
      if (2 * s <= tolerance) return PlaneSet::disc(flat(body.center + Extended(end) * axis), r);
      if (2 * std::abs(m[2]) <= tolerance) return PlaneSet::of({rim(-1), rim(1)});
      return PlaneSet::of({rim(end)});
    }
    if (2 * s <= tolerance && m[2] < 0) return PlaneSet::disc(flat(body.center - axis), r);
    const Extended tip_over_rim = 2 * m[2] - s;
    if (std::abs(tip_over_rim) <= tolerance) return PlaneSet::of({rim(-1), flat(body.center + axis)});
    return PlaneSet::of({tip_over_rim > 0 ? flat(body.center + axis) : rim(-1)});
  }

  /// Faces with more corners are represented by some of their corners, so the middle is only approximate.
  static constexpr std::size_t max_corners = 32;

  static bool alike(const PlaneSet& x, const PlaneSet& y) {
    return x.is_disc == y.is_disc && x.is_everything == y.is_everything && x.corners.size() == y.corners.size();
  }

  /// Checks point a against the middle of the intersection of the two support faces, if rounding cannot change these
  /// faces: they must be the same for tolerances from the rounding of their sizes up to 1e-7 of the sizes, and after
  /// small shifts. In addition, each corner of the intersection is rounded independently. For a sliver of length L and
  /// width w, tilting one of the long sides so that its ends move up and down by e turns the sliver into a trapezoid,
  /// whose centroid is L e / (6 w) away. So each corner of a shared polygon is moved independently; if there is a disc,
  /// one face is rotated instead.
  ///
  /// The size of these moves: a corner's coordinate is the sum of three products and a translation (six roundings), its
  /// coordinate in the plane is another sum of three products (five), and the point where two edges cross is p + (q -
  /// p) t (three, and two for t). That makes 16 roundings of at most half a spacing each, for each of the two shapes:
  /// 16 spacings in total. The corners are moved by 4 spacings, and four times the resulting spread is allowed.
  void check_middle(const Vec<Extended>& n, double gap, const Vec<Extended>& point_a, Extended ulp,
                    std::ostream& wrong) const {
    if (custom_ > 0 || (a_.unbounded && b_.unbounded)) return;
    const Vec<Extended> away = std::abs(n.x) < Extended(0.6) ? Vec<Extended>{1, 0, 0} : Vec<Extended>{0, 1, 0};
    Vec<Extended> u = cross(n, away);
    u = (1 / norm(u)) * u;
    const Vec<Extended> v = cross(n, u);
    const Extended loose = std::max(1024 * ulp, Extended(1e-7) * size_);
    if (ulp > Extended(1e-10) * size_) return;  // too far from the origin to distinguish a face from an edge
    const auto wide_a = support_face(a_, n, u, v, loose), wide_b = support_face(b_, -n, u, v, loose);
    if (!wide_a || !wide_b) return;
    const auto wide = shared_middle(*wide_a, *wide_b, loose);
    if (!wide || wide->dimension == 0) return;  // a point
    const Extended tight = Extended(0x1p-49) * wide->extent;
    const auto face_a = support_face(a_, n, u, v, tight), face_b = support_face(b_, -n, u, v, tight);
    if (!face_a || !face_b) return;
    if (face_a->corners.size() > max_corners || face_b->corners.size() > max_corners) return;
    const auto shared = shared_middle(*face_a, *face_b, tight);
    WitnessStatistics& seen = witness_statistics();
    if (!shared || shared->dimension != wide->dimension || !alike(*face_a, *wide_a) || !alike(*face_b, *wide_b) ||
        shared->extent < Extended(1e-3) * size_) {
      ++seen.open_faces;
      return;
    }
    Extended spread = norm(wide->middle - shared->middle);
    bool same = true;
    const auto look_at = [&](const PlaneSet& moved) {
      const auto middle = shared_middle(*face_a, moved, loose);
      same = same && middle && middle->dimension == shared->dimension;
      if (same) spread = std::max(spread, norm(middle->middle - shared->middle));
    };
    // Discs stretched by a rotation differ from discs by this much.
    const Extended stretched = face_a->is_disc || face_b->is_disc ? stretch_ * size_ : Extended(0);
    const Extended step = 256 * ulp + stretched;
    for (const PlanePoint& by :
         {PlanePoint{step, 0}, PlanePoint{-step, 0}, PlanePoint{0, step}, PlanePoint{0, -step}}) {
      PlaneSet moved = *face_b;
      moved.shift(by);
      look_at(moved);
    }
    const Extended corner_step = 4 * ulp;
    for (const Extended end : {corner_step, -corner_step}) {
      PlaneSet moved = *face_b;
      moved.turn(shared->middle, 2 * end / shared->extent);
      look_at(moved);
    }
    spread = std::max(spread, middle_spread(*shared, corner_step));
    if (!same || spread > Extended(1e-6) * size_) {
      ++seen.open_faces;
      return;
    }
    ++seen.faces;
    const Vec<Extended> p = point_a - origin_;
    const PlanePoint at = {dot(u, p), dot(v, p)};
    // On a round side, the point may be offset by as much as the side is flat up to rounding.
    const auto is_line_on_round = [](const Side& side, const PlaneSet& face) {
      return !side.unbounded && side.body.core != ReferenceBody<Extended>::Core::points && face.is_segment();
    };
    const bool bent = is_line_on_round(a_, *face_a) || is_line_on_round(b_, *face_b);
    const Extended off = norm(at - shared->middle);
    const Extended allowed =
        256 * ulp + 4 * spread + stretched + (bent ? std::sqrt(2 * size_ * 64 * ulp) : Extended(0));
    seen.middle.see(static_cast<double>(off / allowed), [this] { return describe_both(); });
    if (off > allowed) {
      ++seen.off_faces;
      wrong << "point_a is " << number(off) << " (" << number(off / ulp) << " ulp) off the middle of the shared "
            << (shared->dimension == 2 ? "area" : "segment") << " of extent " << number(shared->extent) << ", gap "
            << gap << ", allowed " << number(allowed) << ": is " << number(at.x) << " " << number(at.y) << ", not "
            << number(shared->middle.x) << " " << number(shared->middle.y) << "; ";
    }
  }

  Side a_, b_;
  Vec<Extended> origin_;
  double largest_ = 0;
  Extended size_ = 0, custom_ = 0, stretch_ = 0;
};

}  // namespace whisker::test
