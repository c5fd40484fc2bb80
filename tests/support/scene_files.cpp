#include "support/scene_files.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace whisker::test {

namespace {

template <typename Number>
void append(std::string& out, Number value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

// With all digits of a double, and always with a decimal point or an exponent, as STEP requires.
std::string text_of(double value) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", value);
  std::string text = digits;
  if (text.find_first_of(".e") == std::string::npos) text += ".";
  return text;
}

std::string base64(const std::string& bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
  }
  return out;
}

std::string number(std::size_t value) {
  return std::to_string(value);
}

// The JSON of a glTF file, and the bytes of its buffer.
std::pair<std::string, std::string> gltf_parts(const std::vector<BoxPart>& boxes, const std::string& uri_before,
                                               const std::string& uri_after) {
  std::string buffer, nodes, meshes, accessors, views, roots;
  std::size_t count = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const MeshData mesh = box_mesh(boxes[i]);
    std::string primitives;
    for (std::size_t half = 0; half < 2; ++half) {
      // Each primitive has its own vertices, as exporters write them: three for each triangle.
      const std::size_t begin = buffer.size();
      for (std::size_t t = 6 * half; t < 6 * half + 6; ++t) {
        for (const std::uint32_t corner : mesh.triangles[t]) {
          const Vector3& v = mesh.vertices[corner];
          for (const double x : {v.x(), v.z(), -v.y()})
            append(buffer, static_cast<float>(x));
        }
      }
      const std::string comma = count > 0 ? "," : "";
      views += comma + R"({"buffer":0,"byteOffset":)" + number(begin) + R"(,"byteLength":)" +
               number(buffer.size() - begin) + "}";
      accessors += comma + R"({"bufferView":)" + number(count) +
                   R"(,"componentType":5126,"count":18,"type":"VEC3","min":[-1e6,-1e6,-1e6],"max":[1e6,1e6,1e6]})";
      primitives += (half > 0 ? "," : "") + (R"({"attributes":{"POSITION":)" + number(count)) + R"(},"material":)" +
                    number(half) + "}";
      ++count;
    }
    const std::string comma = i > 0 ? "," : "";
    meshes +=
        comma + "{" + (i == 0 ? R"("name":")" + boxes[i].name + R"(",)" : "") + R"("primitives":[)" + primitives + "]}";
    nodes += comma + "{" + (i > 0 ? R"("name":")" + boxes[i].name + R"(",)" : "") + R"("mesh":)" + number(i) + "}";
    roots += comma + number(i);
  }
  const std::size_t frame = boxes.size();
  nodes += R"(,{"name":"frame","children":[)" + roots + "]}";
  return {R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[)" + number(frame) + R"(]}],"nodes":[)" + nodes +
              R"(],"meshes":[)" + meshes + R"(],"materials":[{"name":"red"},{"name":"blue"}],"buffers":[{)" +
              uri_before + (uri_before.empty() ? "" : base64(buffer)) + uri_after + R"("byteLength":)" +
              number(buffer.size()) + R"(}],"bufferViews":[)" + views + R"(],"accessors":[)" + accessors + "]}",
          buffer};
}

std::uint32_t checksum(const std::string& bytes) {
  std::uint32_t crc = 0xFFFF'FFFFu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ ((crc & 1u) != 0 ? 0xEDB8'8320u : 0u);
  }
  return ~crc;
}

// The lines "#n=…;" of a STEP file.
class StepFile {
 public:
  std::string add(const std::string& entity) {
    const std::string name = "#" + number(++last_);
    text_ += name + "=" + entity + ";\n";
    return name;
  }
  std::string point(const Vector3& p) {
    return add("IFCCARTESIANPOINT((" + text_of(p.x()) + "," + text_of(p.y()) + "," + text_of(p.z()) + "))");
  }
  std::string placement(const Vector3& p) { return add("IFCAXIS2PLACEMENT3D(" + point(p) + ",$,$)"); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t last_ = 0;
};

// ASCII unchanged, other letters in STEP's encoding (ISO 10303-21, 6.4.3.3). Supports letters of up to two bytes in
// UTF-8.
std::string step_text(const std::string& utf8) {
  std::string out;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto first = static_cast<unsigned char>(utf8[i]);
    if (first < 0x80) {
      out += utf8[i];
    } else {
      char code[16];
      const auto second = static_cast<unsigned char>(utf8[++i]);
      std::snprintf(code, sizeof code, "\\X2\\%04X\\X0\\", (first & 0x1Fu) << 6 | (second & 0x3Fu));
      out += code;
    }
  }
  return out;
}

