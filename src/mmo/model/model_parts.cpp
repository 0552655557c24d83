#include "mmo/model/model_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "mmo/core/error.h"
#include "mmo/core/memory.h"

namespace mmo {

void PartWriter::add_strings(const std::string& name, const std::vector<std::string>& strings) {
  std::vector<std::int64_t> offsets{0};
  std::vector<unsigned char> bytes;
  for (const std::string& text : strings) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  keep(name + ".offsets", offsets, {offsets.size()});
  keep(name + ".bytes", bytes, {bytes.size()});
}

void PartWriter::add_matrix(const std::string& name, const DenseMatrix& matrix) {
  const auto zeros = static_cast<std::size_t>(std::count(matrix.values.begin(), matrix.values.end(), 0.0F));
  if (zeros <= matrix.values.size() / 2) {
    tensors_[name] = tensor_view(std::span<const float>(matrix.values), {matrix.rows, matrix.cols});
    return;
  }
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<float> values;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = 0; j < matrix.cols; ++j) {
      if (matrix(i, j) == 0) continue;
      columns.push_back(static_cast<std::int32_t>(j));
      values.push_back(matrix(i, j));
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  keep(name + ".offsets", offsets, {offsets.size()});
  keep(name + ".columns", columns, {columns.size()});
  keep(name + ".values", values, {values.size()});
}

void PartReader::fail(const std::string& what) const {
  throw ModelError(file_ + ": not a usable model: " + what + "; train the model again");
}

void PartReader::refuse_value(const std::string& name, double value) const {
  fail(fmt::format("'{}' holds {}", name, value));
}

std::vector<float> PartReader::read_limits(const std::string& name, std::size_t size) const {
  std::vector<float> out = copy_values<float>(name, std::vector<std::uint64_t>{size});
  for (const float value : out) {
    if (std::isnan(value)) refuse_value(name, static_cast<double>(value));
  }
  return out;
}

const Tensor& PartReader::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  require(found != tensors_.end(), "it lacks '" + name + "'");
  return found->second;
}

const Tensor& PartReader::find(const std::string& name, Dtype dtype,
                               const std::vector<std::uint64_t>& shape) const {
  const Tensor& tensor = find(name);
  require(tensor.dtype == dtype && tensor.shape == shape,
          fmt::format("'{}' is {} [{}] where {} [{}] is expected", name, dtype_name(tensor.dtype),
                      fmt::join(tensor.shape, ", "), dtype_name(dtype), fmt::join(shape, ", ")));
  return tensor;
}

std::size_t PartReader::length(const std::string& name) const {
  const Tensor& tensor = find(name);
  require(tensor.shape.size() == 1, "'" + name + "' is not a list");
  return tensor.shape[0];
}

// memcpy, not a cast: a file from elsewhere may place tensors at any byte.
void PartReader::copy_bytes(const Tensor& tensor, void* to) {
  if (!tensor.bytes.empty()) std::memcpy(to, tensor.bytes.data(), tensor.bytes.size());
}

std::vector<std::int64_t> PartReader::read_offsets(const std::string& name, std::size_t end) const {
  auto offsets = read<std::int64_t>(name, length(name));
  require(!offsets.empty() && offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()) &&
              static_cast<std::size_t>(offsets.back()) == end,
          "the offsets '" + name + "' are out of order");
  return offsets;
}

std::vector<std::string> PartReader::read_strings(const std::string& name) const {
  const std::size_t size = length(name + ".bytes");
  const std::string_view bytes = find(name + ".bytes", Dtype::u8, {size}).bytes;
  const std::vector<std::int64_t> offsets = read_offsets(name + ".offsets", size);
  std::vector<std::string> out;
  out.reserve(offsets.size() - 1);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    out.emplace_back(bytes.substr(static_cast<std::size_t>(offsets[i]),
                                  static_cast<std::size_t>(offsets[i + 1] - offsets[i])));
  }
  return out;
}

DenseMatrix PartReader::read_matrix(const std::string& name, std::size_t cols) const {
  DenseMatrix out;
  if (has(name)) {
    const Tensor& tensor = find(name);
    require(tensor.shape.size() == 2, "'" + name + "' is not a matrix");
    out.values = read<float>(name, std::vector<std::uint64_t>{tensor.shape[0], cols});
    out.rows = tensor.shape[0];
    out.cols = cols;
    return out;
  }
  const std::size_t nonzeros = length(name + ".values");
  const std::vector<std::int64_t> offsets = read_offsets(name + ".offsets", nonzeros);
  const auto columns = read<std::int32_t>(name + ".columns", nonzeros);
  const auto values = read<float>(name + ".values", nonzeros);
  const std::size_t rows = offsets.size() - 1;
  std::uint64_t bytes = sizeof(float);
  const bool overflow =
      __builtin_mul_overflow(bytes, rows, &bytes) || __builtin_mul_overflow(bytes, cols, &bytes);
  require(!overflow && bytes <= physical_memory(),
          fmt::format("'{}' of {} × {} values does not fit into memory", name, rows, cols));
  out = DenseMatrix(rows, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (auto e = static_cast<std::size_t>(offsets[i]); e < static_cast<std::size_t>(offsets[i + 1]); ++e) {
      require(columns[e] >= 0 && static_cast<std::size_t>(columns[e]) < cols,
              fmt::format("'{}.columns' holds {}, outside 0 … {}", name, columns[e], cols - 1));
      out(i, static_cast<std::size_t>(columns[e])) = values[e];
    }
  }
  return out;
}

}  // namespace mmo
