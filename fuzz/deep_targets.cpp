// What the networks read besides tensors.
#include "fuzz/targets.h"

#ifdef MMO_FUZZ_DEEP
#include "deep/data/coco.h"
#include "deep/data/wordpiece.h"
#include "fuzz/input_file.h"
#include "fuzz/mutators.h"
#endif

namespace mmo::fuzz {

#ifdef MMO_FUZZ_DEEP
namespace {

void coco(const std::string& bytes) {
  const InputFile input(bytes, ".json");
  static_cast<void>(deep::read_coco(input.path()));
}

// Tokenised by itself.
void wordpiece(const std::string& bytes) {
  constexpr std::size_t most_tokens = 128;
  static_cast<void>(deep::WordPiece(bytes, "data").encode(bytes, most_tokens));
}

}  // namespace

std::span<const Target> deep_targets() {
  static const Target targets[] = {
      {"coco", coco, "deep/data/coco.cpp", mutate_json_text},
      {"wordpiece", wordpiece, "deep/data/wordpiece.cpp"},
  };
  return targets;
}
#else
std::span<const Target> deep_targets() { return {}; }
#endif

}  // namespace mmo::fuzz
