#include <nlohmann/json.hpp>
#include <vector>

#include "fuzz/mutators.h"
#include "mmo/core/json.h"

namespace mmo::fuzz {
namespace {

using nlohmann::json;

void collect(json& value, std::vector<json*>& out) {
  out.push_back(&value);
  for (json& inner : value) {
    if (value.is_structured()) collect(inner, out);
  }
}

json unusual_value(Random& random) {
  static const json values[] = {nullptr,
                                true,
                                false,
                                -1,
                                0,
                                1,
                                2,
                                255,
                                1e308,
                                -1e-308,
                                0.5,
                                "",
                                "nan",
                                "a b",
                                2147483648U,
                                4294967296U,
                                9007199254740993,
                                18446744073709551615U,
                                json::array(),
                                json::object()};
  return values[random.below(std::size(values))];
}

void mutate_scalar(json& value, Random& random, const MutateBytes& mutate) {
  constexpr std::size_t longest = 200;
  if (value.is_string()) {
    value = mutate(value.get<std::string>(), longest);
  } else if (value.is_number_float()) {
    value = value.get<double>() * (random.below(2) == 0 ? -1 : 1e3);
  } else if (value.is_number()) {
    const auto number = value.get<std::uint64_t>();
    value = static_cast<std::int64_t>(random.below(2) == 0 ? number - 1 : number / 2 + 1);
  } else {
    value = unusual_value(random);
  }
}

void mutate_members(json& value, Random& random) {
  if (value.empty()) {
    value = unusual_value(random);
    return;
  }
  auto member = value.begin();
  std::advance(member, static_cast<std::ptrdiff_t>(random.below(value.size())));
  if (random.below(2) == 0) {
    value.erase(member);
  } else if (value.is_array()) {
    const json copy = *member;
    value.push_back(copy);
  } else {
    const json copy = *member;
    value[member.key() + "x"] = copy;
  }
}

}  // namespace

void mutate_json(json& root, Random& random, const MutateBytes& mutate) {
  std::vector<json*> all;
  collect(root, all);
  json& chosen = *all[random.below(all.size())];
  switch (random.below(4)) {
    case 0:
      chosen = unusual_value(random);
      break;
    case 1: {
      const json other = *all[random.below(all.size())];
      chosen = other;
      break;
    }
    default:
      if (chosen.is_structured()) {
        mutate_members(chosen, random);
      } else {
        mutate_scalar(chosen, random, mutate);
      }
  }
}

std::string mutate_json_text(const std::string& bytes, Random& random, const MutateBytes& mutate) {
  json root = try_parse_json(bytes);
  if (root.is_discarded() || random.below(4) == 0) return mutate(bytes, longest_input);
  mutate_json(root, random, mutate);
  return root.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string mutate_json_lines(const std::string& bytes, Random& random, const MutateBytes& mutate) {
  std::size_t lines = 1;
  for (const char c : bytes) lines += c == '\n' ? 1 : 0;
  std::size_t begin = 0;
  for (std::size_t skip = random.below(lines); skip > 0; --skip) begin = bytes.find('\n', begin) + 1;
  const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
  return bytes.substr(0, begin) + mutate_json_text(bytes.substr(begin, end - begin), random, mutate) +
         bytes.substr(end);
}

}  // namespace mmo::fuzz
