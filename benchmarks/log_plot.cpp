#include "log_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>

namespace whisker::bench {
namespace {

// Pixels.
constexpr double width = 960, height = 600, left = 90, right = 250, top = 60, bottom = 70;

// Okabe and Ito 2008: distinguishable for color-blind readers.
constexpr std::array colors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

/// The range from the largest round number (one digit and zeros) below all values to the smallest one above all.
struct Axis {
  double low = 1, high = 10;

  explicit Axis(std::span<const Curve> curves, bool vertical) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const Curve& curve : curves) {
      for (const auto& [x, y] : curve.points) {
        least = std::min(least, vertical ? y : x);
        most = std::max(most, vertical ? y : x);
      }
    }
    if (least > most) return;
    const double unit_low = std::pow(10, std::floor(std::log10(least)));
    const double unit_high = std::pow(10, std::floor(std::log10(most)));
    low = unit_low * std::floor(least / unit_low);
    high = unit_high * (std::floor(most / unit_high) + 1);
  }
  /// 0 at the low end, 1 at the high end.
  double part(double value) const { return std::log(value / low) / std::log(high / low); }

  /// Calls `draw(value, decade)` for every round number. `decade` is its power of ten if it is one, otherwise empty.
  void for_each_mark(const std::function<void(double, std::optional<int>)>& draw) const {
    for (int decade = static_cast<int>(std::floor(std::log10(low))); decade <= std::log10(high); ++decade) {
      for (int digit = 1; digit <= 9; ++digit) {
        const double value = digit * std::pow(10, decade);
        if (value < 0.999 * low || value > 1.001 * high) continue;
        draw(value, digit == 1 ? std::optional(decade) : std::nullopt);
      }
    }
  }
};

std::string format(const char* pattern, double a, double b = 0, double c = 0, double d = 0) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, a, b, c, d);
  return text;
}

std::string power_of_ten(int exponent) {
  if (exponent >= 0 && exponent <= 3) return std::to_string(static_cast<int>(std::lround(std::pow(10, exponent))));
  if (exponent == -1) return "0.1";
  return "10<tspan dy=\"-6\" font-size=\"11\">" + std::to_string(exponent) + "</tspan>";
}

}  // namespace

bool write_log_plot(const std::string& path, const std::string& title, const std::string& x_label,
                    const std::string& y_label, const std::string& legend_title, std::span<const Curve> curves) {
  const Axis across(curves, false), up(curves, true);
  const double plot_width = width - left - right, plot_height = height - top - bottom;
  const auto x_of = [&](double value) { return left + plot_width * across.part(value); };
  const auto y_of = [&](double value) { return top + plot_height * (1 - up.part(value)); };

  std::ofstream file(path);
  file << format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" ", width,
                 height, width, height)
       << "font-family=\"sans-serif\" font-size=\"14\" fill=\"#222\">\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
       << format("<text x=\"%g\" y=\"%g\" font-size=\"17\">", left, top - 24) << title << "</text>\n";
  across.for_each_mark([&](double value, std::optional<int> decade) {
    const double x = x_of(value);
    file << format("<line x1=\"%.1f\" y1=\"%g\" x2=\"%.1f\" y2=\"%g\" ", x, top, x, top + plot_height)
         << (decade ? "stroke=\"#bbb\"/>\n" : "stroke=\"#eee\"/>\n");
    if (decade) {
      file << format("<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">", x, top + plot_height + 22)
           << power_of_ten(*decade) << "</text>\n";
    }
  });
  up.for_each_mark([&](double value, std::optional<int> decade) {
    const double y = y_of(value);
    file << format("<line x1=\"%g\" y1=\"%.1f\" x2=\"%g\" y2=\"%.1f\" ", left, y, left + plot_width, y)
         << (decade ? "stroke=\"#bbb\"/>\n" : "stroke=\"#eee\"/>\n");
    if (decade) {
      file << format("<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">", left - 10, y + 5) << power_of_ten(*decade)
           << "</text>\n";
    }
  });
  file << format("<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">", left + plot_width / 2, height - 18) << x_label
       << "</text>\n"
       << format("<text transform=\"translate(%g %g) rotate(-90)\" text-anchor=\"middle\">", 26, top + plot_height / 2)
       << y_label << "</text>\n";

  double legend = top + 10;
  file << format("<text x=\"%g\" y=\"%g\" font-weight=\"bold\">", left + plot_width + 20, legend) << legend_title
       << "</text>\n";
  for (const Curve& curve : curves) {
    const std::string stroke = std::string("stroke=\"") +
                               colors[static_cast<std::size_t>(curve.color) % colors.size()] +
                               "\" stroke-width=\"2.2\"" + (curve.dashed ? " stroke-dasharray=\"6 5\"" : "");
    file << "<polyline fill=\"none\" " << stroke << " points=\"";
    for (const auto& [x, y] : curve.points)
      file << format("%.1f,%.1f ", x_of(x), y_of(y));
    file << "\"/>\n";
    for (const auto& [x, y] : curve.points)
      file << format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"", x_of(x), y_of(y))
           << colors[static_cast<std::size_t>(curve.color) % colors.size()] << "\"/>\n";
    legend += 24;
    file << format("<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" ", left + plot_width + 20, legend - 5,
                   left + plot_width + 56, legend - 5)
         << stroke << "/>\n"
         << format("<text x=\"%g\" y=\"%g\">", left + plot_width + 64, legend) << curve.name << ", "
         << format("%.2f", curve.exponent) << "</text>\n";
  }
  file << format("<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#444\"/>\n</svg>\n", left,
                 top, plot_width, plot_height);
  file.close();
  return static_cast<bool>(file);
}

}  // namespace whisker::bench
