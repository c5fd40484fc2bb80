#pragma once

// The suite `rapid`: the experiments of the papers that introduced oriented boxes and swept spheres, with whisker's
// generated models, and the counts next to the papers' own.
//
// "The paper" is Gottschalk, Lin and Manocha, OBBTree (1996), unless another one is named.

#include <array>
#include <cstddef>
#include <string>

#include <whisker/mesh_data.hpp>
#include <whisker/methods/volume_tree.hpp>
#include <whisker/result.hpp>

#include "harness.hpp"
#include "near_poses.hpp"

namespace whisker::bench {

/// A kind of bounding volume and its name in the tables.
struct NamedKind {
  const char* name;
  methods::VolumeKind kind;
};
inline constexpr std::array<NamedKind, 5> compared_kinds = {{{"sphere", methods::VolumeKind::sphere},
                                                             {"AABB", methods::VolumeKind::aabb},
                                                             {"OBB", methods::VolumeKind::obb},
                                                             {"26-DOP", methods::VolumeKind::kdop26},
                                                             {"RSS", methods::VolumeKind::rectangle_sphere}}};

/// A copy with every vertex multiplied by `factor`, then placed.
MeshData scaled(const MeshData& data, double factor, const Pose& pose = {});
/// Adds the triangles of `part` to `whole`.
void append(MeshData& whole, const MeshData& part);

/// Prints an underlined heading.
void heading(const std::string& text);

// The parts of the suite.

/// A sphere inside another one that is larger by ε: surfaces that are parallel everywhere.
void bench_concentric(Suite& suite);
/// Two spheres side by side, ε apart: surfaces that are close in one place.
void bench_side_by_side(Suite& suite);
/// How tightly the volumes of each level of a tree fit a torus.
void bench_torus_levels(Suite& suite);
/// One pair of oriented boxes.
void bench_boxes(Suite& suite);
/// The pipes, the torus around a stalagmite, and the torpedo on rollers.
void bench_sequences(Suite& suite);
/// The cost function F, by kind of volume.
void bench_cost_function(Suite& suite);

}  // namespace whisker::bench
