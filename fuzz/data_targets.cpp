// Data files of every format, the files beside them, and what packs them.
#include <fmt/core.h>

#include <stdexcept>

#include "fuzz/input_file.h"
#include "fuzz/mutators.h"
#include "fuzz/targets.h"
#include "mmo/core/json.h"
#include "mmo/core/unpack.h"
#include "mmo/data/describe.h"
#include "mmo/data/detect.h"
#include "mmo/data/label_header.h"
#include "mmo/data/npy.h"
#include "mmo/data/readers.h"
#include "mmo/data/sgml.h"
#include "mmo/data/weights_file.h"
#include "mmo/text/vectorizer.h"
#include "support/zip_checksums.h"

namespace mmo::fuzz {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

template <class Rows>
void check_rows(const Rows& rows, std::size_t count) {
  require(rows.rows == count && rows.offsets.size() == count + 1, "a matrix has another number of rows");
  require(rows.offsets.front() == 0 && rows.offsets.back() == rows.indices.size(), "offsets lie outside");
  for (std::size_t i = 0; i < count; ++i) {
    require(rows.offsets[i] <= rows.offsets[i + 1], "offsets fall");
    for (auto p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
      require(rows.indices[p] < rows.cols, "an index lies outside");
      require(p == rows.offsets[i] || rows.indices[p - 1] < rows.indices[p], "indices do not ascend");
    }
  }
}

// What was accepted can be used.
void check_sound(const Dataset& data) {
  const std::size_t rows = data.rows();
  require(feature_rows(data.x) == rows, "features have another number of rows");
  check_rows(data.y, rows);
  if (data.unknown.rows > 0) check_rows(data.unknown, rows);
  if (const auto* x = std::get_if<CsrMatrix>(&data.x)) {
    check_rows(*x, rows);
    require(x->values.size() == x->indices.size(), "values are missing");
  } else {
    require(feature_cols(data.x) * rows == std::get<DenseMatrix>(data.x).values.size(), "cells are missing");
  }
  require(data.label_names.empty() || data.label_names.size() == data.labels(),
          "names of labels are missing");
  require(data.features.empty() || data.features.size() == feature_cols(data.x),
          "names of columns are missing");
  for (const auto* each : {&data.groups, &data.ids, &data.documents})
    require(each->empty() || each->size() == rows, "a column has another number of rows");
  require(data.row_weights.empty() || data.row_weights.size() == rows, "weights are missing");
  for (const TextColumn& text : data.texts) require(text.cells.size() == rows, "texts are missing");
  static_cast<void>(card_text(describe(data)));
}

template <class Read>
void read_data(const std::string& bytes, const Read& read) {
  check_sound(read(FileContent::from_string(bytes, "data")));
}

LoadOptions tolerant() {
  LoadOptions options;
  options.need_labels = false;
  options.unknown_labels = true;
  options.id_column = "id";
  options.weight_column = "w";
  options.group_column = "g";
  return options;
}

LoadOptions last_labels(const char* labels) {
  LoadOptions options;
  options.labels = labels;
  return options;
}

// As for a model: labels and columns are known.
LoadOptions for_model() {
  LoadOptions options;
  options.expected_labels = {"red", "green", "blue"};
  options.unseen_labels = UnseenLabels::keep;
  options.expected_columns = InputColumns{{{"f0", {}}, {"kind", {"a", "b"}}}, {}};
  options.unknown_labels = true;
  return options;
}

template <class Read>
void read_table(const std::string& bytes, const Read& read) {
  for (const LoadOptions& options : {last_labels("last:3"), last_labels("tags"), tolerant(), for_model()}) {
    try {
      read_data(bytes, [&](const FileContent& content) { return read(content, options); });
    } catch (const Error&) {
      // another way of reading may still do
    }
  }
}

void arff(const std::string& bytes) { read_table(bytes, read_arff); }
void csv(const std::string& bytes) {
  read_table(bytes, [](const FileContent& content, const LoadOptions& options) {
    return read_delimited(content, options, csv_separator(content));
  });
}
void tsv(const std::string& bytes) {
  read_table(bytes, [](const FileContent& content, const LoadOptions& options) {
    return read_delimited(content, options, '\t');
  });
}
void jsonl(const std::string& bytes) { read_table(bytes, read_jsonl); }
void svmlight(const std::string& bytes) {
  LoadOptions numbered;
  numbered.expected_labels = {"0", "1", "2"};
  numbered.expected_features = 6;
  for (const LoadOptions& options : {LoadOptions(), numbered}) {
    try {
      read_data(bytes, [&](const FileContent& content) { return read_svmlight(content, options); });
    } catch (const Error&) {
    }
  }
}
void xmc(const std::string& bytes) {
  read_data(bytes, [](const FileContent& content) { return read_xmc(content, {}); });
}
void npz(const std::string& bytes) {
  LoadOptions options;
  options.unknown_labels = true;
  read_data(testing::with_right_checksums(bytes),
            [&](const FileContent& content) { return read_npz(content, options); });
}
void fasttext(const std::string& bytes) {
  read_data(bytes, [](const FileContent& content) { return read_fasttext(content, {}); });
}
void detected(const std::string& bytes) {
  read_data(bytes, [](const FileContent& content) { return load_dataset(content, tolerant()); });
}
void npy(const std::string& bytes) {
  const NpyArray array = parse_npy(bytes, "data", "X");
  if (array.is_text()) {
    require(npy_texts(array).size() == array.size(), "texts are missing");
    return;
  }
  double sum = 0;
  array.visit([&](const auto& get) {
    for (std::size_t k = 0; k < array.size(); ++k) sum += static_cast<double>(get(k));
  });
}
void reuters(const std::string& bytes) {
  static_cast<void>(parse_reuters(FileContent::from_string(bytes, "data")));
}
void label_header(const std::string& bytes) {
  static_cast<void>(read_label_header(InputFile(bytes, ".xml").path()));
}
void row_weights(const std::string& bytes) {
  for (const char* ending : {".txt", ".json"}) {
    try {
      static_cast<void>(read_weights_file(InputFile(bytes, ending).path(), 4));
    } catch (const Error&) {
    }
  }
}
void packed(const std::string& bytes) { static_cast<void>(unpack(bytes, "data")); }
void gzip(const std::string& bytes) { packed("\x1f\x8b" + bytes); }
void zstd(const std::string& bytes) { packed("\x28\xb5\x2f\xfd" + bytes); }
void json(const std::string& bytes) {
  try {
    static_cast<void>(parse_json(bytes).dump());
  } catch (const JsonError&) {
  }
}
// Words of hostile documents, as training and prediction take them.
void words(const std::string& bytes) {
  const Dataset data = read_lines(FileContent::from_string(bytes, "data"), tolerant());
  if (!data.is_text()) return;
  TextOptions options;
  options.min_df = 1;
  options.max_n = 2;
  const auto rows = Vectorizer::fit(data.documents, options).transform(data.documents);
  check_rows(rows, data.rows());
}

constexpr const char* tables = " src/mmo/data/table.cpp src/mmo/data/label_columns.cpp";

}  // namespace

