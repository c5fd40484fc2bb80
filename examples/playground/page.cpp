#include "playground/page.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>

#include <Eigen/Geometry>

#include <whisker/error.hpp>

namespace playground {

// page.html, page.css and page.js, built in by CMakeLists.txt.
std::string embedded_body();
std::string embedded_style();
std::string embedded_script();

namespace {

namespace wk = whisker;

using wk::page::Bytes;

/// In quotes, for JSON.
std::string text_of(const Bytes& bytes) {
  return '"' + bytes.base64() + '"';
}

// Positions as floats, rotations as quaternions x, y, z, w in units of 1/32767: 20 bytes per pose.
class Poses {
 public:
  void put(const wk::Pose& pose) {
    positions_.put_floats(pose.translation());
    const Eigen::Quaterniond q(pose.rotation());
    for (const double part : {q.x(), q.y(), q.z(), q.w()}) {
      const auto rounded = static_cast<std::int16_t>(std::lround(std::clamp(part, -1.0, 1.0) * 32767));
      rotations_.put(static_cast<std::uint16_t>(rounded), 2);
    }
  }
  std::string text() const {
    return "{\"positions\":" + text_of(positions_) + ",\"rotations\":" + text_of(rotations_) + "}";
  }

 private:
  Bytes positions_;
  Bytes rotations_;
};

// A JSON string that is safe inside a script element: no tag can begin or end in it.
std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      result += code;
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string yes_or_no(bool value) {
  return value ? "true" : "false";
}

std::string mesh_json(const wk::MeshData& mesh) {
  Bytes vertices, triangles;
  for (const wk::Vector3& vertex : mesh.vertices)
    vertices.put_floats(vertex);
  for (const wk::Index3& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle)
      triangles.put(corner, 4);
  }
  return "{\"vertices\":" + text_of(vertices) + ",\"triangles\":" + text_of(triangles) + "}";
}

std::string body_json(const RecordedBody& body) {
  char color[8];
  std::snprintf(color, sizeof color, "#%06x", static_cast<unsigned>(body.look.color & 0xFFFFFF));
  return "{\"mesh\":" + std::to_string(body.mesh) + ",\"color\":\"" + color +
         "\",\"isFixed\":" + yes_or_no(body.is_static) + ",\"isSoft\":" + yes_or_no(body.is_soft) +
         ",\"showsTouch\":" + yes_or_no(body.look.shows_touch) + "}";
}

// Points in a box, each coordinate as a fraction of its side in units of 1/65535: 6 bytes per point.
class BoxPoints {
 public:
  explicit BoxPoints(const wk::Aabb& box) : box_(box) {}
  void put(const wk::Vector3& point) {
    for (int k = 0; k < 3; ++k) {
      const double size = box_.upper[k] - box_.lower[k];
      const double part = size > 0 ? (point[k] - box_.lower[k]) / size : 0;
      bytes_.put(static_cast<std::uint64_t>(std::lround(std::clamp(part, 0.0, 1.0) * 65535)), 2);
    }
  }
  std::string text() const { return text_of(bytes_); }

 private:
  wk::Aabb box_;
  Bytes bytes_;
};

std::string box_json(const wk::Aabb& box) {
  std::string json = "[";
  for (int k = 0; k < 6; ++k) {
    if (k > 0) json += ',';
    json += number(k < 3 ? box.lower[k] : box.upper[k - 3]);
  }
  return json + ']';
}

// The vertices of soft bodies and the marks, frame by frame, and the grip of the draggable body.
std::string soft_json(const Recording& recording) {
  wk::Aabb box;
  for (const RecordedFrame& frame : recording.frames) {
    for (const auto& vertices : frame.vertices) {
      for (const wk::Vector3& vertex : vertices)
        box.include(vertex);
    }
    for (const Mark& mark : frame.marks) {
      box.include(mark.from);
      box.include(mark.to);
    }
  }
  std::vector<std::size_t> counts;  // of the vertices of soft bodies
  for (const RecordedBody& body : recording.bodies) {
    if (body.is_soft) counts.push_back(recording.meshes[body.mesh].vertices.size());
  }
  BoxPoints points(box), ends(box);
  Bytes starts, grips;
  std::uint32_t marks = 0;
  starts.put(0, 4);
  for (const RecordedFrame& frame : recording.frames) {
    if (frame.vertices.size() != counts.size()) throw wk::Error("a frame must have the vertices of each soft body");
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (frame.vertices[i].size() != counts[i])
        throw wk::Error("a soft body must have as many vertices in each frame as its mesh has");
      for (const wk::Vector3& vertex : frame.vertices[i])
        points.put(vertex);
    }
    for (const Mark& mark : frame.marks) {
      ends.put(mark.from);
      ends.put(mark.to);
    }
    marks += static_cast<std::uint32_t>(frame.marks.size());
    starts.put(marks, 4);
    grips.put_floats(frame.grip);
  }
  std::string json = "{\"box\":" + box_json(box) + ",\n\"vertices\":" + points.text() +
                     ",\n\"marks\":{\"starts\":" + text_of(starts) + ",\"ends\":" + ends.text() + "}";
  if (recording.dragged) {
    if (*recording.dragged >= recording.bodies.size() || !recording.bodies[*recording.dragged].is_soft)
      throw wk::Error("only a soft body can be dragged");
    json += ",\n\"dragged\":{\"body\":" + std::to_string(*recording.dragged) + ",\"grips\":" + text_of(grips) + "}";
  }
  return json + "}";
}

