// mmo export: a model for other runtimes.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/terminal.h"
#include "mmo/core/atomic_file.h"
#include "mmo/model/model.h"

namespace mmo::cli {
namespace {

struct ExportFlags {
  std::string model, out;
};

void run_export(const Common& common, const ExportFlags& flags) {
  require_writable(flags.out, common.force);
  const Model model = load_model(flags.model);
  export_onnx(model, flags.out, common.force);
  if (flags.out == "-") return;
  if (common.json) {
    print_json({{"out", flags.out}, {"format", "onnx"}, {"labels", model.labels()}});
  } else {
    print(fmt::format("{}: ONNX, {} labels, input \"features\"\n", flags.out, model.labels()));
  }
}

}  // namespace

void add_export(CLI::App& app, Session& session) {
  auto* command = add_command(app, session, "export", "Write a model as ONNX",
                              "Example:\n  mmo export emotions.mmo emotions.onnx");
  auto flags = std::make_shared<ExportFlags>();
  command->add_option("MODEL,--model", flags->model, "a file written by mmo train")->required();
  command->add_option("OUT,--out", flags->out, "the ONNX file: features (n × d) in, scores and labels out")
      ->required();
  command->callback(
      [&session, flags] { session.run = [&session, flags] { run_export(session.common, *flags); }; });
}

}  // namespace mmo::cli
