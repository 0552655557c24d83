#include "mmo/data/label_header.h"

#include <array>
#include <filesystem>
#include <pugixml.hpp>
#include <string_view>
#include <unordered_map>

#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/pieces.h"

namespace mmo {
namespace {

constexpr const char* expectation =
    "a Mulan label header looks like <labels><label name=\"sports\"/>…</labels>";

std::string_view local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  const std::size_t prefix = name.rfind(':');
  return prefix == std::string_view::npos ? name : name.substr(prefix + 1);
}

class LabelCollector final : public pugi::xml_tree_walker {
 public:
  explicit LabelCollector(const FileContent& content) : content_(content) {}

  bool for_each(pugi::xml_node& node) override {
    if (node.type() != pugi::node_element) return true;
    const char* const where = content_.bytes().data() + std::max<std::ptrdiff_t>(node.offset_debug(), 0);
    if (depth() == 0 && local_name(node) != "labels") {
      throw_fault(content_, {where, "unexpected element " + shown(node.name()) + "; " + expectation});
    }
    if (depth() == 0) return true;
    if (local_name(node) != "label") {
      throw_fault(content_, {where, "unexpected element " + shown(node.name()) + "; " + expectation});
    }
    const std::string name = node.attribute("name").value();
    if (name.empty()) throw_fault(content_, {where, std::string("a label without a name; ") + expectation});
    if (!seen_.emplace(name, names.size()).second) {
      throw_fault(content_, {where, "label " + shown(name) + " is listed twice; remove one of them"});
    }
    names.push_back(name);
    return true;
  }

  std::vector<std::string> names;

 private:
  const FileContent& content_;
  std::unordered_map<std::string, std::size_t> seen_;
};

}  // namespace

std::vector<std::string> read_label_header(const std::string& path) {
  const FileContent content = FileContent::open(path);
  const std::string_view bytes = content.bytes();
  pugi::xml_document document;
  // Bytes are taken as they are, whatever encoding is declared: names must match those of the data file.
  const pugi::xml_parse_result parsed =
      document.load_buffer(bytes.data(), bytes.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    const auto offset =
        std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0)), bytes.size());
    throw_fault(content, {bytes.data() + offset,
                          std::string("broken XML (") + parsed.description() + "); " + expectation});
  }
  LabelCollector collector(content);
  document.traverse(collector);
  if (collector.names.empty()) throw DataError(path, 0, std::string("no labels here; ") + expectation);
  return collector.names;
}

std::optional<std::string> label_header_beside(const std::string& path) {
  std::filesystem::path base(path);
  if (base.extension() == ".gz" || base.extension() == ".zst") base.replace_extension();
  base.replace_extension();
  const std::string stem = base.string();
  std::vector<std::string> candidates{stem};
  for (const std::string_view part : {"-train", "-test", "_train", "_test"}) {
    if (stem.ends_with(part)) candidates.push_back(stem.substr(0, stem.size() - part.size()));
  }
  for (const std::string& candidate : candidates) {
    std::error_code unreadable;
    if (std::filesystem::is_regular_file(candidate + ".xml", unreadable)) return candidate + ".xml";
  }
  return std::nullopt;
}

}  // namespace mmo
