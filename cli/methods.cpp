// mmo methods: what --metric, --method and --set accept.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/terminal.h"
#include "cli/train_settings.h"
#include "mmo/metric/metric.h"
#include "mmo/search/train.h"

namespace mmo::cli {
namespace {

std::vector<SettingInfo> all_settings() {
  std::vector<SettingInfo> settings = known_settings();
  const std::vector<SettingInfo> text = text_settings();
  settings.insert(settings.end(), text.begin(), text.end());
  return settings;
}

void run_methods(const Common& common) {
  if (common.json) {
    nlohmann::ordered_json out;
    for (const MethodInfo& m : known_methods())
      out["methods"].push_back({{"name", m.name}, {"summary", m.summary}});
    for (const SettingInfo& s : all_settings()) {
      out["settings"].push_back({{"key", s.key}, {"values", s.values}, {"meaning", s.meaning}});
    }
    out["metrics"] = known_metrics();
    print_json(out);
    return;
  }
  std::string text = "Methods (--method NAME)\n";
  for (const MethodInfo& m : known_methods()) text += fmt::format("  {:<16}{}\n", m.name, m.summary);
  text +=
      "  auto trains plain losses and lets the metric choose L2, thresholds and rule, which measured best; "
      "mmo\n"
      "  trains with the costs of the paper's λ.\n";
  text += "\nSettings (--set key=value)\n";
  for (const SettingInfo& s : all_settings())
    text += fmt::format("  {:<20}{}: {}\n", s.key, s.values, s.meaning);
  text += "\nMetrics (--metric NAME; samples = instance)\n ";
  std::size_t width = 0;
  for (const std::string& name : known_metrics()) {
    if (width + name.size() > 96) {
      text += "\n ";
      width = 0;
    }
    text += " " + name;
    width += name.size() + 1;
  }
  text +=
      "\n  or a ratio of counts: \"macro:(3*TP)/(3*TP+FP+2*FN)\", or a JSON file with alpha and beta per "
      "label\n";
  print(text);
}

}  // namespace

void add_methods(CLI::App& app, Session& session) {
  auto* command = add_command(app, session, "methods", "List methods, settings and metrics",
                              "Example:\n  mmo methods --json");
  command->callback([&session] { session.run = [&session] { run_methods(session.common); }; });
}

}  // namespace mmo::cli
