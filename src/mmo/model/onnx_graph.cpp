#include "mmo/model/onnx_graph.h"

#include <span>

namespace mmo {
namespace {

constexpr std::uint64_t ir_version = 8;
constexpr std::uint64_t opset_version = 17;

// Protobuf's two wire types used here: 0 = varint, 2 = length-delimited.
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

void append_bytes(std::string& out, unsigned field, std::string_view bytes) {
  append_varint(out, (field << 3U) | 2U);
  append_varint(out, bytes.size());
  out.append(bytes);
}

std::string encoded_attribute(const std::string& name, const OnnxGraph::Attribute& value) {
  constexpr std::uint64_t type_int = 2;
  constexpr std::uint64_t type_ints = 7;
  std::string out;
  append_bytes(out, 1, name);
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    append_number(out, 3, static_cast<std::uint64_t>(*number));
    append_number(out, 20, type_int);
  } else {
    for (const std::int64_t item : std::get<std::vector<std::int64_t>>(value)) {
      append_number(out, 8, static_cast<std::uint64_t>(item));
    }
    append_number(out, 20, type_ints);
  }
  return out;
}

// ValueInfoProto: name, TypeProto { tensor_type { elem_type, shape [N, columns] } }.
std::string encoded_value_info(const std::string& name, OnnxType type, std::size_t columns) {
  std::string rows;
  append_bytes(rows, 2, "N");
  std::string width;
  append_number(width, 1, columns);
  std::string shape;
  append_bytes(shape, 1, rows);
  append_bytes(shape, 1, width);
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

template <class Values>
std::string_view raw_bytes(const Values& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(*values.data())};
}

}  // namespace

std::string OnnxGraph::constant(OnnxType type, const Shape& shape, std::string_view bytes) {
  const std::string name = fresh_name();
  std::string tensor;
  for (const std::int64_t side : shape) append_number(tensor, 1, static_cast<std::uint64_t>(side));
  append_number(tensor, 2, static_cast<std::uint64_t>(type));
  append_bytes(tensor, 8, name);
  append_bytes(tensor, 9, bytes);
  append_bytes(initializers_, 5, tensor);
  return name;
}

std::string OnnxGraph::constant(std::span<const float> values, const Shape& shape) {
  return constant(OnnxType::float32, shape, raw_bytes(values));
}
std::string OnnxGraph::constant(const std::vector<double>& values, const Shape& shape) {
  return constant(OnnxType::float64, shape, raw_bytes(values));
}
std::string OnnxGraph::constant(const std::vector<std::int64_t>& values, const Shape& shape) {
  return constant(OnnxType::int64, shape, raw_bytes(values));
}

std::vector<std::string> OnnxGraph::node(const std::string& op, const std::vector<std::string>& inputs,
                                         std::size_t outputs,
                                         const std::map<std::string, Attribute>& attributes) {
  std::vector<std::string> results;
  std::string out;
  for (const std::string& name : inputs) append_bytes(out, 1, name);
  for (std::size_t k = 0; k < outputs; ++k) {
    results.push_back(fresh_name());
    append_bytes(out, 2, results.back());
  }
  append_bytes(out, 4, op);
  for (const auto& [name, value] : attributes) append_bytes(out, 5, encoded_attribute(name, value));
  append_bytes(nodes_, 1, out);
  return results;
}

std::string OnnxGraph::node(const std::string& op, const std::vector<std::string>& inputs,
                            const std::map<std::string, Attribute>& attributes) {
  return node(op, inputs, 1, attributes).front();
}

std::string OnnxGraph::cast(const std::string& value, OnnxType type) {
  return node("Cast", {value}, {{"to", static_cast<std::int64_t>(type)}});
}

void OnnxGraph::input(const std::string& name, OnnxType type, std::size_t columns) {
  append_bytes(inputs_, 11, encoded_value_info(name, type, columns));
}

void OnnxGraph::output(const std::string& name, const std::string& value, OnnxType type,
                       std::size_t columns) {
  std::string identity;
  append_bytes(identity, 1, value);
  append_bytes(identity, 2, name);
  append_bytes(identity, 4, "Identity");
  append_bytes(nodes_, 1, identity);
  append_bytes(outputs_, 12, encoded_value_info(name, type, columns));
}

void OnnxGraph::metadata(const std::string& key, const std::string& value) {
  std::string entry;
  append_bytes(entry, 1, key);
  append_bytes(entry, 2, value);
  append_bytes(metadata_, 14, entry);
}

std::string OnnxGraph::model_bytes() const {
  std::string graph = nodes_;
  append_bytes(graph, 2, "mmo");
  graph += initializers_ + inputs_ + outputs_;
  std::string opset;
  append_bytes(opset, 1, "");
  append_number(opset, 2, opset_version);
  std::string model;
  append_number(model, 1, ir_version);
  append_bytes(model, 2, "mmo");
  append_bytes(model, 7, graph);
  append_bytes(model, 8, opset);
  return model + metadata_;
}

}  // namespace mmo
