// Reading assemblies: scene files, folders and scene.json, and the messages for damaged ones.

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/error.hpp>
#include <whisker/io.hpp>
#include <whisker/make/make.hpp>

#include "clash/check.hpp"
#include "clash/read_assembly.hpp"
#include "clash/scene_json.hpp"
#include "clash/unit.hpp"

namespace whisker::clash {
namespace {

namespace fs = std::filesystem;

class ClashRead : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("whisker_clash_read_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    // The reader of foreign formats is next to the command, not next to this test.
    ::setenv("WHISKER_SCENE_READER", (fs::path(WHISKER_COMMAND).parent_path() / "whisker-scene-reader").c_str(), 0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  fs::path write(const std::string& name, const MeshData& mesh) const {
    fs::create_directories((folder_ / name).parent_path());
    write_mesh(folder_ / name, mesh);
    return folder_ / name;
  }
  Assembly read(const fs::path& path, const std::string& unit = "") const {
    return read_assembly(std::vector<fs::path>{path}, {.unit = unit});
  }
  Assembly read_json(const std::string& text, const std::string& unit = "") const {
    return read(write("scene.json", text), unit);
  }
  std::string message_of(const fs::path& path, const std::string& unit = "") const {
    try {
      read(path, unit);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  // The message must begin with the file and the field.
  void expect_refused(const std::string& text, const std::string& field, const std::string& word) const {
    const std::string message = message_of(write("scene.json", text));
    EXPECT_EQ(message.rfind((folder_ / "scene.json").string() + ": " + field, 0), 0u) << message;
    EXPECT_NE(message.find(word), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  void expect_part_refused(const std::string& fields, const std::string& field, const std::string& word) const {
    expect_refused(R"({"parts": [{"name": "first", "shape": "box:1,1,1"}, {)" + fields + "}]}", "parts[1]" + field,
                   word);
  }

  fs::path folder_;
};

// A glTF file of a tetrahedron whose coordinates are 0 and 1, with these nodes.
std::string gltf(const std::string& nodes) {
  std::string bytes;
  for (const float x : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f}) {
    char raw[4];
    std::memcpy(raw, &x, 4);
    bytes.append(raw, 4);
  }
  for (const char corner : {'\0', '\2', '\1', '\0', '\1', '\3', '\0', '\3', '\2', '\1', '\2', '\3'})
    bytes.append({corner, '\0'});
  const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string base64;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | static_cast<unsigned char>(bytes[i + k]);
    for (int k = 3; k >= 0; --k)
      base64 += letters[word >> (6 * k) & 63];
  }
  return R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": )" + nodes +
         R"(, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64,)" +
         base64 + R"("}],
    "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0,0,0], "max": [1,1,1]},
                  {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}]})";
}

TEST_F(ClashRead, PartsOfASceneJson) {
  write("parts/plate.obj", make::box({.size_x = 4, .size_y = 4, .size_z = 1}));
  const Assembly assembly = read_json(R"({
    "title": "A bench", "unit": "cm",
    "parts": [
      {"name": "plate", "file": "parts/plate.obj", "group": "frame"},
      {"name": "again", "file": "parts/plate.obj", "pose": [0, 0, 5, 0.7071067811865476, 0, 0, 0.7071067811865476]},
      {"name": "bolt_1", "shape": "cylinder:1,4", "pose": {"translation": [1, 2, 3], "rotation": [0, 1, 0, 0]}},
      {"shape": "sphere:2", "pose": [[1,0,0,7],[0,1,0,8],[0,0,1,9],[0,0,0,1]]},
      {"shape": "gear:teeth=12,module=2"}
    ],
    "groups": {"bolts": ["bolt_*"]},
    "rules": {"clearance": 0.5, "contact": 0.01, "only": [["a", "b"]], "ignore": [["c", "d"]], "allow": [["e", "f"]]}
  })");
  EXPECT_EQ(assembly.title, "A bench");
  EXPECT_EQ(assembly.unit, "cm");
  ASSERT_EQ(assembly.parts.size(), 5u);
  EXPECT_EQ(assembly.meshes.size(), 4u);
  EXPECT_EQ(assembly.parts[0].mesh, assembly.parts[1].mesh);
  EXPECT_EQ(assembly.parts[0].group, "frame");
  EXPECT_EQ(assembly.parts[1].pose.translation(), Vector3(0, 0, 5));
  EXPECT_NEAR(assembly.parts[1].pose.rotation()(1, 0), 1, 1e-12);
  EXPECT_EQ(assembly.parts[2].group, "bolts");
  EXPECT_EQ(assembly.parts[2].pose.translation(), Vector3(1, 2, 3));
  EXPECT_NEAR(assembly.parts[2].pose.rotation()(2, 2), -1, 1e-12);
  EXPECT_EQ(assembly.parts[3].name, "sphere");
  EXPECT_EQ(assembly.parts[3].pose.translation(), Vector3(7, 8, 9));
  EXPECT_NEAR(assembly.meshes[assembly.parts[3].mesh].shape.bounds().upper[2], 2, 0.01);
  EXPECT_NEAR(assembly.meshes[assembly.parts[4].mesh].shape.bounds().upper[0], 14, 1e-9);  // 2 (12 / 2 + 1)
  EXPECT_EQ(assembly.rules.clearance, 0.5);
  EXPECT_EQ(assembly.rules.contact, 0.01);
  EXPECT_EQ(assembly.rules.only.at(0).a, "a");
  EXPECT_EQ(assembly.rules.ignored.at(0).b, "d");
  EXPECT_EQ(assembly.rules.allowed.at(0).a, "e");
}

