#include "cli/program.h"

namespace mmo::cli {

Program mmo_program() {
  return {.title = "MMO: multi-label classifiers trained for the metric they are judged by",
          .name = "mmo",
          .commands = {add_train, add_predict, add_evaluate, add_tune, add_report, add_inspect, add_convert,
                       add_split, add_export, add_compare, add_bounds, add_paper, add_deep, add_methods,
                       add_demo, add_completion}};
}

}  // namespace mmo::cli
