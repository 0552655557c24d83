// Random changes that leave an input's structure whole, so that they reach the code behind it. Each falls
// back to changes of bytes, at times and where the input is not of its kind.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fuzz/targets.h"

namespace mmo::fuzz {

inline constexpr std::size_t longest_input = 1'000'000;

// One change somewhere in the document: values exchanged, keys dropped, lists lengthened.
void mutate_json(nlohmann::json& root, Random& random, const MutateBytes& mutate);
[[nodiscard]] std::string mutate_json_text(const std::string& bytes, Random& random,
                                           const MutateBytes& mutate);
// One line of several.
[[nodiscard]] std::string mutate_json_lines(const std::string& bytes, Random& random,
                                            const MutateBytes& mutate);
// Inside one array of a NumPy archive.
[[nodiscard]] std::string mutate_npz(const std::string& bytes, Random& random, const MutateBytes& mutate);
// One tensor of a safetensors file, or the JSON that describes the model.
[[nodiscard]] std::string mutate_model(const std::string& bytes, Random& random, const MutateBytes& mutate);

}  // namespace mmo::fuzz
