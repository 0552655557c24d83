#include "cli/deep.h"
#include "cli/program.h"
#include "mmo/core/descriptor.h"
#include "mmo/core/memory.h"

int main(int argc, char** argv) {
  using namespace mmo::cli;  // NOLINT(google-build-using-namespace)
  mmo::open_standard_streams();
  mmo::keep_freed_memory();
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (is_deep(arguments)) return run_deep(arguments);
  return run_program({.title = "MMO: multi-label classifiers trained for the metric they are judged by",
                      .name = "mmo",
                      .commands = {add_train, add_predict, add_evaluate, add_tune, add_report, add_inspect,
                                   add_convert, add_split, add_export, add_compare, add_bounds, add_paper,
                                   add_deep, add_methods, add_demo, add_completion}},
                     arguments);
}