TEST_F(ClashRead, ChildrenStandAndMoveWithTheirParents) {
  const Assembly assembly = read_json(R"({"parts": [
    {"name": "finger", "shape": "box:1,1,1", "parent": "hand", "pose": [0, 0, 2]},
    {"name": "hand", "shape": "box:1,1,1", "parent": "arm", "pose": [0, 3, 0]},
    {"name": "arm", "shape": "box:1,1,1", "parent": "post",
     "motion": [{"time": 0, "pose": [0, 0, 0]},
                {"time": 2, "pose": [0, 0, 0, 0.7071067811865476, 0, 0, 0.7071067811865476]}]},
    {"name": "post", "shape": "box:1,1,1", "pose": [100, 0, 0]}]})");
  ASSERT_EQ(assembly.parts[0].motion.size(), 2u);
  EXPECT_LT((pose_of(assembly.parts[0], 0).translation() - Vector3(100, 3, 2)).norm(), 1e-12);
  EXPECT_LT((pose_of(assembly.parts[0], 2).translation() - Vector3(97, 0, 2)).norm(), 1e-12);
  // Between the keyframes, the part is on the circle around the post, not on the chord.
  const double half = 3 / std::sqrt(2.0);
  EXPECT_LT((pose_of(assembly.parts[0], 1).translation() - Vector3(100 - half, half, 2)).norm(), 1e-12);
  EXPECT_TRUE(assembly.parts[3].motion.empty());
}

TEST_F(ClashRead, UnitsAreConverted) {
  const std::string text = R"({"unit": "mm", "rules": {"clearance": 5}, "parts": [
    {"name": "a", "shape": "box:1,1,1", "unit": "in"},
    {"name": "b", "shape": "box:1,1,1", "pose": [1000, 0, 0]}]})";
  const Assembly own = read_json(text);
  EXPECT_EQ(own.meshes[own.parts[0].mesh].shape.bounds().upper[0], 12.7);
  EXPECT_EQ(own.meshes[own.parts[1].mesh].shape.bounds().upper[0], 0.5);
  const Assembly meters = read_json(text, "m");
  EXPECT_EQ(meters.unit, "m");
  EXPECT_NEAR(meters.meshes[meters.parts[0].mesh].shape.bounds().upper[0], 0.0127, 1e-17);
  EXPECT_NEAR(meters.meshes[meters.parts[1].mesh].shape.bounds().upper[0], 0.0005, 1e-18);
  EXPECT_EQ(meters.parts[1].pose.translation()[0], 1);
  EXPECT_EQ(meters.rules.clearance, 0.005);
  EXPECT_FALSE(meters.notes.empty());
  EXPECT_EQ(conversion("ft", "in", ""), 12);
  EXPECT_EQ(conversion("m", "mm", ""), 1000);
  EXPECT_EQ(conversion("parsec", "parsec", ""), 1);
}

