#include "deep/data/coco.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "deep/data/image.h"
#include "mmo/core/error.h"
#include "mmo/core/file.h"
#include "mmo/core/json.h"
#include "mmo/core/parallel.h"
#include "mmo/data/label_columns.h"

namespace mmo::deep {
namespace {

using nlohmann::json;

const json& list_of(const json& root, const char* key, const std::string& path) {
  if (!root.is_object() || !root.contains(key) || !root[key].is_array())
    throw DataError(path, 0, fmt::format("not a COCO annotation file: it has no list '{}'", key));
  return root[key];
}

}  // namespace

Dataset read_coco(const std::string& path, const LoadOptions& options) {
  const FileContent content = FileContent::open(path);
  const json root = try_parse_json(content.bytes());
  if (root.is_discarded()) throw DataError(path, 0, "not valid JSON");
  Dataset data;
  data.source = path;
  try {
    std::map<std::int64_t, std::string> categories;
    for (const json& category : list_of(root, "categories", path))
      categories[category.at("id").get<std::int64_t>()] = category.at("name").get<std::string>();
    for (const auto& [id, name] : categories) data.label_names.push_back(name);
    const std::vector<std::string> names = data.label_names;
    const std::vector<std::string_view> found(names.begin(), names.end());
    if (options.expected_labels) data.label_names = labels_for_model(found, options);
    std::map<std::int64_t, std::uint32_t> column;
    for (const auto& [id, name] : categories) {
      column[id] = label_columns({name}, data.label_names)[0];
      if (column[id] == no_label && refuses_unseen(options))
        throw DataError(path, 0, fmt::format("the model does not know the category '{}'", name));
    }
    std::map<std::int64_t, std::size_t> row;
    for (const json& image : list_of(root, "images", path)) {
      row[image.at("id").get<std::int64_t>()] = data.documents.size();
      data.documents.push_back(image.at("file_name").get<std::string>());
    }
    std::vector<std::set<std::uint32_t>> present(data.documents.size());
    for (const json& annotation : list_of(root, "annotations", path)) {
      const auto image = annotation.at("image_id").get<std::int64_t>();
      const auto category = annotation.at("category_id").get<std::int64_t>();
      if (row.count(image) == 0)
        throw DataError(path, 0,
                        fmt::format("annotation {} is of picture {}, which the file does not list",
                                    annotation.value("id", std::int64_t{-1}), image));
      if (column.count(category) == 0)
        throw DataError(path, 0,
                        fmt::format("annotation {} has the unknown category {}",
                                    annotation.value("id", std::int64_t{-1}), category));
      if (column[category] != no_label) present[row[image]].insert(column[category]);
    }
    data.y.cols = data.label_names.size();
    for (const auto& labels : present)
      data.y.push_row(std::vector<std::uint32_t>(labels.begin(), labels.end()));
  } catch (const json::exception& error) {
    throw DataError(path, 0, fmt::format("not a COCO annotation file: {}", error.what()));
  }
  if (data.documents.empty()) throw DataError(path, 0, "it lists no pictures");
  data.x = DenseMatrix(data.rows(), 0);
  return data;
}

std::vector<std::string> picture_paths(const Dataset& data, const std::string& folder) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < data.documents.size(); ++i) {
    paths.push_back((std::filesystem::path(folder) / data.documents[i]).string());
    if (!std::filesystem::exists(paths.back()))
      throw IoError(fmt::format("{}: no such picture (row {} of {})", paths.back(), i + 1, data.source));
  }
  return paths;
}

std::vector<std::uint32_t> readable_pictures(const std::vector<std::string>& paths) {
  std::vector<char> readable(paths.size(), 1);
  parallel_for(paths.size(), [&](std::size_t i) {
    throw_if_cancelled();
    try {
      static_cast<void>(decode_jpeg(FileContent::open(paths[i]).bytes(), paths[i]));
    } catch (const DataError&) {
      readable[i] = 0;
    }
  });
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < readable.size(); ++i) {
    if (readable[i] == 1) rows.push_back(i);
  }
  return rows;
}

}  // namespace mmo::deep
