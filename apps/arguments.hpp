#pragma once

// Parses the shapes and poses in the arguments of the commands.

#include <string>
#include <vector>

#include <whisker/pose.hpp>
#include <whisker/shape.hpp>

namespace whisker::apps {

/// Parses numbers separated by commas or spaces. Throws an Error that names `what` and the word that is not a number.
std::vector<double> parse_numbers(const std::string& text, const std::string& what);

/// Parses "x,y,z" (translation), "x,y,z,qw,qx,qy,qz" (with a rotation as a quaternion, normalized here) or the sixteen
/// numbers of a 4x4 matrix, row by row. Throws an Error if it is none of these.
Pose parse_pose(const std::string& text);

/// Parses three numbers as a point or direction. Throws an Error that names `what`.
Vector3 parse_vector(const std::string& text, const std::string& what);

/// The syntax of a pose, for help texts.
inline constexpr const char* pose_help = "x,y,z | x,y,z,qw,qx,qy,qz | 16 numbers of a 4x4 matrix, row by row";

/// The syntax of a shape, for help texts.
inline constexpr const char* shape_help =
    "a mesh file (STL, OBJ, PLY, OFF, glTF, COLLADA…) or a simple shape: sphere:RADIUS, box:X,Y,Z, "
    "capsule:RADIUS,LENGTH, half-space:NX,NY,NZ,OFFSET, plane:NX,NY,NZ,OFFSET, segment:6 NUMBERS, triangle:9 NUMBERS";

/// Makes a shape from its text. A file that holds a scene becomes one mesh of all its parts. With `solid`, meshes
/// become solids, and a mesh that is not closed is an Error. Throws an Error if that fails.
Shape load_shape(const std::string& text, bool solid);

/// The triangles of a mesh file of any format. The parts of a scene are placed and joined. Throws an Error if that
/// fails.
MeshData load_triangles(const std::string& path);

}  // namespace whisker::apps
