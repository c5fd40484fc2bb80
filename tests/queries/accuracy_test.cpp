// The table of worst observed errors in docs/accuracy.md is kept true: every number in it is measured again here.
//
// WHISKER_UPDATE_ACCURACY=1 writes the measured numbers into the file instead.

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <whisker/queries.hpp>

#include "support/reference_samples.hpp"

namespace whisker::test {
namespace {

// Fixed: the table is about these scenes, whatever the other tests' scale and seed.
constexpr std::size_t scenes_per_pair = 990;
constexpr std::uint64_t seed = 20;

constexpr std::string_view begin_marker = "<!-- begin: measured by accuracy_test -->";
constexpr std::string_view end_marker = "<!-- end: measured by accuracy_test -->";

constexpr std::size_t column_count = 4;
/// Worst error and worst width of the bounds of distance, then of depth, in spacings of doubles at the largest
/// coordinate.
using Row = std::array<double, column_count>;

std::filesystem::path document() {
  return std::filesystem::path(WHISKER_SOURCE_DIR) / "docs" / "accuracy.md";
}

/// Rounded up to hundredths, as the table shows it.
double shown(double x) {
  return std::ceil(x * 100) / 100;
}

void keep_worst(double& worst, const Real& error, double unit) {
  worst = std::max(worst, Real(error / Real(unit)).convert_to<double>());
}

Row measure(const KindPair& pair) {
  std::mt19937_64 random(seed + 100 * pair.first + pair.second);
  Row worst = {};
  for (std::size_t i = 0; i < scenes_per_pair; ++i) {
    const auto family = static_cast<Family>(i % family_count);
    if (family == Family::sloppy) continue;
    const Sample sample(make_scene(random, pair.first, pair.second, family));
    const double unit = spacing_of_doubles_at(sample.truth.size);
    for (const View& view : {sample.in_order(), sample.swapped()}) {
      const Distance apart = distance(view.a, view.b);
      keep_worst(worst[0], abs(Real(apart.value()) - view.truth.distance), unit);
      keep_worst(worst[1], Real(apart.upper) - Real(apart.lower), unit);
      if (view.truth.inseparable) continue;  // infinite, exactly
      const Depth deep = depth(view.a, view.b);
      keep_worst(worst[2], abs(Real(deep.value()) - view.truth.depth), unit);
      keep_worst(worst[3], Real(deep.upper) - Real(deep.lower), unit);
    }
  }
  for (double& number : worst)
    number = shown(number);
  return worst;
}

std::string title(const KindPair& pair) {
  std::string text = std::string(simple_shape_name(pair.first)) + ", " + std::string(simple_shape_name(pair.second));
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

std::string read_document() {
  std::ifstream file(document());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The rows between the markers, by their title.
std::map<std::string, Row> documented_rows(const std::string& text) {
  std::map<std::string, Row> rows;
  const std::size_t begin = text.find(begin_marker), end = text.find(end_marker);
  if (begin == std::string::npos || end == std::string::npos) return rows;
  std::istringstream lines(text.substr(begin, end - begin));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::string cell, name;
    if (!std::getline(cells, cell, '|') || !std::getline(cells, name, '|')) continue;
    Row row = {};
    std::size_t column = 0;
    while (column < column_count && std::getline(cells, cell, '|')) {
      char* stop = nullptr;
      row[column] = std::strtod(cell.c_str(), &stop);
      if (stop == cell.c_str()) break;
      ++column;
    }
    const std::size_t first = name.find_first_not_of(' '), last = name.find_last_not_of(' ');
    if (column == column_count) rows[name.substr(first, last - first + 1)] = row;
  }
  return rows;
}

void write_document(const std::string& text, const std::vector<std::pair<KindPair, Row>>& rows) {
  const std::size_t begin = text.find(begin_marker), end = text.find(end_marker);
  ASSERT_NE(begin, std::string::npos) << "no marker in " << document();
  ASSERT_NE(end, std::string::npos) << "no marker in " << document();
  std::ostringstream table;
  table << begin_marker << "\n\n| pair | distance: error | distance: width | depth: error | depth: width |\n"
        << "| --- | ---: | ---: | ---: | ---: |\n";
  for (const auto& [pair, row] : rows) {
    table << "| " << title(pair) << " |";
    for (const double number : row) {
      char cell[40];
      std::snprintf(cell, sizeof cell, " %.2f |", number);
      table << cell;
    }
    table << "\n";
  }
  table << "\n";
  std::ofstream(document()) << text.substr(0, begin) << table.str() << text.substr(end);
}

TEST(Accuracy, EveryNumberOfTheTableIsWhatIsMeasured) {
  std::vector<std::pair<KindPair, Row>> measured;
  for (const KindPair& pair : all_kind_pairs())
    measured.emplace_back(pair, measure(pair));
  const char* update = std::getenv("WHISKER_UPDATE_ACCURACY");
  if (update != nullptr && std::string_view(update) == "1") write_document(read_document(), measured);

  constexpr std::array<std::string_view, column_count> columns = {"distance error", "distance width", "depth error",
                                                                  "depth width"};
  const std::map<std::string, Row> documented = documented_rows(read_document());
  EXPECT_EQ(documented.size(), measured.size()) << "rows in " << document();
  for (const auto& [pair, row] : measured) {
    const auto found = documented.find(title(pair));
    if (found == documented.end()) {
      ADD_FAILURE() << "no row for " << title(pair);
      continue;
    }
    for (std::size_t column = 0; column < column_count; ++column) {
      const double claimed = found->second[column];
      EXPECT_LE(row[column], claimed + 1e-9) << title(pair) << ": " << columns[column] << " is worse than documented";
      EXPECT_FALSE(claimed > 4 * row[column] && claimed >= row[column] + 0.5)
          << title(pair) << ": " << columns[column] << " is documented as " << claimed << " but measured "
          << row[column];
    }
  }
}

TEST(Accuracy, TheTextNamesTheNumberOfScenesThatAreMeasured) {
  const std::size_t measured = scenes_per_pair / family_count * (family_count - 1);
  std::ostringstream phrase;
  phrase << "measured over " << measured << " scenes";
  EXPECT_NE(read_document().find(phrase.str()), std::string::npos);
}

}  // namespace
}  // namespace whisker::test