TEST_F(ClashRead, APoseThatIsOutOfRangeOnlyAfterItsUnitIsConvertedIsRefusedWithTheFile) {
  const std::string object = R"(<object id="1"><mesh><vertices>
    <vertex><coordinates><x>0</x><y>0</y><z>0</z></coordinates></vertex>
    <vertex><coordinates><x>1</x><y>0</y><z>0</z></coordinates></vertex>
    <vertex><coordinates><x>0</x><y>1</y><z>0</z></coordinates></vertex></vertices>
    <volume><triangle><v1>0</v1><v2>1</v2><v3>2</v3></triangle></volume></mesh></object>)";
  const fs::path far = write("far.amf", R"(<amf unit="meter">)" + object + R"(<constellation id="2">
    <instance objectid="1"><deltax>1e89</deltax></instance></constellation></amf>)");
  EXPECT_EQ(read(far).parts[0].pose.translation()[0], 1e89);
  const std::string message = message_of(far, "um");
  EXPECT_EQ(message.rfind(far.lexically_normal().string() + ": part 'object 1'", 0), 0u) << message;
  EXPECT_NE(message.find("1e90"), std::string::npos) << message;
  // The same in a scene.json, for a pose of its own and for that of a file.
  for (const char* part :
       {R"("shape": "box:1,1,1", "pose": [1e89, 0, 0])",
        R"("shape": "box:1,1,1", "motion": [{"time": 0, "pose": [1e89, 0, 0]}])", R"("file": "far.amf")"}) {
    const fs::path scene = write("scene.json", std::string(R"({"unit": "m", "parts": [{)") + part + "}]}");
    EXPECT_EQ(read(scene).parts[0].pose.translation()[0], 1e89);
    const std::string other = message_of(scene, "um");
    EXPECT_EQ(other.rfind(scene.string() + ": parts[0]", 0), 0u) << other;
    EXPECT_NE(other.find("1e90"), std::string::npos) << other;
  }
}

TEST_F(ClashRead, UnitsThatCannotBeConvertedAreRefused) {
  expect_refused(R"({"unit": "mm", "parts": [{"shape": "box:1,1,1", "unit": "cubit"}]})", "parts[0]", "cubit");
  EXPECT_NE(
      message_of(write("scene.json", R"({"unit": "cubit", "parts": [{"shape": "box:1,1,1"}]})"), "mm").find("cubit"),
      std::string::npos);
}

TEST_F(ClashRead, FieldsOfASceneJsonAreChecked) {
  expect_refused("{", "parse error at line 1", "");
  expect_refused("[]", "", "object");
  expect_refused("{}", "lacks 'parts'", "");
  expect_refused(R"({"parts": []})", "parts", "empty");
  expect_refused(R"({"parts": 3})", "parts", "list");
  expect_refused(R"({"parts": [3]})", "parts[0]", "object");
  expect_refused(R"({"part": [], "parts": [{"shape": "box:1,1,1"}]})", "unknown field 'part'", "'parts'");
  expect_refused(R"({"parts": [{"shape": "box:1,1,1"}], "rules": {"clearence": 1}})", "rules", "'clearance'");
  expect_refused(R"({"parts": [{"shape": "box:1,1,1"}], "rules": {"clearance": -1}})", "rules.clearance", "-1");
  expect_refused(R"({"parts": [{"shape": "box:1,1,1"}], "rules": {"allow": [["a"]]}})", "rules.allow[0]", "two");
  expect_refused(R"({"parts": [{"shape": "box:1,1,1"}], "groups": {"g": "a*"}})", "groups.g", "list");
  expect_part_refused(R"("shape": "box:1,1,1", "posse": [0,0,0])", "", "'pose'");
  expect_part_refused(R"("name": "x")", "", "'file' or a 'shape'");
  expect_part_refused(R"("file": "a.stl", "shape": "box:1,1,1")", "", "not both");
  expect_part_refused(R"("shape": "box:1,1,1", "name": 7)", ".name", "string");
  expect_part_refused(R"("shape": "box:1,1,1", "pose": [1, 2])", ".pose", "3 numbers");
  expect_part_refused(R"("shape": "box:1,1,1", "pose": [1, 2, "x"])", ".pose[2]", "number");
  expect_part_refused(R"("shape": "box:1,1,1", "pose": [0,0,0, 0,0,0,0])", ".pose", "quaternion");
  expect_part_refused(R"("shape": "box:1,1,1", "pose": [1,0,0,0, 0,1,0,0, 0,0,1,0, 1,0,0,1])", ".pose", "last row");
  expect_part_refused(R"("shape": "box:1,1,1", "pose": [1e200, 0, 0])", ".pose", "1e");
  expect_part_refused(R"("shape": "box:1,1,1", "pose": {"translation": [0,0]})", ".pose.translation", "3 numbers");
  expect_part_refused(R"("shape": "box:1,1,1", "pose": {"rotate": [1,0,0,0]})", ".pose", "'rotation'");
  expect_part_refused(R"("shape": "box:1,1", "pose": [0,0,0])", ".shape", "takes 3 numbers");
  expect_part_refused(R"("shape": "boxx:1,1,1")", ".shape", "unknown shape");
  expect_part_refused(R"("shape": "gear:teeths=3")", ".shape", "'teeth'");
  expect_part_refused(R"("shape": "sphere:much")", ".shape", "'much'");
  expect_part_refused(R"("shape": "box:1,1,1", "motion": [])", ".motion", "keyframes");
  expect_part_refused(R"("shape": "box:1,1,1", "motion": [{"time": 0}])", ".motion[0]", "'pose'");
  expect_part_refused(R"("shape": "box:1,1,1", "motion": [{"time": 1, "pose": [0,0,0]}, {"time": 1, "pose": [0,0,0]}])",
                      ".motion[1].time", "ascend");
  expect_part_refused(R"("shape": "box:1,1,1", "motion": [{"time": 1, "pose": [0,0,0]}], "pose": [0,0,0])", "",
                      "first keyframe");
  expect_part_refused(R"("shape": "box:1,1,1", "motion": [{"time": 1, "pose": [2,0,0,0, 0,2,0,0, 0,0,2,0, 0,0,0,1]}])",
                      ".motion[0].pose", "scale");
}

