#include "mmo/model/onnx_graph.h"

#include <bit>
#include <limits>

#include "mmo/core/atomic_file.h"
#include "mmo/core/error.h"

namespace mmo {
namespace {

constexpr std::uint64_t ir_version = 8;
constexpr std::uint64_t opset_version = 17;
constexpr auto ml_domain = "ai.onnx.ml";
constexpr std::uint64_t ml_opset_version = 3;

constexpr std::size_t largest_model = std::numeric_limits<std::int32_t>::max();  // protobuf's limit

// Protobuf's wire types used here: 0 = varint, 2 = length-delimited, 5 = four bytes.
void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7f) | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void append_number(std::string& out, unsigned field, std::uint64_t value) {
  append_varint(out, field << 3U);
  append_varint(out, value);
}

// What precedes the bytes of a field.
void append_length(std::string& out, unsigned field, std::size_t length) {
  append_varint(out, (field << 3U) | 2U);
  append_varint(out, length);
}

void append_bytes(std::string& out, unsigned field, std::string_view bytes) {
  append_length(out, field, bytes.size());
  out.append(bytes);
}

void append_float(std::string& out, unsigned field, float value) {
  append_varint(out, (field << 3U) | 5U);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>((bits >> shift) & 0xffU));
}

// AttributeProto: its name, the value in the field of its type, and that type.
std::string encoded_attribute(const std::string& name, const OnnxGraph::Attribute& value) {
  enum : std::uint64_t {
    type_float = 1,
    type_int = 2,
    type_string = 3,
    type_floats = 6,
    type_ints = 7,
    type_strings = 8
  };
  std::string out;
  append_bytes(out, 1, name);
  if (const auto* real = std::get_if<float>(&value)) {
    append_float(out, 2, *real);
    append_number(out, 20, type_float);
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    append_number(out, 3, static_cast<std::uint64_t>(*number));
    append_number(out, 20, type_int);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    append_bytes(out, 4, *text);
    append_number(out, 20, type_string);
  } else if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
    for (const float item : *reals) append_float(out, 7, item);
    append_number(out, 20, type_floats);
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& item : *texts) append_bytes(out, 9, item);
    append_number(out, 20, type_strings);
  } else {
    for (const std::int64_t item : std::get<std::vector<std::int64_t>>(value)) {
      append_number(out, 8, static_cast<std::uint64_t>(item));
    }
    append_number(out, 20, type_ints);
  }
  return out;
}

// ValueInfoProto: name, TypeProto { tensor_type { elem_type, shape } }.
std::string encoded_value_info(const std::string& name, OnnxType type, const OnnxGraph::Sides& sides) {
  std::string shape;
  for (const OnnxGraph::Side& side : sides) {
    std::string dimension;
    if (const auto* size = std::get_if<std::int64_t>(&side)) {
      append_number(dimension, 1, static_cast<std::uint64_t>(*size));
    } else {
      append_bytes(dimension, 2, std::get<std::string>(side));
    }
    append_bytes(shape, 1, dimension);
  }
  std::string tensor;
  append_number(tensor, 1, static_cast<std::uint64_t>(type));
  append_bytes(tensor, 2, shape);
  std::string type_proto;
  append_bytes(type_proto, 1, tensor);
  std::string out;
  append_bytes(out, 1, name);
  append_bytes(out, 2, type_proto);
  return out;
}

std::string encoded_opset(const std::string& domain, std::uint64_t version) {
  std::string out;
  append_bytes(out, 1, domain);
  append_number(out, 2, version);
  return out;
}

template <class Values>
std::string_view raw_bytes(const Values& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(*values.data())};
}

}  // namespace

std::string OnnxGraph::add_initializer(OnnxType type, const Shape& shape, std::string owned,
                                       std::string_view bytes) {
  const std::string name = fresh_name();
  std::string head;
  for (const std::int64_t side : shape) append_number(head, 1, static_cast<std::uint64_t>(side));
  append_number(head, 2, static_cast<std::uint64_t>(type));
  append_bytes(head, 8, name);
  append_length(head, 9, owned.empty() ? bytes.size() : owned.size());
  initializers_.push_back({std::move(head), std::move(owned), bytes});
  return name;
}

