#include "clash/inside.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/geometry/volumes.hpp>
#include <whisker/mesh_queries.hpp>

namespace whisker::clash {
namespace {

// The tolerance of winding numbers, far smaller than the distance between the thresholds. For a small mesh, which is
// usually queried only a few times, all triangles are summed, because preparing it for approximation takes longer.
constexpr double tolerance = 0.02;
constexpr std::size_t small_mesh = 2048;

// Combines the evidence from the points of one piece.
class Votes {
 public:
  void add(Place place, const Bounds& winding, const char* why) {
    winding_ = count_++ == 0 ? winding : hull(winding_, winding);
    has_[static_cast<std::size_t>(place)] = true;
    if (place == Place::unclear) why_ = why;
  }
  // Whether no further point can change the result.
  bool is_settled() const { return has(Place::unclear) || (has(Place::inside) && has(Place::outside)); }
  Evidence result() const {
    if (count_ == 0) return {Place::unclear, {}, "it lies on the surface"};
    if (has(Place::unclear)) return {Place::unclear, winding_, why_};
    if (has(Place::inside) && has(Place::outside)) return {Place::unclear, winding_, "it reaches through an opening"};
    return {has(Place::inside) ? Place::inside : Place::outside, winding_, ""};
  }

 private:
  bool has(Place place) const { return has_[static_cast<std::size_t>(place)]; }

  std::array<bool, 3> has_{};
  Bounds winding_;
  const char* why_ = "";
  std::size_t count_ = 0;
};

}  // namespace

InsideJudge::InsideJudge(const Assembly& assembly)
    : assembly_(assembly), pieces_(std::make_unique<Pieces[]>(assembly.meshes.size())) {}

const std::vector<InsideJudge::Piece>& InsideJudge::pieces_of(std::uint32_t part) {
  const std::uint32_t number = assembly_.parts[part].mesh;
  Pieces& pieces = pieces_[number];
  std::call_once(pieces.once, [&] {
    const MeshData& data = assembly_.meshes[number].data;
    // Union-find over the triangles. Corners at the same position count as one.
    std::vector<std::uint32_t> parent = first_at_position(data.vertices);
    const auto root = [&](std::uint32_t v) {
      while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
      return v;
    };
    for (const Index3& t : data.triangles) {
      parent[root(t[1])] = root(t[0]);
      parent[root(t[2])] = root(t[0]);
    }
    std::unordered_map<std::uint32_t, std::size_t> numbers;
    for (const Index3& t : data.triangles) {
      const auto [entry, is_new] = numbers.try_emplace(root(t[0]), pieces.all.size());
      if (is_new) pieces.all.push_back({Aabb{}, std::vector<Vector3>(6, data.vertices[t[0]])});
      Piece& piece = pieces.all[entry->second];
      for (const std::uint32_t v : t) {
        const Vector3& at = data.vertices[v];
        piece.box.include(at);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const int k = static_cast<int>(axis);
          if (at[k] < piece.points[2 * axis][k]) piece.points[2 * axis] = at;
          if (at[k] > piece.points[2 * axis + 1][k]) piece.points[2 * axis + 1] = at;
        }
      }
    }
    const auto is_before = [](const Vector3& x, const Vector3& y) {
      return std::lexicographical_compare(x.data(), x.data() + 3, y.data(), y.data() + 3);
    };
    for (Piece& piece : pieces.all) {
      std::sort(piece.points.begin(), piece.points.end(), is_before);
      piece.points.erase(std::unique(piece.points.begin(), piece.points.end()), piece.points.end());
    }
  });
  return pieces.all;
}

bool InsideJudge::reaches(std::uint32_t inner, const Pose& inner_pose, std::uint32_t outer, const Pose& outer_pose) {
  const Aabb box = mesh_of(outer).shape.bounds();
  const Pose relative = compose(inverse(outer_pose), inner_pose);
  const std::vector<Piece>& pieces = pieces_of(inner);
  return std::ranges::any_of(pieces, [&](const Piece& piece) { return box.overlaps(place(relative, piece.box)); });
}

Evidence InsideJudge::look(std::uint32_t inner, const Pose& inner_pose, std::uint32_t outer, const Pose& outer_pose,
                           double on_surface) {
  const Shape& surface = mesh_of(outer).shape;
  const Aabb box = surface.bounds();
  const Pose to_outer = inverse(outer_pose);
  const Pose relative = compose(to_outer, inner_pose);
  const auto is_on_surface = [&](const Vector3& point) {
    return on_surface >= 0 &&
           closest_point({surface, outer_pose}, point, {.upper_bound = on_surface}).lower <= on_surface;
  };
  const double asked = mesh_of(outer).data.triangles.size() <= small_mesh ? 0 : tolerance;
  // A point outside of the surface's AABB is outside of the surface, whatever parts of it are missing.
  const auto vote = [&](const Vector3& point, Votes& votes) {
    if (!box.contains(place(to_outer, point))) return votes.add(Place::outside, {}, "");
    if (is_on_surface(point)) return;
    const WindingNumber found = winding_number({surface, outer_pose}, point, {.tolerance = asked});
    const Bounds winding{found.lower, found.upper};
    if (found.lower >= inside_from) {
      votes.add(Place::inside, winding, "");
    } else if (found.lower >= -outside_to && found.upper <= outside_to) {
      votes.add(Place::outside, winding, "");
    } else if (found.upper <= -inside_from) {
      votes.add(Place::unclear, winding, "the surface faces inward");
    } else {
      votes.add(Place::unclear, winding, "too much of the surface is missing there, or reversed");
    }
  };
  Evidence whole;
  for (const Piece& piece : pieces_of(inner)) {
    if (!box.overlaps(place(relative, piece.box))) continue;
    Votes votes;
    bool is_wholly_in_box = true;
    for (const Vector3& vertex : piece.points) {
      const Vector3 point = place(inner_pose, vertex);
      is_wholly_in_box = is_wholly_in_box && box.contains(place(to_outer, point));
      vote(point, votes);
      if (votes.is_settled()) break;
    }
    // For a piece that sticks out of the box, perhaps on all sides, also tests its point nearest to the box's center.
    if (!is_wholly_in_box && !votes.is_settled()) {
      const Vector3 middle = place(outer_pose, box.lower / 2 + box.upper / 2);
      vote(closest_point({mesh_of(inner).shape, inner_pose}, middle).point_a, votes);
    }
    const Evidence found = votes.result();
    if (found.place == Place::inside) return found;
    if (found.place == Place::unclear && whole.place != Place::unclear) whole = found;
    if (whole.place == Place::outside) whole.winding = hull(whole.winding, found.winding);
  }
  return whole;
}

}  // namespace whisker::clash
