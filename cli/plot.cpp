#include "cli/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace mmo::cli {
namespace {

constexpr std::size_t bar_columns = 40;
constexpr std::size_t chart_columns = 64;
constexpr std::size_t chart_lines = 8;

std::string utf8(std::uint32_t code) {  // of the Basic Multilingual Plane beyond U+07FF
  return {static_cast<char>(0xE0U | (code >> 12U)), static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)),
          static_cast<char>(0x80U | (code & 0x3FU))};
}

// `share` of bar_columns characters: full blocks, then one of 1 to 7 eighths.
std::string blocks(double share) {
  const auto eighths = static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(8 * bar_columns)));
  std::string text;
  for (std::size_t k = 0; k < eighths / 8; ++k) text += utf8(0x2588);
  if (eighths % 8 > 0) text += utf8(0x2590U - static_cast<std::uint32_t>(eighths % 8));
  return text;
}

class Dots {
 public:
  static constexpr std::size_t width = 2 * chart_columns;
  static constexpr std::size_t height = 4 * chart_lines;

  // From the lower left.
  void set(std::size_t x, std::size_t y) {
    static constexpr std::array<std::array<std::uint32_t, 4>, 2> bits{
        {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}};
    cells_[chart_lines - 1 - y / 4][x / 2] |= bits[x % 2][y % 4];
  }
  [[nodiscard]] std::string line(std::size_t k) const {
    std::string text;
    for (const std::uint32_t cell : cells_[k]) text += utf8(0x2800U + cell);
    return text;
  }

 private:
  std::array<std::array<std::uint32_t, chart_columns>, chart_lines> cells_{};
};

// 0, 1 – 2, 3 – 5, 6 – 9, 10 – 19, 20 – 49, 50 – 99, …: the lower end of the group.
double group_of(double positives) {
  if (positives < 1) return 0;
  const double power = std::pow(10.0, std::floor(std::log10(positives)));
  return power * (positives >= 5 * power ? 5 : positives >= 2 * power ? 2 : 1);
}

std::string group_name(double low) {
  if (low == 0) return "0";
  const double power = std::pow(10.0, std::floor(std::log10(low) + 1e-9));
  const double next = low >= 5 * power ? 10 * power : low >= 2 * power ? 5 * power : 2 * power;
  return next - low <= 1 ? fmt::format("{:.0f}", low) : fmt::format("{:.0f} – {:.0f}", low, next - 1);
}

}  // namespace

std::string bar_chart(const std::string& title, const std::vector<Bar>& bars, double full) {
  std::string text = title + "\n";
  for (const Bar& bar : bars)
    text += fmt::format("{:>17} {:<12} {}\n", bar.name, bar.note, blocks(full > 0 ? bar.value / full : 0));
  return text;
}

std::string line_chart(const std::string& title, const std::string& x_title,
                       std::vector<std::pair<double, double>> points) {
  const auto can_be_drawn = [](double value) {
    return std::fabs(value) < 1e100;
  };  // neither NaN nor infinite
  std::erase_if(points, [&](const auto& p) { return !can_be_drawn(p.first) || !can_be_drawn(p.second); });
  if (points.size() < 2) return "";
  std::sort(points.begin(), points.end());
  const auto left = points.begin();
  const auto right = points.end() - 1;
  const auto by_value = [](const auto& a, const auto& b) { return a.second < b.second; };
  const double low = std::min_element(points.begin(), points.end(), by_value)->second;
  const double high = std::max_element(points.begin(), points.end(), by_value)->second;
  const double x_span = right->first - left->first;
  Dots dots;
  for (std::size_t x = 0; x < Dots::width; ++x) {
    const double at = left->first + x_span * static_cast<double>(x) / (Dots::width - 1);
    const auto next =
        std::find_if(points.begin() + 1, points.end() - 1, [at](const auto& p) { return p.first >= at; });
    const auto& [x0, y0] = *(next - 1);
    const auto& [x1, y1] = *next;
    const double y = x1 > x0 ? y0 + (y1 - y0) * std::clamp((at - x0) / (x1 - x0), 0.0, 1.0) : y1;
    dots.set(x, static_cast<std::size_t>(
                    std::lround(high > low ? (y - low) / (high - low) * (Dots::height - 1) : 0)));
  }
  std::string text = title + "\n";
  for (std::size_t k = 0; k < chart_lines; ++k) {
    text += fmt::format("{:>8} ┤{}\n",
                        k == 0                 ? fmt::format("{:.4f}", high)
                        : k == chart_lines - 1 ? fmt::format("{:.4f}", low)
                                               : "",
                        dots.line(k));
  }
  const std::string ends = fmt::format("{:.3g}", left->first);
  return text + fmt::format("{:10}{}{:>{}.3g}\n{:10}{}\n", "", ends, right->first,
                            chart_columns - ends.size(), "", x_title);
}

std::string support_chart(const std::vector<LabelRow>& labels) {
  struct Group {
    std::size_t labels = 0;
    double f1 = 0;
  };
  std::map<double, Group> groups;
  for (const LabelRow& label : labels) {
    if (label.support <= 0 || std::isnan(label.f1)) continue;
    Group& group = groups[group_of(label.support)];
    ++group.labels;
    group.f1 += label.f1;
  }
  std::vector<Bar> bars;
  for (const auto& [low, group] : groups) {
    const double mean = group.f1 / static_cast<double>(group.labels);
    bars.push_back({group_name(low), fmt::format("{:.3f} ({})", mean, group.labels), mean});
  }
  return bars.empty() ? "" : bar_chart("F1 by number of positive rows: mean (labels)", bars, 1);
}

std::string frequency_chart(const std::vector<std::size_t>& positives) {
  std::map<double, std::size_t> groups;
  for (const std::size_t count : positives) ++groups[group_of(static_cast<double>(count))];
  std::size_t most = 0;
  for (const auto& [low, labels] : groups) most = std::max(most, labels);
  std::vector<Bar> bars;
  for (const auto& [low, labels] : groups)
    bars.push_back({group_name(low), std::to_string(labels), static_cast<double>(labels)});
  return bar_chart("labels by number of positive rows", bars, static_cast<double>(most));
}

}  // namespace mmo::cli
