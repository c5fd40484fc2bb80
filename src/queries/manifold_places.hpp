#pragma once

// From single contact points to contact manifolds: points of a region with nearly equal normals form a place, a place
// is reduced to a few points, and points keep their names from one query to the next.

#include <cstdint>
#include <span>
#include <vector>

#include <whisker/contact_manifold.hpp>

namespace whisker::queries {

/// One point of contact between two features. World frame.
struct ContactPoint {
  Vector3 a = Vector3::Zero();
  Vector3 b = Vector3::Zero();
  Vector3 normal = Vector3::Zero();  ///< From a to b, a unit vector.
  double gap = 0;                    ///< normal · (b - a)
  std::uint64_t id = 0;
  Feature feature_a = {};
  Feature feature_b = {};
  std::uint32_t region = 0;  ///< Only points of one region form a place.
};

struct PlaceOptions {
  double max_angle = 0;   ///< Normals that differ by at most this belong to one place.
  double weld = 0;        ///< Points that are closer together than this are one.
  double rounding = 0;    ///< How far a gap may be off.
  double open_angle = 0;  ///< The same as max_angle, for points that do not touch yet, if it is larger.
};

/// A point in the plane of a place.
struct FlatPoint {
  double x, y;
  std::uint32_t index;  ///< of a contact point
};

/// Memory for weld_points(), to use again.
struct WeldGrid {
  std::vector<std::uint32_t> first, next;
};

/// Leaves the points that are farther than `weld` from every one before them that is left. Takes time in proportion to
/// their number.
void weld_points(std::vector<FlatPoint>& flat, double weld, WeldGrid& grid);

/// Joins the points to manifolds, which are added to `manifolds`, the deepest first.
void join_points(std::span<const ContactPoint> points, const PlaceOptions& options,
                 std::vector<ContactManifold>& manifolds);

/// Gives the points of all manifolds of a pair the ids of the nearest points of the last query, or new ids, and
/// remembers them in `after`. A point that is farther than `reach` from an earlier one, in the frame of either shape,
/// does not get its id.
void keep_names(std::span<ContactManifold> manifolds, const Pose& pose_a, const Pose& pose_b, double reach,
                std::span<const ManifoldMemory::Point> before, std::uint64_t& next_id,
                std::vector<ManifoldMemory::Point>& after);

/// Ids that occur more than once among the manifolds of a pair become different.
void make_ids_unique(std::span<ContactManifold> manifolds);

/// How far a point of two shapes may move and keep its name: 2 % of the size of the smaller one.
double name_reach(const Shape& a, const Shape& b);

/// Exchanges the two shapes of a manifold.
void exchange(ContactManifold& manifold);

}  // namespace whisker::queries
