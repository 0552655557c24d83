// The paper's Table 1 with the encoder trained too (`mmo paper deep --backbone`). Each row's head is first
// trained on the frozen encoder's features, by every candidate of the frozen study; the one with the best
// validation value then trains on with its encoder for a few epochs (linear probing, then fine-tuning: Kumar
// et al. 2022). A run takes an hour: a checkpoint saves it midway, and each epoch saves its results.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "deep/train/inputs.h"
#include "deep/weights/load_weights.h"
#include "mmo/core/progress.h"
#include "study/deep/study_set.h"

namespace mmo::deep {

struct FineTuningOptions {
  int seeds = 2;
  std::string set = "90";
  std::size_t epochs = 3;
  double rate = 1e-4;      // the encoder's, falling linearly to 0 after a warm-up
  std::string checkpoint;  // each run's file starts with this name and is removed after it
  std::size_t checkpoint_steps = 50;
  std::function<void(const nlohmann::ordered_json&)> save;
  Progress progress;
};

// `inputs` reads a part of the set (text or pictures). Adds what `results` lacks.
void run_fine_tuning_study(const StudySet& sets, const Pretrained& pretrained,
                           const std::function<std::unique_ptr<Inputs>(const Dataset&)>& inputs,
                           const FineTuningOptions& options, nlohmann::ordered_json& results);

}  // namespace mmo::deep
