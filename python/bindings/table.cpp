// Columns of a data frame: numbers, texts, categories and dates by name, settled as those of a CSV file.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "call.h"
#include "convert.h"
#include "mmo/core/error.h"
#include "mmo/data/settle_columns.h"

namespace mmo::python {
namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// True and False as the model's categories spell them.
std::string flag_text(bool value, const std::string& column, const InputColumns& expected) {
  const std::string plain = value ? "True" : "False";
  const auto lower = [](std::string text) {
    for (char& letter : text) {
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    }
    return text;
  };
  for (const FeatureInfo& wanted : expected.features) {
    if (wanted.name != column) continue;
    for (const std::string& category : wanted.categories) {
      if (lower(category) == lower(plain)) return category;
    }
  }
  return plain;
}

// Collects columns as Python hands them over; `move_into` needs no Python any more.
class TableColumns {
 public:
  explicit TableColumns(std::size_t rows) : rows_(rows) {}

  void add_numbers(const std::string& name, const Weights& values, bool dates) {
    columns_.push_back({name, {}, dates ? DateOrder::year_first : DateOrder::none});
    check(name, values.shape(0));
    values_.emplace_back(values.data(), values.data() + rows_);
  }

  // 0 and 1: a model that learned from a file knows them as the file's words for them.
  void add_flags(const std::string& name, const Weights& values) {
    flags_.push_back(columns_.size());
    add_numbers(name, values, false);
  }

  // None is a missing value. `category`: the frame itself says that these are categories.
  void add_texts(const std::string& name, const nb::list& cells, bool category) {
    check(name, nb::len(cells));
    const auto column = static_cast<std::uint32_t>(columns_.size());
    StringColumnReader reader(1, 1);
    for (const nb::handle cell : cells) {
      const bool missing = cell.is_none();
      reader.add(0, 0, missing ? std::string() : nb::cast<std::string>(cell), missing);
    }
    columns_.push_back({name});
    values_.emplace_back();
    places_.push_back(column);
    strings_.push_back(reader.take(0, name));
    if (category) categories_.push_back(name);
  }

  // The columns are those that `expected` names, or guessed; `as_written`: as a file is to hold them.
  void move_into(Dataset& data, const InputColumns* expected, bool as_written) {
    LoadOptions options;
    options.as_written = as_written;
    options.columns.category = categories_;
    if (expected != nullptr) options.expected_columns = *expected;
    FoundColumns found;
    if (expected != nullptr) {
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        if (needs_texts(columns_[k].name, options) && !is_text(k)) write_as_texts(k, *expected);
      }
      refuse_dates_for_numbers(*expected);
    }
    found.x = DenseMatrix(rows_, columns_.size());
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      for (std::size_t i = 0; i < values_[k].size(); ++i) found.x(i, k) = values_[k][i];
    }
    found.columns = std::move(columns_);
    found.places = std::move(places_);
    found.strings = std::move(strings_);
    data.source = "X";
    try {
      settle_columns(std::move(found), options, data);
    } catch (const ColumnFault& fault) {
      throw DataError(fmt::format("X: row {}: {}", fault.row, fault.message));
    }
    if (expected != nullptr) align_columns(data, *expected);
  }

 private:
  void check(const std::string& name, std::size_t rows) const {
    if (rows != rows_) throw DataError(fmt::format("X: column '{}' has {} rows, not {}", name, rows, rows_));
  }
  [[nodiscard]] bool is_text(std::size_t k) const { return values_[k].size() != rows_; }

  void refuse_dates_for_numbers(const InputColumns& expected) const {
    for (const FeatureInfo& wanted : expected.features) {
      if (wanted.nominal() || wanted.date != DateOrder::none) continue;
      for (const FeatureInfo& given : columns_) {
        if (given.name != wanted.name || given.date == DateOrder::none) continue;
        throw DataError(
            fmt::format("X: column '{}' holds dates, but the model was trained on numbers there; "
                        "give it as in the training data",
                        given.name));
      }
    }
  }

  // Categories may look like numbers: the model knows better.
  void write_as_texts(std::size_t k, const InputColumns& expected) {
    if (columns_[k].date != DateOrder::none) return;
    const bool flag = std::find(flags_.begin(), flags_.end(), k) != flags_.end();
    const auto text = [&](float value) {
      return flag ? flag_text(value != 0.0F, columns_[k].name, expected) : fmt::format("{}", value);
    };
    StringColumnReader reader(1, 1);
    for (const float value : values_[k]) reader.add(0, 0, text(value), std::isnan(value));
    const auto next = std::lower_bound(places_.begin(), places_.end(), static_cast<std::uint32_t>(k));
    strings_.insert(strings_.begin() + (next - places_.begin()), reader.take(0, columns_[k].name));
    places_.insert(next, static_cast<std::uint32_t>(k));
    values_[k].clear();
  }

  std::size_t rows_;
  std::vector<FeatureInfo> columns_;
  std::vector<std::vector<float>> values_;  // empty for texts
  std::vector<std::uint32_t> places_;
  std::vector<StringColumn> strings_;
  std::vector<std::string> categories_;
  std::vector<std::size_t> flags_;
};

}  // namespace

void bind_table(nb::module_& module) {
  nb::class_<TableColumns>(module, "TableColumns", "Columns of a data frame on their way to a Dataset.")
      .def(nb::init<std::size_t>(), nb::arg("rows"))
      .def("add_numbers", &TableColumns::add_numbers, nb::arg("name"), nb::arg("values"), nb::arg("dates"))
      .def("add_flags", &TableColumns::add_flags, nb::arg("name"), nb::arg("values"))
      .def("add_texts", &TableColumns::add_texts, nb::arg("name"), nb::arg("cells"), nb::arg("category"))
      .def(
          "move_into",
          [](TableColumns& columns, Dataset& data, const InputColumns* expected, bool as_written) {
            run(0, [&] { columns.move_into(data, expected, as_written); });
          },
          nb::arg("data"), nb::arg("expected").none(), nb::arg("as_written"));
  nb::class_<InputColumns>(module, "InputColumns", "The columns that a model reads.")
      .def_prop_ro("names",
                   [](const InputColumns& inputs) {
                     std::vector<std::string> names;
                     for (const FeatureInfo& column : inputs.features) names.push_back(column.name);
                     names.insert(names.end(), inputs.texts.begin(), inputs.texts.end());
                     return names;
                   })
      .def_prop_ro(
          "is_table",
          [](const InputColumns& inputs) {
            return !inputs.texts.empty() ||
                   std::any_of(inputs.features.begin(), inputs.features.end(), [](const FeatureInfo& column) {
                     return column.nominal() || column.date != DateOrder::none;
                   });
          },
          "Whether there are more than numbers.");
}

}  // namespace mmo::python
