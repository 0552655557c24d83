// Helpers of the reader tests: data from a string, files in a folder of their own, errors as text, and
// mutations of valid files, after which nothing but an mmo::Error may escape.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/random.h"
#include "mmo/data/dataset.h"

namespace mmo::testing {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mmo-data-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~TempFolder() { std::filesystem::remove_all(folder_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  // Writes a file; returns its path.
  [[nodiscard]] std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return path(name);
  }
  [[nodiscard]] std::string path(const std::string& name = "") const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
};

// What the DataError (or other mmo::Error) of `action` says; "no error" if there is none.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "\"" << part << "\" not in: " << text;
}

inline std::vector<std::uint32_t> row_of(const LabelMatrix& y, std::size_t i) {
  const auto row = y.row(i);
  return {row.begin(), row.end()};
}

// Two data sets are the same, NaN equal to NaN.
inline void expect_same(const Dataset& a, const Dataset& b) {
  const auto bits = [](std::span<const float> values) {
    std::vector<std::uint32_t> out(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = std::bit_cast<std::uint32_t>(values[i]);
    return out;
  };
  const auto values = [](const Dataset& d) {
    return std::visit([](const auto& x) -> std::span<const float> { return x.values; }, d.x);
  };
  EXPECT_EQ(a.x.index(), b.x.index());
  EXPECT_EQ(bits(values(a)), bits(values(b)));
  if (a.x.index() == 1 && b.x.index() == 1) {
    EXPECT_EQ(std::get<CsrMatrix>(a.x).indices, std::get<CsrMatrix>(b.x).indices);
    EXPECT_EQ(std::get<CsrMatrix>(a.x).offsets, std::get<CsrMatrix>(b.x).offsets);
  }
  EXPECT_EQ(a.y.offsets, b.y.offsets);
  EXPECT_EQ(a.y.indices, b.y.indices);
  EXPECT_EQ(a.unknown.offsets, b.unknown.offsets);
  EXPECT_EQ(a.unknown.indices, b.unknown.indices);
  EXPECT_EQ(a.label_names, b.label_names);
  EXPECT_EQ(a.documents, b.documents);
  EXPECT_EQ(a.row_weights, b.row_weights);
  EXPECT_EQ(a.groups, b.groups);
}

// Flips, inserts, drops and repeats bytes and cuts the text short, `count` times from a fixed seed.
inline void fuzz(const std::string& valid, std::size_t count, std::uint64_t seed,
                 const std::function<void(const std::string&)>& read) {
  Random random(seed);
  const std::string likely = "{}\"'\\,;:|?%@-+.\n\r\t 019eEinfa\xEF<>";
  for (std::size_t k = 0; k < count; ++k) {
    std::string text = valid;
    for (std::uint64_t changes = 1 + random.below(4); changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random.below(text.size());
      switch (random.below(6)) {
        case 0:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          text[at] = likely[random.below(likely.size())];
          break;
        case 2:
          text.insert(at, 1, likely[random.below(likely.size())]);
          break;
        case 3:
          text.erase(at, 1 + random.below(8));
          break;
        case 4:
          text.insert(at, text.substr(random.below(text.size()), random.below(40)));
          break;
        default:
          if (random.below(3) == 0) text.resize(at);
      }
    }
    try {
      read(text);
    } catch (const Error&) {
      // a message for the user is the right answer
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << " escaped for: " << text;
    }
  }
}

}  // namespace mmo::testing
