// Reuters-21578 in the ModApte split: training articles are LEWISSPLIT="TRAIN" TOPICS="YES", test articles
// LEWISSPLIT="TEST" TOPICS="YES". "train90" and "test90" keep the 90 topics that both parts have and the
// articles with at least one of them (7,770 and 3,019): the numbers of most papers.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <filesystem>

#include "mmo/core/error.h"
#include "mmo/core/mapped_file.h"
#include "mmo/core/parallel.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/named_labels.h"
#include "mmo/data/readers.h"
#include "mmo/data/sgml.h"

namespace mmo {
namespace {

struct Choice {
  bool train = true;
  bool test = true;
  bool shared_topics = false;  // only the topics of both parts, only articles that have one
};

Choice parse_choice(const std::string& name) {
  if (name.empty()) return {};
  if (name == "train") return {true, false, false};
  if (name == "test") return {false, true, false};
  if (name == "train90") return {true, false, true};
  if (name == "test90") return {false, true, true};
  throw UsageError(fmt::format("unknown Reuters split {}; give train, test, train90 or test90", shown(name)));
}

// The .sgm files of a folder in order of their names, or the file itself.
std::vector<std::string> list_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return {path};
  std::vector<std::string> files;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(".sgm") || name.ends_with(".sgm.gz") || name.ends_with(".sgm.zst")) {
      files.push_back(entry->path().string());
    }
  }
  if (failed) throw IoError(fmt::format("{}: can't list the folder: {}", path, failed.message()));
  if (files.empty()) {
    throw DataError(path, 0, "the folder has no .sgm file; give the folder of Reuters-21578, or a data file");
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<ReutersArticle> read_articles(const std::vector<std::string>& files) {
  std::vector<std::vector<ReutersArticle>> parts(files.size());
  std::vector<std::exception_ptr> errors(files.size());
  parallel_for(files.size(), [&](std::size_t f) {
    try {
      throw_if_cancelled();
      const FileContent content = FileContent::open(files[f]);
      parts[f] = if_unchanged(content.bytes(), content.name(), [&] { return parse_reuters(content); });
    } catch (...) {
      errors[f] = std::current_exception();
    }
  });
  std::vector<ReutersArticle> articles;
  for (std::size_t f = 0; f < files.size(); ++f) {
    if (errors[f]) std::rethrow_exception(errors[f]);
    std::move(parts[f].begin(), parts[f].end(), std::back_inserter(articles));
  }
  return articles;
}

class Topics {
 public:
  explicit Topics(const std::vector<ReutersArticle>& articles) {
    for (const ReutersArticle& article : articles) {
      std::vector<std::uint32_t> row;
      for (const std::string& topic : article.topics) {
        const std::uint32_t number = names_.number(topic);
        if (number == in_train_.size()) {
          in_train_.push_back(0);
          in_test_.push_back(0);
        }
        (article.train ? in_train_ : in_test_)[number] = 1;
        row.push_back(number);
      }
      rows_.push_row(row);
    }
  }

  // The labels of the data set: the model's (and others of the `used` rows if these are kept); or those that
  // both parts have; or those of the training part (of whatever is there if it has none).
  [[nodiscard]] std::vector<std::string> choose(const Choice& choice, const LoadOptions& options,
                                                const LabelMatrix& used) const {
    if (options.expected_labels) return labels_for_model(names_of(used, choice), options);
    const bool any_train = std::find(in_train_.begin(), in_train_.end(), 1) != in_train_.end();
    std::vector<std::string> chosen;
    for (std::uint32_t j = 0; j < names_.size(); ++j) {
      const bool wanted = choice.shared_topics ? shared(j) : in_train_[j] == 1 || !any_train;
      if (wanted) chosen.emplace_back(names_.name(j));
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  [[nodiscard]] bool has_shared(std::size_t article) const {
    const auto row = rows_.row(article);
    return std::any_of(row.begin(), row.end(), [&](std::uint32_t j) { return shared(j); });
  }

  [[nodiscard]] const LabelMatrix& rows() const { return rows_; }
  [[nodiscard]] const std::string& name(std::uint32_t topic) const { return names_.name(topic); }
  [[nodiscard]] std::vector<std::string_view> names() const { return names_.names(); }

 private:
  // Of the topics in these rows; where only shared topics are asked for, of these.
  [[nodiscard]] std::vector<std::string_view> names_of(const LabelMatrix& used, const Choice& choice) const {
    std::vector<char> present(names_.size(), 0);
    for (const std::uint32_t j : used.indices) present[j] = !choice.shared_topics || shared(j) ? 1 : 0;
    std::vector<std::string_view> names;
    for (std::uint32_t j = 0; j < present.size(); ++j) {
      if (present[j] == 1) names.push_back(names_.name(j));
    }
    return names;
  }
  [[nodiscard]] bool shared(std::uint32_t topic) const {
    return in_train_[topic] == 1 && in_test_[topic] == 1;
  }

  NamedLabels names_;
  std::vector<char> in_train_, in_test_;  // by topic
  LabelMatrix rows_;                      // topics of each article, as written
};

}  // namespace

Dataset read_reuters(const std::string& path, const LoadOptions& options) {
  const Choice choice = parse_choice(options.reuters_split);
  std::vector<ReutersArticle> articles = read_articles(list_files(path));
  const Topics topics(articles);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < articles.size(); ++i) {
    const bool in_part = articles[i].train ? choice.train : choice.test;
    if (in_part && (!choice.shared_topics || topics.has_shared(i))) chosen.push_back(i);
  }
  if (chosen.empty()) {
    throw DataError(path, 0,
                    fmt::format("no article of the {} part",
                                options.reuters_split.empty() ? "training or test" : options.reuters_split));
  }
  Dataset data;
  data.source = path;
  const LabelMatrix used = take_rows(topics.rows(), chosen);
  data.label_names = topics.choose(choice, options, used);
  const std::vector<std::uint32_t> columns = label_columns(topics.names(), data.label_names);
  data.y = relabel(used, columns, data.label_names.size());
  for (const std::uint32_t i : chosen) data.documents.push_back(std::move(articles[i].text));
  data.x = DenseMatrix(chosen.size(), 0);

  std::vector<std::string_view> dropped;
  for (const std::uint32_t topic : used.indices) {
    if (columns[topic] == no_label) dropped.push_back(topics.name(topic));
  }
  std::sort(dropped.begin(), dropped.end());
  dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
  if (!dropped.empty()) {
    data.notes.push_back(fmt::format("{}: topics left out because {} not have them: {}", path,
                                     options.expected_labels ? "the model does" : "training articles do",
                                     fmt::join(dropped, ", ")));
  }
  return data;
}

}  // namespace mmo
