#include "mmo/model/input_parts.h"

#include <algorithm>
#include <utility>

namespace mmo {
namespace {

using nlohmann::json;

// encoder.knots: the knots of all columns in turn; encoder.knot_counts: how many belong to each column;
// texts: name and options of each vectorizer, whose words are texts.0, texts.1, …
json save_sparse(const SparseLayout& layout, PartWriter& out) {
  std::vector<float> knots;
  std::vector<std::int64_t> counts;
  for (const auto& column : layout.knots) {
    knots.insert(knots.end(), column.begin(), column.end());
    counts.push_back(static_cast<std::int64_t>(column.size()));
  }
  out.keep("encoder.knots", knots, {knots.size()});
  out.keep("encoder.knot_counts", counts, {counts.size()});
  json texts = json::array();
  for (std::size_t t = 0; t < layout.words.size(); ++t) {
    json words = save_words(layout.words[t].words, "texts." + std::to_string(t), out);
    words["name"] = layout.words[t].name;
    texts.push_back(std::move(words));
  }
  return texts;
}

SparseLayout load_sparse(const json& texts, const PartReader& in, const Encoder& encoder) {
  SparseLayout layout;
  const auto counts = in.read<std::int64_t>("encoder.knot_counts", encoder.raw_columns);
  const auto knots = in.read<float>("encoder.knots", in.length("encoder.knots"));
  std::size_t next = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const bool nominal = k < encoder.columns.size() && encoder.columns[k].nominal();
    in.require(counts[k] >= 0 && static_cast<std::size_t>(counts[k]) <= knots.size() - next &&
                   (counts[k] == 0) == nominal,
               "the knots of its numbers are incomplete");
    const auto first = knots.begin() + static_cast<std::ptrdiff_t>(next);
    layout.knots.emplace_back(first, first + counts[k]);
    const auto& column = layout.knots.back();
    in.require(std::adjacent_find(column.begin(), column.end(), [](float a, float b) { return !(a < b); }) ==
                   column.end(),
               "the knots of its numbers do not ascend");
    next += column.size();
  }
  for (std::size_t t = 0; t < texts.size(); ++t) {
    layout.words.push_back(
        {texts[t].at("name").get<std::string>(), load_words(texts[t], "texts." + std::to_string(t), in)});
  }
  return layout;
}

void load_newer_parts(const json& from, const PartReader& in, Encoder& encoder) {
  if (from.contains("dates")) {
    for (FeatureInfo& column : encoder.columns) {
      if (!from.at("dates").contains(column.name)) continue;
      const auto order = parse_date_order(from.at("dates").at(column.name).get<std::string>());
      in.require(order.has_value(), "the dates of column '" + column.name + "' are in an unknown order");
      column.date = *order;
    }
  }
  if (in.has("encoder.marked")) {
    encoder.marked = in.read<std::uint8_t>("encoder.marked", encoder.raw_columns);
    const bool flags = std::all_of(encoder.marked.begin(), encoder.marked.end(),
                                   [](std::uint8_t mark) { return mark <= 1; });
    in.require(flags && !encoder.fill.empty(), "its marks of missing values are damaged");
  }
  if (from.contains("texts")) encoder.sparse = load_sparse(from.at("texts"), in, encoder);
}

}  // namespace

json save_words(const Vectorizer& text, const std::string& name, PartWriter& out) {
  const TextOptions& o = text.options();
  out.add_strings(name + ".vocabulary", text.vocabulary());
  out.add(name + ".idf", text.idf());
  return {{"min_n", o.min_n},
          {"max_n", o.max_n},
          {"min_df", o.min_df},
          {"max_df", o.max_df},
          {"sublinear_tf", o.sublinear_tf},
          {"lowercase", o.lowercase},
          {"max_features", o.max_features}};
}

Vectorizer load_words(const json& from, const std::string& name, const PartReader& in) {
  TextOptions o;
  o.min_n = from.at("min_n").get<int>();
  o.max_n = from.at("max_n").get<int>();
  o.min_df = from.at("min_df").get<std::uint64_t>();
  o.max_df = from.at("max_df").get<double>();
  o.sublinear_tf = from.at("sublinear_tf").get<bool>();
  o.lowercase = from.at("lowercase").get<bool>();
  o.max_features = from.at("max_features").get<std::size_t>();
  std::vector<std::string> vocabulary = in.read_strings(name + ".vocabulary");
  std::vector<float> idf = in.read<float>(name + ".idf", vocabulary.size());
  return {o, std::move(vocabulary), std::move(idf)};
}

// encoder.columns: names; encoder.categories: the categories of all columns in turn; encoder.category_counts:
// how many belong to each column.
json save_encoder(const Encoder& encoder, PartWriter& out) {
  std::vector<std::string> names;
  std::vector<std::string> categories;
  std::vector<std::int64_t> counts;
  for (const FeatureInfo& column : encoder.columns) {
    names.push_back(column.name);
    categories.insert(categories.end(), column.categories.begin(), column.categories.end());
    counts.push_back(static_cast<std::int64_t>(column.categories.size()));
  }
  out.add_strings("encoder.columns", names);
  out.add_strings("encoder.categories", categories);
  out.keep("encoder.category_counts", counts, {counts.size()});
  out.add("encoder.fill", encoder.fill);
  json saved{{"raw_columns", encoder.raw_columns}};
  for (const FeatureInfo& column : encoder.columns) {
    if (column.date != DateOrder::none) saved["dates"][column.name] = date_order_name(column.date);
  }
  if (!encoder.marked.empty()) out.add("encoder.marked", encoder.marked);
  if (encoder.sparse) saved["texts"] = save_sparse(*encoder.sparse, out);
  return saved;
}

Encoder load_encoder(const json& from, const PartReader& in) {
  Encoder encoder;
  encoder.raw_columns = from.at("raw_columns").get<std::size_t>();
  const std::vector<std::string> names = in.read_strings("encoder.columns");
  const std::vector<std::string> categories = in.read_strings("encoder.categories");
  const auto counts = in.read<std::int64_t>("encoder.category_counts", names.size());
  in.require(names.empty() || names.size() == encoder.raw_columns,
             "its columns and their names differ in number");
  std::size_t next = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    in.require(counts[k] >= 0 && static_cast<std::size_t>(counts[k]) <= categories.size() - next,
               "the categories of column '" + names[k] + "' are incomplete");
    const auto first = categories.begin() + static_cast<std::ptrdiff_t>(next);
    encoder.columns.push_back({names[k], {first, first + counts[k]}});
    next += static_cast<std::size_t>(counts[k]);
  }
  encoder.fill = in.read<float>("encoder.fill", in.length("encoder.fill"));
  in.require(encoder.fill.empty() || encoder.fill.size() == encoder.raw_columns,
             "its fill values and its columns differ in number");
  load_newer_parts(from, in, encoder);
  return encoder;
}

bool is_plain_input(const Encoder& encoder) {
  const bool dates = std::any_of(encoder.columns.begin(), encoder.columns.end(),
                                 [](const FeatureInfo& column) { return column.date != DateOrder::none; });
  return encoder.marked.empty() && !encoder.sparse && !dates;
}

}  // namespace mmo
