#include "geometry/ray_near.hpp"

#include <Eigen/Geometry>

namespace whisker::geometry {

bool near_frame(const LinePath& path, double radius, NearFrame& frame) {
  frame.direction_scale = inverse_power_of_two(largest_entry(path.direction));
  const Vector3 d = path.direction * frame.direction_scale;
  const Vector3 m = path.pose != nullptr ? Vector3(path.origin - path.pose->translation()) : path.origin;
  const double dd = d.dot(d);

  // |m × d| is the distance of the line from the center, times |d|. The cross product of rounded numbers is off by less
  // than e |m| |d|, e = 1e-15, and (radius + e |m|)² < (1 + 1e-6) radius² + (1 + 1e6) e² |m|². The same margin covers a
  // rotation that stretches by as much as Pose::rotation_tolerance.
  const double distance2 = m.cross(d).squaredNorm();
  if (distance2 > dd * (1.000001 * (radius * radius) + 1e-23 * m.squaredNorm())) return false;

  frame.length_scale = inverse_power_of_two(radius > 0 ? radius : largest_entry(m));
  frame.radius = radius * frame.length_scale;
  frame.start = -(m.dot(d) / dd) * frame.direction_scale;
  frame.t_scale = frame.direction_scale / frame.length_scale;
  return true;
}

namespace {

/// o + t0 (d + tail) - c times a power of two, with an error relative to the result.
void near_coordinate(double o, double c, double t0, double d, double tail, double scale, Rounded<double>& result) {
  const Exact2 difference = two_diff(o, c);
  const Exact2 step = two_product(t0, d);
  const Exact2 sum = two_sum(difference.high, step.high);
  const double tail_step = t0 * tail;
  const double rest = sum.low + (difference.low + (step.low + tail_step));
  const double value = sum.high + rest;
  // Three sums and a product of small parts, each rounded once, then the final sum.
  const double small = std::abs(sum.low) + std::abs(difference.low) + std::abs(step.low) + std::abs(tail_step);
  const double last = rest == 0 ? 0 : 0x1p-53 * std::abs(value);
  const double error = inflated(last + 5 * 0x1p-53 * small);
  result = {value * scale, error * scale};
}

void near_coordinate(double o, double c, double t0, double d, double tail, double scale,
                     Rounded<DoubleDouble>& result) {
  const Rounded<DoubleDouble> start{difference(o, c), 0};
  const Rounded<DoubleDouble> step{product(t0, d), 0};
  const Rounded<DoubleDouble> tail_step{product(t0, tail), 0};
  const Rounded<DoubleDouble> sum = start + step + tail_step;
  result = {DoubleDouble(sum.value.hi * scale, sum.value.lo * scale), sum.error * scale};
}

/// If all entries are 0 or ±1, turning is exact. Then it is done here, and true is returned.
template <class T>
bool swap_axes_back(const Matrix3& rotation, Rounded<T> (&vector)[3]) {
  for (int i = 0; i < 9; ++i) {
    const double entry = rotation.data()[i];
    if (entry != 0 && std::abs(entry) != 1) return false;
  }
  Rounded<T> turned[3];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (rotation(j, i) != 0) turned[i] = rotation(j, i) > 0 ? vector[j] : -vector[j];
    }
  }
  std::copy(turned, turned + 3, vector);
  return true;
}

}  // namespace

// R is a rotation only up to rounding. With E = RᵀR - I, R⁻¹ v = (I + E)⁻¹ Rᵀ v = (I - E + E² - …) Rᵀ v. In
// double-double, two terms of E make the result exact up to rounding and |E|³. That is below 3e-26 for any rotation
// that Pose accepts, and about rounding error for a well-rounded rotation.
void turn_back(const Matrix3& rotation, Rounded<DoubleDouble> (&vector)[3]) {
  using T = DoubleDouble;
  if (swap_axes_back(rotation, vector)) return;
  Rounded<T> turned[3];
  Rounded<T> defect[3][3];
  double largest_defect = 0;
  for (int i = 0; i < 3; ++i) {
    turned[i] = exactly<T>(rotation(0, i)) * vector[0] + exactly<T>(rotation(1, i)) * vector[1] +
                exactly<T>(rotation(2, i)) * vector[2];
    for (int k = i; k < 3; ++k) {
      Rounded<T> entry = exactly<T>(i == k ? -1.0 : 0.0);
      for (int j = 0; j < 3; ++j)
        entry = entry + Rounded<T>{product(rotation(j, i), rotation(j, k)), 0};
      defect[i][k] = defect[k][i] = entry;
      largest_defect = std::max(largest_defect, entry.upper_magnitude());
    }
  }
  // |E| <= 3 largest_defect. The rest of the series is at most |E|³ / (1 - |E|) times |Rᵀ v|.
  const double norm = 3 * largest_defect;
  const double length = turned[0].upper_magnitude() + turned[1].upper_magnitude() + turned[2].upper_magnitude();
  const double rest = norm < 0.5 ? inflated(2 * norm * norm * norm * length) : infinity;
  const auto times_defect = [&](const Rounded<T>(&v)[3], int i) {
    return defect[i][0] * v[0] + defect[i][1] * v[1] + defect[i][2] * v[2];
  };
  const Rounded<T> first[3] = {times_defect(turned, 0), times_defect(turned, 1), times_defect(turned, 2)};
  for (int i = 0; i < 3; ++i) {
    const Rounded<T> corrected = turned[i] - (first[i] - times_defect(first, i));
    vector[i] = {corrected.value, inflated(corrected.error + rest)};
  }
}

