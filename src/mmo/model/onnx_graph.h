// Builds an ONNX graph and writes it as the protobuf message ModelProto. Only the fields that an inference
// graph needs (https://github.com/onnx/onnx, onnx.proto); no protobuf library.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mmo {

// The element types of TensorProto.
enum class OnnxType : int { float32 = 1, int64 = 7, boolean = 9, float64 = 11 };

class OnnxGraph {
 public:
  using Attribute = std::variant<std::int64_t, std::vector<std::int64_t>>;
  using Shape = std::vector<std::int64_t>;

  // A constant; returns its name. An empty shape is a scalar.
  std::string constant(std::span<const float> values, const Shape& shape);
  std::string constant(const std::vector<double>& values, const Shape& shape);
  std::string constant(const std::vector<std::int64_t>& values, const Shape& shape);
  std::string scalar(float value) { return constant(std::vector<float>{value}, {}); }
  std::string scalar(double value) { return constant(std::vector<double>{value}, {}); }
  std::string scalar(std::int64_t value) { return constant(std::vector<std::int64_t>{value}, {}); }

  // An operator with one output; returns the output's name.
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::map<std::string, Attribute>& attributes = {});
  // The same for operators with several outputs.
  std::vector<std::string> node(const std::string& op, const std::vector<std::string>& inputs,
                                std::size_t outputs, const std::map<std::string, Attribute>& attributes);
  std::string cast(const std::string& value, OnnxType type);

  // A matrix of N rows (N is free) and `columns` columns.
  void input(const std::string& name, OnnxType type, std::size_t columns);
  void output(const std::string& name, const std::string& value, OnnxType type, std::size_t columns);
  void metadata(const std::string& key, const std::string& value);

  [[nodiscard]] std::string model_bytes() const;

 private:
  std::string constant(OnnxType type, const Shape& shape, std::string_view bytes);
  std::string fresh_name() { return "v" + std::to_string(next_name_++); }

  std::string nodes_, initializers_, inputs_, outputs_, metadata_;  // encoded fields
  int next_name_ = 0;
};

}  // namespace mmo
