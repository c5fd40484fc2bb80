#include <string>

#include <whisker/error.hpp>
#include <whisker/geometry/wheel.hpp>
#include <whisker/height_field.hpp>
#include <whisker/ray.hpp>

namespace whisker {

void wheel_contacts(const HeightField& terrain, std::span<const Vector3> centers, const Vector3& down,
                    std::span<WheelContact> contacts) {
  wheel_contacts(terrain, {}, centers, down, contacts);
}

void wheel_contacts(const HeightField& terrain, const Pose& pose, std::span<const Vector3> centers, const Vector3& down,
                    std::span<WheelContact> contacts) {
  if (contacts.size() != centers.size()) {
    throw Error("wheels: " + std::to_string(centers.size()) + " centers, but the span for the contacts has size " +
                std::to_string(contacts.size()) + "; give spans of the same size");
  }
  if (!down.allFinite() || down == Vector3::Zero()) {
    throw Error("wheels: the direction `down` must be finite and not zero");
  }
  for (std::size_t i = 0; i < centers.size(); ++i) {
    if (!centers[i].allFinite()) throw Error("wheels: center " + std::to_string(i) + " is NaN or infinite");
  }
  for (std::size_t i = 0; i < centers.size(); ++i) {
    WheelContact& contact = contacts[i];
    contact = {};
    const auto take = [&](const RayHit& hit, double sign) {
      contact.found = true;
      contact.t = sign * hit.t;
      contact.t_lower = sign > 0 ? hit.t_lower : -hit.t_upper;
      contact.t_upper = sign > 0 ? hit.t_upper : -hit.t_lower;
      contact.point = hit.point;
      contact.normal = hit.normal.dot(down) > 0 ? Vector3(-hit.normal) : hit.normal;
    };
    RayRange range;
    if (const auto below = ray_height_field({centers[i], down}, terrain, pose, range)) {
      take(*below, 1);
      range.upper = below->t;
    }
    const auto above = ray_height_field({centers[i], -down}, terrain, pose, range);
    if (above && (!contact.found || above->t < contact.t)) take(*above, -1);
  }
}

}  // namespace whisker
