// The tensors of a network by name: what is trained, saved and loaded. Networks are functions of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "deep/torch.h"

namespace mmo::deep {

enum class Role { weight, bias_or_norm, buffer };  // decayed; not decayed; not trained (running statistics)
enum class Start { normal, he, zeros, ones };      // N(0, 0.02²); N(0, 2 / fan-out)

struct TensorSpec {
  std::string name;
  std::vector<std::int64_t> shape;
  Role role = Role::weight;
  Start start = Start::normal;
};

using Specs = std::vector<TensorSpec>;

// Specs of the common layers.
void add_linear(Specs& specs, const std::string& name, std::int64_t in, std::int64_t out);
void add_norm(Specs& specs, const std::string& name, std::int64_t width);
void add_batch_norm(Specs& specs, const std::string& name, std::int64_t channels);
void add_convolution(Specs& specs, const std::string& name, std::vector<std::int64_t> shape);

struct Parameter {
  Tensor tensor;
  Role role = Role::weight;
};

class Parameters {
 public:
  Parameters() = default;
  // Random values from the seed and each tensor's name, so other tensors don't affect it.
  Parameters(const Specs& specs, std::uint64_t seed);

  [[nodiscard]] const Tensor& operator[](const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const { return all_.count(name) > 0; }
  void set(const std::string& name, Tensor tensor, Role role);
  void add(const Parameters& other);
  [[nodiscard]] const std::map<std::string, Parameter>& all() const { return all_; }

 private:
  std::map<std::string, Parameter> all_;
};

// x·Wᵀ + b with the tensors NAME.weight and NAME.bias; normalisation over the last axis.
Tensor linear(const Parameters& p, const std::string& name, const Tensor& x);
Tensor layer_norm(const Parameters& p, const std::string& name, const Tensor& x, double epsilon);
// In training, batch statistics (and the running ones are updated); otherwise running ones.
struct BatchNorm {
  bool training = false;
  double momentum = 0.1;
  double epsilon = 1e-5;
};
Tensor batch_norm(const Parameters& p, const std::string& name, const Tensor& x_NCHW, const BatchNorm& how);

}  // namespace mmo::deep
