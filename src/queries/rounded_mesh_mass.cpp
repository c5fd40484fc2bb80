// The mass of all points within a radius r of a mesh, by an octree of cubes.
//
// Each cube has the list of the triangles that may be the closest to one of its points, or within r of one. A cube is
// inside if the farthest of its points is within r of some triangle, or if it does not meet the surface and its center
// is in the solid. A cube without triangles is outside otherwise. For any other cube, two parallel planes are found:
// all points of it below the first one are inside, and all points above the second one are outside. The cubes with the
// largest volume between the two, or the largest volume inside, are divided.
//
// **Planes from distances.** Let p be the point of the surface that is closest to the center c, d its distance, and
// g = (c - p)/d. If |x - c| <= ρ, then |x - p|² <= d² + 2 d g·(x - c) + ρ², so x is inside if g·(x - c) is at most
// (r² - d² - ρ²) / 2d. Where all of the cube is straight above the triangle of p, the distance is the height above its
// plane. A point within r of triangle i satisfies g_i·(x - c) <= r + b_i for any unit vector g_i, where b_i is the
// largest g_i·(v - c) of its corners v, and so g·(x - c) <= r + b_i + (g - g_i)·(x - c).
//
// **Planes from normals**, where the cube meets the surface of a solid. Let n be a unit vector, and let the normals of
// all triangles that meet the ball of radius R = d + 2ρ about c be at most β < 90° from n. The closest point q of the
// surface to a point x of the cube is in this ball. Along n, every triangle is passed from its inner to its outer side,
// so that the winding number goes down; if it is 0 above all triangles, it is not negative below. So the directions
// less than 90° - β from -n lead from q into the solid. If x is outside of the solid, x - q is therefore at most β from
// n, and n·(x - q) >= |x - q| cos β: x is inside if n·x <= min n·q + r cos β. If x is in the solid or at most r from
// it, n·x <= max n·q + r.
//
// Both show volumes with errors that are, in sum over all cubes, proportional to the square of their size.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <whisker/error.hpp>

#include "geometry/constants.hpp"
#include "mesh/containment.hpp"
#include "mesh/mesh_queries.hpp"
#include "queries/general_mass.hpp"
#include "shapes/mass_arithmetic.hpp"

namespace whisker::queries {
namespace {

using shapes::IntervalSum;
using shapes::MassBody;

/// All lengths are in a unit in which all points of the shape have coordinates of at most 1. The roundings of sums of a
/// few products of numbers of at most 4 are less than this.
constexpr double octree_slack = 0x1p-44;

struct OctreeFace {
  std::array<Vector3, 3> corner;
  Vector3 normal = Vector3::Zero();
  double normal_error = 1;  ///< how far the normal may be off
};

/// A point of the triangle, up to rounding, that is closest to c (C. Ericson, "Real-time collision detection", 2005,
/// section 5.1.5). Only how tight the bounds are depends on its being the closest.
Vector3 closest_on_face(const OctreeFace& face, const Vector3& c) {
  const Vector3& a = face.corner[0];
  const Vector3 ab = face.corner[1] - a, ac = face.corner[2] - a;
  const auto point = [&](double v, double w) -> Vector3 {
    if (!(v >= 0 && w >= 0 && v + w <= 1 + 0x1p-50)) return a;  // also NaN
    return a + v * ab + w * ac;
  };
  const Vector3 ap = c - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const Vector3 bp = c - face.corner[1];
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return face.corner[1];
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return point(d1 / (d1 - d3), 0);
  const Vector3 cp = c - face.corner[2];
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return face.corner[2];
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return point(0, d2 / (d2 - d6));
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return point(1 - w, w);
  }
  const double sum = va + vb + vc;
  return point(vb / sum, vc / sum);
}

/// The share of the cube |x_k| <= half with g·x <= s, for a unit vector g: at most that (side = -1), or at least
/// (side = +1).
double share_below(const Vector3& g, double half, double s, int side) {
  Vector3 a = g.cwiseAbs();
  const double largest = a.maxCoeff();
  a /= largest;
  double t = s / (half * largest);
  // With components that are not too small, the formula loses few digits. The plane is moved to the safe side.
  constexpr double least = 0x1p-12;
  for (int k = 0; k < 3; ++k) {
    if (a[k] >= least) continue;
    t += side * (least - a[k]);
    a[k] = least;
  }
  t += side * 0x1p-40;
  const double all = a.sum();
  if (t <= -all) return 0;
  if (t >= all) return 1;
  // The volume is a sum over the corners, of third powers (R. Barrow, P. Smith, "Spline notation applied to a volume
  // problem", 1979). Each of the eight terms is at most 216, and the divisor at least 2^-19: the error is below 1e-6.
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double from = t;
    int sign = 1;
    for (int k = 0; k < 3; ++k) {
      const bool upper = (corner >> k & 1) != 0;
      from += upper ? -a[k] : a[k];
      if (upper) sign = -sign;
    }
    if (from > 0) sum += sign * from * from * from;
  }
  return std::clamp(sum / (48 * a[0] * a[1] * a[2]) + side * 1e-6, 0.0, 1.0);
}

