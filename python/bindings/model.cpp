// Training and trained models.
#include "mmo/model/model.h"

#include "call.h"
#include "convert.h"
#include "exchange.h"
#include "mmo/core/error.h"
#include "mmo/core/json.h"
#include "mmo/core/printable.h"
#include "mmo/model/hub_card.h"
#include "mmo/model/inspect.h"
#include "mmo/report/model_report.h"
#include "mmo/report/report_page.h"
#include "mmo/rule/margins.h"
#include "mmo/search/train.h"

namespace mmo::python {
namespace {

Effort parse_effort(const std::string& name) {
  if (name == "quick") return Effort::quick;
  if (name == "standard") return Effort::standard;
  if (name == "thorough") return Effort::thorough;
  throw UsageError("effort '" + name + "' is unknown; use quick, standard or thorough");
}

// The core calls this from a thread without the GIL, and may drop copies there: hence a handle, which the
// caller's object outlives.
Progress listener(nb::handle callback) {
  if (callback.is_none()) return {};
  return [callback](const ProgressEvent& event) {
    const nb::gil_scoped_acquire acquire;
    nb::dict fields;
    fields["stage"] = event.stage;
    fields["fraction"] = event.fraction;
    fields["detail"] = event.detail;
    callback(fields);
  };
}

struct Settings {
  std::string subject_to, method, effort;
  int folds = 5;
  std::size_t min_positives = 1;
  std::uint64_t seed = 0, memory_limit = 0;
  double time_limit = 0;
  std::map<std::string, std::string> settings;
  TextOptions text;
};

std::pair<Model, std::vector<std::string>> train_model(const Dataset& data, const Metric& metric,
                                                       const Settings& settings,
                                                       const std::optional<Weights>& label_weights,
                                                       const Dataset* valid, const nb::object& callback,
                                                       int threads, const nb::object& exchange) {
  TrainOptions options;
  options.metric = metric;
  if (!settings.subject_to.empty())
    options.subject_to = parse_constraint(settings.subject_to, metric.zero_division);
  options.method = settings.method;
  options.effort = parse_effort(settings.effort);
  options.valid = valid;
  options.folds = settings.folds;
  options.min_positives = settings.min_positives;
  options.label_weights = to_vector(label_weights);
  options.text = settings.text;
  options.seed = settings.seed;
  options.memory_limit = settings.memory_limit;
  options.time_limit = settings.time_limit;
  options.settings = settings.settings;
  options.progress = listener(callback);
  std::optional<Exchange> others;
  if (!exchange.is_none()) options.processes = &others.emplace(exchange);
  TrainResult result = run(threads, [&] { return train(data, options); });
  for (std::string& warning : result.warnings) warning = printable(warning);
  return {std::move(result.model), std::move(result.warnings)};
}

DenseMatrix scores(const Model& model, const Dataset& data) { return score(model, prepare(model, data)); }

// (W, b, c, s) with z = ((x − c) ⊙ s)·W + b; c and s are empty where the map leaves x as it is.
nb::tuple linear_parts(const Model& model) {
  const auto refuse = [](const char* why) { throw UsageError(why); };
  if (model.text || !model.encoder.identity()) refuse("X is recoded before the linear model sees it");
  if (!model.others.empty())
    refuse("learners beside the linear one take part (learners='linear' leaves them out)");
  if (model.mix) refuse("labels are corrected by each other (settings={'stack': 'off'} leaves that out)");
  const FeatureMap& map = model.feature_map;
  if (map.kind != FeatureMap::Kind::identity && map.kind != FeatureMap::Kind::standardise)
    refuse(
        "the feature map is not linear (settings={'transform': 'standardise'} is, 'identity' for sparse X)");
  DenseMatrix weights = model.weights;
  return nb::make_tuple(to_numpy(std::move(weights)), to_numpy(std::vector(model.bias), {model.bias.size()}),
                        to_numpy(std::vector(map.centre), {map.centre.size()}),
                        to_numpy(std::vector(map.scale), {map.scale.size()}));
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<TextOptions>(module, "TextOptions", "How raw text becomes features.")
      .def(nb::init<>())
      .def_rw("min_n", &TextOptions::min_n)
      .def_rw("max_n", &TextOptions::max_n)
      .def_rw("min_df", &TextOptions::min_df)
      .def_rw("max_df", &TextOptions::max_df)
      .def_rw("sublinear_tf", &TextOptions::sublinear_tf)
      .def_rw("lowercase", &TextOptions::lowercase)
      .def_rw("max_features", &TextOptions::max_features);
  nb::class_<Settings>(module, "TrainSettings", "The options of `mmo train`.")
      .def(nb::init<>())
      .def_rw("subject_to", &Settings::subject_to)
      .def_rw("method", &Settings::method)
      .def_rw("effort", &Settings::effort)
      .def_rw("folds", &Settings::folds)
      .def_rw("min_positives", &Settings::min_positives)
      .def_rw("seed", &Settings::seed)
      .def_rw("memory_limit", &Settings::memory_limit)
      .def_rw("time_limit", &Settings::time_limit)
      .def_rw("settings", &Settings::settings)
      .def_rw("text", &Settings::text);

  nb::class_<Model>(module, "Model", "A trained model; its bytes are those of the program's model file.")
      .def_static(
          "load", [](const std::string& path) { return run(0, [&] { return load_model(path); }); },
          nb::arg("path"))
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            return load_model(FileContent::from_string({bytes.c_str(), bytes.size()}, "pickled model"));
          },
          nb::arg("data"))
      .def("to_bytes",
           [](const Model& model) {
             const std::string bytes = model_bytes(model);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def(
          "save",
          [](const Model& model, const std::string& path, bool overwrite) {
            run(0, [&] { save_model(model, path, overwrite); });
          },
          nb::arg("path"), nb::arg("overwrite"))
      .def(
          "export_onnx",
          [](const Model& model, const std::string& path, bool overwrite) {
            run(0, [&] { export_onnx(model, path, overwrite); });
          },
          nb::arg("path"), nb::arg("overwrite"))
      .def(
          "scores",
          [](const Model& model, const Dataset& data, int threads) {
            return to_numpy(run(threads, [&] { return scores(model, data); }));
          },
          nb::arg("data"), nb::arg("threads"), "Calibrated logits, rows × labels.")
      .def(
          "margins",
          [](const Model& model, const Dataset& data, int threads) {
            return to_numpy(run(threads, [&] { return margins(model.rule, scores(model, data)); }));
          },
          nb::arg("data"), nb::arg("threads"), "Above 0 where the decision rule predicts the label.")
      .def(
          "predict",
          [](const Model& model, const Dataset& data, int threads) {
            return from_labels(run(threads, [&] { return predict(model, prepare(model, data)); }));
          },
          nb::arg("data"), nb::arg("threads"))
      .def(
          "report",
          [](const Model& model, const Dataset& data, const std::string& command, std::uint64_t seed,
             std::size_t examples, int threads) {
            ReportInput about;
            about.rows_are = "rows given for evaluation";
            about.command = command;
            about.seed = seed;
            about.examples = examples;
            return run(threads, [&] { return report_text(judged_report(model, data, about)); });
          },
          nb::arg("data"), nb::arg("command"), nb::arg("seed"), nb::arg("examples"), nb::arg("threads"),
          "The report of these rows as JSON.")
      .def_prop_ro("linear", linear_parts, "(W, b, c, s) with z = ((x - c) * s) W + b.")
      .def_prop_ro("labels", &Model::labels)
      .def_prop_ro("columns", [](const Model& model) { return model.encoder.raw_columns; })
      .def_prop_ro("imputes", [](const Model& model) { return !model.encoder.fill.empty(); })
      .def_prop_ro("inputs", [](const Model& model) { return model.encoder.inputs(); })
      .def_prop_ro("is_text", [](const Model& model) { return model.text.has_value(); })
      .def_prop_ro("label_names",
                   [](const Model& model) {
                     std::vector<std::string> names(model.labels());
                     for (std::size_t j = 0; j < names.size(); ++j) names[j] = model.label_name(j);
                     return names;
                   })
      .def_prop_ro("metric", [](const Model& model) { return model.metric; })
      .def_prop_rw(
          "history", [](const Model& model) { return model.history.dump(); },
          [](Model& model, const std::string& text) { model.history = parse_json(text); })
      .def_prop_ro(
          "thresholds",
          [](const Model& model) {
            return to_numpy(std::vector(model.rule.thresholds), {model.rule.thresholds.size()});
          },
          nb::rv_policy::move)
      .def(
          "hub_card", [](const Model& model, const std::string& name) { return hub_card(model, name); },
          nb::arg("name"), "Markdown, headed by metadata.")
      .def(
          "card",
          [](const Model& model, std::size_t features, std::size_t labels) {
            return printable(model_card_text(model_card(model, features), labels), "\n");
          },
          nb::arg("features"), nb::arg("labels"));

  module.def("train", train_model, nb::arg("data"), nb::arg("metric"), nb::arg("settings"),
             nb::arg("label_weights") = nb::none(), nb::arg("valid") = nb::none(),
             nb::arg("callback") = nb::none(), nb::arg("threads") = 0, nb::arg("exchange") = nb::none(),
             "(model, warnings)");
  module.def(
      "report_page_available", [] { return !report_template().empty(); }, "Whether this build has it.");
  module.def(
      "report_page",
      [](const std::vector<std::string>& runs) {
        std::vector<nlohmann::ordered_json> parsed;
        for (const std::string& text : runs) parsed.push_back(parse_ordered_json(text));
        return report_page(parsed);
      },
      nb::arg("runs"), "The page of reports as JSON.");
  module.def(
      "known_methods",
      [] {
        std::map<std::string, std::string> out;
        for (const MethodInfo& method : known_methods()) out[method.name] = method.summary;
        return out;
      },
      "Names of the methods and what they do.");
  module.def(
      "known_settings",
      [] {
        std::map<std::string, std::string> out;
        for (const SettingInfo& setting : known_settings())
          out[setting.key] = setting.values + ": " + setting.meaning;
        return out;
      },
      "Keys of MMOClassifier(settings=…) and what they accept.");
}

}  // namespace mmo::python
