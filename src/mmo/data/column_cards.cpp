#include "mmo/data/column_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mmo {
namespace {

using nlohmann::json;

constexpr std::size_t most_listed = 40;

double missing_share(const Features& x, std::size_t k) {
  const auto* dense = std::get_if<DenseMatrix>(&x);
  if (dense == nullptr || dense->rows == 0) return 0;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < dense->rows; ++i) missing += std::isnan((*dense)(i, k)) ? 1 : 0;
  return static_cast<double>(missing) / static_cast<double>(dense->rows);
}

double missing_share(const TextColumn& text) {
  const auto missing = std::count(text.cells.begin(), text.cells.end(), "");
  return text.cells.empty() ? 0 : static_cast<double>(missing) / static_cast<double>(text.cells.size());
}

}  // namespace

json column_cards(const Dataset& data) {
  const bool plain = data.texts.empty() && data.left_out.empty() &&
                     std::all_of(data.features.begin(), data.features.end(), [](const FeatureInfo& column) {
                       return !column.nominal() && column.date == DateOrder::none;
                     });
  json cards = json::array();
  if (plain) return cards;
  for (const TextColumn& text : data.texts)
    cards.push_back({{"name", text.name}, {"kind", "text"}, {"missing", missing_share(text)}});
  for (std::size_t k = 0; k < data.features.size(); ++k) {
    const FeatureInfo& column = data.features[k];
    json card{{"name", column.name}, {"missing", missing_share(data.x, k)}};
    card["kind"] = column.nominal() ? "category" : column.date != DateOrder::none ? "date" : "number";
    if (column.nominal()) card["categories"] = column.categories.size();
    cards.push_back(std::move(card));
  }
  for (const LeftOutColumn& column : data.left_out)
    cards.push_back({{"name", column.name}, {"kind", "left out"}, {"why", column.why}});
  return cards;
}

std::string column_cards_text(const json& cards) {
  std::string text;
  for (std::size_t k = 0; k < std::min(cards.size(), most_listed); ++k) {
    const json& card = cards[k];
    text += fmt::format("{}{} ({}", k > 0 ? ", " : "", card.value("name", ""), card.value("kind", ""));
    if (card.contains("categories")) text += fmt::format(", {} values", card.value("categories", 0));
    if (card.value("missing", 0.0) > 0)
      text += fmt::format(", {:.2g} % missing", 100 * card.value("missing", 0.0));
    text += ")";
  }
  return cards.size() > most_listed ? text + fmt::format(" and {} more", cards.size() - most_listed) : text;
}

}  // namespace mmo
