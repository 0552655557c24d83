#include "study/deep/jobs.h"

#include <fmt/core.h>

#include <functional>
#include <map>

#include "deep/train/defaults.h"

namespace mmo::deep {
namespace {

constexpr double rates[] = {1e-3, 3e-3};
constexpr double ablation_rate = 1e-3;
constexpr std::size_t epochs = 25;

TrainSettings with_loss(LossKind kind) {
  TrainSettings s;
  s.loss.kind = kind;
  s.epochs = epochs;
  s.frozen = true;
  return s;
}

TrainSettings focused(double gamma_negative, double gamma_positive, double margin) {
  TrainSettings s = with_loss(LossKind::asl);
  s.loss.asl = {gamma_positive, gamma_negative, margin};
  return s;
}

// The paper's own variant: τ = 0, one λ, an exponential average of the batches' metric.
TrainSettings papers(const std::string& metric) {
  TrainSettings s = default_settings(metric);
  s.loss.tau = 0;
  s.lambda = {};
  s.lambda.source = LambdaSource::batch;
  return s;
}

}  // namespace

TrainSettings default_settings(const std::string& metric) {
  TrainSettings s = with_loss(LossKind::mmo);
  use_defaults(s, by_label(parse_metric(metric)));
  return s;
}

std::string candidate_name(const Job& job) {
  return fmt::format("{} @ {:g}", job.variant, job.settings.head_rate);
}

std::vector<Job> table_jobs() {
  std::vector<Job> jobs;
  TrainSettings sigmoid_micro = with_loss(LossKind::sigmoid_f1);
  sigmoid_micro.loss.sigmoid_f1.micro = true;
  jobs.push_back({"BCE", "micro-f1", "micro-f1", study_metrics, true, with_loss(LossKind::bce)});
  jobs.push_back(
      {"SigmoidF1", "micro-f1", "micro-f1", {"micro-f1", "samples-jaccard"}, false, sigmoid_micro});
  jobs.push_back({"SigmoidF1", "macro-f1", "macro-f1", {"macro-f1"}, false, with_loss(LossKind::sigmoid_f1)});
  jobs.push_back({"ASL", "micro-f1", "4/1/.05", study_metrics, false, focused(4, 1, 0.05)});
  jobs.push_back({"ASL", "micro-f1", "2/0/0", study_metrics, false, focused(2, 0, 0)});
  for (const std::string& metric : study_metrics) {
    jobs.push_back({"MMO, the paper's λ", metric, metric, {metric}, false, papers(metric)});
    jobs.push_back({"MMO", metric, metric, {metric}, false, default_settings(metric)});
  }
  std::vector<Job> out;
  for (const double rate : rates) {
    for (Job job : jobs) {
      job.settings.head_rate = rate;
      out.push_back(job);
    }
  }
  return out;
}

std::vector<std::vector<Job>> fine_tuning_groups() {
  std::vector<std::vector<Job>> groups;
  for (const char* method : {"BCE", "MMO", "ASL", "SigmoidF1"}) {
    std::map<std::vector<std::string>, std::vector<Job>> by_metrics;
    for (const Job& job : table_jobs()) {
      if (job.method == method) by_metrics[job.serves].push_back(job);
    }
    for (auto& [metrics, jobs] : by_metrics) groups.push_back(std::move(jobs));
  }
  return groups;
}

std::vector<Job> ablation_jobs() {
  std::vector<Job> jobs;
  for (const std::string metric : {"micro-f1", "macro-f1"}) {
    const auto add = [&](const std::string& name, const std::function<void(TrainSettings&)>& change) {
      TrainSettings s = default_settings(metric);
      s.head_rate = ablation_rate;
      change(s);
      jobs.push_back({name, metric, metric, {metric}, false, s});
    };
    add("default", [](TrainSettings&) {});
    add("τ = 0", [](TrainSettings& s) { s.loss.tau = 0; });
    add("τ = 0, joint coupling", [](TrainSettings& s) {
      s.loss.tau = 0;
      s.loss.kappa = 1;
    });
    add("τ = 1", [](TrainSettings& s) { s.loss.tau = 1; });
    for (const bool per_label : {false, true}) {
      const char* scope = per_label ? "per label" : "shared";
      for (const double gamma : {0.7, 0.99}) {
        add(fmt::format("λ {}, batch average, γ = {:g}", scope, gamma), [=](TrainSettings& s) {
          s.lambda = {};
          s.lambda.source = LambdaSource::batch;
          s.lambda.per_label = per_label;
          s.lambda.gamma = gamma;
        });
      }
      for (const double memory : {0.99, 0.9997}) {
        add(fmt::format("λ {}, counts, memory {:g}", scope, memory), [=](TrainSettings& s) {
          s.lambda = {};
          s.lambda.per_label = per_label;
          s.lambda.counts.decay = memory;
        });
      }
      add(fmt::format("λ {}, validation", scope), [=](TrainSettings& s) {
        s.lambda.source = LambdaSource::validation;
        s.lambda.per_label = per_label;
      });
    }
  }
  return jobs;
}

}  // namespace mmo::deep
