#pragma once

// The input of `whisker clash`: parts in a common world frame, some of them moving.

#include <cstdint>
#include <string>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>
#include <whisker/scene.hpp>
#include <whisker/shape.hpp>

namespace whisker::clash {

// A mesh and its search tree, stored once for all parts that use it.
struct PartMesh {
  MeshData data;
  Shape shape;               // a mesh, solid() if it is closed
  bool is_closed = false;    // if false, it has no proven inside (see Solid), and overlaps have no depth
  std::string file;          // the file that it came from; empty for a generated mesh
  bool is_repaired = false;  // it was not closed when it was read: findings are about the repaired mesh
  bool is_turned = false;    // it was inside out when it was read: its triangles were reversed
  std::string repair = {};   // what the repair did, or why it was not repaired; empty if not requested
};

// The pose of a part at a time. The times of a part are strictly ascending.
struct Keyframe {
  double time = 0;
  Pose pose;
};

struct Part {
  std::string name;   // unique in the assembly
  std::string group;  // empty for none
  std::uint32_t mesh = 0;
  Pose pose;  // its pose; for a moving part, the pose at the start
  // Empty for a static part. Between two keyframes, the part follows the screw motion that joins them. Before the first
  // and after the last keyframe, it does not move.
  std::vector<Keyframe> motion;
  std::string file = {};               // the file that it came from; empty for a generated part
  std::vector<std::string> path = {};  // names of its ancestors in the file, outermost first
  std::string id = {};                 // the file's own identifier, such as IFC's GlobalId; empty for none
  std::string type = {};               // for an IFC element: "IfcWall"
};

// Two sets of parts, each given by a pattern for part names or groups: * matches any text, ? any character.
struct PairRule {
  std::string a;
  std::string b;
};

// Which parts have an inside, so that other parts can be found inside them.
enum class Solid : std::uint8_t {
  likely,  // closed parts, and others if their winding numbers are clear; such findings are reported as likely
  proven,  // only closed parts
  never,   // none: all parts are surfaces, so nothing is inside another part or has a depth
};

struct Rules {
  double clearance = 0;           // parts closer than this are too close; 0: not checked
  double contact = 0;             // an overlap or a gap up to this is a contact
  std::vector<PairRule> only;     // if not empty, only pairs that match one of these are checked
  std::vector<PairRule> ignored;  // pairs that are not checked
  std::vector<PairRule> allowed;  // pairs that may touch: checked and counted, but not reported as findings
  Solid solid = Solid::likely;
  bool repair = false;  // whether parts that are not closed were repaired where that is safe
};

struct Assembly {
  std::string title;
  std::string unit = "mm";       // of lengths, for display: nothing is converted by it
  std::string unit_origin = {};  // how the unit is known, in a few words: "stated by house.ifc"
  UpAxis up = UpAxis::unknown;   // from the first file that states it; files that state another one were rotated
  std::vector<PartMesh> meshes;
  std::vector<Part> parts;
  Rules rules;
  std::vector<std::string> notes;  // what was left out or changed while reading, one sentence each
};

}  // namespace whisker::clash
