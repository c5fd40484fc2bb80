#pragma once

// The suite `clash`: an assembly checked as a whole, by whisker and by straightforward implementations of the same job
// with FCL and with Bullet. The assembly consists of gear drives side by side, some of them with a defect.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>

namespace whisker::bench {

/// Parts that share meshes. Lengths are in mm.
struct ClashScene {
  std::string name;
  std::vector<MeshData> meshes;
  std::vector<std::uint32_t> mesh_of;  ///< by part
  std::vector<Pose> poses;             ///< by part
  double clearance = 0.05;
  std::size_t triangles = 0;  ///< of all parts together
  std::size_t clashes = 0;    ///< pairs that overlap by construction
};

/// Two parts by index, the smaller first.
struct ClashPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend auto operator<=>(const ClashPair&, const ClashPair&) = default;
};

/// The results of a system and its cost, in seconds of wall time and of processor time.
struct ClashAnswer {
  std::vector<ClashPair> touching;   ///< ascending
  std::vector<ClashPair> too_close;  ///< other pairs closer than the clearance; ascending
  std::vector<ClashPair> clashes;    ///< touching pairs that overlap by more than a contact; whisker only
  std::size_t contacts = 0;          ///< touching pairs of triangles, or contact points, that were listed
  std::size_t pairs = 0;             ///< pairs of parts tested
  double build_seconds = 0;
  double check_seconds = 0;
  double processor_seconds = 0;  ///< of building and checking, on all threads
  std::size_t build_bytes = 0;   ///< memory after building
  std::size_t peak_bytes = 0;    ///< peak memory, beyond the scene itself
  bool failed = false;           ///< no result
  bool ended = true;             ///< false: aborted after `max_seconds` of processor time
};

/// Builds trees for every mesh, runs a broad phase over all parts, and computes for every pair that it finds all
/// contacts, or otherwise the distance, if that is below the clearance.
ClashAnswer fcl_clash(const ClashScene& scene, double max_seconds);
/// Whether Bullet was available when the suite was built.
bool has_bullet();
/// The same. Bullet has no distance query for two meshes, so it reports only which parts touch.
ClashAnswer bullet_clash(const ClashScene& scene, double max_seconds);

/// The memory that this process has taken from the system and not returned, in bytes.
std::size_t bytes_in_use();

}  // namespace whisker::bench
