#include "cli/score_lists.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>

#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"
#include "mmo/data/cells.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/text_lines.h"

namespace mmo::cli {
namespace {

constexpr std::string_view fasttext_prefix = "__label__";
constexpr std::string_view liblinear_heading = "labels ";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trimmed(line)).empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

struct Entry {
  std::uint32_t label;
  float score;
};

class ListReader {
 public:
  explicit ListReader(const FileContent& content) : content_(content) {}

  ScoreLists read() {
    for_each_line(content_.bytes(), [&](std::string_view line) {
      ++line_;
      if (heading_.empty() && line_ == 1 && line.starts_with(liblinear_heading)) {
        for (const std::string_view name : words_of(line.substr(liblinear_heading.size())))
          heading_.push_back(number_of(std::string(name)));
        return;
      }
      rows_.emplace_back();
      heading_.empty() ? add_list(line) : add_columns(line);
    });
    if (names_.empty()) throw DataError(content_.name(), 0, "no line has a score");
    return filled();
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw DataError(content_.name(), line_, message);
  }

  std::uint32_t number_of(const std::string& name) {
    const auto [at, added] = numbers_.emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (added) {
      names_.push_back(name);
      last_row_.push_back(0);
    }
    return at->second;
  }

  float score_of(std::string_view text) const {
    const auto score = parse_number(text);
    if (!score) fail(fmt::format("{} is not a score", shown(std::string(text))));
    return *score;
  }

  void add(std::string_view name, std::string_view score) {
    const std::uint32_t label = number_of(std::string(name));
    std::size_t& last = last_row_[label];
    if (last == rows_.size())
      fail(fmt::format("label {} has two scores in this row", shown(std::string(name))));
    last = rows_.size();
    rows_.back().push_back({label, score_of(score)});
  }

  // "__label__a 0.93 …" or "a:0.93 …".
  void add_list(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (words[k].starts_with(fasttext_prefix)) {
        if (k + 1 == words.size()) fail("the last label has no score");
        add(words[k].substr(fasttext_prefix.size()), words[k + 1]);
        ++k;
        continue;
      }
      const std::size_t colon = words[k].rfind(':');
      if (colon == std::string_view::npos || colon == 0)
        fail(fmt::format("expected label:score, found {}", shown(std::string(words[k]))));
      add(words[k].substr(0, colon), words[k].substr(colon + 1));
    }
  }

  // "3 0.81 0.22": the predicted class, then the probabilities of the classes in the heading.
  void add_columns(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != heading_.size() + 1) {
      fail(fmt::format("{} numbers, but the heading has {} labels; predict with -b 1", words.size(),
                       heading_.size()));
    }
    for (std::size_t k = 0; k < heading_.size(); ++k)
      rows_.back().push_back({heading_[k], score_of(words[k + 1])});
  }

  ScoreLists filled() {
    check_input(static_cast<std::uint64_t>(rows_.size()) * names_.size() * sizeof(float),
                content_.bytes().size(), "list scores that as a table", content_.name());
    bool probabilities = true;
    float lowest = 0;
    for (const auto& row : rows_) {
      for (const Entry& entry : row) {
        probabilities = probabilities && entry.score >= 0 && entry.score <= 1;
        lowest = std::min(lowest, entry.score);
      }
    }
    ScoreLists out{{}, names_, probabilities ? 0.0F : lowest - 1};
    out.values = DenseMatrix(rows_.size(), names_.size(), out.missing);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (const Entry& entry : rows_[i]) out.values(i, entry.label) = entry.score;
    }
    return out;
  }

  const FileContent& content_;
  std::size_t line_ = 0;
  std::vector<std::uint32_t> heading_;  // LIBLINEAR's
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::size_t> last_row_;  // of each label: the last row that listed it, from 1
  std::vector<std::vector<Entry>> rows_;
};

// By the first line that is not empty: a heading of LIBLINEAR's, or nothing but labels with scores.
bool lists_scores(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  const std::string_view line = text.substr(start, text.find('\n', start) - start);
  if (line.starts_with(liblinear_heading) || line.starts_with(fasttext_prefix)) return true;
  const auto words = words_of(line);
  return std::all_of(words.begin(), words.end(), [](std::string_view word) {
    const std::size_t colon = word.rfind(':');
    return colon != std::string_view::npos && colon > 0 && parse_number(word.substr(colon + 1)).has_value();
  });
}

}  // namespace

std::optional<ScoreLists> read_score_lists(const FileContent& content) {
  if (!lists_scores(content.bytes())) return std::nullopt;
  return ListReader(content).read();
}

ScoreLists read_liblinear_files(const std::vector<std::string>& paths) {
  ScoreLists all;
  for (std::size_t j = 0; j < paths.size(); ++j) {
    const ScoreLists one = ListReader(FileContent::open(paths[j])).read();
    const auto positive = std::find(one.names.begin(), one.names.end(), "1");
    if (one.names.size() != 2 || positive == one.names.end())
      throw DataError(paths[j], 1, "expected the probabilities of 1 and -1: a file for each label");
    if (j == 0) all.values = DenseMatrix(one.values.rows, paths.size());
    if (one.values.rows != all.values.rows)
      throw DataError(paths[j], 0,
                      fmt::format("{} rows, but {} has {}", one.values.rows, paths[0], all.values.rows));
    for (std::size_t i = 0; i < one.values.rows; ++i)
      all.values(i, j) = one.values(i, static_cast<std::size_t>(positive - one.names.begin()));
    all.names.push_back(std::filesystem::path(paths[j]).stem().string());
  }
  return all;
}

}  // namespace mmo::cli
