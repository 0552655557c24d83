// The paper's linear experiments as printed (app:linear-benchmarks): a linear model per label trained by
// Adam, τ = 0, λ by a scan on a validation part (Algorithm 4), ten random partitions; BR, Algorithm 1 and
// Macro-Thres with the same models and parts. None of our own choices: no L2 search, no folds, no other rule.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "mmo/core/progress.h"

namespace mmo::study {

struct PrintedOptions {
  std::string data;           // folder with scene/, birds/, emotions/, cal500/
  int runs = 10;              // partitions: seeds 0 … runs − 1
  std::size_t epochs = 100;   // not printed in the paper
  double lambda_step = 0.02;  // nor is this
  bool again = false;
  std::function<void(const nlohmann::ordered_json&)> save;  // after every set and ratio
  Progress progress;
};

// Adds what `results` lacks: test values of every cell and method, and along with them λ curves, the steps of
// each λ search compared with its bound, and the same at other values of τ.
void run_as_printed(const PrintedOptions& options, nlohmann::ordered_json& results);

// docs/results_as_printed.md
[[nodiscard]] std::string as_printed_markdown(const nlohmann::ordered_json& results);
// The first partition's λ curves: micro metric and Ê[ℓ^λ] on the validation part.
[[nodiscard]] std::string lambda_curves_svg(const nlohmann::ordered_json& results);

}  // namespace mmo::study