// 22 characters, the length of IFC's ids.
std::string global_id(std::size_t value) {
  std::string digits = number(value);
  return std::string(22 - digits.size(), '0') + digits;
}

}  // namespace

MeshData box_mesh(const BoxPart& box, double scale) {
  MeshData mesh;
  for (unsigned corner = 0; corner < 8; ++corner) {
    mesh.vertices.emplace_back(scale * ((corner & 1u) != 0 ? box.upper : box.lower).x(),
                               scale * ((corner & 2u) != 0 ? box.upper : box.lower).y(),
                               scale * ((corner & 4u) != 0 ? box.upper : box.lower).z());
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

std::string gltf_file(const std::vector<BoxPart>& boxes) {
  return gltf_parts(boxes, R"("uri":"data:application/octet-stream;base64,)", R"(",)").first;
}

std::string glb_file(const std::vector<BoxPart>& boxes) {
  auto [text, buffer] = gltf_parts(boxes, "", "");
  text.resize((text.size() + 3) / 4 * 4, ' ');
  buffer.resize((buffer.size() + 3) / 4 * 4, '\0');
  std::string out = "glTF";
  append(out, std::uint32_t{2});
  append(out, static_cast<std::uint32_t>(12 + 8 + text.size() + 8 + buffer.size()));
  append(out, static_cast<std::uint32_t>(text.size()));
  out += "JSON" + text;
  append(out, static_cast<std::uint32_t>(buffer.size()));
  return out + std::string("BIN\0", 4) + buffer;
}

std::string collada_file(const std::vector<BoxPart>& boxes, double meters, const std::string& up) {
  std::string geometries, nodes;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const MeshData mesh = box_mesh(boxes[i], 1 / meters);
    const std::string id = "shape" + number(i);
    std::string positions;
    for (const Vector3& v : mesh.vertices)
      positions += text_of(v.x()) + " " + text_of(v.y()) + " " + text_of(v.z()) + " ";
    geometries += "<geometry id=\"" + id + "\"><mesh><source id=\"" + id + "-p\"><float_array id=\"" + id +
                  "-a\" count=\"24\">" + positions + "</float_array><technique_common><accessor source=\"#" + id +
                  "-a\" count=\"8\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>"
                  "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source><vertices id=\"" +
                  id + "-v\"><input semantic=\"POSITION\" source=\"#" + id + "-p\"/></vertices>";
    for (std::size_t half = 0; half < 2; ++half) {
      geometries += "<triangles count=\"6\" material=\"m" + number(half) + "\"><input semantic=\"VERTEX\" source=\"#" +
                    id + "-v\" offset=\"0\"/><p>";
      for (std::size_t t = 6 * half; t < 6 * half + 6; ++t) {
        for (const std::uint32_t corner : mesh.triangles[t])
          geometries += number(corner) + " ";
      }
      geometries += "</p></triangles>";
    }
    geometries += "</mesh></geometry>";
    nodes += "<node id=\"node-" + number(i) + "\" name=\"" + boxes[i].name + "\"><instance_geometry url=\"#" + id +
             "\"/></node>";
  }
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
         "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\"><!-- <unit meter=\"7\"/> "
         "-->"
         "<asset><unit name=\"own\" meter=\"" +
         text_of(meters) + "\"/><up_axis>" + up + "</up_axis></asset><library_geometries>" + geometries +
         "</library_geometries><library_visual_scenes><visual_scene id=\"s\" name=\"scene\"><node id=\"node-f\" "
         "name=\"frame\">" +
         nodes +
         "</node></visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";
}

std::string fbx_file(const std::vector<BoxPart>& boxes, double centimeters) {
  std::string objects, connections;
  const std::string no_shift = "\t\t\tP: \"RotationPivot\", \"Vector3D\", \"Vector\", \"\",3,4,5\n";
  objects += "\tModel: 50, \"Model::frame\", \"Null\" {\n\t\tVersion: 232\n\t\tProperties70:  {\n" + no_shift +
             "\t\t\tP: \"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",0,0,90\n\t\t}\n\t\tShading: T\n\t\tCulling: "
             "\"CullingOff\"\n\t}\n";
  connections += "\tC: \"OO\",50,0\n";
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    // The frame's quarter turn about (3, 4, 5) moves the box to its place: (x, y) comes from (y - 1, 7 - x).
    MeshData mesh = box_mesh(boxes[i], 100 / centimeters);
    std::string vertices, corners, materials;
    for (const Vector3& v : mesh.vertices) {
      if (!vertices.empty()) vertices += ',';
      vertices += text_of(v.y() - 1) + "," + text_of(7 - v.x()) + "," + text_of(v.z());
    }
    for (std::size_t t = 0; t < 12; ++t) {
      const Index3& triangle = mesh.triangles[t];
      if (t > 0) {
        corners += ',';
        materials += ',';
      }
      corners += number(triangle[0]) + "," + number(triangle[1]) + ",-" + number(triangle[2] + 1);
      materials += number(t / 6);
    }
    const std::string geometry = number(100 + i), model = number(200 + i);
    objects +=
        "\tGeometry: " + geometry + ", \"Geometry::\", \"Mesh\" {\n\t\tVertices: *24 {\n\t\t\ta: " + vertices +
        "\n\t\t}\n\t\tPolygonVertexIndex: *36 {\n\t\t\ta: " + corners +
        "\n\t\t}\n\t\tGeometryVersion: 124\n\t\tLayerElementMaterial: 0 {\n\t\t\tVersion: 101\n\t\t\tName: \"\"\n"
        "\t\t\tMappingInformationType: \"ByPolygon\"\n\t\t\tReferenceInformationType: \"IndexToDirect\"\n"
        "\t\t\tMaterials: *12 {\n\t\t\t\ta: " +
        materials +
        "\n\t\t\t}\n\t\t}\n\t\tLayer: 0 {\n\t\t\tVersion: 100\n\t\t\tLayerElement:  {\n"
        "\t\t\t\tType: \"LayerElementMaterial\"\n\t\t\t\tTypedIndex: 0\n\t\t\t}\n\t\t}\n\t}\n";
    objects += "\tModel: " + model + ", \"Model::" + boxes[i].name +
               "\", \"Mesh\" {\n\t\tVersion: 232\n\t\tProperties70:  {\n" + no_shift +
               "\t\t}\n\t\tShading: T\n\t\tCulling: \"CullingOff\"\n\t}\n";
    connections += "\tC: \"OO\"," + model + ",50\n\tC: \"OO\"," + geometry + "," + model + "\n\tC: \"OO\",300," +
                   model + "\n\tC: \"OO\",301," + model + "\n";
  }
  for (const char* material : {"300, \"Material::red\"", "301, \"Material::blue\""}) {
    objects += std::string("\tMaterial: ") + material +
               ", \"\" {\n\t\tVersion: 102\n\t\tShadingModel: \"phong\"\n\t\tMultiLayer: 0\n\t}\n";
  }
  return "; FBX 7.4.0 project file\n; ----\n\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n"
         "\tCreator: \"test\"\n}\nGlobalSettings:  {\n\tVersion: 1000\n\tProperties70:  {\n"
         "\t\tP: \"UpAxis\", \"int\", \"Integer\", \"\",2\n\t\tP: \"UpAxisSign\", \"int\", \"Integer\", \"\",1\n"
         "\t\tP: \"FrontAxis\", \"int\", \"Integer\", \"\",1\n\t\tP: \"FrontAxisSign\", \"int\", \"Integer\", \"\",-1\n"
         "\t\tP: \"CoordAxis\", \"int\", \"Integer\", \"\",0\n\t\tP: \"CoordAxisSign\", \"int\", \"Integer\", \"\",1\n"
         "\t\tP: \"UnitScaleFactor\", \"double\", \"Number\", \"\"," +
         text_of(centimeters) + "\n\t}\n}\nDefinitions:  {\n\tVersion: 100\n\tCount: 1\n}\nObjects:  {\n" + objects +
         "}\nConnections:  {\n" + connections + "}\n";
}

