// mmo deep features: an encoder's features of each row, as a data set that `mmo train` and `mmo deep train`
// read.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/data_flags.h"
#include "cli/terminal.h"
#include "deep/cli/commands.h"
#include "deep/cli/encoder_flags.h"
#include "deep/train/extract.h"
#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"

namespace mmo::deep::cli {
namespace {

struct FeaturesFlags {
  ReadFlags read;
  EncoderFlags encoder;
  std::string out;
};

void run_features(const Common& common, const FeaturesFlags& flags) {
  require_writable(flags.out, common.force);
  use_threads(common);
  const Pretrained pretrained = load_encoder(flags.encoder);
  Dataset data =
      read_data(common, flags.read, pretrained.encoder.kind, mmo::cli::load_options(flags.read.data));
  if (!data.is_text())
    throw DataError(data.source, 0, "the rows are features already; give raw text or pictures");
  const auto inputs = make_inputs(data, pretrained, flags.encoder, flags.read.images);
  mmo::cli::ProgressBar bar(common);
  data.x = extract_features(pretrained.encoder, pretrained.parameters, *inputs, all_rows(data.rows()),
                            bar.listener());
  bar.erase();
  data.documents.clear();
  data.features.clear();
  save_dataset(data, flags.out, {.overwrite = common.force});
}

}  // namespace

void add_features(CLI::App& app, Session& session) {
  auto* command = mmo::cli::add_command(
      app, session, "features", "An encoder's features of each row, as a data set",
      "Examples:\n"
      "  mmo deep features reuters/ --part train90 --backbone minilm/ --out train.npz\n"
      "  mmo deep features instances_val2017.json --images val2017/ --network efficientnet-lite0 \\\n"
      "      --backbone lite0.safetensors --out val.npz\n"
      "  mmo train train.npz --metric macro-f1 --model news.mmo");
  auto flags = std::make_shared<FeaturesFlags>();
  mmo::cli::add_data(*command, flags->read.data, mmo::cli::ReadingHelp::short_list);
  add_encoder_flags(*command, flags->encoder, true);
  add_image_flags(*command, flags->read.images, flags->read.skip_corrupt);
  command->add_option("--out", flags->out, "the data set to write, e.g. train.npz")
      ->required()
      ->type_name("FILE");
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_features(session.common, *flags); }; });
}

}  // namespace mmo::deep::cli
