// ARFF for Mulan and MEKA at once: the labels are the last attributes, the relation's name says so ("-C -6"),
// and Mulan's label header is written beside it. Before the labels come the features (or a string attribute
// "text"), then "weight" and "group" if there are any. Sparse features give sparse rows.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>

#include "mmo/core/error.h"
#include "mmo/core/parallel.h"
#include "mmo/data/readers.h"
#include "mmo/data/writer.h"

namespace mmo {
namespace {

// A word as the ARFF reader (and WEKA's) takes it back.
std::string arff_word(std::string_view text) {
  const bool plain =
      !text.empty() &&
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+") ==
          std::string_view::npos;
  if (plain) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\'':
      case '"':
      case '\\':
      case '%':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  return out + "'";
}

std::string escaped_for_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '&' || c == '<' || c == '>' || c == '"') {
      out += fmt::format("&#{};", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::filesystem::path without_packing(const std::string& path) {
  std::filesystem::path base(path);
  if (base.extension() == ".gz" || base.extension() == ".zst") base.replace_extension();
  return base;
}

class ArffWriter {
 public:
  ArffWriter(const Dataset& data, TextWriter& out) : data_(data), out_(out) {}

  void header(const std::string& name) {
    std::vector<std::string> names;
    const auto attribute = [&](const std::string& attribute_name, const std::string& type) {
      names.push_back(attribute_name);
      out_.text(fmt::format("@attribute {} {}\n", arff_word(attribute_name), type));
    };
    const std::string labels = data_.labels() > 0 ? fmt::format(": -C -{}", data_.labels()) : "";
    out_.text(fmt::format("@relation {}\n\n", arff_word(name + labels)));
    if (data_.is_text()) attribute("text", "string");
    for (std::size_t k = 0; !data_.is_text() && k < feature_cols(data_.x); ++k) {
      attribute(data_.feature_name(k), type_of(k));
    }
    if (!data_.row_weights.empty()) attribute("weight", "numeric");
    if (!data_.groups.empty()) attribute("group", "string");
    for (std::size_t j = 0; j < data_.labels(); ++j) attribute(data_.label_name(j), "{0,1}");
    refuse_bad_names(names, "ARFF");
    out_.text("\n@data\n");
  }

  void row(std::size_t i) {
    const bool sparse = !data_.is_text() && std::holds_alternative<CsrMatrix>(data_.x);
    separator_ = "";
    attribute_ = 0;
    sparse_ = sparse;
    if (sparse) {
      out_.text("{");
      for_each_nonzero(data_.x, i, [&](std::uint32_t k, float value) { feature(k, value); });
      attribute_ = feature_cols(data_.x);
    } else if (data_.is_text()) {
      next();
      out_.text(arff_word(data_.documents[i]));
    } else {
      const auto values = std::get<DenseMatrix>(data_.x).row(i);
      for (std::size_t k = 0; k < values.size(); ++k) feature(k, values[k]);
    }
    if (!data_.row_weights.empty()) {
      next();
      out_.number(data_.row_weights[i]);
    }
    if (!data_.groups.empty()) {
      next();
      out_.text(arff_word(data_.groups[i]));
    }
    labels(i);
    out_.text(sparse ? "}\n" : "\n");
  }

 private:
  [[nodiscard]] bool nominal(std::size_t k) const {
    return k < data_.features.size() && data_.features[k].nominal();
  }
  [[nodiscard]] std::string type_of(std::size_t k) const {
    if (!nominal(k)) return "numeric";
    std::string type = "{";
    for (const auto& category : data_.features[k].categories) {
      if (type.size() > 1) type += ',';
      type += arff_word(category);
    }
    return type + "}";
  }

  // Goes to the next attribute, in a sparse row by its number.
  void next() {
    out_.text(separator_);
    separator_ = ",";
    if (sparse_) {
      out_.number(attribute_);
      out_.text(" ");
    }
    ++attribute_;
  }

  void feature(std::size_t k, float value) {
    attribute_ = k;
    next();
    if (std::isnan(value)) {
      out_.text("?");
    } else if (nominal(k)) {
      out_.text(arff_word(data_.features[k].categories[static_cast<std::size_t>(value)]));
    } else {
      out_.number(value);
    }
  }

  void labels(std::size_t i) {
    const std::size_t first = attribute_;
    cells_.assign(data_.labels(), '0');
    for (const std::uint32_t j : data_.y.row(i)) cells_[j] = '1';
    if (data_.unknown.rows > 0) {
      for (const std::uint32_t j : data_.unknown.row(i)) cells_[j] = '?';
    }
    for (std::size_t j = 0; j < cells_.size(); ++j) {
      if (sparse_ && cells_[j] == '0') continue;
      attribute_ = first + j;
      next();
      out_.text({&cells_[j], 1});
    }
  }

  const Dataset& data_;
  TextWriter& out_;
  bool sparse_ = false;
  std::size_t attribute_ = 0;
  std::string_view separator_;
  std::vector<char> cells_;
};

void write_label_header(const Dataset& data, TextWriter& out) {
  out.text(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n");
  for (std::size_t j = 0; j < data.labels(); ++j) {
    out.text(fmt::format("<label name=\"{}\"></label>\n", escaped_for_xml(data.label_name(j))));
  }
  out.text("</labels>\n");
}

}  // namespace

void write_arff(const Dataset& data, const std::string& path, const SaveOptions& options) {
  refuse_what_does_not_fit(
      data, "ARFF", {.nominal = true, .text = true, .unknown_labels = true, .weights = true, .groups = true});
  const std::filesystem::path base = without_packing(path);
  FileSet pair;
  SaveOptions members = options;
  if (options.together == nullptr) members.together = &pair;
  TextWriter out(path, members);
  std::optional<TextWriter> label_header;  // a stream has no file beside it; "-C" is enough there
  if (!is_stream(path) && data.labels() > 0) {
    label_header.emplace(std::filesystem::path(base).replace_extension(".xml").string(), members);
    write_label_header(data, *label_header);
  }
  ArffWriter writer(data, out);
  writer.header(is_stream(path) ? "data" : base.stem().string());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    throw_if_cancelled();
    writer.row(i);
  }
  if (label_header) label_header->commit();
  out.commit();
  pair.commit();
}

}  // namespace mmo
