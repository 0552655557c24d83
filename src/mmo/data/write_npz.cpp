// The arrays that read_npz takes: X and Y in the layout of the features (Y also sparse where a dense one
// would be very large), names, weights and groups.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <limits>
#include <span>

#include "mmo/data/npy.h"
#include "mmo/data/readers.h"
#include "mmo/data/writer.h"
#include "mmo/data/zip.h"

namespace mmo {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they stand in memory");

constexpr std::size_t largest_dense_labels = std::size_t{1} << 28;  // cells

template <class Items>
std::string_view bytes_of(const Items& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(*items.data())};
}

class NpzWriter {
 public:
  explicit NpzWriter(AtomicFile& file) : zip_(file) {}

  template <class Items>
  void array(const std::string& name, const char* type, const Items& items) {
    array(name, type, fmt::format("({},)", items.size()), bytes_of(items));
  }
  void array(const std::string& name, const char* type, const std::string& shape, std::string_view bytes) {
    const std::string header = npy_header(type, shape);
    zip_.add(name + ".npy", std::array<std::string_view, 2>{header, bytes});
  }
  void texts(const std::string& name, const std::vector<std::string>& items) {
    const std::string bytes = npy_text_array(items);
    zip_.add(name + ".npy", std::array<std::string_view, 1>{bytes});
  }
  template <class Values>
  void sparse(const std::string& name, const char* type, const Values& values,
              std::span<const std::uint32_t> indices, const std::vector<std::uint64_t>& offsets,
              std::size_t cols) {
    array(name + "_data", type, values);
    array(name + "_indices", "<i4", indices);  // below 2^31, so that both readings of the bits agree
    array(name + "_indptr", "<i8", offsets);
    array(name + "_shape", "<i8", std::vector<std::uint64_t>{offsets.size() - 1, cols});
  }
  void finish() { zip_.finish(); }

 private:
  ZipWriter zip_;
};

void write_features(NpzWriter& out, const Features& x) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&x)) {
    out.sparse("X", "<f4", sparse->values, sparse->indices, sparse->offsets, sparse->cols);
    return;
  }
  const auto& dense = std::get<DenseMatrix>(x);
  out.array("X", "<f4", fmt::format("({}, {})", dense.rows, dense.cols), bytes_of(dense.values));
}

// Calls cell(label, is unknown) for the labels of row i that are not 0, ascending.
template <class Cell>
void for_each_label(const Dataset& data, std::size_t i, const Cell& cell) {
  const auto present = data.y.row(i);
  const auto unknown = data.unknown.rows > 0 ? data.unknown.row(i) : std::span<const std::uint32_t>{};
  auto next = unknown.begin();
  for (const std::uint32_t j : present) {
    for (; next != unknown.end() && *next < j; ++next) cell(*next, true);
    cell(j, false);
  }
  for (; next != unknown.end(); ++next) cell(*next, true);
}

// Value = uint8_t, or float where NaN marks unknown labels.
template <class Value>
void write_labels(NpzWriter& out, const Dataset& data, const char* type, bool sparse) {
  const auto value_of = [](bool unknown) {
    return unknown ? std::numeric_limits<Value>::quiet_NaN() : Value{1};
  };
  if (!sparse) {
    std::vector<Value> cells(data.rows() * data.labels());
    for (std::size_t i = 0; i < data.rows(); ++i) {
      for_each_label(
          data, i, [&](std::uint32_t j, bool unknown) { cells[i * data.labels() + j] = value_of(unknown); });
    }
    out.array("Y", type, fmt::format("({}, {})", data.rows(), data.labels()), bytes_of(cells));
    return;
  }
  std::vector<Value> values;
  std::vector<std::uint32_t> indices;
  std::vector<std::uint64_t> offsets{0};
  for (std::size_t i = 0; i < data.rows(); ++i) {
    for_each_label(data, i, [&](std::uint32_t j, bool unknown) {
      values.push_back(value_of(unknown));
      indices.push_back(j);
    });
    offsets.push_back(indices.size());
  }
  out.sparse("Y", type, values, indices, offsets, data.labels());
}

}  // namespace

void write_npz(const Dataset& data, const std::string& path, const SaveOptions& options) {
  refuse_what_does_not_fit(data, "npz", {.unknown_labels = true, .weights = true, .groups = true});
  AtomicFile file(path, options.overwrite, options.together);
  NpzWriter out(file);
  write_features(out, data.x);
  if (data.labels() > 0) {
    const bool sparse =
        std::holds_alternative<CsrMatrix>(data.x) || data.rows() > largest_dense_labels / data.labels();
    if (data.unknown.rows > 0) {
      write_labels<float>(out, data, "<f4", sparse);
    } else {
      write_labels<std::uint8_t>(out, data, "|u1", sparse);
    }
  }
  if (!data.features.empty()) {
    std::vector<std::string> names;
    names.reserve(data.features.size());
    for (const auto& feature : data.features) names.push_back(feature.name);
    out.texts("feature_names", names);
  }
  if (!data.label_names.empty()) out.texts("label_names", data.label_names);
  if (!data.row_weights.empty()) out.array("row_weights", "<f4", data.row_weights);
  if (!data.groups.empty()) out.texts("groups", data.groups);
  out.finish();
  file.commit();
}

}  // namespace mmo
