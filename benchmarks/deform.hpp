#pragma once

// The peers of the suite `deform`: how CGAL and FCL find the touching triangles of a mesh.

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/self_contacts.hpp>

namespace whisker::bench {

using Pairs = std::vector<TrianglePair>;

/// CGAL's self_intersections of a surface mesh, including neighbors.
class CgalSelf {
 public:
  /// `manifold()` is false if CGAL does not accept the triangles as a surface.
  explicit CgalSelf(const MeshData& data);
  ~CgalSelf();
  CgalSelf(const CgalSelf&) = delete;
  CgalSelf& operator=(const CgalSelf&) = delete;

  bool manifold() const;
  void set_vertices(const std::vector<Vector3>& vertices);
  void find(bool parallel);
  std::size_t count() const;
  /// In whisker's indices, sorted.
  Pairs pairs() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// FCL's tree of AABBs, refitted and traversed against itself. It also reports all neighbors.
class FclSelf {
 public:
  explicit FclSelf(const MeshData& data);
  ~FclSelf();
  FclSelf(const FclSelf&) = delete;
  FclSelf& operator=(const FclSelf&) = delete;

  void refit(const std::vector<Vector3>& vertices);
  void find();
  Pairs pairs() const;
  std::size_t count() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace whisker::bench
