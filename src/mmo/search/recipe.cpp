#include "mmo/search/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>

#include "mmo/core/error.h"

namespace mmo {
namespace {

using Map = FeatureMap::Kind;
// Strong to weak, from where most sets have their optimum; the walk goes beyond the strong end where it pays.
const std::vector<double> full_logistic_path{0.1, 0.03, 0.01, 0.003, 0.001};
const std::vector<double> full_hinge_path{0.3, 0.1, 0.03, 0.01, 0.003};

// The baselines share features, solver and L2 choice; they differ in what they do with λ and the rule.
Recipe baseline(std::string name, std::string summary, RuleKind rule) {
  Recipe r;
  r.name = std::move(name);
  r.summary = std::move(summary);
  r.logistic_path = full_logistic_path;
  r.l2_by_metric = false;
  r.rule = rule;
  return r;
}

std::vector<Recipe> make_table() {
  std::vector<Recipe> table;
  Recipe automatic;
  automatic.name = "auto";
  automatic.summary =
      "every learner that suits the data, blended; label mix and rule; all from held-out scores";
  automatic.learners = {LearnerKind::linear, LearnerKind::kernel, LearnerKind::forest, LearnerKind::boosted};
  automatic.menu = true;
  automatic.dense_maps = {Map::standardise, Map::arcsinh, Map::rank_gauss};
  automatic.sparse_maps = {Map::identity, Map::l2_rows, Map::idf_l2, Map::sqrt_l2};
  automatic.logistic_path = full_logistic_path;
  automatic.hinge_path = full_hinge_path;
  automatic.l2_by_metric = false;
  automatic.stack = true;
  automatic.min_labels = -1;
  table.push_back(automatic);
  const auto add_variant = [&](std::string name, std::string summary, LearnerKind learner) {
    Recipe r = automatic;
    r.name = std::move(name);
    r.summary = std::move(summary);
    r.learners = {learner};
    r.menu = false;
    table.push_back(r);
  };
  add_variant("linear", "linear models only: feature map, L2, both losses, label mix and rule",
              LearnerKind::linear);
  add_variant("kernel", "kernel ridge regression, label mix and rule", LearnerKind::kernel);
  add_variant("forest", "random forest and extra trees, blended; rule", LearnerKind::forest);
  // Where rows repeat, a row's out-of-bag score is low just because its own label is left out: a label mix
  // would learn that.
  table.back().stack = false;
  add_variant("boosted", "boosted trees, label mix and rule", LearnerKind::boosted);
  table.push_back(
      baseline("br", "binary relevance: logistic regression per label, threshold 0", RuleKind::zero));
  table.push_back(baseline("koyejo", "binary relevance, one tuned threshold (Koyejo et al., Algorithm 1)",
                           RuleKind::global));
  table.push_back(baseline("macro-thres", "binary relevance, one tuned threshold per label (Macro-Thres)",
                           RuleKind::per_label));
  Recipe mmo =
      baseline("mmo", "cost-weighted losses at Dinkelbach's λ, threshold 0 (the paper's idea, L2 tuned)",
               RuleKind::zero);
  mmo.lambda = LambdaSearch::dinkelbach;
  table.push_back(mmo);
  // Weight decay 1e−5 on the mean loss of standardised features is ρ = 1e−5 of ours. The paper's number of
  // Adam epochs is not known, so this is where its optimiser leads to.
  Recipe scan =
      baseline("paper-scan", "the paper's MMO: λ scan, weight decay 1e-5, threshold 0", RuleKind::zero);
  scan.logistic_path = {1e-5};
  scan.lambda = LambdaSearch::scan;
  table.push_back(scan);
  const auto add_minibatch = [&](std::string name, std::string summary, MiniBatch loss) {
    Recipe r = baseline(std::move(name), std::move(summary), RuleKind::zero);
    r.logistic_path.clear();
    r.l2_by_metric = true;  // the number of steps, too, is chosen by the metric
    r.minibatch = loss;
    table.push_back(r);
  };
  add_minibatch("ema", "the paper's single pass: mini-batch Adam, λ follows the batches' metric",
                MiniBatch::ema);
  add_minibatch("sigmoid-f1", "sigmoidF1 loss, mini-batch Adam, threshold 0", MiniBatch::sigmoid_f1);
  add_minibatch("asl", "asymmetric loss, mini-batch Adam, threshold 0", MiniBatch::asl);
  return table;
}

const std::vector<Recipe>& table() {
  static const std::vector<Recipe> recipes = make_table();
  return recipes;
}

double parse_number(const std::string& key, const std::string& text, double low, double high) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high)) {
    throw UsageError(fmt::format("--set {}={}: a number from {} to {} is needed", key, text, low, high));
  }
  return value;
}

