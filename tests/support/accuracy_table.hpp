#pragma once

// Checks a table of worst observed numbers in docs/accuracy.md, which lies between two markers: a test measures every
// number again. With WHISKER_UPDATE_ACCURACY=1, the measured numbers are written into the file.

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace whisker::test {

/// The error and the width of the bounds of the distance, then those of the depth, in the unit that the table states.
constexpr std::size_t accuracy_columns = 4;
using AccuracyRow = std::array<double, accuracy_columns>;
using AccuracyRows = std::vector<std::pair<std::string, AccuracyRow>>;  // one row per title

inline std::string read_accuracy_document() {
  std::ifstream file(std::filesystem::path(WHISKER_SOURCE_DIR) / "docs" / "accuracy.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class AccuracyTable {
 public:
  /// `measured_by`: the name in the markers. A documented number that exceeds the measured one by less than `chance`
  /// passes, because another compiler draws other scenes.
  AccuracyTable(const std::string& measured_by, double chance)
      : begin_marker_("<!-- begin: measured by " + measured_by + " -->"),
        end_marker_("<!-- end: measured by " + measured_by + " -->"),
        chance_(chance) {}

  /// Checks that every documented number is the measured one or a little more: the measurement is not worse than
  /// documented, and not more than four times better.
  void check(AccuracyRows measured) const {
    for (auto& [title, row] : measured)
      for (double& number : row)
        number = std::ceil(number * 100) / 100;  // rounded up as in the table
    const char* update = std::getenv("WHISKER_UPDATE_ACCURACY");
    if (update != nullptr && std::string_view(update) == "1") write(measured);

    constexpr std::array<std::string_view, accuracy_columns> columns = {"distance error", "distance width",
                                                                        "depth error", "depth width"};
    const std::map<std::string, AccuracyRow> documented = rows();
    EXPECT_EQ(documented.size(), measured.size()) << "rows in docs/accuracy.md";
    for (const auto& [title, row] : measured) {
      const auto found = documented.find(title);
      if (found == documented.end()) {
        ADD_FAILURE() << "no row for " << title;
        continue;
      }
      for (std::size_t column = 0; column < accuracy_columns; ++column) {
        const double claimed = found->second[column];
        EXPECT_LE(row[column], claimed + 1e-9) << title << ": " << columns[column] << " is worse than documented";
        EXPECT_FALSE(claimed > 4 * row[column] && claimed >= row[column] + chance_)
            << title << ": " << columns[column] << " is documented as " << claimed << " but measured " << row[column];
      }
    }
  }

 private:
  /// The rows between the markers, keyed by title.
  std::map<std::string, AccuracyRow> rows() const {
    const std::string text = read_accuracy_document();
    std::map<std::string, AccuracyRow> rows;
    const std::size_t begin = text.find(begin_marker_), end = text.find(end_marker_);
    if (begin == std::string::npos || end == std::string::npos) return rows;
    std::istringstream lines(text.substr(begin, end - begin));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      std::string cell, name;
      if (!std::getline(cells, cell, '|') || !std::getline(cells, name, '|')) continue;
      AccuracyRow row = {};
      std::size_t column = 0;
      while (column < accuracy_columns && std::getline(cells, cell, '|')) {
        char* stop = nullptr;
        row[column] = std::strtod(cell.c_str(), &stop);
        if (stop == cell.c_str()) break;
        ++column;
      }
      const std::size_t first = name.find_first_not_of(' '), last = name.find_last_not_of(' ');
      if (column == accuracy_columns) rows[name.substr(first, last - first + 1)] = row;
    }
    return rows;
  }

  void write(const AccuracyRows& measured) const {
    const std::string text = read_accuracy_document();
    const std::size_t begin = text.find(begin_marker_), end = text.find(end_marker_);
    ASSERT_NE(begin, std::string::npos) << "no marker in docs/accuracy.md";
    ASSERT_NE(end, std::string::npos) << "no marker in docs/accuracy.md";
    std::ostringstream table;
    table << begin_marker_ << "\n\n| pair | distance: error | distance: width | depth: error | depth: width |\n"
          << "| --- | ---: | ---: | ---: | ---: |\n";
    for (const auto& [title, row] : measured) {
      table << "| " << title << " |";
      for (const double number : row) {
        char cell[40];
        std::snprintf(cell, sizeof cell, " %.2f |", number);
        table << cell;
      }
      table << "\n";
    }
    table << "\n";
    std::ofstream(std::filesystem::path(WHISKER_SOURCE_DIR) / "docs" / "accuracy.md")
        << text.substr(0, begin) << table.str() << text.substr(end);
  }

  std::string begin_marker_;
  std::string end_marker_;
  double chance_;
};

}  // namespace whisker::test
