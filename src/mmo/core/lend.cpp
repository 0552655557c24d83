#include "mmo/core/lend.h"

#include <memory>

namespace mmo {
namespace {

template <class Values>
Values borrowed(const Values& buffer) {
  const std::shared_ptr<const void> keeper(std::shared_ptr<const void>(), &buffer);
  return Values::lent({buffer.data(), buffer.size()}, keeper);
}

}  // namespace

CsrMatrix lend(const CsrMatrix& x) {
  CsrMatrix out;
  out.rows = x.rows;
  out.cols = x.cols;
  out.offsets = x.offsets;
  out.indices = borrowed(x.indices);
  out.values = borrowed(x.values);
  return out;
}

Features lend(const Features& x) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&x)) return lend(*sparse);
  const auto& dense = std::get<DenseMatrix>(x);
  DenseMatrix out;
  out.rows = dense.rows;
  out.cols = dense.cols;
  out.values = borrowed(dense.values);
  return out;
}

}  // namespace mmo
