// A user's program that uses the installed whisker::io: it reads a robot.

#include <cstdio>

#include <whisker/robot/urdf.hpp>
#include <whisker/whisker.hpp>

namespace wk = whisker;

int main() {
  const wk::UrdfRobot robot = wk::parse_urdf(
      R"(<robot name="arm"><link name="base"><collision><geometry><box size="1 2 3"/></geometry></collision></link></robot>)",
      "arm.urdf");
  if (robot.name != "arm" || robot.body.links().size() != 1 || robot.link("base") != 0) return 1;
  try {
    wk::parse_urdf("<robot", "broken.urdf");
    return 2;
  } catch (const wk::Error&) {  // of the library, known here
  }
  std::puts("io_consumer: as expected");
  return 0;
}
