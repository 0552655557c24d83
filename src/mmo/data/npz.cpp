// NumPy .npz: X and Y, each dense (2-D) or in scipy's CSR parts (X_data, X_indices, X_indptr, X_shape), or a
// file written by scipy.sparse.save_npz (X only). Optional: feature_names, label_names, row_weights, groups.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_set>

#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"
#include "mmo/core/parallel.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/nonzeros.h"
#include "mmo/data/npy.h"
#include "mmo/data/npz_archive.h"
#include "mmo/data/readers.h"
#include "mmo/data/sparse_text.h"
#include "mmo/data/table.h"

namespace mmo {
namespace {

struct Shape {
  std::size_t rows;
  std::size_t cols;
};

Shape checked_shape(const NpzArchive& archive, const std::string& name, std::size_t rows, std::size_t cols) {
  if (rows == 0 || cols == 0) {
    archive.fail(fmt::format("{} has shape ({}, {}): it is empty", shown(name), rows, cols));
  }
  if (rows > max_sparse_index || cols > max_sparse_index) {
    archive.fail(fmt::format("{} has shape ({}, {}): the largest number of rows or columns is {}",
                             shown(name), rows, cols, max_sparse_index));
  }
  check_columns(cols, 0, archive.bytes(), archive.file());
  return {rows, cols};
}

// All elements in memory order. place(k) says where element k stands, for the message about an infinite one.
std::vector<float> to_floats(const NpzArchive& archive, const NpyArray& array,
                             const std::function<std::string(std::size_t)>& place) {
  constexpr std::size_t block = std::size_t{1} << 18;
  std::vector<float> out(array.size());
  std::vector<std::size_t> bad(out.size() / block + 1, out.size());
  array.visit([&](auto get) {
    parallel_for(bad.size(), [&](std::size_t task) {
      throw_if_cancelled();
      for (std::size_t k = task * block; k < std::min(out.size(), (task + 1) * block); ++k) {
        out[k] = static_cast<float>(get(k));
        if (std::isinf(out[k]) && bad[task] == out.size()) bad[task] = k;
      }
    });
  });
  const std::size_t first = *std::min_element(bad.begin(), bad.end());
  if (first < out.size()) {
    const double value = array.visit([&](auto get) { return static_cast<double>(get(first)); });
    archive.fail(
        fmt::format("{} = {} is infinite or too large for a 32-bit float: correct it, or make it nan "
                    "if it is missing",
                    place(first), value));
  }
  return out;
}

// Negative numbers become huge ones, which every check of an upper bound refuses.
std::vector<std::uint64_t> to_integers(const NpzArchive& archive, const NamedArray& named) {
  if (named.array.kind != 'i' && named.array.kind != 'u')
    archive.fail(shown(named.name) + " must hold integers");
  std::vector<std::uint64_t> out(named.array.size());
  named.array.visit([&](auto get) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): an int8 here is a number, not a character
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<std::uint64_t>(get(k));
  });
  return out;
}

enum class Flat { refuse, one_column };

// Whether task(first, last) is true for all ranges that make up 0 … count − 1.
bool holds_everywhere(std::size_t count, const std::function<bool(std::size_t, std::size_t)>& task) {
  constexpr std::size_t block = std::size_t{1} << 18;
  std::vector<char> holds(range_count(count, block), 0);
  parallel_ranges(count, block, [&](std::size_t first, std::size_t last) {
    holds[first / block] = task(first, last) ? 1 : 0;
  });
  return std::find(holds.begin(), holds.end(), 0) == holds.end();
}

// Whether lent values may be used as they are. Where they may not, they are copied, corrected or refused.
bool is_usable(const Buffer<float>& values) {
  return holds_everywhere(values.size(), [&](std::size_t first, std::size_t last) {
    return std::none_of(values.begin() + first, values.begin() + last, [](float v) { return std::isinf(v); });
  });
}

// Also no zeros, and rows in order.
bool is_usable(const CsrMatrix& x) {
  return holds_everywhere(x.rows, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto indices = x.row_indices(i);
      const auto values = x.row_values(i);
      for (std::size_t k = 0; k < indices.size(); ++k) {
        if (indices[k] >= x.cols || (k > 0 && indices[k] <= indices[k - 1])) return false;
        if (values[k] == 0.0F || std::isinf(values[k])) return false;
      }
    }
    return true;
  });
}

// Whether the values and indices of x, whose rows are known, can stay where they lie.
bool lend_cells(const std::shared_ptr<NamedArray>& data, const std::shared_ptr<NamedArray>& indices,
                CsrMatrix& x) {
  auto values = lent_array<float>(data);
  auto columns = lent_array<std::uint32_t>(indices);
  if (!values || !columns) return false;
  x.values = std::move(*values);
  x.indices = std::move(*columns);
  return is_usable(x);
}

