#include "cli/importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cli/data_flags.h"
#include "cli/model_card.h"
#include "cli/terminal.h"
#include "mmo/model/importance.h"

namespace mmo::cli {
namespace {

constexpr std::size_t columns_listed = 20;
constexpr std::size_t labels_named = 2;

// "happy .012, sad .003": the labels whose log-loss rises most.
std::string most_hurt(const Model& model, const ColumnImportance& column) {
  std::vector<std::size_t> labels(column.label_log_loss.size());
  std::iota(labels.begin(), labels.end(), std::size_t{0});
  const std::size_t count = std::min(labels_named, labels.size());
  std::partial_sort(
      labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(count), labels.end(),
      [&](std::size_t a, std::size_t b) { return column.label_log_loss[a] > column.label_log_loss[b]; });
  std::string text;
  for (std::size_t k = 0; k < count && column.label_log_loss[labels[k]] > 0; ++k)
    text += fmt::format("{}{} {:.4f}", k > 0 ? ", " : "", model.label_name(labels[k]),
                        column.label_log_loss[labels[k]]);
  return text;
}

nlohmann::ordered_json importance_json(const Model& model, const Importance& found) {
  nlohmann::ordered_json out{{"rows", found.rows},          {"columns_in_all", found.columns_in_all},
                             {"metric", model.metric.name}, {"value", found.metric},
                             {"log_loss", found.log_loss},  {"columns", nlohmann::ordered_json::array()}};
  for (const ColumnImportance& column : found.columns) {
    nlohmann::ordered_json labels;
    for (std::size_t j = 0; j < column.label_log_loss.size(); ++j)
      labels[model.label_name(j)] = column.label_log_loss[j];
    out["columns"].push_back({{"name", column.name},
                              {"value_lost", column.metric},
                              {"deviation", column.metric_deviation},
                              {"log_loss_rise", column.log_loss},
                              {"label_log_loss_rise", labels}});
  }
  return out;
}

}  // namespace

void print_importance(const Common& common, const Model& model, const std::string& data,
                      const std::string& label, std::size_t top) {
  const std::size_t chosen = label.empty() ? 0 : label_number(model, label);
  DataFlags flags;
  flags.data = data;
  const Dataset rows = load_for_model(common, flags, model, DataUse::known_labels_only);
  Importance found;
  {
    ProgressBar bar(common);
    ImportanceOptions options;
    options.seed = common.seed;
    options.progress = bar.listener();
    found = permutation_importance(model, rows, options);
  }
  if (!label.empty()) {
    std::stable_sort(found.columns.begin(), found.columns.end(),
                     [&](const ColumnImportance& a, const ColumnImportance& b) {
                       return a.label_log_loss[chosen] > b.label_log_loss[chosen];
                     });
  }
  const std::size_t tried = found.columns.size();
  found.columns.resize(std::min(tried, top > 0 ? top : columns_listed));
  if (common.json) return print_json(importance_json(model, found));
  print(fmt::format(
      "{} {:.4f}, log-loss {:.4f} on {} rows; with one column's values shuffled among rows{}:\n",
      model.metric.name, found.metric, found.log_loss, found.rows,
      tried < found.columns_in_all
          ? fmt::format(" (the {} of {} columns that most rows have)", tried, found.columns_in_all)
          : ""));
  std::vector<std::vector<std::string>> lines{
      {"column", model.metric.name + " lost", "±", "log-loss rises", label.empty() ? "most for" : label}};
  for (const ColumnImportance& column : found.columns) {
    lines.push_back(
        {column.name, fmt::format("{:.4f}", column.metric), fmt::format("{:.4f}", column.metric_deviation),
         fmt::format("{:.4f}", column.log_loss),
         label.empty() ? most_hurt(model, column) : fmt::format("{:.4f}", column.label_log_loss[chosen])});
  }
  print(table(std::move(lines)));
}

}  // namespace mmo::cli
