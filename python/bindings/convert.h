// Between NumPy's memory and the core's matrices. Inputs of the core's own types and layout are lent to it,
// others converted once, whatever their strides; results are handed over without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mmo/core/matrix.h"
#include "mmo/eval/evaluate.h"

namespace mmo::python {

namespace nb = nanobind;

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;
using FloatMatrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using DoubleMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A vector becomes a NumPy array of the given shape that owns it.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  const nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(data, shape, owner);
}
inline auto to_numpy(DenseMatrix&& matrix) {
  return to_numpy(std::move(matrix.values.own()), {matrix.rows, matrix.cols});
}

// float32 or float64, two-dimensional, any strides; a C-contiguous float32 array is not copied.
[[nodiscard]] DenseMatrix to_dense(const AnyArray& array);
// SciPy's CSR parts; indices ascending in each row. Indices and values are not copied.
[[nodiscard]] CsrMatrix to_csr(const Offsets& offsets, const Indices& indices, const Weights& values,
                               std::size_t cols);
[[nodiscard]] LabelMatrix to_labels(const Offsets& offsets, const Indices& indices, std::size_t cols);
[[nodiscard]] std::vector<float> to_vector(const std::optional<Weights>& weights);

// The (offsets, indices) of SciPy's CSR form.
using LabelParts = std::pair<nb::ndarray<nb::numpy, std::uint64_t>, nb::ndarray<nb::numpy, std::uint32_t>>;
[[nodiscard]] LabelParts from_labels(LabelMatrix&& labels);

// What predictions are compared with, and the memory behind Truth's pointers.
struct OwnedTruth {
  LabelMatrix labels;
  LabelMatrix unknown;
  std::vector<float> row_weights, label_weights;

  [[nodiscard]] Truth view() const { return {&labels, &unknown, row_weights, label_weights}; }
};

// Declares the parts of the module.
void bind_data(nb::module_& module);
void bind_table(nb::module_& module);
void bind_metric(nb::module_& module);
void bind_model(nb::module_& module);
void bind_rule(nb::module_& module);
void bind_loss(nb::module_& module);

}  // namespace mmo::python
