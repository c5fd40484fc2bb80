#pragma once

/// \file
/// A headless Chromium in which tests open pages, driven through its DevTools protocol over a pair of pipes.

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

#include <nlohmann/json.hpp>

namespace whisker::support {

/// One browser with one page. Every call waits for its answer for at most `Browser::patience`, and throws
/// std::runtime_error if no answer comes or the answer is an error.
class Browser {
 public:
  static constexpr std::chrono::seconds patience{60};

  /// Whether there is a Chromium on this machine.
  static bool is_installed();

  /// Starts the browser with its own profile, in a folder that is removed at the end. Rendering is in software.
  explicit Browser(bool has_webgl = true);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// Opens a file and waits until it is loaded. Clears problems() and requests().
  void open(const std::filesystem::path& page);
  /// Returns the value of a JavaScript expression, and waits if it is a promise. Throws if the expression throws.
  nlohmann::json evaluate(const std::string& expression);
  /// Waits until the expression is true. Throws after `patience`.
  void wait_for(const std::string& expression);

  /// Presses and releases a key, given by its name in the browser ("j", "Escape", "ArrowDown", "?").
  void press(const std::string& key);
  void type(const std::string& text);
  /// Clicks with the left button, in CSS pixels from the page's corner.
  void click(double x, double y);
  /// Clicks in the middle of the first element that matches the selector.
  void click(const std::string& selector);
  void move_mouse(double x, double y);
  void drag(double from_x, double from_y, double to_x, double to_y);
  void wheel(double x, double y, double delta);
  /// Two fingers around a point move from `apart` to `apart_after` pixels from each other.
  void pinch(double x, double y, double apart, double apart_after);

  void set_size(int width, int height, bool is_phone = false, double pixels_per_pixel = 1);
  void set_dark(bool is_dark);
  void set_reduced_motion(bool is_reduced);
  /// Saves a PNG of the window's contents.
  void take_screenshot(const std::filesystem::path& file);

  /// Console errors and exceptions since open().
  const std::vector<std::string>& problems() const { return problems_; }
  /// The URLs that the page requested since open(), including the page itself.
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
