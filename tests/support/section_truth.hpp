#pragma once

// What the section of a mesh by a plane must consist of, found from all triangles in exact rationals, and the
// comparison with what `section` reports.
//
// Directions come from exact normals: along plane normal × triangle normal, a curve has the inside on its left.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <whisker/mesh.hpp>
#include <whisker/mesh_queries.hpp>

#include "support/reference.hpp"

namespace whisker::test {

class SectionTruth {
 public:
  using Node = std::pair<std::uint32_t, std::uint32_t>;  // an edge that crosses the plane, or a vertex on it twice
  using Step = std::pair<Node, Node>;

  /// The direction of a segment, whose nodes are in ascending order, and whether it is part of the curves just below.
  struct Segment {
    int direction = 0;  // 0 for ridges
    bool is_below = false;
  };

  std::map<Node, Vec<Rational>> nodes;
  std::map<Step, Segment> segments;
  std::set<Node> points;

  SectionTruth(const MeshData& mesh, const Pose& pose, const Plane& plane, const Pose& plane_pose)
      : normal_(exactly<Rational>(place_direction(plane_pose, plane.normal))) {
    const Vec<Rational> origin = exactly<Rational>(plane_pose.translation());
    std::map<std::array<double, 3>, std::uint32_t> first_at;
    std::vector<std::uint32_t> vertex;
    for (const Vector3& v : mesh.vertices) {
      const auto number = static_cast<std::uint32_t>(vertex.size());
      vertex.push_back(first_at.try_emplace({v.x() + 0.0, v.y() + 0.0, v.z() + 0.0}, number).first->second);
      doubles_.push_back(place(pose, v));
      at_.push_back(exactly<Rational>(doubles_.back()));
      const Rational height = dot(normal_, at_.back() - origin) - Rational(plane.offset);
      height_.push_back(height);
      side_.push_back(height > 0 ? 1 : height < 0 ? -1 : 0);
    }
    std::map<Step, std::vector<std::array<std::uint32_t, 3>>> in_plane;  // the triangles at each edge in the plane
    for (const Index3& t : mesh.triangles) {
      const std::array<std::uint32_t, 3> corner = {vertex[t[0]], vertex[t[1]], vertex[t[2]]};
      if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
      std::set<Node> touched;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t i = corner[k], j = corner[(k + 1) % 3];
        if (side_[i] == 0) touched.insert({i, i});
        if (side_[i] * side_[j] < 0) touched.insert(std::minmax(i, j));
        if (side_[i] == 0 && side_[j] == 0) in_plane[std::minmax(Node(i, i), Node(j, j))].push_back(corner);
      }
      for (const Node& node : touched)
        add_node(node);
      const bool crosses = low_side(corner) < 0 && high_side(corner) > 0;
      if (!crosses) continue;
      const Step step(*touched.begin(), *touched.rbegin());
      Segment& segment = segments[step];
      segment.direction += direction_by(corner, step);
      segment.is_below = true;
    }
    for (const auto& [step, triangles] : in_plane)
      add_edge(step, triangles);
    for (auto& [step, segment] : segments)
      segment.direction = segment.direction > 0 ? 1 : segment.direction < 0 ? -1 : 0;
    add_points(mesh, vertex);
  }

  /// What is wrong with the curves; empty if nothing is. `is_closed` tells that the mesh is closed and faces one way.
  std::string difference(const std::vector<Polyline>& curves, bool is_closed) const {
    std::map<Step, int> left;
    for (const auto& [step, segment] : segments)
      left[step] = 1;
    std::set<Node> points_left = points;
    std::map<Node, int> crossings;
    for (const Polyline& curve : curves) {
      std::vector<std::vector<Node>> may_be;
      for (const Vector3& point : curve.points) {
        may_be.push_back(nodes_at(point));
        if (may_be.back().empty()) return "a point is not where an edge crosses the plane";
      }
      if (curve.points.size() == 1) {
        if (curve.closed) return "a point is a closed curve";
        const auto touches_alone = [&](const Node& node) { return points_left.erase(node) != 0; };
        if (std::none_of(may_be[0].begin(), may_be[0].end(), touches_alone))
          return "a point that does not touch alone, or is reported twice";
        continue;
      }
      std::vector<Node> path;
      if (!find_path(may_be, curve.closed, left, path))
        return "a curve has a segment that does not exist, was already reported, or goes the wrong way";
      bool is_below = false;
      for (std::size_t i = 0; i + (curve.closed ? 0 : 1) < path.size(); ++i) {
        const Step step = std::minmax(path[i], path[(i + 1) % path.size()]);
        --left[step];
        const Segment& segment = segments.at(step);
        is_below = is_below || (segment.is_below && segment.direction != 0);
      }
      for (const Node& node : path)
        if (node.first != node.second) ++crossings[node];
      if (is_closed && is_below && !curve.closed) return "a curve of a closed mesh is open";
    }
    for (const auto& [step, count] : left)
      if (count != 0) return "a segment is missing";
    if (!points_left.empty()) return "a point is missing";
    if (is_closed) {
      for (const auto& [node, at] : nodes)
        if (node.first != node.second && crossings[node] != 1) return "an edge is not crossed exactly once";
    }
    return "";
  }