DenseMatrix read_dense(const NpzArchive& archive, const std::string& name, Flat flat) {
  const auto named = archive.get_numbers(name);
  const NpyArray& array = named->array;
  if (array.shape.size() == 1 && flat == Flat::refuse) {
    archive.fail(
        fmt::format("{} has one dimension of {} numbers: it must have two, rows and columns; save "
                    "{}.reshape(-1, 1) if it is one feature, {}.reshape(1, -1) if it is one row",
                    shown(name), array.shape[0], name, name));
  }
  if (array.shape.empty() || array.shape.size() > 2) {
    archive.fail(fmt::format("{} has {} dimensions: it must have two, rows and columns", shown(name),
                             array.shape.size()));
  }
  const Shape shape =
      checked_shape(archive, name, array.shape[0], array.shape.size() == 2 ? array.shape[1] : 1);
  DenseMatrix x;
  x.rows = shape.rows;
  x.cols = shape.cols;
  if (auto lent = lent_array<float>(named); lent && is_usable(*lent)) {
    x.values = std::move(*lent);
    return x;
  }
  x.values = to_floats(archive, array, [&](std::size_t k) {
    return array.fortran_order ? fmt::format("{}[{}, {}]", name, k % x.rows, k / x.rows)
                               : fmt::format("{}[{}, {}]", name, k / x.cols, k % x.cols);
  });
  if (!array.fortran_order) return x;
  DenseMatrix by_rows(x.rows, x.cols);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t j = 0; j < x.cols; ++j) by_rows(i, j) = x.values[j * x.rows + i];
  }
  return by_rows;
}

void check_csr_format(const NpzArchive& archive, const std::string& name, const std::string& key) {
  if (!archive.has(key)) return;
  const auto named = archive.get(key);
  const auto texts = named->array.is_text() ? npy_texts(named->array) : std::vector<std::string>{};
  if (texts.size() == 1 && texts[0] == "csr") return;
  archive.fail(fmt::format("{} is a scipy matrix of format {}: save matrix.tocsr()", shown(name),
                           texts.size() == 1 ? shown(texts[0]) : "unknown"));
}

// scipy keeps explicit zeros and, at times, unsorted rows.
void sort_rows_and_drop_zeros(const NpzArchive& archive, const std::string& name, CsrMatrix& x) {
  std::vector<std::pair<std::uint32_t, float>> row;
  std::size_t kept = 0;
  std::uint64_t start = 0;
  for (std::size_t i = 0; i < x.rows; ++i) {
    row.clear();
    const std::uint64_t end = x.offsets[i + 1];
    for (std::uint64_t k = start; k < end; ++k) row.emplace_back(x.indices[k], x.values[k]);
    const auto by_index = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(row.begin(), row.end(), by_index)) std::sort(row.begin(), row.end(), by_index);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].first == row[k - 1].first) {
        archive.fail(fmt::format("{}[{}, {}] is stored twice: call sum_duplicates() before saving", name, i,
                                 row[k].first));
      }
      if (row[k].second == 0.0F) continue;
      x.indices[kept] = row[k].first;
      x.values[kept++] = row[k].second;
    }
    start = end;
    x.offsets[i + 1] = kept;
  }
  x.indices.resize(kept);
  x.values.resize(kept);
}

CsrMatrix read_sparse(const NpzArchive& archive, const std::string& name, const std::string& prefix) {
  check_csr_format(archive, name, prefix + "format");
  const auto data = archive.get_numbers(prefix + "data");
  const auto indices = archive.get_numbers(prefix + "indices");
  const auto extents = to_integers(archive, *archive.get_numbers(prefix + "shape"));
  if (extents.size() != 2) archive.fail(shown(prefix + "shape") + " must hold two numbers");
  const Shape shape = checked_shape(archive, name, extents[0], extents[1]);
  CsrMatrix x;
  x.rows = shape.rows;
  x.cols = shape.cols;
  x.offsets = to_integers(archive, *archive.get_numbers(prefix + "indptr"));
  if (x.offsets.size() != x.rows + 1 || data->array.size() != indices->array.size()) {
    archive.fail(fmt::format("{} is inconsistent: shape ({}, {}), {} values, {} indices, {} row offsets",
                             shown(name), x.rows, x.cols, data->array.size(), indices->array.size(),
                             x.offsets.size()));
  }
  if (x.offsets[0] != 0 || x.offsets.back() != data->array.size() ||
      !std::is_sorted(x.offsets.begin(), x.offsets.end())) {
    archive.fail(shown(prefix + "indptr") + " must ascend from 0 to the number of values");
  }
  if (lend_cells(data, indices, x)) return x;
  const auto row_of = [&](std::size_t k) {
    return std::upper_bound(x.offsets.begin(), x.offsets.end(), k) - x.offsets.begin() - 1;
  };
  const auto columns = to_integers(archive, *indices);
  const auto bad = std::find_if(columns.begin(), columns.end(), [&](std::uint64_t j) { return j >= x.cols; });
  if (bad != columns.end()) {
    archive.fail(fmt::format("row {} of {} has the column index {}, but there are {} columns",
                             row_of(static_cast<std::size_t>(bad - columns.begin())), shown(name),
                             static_cast<std::int64_t>(*bad), x.cols));
  }
  x.indices.assign(columns.begin(), columns.end());
  x.values = to_floats(archive, data->array, [&](std::size_t k) {
    return fmt::format("{}[{}, {}]", name, row_of(k), x.indices[k]);
  });
  sort_rows_and_drop_zeros(archive, name, x);
  return x;
}

