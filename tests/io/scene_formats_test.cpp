// The meaning of a scene file in every format: its unit, its up axis, its parts and their names; and damaged archives
// and texts.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/editing/mesh_report.hpp>
#include <whisker/error.hpp>
#include <whisker/geometry/aabb.hpp>
#include <whisker/robot/urdf.hpp>
#include <whisker/scene.hpp>

#include "support/scene_files.hpp"

namespace whisker {
namespace {

using test::BoxPart;

const std::vector<BoxPart> boxes{{"Wall", {0, 0, 0}, {4, 1, 3}},
                                 {"Tr\xC3\xA4ger", {3.75, 0.25, 1}, {5, 0.75, 1.5}},
                                 {"Pipe", {1, 1.125, 0}, {2, 1.5, 1}}};

constexpr const char* millimeters = "IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.)";

class SceneFormats : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef WHISKER_TEST_SCENE_READER
    options_.reader = WHISKER_TEST_SCENE_READER;
#else
    GTEST_SKIP() << "whisker-scene-reader is not built";
#endif
    folder_ = std::filesystem::temp_directory_path() / ("whisker_formats_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
  }

  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  Scene read(const std::string& name, const std::string& content) const {
    return load_scene(write(name, content), options_);
  }
  std::string error_of(const std::string& name, const std::string& content) const {
    try {
      read(name, content);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path folder_;
  SceneOptions options_;
};

Aabb box_of(const ScenePart& part) {
  Aabb box;
  for (const Vector3& vertex : part.mesh.vertices)
    box.include(place(part.pose, vertex));
  return box;
}

/// Expects that every box is one closed part with its name and, given the file's unit and up axis, at the right place.
void expect_boxes(const Scene& scene) {
  ASSERT_EQ(scene.parts.size(), boxes.size());
  ASSERT_GT(scene.unit.meters, 0);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const ScenePart& part = scene.parts[i];
    SCOPED_TRACE(part.name);
    EXPECT_EQ(part.name, boxes[i].name);
    EXPECT_FALSE(part.id.empty());
    EXPECT_EQ(part.mesh.vertices.size(), 8u);
    EXPECT_EQ(part.mesh.triangles.size(), 12u);
    EXPECT_TRUE(is_closed(part.mesh));
    EXPECT_EQ(inspect_mesh(part.mesh).facing, Facing::outward);
    Aabb box = box_of(part);
    if (scene.up == UpAxis::y) {
      const Vector3 lower = box.lower, upper = box.upper;
      box.lower = Vector3(lower.x(), -upper.z(), lower.y());
      box.upper = Vector3(upper.x(), -lower.z(), upper.y());
    }
    EXPECT_LT((scene.unit.meters * box.lower - boxes[i].lower).norm(), 1e-5) << box.lower.transpose();
    EXPECT_LT((scene.unit.meters * box.upper - boxes[i].upper).norm(), 1e-5) << box.upper.transpose();
  }
}

TEST_F(SceneFormats, GltfIsInMetersWithYUpAndANodeIsAPart) {
  for (const bool is_binary : {false, true}) {
    const Scene scene = is_binary ? read("a.glb", test::glb_file(boxes)) : read("a.gltf", test::gltf_file(boxes));
    expect_boxes(scene);
    EXPECT_EQ(scene.unit.meters, 1);
    EXPECT_EQ(scene.unit.name, "m");
    EXPECT_EQ(scene.unit.origin, UnitOrigin::format);
    EXPECT_EQ(scene.up, UpAxis::y);
    EXPECT_EQ(scene.parts[0].id, "node 0");
    EXPECT_EQ(scene.parts[2].id, "node 2");
    EXPECT_EQ(scene.parts[1].path, std::vector<std::string>{"frame"});
  }
}

TEST_F(SceneFormats, GltfWithoutAnyNameHasTheFilesAndNotANumber) {
  const Scene scene = read("hall.gltf", test::gltf_file({{"", {0, 0, 0}, {1, 1, 1}}, {"", {2, 0, 0}, {3, 1, 1}}}));
  ASSERT_EQ(scene.parts.size(), 2u);
  EXPECT_EQ(scene.parts[0].name, "hall");
  EXPECT_EQ(scene.parts[1].name, "hall_2");
  EXPECT_EQ(scene.parts[1].id, "node 1");
}

TEST_F(SceneFormats, ColladaKeepsItsOwnCoordinatesAndSaysItsUnit) {
  const Scene scene = read("a.dae", test::collada_file(boxes, 0.0254));
  expect_boxes(scene);
  EXPECT_EQ(scene.unit.meters, 0.0254);
  EXPECT_EQ(scene.unit.name, "in");
  EXPECT_EQ(scene.unit.origin, UnitOrigin::file);
  EXPECT_EQ(scene.up, UpAxis::z);
  EXPECT_EQ(scene.parts[0].id, "node-0");
  EXPECT_EQ(scene.parts[0].path, std::vector<std::string>{"frame"});
  EXPECT_NEAR(box_of(scene.parts[0]).upper.x(), 4 / 0.0254, 1e-4);
}

TEST_F(SceneFormats, ColladaUpAxes) {
  EXPECT_EQ(read("a.dae", test::collada_file(boxes, 1, "Y_UP")).up, UpAxis::y);
  EXPECT_EQ(read("a.dae", test::collada_file(boxes, 1, "X_UP")).up, UpAxis::x);
}

TEST_F(SceneFormats, ColladaWithAUnitThatIsNoneIsAnError) {
  for (const char* const meter : {"0", "-1", "nan", "much"}) {
    std::string text = test::collada_file(boxes, 0.5);
    text.replace(text.find("meter=\"0.5\""), 11, std::string("meter=\"") + meter + "\"");
    EXPECT_NE(error_of("a.dae", text).find("meters, which is not a positive number: repair <unit>"), std::string::npos)
        << error_of("a.dae", text);
  }
  std::string comma = test::collada_file(boxes, 0.5);
  comma.replace(comma.find("meter=\"0.5\""), 11, "meter=\"0,5\"");
  EXPECT_EQ(read("a.dae", comma).unit.meters, 0.5);
}

TEST_F(SceneFormats, FbxSaysItsUnitAndHasNoNodesForPivots) {
  const Scene scene = read("a.fbx", test::fbx_file(boxes, 0.1));
  EXPECT_EQ(scene.unit.meters, 0.001);
  EXPECT_EQ(scene.unit.name, "mm");
  EXPECT_EQ(scene.unit.origin, UnitOrigin::file);
  EXPECT_EQ(scene.up, UpAxis::z);
  ASSERT_EQ(scene.parts.size(), 3u);
  EXPECT_EQ(scene.parts[0].path, std::vector<std::string>{"frame"});
  Scene with_ids = scene;  // assimp keeps none for FBX
  for (ScenePart& part : with_ids.parts)
    part.id = "none";
  expect_boxes(with_ids);
  EXPECT_EQ(read("a.fbx", test::fbx_file(boxes, 2.54)).unit.meters, 0.0254);
}

TEST_F(SceneFormats, IfcIsInItsUnitWithZUpAndAnElementIsAPart) {
  const Scene scene = read("a.ifc", test::ifc_file(boxes, 1e-3, millimeters));
  expect_boxes(scene);
  EXPECT_EQ(scene.unit.meters, 0.001);
  EXPECT_EQ(scene.unit.name, "mm");
  EXPECT_EQ(scene.unit.origin, UnitOrigin::file);
  EXPECT_EQ(scene.up, UpAxis::z);
  EXPECT_EQ(scene.parts[0].type, "IfcWallStandardCase");
  EXPECT_EQ(scene.parts[1].type, "IfcBeam");
  EXPECT_EQ(scene.parts[2].type, "IfcFlowSegment");
  EXPECT_EQ(scene.parts[0].id.size(), 22u);
  EXPECT_EQ(scene.parts[1].path, (std::vector<std::string>{"Site", "House", "Ground floor"}));
}

TEST_F(SceneFormats, IfcInFeetAndInMeters) {
  const Scene feet = read("a.ifc", test::ifc_file(boxes, 0.3048,
                                                  "IFCCONVERSIONBASEDUNIT(#12,.LENGTHUNIT.,'FOOT',#10)\n"
                                                  "IFCMEASUREWITHUNIT(IFCRATIOMEASURE(0.3048),#11)\n"
                                                  "IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.)\n"
                                                  "IFCDIMENSIONALEXPONENTS(1,0,0,0,0,0,0)"));
  EXPECT_EQ(feet.unit.name, "ft");
  expect_boxes(feet);
  const Scene meters = read("a.ifc", test::ifc_file(boxes, 1, "IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.)"));
  EXPECT_EQ(meters.unit.name, "m");
  expect_boxes(meters);
}

TEST_F(SceneFormats, IfcElementWithoutANameHasItsType) {
  std::vector<BoxPart> nameless = boxes;
  for (BoxPart& box : nameless)
    box.name.clear();
  const Scene scene = read("a.ifc", test::ifc_file(nameless, 1e-3, millimeters));
  ASSERT_EQ(scene.parts.size(), 3u);
  EXPECT_EQ(scene.parts[0].name, "IfcWallStandardCase");
  EXPECT_EQ(scene.parts[1].name, "IfcBeam");
}

TEST_F(SceneFormats, IfcElementsThatCannotBeReadAreTold) {
  std::string text = test::ifc_file(boxes, 1e-3, millimeters);
  const std::size_t at = text.rfind("IFCEXTRUDEDAREASOLID(");
  text.replace(at, text.find(';', at) - at, "IFCBLOCK(#7,1.,1.,1.)");
  const Scene scene = read("a.ifc", text);
  EXPECT_EQ(scene.parts.size(), 2u);
  const std::string note = "left out: elements with shapes that the reader does not support: 1 IFCFLOWSEGMENT";
  EXPECT_NE(std::find(scene.notes.begin(), scene.notes.end(), note), scene.notes.end());
  const Scene whole = read("b.ifc", test::ifc_file(boxes, 1e-3, millimeters));
  EXPECT_TRUE(std::none_of(whole.notes.begin(), whole.notes.end(),
                           [](const std::string& each) { return each.find("left out") != std::string::npos; }));
}

TEST_F(SceneFormats, ThreeMfSaysItsUnitAndAnObjectIsAPart) {
  const Scene scene = read("a.3mf", test::three_mf_file(boxes, 0.0254, "inch"));
  expect_boxes(scene);
  EXPECT_EQ(scene.unit.meters, 0.0254);
  EXPECT_EQ(scene.unit.origin, UnitOrigin::file);
  EXPECT_EQ(scene.up, UpAxis::z);
  EXPECT_EQ(scene.parts[1].id, "object 11");
  EXPECT_EQ(scene.parts[1].path, std::vector<std::string>{"frame"});
  EXPECT_TRUE(scene.parts[0].path.empty());
  const Scene unsaid = read("a.3mf", test::three_mf_file(boxes, 0.001, ""));
  expect_boxes(unsaid);
  EXPECT_EQ(unsaid.unit.meters, 0.001);
  EXPECT_EQ(unsaid.unit.origin, UnitOrigin::format);
}

TEST_F(SceneFormats, ThreeMfKeepsDoubles) {
  const Scene scene = read("a.3mf", test::three_mf_file({{"a", {0, 0, 0}, {0.1, 1.0 / 3, 1}}}, 1, "meter"));
  EXPECT_EQ(box_of(scene.parts[0]).upper, Vector3(0.1, 1.0 / 3, 1));
}

TEST_F(SceneFormats, ThreeMfWithAModelBesideTheFirst) {
  const std::string mesh =
      "<mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" "
      "z=\"0\"/>"
      "</vertices><triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles></mesh>";
  const Scene scene = read(
      "a.3mf", test::zip_file(
                   {{"3D/3dmodel.model",
                     "<model unit=\"meter\" xmlns:p=\"http://p\"><resources><object id=\"1\" name=\"both\"><components>"
                     "<component p:path=\"/3D/Objects/b.model\" objectid=\"1\"/></components></object></resources>"
                     "<build><item objectid=\"1\" transform=\"1 0 0 0 1 0 0 0 1 5 6 7\"/></build></model>"},
                    {"3D/Objects/b.model", "<model unit=\"meter\"><resources><object id=\"1\" name=\"a &amp; b\">" +
                                               mesh + "</object></resources><build/></model>"}}));
  ASSERT_EQ(scene.parts.size(), 1u);
  EXPECT_EQ(scene.parts[0].name, "a & b");
  EXPECT_EQ(scene.parts[0].path, std::vector<std::string>{"both"});
  EXPECT_EQ(scene.parts[0].pose.translation(), Vector3(5, 6, 7));
}

TEST_F(SceneFormats, AmfSaysItsUnitAndTurnsByDegrees) {
  for (const bool is_zipped : {false, true}) {
    const std::string text = test::amf_file(boxes, 0.3048, "feet");
    const Scene scene = read("a.amf", is_zipped ? test::zip_file({{"a.amf", text}}) : text);
    expect_boxes(scene);
    EXPECT_EQ(scene.unit.name, "ft");
    EXPECT_EQ(scene.unit.origin, UnitOrigin::file);
    EXPECT_EQ(scene.up, UpAxis::z);
    EXPECT_EQ(scene.parts[1].path, std::vector<std::string>{"frame"});
  }
  EXPECT_EQ(read("a.amf", test::amf_file(boxes, 1e-3, "")).unit.origin, UnitOrigin::format);
}

TEST_F(SceneFormats, ObjAndStlStateNoUnitAndNoUp) {
  const Scene scene = read("a.obj", test::obj_file(boxes, 1));
  ASSERT_EQ(scene.parts.size(), 3u);
  EXPECT_EQ(scene.unit.meters, 0);
  EXPECT_EQ(scene.unit.origin, UnitOrigin::none);
  EXPECT_EQ(scene.up, UpAxis::unknown);
  EXPECT_EQ(scene.parts[1].name, boxes[1].name);
}

TEST_F(SceneFormats, NamesThatAreNotUtf8AreTakenForLatin1) {
  std::vector<BoxPart> old = boxes;
  old[1].name = "Tr\xE4ger";
  EXPECT_EQ(read("a.obj", test::obj_file(old, 1)).parts[1].name, "Tr\xC3\xA4ger");
  EXPECT_EQ(read("a.fbx", test::fbx_file(old, 1)).parts[1].name, "Tr\xC3\xA4ger");
}

TEST_F(SceneFormats, NotesHaveNamesAsTheyAre) {
  std::string text = test::collada_file(boxes, 1);
  text.replace(text.find("<instance_geometry url=\"#shape1\"/>"), 0, "<scale>2 2 2</scale>");
  const Scene scene = read("a.dae", text);
  EXPECT_TRUE(std::any_of(scene.notes.begin(), scene.notes.end(),
                          [](const std::string& note) { return note.find("'Tr\xC3\xA4ger'") != std::string::npos; }));
}

TEST_F(SceneFormats, InstancesOfOneMeshStayEqual) {
  // Two nodes with the same mesh of two primitives: they are joined in the same way, so that a store of meshes keeps
  // one.
  std::string text = test::gltf_file({boxes[0], boxes[1]});
  const std::string mesh = R"("mesh":1)";
  text.replace(text.find(mesh, text.find("\"nodes\":[{")), mesh.size(), R"("mesh":0,"translation":[9,0,0])");
  const Scene scene = read("a.gltf", text);
  ASSERT_EQ(scene.parts.size(), 2u);
  EXPECT_EQ(scene.parts[0].mesh.vertices, scene.parts[1].mesh.vertices);
  EXPECT_EQ(scene.parts[0].mesh.triangles, scene.parts[1].mesh.triangles);
}

TEST_F(SceneFormats, RobotsHaveMeshesInMetersWhateverUnitTheseState) {
  ::setenv("WHISKER_SCENE_READER", options_.reader.c_str(), 1);
  write("arm.dae", test::collada_file({boxes[0]}, 0.0254));
  const UrdfRobot robot =
      load_urdf(write("arm.urdf", R"(<robot name="r"><link name="a"><collision><geometry>)"
                                  R"(<mesh filename="arm.dae"/></geometry></collision></link></robot>)"));
  ::unsetenv("WHISKER_SCENE_READER");
  const Aabb bounds = robot.body.links()[0].shapes[0].shape.bounds();
  EXPECT_LT((bounds.upper - boxes[0].upper).norm(), 1e-5) << bounds.upper.transpose();
}

// ---- files that cannot be read ----

TEST_F(SceneFormats, Ifc4ThatTheReaderCannotReadIsCalledThat) {
  // In IFC4 the owner history may be omitted, on which assimp gives up. A reader that crashes is reported in the same
  // way.
  std::string text = test::ifc_file(boxes, 1e-3, millimeters, "IFC4");
  text.replace(text.find("IFCPROJECT('0000000000000000000001',#5"), 38, "IFCPROJECT('0000000000000000000001',$");
  const std::string message = error_of("a.ifc", text);
  EXPECT_NE(message.find("it cannot read IFC4: export the file as IFC2x3 or glTF"), std::string::npos) << message;
  EXPECT_EQ(message.find("damaged"), std::string::npos) << message;

  const std::filesystem::path crashing = write("crashes", "#!/bin/sh\nkill -SEGV $$\n");
  std::filesystem::permissions(crashing, std::filesystem::perms::owner_all);
  options_.reader = crashing;
  EXPECT_NE(error_of("a.ifc", text).find("the reader for this format crashed (signal 11); it cannot read IFC4"),
            std::string::npos);
  const std::string other = error_of("a.dae", test::collada_file(boxes, 1));
  EXPECT_NE(other.find("the reader for this format crashed (signal 11); it cannot read this .dae file"),
            std::string::npos)
      << other;
}

TEST_F(SceneFormats, Ifc4ThatCanBeReadHasANote) {
  const Scene scene = read("a.ifc", test::ifc_file(boxes, 1e-3, millimeters, "IFC4"));
  expect_boxes(scene);
  EXPECT_TRUE(std::any_of(scene.notes.begin(), scene.notes.end(),
                          [](const std::string& note) { return note.find("the file is IFC4") != std::string::npos; }));
}

TEST_F(SceneFormats, FileThatIsRefusedIsCalledThatAndNotACrash) {
  std::string text = test::ifc_file(boxes, 1e-3, millimeters);
  const std::string message = error_of("a.ifc", text.substr(0, 400));
  EXPECT_NE(message.find("check that it is complete"), std::string::npos) << message;
}

TEST_F(SceneFormats, EveryTruncationOfAnArchiveIsAnErrorOfOneLine) {
  const std::string good = test::three_mf_file({boxes[0]}, 1, "meter");
  const std::size_t step = std::max<std::size_t>(1, good.size() / 60);
  for (std::size_t size = 1; size < good.size(); size += step) {
    const std::string message = error_of("a.3mf", good.substr(0, size));
    EXPECT_NE(message.find("cannot be read as a scene"), std::string::npos) << size << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST_F(SceneFormats, DamagedArchivesAreErrorsOrHarmless) {
  const std::string good = test::three_mf_file({boxes[0]}, 1, "meter");
  // The directory at the end, in which sizes and offsets may be wrong, byte by byte.
  const std::size_t begin = good.find("PK\x01\x02");
  ASSERT_NE(begin, std::string::npos);
  std::size_t refused = 0;
  for (std::size_t at = begin; at < good.size(); at += 3) {
    std::string bad = good;
    bad[at] = '\xFF';
    const std::string message = error_of("a.3mf", bad);
    if (message != "no error") {
      EXPECT_NE(message.find("cannot be read as a scene"), std::string::npos) << at << ": " << message;
      ++refused;
    }
  }
  EXPECT_GT(refused, 10u);
  std::string changed = good;
  changed[changed.find("<vertex x=\"") + 11] = '9';
  EXPECT_NE(error_of("a.3mf", changed).find("checksum"), std::string::npos);
}

TEST_F(SceneFormats, HostileXmlIsAnErrorBeforeItCostsTime) {
  const auto begin = std::chrono::steady_clock::now();
  const auto model = [](const std::string& text) { return test::zip_file({{"3D/3dmodel.model", text}}); };
  // Components that double forty times.
  std::string doubling = "<model><resources>";
  for (int i = 1; i < 40; ++i) {
    const std::string next = "<component objectid=\"" + std::to_string(i + 1) + "\"/>";
    doubling += "<object id=\"" + std::to_string(i) + "\"><components>" + next + next + "</components></object>";
  }
  doubling += "<object id=\"40\"/></resources><build><item objectid=\"1\"/></build></model>";
  EXPECT_NE(error_of("a.3mf", model(doubling)).find("too many parts"), std::string::npos);
  EXPECT_NE(error_of("a.3mf", model("<model><resources><object id=\"1\"><components><component objectid=\"1\"/>"
                                    "</components></object></resources><build><item objectid=\"1\"/></build></model>"))
                .find("cycle"),
            std::string::npos);
  EXPECT_NE(error_of("a.3mf", model("<model unit=\"cubit\"></model>")).find("cubit"), std::string::npos);
  EXPECT_NE(error_of("a.3mf", model("<model><build><item objectid=\"7\"/></build></model>")).find("object 7"),
            std::string::npos);
  EXPECT_NE(error_of("a.3mf", model("<model><resources><object id=\"1\"><mesh><vertices/><triangles><triangle v1=\"0\" "
                                    "v2=\"1\" v3=\"4294967296\"/></triangles></mesh></object></resources></model>"))
                .find("refers to vertex"),
            std::string::npos);
  for (const std::string text : {"<model", "<model a='", "<", "<!--", "<![CDATA[", "</model></model>", "", "<a<b<c<d"})
    EXPECT_NE(error_of("a.3mf", model(text)), "no error") << text;
  // Entities are not expanded, so that they cannot grow.
  EXPECT_NE(error_of("a.amf", "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]><amf>&c;&c;</amf>"),
            "no error");
  EXPECT_NE(error_of("a.amf", "<amf><object id=\"1\"/><object id=\"1\"/></amf>").find("twice"), std::string::npos);
  EXPECT_NE(
      error_of("a.amf", "<amf><constellation id=\"1\"><instance objectid=\"1\"/></constellation></amf>").find("cycle"),
      std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(SceneFormats, IfcUnitsThatGoRoundInACircleAreNone) {
  const Scene scene = read("a.ifc", test::ifc_file(boxes, 1e-3,
                                                   "IFCCONVERSIONBASEDUNIT($,.LENGTHUNIT.,'X',#10)\n"
                                                   "IFCMEASUREWITHUNIT(IFCRATIOMEASURE(2.),#9)"));
  EXPECT_EQ(scene.unit.origin, UnitOrigin::none);
}

}  // namespace
}  // namespace whisker
