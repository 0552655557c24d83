#include "mmo/data/describe.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_set>

#include "mmo/core/parallel.h"
#include "mmo/data/column_cards.h"

namespace mmo {
namespace {

constexpr std::size_t listed = 10;  // names of labels in the readable card

double share(std::size_t part, std::size_t rows, std::size_t cols) {
  const double cells = static_cast<double>(rows) * static_cast<double>(cols);
  return cells > 0.0 ? static_cast<double>(part) / cells : 0.0;
}

std::size_t count_distinct_rows(const LabelMatrix& y) {
  // Rows are keyed by number, hashed (FNV-1a over the labels) and compared by content.
  const auto hash = [&](std::size_t i) {
    std::uint64_t h = 0xcbf29ce484222325ULL;
    for (const std::uint32_t j : y.row(i)) h = (h ^ j) * 0x100000001b3ULL;
    return static_cast<std::size_t>(h ^ (h >> 32U));
  };
  const auto equal = [&](std::size_t a, std::size_t b) { return std::ranges::equal(y.row(a), y.row(b)); };
  std::unordered_set<std::size_t, decltype(hash), decltype(equal)> seen(16, hash, equal);
  for (std::size_t i = 0; i < y.rows; ++i) seen.insert(i);
  return seen.size();
}

void describe_features(const Dataset& data, DataCard& card) {
  card.features = feature_cols(data.x);
  card.sparse = std::holds_alternative<CsrMatrix>(data.x);
  card.nominal_features = static_cast<std::size_t>(std::count_if(
      data.features.begin(), data.features.end(), [](const FeatureInfo& f) { return f.nominal(); }));
  const auto values = std::visit([](const auto& x) -> std::span<const float> { return x.values; }, data.x);
  constexpr std::size_t block = std::size_t{1} << 20;
  std::vector<std::size_t> nonzero(values.size() / block + 1, 0);
  std::vector<std::size_t> missing(nonzero.size(), 0);
  parallel_ranges(values.size(), block, [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      nonzero[first / block] += values[k] != 0.0F ? 1 : 0;
      missing[first / block] += std::isnan(values[k]) ? 1 : 0;
    }
  });
  const auto total = [](const std::vector<std::size_t>& counts) {
    std::size_t sum = 0;
    for (const std::size_t count : counts) sum += count;
    return sum;
  };
  card.feature_density = share(total(nonzero), card.rows, card.features);
  card.missing_features = share(total(missing), card.rows, card.features);
}

void describe_labels(const Dataset& data, DataCard& card) {
  const LabelMatrix& y = data.y;
  card.cardinality = share(y.positives(), y.rows, 1);
  card.density = share(y.positives(), y.rows, y.cols);
  card.unknown_labels = share(data.unknown.positives(), y.rows, y.cols);
  card.label_sets = count_distinct_rows(y);
  for (std::size_t i = 0; i < y.rows; ++i) {
    card.empty_rows += y.row(i).empty() ? 1 : 0;
    card.most_labels = std::max(card.most_labels, y.row(i).size());
  }
  std::vector<std::size_t> positives(y.cols, 0);
  std::vector<std::size_t> known(y.cols, y.rows);
  for (const std::uint32_t j : y.indices) ++positives[j];
  for (const std::uint32_t j : data.unknown.indices) --known[j];
  std::vector<DataCard::LabelCount> counts;
  counts.reserve(y.cols);
  for (std::size_t j = 0; j < y.cols; ++j) {
    counts.push_back({data.label_name(j), positives[j]});
    if (positives[j] == 0)
      card.never_positive.push_back(counts.back().name);
    else if (positives[j] == known[j])
      card.always_positive.push_back(counts.back().name);
    if (positives[j] > 0 && positives[j] < DataCard::rare_positives) card.rare.push_back(counts.back());
  }
  const auto fewer = [](const auto& a, const auto& b) { return a.positives < b.positives; };
  std::stable_sort(card.rare.begin(), card.rare.end(), fewer);
  std::stable_sort(counts.begin(), counts.end(), [&](const auto& a, const auto& b) { return fewer(b, a); });
  counts.resize(std::min(counts.size(), listed));
  card.most_frequent = std::move(counts);
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), listed); ++k) text += (k > 0 ? ", " : "") + names[k];
  return text + (names.size() > listed ? ", …" : "");
}

