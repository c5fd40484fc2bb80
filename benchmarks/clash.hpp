#pragma once

// The suite `clash`: an assembly checked as a whole, by whisker and by the same job written plainly with FCL and with
// Bullet. The assembly is made of gear drives that stand side by side, some of them with something wrong.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>

namespace whisker::bench {

/// Parts that share meshes. Lengths in mm.
struct ClashScene {
  std::string name;
  std::vector<MeshData> meshes;
  std::vector<std::uint32_t> mesh_of;  ///< by part
  std::vector<Pose> poses;             ///< by part
  double clearance = 0.05;
  std::size_t triangles = 0;  ///< of all parts together
  std::size_t clashes = 0;    ///< pairs that overlap, by construction
};

/// Two parts by number, the smaller first.
struct ClashPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend auto operator<=>(const ClashPair&, const ClashPair&) = default;
};

/// What a system found, and what it took, in seconds of the clock on the wall and of processor time.
struct ClashAnswer {
  std::vector<ClashPair> touching;   ///< ascending
  std::vector<ClashPair> too_close;  ///< of the others, such that are closer than the clearance; ascending
  std::vector<ClashPair> clashes;    ///< of the touching ones, those that overlap by more than a contact; whisker alone
  std::size_t contacts = 0;          ///< touching pairs of triangles, or contact points, that were listed
  std::size_t pairs = 0;             ///< pairs of parts that were looked at
  double build_seconds = 0;
  double check_seconds = 0;
  double processor_seconds = 0;  ///< of both, on all threads
  std::size_t build_bytes = 0;   ///< that building took
  std::size_t peak_bytes = 0;    ///< that all took at most, beyond the scene itself
  bool failed = false;           ///< no answer came
  bool ended = true;             ///< false: given up after `max_seconds` of processor time
};

/// Trees for every mesh, a broad phase over all parts, and for every pair that it finds: all contacts, or else the
/// distance, if that is below the clearance.
ClashAnswer fcl_clash(const ClashScene& scene, double max_seconds);
/// Whether Bullet was there when the suite was built.
bool has_bullet();
/// The same; Bullet has no distance of two meshes, so it tells only which parts touch.
ClashAnswer bullet_clash(const ClashScene& scene, double max_seconds);

/// What this process has taken from the system and not given back, in bytes.
std::size_t bytes_in_use();

}  // namespace whisker::bench
