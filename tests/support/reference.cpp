#include "support/reference.hpp"

#include <algorithm>

namespace whisker::test {

template PlacedSet<double> place_set<double>(const SimpleShape& shape, const Pose& pose);
template PlacedSet<Real> place_set<Real>(const SimpleShape& shape, const Pose& pose);
template PlacedSet<Rational> place_set<Rational>(const SimpleShape& shape, const Pose& pose);
template Gap<double> gap<double>(const PlacedSet<double>& a, const PlacedSet<double>& b);
template Gap<Real> gap<Real>(const PlacedSet<Real>& a, const PlacedSet<Real>& b);

bool share_a_point(const PlacedSet<Rational>& a, const PlacedSet<Rational>& b) {
  if (a.bounded() && b.bounded()) {
    const Rational radii = a.radius + b.radius;
    return closest_points(a.core, b.core).squared_distance <= radii * radii;
  }
  if (a.bounded()) return share_a_point(b, a);
  if (!b.bounded()) {
    const Gap<Rational> between = reference::gap_of_planes(a, b, Rational(1));
    return between.inseparable || between.value <= 0;
  }
  const auto [low, high] = reference::heights_over(a, b);
  const Rational reach = b.radius * b.radius * dot(a.normal, a.normal);
  if (low > 0) return low * low <= reach;
  return a.kind == PlacedSet<Rational>::Kind::half_space || high >= 0 || high * high <= reach;
}

Real largest_coordinate_of(const PlacedSet<Real>& a) {
  if (a.bounded()) return reference::largest_coordinate_of(a.core) + a.radius;
  const Real unit_squared = dot(a.normal, a.normal);
  const Vec<Real> foot = a.origin + (a.offset / unit_squared) * a.normal;
  return std::max({reference::largest_coordinate_of(a.origin), reference::largest_coordinate_of(foot),
                   Real(reference::magnitude(a.offset) / square_root(unit_squared))});
}

Truth truth_about(const PlacedSet<Real>& a, const PlacedSet<Real>& b) {
  Truth truth;
  const Real size = std::max(largest_coordinate_of(a), largest_coordinate_of(b));
  truth.size = size.convert_to<double>();
  truth.uncertainty = size * Real("1e-80");
  const Gap<Real> between = gap(a, b);
  truth.inseparable = between.inseparable;
  truth.touching = between.inseparable || between.value <= 0;
  if (!between.inseparable) (between.value > 0 ? truth.distance : truth.depth) = reference::magnitude(between.value);
  return truth;
}

bool share_a_point(const SimpleShape& a, const Pose& pose_a, const SimpleShape& b, const Pose& pose_b) {
  return share_a_point(place_set<Rational>(a, pose_a), place_set<Rational>(b, pose_b));
}

Truth truth_about(const SimpleShape& a, const Pose& pose_a, const SimpleShape& b, const Pose& pose_b) {
  Truth truth = truth_about(place_set<Real>(a, pose_a), place_set<Real>(b, pose_b));
  if (!truth.inseparable && truth.distance + truth.depth <= Real(truth.size) * Real("1e-60")) {
    truth.touching = share_a_point(a, pose_a, b, pose_b);
  }
  return truth;
}

}  // namespace whisker::test
