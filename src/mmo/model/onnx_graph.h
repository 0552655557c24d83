// Builds an ONNX graph and writes it as the protobuf message ModelProto. Only the fields that an inference
// graph needs (https://github.com/onnx/onnx, onnx.proto); no protobuf library. Weights can stay where they
// are until they are written.
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
  using Attribute = std::variant<std::int64_t, std::vector<std::int64_t>, float, std::string,
                                 std::vector<float>, std::vector<std::string>>;
  using Shape = std::vector<std::int64_t>;
  using Side = std::variant<std::int64_t, std::string>;  // a size, or the name of a free one
  using Sides = std::vector<Side>;

  // A constant; returns its name. An empty shape is a scalar.
  std::string constant(std::span<const float> values, const Shape& shape);
  std::string constant(const std::vector<double>& values, const Shape& shape);
  std::string constant(const std::vector<std::int64_t>& values, const Shape& shape);
  std::string scalar(float value) { return constant(std::vector<float>{value}, {}); }
  std::string scalar(double value) { return constant(std::vector<double>{value}, {}); }
  std::string scalar(std::int64_t value) { return constant(std::vector<std::int64_t>{value}, {}); }

  // The same without a copy: `values` must outlive the writing.
  std::string weight(std::span<const float> values, const Shape& shape);

  // An operator with one output; returns the output's name.
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::map<std::string, Attribute>& attributes = {});
  // The same for operators with several outputs.
  std::vector<std::string> node(const std::string& op, const std::vector<std::string>& inputs,
                                std::size_t outputs, const std::map<std::string, Attribute>& attributes);
  // An operator of ai.onnx.ml.
  std::string ml_node(const std::string& op, const std::vector<std::string>& inputs,
                      const std::map<std::string, Attribute>& attributes);
  std::string cast(const std::string& value, OnnxType type);

  void input(const std::string& name, OnnxType type, const Sides& shape);
  void output(const std::string& name, const std::string& value, OnnxType type, const Sides& shape);
  void metadata(const std::string& key, const std::string& value);

  // Throws ModelError if the model is larger than protobuf allows (2 GB), IoError if it can't be written.
  void write(const std::string& path, bool overwrite) const;

 private:
  struct Initializer {
    std::string head;        // its TensorProto except for the values
    std::string owned;       // the values, or
    std::string_view bytes;  // where they are
    [[nodiscard]] std::string_view values() const { return owned.empty() ? bytes : owned; }
  };

  std::vector<std::string> add_node(const std::string& op, const std::vector<std::string>& inputs,
                                    std::size_t outputs, const std::map<std::string, Attribute>& attributes,
                                    const std::string& domain);
  std::string add_initializer(OnnxType type, const Shape& shape, std::string owned, std::string_view bytes);
  std::string fresh_name() { return "v" + std::to_string(next_name_++); }

  std::string nodes_, inputs_, outputs_, metadata_;  // encoded fields
  std::vector<Initializer> initializers_;
  int next_name_ = 0;
  bool uses_ml_ = false;
};

}  // namespace mmo
