#include "playground/page.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <span>

#include <Eigen/Geometry>

#include <whisker/error.hpp>

#include "playground/embedded.hpp"

namespace playground {
namespace {

namespace wk = whisker;

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < left ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= left ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

// Numbers as little-endian bytes, as typed arrays of browsers have them on all common machines.
class Bytes {
 public:
  void put_u16(std::uint32_t value) {
    bytes_.push_back(static_cast<std::uint8_t>(value));
    bytes_.push_back(static_cast<std::uint8_t>(value >> 8));
  }
  void put_u32(std::uint32_t value) {
    put_u16(value);
    put_u16(value >> 16);
  }
  void put_float(double value) { put_u32(std::bit_cast<std::uint32_t>(static_cast<float>(value))); }
  void put_vector(const wk::Vector3& v) {
    for (int k = 0; k < 3; ++k)
      put_float(v[k]);
  }
  /// In quotes, for JSON.
  std::string text() const { return '"' + base64(bytes_) + '"'; }

 private:
  std::vector<std::uint8_t> bytes_;
};

// Positions as floats, rotations as quaternions x, y, z, w in units of 1/32767: 20 bytes per pose.
class Poses {
 public:
  void put(const wk::Pose& pose) {
    positions_.put_vector(pose.translation());
    const Eigen::Quaterniond q(pose.rotation());
    for (const double part : {q.x(), q.y(), q.z(), q.w()}) {
      const auto rounded = static_cast<std::int16_t>(std::lround(std::clamp(part, -1.0, 1.0) * 32767));
      rotations_.put_u16(static_cast<std::uint16_t>(rounded));
    }
  }
  std::string text() const {
    return "{\"positions\":" + positions_.text() + ",\"rotations\":" + rotations_.text() + "}";
  }

 private:
  Bytes positions_;
  Bytes rotations_;
};

// A JSON string that is safe inside a script element: no tag can begin or end in it.
std::string quoted(std::string_view text) {
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

std::string html(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
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
    vertices.put_vector(vertex);
  for (const wk::Index3& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle)
      triangles.put_u32(corner);
  }
  return "{\"vertices\":" + vertices.text() + ",\"triangles\":" + triangles.text() + "}";
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
      bytes_.put_u16(static_cast<std::uint32_t>(std::lround(std::clamp(part, 0.0, 1.0) * 65535)));
    }
  }
  std::string text() const { return bytes_.text(); }

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
  starts.put_u32(0);
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
    starts.put_u32(marks);
    grips.put_vector(frame.grip);
  }
  std::string json = "{\"box\":" + box_json(box) + ",\n\"vertices\":" + points.text() +
                     ",\n\"marks\":{\"starts\":" + starts.text() + ",\"ends\":" + ends.text() + "}";
  if (recording.dragged) {
    if (*recording.dragged >= recording.bodies.size() || !recording.bodies[*recording.dragged].is_soft)
      throw wk::Error("only a soft body can be dragged");
    json += ",\n\"dragged\":{\"body\":" + std::to_string(*recording.dragged) + ",\"grips\":" + grips.text() + "}";
  }
  return json + "}";
}

// The data that page.html reads.
std::string recording_json(const Recording& recording) {
  std::string json = "{\"title\":" + quoted(recording.title) + ",\"note\":" + quoted(recording.note) +
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
  starts.put_u32(0);
  for (const RecordedFrame& frame : recording.frames) {
    for (const wk::Pose& pose : frame.poses)
      moving.put(pose);
    for (const auto& pair : frame.touching) {
      pairs.put_u32(pair[0]);
      pairs.put_u32(pair[1]);
    }
    count += static_cast<std::uint32_t>(frame.touching.size());
    starts.put_u32(count);
  }
  json += "]";
  if (std::ranges::any_of(recording.bodies, &RecordedBody::is_soft)) json += ",\n\"soft\":" + soft_json(recording);
  json += ",\n\"fixed\":" + fixed.text() + ",\n\"moving\":" + moving.text() +
          ",\n\"touching\":{\"starts\":" + starts.text() + ",\"pairs\":" + pairs.text() + "}}";
  return json;
}

std::string page_without_script(const Recording& recording) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + html(recording.title) +
         "</title>\n<style>body { background: #14171c; color: #d5dae1; font: 16px/1.5 sans-serif; margin: 4em auto; "
         "max-width: 40em; }</style></head>\n<body><h1>" +
         html(recording.title) +
         "</h1>\n<p>The motion was recorded, but this page cannot show it: the program that wrote it was built without "
         "three.js, which draws.</p>\n<p>Install the Debian package <code>libjs-three</code>, configure and build "
         "again, and run the program once more:</p>\n<pre>apt-get install libjs-three</pre>\n</body></html>\n";
}

}  // namespace

std::string_view three_script() {
  static const std::string text = embedded_three();
  return text;
}

std::string page_text(const Recording& recording, std::string_view script) {
  if (script.empty()) return page_without_script(recording);
  // Replaces the template's marks, in any order. Replacements are not searched for marks again.
  const std::string page = embedded_page();
  std::string result;
  std::size_t at = 0;
  for (;;) {
    const std::size_t mark = page.find("{{", at);
    if (mark == std::string::npos) return result + page.substr(at);
    const std::size_t end = page.find("}}", mark);
    if (end == std::string::npos) throw wk::Error("page.html has a mark that does not end");
    const std::string name = page.substr(mark + 2, end - mark - 2);
    result += page.substr(at, mark - at);
    if (name == "title") {
      result += html(recording.title);
    } else if (name == "three") {
      result += script;
    } else if (name == "recording") {
      result += recording_json(recording);
    } else {
      throw wk::Error("page.html has an unknown mark: " + name);
    }
    at = end + 2;
  }
}

void write_page(const std::string& path, const Recording& recording) {
  std::ofstream file(path, std::ios::binary);
  file << page_text(recording);
  file.close();
  if (!file) throw wk::Error(path + ": cannot be written");
}

}  // namespace playground
