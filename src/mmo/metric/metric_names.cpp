// From the name a user gives a metric to its definition: one table of ratios, four averages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "mmo/core/error.h"
#include "mmo/core/nearest.h"
#include "mmo/metric/metric.h"
#include "mmo/metric/metric_file.h"
#include "mmo/metric/ratio_check.h"
#include "mmo/metric/ratio_expression.h"

namespace mmo {
namespace {

struct NamedRatio {
  const char* name;
  CountRatio ratio;
};

// (1 + β²)·TP / ((1 + β²)·TP + β²·FN + FP)
constexpr CountRatio f_beta(double beta) {
  const double b = beta * beta;
  return {.numerator = {.tp = 1 + b}, .denominator = {.tp = 1 + b, .fp = 1, .fn = b}};
}

constexpr std::array<NamedRatio, 8> table = {{
    {"f1", f_beta(1)},
    {"f2", f_beta(2)},
    {"f0.5", f_beta(0.5)},
    {"jaccard", {.numerator = {.tp = 1}, .denominator = {.tp = 1, .fp = 1, .fn = 1}}},
    {"precision", {.numerator = {.tp = 1}, .denominator = {.tp = 1, .fp = 1}}},
    {"recall", {.numerator = {.tp = 1}, .denominator = {.tp = 1, .fn = 1}}},
    {"specificity", {.numerator = {.tn = 1}, .denominator = {.fp = 1, .tn = 1}}},
    {"hamming-accuracy",
     {.numerator = {.tp = 1, .tn = 1}, .denominator = {.tp = 1, .fp = 1, .fn = 1, .tn = 1}}},
}};

constexpr std::array<Average, 4> averages = {Average::micro, Average::macro, Average::samples,
                                             Average::weighted};

// Lower case, '_' as '-'.
std::string normalised(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(c)); });
  return text;
}

std::string canonical_name(Average average, const std::string& base) {
  // Micro is what everyone means by Hamming accuracy, so its name carries no average.
  if (average == Average::micro && base == "hamming-accuracy") return base;
  return average_name(average) + "-" + base;
}

// "f0.7": any β > 0.
std::optional<CountRatio> parse_f_beta(const std::string& base, const std::string& text) {
  if (base.size() < 2 || base[0] != 'f' ||
      (std::isdigit(static_cast<unsigned char>(base[1])) == 0 && base[1] != '.')) {
    return std::nullopt;
  }
  double beta = 0;
  const auto [end, error] = std::from_chars(base.data() + 1, base.data() + base.size(), beta);
  if (error != std::errc() || end != base.data() + base.size()) return std::nullopt;
  if (!(beta > 0) || !std::isfinite(beta * beta)) {
    throw UsageError(fmt::format("metric {}: β must be positive and finite (β = 0 is precision)", text));
  }
  return f_beta(beta);
}

