#include <algorithm>
#include <cmath>

#include "mmo/core/parallel.h"
#include "mmo/transform/column_plan.h"
#include "mmo/transform/one_hot.h"

namespace mmo {
namespace {

constexpr std::size_t block_rows = 1024;
// Next to words, whose rows have length 1: what a category or a number may weigh before L2 steps in. As long
// as all of a row's words together; other lengths were not tried.
constexpr float column_weight = 1.0F;

struct Block {
  std::vector<std::uint32_t> indices;
  std::vector<float> values;
  std::vector<std::uint64_t> ends;

  void put(std::uint32_t output, float value) {
    if (value == 0) return;
    indices.push_back(output);
    values.push_back(value);
  }
};

// The two hats over a number.
void put_hats(const std::vector<float>& knots, std::uint32_t first, float value, Block& out) {
  const auto last = static_cast<std::uint32_t>(knots.size() - 1);
  const auto above =
      static_cast<std::uint32_t>(std::upper_bound(knots.begin(), knots.end(), value) - knots.begin());
  if (above == 0) return out.put(first, column_weight);
  if (above > last) return out.put(first + last, column_weight);
  const float share = (value - knots[above - 1]) / (knots[above] - knots[above - 1]);
  out.put(first + above - 1, column_weight * (1.0F - share));
  out.put(first + above, column_weight * share);
}

class SparseRows {
 public:
  SparseRows(const Encoder& encoder, const Dataset& data) : encoder_(encoder), plan_(encoder, data) {
    std::uint32_t output = 0;
    for (std::size_t k = 0; k < encoder.raw_columns; ++k) {
      first_output_.push_back(output);
      output += static_cast<std::uint32_t>(plan_.nominal(k) ? encoder.columns[k].categories.size()
                                                            : encoder.sparse->knots[k].size());
    }
    for (std::size_t k = 0; k < encoder.raw_columns; ++k) {
      mark_.push_back(output);
      output += encoder.marked.empty() ? 0U : encoder.marked[k];
    }
    first_word_ = output;
    for (std::size_t t = 0; t < encoder.sparse->words.size(); ++t)
      words_.push_back(encoder.sparse->words[t].words.transform(data.texts[t].cells));
  }

  [[nodiscard]] CsrMatrix apply(const DenseMatrix& x) const {
    std::vector<Block> blocks(range_count(x.rows, block_rows));
    parallel_ranges(x.rows, block_rows, [&](std::size_t begin, std::size_t end) {
      Block& out = blocks[begin / block_rows];
      for (std::size_t i = begin; i < end; ++i) put_row(x, i, out);
    });
    CsrMatrix rows;
    rows.rows = x.rows;
    rows.cols = encoder_.outputs();
    for (Block& block : blocks) {
      const std::uint64_t before = rows.indices.size();
      rows.indices.append(block.indices.begin(), block.indices.end());
      rows.values.append(block.values.begin(), block.values.end());
      for (const std::uint64_t end : block.ends) rows.offsets.push_back(before + end);
      block = Block();
    }
    return rows;
  }

 private:
  void put_row(const DenseMatrix& x, std::size_t i, Block& out) const {
    for (std::size_t k = 0; k < x.cols; ++k) {
      const float value = x(i, k);
      if (std::isnan(value)) continue;
      if (plan_.nominal(k)) {
        if (const auto category = plan_.category(i, k, value))
          out.put(first_output_[k] + *category, column_weight);
      } else {
        put_hats(encoder_.sparse->knots[k], first_output_[k], value, out);
      }
    }
    for (std::size_t k = 0; k < encoder_.marked.size(); ++k) {
      if (encoder_.marked[k] != 0 && std::isnan(x(i, k))) out.put(mark_[k], column_weight);
    }
    std::uint32_t first = first_word_;
    for (const CsrMatrix& words : words_) {
      const auto indices = words.row_indices(i);
      for (std::size_t p = 0; p < indices.size(); ++p) out.put(first + indices[p], words.row_values(i)[p]);
      first += static_cast<std::uint32_t>(words.cols);
    }
    out.ends.push_back(out.indices.size());
  }

  const Encoder& encoder_;
  ColumnPlan plan_;
  std::vector<std::uint32_t> first_output_, mark_;  // of each raw column
  std::uint32_t first_word_ = 0;
  std::vector<CsrMatrix> words_;  // of each column of prose
};

}  // namespace

CsrMatrix sparse_rows(const Encoder& encoder, const Dataset& data) {
  return SparseRows(encoder, data).apply(std::get<DenseMatrix>(data.x));
}

}  // namespace mmo