template <class T>
T parse_choice(const std::string& key, const std::string& text,
               std::initializer_list<std::pair<const char*, T>> choices) {
  std::string known;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw UsageError(fmt::format("--set {}={}: choose one of {}", key, text, known));
}

struct Setting {
  SettingInfo info;
  std::function<void(Recipe&, const std::string&)> apply;
};

const std::vector<Setting>& settings_table() {
  static const std::vector<Setting> settings{
      {{"learners", "linear, kernel, forest, boosted, or several with commas", "which learners are blended"},
       [](Recipe& r, const std::string& v) {
         r.learners.clear();
         r.menu = false;
         for (std::size_t at = 0; at <= v.size();) {
           const std::size_t end = std::min(v.find(',', at), v.size());
           const auto learner = parse_choice<LearnerKind>("learners", v.substr(at, end - at),
                                                          {{"linear", LearnerKind::linear},
                                                           {"kernel", LearnerKind::kernel},
                                                           {"forest", LearnerKind::forest},
                                                           {"boosted", LearnerKind::boosted}});
           if (std::find(r.learners.begin(), r.learners.end(), learner) == r.learners.end())
             r.learners.push_back(learner);
           at = end + 1;
         }
       }},
      {{"transform", "auto or a map",
        "feature map: standardise, arcsinh, rank-gauss (dense); identity, l2-rows, idf-l2, sqrt-l2 (sparse)"},
       [](Recipe& r, const std::string& v) {
         if (v != "auto") r.dense_maps = r.sparse_maps = {parse_feature_map(v)};
       }},
      {{"loss", "both, logistic, hinge", "which losses are fitted; both = their mean"},
       [](Recipe& r, const std::string& v) {
         const int which = parse_choice<int>("loss", v, {{"both", 3}, {"logistic", 1}, {"hinge", 2}});
         r.logistic_path = (which & 1) != 0 ? full_logistic_path : std::vector<double>{};
         r.hinge_path = (which & 2) != 0 ? full_hinge_path : std::vector<double>{};
       }},
      {{"l2", "auto or a number", "strength of L2 as a multiple of the features' mean spread tr(XcᵀXc)/d"},
       [](Recipe& r, const std::string& v) {
         if (v == "auto") return;
         const double rho = parse_number("l2", v, 1e-9, 1e9);
         if (!r.logistic_path.empty()) r.logistic_path = {rho};
         if (!r.hinge_path.empty()) r.hinge_path = {rho};
       }},
      {{"l2-by", "metric, log-loss", "what chooses L2 from held-out scores (log-loss)"},
       [](Recipe& r, const std::string& v) {
         r.l2_by_metric = parse_choice<bool>("l2-by", v, {{"metric", true}, {"log-loss", false}});
       }},
      {{"lambda", "none, dinkelbach, scan, bisect or a number", "how λ weights the loss"},
       [](Recipe& r, const std::string& v) {
         if (!v.empty() &&
             (std::isdigit(static_cast<unsigned char>(v[0])) != 0 || v[0] == '-' || v[0] == '.')) {
           r.lambda = LambdaSearch::fixed;
           r.lambda_value = parse_number("lambda", v, -1e6, 1e6);
         } else {
           r.lambda = parse_choice<LambdaSearch>("lambda", v,
                                                 {{"none", LambdaSearch::none},
                                                  {"dinkelbach", LambdaSearch::dinkelbach},
                                                  {"scan", LambdaSearch::scan},
                                                  {"bisect", LambdaSearch::bisect}});
         }
       }},
      {{"lambda-step", "0.001 to 0.5", "step of the λ scan (0.02)"},
       [](Recipe& r, const std::string& v) { r.lambda_step = parse_number("lambda-step", v, 1e-3, 0.5); }},
      {{"tau", "0 to 10", "τ of the logistic-type surrogate (0)"},
       [](Recipe& r, const std::string& v) { r.tau = parse_number("tau", v, 0, 10); }},
      {{"coupling", "independent, joint",
        "independent = one loss per label; joint = the paper's exact loss (τ = 0)"},
       [](Recipe& r, const std::string& v) {
         r.joint = parse_choice<bool>("coupling", v, {{"independent", false}, {"joint", true}});
       }},
      {{"stack", "on, off", "label mix: correct every label by what the others say"},
       [](Recipe& r, const std::string& v) {
         r.stack = parse_choice<bool>("stack", v, {{"on", true}, {"off", false}});
       }},
      {{"rule", "auto, zero, global, per-label, curves, blend, expected", "decision rule"},
       [](Recipe& r, const std::string& v) { r.rule = parse_rule(v); }},
      {{"min-labels", "auto or 0, 1, …", "every row gets at least so many labels"},
       [](Recipe& r, const std::string& v) {
         const double number = v == "auto" ? -1 : parse_number("min-labels", v, 0, 1e6);
         if (number != std::floor(number))
           throw UsageError(fmt::format("--set min-labels={}: a whole number is needed", v));
         r.min_labels = static_cast<int>(number);
       }},
      {{"max-labels", "0, 1, …", "no row gets more labels; 0 = no limit. The rule is fitted under it"},
       [](Recipe& r, const std::string& v) {
         const double number = parse_number("max-labels", v, 0, 1e6);
         if (number != std::floor(number))
           throw UsageError(fmt::format("--set max-labels={}: a whole number is needed", v));
         r.max_labels = static_cast<std::size_t>(number);
       }},
      {{"labels", "auto, all, tree",
        "scores of every label for every row (all), or short lists from trees of similar labels (tree); by "
        "size"},
       [](Recipe& r, const std::string& v) {
         r.labels = parse_choice<LabelWay>(
             "labels", v, {{"auto", LabelWay::automatic}, {"all", LabelWay::all}, {"tree", LabelWay::tree}});
       }},
      {{"missing", "mark, impute, error",
        "unknown feature values: fill with the median and mark, fill with the mean, or refuse (mark)"},
       [](Recipe& r, const std::string& v) {
         r.missing = parse_choice<MissingFeatures>("missing", v,
                                                   {{"mark", MissingFeatures::mark},
                                                    {"impute", MissingFeatures::impute},
                                                    {"error", MissingFeatures::refuse}});
       }},
  };
  return settings;
}

}  // namespace

