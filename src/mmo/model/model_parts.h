// How a model's parts become tensors and back: both directions in one place, shared by save and load.
#pragma once

#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/model/safetensors.h"

namespace mmo {

// Collects tensors. Vectors passed to add() are not copied: they must outlive the writing.
class PartWriter {
 public:
  template <class T>
  void add(const std::string& name, const std::vector<T>& values) {
    add(name, values, {values.size()});
  }
  template <class T>
  void add(const std::string& name, const std::vector<T>& values, std::vector<std::uint64_t> shape) {
    tensors_[name] = tensor_view(std::span<const T>(values), std::move(shape));
  }
  // Keeps a copy of the values.
  template <class T>
  void keep(const std::string& name, const std::vector<T>& values, std::vector<std::uint64_t> shape) {
    const auto view = tensor_view(std::span<const T>(values), std::move(shape));
    owned_.emplace_back(view.bytes);
    tensors_[name] = {view.dtype, view.shape, owned_.back()};
  }
  // name.bytes: all strings joined; name.offsets: where each one begins, and the end.
  void add_strings(const std::string& name, const std::vector<std::string>& strings);
  // As it is, or as name.offsets, name.columns, name.values (CSR) when more than half of it is zero.
  void add_matrix(const std::string& name, const DenseMatrix& matrix);

  [[nodiscard]] const Tensors& tensors() const { return tensors_; }

 private:
  Tensors tensors_;
  std::deque<std::string> owned_;
};

// Every function throws ModelError if the part is missing or not of the type or size asked for.
class PartReader {
 public:
  PartReader(const Tensors& tensors, std::string file) : tensors_(tensors), file_(std::move(file)) {}

  // A one-dimensional tensor of `size` values, all finite (only limits may be infinite).
  template <class T>
  [[nodiscard]] std::vector<T> read(const std::string& name, std::size_t size) const {
    return read<T>(name, std::vector<std::uint64_t>{size});
  }
  // Thresholds: infinite means always or never; none is NaN.
  [[nodiscard]] std::vector<float> read_limits(const std::string& name, std::size_t size) const;
  template <class T>
  [[nodiscard]] std::vector<T> read(const std::string& name, const std::vector<std::uint64_t>& shape) const {
    std::vector<T> out = copy_values<T>(name, shape);
    if constexpr (std::is_floating_point_v<T>) {
      for (const T value : out) {
        if (!std::isfinite(value)) refuse_value(name, static_cast<double>(value));
      }
    }
    return out;
  }
  // The length of a one-dimensional tensor.
  [[nodiscard]] std::size_t length(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const { return tensors_.count(name) > 0; }
  [[nodiscard]] std::vector<std::string> read_strings(const std::string& name) const;
  // `cols` is known; the number of rows comes from the tensor.
  [[nodiscard]] DenseMatrix read_matrix(const std::string& name, std::size_t cols) const;

  [[noreturn]] void fail(const std::string& what) const;
  void require(bool holds, const std::string& what) const {
    if (!holds) fail(what);
  }

 private:
  template <class T>
  [[nodiscard]] std::vector<T> copy_values(const std::string& name,
                                           const std::vector<std::uint64_t>& shape) const {
    const Tensor& tensor = find(name, dtype_of<T>(), shape);
    std::vector<T> out(tensor.bytes.size() / sizeof(T));
    copy_bytes(tensor, out.data());
    return out;
  }
  [[nodiscard]] const Tensor& find(const std::string& name) const;
  [[nodiscard]] const Tensor& find(const std::string& name, Dtype dtype,
                                   const std::vector<std::uint64_t>& shape) const;
  // Offsets that start at 0, never decrease and end at `end`.
  [[nodiscard]] std::vector<std::int64_t> read_offsets(const std::string& name, std::size_t end) const;
  [[noreturn]] void refuse_value(const std::string& name, double value) const;
  static void copy_bytes(const Tensor& tensor, void* to);

  const Tensors& tensors_;
  std::string file_;
};

}  // namespace mmo
