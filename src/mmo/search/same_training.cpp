#include "mmo/search/same_training.h"

#include <fmt/format.h>

#include <array>

#include "mmo/core/fingerprint.h"
#include "mmo/core/version.h"

namespace mmo {
namespace {

void add(const Features& x, Fingerprint& print) {
  if (const auto* dense = std::get_if<DenseMatrix>(&x)) return print.add_all(dense->values);
  const auto& sparse = std::get<CsrMatrix>(x);
  print.add_all(sparse.offsets);
  print.add_all(sparse.indices);
  print.add_all(sparse.values);
}

void add(const LabelMatrix& labels, Fingerprint& print) {
  print.add_all(labels.offsets);
  print.add_all(labels.indices);
}

// "391 rows of 72 features and 6 labels, contents 1f3a…"
std::string describe_data(const Training& training) {
  const Problem& problem = training.problem;
  Fingerprint print;
  add(training.encoded, print);
  if (training.table) add(training.table->values, print);
  add(training.labels, print);
  add(training.unknown, print);
  print.add_all(problem.row_weights);
  print.add_all(problem.label_weights);
  print.add_all(problem.hold_out.fold_of_row());
  for (const std::string& name : training.label_names) print.add_all(name);
  return fmt::format("{} rows of {} features and {} labels, contents {:016x}", problem.rows(),
                     feature_cols(training.encoded), problem.label_count(), print.value());
}

std::string describe_options(const TrainOptions& options) {
  std::string text = fmt::format("{} by {}, effort {}, seed {}", options.metric.name, options.method,
                                 static_cast<int>(options.effort), options.seed);
  if (options.subject_to) text += ", subject to " + options.subject_to->metric.name;
  if (options.memory_limit > 0) text += fmt::format(", memory {}", options.memory_limit);
  if (options.time_limit > 0) text += fmt::format(", {} s", options.time_limit);
  for (const auto& [key, value] : options.settings) text += fmt::format(", {}={}", key, value);
  return text;
}

}  // namespace

std::string describe_work(const TrainOptions& options, const Training& training) {
  return fmt::format("mmo {} ({}): {}, on {}", version(), source_revision(), describe_options(options),
                     describe_data(training));
}

void require_same_training(const TrainOptions& options, const Training& training) {
  if (options.processes->size() == 1) return;
  const std::array<Alike, 3> things{{{"version of mmo", version() + " (" + source_revision() + ")"},
                                     {"task", describe_options(options)},
                                     {"data", describe_data(training)}}};
  require_alike(*options.processes, things);
}

}  // namespace mmo