struct OctreeCube {
  Vector3 center = Vector3::Zero();
  double half = 0;
  bool is_off_surface = false;  ///< it does not meet the surface, and is not in the solid
  double lower = 0;             ///< bounds on the volume inside
  double upper = 0;
  std::vector<std::uint32_t> faces;

  double gap() const { return upper - lower; }
  /// How far the first moments may be off, because the part that is inside may be anywhere in the cube.
  double spread() const { return upper * half; }
};

class MeshOctree {
 public:
  MeshOctree(const Mesh& mesh, double radius, const MassOptions& options) : mesh_(mesh), options_(options) {
    const Aabb bounds = mesh.bounds();
    origin_ = bounds.lower / 2 + bounds.upper / 2;
    // A power of two, so that scaling is exact, and a margin for roundings.
    const double reach = (bounds.upper - origin_).cwiseMax(origin_ - bounds.lower).maxCoeff() * (1 + 0x1p-40) + radius;
    exponent_ = std::ilogb(reach) + 1;
    unit_ = std::ldexp(1.0, -exponent_);
    radius_ = radius * unit_;
    // The smallest cubes that differ from a point in the mesh's own coordinates.
    least_half_ = 0x1p-40 * std::max(1.0, origin_.cwiseAbs().maxCoeff() * unit_);
    for (const Index3& t : mesh.triangles()) {
      OctreeFace face;
      for (std::size_t i = 0; i < 3; ++i)
        face.corner[i] = (mesh.vertices()[t[i]] - origin_) * unit_;
      const Vector3 ab = face.corner[1] - face.corner[0], ac = face.corner[2] - face.corner[0];
      const Vector3 cross = ab.cross(ac);
      const double length = cross.norm();
      const double error = 0x1p-48 * (ab.norm() + 0x1p-40) * (ac.norm() + 0x1p-40);
      if (error < 1e-3 * length) {
        face.normal = cross / length;
        face.normal_error = error / length * 2 + 0x1p-48;
      }
      faces_.push_back(face);
    }
  }

  MassBody body() {
    OctreeCube root;
    root.half = 1;
    for (std::uint32_t i = 0; i < faces_.size(); ++i)
      root.faces.push_back(i);
    place(std::move(root));
    std::size_t cubes = 1;
    const auto is_tight = [&] { return std::max(gap_, spread_) <= options_.tolerance * (done_volume_ + open_lower_); };
    while (!open_.empty() && !is_tight() && cubes < options_.max_steps) {
      std::pop_heap(open_.begin(), open_.end(), less);
      const OctreeCube cube = std::move(open_.back());
      open_.pop_back();
      gap_ -= cube.gap();
      spread_ -= cube.spread();
      open_lower_ -= cube.lower;
      for (int code = 0; code < 8; ++code) {
        OctreeCube child;
        child.half = cube.half / 2;
        for (int k = 0; k < 3; ++k)
          child.center[k] = cube.center[k] + ((code >> k & 1) != 0 ? child.half : -child.half);
        child.is_off_surface = cube.is_off_surface;
        child.faces = cube.faces;
        place(std::move(child));
        ++cubes;
      }
    }
    for (const OctreeCube& cube : open_)
      add_between(cube);
    if (!(volume_.value().lower > 0)) {
      throw Error("its volume is not proven to be positive after " + std::to_string(cubes) +
                  " cubes: the radius is very small (allow more, MassOptions::max_steps)");
    }
    return result();
  }

 private:
  static bool less(const OctreeCube& a, const OctreeCube& b) {
    const double doubt_a = a.gap() + a.spread(), doubt_b = b.gap() + b.spread();
    if (doubt_a != doubt_b) return doubt_a < doubt_b;
    return std::lexicographical_compare(a.center.data(), a.center.data() + 3, b.center.data(), b.center.data() + 3);
  }

  bool is_in_solid(const Vector3& at) const { return mesh::is_inside({mesh_, own_frame_}, origin_ + at / unit_); }

