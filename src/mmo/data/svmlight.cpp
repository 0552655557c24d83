// Multi-label svmlight / libsvm: "label,label index:value …", one example per line.
//   - A line whose first token holds a ':' has no labels. Lines that are blank or only a comment ('#' to the
//     end of the line) are skipped, as scikit-learn does (LIBSVM refuses them).
//   - A label is its text. If all are integers they are ordered by value, else by their bytes.
//   - Index base automatic: 0 if the file uses index 0, else 1.
//   - "qid:" before the features puts the example in a group.
//   - An explicit zero is as good as absent (but its index counts for the number of features); "nan" is a
//     missing value and kept.
#include <fmt/format.h>

#include <numeric>

#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/pieces.h"
#include "mmo/data/readers.h"
#include "mmo/data/sparse_text.h"

namespace mmo {
namespace {

std::string_view without_byte_order_mark(std::string_view text) {
  return text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
}

SparseText parse_with_base(const FileContent& content, std::uint32_t base, const LoadOptions& options) {
  SparseTextRules rules;
  rules.min_index = base;
  rules.below_advice = "found, but the index base is 1: use --index-base 0 or auto";
  if (options.expected_features) {
    const std::size_t count = *options.expected_features;
    if (count + base <= max_sparse_index) rules.max_index = static_cast<std::uint32_t>(count + base) - 1;
    rules.above_advice = fmt::format(
        "is beyond the model's {} features (counted from {}): use the data's own --index-base, or data with "
        "the "
        "features the model was trained on",
        count, base);
  }
  return parse_sparse_text(content, without_byte_order_mark(content.bytes()), rules);
}

struct ParsedFile {
  SparseText text;
  std::uint32_t base;
};

ParsedFile parse_file(const FileContent& content, const LoadOptions& options) {
  if (options.index_base == IndexBase::zero) return {parse_with_base(content, 0, options), 0};
  if (options.index_base == IndexBase::one) return {parse_with_base(content, 1, options), 1};
  LoadOptions any_size = options;
  any_size.expected_features.reset();
  SparseText text = parse_with_base(content, 0, any_size);
  const std::uint32_t base = text.has_features && text.lowest == 0 ? 0 : 1;
  const bool too_large =
      options.expected_features && text.has_features && text.highest - base >= *options.expected_features;
  if (too_large) return {parse_with_base(content, base, options), base};  // throws at the line
  return {std::move(text), base};
}

// As many values as the model has features, and not one in the upper half of them: that is another set.
void refuse_other_features(const FileContent& content, const SparseText& text, std::uint32_t base,
                           std::size_t expected) {
  const std::size_t found = std::size_t{text.highest} - base + 1;
  if (!text.has_features || found * 2 >= expected || text.x.nonzeros() < expected) return;
  throw DataError(
      content.name(), 0,
      fmt::format("{} values, and none in a feature after the {}th, but the model was trained on {} "
                  "features; give data with the features of the training file",
                  text.x.nonzeros(), found, expected));
}

}  // namespace

Dataset read_svmlight(const FileContent& content, const LoadOptions& options) {
  auto [text, base] = parse_file(content, options);
  if (text.x.rows == 0) throw DataError(content.name(), 0, "no examples: the file is empty");
  if (!text.has_features && !options.expected_features) {
    throw DataError(content.name(), 0, "no features: no line has an index:value pair");
  }
  if (options.expected_features) refuse_other_features(content, text, base, *options.expected_features);

  Dataset data;
  data.source = content.name();
  data.index_base = static_cast<int>(base);
  if (options.expected_labels) {
    take_labels_for_model(content, text, options, data);
  } else {
    data.label_names.assign(text.names.begin(), text.names.end());
    std::vector<std::uint32_t> own_order(text.names.size());
    std::iota(own_order.begin(), own_order.end(), std::uint32_t{0});
    data.y = take_labels(text, own_order, own_order.size());
  }
  if (!text.query_ids.empty()) {
    if (text.without_query_id != nullptr)
      throw_fault(content, {text.without_query_id, "no qid: here, though other lines have one"});
    data.groups.assign(text.query_ids.begin(), text.query_ids.end());
    data.notes.emplace_back("qid: is read as the group of a row; rows of one group stay together in a split");
  }
  for (auto& index : text.x.indices) index -= base;
  text.x.cols = options.expected_features.value_or(std::size_t{text.highest} - base + 1);
  if (!options.expected_features)
    check_columns(text.x.cols, data.labels(), content.bytes().size(), content.name());
  data.x = std::move(text.x);
  return data;
}

}  // namespace mmo
