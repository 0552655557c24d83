// How long-running work reports its progress.
#pragma once

#include <functional>
#include <string>

namespace mmo {

struct ProgressEvent {
  std::string stage;    // "folds", "transform", "L2 path (logistic)", …
  double fraction = 0;  // of the whole run, 0 … 1
  std::string detail;   // "best micro-f1 .6421 at rho .1"; may be empty
};

using Progress = std::function<void(const ProgressEvent&)>;  // empty = nobody listens

inline void report(const Progress& progress, const std::string& stage, double fraction,
                   const std::string& detail = {}) {
  if (progress) progress({stage, fraction, detail});
}

}  // namespace mmo
