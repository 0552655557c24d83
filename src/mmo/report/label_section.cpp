#include "mmo/report/label_section.h"

#include <algorithm>
#include <map>
#include <string>

#include "mmo/core/parallel.h"
#include "mmo/model/inspect.h"
#include "mmo/report/report_json.h"

namespace mmo {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_points = 32;
constexpr std::size_t least_points = 8;
constexpr std::size_t points_of_all = 40000;
constexpr std::size_t features_listed = 8;
constexpr std::size_t most_labels_with_features = 1000;  // more names would fill the page

template <class Items, class Value>
ordered_json column(const Items& items, const Value& value) {
  ordered_json out = ordered_json::array();
  for (const auto& item : items) out.push_back(value(item));
  return out;
}

void add_counts(ordered_json& out, const std::string& prefix, const std::vector<Counts>& counts) {
  out[prefix + "tp"] = column(counts, [](const Counts& c) { return report_number(c.tp); });
  out[prefix + "fp"] = column(counts, [](const Counts& c) { return report_number(c.fp); });
  out[prefix + "fn"] = column(counts, [](const Counts& c) { return report_number(c.fn); });
  out[prefix + "tn"] = column(counts, [](const Counts& c) { return report_number(c.tn); });
}

// threshold, ΔTP, ΔFP, threshold, …: what each point adds to the previous one.
ordered_json curve_json(const std::vector<CurvePoint>& curve) {
  ordered_json flat = ordered_json::array();
  CurvePoint before;
  for (const CurvePoint& point : curve) {
    flat.push_back(report_number(point.threshold));
    flat.push_back(report_number(point.tp - before.tp));
    flat.push_back(report_number(point.fp - before.fp));
    before = point;
  }
  return flat;
}

// "feature_names", and for each label "features": the name's number, weight, ….
void add_features(ordered_json& out, const Model& model) {
  const FeatureWeights weights(model);
  std::vector<std::vector<HeavyFeature>> heavy(model.labels());
  parallel_for(heavy.size(), [&](std::size_t j) { heavy[j] = weights.heaviest(j, features_listed); });
  std::map<std::string, std::size_t> numbers;
  ordered_json names = ordered_json::array();
  out["features"] = column(heavy, [&](const std::vector<HeavyFeature>& label) {
    ordered_json flat = ordered_json::array();
    for (const HeavyFeature& feature : label) {
      const auto [known, is_new] = numbers.try_emplace(feature.name, names.size());
      if (is_new) names.push_back(feature.name);
      flat.push_back(known->second);
      flat.push_back(rounded_number(feature.weight, 3));
    }
    return flat;
  });
  out["feature_names"] = names;
}

}  // namespace

std::size_t curve_points(std::size_t labels) {
  return std::clamp(points_of_all / std::max<std::size_t>(labels, 1), least_points, most_points);
}

ordered_json label_section(const ReportInput& input, const LabelColumns& columns) {
  ordered_json out;
  out["names"] = ordered_json::array();
  for (std::size_t j = 0; j < input.data->labels(); ++j) out["names"].push_back(input.data->label_name(j));
  add_counts(out, "", columns.counts);
  if (!columns.untuned.empty()) add_counts(out, "untuned_", columns.untuned);
  if (!input.truth.label_weights.empty())
    out["weights"] = column(input.truth.label_weights, [](float w) { return report_number(w); });
  if (input.model != nullptr && input.model->rule.kind == DecisionRule::Kind::thresholds) {
    out["thresholds"] = column(input.model->rule.thresholds, [](float t) { return report_number(t); });
  }
  if (!columns.spread.empty())
    out["spread"] = column(columns.spread, [](double s) { return rounded_number(s, 3); });
  if (!columns.curves.empty())
    out["curves"] = column(columns.curves, [](const auto& curve) { return curve_json(curve); });
  if (input.model != nullptr && input.model->labels() <= most_labels_with_features)
    add_features(out, *input.model);
  return out;
}

}  // namespace mmo
