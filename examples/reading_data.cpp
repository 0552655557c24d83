// From a file to decisions and back: data of any format, a model for a metric, its file, and labels of new
// rows.
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "mmo/core/error.h"
#include "mmo/data/load.h"
#include "mmo/eval/evaluate.h"
#include "mmo/search/train.h"

namespace {

// Rows are red where x is large and blue where z is.
void write_table(const std::string& path, int first, int last) {
  std::ofstream file(path);
  file << "x,z,red,blue\n";
  for (int i = first; i < last; ++i) {
    const int x = i * 37 % 101;
    const int z = i * 53 % 97;
    file << x << ',' << z << ',' << (x > 60) << ',' << (z > 70) << '\n';
  }
}

}  // namespace

int main() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "mmo-reading-data";
  std::filesystem::create_directories(folder);
  const std::string training = (folder / "train.csv").string();
  const std::string test = (folder / "test.csv").string();
  const std::string file = (folder / "colours.mmo").string();
  write_table(training, 0, 200);
  write_table(test, 200, 300);
  try {
    mmo::LoadOptions reading;  // what the program's flags say: format, label columns, kinds of columns
    reading.labels = "last:2";

    mmo::TrainOptions options;
    options.metric = mmo::parse_metric("macro-f1");
    options.effort = mmo::Effort::quick;
    options.progress = [](const mmo::ProgressEvent& event) {
      fmt::print(stderr, "{:3.0f} %  {}\n", 100 * event.fraction, event.stage);
    };
    mmo::save_model(mmo::train(mmo::load_dataset(training, reading), options).model, file, true);

    const mmo::Model model = mmo::load_model(file);
    const mmo::Dataset rows = mmo::load_dataset(test, reading);
    const mmo::LabelMatrix predicted = mmo::predict(model, mmo::prepare(model, rows));
    mmo::Truth truth;
    truth.labels = &rows.y;
    fmt::print("{} on {} new rows: {:.3f}\n", model.metric.name, rows.rows(),
               mmo::evaluate(model.metric, predicted, truth));
    for (std::size_t i = 0; i < 3; ++i) {
      fmt::print("row {}:", i + 1);
      for (const std::uint32_t j : predicted.row(i)) fmt::print(" {}", model.label_name(j));
      fmt::print("\n");
    }
  } catch (const mmo::Error& error) {  // names the file, the line and the value
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  std::filesystem::remove_all(folder);
}
