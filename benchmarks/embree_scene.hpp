#pragma once

// Meshes in Embree.

#include <embree3/rtcore.h>

#include <whisker/mesh_data.hpp>

namespace whisker::bench {

/// A mesh for Embree, in float.
class EmbreeMesh {
 public:
  explicit EmbreeMesh(const MeshData& data)
      : device_(rtcNewDevice("threads=1,set_affinity=0")),
        geometry_(rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE)) {
    auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(
        geometry_, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), data.vertices.size()));
    auto* triangles = static_cast<unsigned*>(rtcSetNewGeometryBuffer(
        geometry_, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), data.triangles.size()));
    for (const Vector3& v : data.vertices)
      for (int k = 0; k < 3; ++k)
        *vertices++ = static_cast<float>(v[k]);
    for (const Index3& t : data.triangles)
      for (const std::uint32_t corner : t)
        *triangles++ = corner;
    rtcSetGeometryBuildQuality(geometry_, RTC_BUILD_QUALITY_MEDIUM);
    rtcCommitGeometry(geometry_);
  }
  ~EmbreeMesh() {
    rtcReleaseGeometry(geometry_);
    rtcReleaseDevice(device_);
  }
  EmbreeMesh(const EmbreeMesh&) = delete;
  EmbreeMesh& operator=(const EmbreeMesh&) = delete;

  void build() const { rtcReleaseScene(new_scene(RTC_BUILD_QUALITY_MEDIUM, RTC_SCENE_FLAG_NONE)); }
  /// A scene of this mesh, built. To be released.
  RTCScene new_scene(RTCBuildQuality quality, RTCSceneFlags flags) const {
    const RTCScene scene = rtcNewScene(device_);
    rtcSetSceneBuildQuality(scene, quality);
    rtcSetSceneFlags(scene, flags);
    rtcAttachGeometry(scene, geometry_);
    rtcCommitScene(scene);
    return scene;
  }

 private:
  RTCDevice device_;
  RTCGeometry geometry_;
};

}  // namespace whisker::bench