std::string ifc_file(const std::vector<BoxPart>& boxes, double meters, const std::string& length_unit,
                     const std::string& schema) {
  StepFile step;
  const auto no_name = std::string("$,$");
  const std::string person = step.add("IFCPERSON($,$,'p',$,$,$,$,$)");
  const std::string organization = step.add("IFCORGANIZATION($,'o',$,$,$)");
  const std::string both = step.add("IFCPERSONANDORGANIZATION(" + person + "," + organization + ",$)");
  const std::string program = step.add("IFCAPPLICATION(" + organization + ",'1','t;''(#9=','t')");
  const std::string history = step.add("IFCOWNERHISTORY(" + both + "," + program + ",$,.ADDED.,$,$,$,0)");
  const std::string origin = step.placement(Vector3::Zero());  // two lines: #6 and #7
  const std::string context = step.add("IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05," + origin + ",$)");
  std::size_t lines = 0;
  std::string unit;
  for (std::size_t begin = 0; begin < length_unit.size(); ++lines) {
    const std::size_t end = std::min(length_unit.find('\n', begin), length_unit.size());
    const std::string name = step.add(length_unit.substr(begin, end - begin));
    if (lines == 0) unit = name;
    begin = end + 1;
  }
  const std::string area = step.add("IFCSIUNIT(*,.AREAUNIT.,$,.SQUARE_METRE.)");
  const std::string units = step.add("IFCUNITASSIGNMENT((" + area + "," + unit + "))");
  std::size_t id = 0;
  const auto root = [&](const std::string& name) {
    return "'" + global_id(++id) + "'," + history + "," + (name.empty() ? "$" : "'" + step_text(name) + "'") + ",$";
  };
  const std::string project = step.add("IFCPROJECT(" + root("Project") + ",$,$,$,(" + context + ")," + units + ")");
  const std::string ground = step.add("IFCLOCALPLACEMENT($," + origin + ")");
  const std::string site = step.add("IFCSITE(" + root("Site") + ",$," + ground + ",$,$,.ELEMENT.,$,$,$,$,$)");
  const std::string building = step.add("IFCBUILDING(" + root("House") + ",$," + ground + ",$,$,.ELEMENT.,$,$,$)");
  const std::string storey =
      step.add("IFCBUILDINGSTOREY(" + root("Ground floor") + ",$," + ground + ",$,$,.ELEMENT.,0.)");
  for (const auto& [outer, inner] : {std::pair{project, site}, {site, building}, {building, storey}})
    step.add("IFCRELAGGREGATES(" + root("") + "," + outer + ",(" + inner + "))");
  std::string contained;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const MeshData mesh = box_mesh(boxes[i], 1 / meters);
    const Vector3 lower = mesh.vertices[0], size = mesh.vertices[7] - mesh.vertices[0];
    const auto extrusion = [&] {
      const std::string middle =
          step.add("IFCCARTESIANPOINT((" + text_of(size.x() / 2) + "," + text_of(size.y() / 2) + "))");
      const std::string flat = step.add("IFCAXIS2PLACEMENT2D(" + middle + ",$)");
      const std::string profile =
          step.add("IFCRECTANGLEPROFILEDEF(.AREA.,$," + flat + "," + text_of(size.x()) + "," + text_of(size.y()) + ")");
      const std::string up = step.add("IFCDIRECTION((0.,0.,1.))");
      const std::string solid =
          step.add("IFCEXTRUDEDAREASOLID(" + profile + "," + origin + "," + up + "," + text_of(size.z()) + ")");
      return step.add("IFCSHAPEREPRESENTATION(" + context + ",'Body','SweptSolid',(" + solid + "))");
    };
    std::string representation;
    if (i == 0) {
      std::vector<std::string> points;
      for (const Vector3& v : mesh.vertices)
        points.push_back(step.point(v - lower));
      constexpr int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
      std::string models;
      for (int half = 0; half < 2; ++half) {
        std::string list;
        for (int face = 3 * half; face < 3 * half + 3; ++face) {
          std::string loop;
          for (const int corner : faces[face])
            loop += (loop.empty() ? "" : ",") + points[static_cast<std::size_t>(corner)];
          const std::string bound = step.add("IFCFACEOUTERBOUND(" + step.add("IFCPOLYLOOP((" + loop + "))") + ",.T.)");
          list += (list.empty() ? "" : ",") + step.add("IFCFACE((" + bound + "))");
        }
        const std::string shell = step.add("IFCOPENSHELL((" + list + "))");
        models += (models.empty() ? "" : ",") + step.add("IFCSHELLBASEDSURFACEMODEL((" + shell + "))");
      }
      representation = step.add("IFCSHAPEREPRESENTATION(" + context + ",'Body','SurfaceModel',(" + models + "))");
    } else if (i == 1) {
      const std::string map = step.add("IFCREPRESENTATIONMAP(" + origin + "," + extrusion() + ")");
      const std::string where =
          step.add("IFCCARTESIANTRANSFORMATIONOPERATOR3D($,$," + step.point(Vector3::Zero()) + ",1.,$)");
      const std::string item = step.add("IFCMAPPEDITEM(" + map + "," + where + ")");
      representation = step.add("IFCSHAPEREPRESENTATION(" + context + ",'Body','MappedRepresentation',(" + item + "))");
    } else {
      representation = extrusion();
    }
    const std::string shape = step.add("IFCPRODUCTDEFINITIONSHAPE($,$,(" + representation + "))");
    const std::string place = step.add("IFCLOCALPLACEMENT(" + ground + "," + step.placement(lower) + ")");
    const std::string type = i == 0 ? "IFCWALLSTANDARDCASE" : i == 1 ? "IFCBEAM" : "IFCFLOWSEGMENT";
    contained += (contained.empty() ? "" : ",") +
                 step.add(type + "(" + root(boxes[i].name) + ",$," + place + "," + shape + ",$)");
  }
  step.add("IFCRELCONTAINEDINSPATIALSTRUCTURE(" + root("") + ",(" + contained + ")," + storey + ")");
  return "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\nFILE_NAME('t','2020-01-01T00:00:00',(''),(''),'','',''"
         ");\n"
         "FILE_SCHEMA(('" +
         schema + "'));\nENDSEC;\nDATA;\n/* #9=IFCSIUNIT(*,.LENGTHUNIT.,.KILO.,.METRE.); */\n" + step.text() +
         "ENDSEC;\nEND-ISO-10303-21;\n";
}

