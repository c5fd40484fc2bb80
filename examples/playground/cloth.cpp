#include "playground/cloth.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <whisker/error.hpp>
#include <whisker/self_contacts.hpp>

namespace playground {
namespace {

namespace wk = whisker;

/// The number of corners of the first of two features, which have four corners in total.
std::size_t corners_of_first(wk::FeatureHitKind kind) {
  switch (kind) {
    case wk::FeatureHitKind::vertex_face:
      return 1;
    case wk::FeatureHitKind::edge_edge:
      return 2;
    case wk::FeatureHitKind::face_vertex:
      return 3;
  }
  return 0;
}

/// The corners of a vertex, edge or triangle: one, two or three.
std::span<const std::uint32_t> vertices_of(const wk::DeformingMesh& mesh, const std::uint32_t& feature,
                                           std::size_t corners) {
  if (corners == 1) return {&feature, 1};
  if (corners == 2) return mesh.edges()[feature];
  return mesh.triangles()[feature];
}

}  // namespace

Cloth::Cloth(wk::MeshData sheet, wk::MeshData obstacle, const ClothOptions& options)
    : options_(options), sheet_(std::move(sheet)), obstacle_(std::move(obstacle)) {
  const std::span<const wk::Vector3> vertices = sheet_.end();
  start_.assign(vertices.begin(), vertices.end());
  next_ = start_;
  velocity_.assign(start_.size(), wk::Vector3::Zero());
  share_of_way_.resize(start_.size());

  // The corners opposite each edge: two, unless the edge is on the border.
  std::map<wk::Index2, std::vector<std::uint32_t>> across;
  for (const wk::Index3& t : sheet_.triangles()) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3];
      across[{std::min(a, b), std::max(a, b)}].push_back(t[(k + 2) % 3]);
    }
  }
  const auto length = [&](std::uint32_t a, std::uint32_t b) { return (start_[a] - start_[b]).norm(); };
  for (const auto& [edge, corners] : across) {
    // The diagonal of a square, which is longer than its sides, is as soft as the other diagonal: cloth shears easily.
    const double own = length(edge[0], edge[1]);
    bool is_diagonal = corners.size() == 2;
    for (const std::uint32_t corner : corners)
      is_diagonal = is_diagonal && own > 1.2 * std::max(length(edge[0], corner), length(edge[1], corner));
    links_.push_back({edge, own, is_diagonal ? options.shear : 1});
    if (corners.size() == 2) {
      links_.push_back(
          {{corners[0], corners[1]}, length(corners[0], corners[1]), is_diagonal ? options.shear : options.bend});
    }
  }
  if (touching() > 0) throw wk::Error("the sheet touches itself or the obstacle before it moves: separate them first");
}

std::size_t Cloth::touching() const {
  const std::array<const wk::DeformingMesh*, 2> meshes = {&sheet_, &obstacle_};
  wk::MeshesContacts found;
  wk::triangle_contacts(meshes, found);
  return found.pairs.size() + found.adjacent.size();
}

std::vector<std::uint32_t> Cloth::near_vertices() const {
  const double reach = 1.1 * options_.thickness;
  std::set<std::uint32_t> vertices;
  const auto add = [&](const wk::NearFeatures& near, bool is_obstacle) {
    for (const wk::NearPair& pair : near.pairs) {
      const std::size_t of_first = corners_of_first(pair.kind);
      for (std::size_t k = 0; k < (is_obstacle ? of_first : 4); ++k) {
        if ((k < of_first ? pair.weights_a[k] : pair.weights_b[k - of_first]) > 0) vertices.insert(pair.vertices[k]);
      }
    }
  };
  add(wk::near_features(sheet_, obstacle_, reach, {.merge = true}), true);
  add(wk::near_features(sheet_, reach, {.merge = true}), false);
  return {vertices.begin(), vertices.end()};
}

double Cloth::fastest() const {
  double most = 0;
  for (const wk::Vector3& v : velocity_)
    most = std::max(most, v.norm());
  return most;
}

double Cloth::longest_stretch() const {
  double most = 0;
  for (const Link& link : links_) {
    if (link.stiffness == 1) most = std::max(most, (next_[link.ends[0]] - next_[link.ends[1]]).norm() / link.length);
  }
  return most;
}

void Cloth::add_holds(const wk::NearFeatures& near, bool is_obstacle) {
  for (const wk::NearPair& pair : near.pairs) {
    Hold hold{.vertices = pair.vertices,
              .shares = {},
              .normal = pair.normal,
              .fixed = wk::Vector3::Zero(),
              .at_start = pair.distance * pair.normal,
              // Features that are too close are released gradually, so that they do not shoot out.
              .least = std::min(options_.thickness, pair.distance + 0.1 * options_.thickness),
              .weight = 0};
    const std::size_t of_first = corners_of_first(pair.kind);
    for (std::size_t k = 0; k < 4; ++k) {
      const double weight = k < of_first ? -pair.weights_a[k] : pair.weights_b[k - of_first];
      if (k >= of_first && is_obstacle) {
        hold.fixed += weight * obstacle_.end()[pair.vertices[k]];
        hold.vertices[k] = 0;  // has no share
      } else {
        hold.shares[k] = weight;
        hold.weight += weight * weight;
      }
    }
    holds_.push_back(hold);
  }
}

