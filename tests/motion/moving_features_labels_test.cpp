// The public labeled queries of $WHISKER_DATA/ccd (queries/SET/{vertex-face,edge-edge}/*.csv, and those of the scenes,
// scenes/SCENE/queries/*.csv): no contact is missed, and the exact truth of the other tests agrees with the labels.
// Skipped if it is not set.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/geometry/moving_features.hpp>

#include "support/exact_motion.hpp"

namespace whisker {
namespace {

using test::exact_motion::Dyadic;
using test::exact_motion::Integer;
using test::exact_motion::Root;

struct Query {
  std::array<Vector3, 8> corners;
  bool contact = false;
};

/// The quotient, whose denominator is a power of two: exactly a double, or NaN.
double exact_quotient(const std::string& numerator, const std::string& denominator) {
  const Integer n(numerator), d(denominator);
  const unsigned scale = boost::multiprecision::msb(d);
  const double value = test::exact_motion::nearest(Dyadic{n, scale});
  const bool exact = (Integer(1) << scale) == d &&
                     test::exact_motion::compare(test::exact_motion::dyadic(value), Dyadic{n, scale}) == 0;
  return exact ? value : std::nan("");
}

/// Eight rows per query with seven columns: x, y and z as numerator and denominator, and 1 if there is a contact. For
/// scenes, the labels are in a separate file.
std::vector<Query> read_queries(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<Query> queries;
  std::string line;
  for (std::size_t row = 0; std::getline(in, line); ++row) {
    std::istringstream cells(line);
    std::array<std::string, 7> cell;
    for (std::string& text : cell)
      std::getline(cells, text, ',');
    if (row % 8 == 0) queries.emplace_back();
    Query& query = queries.back();
    for (std::size_t k = 0; k < 3; ++k) {
      const double value = exact_quotient(cell[2 * k], cell[2 * k + 1]);
      EXPECT_TRUE(std::isfinite(value)) << file << ", row " << row + 1;
      query.corners[row % 8][static_cast<Eigen::Index>(k)] = value;
    }
    query.contact = cell[6] == "1";
  }
  return queries;
}

PointTriangle point_triangle(const Query& q) {
  const auto& c = q.corners;
  return {{c[0], c[4]}, {{c[1], c[2], c[3]}, {c[5], c[6], c[7]}}};
}
SegmentSegment segment_segment(const Query& q) {
  const auto& c = q.corners;
  return {{{c[0], c[1]}, {c[4], c[5]}}, {{c[2], c[3]}, {c[6], c[7]}}};
}
FeatureImpact ask(const PointTriangle& q) {
  return first_contact_point_triangle(q.a, q.b);
}
FeatureImpact ask(const SegmentSegment& q) {
  return first_contact_segment_segment(q.a, q.b);
}

struct LabelCounts {
  std::size_t queries = 0, contacts = 0, misses = 0, alarms = 0, certain = 0;
};

template <class Question>
LabelCounts look_at(const std::string& set, const std::vector<Query>& queries, Question (*question)(const Query&)) {
  LabelCounts counts;
  std::vector<Question> questions;
  for (const Query& query : queries)
    questions.push_back(question(query));
  std::vector<FeatureImpact> batch(questions.size());
  first_contacts(questions, batch);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    SCOPED_TRACE(set + " query " + std::to_string(i));
    std::optional<Root> truth = test::exact_motion::pair(questions[i].a, questions[i].b).first_contact();
    EXPECT_EQ(truth.has_value(), queries[i].contact) << "the exact truth is not the label";
    const FeatureImpact alone = ask(questions[i]);
    EXPECT_EQ(alone.status, batch[i].status);
    EXPECT_EQ(alone.time_lower, batch[i].time_lower);
    EXPECT_EQ(alone.time_upper, batch[i].time_upper);
    const bool alarm = alone.status != ImpactStatus::apart;
    ++counts.queries;
    counts.contacts += queries[i].contact;
    counts.misses += queries[i].contact && !alarm;
    counts.alarms += !queries[i].contact && alarm;
    counts.certain += alarm && alone.certain;
    EXPECT_TRUE(alarm || !queries[i].contact) << "missed";
    EXPECT_TRUE(!alone.certain || alarm == queries[i].contact) << "said to be certain";
    EXPECT_EQ(alone.status == ImpactStatus::touching_at_start, truth && truth->compare(0.0) == 0);
    if (truth && alarm) {
      EXPECT_GE(truth->compare(alone.time_lower), 0) << "time_lower is after the contact";
      EXPECT_TRUE(!alone.certain || truth->compare(alone.time_upper) <= 0) << "time_upper is before the contact";
    }
  }
  std::printf("%s: %zu queries, %zu contacts, %zu misses, %zu false alarms, %zu certain contacts\n", set.c_str(),
              counts.queries, counts.contacts, counts.misses, counts.alarms, counts.certain);
  return counts;
}

TEST(MovingFeaturesLabels, NoContactIsMissedAndTheExactTruthIsTheLabel) {
  const char* const data = std::getenv("WHISKER_DATA");
  if (data == nullptr || *data == '\0') GTEST_SKIP() << "WHISKER_DATA is not set: the labeled queries are not tested";
  const std::filesystem::path folder = std::filesystem::path(data) / "ccd" / "queries";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ASSERT_FALSE(files.empty());
  LabelCounts all, separated_sets;
  for (std::size_t begin = 0; begin < files.size();) {
    // The files of one set and kind are taken together.
    const std::filesystem::path kind = files[begin].parent_path();
    std::vector<Query> queries;
    for (; begin < files.size() && files[begin].parent_path() == kind; ++begin) {
      const std::vector<Query> more = read_queries(files[begin]);
      queries.insert(queries.end(), more.begin(), more.end());
    }
    const std::string set = std::filesystem::relative(kind, folder).string();
    const bool faces = kind.filename() == "vertex-face";
    ASSERT_TRUE(faces || kind.filename() == "edge-edge") << kind;
    const LabelCounts counts = faces ? look_at(set, queries, point_triangle) : look_at(set, queries, segment_segment);
    for (LabelCounts* sum : {&all, &separated_sets}) {
      // Its cubes have gaps of 1e-16, so false positives there mean nothing.
      if (sum == &separated_sets && set.find("cube-cliff-edges") != std::string::npos) continue;
      sum->queries += counts.queries;
      sum->contacts += counts.contacts;
      sum->misses += counts.misses;
      sum->alarms += counts.alarms;
    }
  }
  std::printf("all: %zu queries, %zu contacts, %zu misses, %zu false alarms\n", all.queries, all.contacts, all.misses,
              all.alarms);
  EXPECT_EQ(all.misses, 0u);
  EXPECT_LE(100 * separated_sets.alarms, separated_sets.queries - separated_sets.contacts);
}

/// A list of true and false.
std::vector<bool> read_labels(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<bool> labels;
  for (std::string word; std::getline(in, word, ',');)
    labels.push_back(word.find("true") != std::string::npos);
  return labels;
}

TEST(MovingFeaturesLabels, NoContactOfTheScenesIsMissed) {
  const char* const data = std::getenv("WHISKER_DATA");
  if (data == nullptr || *data == '\0') GTEST_SKIP() << "WHISKER_DATA is not set: the labeled queries are not tested";
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::filesystem::path(data) / "ccd" / "scenes")) {
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ASSERT_FALSE(files.empty());
  for (const std::filesystem::path& file : files) {
    const std::filesystem::path scene = file.parent_path().parent_path();
    const std::string name = file.stem().string();
    std::vector<Query> queries = read_queries(file);
    const std::vector<bool> labels = read_labels(scene / "mma_bool" / (name + "_mma_bool.json"));
    ASSERT_EQ(labels.size(), queries.size()) << file;
    for (std::size_t i = 0; i < queries.size(); ++i)
      queries[i].contact = labels[i];
    const std::string set = scene.filename().string() + " " + name;
    const bool faces = name.substr(name.size() - 2) == "vf";
    const LabelCounts counts = faces ? look_at(set, queries, point_triangle) : look_at(set, queries, segment_segment);
    EXPECT_EQ(counts.misses, 0u) << set;
  }
}

}  // namespace
}  // namespace whisker
