#include "cli/train_settings.h"

#include <fmt/core.h>

#include <charconv>
#include <functional>

#include "mmo/core/error.h"

namespace mmo::cli {
namespace {

struct TextSetting {
  SettingInfo info;
  std::function<bool(TextOptions&, const std::string&)> set;  // false = not a valid value
};

template <class T>
bool parse_number(const std::string& text, T low, T high, T& out) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high))
    return false;
  out = value;
  return true;
}

bool parse_switch(const std::string& text, bool& out) {
  out = text == "true";
  return text == "true" || text == "false";
}

bool parse_ngrams(TextOptions& options, const std::string& text) {
  const std::size_t dash = text.find('-');
  const std::string low = text.substr(0, dash);
  const std::string high = dash == std::string::npos ? low : text.substr(dash + 1);
  return parse_number(low, 1, 5, options.min_n) && parse_number(high, options.min_n, 5, options.max_n);
}

constexpr std::uint64_t no_limit = std::uint64_t{1} << 40;

const std::vector<TextSetting>& catalogue() {
  static const std::vector<TextSetting> settings{
      {{"text.ngrams", "1 | 2 | 1-2 | …", "word n-grams, one length or a range (1)"}, parse_ngrams},
      {{"text.min-df", "number", "words in fewer documents are dropped (2)"},
       [](TextOptions& o, const std::string& v) {
         return parse_number<std::uint64_t>(v, 1, no_limit, o.min_df);
       }},
      {{"text.max-df", "share", "words in a larger share of documents are dropped (1)"},
       [](TextOptions& o, const std::string& v) { return parse_number(v, 0.0, 1.0, o.max_df); }},
      {{"text.max-features", "number", "keep the most frequent words; 0 = all (0)"},
       [](TextOptions& o, const std::string& v) {
         return parse_number<std::size_t>(v, 0, no_limit, o.max_features);
       }},
      {{"text.sublinear-tf", "true | false", "1 + log(tf) instead of tf (true)"},
       [](TextOptions& o, const std::string& v) { return parse_switch(v, o.sublinear_tf); }},
      {{"text.lowercase", "true | false", "words that differ only by case are one (true)"},
       [](TextOptions& o, const std::string& v) { return parse_switch(v, o.lowercase); }},
  };
  return settings;
}

}  // namespace

Effort parse_effort(const std::string& name) {
  if (name == "quick") return Effort::quick;
  if (name == "standard") return Effort::standard;
  if (name == "thorough") return Effort::thorough;
  throw UsageError(fmt::format("--effort '{}' is unknown; use quick, standard or thorough", name));
}

std::vector<SettingInfo> text_settings() {
  std::vector<SettingInfo> infos;
  for (const TextSetting& setting : catalogue()) infos.push_back(setting.info);
  return infos;
}

TextOptions take_text_settings(std::map<std::string, std::string>& settings) {
  TextOptions options;
  for (auto entry = settings.begin(); entry != settings.end();) {
    const auto& [key, value] = *entry;
    if (!key.starts_with("text.")) {
      ++entry;
      continue;
    }
    const TextSetting* known = nullptr;
    std::string names;
    for (const TextSetting& setting : catalogue()) {
      names += (names.empty() ? "" : ", ") + setting.info.key;
      if (setting.info.key == key) known = &setting;
    }
    if (known == nullptr) throw UsageError(fmt::format("--set {}: unknown setting; known: {}", key, names));
    if (!known->set(options, value))
      throw UsageError(fmt::format("--set {}={}: expected {}", key, value, known->info.values));
    entry = settings.erase(entry);
  }
  return options;
}

}  // namespace mmo::cli