// The data that page.js reads.
std::string recording_json(const Recording& recording) {
  std::string json = "{\"title\":" + json_string(recording.title) + ",\"note\":" + json_string(recording.note) +
                     ",\"secondsPerFrame\":" + number(recording.seconds_per_frame) +
                     ",\"frameCount\":" + std::to_string(recording.frames.size());
  if (recording.view) json += ",\"view\":" + box_json(*recording.view);
  json += ",\"azimuth\":" + number(recording.azimuth) + ",\"outlinesView\":" + yes_or_no(recording.outlines_view) +
          ",\n\"meshes\":[";
  for (std::size_t i = 0; i < recording.meshes.size(); ++i)
    json += (i > 0 ? ",\n" : "\n") + mesh_json(recording.meshes[i]);
  json += "],\n\"bodies\":[";
  for (std::size_t i = 0; i < recording.bodies.size(); ++i)
    json += (i > 0 ? ",\n" : "\n") + body_json(recording.bodies[i]);

  Poses fixed, moving;
  for (const wk::Pose& pose : recording.fixed_poses)
    fixed.put(pose);
  Bytes starts, pairs;
  std::uint32_t count = 0;
  starts.put(0, 4);
  for (const RecordedFrame& frame : recording.frames) {
    for (const wk::Pose& pose : frame.poses)
      moving.put(pose);
    for (const auto& pair : frame.touching) {
      pairs.put(pair[0], 4);
      pairs.put(pair[1], 4);
    }
    count += static_cast<std::uint32_t>(frame.touching.size());
    starts.put(count, 4);
  }
  json += "]";
  if (std::ranges::any_of(recording.bodies, &RecordedBody::is_soft)) json += ",\n\"soft\":" + soft_json(recording);
  json += ",\n\"fixed\":" + fixed.text() + ",\n\"moving\":" + moving.text() +
          ",\n\"touching\":{\"starts\":" + text_of(starts) + ",\"pairs\":" + text_of(pairs) + "}}";
  return json;
}

constexpr const char* style_without_script =
    "body { background: #14171c; color: #d5dae1; font: 16px/1.5 sans-serif; margin: 4em auto; max-width: 40em; }\n";

std::string body_without_script(const Recording& recording) {
  return "<h1>" + wk::page::html(recording.title) +
         "</h1>\n<p>The motion was recorded, but this page cannot show it: the program that wrote it was built without "
         "three.js, which draws.</p>\n<p>Install the Debian package <code>libjs-three</code>, configure and build "
         "again, and run the program once more:</p>\n<pre>apt-get install libjs-three</pre>\n";
}

}  // namespace

std::string page_text(const Recording& recording, std::string_view script) {
  std::string text;
  const auto write = [&](std::string_view piece) { text += piece; };
  if (script.empty()) {
    wk::page::write_page({.title = recording.title,
                          .styles = {style_without_script},
                          .body = body_without_script(recording),
                          .three = {}},
                         write, [] {});
    return text;
  }
  wk::page::write_page(
      {.title = recording.title,
       .styles = {wk::page::viewer_style(), embedded_style()},
       .body = embedded_body(),
       .three = script,
       .scripts = {wk::page::viewer_script(), embedded_script()}},
      write, [&] { wk::page::write_data(write, "recording", "application/json", recording_json(recording)); });
  return text;
}

void write_page(const std::string& path, const Recording& recording) {
  std::ofstream file(path, std::ios::binary);
  file << page_text(recording);
  file.close();
  if (!file) throw wk::Error(path + ": cannot be written");
}

}  // namespace playground
