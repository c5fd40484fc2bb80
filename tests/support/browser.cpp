#include "support/browser.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace whisker::support {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr const char* program = "/usr/bin/chromium";

std::vector<unsigned char> from_base64(std::string_view text) {
  std::vector<unsigned char> bytes;
  unsigned value = 0;
  int bits = 0;
  for (const char c : text) {
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (digit < 0) break;
    value = value << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<unsigned char>(value >> bits & 255));
  }
  return bytes;
}

}  // namespace

bool Browser::is_installed() {
  return access(program, X_OK) == 0;
}

Browser::Browser(bool has_webgl) {
  std::string folder = (std::filesystem::temp_directory_path() / "whisker_browser_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder for the browser");
  profile_ = folder;

  std::vector<std::string> arguments{program,
                                     "--headless=new",
                                     "--no-sandbox",
                                     "--no-first-run",
                                     "--disable-extensions",
                                     "--disable-background-networking",
                                     "--disable-component-update",
                                     "--disable-sync",
                                     "--disable-dev-shm-usage",
                                     "--hide-scrollbars",
                                     "--mute-audio",
                                     "--force-color-profile=srgb",
                                     "--remote-debugging-pipe",
                                     "--user-data-dir=" + profile_.string()};
  if (has_webgl) {
    arguments.insert(arguments.end(), {"--use-angle=swiftshader", "--enable-unsafe-swiftshader"});
  } else {
    arguments.insert(arguments.end(), {"--disable-gpu", "--disable-3d-apis", "--disable-software-rasterizer"});
  }
  arguments.emplace_back("about:blank");

  std::array<int, 2> to{}, from{};
  if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("no pipes for the browser");
  std::vector<char*> pointers;
  for (std::string& argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  process_ = fork();
  if (process_ == 0) {
    // The browser reads commands from descriptor 3 and answers on 4. The pipes may have these numbers, so they are
    // moved up first.
    setpgid(0, 0);
    const int in = fcntl(to[0], F_DUPFD_CLOEXEC, 10), out = fcntl(from[1], F_DUPFD_CLOEXEC, 10);
    const int silence = ::open("/dev/null", O_RDWR);
    dup2(silence, 0);
    dup2(silence, 1);
    dup2(silence, 2);
    dup2(in, 3);
    dup2(out, 4);
    execv(program, pointers.data());
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  to_browser_ = to[1];
  from_browser_ = from[0];
  if (process_ < 0) throw std::runtime_error("the browser cannot be started");
  try {
    const json targets = call("Target.getTargets")["targetInfos"];
    const auto page = std::find_if(targets.begin(), targets.end(), [](const json& t) { return t["type"] == "page"; });
    const std::string target =
        page != targets.end() ? (*page)["targetId"].get<std::string>()
                              : call("Target.createTarget", {{"url", "about:blank"}})["targetId"].get<std::string>();
    session_ = call("Target.attachToTarget", {{"targetId", target}, {"flatten", true}})["sessionId"];
    for (const char* domain : {"Page", "Runtime", "Network", "Log"})
      call(std::string(domain) + ".enable");
    set_size(1280, 800);
  } catch (...) {
    stop();
    throw;
  }
}

Browser::~Browser() {
  stop();
}

void Browser::stop() {
  if (process_ > 0) {
    // The browser's helper processes are in its process group.
    kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }
  if (to_browser_ >= 0) close(to_browser_);
  if (from_browser_ >= 0) close(from_browser_);
  to_browser_ = from_browser_ = -1;
  std::error_code ignored;
  for (int attempt = 0; attempt < 20 && std::filesystem::exists(profile_, ignored); ++attempt) {
    std::filesystem::remove_all(profile_, ignored);
    if (ignored) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

json Browser::next_message() {
  const auto deadline = Clock::now() + patience;
  for (;;) {
    // Messages end with a zero byte.
    if (const std::size_t end = received_.find('\0'); end != std::string::npos) {
      const json message = json::parse(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(end));
      received_.erase(0, end + 1);
      return message;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{from_browser_, POLLIN, 0};
    const int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) throw std::runtime_error("the browser does not answer");
    std::array<char, 65536> buffer;
    const ssize_t count = read(from_browser_, buffer.data(), buffer.size());
    if (count <= 0) throw std::runtime_error("the browser has ended");
    received_.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void Browser::note(const json& message) {
  const std::string method = message.value("method", "");
  if (method.empty()) return;
  const json& about = message["params"];
  if (method == "Page.loadEventFired") is_loaded_ = true;
  if (method == "Network.requestWillBeSent") requests_.push_back(about["request"]["url"]);
  if (method == "Runtime.exceptionThrown") problems_.push_back(about["exceptionDetails"].dump());
  if (method == "Runtime.consoleAPICalled" &&
      (about["type"] == "error" || about["type"] == "assert" || about["type"] == "warning"))
    problems_.push_back(about["args"].dump());
  if (method == "Log.entryAdded" && about["entry"]["level"] == "error") problems_.push_back(about["entry"].dump());
}

json Browser::call(const std::string& method, const json& parameters) {
  json message{{"id", ++last_id_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) message["sessionId"] = session_;
  std::string text = message.dump();
  text += '\0';
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t count = write(to_browser_, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw std::runtime_error("the browser has ended");
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  for (;;) {
    json answer = next_message();
    if (answer.value("id", std::int64_t{0}) != last_id_) {
      note(answer);
      continue;
    }
    if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
    return answer["result"];
  }
}

void Browser::open(const std::filesystem::path& page) {
  // Ensures that a new page is loaded even if the address is the same.
  call("Page.navigate", {{"url", "about:blank"}});
  problems_.clear();
  requests_.clear();
  is_loaded_ = false;
  const std::string address = "file://" + std::filesystem::absolute(page).string();
  const json answer = call("Page.navigate", {{"url", address}});
  if (answer.contains("errorText")) throw std::runtime_error(address + ": " + answer["errorText"].dump());
  wait_for("document.readyState === 'complete' && location.protocol === 'file:'");
  const auto is_other = [](const std::string& url) { return url == "about:blank"; };
  requests_.erase(std::remove_if(requests_.begin(), requests_.end(), is_other), requests_.end());
}

json Browser::evaluate(const std::string& expression) {
  const json answer =
      call("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails"))
    throw std::runtime_error(expression + ": " + answer["exceptionDetails"].dump());
  return answer["result"].contains("value") ? answer["result"]["value"] : json(nullptr);
}

void Browser::wait_for(const std::string& expression) {
  const auto deadline = Clock::now() + patience;
  while (evaluate("Boolean(" + expression + ")") != true) {
    if (Clock::now() > deadline) throw std::runtime_error("never true: " + expression);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void Browser::press(const std::string& key) {
  static const std::map<std::string, int> codes{{"Escape", 27},  {"Enter", 13},      {"ArrowLeft", 37},
                                                {"ArrowUp", 38}, {"ArrowRight", 39}, {"ArrowDown", 40},
                                                {"Home", 36},    {"End", 35},        {"Tab", 9}};
  json parameters{{"type", "keyDown"}, {"key", key}};
  if (const auto code = codes.find(key); code != codes.end()) {
    parameters["windowsVirtualKeyCode"] = code->second;
    if (key == "Enter") parameters["text"] = "\r";
  } else {
    parameters["text"] = key;
  }
  call("Input.dispatchKeyEvent", parameters);
  parameters["type"] = "keyUp";
  parameters.erase("text");
  call("Input.dispatchKeyEvent", parameters);
}

void Browser::type(const std::string& text) {
  call("Input.insertText", {{"text", text}});
}

void Browser::mouse(const char* type, double x, double y, const char* button, int buttons, int clicks) {
  call("Input.dispatchMouseEvent",
       {{"type", type}, {"x", x}, {"y", y}, {"button", button}, {"buttons", buttons}, {"clickCount", clicks}});
}

void Browser::move_mouse(double x, double y) {
  mouse("mouseMoved", x, y, "none", 0, 0);
}

void Browser::click(double x, double y) {
  move_mouse(x, y);
  mouse("mousePressed", x, y, "left", 1, 1);
  mouse("mouseReleased", x, y, "left", 0, 1);
}

void Browser::click(const std::string& selector) {
  const json box = evaluate("(() => { const node = document.querySelector(" + json(selector).dump() +
                            "); node.scrollIntoView({ block: 'nearest' }); const b = node.getBoundingClientRect(); "
                            "return [b.left + b.width / 2, b.top + b.height / 2]; })()");
  click(box[0].get<double>(), box[1].get<double>());
}

void Browser::drag(double from_x, double from_y, double to_x, double to_y) {
  move_mouse(from_x, from_y);
  mouse("mousePressed", from_x, from_y, "left", 1, 1);
  for (int step = 1; step <= 4; ++step)
    mouse("mouseMoved", from_x + (to_x - from_x) * step / 4, from_y + (to_y - from_y) * step / 4, "left", 1, 0);
  mouse("mouseReleased", to_x, to_y, "left", 0, 1);
}

void Browser::wheel(double x, double y, double delta) {
  call("Input.dispatchMouseEvent", {{"type", "mouseWheel"}, {"x", x}, {"y", y}, {"deltaX", 0}, {"deltaY", delta}});
}

void Browser::pinch(double x, double y, double apart, double apart_after) {
  const auto fingers = [&](double distance) {
    return json::array(
        {{{"x", x - distance / 2}, {"y", y}, {"id", 1}}, {{"x", x + distance / 2}, {"y", y}, {"id", 2}}});
  };
  call("Input.dispatchTouchEvent", {{"type", "touchStart"}, {"touchPoints", fingers(apart)}});
  for (int step = 1; step <= 4; ++step) {
    call("Input.dispatchTouchEvent",
         {{"type", "touchMove"}, {"touchPoints", fingers(apart + (apart_after - apart) * step / 4)}});
  }
  call("Input.dispatchTouchEvent", {{"type", "touchEnd"}, {"touchPoints", json::array()}});
}

void Browser::set_size(int width, int height, bool is_phone, double pixels_per_pixel) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", pixels_per_pixel}, {"mobile", is_phone}});
  call("Emulation.setTouchEmulationEnabled", {{"enabled", is_phone}, {"maxTouchPoints", is_phone ? 5 : 1}});
}

void Browser::set_media() {
  call("Emulation.setEmulatedMedia",
       {{"features",
         {{{"name", "prefers-color-scheme"}, {"value", is_dark_ ? "dark" : "light"}},
          {{"name", "prefers-reduced-motion"}, {"value", is_motion_reduced_ ? "reduce" : "no-preference"}}}}});
}

void Browser::set_dark(bool is_dark) {
  is_dark_ = is_dark;
  set_media();
}

void Browser::set_reduced_motion(bool is_reduced) {
  is_motion_reduced_ = is_reduced;
  set_media();
}

void Browser::take_screenshot(const std::filesystem::path& file) {
  const json answer = call("Page.captureScreenshot", {{"format", "png"}});
  const std::vector<unsigned char> bytes = from_base64(answer["data"].get<std::string>());
  std::ofstream stream(file, std::ios::binary);
  for (const unsigned char byte : bytes)
    stream.put(static_cast<char>(byte));
}

}  // namespace whisker::support
