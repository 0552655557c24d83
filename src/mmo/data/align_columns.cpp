#include "mmo/data/align_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/label_columns.h"

namespace mmo {
namespace {

constexpr std::size_t rows_per_task = 4096;

DenseMatrix take_features(const DenseMatrix& x, const std::vector<std::uint32_t>& from) {
  DenseMatrix out(x.rows, from.size());
  float* const to = out.values.data();
  parallel_ranges(x.rows, rows_per_task, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t k = 0; k < from.size(); ++k) to[i * from.size() + k] = x(i, from[k]);
    }
  });
  return out;
}

CsrMatrix take_features(const CsrMatrix& x, const std::vector<std::uint32_t>& from) {
  std::vector<std::uint32_t> place(x.cols, no_label);
  for (std::size_t k = 0; k < from.size(); ++k) place[from[k]] = static_cast<std::uint32_t>(k);
  CsrMatrix out;
  out.rows = x.rows;
  out.cols = from.size();
  std::vector<std::pair<std::uint32_t, float>> row;
  for (std::size_t i = 0; i < x.rows; ++i) {
    row.clear();
    for (std::size_t p = 0; p < x.row_indices(i).size(); ++p) {
      const std::uint32_t to = place[x.row_indices(i)[p]];
      if (to != no_label) row.emplace_back(to, x.row_values(i)[p]);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      out.indices.push_back(column);
      out.values.push_back(value);
    }
    out.offsets.push_back(out.indices.size());
  }
  return out;
}

const char* kind_of(const FeatureInfo& column) {
  return column.nominal() ? "categories" : column.date != DateOrder::none ? "dates" : "numbers";
}

void check_kind(const Dataset& data, const FeatureInfo& wanted, const FeatureInfo& given) {
  if (wanted.nominal() == given.nominal()) return;
  throw DataError(
      data.source, 0,
      fmt::format("column {} holds {}{}, but the model was trained on {}{}; give it as in the "
                  "training file",
                  shown(given.name), kind_of(given),
                  given.nominal() ? " such as " + shown(given.categories.front()) : "", kind_of(wanted),
                  wanted.nominal() ? " such as " + shown(wanted.categories.front()) : ""));
}

// How often a stored cell of column k holds each category of the file.
std::vector<std::size_t> category_counts(const Features& x, std::size_t k, std::size_t categories) {
  std::vector<std::size_t> count(categories, 0);
  const auto add = [&](float value) {
    if (value >= 0 && value < static_cast<float>(categories)) ++count[static_cast<std::size_t>(value)];
  };
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) {
    for (std::size_t i = 0; i < dense->rows; ++i) add((*dense)(i, k));
    return count;
  }
  const auto& sparse = std::get<CsrMatrix>(x);
  for (std::size_t p = 0; p < sparse.indices.size(); ++p) {
    if (sparse.indices[p] == k) add(sparse.values[p]);
  }
  return count;
}

void note_new_categories(Dataset& data, const InputColumns& expected) {
  for (std::size_t k = 0; k < expected.features.size(); ++k) {
    const FeatureInfo& given = data.features[k];
    if (!given.nominal() || given.categories == expected.features[k].categories) continue;
    const auto& known = expected.features[k].categories;
    const std::unordered_set<std::string_view> seen(known.begin(), known.end());
    const std::vector<std::size_t> count = category_counts(data.x, k, given.categories.size());
    std::size_t rows = 0;
    std::vector<std::string> fresh;
    for (std::size_t c = 0; c < count.size(); ++c) {
      if (count[c] == 0 || seen.contains(given.categories[c])) continue;
      rows += count[c];
      fresh.push_back(given.categories[c]);
    }
    if (fresh.empty()) continue;
    data.notes.push_back(fmt::format("column {}: the model has not seen {} ({} row{}); counted as missing",
                                     shown(given.name), some_of(fresh), rows, rows == 1 ? "" : "s"));
  }
}

}  // namespace

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), most); ++k) {
    text += (k > 0 ? ", " : "") + shown(names[k]);
  }
  return names.size() > most ? text + fmt::format(" and {} more", names.size() - most) : text;
}

InputColumns input_columns(const Dataset& data) {
  InputColumns columns{data.features, {}};
  for (const TextColumn& text : data.texts) columns.texts.push_back(text.name);
  return columns;
}

void align_columns(Dataset& data, const InputColumns& expected) {
  if (!expected.named() || (data.features.empty() && data.texts.empty())) return;
  std::unordered_map<std::string_view, std::uint32_t> feature_at;
  std::unordered_map<std::string_view, std::uint32_t> text_at;
  for (const FeatureInfo& column : data.features)
    feature_at.emplace(column.name, static_cast<std::uint32_t>(feature_at.size()));
  for (const TextColumn& column : data.texts)
    text_at.emplace(column.name, static_cast<std::uint32_t>(text_at.size()));
  std::vector<std::string> absent;
  std::vector<std::uint32_t> features;
  for (const FeatureInfo& wanted : expected.features) {
    const auto found = feature_at.find(wanted.name);
    if (found == feature_at.end()) {
      absent.push_back(wanted.name);
      continue;
    }
    check_kind(data, wanted, data.features[found->second]);
    features.push_back(found->second);
  }
  std::vector<TextColumn> texts;
  for (const std::string& wanted : expected.texts) {
    const auto found = text_at.find(wanted);
    if (found == text_at.end()) {
      absent.push_back(wanted);
    } else {
      texts.push_back(std::move(data.texts[found->second]));
    }
  }
  if (!absent.empty()) {
    throw DataError(data.source, 0,
                    fmt::format("{} of the {} columns that the model reads {} missing: {}; give the training "
                                "file's columns, in any order (mmo inspect MODEL lists them)",
                                absent.size(), expected.features.size() + expected.texts.size(),
                                absent.size() == 1 ? "is" : "are", some_of(absent)));
  }
  std::vector<std::string> extra;
  std::unordered_set<std::string_view> wanted;
  for (const FeatureInfo& column : expected.features) wanted.insert(column.name);
  for (const FeatureInfo& column : data.features) {
    if (!wanted.contains(column.name)) extra.push_back(column.name);
  }
  if (!extra.empty()) data.notes.push_back("columns that the model does not read: " + some_of(extra));
  data.texts = std::move(texts);
  const bool in_order =
      features.size() == data.features.size() && std::is_sorted(features.begin(), features.end());
  if (!in_order) {
    data.x = std::visit([&](const auto& x) { return Features(take_features(x, features)); }, data.x);
    std::vector<FeatureInfo> ordered;
    for (const std::uint32_t k : features) ordered.push_back(data.features[k]);
    data.features = std::move(ordered);
  }
  note_new_categories(data, expected);
}

}  // namespace mmo
