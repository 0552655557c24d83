// mmo deep export: a network for other runtimes.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/terminal.h"
#include "deep/cli/commands.h"
#include "deep/export/export_onnx.h"
#include "mmo/core/atomic_file.h"

namespace mmo::deep::cli {
namespace {

struct ExportFlags {
  std::string model, out;
};

void run_export(const Common& common, const ExportFlags& flags) {
  require_writable(flags.out, common.force);
  const DeepModel model = load_deep_model(flags.model);
  export_network(model, flags.out, common.force);
  if (flags.out == "-") return;
  const std::vector<std::string> inputs = onnx_inputs(model.network.encoder.kind);
  if (common.json) {
    mmo::cli::print_json(
        {{"out", flags.out}, {"format", "onnx"}, {"labels", model.label_names.size()}, {"inputs", inputs}});
  } else {
    mmo::cli::print(fmt::format("{}: ONNX, {} labels, input {}\n", flags.out, model.label_names.size(),
                                fmt::join(inputs, " and ")));
  }
}

}  // namespace

void add_export(CLI::App& app, Session& session) {
  auto* command = mmo::cli::add_command(app, session, "export", "Write a network as ONNX",
                                        "Example:\n  mmo deep export news.mmod --out news.onnx");
  auto flags = std::make_shared<ExportFlags>();
  command->add_option("MODEL,--model", flags->model, "a file written by mmo deep train")->required();
  command
      ->add_option("OUT,--out", flags->out,
                   "the ONNX file: token ids, pictures or features in, scores and labels out")
      ->required();
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_export(session.common, *flags); }; });
}

}  // namespace mmo::deep::cli
