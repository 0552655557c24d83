#include "mmo/data/parts.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/detect.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/named_labels.h"
#include "mmo/data/sparse_text.h"

namespace mmo {
namespace {

namespace fs = std::filesystem;

bool joins(Format format) {
  return format == Format::svmlight || format == Format::xmc || format == Format::npz;
}

std::vector<std::string> files_of_folder(const std::string& path) {
  std::error_code failed;
  std::vector<std::string> files;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    const Format format = format_of_name(name);
    if (format == Format::reuters) return {};
    if (!name.starts_with('.') && joins(format)) files.push_back(entry->path().string());
  }
  if (failed) throw IoError(fmt::format("{}: can't list the folder: {}", path, failed.message()));
  if (files.empty()) {
    throw DataError(
        path, 0, "the folder has no .svm, .txt (XMC), .npz or .sgm file; give a folder of data, or a file");
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> files_of_pattern(const std::string& pattern) {
  glob_t found{};
  const int status = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  const std::unique_ptr<glob_t, decltype(&globfree)> keeper(&found, &globfree);
  if (status != 0 && status != GLOB_NOMATCH) throw IoError("can't list the files of " + shown(pattern));
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  if (files.empty()) throw IoError("can't read " + pattern + ": no file has such a name");
  std::sort(files.begin(), files.end());
  return files;
}

template <class T>
void append(T& to, const T& more) {
  to.insert(to.end(), more.begin(), more.end());
}

void append_rows(CsrMatrix& to, const CsrMatrix& more) {
  const std::uint64_t shift = to.nonzeros();
  to.indices.append(more.indices.begin(), more.indices.end());
  to.values.append(more.values.begin(), more.values.end());
  for (std::size_t i = 1; i <= more.rows; ++i) to.offsets.push_back(shift + more.offsets[i]);
  to.rows += more.rows;
}

void append_rows(DenseMatrix& to, const DenseMatrix& more) {
  to.values.append(more.values.begin(), more.values.end());
  to.rows += more.rows;
}

class Joined {
 public:
  // `grows`: later parts may bring more features and labels, which have names.
  Joined(Dataset first, bool grows) : all_(std::move(first)), first_(all_.source), grows_(grows) {}

  void add(Dataset part) {
    if (part.x.index() != all_.x.index()) differ(part, "sparse features in one, dense ones in the other");
    if (grows_) {
      join_labels(part);
      widen(feature_cols(part.x));
    } else {
      require_same_columns(part);
    }
    if (part.row_weights.empty() != all_.row_weights.empty()) differ(part, "row weights in one of them only");
    if (part.groups.empty() != all_.groups.empty()) differ(part, "groups (qid:) in one of them only");
    pad_unknown(part);
    std::visit(
        [&](auto& to) { append_rows(to, std::get<std::decay_t<decltype(to)>>(std::as_const(part.x))); },
        all_.x);
    all_.y.push_rows(part.y);
    append(all_.row_weights, part.row_weights);
    append(all_.groups, part.groups);
  }

  Dataset take() && {
    all_.lender.reset();  // the numbers were copied
    return std::move(all_);
  }

 private:
  [[noreturn]] void differ(const Dataset& part, const std::string& how) const {
    throw DataError(part.source, 0, fmt::format("it does not go with {}: {}", first_, how));
  }

  void require_same_columns(const Dataset& part) const {
    if (feature_cols(part.x) != feature_cols(all_.x) || part.labels() != all_.labels()) {
      differ(part, fmt::format("it has {} features and {} labels, not {} and {}", feature_cols(part.x),
                               part.labels(), feature_cols(all_.x), all_.labels()));
    }
    if (part.label_names != all_.label_names) differ(part, "its labels have other names");
    const auto same_name = [](const FeatureInfo& a, const FeatureInfo& b) { return a.name == b.name; };
    if (!std::equal(part.features.begin(), part.features.end(), all_.features.begin(), all_.features.end(),
                    same_name))
      differ(part, "its features have other names");
  }

  void widen(std::size_t features) {
    std::size_t& own = std::get<CsrMatrix>(all_.x).cols;
    own = std::max(own, features);
  }

  void join_labels(Dataset& part) {
    if (part.label_names == all_.label_names) return;
    std::set<std::string_view> distinct(all_.label_names.begin(), all_.label_names.end());
    distinct.insert(part.label_names.begin(), part.label_names.end());
    std::vector<std::string_view> sorted(distinct.begin(), distinct.end());
    sort_label_names(sorted);
    std::vector<std::string> names(sorted.begin(), sorted.end());
    for (Dataset* data : {&all_, &part}) {
      const std::vector<std::string_view> own(data->label_names.begin(), data->label_names.end());
      data->y = relabel(data->y, label_columns(own, names), names.size());
    }
    part.label_names = names;
    all_.label_names = std::move(names);
  }

  // Where one of the two knows all labels and the other does not.
  void pad_unknown(const Dataset& part) {
    if (part.unknown.rows == 0 && all_.unknown.rows == 0) return;
    const auto pad = [&](LabelMatrix& unknown, std::size_t rows) {
      unknown.cols = all_.labels();
      while (unknown.rows < rows) unknown.push_row({});
    };
    pad(all_.unknown, all_.rows());
    if (part.unknown.rows > 0) all_.unknown.push_rows(part.unknown);
    pad(all_.unknown, all_.rows() + part.rows());
  }

  Dataset all_;
  std::string first_;
  bool grows_;
};

using Read = std::function<Dataset(const std::string&, const LoadOptions&)>;

// Null if a part counts its features from another base than those before it.
std::optional<Dataset> join(const std::vector<std::string>& files, const LoadOptions& options, bool grows,
                            const Read& read) {
  Dataset first = read(files[0], options);
  const std::optional<int> base = first.index_base;
  Joined joined(std::move(first), grows);
  for (std::size_t k = 1; k < files.size(); ++k) {
    throw_if_cancelled();
    Dataset part = read(files[k], options);
    if (part.index_base != base) return std::nullopt;
    joined.add(std::move(part));
  }
  return std::move(joined).take();
}

}  // namespace

std::vector<std::string> part_files(const std::string& path) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) return files_of_folder(path);
  const bool is_pattern = path.find_first_of("*?[") != std::string::npos;
  return is_pattern && !fs::exists(path, failed) ? files_of_pattern(path) : std::vector<std::string>{};
}

Dataset read_parts(const std::string& path, const std::vector<std::string>& files, const LoadOptions& options,
                   const std::function<Dataset(const std::string&, const LoadOptions&)>& read) {
  LoadOptions of_part = options;
  if (of_part.format == Format::automatic) of_part.format = detect_file_format(files[0], options.need_labels);
  if (!joins(of_part.format)) {
    throw DataError(files[0], 0,
                    fmt::format("{} files are not read in parts; only svmlight, xmc and npz files are",
                                format_name(of_part.format)));
  }
  const bool svmlight = of_part.format == Format::svmlight;
  if (svmlight) of_part.expected_labels.reset();  // they are looked up when all parts' are known
  std::optional<Dataset> joined = join(files, of_part, svmlight, read);
  if (!joined) {
    of_part.index_base = IndexBase::zero;  // as one of them has the index 0, all count from there
    joined = join(files, of_part, svmlight, read);
  }
  Dataset all = std::move(*joined);
  all.source = path;
  all.notes.push_back(
      fmt::format("{} parts are read as one set, {} to {}", files.size(), files.front(), files.back()));
  return all;
}

}  // namespace mmo
