#pragma once

// Whether closed chains of edges, seen along a direction, bound a surface that is nowhere above itself.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <whisker/vector.hpp>

namespace whisker::deform {

class ContourTest {
 public:
  /// All that is added is taken relative to `origin`, times `scale`, a power of two that makes it about 1 or smaller.
  void clear(const Vector3& origin, double scale);
  void add_loop(std::span<const Vector3> vertices, std::span<const std::uint32_t> loop);

  /// Half the sum of the loops' areas as vectors, up to rounding.
  const Vector3& area() const { return area_; }

  /// Whether certainly, seen along `direction` (whole numbers up to 2, its head towards the eye), no loop meets itself
  /// or another one, and just one of them runs counter-clockwise. False where doubles cannot tell.
  bool is_simple(const std::array<int, 3>& direction);

 private:
  struct Edge {
    double low, high;        // along x
    double bottom, top;      // along y
    std::uint32_t from, to;  // points
  };

  Vector3 origin_ = Vector3::Zero();
  double scale_ = 1;
  Vector3 area_ = Vector3::Zero();
  std::vector<Vector3> points_;  // loop by loop
  std::vector<std::size_t> ends_;
  std::vector<Vector2> flat_;
  std::vector<Edge> edges_;
};

}  // namespace whisker::deform
