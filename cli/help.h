// Help that fits on a screen: one line per flag, common flags in a single line, examples at the end.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mmo::cli {

class ScreenFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace mmo::cli