void Cloth::keep_lengths() {
  for (const Link& link : links_) {
    wk::Vector3& a = next_[link.ends[0]];
    wk::Vector3& b = next_[link.ends[1]];
    const wk::Vector3 way = b - a;
    const double length = way.norm();
    if (length == 0) continue;
    const wk::Vector3 half = 0.5 * link.stiffness * (1 - link.length / length) * way;
    a += half;
    b -= half;
  }
}

void Cloth::keep_apart() {
  const auto way = [&](const Hold& hold) {
    wk::Vector3 sum = hold.fixed;
    for (std::size_t k = 0; k < 4; ++k)
      sum += hold.shares[k] * next_[hold.vertices[k]];
    return sum;
  };
  const auto push = [&](const Hold& hold, const wk::Vector3& by) {
    for (std::size_t k = 0; k < 4; ++k)
      next_[hold.vertices[k]] += hold.shares[k] / hold.weight * by;
  };
  for (const Hold& hold : holds_) {
    const double lacking = hold.least - way(hold).dot(hold.normal);
    if (lacking <= 0) continue;
    push(hold, lacking * hold.normal);
    // Coulomb friction: sliding is reduced by at most the friction coefficient times the normal correction.
    const wk::Vector3 moved = way(hold) - hold.at_start;
    const wk::Vector3 sliding = moved - moved.dot(hold.normal) * hold.normal;
    const double length = sliding.norm();
    if (length > 0) push(hold, -std::min(1.0, options_.friction * lacking / length) * sliding);
  }
}

void Cloth::stop_before_contact(ClothStep& report) {
  // Nothing touches at the start, so staying in place is always collision-free. Vertices that would touch something are
  // held back, then round by round the vertices that would run into those. If that does not terminate, nothing moves.
  constexpr std::size_t max_rounds = 40;
  std::ranges::fill(share_of_way_, 1.0);
  const std::vector<wk::Vector3> wanted = next_;
  for (report.rounds = 1; report.rounds <= max_rounds; ++report.rounds) {
    sheet_.set_step(start_, next_);
    const wk::FirstContacts<wk::FeatureHit> with_obstacle = wk::first_contacts(sheet_, obstacle_);
    const wk::FirstContacts<wk::FeatureHit> with_itself = wk::first_contacts(sheet_);
    if (with_obstacle.hits.empty() && with_itself.hits.empty()) return;
    report.stopped += with_obstacle.hits.size() + with_itself.hits.size();

    const auto hold_back = [&](std::uint32_t feature, std::size_t corners) {
      for (const std::uint32_t vertex : vertices_of(sheet_, feature, corners))
        share_of_way_[vertex] = report.rounds > max_rounds / 2 ? 0 : 0.5 * share_of_way_[vertex];
    };
    for (const wk::FeatureHit& hit : with_obstacle.hits)
      hold_back(hit.a, corners_of_first(hit.kind));
    for (const wk::FeatureHit& hit : with_itself.hits) {
      hold_back(hit.a, corners_of_first(hit.kind));
      hold_back(hit.b, 4 - corners_of_first(hit.kind));
    }
    for (std::size_t i = 0; i < next_.size(); ++i)
      next_[i] = start_[i] + share_of_way_[i] * (wanted[i] - start_[i]);
  }
  next_ = start_;
  sheet_.set_step(start_, next_);
}

ClothStep Cloth::step(double seconds) {
  ClothStep report;
  start_ = next_;
  const double kept = std::max(0.0, 1 - options_.damping * seconds);
  double longest_way = 0;
  for (std::size_t i = 0; i < next_.size(); ++i) {
    velocity_[i].z() -= seconds * options_.gravity;
    velocity_[i] *= kept;
    next_[i] += seconds * velocity_[i];
    longest_way = std::max(longest_way, (next_[i] - start_[i]).norm());
  }

  // Features that may come too close within the step. The reach is at most twice the thickness, so that neighbors in
  // the sheet are excluded. Features that come from farther away are stopped on their way.
  holds_.clear();
  const double reach = options_.thickness + std::min(2 * longest_way, options_.thickness);
  sheet_.set_step(start_, start_);
  wk::near_features(sheet_, obstacle_, reach, {.merge = true}, near_);
  add_holds(near_, true);
  report.near_obstacle = near_.pairs.size();
  wk::near_features(sheet_, reach, {.merge = true}, near_);
  add_holds(near_, false);
  report.near_itself = near_.pairs.size();

  for (int sweep = 0; sweep < options_.sweeps; ++sweep) {
    keep_lengths();
    keep_apart();
  }
  stop_before_contact(report);
  for (std::size_t i = 0; i < next_.size(); ++i)
    velocity_[i] = (next_[i] - start_[i]) / seconds;
  return report;
}

}  // namespace playground
