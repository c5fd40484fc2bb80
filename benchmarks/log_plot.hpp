#pragma once

// Writes a log-log plot as SVG.

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace whisker::bench {

/// A line of the plot.
struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
  double exponent = 0;
  int color = 0;  ///< Curves of the same color belong together.
  bool dashed = false;
};

/// Returns false if the file cannot be written. The legend lists each curve with its exponent.
bool write_log_plot(const std::string& path, const std::string& title, const std::string& x_label,
                    const std::string& y_label, const std::string& legend_title, std::span<const Curve> curves);

}  // namespace whisker::bench
