#include "io/scene_child.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <poll.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include <whisker/error.hpp>

#include "io/file_descriptor.hpp"
#include "io/ifc_schema.hpp"
#include "io/source.hpp"

extern char** environ;  // NOLINT: POSIX leaves its declaration to the program

namespace whisker::io {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* program_name = "whisker-scene-reader";
constexpr std::size_t longest_message = 4096;  // bytes of the child's standard error that are kept

struct Pipe {
  FileDescriptor reading;
  FileDescriptor writing;

  /// Opens a pipe whose ends are closed in every child. They are numbered above the standard streams, so that
  /// duplicating them onto those in the child cannot collide, even if this process has closed its own standard streams.
  explicit Pipe(const Source& about) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) {
      const FileDescriptor low_reading(ends[0]), low_writing(ends[1]);
      reading.reset(::fcntl(ends[0], F_DUPFD_CLOEXEC, 3));
      writing.reset(::fcntl(ends[1], F_DUPFD_CLOEXEC, 3));
    }
    if (reading.get() >= 0 && writing.get() >= 0) return;
    about.fail("cannot create a pipe (" + std::generic_category().message(errno) + "): close some files and try again");
  }
};

/// Settings for posix_spawn, freed at the end.
struct SpawnSettings {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

/// A running child in its own process group. At the latest when this object goes out of scope, the child is killed,
/// together with its own children, and waited for.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { kill_and_wait(); }

  /// Waits for the child to end by itself. Returns false if it has not ended by the deadline.
  bool wait_until(Clock::time_point deadline) {
    while (true) {
      const pid_t result = ::waitpid(id_, &status_, WNOHANG);
      if (result == id_ || (result < 0 && errno != EINTR)) {
        // An error means that this program reaps all its children automatically. The status is lost and reported as 0.
        if (result < 0) status_ = 0;
        reaped_ = true;
        return true;
      }
      if (Clock::now() >= deadline) return false;
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  }
  void kill_and_wait() {
    if (reaped_) return;
    ::kill(-id_, SIGKILL);
    ::kill(id_, SIGKILL);
    while (::waitpid(id_, &status_, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
  }
  int status() const { return status_; }

 private:
  pid_t id_;
  int status_ = 0;
  bool reaped_ = false;
};

/// Starts the program that the command begins with.
pid_t spawn(std::vector<std::string> command, const Pipe& output, const Pipe& messages, const Source& about) {
  SpawnSettings settings;
  ::posix_spawn_file_actions_addopen(&settings.actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&settings.actions, output.writing.get(), 1);
  ::posix_spawn_file_actions_adddup2(&settings.actions, messages.writing.get(), 2);
  // Signals that this program blocks or ignores must still be able to end the child.
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&settings.attributes, &none);
  ::posix_spawnattr_setsigdefault(&settings.attributes, &all);
  ::posix_spawnattr_setpgroup(&settings.attributes, 0);
  ::posix_spawnattr_setflags(
      &settings.attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP));

  std::vector<char*> pointers;
  for (std::string& text : command)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  pid_t id = 0;
  const int error =
      ::posix_spawn(&id, command[0].c_str(), &settings.actions, &settings.attributes, pointers.data(), environ);
  if (error != 0) {
    about.fail("cannot start " + printable(command[0]) + " (" + std::generic_category().message(error) + "): install " +
               program_name + ", or name it in WHISKER_SCENE_READER or SceneOptions::reader");
  }
  return id;
}

struct Answer {
  std::string output;
  std::string messages;
};

enum class Ending { complete, out_of_time, too_long };

/// Collects the child's output until it closes both streams.
Ending collect(const Pipe& output, const Pipe& messages, Clock::time_point deadline, std::uint64_t longest_output,
               Answer& answer) {
  pollfd streams[2] = {{output.reading.get(), POLLIN, 0}, {messages.reading.get(), POLLIN, 0}};
  std::vector<char> buffer(std::size_t{1} << 16);
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Ending::out_of_time;
    constexpr std::int64_t longest_wait = 60'000;
    const int ready = ::poll(streams, 2, static_cast<int>(std::min<std::int64_t>(left + 1, longest_wait)));
    if (ready < 0 && errno != EINTR) return Ending::complete;
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      if (streams[i].fd < 0 || streams[i].revents == 0) continue;
      const ssize_t got = ::read(streams[i].fd, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        streams[i].fd = -1;  // poll ignores it from now on
        continue;
      }
      const auto size = static_cast<std::size_t>(got);
      if (i == 0) {
        if (answer.output.size() + size > longest_output) return Ending::too_long;
        answer.output.append(buffer.data(), size);
      } else {
        answer.messages.append(buffer.data(), std::min(size, longest_message - answer.messages.size()));
      }
    }
  }
  return Ending::complete;
}