  /// What is known of one triangle and the center of a cube.
  struct NearFace {
    std::uint32_t face;
    Vector3 point;
    Vector3 from;   ///< the unit vector g_i from the point to the center; any if they coincide
    double beyond;  ///< b_i: all corners are at most this far along g_i from the center
    double lower() const { return std::max(0.0, -beyond - octree_slack); }  ///< the distance is at least this
  };

  /// Decides about a cube: adds it to the result, forgets it or keeps it for later.
  void place(OctreeCube cube) {
    const Vector3& c = cube.center;
    const double rho = cube.half * std::sqrt(3.0) * (1 + 0x1p-50);
    near_.clear();
    std::size_t nearest = 0;
    double distance = infinity;  // of the nearest point
    for (const std::uint32_t i : cube.faces) {
      NearFace near;
      near.face = i;
      near.point = closest_on_face(faces_[i], c);
      const Vector3 back = c - near.point;
      const double length = back.norm();
      near.from = length > 0 ? Vector3(back / length) : Vector3(0, 0, 1);
      near.beyond = -infinity;
      for (const Vector3& v : faces_[i].corner)
        near.beyond = std::max(near.beyond, near.from.dot(v - c));
      if (length < distance) {
        distance = length;
        nearest = near_.size();
      }
      near_.push_back(near);
    }
    if (near_.empty()) return;  // nothing is within the radius
    if (distance + rho + octree_slack <= radius_) return add_inside(cube);

    double surface = infinity;  // a lower bound on the distance of the surface from the center
    for (const NearFace& near : near_)
      surface = std::min(surface, near.lower());
    if (surface > rho + octree_slack && !cube.is_off_surface) {
      if (mesh_.is_solid() && is_in_solid(c)) return add_inside(cube);
      cube.is_off_surface = true;
    }
    // A surface that the cube does not meet matters only within the radius. Otherwise the closest triangles tell on
    // which side of it a point is, however far away they are.
    double limit = distance + 2 * rho + 2 * octree_slack;
    if (cube.is_off_surface || !mesh_.is_solid()) limit = std::min(limit, radius_ + rho + octree_slack);
    const NearFace first = near_[nearest];
    const auto is_far = [&](const NearFace& near) { return near.lower() > limit; };
    near_.erase(std::remove_if(near_.begin(), near_.end(), is_far), near_.end());
    if (near_.empty()) return;

    const double volume = 8 * cube.half * cube.half * cube.half;
    double in = 0, out = 1;
    if (cube.is_off_surface || !mesh_.is_solid()) {
      double last = -infinity;
      for (const NearFace& near : near_)
        last = std::max(last, near.beyond + (first.from - near.from).cwiseAbs().sum() * cube.half);
      out = share_below(first.from, cube.half, radius_ + last + octree_slack, 1);
    } else {
      cut_by_normals(cube, first, distance, rho, in, out);
    }
    const double d = distance + octree_slack, r = std::max(0.0, radius_ - 4 * octree_slack);
    in = std::max(in, share_below(first.from, cube.half, (r * r - d * d - rho * rho) / (2 * d) - 2 * octree_slack, -1));
    in = std::max(in, share_above_face(cube, first, distance, rho));
    if (out == 0) return;
    cube.lower = in * volume;
    cube.upper = out * volume;
    cube.faces.clear();
    for (const NearFace& near : near_)
      cube.faces.push_back(near.face);
    if (cube.half < least_half_) return add_between(cube);
    gap_ += cube.gap();
    spread_ += cube.spread();
    open_lower_ += cube.lower;
    open_.push_back(std::move(cube));
    std::push_heap(open_.begin(), open_.end(), less);
  }

