#pragma once

/// \file
/// A headless Chromium that tests open pages in, driven by its DevTools protocol over a pair of pipes.

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

#include <nlohmann/json.hpp>

namespace whisker::support {

/// One browser with one page. Every call waits for its answer, for at most `Browser::patience`, and throws
/// std::runtime_error if there is none or it is an error.
class Browser {
 public:
  static constexpr std::chrono::seconds patience{60};

  /// Whether there is a Chromium on this machine.
  static bool is_installed();

  /// Starts it, with a profile of its own in a folder that is removed at the end. Drawing is in software.
  explicit Browser(bool has_webgl = true);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// Opens a file and waits until it is loaded. What was said and asked for before is forgotten.
  void open(const std::filesystem::path& page);
  /// The value of an expression of JavaScript; a promise is waited for. Throws if it throws.
  nlohmann::json evaluate(const std::string& expression);
  /// Until the expression is true; throws after `patience`.
  void wait_for(const std::string& expression);

  /// A key by its name in the browser ("j", "Escape", "ArrowDown", "?"), pressed and released.
  void press(const std::string& key);
  void type(const std::string& text);
  /// In CSS pixels from the page's corner, with the left button.
  void click(double x, double y);
  /// In the middle of the first element that a selector finds.
  void click(const std::string& selector);
  void move_mouse(double x, double y);
  void drag(double from_x, double from_y, double to_x, double to_y);
  void wheel(double x, double y, double delta);
  /// Two fingers that move from `apart` to `apart_after` pixels from each other, about a point.
  void pinch(double x, double y, double apart, double apart_after);

  void set_size(int width, int height, bool is_phone = false, double pixels_per_pixel = 1);
  void set_dark(bool is_dark);
  void set_reduced_motion(bool is_reduced);
  /// A PNG of what is in the window.
  void take_screenshot(const std::filesystem::path& file);

  /// Errors on the console and exceptions since open().
  const std::vector<std::string>& problems() const { return problems_; }
  /// What the page asked for since open(), itself included.
  const std::vector<std::string>& requests() const { return requests_; }

 private:
  nlohmann::json call(const std::string& method, const nlohmann::json& parameters = nlohmann::json::object());
  nlohmann::json next_message();
  void note(const nlohmann::json& message);
  void set_media();
  void mouse(const char* type, double x, double y, const char* button, int buttons, int clicks);
  void stop();

  std::filesystem::path profile_;
  pid_t process_ = -1;
  int to_browser_ = -1;
  int from_browser_ = -1;
  std::string received_;
  std::string session_;
  std::int64_t last_id_ = 0;
  bool is_loaded_ = false;
  bool is_dark_ = false;
  bool is_motion_reduced_ = false;
  std::vector<std::string> problems_;
  std::vector<std::string> requests_;
};

}  // namespace whisker::support
