// One run of a study: a network trained by a job, judged after each epoch on validation and test rows.
#pragma once

#include <nlohmann/json.hpp>

#include "study/deep/jobs.h"

namespace mmo::deep {

struct JobData {
  const Inputs& train;
  const Inputs& test;
  const LabelMatrix& train_labels;
  const LabelMatrix& test_labels;
};

// The rows of a seed's run that train, and those (15 %) that choose.
[[nodiscard]] TrainData training_part(const Inputs& inputs, const LabelMatrix& labels, std::uint64_t seed);

// A linear head on features (FeatureInputs), standardised, its biases at the log-odds.
[[nodiscard]] Network new_head(const TrainData& features, std::uint64_t seed);

// Puts into `best`, for each metric that the job serves and each way to decide ("@0" no threshold, "+G" one,
// "+P" one per label), the epoch of best validation value with its validation and test values; a run that
// goes on from a checkpoint takes the `best` of its finished epochs along. `after_epoch` saves it.
Training run_job(const Job& job, Network& network, const JobData& data, std::uint64_t seed,
                 nlohmann::ordered_json& best, TrainHooks hooks = {},
                 const std::function<void()>& after_epoch = {});

}  // namespace mmo::deep
