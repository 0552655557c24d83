#include "convert.h"

#include <fmt/core.h>

#include "mmo/core/error.h"

namespace mmo::python {
namespace {

// The array lends its memory and lives as long as the buffer.
template <class T, class Array>
Buffer<T> lend(const Array& array, std::size_t size) {
  return Buffer<T>::lent({reinterpret_cast<const T*>(array.data()), size}, std::make_shared<Array>(array));
}

bool row_major(const AnyArray& array) {
  return array.stride(1) == 1 && array.stride(0) == static_cast<std::int64_t>(array.shape(1));
}

template <class T>
DenseMatrix copy_strided(const AnyArray& array) {
  DenseMatrix out(array.shape(0), array.shape(1));
  const auto* const data = static_cast<const T*>(array.data());
  const std::int64_t row = array.stride(0);
  const std::int64_t col = array.stride(1);
  for (std::size_t i = 0; i < out.rows; ++i) {
    const T* from = data + static_cast<std::int64_t>(i) * row;
    float* const to = out.values.data() + i * out.cols;
    for (std::size_t j = 0; j < out.cols; ++j, from += col) to[j] = static_cast<float>(*from);
  }
  return out;
}

// Everything later relies on these being right, so a wrong caller is told here.
void check_rows(const Offsets& offsets, const Indices& indices, std::size_t cols) {
  const std::size_t rows = offsets.shape(0) > 0 ? offsets.shape(0) - 1 : 0;
  bool good =
      offsets.shape(0) > 0 && offsets(0) == 0 && offsets(rows) == static_cast<std::int64_t>(indices.shape(0));
  for (std::size_t i = 0; good && i < rows; ++i) {
    good = offsets(i) <= offsets(i + 1) && offsets(i + 1) <= static_cast<std::int64_t>(indices.shape(0));
    for (std::int64_t k = offsets(i); good && k < offsets(i + 1); ++k) {
      const std::int64_t before = k > offsets(i) ? indices(static_cast<std::size_t>(k - 1)) : -1;
      const std::int64_t here = indices(static_cast<std::size_t>(k));
      good = before < here && here < static_cast<std::int64_t>(cols);
    }
  }
  if (!good)
    throw UsageError(
        "a sparse matrix is not canonical: sort its indices and sum its duplicates (sum_duplicates())");
}

}  // namespace

DenseMatrix to_dense(const AnyArray& array) {
  if (array.ndim() != 2) throw UsageError(fmt::format("expected a 2-D array, got {}-D", array.ndim()));
  if (array.dtype() == nb::dtype<float>() && row_major(array)) {
    DenseMatrix out;
    out.rows = array.shape(0);
    out.cols = array.shape(1);
    out.values = lend<float>(array, out.rows * out.cols);
    return out;
  }
  if (array.dtype() == nb::dtype<float>()) return copy_strided<float>(array);
  if (array.dtype() == nb::dtype<double>()) return copy_strided<double>(array);
  throw UsageError("expected an array of float32 or float64");
}

CsrMatrix to_csr(const Offsets& offsets, const Indices& indices, const Weights& values, std::size_t cols) {
  check_rows(offsets, indices, cols);
  if (values.shape(0) != indices.shape(0)) throw UsageError("a sparse matrix has not one value per index");
  CsrMatrix out;
  out.rows = offsets.shape(0) - 1;
  out.cols = cols;
  out.offsets.assign(offsets.data(), offsets.data() + offsets.shape(0));
  out.indices = lend<std::uint32_t>(indices, indices.shape(0));  // none is negative: checked
  out.values = lend<float>(values, values.shape(0));
  return out;
}

LabelMatrix to_labels(const Offsets& offsets, const Indices& indices, std::size_t cols) {
  check_rows(offsets, indices, cols);
  LabelMatrix out;
  out.rows = offsets.shape(0) - 1;
  out.cols = cols;
  out.offsets.assign(offsets.data(), offsets.data() + offsets.shape(0));
  out.indices.assign(indices.data(), indices.data() + indices.shape(0));
  return out;
}

std::vector<float> to_vector(const std::optional<Weights>& weights) {
  if (!weights) return {};
  return {weights->data(), weights->data() + weights->shape(0)};
}

LabelParts from_labels(LabelMatrix&& labels) {
  const std::size_t rows = labels.rows;
  const std::size_t positives = labels.indices.size();
  return {to_numpy(std::move(labels.offsets), {rows + 1}), to_numpy(std::move(labels.indices), {positives})};
}

}  // namespace mmo::python
