#pragma once

// What `whisker clash` checks: parts that stand in one world, some of them moving.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <whisker/mesh_data.hpp>
#include <whisker/pose.hpp>
#include <whisker/scene.hpp>
#include <whisker/shape.hpp>

namespace whisker::clash {

// A mesh, stored once however many parts have it, and its search tree.
struct PartMesh {
  MeshData data;
  Shape shape;               // a mesh, solid() where it is closed
  bool is_closed = false;    // if not, it has no inside that is proven (see Solid), and overlaps have no depth
  std::string file;          // where it came from; empty for one that was made
  bool is_repaired = false;  // it was not closed when it was read: what is said about it is about the repaired mesh
  std::string repair = {};   // what repairing it did, or why it was left as it was; empty if nobody asked
};

// Where a part is at a time; the times of a part ascend strictly.
struct Keyframe {
  double time = 0;
  Pose pose;
};

struct Part {
  std::string name;   // unique in the assembly
  std::string group;  // "" for none
  std::uint32_t mesh = 0;
  Pose pose;  // where it stands; of one that moves, at the start
  // Empty for one that stands still. Between two keyframes it follows the screw that joins them; before the first and
  // after the last it stands still.
  std::vector<Keyframe> motion;
  std::string file = {};               // that it came from; empty for one that was made
  std::vector<std::string> path = {};  // names of what it is part of in the file, the outermost first
  std::string id = {};                 // what the file calls it, such as IFC's GlobalId; empty for none
  std::string type = {};               // of an IFC element: "IfcWall"
};

// Two sets of parts, each named by a pattern that part names or groups are matched with: * is any text, ? any letter.
struct PairRule {
  std::string a;
  std::string b;
};

// Which parts have an inside, so that others can be found in it.
enum class Solid : std::uint8_t {
  likely,  // closed parts; others where their winding numbers say so clearly, and then it is told as likely
  proven,  // closed parts alone
  never,   // none: all are surfaces, and nothing lies inside another or has a depth
};

struct Rules {
  double clearance = 0;           // parts closer than this are too close; 0: not asked
  double contact = 0;             // an overlap or a gap of at most this is a contact
  std::vector<PairRule> only;     // if any, only pairs that one of these names are checked
  std::vector<PairRule> ignored;  // pairs that are not checked
  std::vector<PairRule> allowed;  // pairs that may touch: checked, counted, but no findings
  Solid solid = Solid::likely;
  bool repair = false;  // whether parts that are not closed were repaired where that is safe
};

struct Assembly {
  std::string title;
  std::string unit = "mm";       // of lengths, for people: nothing is converted by it
  std::string unit_origin = {};  // how it is known, in a few words: "stated by house.ifc"
  UpAxis up = UpAxis::unknown;   // by the first file that says; those that say otherwise were turned
  std::vector<PartMesh> meshes;
  std::vector<Part> parts;
  Rules rules;
  std::vector<std::string> notes;  // what was left out or changed while reading, a sentence each
};

}  // namespace whisker::clash
