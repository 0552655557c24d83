// mmo inspect: a data card or a model card.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/model_card.h"
#include "cli/terminal.h"
#include "mmo/data/describe.h"

namespace mmo::cli {
namespace {

struct InspectFlags {
  DataFlags data;
  std::size_t top = 0;
  std::string label;
};

void run_inspect(const Common& common, const InspectFlags& flags) {
  if (is_model_file(flags.data.data)) {
    const Model model = load_model(flags.data.data);
    if (common.json) {
      print_json(model_card(model, flags.top, flags.label));
    } else {
      print(model_card_text(model, flags.top, flags.label));
    }
    return;
  }
  LoadOptions options = load_options(flags.data);
  options.need_labels = false;
  const DataCard card = describe(load(common, flags.data, options));
  if (common.json) {
    print_json(card_json(card));
  } else {
    print(card_text(card));
  }
}

}  // namespace

void add_inspect(CLI::App& app, Session& session) {
  auto* command = add_command(app, session, "inspect", "Show a data card or a model card",
                              "Examples:\n"
                              "  mmo inspect emotions-train.arff --labels emotions.xml\n"
                              "  mmo inspect emotions.mmo --top 5\n"
                              "  mmo inspect emotions.mmo --json | jq .history.out_of_fold");
  auto flags = std::make_shared<InspectFlags>();
  add_data(*command, flags->data, ReadingHelp::explained);
  command->add_option("--top", flags->top, "of a model: the K heaviest features of each label")
      ->type_name("K")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--label", flags->label, "only of this label")->type_name("NAME");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_inspect(session.common, *flags); }; });
}

}  // namespace mmo::cli
