// What goes wrong and whose fault it is. A user's fault throws one of these errors, whose message names
// the file, line and value and says what to do; our own fault is an assertion. The core prints nothing.
#pragma once

#include <stdexcept>
#include <string>

namespace mmo {

// The program's exit codes (documented in README and `mmo --help`).
enum class ExitCode : int {
  success = 0,
  internal = 1,      // a bug in mmo
  usage = 2,         // wrong flags or settings
  bad_data = 3,      // a data file that can't be used as it is
  bad_model = 4,     // a model file that is damaged, too new or does not fit the data
  io = 5,            // missing, unreadable or unwritable file, full disk
  interrupted = 130  // Ctrl-C
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

struct UsageError : Error {
  explicit UsageError(const std::string& message) : Error(ExitCode::usage, message) {}
};

struct DataError : Error {
  explicit DataError(const std::string& message) : Error(ExitCode::bad_data, message) {}
  // "file:line: message"; lines count from 1, 0 = unknown.
  DataError(const std::string& file, std::size_t line, const std::string& message)
      : Error(ExitCode::bad_data, (line > 0 ? file + ":" + std::to_string(line) : file) + ": " + message) {}
};

struct ModelError : Error {
  explicit ModelError(const std::string& message) : Error(ExitCode::bad_model, message) {}
};

struct IoError : Error {
  explicit IoError(const std::string& message) : Error(ExitCode::io, message) {}
};

struct Interrupted : Error {
  explicit Interrupted(const std::string& what_is_kept = "nothing was written")
      : Error(ExitCode::interrupted, "interrupted; " + what_is_kept) {}
};

}  // namespace mmo
