#include "spheres/adaptive_axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "geometry/constants.hpp"
#include "geometry/lists.hpp"

namespace whisker::spheres {

namespace {

/// A ball is unusable if its center is farther from the center of the mesh's AABB than this many times the mesh's size.
constexpr double farthest_center = 4;
/// Radii are scaled up by this factor, so that a ball contains its samples despite rounding.
constexpr double outward = 1 + 0x1p-40;
/// A protrusion below this fraction of the mesh's size is not worth another sample.
constexpr double finest_protrusion = 0x1p-36;

bool is_usable(const AdaptiveAxis::Ball& ball) {
  return ball.radius >= 0;
}

void measure(const Solid& solid, AdaptiveAxis::Ball& ball) {
  if (ball.is_measured) return;
  const Distance distance = solid.signed_distance(ball.center);
  ball.height = distance.upper;
  ball.foot = distance.point_a;
  ball.is_measured = true;
}

/// The spheres of an axis around a region, kept up to date as samples are inserted. A `Middle` is the centroid of a
/// piece.
class Cover {
 public:
  Cover(const Solid& solid, const Delaunay& delaunay, const std::vector<Vector3>& points,
        std::vector<AdaptiveAxis::Ball>& balls, CoverageChoice choice, std::span<const Piece> region)
      : solid_(solid), delaunay_(delaunay), points_(points), balls_(balls), choice_(choice) {
    middles_.reserve(region.size());
    for (const Piece& piece : region) {
      middles_.push_back({piece.middle()});
      bounds_.include(middles_.back().point);
    }
    for (Middle& middle : middles_) {
      for (std::uint32_t v = Delaunay::first_point; v < points_.size(); ++v)
        approach(middle, v);
    }
    resize();
    for (std::uint32_t slot = 0; slot < balls_.size(); ++slot) {
      if (delaunay_.is_used(slot)) add(slot);
    }
    for (Middle& middle : middles_) {
      if (middle.medial == 0) cover(middle);
    }
  }

  /// Updates the spheres after an insertion that created the vertex.
  void update(std::uint32_t vertex) {
    resize();
    ++update_;
    changed_[vertex] = update_;
    for (const std::uint32_t slot : delaunay_.created()) {
      for (const std::uint32_t v : delaunay_.tetrahedra()[slot].vertices)
        changed_[v] = update_;
    }
    for (const std::uint32_t slot : delaunay_.removed())
      remove(slot);
    for (const std::uint32_t slot : delaunay_.created())
      add(slot);
    // A middle keeps its coverage sphere as long as its Voronoi cell does not change.
    for (Middle& middle : middles_) {
      const bool is_nearer = squared_distance(middle, vertex) < middle.squared;
      if (middle.medial > 0 || is_nearer || changed_[middle.nearest] == update_ ||
          choice_ == CoverageChoice::max_points) {
        uncover(middle);
      }
      if (is_nearer) approach(middle, vertex);
      if (middle.medial == 0 && !middle.is_covered) cover(middle);
    }
  }

  std::size_t count() const { return count_; }

  /// The sphere that protrudes most.
  struct Worst {
    double protrusion = 0;
    std::uint32_t slot = Delaunay::none;    // the tetrahedron, if the sphere is a ball of the diagram
    std::uint32_t middle = Delaunay::none;  // otherwise the middle that is farthest from its sample
  };
  /// Skips spheres marked by set_stuck() if `only_open` is set.
  Worst worst(bool only_open = false) const {
    Worst worst;
    for (std::uint32_t slot = 0; slot < balls_.size(); ++slot) {
      const Role& role = roles_[slot];
      if (!is_active(role) || (only_open && role.is_stuck)) continue;
      const double error = protrusion(balls_[slot].radius, balls_[slot].height);
      if (error > worst.protrusion) worst = {error, slot, Delaunay::none};
    }
    for (std::uint32_t m = 0; m < middles_.size(); ++m) {
      const Middle& middle = middles_[m];
      if (!has_own_ball(middle) || (only_open && middle.is_stuck)) continue;
      const double error = protrusion(own_radius(middle), heights_[middle.nearest]);
      if (error > worst.protrusion) worst = {error, Delaunay::none, m};
    }
    return worst;
  }
  /// Returns the surface point to insert for the sphere, and a tetrahedron nearby.
  std::pair<Vector3, std::uint32_t> sample_for(const Worst& worst) {
    if (worst.slot != Delaunay::none) return {balls_[worst.slot].foot, worst.slot};
    const Middle& middle = middles_[worst.middle];
    delaunay_.around(middle.nearest, cell_, seen_);
    return {middle.point, cell_.front()};
  }
  /// Excludes the sphere from worst(true).
  void set_stuck(const Worst& worst) {
    if (worst.slot != Delaunay::none) {
      roles_[worst.slot].is_stuck = true;
    } else {
      middles_[worst.middle].is_stuck = true;
    }
  }

