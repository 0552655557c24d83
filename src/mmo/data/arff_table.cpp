#include "mmo/data/arff_table.h"

#include <fmt/format.h>

#include <cmath>

#include "mmo/core/error.h"
#include "mmo/data/cells.h"
#include "mmo/data/decimal.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/label_header.h"
#include "mmo/data/pieces.h"

namespace mmo {
namespace {

std::vector<float> as_numbers(const std::vector<std::string>& values) {
  std::vector<float> numbers;
  for (const std::string& value : values) {
    const std::optional<float> number = parse_number(value);
    if (!number || !std::isfinite(*number)) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

Coding make_coding(const ArffAttribute& attribute) {
  Coding coding;
  if (attribute.type != ArffType::nominal || attribute.values.empty()) {
    coding.free_number = true;
    return coding;
  }
  coding.numbers = as_numbers(attribute.values);
  if (!coding.numbers.empty()) {
    coding.left_out = coding.numbers.front();
    std::sort(coding.numbers.begin(), coding.numbers.end());
  } else {
    for (const std::string& value : attribute.values) {
      coding.categories.emplace(value, static_cast<float>(coding.categories.size()));
    }
  }
  return coding;
}

void check_type(const ArffAttribute& attribute, Role role, const FileContent& content) {
  const auto refuse = [&](const char* kind, const char* advice) {
    throw_fault(content, {attribute.where,
                          fmt::format("attribute {} is {}; {}", shown(attribute.name), kind, advice)});
  };
  if (role == Role::label) {
    const auto odd = std::find_if(attribute.values.begin(), attribute.values.end(),
                                  [](const std::string& value) { return !parse_flag(value).has_value(); });
    if (odd != attribute.values.end()) {
      refuse(fmt::format("a label with value {}", shown(*odd)).c_str(), "a label's values must be 0 and 1");
    }
    if (attribute.type == ArffType::string) refuse("a label of type string", "declare it as {0,1}");
    if (attribute.type == ArffType::date) refuse("a label of type date", "declare it as {0,1}");
  }
}

}  // namespace

ArffTable make_arff_table(const ArffHeader& header, const FileContent& content, const LoadOptions& options) {
  ArffTable table;
  for (const ArffAttribute& attribute : header.attributes) {
    table.columns.all.push_back({attribute.name, attribute.where, Role::feature, 0});
    table.codings.push_back(make_coding(attribute));
  }
  assign_roles(table.columns, content, options, meka_labels(header, content),
               label_header_beside(content.name()));
  for (std::size_t c = 0; c < header.attributes.size(); ++c) {
    const ArffAttribute& attribute = header.attributes[c];
    const Role role = table.columns.all[c].role;
    check_type(attribute, role, content);
    if (role == Role::feature && (attribute.type == ArffType::string || attribute.type == ArffType::date)) {
      table.codings[c].text = static_cast<std::uint32_t>(table.texts.size());
      table.codings[c].free_number = false;
      table.texts.push_back(static_cast<std::uint32_t>(c));
    }
    const bool free = role == Role::feature && table.codings[c].free_number;
    table.free_feature.push_back(free ? table.columns.all[c].target : no_feature);
    const bool zero = role == Role::label
                          ? attribute.values.empty() || !parse_flag(attribute.values.front()).value_or(false)
                          : table.codings[c].left_out == 0;
    const bool required =
        role == Role::text || role == Role::weight || role == Role::group || role == Role::id;
    if ((!zero && role != Role::ignored) || required) {
      table.never_silent.push_back(static_cast<std::uint32_t>(c));
    }
  }
  return table;
}

}  // namespace mmo
