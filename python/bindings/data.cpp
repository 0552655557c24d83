// Data sets: from arrays, from files, generated; folds.
#include <fmt/core.h>

#include "call.h"
#include "convert.h"
#include "mmo/core/error.h"
#include "mmo/data/dataset.h"
#include "mmo/data/describe.h"
#include "mmo/data/detect.h"
#include "mmo/data/generate.h"
#include "mmo/data/load.h"
#include "mmo/split/split.h"

namespace mmo::python {
namespace {

// Hands the memory over; the data set has no features afterwards.
nb::object take_features(Dataset& data) {
  Features x = std::exchange(data.x, Features());
  if (auto* dense = std::get_if<DenseMatrix>(&x)) return nb::cast(to_numpy(std::move(*dense)));
  auto& sparse = std::get<CsrMatrix>(x);
  const std::size_t count = sparse.nonzeros();
  return nb::make_tuple(to_numpy(std::move(sparse.offsets), {sparse.rows + 1}),
                        to_numpy(std::move(sparse.indices.own()), {count}),
                        to_numpy(std::move(sparse.values.own()), {count}), sparse.cols);
}

// Every part that is there has to be as long as the rest.
void check_lengths(const Dataset& data, std::size_t rows) {
  const auto same = [&](std::size_t found, const char* what) {
    if (found != rows) throw DataError(fmt::format("X has {} rows but there are {} {}", rows, found, what));
  };
  same(data.y.rows, "rows of labels");
  if (data.unknown.rows > 0) same(data.unknown.rows, "rows of unknown labels");
  if (!data.row_weights.empty()) same(data.row_weights.size(), "weights");
  if (!data.groups.empty()) same(data.groups.size(), "groups");
}

}  // namespace

void bind_data(nb::module_& module) {
  nb::class_<Dataset>(module, "Dataset", "Features (or documents) and labels in the core's memory.")
      .def(nb::init<>())
      .def(
          "set_dense", [](Dataset& data, const AnyArray& x) { data.x = to_dense(x); }, nb::arg("x"))
      .def(
          "set_sparse",
          [](Dataset& data, const Offsets& offsets, const Indices& indices, const Weights& values,
             std::size_t cols) { data.x = to_csr(offsets, indices, values, cols); },
          nb::arg("offsets"), nb::arg("indices"), nb::arg("values"), nb::arg("cols"))
      .def(
          "set_labels",
          [](Dataset& data, const Offsets& offsets, const Indices& indices, std::size_t cols) {
            data.y = to_labels(offsets, indices, cols);
          },
          nb::arg("offsets"), nb::arg("indices"), nb::arg("cols"))
      .def(
          "set_unknown",
          [](Dataset& data, const Offsets& offsets, const Indices& indices, std::size_t cols) {
            data.unknown = to_labels(offsets, indices, cols);
          },
          nb::arg("offsets"), nb::arg("indices"), nb::arg("cols"))
      .def(
          "set_row_weights",
          [](Dataset& data, const Weights& weights) { data.row_weights = to_vector(weights); },
          nb::arg("weights"))
      .def(
          "check",
          [](Dataset& data) {
            data.source = "X";
            check_lengths(data, data.is_text() ? data.documents.size() : feature_rows(data.x));
          },
          "Raises ValueError unless all parts have the same number of rows.")
      .def_rw("documents", &Dataset::documents)
      .def_rw("groups", &Dataset::groups)
      .def_rw("label_names", &Dataset::label_names)
      .def_prop_ro("source", [](const Dataset& data) { return data.source; })
      .def_prop_ro("notes", [](const Dataset& data) { return data.notes; })
      .def_prop_ro("rows", &Dataset::rows)
      .def_prop_ro("labels", &Dataset::labels)
      .def_prop_ro(
          "lent",
          [](const Dataset& data) {
            return std::visit([](const auto& x) { return x.values.is_lent(); }, data.x);
          },
          "Whether the features are read in the caller's memory.")
      .def_prop_rw(
          "feature_names",
          [](const Dataset& data) {
            std::vector<std::string> names;
            for (const FeatureInfo& feature : data.features) names.push_back(feature.name);
            return names;
          },
          [](Dataset& data, const std::vector<std::string>& names) {
            data.features.clear();
            for (const std::string& name : names) data.features.push_back({name});
          })
      .def_prop_ro("categories",
                   [](const Dataset& data) {
                     std::map<std::string, std::vector<std::string>> categories;
                     for (const FeatureInfo& feature : data.features) {
                       if (feature.nominal()) categories[feature.name] = feature.categories;
                     }
                     return categories;
                   })
      .def_prop_ro("inputs", [](const Dataset& data) { return input_columns(data); })
      .def("take_features", take_features, "A float32 matrix, or (offsets, indices, values, columns); once.")
      .def("positives", [](const Dataset& data) { return from_labels(LabelMatrix(data.y)); })
      .def("unknown", [](const Dataset& data) { return from_labels(LabelMatrix(data.unknown)); })
      .def("row_weights",
           [](const Dataset& data) {
             return to_numpy(std::vector(data.row_weights), {data.row_weights.size()});
           })
      .def("card", [](const Dataset& data) { return card_json(describe(data)).dump(); });

  module.def(
      "load_dataset",
      [](const std::string& path, const std::string& format, const std::string& labels,
         const std::string& index_base, const std::string& text_column, const std::string& weight_column,
         const std::string& group_column, const std::string& part, bool unknown_labels, bool need_labels) {
        LoadOptions options;
        options.as_written = true;  // fit guesses the kinds of columns, as mmo train does
        options.format = parse_format(format);
        options.labels = labels;
        if (index_base != "auto") options.index_base = index_base == "0" ? IndexBase::zero : IndexBase::one;
        options.text_column = text_column;
        options.weight_column = weight_column;
        options.group_column = group_column;
        options.reuters_split = part;
        options.unknown_labels = unknown_labels;
        options.need_labels = need_labels;
        return run(0, [&] { return load_dataset(path, options); });
      },
      nb::arg("path"), nb::kw_only(), nb::arg("format"), nb::arg("labels"), nb::arg("index_base"),
      nb::arg("text_column"), nb::arg("weight_column"), nb::arg("group_column"), nb::arg("part"),
      nb::arg("unknown_labels"), nb::arg("need_labels"));

  module.def(
      "declares_categories",
      [](const std::string& path, const std::string& format) {
        Format known = parse_format(format);
        if (known == Format::automatic) known = format_of_name(path);
        return known == Format::arff;
      },
      nb::arg("path"), nb::arg("format"), "Whether the file's header says which columns hold categories.");

  module.def(
      "save_dataset",
      [](const Dataset& data, const std::string& path, bool overwrite) {
        SaveOptions options;
        options.overwrite = overwrite;
        run(0, [&] { save_dataset(data, path, options); });
      },
      nb::arg("data"), nb::arg("path"), nb::arg("overwrite"));

  module.def(
      "generate_dataset",
      [](std::size_t rows, std::size_t features, std::size_t labels, double labels_per_row,
         std::size_t nonzeros_per_row, double noise, std::uint64_t seed) {
        return run(0, [&] {
          return generate_dataset({.rows = rows,
                                   .features = features,
                                   .labels = labels,
                                   .labels_per_row = labels_per_row,
                                   .nonzeros_per_row = nonzeros_per_row,
                                   .noise = noise,
                                   .seed = seed});
        });
      },
      nb::arg("rows"), nb::arg("features"), nb::arg("labels"), nb::arg("labels_per_row"),
      nb::arg("nonzeros_per_row"), nb::arg("noise"), nb::arg("seed"));

  module.def(
      "stratified_folds",
      [](const Offsets& offsets, const Indices& indices, std::size_t cols, std::size_t folds,
         std::uint64_t seed, const std::vector<std::string>& groups) {
        const LabelMatrix y = to_labels(offsets, indices, cols);
        if (!groups.empty() && groups.size() != y.rows)
          throw DataError(fmt::format("{} groups for {} rows", groups.size(), y.rows));
        auto fold_of_row = run(0, [&] { return stratified_folds(y, folds, seed, groups); });
        return to_numpy(std::move(fold_of_row), {y.rows});
      },
      nb::arg("offsets"), nb::arg("indices"), nb::arg("cols"), nb::arg("folds"), nb::arg("seed"),
      nb::arg("groups"), "The fold of each row.");
}

}  // namespace mmo::python
