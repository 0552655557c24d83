#include "study/bounds_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mmo/core/error.h"
#include "mmo/cost/bounds.h"
#include "mmo/model/model.h"
#include "mmo/search/train.h"

namespace mmo::study {
namespace {

// ‖(w_j, b_j)‖ of the paper's score h = z/2: the bias is the weight of an input that is always 1.
double weight_norm(const Model& model, std::size_t label) {
  double square = 0.25 * model.bias[label] * model.bias[label];
  for (std::size_t k = 0; k < model.weights.rows; ++k) {
    const double w = 0.5 * model.weights(k, label);
    square += w * w;
  }
  return std::sqrt(square);
}

double largest_row_norm(const Features& x) {
  double largest = 0;
  for (std::size_t i = 0; i < feature_rows(x); ++i) {
    double square = 0;
    std::visit(
        [&](const auto& m) {
          if constexpr (requires { m.row_values(i); }) {
            for (const float v : m.row_values(i)) square += static_cast<double>(v) * v;
          } else {
            for (const float v : m.row(i)) square += static_cast<double>(v) * v;
          }
        },
        x);
    largest = std::max(largest, square + 1);  // the bias's input
  }
  return std::sqrt(largest);
}

// A problem, with its labels listed.
struct Setting {
  BoundSetting bound;
  std::vector<LabelCost> costs;
  double beta_low = 0;
  double lambda = 0;
};

class SettingMaker {
 public:
  SettingMaker(const Dataset& data, const Metric& metric, const Model& model, double delta)
      : metric_(metric), model_(model), delta_(delta), rows_(static_cast<double>(data.rows())) {
    positives_.resize(data.labels());
    for (const std::uint32_t j : data.y.indices) positives_[j] += 1;
    input_norm_ = largest_row_norm(model.feature_map.apply(prepare(model, data).encoded));
  }

  [[nodiscard]] bool trained(std::size_t label) const { return positives_[label] > 0; }

  [[nodiscard]] Setting make(const std::vector<std::size_t>& labels, double lambda) const {
    Setting s;
    s.lambda = lambda;
    BoundSetting& b = s.bound;
    b.labels = labels.size();
    b.examples = static_cast<std::size_t>(rows_);
    b.input_norm = input_norm_;
    b.delta = delta_;
    b.weight_norm = b.largest_beta = b.highest_beta_sum = 0;
    double positives = 0;
    for (const std::size_t j : labels) {
      const CountRatio& ratio = metric_.ratio(j);
      const CountWeights& w = ratio.denominator;
      const double share = positives_[j] / rows_;
      positives += positives_[j];
      b.highest_beta_sum += share * std::max(w.tp, w.fn) + (1 - share) * std::max(w.fp, w.tn);
      s.beta_low += share * std::min(w.tp, w.fn) + (1 - share) * std::min(w.fp, w.tn);
      for (const double beta : to_paper_form(w)) b.largest_beta = std::max(b.largest_beta, std::abs(beta));
      b.weight_norm = std::max(b.weight_norm, weight_norm(model_, j));
      s.costs.push_back(label_cost(ratio, lambda));
    }
    Range range = value_range(metric_.ratio(labels[0]));
    if (!std::isfinite(range.low) || !std::isfinite(range.high))
      range = value_range(metric_.ratio(labels[0]), positives,
                          rows_ * static_cast<double>(labels.size()) - positives);
    b.lambda_low = range.low;
    b.lambda_high = range.high;
    return s;
  }

