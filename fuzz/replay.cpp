// Every file of FOLDER/TARGET/ and some mutations of each, read by its target: an ordinary program that needs
// no fuzzer.  fuzz_replay MUTATIONS FOLDER...
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/targets.h"

namespace {

namespace fs = std::filesystem;
using mmo::Random;
using mmo::fuzz::Target;

std::string content(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

// A few bytes changed, dropped or repeated.
std::string mutate_bytes(std::string_view from, std::size_t most, Random& random) {
  std::string bytes(from);
  for (std::uint64_t changes = 1 + random.below(4); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes.erase(at, 1 + random.below(8));
        break;
      case 2:
        bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(40)));
        break;
      default:
        bytes[at] = "{}\"',;:|?%@-+.\n\t 019eEN"[random.below(24)];
    }
  }
  return bytes.substr(0, most);
}

// Whether nothing but an mmo::Error escaped; else the input is kept beside the working folder for a look.
bool survives(const Target& target, const std::string& bytes, const std::string& origin) {
  try {
    mmo::fuzz::run(target, bytes);
    return true;
  } catch (const std::exception& error) {
    const std::string kept = std::string("fault-") + target.name;
    std::ofstream(kept, std::ios::binary) << bytes;
    std::fprintf(stderr, "%s: %s (from %s, kept as %s)\n", target.name, error.what(), origin.c_str(),
                 kept.c_str());
    return false;
  }
}

struct Tally {
  std::size_t inputs = 0, faults = 0;
};

void replay(const Target& target, const fs::path& path, std::size_t mutations, Tally& tally) {
  const std::string seed = content(path);
  Random random(seed.size());
  const auto mutate = [&](std::string_view bytes, std::size_t most) {
    return mutate_bytes(bytes, most, random);
  };
  for (std::size_t k = 0; k <= mutations; ++k) {
    std::string bytes = seed;
    if (k > 0)
      bytes =
          target.mutate != nullptr ? target.mutate(seed, random, mutate) : mutate(seed, seed.size() + 100);
    ++tally.inputs;
    if (!survives(target, bytes, path.string())) ++tally.faults;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: fuzz_replay MUTATIONS FOLDER...\n");
    return 2;
  }
  const std::size_t mutations = std::strtoul(argv[1], nullptr, 10);
  std::size_t faults = 0;
  mmo::fuzz::for_each_target([&](const Target& target) {
    Tally tally;
    for (int a = 2; a < argc; ++a) {
      const fs::path folder = fs::path(argv[a]) / target.name;
      if (!fs::is_directory(folder)) continue;
      for (const auto& entry : fs::directory_iterator(folder)) replay(target, entry.path(), mutations, tally);
    }
    std::printf("%-14s %7zu inputs %3zu faults\n", target.name, tally.inputs, tally.faults);
    faults += tally.faults + (tally.inputs == 0 ? 1 : 0);
  });
  return faults == 0 ? 0 : 1;
}