std::string OnnxGraph::constant(std::span<const float> values, const Shape& shape) {
  return add_initializer(OnnxType::float32, shape, std::string(raw_bytes(values)), {});
}
std::string OnnxGraph::constant(const std::vector<double>& values, const Shape& shape) {
  return add_initializer(OnnxType::float64, shape, std::string(raw_bytes(values)), {});
}
std::string OnnxGraph::constant(const std::vector<std::int64_t>& values, const Shape& shape) {
  return add_initializer(OnnxType::int64, shape, std::string(raw_bytes(values)), {});
}
std::string OnnxGraph::weight(std::span<const float> values, const Shape& shape) {
  return add_initializer(OnnxType::float32, shape, {}, raw_bytes(values));
}

std::vector<std::string> OnnxGraph::add_node(const std::string& op, const std::vector<std::string>& inputs,
                                             std::size_t outputs,
                                             const std::map<std::string, Attribute>& attributes,
                                             const std::string& domain) {
  std::vector<std::string> results;
  std::string out;
  for (const std::string& name : inputs) append_bytes(out, 1, name);
  for (std::size_t k = 0; k < outputs; ++k) {
    results.push_back(fresh_name());
    append_bytes(out, 2, results.back());
  }
  append_bytes(out, 4, op);
  for (const auto& [name, value] : attributes) append_bytes(out, 5, encoded_attribute(name, value));
  if (!domain.empty()) append_bytes(out, 7, domain);
  append_bytes(nodes_, 1, out);
  return results;
}

std::vector<std::string> OnnxGraph::node(const std::string& op, const std::vector<std::string>& inputs,
                                         std::size_t outputs,
                                         const std::map<std::string, Attribute>& attributes) {
  return add_node(op, inputs, outputs, attributes, "");
}

std::string OnnxGraph::ml_node(const std::string& op, const std::vector<std::string>& inputs,
                               const std::map<std::string, Attribute>& attributes) {
  uses_ml_ = true;
  return add_node(op, inputs, 1, attributes, ml_domain).front();
}

std::string OnnxGraph::node(const std::string& op, const std::vector<std::string>& inputs,
                            const std::map<std::string, Attribute>& attributes) {
  return node(op, inputs, 1, attributes).front();
}

std::string OnnxGraph::cast(const std::string& value, OnnxType type) {
  return node("Cast", {value}, {{"to", static_cast<std::int64_t>(type)}});
}

void OnnxGraph::input(const std::string& name, OnnxType type, const Sides& shape) {
  append_bytes(inputs_, 11, encoded_value_info(name, type, shape));
}

void OnnxGraph::output(const std::string& name, const std::string& value, OnnxType type, const Sides& shape) {
  std::string identity;
  append_bytes(identity, 1, value);
  append_bytes(identity, 2, name);
  append_bytes(identity, 4, "Identity");
  append_bytes(nodes_, 1, identity);
  append_bytes(outputs_, 12, encoded_value_info(name, type, shape));
}

void OnnxGraph::metadata(const std::string& key, const std::string& value) {
  std::string entry;
  append_bytes(entry, 1, key);
  append_bytes(entry, 2, value);
  append_bytes(metadata_, 14, entry);
}

// ModelProto { ir_version, producer_name, graph, opset_import, metadata_props }, weights one at a time.
void OnnxGraph::write(const std::string& path, bool overwrite) const {
  std::string graph_head = nodes_;
  append_bytes(graph_head, 2, "mmo");
  std::size_t graph_size = graph_head.size() + inputs_.size() + outputs_.size();
  std::vector<std::string> tags;
  for (const Initializer& tensor : initializers_) {
    const std::size_t size = tensor.head.size() + tensor.values().size();
    append_length(tags.emplace_back(), 5, size);
    graph_size += tags.back().size() + size;
  }
  std::string model_head;
  append_number(model_head, 1, ir_version);
  append_bytes(model_head, 2, "mmo");
  append_length(model_head, 7, graph_size);
  std::string model_tail;
  append_bytes(model_tail, 8, encoded_opset("", opset_version));
  if (uses_ml_) append_bytes(model_tail, 8, encoded_opset(ml_domain, ml_opset_version));
  model_tail += metadata_;
  const std::size_t total = model_head.size() + graph_size + model_tail.size();
  if (total > largest_model)
    throw ModelError(path + ": ONNX files can't exceed 2 GB, this model needs " + std::to_string(total) +
                     " bytes");

  AtomicFile file(path, overwrite);
  file.write(model_head);
  file.write(graph_head);
  for (std::size_t k = 0; k < initializers_.size(); ++k) {
    file.write(tags[k]);
    file.write(initializers_[k].head);
    file.write(initializers_[k].values());
  }
  file.write(inputs_);
  file.write(outputs_);
  file.write(model_tail);
  file.commit();
}

}  // namespace mmo
