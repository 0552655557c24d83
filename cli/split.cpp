// mmo split: stratified training and test files, or folds.
#include "mmo/split/split.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/data_flags.h"
#include "cli/terminal.h"
#include "cli/whole_number.h"
#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/detect.h"

namespace mmo::cli {
namespace {

namespace fs = std::filesystem;

struct SplitFlags {
  DataFlags data;
  std::string out;
  double test_share = 0.3;
  std::size_t folds = 0;
};

struct Part {
  std::string file;
  std::vector<std::uint32_t> rows;
};

// "data/emotions.arff.gz" → "data/emotions" and ".arff.gz".
std::pair<fs::path, std::string> split_ending(const std::string& path) {
  fs::path stem = path;
  std::string ending;
  if (stem.extension() == ".gz" || stem.extension() == ".zst") {
    ending = stem.extension().string();
    stem.replace_extension();
  }
  ending = stem.extension().string() + ending;
  stem.replace_extension();
  return {stem, ending};
}

std::vector<Part> make_parts(const SplitFlags& flags, const Dataset& data, std::uint64_t seed) {
  const auto [stem, ending] = split_ending(flags.out);
  const std::string name = stem.filename().string();
  std::vector<Part> parts;
  if (flags.folds == 0) {
    Split split = stratified_split(data.y, flags.test_share, seed, data.groups);
    parts.push_back({name + "-train" + ending, std::move(split.train)});
    parts.push_back({name + "-test" + ending, std::move(split.test)});
    return parts;
  }
  const std::vector<std::uint32_t> fold_of_row = stratified_folds(data.y, flags.folds, seed, data.groups);
  for (std::uint32_t fold = 0; fold < flags.folds; ++fold) {
    Split split = leave_fold_out(fold_of_row, fold);
    parts.push_back({fmt::format("{}-fold{}-train{}", name, fold + 1, ending), std::move(split.train)});
    parts.push_back({fmt::format("{}-fold{}-test{}", name, fold + 1, ending), std::move(split.test)});
  }
  return parts;
}

void run_split(const Common& common, SplitFlags flags) {
  // ".txt" may be one of several formats: write it the way it was read.
  const bool same_format = flags.out.empty() && fs::is_regular_file(flags.data.data);
  if (flags.out.empty()) {
    if (flags.data.data == "-") throw UsageError("standard input has no name: add --out NAME.arff");
    flags.out = flags.data.data;
  }
  const fs::path folder = fs::path(flags.out).parent_path();
  LoadOptions reading = load_options(flags.data);
  reading.as_written = true;
  const Dataset data = load(common, flags.data, reading);
  FileSet parts;
  SaveOptions options;
  options.overwrite = common.force;
  options.together = &parts;
  options.format = same_format ? detect_file_format(flags.data.data, true) : Format::automatic;
  std::vector<std::vector<std::string>> rows{{"file", "rows"}};
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const Part& part : make_parts(flags, data, common.seed)) {
    throw_if_cancelled();
    const std::string shown = (folder / part.file).string();
    save_dataset(take_rows(data, part.rows), shown, options);
    rows.push_back({shown, std::to_string(part.rows.size())});
    files.push_back({{"file", shown}, {"rows", part.rows.size()}});
  }
  parts.commit();
  if (common.json) {
    print_json({{"files", files}, {"seed", common.seed}});
  } else {
    print(table(rows));
  }
}

}  // namespace

void add_split(CLI::App& app, Session& session) {
  auto* command =
      add_command(app, session, "split", "Stratified training and test files, or folds",
                  "Examples:\n"
                  "  mmo split emotions.arff                    (emotions-train.arff, emotions-test.arff)\n"
                  "  mmo split data.csv --labels last:6 --folds 5 --out folds/data.csv");
  auto flags = std::make_shared<SplitFlags>();
  add_data(*command, flags->data, ReadingHelp::short_list);
  command->add_option("--groups", flags->data.groups, "column: rows of one group stay on one side")
      ->type_name("NAME");
  command->add_option("--test-share", flags->test_share, "share of rows in the test file (0.3)")
      ->type_name("S");
  command->add_option("--folds", flags->folds, "N pairs of files instead, each row once in a test file")
      ->type_name("N")
      ->transform(whole_number(2, 1000));
  command->add_option("--out", flags->out, "names are made from this one (DATA)")->type_name("NAME");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_split(session.common, *flags); }; });
}

}  // namespace mmo::cli