std::string three_mf_file(const std::vector<BoxPart>& boxes, double meters, const std::string& unit) {
  std::string objects, items;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const MeshData mesh = box_mesh(boxes[i], 1 / meters);
    const std::string id = number(10 + i);
    objects += "<object id=\"" + id + "\" name=\"" + boxes[i].name +
               "\" type=\"model\" pid=\"1\" pindex=\"0\"><mesh><vertices>";
    // The second box is 10 units off, and the component moves it back.
    for (const Vector3& v : mesh.vertices) {
      objects += "<vertex x=\"" + text_of(v.x() + (i == 1 ? 10 : 0)) + "\" y=\"" + text_of(v.y()) + "\" z=\"" +
                 text_of(v.z()) + "\"/>";
    }
    objects += "</vertices><triangles>";
    for (std::size_t t = 0; t < 12; ++t) {
      const Index3& c = mesh.triangles[t];
      objects += "<triangle v1=\"" + number(c[0]) + "\" v2=\"" + number(c[1]) + "\" v3=\"" + number(c[2]) +
                 "\" pid=\"1\" p1=\"" + number(t / 6) + "\"/>";
    }
    objects += "</triangles></mesh></object>";
    if (i == 1) {
      objects += "<object id=\"99\" name=\"frame\"><components><component objectid=\"" + id +
                 "\" transform=\"1 0 0 0 1 0 0 0 1 -10 0 0\"/></components></object>";
    }
    items += "<item objectid=\"" + (i == 1 ? "99" : id) + "\"/>";
  }
  const std::string model =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!-- <model unit=\"foot\"> --><model " +
      (unit.empty() ? "" : "unit=\"" + unit + "\" ") +
      "xml:lang=\"en-US\" "
      "xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><resources><basematerials "
      "id=\"1\"><base name=\"red\" displaycolor=\"#FF0000\"/><base name=\"blue\" displaycolor=\"#0000FF\"/>"
      "</basematerials>" +
      objects + "</resources><build>" + items + "</build></model>";
  return zip_file(
      {{"[Content_Types].xml",
        "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"model\" "
        "ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/></Types>"},
       {"_rels/.rels",
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship "
        "Target=\"/3D/part.model\" Id=\"r\" Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/>"
        "</Relationships>"},
       {"3D/part.model", model}});
}