struct Matrix {
  std::string name;
  Features cells;
};

std::optional<Matrix> find_matrix(const NpzArchive& archive, std::initializer_list<const char*> names,
                                  Flat flat) {
  for (const std::string name : names) {
    if (archive.has(name + "_indptr")) return Matrix{name, read_sparse(archive, name, name + "_")};
    if (archive.has(name)) return Matrix{name, read_dense(archive, name, flat)};
  }
  return std::nullopt;
}

struct Labels {
  LabelMatrix y;
  LabelMatrix unknown;
};

Labels read_labels(const NpzArchive& archive, const Matrix& matrix, bool allow_unknown) {
  Labels labels;
  std::vector<std::uint32_t> present;
  std::vector<std::uint32_t> missing;
  labels.y.cols = labels.unknown.cols = feature_cols(matrix.cells);
  for (std::size_t i = 0; i < feature_rows(matrix.cells); ++i) {
    present.clear();
    missing.clear();
    for_each_nonzero(matrix.cells, i, [&](std::uint32_t j, float value) {
      if (value == 1.0F) {
        present.push_back(j);
      } else if (std::isnan(value) && allow_unknown) {
        missing.push_back(j);
      } else {
        archive.fail(fmt::format(
            "{}[{}, {}] = {}: a label is 0 or 1, one column per label{}", matrix.name, i, j, value,
            std::isnan(value) ? "; --unknown-labels reads nan as a label that is not known" : ""));
      }
    });
    labels.y.push_row(present);
    labels.unknown.push_row(missing);
  }
  if (labels.unknown.indices.empty()) labels.unknown = {};
  return labels;
}

std::vector<std::string> read_texts(const NpzArchive& archive, const std::string& key, std::size_t count) {
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

void check_distinct(const NpzArchive& archive, const std::vector<std::string>& names, const char* what) {
  std::unordered_set<std::string_view> seen;
  for (const auto& name : names) {
    if (!seen.insert(name).second)
      archive.fail(fmt::format("the {} name {} occurs twice", what, shown(name)));
  }
}

std::vector<float> read_weights(const NpzArchive& archive, std::size_t rows) {
  const auto named = archive.get_numbers("row_weights");
  std::vector<float> weights =
      to_floats(archive, named->array, [](std::size_t i) { return fmt::format("row_weights[{}]", i); });
  if (weights.size() != rows) {
    archive.fail(fmt::format("'row_weights' has {} entries for {} rows", weights.size(), rows));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (!(weights[i] >= 0))
      archive.fail(fmt::format("row_weights[{}] = {}: a weight is a number, 0 or more", i, weights[i]));
  }
  return weights;
}

}  // namespace

Dataset read_npz(const FileContent& content, const LoadOptions& options) {
  const NpzArchive archive(content);
  std::optional<Matrix> x = find_matrix(archive, {"X", "x", "features"}, Flat::refuse);
  if (!x && archive.has("indptr"))
    x = Matrix{"data", read_sparse(archive, "data", "")};  // scipy.sparse.save_npz
  if (!x) {
    archive.fail("no features: save them as 'X', or as 'X_data', 'X_indices', 'X_indptr', 'X_shape'; " +
                 archive.keys());
  }
  // Y of one dimension is that of a single label.
  const std::optional<Matrix> y = find_matrix(archive, {"Y", "y", "labels"}, Flat::one_column);
  const std::size_t rows = feature_rows(x->cells);
  if (y && feature_rows(y->cells) != rows) {
    archive.fail(fmt::format("{} has {} rows but {} has {}", shown(x->name), rows, shown(y->name),
                             feature_rows(y->cells)));
  }

  Dataset data;
  data.source = content.name();
  if (std::visit([](const auto& cells) { return cells.values.is_lent(); }, x->cells)) data.lender = content;
  data.x = std::move(x->cells);
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