  std::vector<MedialSphere> spheres() {
    std::vector<MedialSphere> result;
    std::vector<std::uint32_t> of_slot(balls_.size(), Delaunay::none);
    std::vector<std::uint32_t> of_vertex(points_.size(), Delaunay::none);
    for (std::uint32_t slot = 0; slot < balls_.size(); ++slot) {
      if (!is_active(roles_[slot])) continue;
      of_slot[slot] = static_cast<std::uint32_t>(result.size());
      result.push_back({{balls_[slot].center, balls_[slot].radius}, balls_[slot].height, {}});
    }
    for (std::uint32_t v = 0; v < points_.size(); ++v) {
      if (!is_active(own_roles_[v])) continue;
      of_vertex[v] = static_cast<std::uint32_t>(result.size());
      result.push_back({{points_[v], 0}, heights_[v], {}});
    }
    for (const Middle& middle : middles_) {
      if (!has_own_ball(middle)) continue;
      double& radius = result[of_vertex[middle.nearest]].sphere.radius;
      radius = std::max(radius, own_radius(middle));
    }

    const auto tetrahedra = delaunay_.tetrahedra();
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
      result[a].neighbors.push_back(b);
      result[b].neighbors.push_back(a);
    };
    for (std::uint32_t slot = 0; slot < balls_.size(); ++slot) {
      if (of_slot[slot] == Delaunay::none) continue;
      for (const std::uint32_t next : tetrahedra[slot].neighbors) {
        if (next != Delaunay::none && of_slot[next] != Delaunay::none && slot < next)
          join(of_slot[slot], of_slot[next]);
      }
    }
    for (std::uint32_t v = 0; v < points_.size(); ++v) {
      if (of_vertex[v] == Delaunay::none) continue;
      delaunay_.around(v, cell_, seen_);
      for (const std::uint32_t slot : cell_) {
        if (of_slot[slot] != Delaunay::none) join(of_vertex[v], of_slot[slot]);
        for (const std::uint32_t w : tetrahedra[slot].vertices) {
          if (v < w && of_vertex[w] != Delaunay::none) join(of_vertex[v], of_vertex[w]);
        }
      }
    }
    for (MedialSphere& sphere : result)
      geometry::sort_unique(sphere.neighbors);
    return result;
  }

 private:
  struct Middle {
    Vector3 point;
    double squared = infinity;                // squared distance to the nearest sample
    std::uint32_t nearest = Delaunay::none;   // the vertex whose cell contains the point
    std::uint32_t medial = 0;                 // number of medial spheres that contain the point
    std::uint32_t coverage = Delaunay::none;  // tetrahedron of the coverage sphere, if that is a ball of the diagram
    bool is_covered = false;                  // whether it has a coverage sphere
    bool is_stuck = false;
  };
  struct Role {
    bool is_medial = false;
    bool is_stuck = false;
    std::uint32_t users = 0;  // number of middles whose coverage sphere this is
  };

  static bool is_active(const Role& role) { return role.is_medial || role.users > 0; }
  /// Whether it is covered by the ball around its nearest sample.
  static bool has_own_ball(const Middle& middle) { return middle.is_covered && middle.coverage == Delaunay::none; }

  void resize() {
    roles_.resize(balls_.size());
    changed_.resize(points_.size(), 0);
    own_roles_.resize(points_.size());
    heights_.resize(points_.size(), std::numeric_limits<double>::quiet_NaN());
  }

