// Flags of the commands that read a data set, and how they become a Dataset.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "mmo/data/load.h"
#include "mmo/model/model.h"

namespace mmo::cli {

struct DataFlags {
  std::string data;
  std::string labels;
  std::string format = "auto";
  std::string index_base = "auto";
  std::string text_column;
  std::string text, category, number, drop;  // columns whose kind is not left to guessing: "name,name"
  std::string weights;                       // a column, or a file if one of that name exists
  std::string groups;
  std::string id;    // --id of the commands that have it
  std::string part;  // Reuters only
  bool unknown_labels = false;
};

[[nodiscard]] std::vector<std::string> label_names(const Dataset& data);
[[nodiscard]] std::vector<std::string> label_names(const Model& model);

enum class DataUse {
  labelled,           // labels unknown to the model come after its own
  known_labels_only,  // they are left out
  predicting,         // no labels needed
};

// DATA and the flags that say how to read it. Commands about files explain the rarer ones one by one; the
// others list them in one line of their help.
enum class ReadingHelp { short_list, explained };
void add_data(CLI::App& command, DataFlags& flags, ReadingHelp help, bool required = true);
void add_data_flags(CLI::App& command, DataFlags& flags, ReadingHelp help);
void add_id(CLI::App& command, DataFlags& flags, const std::string& meaning);

// Throws if there are several processes and DATA is standard input, as only one of them would get it.
void require_shared_file(const DataFlags& flags, const Communicator& processes);

// Reads flags.data; warnings of the reader go to standard error.
Dataset load(const Common& common, const DataFlags& flags, const LoadOptions& options);
Dataset load(const Common& common, const DataFlags& flags);
// Another file of the same kind (validation or test rows), with the labels and columns of `data`.
Dataset load_beside(const Common& common, const DataFlags& flags, const std::string& path,
                    const Dataset& data, UnseenLabels unseen);
// With the model's labels and columns, read like its training data unless flags say otherwise.
Dataset load_for_model(const Common& common, const DataFlags& flags, const Model& model, DataUse use);

[[nodiscard]] LoadOptions load_options(const DataFlags& flags);
// The options of load_for_model.
[[nodiscard]] LoadOptions load_options(const DataFlags& flags, const Model& model, DataUse use);
[[nodiscard]] IndexBase parse_index_base(const std::string& text);
// "0", "1" or "nan".
[[nodiscard]] double parse_zero_division(const std::string& text);
void add_zero_division(CLI::App& command, std::string& text);

}  // namespace mmo::cli
