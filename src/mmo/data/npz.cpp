// NumPy .npz: X and Y, each dense (2-D) or in scipy's CSR parts (X_data, X_indices, X_indptr, X_shape), or a
// file written by scipy.sparse.save_npz (X only). Optional: feature_names, label_names, row_weights, groups.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <unordered_set>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/npy.h"
#include "mmo/data/readers.h"
#include "mmo/data/sparse_text.h"
#include "mmo/data/table.h"
#include "mmo/data/zip.h"

namespace mmo {
namespace {

// An array together with the bytes it looks at and the name messages call it by.
struct NamedArray {
  std::string name;
  ZipBytes bytes;
  NpyArray array;
};

class Archive {
 public:
  explicit Archive(const FileContent& content)
      : file_(content.name()), zip_(content.bytes(), content.name()) {
    for (const auto& member : zip_.members()) {
      std::string_view key = member.name;
      if (key.ends_with(".npy")) key.remove_suffix(4);
      members_.emplace(key, &member);
    }
  }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool has(const std::string& key) const { return members_.contains(key); }
  // The array is behind a pointer because its view must not move.
  [[nodiscard]] std::unique_ptr<NamedArray> get(const std::string& key) const {
    const auto found = members_.find(key);
    if (found == members_.end()) fail(shown(key) + " is missing: " + keys());
    auto named = std::make_unique<NamedArray>();
    named->name = key;
    named->bytes = zip_.read(*found->second);
    named->array = parse_npy(named->bytes.view(), file_, key);
    return named;
  }
  [[nodiscard]] std::unique_ptr<NamedArray> get_numbers(const std::string& key) const {
    auto named = get(key);
    if (named->array.is_text()) fail(shown(key) + " holds text where numbers are needed");
    return named;
  }
  [[noreturn]] void fail(const std::string& why) const { throw DataError(file_, 0, why); }
  [[nodiscard]] std::string keys() const {
    std::vector<std::string> names;
    for (const auto& [key, member] : members_) names.push_back(shown(key));
    return names.empty() ? "the file holds no arrays"
                         : fmt::format("the file holds {}", fmt::join(names, ", "));
  }

 private:
  std::string file_;
  ZipReader zip_;
  std::map<std::string, const ZipMember*, std::less<>> members_;
};

// A value that can't be used; the first in row order is reported.
struct BadCell {
  std::size_t row;
  std::size_t col;
  double value;
};

constexpr std::size_t rows_per_task = 4096;

// Calls block(first row, end row) → optional<BadCell> for all blocks of rows; the first bad cell.
template <class Block>
std::optional<BadCell> for_row_blocks(std::size_t rows, const Block& block) {
  std::vector<std::optional<BadCell>> bad((rows + rows_per_task - 1) / rows_per_task);
  parallel_for(bad.size(), [&](std::size_t task) {
    throw_if_cancelled();
    bad[task] = block(task * rows_per_task, std::min(rows, (task + 1) * rows_per_task));
  });
  for (const auto& cell : bad) {
    if (cell) return cell;
  }
  return std::nullopt;
}

struct Shape {
  std::size_t rows;
  std::size_t cols;
};

Shape checked_shape(const Archive& archive, const std::string& name, std::size_t rows, std::size_t cols) {
  if (rows == 0 || cols == 0) {
    archive.fail(fmt::format("{} has shape ({}, {}): it is empty", shown(name), rows, cols));
  }
  if (rows > max_sparse_index || cols > max_sparse_index) {
    archive.fail(fmt::format("{} has shape ({}, {}): the largest number of rows or columns is {}",
                             shown(name), rows, cols, max_sparse_index));
  }
  return {rows, cols};
}

// A matrix of either layout whose cells are then read one by one, in row order, zeros of a sparse one
// skipped.
class Matrix {
 public:
  Matrix(const Archive& archive, const std::string& name, const std::string& sparse_prefix) : name_(name) {
    if (archive.has(sparse_prefix + "indptr")) {
      read_sparse(archive, sparse_prefix);
      return;
    }
    cells_ = archive.get_numbers(name);
    const auto& shape = cells_->array.shape;
    // One dimension is one column: Y of a single label.
    if (shape.empty() || shape.size() > 2) {
      archive.fail(
          fmt::format("{} has {} dimensions: it must have two, rows and columns", shown(name), shape.size()));
    }
    shape_ = checked_shape(archive, name, shape[0], shape.size() == 2 ? shape[1] : 1);
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool sparse() const { return indices_ != nullptr; }
  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] std::size_t stored() const { return cells_->array.size(); }