  double squared_distance(const Middle& middle, std::uint32_t vertex) const {
    return (middle.point - points_[vertex]).squaredNorm();
  }

  void approach(Middle& middle, std::uint32_t vertex) const {
    const double squared = squared_distance(middle, vertex);
    if (!(squared < middle.squared)) return;
    middle.squared = squared;
    middle.nearest = vertex;
  }

  static double own_radius(const Middle& middle) { return std::sqrt(middle.squared) * outward; }

  template <class Do>
  void each_held(const AdaptiveAxis::Ball& ball, Do&& act) {
    const double squared = ball.radius * ball.radius;
    const Vector3 nearest = ball.center.cwiseMax(bounds_.lower).cwiseMin(bounds_.upper);
    if ((nearest - ball.center).squaredNorm() > squared) return;
    for (Middle& middle : middles_) {
      if ((middle.point - ball.center).squaredNorm() <= squared) act(middle);
    }
  }

  void add(std::uint32_t slot) {
    AdaptiveAxis::Ball& ball = balls_[slot];
    roles_[slot] = {};
    if (!is_usable(ball)) return;
    if (!solid_.mesh().bounds().contains(ball.center)) return;
    bool is_near = false;
    each_held(ball, [&](Middle&) { is_near = true; });
    if (!is_near) return;
    measure(solid_, ball);
    if (!(ball.height < 0)) return;
    roles_[slot].is_medial = true;
    ++count_;
    each_held(ball, [](Middle& middle) { ++middle.medial; });
  }

  void remove(std::uint32_t slot) {
    Role& role = roles_[slot];
    if (is_active(role)) --count_;
    if (role.is_medial) each_held(balls_[slot], [](Middle& middle) { --middle.medial; });
    if (role.users > 0) {
      for (Middle& middle : middles_) {
        if (middle.coverage != slot) continue;
        middle.coverage = Delaunay::none;
        middle.is_covered = false;
      }
    }
    role = {};
  }

  void uncover(Middle& middle) {
    if (!middle.is_covered) return;
    Role& role = role_of(middle);
    --role.users;
    if (!is_active(role)) --count_;
    middle.is_covered = false;
    middle.coverage = Delaunay::none;
  }

  void cover(Middle& middle) {
    double& own_height = heights_[middle.nearest];
    if (std::isnan(own_height)) own_height = solid_.height(points_[middle.nearest]);
    middle.is_covered = true;
    middle.coverage = choose(middle);
    if (middle.coverage != Delaunay::none) {
      AdaptiveAxis::Ball& ball = balls_[middle.coverage];
      measure(solid_, ball);
      if (protrusion(ball.radius, ball.height) > protrusion(own_radius(middle), own_height))
        middle.coverage = Delaunay::none;
    }
    Role& role = role_of(middle);
    if (!is_active(role)) ++count_;
    ++role.users;
  }

  /// The role of its coverage sphere.
  Role& role_of(const Middle& middle) {
    return middle.coverage == Delaunay::none ? own_roles_[middle.nearest] : roles_[middle.coverage];
  }

  /// Returns the best ball, by `choice_`, among those of the cell that contain the middle.
  std::uint32_t choose(const Middle& middle) {
    delaunay_.around(middle.nearest, cell_, seen_);
    std::uint32_t best = Delaunay::none;
    double most = 0;
    for (const std::uint32_t slot : cell_) {
      AdaptiveAxis::Ball& ball = balls_[slot];
      if (!is_usable(ball) || (middle.point - ball.center).squaredNorm() > ball.radius * ball.radius) continue;
      double worth = 0;
      switch (choice_) {
        case CoverageChoice::deepest:
          worth = ball.radius - (middle.point - ball.center).norm();
          break;
        case CoverageChoice::smallest:
          worth = -ball.radius;
          break;
        case CoverageChoice::nearest_inside:
          measure(solid_, ball);
          worth = -ball.height;
          break;
        case CoverageChoice::max_points:
          each_held(ball, [&](const Middle& other) { worth += other.medial == 0 ? 1 : 0; });
          break;
      }
      if (best != Delaunay::none && (worth < most || (worth == most && slot > best))) continue;
      best = slot;
      most = worth;
    }
    return best;
  }