TEST_F(ClashRead, DamagedScenes) {
  expect_part_refused(R"("file": "missing.stl")", ".file", "missing.stl");
  write("empty.stl", "");
  expect_part_refused(R"("file": "empty.stl")", ".file", "empty.stl");
  expect_part_refused(R"("shape": "box:1,1,1", "name": "first")", ".name", "parts[0]");
  expect_part_refused(R"("shape": "box:1,1,1", "scale": 0)", ".scale", "zero");
  expect_part_refused(R"("shape": "box:1,1,1", "scale": [1, 0, 1])", ".scale", "zero");
  expect_part_refused(R"("shape": "box:1,1,1", "pose": [1,0,0,0, 0,1,0,0, 0,0,0,0, 0,0,0,1])", ".pose", "scale zero");
  expect_part_refused(R"("shape": "box:1,1,1", "parent": "nobody")", ".parent", "nobody");
  expect_refused(R"({"parts": [{"name": "a", "shape": "box:1,1,1", "parent": "b"},
                               {"name": "b", "shape": "box:1,1,1", "parent": "a"}]})",
                 "parts[0].parent", "cycle");
  expect_refused(R"({"parts": [{"name": "a", "shape": "box:1,1,1", "parent": "a"}]})", "parts[0].parent", "cycle");
  expect_refused(R"({"parts": [
      {"name": "a", "shape": "box:1,1,1", "motion": [{"time": 0, "pose": [0,0,0]}, {"time": 1, "pose": [1,0,0]}]},
      {"name": "b", "shape": "box:1,1,1", "parent": "a",
       "motion": [{"time": 0, "pose": [0,0,0]}, {"time": 1, "pose": [1,0,0]}]}]})",
                 "parts[1].parent", "both 'b' and 'a' move");
  EXPECT_NE(message_of(folder_ / "nowhere.stl").find("no such file"), std::string::npos);
  fs::create_directories(folder_ / "nothing in it");
  EXPECT_NE(message_of(folder_ / "nothing in it").find("no parts"), std::string::npos);
}

TEST_F(ClashRead, MirroredPartsAreTurnedRound) {
  write("wedge.obj", make::s_shape({}));
  const Assembly assembly = read_json(R"({"parts": [
    {"name": "left", "file": "wedge.obj"},
    {"name": "right", "file": "wedge.obj", "scale": [-1, 1, 1]},
    {"name": "also right", "file": "wedge.obj", "pose": [-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]}]})");
  const double volume = assembly.meshes[assembly.parts[0].mesh].shape.volume();
  EXPECT_GT(volume, 0);
  for (const Part& part : assembly.parts) {
    EXPECT_TRUE(assembly.meshes[part.mesh].is_closed);
    EXPECT_NEAR(assembly.meshes[part.mesh].shape.volume(), volume, 1e-9);
  }
  // Each is the mirror image of the other, wherever the mirror is in the node tree.
  const Vector3 left = assembly.meshes[assembly.parts[0].mesh].shape.centroid();
  for (const std::size_t i : {1u, 2u}) {
    const Part& part = assembly.parts[i];
    const Vector3 right = place(part.pose, assembly.meshes[part.mesh].shape.centroid());
    EXPECT_LT((right - Vector3(-left[0], left[1], left[2])).norm(), 1e-9);
  }
  bool is_told = false;
  for (const std::string& note : assembly.notes)
    is_told = is_told || note.find("mirrored") != std::string::npos;
  EXPECT_TRUE(is_told);
}