/// The child's last message, as part of a sentence. Empty if there is none.
std::string said(const std::string& messages) {
  std::size_t end = messages.size();
  while (end > 0 && (messages[end - 1] == '\n' || messages[end - 1] == ' '))
    --end;
  if (end == 0) return "";
  constexpr std::size_t longest = 300;
  return " (its message: " + printable(messages.substr(0, std::min(end, longest))) + ")";
}

/// The schema of an IFC file if the reader does not support it, such as "IFC4". Otherwise empty.
std::string foreign_ifc_schema(const std::filesystem::path& path) {
  std::string header(longest_ifc_header, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  header.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  const std::string schema = printable(ifc_schema(header));
  return is_known_ifc_schema(schema) ? "" : schema;
}

/// The rest of a sentence about a reader that failed on the file, which need not be the file's fault.
std::string what_it_cannot_read(const std::filesystem::path& path) {
  const std::string schema = foreign_ifc_schema(path);
  if (!schema.empty()) return "it cannot read " + schema + ": export the file as IFC2x3 or glTF";
  const std::string extension = path.extension().string();
  return "it cannot read this " + (extension.empty() ? "" : printable(extension) + " ") +
         "file, whether it is damaged or not: export it again, or in another format, such as glTF or OBJ";
}

std::string mebibytes(std::uint64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

std::filesystem::path find_scene_reader(const SceneOptions& options) {
  if (!options.reader.empty()) return options.reader;
  if (const char* const named = std::getenv("WHISKER_SCENE_READER"); named != nullptr && *named != '\0') return named;
  std::error_code error;
  std::filesystem::path beside = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    beside.replace_filename(program_name);
    if (::access(beside.c_str(), X_OK) == 0) return beside;
  }
  if (::access(WHISKER_SCENE_READER_INSTALLED, X_OK) == 0) return WHISKER_SCENE_READER_INSTALLED;
  throw Error(std::string("the program ") + program_name +
              ", which reads this format, is not installed: install it, name it in the environment variable "
              "WHISKER_SCENE_READER, or convert the file to OBJ, STL, PLY or OFF");
}

SceneStream read_in_child(const std::filesystem::path& path, const SceneOptions& options) {
  const Source about{{}, path.string()};
  check_file(path);
  if (!(options.seconds > 0)) throw Error("SceneOptions::seconds must be more than 0 seconds");
  std::filesystem::path program;
  try {
    program = find_scene_reader(options);
  } catch (const Error& error) {
    about.fail(error.what());
  }

  constexpr double longest_limit = 1e6;  // in seconds; anything above is equivalent
  const double limit = std::min(options.seconds, longest_limit);
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit));
  Pipe output(about), messages(about);
  Child child(spawn({program.string(), path.string(), std::to_string(options.memory_limit_bytes),
                     std::to_string(static_cast<std::uint64_t>(std::ceil(limit)) + 1)},
                    output, messages, about));
  output.writing.reset();
  messages.writing.reset();

  Answer answer;
  try {
    Ending ending = collect(output, messages, deadline, options.memory_limit_bytes, answer);
    if (ending == Ending::complete && !child.wait_until(deadline)) ending = Ending::out_of_time;
    child.kill_and_wait();
    if (ending == Ending::out_of_time) {
      about.fail("reading took longer than " + std::to_string(limit) +
                 " s and was stopped: the file is damaged, or raise SceneOptions::seconds");
    }
    if (ending == Ending::too_long) {
      about.fail("the scene is larger than " + mebibytes(options.memory_limit_bytes) +
                 ": raise SceneOptions::memory_limit_bytes or split the file");
    }
  } catch (const std::bad_alloc&) {
    about.fail("not enough memory for the scene: split the file");
  }

  const int status = child.status();
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGKILL) {
      about.fail("the reader was stopped for using up its processor time or memory" + said(answer.messages) +
                 ": the file is damaged, or raise the limits in SceneOptions");
    }
    about.fail("the reader for this format crashed (signal " + std::to_string(signal) + ")" + said(answer.messages) +
               "; " + what_it_cannot_read(path));
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  const bool memory =
      code == reader_exit_memory || (code != 0 && answer.messages.find("bad_alloc") != std::string::npos);
  if (memory) {
    about.fail("reading needs more than " + mebibytes(options.memory_limit_bytes) +
               " of memory: the file is damaged, or raise SceneOptions::memory_limit_bytes");
  }
  if (code != 0 && !foreign_ifc_schema(path).empty()) {
    about.fail("the reader failed" + said(answer.messages) + "; " + what_it_cannot_read(path));
  }
  if (code != 0) {
    about.fail("the file cannot be read as a scene" + said(answer.messages) +
               ": check that it is complete and of a supported format");
  }
  try {
    return decode_scene_stream(answer.output);
  } catch (const Error& error) {
    about.fail("the output of " + printable(program.string()) + " is invalid (" + error.what() + ")" +
               said(answer.messages) + ": use the " + program_name + " of this version");
  } catch (const std::bad_alloc&) {
    about.fail("not enough memory for the scene: split the file");
  }
}

}  // namespace whisker::io
