// Fits an OBB to points or triangles. Axes come from the covariance of the points, of the hull's vertices or of the
// hull's surface, or from the caller.

#include <algorithm>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <whisker/geometry/hull.hpp>
#include <whisker/geometry/obb.hpp>

#include "geometry/constants.hpp"
#include "geometry/unit_vector.hpp"
#include "volumes/box_frame.hpp"
#include "volumes/measure.hpp"

namespace whisker {

namespace volumes {

namespace {

Vector3 without(const Vector3& v, const Vector3& u) {
  return v - u * u.dot(v);
}

// Covariances are of points in a PointFrame, where they do not drown in the square of the mean.

Matrix3 covariance_of_points(std::span<const Vector3> points, const PointFrame& local) {
  Vector3 mean = Vector3::Zero();
  for (const Vector3& point : points)
    mean += local.to_local(point);
  mean /= static_cast<double>(points.size());
  Matrix3 covariance = Matrix3::Zero();
  for (const Vector3& point : points) {
    const Vector3 d = local.to_local(point) - mean;
    covariance += d * d.transpose();
  }
  return covariance;
}

// The covariance of the hull's surface: Σ A/12 (9 ccᵀ + ppᵀ + qqᵀ + rrᵀ) over triangles p q r with area A and center c,
// taken about the surface's centroid (Gottschalk, Lin, Manocha 1996, whose form "minus the mean's square" cancels).
Matrix3 covariance_of_surface(const HullData& hull, const PointFrame& local) {
  const auto each_triangle = [&](auto&& visit) {
    for (std::size_t face = 0; face < hull.face_count(); ++face) {
      const std::span<const std::uint32_t> corners = hull.face(face);
      const Vector3 p = local.to_local(hull.vertices[corners[0]]);
      for (std::size_t i = 1; i + 1 < corners.size(); ++i)
        visit(p, local.to_local(hull.vertices[corners[i]]), local.to_local(hull.vertices[corners[i + 1]]));
    }
  };
  double area = 0;
  Vector3 centroid = Vector3::Zero();
  each_triangle([&](const Vector3& p, const Vector3& q, const Vector3& r) {
    const double a = (q - p).cross(r - p).norm();
    area += a;
    centroid += a * ((p + q + r) / 3);
  });
  if (!(area > 0)) return covariance_of_points(hull.vertices, local);
  centroid /= area;
  Matrix3 covariance = Matrix3::Zero();
  each_triangle([&](const Vector3& p, const Vector3& q, const Vector3& r) {
    const double a = (q - p).cross(r - p).norm();
    const Vector3 c = (p + q + r) / 3 - centroid;
    const auto square = [](const Vector3& v) { return Matrix3(v * v.transpose()); };
    covariance += (a / 12) * (9 * square(c) + square(p - centroid) + square(q - centroid) + square(r - centroid));
  });
  return covariance / area;
}

Matrix3 eigenvectors(const Matrix3& covariance) {
  if (!covariance.allFinite() || covariance.isZero(0)) return Matrix3::Identity();
  const Eigen::SelfAdjointEigenSolver<Matrix3> solver(covariance);
  Matrix3 axes;  // by decreasing variance
  for (int i = 0; i < 3; ++i)
    axes.col(i) = solver.eigenvectors().col(2 - i);
  return orthonormalized(axes);
}

Matrix3 hull_axes(std::span<const Vector3> points, BoxFit fit) {
  const HullData hull = convex_hull(points);
  const std::span<const Vector3> corners = hull.vertices;
  if (hull.dimension == 0) return Matrix3::Identity();
  const PointFrame local(corners);
  if (hull.dimension == 1) {
    Matrix3 axes;
    axes.col(0) = local.to_local(corners[1]) - local.to_local(corners[0]);
    axes.col(1) = axes.col(2) = Vector3::Zero();
    return orthonormalized(axes);
  }
  const Matrix3 axes = eigenvectors(fit == BoxFit::hull_area ? covariance_of_surface(hull, local)
                                                             : covariance_of_points(corners, local));
  if (hull.dimension == 3) return axes;
  // The hull is flat, and its own normal is more accurate than one from the covariance.
  const Vector3 normal = geometry::unit_vector(hull.planes[0].normal);
  Matrix3 flat;
  flat.col(0) = without(axes.col(0), normal);
  flat.col(1) = normal.cross(flat.col(0));
  flat.col(2) = normal;
  return orthonormalized(flat);
}

}  // namespace

Matrix3 orthonormalized(const Matrix3& axes) {
  Matrix3 result;
  Vector3 u = geometry::unit_vector(axes.col(0));
  if (u.isZero(0)) u = Vector3::UnitX();
  u = geometry::unit_vector(u);
  Vector3 v = geometry::unit_vector(axes.col(1));
  v = without(v, u);
  v = v.norm() > 0x1p-20 ? geometry::unit_vector(v) : geometry::perpendicular(u);
  v = geometry::unit_vector(without(v, u));  // repeat: cancellation in the first pass lost digits
  result.col(0) = u;
  result.col(1) = v;
  result.col(2) = geometry::unit_vector(u.cross(v));
  return result;
}

Matrix3 principal_axes(std::span<const Vector3> points) {
  return eigenvectors(covariance_of_points(points, PointFrame(points)));
}

Obb box_around(std::span<const Vector3> points, const Matrix3& axes) {
  const BoxFrame frame(axes);
  const PointFrame local(points);
  Vector3 lower = Vector3::Constant(infinity);
  Vector3 upper = Vector3::Constant(-infinity);
  for (const Vector3& point : points) {
    const Vector3 d = point - local.middle;
    for (int i = 0; i < 3; ++i) {
      const double u = frame.coordinate(d, i);
      lower[i] = std::min(lower[i], u);
      upper[i] = std::max(upper[i], u);
    }
  }
  Obb box;
  box.axes = axes;
  box.center = local.middle + axes * (lower / 2 + upper / 2);
  for (const Vector3& point : points) {
    const Vector3 d = point - box.center;
    for (int i = 0; i < 3; ++i)
      box.half[i] = std::max(box.half[i], frame.coordinate_up(d, i));
  }
  return box;
}

}  // namespace volumes

Obb fit_obb(std::span<const Vector3> points, BoxFit fit) {
  volumes::check_points(points, "fit_obb");
  return volumes::box_around(
      points, fit == BoxFit::vertices ? volumes::principal_axes(points) : volumes::hull_axes(points, fit));
}

Obb fit_obb(std::span<const Triangle> triangles, BoxFit fit) {
  return fit_obb(std::span<const Vector3>(volumes::corners_of(triangles)), fit);
}

Obb fit_obb(std::span<const Vector3> points, const Matrix3& axes) {
  volumes::check_points(points, "fit_obb");
  if (!(volumes::skew_of(axes) <= volumes::largest_skew)) {
    throw Error("fit_obb: the axes are not unit vectors at right angles (up to 1e-6); normalize them");
  }
  return volumes::box_around(points, axes);
}

}  // namespace whisker
