#include "mmo/learn/kernel/inverse.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "mmo/core/parallel.h"
#include "mmo/core/product.h"
#include "mmo/core/random.h"

namespace mmo {
namespace {

constexpr std::size_t pivots = 64;  // per sweep
constexpr std::size_t rows_per_task = 64;

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

DenseMatrix inverse_block(const DenseMatrix& a, std::size_t first, std::size_t count) {
  const auto n = static_cast<Eigen::Index>(count);
  Eigen::MatrixXd block(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j)
      block(i, j) = a(first + static_cast<std::size_t>(i), first + static_cast<std::size_t>(j));
  }
  DenseMatrix out(count, count);
  const Eigen::MatrixXd inverse = block.llt().solve(Eigen::MatrixXd::Identity(n, n));
  Eigen::Map<RowMajor>(out.values.data(), n, n) = inverse.cast<float>();
  return out;
}

void sweep(DenseMatrix& a, std::size_t first, std::size_t last) {
  const std::size_t count = last - first;
  const DenseMatrix inverse = inverse_block(a, first, count);
  DenseMatrix across(count, a.cols);  // A_BR, with 0 in place of A_BB
  for (std::size_t b = 0; b < count; ++b) {
    std::copy_n(a.row(first + b).data(), a.cols, across.row(b).data());
    std::fill_n(across.row(b).data() + first, count, 0.0F);
  }
  parallel_ranges(a.rows, rows_per_task, [&](std::size_t begin, std::size_t end) {
    DenseMatrix down(end - begin, count);  // A_RB, then −A_RB·P
    for (std::size_t i = begin; i < end; ++i)
      std::copy_n(a.row(i).data() + first, count, down.row(i - begin).data());
    DenseMatrix scaled(end - begin, count);
    add_product(down, 0, down.rows, inverse, scaled.values.data());
    for (std::size_t i = begin; i < end; ++i) {
      const bool pivot = i >= first && i < last;
      for (std::size_t b = 0; b < count; ++b) {
        float& value = scaled(i - begin, b);
        a(i, first + b) = pivot ? -inverse(i - first, b) : value;
        value = pivot ? 0.0F : -value;
      }
    }
    add_product(scaled.values.data(), scaled.rows, across, a.row(begin).data());
  });
  // A_BR = P·A_BR is the transpose of what A_RB holds now.
  for (std::size_t b = first; b < last; ++b) {
    for (std::size_t i = 0; i < a.rows; ++i) {
      if (i < first || i >= last) a(b, i) = a(i, b);
    }
  }
}

void invert_single(DenseMatrix& a) {
  for (std::size_t first = 0; first < a.rows; first += pivots)
    sweep(a, first, std::min(first + pivots, a.rows));
  for (float& value : a.values) value = -value;
}

std::vector<double> product(const DenseMatrix& a, const std::vector<double>& v) {
  std::vector<double> out(a.rows);
  parallel_ranges(a.rows, rows_per_task, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < a.cols; ++k) sum += static_cast<double>(a(i, k)) * v[k];
      out[i] = sum;
    }
  });
  return out;
}

// |A·A⁻¹·v − v| / |v| for a few v: how far off the scores of a fit would be. NaN counts as large.
bool is_inverse(const DenseMatrix& inverse, const DenseMatrix& a) {
  constexpr int probes = 4;
  constexpr double most = 1e-3;
  Random random(1);
  for (int probe = 0; probe < probes; ++probe) {
    std::vector<double> v(a.rows);
    for (double& value : v) value = random.uniform() < 0.5 ? -1 : 1;
    const std::vector<double> again = product(a, product(inverse, v));
    double square = 0;
    for (std::size_t i = 0; i < v.size(); ++i) square += (again[i] - v[i]) * (again[i] - v[i]);
    if (!(square <= most * most * static_cast<double>(v.size()))) return false;
  }
  return true;
}

DenseMatrix invert_double(const DenseMatrix& a) {
  const auto n = static_cast<Eigen::Index>(a.rows);
  const Eigen::MatrixXd wide = Eigen::Map<const RowMajor>(a.values.data(), n, n).cast<double>();
  const Eigen::LLT<Eigen::MatrixXd> factor(wide);
  DenseMatrix out(a.rows, a.rows);
  parallel_ranges(a.rows, rows_per_task, [&](std::size_t begin, std::size_t end) {
    const auto count = static_cast<Eigen::Index>(end - begin);
    Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(n, count);
    for (Eigen::Index c = 0; c < count; ++c) columns(static_cast<Eigen::Index>(begin) + c, c) = 1;
    factor.solveInPlace(columns);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < a.rows; ++k)
        out(i, k) =
            static_cast<float>(columns(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i - begin)));
    }
  });
  return out;
}

}  // namespace

void invert_positive(DenseMatrix& a) {
  assert(a.rows == a.cols);
  DenseMatrix inverse = a;
  invert_single(inverse);
  a = is_inverse(inverse, a) ? std::move(inverse) : invert_double(a);
}

}  // namespace mmo
