#include "deep/cli/seeds.h"

#include <fmt/core.h>

#include <cmath>

#include "cli/terminal.h"

namespace mmo::deep::cli {
namespace {

nlohmann::ordered_json result_json(const Trained& trained) {
  nlohmann::ordered_json out;
  out["metric"] = trained.model.metric;
  out["validation"] = trained.rule.value;
  out["best_epoch"] = trained.training.best_epoch;
  out["history"] = trained.model.history;
  return out;
}

void print_epochs(const Trained& trained) {
  const Training& training = trained.training;
  std::vector<std::vector<std::string>> rows{{"epoch", "loss", "lambda", "valid @0", "valid +G"}};
  for (const Epoch& e : training.history) {
    rows.push_back({fmt::format("{}{}", e.epoch, e.epoch == training.best_epoch ? " *" : ""),
                    fmt::format("{:.4f}", e.loss), fmt::format("{:.3f}", e.lambda),
                    fmt::format("{:.4f}", e.at_zero), fmt::format("{:.4f}", e.tuned)});
  }
  mmo::cli::print(mmo::cli::table(rows));
  mmo::cli::print(fmt::format("\n{} on validation rows with the rule {}: {:.4f} (epoch {})\n",
                              trained.model.metric, rule_name(trained.rule.kind), trained.rule.value,
                              training.best_epoch));
}

void print_values(const Seeds& seeds) {
  const std::string& metric = seeds.kept().model.metric;
  std::vector<std::vector<std::string>> rows{{"seed", "epoch", metric}};
  for (const Seeds::One& one : seeds.all()) {
    rows.push_back({fmt::format("{}{}", one.seed, one.seed == seeds.kept_seed() ? " *" : ""),
                    fmt::format("{}", one.result.at("best_epoch").get<std::size_t>()),
                    fmt::format("{:.4f}", one.value)});
  }
  mmo::cli::print(fmt::format("\n{}", mmo::cli::table(rows)));
  mmo::cli::print(fmt::format(
      "\n{} seeds: {:.4f} ± {:.4f}; the model is that of seed {}, the best on its own validation rows\n",
      seeds.all().size(), seeds.mean(), seeds.deviation(), seeds.kept_seed()));
}

}  // namespace

void Seeds::add(std::uint64_t seed, Trained trained) {
  all_.push_back({seed, trained.rule.value, result_json(trained)});
  if (all_.size() > 1 && all_.back().value <= all_[best_].value) return;
  best_ = all_.size() - 1;
  kept_ = std::move(trained);
}

double Seeds::mean() const {
  double sum = 0;
  for (const One& one : all_) sum += one.value;
  return sum / static_cast<double>(all_.size());
}

double Seeds::deviation() const {
  double sum = 0;
  for (const One& one : all_) sum += (one.value - mean()) * (one.value - mean());
  return std::sqrt(sum / static_cast<double>(all_.size() - 1));
}

void print_seeds(const Seeds& seeds, bool json) {
  const bool several = seeds.all().size() > 1;
  if (!json) {
    print_epochs(seeds.kept());
    if (several) print_values(seeds);
    return;
  }
  nlohmann::ordered_json out = result_json(seeds.kept());
  if (several) {
    out["seed"] = seeds.kept_seed();
    out["mean"] = seeds.mean();
    out["sd"] = seeds.deviation();
    for (const Seeds::One& one : seeds.all()) {
      out["seeds"].push_back(one.result);
      out["seeds"].back()["seed"] = one.seed;
    }
  }
  mmo::cli::print_json(out);
}

}  // namespace mmo::deep::cli