  // Calls visitor(row_of) where row_of(i, cell) calls cell(column, value) for each stored cell of row i.
  template <class Visitor>
  void visit(const Visitor& visitor) const {
    cells_->array.visit([&](auto value) {
      if (sparse()) {
        indices_->array.visit([&](auto index) {
          visitor([&](std::size_t i, const auto& cell) {
            for (std::uint64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
              cell(static_cast<std::size_t>(index(k)), value(k));
            }
          });
        });
        return;
      }
      const std::size_t row_step = cells_->array.fortran_order ? 1 : shape_.cols;
      const std::size_t col_step = cells_->array.fortran_order ? shape_.rows : 1;
      visitor([&](std::size_t i, const auto& cell) {
        for (std::size_t j = 0; j < shape_.cols; ++j) cell(j, value(i * row_step + j * col_step));
      });
    });
  }

 private:
  void read_sparse(const Archive& archive, const std::string& prefix) {
    if (archive.has(prefix + "format")) {
      const auto format = archive.get(prefix + "format");
      const auto texts = format->array.is_text() ? npy_texts(format->array) : std::vector<std::string>{};
      if (texts.size() != 1 || texts[0] != "csr") {
        archive.fail(fmt::format("{} is a scipy matrix of format {}: save matrix.tocsr()", shown(name_),
                                 texts.size() == 1 ? shown(texts[0]) : "unknown"));
      }
    }
    cells_ = archive.get_numbers(prefix + "data");
    indices_ = archive.get_numbers(prefix + "indices");
    const auto indptr = archive.get_numbers(prefix + "indptr");
    const auto shape = archive.get_numbers(prefix + "shape");
    for (const auto* part : {&indices_->array, &indptr->array, &shape->array}) {
      if (part->kind != 'i' && part->kind != 'u')
        archive.fail(prefix + "indices, indptr and shape must be integers");
    }
    if (shape->array.size() != 2) archive.fail(shown(shape->name) + " must hold two numbers");
    const auto extent = [&](std::size_t k) {
      return shape->array.visit([&](auto get) { return static_cast<std::uint64_t>(get(k)); });
    };
    shape_ = checked_shape(archive, name_, extent(0), extent(1));
    if (indptr->array.size() != shape_.rows + 1 || cells_->array.size() != indices_->array.size()) {
      archive.fail(fmt::format("{} is inconsistent: shape ({}, {}), {} values, {} indices, {} row offsets",
                               shown(name_), shape_.rows, shape_.cols, cells_->array.size(),
                               indices_->array.size(), indptr->array.size()));
    }
    offsets_.reserve(shape_.rows + 1);
    indptr->array.visit([&](auto get) {
      for (std::size_t i = 0; i <= shape_.rows; ++i) offsets_.push_back(static_cast<std::uint64_t>(get(i)));
    });
    if (offsets_[0] != 0 || offsets_.back() != cells_->array.size() ||
        !std::is_sorted(offsets_.begin(), offsets_.end())) {
      archive.fail(shown(indptr->name) + " must ascend from 0 to the number of values");
    }
    // A negative index becomes a huge one here and is refused with the others.
    const auto bad = for_row_blocks(shape_.rows, [&](std::size_t first, std::size_t end) {
      return indices_->array.visit([&](auto get) -> std::optional<BadCell> {
        for (std::size_t i = first; i < end; ++i) {
          for (std::uint64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
            if (static_cast<std::uint64_t>(get(k)) >= shape_.cols)
              return BadCell{i, 0, static_cast<double>(get(k))};
          }
        }
        return std::nullopt;
      });
    });
    if (bad) {
      archive.fail(fmt::format("row {} of {} has the column index {}, but there are {} columns", bad->row,
                               shown(name_), bad->value, shape_.cols));
    }
  }

