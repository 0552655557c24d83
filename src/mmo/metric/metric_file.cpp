#include "mmo/metric/metric_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/json.h"

namespace mmo {
namespace {

using nlohmann::json;

class Reader {
 public:
  Reader(const std::string& path, const json& root) : path_(path), root_(root) {}

  MetricFile read() const {
    if (!root_.is_object())
      fail("should hold one JSON object with the keys alpha and beta, or numerator and denominator");
    const bool paper = root_.contains("alpha") || root_.contains("beta");
    const bool counts = root_.contains("numerator") || root_.contains("denominator");
    if (paper == counts) fail("needs either alpha and beta, or numerator and denominator");
    refuse_other_keys(paper);
    const auto above = weights(paper ? "alpha" : "numerator");
    const auto below = weights(paper ? "beta" : "denominator");
    if (above.size() != below.size() && above.size() != 1 && below.size() != 1) {
      fail(fmt::format("{} rows above and {} rows below the fraction; give one per label, or one for all",
                       above.size(), below.size()));
    }
    MetricFile file{.average = average(), .ratios = {}, .paper_form = paper};
    for (std::size_t j = 0; j < std::max(above.size(), below.size()); ++j) {
      file.ratios.push_back({.numerator = above.size() == 1 ? above[0] : above[j],
                             .denominator = below.size() == 1 ? below[0] : below[j]});
    }
    return file;
  }

 private:
  void refuse_other_keys(bool paper) const {
    for (const auto& [key, value] : root_.items()) {
      if (key == "average" || key == (paper ? "alpha" : "numerator") ||
          key == (paper ? "beta" : "denominator")) {
        continue;
      }
      fail(fmt::format("unknown key \"{}\"; the keys are average, {}", key,
                       paper ? "alpha, beta" : "numerator, denominator"));
    }
  }

  std::optional<Average> average() const {
    if (!root_.contains("average")) return std::nullopt;
    const json& value = root_["average"];
    const auto parsed = value.is_string() ? parse_average(value.get<std::string>()) : std::nullopt;
    if (!parsed) fail(fmt::format("average is {}; it is micro, macro, samples or weighted", value.dump()));
    return parsed;
  }

  // A list of rows, or a single row for all labels.
  std::vector<CountWeights> weights(const std::string& key) const {
    if (!root_.contains(key)) fail(fmt::format("the key \"{}\" is missing", key));
    const json& value = root_[key];
    const bool list_of_rows = value.is_array() && !value.empty() && !value[0].is_number();
    if (!list_of_rows) return {row(value, key)};
    std::vector<CountWeights> rows;
    rows.reserve(value.size());
    for (std::size_t j = 0; j < value.size(); ++j)
      rows.push_back(row(value[j], fmt::format("{}[{}]", key, j)));
    return rows;
  }

  CountWeights row(const json& value, const std::string& where) const {
    if (value.is_object()) return counts_row(value, where);
    if (!where.starts_with("alpha") && !where.starts_with("beta")) {
      fail(fmt::format("{} is {}; name the counts it weighs, as in {{\"TP\": 2, \"FP\": 1, \"FN\": 1}}",
                       where, shortened(value)));
    }
    if (!value.is_array() || value.size() != 4) {
      fail(fmt::format(
          "{} is {}; it should be four numbers (of ŷy, y, ŷ and 1) or an object such as {{\"TP\": 2}}", where,
          shortened(value)));
    }
    std::array<double, 4> mu{};
    for (std::size_t k = 0; k < 4; ++k) mu[k] = number(value[k], fmt::format("{}[{}]", where, k));
    return from_paper_form(mu);
  }

  CountWeights counts_row(const json& value, const std::string& where) const {
    CountWeights w;
    for (const auto& [name, weight] : value.items()) {
      const double parsed = number(weight, fmt::format("{}.{}", where, name));
      if (name == "TP") {
        w.tp = parsed;
      } else if (name == "FP") {
        w.fp = parsed;
      } else if (name == "FN") {
        w.fn = parsed;
      } else if (name == "TN") {
        w.tn = parsed;
      } else {
        fail(fmt::format("{} has the unknown count \"{}\"; the counts are TP, FP, FN, TN", where, name));
      }
    }
    return w;
  }

  double number(const json& value, const std::string& where) const {
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      fail(fmt::format("{} is {}; it should be a number", where, shortened(value)));
    }
    return value.get<double>();
  }

  static std::string shortened(const json& value) {
    constexpr std::size_t enough = 60;
    const std::string text = value.dump();
    return text.size() <= enough ? text : text.substr(0, enough) + "…";
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw DataError(path_, 0, "metric file " + reason);
  }

  const std::string& path_;
  const json& root_;
};

}  // namespace

std::optional<Average> parse_average(const std::string& name) {
  if (name == "micro") return Average::micro;
  if (name == "macro") return Average::macro;
  if (name == "samples" || name == "instance") return Average::samples;
  if (name == "weighted") return Average::weighted;
  return std::nullopt;
}

MetricFile read_metric_file(const std::string& path) {
  const FileContent content = FileContent::open(path);
  json root;
  try {
    root = parse_json(content.bytes());
  } catch (const json::exception& error) {
    throw DataError(path, 0, fmt::format("not valid JSON: {}", error.what()));
  }
  return Reader(path, root).read();
}

}  // namespace mmo
