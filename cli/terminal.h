// Results go to standard output, everything else to standard error; bars only when somebody watches.
#pragma once

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/command.h"
#include "mmo/core/progress.h"

namespace mmo::cli {

// Names from files may hold anything: without control characters and endless numbers (core/printable.h).
[[nodiscard]] std::string for_terminal(std::string_view text);
// Writes a report to standard output; throws IoError when that fails (full disk).
void print(std::string_view report);
// Writes to standard error; if that is closed or full, there is nobody left to tell.
void say(const std::string& text);
// Indented, keys in order; NaN becomes null.
void print_json(const nlohmann::ordered_json& value);
void flush_output();

// "mmo: …" on standard error, above the bar if there is one.
void notice(const std::string& message);
// "mmo: warning: …" alike, unless --quiet.
void warn(const Common& common, const std::string& message);
void warn_all(const Common& common, const std::vector<std::string>& messages);

// Columns aligned, the first to the left, the others to the right; rows[0] is the heading.
std::string table(std::vector<std::vector<std::string>> rows);

// Lines of at most 80 columns, or of the terminal's width where that is less, broken at spaces; all but the
// first start with `indent` spaces. A word that is longer stays whole.
std::string wrapped(std::string_view text, std::size_t indent);

// "1:05" or "2:03:07".
std::string clock_text(double seconds);

// A bar on standard error with stage, share done, time spent and time left, redrawn every second while a long
// stage says nothing. Draws only where somebody watches (a terminal that is not dumb, no CI) and without
// --quiet; erases itself at the end.
class ProgressBar {
 public:
  explicit ProgressBar(const Common& common);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Must not outlive the bar. Empty when nothing is drawn.
  [[nodiscard]] Progress listener();
  void erase();

 private:
  void take(const ProgressEvent& event);
  void draw();
  void redraw_every_second();

  const bool visible_;
  const double started_;
  std::mutex mutex_;  // of everything below
  std::condition_variable over_;
  bool ending_ = false;
  ProgressEvent last_;
  double ends_ = 0;  // when the run should be over, judged at the last event; 0 = too early to say
  double drawn_ = 0;
  std::thread ticker_;
};

// "0:07, about 0:05 left"; once an estimate has run out, only the time spent.
std::string progress_time(double now, double started, double ends);

// The first Ctrl-C (or SIGTERM) asks running work to stop and clean up, the second ends the program at once.
void handle_interrupts();

}  // namespace mmo::cli
