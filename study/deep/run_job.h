// One run of a study: trains a network as its job says, judged each epoch on validation and test rows.
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

// The rows that train in a seed's run, and those (15 %) that choose.
[[nodiscard]] TrainData training_part(const Inputs& inputs, const LabelMatrix& labels, std::uint64_t seed);

// A linear head on features (FeatureInputs), standardised, with its biases at the log-odds.
[[nodiscard]] Network new_head(const TrainData& features, std::uint64_t seed);

// Puts into `best`, for each metric the job serves and each way to decide ("@0" no threshold, "+G" one, "+P"
// one per label), the epoch with the best validation value, with its validation and test values; a run
// resumed from a checkpoint brings along the `best` of its finished epochs. `after_epoch` saves it.
Training run_job(const Job& job, Network& network, const JobData& data, std::uint64_t seed,
                 nlohmann::ordered_json& best, TrainHooks hooks = {},
                 const std::function<void()>& after_epoch = {});

}  // namespace mmo::deep