TEST_F(ClashRead, AFolderOfParts) {
  write("parts/b.obj", make::box({}));
  write("parts/a.ply", make::box({.size_x = 2}));
  write("parts/bolts/b.off", make::box({}));
  write("parts/readme.txt", std::string("no part"));
  const Assembly assembly = read(folder_ / "parts");
  ASSERT_EQ(assembly.parts.size(), 3u);
  EXPECT_EQ(assembly.parts[0].name, "a");
  EXPECT_EQ(assembly.parts[1].name, "b");
  EXPECT_EQ(assembly.parts[2].name, "b_2");
  EXPECT_EQ(assembly.parts[0].group, "");
  EXPECT_EQ(assembly.parts[2].group, "bolts");
  EXPECT_EQ(assembly.meshes.size(), 2u);  // b.obj and b.off have the same contents
  EXPECT_EQ(assembly.rules.contact, 0);
}

TEST_F(ClashRead, GroupsOfAnObjAndPartsOfTwoFiles) {
  const std::string two = "g left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng right\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 4 5 6\n";
  const std::vector<fs::path> paths{write("one.obj", two), write("two.obj", two)};
  const Assembly assembly = read_assembly(paths);
  ASSERT_EQ(assembly.parts.size(), 4u);
  EXPECT_EQ(assembly.parts[1].name, "right");
  EXPECT_EQ(assembly.parts[3].name, "right_2");
  EXPECT_FALSE(assembly.meshes[0].is_closed);
}

TEST_F(ClashRead, AFileOfSeveralPartsInASceneJson) {
  write("two.obj",
        std::string("g left\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ng right\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 4 5 6\n"));
  const Assembly assembly =
      read_json(R"({"parts": [{"name": "both", "file": "two.obj", "pose": [0, 0, 7], "scale": 2}]})");
  ASSERT_EQ(assembly.parts.size(), 2u);
  EXPECT_EQ(assembly.parts[0].name, "both/left");
  EXPECT_EQ(assembly.parts[1].name, "both/right");
  const Aabb box = assembly.meshes[assembly.parts[1].mesh].shape.bounds(assembly.parts[1].pose);
  EXPECT_NEAR(box.upper[0], 12, 1e-12);
  EXPECT_NEAR(box.upper[2], 7, 1e-12);
}

TEST_F(ClashRead, SceneFilesWithNodes) {
  if (!fs::exists(fs::path(WHISKER_COMMAND).parent_path() / "whisker-scene-reader")) GTEST_SKIP() << "no assimp";
  const fs::path file = write("nodes.gltf", gltf(R"([{"name": "root", "children": [1, 2, 3]}, {"name": "a", "mesh": 0},
      {"name": "b", "mesh": 0, "translation": [0.25, 0, 0]},
      {"name": "m", "mesh": 0, "scale": [-1, 1, 1], "translation": [5, 0, 0]}])"));
  const Assembly assembly = read(file);
  EXPECT_EQ(assembly.unit, "m");
  ASSERT_EQ(assembly.parts.size(), 3u);
  EXPECT_EQ(assembly.parts[1].name, "b");
  EXPECT_EQ(assembly.parts[0].mesh, assembly.parts[1].mesh);
  EXPECT_EQ(assembly.meshes.size(), 2u);
  EXPECT_TRUE(assembly.meshes[assembly.parts[2].mesh].is_closed);
  EXPECT_GT(assembly.rules.contact, 0);  // the precision of float coordinates
  EXPECT_LT(assembly.rules.contact, 1e-4);
  const Assembly millimeters = read(file, "mm");
  EXPECT_NEAR(millimeters.parts[1].pose.translation()[0], 250, 1e-9);
  EXPECT_NEAR(millimeters.meshes[millimeters.parts[0].mesh].shape.bounds().upper[0], 1000, 1e-9);
}

TEST_F(ClashRead, DamagedSceneFiles) {
  if (!fs::exists(fs::path(WHISKER_COMMAND).parent_path() / "whisker-scene-reader")) GTEST_SKIP() << "no assimp";
  const auto expect = [&](const std::string& nodes, const std::string& word) {
    const std::string message = message_of(write("damaged.gltf", gltf(nodes)));
    EXPECT_NE(message.find("damaged.gltf"), std::string::npos) << message;
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  expect(R"([{"name": "root", "children": [1]}, {"name": "a", "mesh": 0, "children": [2]},
            {"name": "b", "children": [0]}])",
         "cycle");
  expect(R"([{"children": [0], "mesh": 0}])", "cycle");
  expect(R"([{"name": "root", "mesh": 0, "scale": [1, 0, 1]}])", "scale zero");
  expect(R"([{"name": "root", "mesh": 0, "matrix": [1,0,0,0, 0,1,0,0, 0,0,0,0, 0,0,0,1]}])", "scale zero");
  expect(R"([{"name": "root"}])", "no triangles");
}

}  // namespace
}  // namespace whisker::clash
