#include "playground/soft_balls.hpp"

#include <algorithm>
#include <array>

#include <Eigen/Geometry>

namespace playground {
namespace {

namespace wk = whisker;

double six_volumes(const wk::Index4& t, std::span<const wk::Vector3> at) {
  return (at[t[1]] - at[t[0]]).cross(at[t[2]] - at[t[0]]).dot(at[t[3]] - at[t[0]]);
}

}  // namespace

SoftBalls::SoftBalls(const SoftBallOptions& options) : options_(options) {
  const wk::TetrahedralMesh ball(
      wk::make::tetrahedral_ball({.radius = options.radius, .subdivisions = options.subdivisions}));
  bodies_ = {ball, ball};
  rest_.assign(ball.vertices().begin(), ball.vertices().end());
  for (const wk::Vector3& v : rest_)
    is_core_.push_back(v.norm() <= options.core * options.radius);
  for (const wk::Index2& edge : ball.edges())
    edges_.push_back({edge, (rest_[edge[0]] - rest_[edge[1]]).norm()});
  for (const wk::Index4& t : ball.tetrahedra())
    volumes_.push_back(six_volumes(t, rest_));
  at_ = {rest_, rest_};
}

void SoftBalls::place(const wk::Vector3& first, const wk::Vector3& second) {
  middles_ = {first, second};
  for (std::size_t ball = 0; ball < 2; ++ball) {
    for (std::size_t i = 0; i < rest_.size(); ++i)
      at_[ball][i] = middles_[ball] + rest_[i];
  }
  is_round_ = true;
  look();
}

void SoftBalls::move(const wk::Vector3& first, const wk::Vector3& second) {
  const std::array<wk::Vector3, 2> middles = {first, second};
  for (std::size_t ball = 0; ball < 2; ++ball) {
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      // Core vertices keep their exact positions in the ball.
      at_[ball][i] = is_core_[i] ? wk::Vector3(middles[ball] + rest_[i])
                                 : wk::Vector3(at_[ball][i] + (middles[ball] - middles_[ball]));
    }
  }
  middles_ = middles;
  look();
}

void SoftBalls::keep_shape(std::vector<wk::Vector3>& at) const {
  const auto push = [&](std::uint32_t vertex, const wk::Vector3& by) {
    if (!is_core_[vertex]) at[vertex] += by;
  };
  for (const Edge& edge : edges_) {
    const wk::Vector3 way = at[edge.ends[1]] - at[edge.ends[0]];
    const double length = way.norm();
    if (length == 0) continue;
    const wk::Vector3 half = 0.5 * options_.edge * (1 - edge.length / length) * way;
    push(edge.ends[0], half);
    push(edge.ends[1], -half);
  }
  const std::span<const wk::Index4> tetrahedra = bodies_[0].tetrahedra();
  for (std::size_t i = 0; i < tetrahedra.size(); ++i) {
    // The gradient of the volume for each corner is the area of the opposite face.
    const wk::Index4& t = tetrahedra[i];
    const wk::Vector3 b = at[t[1]] - at[t[0]], c = at[t[2]] - at[t[0]], d = at[t[3]] - at[t[0]];
    std::array<wk::Vector3, 4> gradient = {wk::Vector3::Zero(), c.cross(d), d.cross(b), b.cross(c)};
    gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
    double sum = 0;
    for (const wk::Vector3& g : gradient)
      sum += g.squaredNorm();
    if (sum == 0) continue;
    const double share = options_.volume * (volumes_[i] - b.cross(c).dot(d)) / sum;
    for (std::size_t k = 0; k < 4; ++k)
      push(t[k], share * gradient[k]);
  }
}

void SoftBalls::look() {
  for (std::size_t ball = 0; ball < 2; ++ball)
    bodies_[ball].set_vertices(at_[ball]);
  finder_.find(bodies_, {.self = false}, contacts_);
  depth_finder_.find(bodies_, contacts_, depths_);
}

void SoftBalls::settle(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    if (is_round_ && contacts_.empty()) return;  // they are in balance
    is_round_ = false;
    for (const wk::VertexDepth& d : depths_) {
      if (!is_core_[d.vertex]) at_[d.mesh][d.vertex] += options_.push * d.depth * d.normal;
    }
    keep_shape(at_[0]);
    keep_shape(at_[1]);
    look();
  }
}

double SoftBalls::deepest() const {
  double most = 0;
  for (const wk::VertexDepth& d : depths_)
    most = std::max(most, d.depth);
  return most;
}

}  // namespace playground
