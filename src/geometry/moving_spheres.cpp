// Two spheres in linear motion: relative to the first center, the second center moves along a line, and contact means
// that the line meets a ball with the sum of the radii as its radius.

#include <whisker/geometry/moving_spheres.hpp>

#include "geometry/ray_ball.hpp"
#include "geometry/ray_near.hpp"

namespace whisker {
namespace {

using geometry::DoubleDouble;
using geometry::Exact2;
using geometry::Rounded;

/// The difference of the two centers at the start, D, and its change over the whole motion, V.
struct Relative {
  Rounded<DoubleDouble> start[3];  // Exact.
  Rounded<DoubleDouble> change[3];
  Rounded<DoubleDouble> reach;  // The sum of the radii. Exact.
};

/// The sign of |D|² - R², exactly.
int exact_gap_sign(const MovingSphere& a, const MovingSphere& b) {
  const auto square_of = [](Exact2 x) { return geometry::to_expansion(x) * x; };
  const auto squared = [&](int i) { return square_of(geometry::two_diff(b.start[i], a.start[i])); };
  return (squared(0) + squared(1) + squared(2) - square_of(geometry::two_sum(a.radius, b.radius))).sign();
}

Rounded<DoubleDouble> scaled(Rounded<DoubleDouble> x, double power) {
  return {DoubleDouble(x.value.hi * power, x.value.lo * power), x.error * power};
}

void convert(Rounded<DoubleDouble> from, Rounded<DoubleDouble>& to) {
  to = from;
}
void convert(Rounded<DoubleDouble> from, Rounded<double>& to) {
  to = {from.value.hi, geometry::inflated(std::abs(from.value.lo) + from.error)};
}

/// The times when D' + t V is within R, where D' is the difference of the centers at the time that t = 0 refers to.
template <class T>
geometry::Stretch overlap_times(const Rounded<DoubleDouble> (&origin)[3], const Relative& relative) {
  Rounded<T> o[3];
  Rounded<T> d[3];
  Rounded<T> r;
  for (int i = 0; i < 3; ++i) {
    convert(origin[i], o[i]);
    convert(relative.change[i], d[i]);
  }
  convert(relative.reach, r);
  return geometry::ball_stretch(o, d, r, 1.0);  // Both times are in [0, 1].
}

Vector3 position(const MovingSphere& sphere, double t) {
  return (1 - t) * sphere.start + t * sphere.end;
}

void fill_contact(const MovingSphere& a, const MovingSphere& b, Impact& contact) {
  const Vector3 center_a = position(a, contact.time);
  const Vector3 between = position(b, contact.time) - center_a;
  const double distance = between.norm();
  contact.normal = geometry::unit_vector(between);
  if (contact.normal == Vector3::Zero()) contact.normal = Vector3::UnitX();
  // Halfway between the points of both surfaces on the line of the centers. If the spheres touch, these are the same
  // point.
  contact.point = center_a + contact.normal * (0.5 * (a.radius + (distance - b.radius)));
}

}  // namespace

Impact first_contact_spheres(const MovingSphere& a, const MovingSphere& b) {
  Impact contact;
  contact.cost.primitive_tests = 1;
  Relative relative;
  double size = a.radius + b.radius;
  for (int i = 0; i < 3; ++i) {
    relative.start[i] = {geometry::difference(b.start[i], a.start[i]), 0};
    const Rounded<DoubleDouble> change_a{geometry::difference(a.end[i], a.start[i]), 0};
    const Rounded<DoubleDouble> change_b{geometry::difference(b.end[i], b.start[i]), 0};
    relative.change[i] = change_b - change_a;
    size = std::max({size, std::abs(relative.start[i].value.hi), std::abs(relative.change[i].value.hi)});
  }
  relative.reach = {geometry::sum(a.radius, b.radius), 0};
  // Scale all lengths to a size of about one by a power of two. Times do not change.
  const double power = geometry::inverse_power_of_two(size);
  double dd = 0;
  double od = 0;
  bool still = true;
  for (int i = 0; i < 3; ++i) {
    relative.start[i] = scaled(relative.start[i], power);
    relative.change[i] = scaled(relative.change[i], power);
    dd += relative.change[i].value.hi * relative.change[i].value.hi;
    od += relative.start[i].value.hi * relative.change[i].value.hi;
    still = still && relative.change[i].value.hi == 0;
  }
  relative.reach = scaled(relative.reach, power);

  Rounded<DoubleDouble> gap = -(relative.reach * relative.reach);
  Rounded<DoubleDouble> parting;  // Half the rate at which the squared distance grows at the start.
  for (int i = 0; i < 3; ++i) {
    gap = gap + relative.start[i] * relative.start[i];
    parting = parting + relative.start[i] * relative.change[i];
  }
  const int gap_sign = gap.positive() ? 1 : (gap.negative() ? -1 : exact_gap_sign(a, b));
  if (gap_sign <= 0) {
    contact.status = gap_sign < 0 ? ImpactStatus::touching_at_start : ImpactStatus::touch;
    contact.time = contact.time_lower = contact.time_upper = 0;
    fill_contact(a, b, contact);
    return contact;
  }
  // The spheres are apart at the start. If there is no relative motion, or if they move apart, they stay apart forever.
  // A motion so small that its square underflows (1e-150 of the other lengths) is evaluated from t = 0.
  if (still || parting.positive() || parting.exactly_zero()) return contact;

  // Start from the time of closest approach, rounded and clamped to [0, 1].
  const double closest = dd > 0 ? std::clamp(-od / dd, 0.0, 1.0) : 0.0;
  Rounded<DoubleDouble> origin[3];
  for (int i = 0; i < 3; ++i)
    origin[i] = relative.start[i] + relative.change[i] * geometry::exactly<DoubleDouble>(closest);
  geometry::Stretch times = overlap_times<double>(origin, relative);
  if (!times.possible) return contact;
  const double allowed = 0x1p-48 * (closest + std::abs(times.enter.value));
  if (!(times.certain && times.enter.upper - times.enter.lower <= allowed)) {
    times = overlap_times<DoubleDouble>(origin, relative);
    if (!times.possible) return contact;
  }
  geometry::tidy(times);
  const double lower = geometry::below(closest + times.enter.lower);
  const double upper = geometry::above(closest + times.enter.upper);
  if (lower > 1 || geometry::above(closest + times.exit.upper) < 0) return contact;
  contact.status = ImpactStatus::touch;
  contact.certain = times.certain && upper <= 1 && geometry::below(closest + times.exit.lower) >= 0;
  if (!contact.certain) contact.stop = Stop::limit;
  contact.time = std::clamp(closest + times.enter.value, 0.0, 1.0);
  contact.time_lower = std::clamp(lower, 0.0, 1.0);
  contact.time_upper = std::clamp(upper, 0.0, 1.0);
  fill_contact(a, b, contact);
  return contact;
}

}  // namespace whisker