  const Solid& solid_;
  const Delaunay& delaunay_;
  const std::vector<Vector3>& points_;
  std::vector<AdaptiveAxis::Ball>& balls_;
  CoverageChoice choice_;
  std::vector<Middle> middles_;
  Aabb bounds_;                         // of the middles
  std::vector<Role> roles_;             // by tetrahedron
  std::vector<Role> own_roles_;         // by vertex: of the ball centered at it
  std::vector<double> heights_;         // by vertex; NaN if not computed yet
  std::vector<std::uint32_t> changed_;  // by vertex: the last update that changed its cell
  std::uint32_t update_ = 0;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> cell_;
  std::vector<bool> seen_;
};

}  // namespace

AdaptiveAxis::AdaptiveAxis(const Solid& solid, std::span<const SurfaceSample> start, CoverageChoice choice)
    : solid_(&solid), choice_(choice) {
  const Aabb box = solid.mesh().bounds();
  middle_ = box.lower + (box.upper - box.lower) / 2;
  const double size = (box.upper - box.lower).maxCoeff();
  if (size > 0) size_ = size;
  points_.resize(Delaunay::first_point, Vector3::Zero());
  for (const SurfaceSample& sample : start)
    insert(sample.point, Delaunay::none);
  if (start.empty()) insert(solid.mesh().triangle(0).a, Delaunay::none);
}

bool AdaptiveAxis::insert(const Vector3& point, std::uint32_t near) {
  delaunay_.insert(((point - middle_) / size_).cwiseMax(-1.0).cwiseMin(1.0), near);
  if (delaunay_.created().empty()) return false;
  points_.push_back(point);
  balls_.resize(delaunay_.tetrahedra().size());
  for (const std::uint32_t slot : delaunay_.created()) {
    AdaptiveAxis::Ball& ball = balls_[slot];
    ball = {};
    if (!delaunay_.is_finite(slot)) continue;
    const std::optional<Vector3> center = delaunay_.circumcenter(slot);
    if (!center || center->cwiseAbs().maxCoeff() > farthest_center) continue;
    ball.center = middle_ + size_ * *center;
    for (const std::uint32_t v : delaunay_.tetrahedra()[slot].vertices)
      ball.radius = std::max(ball.radius, (points_[v] - ball.center).norm() * outward);
  }
  return true;
}

Refinement AdaptiveAxis::refine(std::span<const Piece> region, const Goal& goal) {
  Cover cover(*solid_, delaunay_, points_, balls_, choice_, region);
  Refinement result;
  const auto end = [&](Refinement::End why) {
    result.end = why;
    result.spheres = cover.count();
    result.worst_protrusion = cover.worst().protrusion;
    return result;
  };
  for (;;) {
    const Cover::Worst worst = cover.worst(true);
    if (cover.count() >= goal.min_spheres && worst.protrusion <= goal.worst_protrusion &&
        cover.worst().protrusion <= goal.worst_protrusion) {
      return end(Refinement::End::goal);
    }
    if (!(worst.protrusion > finest_protrusion * size_)) return end(Refinement::End::nothing_left);
    if (result.insertions >= goal.max_insertions) return end(Refinement::End::insertions);
    const auto [point, near] = cover.sample_for(worst);
    const bool is_new = insert(point, near);
    // A sphere that the insertion leaves unchanged would be tried forever.
    if (!is_new || (worst.slot != Delaunay::none && delaunay_.is_used(worst.slot))) cover.set_stuck(worst);
    if (!is_new) continue;
    cover.update(static_cast<std::uint32_t>(points_.size() - 1));
    ++result.insertions;
  }
}

std::vector<MedialSphere> AdaptiveAxis::spheres(std::span<const Piece> region) const {
  std::vector<AdaptiveAxis::Ball> balls = balls_;
  return Cover(*solid_, delaunay_, points_, balls, choice_, region).spheres();
}

}  // namespace whisker::spheres
