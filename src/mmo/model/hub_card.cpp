#include "mmo/model/hub_card.h"

#include <fmt/format.h>

#include <algorithm>

#include "mmo/core/printable.h"
#include "mmo/core/version.h"

namespace mmo {
namespace {

using Json = nlohmann::json;
constexpr std::size_t most_labels = 100;

// A text as YAML takes it: JSON's strings are a part of YAML.
std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Names from files may hold what Markdown would take for its own.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_{}[]<>()#|").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string task_of(const Model& model) {
  return model.text ? "text-classification" : "tabular-classification";
}

// model-index: the held-out value under the names that the Hub gives tasks, data and metrics.
std::string metadata(const Model& model, const std::string& name, const Json& history, const Json& held_out) {
  std::string text = fmt::format(
      "---\nlibrary_name: mmo\npipeline_tag: {}\ntags:\n- multi-label-classification\nmetrics:\n- {}\n",
      task_of(model), quoted(model.metric.name));
  if (!held_out.contains("value") || !held_out["value"].is_number()) return text + "---\n";
  text += fmt::format("model-index:\n- name: {}\n  results:\n  - task:\n      type: {}\n", quoted(name),
                      task_of(model));
  const std::string data = history.value("load", Json::object()).value("data", std::string("training rows"));
  text += fmt::format("    dataset:\n      name: {}\n      type: {}\n", quoted(data),
                      quoted("training rows, held out"));
  return text + fmt::format("    metrics:\n    - type: {}\n      value: {}\n---\n", quoted(model.metric.name),
                            held_out["value"].get<double>());
}

std::string formula_of(const Metric& metric) {
  return metric.ratios.size() == 1 ? formula(metric.ratios.front()) : "one ratio per label";
}

std::string facts(const Model& model, const Json& history, const Json& held_out) {
  const auto row = [](const std::string& what, const std::string& value) {
    return fmt::format("| {} | {} |\n", what, value);
  };
  std::string text = "| | |\n| --- | --- |\n";
  text += row("judged by", fmt::format("{}: {}, {} average", plain(model.metric.name),
                                       plain(formula_of(model.metric)), average_name(model.metric.average)));
  if (held_out.contains("value") && held_out["value"].is_number()) {
    text += row("held out",
                fmt::format("{:.4f} ({})", held_out["value"].get<double>(),
                            plain(held_out.value("on", std::string("rows that it was not trained on")))));
  }
  text += row("trained on", fmt::format("{} rows, {} labels", history.value("rows", 0), model.labels()));
  text += row("input", model.text ? "raw text" : fmt::format("{} columns", model.encoder.raw_columns));
  text += row("method",
              fmt::format("{}, {} effort, seed {}", plain(history.value("method", std::string("?"))),
                          plain(history.value("effort", std::string("standard"))), history.value("seed", 0)));
  return text + row("made by", fmt::format("mmo {}", history.value("version", version())));
}

std::string labels_of(const Model& model) {
  std::string text;
  for (std::size_t j = 0; j < std::min(model.labels(), most_labels); ++j)
    text += (j == 0 ? "" : ", ") + plain(model.label_name(j));
  return model.labels() > most_labels ? text + fmt::format(" and {} more", model.labels() - most_labels)
                                      : text;
}

std::string usage(const std::string& name) {
  return fmt::format(
      "```sh\nmmo predict {0}.mmo new.csv --as jsonl --scores\n```\n\n```python\nimport mmo\n\nmodel = "
      "mmo.load(\"{0}.mmo\")\nmodel.predict(X)            # 0/1, one column per label: model.classes_\n"
      "model.predict_posterior(X)  # calibrated probabilities\n```\n",
      printable(name));
}

std::string card_of(const Model& model, const Json& history, const std::string& name) {
  const Json held_out = history.value("out_of_fold", Json::object());
  std::string text = metadata(model, name, history, held_out);
  text += fmt::format(
      "\n# {}\n\nA multi-label classifier, trained for {}: thresholds and all other choices are those that "
      "this metric asks for, and are part of the model.\n\n",
      plain(name), plain(model.metric.name));
  text += facts(model, history, held_out);
  text += "\n## Labels\n\n" + labels_of(model) + "\n\n## Use\n\n" + usage(name);
  const auto warnings = history.value("warnings", std::vector<std::string>());
  if (warnings.empty()) return text;
  text += "\n## Said in training\n\n";
  for (const std::string& warning : warnings) text += "- " + plain(warning) + "\n";
  return text;
}

}  // namespace

std::string hub_card(const Model& model, const std::string& name) {
  try {
    return card_of(model, model.history, name);
  } catch (const Json::exception&) {  // a record that other hands have made; the rest is known without it
    return card_of(model, Json::object(), name);
  }
}

}  // namespace mmo
