#include "fuzz/targets.h"

#include "mmo/core/error.h"
#include "mmo/core/input_limit.h"
#include "mmo/core/parallel.h"

namespace mmo::fuzz {

void for_each_target(const std::function<void(const Target&)>& visit) {
  for (const auto targets : {data_targets(), model_targets(), program_targets(), deep_targets()}) {
    for (const Target& target : targets) visit(target);
  }
}

const Target* find_target(std::string_view name) {
  const Target* found = nullptr;
  for_each_target([&](const Target& target) {
    if (target.name == name) found = &target;
  });
  return found;
}

void run(const Target& target, const std::string& bytes) {
  constexpr std::uint64_t limit = std::uint64_t{16} << 20;  // less than the fuzzer lets one request take
  set_input_limit(limit);
  set_threads(1);
  try {
    target.read(bytes);
  } catch (const Error&) {
    // a message for the user is the right answer
  }
}

}  // namespace mmo::fuzz
