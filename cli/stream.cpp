#include "cli/stream.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "cli/terminal.h"
#include "mmo/core/descriptor.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/input_limit.h"
#include "mmo/core/printable.h"
#include "mmo/data/detect.h"

namespace mmo::cli {
namespace {

// The lines of a pipe as they arrive. Waiting for one is interruptible.
class LineSource {
 public:
  explicit LineSource(const std::string& path)
      : name_(path == "-" ? "standard input" : path),
        file_(path == "-" ? Descriptor(STDIN_FILENO) : open_file(path, O_RDONLY)) {
    if (!file_.is_open()) throw IoError(fmt::format("{}: {}", path, std::strerror(errno)));
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t line() const { return line_; }  // of the last one, counting from 1

  // Without its newline; nothing once the input has ended.
  std::optional<std::string> next() {
    std::size_t end = 0;
    for (std::size_t searched = 0; (end = buffer_.find('\n', searched)) == std::string::npos;) {
      searched = buffer_.size();
      if (read_more()) continue;
      if (buffer_.empty()) return std::nullopt;
      end = buffer_.size();
      break;
    }
    ++line_;
    std::string found = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    if (found.ends_with('\r')) found.pop_back();
    return found;
  }

 private:
  bool read_more() {
    std::array<char, 1 << 16> bytes;
    for (;;) {
      wait_until_ready(file_.get(), POLLIN);
      const ssize_t count = ::read(file_.get(), bytes.data(), bytes.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count < 0) throw IoError(fmt::format("{}: {}", name_, std::strerror(errno)));
      buffer_.append(bytes.data(), static_cast<std::size_t>(count));
      check_input(buffer_.size(), 0, "hold a line of", name_);
      return count > 0;
    }
  }

  std::string name_;
  Descriptor file_;
  std::string buffer_;
  std::size_t line_ = 0;
};

bool has_heading(Format format) { return format == Format::csv || format == Format::tsv; }

Format format_of_line(const std::string& line, const Model& model, const LoadOptions& options) {
  if (options.format != Format::automatic && options.format != Format::lines) return options.format;
  const std::size_t first = line.find_first_not_of(" \t");
  if (first != std::string::npos && line[first] == '{') return Format::jsonl;
  if (model.text && options.text_column.empty()) return Format::lines;
  const Format found = detect_format(FileContent::from_string(line + "\n", "the first line"), false);
  if (found == Format::svmlight) return found;
  return line.find('\t') != std::string::npos ? Format::tsv : Format::csv;
}

class RowStream {
 public:
  RowStream(const Common& common, const DataFlags& flags, const Model& model)
      : common_(common), model_(model), source_(flags.data) {
    options_ = load_options(flags, model, DataUse::predicting);
    if (!options_.weights_file.empty()) throw UsageError("--weights FILE does not work with --stream");
  }

  // The next row's data; nothing at the end. Throws DataError naming the line of the row.
  std::optional<Dataset> next() {
    std::optional<std::string> row = next_row();
    if (!row) return std::nullopt;
    const std::size_t first = source_.line();
    const std::string text = heading_ + *row + "\n";
    try {
      Dataset data = load_dataset(FileContent::from_string(text, source_.name()), options_);
      if (data.rows() != 1) throw DataError(source_.name(), 0, "this line is not one row");
      tell(data.notes);
      return data;
    } catch (const DataError& error) {
      throw DataError(source_.name(), first, without_place(error.what()));
    }
  }

 private:
  std::optional<std::string> next_row() {
    std::optional<std::string> line = source_.next();
    if (line && !started_) {
      started_ = true;
      if (line->starts_with("\xEF\xBB\xBF")) line->erase(0, 3);
      options_.format = format_of_line(*line, model_, options_);
      if (has_heading(options_.format)) {
        heading_ = *line + "\n";
        line = source_.next();
      }
    }
    // A quoted CSV cell may continue on the next line.
    while (line && has_heading(options_.format) && std::count(line->begin(), line->end(), '"') % 2 == 1) {
      const auto more = source_.next();
      if (!more) break;
      *line += "\n" + *more;
    }
    return line;
  }

  // Cuts "standard input:2: …": that line belongs to a file made of just this row.
  [[nodiscard]] std::string without_place(std::string_view message) const {
    if (!message.starts_with(source_.name() + ":")) return std::string(message);
    message.remove_prefix(source_.name().size() + 1);
    const std::size_t digits = message.find_first_not_of("0123456789");
    if (digits > 0 && digits != std::string_view::npos && message[digits] == ':')
      message.remove_prefix(digits + 1);
    return std::string(message.substr(std::min(message.find_first_not_of(' '), message.size())));
  }

  // Each remark once, and only so many.
  void tell(const std::vector<std::string>& notes) {
    constexpr std::size_t most_notes = 100;
    for (const std::string& note : notes) {
      if (told_.size() < most_notes && told_.insert(note).second) warn(common_, note);
    }
  }

  const Common& common_;
  const Model& model_;
  LineSource source_;
  LoadOptions options_;
  bool started_ = false;
  std::string heading_;
  std::set<std::string> told_;
};

std::string error_line(const std::string& message) {
  return printable_json(nlohmann::json{{"error", message}}.dump(-1, ' ', false,
                                                                nlohmann::json::error_handler_t::replace)) +
         "\n";
}

}  // namespace

void predict_stream(const Common& common, const DataFlags& flags, const Model& model, AtomicFile& out,
                    PredictionFormat format, RowWriter& rows) {
  RowStream stream(common, flags, model);
  out.flush();  // a heading
  for (bool more = true; more; out.flush()) {
    try {
      const std::optional<Dataset> data = stream.next();
      more = data.has_value();
      if (more) rows.write(score(model, prepare(model, *data)), data->ids);
    } catch (const DataError& error) {
      if (format != PredictionFormat::jsonl) throw;
      out.write(error_line(error.what()));
    }
  }
}

}  // namespace mmo::cli