[[noreturn]] void unknown_metric(const std::string& text, const std::string& name) {
  std::vector<std::string> candidates = known_metrics();
  // A name without its average is just as close as one with it.
  const auto distance = [&](const std::string& candidate) {
    const std::size_t dash = candidate.find('-');
    const std::size_t whole = edit_distance(name, candidate);
    return dash == std::string::npos ? whole
                                     : std::min(whole, edit_distance(name, candidate.substr(dash + 1)));
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  throw UsageError(
      fmt::format("unknown metric '{}'; did you mean {}? Known: {}; any fβ (f0.7), and ratios such as "
                  "\"macro:(3*TP)/(3*TP+FP+2*FN)\" or a JSON file",
                  text, candidates.front(), fmt::join(candidates, ", ")));
}

// Names that people try but that can't be trained for; each error says what to use instead.
void refuse_special_names(const std::string& text, const std::string& base) {
  if (base == "accuracy") {
    throw UsageError(
        fmt::format("metric {}: accuracy is ambiguous: say hamming-accuracy or subset-accuracy", text));
  }
  if (base == "subset-accuracy") {
    throw UsageError(
        fmt::format("metric {}: subset-accuracy is for evaluation only: it is not a ratio of counts, so "
                    "there are no costs "
                    "to train with; train for samples-jaccard or hamming-accuracy instead",
                    text));
  }
  if (base == "hamming-loss") {
    throw UsageError(
        fmt::format("metric {}: metrics are maximised; say hamming-accuracy (1 − hamming loss)", text));
  }
}

// "micro-f1" or scikit-learn's "f1-micro" → average and "f1"; no average = micro.
std::pair<Average, std::string> split_average(const std::string& name) {
  const std::size_t first = name.find('-');
  if (first == std::string::npos) return {Average::micro, name};
  const std::size_t last = name.rfind('-');
  if (const auto average = parse_average(name.substr(0, first))) return {*average, name.substr(first + 1)};
  if (const auto average = parse_average(name.substr(last + 1))) return {*average, name.substr(0, last)};
  return {Average::micro, name};
}

Metric named_metric(const std::string& text) {
  const auto [average, base] = split_average(normalised(text));
  refuse_special_names(text, base);
  const auto* const known =
      std::find_if(table.begin(), table.end(),
                   [&, wanted = base](const NamedRatio& entry) { return entry.name == wanted; });
  Metric metric;
  metric.average = average;
  metric.name = canonical_name(average, base);
  if (known != table.end()) {
    metric.ratios = {known->ratio};
  } else if (const auto ratio = parse_f_beta(base, text)) {
    metric.ratios = {*ratio};
  } else {
    unknown_metric(text, normalised(text));
  }
  return metric;
}

// "macro:…" → average and the rest; no prefix = none. A colon inside a path belongs to the path.
std::pair<std::optional<Average>, std::string> split_prefix(const std::string& text, bool is_file) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {std::nullopt, text};
  const auto average = parse_average(normalised(text.substr(0, colon)));
  if (average) return {average, text.substr(colon + 1)};
  if (is_file) return {std::nullopt, text};
  throw UsageError(fmt::format("metric {}: '{}' before the colon should be micro, macro, samples or weighted",
                               text, text.substr(0, colon)));
}

// Alpha and beta are easily given in the order of the counts; a ratio that makes no sense gives it
// away.
void check_file_ratios(Metric& metric, const std::string& source, bool paper_form) {
  try {
    check_ratios(metric, source);
  } catch (const UsageError& error) {
    if (!paper_form) throw;
    throw UsageError(fmt::format(
        "{}; the four numbers of alpha and beta weigh ŷy, y, ŷ and 1, where ŷ and y are ±1; weights of "
        "counts "
        "are written {{\"numerator\": {{\"TP\": 2}}, \"denominator\": {{\"TP\": 2, \"FP\": 1, \"FN\": 1}}}}",
        error.what()));
  }
}

}  // namespace

Metric parse_metric(const std::string& text, double zero_division) {
  if (zero_division != 0 && zero_division != 1 && !std::isnan(zero_division)) {
    throw UsageError(fmt::format("zero_division is {}; it is 0, 1 or nan", zero_division));
  }
  const bool is_file = normalised(text).ends_with(".json");
  bool paper_form = false;
  const auto [prefix, rest] = split_prefix(text, is_file);
  Metric metric;
  if (is_file) {
    const MetricFile file = read_metric_file(rest);
    if (prefix && file.average && *prefix != *file.average) {
      throw UsageError(fmt::format("metric {}: the file says average {}; drop one of the two", text,
                                   average_name(*file.average)));
    }
    metric.average = prefix.value_or(file.average.value_or(Average::micro));
    metric.ratios = file.ratios;
    paper_form = file.paper_form;
    metric.name = text;
  } else if (rest.find_first_of("/*+()") != std::string::npos) {
    metric.average = prefix.value_or(Average::micro);
    metric.ratios = {parse_ratio(rest)};
    metric.name = text;
  } else {
    metric = named_metric(prefix ? average_name(*prefix) + "-" + rest : rest);
  }
  metric.zero_division = zero_division;
  check_file_ratios(metric, text, paper_form);
  return metric;
}

std::vector<std::string> known_metrics() {
  std::vector<std::string> names;
  for (const Average average : averages) {
    for (const NamedRatio& entry : table) names.push_back(canonical_name(average, entry.name));
  }
  return names;
}

}  // namespace mmo