  std::string name_;
  Shape shape_{};
  std::unique_ptr<NamedArray> cells_;
  std::unique_ptr<NamedArray> indices_;  // null = dense
  std::vector<std::uint64_t> offsets_;
};

std::optional<Matrix> find_matrix(const Archive& archive, std::initializer_list<const char*> names) {
  for (const std::string name : names) {
    if (archive.has(name) || archive.has(name + "_indptr")) return Matrix(archive, name, name + "_");
  }
  return std::nullopt;
}

[[noreturn]] void fail_infinite(const Archive& archive, const Matrix& matrix, const BadCell& bad) {
  archive.fail(fmt::format(
      "{}[{}, {}] = {} is infinite or too large for a 32-bit float: correct it, or make it nan if "
      "it is missing",
      matrix.name(), bad.row, bad.col, bad.value));
}

DenseMatrix dense_features(const Archive& archive, const Matrix& matrix) {
  DenseMatrix x(matrix.shape().rows, matrix.shape().cols);
  std::optional<BadCell> bad;
  matrix.visit([&](const auto& row_of) {
    bad = for_row_blocks(x.rows, [&](std::size_t first, std::size_t end) {
      std::optional<BadCell> cell;
      for (std::size_t i = first; i < end && !cell; ++i) {
        row_of(i, [&](std::size_t j, auto value) {
          const auto number = static_cast<float>(value);
          if (std::isinf(number) && !cell) cell = BadCell{i, j, static_cast<double>(value)};
          x(i, j) = number;
        });
      }
      return cell;
    });
  });
  if (bad) fail_infinite(archive, matrix, *bad);
  return x;
}

CsrMatrix sparse_features(const Archive& archive, const Matrix& matrix) {
  CsrMatrix x;
  x.rows = matrix.shape().rows;
  x.cols = matrix.shape().cols;
  x.offsets.reserve(x.rows + 1);
  x.indices.reserve(matrix.stored());
  x.values.reserve(matrix.stored());
  std::vector<std::pair<std::uint32_t, float>> row;
  matrix.visit([&](const auto& row_of) {
    for (std::size_t i = 0; i < x.rows; ++i) {
      row.clear();
      row_of(i, [&](std::size_t j, auto value) {
        const auto number = static_cast<float>(value);
        if (std::isinf(number)) fail_infinite(archive, matrix, {i, j, static_cast<double>(value)});
        row.emplace_back(static_cast<std::uint32_t>(j), number);
      });
      const auto by_index = [](const auto& a, const auto& b) { return a.first < b.first; };
      if (!std::is_sorted(row.begin(), row.end(), by_index)) std::sort(row.begin(), row.end(), by_index);
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (k > 0 && row[k].first == row[k - 1].first) {
          archive.fail(fmt::format("{}[{}, {}] is stored twice: call sum_duplicates() before saving",
                                   matrix.name(), i, row[k].first));
        }
        if (row[k].second == 0.0F) continue;
        x.indices.push_back(row[k].first);
        x.values.push_back(row[k].second);
      }
      x.offsets.push_back(x.indices.size());
    }
  });
  return x;
}

struct Labels {
  LabelMatrix y;
  LabelMatrix unknown;
};

Labels read_labels(const Archive& archive, const Matrix& matrix, bool allow_unknown) {
  Labels labels;
  bool any_unknown = false;
  std::vector<std::uint32_t> present;
  std::vector<std::uint32_t> missing;
  labels.y.cols = labels.unknown.cols = matrix.shape().cols;
  const auto fail_twice = [&](std::size_t i) {
    archive.fail(fmt::format("row {} of {} stores a label twice: call sum_duplicates() before saving", i,
                             matrix.name()));
  };
  matrix.visit([&](const auto& row_of) {
    for (std::size_t i = 0; i < matrix.shape().rows; ++i) {
      present.clear();
      missing.clear();
      row_of(i, [&](std::size_t j, auto value) {
        const auto number = static_cast<double>(value);
        const auto label = static_cast<std::uint32_t>(j);
        if (number == 1.0) {
          present.push_back(label);
        } else if (std::isnan(number) && allow_unknown) {
          missing.push_back(label);
        } else if (number != 0.0) {
          archive.fail(fmt::format(
              "{}[{}, {}] = {}: a label is 0 or 1, one column per label{}", matrix.name(), i, j, number,
              std::isnan(number) ? "; --unknown-labels reads nan as a label that is not known" : ""));
        }
      });
      for (auto* row : {&present, &missing}) {
        std::sort(row->begin(), row->end());
        if (std::adjacent_find(row->begin(), row->end()) != row->end()) {
          fail_twice(i);
        }
      }
      for (const std::uint32_t j : missing) {
        if (std::binary_search(present.begin(), present.end(), j)) fail_twice(i);
      }
      any_unknown = any_unknown || !missing.empty();
      labels.y.push_row(present);
      labels.unknown.push_row(missing);
    }
  });
  if (!any_unknown) labels.unknown = {};
  return labels;
}

std::vector<std::string> read_texts(const Archive& archive, const std::string& key, std::size_t count) {
  const auto named = archive.get(key);
  const NpyArray& array = named->array;
  if (array.size() != count) {
    archive.fail(fmt::format("{} has {} entries where {} are needed", shown(key), array.size(), count));
  }
  if (array.is_text()) return npy_texts(array);
  std::vector<std::string> texts;  // groups are often numbers
  texts.reserve(count);
  array.visit([&](auto get) {
    for (std::size_t k = 0; k < count; ++k) texts.push_back(fmt::format("{}", get(k)));
  });
  return texts;
}

void check_distinct(const Archive& archive, const std::vector<std::string>& names, const char* what) {
  std::unordered_set<std::string_view> seen;
  for (const auto& name : names) {
    if (!seen.insert(name).second)
      archive.fail(fmt::format("the {} name {} occurs twice", what, shown(name)));
  }
}

std::vector<float> read_weights(const Archive& archive, std::size_t rows) {
  const auto named = archive.get_numbers("row_weights");
  std::vector<float> weights(named->array.size());
  if (weights.size() != rows) {
    archive.fail(fmt::format("'row_weights' has {} entries for {} rows", weights.size(), rows));
  }
  named->array.visit([&](auto get) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = static_cast<float>(get(i));
      if (!std::isfinite(weights[i]) || weights[i] < 0) {
        archive.fail(fmt::format("row_weights[{}] = {}: a weight is a finite number, 0 or more", i, get(i)));
      }
    }
  });
  return weights;
}

}  // namespace