std::string list(const std::vector<DataCard::LabelCount>& labels) {
  std::vector<std::string> names;
  names.reserve(labels.size());
  for (const auto& label : labels) names.push_back(fmt::format("{} ({})", label.name, label.positives));
  return list(names);
}

nlohmann::json counts_json(const std::vector<DataCard::LabelCount>& labels) {
  nlohmann::json items = nlohmann::json::array();
  for (const auto& label : labels) items.push_back({{"name", label.name}, {"positives", label.positives}});
  return items;
}

// 12.3 %, and more digits for small shares so that they do not look like none.
std::string percent(double part) { return fmt::format("{:.3g} %", 100.0 * part); }

}  // namespace

DataCard describe(const Dataset& data) {
  DataCard card;
  card.source = data.source;
  card.rows = data.rows();
  card.labels = data.labels();
  card.text = data.is_text();
  if (card.text) {
    std::size_t bytes = 0;
    for (const std::string& document : data.documents) bytes += document.size();
    card.mean_document_bytes = share(bytes, card.rows, 1);
  } else {
    describe_features(data, card);
    card.columns = column_cards(data);
  }
  describe_labels(data, card);
  return card;
}

nlohmann::json card_json(const DataCard& card) {
  nlohmann::json json{{"source", card.source},
                      {"rows", card.rows},
                      {"labels", card.labels},
                      {"cardinality", card.cardinality},
                      {"density", card.density},
                      {"label_sets", card.label_sets},
                      {"empty_rows", card.empty_rows},
                      {"most_labels", card.most_labels},
                      {"unknown_labels", card.unknown_labels},
                      {"never_positive", card.never_positive},
                      {"always_positive", card.always_positive},
                      {"rare", counts_json(card.rare)},
                      {"most_frequent", counts_json(card.most_frequent)}};
  if (card.text) {
    json["text"] = {{"mean_document_bytes", card.mean_document_bytes}};
  } else {
    json["features"] = {{"count", card.features},
                        {"nominal", card.nominal_features},
                        {"sparse", card.sparse},
                        {"density", card.feature_density},
                        {"missing", card.missing_features}};
  }
  if (!card.columns.empty()) json["columns"] = card.columns;
  return json;
}

std::string card_text(const DataCard& card) {
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value) {
    text += fmt::format("  {:<17}{}\n", name, value);
  };
  text += card.source + "\n";
  line("rows", std::to_string(card.rows));
  if (card.text) {
    line("features", fmt::format("raw text, {:.0f} bytes per document", card.mean_document_bytes));
  } else {
    line("features",
         fmt::format("{} ({}, {} not zero{})", card.features, card.sparse ? "sparse" : "dense",
                     percent(card.feature_density),
                     card.nominal_features > 0 ? fmt::format(", {} nominal", card.nominal_features) : ""));
    if (!card.columns.empty()) line("columns", column_cards_text(card.columns));
    if (card.missing_features > 0) line("missing values", percent(card.missing_features));
  }
  line("labels", std::to_string(card.labels));
  line("labels per row",
       fmt::format("{:.3f} (density {:.4f}, at most {})", card.cardinality, card.density, card.most_labels));
  line("label sets", std::to_string(card.label_sets));
  line("rows unlabelled", std::to_string(card.empty_rows));
  if (card.unknown_labels > 0) line("unknown labels", percent(card.unknown_labels));
  if (!card.most_frequent.empty()) line("most frequent", list(card.most_frequent));
  if (!card.rare.empty()) {
    line("rare labels", fmt::format("{} with fewer than {} positives: {}", card.rare.size(),
                                    DataCard::rare_positives, list(card.rare)));
  }
  if (!card.never_positive.empty()) {
    line("never positive", fmt::format("{}: {}", card.never_positive.size(), list(card.never_positive)));
  }
  if (!card.always_positive.empty()) {
    line("always positive", fmt::format("{}: {}", card.always_positive.size(), list(card.always_positive)));
  }
  return text;
}

}  // namespace mmo
