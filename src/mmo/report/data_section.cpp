#include "mmo/report/data_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "mmo/data/describe.h"
#include "mmo/report/report_json.h"

namespace mmo {
namespace {

constexpr std::size_t names_listed = 50;
constexpr std::size_t characters_shown = 400;
constexpr std::size_t features_shown = 20;

class Fnv {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  template <class T>
  void add_values(std::span<const T> values) {
    add({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  void add_size(std::uint64_t size) { add_values(std::span<const std::uint64_t>(&size, 1)); }
  void add_text(std::string_view text) {
    add_size(text.size());
    add(text);
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

void add_labels(Fnv& hash, const LabelMatrix& labels) {
  hash.add_size(labels.rows);
  hash.add_size(labels.cols);
  hash.add_values(std::span<const std::uint64_t>(labels.offsets));
  hash.add_values(std::span<const std::uint32_t>(labels.indices));
}

// At most `bytes`, never cutting a UTF-8 character in two.
std::string start_of(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  return text.substr(0, bytes) + "…";
}

std::string row_text(const Dataset& data, std::size_t row) {
  if (data.is_text()) return start_of(data.documents[row], characters_shown);
  std::string text;
  std::size_t shown = 0;
  const auto add = [&](std::size_t k, float value) {
    if (value == 0 || shown++ >= features_shown) return;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", data.feature_name(k), value);
  };
  if (const auto* sparse = std::get_if<CsrMatrix>(&data.x)) {
    const auto indices = sparse->row_indices(row);
    const auto values = sparse->row_values(row);
    for (std::size_t e = 0; e < indices.size(); ++e) add(indices[e], values[e]);
  } else {
    const auto values = std::get<DenseMatrix>(data.x).row(row);
    for (std::size_t k = 0; k < values.size(); ++k) add(k, values[k]);
  }
  return shown > features_shown ? text + ", …" : text;
}

}  // namespace

std::string fingerprint(const Dataset& data) {
  Fnv hash;
  add_labels(hash, data.y);
  add_labels(hash, data.unknown);
  for (const std::string& name : data.label_names) hash.add_text(name);
  for (const std::string& document : data.documents) hash.add_text(document);
  if (const auto* sparse = std::get_if<CsrMatrix>(&data.x)) {
    hash.add_values(std::span<const std::uint64_t>(sparse->offsets));
    hash.add_values(std::span<const std::uint32_t>(sparse->indices));
    hash.add_values(std::span<const float>(sparse->values));
  } else {
    hash.add_values(std::span<const float>(std::get<DenseMatrix>(data.x).values));
  }
  return fmt::format("{:016x}", hash.value());
}

nlohmann::ordered_json data_section(const Dataset& data) {
  nlohmann::ordered_json section(card_json(describe(data)));
  for (const char* list : {"never_positive", "always_positive", "rare"}) {
    auto names = std::move(section[list]);
    section[std::string(list) + "_count"] = names.size();
    if (names.size() > names_listed) names.erase(names.begin() + names_listed, names.end());
    section[list] = std::move(names);
  }
  section["fingerprint"] = fingerprint(data);
  return section;
}

nlohmann::ordered_json example_rows(const Dataset& data, const LabelMatrix& predicted,
                                    std::span<const RowErrors> rows) {
  auto examples = nlohmann::ordered_json::array();
  for (const RowErrors& errors : rows) {
    const auto truth = data.y.row(errors.row);
    const auto given = predicted.row(errors.row);
    examples.push_back({{"row", errors.row},
                        {"truth", std::vector<std::uint32_t>(truth.begin(), truth.end())},
                        {"predicted", std::vector<std::uint32_t>(given.begin(), given.end())},
                        {"content", row_text(data, errors.row)}});
  }
  return examples;
}

}  // namespace mmo
