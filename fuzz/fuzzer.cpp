// The fuzzer of the target named by MMO_FUZZ_TARGET (fuzz/run.py); without one it lists all.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fuzz/targets.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const mmo::fuzz::Target* target = nullptr;

std::string mutate_bytes(std::string_view bytes, std::size_t most) {
  if (most == 0) return {};
  std::string out(bytes.substr(0, most));
  const std::size_t size = out.size();
  out.resize(most);
  out.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(out.data()), size, most));
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("MMO_FUZZ_TARGET");
  if (name == nullptr) {
    mmo::fuzz::for_each_target(
        [](const mmo::fuzz::Target& each) { std::printf("%s %s\n", each.name, each.sources); });
    std::exit(0);
  }
  target = mmo::fuzz::find_target(name);
  if (target != nullptr) return 0;
  std::fprintf(stderr, "fuzz: no target '%s'\n", name);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mmo::fuzz::run(*target, std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  if (target->mutate == nullptr) return LLVMFuzzerMutate(data, size, most);
  mmo::Random random(seed);
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::string changed =
      target->mutate(bytes, random, [most](std::string_view part, std::size_t longest) {
        return mutate_bytes(part, std::min(longest, most));
      });
  if (changed.empty() || changed.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
