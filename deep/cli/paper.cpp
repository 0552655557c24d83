// mmo paper deep: the paper's deep experiments and their report; can be resumed.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/results_file.h"
#include "cli/terminal.h"
#include "deep/cli/commands.h"
#include "deep/cli/encoder_flags.h"
#include "mmo/core/error.h"
#include "mmo/data/load.h"
#include "study/deep/fine_tuning_study.h"
#include "study/deep/frozen_study.h"
#include "study/deep/report.h"
#include "study/provenance.h"

namespace mmo::deep::cli {
namespace {

using nlohmann::ordered_json;

struct PaperFlags {
  ReadFlags train;
  std::string test;
  EncoderFlags encoder;
  std::string out = "paper_deep.json";
  std::vector<std::string> report;
  std::string sets;
  std::string title;
  int seeds = 0;
  bool no_ablations = false;
  FineTuningOptions fine_tuning;
};

mmo::cli::ResultsFile results_file(const std::string& path) { return {path, "mmo paper deep", "sets"}; }

std::vector<std::string> listed(const std::string& sets) {
  if (sets == "none") return {};
  return CLI::detail::split(sets, ',');
}

using Save = std::function<void(const ordered_json&)>;

void frozen(const Common& common, const PaperFlags& flags, const Save& save, ordered_json& results) {
  if (flags.train.data.data.empty() || flags.test.empty())
    throw UsageError("give the features of the training and the test rows, or --report FILE");
  const Dataset train = load_dataset(flags.train.data.data, {});
  LoadOptions as_train;
  as_train.expected_labels = train.label_names;
  const Dataset test = load_dataset(flags.test, as_train);
  FrozenStudyOptions options;
  options.save = save;
  options.ablations = !flags.no_ablations;
  if (flags.seeds > 0) options.seeds = flags.seeds;
  if (!flags.sets.empty()) options.sets = listed(flags.sets);
  mmo::cli::ProgressBar bar(common);
  options.progress = bar.listener();
  run_frozen_study(train, test, options, results);
  bar.erase();
}

// Without TEST the first argument is Reuters' folder, which holds both parts.
std::pair<Dataset, Dataset> both_parts(const Common& common, const PaperFlags& flags, EncoderKind kind) {
  ReadFlags read = flags.train;
  if (flags.test.empty()) read.data.part = "train";
  Dataset train = read_data(common, read, kind, mmo::cli::load_options(read.data));
  if (flags.test.empty()) {
    read.data.part = "test";
  } else {
    read.data.data = flags.test;
  }
  LoadOptions as_train = mmo::cli::load_options(read.data);
  as_train.expected_labels = train.label_names;
  Dataset test = read_data(common, read, kind, as_train);
  return {std::move(train), std::move(test)};
}

void fine_tuned(const Common& common, const PaperFlags& flags, const Save& save, ordered_json& results) {
  const Pretrained pretrained = load_encoder(flags.encoder);
  const auto [train, test] = both_parts(common, flags, pretrained.encoder.kind);
  mmo::cli::ProgressBar bar(common);
  FineTuningOptions options = flags.fine_tuning;
  options.checkpoint = flags.out;
  options.progress = bar.listener();
  options.save = save;
  if (flags.seeds > 0) options.seeds = flags.seeds;
  for (const std::string& set : listed(flags.sets.empty() ? options.set : flags.sets)) {
    options.set = set;
    run_fine_tuning_study(
        make_set(set, train, test), pretrained,
        [&](const Dataset& data) { return make_inputs(data, pretrained, flags.encoder, flags.train.images); },
        options, results);
  }
  bar.erase();
}

void run_paper(const Common& common, const PaperFlags& flags) {
  if (!flags.report.empty()) {
    for (const std::string& path : flags.report) mmo::cli::print(study_markdown(results_file(path).read()));
    return;
  }
  use_threads(common);
  const mmo::cli::ResultsFile file = results_file(flags.out);
  ordered_json results = file.read_if_there();
  if (!flags.title.empty()) results["title"] = flags.title;
  results["made"] = study::provenance();
  const Save save = [&](const ordered_json& so_far) { file.save(so_far); };
  file.run([&] { (flags.encoder.backbone.empty() ? frozen : fine_tuned)(common, flags, save, results); });
  if (common.json) {
    mmo::cli::print_json(results);
  } else {
    mmo::cli::print(study_markdown(results));
  }
}

}  // namespace

void add_paper(CLI::App& app, Session& session) {
  auto* command = mmo::cli::add_command(
      app, session, "paper", "Repeat the paper's deep experiments",
      "Examples:\n"
      "  mmo deep features reuters/ --part train --backbone minilm/ --out train.npz   (and test.npz)\n"
      "  mmo paper deep train.npz test.npz --out deep.json       (frozen; resumes where it stopped)\n"
      "  mmo paper deep reuters/ --backbone minilm/ --out deep.json       (fine-tuned: hours)\n"
      "  mmo paper deep --report deep.json > docs/results_deep.md");
  auto flags = std::make_shared<PaperFlags>();
  mmo::cli::add_data(*command, flags->train.data, mmo::cli::ReadingHelp::short_list, /*required=*/false);
  command->add_option("TEST", flags->test, "test rows (DATA: the training rows; Reuters' folder has both)");
  add_encoder_flags(*command, flags->encoder, false);
  add_image_flags(*command, flags->train.images, flags->train.skip_corrupt);
  command->add_option("--seeds", flags->seeds, "runs per cell (frozen 10, fine-tuned 2)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command
      ->add_option("--sets", flags->sets,
                   "of 90,all,dropped (frozen: all three; fine-tuned: 90), or none: the ablations only")
      ->type_name("LIST");
  command->add_flag("--no-ablations", flags->no_ablations, "frozen: the table only");
  command->add_option("--epochs", flags->fine_tuning.epochs, "fine-tuned: of each run (3)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command->add_option("--lr", flags->fine_tuning.rate, "fine-tuned: the encoder's learning rate (1e-4)")
      ->check(CLI::PositiveNumber)
      ->type_name("R");
  command->add_option("--title", flags->title, "what the report calls the data (Reuters-21578)")
      ->type_name("TEXT");
  command->add_option("--out", flags->out, "results, updated after every run (paper_deep.json)")
      ->type_name("FILE");
  command->add_option("--report", flags->report, "print the report of these results as Markdown")
      ->type_name("FILE");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_paper(session.common, *flags); }; });
}

}  // namespace mmo::deep::cli
