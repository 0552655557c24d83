// Settings of training as text: --effort, and --set text.* (how raw text becomes features).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mmo/search/train.h"
#include "mmo/text/vectorizer.h"

namespace mmo::cli {

// Throws UsageError.
[[nodiscard]] Effort parse_effort(const std::string& name);

[[nodiscard]] std::vector<SettingInfo> text_settings();

// Takes the text.* entries out of `settings`. Throws UsageError; unknown keys list the candidates.
[[nodiscard]] TextOptions take_text_settings(std::map<std::string, std::string>& settings);

}  // namespace mmo::cli
