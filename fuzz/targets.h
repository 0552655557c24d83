// What strangers may send us, and the function that reads it. One table serves the fuzzer (`make fuzz`) and
// the replay of known inputs in the ordinary tests.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "mmo/core/random.h"

namespace mmo::fuzz {

// Changes bytes at random; the result has at most `most` bytes.
using MutateBytes = std::function<std::string(std::string_view bytes, std::size_t most)>;

struct Target {
  const char* name;
  // May throw an mmo::Error, a message for the user. Anything else, or a result that is not sound, is a
  // fault.
  void (*read)(const std::string& bytes);
  const char* sources;  // whose lines the corpus should reach, below the repository
  // Keeps the input's structure, so that a change reaches what lies behind it; null = bytes alone.
  std::string (*mutate)(const std::string& bytes, Random& random, const MutateBytes& mutate) = nullptr;
};

[[nodiscard]] std::span<const Target> data_targets();
[[nodiscard]] std::span<const Target> model_targets();
[[nodiscard]] std::span<const Target> program_targets();
[[nodiscard]] std::span<const Target> deep_targets();

// Null = there is none of that name.
[[nodiscard]] const Target* find_target(std::string_view name);
void for_each_target(const std::function<void(const Target&)>& visit);

// read(), with small limits on what an input may ask for; refusals are fine.
void run(const Target& target, const std::string& bytes);

}  // namespace mmo::fuzz
