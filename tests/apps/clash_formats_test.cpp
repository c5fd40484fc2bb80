// The same three parts in every format, each with its own unit, up axis and way of splitting surfaces. The planted
// findings are found, with correct lengths.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <whisker/error.hpp>

#include "clash/check.hpp"
#include "clash/output.hpp"
#include "clash/read_assembly.hpp"
#include "clash/report.hpp"
#include "clash/unit.hpp"
#include "support/scene_files.hpp"

namespace whisker::clash {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::BoxPart;

// The end of the beam is 0.22 m deep in the wall, and the pipe is 50 mm beside the wall.
const std::vector<BoxPart> boxes{{"Wall", {0, 0, 0}, {4, 1, 3}},
                                 {"Tr\xC3\xA4ger", {3.78, 0.25, 1}, {5, 0.75, 1.5}},
                                 {"Pipe", {1, 1.05, 0}, {2, 1.5, 1}}};

struct FormatCase {
  const char* file;
  std::string content;
  const char* unit;
  UpAxis up;
};

std::vector<FormatCase> all_formats() {
  return {
      {"a.gltf", test::gltf_file(boxes), "m", UpAxis::y},
      {"a.glb", test::glb_file(boxes), "m", UpAxis::y},
      {"a.dae", test::collada_file(boxes, 0.0254), "in", UpAxis::z},
      {"b.dae", test::collada_file(boxes, 0.01), "cm", UpAxis::z},
      {"c.dae", test::collada_file(boxes, 0.123), "m", UpAxis::z},  // a unit without a name
      {"a.fbx", test::fbx_file(boxes, 0.1), "mm", UpAxis::z},
      {"b.fbx", test::fbx_file(boxes, 100), "m", UpAxis::z},
      {"a.ifc", test::ifc_file(boxes, 1e-3, "IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.)"), "mm", UpAxis::z},
      {"b.ifc", test::ifc_file(boxes, 1, "IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.)"), "m", UpAxis::z},
      {"a.3mf", test::three_mf_file(boxes, 0.0254, "inch"), "in", UpAxis::z},
      {"b.3mf", test::three_mf_file(boxes, 1e-3, ""), "mm", UpAxis::z},
      {"a.amf", test::amf_file(boxes, 0.3048, "feet"), "ft", UpAxis::z},
      {"a.obj", test::obj_file(boxes, 1e-3), "mm", UpAxis::unknown},  // the assumed unit
  };
}

class ClashFormats : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("whisker_clash_formats_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    // The reader of foreign formats is next to the command, not next to this test.
    const fs::path reader = fs::path(WHISKER_COMMAND).parent_path() / "whisker-scene-reader";
    if (!fs::exists(reader)) GTEST_SKIP() << "whisker-scene-reader is not built";
    ::setenv("WHISKER_SCENE_READER", reader.c_str(), 0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  // Returns the command's output, and its exit status in `status`.
  std::string run(const std::string& arguments, int& status) const {
    const std::string line = std::string(WHISKER_COMMAND) + " " + arguments + " 2>&1";
    std::FILE* const pipe = ::popen(line.c_str(), "r");
    std::string text;
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
      text.append(buffer, got);
    const int ended = ::pclose(pipe);
    status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    return text;
  }

  fs::path folder_;
};

bool has(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

std::string joined_notes(const Assembly& assembly) {
  std::string text;
  for (const std::string& note : assembly.notes)
    text += note + "\n";
  return text;
}

// Expects exactly the clash and the gap, with their lengths in meters.
void expect_planted(Assembly assembly) {
  const double meters = meters_of(assembly.unit).value();
  assembly.rules.clearance = parse_length("60mm", assembly.unit, "--clearance");
  EXPECT_NEAR(assembly.rules.clearance * meters, 0.06, 1e-12);
  const Findings findings = check(assembly);
  ASSERT_EQ(assembly.parts.size(), 3u);
  for (const Part& part : assembly.parts)
    EXPECT_TRUE(assembly.meshes[part.mesh].is_closed) << part.name;
  ASSERT_EQ(findings.all.size(), 2u) << table_of(assembly, findings, {.contacts = true});
  const Finding &clash = findings.all[0], &gap = findings.all[1];
  EXPECT_EQ(clash.kind, FindingKind::clash);
  EXPECT_EQ(assembly.parts[clash.a].name, "Wall");
  EXPECT_EQ(assembly.parts[clash.b].name, boxes[1].name);
  ASSERT_TRUE(clash.depth);
  EXPECT_NEAR(clash.depth->lower * meters, 0.22, 2e-6);
  EXPECT_NEAR(clash.depth->upper * meters, 0.22, 2e-6);
  EXPECT_EQ(gap.kind, FindingKind::too_close);
  EXPECT_EQ(assembly.parts[gap.b].name, "Pipe");
  ASSERT_TRUE(gap.distance);
  EXPECT_NEAR(gap.distance->lower * meters, 0.05, 2e-6);
  EXPECT_NEAR(gap.distance->upper * meters, 0.05, 2e-6);
  // The position must be in the overlap, which extends from x = 3.78 to 4.
  const Vector3 position = clash.position * meters;
  EXPECT_GT(position.x(), 3.7799);
  EXPECT_LT(position.x(), 4.0001);
  const double height = assembly.up == UpAxis::y ? position.y() : position.z();
  EXPECT_GT(height, 0.9999);
  EXPECT_LT(height, 1.5001);
}

TEST_F(ClashFormats, ThePlantedFindingsComeOutInEveryFormatWithLengthsThatAreRight) {
  for (const FormatCase& format : all_formats()) {
    SCOPED_TRACE(format.file);
    const Assembly assembly = read_assembly(std::vector<fs::path>{write(format.file, format.content)});
    EXPECT_EQ(assembly.unit, format.unit);
    EXPECT_EQ(assembly.up, format.up);
    expect_planted(assembly);
    for (const Part& part : assembly.parts)
      EXPECT_EQ(fs::path(part.file).filename(), format.file);
  }
}

TEST_F(ClashFormats, EveryFormatIsConvertedToTheUnitThatIsAskedFor) {
  for (const FormatCase& format : all_formats()) {
    if (format.up == UpAxis::unknown) continue;  // a file without a unit would be taken to be in yards
    SCOPED_TRACE(format.file);
    const Assembly assembly = read_assembly(std::vector<fs::path>{write(format.file, format.content)}, {.unit = "yd"});
    EXPECT_EQ(assembly.unit, "yd");
    EXPECT_TRUE(has(joined_notes(assembly), "converted from ")) << joined_notes(assembly);
    expect_planted(assembly);
  }
}

TEST_F(ClashFormats, FilesOfDifferentUnitsAndUpAxesStandTogether) {
  // Each part in a different format.
  const std::vector<fs::path> files{
      write("a.ifc", test::ifc_file({boxes[0]}, 1e-3, "IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.)")),
      write("b.glb", test::glb_file({boxes[1]})), write("c.3mf", test::three_mf_file({boxes[2]}, 0.0254, "inch"))};
  const Assembly assembly = read_assembly(files);
  EXPECT_EQ(assembly.unit, "mm");
  EXPECT_EQ(assembly.unit_origin, "stated by a.ifc");
  EXPECT_EQ(assembly.up, UpAxis::z);
  const std::string notes = joined_notes(assembly);
  EXPECT_TRUE(has(notes, "b.glb: converted from m to mm")) << notes;
  EXPECT_TRUE(has(notes, "c.3mf: converted from in to mm")) << notes;
  EXPECT_TRUE(has(notes, "b.glb: rotated so that its y axis points up, as the z axis does in a.ifc")) << notes;
  expect_planted(assembly);
  // In the other order, the first file decides: meters, y up.
  const Assembly other = read_assembly(std::vector<fs::path>{files[1], files[0], files[2]});
  EXPECT_EQ(other.unit, "m");
  EXPECT_EQ(other.unit_origin, "defined by the format of b.glb");
  EXPECT_EQ(other.up, UpAxis::y);
  const Findings findings = check(other);
  ASSERT_EQ(findings.all.size(), 1u);
  EXPECT_NEAR(findings.all[0].depth.value().upper, 0.22, 2e-6);
}

TEST_F(ClashFormats, AFileWithoutAUnitMakesMillimetersAndIsToldOf) {
  const std::vector<fs::path> files{write("a.glb", test::glb_file({boxes[0]})),
                                    write("b.obj", test::obj_file({boxes[1], boxes[2]}, 1e-3))};
  std::vector<fs::path> in_z{files[1], files[0]};
  const Assembly assembly = read_assembly(in_z);
  EXPECT_EQ(assembly.unit, "mm");
  EXPECT_EQ(assembly.unit_origin, "assumed: b.obj states no unit");
}

TEST_F(ClashFormats, SizesThatNoPartHasQuestionTheUnit) {
  const auto notes_of = [&](double meters, const std::string& unit) {
    return joined_notes(
        read_assembly(std::vector<fs::path>{write("a.obj", test::obj_file(boxes, meters))}, {.unit = unit}));
  };
  // 4, 4e-4 and 4e8 units long, taken to be in mm.
  EXPECT_FALSE(has(notes_of(1, ""), "--unit")) << notes_of(1, "");
  EXPECT_TRUE(has(notes_of(1e4, ""), "a.obj: no unit is stated; assuming mm, the largest part is 0.0004 mm long"))
      << notes_of(1e4, "");
  EXPECT_TRUE(has(notes_of(1e-8, ""), "--unit"));
  EXPECT_FALSE(has(notes_of(1e4, "mm"), "--unit")) << "the user has said so";
  EXPECT_FALSE(
      has(joined_notes(read_assembly(std::vector<fs::path>{write("a.3mf", test::three_mf_file(boxes, 1e-3, ""))})),
          "--unit"));
}

TEST_F(ClashFormats, AFolderOfSmallFilesQuestionsTheUnitOnce) {
  fs::create_directories(folder_ / "parts");
  for (const char* const name : {"parts/a.obj", "parts/b.obj", "parts/c.obj"})
    write(name, test::obj_file({boxes[0]}, 1e4));
  const std::string notes = joined_notes(read_assembly(std::vector<fs::path>{folder_ / "parts"}));
  EXPECT_TRUE(has(notes, "a.obj and 2 more: no unit is stated")) << notes;
  EXPECT_EQ(notes.find("--unit"), notes.rfind("--unit")) << notes;
}

TEST_F(ClashFormats, IfcTypesAreGroupsThatRulesName) {
  Assembly assembly = read_assembly(
      std::vector<fs::path>{write("a.ifc", test::ifc_file(boxes, 1e-3, "IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.)"))});
  assembly.rules.ignored = {{"IfcBeam", "IfcWall*"}};
  EXPECT_TRUE(check(assembly).all.empty());
}

TEST_F(ClashFormats, JsonAndCsvSayWhereAPartIsToBeFound) {
  const Assembly assembly = read_assembly(
      std::vector<fs::path>{write("a.ifc", test::ifc_file(boxes, 1e-3, "IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.)"))});
  const Findings findings = check(assembly);
  const json told = json::parse(json_of(assembly, findings));
  EXPECT_EQ(told["unit"], "mm");
  EXPECT_EQ(told["unit_origin"], "stated by a.ifc");
  const json& source = told["findings"][0]["source_b"];
  EXPECT_EQ(source["type"], "IfcBeam");
  EXPECT_EQ(source["path"], (json{"Site", "House", "Ground floor"}));
  EXPECT_EQ(source["id"].get<std::string>().size(), 22u);
  EXPECT_TRUE(source["file"].get<std::string>().ends_with("a.ifc"));
  EXPECT_TRUE(has(csv_of(assembly, findings), source["id"].get<std::string>()));
}

TEST_F(ClashFormats, TheCommandPrintsTheUnitAndTakesLengthsWithOne) {
  const fs::path house = write("a.ifc", test::ifc_file(boxes, 1, "IFCSIUNIT(*,.LENGTHUNIT.,$,.METRE.)"));
  int status = 0;
  std::string text = run("clash " + house.string() + " --clearance 60mm --quiet", status);
  EXPECT_EQ(status, 1) << text;
  EXPECT_TRUE(has(text, "in m")) << text;
  EXPECT_TRUE(has(text, "0.22 deep")) << text;
  EXPECT_TRUE(has(text, "0.05 apart")) << text;
  EXPECT_TRUE(has(text, "lengths are in m (stated by a.ifc)")) << text;
  text = run("clash " + house.string() + " --clearance 0.06 --unit mm --quiet", status);
  EXPECT_TRUE(has(text, "220 deep")) << text;
  EXPECT_TRUE(has(text, "lengths are in mm (set by --unit)")) << text;
  EXPECT_FALSE(has(text, "apart")) << "a bare number is in the result's unit:\n" << text;
  text = run("clash " + house.string() + " --clearance 40mm --quiet", status);
  EXPECT_FALSE(has(text, "apart")) << text;
  text = run("clash " + house.string() + " --contact 10in --quiet", status);
  EXPECT_EQ(status, 0) << "0.22 m is less than 10 inches:\n" << text;
  text = run("clash " + house.string() + " --clearance 5furlong", status);
  EXPECT_EQ(status, 2);
  EXPECT_TRUE(has(text, "--clearance '5furlong': unknown unit 'furlong'; use one of um, mm, cm")) << text;
  text = run("clash " + house.string() + " --clearance ''", status);
  EXPECT_EQ(status, 2) << text;
  text = run("clash " + house.string() + " --clearance wide", status);
  EXPECT_EQ(status, 2);
  EXPECT_TRUE(has(text, "--clearance 'wide': takes a length")) << text;
  const fs::path blocks = write("a.obj", test::obj_file(boxes, 1));
  text = run("clash " + blocks.string() + " --unit blocks --clearance 5mm", status);
  EXPECT_EQ(status, 2);
  EXPECT_TRUE(has(text, "the result is in 'blocks'")) << text;
  text = run("clash " + blocks.string() + " --unit blocks --clearance 0.06blocks --quiet", status);
  EXPECT_TRUE(has(text, "0.05 apart")) << text;
}

TEST_F(ClashFormats, InspectPrintsTheUnitAndTheParts) {
  int status = 0;
  const fs::path house = write("a.ifc", test::ifc_file(boxes, 1e-3, "IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.)"));
  std::string text = run("inspect " + house.string(), status);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(has(text, "mm, stated by the file")) << text;
  EXPECT_TRUE(has(text, "Pipe (12 triangles, IfcFlowSegment, 00000000000000")) << text;
  const json told = json::parse(run("inspect --json " + house.string(), status));
  EXPECT_EQ(told["unit"]["meters"], 0.001);
  EXPECT_EQ(told["unit"]["stated_by"], "file");
  EXPECT_EQ(told["up"], "z");
  EXPECT_EQ(told["parts"][1]["type"], "IfcBeam");
  text = run("inspect " + write("a.glb", test::glb_file(boxes)).string(), status);
  EXPECT_TRUE(has(text, "m, by the format's specification")) << text;
  text = run("inspect " + write("a.obj", test::obj_file(boxes, 1)).string(), status);
  EXPECT_TRUE(has(text, "not stated")) << text;
}

TEST_F(ClashFormats, ThePageStandsTheRightWayUpAndIsSeenFromAbove) {
  for (const FormatCase& format : all_formats()) {
    SCOPED_TRACE(format.file);
    const Assembly assembly = read_assembly(std::vector<fs::path>{write(format.file, format.content)});
    const Findings findings = check(assembly);
    const fs::path page = folder_ / "report.html";
    write_report(page, assembly, findings);
    std::ifstream file(page);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string mark = "<script id=\"report\" type=\"application/json\">";
    const std::size_t begin = text.rfind(mark) + mark.size();
    const json content = json::parse(text.substr(begin, text.find("</script>", begin) - begin));
    const bool is_y = format.up == UpAxis::y;
    EXPECT_EQ(content["up"], is_y ? "y" : "z");
    EXPECT_EQ(content["unit"], format.unit);
    // The beam in the wall is visible from above, so the view must be from above.
    const json& view = content["findings"][0]["view"]["towardEye"];
    EXPECT_GT(view[is_y ? 1 : 2].get<double>(), 0) << view;
  }
}

}  // namespace
}  // namespace whisker::clash
