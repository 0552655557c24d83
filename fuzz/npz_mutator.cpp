#include "fuzz/mutators.h"
#include "mmo/core/error.h"
#include "mmo/data/zip.h"
#include "support/zip_checksums.h"

namespace mmo::fuzz {
namespace {

constexpr std::size_t header_bytes = 128;  // of an array: its type and shape

// Where a member that is stored as it is lies in the archive; empty if there is none.
std::string_view stored_member(const std::string& archive, Random& random) {
  const ZipReader reader(archive, "data");
  if (reader.members().empty()) return {};
  return reader.read(reader.members()[random.below(reader.members().size())]).stored;
}

}  // namespace

std::string mutate_npz(const std::string& bytes, Random& random, const MutateBytes& mutate) {
  const std::string archive = testing::with_right_checksums(bytes);
  std::string_view member;
  try {
    member = stored_member(archive, random);
  } catch (const Error&) {
    return mutate(bytes, longest_input);
  }
  if (member.empty() || random.below(4) == 0) return mutate(bytes, longest_input);
  if (random.below(2) == 0) member = member.substr(0, header_bytes);
  std::string changed = mutate(member, member.size());
  changed.resize(member.size(), ' ');
  std::string out = archive;
  out.replace(static_cast<std::size_t>(member.data() - archive.data()), member.size(), changed);
  return out;
}

}  // namespace mmo::fuzz
