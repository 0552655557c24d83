// mmo paper deep: the paper's deep experiments, resumable, and their report.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/terminal.h"
#include "deep/cli/commands.h"
#include "deep/cli/encoder_flags.h"
#include "deep/study/frozen_study.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/data/load.h"

namespace mmo::deep::cli {
namespace {

using nlohmann::ordered_json;

struct PaperFlags {
  std::string train, test;
  std::string out = "paper_deep.json";
  std::string report;
  std::string sets;
  int seeds = 10;
  bool no_ablations = false;
};

ordered_json read_results(const std::string& path) {
  const FileContent content = FileContent::open(path);
  ordered_json results = ordered_json::parse(content.bytes(), nullptr, false);
  if (!results.is_object() || !results.contains("sets"))
    throw DataError(path, 0, "not the results of `mmo paper deep`; name another file with --out");
  return results;
}

void run_paper(const Common& common, const PaperFlags& flags) {
  if (!flags.report.empty()) {
    mmo::cli::print(frozen_study_markdown(read_results(flags.report)));
    return;
  }
  if (flags.train.empty() || flags.test.empty())
    throw UsageError("give the features of the training and the test articles, or --report FILE");
  use_threads(common);
  const Dataset train = load_dataset(flags.train, {});
  LoadOptions as_train;
  as_train.expected_labels = train.label_names;
  const Dataset test = load_dataset(flags.test, as_train);
  FrozenStudyOptions options;
  options.seeds = flags.seeds;
  options.ablations = !flags.no_ablations;
  if (flags.sets == "none") {
    options.sets.clear();
  } else if (!flags.sets.empty()) {
    options.sets = CLI::detail::split(flags.sets, ',');
  }
  options.save = [&](const ordered_json& so_far) {
    AtomicFile file(flags.out, true);
    file.write(so_far.dump(1) + "\n");
    file.commit();
  };
  mmo::cli::ProgressBar bar(common);
  options.progress = bar.listener();
  ordered_json results;
  if (std::filesystem::exists(flags.out)) results = read_results(flags.out);
  run_frozen_study(train, test, options, results);
  bar.erase();
  if (common.json) {
    mmo::cli::print_json(results);
  } else {
    mmo::cli::print(frozen_study_markdown(results));
  }
}

}  // namespace

void add_paper(CLI::App& app, Session& session) {
  auto* command = mmo::cli::add_command(
      app, session, "paper", "Repeat the paper's deep experiments on frozen features",
      "Examples:\n"
      "  mmo deep features reuters/ --part train --backbone minilm/ --out train.npz   (and test.npz)\n"
      "  mmo paper deep train.npz test.npz --out deep.json              (goes on where it stopped)\n"
      "  mmo paper deep --report deep.json > docs/results_deep.md");
  auto flags = std::make_shared<PaperFlags>();
  command->add_option("TRAIN", flags->train, "features of the training articles (mmo deep features)");
  command->add_option("TEST", flags->test, "features of the test articles");
  command->add_option("--seeds", flags->seeds, "runs per cell (10)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command
      ->add_option("--sets", flags->sets,
                   "of 90,all,dropped (default: all three), or none: the ablations only")
      ->type_name("LIST");
  command->add_flag("--no-ablations", flags->no_ablations, "the table only");
  command->add_option("--out", flags->out, "results, updated after every run (paper_deep.json)")
      ->type_name("FILE");
  command->add_option("--report", flags->report, "print the report of these results as Markdown")
      ->type_name("FILE");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_paper(session.common, *flags); }; });
}

}  // namespace mmo::deep::cli