std::span<const Target> data_targets() {
  static const std::string with_tables[] = {
      std::string("src/mmo/data/arff.cpp src/mmo/data/arff_header.cpp src/mmo/data/arff_table.cpp") + tables,
      std::string("src/mmo/data/delimited.cpp src/mmo/data/cells.cpp") + tables,
      std::string("src/mmo/data/jsonl.cpp") + tables};
  static const Target targets[] = {
      {"arff", arff, with_tables[0].c_str()},
      {"csv", csv, with_tables[1].c_str()},
      {"tsv", tsv, with_tables[1].c_str()},
      {"jsonl", jsonl, with_tables[2].c_str(), mutate_json_lines},
      {"svmlight", svmlight, "src/mmo/data/svmlight.cpp src/mmo/data/sparse_text.cpp"},
      {"xmc", xmc, "src/mmo/data/xmc.cpp src/mmo/data/sparse_text.cpp"},
      {"npz", npz,
       "src/mmo/data/npz.cpp src/mmo/data/npz_archive.cpp src/mmo/data/npy.cpp src/mmo/data/zip.cpp",
       mutate_npz},
      {"npy", npy, "src/mmo/data/npy.cpp"},
      {"fasttext", fasttext, "src/mmo/data/fasttext.cpp"},
      {"detect", detected, "src/mmo/data/detect.cpp"},
      {"sgml", reuters, "src/mmo/data/sgml.cpp"},
      {"xml", label_header, "src/mmo/data/label_header.cpp"},
      {"weights", row_weights, "src/mmo/data/weights_file.cpp"},
      {"gzip", gzip, "src/mmo/core/unpack.cpp"},
      {"zstd", zstd, "src/mmo/core/unpack.cpp"},
      {"json", json, "src/mmo/core/json.cpp", mutate_json_text},
      {"words", words, "src/mmo/text/tokenizer.cpp src/mmo/text/vectorizer.cpp src/mmo/data/lines.cpp"},
  };
  return targets;
}

}  // namespace mmo::fuzz
