#include "study/ablations.h"

namespace mmo::study {

std::vector<MethodSpec> ablations(bool sparse) {
  std::vector<MethodSpec> out;
  for (const std::string& text :
       {std::string("linear"),
        std::string(sparse ? "linear[transform=identity]" : "linear[transform=standardise]"),
        std::string("linear[loss=logistic]"), std::string("linear[loss=hinge]"),
        std::string("linear[l2=0.1]"), std::string("linear[l2-by=metric]"),
        std::string("linear[lambda=dinkelbach]"), std::string("linear[stack=off]"),
        std::string("linear[rule=global]"), std::string("linear[rule=per-label]"),
        std::string("linear[min-labels=0]")}) {
    out.push_back(parse_method_spec(text));
  }
  return out;
}

}  // namespace mmo::study
