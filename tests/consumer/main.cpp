// Reads a data set, evaluates a prediction and says the metric: enough to need every part of the installed
// library (headers, the archive and the libraries behind it).
#include <fmt/core.h>

#include "mmo/data/load.h"
#include "mmo/eval/evaluate.h"
#include "mmo/metric/metric.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const mmo::Dataset data = mmo::load_dataset(argv[1], {});
  mmo::Truth truth;
  truth.labels = &data.y;
  fmt::print("{:.3f}\n", mmo::evaluate(mmo::parse_metric("micro-f1"), data.y, truth));
}
