// Writers of "label,label index:value …": svmlight and XMC.
#include <fmt/format.h>

#include <cmath>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/label_columns.h"
#include "mmo/data/readers.h"
#include "mmo/data/writer.h"

namespace mmo {
namespace {

void write_pair(TextWriter& out, std::uint64_t index, float value) {
  out.text(" ");
  out.number(index);
  out.text(":");
  if (std::isnan(value)) {
    out.text("nan");  // to_chars would write "-nan" for some
  } else {
    out.number(value);
  }
}

bool column_is_used(const Features& x, std::uint32_t column) {
  bool used = false;
  for (std::size_t i = 0; i < feature_rows(x) && !used; ++i) {
    for_each_nonzero(x, i, [&](std::uint32_t j, float) { used = used || j == column; });
  }
  return used;
}

// Label and query id end at a blank or '#'; labels also at ',' and ':'.
void refuse_separators(const std::string& text, const char* separators, const char* what) {
  if (text.empty() || text.find_first_of(separators) != std::string::npos) {
    throw UsageError(
        fmt::format("svmlight can't hold the {} {} (empty, or with blanks, commas, colons or '#'): rename "
                    "it, or write ARFF, CSV or npz (or XMC, which numbers labels)",
                    what, shown(text)));
  }
}

}  // namespace

// svmlight knows neither the number of features nor, if feature 0 is unused, the index base. An explicit zero
// in the first row says both without changing the data: "0:0" if the base is 0, and "d:0" for the last
// feature. A row with neither labels nor features gets one too, because a blank line would be skipped.
void write_svmlight(const Dataset& data, const std::string& path, const SaveOptions& options) {
  refuse_what_does_not_fit(data, "svmlight", {.groups = true});
  const std::size_t features = feature_cols(data.x);
  if (features == 0) throw UsageError("svmlight can't hold data without features");
  std::vector<std::string> names(data.labels());
  for (std::size_t j = 0; j < names.size(); ++j) {
    names[j] = data.label_name(j);
    refuse_separators(names[j], " \t\n\v\f\r,:#", "label");
  }
  for (const auto& group : data.groups) refuse_separators(group, " \t\n\v\f\r#", "group");

  const std::uint32_t base = options.index_base == IndexBase::zero ? 0 : 1;
  const auto last = static_cast<std::uint32_t>(features - 1);
  const bool mark_first = base == 0 && !column_is_used(data.x, 0);
  const bool mark_last = !column_is_used(data.x, last);
  TextWriter out(path, options);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    throw_if_cancelled();
    const char* separator = "";
    for (const std::uint32_t j : data.y.row(i)) {
      out.text(separator);
      out.text(names[j]);
      separator = ",";
    }
    if (!data.groups.empty()) {
      out.text(" qid:");
      out.text(data.groups[i]);
    }
    bool blank = data.y.row(i).empty();
    if (i == 0 && mark_first && !(mark_last && last == 0)) {
      write_pair(out, base, 0.0F);
      blank = false;
    }
    for_each_nonzero(data.x, i, [&](std::uint32_t j, float value) {
      write_pair(out, std::uint64_t{j} + base, value);
      blank = false;
    });
    if ((i == 0 && mark_last) || blank) write_pair(out, std::uint64_t{last} + base, 0.0F);
    out.text("\n");
  }
  out.commit();
}

void write_xmc(const Dataset& data, const std::string& path, const SaveOptions& options) {
  refuse_what_does_not_fit(data, "XMC", {});
  TextWriter out(path, options);
  out.text(fmt::format("{} {} {}\n", data.rows(), feature_cols(data.x), data.labels()));
  for (std::size_t i = 0; i < data.rows(); ++i) {
    throw_if_cancelled();
    const char* separator = "";
    for (const std::uint32_t j : data.y.row(i)) {
      out.text(separator);
      out.number(j);
      separator = ",";
    }
    for_each_nonzero(data.x, i, [&](std::uint32_t j, float value) { write_pair(out, j, value); });
    out.text("\n");
  }
  out.commit();
}

}  // namespace mmo