// The same in double with one term of E, and one bound for all three coordinates, from norms. W bounds |v|, and columns
// of R are below 1.001. Rᵀv is off by 3.01 u W. Each entry of E is off by 4 u, so E Rᵀv is off by 4 √3 u W. The product
// E Rᵀv adds 4 u |E| W, and the last subtraction u W. Together this is below 12 u W, plus the inherited error and the
// rest of the series.
void turn_back(const Matrix3& rotation, Rounded<double> (&vector)[3]) {
  if (swap_axes_back(rotation, vector)) return;
  const Vector3 v{vector[0].value, vector[1].value, vector[2].value};
  const Matrix3 defect = rotation.transpose() * rotation - Matrix3::Identity();
  const Vector3 turned = rotation.transpose() * v;
  const Vector3 corrected = turned - defect * turned;
  const double length = std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]);
  const double inherited = vector[0].error + vector[1].error + vector[2].error;
  const double norm = 3 * defect.cwiseAbs().maxCoeff() + 0x1p-48;
  double error = infinity;
  if (norm < 1e-3) error = inflated(12.5 * 0x1p-53 * length + 2 * norm * norm * length + 1.01 * inherited);
  for (int i = 0; i < 3; ++i)
    vector[i] = {corrected[i], error};
}

template <class T>
NearLine<T> near_line(const LinePath& path, const NearFrame& frame) {
  NearLine<T> line;
  for (int i = 0; i < 3; ++i) {
    const double center = path.pose != nullptr ? path.pose->translation()[i] : 0.0;
    near_coordinate(path.origin[i], center, frame.start, path.direction[i], path.direction_tail[i], frame.length_scale,
                    line.origin[i]);
    line.direction[i] =
        from_exact<T>({path.direction[i] * frame.direction_scale, path.direction_tail[i] * frame.direction_scale});
  }
  // Lengths are bounded by the sum of the coordinates (too long) and by the largest coordinate (too short).
  const double away =
      line.origin[0].upper_magnitude() + line.origin[1].upper_magnitude() + line.origin[2].upper_magnitude();
  const double speed = std::max(magnitude(line.direction[0].value),
                                std::max(magnitude(line.direction[1].value), magnitude(line.direction[2].value)));
  line.reach = 1.001 * (frame.radius + away) / speed;
  if (path.pose != nullptr) {
    turn_back(path.pose->rotation(), line.origin);
    turn_back(path.pose->rotation(), line.direction);
  }
  return line;
}

template NearLine<double> near_line<double>(const LinePath&, const NearFrame&);
template NearLine<DoubleDouble> near_line<DoubleDouble>(const LinePath&, const NearFrame&);

namespace {

/// Returns null for the identity pose, because some shapes have a better method in their own frame.
const Pose* unless_identity(const Pose* pose) {
  if (pose == nullptr || (pose->translation() == Vector3::Zero() && pose->rotation() == Matrix3::Identity()))
    return nullptr;
  return pose;
}

}  // namespace

LinePath path_of(const Ray& ray, const Pose* pose) {
  return {ray.origin, ray.direction, Vector3::Zero(), unless_identity(pose), true};
}

LinePath path_of(const Ray& ray, const Pose* pose, const Vector3& velocity) {
  LinePath path{ray.origin, Vector3::Zero(), Vector3::Zero(), unless_identity(pose), true};
  for (int i = 0; i < 3; ++i) {
    const Exact2 relative = two_diff(ray.direction[i], velocity[i]);
    path.direction[i] = relative.high;
    path.direction_tail[i] = relative.low;
  }
  return path;
}

}  // namespace whisker::geometry
