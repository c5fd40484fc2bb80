// The suite `labels`: queries of moving points, triangles and segments with known results, from files.
//
//   ./bench labels FOLDER [--kinds]
//
// FOLDER contains SET/vertex-face/*.csv and SET/edge-edge/*.csv. Eight rows are a query: `v f0 f1 f2` or `a0 a1 b0 b1`
// at time 0, then at time 1. A row has seven numbers: x, y and z as numerator and denominator, and the true result, 0
// or 1. Prints a line for each set, or with --kinds one for each of its folders, and exits with status 1 if a contact
// was missed.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <whisker/error.hpp>
#include <whisker/geometry/moving_features.hpp>

namespace {

using namespace whisker;
namespace fs = std::filesystem;

struct Labeled {
  std::vector<PointTriangle> point_triangle;
  std::vector<SegmentSegment> segment_segment;
  std::vector<bool> touch;  ///< first for `point_triangle`, then for `segment_segment`
};

/// A coordinate, which must be exactly representable as a double.
double exact_quotient(const std::string& numerator, const std::string& denominator, const std::string& where) {
  const long double n = std::strtold(numerator.c_str(), nullptr), d = std::strtold(denominator.c_str(), nullptr);
  const auto quotient = static_cast<double>(n / d);
  if (!(d > 0) || static_cast<long double>(quotient) * d != n)
    throw std::runtime_error(where + ": " + numerator + "/" + denominator + " is not a double");
  return quotient;
}

void read_file(const fs::path& path, bool is_face, Labeled& labeled) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be opened");
  std::vector<Vector3> points;
  std::string line;
  for (int row = 1; std::getline(file, line); ++row) {
    if (line.empty() || line == "\r") continue;
    const std::string where = path.string() + ":" + std::to_string(row);
    std::vector<std::string> field(1);
    for (const char c : line) {
      if (c == ',') {
        field.emplace_back();
      } else if (c != '\r' && c != ' ') {
        field.back() += c;
      }
    }
    if (field.size() != 7)
      throw std::runtime_error(where + ": a row has seven numbers, this one " + std::to_string(field.size()));
    points.emplace_back(exact_quotient(field[0], field[1], where), exact_quotient(field[2], field[3], where),
                        exact_quotient(field[4], field[5], where));
    if (points.size() < 8) continue;
    const auto& p = points;
    if (is_face) {
      labeled.point_triangle.push_back({{p[0], p[4]}, {{p[1], p[2], p[3]}, {p[5], p[6], p[7]}}});
    } else {
      labeled.segment_segment.push_back({{{p[0], p[1]}, {p[4], p[5]}}, {{p[2], p[3]}, {p[6], p[7]}}});
    }
    labeled.touch.push_back(field[6] == "1");
    points.clear();
  }
  if (!points.empty()) throw std::runtime_error(path.string() + ": ends within a query; eight rows are one");
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder))
    entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool read_folder(const fs::path& folder, bool is_face, Labeled& labeled) {
  if (!fs::is_directory(folder)) return false;
  for (const fs::path& path : sorted_entries(folder))
    if (path.extension() == ".csv") read_file(path, is_face, labeled);
  return true;
}

double seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Runs the queries one by one, five times, and prints the line. Returns the number of misses.
std::size_t report(const std::string& name, const Labeled& labeled) {
  std::vector<bool> found(labeled.touch.size());
  double least = 1e300;
  for (int round = 0; round < 5; ++round) {
    std::size_t i = 0;
    const double begin = seconds();
    for (const PointTriangle& q : labeled.point_triangle)
      found[i++] = first_contact_point_triangle(q.a, q.b).status != ImpactStatus::apart;
    for (const SegmentSegment& q : labeled.segment_segment)
      found[i++] = first_contact_segment_segment(q.a, q.b).status != ImpactStatus::apart;
    least = std::min(least, seconds() - begin);
  }
  std::size_t misses = 0, alarms = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    misses += labeled.touch[i] && !found[i] ? 1u : 0u;
    alarms += !labeled.touch[i] && found[i] ? 1u : 0u;
  }
  std::printf("%s: %zu queries, %zu misses, %zu false alarms, %.0f ns\n", name.c_str(), found.size(), misses, alarms,
              1e9 * least / static_cast<double>(found.size()));
  std::fflush(stdout);
  return misses;
}

int run(const fs::path& folder, bool by_kind) {
  if (!fs::is_directory(folder)) throw std::runtime_error(folder.string() + ": no such folder");
  std::size_t misses = 0, sets = 0;
  for (const fs::path& set : sorted_entries(folder)) {
    Labeled both;
    const auto read = [&](const char* kind, bool is_face) {
      Labeled one;
      if (!read_folder(set / kind, is_face, by_kind ? one : both) || !by_kind || one.touch.empty()) return;
      misses += report(set.filename().string() + "/" + kind, one);
      ++sets;
    };
    read("vertex-face", true);
    read("edge-edge", false);
    if (both.touch.empty()) continue;
    misses += report(set.filename().string(), both);
    ++sets;
  }
  if (sets == 0)
    throw std::runtime_error(folder.string() + ": holds no SET/vertex-face/*.csv and no SET/edge-edge/*.csv");
  return misses > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool by_kind = std::find(arguments.begin(), arguments.end(), "--kinds") != arguments.end();
  if (arguments.empty() || arguments[0].starts_with("-")) {
    std::fprintf(stderr, "usage: ./bench labels FOLDER [--kinds]\n");
    return 2;
  }
  try {
    return run(arguments[0], by_kind);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
