#include "cli/terminal.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/printable.h"

namespace mmo::cli {
namespace {

constexpr double seconds_between_draws = 0.1;
constexpr double share_before_estimate = 0.02;  // earlier the estimate of the time left jumps about
constexpr std::size_t bar_cells = 10;           // leaves room for stage and best value on 80 columns

ProgressBar* visible_bar = nullptr;  // messages go above it

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// 80 where nobody can say: pipes and files.
std::size_t width_of(int terminal) {
  winsize size{};
  return ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A terminal that can redraw a line, and a person before it.
bool is_watched() {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  const char* ci = std::getenv("CI");
  return isatty(STDERR_FILENO) == 1 && !dumb && (ci == nullptr || *ci == '\0');
}

// Code points, not bytes: what a terminal shows of UTF-8 text.
std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void on_interrupt(int) { request_cancel(); }

// Also when Ctrl-C ended the wait for a reader who does not read.
[[noreturn]] void fail_output(int reason) {
  throw_if_cancelled();
  throw IoError(fmt::format("standard output: {}", std::strerror(reason)));
}

void write_out(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_output(errno);
}

}  // namespace

std::string for_terminal(std::string_view text) { return with_short_numbers(printable(text, "\n\t")); }

void print(std::string_view report) { write_out(for_terminal(report)); }

void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void print_json(const nlohmann::ordered_json& value) {
  write_out(printable_json(value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) + "\n");
}

void flush_output() {
  if (std::fflush(stdout) != 0) fail_output(errno);
}

void notice(const std::string& message) {
  if (visible_bar != nullptr) visible_bar->erase();
  say(fmt::format("mmo: {}\n", for_terminal(message)));
}

void warn(const Common& common, const std::string& message) {
  if (!common.quiet) notice("warning: " + message);
}

void warn_all(const Common& common, const std::vector<std::string>& messages) {
  for (const std::string& message : messages) warn(common, message);
}

std::string table(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable(cell);  // one line each
  }
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], shown_width(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - shown_width(row[c]), ' ');
      if (c == 0) {
        text += row.size() > 1 ? row[c] + padding : row[c];
      } else {
        text += "  " + padding + row[c];
      }
    }
    text += '\n';
  }
  return text;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t widest = 80;
  const std::size_t width = std::max(indent + 24, std::min(widest, width_of(STDOUT_FILENO)));
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t word = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = std::min(text.find(' ', word), text.size());
    const std::size_t shown = shown_width(text.substr(0, end));
    if (column > indent && column + shown > width) {
      out += '\n' + std::string(indent, ' ');
      text.remove_prefix(word);
      column = indent;
      continue;
    }
    out += text.substr(0, end);
    column += shown;
    text.remove_prefix(end);
  }
  return out;
}

std::string clock_text(double seconds) {
  const auto total = std::lround(seconds);
  if (total < 3600) return fmt::format("{}:{:02}", total / 60, total % 60);
  return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
}

std::string progress_time(double now, double started, double ends) {
  const std::string spent = clock_text(now - started);
  return ends - now < 1 ? spent : fmt::format("{}, about {} left", spent, clock_text(ends - now));
}

ProgressBar::ProgressBar(const Common& common) : visible_(!common.quiet && is_watched()), started_(now()) {
  if (!visible_) return;
  visible_bar = this;
  ticker_ = std::thread([this] { redraw_every_second(); });
}

ProgressBar::~ProgressBar() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  over_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  erase();
  if (visible_bar == this) visible_bar = nullptr;
}

Progress ProgressBar::listener() {
  if (!visible_) return {};
  return [this](const ProgressEvent& event) { take(event); };
}

void ProgressBar::erase() {
  const std::lock_guard lock(mutex_);
  if (drawn_ > 0) say("\r\x1b[K");
  drawn_ = 0;
  last_ = {};
}

void ProgressBar::take(const ProgressEvent& event) {
  const std::lock_guard lock(mutex_);
  const double time = now();
  // The share says nothing new while a stage goes on, so the estimate stays that of its beginning.
  if (event.fraction != last_.fraction)
    ends_ = event.fraction > share_before_estimate ? started_ + (time - started_) / event.fraction : 0;
  last_ = event;
  if (time - drawn_ >= seconds_between_draws) draw();
}

void ProgressBar::redraw_every_second() {
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, std::chrono::seconds(1), [this] { return ending_; })) {
    if (!last_.stage.empty()) draw();
  }
}

void ProgressBar::draw() {
  drawn_ = now();
  const double share = std::clamp(last_.fraction, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(share * bar_cells);
  std::string line =
      fmt::format("[{}{}] {:3.0f}%  {}  {}", std::string(full, '#'), std::string(bar_cells - full, '.'),
                  100 * share, progress_time(drawn_, started_, ends_), printable(last_.stage));
  if (!last_.detail.empty()) line += ": " + printable(last_.detail);
  const std::size_t width = width_of(STDERR_FILENO) - 1;
  while (shown_width(line) > width) line.pop_back();
  say(fmt::format("\r{}\x1b[K", line));
}

void handle_interrupts() {
  // Once, and without SA_RESTART: a read or write that blocks returns.
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

}  // namespace mmo::cli
