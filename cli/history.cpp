#include "cli/history.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/terminal.h"
#include "mmo/data/column_cards.h"

namespace mmo::cli {
namespace {

using nlohmann::json;

std::string line(const std::string& name, const std::string& value) {
  constexpr std::size_t name_columns = 16;
  return wrapped(fmt::format("{:<{}}{}", name, name_columns, value), name_columns) + "\n";
}

std::string metric_text(const Metric& metric) {
  const std::string ratio = metric.ratios.size() == 1 ? formula(metric.ratios[0]) : "one ratio per label";
  return fmt::format(
      "{}: {}, {} average; 0/0 = {}", metric.name, ratio, average_name(metric.average),
      std::isnan(metric.zero_division) ? "left out" : fmt::format("{:g}", metric.zero_division));
}

std::string feature_map_text(const json& map) {
  std::string others;
  for (const json& c : map.value("candidates", json::array())) {
    others +=
        fmt::format("{}{} {:.4f}", others.empty() ? "" : ", ", c.value("map", ""), c.value("log_loss", 0.0));
  }
  return fmt::format("{}   (held-out log-loss: {})", map.value("chosen", ""), others);
}

std::string loss_text(const json& loss) {
  const json path = loss.value("path", json::array());
  double log_loss = 0;
  for (const json& point : path) {
    if (point.value("rho", 0.0) == loss.value("rho", -1.0)) log_loss = point.value("log_loss", 0.0);
  }
  return fmt::format("L2 rho {:g}, held-out log-loss {:.4f}   ({} of the path tried)", loss.value("rho", 0.0),
                     log_loss, path.size());
}

std::string label_trees_text(const json& trees) {
  return fmt::format("{}, lists of {} labels, held-out log-loss {:.4f}   (--set labels=all: none)",
                     trees.value("trees", 0), trees.value("list", 0), trees.value("log_loss", 0.0));
}

std::string lambda_text(const json& lambda) {
  const json chosen = lambda.value("chosen", json::array());
  const std::size_t steps = lambda.value("steps", json::array()).size();
  if (!chosen.is_array() || chosen.empty()) return fmt::format("{} steps", steps);
  std::vector<double> values;
  for (const json& value : chosen) values.push_back(value.is_number() ? value.get<double>() : 0.0);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::string text = values.size() == 1 ? fmt::format("{:.4f}", *low)
                                              : fmt::format("{:.4f} … {:.4f}, one per label", *low, *high);
  return fmt::format("{}   ({} steps)", text, steps);
}

// How much each learner's scores count in the blend, and how good they are on their own.
std::string blend_text(const json& blend) {
  std::string text;
  for (const json& learner : blend.value("learners", json::array())) {
    text += fmt::format("{}{} {:.2f} ({:.4f})", text.empty() ? "" : ", ", learner.value("learner", ""),
                        learner.value("weight", 0.0), learner.value("log_loss", 0.0));
  }
  return fmt::format("{}; together {:.4f}   (weight, held-out log-loss alone)", text,
                     blend.value("log_loss", 0.0));
}

std::string kernel_text(const json& kernel) {
  const json tried = kernel.value("tried", json::array());
  const json best = tried.empty() ? json::object() : tried[0];
  return fmt::format("{}, width {:.2g}, ridge {:.2g}, {} landmarks   ({} tried)", kernel.value("kind", ""),
                     best.value("width", 0.0), best.value("ridge", 0.0), kernel.value("landmarks", 0),
                     tried.size());
}

// The condition on the rows the rule was fitted on, and what to expect of new rows.
std::string constraint_text(const json& c) {
  std::string text = fmt::format("{}: {:.4f} where it was fitted (margin {:.4f})", c.value("constraint", ""),
                                 c.value("value", 0.0), c.value("margin", 0.0));
  if (!c.contains("held_out")) return text;
  const json& held_out = c["held_out"];
  const auto interval = held_out.value("interval", std::vector<double>{0, 0});
  return text + fmt::format("; expect {:.4f} on new rows (95 % interval {:.4f} – {:.4f})",
                            held_out.value("value", 0.0), interval.at(0), interval.at(1));
}

std::string value_text(const json& value) {
  std::string text = fmt::format("{} {:.4f}", value.value("metric", ""), value.value("value", 0.0));
  if (value.contains("spread") && value.value("folds", json::array()).size() > 1)
    text += fmt::format(" ± {:.4f} over {} folds", value.value("spread", 0.0),
                        value.value("folds", json::array()).size());
  return text + fmt::format("   ({})", value.value("on", ""));
}

std::string folds_text(const json& h) {
  if (h.value("folds", 0) > 1) return fmt::format("{} folds", h.value("folds", 0));
  return h.contains("label_trees") &&
                 h.value("out_of_fold", json::object()).value("on", "") != "validation file"
             ? "one part held out"
             : "chosen on the validation file";
}

std::string record_text(const json& h) {
  std::string text;
  if (h.contains("rows")) {
    text +=
        line("data", fmt::format("{} rows{}, {} features, {} labels, {} of them trained", h.value("rows", 0),
                                 h.contains("searched_rows")
                                     ? fmt::format(" (searched on {})", h.value("searched_rows", 0))
                                     : "",
                                 h.value("features", 0), h.value("labels", 0), h.value("trained_labels", 0)));
  }
  if (h.contains("columns")) text += line("columns", column_cards_text(h["columns"]));
  if (h.contains("method")) {
    text +=
        line("method", fmt::format("{}, {} effort, {}, seed {}", h.value("method", ""), h.value("effort", ""),
                                   folds_text(h), h.value("seed", std::uint64_t{0})));
  }
  const json settings = h.value("settings", json::object());
  for (const auto& [key, value] : settings.items()) {
    text +=
        line("  set", fmt::format("{}={}", key, value.is_string() ? value.get<std::string>() : value.dump()));
  }
  if (h.contains("feature_map")) text += line("feature map", feature_map_text(h["feature_map"]));
  for (const json& loss : h.value("losses", json::array()))
    text += line(loss.value("loss", ""), loss_text(loss));
  if (h.contains("label_trees")) text += line("label trees", label_trees_text(h["label_trees"]));
  if (h.contains("lambda")) text += line("lambda", lambda_text(h["lambda"]));
  if (h.contains("kernel")) text += line("kernel", kernel_text(h["kernel"]));
  if (h.contains("boosted"))
    text += line("boosted trees", fmt::format("{} rounds", h["boosted"].value("rounds", 0)));
  if (h.contains("blend")) text += line("blend", blend_text(h["blend"]));
  if (h.contains("label_mix")) {
    text += line("label mix", fmt::format("held-out log-loss {:.4f} → {:.4f}",
                                          h["label_mix"].value("log_loss_before", 0.0),
                                          h["label_mix"].value("log_loss_after", 0.0)));
  }
  if (h.contains("rule")) {
    const json& rule = h["rule"];
    text += line(
        "rule",
        fmt::format(
            "{}, at least {}{} labels per row", rule.value("chosen", ""), rule.value("min_labels", 0),
            rule.contains("max_labels") ? fmt::format(" and at most {}", rule.value("max_labels", 0)) : ""));
  }
  if (h.contains("subject_to")) {
    const json& c = h["subject_to"];
    text += line("subject to", constraint_text(c));
  }
  if (h.contains("adam")) text += line("Adam", fmt::format("{} steps", h["adam"].value("steps", 0)));
  if (h.contains("out_of_fold")) text += line("held out", value_text(h["out_of_fold"]));
  return text;
}

}  // namespace

std::string history_text(const Model& model) {
  const std::string metric = line("metric", metric_text(model.metric));
  try {
    return metric + record_text(model.history);
  } catch (const json::exception&) {  // of a model that other hands have made
    return metric + line("record", "not one that mmo train writes; nothing but this page depends on it");
  }
}

}  // namespace mmo::cli