Dataset read_npz(const FileContent& content, const LoadOptions& options) {
  const Archive archive(content);
  std::optional<Matrix> x = find_matrix(archive, {"X", "x", "features"});
  if (!x && archive.has("indptr")) x.emplace(archive, "data", "");  // scipy.sparse.save_npz
  if (!x)
    archive.fail("no features: save them as 'X', or as 'X_data', 'X_indices', 'X_indptr', 'X_shape'; " +
                 archive.keys());
  const std::optional<Matrix> y = find_matrix(archive, {"Y", "y", "labels"});
  const std::size_t rows = x->shape().rows;
  if (y && y->shape().rows != rows) {
    archive.fail(fmt::format("{} has {} rows but {} has {}", shown(x->name()), rows, shown(y->name()),
                             y->shape().rows));
  }

  Dataset data;
  data.source = content.name();
  if (x->sparse()) {
    data.x = sparse_features(archive, *x);
  } else {
    data.x = dense_features(archive, *x);
  }
  if (y) {
    Labels labels = read_labels(archive, *y, unknown_labels_allowed(options));
    data.y = std::move(labels.y);
    data.unknown = std::move(labels.unknown);
    if (archive.has("label_names")) data.label_names = read_texts(archive, "label_names", data.y.cols);
    check_distinct(archive, data.label_names, "label");
    // Without names the columns are known by position, which is enough if the model has as many.
    if (data.label_names.empty() && options.expected_labels &&
        options.expected_labels->size() == data.y.cols) {
      data.label_names = *options.expected_labels;
    }
  } else {
    data.y.rows = rows;
    data.y.offsets.assign(rows + 1, 0);
  }
  if (archive.has("feature_names")) {
    for (auto& name : read_texts(archive, "feature_names", feature_cols(data.x)))
      data.features.push_back({std::move(name), {}});
  }
  if (archive.has("row_weights")) data.row_weights = read_weights(archive, rows);
  if (archive.has("groups")) data.groups = read_texts(archive, "groups", rows);
  return data;
}

}  // namespace mmo
