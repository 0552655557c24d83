#include "study/ablations.h"

namespace mmo::study {

std::vector<MethodSpec> ablations(bool sparse) {
  std::vector<MethodSpec> out;
  for (const std::string& text :
       {std::string("auto"), std::string(sparse ? "auto[transform=identity]" : "auto[transform=standardise]"),
        std::string("auto[loss=logistic]"), std::string("auto[loss=hinge]"), std::string("auto[l2=0.1]"),
        std::string("auto[l2-by=metric]"), std::string("auto[lambda=dinkelbach]"),
        std::string("auto[stack=off]"), std::string("auto[rule=global]"), std::string("auto[rule=per-label]"),
        std::string("auto[min-labels=0]")}) {
    out.push_back(parse_method_spec(text));
  }
  return out;
}

}  // namespace mmo::study