  /// At most the share of a cube that is within the radius of its closest triangle, if all points of the cube are
  /// straight above or below the triangle; otherwise 0.
  double share_above_face(const OctreeCube& cube, const NearFace& near, double distance, double rho) const {
    const OctreeFace& face = faces_[near.face];
    if (face.normal_error > 1e-3 || rho > distance + radius_) return 0;
    const double error = 4 * octree_slack + 2 * face.normal_error * (distance + rho);
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3& a = face.corner[i];
      const Vector3 along = face.corner[(i + 1) % 3] - a;
      const double inward = along.cross(near.point - a).dot(face.normal);
      if (!(inward > (rho + error + octree_slack / std::max(along.norm(), octree_slack)) * along.norm())) return 0;
    }
    const double height = face.normal.dot(cube.center - near.point);
    const Vector3 up = height < 0 ? Vector3(-face.normal) : face.normal;
    return share_below(up, cube.half, radius_ - std::abs(height) - error, -1);
  }

  void cut_by_normals(const OctreeCube& cube, const NearFace& first, double distance, double rho, double& in,
                      double& out) const {
    const OctreeFace& face = faces_[first.face];
    const Vector3& c = cube.center;
    const Vector3& n = face.normal;
    const double reach = distance + 2 * rho + 2 * octree_slack;
    double cosine = 1, sine = 0, least = infinity, most = -infinity;
    for (const NearFace& near : near_) {
      const OctreeFace& other = faces_[near.face];
      const double error = face.normal_error + other.normal_error;
      if (error > 0.5) return;
      const double turn = std::min(1.0, n.cross(other.normal).norm() + error);
      cosine = std::min(cosine, n.dot(other.normal) - error);
      sine = std::max(sine, turn);
      double low = infinity, high = -infinity;  // of the corners
      for (const Vector3& v : other.corner) {
        low = std::min(low, n.dot(v - c));
        high = std::max(high, n.dot(v - c));
      }
      const double at = n.dot(near.point - c);
      least = std::min(least, std::max(low, at - 2 * reach * turn));
      most = std::max(most, std::min(high, at + 2 * reach * turn));
    }
    if (!(cosine > 0.1)) return;
    least -= 2 * octree_slack;
    most += 2 * octree_slack;
    // Straight above each closest point, the ball reaches higher than all triangles. The winding number there is known
    // from one point.
    const double aside = rho + (distance + rho) * sine + octree_slack;
    if (!(most >= 0 ? aside * aside + most * most < reach * reach * (1 - 0x1p-40) : aside < reach)) return;
    if (is_in_solid(c + n * ((std::max(most, 0.0) + reach) / 2))) return;
    out = share_below(n, cube.half, most + radius_ + octree_slack, 1);
    in = share_below(n, cube.half, least + radius_ * cosine - octree_slack, -1);
  }

  void add_inside(const OctreeCube& cube) {
    const double volume = 8 * cube.half * cube.half * cube.half;
    done_volume_ += volume;
    volume_ += volume;
    for (std::size_t k = 0; k < 3; ++k) {
      const Interval x = cube.center[static_cast<int>(k)];
      first_[k] += volume * x;
      for (std::size_t l = k; l < 3; ++l) {
        const Interval y = cube.center[static_cast<int>(l)];
        second_[3 * k + l] += Interval(volume) * (x * y + (k == l ? square(Interval(cube.half)) / 3 : Interval(0)));
      }
    }
  }
  void add_between(const OctreeCube& cube) {
    const Interval volume(cube.lower, cube.upper);
    volume_ += volume;
    const auto range = [&](std::size_t k) {
      const double x = cube.center[static_cast<int>(k)];
      return Interval(x - cube.half, x + cube.half);
    };
    for (std::size_t k = 0; k < 3; ++k) {
      first_[k] += volume * range(k);
      for (std::size_t l = k; l < 3; ++l)
        second_[3 * k + l] += volume * (k == l ? square(range(k)) : range(k) * range(l));
    }
  }

  MassBody result() const {
    MassBody body;
    const Interval volume = volume_.value();
    body.volume = shapes::times_power(volume, 3 * exponent_);
    body.origin = origin_;
    IntervalVector3 center;
    for (std::size_t k = 0; k < 3; ++k) {
      center[k] = first_[k].value() / volume;
      body.offset[k] = shapes::times_power(center[k], exponent_);
    }
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = k; l < 3; ++l) {
        const Interval shift = k == l ? square(center[k]) : center[k] * center[l];
        Interval spread = second_[3 * k + l].value() / volume - shift;
        if (k == l) spread.lower = std::max(spread.lower, 0.0);
        body.covariance(k, l) = body.covariance(l, k) = shapes::times_power(spread, 2 * exponent_);
      }
    return body;
  }

  const Mesh& mesh_;
  const MassOptions& options_;
  const Pose own_frame_;
  Vector3 origin_ = Vector3::Zero();
  int exponent_ = 0;
  double unit_ = 1;
  double radius_ = 0;
  double least_half_ = 0;
  std::vector<OctreeFace> faces_;
  std::vector<NearFace> near_;
  std::vector<OctreeCube> open_;  // a heap: the most uncertain first
  // For the decision when to stop. Roundings do not matter.
  double gap_ = 0, spread_ = 0, open_lower_ = 0, done_volume_ = 0;
  IntervalSum volume_;
  std::array<IntervalSum, 3> first_;
  std::array<IntervalSum, 9> second_;
};

}  // namespace

MassBody rounded_mesh_body(const Mesh& mesh, double radius, const MassOptions& options) {
  return MeshOctree(mesh, radius, options).body();
}

}  // namespace whisker::queries