std::string amf_file(const std::vector<BoxPart>& boxes, double meters, const std::string& unit) {
  std::string objects, instances;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const MeshData mesh = box_mesh(boxes[i], 1 / meters);
    objects +=
        "<object id=\"" + number(i) + "\"><metadata type=\"name\">" + boxes[i].name + "</metadata><mesh><vertices>";
    // Rotated back by a quarter turn: (x, y) becomes (y, -x).
    for (const Vector3& v : mesh.vertices) {
      objects += "<vertex><coordinates><x>" + text_of(v.y()) + "</x><y>" + text_of(-v.x()) + "</y><z>" +
                 text_of(v.z() - 2) + "</z></coordinates></vertex>";
    }
    objects += "</vertices>";
    for (std::size_t half = 0; half < 2; ++half) {
      objects += "<volume materialid=\"" + number(half) + "\"><metadata type=\"name\">half</metadata>";
      for (std::size_t t = 6 * half; t < 6 * half + 6; ++t) {
        const Index3& c = mesh.triangles[t];
        objects += "<triangle><v1>" + number(c[0]) + "</v1><v2>" + number(c[1]) + "</v2><v3>" + number(c[2]) +
                   "</v3></triangle>";
      }
      objects += "</volume>";
    }
    objects += "</mesh></object>";
    instances += "<instance objectid=\"" + number(i) +
                 "\"><deltax>0</deltax><deltay>0</deltay><deltaz>2</deltaz><rx>0</rx>"
                 "<ry>0</ry><rz>90</rz></instance>";
  }
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?><amf " + (unit.empty() ? "" : "unit=\"" + unit + "\" ") +
         "version=\"1.1\">" + objects + "<constellation id=\"99\"><metadata type=\"name\">frame</metadata>" +
         instances + "</constellation></amf>";
}