 private:
  int low_side(const std::array<std::uint32_t, 3>& t) const {
    return std::min({side_[t[0]], side_[t[1]], side_[t[2]]});
  }
  int high_side(const std::array<std::uint32_t, 3>& t) const {
    return std::max({side_[t[0]], side_[t[1]], side_[t[2]]});
  }

  /// Finds a path along segments that are left, none of its nodes twice. Several nodes may round to the same point.
  bool find_path(const std::vector<std::vector<Node>>& may_be, bool closed, const std::map<Step, int>& left,
                 std::vector<Node>& path) const {
    const auto leads = [&](const Node& from, const Node& to) {
      const auto found = left.find(std::minmax(from, to));
      if (found == left.end() || found->second == 0) return false;
      return segments.at(found->first).direction != (from < to ? -1 : 1);
    };
    if (path.size() == may_be.size()) return !closed || leads(path.back(), path.front());
    for (const Node& node : may_be[path.size()]) {
      if (!path.empty() && !leads(path.back(), node)) continue;
      if (std::find(path.begin(), path.end(), node) != path.end()) continue;
      path.push_back(node);
      if (find_path(may_be, closed, left, path)) return true;
      path.pop_back();
    }
    return false;
  }

  void add_node(const Node& node) {
    if (nodes.contains(node)) return;
    const auto& [i, j] = node;
    nodes[node] = i == j ? at_[i] : at_[i] + (height_[i] / (height_[i] - height_[j])) * (at_[j] - at_[i]);
    const Vec<Rational>& at = nodes[node];
    rounded_[node] = Vector3(static_cast<double>(at.x), static_cast<double>(at.y), static_cast<double>(at.z));
  }

  /// +1 if the curve goes from the first to the second node of the step, -1 if the other way.
  int direction_by(const std::array<std::uint32_t, 3>& t, const Step& step) const {
    const Vec<Rational> across = cross(at_[t[1]] - at_[t[0]], at_[t[2]] - at_[t[0]]);
    const Rational along = dot(cross(normal_, across), nodes.at(step.second) - nodes.at(step.first));
    return along > 0 ? 1 : along < 0 ? -1 : 0;
  }

  /// An edge in the plane. The triangles below it come first, then those above, then those in the plane.
  void add_edge(const Step& step, const std::vector<std::array<std::uint32_t, 3>>& triangles) {
    Segment below{0, true}, above, flat;
    bool any_below = false, any_above = false;
    for (const std::array<std::uint32_t, 3>& t : triangles) {
      if (low_side(t) < 0) {
        any_below = true;
        below.direction += direction_by(t, step);
      } else if (high_side(t) > 0) {
        any_above = true;
        above.direction += direction_by(t, step);
      } else {
        const std::uint32_t i = step.first.first, j = step.second.first;
        for (const std::uint32_t k : t) {
          const Rational turn = dot(normal_, cross(at_[j] - at_[i], at_[k] - at_[i]));
          if (turn != 0) flat.direction += turn > 0 ? 1 : -1;
        }
      }
    }
    if (any_below) {
      segments[step] = below;
    } else if (any_above) {
      segments[step] = above;
    } else if (flat.direction != 0) {
      segments[step] = flat;
    }
  }

  void add_points(const MeshData& mesh, const std::vector<std::uint32_t>& vertex) {
    std::set<Node> covered;
    for (const auto& [step, segment] : segments)
      covered.insert({step.first, step.second});
    for (const Index3& t : mesh.triangles) {
      const std::array<std::uint32_t, 3> corner = {vertex[t[0]], vertex[t[1]], vertex[t[2]]};
      if (low_side(corner) == 0 && high_side(corner) == 0)
        for (const std::uint32_t i : corner)
          covered.insert({i, i});
    }
    for (const auto& [node, at] : nodes)
      if (!covered.contains(node)) points.insert(node);
  }

  /// The nodes within the promised distance of a point. A vertex on the plane must be equal.
  std::vector<Node> nodes_at(const Vector3& point) const {
    std::vector<Node> found;
    for (const auto& [node, at] : nodes) {
      const Vector3 &p = doubles_[node.first], &q = doubles_[node.second];
      const Vector3 size = p.cwiseAbs().cwiseMax(q.cwiseAbs());
      if (((point - rounded_.at(node)).cwiseAbs().array() > 0x1p-50 * size.array()).any()) continue;
      const Rational off[3] = {abs(at.x - Rational(point.x())), abs(at.y - Rational(point.y())),
                               abs(at.z - Rational(point.z()))};
      const Rational share = node.first == node.second ? 0 : Rational(0x1p-52);
      if (off[0] <= share * Rational(size[0]) && off[1] <= share * Rational(size[1]) &&
          off[2] <= share * Rational(size[2]))
        found.push_back(node);
    }
    return found;
  }

  Vec<Rational> normal_;
  std::map<Node, Vector3> rounded_;  // the nodes, roughly
  std::vector<Vector3> doubles_;
  std::vector<Vec<Rational>> at_;
  std::vector<Rational> height_;
  std::vector<int> side_;
};

}  // namespace whisker::test