std::vector<MethodInfo> known_methods() {
  std::vector<MethodInfo> out;
  for (const Recipe& r : table()) out.push_back({r.name, r.summary});
  return out;
}

std::vector<SettingInfo> known_settings() {
  std::vector<SettingInfo> out;
  for (const Setting& s : settings_table()) out.push_back(s.info);
  return out;
}

Recipe make_recipe(const std::string& method, Effort effort,
                   const std::map<std::string, std::string>& settings) {
  const auto found =
      std::find_if(table().begin(), table().end(), [&](const Recipe& r) { return r.name == method; });
  if (found == table().end()) {
    std::string known;
    for (const Recipe& r : table()) known += (known.empty() ? "" : ", ") + r.name;
    throw UsageError(fmt::format("unknown method '{}'; choose one of {}", method, known));
  }
  Recipe recipe = *found;
  if (effort == Effort::quick && recipe.menu) recipe.learners = {LearnerKind::linear};
  if (effort == Effort::quick && recipe.hinge_path.size() > 1) {
    recipe.hinge_path = {0.3, 0.1, 0.03};
    recipe.logistic_path.clear();
    if (recipe.dense_maps.size() > 1) recipe.dense_maps = {Map::standardise, Map::rank_gauss};
    if (recipe.sparse_maps.size() > 1) recipe.sparse_maps = {Map::l2_rows, Map::sqrt_l2};
  }
  if (effort == Effort::thorough) {
    const auto refine = [](std::vector<double>& path) {
      std::vector<double> fine;
      for (std::size_t i = 0; i < path.size(); ++i) {
        fine.push_back(path[i]);
        if (i + 1 < path.size()) fine.push_back(std::sqrt(path[i] * path[i + 1]));
      }
      path = fine;
    };
    refine(recipe.hinge_path);
    refine(recipe.logistic_path);
  }
  for (const auto& [key, value] : settings) {
    const auto known = [&key = key](const Setting& s) { return s.info.key == key; };
    if (std::none_of(settings_table().begin(), settings_table().end(), known)) {
      std::string names;
      for (const Setting& s : settings_table()) names += (names.empty() ? "" : ", ") + s.info.key;
      throw UsageError(fmt::format("--set {}: unknown setting; known are {}", key, names));
    }
  }
  // In the table's order, so that the outcome does not depend on the user's: l2 narrows what loss has chosen.
  for (const Setting& setting : settings_table()) {
    if (const auto given = settings.find(setting.info.key); given != settings.end())
      setting.apply(recipe, given->second);
  }
  const bool solver_settings = std::any_of(settings.begin(), settings.end(), [](const auto& s) {
    return s.first == "loss" || s.first == "l2" || s.first == "l2-by" || s.first == "lambda" ||
           s.first == "tau" || s.first == "coupling";
  });
  // Who sets how linear models are trained wants to see them alone.
  const bool linear_settings = solver_settings || settings.contains("transform");
  if (recipe.menu && linear_settings) recipe.learners = {LearnerKind::linear};
  const bool has_linear =
      std::find(recipe.learners.begin(), recipe.learners.end(), LearnerKind::linear) != recipe.learners.end();
  if (linear_settings && !has_linear) {
    throw UsageError(
        "transform, loss, l2, l2-by, lambda, tau and coupling are for linear models, which learners leaves "
        "out");
  }
  const bool only_linear = recipe.learners == std::vector<LearnerKind>{LearnerKind::linear};
  if (recipe.minibatch != MiniBatch::none && !only_linear)
    throw UsageError(fmt::format("method {} is a linear one: learners don't apply", recipe.name));
  if (recipe.lambda != LambdaSearch::none && !only_linear) {
    throw UsageError(
        fmt::format("method {} weights the loss of linear models by λ: other learners don't follow it; "
                    "leave out --set learners",
                    recipe.name));
  }
  if (recipe.minibatch != MiniBatch::none && solver_settings) {
    throw UsageError(fmt::format(
        "method {} trains its own loss by Adam: loss, l2, l2-by, lambda, tau and coupling don't apply",
        recipe.name));
  }
  if (recipe.minibatch == MiniBatch::none && recipe.logistic_path.empty() &&
      (recipe.tau > 0 || recipe.joint || recipe.lambda != LambdaSearch::none)) {
    throw UsageError(
        "tau, coupling and lambda belong to the logistic loss; add --set loss=logistic or loss=both");
  }
  return recipe;
}

}  // namespace mmo
