#pragma once

// Machine parts as closed meshes, in mm, for the gearbox of the built-in example.
//
// Round parts are polygons whose sides, not corners, are at the given radius: the corners of n sides extend beyond it
// by the factor 1 / cos(pi / n).

#include <vector>

#include <whisker/make/make.hpp>
#include <whisker/mesh_data.hpp>

#include "clash/layered_solid.hpp"

namespace whisker::clash {

// A bolt along z: the head is on top of z = 0, and the shank reaches down to -length.
struct Bolt {
  double radius = 3;
  double length = 30;
  double head_apothem = 5;  // half of the width across flats; two flats face ±x
  double head_height = 4;
};
MeshData hex_bolt(const Bolt& bolt);
// The same with a round head with a hexagonal socket.
MeshData socket_bolt(const Bolt& bolt);

// A washer or round plate from z = 0 to its thickness.
MeshData washer(double inner_radius, double outer_radius, double thickness);
// A nut from z = 0 to its height, with two flats facing ±x.
MeshData nut(double bore_radius, double apothem, double height);

// A box between two corners.
MeshData block(const Vector3& low, const Vector3& high);

// A deep groove ball bearing around the z axis, from -width/2 to width/2.
struct Bearing {
  double bore = 20;  // diameters
  double outside = 47;
  double width = 14;
  double ball = 7.9375;
  int balls = 8;

  double pitch_radius() const { return (bore + outside) / 4; }
};
MeshData inner_ring(const Bearing& bearing);
MeshData outer_ring(const Bearing& bearing);
MeshData bearing_ball(const Bearing& bearing);  // around the origin
// A crown cage that keeps the balls apart: a ring below them and a finger between each two. Ball 0 is at +x.
MeshData cage(const Bearing& bearing);

// A slot along z, open toward +x or, in a bore, cut into its wall there.
struct Keyway {
  double half_width = 0;  // 0: none
  double bottom = 0;      // for a shaft: x of its floor; for a bore: x of its roof
  Span along = {};        // for a shaft; in a bore it goes all the way through
};

// A shaft around the z axis: stacked cylinders, with keyways of the same width.
struct ShaftStep {
  double from = 0;
  double to = 0;
  double radius = 0;
};
MeshData stepped_shaft(const std::vector<ShaftStep>& steps, const std::vector<Keyway>& keyways = {});

// The outline of a bore with a keyway.
Loop keyed_bore(double radius, const Keyway& keyway);

// A spur gear around the z axis with a keyed bore. With a rim it is a wheel: between rim and hub there is a thinner web
// with round holes.
struct Wheel {
  make::Gear gear;  // its bore is not used
  double bore = 10;
  Keyway keyway;
  double hub_radius = 0;  // 0: a solid pinion
  double rim_radius = 0;
  double web = 0;  // thickness
  int holes = 0;
  double hole_radius = 0;
  double hole_circle = 0;
};
MeshData gear_wheel(const Wheel& wheel);

// Half of a jaw coupling: a ring of jaws on top of a closed ring. It starts at z = 0, and the jaws end at `height`.
struct JawHub {
  double bore = 8;
  double inner = 9;  // of the jaws
  double outer = 17;
  double base = 12;  // height of the closed ring
  double height = 22;
  int jaws = 3;
  double half_angle = 25;  // of a jaw, degrees
};
MeshData jaw_hub(const JawHub& hub);
// The insert between the jaws: a disc with legs, from z = 0.
MeshData spider(double disc_radius, double leg_radius, double leg_half_angle, int legs, double height);

// A cylinder with cooling fins along it, from z = 0.
MeshData finned_cylinder(double radius, double fin_radius, int fins, double height);

// A bar with round ends and a hole in each: from the hole at the origin to the one at (length, 0), z from -thickness/2
// to thickness/2.
MeshData link_bar(double length, double half_width, double thickness, double hole_radius);

}  // namespace whisker::clash