 private:
  const Metric& metric_;
  const Model& model_;
  double delta_, rows_;
  double input_norm_ = 0;
  std::vector<double> positives_;
};

double gap(const Setting& s) { return scan_gap(epsilon_independent(s.bound, s.costs), s.beta_low); }

// The number of rows at which the gap drops below `wanted`, all else equal; found by doubling.
double examples_for(Setting s, double wanted) {
  double rows = static_cast<double>(s.bound.examples);
  while (gap(s) > wanted && rows < 1e18) {
    rows *= 2;
    s.bound.examples = static_cast<std::size_t>(rows);
  }
  return rows;
}

}  // namespace

BoundsReport compute_bounds(const Dataset& data, const Metric& metric, double delta, std::uint64_t seed) {
  TrainOptions options;
  options.metric = metric;
  options.method = "br";
  options.seed = seed;
  const Model model = train(data, options).model;
  BoundsReport report;
  report.metric = metric;
  report.examples = data.rows();
  report.delta = delta;
  report.lambda = model.history["out_of_fold"]["value"].get<double>();

  const SettingMaker maker(data, metric, model, delta);
  std::vector<Setting> settings;
  std::vector<std::size_t> all;
  for (std::size_t j = 0; j < data.labels(); ++j) {
    if (maker.trained(j)) all.push_back(j);
  }
  if (metric.average == Average::macro || metric.average == Average::weighted) {
    for (const std::size_t j : all) settings.push_back(maker.make({j}, report.lambda));
  } else {
    settings.push_back(maker.make(all, report.lambda));
  }
  std::sort(settings.begin(), settings.end(),
            [](const Setting& a, const Setting& b) { return gap(a) < gap(b); });
  const Setting& s = settings[settings.size() / 2];
  report.labels = s.bound.labels;
  report.problems = settings.size();
  report.lambda_range = {s.bound.lambda_low, s.bound.lambda_high};
  report.weight_norm = s.bound.weight_norm;
  report.input_norm = s.bound.input_norm;
  report.beta_low = s.beta_low;
  report.beta_high = s.bound.highest_beta_sum;
  report.net = net_size(s.bound);
  const double ln10 = std::numbers::ln10;
  report.log_gamma = log_gamma(0, 0, s.bound.labels, log_cost_sum(s.costs)) / ln10;
  report.log_epsilon_joint = log_epsilon_joint(s.bound, 0, s.costs) / ln10;
  report.epsilon = epsilon_independent(s.bound, s.costs);
  report.bisection_step = bisection_step(report.epsilon, report.beta_high);
  report.bisection_gap = bisection_gap(report.epsilon, report.beta_low);
  report.scan_gap = scan_gap(report.epsilon, report.beta_low);
  report.examples_needed = examples_for(s, 0.1);
  report.informative = report.scan_gap < report.lambda_range.high - report.lambda_range.low;
  return report;
}

nlohmann::ordered_json bounds_json(const BoundsReport& r) {
  return {{"metric", r.metric.name},
          {"examples", r.examples},
          {"labels", r.labels},
          {"problems", r.problems},
          {"delta", r.delta},
          {"lambda", r.lambda},
          {"lambda_range", {r.lambda_range.low, r.lambda_range.high}},
          {"weight_norm", r.weight_norm},
          {"input_norm", r.input_norm},
          {"beta_low", r.beta_low},
          {"beta_high", r.beta_high},
          {"net", r.net},
          {"log10_gamma", r.log_gamma},
          {"log10_epsilon_joint", r.log_epsilon_joint},
          {"epsilon", r.epsilon},
          {"bisection_step", r.bisection_step},
          {"bisection_gap", r.bisection_gap},
          {"scan_gap", r.scan_gap},
          {"examples_needed", r.examples_needed},
          {"informative", r.informative}};
}

std::string bounds_text(const BoundsReport& r) {
  const auto line = [](const char* name, const std::string& value, const char* meaning) {
    return fmt::format("{:<12}{:<14}{}\n", name, value, meaning);
  };
  const auto number = [](double v) { return fmt::format("{:.4g}", v); };
  const double range = r.lambda_range.high - r.lambda_range.low;
  std::string text = fmt::format(
      "{} on {} rows, {} label{}{}\n\n", r.metric.name, r.examples, r.labels, r.labels == 1 ? "" : "s",
      r.problems > 1 ? fmt::format(" at a time; of {} labels the one with the median gap", r.problems) : "");
  text += line("λ", number(r.lambda), "out-of-fold value of a plain fit; the costs are taken there");
  text +=
      line("range", fmt::format("[{:g}, {:g}]", r.lambda_range.low, r.lambda_range.high), "of the metric");
  text +=
      line("W, X", fmt::format("{:.3g}, {:.3g}", r.weight_norm, r.input_norm),
           "largest weight vector and input of that fit, bias included; the theory wants them fixed before");
  text += line("β_low, β̄", fmt::format("{:.3g}, {:.3g}", r.beta_low, r.beta_high),
               "least and greatest mean of the denominator");
  text += line("N_λ", number(r.net), "points of the net over λ");
  text += line("Γ(t)", fmt::format("10^{:.1f}·√t", r.log_gamma),
               "joint loss: regret of the metric's loss from t");
  text += line("ε_m joint", fmt::format("10^{:.1f}", r.log_epsilon_joint), "the paper's joint loss");
  text += line("ε_m", number(r.epsilon), "our independent loss; minimisability gap taken as 0");
  text += line("δ", number(r.delta), "probability that the guarantee fails");
  text += line("ε", number(r.bisection_step), "step of Algorithms 3 and 4 at that ε_m");
  text += line("gap", fmt::format("{:.4g}", r.bisection_gap), "guaranteed by bisection: 4ε_m/β_low");
  text += line("gap", fmt::format("{:.4g}", r.scan_gap), "guaranteed by the scan: 2ε_m/β_low");
  if (r.informative) {
    return text + fmt::format(
                      "\nThe guarantee says something here: the scan's metric is within {:.3g} of the best "
                      "linear model's, and the metric spans {:g}.\n",
                      r.scan_gap, range);
  }
  return text +
         fmt::format(
             "\nThe guarantee says nothing here: the gap {:.3g} exceeds the whole range {:g} of the "
             "metric. A gap of 0.1 would take about {:.1g} rows. Trust the out-of-fold value instead.\n",
             r.scan_gap, range, r.examples_needed);
}

}  // namespace mmo::study
