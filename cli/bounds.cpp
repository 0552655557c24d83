// mmo bounds: what the theory guarantees for a data set and a metric.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/terminal.h"
#include "study/bounds_report.h"

namespace mmo::cli {
namespace {

struct BoundsFlags {
  DataFlags data;
  std::string metric;
  double delta = 0.05;
  std::string zero_division = "0";
};

void run_bounds(const Common& common, const BoundsFlags& flags) {
  const Metric metric = parse_metric(flags.metric, parse_zero_division(flags.zero_division));
  const study::BoundsReport report =
      study::compute_bounds(load(common, flags.data), metric, flags.delta, common.seed);
  if (common.json) {
    print_json(study::bounds_json(report));
  } else {
    print(study::bounds_text(report));
  }
}

}  // namespace

void add_bounds(CLI::App& app, Session& session) {
  auto* command =
      add_command(app, session, "bounds", "What the theory guarantees for a data set and a metric",
                  "Example:\n  mmo bounds emotions-train.arff --metric micro-f1");
  auto flags = std::make_shared<BoundsFlags>();
  add_data(*command, flags->data, ReadingHelp::short_list);
  command->add_option("--metric", flags->metric, "micro-f1, macro-jaccard, … (see mmo methods)")
      ->type_name("M")
      ->required();
  command->add_option("--delta", flags->delta, "the guarantee fails with at most this probability (0.05)")
      ->type_name("P")
      ->check(CLI::Range(1e-12, 0.999999));
  add_zero_division(*command, flags->zero_division);
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_bounds(session.common, *flags); }; });
}

}  // namespace mmo::cli