std::string obj_file(const std::vector<BoxPart>& boxes, double meters) {
  std::string text;
  std::size_t base = 1;
  for (const BoxPart& box : boxes) {
    const MeshData mesh = box_mesh(box, 1 / meters);
    text += "o " + box.name + "\n";
    for (const Vector3& v : mesh.vertices)
      text += "v " + text_of(v.x()) + " " + text_of(v.y()) + " " + text_of(v.z()) + "\n";
    for (std::size_t t = 0; t < 12; ++t) {
      if (t % 6 == 0) text += "usemtl m" + number(t / 6) + "\n";
      text += "f";
      for (const std::uint32_t corner : mesh.triangles[t]) {
        text += ' ';
        text += number(base + corner);
      }
      text += "\n";
    }
    base += 8;
  }
  return text;
}

std::string zip_file(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string out, directory;
  for (const auto& [name, content] : files) {
    std::string common;
    append(common, std::uint16_t{20});          // required version
    append(common, std::uint16_t{0});           // no flags
    append(common, std::uint16_t{0});           // stored
    append(common, std::uint32_t{0x00210000});  // 1 January 1980
    append(common, checksum(content));
    append(common, static_cast<std::uint32_t>(content.size()));
    append(common, static_cast<std::uint32_t>(content.size()));
    append(common, static_cast<std::uint16_t>(name.size()));
    append(common, std::uint16_t{0});  // nothing extra
    directory += "PK\x01\x02";
    append(directory, std::uint16_t{20});
    directory += common;
    append(directory, std::uint16_t{0});  // no comment
    append(directory, std::uint16_t{0});
    append(directory, std::uint16_t{0});
    append(directory, std::uint32_t{0});
    append(directory, static_cast<std::uint32_t>(out.size()));
    directory += name;
    out += "PK\x03\x04" + common + name + content;
  }
  const auto begin = static_cast<std::uint32_t>(out.size());
  out += directory + "PK\x05\x06";
  append(out, std::uint32_t{0});
  append(out, static_cast<std::uint16_t>(files.size()));
  append(out, static_cast<std::uint16_t>(files.size()));
  append(out, static_cast<std::uint32_t>(directory.size()));
  append(out, begin);
  append(out, std::uint16_t{0});
  return out;
}

}  // namespace whisker::test
