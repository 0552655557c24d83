// Vector operations on blocks of columns: row-major blocks of `rows` × `stride` floats (stride a multiple of
// 8), one scalar per column. Dot products keep floats over short runs of rows and doubles beyond.
#pragma once

#include <cstddef>

namespace mmo {

// out[c] = Σ_k a(k, c)·b(k, c)
void column_dot(const float* a, const float* b, std::size_t rows, std::size_t stride, double* out);
// y(k, c) += scale[c]·x(k, c)
void column_axpy(const float* scale, const float* x, std::size_t rows, std::size_t stride, float* y);
// y(k, c) = scale[c]·x(k, c)
void column_scale(const float* scale, const float* x, std::size_t rows, std::size_t stride, float* y);
// d(k, c) = 1 / (d(k, c) + ridge[c]); the last row (the bias) has no ridge.
void invert_diagonal(const float* ridge, std::size_t rows, std::size_t stride, float* d);
// y[e] *= x[e]; count is a multiple of 8.
void multiply(const float* x, std::size_t count, float* y);

}  // namespace mmo
