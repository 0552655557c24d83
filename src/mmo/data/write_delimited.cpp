// CSV and TSV: the features' columns (or "text"), "weight" and "group" if there are any, then one 0/1 column
// per label. A value that is not known is an empty cell.
#include <fmt/format.h>

#include <cmath>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/core/printable.h"
#include "mmo/data/cells.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/readers.h"
#include "mmo/data/writer.h"

namespace mmo {
namespace {

class TableWriter {
 public:
  TableWriter(const Dataset& data, const std::string& path, const SaveOptions& options, char separator)
      : data_(data), separator_(separator), format_(separator == '\t' ? "TSV" : "CSV") {
    refuse_what_does_not_fit(
        data, format_,
        {.nominal = true, .text = true, .unknown_labels = true, .weights = true, .groups = true});
    check_texts();
    const auto names = column_names();
    // A lone empty cell would be an empty line, which readers skip.
    missing_ = names.size() == 1 ? "?" : "";
    TextWriter out(path, options);
    write_header(out, names);
    for (std::size_t i = 0; i < data.rows(); ++i) {
      throw_if_cancelled();
      write_row(out, i);
    }
    out.commit();
  }

 private:
  [[nodiscard]] std::vector<std::string> column_names() const {
    std::vector<std::string> names;
    if (data_.is_text()) {
      names.emplace_back("text");
    } else {
      for (std::size_t k = 0; k < feature_cols(data_.x); ++k) names.push_back(data_.feature_name(k));
    }
    if (!data_.row_weights.empty()) names.emplace_back("weight");
    if (!data_.groups.empty()) names.emplace_back("group");
    for (std::size_t j = 0; j < data_.labels(); ++j) names.push_back(data_.label_name(j));
    return names;
  }

  // Cells and names are trimmed by readers, and some words mean that a value is missing.
  void refuse_if_lost(const std::string& text, bool may_look_missing, const char* what) const {
    if (trimmed(text).size() != text.size() || (!may_look_missing && is_missing(text))) {
      throw UsageError(
          fmt::format("{} can't hold the {} {} (blanks around it, or it reads as a missing value): rename "
                      "it, or write ARFF",
                      format_, what, shown(text)));
    }
  }
  void check_texts() const {
    const auto names = column_names();
    refuse_bad_names(names, format_);
    bool all_numbers = true;
    for (const auto& name : names) {
      refuse_if_lost(name, true, "column name");
      all_numbers = all_numbers && parse_number(name).has_value();
    }
    if (all_numbers)
      throw UsageError(format_ + " can't hold columns that are all called by numbers: name them");
    for (const auto& group : data_.groups) refuse_if_lost(group, false, "group");
    for (const auto& feature : data_.features) {
      for (const auto& category : feature.categories) refuse_if_lost(category, false, "value");
    }
  }

  void cell(TextWriter& out, std::string_view text) const {
    const bool plain = text.find_first_of("\"\r\n") == std::string_view::npos &&
                       text.find(separator_) == std::string_view::npos && trimmed(text).size() == text.size();
    if (plain) {
      out.text(text);
      return;
    }
    out.text("\"");
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t quote = std::min(text.find('"', start), text.size());
      out.text(text.substr(start, quote - start));
      if (quote < text.size()) out.text("\"\"");
      start = quote + 1;
    }
    out.text("\"");
  }

  void write_header(TextWriter& out, const std::vector<std::string>& names) const {
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (k > 0) out.text({&separator_, 1});
      cell(out, csv_name(names[k]));
    }
    out.text("\n");
  }

  void write_feature(TextWriter& out, std::size_t k, float value) const {
    if (std::isnan(value)) {
      out.text(missing_);
    } else if (k < data_.features.size() && data_.features[k].nominal()) {
      cell(out, data_.features[k].categories[static_cast<std::size_t>(value)]);
    } else {
      out.number(value);
    }
  }

  void write_row(TextWriter& out, std::size_t i) {
    bool first = true;
    const auto separate = [&] {
      if (!first) out.text({&separator_, 1});
      first = false;
    };
    if (data_.is_text()) {
      separate();
      cell(out, data_.documents[i]);
    } else {
      const auto row = full_row(data_.x, i, features_);
      for (std::size_t k = 0; k < row.size(); ++k) {
        separate();
        write_feature(out, k, row[k]);
      }
    }
    if (!data_.row_weights.empty()) {
      separate();
      out.number(data_.row_weights[i]);
    }
    if (!data_.groups.empty()) {
      separate();
      cell(out, data_.groups[i]);
    }
    labels_.assign(data_.labels(), "0");
    for (const std::uint32_t j : data_.y.row(i)) labels_[j] = "1";
    if (data_.unknown.rows > 0) {
      for (const std::uint32_t j : data_.unknown.row(i)) labels_[j] = missing_;
    }
    for (const auto label : labels_) {
      separate();
      out.text(label);
    }
    out.text("\n");
  }

  const Dataset& data_;
  char separator_;
  std::string format_;
  std::string_view missing_;
  std::vector<float> features_;
  std::vector<std::string_view> labels_;
};

}  // namespace

void write_delimited(const Dataset& data, const std::string& path, const SaveOptions& options,
                     char separator) {
  TableWriter(data, path, options, separator);
}

}  // namespace mmo
