#include "mmo/data/npz_archive.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "mmo/core/error.h"
#include "mmo/data/label_columns.h"

namespace mmo {

NpzArchive::NpzArchive(const FileContent& content)
    : content_(content), zip_(content.bytes(), content.name()) {
  for (const auto& member : zip_.members()) {
    std::string_view key = member.name;
    if (key.ends_with(".npy")) key.remove_suffix(4);
    members_.emplace(key, &member);
  }
}

std::shared_ptr<NamedArray> NpzArchive::get(const std::string& key) const {
  const auto found = members_.find(key);
  if (found == members_.end()) fail(shown(key) + " is missing: " + keys());
  auto named = std::make_shared<NamedArray>();
  named->name = key;
  named->content = content_;
  named->bytes = zip_.read(*found->second);
  named->array = parse_npy(named->bytes.view(), file(), key);
  return named;
}

std::shared_ptr<NamedArray> NpzArchive::get_numbers(const std::string& key) const {
  auto named = get(key);
  if (named->array.is_text()) fail(shown(key) + " holds text where numbers are needed");
  return named;
}

void NpzArchive::fail(const std::string& why) const { throw DataError(file(), 0, why); }

std::string NpzArchive::keys() const {
  std::vector<std::string> names;
  names.reserve(members_.size());
  for (const auto& [key, member] : members_) names.push_back(shown(key));
  return names.empty() ? "the file holds no arrays"
                       : fmt::format("the file holds {}", fmt::join(names, ", "));
}

}  // namespace mmo
