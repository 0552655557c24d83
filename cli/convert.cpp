// mmo convert: turns a data set of any format into any other.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/terminal.h"
#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
#include "mmo/data/detect.h"

namespace mmo::cli {
namespace {

struct ConvertFlags {
  DataFlags data;
  std::string out;
  std::string to = "auto";
  std::string to_base = "1";
};

void run_convert(const Common& common, const ConvertFlags& flags) {
  SaveOptions options;
  options.format = flags.to == "auto" ? format_of_name(flags.out) : parse_format(flags.to);
  if (options.format == Format::automatic) {
    throw UsageError(fmt::format(
        "{}: the name does not say which format; end it in .arff, .svm, .txt (XMC), .csv, .tsv, .npz "
        "or .fasttext, or give the format with --to",
        flags.out == "-" ? "standard output" : flags.out));
  }
  options.index_base = parse_index_base(flags.to_base);
  require_writable(flags.out, common.force);
  LoadOptions reading = load_options(flags.data);
  reading.need_labels = false;
  reading.as_written = true;
  const Dataset data = load(common, flags.data, reading);
  options.overwrite = common.force;
  save_dataset(data, flags.out, options);
  if (flags.out == "-") return;
  if (common.json) {
    print_json({{"out", flags.out}, {"rows", data.rows()}, {"labels", data.labels()}});
  } else {
    print(fmt::format("{}: {} rows, {} labels\n", flags.out, data.rows(), data.labels()));
  }
}

}  // namespace

void add_convert(CLI::App& app, Session& session) {
  auto* command =
      add_command(app, session, "convert", "Rewrite a data set in another format",
                  "Examples:\n"
                  "  mmo convert emotions.arff emotions.svm.gz\n"
                  "  mmo convert table.csv table.arff --labels sports,politics   (writes table.xml too)\n"
                  "  mmo convert data.npz - --to svmlight --to-base 0");
  auto flags = std::make_shared<ConvertFlags>();
  add_data(*command, flags->data, ReadingHelp::explained);
  command
      ->add_option("OUT,--out", flags->out,
                   "where to write: .arff .svm .txt (xmc) .csv .tsv .npz, .gz or .zst added")
      ->required();
  command->add_option("--to", flags->to, "format, when OUT's ending does not say it")->type_name("F");
  command
      ->add_option("--to-base", flags->to_base, "first feature index written to svmlight: 0 or 1 (default)")
      ->type_name("B");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_convert(session.common, *flags); }; });
}

}  // namespace mmo::cli
