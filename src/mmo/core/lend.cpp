#include "mmo/core/lend.h"

#include <memory>
#include <type_traits>

namespace mmo {

Features lend(const Features& x) {
  const auto borrowed = [&](const auto& buffer) {
    using Values = std::remove_cvref_t<decltype(buffer)>;
    const std::shared_ptr<const void> keeper(std::shared_ptr<const void>(), &x);
    return Values::lent({buffer.data(), buffer.size()}, keeper);
  };
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) {
    DenseMatrix out;
    out.rows = dense->rows;
    out.cols = dense->cols;
    out.values = borrowed(dense->values);
    return out;
  }
  const auto& sparse = std::get<CsrMatrix>(x);
  CsrMatrix out;
  out.rows = sparse.rows;
  out.cols = sparse.cols;
  out.offsets = sparse.offsets;
  out.indices = borrowed(sparse.indices);
  out.values = borrowed(sparse.values);
  return out;
}

}  // namespace mmo
