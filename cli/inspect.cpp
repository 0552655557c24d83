// mmo inspect: a data card or a model card.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/importance.h"
#include "cli/model_card.h"
#include "cli/plot.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"
#include "mmo/core/error.h"
#include "mmo/data/describe.h"
#include "mmo/model/hub_card.h"

namespace mmo::cli {
namespace {

struct InspectFlags {
  DataFlags data;
  std::size_t top = 0;
  std::string label;
  std::string importance;
  std::string as = "text";
  bool plot = false;
};

// Held-out log-loss along the L2 path of each loss.
std::string path_charts(const Model& model) {
  const std::string none = "the model's record holds no L2 path\n";
  std::string text;
  try {
    for (const auto& loss : model.history.value("losses", nlohmann::json::array())) {
      std::vector<std::pair<double, double>> points;
      for (const auto& point : loss.value("path", nlohmann::json::array()))
        points.emplace_back(std::log10(point.value("rho", 1.0)), point.value("log_loss", 0.0));
      text += line_chart(loss.value("loss", "") + ": held-out log-loss along the L2 path", "log10 of rho",
                         std::move(points));
    }
  } catch (const nlohmann::json::exception&) {  // of a model that other hands have made
    return none;
  }
  return text.empty() ? none : text;
}

std::vector<std::size_t> positives_of(const Dataset& data) {
  std::vector<std::size_t> positives(data.labels(), 0);
  for (const std::uint32_t label : data.y.indices) ++positives[label];
  return positives;
}

void run_inspect(const Common& common, const InspectFlags& flags) {
  if (flags.as != "text" && flags.as != "card")
    throw UsageError("--as '" + flags.as + "' is unknown; use text or card");
  if (is_model_file(flags.data.data)) {
    const Model model = load_model(flags.data.data);
    if (flags.as == "card")
      return print(hub_card(model, std::filesystem::path(flags.data.data).stem().string()));
    if (!flags.importance.empty())
      return print_importance(common, model, flags.importance, flags.label, flags.top);
    if (common.json) {
      print_json(flags.label.empty() ? model_card(model, flags.top)
                                     : label_card(model, flags.label, flags.top));
    } else {
      print(flags.label.empty() ? model_card_text(model, flags.top)
                                : label_card_text(model, flags.label, flags.top));
      if (flags.plot) print("\n" + path_charts(model));
    }
    return;
  }
  if (!flags.importance.empty())
    throw UsageError(flags.data.data + " is no model: mmo inspect MODEL --importance DATA");
  if (flags.as == "card") throw UsageError(flags.data.data + " is no model: mmo inspect MODEL --as card");
  LoadOptions options = load_options(flags.data);
  options.need_labels = false;
  const Dataset data = load(common, flags.data, options);
  const DataCard card = describe(data);
  if (common.json) {
    print_json(card_json(card));
  } else {
    print(card_text(card));
    if (flags.plot) print("\n" + frequency_chart(positives_of(data)));
  }
}

}  // namespace

void add_inspect(CLI::App& app, Session& session) {
  auto* command = add_command(app, session, "inspect", "Show a data card or a model card",
                              "Examples:\n"
                              "  mmo inspect emotions-train.arff --labels emotions.xml\n"
                              "  mmo inspect emotions.mmo --top 5\n"
                              "  mmo inspect emotions.mmo --as card > README.md\n"
                              "  mmo inspect emotions.mmo --json | jq .history.out_of_fold");
  auto flags = std::make_shared<InspectFlags>();
  add_data(*command, flags->data, ReadingHelp::explained);
  command
      ->add_option("--top", flags->top,
                   "of a model: the K heaviest features of each label, or most important columns")
      ->type_name("K")
      ->transform(whole_number(0));
  command
      ->add_option("--importance", flags->importance,
                   "what each column is worth to a model on DATA, rows that it was not trained on")
      ->type_name("DATA");
  command
      ->add_option("--as", flags->as, "of a model: text (default), or card: Markdown with the Hub's metadata")
      ->type_name("FORM");
  command->add_flag("--plot", flags->plot, "draw how frequent labels are, or of a model its L2 path");
  command->add_option("--label", flags->label, "only this label of a model")->type_name("NAME");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_inspect(session.common, *flags); }; });
}

}  // namespace mmo::cli
